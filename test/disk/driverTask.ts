/** The driver program's task and its report. */
import type { DiskChange } from "../../server/disk/diskChange.js";

/** The task, as JSON in the file that the program's only argument names. */
export interface DriverTask {
  readonly folder: string;
  readonly state: string;
  readonly kind: "apply" | "abandon" | "recover";
  readonly changes: readonly DiskChange[];
}

/** The report at the end, as JSON; there is none if the program was cut off. */
export interface DriverReport {
  /** `staged`: staged and then abandoned. */
  readonly outcome: "refused" | "staged" | "applied" | "rolledBack" | "recoveryPending" | "recovered";
  readonly messages: readonly string[];
}

/**
 * Paths that the driver looks up, although they do not exist, to mark the beginning and end of writing in a trace of
 * its calls.
 */
export const marks = { begin: "/multi-edit-begin", end: "/multi-edit-end" } as const;
