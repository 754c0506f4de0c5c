/** The driver program's task and its report. */
import type { DiskChange } from "../../server/disk/diskChange.js";

/** The task, as JSON in the file named by the program's only argument. */
export interface DriverTask {
  readonly folder: string;
  readonly state: string;
  readonly kind: "apply" | "abandon" | "recover";
  readonly changes: readonly DiskChange[];
}

/** The final report, as JSON; missing if the program was cut off. */
export interface DriverReport {
  /** `staged`: the batch was staged and then abandoned. */
  readonly outcome: "refused" | "staged" | "applied" | "rolledBack" | "recoveryPending" | "recovered";
  readonly messages: readonly string[];
}

/** Nonexistent paths that the driver looks up to mark the beginning and end of writing in a trace of its calls. */
export const marks = { begin: "/multi-edit-begin", end: "/multi-edit-end" } as const;
