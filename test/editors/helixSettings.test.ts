/** The settings of Helix' users: the line of the sample's page holds, and settings that do not exist are named. */
import { expect, it, vi } from "vitest";
import { batch } from "../support/desk.js";
import type { EditorKind } from "./editor.js";
import { attachPlainText, helix, helixFor, olderHelix } from "./helix.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

const always = 'confirm = "always"';

/** The page's setting, between two that do not exist. */
const attach = (): string => attachPlainText(`confrim = "always", ${always}, svae = 1`);

vi.setConfig({ testTimeout: 60_000 });

for (const kind of [helix, olderHelix]) {
  it(`${kind.name} (${kind.root}): settings that do not exist are named in one message, and the others hold`, async () => {
    const missing = absence(kind);
    if (missing !== undefined) {
      const leftOut = `left out: the settings of ${kind.name} (${kind.root}); ${missing}`;
      if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
      return console.log(leftOut);
    }
    const session = await startSession(helixFor(kind, [], attach), { whenStarted: (editor) => named(kind, editor) });
    try {
      await onStage(session, asks);
    } finally {
      await session.stop();
    }
  });
}

/** Helix shows a message only until the next key. */
async function named(kind: EditorKind, { driver, wire }: Pick<Session, "driver" | "wire">): Promise<void> {
  const messages = () => wire.messages.filter(({ message }) => message.method === "window/showMessage");
  await wire.until("a message", () => messages()[0]);
  const about = /There is no setting "(confrim" \(did you mean "confirm"\?\) or "svae|svae" .*or "confrim)"/;
  expect(messages().map(({ message }) => message.params)).toEqual([{ type: 2, message: expect.stringMatching(about) }]);
  const screen = (): string => driver.said().replace(/\s+/g, " ");
  if (kind.root === "current")
    await expect.poll(screen, { timeout: 10_000 }).toContain('multi-edit: There is no setting "');
}

async function asks(stage: Stage): Promise<void> {
  const { wire, session } = stage;
  stage.lay({ "a.txt": "old\n" });
  await stage.open("a.txt");
  const told = stage.apply("agent", batch(["a.txt", "old", "new"]));
  // The older Helix can't ask, so it refuses what must be confirmed.
  if (session.kind.root === "older") {
    expect(await told).toMatchObject({ outcome: "failed", codes: ["clientCapability"] });
    return;
  }
  const question = await wire.until("a question", () =>
    wire.messages.map(({ message }) => message).find(({ method }) => method === "window/showMessageRequest"),
  );
  const titles: string[] = question.params.actions.map(({ title }: { title: string }) => title);
  await stage.driver.answer(question.params.message, "Reject", titles);
  expect(await told).toMatchObject({ outcome: "failed", codes: ["userRejected"] });
}
