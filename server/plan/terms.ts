/** Puts messages, which speak of edits with an old and a new text, into the terms of a text dialect. */
import { type Failure, nameOf } from "./failure.js";
import type { Operation, Terms, TextRules } from "./operation.js";
import type { EditOutcome, Planned } from "./outcome.js";

/** Returns a plan with its messages in a dialect's terms, which also name the line of the text at which an edit begins. */
export function plannedIn(planned: Planned, operations: readonly Operation[], rules: TextRules): Planned {
  const { terms = [] } = rules;
  const starts = new Map(operations.flatMap((one) => (one.kind === "edit" ? [[one.index, one.patchLine]] : [])));
  const known = new Map<Failure, Failure>();
  const reworded = (failure: Failure): Failure => {
    const { index, path, message } = failure;
    const start = index === undefined ? undefined : starts.get(index);
    const at = { ...(index === undefined ? {} : { index }), ...(path === undefined ? {} : { path }) };
    // The name may begin with a capital letter.
    const [name = "", placed = ""] = [at, { ...at, ...(start && { patchLine: start }) }].map((one) =>
      nameOf(one).slice(1),
    );
    const made = known.get(failure) ?? failureIn({ ...failure, message: message.replace(name, () => placed) }, rules);
    known.set(failure, made);
    return made;
  };
  const outcomes = planned.outcomes.map(
    (one): EditOutcome => (one.failure === undefined ? one : { ...one, failure: reworded(one.failure) }),
  );
  if (!planned.ok) return { ...planned, outcomes, failures: planned.failures.map(reworded) };
  return { ...planned, outcomes, warnings: planned.warnings.map((warning) => worded(warning, terms)) };
}

/** Returns a failure in a dialect's terms. */
export function failureIn(failure: Failure, { terms = [] }: TextRules): Failure {
  const { message, hint } = failure;
  return { ...failure, message: worded(message, terms), ...(hint === undefined ? {} : { hint: worded(hint, terms) }) };
}

/** Returns a message in a dialect's terms, but with its quotations as they are. */
export const worded = (message: string, terms: Terms): string =>
  outsideQuotes(message, (words) => terms.reduce((text, [pattern, term]) => text.replace(pattern, term), words));

/** Rewrites the words of a message, but no quoted strings or lines such as `12| text`. */
export function outsideQuotes(message: string, rewrite: (words: string) => string): string {
  return message.replace(/^(?:\d+(?::\d+)?|\+)\| .*$|"(?:[^"\\\n]|\\.)*"?|[^"\n]+/gm, (part) =>
    /^"|^[\d:+]+\| /.test(part) ? part : rewrite(part),
  );
}
