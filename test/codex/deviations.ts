/**
 * Intentional differences between the server's reading of a patch and Codex's; each row can be switched on in the
 * model.
 */

/** An intentional difference. */
export interface Deviation {
  readonly why: string;
  /** `true` if the difference also applies with `lenient: false`. */
  readonly always: boolean;
}

/**
 * All intentional differences: damage that the server avoids, guesses that it does not make, and texts that only it
 * understands.
 */
export const deviations = {
  allOrNothing: { always: true, why: "one failure anywhere changes nothing, not even in the files before it" },
  ambiguous: { always: true, why: "the order does not decide among several matches without an anchor" },
  insertAtAnchor: { always: true, why: "lines without context go right after their anchor, not to the file's end" },
  idle: {
    always: true,
    why: "a hunk that changes nothing writes nothing, and a patch of such hunks alone is a mistake",
  },
  shifted: {
    always: true,
    why: "added lines are shifted as the removed lines beside them or, without any, as all lines of the hunk",
  },
  notIndentedTwice: {
    always: true,
    why: "added lines that already have the file's indentation are not shifted; if that is not certain, the hunk is refused",
  },
  insertedOnce: { always: false, why: "the same lines are inserted at the same point of a file only once" },
  doneExceptGap: {
    always: false,
    why: "empty context lines that the file lacks are not dropped if the file has the hunk's new lines already",
  },
  insertedBefore: {
    always: false,
    why: "lines that the file had at that place before the patch are not inserted again, unless it is one short line",
  },
  strictestFirst: {
    always: false,
    why: "the pass that finds a hunk's lines anywhere decides, then its line number, its anchors and the order of the hunks, which must leave one match",
  },
  severalAnchors: { always: false, why: "lines without context are not added if their anchor occurs several times" },
  anchorNotInFile: {
    always: false,
    why: "an anchor that is not a line of the file is ignored if the hunk's lines occur only once",
  },
  noFinalLineEnd: {
    always: false,
    why: "a file that ends without a line end gets one only if a patch asks for it",
  },
  noStrayBlank: { always: true, why: "an empty context line that is not in the file never becomes a new line" },
  moveOntoItself: { always: true, why: "a file that is moved to its own name stays" },
  moveOntoOther: { always: true, why: "a file at the target of a move is not overwritten without permission" },
  noMoveInCircle: {
    always: true,
    why: "files that would get each other's names are not moved, because no order of steps can do that",
  },
  addKeepsEnds: { always: true, why: "a file that is replaced keeps its line ends and its byte order mark" },
  firstLineAfterMark: { always: true, why: "a byte order mark is not part of the first line" },
  markInPatch: {
    always: true,
    why: "a byte order mark that was copied from the first line of such a file is not text",
  },
  fileIsNoFolder: {
    always: true,
    why: "a path that is a file before or during the patch has no files below it, not even later",
  },
  binaryStays: { always: true, why: "a file that is not text, or contains a NUL, is only deleted or moved" },
  textAround: { always: false, why: "text, fences and heredocs around the patch are ignored" },
  missingBegin: { always: false, why: "a patch may begin with its first section" },
  missingEnd: { always: false, why: "a patch may lack its last marker if it does not end within a change" },
  bareHunkAtEnd: { always: false, why: "@@ without lines after the last hunk means the end of the section" },
  diffHeader: { always: false, why: "the header of a Git diff for the same file is not a hunk" },
  blankBetween: { always: false, why: "empty lines between sections are ignored" },
  blankBeforeHunk: { always: false, why: "empty lines before the first hunk are not a hunk" },
  tightAnchor: { always: false, why: "the space after @@ may be missing" },
  closedAnchor: { always: false, why: "an anchor may be closed by @@ as in a unified diff" },
  stackedAnchors: { always: false, why: "several anchors narrow the search one after the other" },
  lineHint: {
    always: false,
    why: "a line number of a unified diff decides among several matches if one is at that line",
  },
  missingBlank: { always: false, why: "a context line may lack its leading space" },
  noNewlineMark: {
    always: false,
    why: "git's comment on a missing line end is not a line; in an added file, the last line then has none",
  },
  bareMove: { always: false, why: "a file may be moved without a change" },
  gapAtEnd: { always: false, why: "empty lines at the end of a hunk may be a gap before the next one" },
  outOfOrder: {
    always: false,
    why: "lines without context may follow an anchor that only occurs before the hunk before",
  },
} as const satisfies Record<string, Deviation>;

/** A row's name. */
export type DeviationName = keyof typeof deviations;

/** The deviations that are switched on. If there are none, the model behaves like Codex. */
export type Rules = ReadonlySet<DeviationName>;

/** Codex without deviations. */
export const codexRules: Rules = new Set();

/** The deviations promised for a mode. */
export function promisedRules({ lenient }: { readonly lenient: boolean }): Rules {
  // Object.keys loses the type of the table's keys.
  const names = Object.keys(deviations) as DeviationName[];
  return new Set(names.filter((name) => lenient || deviations[name].always));
}
