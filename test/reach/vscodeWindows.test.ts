/** VS Code with windows that are loaded again, with two windows, and with settings that change what a save does. */
import { describe, expect, it } from "vitest";
import { startAgent } from "../editors/agent.js";
import { type Session, startSession } from "../editors/session.js";
import { onStage, type Stage } from "../editors/stage.js";
import { openWire } from "../editors/wire.js";
import { batch } from "../support/desk.js";
import { type VsCodeDriver, vscode, vscodeWith } from "./vscode.js";
import { absenceOfVsCode } from "./vscodeInstallation.js";

/** Runs a scene in a VS Code of its own with these settings. */
async function inVsCode(settings: object, run: (stage: Stage, session: Session) => Promise<void>): Promise<void> {
  const session = await startSession(Object.keys(settings).length === 0 ? vscode : vscodeWith(settings));
  try {
    await onStage(session, (stage) => run(stage, session));
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
      await driver.reload();
      const wire = await openWire(session.place.link);
      await wire.until("the start", () => wire.messages.find(({ message }) => message.method === "initialized"));
      const [first, second] = [stage.path("../w1.txt"), stage.path("../w2.txt")];
      const answer = await wire.apply(batch([first, "typed\none", "typed\n1"], [second, "two", "2"]));
      expect(answer).toMatchObject({ ok: true, result: { outcome: "applied" } });
      expect((await driver.held(first))?.text).toBe("typed\n1\ntwo\n");
      expect((await driver.held(second))?.text).toBe("typed\none\n2\n");
      expect(stage.disk()).toEqual({});
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

  it("has two windows with one folder: a call reaches the one with the open file, and closed files", () =>
    inVsCode({}, async (_stage, { driver, folder, place }) => {
      const { run, openAnother } = driver as VsCodeDriver;
      await run(`const { writeFileSync } = require("node:fs");
        for (const name of ["open.txt", "shut.txt"]) writeFileSync(${JSON.stringify(folder)} + "/" + name, "saved\\nold\\n");`);
      await driver.open(`${folder}/open.txt`);
      await driver.retype(`${folder}/open.txt`, "typed\nold\n");
      await openAnother();
      await place.link.next("tap");
      const agent = await startAgent(place, "claude-code", folder);
      try {
        expect(await agent.apply(batch(["open.txt", "typed\nold", "typed\nnew"]))).toContain("M open.txt");
        expect((await driver.held(`${folder}/open.txt`))?.text).toBe("typed\nnew\n");
        expect(await agent.apply(batch(["shut.txt", "old", "new"]))).toContain("M shut.txt");
      } finally {
        agent.stop();
      }
    }));
});
