/** Two windows of VS Code with the same folder: where an agent's calls go, and what both windows have afterwards. */
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { layPlace } from "../editors/session.js";
import { removeTree } from "../support/directory.js";
import { builtServer } from "../support/wireServer.js";
import { edits } from "./edits.js";
import { type VsCodeDriver, vscode } from "./vscode.js";
import { absenceOfVsCode } from "./vscodeInstallation.js";
import { runCommand } from "./vscodeUser.js";

/** Both windows, with these files in their folder. */
async function startTwo(files: Readonly<Record<string, string>>) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "me-")));
  onTestFinished(() => removeTree(base));
  const place = await layPlace(vscode, base, undefined);
  onTestFinished(() => place.link.close());
  const at = (name: string): string => join(place.folder, name);
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  const first = await vscode.start(place);
  onTestFinished(() => first.stop());
  const second = await first.openWindow();
  const run = (args: readonly string[], input?: string) => runCommand(builtServer, place, args, input);
  const textsIn = async (window: VsCodeDriver, names: readonly string[]) =>
    Promise.all(names.map(async (name) => (await window.held(at(name)))?.text));
  return {
    first,
    second,
    at,
    disk: (name: string) => readFileSync(at(name), "utf8"),
    apply: (...all: readonly (readonly [path: string, oldText: string, newText: string])[]) =>
      run(["apply"], JSON.stringify(edits(...all))),
    undo: () => run(["undo"]),
    /** Waits until agents can see this number of open files, of which so many have unsaved text. */
    whenSeen: (open: number, unsaved: number) =>
      expect
        .poll(
          () => {
            const sessions = JSON.parse(run(["sessions", "--json"]).stdout) as { open: { onDisk: string }[] }[];
            const seen = sessions.flatMap((one) => one.open);
            return [sessions.length, seen.length, seen.filter(({ onDisk }) => onDisk === "differs").length];
          },
          { timeout: 20_000 },
        )
        .toEqual([2, open, unsaved]),
    /** Waits until the windows have these texts of the files. */
    whenHeld: (names: readonly string[], ...texts: readonly (readonly (string | undefined)[])[]) =>
      expect
        .poll(async () => [await textsIn(first, names), await textsIn(second, names)], { timeout: 10_000 })
        .toEqual(texts),
  };
}

const missing = absenceOfVsCode();

// The other tests of VS Code fail if it has to be here and is not.
describe.runIf(missing === undefined)("two windows of VS Code with one folder", { timeout: 180_000 }, () => {
  it("get the calls for the files that they have open; both stay right", async () => {
    const names = ["a.txt", "b.txt", "both.txt", "shut.txt"];
    const desk = await startTwo(Object.fromEntries(names.map((name) => [name, "one\ntwo\n"])));
    const { first, second, at, disk, apply } = desk;
    await first.open(at("a.txt"));
    await first.open(at("both.txt"));
    await second.open(at("b.txt"));
    await second.open(at("both.txt"));
    await first.retype(at("a.txt"), "mine\none\ntwo\n");
    await second.retype(at("b.txt"), "yours\none\ntwo\n");
    await desk.whenSeen(4, 2);

    // Each call goes to the window with the unsaved text.
    expect(apply(["a.txt", "one", "1"])).toMatchObject({ status: 0 });
    expect(apply(["b.txt", "mine\n", "x\n"])).toMatchObject({ status: 1 });
    expect(apply(["b.txt", "yours\none", "yours\n1"])).toMatchObject({ status: 0 });
    const [a, b] = ["mine\n1\ntwo\n", "yours\n1\ntwo\n"];
    await desk.whenHeld(names, [a, undefined, "one\ntwo\n", undefined], [undefined, b, "one\ntwo\n", undefined]);

    // No window has both, so nothing changes.
    const apart = apply(["a.txt", "two", "2"], ["b.txt", "two", "2"]);
    expect([apart.status, apart.stderr]).toEqual([3, expect.stringMatching(/a\.txt[\s\S]*b\.txt/)]);

    // A file that both have open without unsaved text changes in one, and the other one reads it again.
    expect(apply(["both.txt", "one", "1"], ["shut.txt", "one", "1"])).toMatchObject({ status: 0 });
    expect([disk("both.txt"), disk("shut.txt")]).toEqual(["1\ntwo\n", "1\ntwo\n"]);
    await desk.whenHeld(names, [a, undefined, "1\ntwo\n", undefined], [undefined, b, "1\ntwo\n", undefined]);
    expect([disk("a.txt"), disk("b.txt")]).toEqual(["one\ntwo\n", "one\ntwo\n"]);

    // With unsaved text in one of them, the call goes there, and the other one keeps what is on disk.
    await second.retype(at("both.txt"), "typed\n1\ntwo\n");
    await desk.whenSeen(4, 3);
    expect(apply(["both.txt", "two", "2"])).toMatchObject({ status: 0 });
    await desk.whenHeld(["both.txt"], ["1\ntwo\n"], ["typed\n1\n2\n"]);
    expect(desk.undo()).toMatchObject({ status: 0 });
    await desk.whenHeld(["both.txt"], ["1\ntwo\n"], ["typed\n1\ntwo\n"]);

    // With unsaved text in both, no window's text is the right one.
    await first.retype(at("both.txt"), "other\n1\ntwo\n");
    await desk.whenSeen(4, 4);
    const torn = apply(["both.txt", "two", "2"]);
    expect([torn.status, torn.stderr]).toEqual([3, expect.stringContaining("both.txt")]);
    await desk.whenHeld(["both.txt"], ["other\n1\ntwo\n"], ["typed\n1\ntwo\n"]);
    expect(disk("both.txt")).toBe("1\ntwo\n");
  });
});
