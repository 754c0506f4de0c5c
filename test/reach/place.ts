/** The place where the checks of `driver.ts` run: a built server, the program that runs it, and folders of their own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Client, type ClientOptions, startClient } from "../../client-samples/node/client.js";

/** One check. It throws if the server does not do what it should. */
export interface Check {
  readonly name: string;
  /** Returns, if anything, what the table of results is to say instead of "done". */
  run(place: Place): Promise<string | undefined>;
}

/** The result of one check. */
export interface CheckResult {
  readonly name: string;
  /** What the table says. */
  readonly said: string;
  /** Why the check failed; `undefined` if it did not. */
  readonly problem?: string;
}

/** The driver's task, as JSON in the file that its only argument names. */
export interface DriverTask {
  /** The program that runs the server; `undefined` for the one that runs the driver. */
  readonly program?: string;
  /** The built server, `dist/main.cjs`. */
  readonly main: string;
  /** An empty folder. */
  readonly base: string;
  /** The file into which the results go, as a list of `CheckResult`. */
  readonly results: string;
  readonly list: "client" | "macos" | "windows";
}

/** The outcome of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the checks need. */
export interface Place {
  /** The command line that starts the server's program, without arguments. */
  readonly command: readonly [string, string];
  readonly base: string;
  /** The directory that has the server's journals, copies and sessions. */
  readonly state: string;
  /** Makes a folder with these files, by their names in it. */
  folder(files: Readonly<Record<string, string>>): string;
  /** Starts a client in a folder. */
  client(folder: string, options?: Partial<ClientOptions>): Promise<Client>;
  /** Runs a command of the server's program until it exits. */
  run(folder: string, args: readonly string[], input?: string): Promise<CommandResult>;
}

/** Makes a place; all programs that start from now on have their state, settings and home below the task's folder. */
export function layPlace({ program = process.execPath, main, base }: DriverTask): Place {
  const command = [program, main] as const;
  const isWindows = process.platform === "win32";
  const home = join(base, "home");
  mkdirSync(home, { recursive: true });
  const [state, config] = [join(home, "state"), join(home, "config")];
  for (const name of isWindows ? ["LOCALAPPDATA"] : ["XDG_STATE_HOME"]) process.env[name] = state;
  for (const name of isWindows ? ["APPDATA"] : ["XDG_CONFIG_HOME"]) process.env[name] = config;
  for (const name of isWindows ? ["USERPROFILE"] : ["HOME"]) process.env[name] = home;
  // wine passes on the variables of Linux.
  if (isWindows) for (const name of ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"]) delete process.env[name];
  return {
    command,
    base,
    state: join(state, "multi-edit-language-server"),
    folder(files) {
      // A client's paths and those that the server makes canonical must be spelt alike.
      const folder = realpathSync.native(mkdtempSync(join(base, "w-")));
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      return folder;
    },
    client: (folder, options) => startClient({ command: [...command, "--stdio"], folder, ...options }),
    async run(folder, args, input = "") {
      const child = spawn(program, [main, ...args], { cwd: folder });
      const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on("data", (bytes: Buffer) => stdout.push(bytes));
      child.stderr.on("data", (bytes: Buffer) => stderr.push(bytes));
      child.stdin.on("error", () => undefined);
      child.stdin.end(input);
      const [code] = (await once(child, "close")) as [number | null];
      return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
    },
  };
}

/** The names in a folder, sorted. */
export const namesIn = (folder: string): string[] => readdirSync(folder).sort();

/** The text of a file, exactly as it is on disk; without the file, "missing". */
export function diskText(...path: readonly string[]): string {
  try {
    return readFileSync(join(...path), "utf8");
  } catch {
    return "missing";
  }
}
