/** `multi-edit setup vscode`, which has VS Code's own command install the packed extension. */
import { chmodSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/commands.js";
import { makeDirectory } from "../support/directory.js";
import { builtServer } from "../support/wireServer.js";

/** A copy of the program, with or without the packed extension. */
function installed({ isPacked }: { isPacked: boolean }): string {
  const dist = join(makeDirectory({ "dist/": "" }), "dist");
  const from = dirname(builtServer);
  cpSync(from, dist, { recursive: true, filter: (path) => path === from || path.endsWith(".cjs") });
  if (isPacked) writeFileSync(join(dist, "multi-edit.vsix"), "");
  return dist;
}

/** A user whose commands write their arguments to a file, and end with this code. */
function userOf(commands: readonly string[], code = 0) {
  const said = `#!/bin/sh\necho "\${0##*/} $*" >>"$HOME/log"\necho "said by \${0##*/}"\nexit ${code}\n`;
  const home = makeDirectory({
    log: "",
    "bin/": "",
    ...Object.fromEntries(commands.map((name) => [`bin/${name}`, said])),
  });
  for (const name of commands) chmodSync(join(home, "bin", name), 0o755);
  const env = { HOME: home, PATH: join(home, "bin") };
  const dist = installed({ isPacked: true });
  return {
    packed: join(dist, "multi-edit.vsix"),
    calls: () => readFileSync(join(home, "log"), "utf8"),
    setup: (args: readonly string[], folder = dist) =>
      runCommand({ path: join(folder, "main.cjs") }, ["setup", ...args], { env }),
  };
}

describe.runIf(process.platform !== "win32")("setup vscode", () => {
  it("prints the command", async () => {
    const { setup, packed } = userOf([]);
    const { code, stdout } = await setup(["vscode"]);
    expect([code, stdout.split("\n")[1]]).toEqual([0, `code --install-extension "${packed}"`]);
  });

  it.each([
    [["code", "codium"], "code"],
    [["code-server", "codium"], "codium"],
    [["code-server"], "code-server"],
  ])("of a user who has %s runs %s to install the extension and to remove it", async (commands, used) => {
    const user = userOf(commands);
    expect(await user.setup(["vscode", "--write"])).toMatchObject({ code: 0, stdout: `said by ${used}\n` });
    expect(await user.setup(["vscode", "--remove"])).toMatchObject({ code: 0, stderr: "" });
    expect(user.calls()).toBe(
      `${used} --install-extension ${user.packed}\n${used} --uninstall-extension multi-edit.multi-edit\n`,
    );
  });

  it("says why it fails: there is no such command, the command fails, or nothing is packed", async () => {
    const none = await userOf([]).setup(["vscode", "--write"]);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("None of code, codium") });
    const failing = await userOf(["code"], 3).setup(["vscode", "--write"]);
    expect(failing).toMatchObject({ code: 2, stderr: expect.stringContaining("code failed: said by code") });
    const bare = await userOf(["code"]).setup(["vscode", "--write"], installed({ isPacked: false }));
    expect(bare).toMatchObject({ code: 2, stderr: expect.stringContaining('"npm run vsix" packs it') });
  });
});
