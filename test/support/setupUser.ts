/** A user for whom `multi-edit setup` is run. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Ran, runCommand } from "./commands.js";
import { makeDirectory } from "./directory.js";
import { builtServer } from "./wireServer.js";

/** A user with these files in the home, and without programs of ours on the PATH. */
export function userWith(files: Readonly<Record<string, string>>) {
  const home = makeDirectory({ ...files, "bin/": "" });
  const folders = { XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", CLAUDE_CONFIG_DIR: "", CODEX_HOME: "" };
  const env = { HOME: home, PATH: join(home, "bin"), ...folders };
  return {
    home,
    text: (path: string): string => readFileSync(join(home, path), "utf8"),
    setup: (...args: string[]): Promise<Ran> => runCommand({ path: builtServer }, ["setup", ...args], { env }),
    doctor: (...args: string[]): Promise<Ran> =>
      runCommand({ path: builtServer }, ["doctor", ...args], { env, cwd: home }),
  };
}
