/** A stand-in for another machine, or for a container: namespaces of its own, reached through a script named `ssh`. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Ran, runCommand } from "../support/commands.js";

/** A running machine; it ends with the test, and so does everything that runs on it. */
export interface Machine {
  /** The command that runs a program there, to be followed by the host's name and the program's command line. */
  readonly ssh: readonly [string, ...string[]];
  /** Runs a command line there, in a folder of that machine. */
  run(commandLine: string, folder: string, input?: string): Promise<Ran>;
}

/** What the machine sees otherwise than this one. Paths that are not named are the same on both. */
export interface Differences {
  /** A folder of this machine for the script. */
  readonly bin: string;
  /** The value of `XDG_STATE_HOME` there. */
  readonly state: string;
  /** Folders that are empty there at first, and whose files do not exist here. */
  readonly empty?: readonly string[];
  /** Folders of this machine that are mounted there at another path, after `empty` has taken effect. */
  readonly mounted?: readonly (readonly [from: string, to: string])[];
}

const isRoot = process.getuid?.() === 0;
const rights = isRoot ? [] : ["--map-root-user"];
const own = ["--mount", "--pid", "--uts"];

/** The reason for which no machine can be started here; `undefined` if one can. */
export function noMachine(): string | undefined {
  const { status, stderr } = spawnSync("unshare", [...rights, ...own, "--fork", "--mount-proc", "true"], {
    encoding: "utf8",
  });
  return status === 0 ? undefined : `there are no namespaces here: ${stderr ?? "unshare is not installed"}`;
}

/** Starts a machine with process ids, mounts and a host name of its own. */
export async function startMachine({ bin, state, empty = [], mounted = [] }: Differences): Promise<Machine> {
  const holds = mounted.map((_, index) => join(bin, `mount${index}`));
  const set = [
    "hostname elsewhere",
    ...mounted.map(([from], index) => `mount --rbind '${from}' '${holds[index]}'`),
    ...empty.map((path) => `mount -t tmpfs tmpfs '${path}'`),
    ...mounted.map(([, to], index) => `mkdir -p '${to}'; mount --rbind '${holds[index]}' '${to}'`),
    "echo ready; exec sleep 3600",
  ].join("\n");
  for (const path of holds) mkdirSync(path, { recursive: true });
  const flags = [...rights, ...own, "--fork", "--kill-child", "--mount-proc", "--propagation", "private"];
  const holder = spawn("unshare", [...flags, "sh", "-euc", set], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void holder.kill("SIGKILL"));
  const [said] = (await Promise.race([once(holder.stdout, "data"), once(holder, "exit")])) as [unknown];
  if (String(said) !== "ready\n") throw new Error("the machine does not start");
  const inside = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, "utf8").trim();
  const enter = ["nsenter", "--target", inside, ...(isRoot ? [] : ["--user", "--preserve-credentials"]), ...own];
  const env = [`HOME=${state}`, `XDG_STATE_HOME=${state}`, `PATH=${process.env.PATH}`];
  const script = join(bin, "ssh");
  // As with ssh itself, the words after the host are one command line, and no variable is passed on.
  const line = [...enter, "env", "-i", ...env, "sh", "-c"].map((word) => `'${word}'`).join(" ");
  writeFileSync(script, `#!/bin/sh\nshift\nexec ${line} "$*"\n`, { mode: 0o755 });
  return {
    ssh: ["/bin/sh", script],
    run: (commandLine, folder, input = "") => {
      const started = `process.exit(require("child_process").spawnSync("/bin/sh", process.argv.slice(1), { stdio: "inherit" }).status)`;
      return runCommand({ path: "-e" }, [started, script, "elsewhere", `cd '${folder}' && ${commandLine}`], { input });
    },
  };
}
