/** Rewords messages, which are written for models, for the people who read them. */
import type { Failure } from "../../plan/failure.js";
import type { EditOutcome } from "../../plan/outcome.js";
import { outsideQuotes } from "../../plan/terms.js";
import type { Answer } from "./result.js";

/** Rewords all messages of an answer; programs still find the same numbers in its other fields. */
export function forPerson(answer: Answer<unknown>): Answer<unknown> {
  if (!answer.ok) {
    const { failures, outcomes, message } = answer;
    const data = { failures: failures.map(failureForPerson), outcomes: outcomes.map(outcomeForPerson) };
    return { ...answer, ...data, message: personal(message) };
  }
  const { warnings, edits }: { warnings?: readonly string[]; edits?: readonly EditOutcome[] } = Object(answer.result);
  const result = {
    ...Object(answer.result),
    ...(warnings === undefined ? {} : { warnings: warnings.map(personal) }),
    ...(edits === undefined ? {} : { edits: edits.map(outcomeForPerson) }),
  };
  return { ok: true, result };
}

const personal = (message: string): string => addressedToUser(countedFromOne(message));

/** Rewords a failure. */
export function failureForPerson(failure: Failure): Failure {
  const { message, hint } = failure;
  return { ...failure, message: personal(message), ...(hint === undefined ? {} : { hint: personal(hint) }) };
}

const outcomeForPerson = (outcome: EditOutcome): EditOutcome =>
  outcome.failure === undefined ? outcome : { ...outcome, failure: failureForPerson(outcome.failure) };

/** Renumbers edits from 1, but not in quoted text: strings, lines such as `12| text`, and paths. */
export function countedFromOne(message: string): string {
  const named = /(?<![\w/.\\-])((?:edit|block)s? )(\d+(?:(?:-|, | and )\d+)*)(?![\w/\\-]|[.,]\w)( \([^)]*\))?/gi;
  return outsideQuotes(message, (words) =>
    words.replace(named, (_, noun, numbers: string, path = "") => {
      return `${noun}${numbers.replace(/\d+/g, (number) => `${Number(number) + 1}`)}${path}`;
    }),
  );
}

/** Rewrites a message about the user to say "you" instead. Agents, which read from a pipe, get the original. */
export function addressedToUser(message: string): string {
  return outsideQuotes(message, (words) =>
    words
      .replace(/\bAsk the user(?: to|, then|, and) (\w)/g, (_, first: string) => first.toUpperCase())
      .replace(
        /, or ask the user to (?:run it|do so)\b|\bask the user to | ?\b(?:Ask|Do what) the user\b[^."\n]*\./g,
        "",
      )
      .replace(/\b(T|t)he user('s| was\b| has\b)?/g, (_, t: string, next = "") => {
        return `${t === "T" ? "Y" : "y"}ou${youForms[next] ?? ""}`;
      }),
  );
}

/** The ends of "you" and the words after it, by those of "the user". */
const youForms: Readonly<Record<string, string>> = { "'s": "r", " was": " were", " has": " have" };
