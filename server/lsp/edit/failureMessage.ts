/** Builds a failed call's message, shortening long failures and omitting repeated messages and hints. */
import { mergeWith } from "../../plan/edits/sentences.js";
import { clip, type Failure } from "../../plan/failure.js";
import type { Terms } from "../../plan/operation.js";
import { worded } from "../../plan/terms.js";
import { limits } from "../../text/limits.js";
import { callSentences } from "../sentences.js";

/** Facts about the edits of a failed call. */
export interface FailedCall {
  /** 0-based indices of the edits that did not fail. */
  readonly sound: readonly number[];
  /** Number of edits in the call. */
  readonly total: number;
  readonly isPatch: boolean;
  /** The terms of the call's text; `undefined` if messages speak of edits. */
  readonly terms?: Terms | undefined;
}

/** Returns a message that lists the failures and the edits that need no correction. No message or hint is repeated. */
export function failureMessage(failures: readonly Failure[], call: FailedCall): string {
  const { sound: placed, total, isPatch, terms = [] } = call;
  const hints = new Set(failures.map(({ hint }) => hint));
  // An edit that the caller must merge with another one can't be sent again unchanged.
  const sound = placed.filter((index) => !hints.has(mergeWith(index)));
  const room = Math.max(limits.failureShare, limits.callMessage / Math.max(1, failures.length));
  const messages = new Map(failures.map((failure) => [failure.message, failure]));
  const lastWith = new Map([...messages.values()].map((failure) => [failure.hint, failure]));
  const shown = [...messages.values()].map((failure) => {
    const { message, hint } = failure;
    const repeated = hint !== undefined && lastWith.get(hint) !== failure;
    return clip(repeated ? withoutHint(message, hint) : message, room);
  });
  const head = total > 1 ? [worded(callSentences.failedEdits(failures.length, total), terms)] : [];
  const rest = sound.length === 0 ? [] : [worded(callSentences.sound(sound, isPatch), terms)];
  return clip([...head, ...shown, ...rest].join("\n"), limits.callMessage + limits.failureMessage);
}

/** Removes the hint from a message, but not the sentences about the whole call that may follow it. */
function withoutHint(message: string, hint: string): string {
  const at = message.lastIndexOf(hint);
  return at < 0 ? message : `${message.slice(0, at).trimEnd()}${message.slice(at + hint.length)}`.trimEnd();
}
