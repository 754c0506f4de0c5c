/** Facts about this installation: the command that starts it, and where its files are. */
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";
import type { InstalledProgram } from "../../agents/agent.js";
import { attempt } from "../../disk/fileSystem.js";
import { isInside } from "../../workspace/pathText.js";
import { homeFolder } from "../../workspace/serverFolder.js";

/** Facts about this installation. */
export interface Installation extends InstalledProgram {
  /** Path of the Git repository that this program was built in; `undefined` if it was installed from a package. */
  readonly repository: string | undefined;
  /** `true` if npm keeps this program only until it cleans its cache, as it does for `npx`. */
  readonly isTemporary: boolean;
}

/** Finds this program, and the samples' folder, which is next to the program's folder in the package. */
export function thisInstallation(): Installation {
  const program = realpathSync(process.argv[1] ?? ".");
  const root = dirname(dirname(program));
  return {
    command: ownCommand(program),
    samples: join(root, "client-samples"),
    repository: existsSync(join(root, ".git")) ? root : undefined,
    isTemporary: program.includes(`${sep}_npx${sep}`),
  };
}

/** Returns the command that starts this program: its name, or Node's path, which shells alone may know, and its own. */
function ownCommand(program: string): readonly [string, ...string[]] {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const found = folders.map((folder) => join(folder, "multi-edit")).find((path) => existsSync(path));
  const isNamed = found !== undefined && isThis(found, program) && !isNodeBelowHome();
  return isNamed ? ["multi-edit"] : [process.execPath, program];
}

/** Reports whether a command on the PATH is this program: another copy's server may not fit this one's plugins. */
function isThis(command: string, program: string): boolean {
  const path = realpathSync(command);
  return path === program || !/[\\/]dist[\\/]main\.cjs$/.test(path);
}

/** Reports whether this Node is below the home folder. */
export function isNodeBelowHome(): boolean {
  const home = attempt(() => realpathSync(homeFolder())).value ?? "/";
  return dirname(home) !== home && isInside(home, process.execPath);
}

/** Returns the text that is needed only if this program is not on the PATH; otherwise, an empty string. */
export const ifNotOnPath = ({ command }: Installation, text: string): string => (command.length === 1 ? "" : text);

/** Returns the command line of the language server. */
export function serverCommand({ command: [program, ...args] }: InstalledProgram): readonly string[] {
  return args.length === 0 ? ["multi-edit-language-server", "--stdio"] : [program, ...args, "--stdio"];
}
