/** What the driver program is told, and what it says. */
import type { DiskChange } from "../../server/disk/diskChange.js";

/** What the program is told, as JSON, in the file that its only argument names. */
export interface DriverTask {
  readonly folder: string;
  readonly state: string;
  readonly kind: "apply" | "abandon" | "recover";
  readonly changes: readonly DiskChange[];
}

/** What it says at the end, as JSON; where it was cut off, it says nothing. */
export interface DriverReport {
  /** `staged`: and abandoned. */
  readonly outcome: "refused" | "staged" | "applied" | "rolledBack" | "recoveryPending" | "recovered";
  readonly messages: readonly string[];
}

/** Paths that are looked at, and not there, where the writing begins and where it ends, for those who watch the calls. */
export const marks = { begin: "/multi-edit-begin", end: "/multi-edit-end" } as const;
