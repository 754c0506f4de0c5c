/** What the command line's exit codes say, so that a script need not read a message. */
import type { MultiEditResult } from "../../lsp/protocol.js";
import type { FailureCode } from "../../plan/failure.js";
import type { Answered } from "../session/request.js";

/** Every exit code by what it means. */
export const exitCodes = {
  done: 0,
  /** An edit did not find its place, or a file may not be changed; nothing was changed. */
  unresolved: 1,
  /** The command line or the call can't be read. */
  usage: 2,
  /** No editor, or more than one. */
  noSession: 3,
  /** The editor or the user did not go along. */
  refused: 4,
  /** The text moved on. */
  movedOn: 5,
  /** It is not known what became of the call, or not all of it could be taken back. */
  unknown: 6,
} as const;

const byFailure: Partial<Record<FailureCode, number>> = {
  invalidParams: exitCodes.usage,
  unknownField: exitCodes.usage,
  missingField: exitCodes.usage,
  missingPath: exitCodes.usage,
  patchSyntax: exitCodes.usage,
  noSession: exitCodes.noSession,
  clientCapability: exitCodes.refused,
  clientRefused: exitCodes.refused,
  userRejected: exitCodes.refused,
  cancelled: exitCodes.refused,
  locked: exitCodes.refused,
  contentModified: exitCodes.movedOn,
  undoConflict: exitCodes.movedOn,
  clientDiverged: exitCodes.unknown,
};

/** The exit code of an answer. */
export function exitCodeOf(answered: Answered): number {
  if (answered.ok) {
    const { outcome } = answered.result as Partial<MultiEditResult>;
    return outcome === "unknown" ? exitCodes.unknown : exitCodes.done;
  }
  if (answered.unknown) return exitCodes.unknown;
  const [first] = answered.failures;
  // The user who did not answer in time is the call's trouble; an editor that did not is that of a file.
  if (first?.code === "timeout") return first.path === undefined ? exitCodes.refused : exitCodes.unknown;
  return byFailure[first?.code ?? "ioError"] ?? exitCodes.unresolved;
}
