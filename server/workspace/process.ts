/** Identifies processes: checks whether a process is alive, and gives each process a name that is never reused. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { limits } from "../text/limits.js";
import { hashOf } from "./files.js";

/**
 * Matches a process's status on Linux (see proc_pid_stat(5)). The program's name is in parentheses and may contain
 * anything; after it come the state, 16 other fields, the number of threads, one more, and the start time.
 */
const statPattern = /\) (?<state>\S)(?: \S+){16} (?<threads>\d+) \S+ (?<start>\d+) /;

/**
 * Returns a process's start time, in clock ticks since boot; `undefined` if there is no such process or the system is
 * not Linux. Other systems offer no simple way to find the start time.
 */
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

/**
 * A name that uniquely identifies a process and is never reused. It consists of hashes of the process ID's scope (host
 * and namespace) and of the last boot, followed by the ID itself and the start time. It can be used in a file name.
 */
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

/**
 * Returns the real implementation, which queries the operating system about this process and others. The name of
 * this process is found out once, because it does not change while the process runs.
 */
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
