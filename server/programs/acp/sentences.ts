/** Messages of the ACP proxy: for models, as answers to requests for files, and for the user. */
import { quote } from "../../plan/failure.js";

/** Messages of the ACP proxy. */
export const acpProblems = {
  noPath: "The request has no path. Nothing was changed.",
  badLine: "The line and the limit must be whole numbers.",
  noContent: "The request has no content. Nothing was changed.",
  /** `why`: the message of the failure. Agents know a missing file by the first words. */
  notFound: (path: string, why: string) => `Resource not found: ${path}. ${why}`,
  unknown: (path: string) => `It is not known whether ${quote(path, 160)} was changed. Read it before the next edit.`,
  /** For the user, on standard error. */
  cannotStart: (command: string, code: string) =>
    `multi-edit acp can't start ${quote(command, 160)} (${code}). Check the name of the program and the PATH.`,
} as const;
