/** Runs the driver program under strace: which calls it makes on its files, and what happens when one of them is its last or fails. */
import { execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DriverReport, marks } from "./driverTask.js";
import type { Site } from "./realTree.js";

/** A call of the system, by its name and its number among those of that name, counted from 1 since the process began. */
export interface Point {
  readonly call: string;
  readonly number: number;
}

/** What happens at a point. */
export interface Fault {
  readonly name: string;
  /** How often it is taken, beside the others. */
  readonly weight: number;
  /** As strace takes it behind `inject=<call>:`; `when` is the number of the call. */
  readonly inject: (when: number) => string;
}

/** What became of a run. */
export interface DriverRun {
  /** `undefined`: it was cut off before it could say anything. */
  readonly report: DriverReport | undefined;
  /** Whether the fault came about. */
  readonly isHit: boolean;
}

const once = (code: string): Fault => ({ name: code, weight: 1, inject: (when) => `error=${code}:when=${when}` });
const onwards = (code: string): Fault => ({
  name: `${code} from there on`,
  weight: 3,
  inject: (when) => `error=${code}:when=${when}+`,
});

/** The process is killed before the call. */
export const kill: Fault = { name: "kill", weight: 8, inject: (when) => `signal=SIGKILL:when=${when}` };

/** The faults that every point can have. */
export const faults: readonly Fault[] = [
  kill,
  once("EIO"),
  once("ENOSPC"),
  onwards("EIO"),
  onwards("ENOSPC"),
  onwards("EACCES"),
  ...["EINTR", "EAGAIN", "EDQUOT", "EROFS", "EMFILE", "ENFILE", "EXDEV", "EMLINK", "ETXTBSY", "EBUSY", "ESTALE"].map(
    once,
  ),
];

/** Why no call of the system can be failed here; `undefined`: it can. */
export function straceProblem(): string | undefined {
  try {
    execFileSync("strace", ["-q", "-o", "/dev/null", "true"], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Runs the driver as it is, and answers the points at which it changes something. */
export async function watchDriver(program: string, site: Site, task: string): Promise<Point[]> {
  const log = join(site.root, "calls");
  await strace(program, task, ["-f", "--seccomp-bpf", "-o", log, "-e", `trace=${[...changing, ...looking].join(",")}`]);
  return pointsOf(readFileSync(log, "latin1"));
}

/** Runs the driver with a fault at a point. */
export async function runWithFault(program: string, site: Site, task: string, at: { point: Point; fault: Fault }) {
  const { call, number } = at.point;
  const log = join(site.root, "calls");
  const inject = `inject=${call}:${at.fault.inject(number)}`;
  // With all processes and threads only the calls that are traced cost time; but then strace 6.1 sends no signals.
  const filter = [...(at.fault === kill ? [] : ["-f", "--seccomp-bpf"]), "-e", `trace=${call}`, "-e", inject];
  const output = await strace(program, task, ["-o", log, ...filter]);
  const isHit = /\(INJECTED\)|killed by SIGKILL/.test(readFileSync(log, "latin1"));
  return { report: reportIn(output), isHit } satisfies DriverRun;
}

/** What the driver said. */
export function reportIn(output: string): DriverReport | undefined {
  return output === "" ? undefined : JSON.parse(output);
}

/** Runs a program; its standard output. */
export function runProgram(command: string, given: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const child = spawn(command, given, { ...options, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(output));
  });
}

function strace(program: string, task: string, options: readonly string[]): Promise<string> {
  return runProgram("strace", ["-q", ...options, process.execPath, program, task]);
}

const changing = [
  ...["openat", "pwrite64", "fsync", "ftruncate", "fchmod", "fchown", "fsetxattr"],
  ...["rename", "link", "unlink", "mkdir", "rmdir"],
];

/** With these the driver marks where it begins and ends; the one that Node takes depends on its version. */
const looking = ["statx", "lstat", "newfstatat"];

function pointsOf(log: string): Point[] {
  const counts = new Map<string, number>();
  const points: Point[] = [];
  const lines = log.split("\n");
  const first = lines.findIndex((line) => line.includes(`"${marks.begin}"`));
  const last = lines.findIndex((line) => line.includes(`"${marks.end}"`));
  const process = /^\d+/.exec(lines[first] ?? "")?.[0];
  for (const [index, line] of lines.entries()) {
    const [, who, call, rest = ""] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? [];
    if (who !== process || call === undefined || !changing.includes(call)) continue;
    const number = (counts.get(call) ?? 0) + 1;
    counts.set(call, number);
    const isChange = call !== "openat" || /O_WRONLY|O_RDWR|O_CREAT/.test(rest);
    if (index > first && index < last && isChange) points.push({ call, number });
  }
  return points;
}
