/** A real Helix with 1,000 open files, of which a branch switch changes 999 at once. */
import { relative } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { helix } from "./helix.js";
import { latest, layBranches, names, notices, textOf, whenAllOpen } from "./manyFiles.js";
import { absence, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

vi.setConfig({ testTimeout: 300_000 });

describe("Helix with 1,000 open files", () => {
  const missing = absence(helix);
  it("tells how many a branch switch has changed, keeps what is unsaved, and loads all when told to", async () => {
    if (missing === undefined) {
      const session = await startSession(helix);
      return onStage(session, changes).finally(session.stop);
    }
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(missing);
    console.log(`left out: 1,000 open files in Helix: ${missing}`);
  });
});

/** The number of files that the messages call changed and not loaded. */
const staleIn = (messages: readonly string[]): number =>
  messages.reduce((sum, one) => sum + Number(/(\d+) files? changed on disk and not loaded/.exec(one)?.[1] ?? 0), 0);

async function changes(stage: Stage): Promise<void> {
  const { driver, session, wire } = stage;
  const git = layBranches(stage, 999);
  const start = performance.now();
  for (let from = 0; from < names.length; from += 40) {
    const paths = names.slice(from, from + 40).map((name) => relative(session.folder, stage.path(name)));
    // A few at a time: Helix looks for completions after each typed key.
    await driver.run!(`:open ${paths.join(" ")}\r`);
  }
  await whenAllOpen(stage);
  console.log(`1,000 files were opened within ${Math.round(performance.now() - start)} ms`);

  const mine = names[2]!;
  const typed = `rate = 0.19\nmine\nnet\nend\n`;
  await stage.type(mine, "net", "mine\r");
  await stage.synced(mine);
  const since = performance.now();
  git("checkout", "-q", "other");
  await expect.poll(() => staleIn(notices(stage)), { timeout: latest }).toBe(998);
  const seconds = (performance.now() - since) / 1_000;
  console.log(`998 open files were told to be stale after ${seconds.toFixed(1)} s`);
  // One message tells of all; but none waits for longer than two seconds for what is still to come.
  const [unmerged, ...others] = notices(stage);
  expect(unmerged).toMatch(/^"[^"]*f2\.txt" changed on disk, and has unsaved text here/);
  expect(others.length).toBeLessThanOrEqual(1 + seconds / 2);
  expect((await driver.held(stage.path(mine)))?.text).toBe(typed);
  expect((await wire.read(stage.path(names[500]!)))?.text).toBe(textOf("0.19"));

  await driver.run!(":reload-all\r");
  const texts = async (): Promise<unknown> => {
    const some = [names[0]!, mine, names[500]!, names[998]!];
    return Promise.all(some.map(async (name) => (await wire.read(stage.path(name)))?.text));
  };
  await expect.poll(texts, { timeout: latest, interval: 500 }).toEqual(Array(4).fill(textOf("0.20")));
  await driver.undo(stage.path(mine));
  expect((await driver.held(stage.path(mine)))?.text).toBe(typed);
}
