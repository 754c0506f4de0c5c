/** Sentences about a batch as a whole. */
import { limits } from "../text/limits.js";
import { type At, type Failure, makeFailure, nameOf } from "./failure.js";

/** Names edits by index, as in `Edits 0, 2-5, 7`; a long list is truncated. */
export function indices(sorted: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const index of sorted) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  const shown = runs.slice(0, limits.indexRuns).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return `${sorted.length === 1 ? "Edit" : "Edits"} ${shown.join(", ")}${runs.length > limits.indexRuns ? ", …" : ""}`;
}

/** Failures of a batch as a whole, or of any of its parts. */
export const batchFailures = {
  /** `length`: the length of the resulting text, in UTF-16 code units. */
  textTooLarge: (at: At, length: number): Failure =>
    batchFailures.tooLarge(at, "the length of the text after the edits", length, limits.documentLength, "characters"),
  tooLarge: (at: At, what: string, size: number, limit: number, unit: string) =>
    makeFailure("tooLarge", at, {
      problem: `${nameOf(at)}: ${what} is ${size.toLocaleString("en")} ${unit}; the limit is ${limit.toLocaleString("en")}.`,
      hint: "Split the change into smaller calls.",
    }),
} as const;

/** Warnings about edits that a batch leaves out or that change nothing. */
export const batchWarnings = {
  nothingToDo: ({ index, path }: { readonly index: number; readonly path: string }): string =>
    `edit ${index} changes nothing: ${path} already contains the new text`,
  sameTexts: ({ index, path }: { readonly index: number; readonly path: string }): string =>
    `edit ${index} (${path}) changes nothing: its old and new text are the same`,
  leftOut: (left: readonly number[]): string =>
    `${indices(left)} ${left.length === 1 ? "was left out because of a failure" : "were left out because of failures"}`,
} as const;
