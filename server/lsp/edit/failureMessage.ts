/** The message of a failed call: which failures it shows, how much of each, and what it says only once. */
import { mergeWith } from "../../plan/edits/sentences.js";
import { clip, type Failure } from "../../plan/failure.js";
import { limits } from "../../text/limits.js";
import { callSentences } from "../sentences.js";

/** The edits of a failed call. */
export interface FailedCall {
  /** Indices (0-based) of the edits that found their places. */
  readonly sound: readonly number[];
  /** Edits of the call. */
  readonly total: number;
  readonly isPatch: boolean;
}

/** Every failure, and what the caller need not correct. Equal messages and equal hints are said once. */
export function failureMessage(failures: readonly Failure[], { sound: placed, total, isPatch }: FailedCall): string {
  const hints = new Set(failures.map(({ hint }) => hint));
  // An edit that another one is to be merged with can't be sent again unchanged.
  const sound = placed.filter((index) => !hints.has(mergeWith(index)));
  const room = Math.max(limits.failureShare, limits.callMessage / Math.max(1, failures.length));
  const messages = new Map(failures.map((failure) => [failure.message, failure]));
  const lastWith = new Map([...messages.values()].map((failure) => [failure.hint, failure]));
  const shown = [...messages.values()].map((failure) => {
    const { message, hint } = failure;
    const repeated = hint !== undefined && lastWith.get(hint) !== failure;
    return clip(repeated ? withoutHint(message, hint) : message, room);
  });
  const head = total > 1 ? [callSentences.failedEdits(failures.length, total)] : [];
  const rest = sound.length === 0 ? [] : [callSentences.sound(sound, isPatch)];
  return clip([...head, ...shown, ...rest].join("\n"), limits.callMessage + limits.failureMessage);
}

/** A message without its hint, which is its last sentence but for what was said of the whole call. */
function withoutHint(message: string, hint: string): string {
  const at = message.lastIndexOf(hint);
  return at < 0 ? message : `${message.slice(0, at).trimEnd()}${message.slice(at + hint.length)}`.trimEnd();
}
