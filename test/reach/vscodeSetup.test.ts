/** `multi-edit setup vscode --write` with VS Code's own command, by a user who has installed our package from npm. */
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { layPlace } from "../editors/session.js";
import { removeTree } from "../support/directory.js";
import { manifest } from "../support/packed.js";
import { edits } from "./edits.js";
import { vscodeWith } from "./vscode.js";
import { absenceOfVsCode } from "./vscodeInstallation.js";
import { runCommand, userOfVsCode } from "./vscodeUser.js";

/** VS Code that starts the server in the extension, which no tap hears. */
const vscode = vscodeWith({}, { "multiEditServer.command": [] });

const missing = absenceOfVsCode();

// The other tests of VS Code fail if it has to be here and is not.
describe.runIf(missing === undefined)("setup vscode --write", { timeout: 120_000 }, () => {
  it("installs the extension of the package, also again, and --remove removes it", () => {
    const user = userOfVsCode();
    onTestFinished(user.remove);
    const ours = `multi-edit.multi-edit@${manifest.version}\n`;
    expect(user.listed()).not.toContain("multi-edit.multi-edit@");
    for (const _ of ["first", "again"]) {
      const { status, stdout, stderr } = user.setup("--write");
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toContain("was successfully installed");
      expect(user.listed()).toContain(ours);
    }
    expect(user.setup("--remove")).toMatchObject({ status: 0 });
    expect(user.listed()).not.toContain("multi-edit.multi-edit@");
  });

  it("makes calls reach unsaved text, with nothing else set up", async () => {
    const user = userOfVsCode();
    onTestFinished(user.remove);
    const base = realpathSync(mkdtempSync(join(tmpdir(), "me-")));
    onTestFinished(() => removeTree(base));
    const place = await layPlace(vscode, base, undefined);
    onTestFinished(() => place.link.close());
    const driver = await vscode.start(place);
    onTestFinished(() => driver.stop());
    const file = join(place.folder, "a.txt");
    writeFileSync(file, "one\n");
    await driver.open(file);
    await driver.retype(file, "typed\none\n");
    const run = (args: readonly string[], input?: string) => runCommand(user.program, place, args, input);
    await expect.poll(() => run(["read", "a.txt"]).stdout, { timeout: 20_000 }).toBe("typed\none\n");
    const { status, stderr } = run(["apply"], JSON.stringify(edits(["a.txt", "one", "1"])));
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/^The call went through the editor \w+ \(code-server /m),
    ]);
    expect((await driver.held(file))?.text).toBe("typed\n1\n");
    expect(readFileSync(file, "utf8")).toBe("one\n");
    expect(run(["undo"])).toMatchObject({ status: 0 });
    expect((await driver.held(file))?.text).toBe("typed\none\n");
  });
});
