/** The part of an old text that no rung folds away: where it does not stand, the old text does not stand either. */

/** What rungs fold is none of these: blanks, quotes, dashes, dots, and all that is not ASCII. */
const plainRun = /[^\s\p{Cc}'"\-.\u0080-\uffff]{2,64}/gu;

/** What a file view may put before a line. */
const viewPrefix = /^\s*\d+\s*[:|]?/;

/** The longest run of plain characters within a line; `undefined`: the old text has none of at least two. */
export function coreOf(oldText: string): string | undefined {
  let best: string | undefined;
  let looked = 0;
  for (const line of linesOf(oldText)) {
    // A few lines tell enough.
    if (looked++ > 200) break;
    for (const [run] of line.replace(viewPrefix, "").slice(0, 2_000).matchAll(plainRun)) {
      if (run.length > (best?.length ?? 1)) best = run;
    }
  }
  return best;
}

function linesOf(text: string): string[] {
  return text.slice(0, 20_000).split(/\r\n|\r|\n/);
}
