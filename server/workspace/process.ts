/** Whether a process lives, told apart from a later one that was given the same number. */
import { readFileSync } from "node:fs";

/**
 * When the system started a process, in ticks of its clock since it started itself. `undefined`: there is no such process,
 * or the system does not tell so easily (all but Linux).
 */
export function processStart(pid: number): string | undefined {
  try {
    // The name of the program stands in brackets and may hold anything; the start is the 20th field behind them.
    return /\)(?: \S+){19} (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];
  } catch {
    return undefined;
  }
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
