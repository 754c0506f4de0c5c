/** Identifies processes: checks whether a process is alive, and gives each process a name that is never reused. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { limits } from "../text/limits.js";
import { hashOf } from "./files.js";

/** Matches a status in proc_pid_stat(5): the name in parentheses, state, 16 fields, threads, one, start time. */
const statPattern = /\) (?<state>\S)(?: \S+){16} (?<threads>\d+) \S+ (?<start>\d+) /;

/** Returns a process's start time in clock ticks since boot; `undefined` if there is none, or not on Linux. */
export function processStart(pid: number): string | undefined {
  return statPattern.exec(onLinux(() => readFileSync(`/proc/${pid}/stat`, "latin1")))?.groups?.start;
}

/** Reports whether a process with this ID is alive and, as far as is known, was started at `start`. */
export function isProcess(pid: number, start: string | undefined): boolean {
  // 0 and negative numbers refer to process groups.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const stat = statPattern.exec(onLinux(() => readFileSync(`/proc/${pid}/stat`, "latin1")))?.groups;
  // A zombie: the process has ended, but its parent, in a container perhaps for ever, has not asked for its exit code.
  if (stat?.state === "Z" && Number(stat.threads) <= 1) return false;
  return start === undefined || stat === undefined || start === stat.start;
}

/** Identifies a process for ever, fit for a file name: hashes of host and boot, the ID and the start time. */
export type OwnerName = string;

/** This process and its user, with a way to check whether other processes are alive. */
export interface Owners {
  readonly self: OwnerName;
  /** The user's numeric ID; `undefined` if the platform has none. */
  readonly user: number | undefined;
  /** Reports whether a process is alive. `age`: milliseconds since its last sign of life; used as a last resort. */
  isAlive(name: OwnerName, age: number): boolean;
  /** Milliseconds since 1970. */
  now(): number;
}

let real: Owners | undefined;

/** Returns the real implementation. The name of this process is found out once, because it does not change. */
export function realOwners(): Owners {
  real ??= ownersOfSystem();
  // Setup may go on as another user.
  return { ...real, user: process.getuid?.() };
}

function ownersOfSystem(): Owners {
  // A process ID is meaningful only within one namespace of one machine, and only until the next boot.
  const namespace = onLinux(() => readlinkSync("/proc/self/ns/pid"));
  const lastBoot = onLinux(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const [place, boot] = [`${hostname()} ${namespace}`, lastBoot].map((name) => hashOf(name).slice(0, 8));
  const self = `${place}-${boot}-${process.pid}-${processStart(process.pid) ?? "0"}`;
  const isAlive: Owners["isAlive"] = (name, age) => {
    const pid = processOf(name);
    if (pid === undefined) return false;
    const [itsPlace, itsBoot, , start] = name.split("-");
    // The process is in another container, or on another machine with the same home directory; its ID is useless here.
    // A time far in the future comes from a clock that was wrong.
    if (itsPlace !== place) return Math.abs(age) < limits.foreignProcessMs;
    return itsBoot === boot && isProcess(pid, start === "0" ? undefined : start);
  };
  return { self, user: process.getuid?.(), isAlive, now: Date.now };
}

/** Reports whether an owner name belongs to another machine or container, where this one can't look processes up. */
export function isElsewhere(name: OwnerName, self: OwnerName = realOwners().self): boolean {
  return name.split("-")[0] !== self.split("-")[0];
}

/** Returns the process ID in an owner name; `undefined` if `name` is not an owner name. */
export function processOf(name: OwnerName): number | undefined {
  const parts = /^[0-9a-f]{8}-[0-9a-f]{8}-(\d{1,10})-\d{1,20}$/.exec(name);
  return parts === null ? undefined : Number(parts[1]);
}

/** Returns what `read` finds in /proc; an empty string on other systems, of which Windows looks for it on the current drive. */
function onLinux(read: () => string): string {
  try {
    return process.platform === "linux" ? read() : "";
  } catch {
    return "";
  }
}
