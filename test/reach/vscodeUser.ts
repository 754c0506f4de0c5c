/** A user who has VS Code and our package, as `npm install` unpacks it, and nothing else of ours. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Place } from "../editors/editor.js";
import { unpackPackage } from "../support/packed.js";
import { aloneOf, entryPath, nodePath } from "./vscodeInstallation.js";

/** Creates the user. Their `code` is code-server, without a network. */
export function userOfVsCode() {
  const { folder, path, remove } = unpackPackage();
  const at = (name: string): string => join(folder, name);
  for (const name of ["bin", "home", "extensions"]) mkdirSync(at(name), { mode: 0o700 });
  const driver = fileURLToPath(new URL("driver", import.meta.url));
  cpSync(driver, at("extensions/multi-edit-tests.driver-1.0.0"), { recursive: true });
  const options = ["--extensions-dir", at("extensions"), "--user-data-dir", at("home/data")];
  const [program, ...alone] = aloneOf();
  const quoted = [...alone, nodePath(), entryPath(), ...options].map((word) => `'${word}'`).join(" ");
  writeFileSync(at("bin/code"), `#!/bin/sh\nexec ${program} ${quoted} "$@"\n`, { mode: 0o755 });
  const env = { HOME: at("home"), PATH: `${at("bin")}:${process.env.PATH}` };
  const run = (command: string, args: readonly string[]) => spawnSync(command, args, { encoding: "utf8", env });
  return {
    extensions: at("extensions"),
    /** The program in the package. */
    program: join(path, "dist/main.cjs"),
    /** Runs `multi-edit setup vscode`. */
    setup: (task: "--write" | "--remove") =>
      run(process.execPath, [join(path, "dist/main.cjs"), "setup", "vscode", task]),
    /** The installed extensions, with their versions, a line each. */
    listed: (): string => run("code", ["--list-extensions", "--show-versions"]).stdout,
    remove,
  };
}

/** Runs a command of a program of ours, as an agent in VS Code's folder does. */
export function runCommand(program: string, { env, folder }: Place, args: readonly string[], input = "") {
  const { HOME, XDG_RUNTIME_DIR, PATH } = env;
  const options = { cwd: folder, encoding: "utf8", input, env: { HOME, XDG_RUNTIME_DIR, PATH } } as const;
  return spawnSync(process.execPath, [program, ...args], options);
}
