/** Processes: whether one lives, told apart from a later one that was given the same number, and a name that no other one has. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { limits } from "../text/limits.js";
import { hashOf } from "./files.js";

/**
 * When the system started a process, in ticks of its clock since it started itself. `undefined`: there is no such process,
 * or the system does not tell so easily (all but Linux).
 */
export function processStart(pid: number): string | undefined {
  // The name of the program stands in brackets and may hold anything; the start is the 20th field behind them.
  return /\)(?: \S+){19} (\d+) /.exec(orEmpty(() => readFileSync(`/proc/${pid}/stat`, "latin1")))?.[1];
}

/** Tells whether a process of this number lives that has, if both are known, this start. */
export function isProcess(pid: number, start: string | undefined): boolean {
  // 0 and negative numbers mean groups of processes.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  if (start === undefined) return true;
  const now = processStart(pid);
  return now === undefined || start === now;
}

/**
 * The name of a process that no other one ever has: where its number counts, since which boot, the number, and when it was
 * started. Fit to be a part of a file's name.
 */
export type OwnerName = string;

/** The process that writes, and whether others live. */
export interface Owners {
  readonly self: OwnerName;
  /** The user's number; `undefined`: the platform has none. */
  readonly user: number | undefined;
  /** Whether a process lives. `age`: milliseconds since it showed a sign of life, for those that can't be looked for. */
  isAlive(name: OwnerName, age: number): boolean;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The processes of this machine. */
export function realOwners(): Owners {
  // Process numbers count in one namespace of one machine, since its last start.
  const namespace = orEmpty(() => readlinkSync("/proc/self/ns/pid"));
  const lastBoot = orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const [place, boot] = [`${hostname()} ${namespace}`, lastBoot].map((name) => hashOf(name).slice(0, 8));
  const self = `${place}-${boot}-${process.pid}-${processStart(process.pid) ?? "0"}`;
  const isAlive: Owners["isAlive"] = (name, age) => {
    const pid = processOf(name);
    if (pid === undefined) return false;
    const [itsPlace, itsBoot, , start] = name.split("-");
    // Another machine with the same home directory, or another container: its numbers say nothing here.
    if (itsPlace !== place) return age < limits.foreignProcessMs;
    return itsBoot === boot && isProcess(pid, start === "0" ? undefined : start);
  };
  return { self, user: process.getuid?.(), isAlive, now: Date.now };
}

/** The number of a process in its name; `undefined`: this is no such name. */
export function processOf(name: OwnerName): number | undefined {
  const parts = /^[0-9a-f]{8}-[0-9a-f]{8}-(\d{1,10})-\d{1,20}$/.exec(name);
  return parts === null ? undefined : Number(parts[1]);
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
