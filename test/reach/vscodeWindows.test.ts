/** VS Code with a window that is loaded again, and with settings that change what a save does. */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startSession } from "../editors/session.js";
import { onStage, type Stage } from "../editors/stage.js";
import { openWire } from "../editors/wire.js";
import { batch } from "../support/desk.js";
import { type VsCodeDriver, vscode, vscodeWith } from "./vscode.js";
import { absenceOfVsCode } from "./vscodeInstallation.js";

/** Runs a scene in a VS Code of its own with these settings. */
async function inVsCode(settings: object, run: (stage: Stage) => Promise<void>): Promise<void> {
  const session = await startSession(vscodeWith(settings));
  try {
    await onStage(session, run);
  } finally {
    await session.stop();
  }
}

const missing = absenceOfVsCode();

// The other tests of VS Code fail if it has to be here and is not.
describe.runIf(missing === undefined)("VS Code", { timeout: 120_000 }, () => {
  it("syncs unsaved tabs after its window was loaded again, and calls edit them", async () => {
    const session = await startSession(vscode);
    try {
      const driver = session.driver as VsCodeDriver;
      const stage = await onStage(session, async (given) => given);
      stage.lay({ "../w1.txt": "one\ntwo\n", "../w2.txt": "one\ntwo\n" });
      await stage.open("../w1.txt", "../w2.txt");
      for (const name of ["../w1.txt", "../w2.txt"]) await stage.retype(name, "typed\none\ntwo\n");
      // VS Code keeps unsaved text for the next start after a second.
      await delay(2_000);
      await driver.reload();
      const wire = await openWire(session.place.link);
      await wire.until("the start", () => wire.messages.find(({ message }) => message.method === "initialized"));
      const [first, second] = [stage.path("../w1.txt"), stage.path("../w2.txt")];
      const answer = await wire.apply(batch([first, "typed\none", "typed\n1"], [second, "two", "2"]));
      expect(answer, JSON.stringify(answer)).toMatchObject({ ok: true, result: { outcome: "applied" } });
      expect((await driver.held(first))?.text).toBe("typed\n1\ntwo\n");
      expect((await driver.held(second))?.text).toBe("typed\none\n2\n");
      for (const path of [first, second]) expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
    } finally {
      await session.stop();
    }
  });

  it("saves by itself after 100 ms, and undo still works", () =>
    inVsCode({ "files.autoSave": "afterDelay", "files.autoSaveDelay": 100 }, async (stage) => {
      stage.lay({ "a.txt": "old\n" });
      await stage.open("a.txt");
      await stage.apply("agent", batch(["a.txt", "old", "new"]));
      await expect.poll(() => stage.disk()).toEqual({ "a.txt": "new\n" });
      const { result } = await stage.wire.request("multiEdit/undo", {});
      expect(result).toMatchObject({ outcome: "applied" });
      await expect.poll(() => stage.disk()).toEqual({ "a.txt": "old\n" });
      expect(await stage.held()).toEqual({ "a.txt": "old\n" });
    }));

  it("formats when it saves, and undo takes that back, too", () =>
    inVsCode({ "files.trimTrailingWhitespace": true, "files.insertFinalNewline": true }, async (stage) => {
      stage.lay({ "a.txt": "first  \nold\nlast" });
      await stage.open("a.txt");
      const { outcome } = await stage.apply("agent", batch(["a.txt", "old", "new"]));
      expect(outcome).toBe("applied");
      await expect.poll(() => stage.disk()).toEqual({ "a.txt": "first\nnew\nlast\n" });
      const { result, error } = await stage.wire.request("multiEdit/undo", {});
      expect([error, result?.outcome]).toEqual([undefined, "applied"]);
      expect((await stage.held())["a.txt"]).toMatch(/^first *\nold\nlast\n?$/);
    }));
});
