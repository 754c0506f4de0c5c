/** The table that decides where an edit is made: by what the present text says, and what the earlier texts say. */

/** The present text's say about an edit. */
export type PresentSay =
  /** It has the old text where the earlier texts have it. */
  | "samePlace"
  /** It has the old text elsewhere. */
  | "elsewhere"
  | "several"
  | "notFound"
  /** It has none: the caller has read another text, or chose the match by a line number in it. */
  | "noSay";

/** The result of the edit in the earlier texts that have a say, merged with what was typed since. */
export type EarlierSay =
  /** They all give one text. */
  | "oneText"
  /** The present text is as the edit would make it. */
  | "done"
  | "conflict"
  | "several"
  | "differentTexts";

/** The result for the edit. `apply`: the merged text is written. */
export type Verdict = "apply" | "skipped" | "contentModified" | "ambiguousMatch";

type VerdictRow = Readonly<Record<EarlierSay, Verdict>>;

const decided: VerdictRow = {
  ...{ oneText: "apply", done: "skipped", conflict: "contentModified" },
  ...{ several: "ambiguousMatch", differentTexts: "ambiguousMatch" },
};
const ambiguous: VerdictRow = {
  ...decided,
  oneText: "ambiguousMatch",
  done: "ambiguousMatch",
  conflict: "ambiguousMatch",
};

/** If no earlier text has a say, the present text decides. */
export const verdicts: Readonly<Record<PresentSay, VerdictRow>> = {
  ...{ samePlace: decided, elsewhere: ambiguous, several: ambiguous, notFound: decided, noSay: decided },
};
