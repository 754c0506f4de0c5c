/** The set-up of VS Code, which installs the packed extension itself. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { limits } from "../../text/limits.js";
import { type Input, readable, unreadable } from "../shared/input.js";
import type { Installation } from "./installation.js";
import type { SetUpProgram } from "./program.js";
import { setupSentences } from "./sentences.js";

/** The extension's name in VS Code. */
const extension = "multi-edit.multi-edit";

/** VS Code, and the programs that are built from it, by their commands; the first one on the PATH is set up. */
const commands = ["code", "codium", "code-insiders", "code-server"] as const;

/** VS Code: the extension contains the server, so it needs no other setting. */
export const vscode: SetUpProgram = {
  editor: "VS Code",
  aliases: ["vscodium", ...commands],
  forms: {
    plain(installation) {
      const file = packedFile(installation);
      return file.ok ? readable(setupSentences.installByHand(commands[0], JSON.stringify(file.value))) : file;
    },
  },
  files: () => readable([]),
  install(installation, task) {
    if (task === "remove") return runCode(["--uninstall-extension", extension]);
    const file = packedFile(installation);
    return file.ok ? runCode(["--install-extension", file.value]) : file;
  },
};

function packedFile({ samples }: Installation): Input<string> {
  const file = join(dirname(samples), "dist", "multi-edit.vsix");
  return existsSync(file) ? readable(file) : unreadable(setupSentences.notPacked(file));
}

/** Runs VS Code's own command, and returns what it says. */
function runCode(args: readonly string[]): Input<string> {
  // On Windows, the command is a batch file, which only a shell runs.
  const isWindows = process.platform === "win32";
  const words = isWindows ? args.map((word) => JSON.stringify(word)) : args;
  for (const command of commands) {
    const options = { encoding: "utf8", shell: isWindows, timeout: limits.vscodeMs } as const;
    const { status, error, stdout, stderr } = spawnSync(command, words, options);
    // The shell says by 1 that there is no such command.
    const isAbsent = isWindows ? status === 1 && stdout === "" : (error as NodeJS.ErrnoException)?.code === "ENOENT";
    if (isAbsent) continue;
    return status === 0 ? readable(stdout) : unreadable(setupSentences.vscodeFailed(command, `${stdout}${stderr}`));
  }
  return unreadable(setupSentences.noVscode(commands));
}
