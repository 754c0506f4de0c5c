/** The rows by which the judge allows more than one outcome, each with the reason. */

/** Why an outcome is allowed although, by the identities alone, the rules ask for another one. */
export const leniencies = {
  // "A place that was carried through a diff counts only if the old text occurs nowhere else", and the rules do not say
  // which of several equally short diffs is made.
  compared: "the texts were compared, so refusing is right, and so is what a comparison finds",
  // "Agree on one place": of equal lines side by side, each may be the one that was there first.
  equalLines: "the place has the old text, and some of its lines",
  // "Name different places": so refusing is right, and so is the change that the edit makes at each of the places.
  sameChange: "the texts name different lines, but the edit makes the same change to all of them",
  // "Lines were all removed since and inserted since at exactly one other place": whoever inserted them.
  inserted: "the lines were removed, and the same lines were inserted elsewhere",
  // The same row: whether a few characters or an empty line were moved, or typed anew, is no question of identities.
  littleText: "so little text was moved that it may have been typed",
  // "Nothing was typed in a gap where it inserts": beside a line that is gone, the gap may be gone, too.
  lostNeighbour: "something was typed or removed beside the place",
  // "Up to four saved ones, as it was about 1, 3 and 10 minutes ago": the rules do not say which.
  keptTexts: "the rules leave open which of the former texts on disk are kept",
  // "Batches of the agent itself are applied to its views as well": a text on disk may also be the one that it looked at.
  ownBatches: "the rules leave open whether a text on disk includes the caller's own batches",
  // "Later than the last change on disk": the caller's own batch may be saved, or written to a closed file.
  ownWrites: "the rules leave open whether the caller's own batch is a change on disk",
} as const;

/** A row of the table. */
export type Leniency = keyof typeof leniencies;
