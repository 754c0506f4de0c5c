/**
 * Runs the driver program under strace: records its file system calls, and makes one of them fail or kills the program
 * at that call.
 */
import { execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DriverReport, marks } from "./driverTask.js";
import type { Site } from "./realTree.js";

/**
 * A system call, identified by its name and its number among the calls of that name, counted from 1 since the process
 * started.
 */
export interface Point {
  readonly call: string;
  readonly number: number;
}

/** A fault that can occur at a point. */
export interface Fault {
  readonly name: string;
  /** Relative probability of choosing this fault. */
  readonly weight: number;
  /** The text to append to `inject=<call>:` for strace; `when` is the call's number. */
  readonly inject: (when: number) => string;
}

/** The outcome of a run. */
export interface DriverRun {
  /** The driver's report; `undefined` if the driver was cut off before it reported. */
  readonly report: DriverReport | undefined;
  /** `true` if the fault occurred. */
  readonly isHit: boolean;
}

const once = (code: string): Fault => ({ name: code, weight: 1, inject: (when) => `error=${code}:when=${when}` });
const onwards = (code: string): Fault => ({
  name: `${code} from this call on`,
  weight: 3,
  inject: (when) => `error=${code}:when=${when}+`,
});

/** Kills the process before it makes the system call. */
export const kill: Fault = { name: "kill", weight: 8, inject: (when) => `signal=SIGKILL:when=${when}` };

/** The faults that can occur at every point. */
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

/** The reason why system calls can't be made to fail here; `undefined` if they can. */
export function straceProblem(): string | undefined {
  try {
    execFileSync("strace", ["-q", "-o", "/dev/null", "true"], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Runs the driver without faults; returns the points at which it changes something. */
export async function watchDriver(program: string, site: Site, task: string): Promise<Point[]> {
  const log = join(site.root, "calls");
  await strace(program, task, ["-f", "--seccomp-bpf", "-o", log, "-e", `trace=${[...changing, ...looking].join(",")}`]);
  return pointsOf(readFileSync(log, "latin1"));
}

/** Runs the driver with a fault at one point. */
export async function runWithFault(program: string, site: Site, task: string, at: { point: Point; fault: Fault }) {
  const { call, number } = at.point;
  const log = join(site.root, "calls");
  const inject = `inject=${call}:${at.fault.inject(number)}`;
  // With a filter that covers all processes and threads, only the traced calls become slower; but with such a filter,
  // strace 6.1 sends no signals.
  const filter = [...(at.fault === kill ? [] : ["-f", "--seccomp-bpf"]), "-e", `trace=${call}`, "-e", inject];
  const output = await strace(program, task, ["-o", log, ...filter]);
  const isHit = /\(INJECTED\)|killed by SIGKILL/.test(readFileSync(log, "latin1"));
  return { report: reportIn(output), isHit } satisfies DriverRun;
}

/** Parses the driver's report. */
export function reportIn(output: string): DriverReport | undefined {
  return output === "" ? undefined : JSON.parse(output);
}

/** Runs a program and returns its standard output. */
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

/** The system calls that change something. */
export const changing = [
  ...["openat", "pwrite64", "fsync", "ftruncate", "fchmod", "fchown", "fsetxattr"],
  ...["rename", "link", "unlink", "mkdir", "rmdir"],
];

/**
 * System calls with which the driver may mark the beginning and the end of writing; which one it uses depends on Node's
 * version.
 */
const looking = ["statx", "lstat", "newfstatat"];

function pointsOf(log: string): Point[] {
  const counts = new Map<string, number>();
  const points: Point[] = [];
  const lines = log.split("\n");
  const first = lines.findIndex((line) => line.includes(`"${marks.begin}"`));
  const last = lines.findIndex((line) => line.includes(`"${marks.end}"`));
  const process = /^\d+/.exec(lines[first] ?? "")?.[0];
  for (const [index, line] of lines.entries()) {
    const [, who, rest = ""] = /^(\d+) +(.*)/.exec(line) ?? [];
    const point = who === process ? pointIn(rest, counts) : undefined;
    if (index > first && index < last && point !== undefined) points.push(point);
  }
  return points;
}

/** The point of a line in a trace; `undefined` if its call changes nothing. Counts the calls. */
export function pointIn(line: string, counts: Map<string, number>): Point | undefined {
  const [, call, rest = ""] = /^(\w+)\((.*)/.exec(line) ?? [];
  if (call === undefined || !changing.includes(call)) return undefined;
  const number = (counts.get(call) ?? 0) + 1;
  counts.set(call, number);
  return call !== "openat" || /O_WRONLY|O_RDWR|O_CREAT/.test(rest) ? { call, number } : undefined;
}
