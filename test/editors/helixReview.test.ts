/** The review in Helix, which has no plugin: hints, the hover, the menu of code actions, and the jump to the next hunk. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { batch } from "../support/desk.js";
import { startAgent } from "./agent.js";
import { attachPlainText, helix, helixFor } from "./helix.js";
import { absence, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

vi.setConfig({ testTimeout: 90_000 });

const attach = (): string => attachPlainText('review = "hints"');

it("Helix shows what an agent has changed, and its menu undoes and keeps it", async () => {
  const missing = absence(helix);
  if (missing !== undefined) {
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(missing);
    return console.log(`left out: the review in Helix; ${missing}`);
  }
  const session = await startSession(helixFor(helix, [], attach));
  try {
    await onStage(session, reviews);
  } finally {
    await session.stop();
  }
});

const three = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

async function reviews(stage: Stage): Promise<void> {
  const { driver } = stage;
  const run = driver.run!;
  const text = async (name: string): Promise<string | undefined> => (await stage.held())[name];
  stage.lay({ "a.txt": three, "b.txt": three });
  await stage.open("a.txt", "b.txt");
  await stage.apply("agent", batch(["a.txt", "two", "TWO"], ["a.txt", "six", "SIX"], ["b.txt", "three", "THREE"]));
  // Helix shows hints at the end of the line in which the cursor is.
  await run(":lsp-workspace-command multiEdit.reviewNext\r");
  await expect.poll(() => driver.said(), { timeout: 10_000 }).toContain("1 line changed");
  driver.key(" k");
  await expect.poll(() => driver.said(), { timeout: 10_000 }).toContain("-two");
  driver.key("\u001b");
  // Otherwise, Helix takes the escape and the next key for one key.
  await delay(100);
  driver.key(" a");
  await driver.answer("Undo this change", "first", ["first"]);
  await expect.poll(() => text("a.txt")).toBe(three.replace("six", "SIX"));
  await run(`:o ${stage.path("b.txt")}\r`);
  await run("gg/THREE\r");
  driver.key(" a");
  await driver.answer("Keep this change", "second", ["first", "second"]);
  await run(":lsp-workspace-command multiEdit.reviewNext\r");
  await run(":lsp-workspace-command multiEdit.reviewNext\r");
  expect(await text("b.txt")).toBe(three.replace("three", "THREE"));
  const agent = await startAgent(stage.session.place, "claude-code", stage.folder);
  try {
    expect(await agent.apply({ edits: [{ path: "b.txt", oldText: "five", newText: "FIVE" }] })).toContain("M b.txt");
    await run(':lsp-workspace-command multiEdit.comment "use cents"\r');
    await delay(500);
    const told = await agent.apply({ edits: [{ path: "b.txt", oldText: "seven", newText: "SEVEN" }] });
    expect(told).toMatch(/Since your last edit, the user .*says of .*: \\?"use cents\\?"/);
  } finally {
    agent.stop();
  }
}
