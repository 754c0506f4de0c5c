/** Intentional differences between the server's reading of a patch and Codex'; each row is a switch of the model. */

/** A deliberate difference. */
export interface Deviation {
  readonly why: string;
  /** `true` if the difference also applies with `lenient: false`. */
  readonly always: boolean;
}

/**
 * All intentional differences: damage that is not repeated, guesses that are not made, and texts that are understood.
 */
export const deviations = {
  allOrNothing: { always: true, why: "one failure anywhere changes nothing, also not in the files before it" },
  ambiguous: { always: true, why: "several places without an anchor are no choice to make by order" },
  insertAtAnchor: { always: true, why: "lines without context go right behind their anchor, not to the file's end" },
  idle: { always: true, why: "a hunk that changes nothing writes nothing, and a patch of nothing else is a slip" },
  shifted: { always: true, why: "added lines are indented as the lines around them turned out to be, by one shift" },
  noStrayBlank: { always: true, why: "a blank context line that is not in the file never becomes a new line" },
  moveOntoItself: { always: true, why: "a file that is moved to its own name stays" },
  moveOntoOther: { always: true, why: "a file that is in the way of a move is not overwritten unasked" },
  noMoveInCircle: {
    always: true,
    why: "files that would get each other's names are not moved: no order of steps can do it",
  },
  addKeepsEnds: { always: true, why: "a file that is replaced keeps its line ends and its byte order mark" },
  firstLineAfterMark: { always: true, why: "a byte order mark is not part of the first line" },
  markInPatch: { always: true, why: "a byte order mark that was copied from such a file's first line is not text" },
  fileIsNoFolder: {
    always: true,
    why: "what is a file before the patch or in it has no files below it, also not later",
  },
  binaryStays: { always: true, why: "a file that is no text, or holds a NUL, is only deleted or moved" },
  textAround: { always: false, why: "text, fences and heredocs around the patch are left out" },
  missingEnd: { always: false, why: "a patch may lack its last marker" },
  blankBetween: { always: false, why: "blank lines between sections mean nothing" },
  blankBeforeHunk: { always: false, why: "blank lines in front of the first hunk are no hunk" },
  tightAnchor: { always: false, why: "the blank behind @@ may be missing" },
  closedAnchor: { always: false, why: "an anchor may be closed by @@ as in a unified diff" },
  stackedAnchors: { always: false, why: "several anchors narrow the search one after the other" },
  lineHint: { always: false, why: "line numbers of a unified diff decide among several places" },
  missingBlank: { always: false, why: "a context line may lack the blank in front" },
  noNewlineMark: { always: false, why: "git's remark on a missing line end is no line" },
  bareMove: { always: false, why: "a file may be moved without a change" },
  gapAtEnd: { always: false, why: "blank lines at the end of a hunk may be a gap before the next one" },
  anchorIsFirst: { always: false, why: "an anchor may be written down as the first of the old lines, too" },
  outOfOrder: { always: false, why: "a hunk that is not behind the one before is found where it is unique" },
} as const satisfies Record<string, Deviation>;

/** A row's name. */
export type DeviationName = keyof typeof deviations;

/** The switches that are on. Without any, the model behaves as Codex. */
export type Rules = ReadonlySet<DeviationName>;

/** Codex without deviations. */
export const codexRules: Rules = new Set();

/** The deviations promised for a mode. */
export function promisedRules({ lenient }: { readonly lenient: boolean }): Rules {
  // Object.keys loses the type of the table's keys.
  const names = Object.keys(deviations) as DeviationName[];
  return new Set(names.filter((name) => lenient || deviations[name].always));
}
