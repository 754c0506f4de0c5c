/** What can go wrong, as values: a code to branch on and a sentence to act on. Every sentence for callers is made here. */
import type { Miswriting } from "../match/hints/knownMistakes.js";
import type { Difference, DifferenceKind } from "../match/hints/nearest.js";
import { limits } from "../text/limits.js";

/** Stable codes; the contract's list, also of those that later doors use. */
export type FailureCode =
  | "invalidParams"
  | "unknownField"
  | "missingField"
  | "missingPath"
  | "ambiguousPath"
  | "outsideWorkspace"
  | "protectedPath"
  | "fileNotFound"
  | "isDirectory"
  | "unsupportedEncoding"
  | "desynced"
  | "tooLarge"
  | "emptyOldText"
  | "noChange"
  | "noMatch"
  | "ambiguousMatch"
  | "expectedCount"
  | "overlap"
  | "alreadyApplied"
  | "consumed"
  | "fileExists"
  | "dirty"
  | "readOnly"
  | "patchSyntax"
  | "contextNotFound"
  | "clientCapability"
  | "ioError"
  | "locked"
  | "noSession"
  | "undoConflict"
  | "contentModified"
  | "clientRefused"
  | "clientDiverged"
  | "userRejected"
  | "timeout"
  | "cancelled";

/** A line of the text as the document has it. */
export interface QuotedLine {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

/** A region of the document that resembles an old text that was not found. */
export interface NearestRegion {
  /** 1-based, both included. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** What the first difference is, in words. */
  readonly difference: string;
}

/** One thing that went wrong. */
export interface Failure {
  readonly code: FailureCode;
  /** 0-based index of the edit as sent; `undefined`: the call as a whole failed. */
  readonly index?: number;
  /** As the caller spelt it, or relative to the workspace. */
  readonly path?: string;
  /** For people and models: what is wrong, where, and what to do next. At most `limits.failureMessage` characters. */
  readonly message: string;
  /** 1-based line of the document (or of the patch) where it went wrong. */
  readonly line?: number;
  /** The places of an ambiguous old text. */
  readonly matches?: readonly QuotedLine[];
  readonly nearest?: readonly NearestRegion[];
  /** The next step alone, for programs that show it apart; it is part of `message`, too. */
  readonly hint?: string;
}

/** Where a failure belongs. */
export interface At {
  /** 0-based. */
  readonly index?: number;
  readonly path?: string;
  /** 1-based line of the patch at which the hunk or the section starts; `undefined`: the call is no patch. */
  readonly patchLine?: number;
}

/** `edit 2 (src/a.ts)`, `src/a.ts`, `the call`: how sentences name the place of a failure. */
function nameOf(at: At): string {
  if (at.index === undefined) return at.path ?? "the call";
  const of = [
    ...(at.path === undefined ? [] : [at.path]),
    ...(at.patchLine === undefined ? [] : [`line ${at.patchLine} of the patch`]),
  ];
  return of.length === 0 ? `edit ${at.index}` : `edit ${at.index} (${of.join(", ")})`;
}

/** Cuts text to a number of characters, with an ellipsis where something is missing; never inside a surrogate pair. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = length - 1;
  const code = text.charCodeAt(end - 1);
  return `${text.slice(0, code >= 0xd800 && code < 0xdc00 ? end - 1 : end)}…`;
}

/** Quotes a caller's word in a sentence: on one line and bounded. */
export function quote(text: string, length = 60): string {
  return JSON.stringify(clip(text, length));
}

/** A failure of a given code: `problem` and `hint` become the message. The only maker of `Failure` values. */
function makeFailure(
  code: FailureCode,
  at: At,
  problem: string,
  hint?: string,
  more: Pick<Failure, "line" | "matches" | "nearest"> = {},
): Failure {
  const room = limits.failureMessage - (hint === undefined ? 0 : Math.min(hint.length, 400) + 1);
  const gap = problem.endsWith("\n") ? "" : " ";
  const said = clip(
    problem.replace(/^(?:edit \d|the call)/, (name) => name[0]?.toUpperCase() + name.slice(1)),
    room,
  );
  const message = hint === undefined ? said : `${said}${gap}${clip(hint, 400)}`;
  return {
    code,
    ...(at.index === undefined ? {} : { index: at.index }),
    ...(at.path === undefined ? {} : { path: at.path }),
    message,
    ...more,
    ...(hint === undefined ? {} : { hint: clip(hint, 400) }),
  };
}

/** Says of which edit a failure is that was made before the edit was known. */
export function atEdit(failure: Failure, at: At): Failure {
  const { index, path, patchLine } = at;
  // A patch is one text: the sentence itself has to say where in it.
  const message =
    patchLine === undefined || failure.index !== undefined
      ? failure.message
      : `${nameOf({ index, patchLine } as At)}: ${failure.message}`;
  return {
    ...failure,
    message: clip(message.replace(/^edit/, "Edit"), limits.failureMessage),
    ...(index === undefined ? {} : { index }),
    ...(path === undefined ? {} : { path }),
  };
}

/** A failure with what became of the rest of its batch. */
export function withRest(failure: Failure, rest: string): Failure {
  return { ...failure, message: `${clip(failure.message, limits.failureMessage - rest.length - 1)} ${rest}` };
}

const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
/** Places line by line; where their lines are the same, with the line in front of each, which tells them apart. */
function quoted(lines: readonly QuotedPlace[]): string {
  const same = lines.every(({ text }) => text === lines[0]?.text);
  const oneLine = new Set(lines.map(({ line }) => line)).size < lines.length;
  return lines
    .map(({ line, column, text, above, isWritten }) => {
      const before = same && above !== undefined ? `   (line ${line - 1}: ${clip(above.trim(), 60)})` : "";
      const by = isWritten ? "   (written by an earlier edit of this call)" : before;
      return `\n${line}${oneLine ? `:${column}` : ""}| ${clip(text, 80)}${by}`;
    })
    .join("");
}

/** A place as a failure shows it. */
export interface QuotedPlace extends QuotedLine {
  /** 1-based, in UTF-16 units; shown where several places are in one line. */
  readonly column: number;
  /** Whether an earlier edit of the batch wrote it, so that `line` is only where it wrote. */
  readonly isWritten: boolean;
  /** The line in front of it; `undefined`: there is none, or an earlier edit of the batch wrote it. */
  readonly above: string | undefined;
}

/** What added to an ambiguous old text would leave its first place only. */
export type Telling =
  /** `isIndent`: its indentation is all that it adds. */
  | { readonly kind: "ownLine"; readonly isIndent: boolean }
  /** The place with what stands around it in its line. */
  | { readonly kind: "stretch"; readonly text: string }
  /** The line in front of the place or behind it, with its 1-based number. */
  | {
      readonly kind: "above" | "below";
      readonly line: number;
      /** `false`: the old text starts, or ends, within its line, so that the rest of that line is added, too. */
      readonly isWhole: boolean;
      /** What is added, with all its blanks; of a whole line without the line end between it and the old text. */
      readonly text: string;
    };

function sayTelling(telling: Telling | undefined): string {
  switch (telling?.kind) {
    case undefined:
      return "";
    case "ownLine":
      return `The whole line${telling.isIndent ? ", with its indentation," : ""} makes the first of them unique. `;
    case "stretch":
      return `${JSON.stringify(telling.text)} is the first of them alone. `;
    case "above":
    case "below": {
      const { kind, line, isWhole, text } = telling;
      const named = `Line ${line} ${kind} it`;
      if (isWhole) return `${named}, ${JSON.stringify(text)}, makes the first of them unique. `;
      const rest = kind === "above" ? "the start" : "the rest";
      return `${named} and ${rest} of its own line, ${JSON.stringify(text)}, make the first of them unique. `;
    }
  }
}

/** As programs get it. */
const plainLines = (places: readonly QuotedPlace[]): QuotedLine[] => places.map(({ line, text }) => ({ line, text }));

/** All that is known about a text that was not found, in sentences. */
function sayAbsence({ elided, miswritten, outdated, nearest }: Omit<Absence, "inBatch">): string[] {
  const isUnknown = nearest.length === 0 && elided === undefined && miswritten === undefined;
  return [
    ...(elided === undefined
      ? []
      : [`Its line ${quote(elided)} stands for left-out code; the file has the code itself.`]),
    ...sayMiswritten(miswritten),
    ...(outdated === undefined
      ? []
      : [`The file had it up to version ${outdated.since}: it was changed in the editor since.`]),
    ...(isUnknown ? ["Nothing similar was found in the file."] : []),
    ...sayNearest(nearest),
  ];
}

/** The same for programs. */
function placeOf({ nearest, miswritten }: Omit<Absence, "inBatch">): Pick<Failure, "nearest" | "line"> {
  if (nearest[0] !== undefined) return { nearest, line: nearest[0].startLine };
  return miswritten?.line === undefined ? {} : { line: miswritten.line };
}

/** An old text that is written in such a way; with `line` (1-based) where it stands when that is undone. */
export interface Miswritten {
  readonly kind: Miswriting["kind"];
  /** `undefined`: it stands nowhere even so. */
  readonly line: number | undefined;
}

const miswritings: Readonly<Record<Miswriting["kind"], string>> = {
  escaped:
    "has backslash escapes where the file has the characters themselves: send line breaks, tabs and quotes as they are",
  entities: "has HTML entities such as &lt; where the file has the characters themselves",
  normalized: "has composed characters where the file has decomposed ones, or the other way round",
  view: "starts its lines with the line numbers of a file view, which are not in the file",
  numbered: "starts its lines with the line numbers of a file view, which are not in the file",
  fenced: "has a Markdown fence around it, which is not in the file",
};

function sayMiswritten(miswritten: Miswritten | undefined): string[] {
  if (miswritten === undefined) return [];
  const { kind, line } = miswritten;
  return [`It ${miswritings[kind]}.${line === undefined ? "" : ` Without that it stands at line ${line}.`}`];
}

/** What is known about an old text that was not found, beyond its absence. */
export interface Absence {
  /** A line of the old text that stands for left-out code, such as `// ...`; `undefined`: none. */
  readonly elided: string | undefined;
  readonly nearest: readonly NearestRegion[];
  /** How the old text is written wrongly, and the 1-based line at which it stands otherwise; `undefined`: in no known way. */
  readonly miswritten: Miswritten | undefined;
  /** The version up to which the document had the line that the old text has; `undefined`: not known to have had it. */
  readonly outdated: { readonly since: number } | undefined;
  /** Whether earlier edits of the call changed the text that was searched. */
  readonly inBatch: boolean;
}

/** How the first differing line of a region differs, for `sayDifference`. */
export interface SaidDifference extends Omit<Difference, "line"> {
  /** 1-based, as callers count. */
  readonly line: number;
}

const differenceNames: Record<DifferenceKind, string> = {
  lineEndBlanks: "blanks at the line's end differ",
  indentation: "the indentation differs",
  typography: "quotes, dashes or typographic spaces differ",
  innerBlanks: "blanks within the line differ",
  blankLine: "there is a blank line on one side only",
  skippedLine: "the old text leaves out what the file has here",
  partOfLine: "it is only a part of this line",
  quotes: "another kind of quotes",
  leftOut: "from the first line to the last, with the code that was left out",
  beforeLeftOut: "the lines in front of the code that was left out",
  behindLeftOut: "the lines behind the code that was left out",
  case: "upper and lower case differ",
  text: "the text differs",
  missingLine: "the file ends before it",
  missingLineEnd: "the file's last line has no line end",
};

/** Differences of a region as a whole, which no line shows. */
const wholeRegion: ReadonlySet<DifferenceKind> = new Set([
  ...(["missingLine", "missingLineEnd", "partOfLine", "leftOut", "beforeLeftOut", "behindLeftOut"] as const),
]);

/**
 * The first difference of a region in words. `undefined`: its lines are the same, but not as whole lines or in that order.
 * In a region of one line the line's number is not said again.
 */
export function sayDifference(difference: SaidDifference | undefined, region: { readonly lines: number }): string {
  if (difference === undefined) return "the lines are the same, the place within them or their ends are not";
  const { kind, line, column, soughtColumn, sought, found } = difference;
  const name = differenceNames[kind];
  if (wholeRegion.has(kind)) return name;
  if (kind === "blankLine" || kind === "skippedLine") return `line ${line}: ${name}`;
  const where = region.lines === 1 ? "" : `line ${line}, `;
  if (kind === "indentation") {
    const indent = (text: string): string => quote(visibleBlanks(/^\s*/.exec(text)?.[0] ?? ""), 40);
    return `${where.replace(", ", ": ")}${name}, old text ${indent(sought)}, file ${indent(found)} (· a blank, → a tab)`;
  }
  const show = kind === "text" || kind === "case" ? (text: string) => text : visibleBlanks;
  const part = (text: string, at: number): string => {
    const from = wordStart(text, at);
    return quote(`${from > 0 ? "…" : ""}${show(text.slice(from, at + 30))}${at + 30 < text.length ? "…" : ""}`, 70);
  };
  const points = lookalikes(sought.codePointAt(soughtColumn), found.codePointAt(column));
  return `${where}column ${column + 1}: ${name}${points}, old text ${part(sought, soughtColumn)}, file ${part(found, column)}`;
}

/** The code points of two characters that a reader can't tell apart: one can't be seen, or is a letter of another script. */
function lookalikes(sought: number | undefined, found: number | undefined): string {
  const isHidden = (point: number | undefined): boolean =>
    point !== undefined && /\p{Cf}/u.test(String.fromCodePoint(point));
  const isLetter = (point: number): boolean => /\p{L}/u.test(String.fromCodePoint(point));
  const areLetters = sought !== undefined && found !== undefined && isLetter(sought) && isLetter(found);
  const isOtherScript = areLetters && sought < 128 !== found < 128;
  if (!isHidden(sought) && !isHidden(found) && !isOtherScript) return "";
  const name = (point: number | undefined): string =>
    point === undefined ? "nothing" : `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  return ` (the old text has ${name(sought)}, the file ${name(found)})`;
}

/** Where to start quoting a line so that the column is seen in its surroundings: at a word, some 20 units before it. */
function wordStart(text: string, column: number): number {
  if (column <= 24) return 0;
  const space = text.lastIndexOf(" ", column - 12);
  return space > column - 30 ? space + 1 : column - 20;
}

/** A line with the blanks at its two ends made visible. */
function withVisibleEnds(line: string): string {
  const body = line.trim();
  const from = line.indexOf(body);
  return visibleBlanks(line.slice(0, from)) + body + visibleBlanks(line.slice(from + body.length));
}

/** A text with its blanks made visible: `·` a space, `→` a tab, `⍽` any other blank. */
function visibleBlanks(text: string): string {
  return text.replace(/\s/g, (blank) => (blank === " " ? "·" : blank === "\t" ? "→" : "⍽"));
}

/** A line to be shown, without its end. */
export interface ShownLine {
  readonly text: string;
  /** 1-based; `undefined`: an earlier edit of the batch wrote it, so that the text before the batch has no such line. */
  readonly number: number | undefined;
}

/** Lines with their numbers, as a failure shows them, with an ellipsis where there are more; with `blanks: "visible"` those at both ends of a line can be seen. */
export function showLines(
  lines: readonly ShownLine[],
  how: { blanks: "visible" | "plain"; before: boolean; more: boolean },
): string {
  const shown = lines.map(({ text, number }) => {
    const cut = clip(text, limits.quotedLine);
    return `${number ?? "+"}| ${how.blanks === "plain" ? cut : withVisibleEnds(cut)}`;
  });
  return [...(how.before ? ["…"] : []), ...shown, ...(how.more ? ["…"] : [])].join("\n");
}

/** The request, tool or command that previews a call at a door. */
export type Previewer = keyof typeof previewers;

const previewers = {
  request: "the request multiEdit/preview, or the command multiEdit.preview,",
  tool: "the tool preview_edits",
  command: 'the command "multi-edit preview"',
} as const;

/** Failures of reading the call: its shape, its fields, their types. */
export const callFailures = {
  notACall: (got: string) =>
    makeFailure(
      "invalidParams",
      {},
      `The call is ${got}, not an object.`,
      'Send {"path", "oldText", "newText"} or {"path", "edits": [...]}.',
    ),
  wrongType: (at: At, field: string, problem: string) =>
    makeFailure(
      "invalidParams",
      at,
      `In ${nameOf(at)} the field "${field}" is wrong: ${problem}.`,
      "Nothing was changed; correct the field and send the call again.",
    ),
  badJson: (field: string, problem: string) =>
    makeFailure(
      "invalidParams",
      {},
      `"${field}" is a string that is not JSON: ${clip(problem, 120)}.`,
      `Send "${field}" as an array of edits.`,
    ),
  twoNames: (at: At, names: readonly string[]) =>
    makeFailure(
      "invalidParams",
      at,
      `${nameOf(at)} names one field in two ways: ${list(names)}.`,
      `Keep one of them in the whole call.`,
    ),
  mixedShapes: (names: readonly string[]) =>
    makeFailure(
      "invalidParams",
      {},
      `The call mixes the shapes of different tools: ${list(names)}.`,
      "Send one tool call in one shape.",
    ),
  patchWithOthers: (patch: string, names: readonly string[]) =>
    makeFailure(
      "invalidParams",
      {},
      `"${patch}" stands alone, but the call also has ${list(names)}.`,
      `Send either "${patch}" or edits.`,
    ),
  noEdits: () =>
    makeFailure(
      "missingField",
      {},
      "The call holds no edits.",
      'Send at least one {"oldText", "newText"} with a path.',
    ),
  missingFields: (at: At, names: readonly string[]) =>
    makeFailure(
      "missingField",
      at,
      `${nameOf(at)} lacks ${list(names)}.`,
      "An edit needs a path, an old text and a new text.",
    ),
  missingPath: (at: At, empty: boolean) =>
    makeFailure(
      "missingPath",
      at,
      empty
        ? `The path of ${nameOf(at)} is empty.`
        : `${nameOf(at)} has no path, and the call has none for it to inherit.`,
      "Give the edit a path, or the call one for all of them.",
    ),
  unknownField: (at: At, key: string, known: string) =>
    makeFailure(
      "unknownField",
      at,
      `${nameOf(at)} has the unknown field ${quote(key)}; is "${known}" meant?`,
      `Rename it to "${known}" or leave it out.`,
    ),
  unknownReadField: (key: string) =>
    makeFailure(
      "unknownField",
      {},
      `The request has the unknown field ${quote(key)}; what is read is told by path, startLine and endLine.`,
      `Leave ${quote(key)} out, or say with startLine and endLine which lines you want.`,
    ),
  trial: (at: At, key: string, previewer: Previewer) =>
    makeFailure(
      "unknownField",
      at,
      `${nameOf(at)} has the field ${quote(key)}, which is unknown here: no field of a call decides whether files are changed.`,
      `Leave it out; ${previewers[previewer]} shows what a call would do and changes nothing.`,
    ),
  trialOfUndo: (key: string) =>
    makeFailure(
      "unknownField",
      {},
      `The request has the field ${quote(key)}, which is unknown here: an undo can't be previewed, and nothing was undone.`,
      "Send it without the field only if the change is to be undone; multiEdit/status lists what was applied.",
    ),
  misplacedField: (at: At, key: string) =>
    makeFailure(
      "unknownField",
      at,
      `${nameOf(at)} has the field "${key}", which belongs to the call and not to one of its edits.`,
      `Move "${key}" out of the list of edits, or leave it out.`,
    ),
  moreFailures: (more: number) =>
    makeFailure(
      "invalidParams",
      {},
      `${count(more, "further failure")} of this call ${more === 1 ? "is" : "are"} not listed.`,
      "Correct those that are, and send the call again.",
    ),
  contradiction: (at: At, problem: string) =>
    makeFailure("invalidParams", at, `${nameOf(at)} contradicts itself: ${problem}.`),
  loneSurrogate: (at: At, field: string, offset: number) =>
    makeFailure(
      "invalidParams",
      at,
      `"${field}" of ${nameOf(at)} holds half a character (a lone surrogate) at offset ${offset}.`,
      "Send the character whole, or leave it out.",
    ),
  optionsRefused: () =>
    makeFailure(
      "invalidParams",
      {},
      'The call has "options", which only the integration may set.',
      'Leave "options" out.',
    ),
  tooLong: (at: At, field: string, length: number, limit: number) =>
    makeFailure(
      "tooLarge",
      at,
      `"${field}" has ${length.toLocaleString("en")} characters; the limit is ${limit.toLocaleString("en")}.`,
      "Shorten it.",
    ),
  tooLarge: (at: At, what: string, size: number, limit: number, unit: string) =>
    makeFailure(
      "tooLarge",
      at,
      `${nameOf(at)}: ${what} is ${size.toLocaleString("en")} ${unit}; the limit is ${limit.toLocaleString("en")}.`,
      "Split the change into smaller calls.",
    ),
} as const;

/** Failures of reading the text of a patch. */
export const patchFailures = {
  /** `problem` is one of `patchProblems`; `sound` are the sections without one, by kind and path. */
  syntax: (at: At, line: { number: number; text: string }, problem: string, sound: readonly string[]) => {
    const quotedLine = line.text.trim() === "" ? "is empty" : `${quote(line.text, limits.quotedLine)}`;
    return makeFailure(
      "patchSyntax",
      at,
      `Line ${line.number} of the patch${quotedLine === "is empty" ? " " : ", "}${quotedLine}: ${problem}.`,
      `Nothing was changed: correct the patch and send all of it again.${sound.length === 0 ? "" : ` Sections that are fine: ${some(sound, 250)}.`}`,
      { line: line.number },
    );
  },
  pathTooLong: (lineNumber: number, length: number, limit: number) =>
    makeFailure(
      "tooLarge",
      {},
      `Line ${lineNumber} of the patch: the path is ${length.toLocaleString("en")} characters long; the limit is ${limit.toLocaleString("en")}.`,
      "Nothing was changed: correct the patch and send all of it again.",
      { line: lineNumber },
    ),
} as const;

/** As many names as there is room for, in characters, and how many more there are. */
function some(names: readonly string[], room: number): string {
  const shown: string[] = [];
  let length = 0;
  for (const name of names) {
    length += Math.min(name.length, 80) + 2;
    if (length > room) return `${shown.join(", ")} and ${names.length - shown.length} more`;
    shown.push(clip(name, 80));
  }
  return shown.join(", ");
}

/** What is wrong with a line of a patch and what to write instead, as the clause that `patchFailures.syntax` takes. */
export const patchProblems = {
  empty: () => 'there is no patch; it starts with "*** Begin Patch" and ends with "*** End Patch"',
  noBegin: () => 'no line is "*** Begin Patch"; write it alone on the first line of the patch',
  textBefore: () => 'the strict grammar takes no text before "*** Begin Patch"; leave it out',
  json: () => "this is JSON; send the text of the patch itself, which starts with *** Begin Patch",
  escaped: () => 'its line breaks are spelt as "\\n"; send real line breaks',
  unifiedDiff: () =>
    'this is a unified diff; name the file with "*** Update File: path" instead of the lines ---, +++ and diff, between "*** Begin Patch" and "*** End Patch"',
  beforeBegin: () => 'it stands before "*** Begin Patch", and so does not count; move it behind that line',
  behindEnd: () => 'it stands behind "*** End Patch", and so does not count; move it in front of that line',
  beginInside: () => 'a call holds one patch; put all sections between one "*** Begin Patch" and one "*** End Patch"',
  noEnd: () => 'the patch ends without "*** End Patch"; write it alone on the last line',
  noSections: () => "the patch holds no sections; write one for each file to be added, deleted or updated",
  environment: () =>
    'an environment has a name and stands once, directly behind "*** Begin Patch"; move the line there or leave it out',
  expectedHeader: () =>
    'a section must begin here, with "*** Add File: path", "*** Delete File: path" or "*** Update File: path"',
  misspelt: (marker: string) => `is ${quote(marker)} meant? Write it exactly so, with its capitals and single blanks`,
  addedLine: () =>
    'in an "*** Add File" every line starts with "+", an empty one, too, and there is neither "@@" nor "*** End of File"',
  deletedLine: () =>
    'no lines follow "*** Delete File"; leave it out, or begin the next section with its header in front of it',
  noHunks: () => "the section has no lines that say what to change; write them behind it, or leave it out",
  emptyHunk: () =>
    'no lines of a hunk follow; write those to find, with " " or "-" before each, and those to add, with "+"',
  stackedAnchor: () => 'the strict grammar takes one "@@" a hunk, which has lines; leave one of them out',
  hunkLine: () =>
    'a line of a hunk starts with " " (it stays), "-" (it goes) or "+" (it comes), and a further hunk with "@@"',
  renameHeader: () =>
    'a new name takes two lines: "*** Update File: path", and behind it "*** Move to: new path"; lines that change follow, or none',
  moveMisplaced: () =>
    'it stands directly behind "*** Update File: path", once and before the first hunk; move it there',
  endOfFileMisplaced: () => "it stands behind the lines of a hunk, and once; move it there or leave it out",
  behindEndOfFile: () => 'behind "*** End of File" a new hunk starts with "@@"; write that line in front of it',
} as const;

/** What is right where there is no file: the only advice, and the one behind paths that may be meant. */
const withoutFile = {
  edit: {
    alone: "An edit with an empty old text creates it.",
    otherwise: "If a new file is meant, an edit with an empty old text creates it.",
  },
  section: {
    alone: 'Only "*** Add File" is for a file that is not there.',
    otherwise: 'If a new file is meant, use "*** Add File".',
  },
  deletion: {
    alone: "If it is gone already, leave the section out.",
    otherwise: "If it is gone already, leave the section out.",
  },
} as const;

/** Failures of finding out which text a path means. */
export const pathFailures = {
  badPath: (path: string, problem: string) =>
    makeFailure("invalidParams", { path }, `The path ${quote(path, 160)} can't be used: ${problem}.`),
  ambiguousPath: (path: string, places: readonly string[]) =>
    makeFailure(
      "ambiguousPath",
      { path },
      `${quote(path, 160)} may mean ${places.map((p) => quote(p, 160)).join(" or ")}.`,
      "Send the absolute path.",
    ),
  noFolder: (path: string) =>
    makeFailure(
      "outsideWorkspace",
      { path },
      `${quote(path, 160)} is a relative path, but the editor has no workspace folder for it to start from.`,
      "Send the absolute path of an open file.",
    ),
  outsideWorkspace: (path: string, folders: readonly string[], inside?: string) =>
    makeFailure(
      "outsideWorkspace",
      { path },
      folders.length === 0
        ? `${quote(path, 160)} is not open in the editor, and the editor has no workspace folder.`
        : `${quote(path, 160)} lies outside the workspace (${folders
            .slice(0, 3)
            .map((f) => quote(f, 160))
            .join(", ")}).`,
      inside === undefined
        ? 'Only the user can allow it, with the setting "additionalFolders".'
        : `Is ${quote(inside, 160)} meant? Otherwise only the user can allow it, with the setting "additionalFolders".`,
    ),
  protectedPath: (path: string, name: string) =>
    makeFailure(
      "protectedPath",
      { path },
      `${quote(path, 160)} is protected: "${name}" can make other programs run code.`,
      'Only the user can allow it, with the setting "protectedNames".',
    ),
  ownFolder: (path: string) =>
    makeFailure(
      "protectedPath",
      { path },
      `${quote(path, 160)} is in the folder in which the server keeps its sessions and journals.`,
      "Nobody but the server reads or writes there.",
    ),
  fileNotFound: (path: string, similar: readonly string[], asked: "edit" | "section" | "deletion" = "edit") =>
    makeFailure(
      "fileNotFound",
      { path },
      `There is no file ${quote(path, 160)}.`,
      similar.length === 0
        ? withoutFile[asked].alone
        : `Is ${similar.map((s) => quote(s, 160)).join(" or ")} meant? ${withoutFile[asked].otherwise}`,
    ),
  notOpen: (uri: string) =>
    makeFailure(
      "fileNotFound",
      { path: uri },
      `The editor has no document ${quote(uri, 160)} open.`,
      "Send the exact URI of an open document, or the path of a file.",
    ),
  isDirectory: (path: string) =>
    makeFailure("isDirectory", { path }, `${quote(path, 160)} is a directory.`, "Name a file."),
  isLink: (path: string, file: string) =>
    makeFailure(
      "ioError",
      { path },
      `${quote(path, 160)} is a symbolic link, and only files themselves are deleted or moved.`,
      `Name the file that it leads to: ${quote(file, 160)}.`,
    ),
  hasOtherName: (path: string, file: string) =>
    makeFailure(
      "ioError",
      { path },
      `${quote(path, 160)} is one of several names (links) of a file that is open, or named in this call, as ${quote(file, 160)}.`,
      "Change its text under one name, or delete and move it in a call of its own when it is not open.",
    ),
  unsupportedEncoding: (path: string, problem: string) =>
    makeFailure(
      "unsupportedEncoding",
      { path },
      `${quote(path, 160)} is ${problem}; only UTF-8, and UTF-16 with a byte order mark, are edited.`,
      "It was left as it is.",
    ),
  desynced: (path: string, problem: string) =>
    makeFailure(
      "desynced",
      { path },
      `What the editor told about ${quote(path, 160)} does not fit together (${problem}), so its text is not known.`,
      "Close the file in the editor and open it again.",
    ),
  tooLarge: (path: string, size: number, limit: number, unit: "bytes" | "characters") =>
    makeFailure(
      "tooLarge",
      { path },
      `${quote(path, 160)} is ${size.toLocaleString("en")} ${unit}; the limit is ${limit.toLocaleString("en")}.`,
      "Edit it by other means.",
    ),
  readOnly: (path: string) =>
    makeFailure(
      "readOnly",
      { path },
      `${quote(path, 160)} can't be written: permission denied.`,
      "Ask the user to make it writable.",
    ),
  belowFile: (at: At) =>
    makeFailure(
      "ioError",
      at,
      `${nameOf(at)} lies below a path that is a file in this very call.`,
      "A file can't be a folder, too.",
    ),
  ioError: (path: string, problem: string) =>
    makeFailure("ioError", { path }, `${quote(path, 160)} can't be read: ${problem}.`),
} as const;

/** What is wrong with a path, as the clause that `pathFailures.badPath` takes. */
export const pathProblems = {
  empty: () => "it is empty",
  tooLong: (length: number, limit: number) =>
    `it has ${length.toLocaleString("en")} characters; the limit is ${limit.toLocaleString("en")}`,
  controlCharacter: () => "it holds a control character",
  loneSurrogate: () => "it holds half a character (a lone surrogate)",
  otherScheme: () => "its scheme is not file",
  foreignHost: (host: string) => `it names the host ${quote(host)}; only files of this machine are edited`,
  queryOrFragment: () => "it has a query or a fragment; a ? or # in a name is written %3F or %23",
  badEscape: () => "it has a % that starts no UTF-8 character; a % in a name is written %25",
  encodedSeparator: () => "it has an encoded separator",
  encodedDots: () => "it has an encoded . or .. as a name",
  relativeUri: () => "a URI needs an absolute path",
  relativeRoot: () => "the root for relative paths is not absolute",
  deviceOrShare: () => "it names a network share or a device",
  noDrive: () => "it names no drive, or no folder on its drive",
  badCharacter: (character: string) => `a name can't hold ${quote(character)} on Windows`,
  reservedName: (name: string) => `${quote(name)} is a device's name on Windows`,
  trailingDotOrSpace: (name: string) => `Windows drops the dots and spaces at the end of ${quote(name)}`,
} as const;

/** The advice to send one edit instead of two; the other one is then not to be sent as it was. */
const mergeWith = (other: number): string => `Merge it with edit ${other} into one edit.`;

/** What is wrong with a file, as the clause that `pathFailures.ioError` and `unsupportedEncoding` take. */
export const fileProblems = {
  notRegular: (kind: string) => `it is ${kind}, not a regular file`,
  binary: () => "a binary file (it holds a NUL)",
  notUtf8: () => "not valid UTF-8",
  notUtf16: () => "not valid UTF-16",
  notWritten: () => "it could not be written again as it was",
  /** `code` is the system's, as `EACCES`. */
  system: (code: string) => systemReasons[code] ?? `the system says ${code}`,
} as const;

const systemReasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ELOOP: "its symbolic links lead in a circle",
  ENOTDIR: "a part of its path is not a directory",
  EISDIR: "it is a directory",
  ENOMEDIUM: "the disk that it is on is not there (not mounted)",
  ENAMETOOLONG: "a name in it is too long",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EIO: "the disk reports an error",
  ENOSPC: "no space is left on the disk",
  // This is EDQUOT on Linux, which Node does not know.
  "Unknown system error -122": "the user's quota of disk space is used up",
  EFBIG: "it would be larger than a file may be",
  EBUSY: "another program uses it",
  ETXTBSY: "it is a program that runs just now",
  ESTALE: "a directory on its path was exchanged meanwhile",
};

/** What is wrong with what the editor told about a document, as the clause that `pathFailures.desynced` takes. */
export const syncProblems = {
  badUri: () => "it names no URI",
  notOpen: (what: "change" | "close") => `it tells of a ${what}, but the document is not open`,
  badText: () => "it was opened without a text",
  badVersion: (version: unknown) => `its version is ${typeof version === "number" ? version : "no number"}`,
  versionNotGreater: (version: number, held: number) => `version ${version} came after version ${held}`,
  badChanges: () => "its changes are no list",
  badChange: (at: number) => `change ${at} is neither a whole text nor a range and a text`,
  reversedRange: (at: number) => `the range of change ${at} ends before it starts`,
  badRange: (at: number) => `the range of change ${at} does not lie between characters of the text`,
  tooLong: (length: number, limit: number) =>
    `its text would be ${length.toLocaleString("en")} characters long; the limit is ${limit.toLocaleString("en")}`,
} as const;

/** The first region with its lines, the others by their numbers. */
function sayNearest([first, ...others]: readonly NearestRegion[]): string[] {
  if (first === undefined) return [];
  const named = ({ startLine, endLine }: NearestRegion): string =>
    startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
  const also = others.map((region) => `${named(region)} (${clip(region.difference, 120)})`);
  const rest = also.length === 0 ? "" : `Also near: ${also.join("; ")}.\n`;
  return [`Nearest: ${named(first)} (${first.difference}):\n${clip(first.text, 500)}\n${rest}`];
}

/** Several places of an old text that nothing decides among. */
export interface Ambiguity {
  readonly found: number;
  readonly rung: string;
  readonly matches: readonly QuotedPlace[];
  /** The line that was sent, 1-based; `undefined`: none. */
  readonly nearLine: number | undefined;
  readonly telling: Telling | undefined;
  /** Whether all of them start in one line, so that neither another line nor a line's number tells them apart. */
  readonly isOneLine: boolean;
}

/** How to send a neighbouring line with an old text that stands there otherwise than it was written, by rung. */
const neighbours: Readonly<Record<string, string>> = {
  indentation: "Send old and new text with the file's own indentation and a neighbouring line",
  viewPrefix: "Send old and new text without the numbers and with a neighbouring line",
};

/** Failures of placing an edit in its text. */
export const editFailures = {
  emptyOldText: (at: At, { first }: { first: boolean }) =>
    makeFailure(
      "emptyOldText",
      at,
      first
        ? `The old text of ${nameOf(at)} is empty, but the file exists and is not empty.`
        : `The old text of ${nameOf(at)} is empty, but it is not the first edit of its file.`,
      "An empty old text only creates a file. To insert, send a neighbouring line as old text, and the same line with the insertion as new text.",
    ),
  noChange: (at: At) =>
    makeFailure(
      "noChange",
      at,
      `Old and new text of ${nameOf(at)} are the same.`,
      "Leave the edit out, or send the new text that is meant.",
    ),
  noMatch: (at: At, { inBatch, ...absence }: Absence) =>
    makeFailure(
      "noMatch",
      at,
      [
        `The old text of ${nameOf(at)} was not found${inBatch ? " in the text after the edits before it" : ""}.`,
        ...sayAbsence(absence),
      ].join(" "),
      "Copy the old text from the file as it is now.",
      placeOf(absence),
    ),
  notExplained: (at: At) =>
    makeFailure(
      "noMatch",
      at,
      `The old text of ${nameOf(at)} was not found. What is near it was not looked for, because too many edits have failed.`,
      "Copy the old text from the file as it is now.",
    ),
  inNewText: (at: At, other: number) =>
    makeFailure(
      "noMatch",
      at,
      `The old text of ${nameOf(at)} is part of the new text of edit ${other}, but all edits of this call are found in the text as it was before.`,
      "Write it against the text as it is before the call, or merge the two.",
    ),
  dependsOnFailed: (at: At, failed: number) =>
    makeFailure(
      "noMatch",
      at,
      `The old text of ${nameOf(at)} is part of the new text of edit ${failed}, which failed.`,
      `Correct edit ${failed}; this one then finds its place.`,
    ),
  onlyLenient: (at: At, rung: string, line: number) =>
    makeFailure(
      "noMatch",
      at,
      `The old text of ${nameOf(at)} was not found as it is; line ${line} has it on the rung ${rung}, which strict matching leaves out.`,
      "Copy the old text from the file as it is now.",
      { line },
    ),
  noSuchOccurrence: (at: At, asked: number, found: number) =>
    makeFailure(
      "noMatch",
      at,
      `${nameOf(at)} asks for occurrence ${asked}, but its old text stands ${count(found, "time")}.`,
      `Send an occurrence from 1 to ${found}.`,
    ),
  ambiguousMatch: (at: At, { found, rung, matches, nearLine, telling, isOneLine }: Ambiguity) =>
    makeFailure(
      "ambiguousMatch",
      at,
      `The old text of ${nameOf(at)} stands ${count(found, "time")}${rung === "exact" ? "" : ` (rung ${rung})`}${nearLine === undefined ? "" : ` equally near to line ${nearLine}`}:${quoted(matches)}${found > matches.length ? "\n…" : ""}\n`,
      `${sayTelling(telling)}${isOneLine ? "Add more of its line to old and new text, or set occurrence or replaceAll." : `${neighbours[rung] ?? "Add a neighbouring line to old and new text"}, or set occurrence, line or replaceAll.`}`,
      { matches: plainLines(matches), ...(matches[0] === undefined ? {} : { line: matches[0].line }) },
    ),
  cannotShift: (at: At, line: number) =>
    makeFailure(
      "noMatch",
      at,
      `The old text of ${nameOf(at)} was found at line ${line} with another indentation, but a line of its new text can't be shifted likewise: it has less indentation than the difference, or no whole number of tabs.`,
      "Send both texts with the indentation that the file has.",
      { line },
    ),
  expectedCount: (at: At, expected: number, found: number, matches: readonly QuotedPlace[]) =>
    makeFailure(
      "expectedCount",
      at,
      `${nameOf(at)} expects ${count(expected, "place")}, but its old text stands ${count(found, "time")}${matches.length === 0 ? "." : `:${quoted(matches)}${found > matches.length ? "\n…" : ""}\n`}`,
      "Correct expectedCount or the old text.",
      { matches: plainLines(matches) },
    ),
  sameHunk: (at: At, other: number, line: number) =>
    makeFailure(
      "overlap",
      at,
      `${nameOf(at)} is the same as edit ${other}, and its lines stand only once, at line ${line}.`,
      "Leave one of them out.",
      { line },
    ),
  overlap: (at: At, other: number, line: number) =>
    makeFailure(
      "overlap",
      at,
      `${nameOf(at)} and edit ${other} overlap at line ${line}: both are found in the same text, and one changes what the other one holds.`,
      mergeWith(other),
      { line },
    ),
  /** `nearest`: what resembles the old text elsewhere than where the new text stands. */
  alreadyApplied: (at: At, line: number, nearest: readonly NearestRegion[]) =>
    makeFailure(
      "alreadyApplied",
      at,
      [
        `The old text of ${nameOf(at)} was not found, but its new text stands at line ${line} already.`,
        ...sayNearest(nearest),
      ].join(" "),
      "If that is the place that was meant, it is done: leave this edit out. Else copy the old text from the file.",
      { line, ...(nearest.length === 0 ? {} : { nearest }) },
    ),
  /** `order`: with `"original"` an old text is never found in what another edit makes. */
  consumed: (at: At, by: number, line: number, order: "sequential" | "original") =>
    makeFailure(
      "consumed",
      at,
      `The old text of ${nameOf(at)} stood at line ${line}, but edit ${by} of this call changed it.`,
      order === "original" ? mergeWith(by) : "Write its old text as the edits before it leave it.",
      { line },
    ),
  searchTooLarge: (at: At) =>
    makeFailure(
      "tooLarge",
      at,
      `The old text of ${nameOf(at)} resembles too many places to compare them all.`,
      "Send a longer or more particular old text.",
    ),
  tooManyPlaces: (at: At, found: number) =>
    makeFailure(
      "tooLarge",
      at,
      `${nameOf(at)} would replace ${found.toLocaleString("en")} places or grow the text beyond its limit.`,
      "Send a more particular old text.",
    ),
} as const;

/** What is known about a hunk whose lines were not found. */
export interface HunkAbsence extends Omit<Absence, "inBatch"> {
  /** The anchor or the 1-based line behind which they were looked for first; `undefined`: from the start. */
  readonly behind: string | number | undefined;
  /** Whether they were then looked for in the whole file. */
  readonly everywhere: boolean;
  /** Whether earlier sections changed the text that was searched. */
  readonly inBatch: boolean;
}

/** What is known about an anchor that was not found. */
export interface AnchorAbsence {
  readonly anchor: string;
  /** The 1-based line behind which it was looked for first; `undefined`: from the start. */
  readonly behind: number | undefined;
  /** The 1-based line at which the hunk's lines stand, if that is the only place. */
  readonly linesAt: number | undefined;
  readonly nearest: readonly NearestRegion[];
}

/** An idle hunk: why it would change nothing. */
export interface Idle {
  /** `true`: it has lines that go or come, and the same ones do both. */
  readonly isSigned: boolean;
}

/** The reason why a hunk would change nothing, about whatever `name` says. */
const sayIdle = (name: string, { isSigned }: Idle): string =>
  isSigned ? `The lines of ${name} are the same with - and with +` : `No line of ${name} begins with - or +`;

/** Failures of placing a hunk of a patch. */
export const hunkFailures = {
  /** `absence` is of lines that the file does not have either; `line` is the 1-based one at which it has them. */
  noChange: (
    at: At,
    { absence, line, ...idle }: Idle & { readonly absence: Absence | undefined; readonly line: number | undefined },
  ) =>
    makeFailure(
      "noChange",
      at,
      [
        `${sayIdle(nameOf(at), idle)}, so it would change nothing.`,
        ...(absence === undefined ? [] : ["The file does not have its lines.", ...sayAbsence(absence)]),
      ].join(" "),
      "Write the line as it is with -, and as it should be with +.",
      absence === undefined ? (line === undefined ? {} : { line }) : placeOf(absence),
    ),
  noLines: (at: At, { behind, everywhere, inBatch, ...absence }: HunkAbsence) =>
    makeFailure(
      "contextNotFound",
      at,
      [
        `The context and removed lines of ${nameOf(at)} were not found${inBatch ? " in the text after the sections before it" : ""}${behind === undefined ? "" : `${everywhere ? ", neither " : " "}behind ${typeof behind === "number" ? `line ${behind}, where the hunk before it ends` : quote(behind)}${everywhere ? ", nor elsewhere" : ""}`}.`,
        ...sayAbsence(absence),
      ].join(" "),
      "Copy these lines from the file as it is now, each with its sign in front.",
      placeOf(absence),
    ),
  beforeAnchor: (at: At, anchor: string, line: number) =>
    makeFailure(
      "contextNotFound",
      at,
      `The context and removed lines of ${nameOf(at)} stand at line ${line} and nowhere else, but that is in front of the anchor ${quote(anchor, 160)}, and not behind it.`,
      "Write behind @@ a line that stands in front of them, or nothing.",
      { line },
    ),
  noAnchor: (at: At, { anchor, behind, linesAt, nearest }: AnchorAbsence) =>
    makeFailure(
      "contextNotFound",
      at,
      [
        `The anchor ${quote(anchor, 160)} of ${nameOf(at)} is no line of the file${behind === undefined ? "" : ` behind line ${behind}`}.`,
        ...sayNearest(nearest),
      ].join(" "),
      linesAt === undefined
        ? "Behind @@ write one whole line of the file that stands in front of the hunk, or nothing."
        : `The hunk's lines stand at line ${linesAt} and nowhere else: leave the anchor out.`,
      {
        ...(nearest[0] === undefined ? {} : { nearest, line: nearest[0].startLine }),
        ...(linesAt === undefined ? {} : { line: linesAt }),
      },
    ),
  notExplained: (at: At) =>
    makeFailure(
      "contextNotFound",
      at,
      `${nameOf(at)} has no certain place. What is near it was not looked for, because too many hunks have failed.`,
      "Copy the lines from the file as it is now, each with its sign in front.",
    ),
  notAtEnd: (at: At, linesAt: number | undefined) =>
    makeFailure(
      "contextNotFound",
      at,
      `${nameOf(at)} is to stand at the end of the file, but the file does not end with its lines.`,
      linesAt === undefined
        ? "Copy the file's last lines as they are now, or leave *** End of File out."
        : `They stand at line ${linesAt}: leave *** End of File out.`,
      linesAt === undefined ? {} : { line: linesAt },
    ),
  noContext: (at: At) =>
    makeFailure(
      "contextNotFound",
      at,
      `${nameOf(at)} only adds lines, and the line number behind @@ does not say between which lines of the file they belong.`,
      "Add a line of context, or write behind @@ the line behind which they go.",
    ),
  alreadyApplied: (at: At, line: number) =>
    makeFailure(
      "alreadyApplied",
      at,
      `The lines of ${nameOf(at)} were not found, but what it makes of them stands at line ${line} already.`,
      "If that is the place that was meant, it is done: leave this hunk out. Else copy the lines from the file.",
      { line },
    ),
  ambiguous: (
    at: At,
    {
      found,
      rung,
      matches,
      near,
      telling,
    }: {
      found: number;
      rung: string;
      matches: readonly QuotedPlace[];
      near: number | undefined;
      telling: Telling | undefined;
    },
  ) =>
    makeFailure(
      "ambiguousMatch",
      at,
      `The lines of ${nameOf(at)} stand ${found >= limits.hunkPlaces ? `${found} times or more` : count(found, "time")}${rung === "exact" ? "" : ` (rung ${rung})`}${near === undefined ? "" : ` equally near to line ${near}`}:${quoted(matches)}${found > matches.length ? "\n…" : ""}\n`,
      `${sayTelling(telling)}Add a line of context, or write behind @@ a line that stands in front of the right place.`,
      { matches: plainLines(matches), ...(matches[0] === undefined ? {} : { line: matches[0].line }) },
    ),
} as const;

/** Failures of operations on whole files. */
export const fileFailures = {
  notThere: (
    at: At,
    taken: { readonly by: number; readonly to: string | undefined } | undefined,
    asked: "update" | "delete",
  ) =>
    makeFailure(
      "fileNotFound",
      at,
      taken === undefined
        ? `${nameOf(at)}: there is no such file at this point of the patch.`
        : `${nameOf(at)}: edit ${taken.by} of this patch has ${taken.to === undefined ? "deleted" : "moved"} the file.`,
      taken?.to !== undefined
        ? `Use its new path ${quote(taken.to, 160)}.`
        : asked === "delete"
          ? "Leave the section out."
          : taken === undefined
            ? "Add the file before it is changed."
            : "Change the file before it is deleted, or leave the section out.",
    ),
  exists: (at: At, target: string) =>
    makeFailure(
      "fileExists",
      at,
      `${nameOf(at)} would move the file onto ${quote(target, 160)}, which exists.`,
      "Delete that file first in the same patch, or choose another name.",
    ),
  circle: (at: At, target: string) =>
    makeFailure(
      "fileExists",
      at,
      `${nameOf(at)} moves the file to ${quote(target, 160)}, and the files of this patch are moved in a circle, so that no name is ever free.`,
      "Send the moves as two patches.",
    ),
  notFreed: (at: At, by: number) =>
    makeFailure(
      "fileExists",
      at,
      `${nameOf(at)} relies on edit ${by}, which should have moved or deleted a file, but failed or stood beside one that failed.`,
      `Correct edit ${by}; this one then goes through.`,
    ),
  unsaved: (at: At) =>
    makeFailure(
      "dirty",
      at,
      `${nameOf(at)} would delete or move a document that is open in the editor, but not the text of a file on disk.`,
      "Ask the user to save it first.",
    ),
  dirty: (at: At, what: "delete" | "move") =>
    makeFailure(
      "dirty",
      at,
      `${nameOf(at)} would ${what} a file that has unsaved changes in the editor.`,
      "Ask the user to save or discard them.",
    ),
  wouldReplace: (at: At) =>
    makeFailure(
      "dirty",
      at,
      `${nameOf(at)} would replace all of a text that has unsaved changes in the editor.`,
      'Change it with "*** Update File", which keeps them, or ask the user to save or discard them.',
    ),
  noFile: (at: At) =>
    makeFailure(
      "invalidParams",
      at,
      `${nameOf(at)} would move or delete a document of the editor that is no file.`,
      "Only its text can be changed.",
    ),
  binary: (at: At) =>
    makeFailure(
      "unsupportedEncoding",
      at,
      `${nameOf(at)} would write into a file that can't be read as text.`,
      "Such a file can only be deleted.",
    ),
} as const;

/** What the editor was asked to do with a file, as the sentences about it name it. */
export interface Asked {
  readonly kind: "edit" | "rename" | "delete";
  readonly path: string;
  /** Of a `rename`. */
  readonly newPath?: string;
}

/** How the sentences about a step speak of it. */
interface StepWords {
  /** Behind "The editor did not". */
  readonly toDo: (asked: Asked) => string;
  /** Behind "The editor said that it". */
  readonly done: (asked: Asked) => string;
  /** What is so if nothing was done. */
  readonly before: string;
  /** What may happen later. */
  readonly late: string;
  /** Behind "has not". */
  readonly notYet: (asked: Asked) => string;
  /** What is seen if something else was done. */
  readonly astray: (asked: Asked) => string;
}

const from = ({ path }: Asked): string => quote(path, 160);
const fromTo = ({ path, newPath = "" }: Asked): string => `${quote(path, 160)} to ${quote(newPath, 160)}`;

const stepWords: Record<Asked["kind"], StepWords> = {
  edit: {
    toDo: (asked) => `apply the edit of ${from(asked)}`,
    done: (asked) => `applied the edit of ${from(asked)}`,
    before: "its text is as it was",
    late: "the edit may still come",
    notYet: (asked) => `changed ${from(asked)}`,
    astray: (asked) => `After the edit the editor's text of ${from(asked)} is neither the old nor the planned one.`,
  },
  rename: {
    toDo: (asked) => `rename ${fromTo(asked)}`,
    done: (asked) => `renamed ${fromTo(asked)}`,
    before: "the file has its old name",
    late: "the new name may still come",
    notYet: (asked) => `renamed ${fromTo(asked)}`,
    astray: (asked) =>
      `The editor was asked to rename ${fromTo(asked)}; names and text are now neither the old nor the planned ones.`,
  },
  delete: {
    toDo: (asked) => `delete ${from(asked)}`,
    done: (asked) => `deleted ${from(asked)}`,
    before: "the file is there",
    late: "it may still be deleted",
    notYet: (asked) => `deleted ${from(asked)}`,
    astray: (asked) => `The editor was asked to delete ${from(asked)}; something else is there now.`,
  },
};

/** What the caller can do about a file operation that the editor lacks. */
const operationHints = {
  create: "Create the file by other means and send the other edits again.",
  rename: "Rename the file by other means and send the other edits again, with its new path.",
  delete: "Delete the file by other means and send the other edits again.",
} as const;

/** Failures of the way to the editor and back. `takenBack` says what became of the rest of the batch. */
export const editorFailures = {
  contentModified: (at: At, problem: string) =>
    makeFailure(
      "contentModified",
      at,
      `${nameOf(at)} has moved on: ${problem}.`,
      "Read it again and send the call again.",
    ),
  noResourceOperation: (path: string, operation: keyof typeof operationHints) =>
    makeFailure(
      "clientCapability",
      { path },
      `${quote(path, 160)} needs the file operation "${operation}", which the editor does not offer.`,
      operationHints[operation],
    ),
  noApplyEdit: (asked: "call" | "undo") =>
    makeFailure(
      "clientCapability",
      {},
      'The editor does not offer "workspace/applyEdit", so the server can\'t apply anything.',
      asked === "call"
        ? "Send the request multiEdit/apply and apply the edit of its answer."
        : "The editor's own undo takes the edit back.",
    ),
  clientRefused: (asked: Asked, reason: string, takenBack: string) =>
    makeFailure(
      "clientRefused",
      { path: asked.path },
      `The editor did not ${stepWords[asked.kind].toDo(asked)}${reason === "" ? "" : ` (${clip(reason, 200)})`}; ${stepWords[asked.kind].before}. ${takenBack}`,
      "Ask the user before you go on.",
    ),
  clientDiverged: (asked: Asked, takenBack: string) =>
    makeFailure(
      "clientDiverged",
      { path: asked.path },
      `${stepWords[asked.kind].astray(asked)} ${takenBack}`,
      "Read the file before you go on.",
    ),
  noAnswerOfUser: (label: string, seconds: number) =>
    makeFailure(
      "timeout",
      {},
      `The user did not answer within ${seconds} s whether ${quote(label, 200)} may be applied.`,
      "Ask the user, and send the call again.",
    ),
  unseen: (asked: Asked, { mayBeDeclined }: { readonly mayBeDeclined: boolean }, takenBack: string) =>
    makeFailure(
      "timeout",
      { path: asked.path },
      `The editor said that it ${stepWords[asked.kind].done(asked)}, but ${stepWords[asked.kind].before} so far; ${stepWords[asked.kind].late}${mayBeDeclined ? ", or the user has declined it, which this editor does not tell" : ""}. ${takenBack}`,
      "Read the file before you go on.",
    ),
  timeout: (asked: Asked, seconds: number, takenBack: string) =>
    makeFailure(
      "timeout",
      { path: asked.path },
      `The editor did not answer within ${seconds} s, and has not ${stepWords[asked.kind].notYet(asked)} so far; it may still do so, if it waits for the user. ${takenBack}`,
      "Ask the user, and read the file before you go on.",
    ),
  leftEmpty: (path: string, takenBack: string) =>
    makeFailure(
      "clientDiverged",
      { path },
      `The editor created ${quote(path, 160)} but did not take its text; the empty file is still there, because it could not be deleted. ${takenBack}`,
      "An edit with an empty old text fills it.",
    ),
  userRejected: (label: string) =>
    makeFailure("userRejected", {}, `The user rejected ${quote(label, 200)}.`, "Ask the user what to do instead."),
  cannotAsk: () =>
    makeFailure("clientCapability", {}, "The user is to confirm the edit, but the editor can't show a question."),
  cancelled: () => makeFailure("cancelled", {}, "The request was cancelled."),
} as const;

/** Failures of taking back what was applied. */
export const undoFailures = {
  conflict: (path: string, problem: string, line?: number) =>
    makeFailure(
      "undoConflict",
      { path },
      `The edit of ${quote(path, 160)} can't be taken back: ${problem}. Nothing was changed.`,
      "Read the file, and send an edit that changes it back.",
      line === undefined ? {} : { line },
    ),
  nothing: () =>
    makeFailure(
      "undoConflict",
      {},
      "This session has applied nothing that could be taken back.",
      "What was changed by other means, an edit changes back.",
    ),
  unknown: (id: string) =>
    makeFailure("undoConflict", {}, `This session has no transaction ${quote(id)}, or none any more.`, undoHint),
  notApplied: (id: string) =>
    makeFailure(
      "undoConflict",
      {},
      `The edit ${quote(id)} was proposed to the editor, and is not applied, as far as texts and files show.`,
      undoHint,
    ),
  undone: (id: string, label: string) =>
    makeFailure(
      "undoConflict",
      {},
      `The transaction ${quote(id)} (${clip(label, 200)}) was taken back already; taking back is not taken back.`,
      "Send the call again to have its edits again.",
    ),
} as const;

const undoHint = "Name no transaction to take back the last one; multiEdit/status lists them all.";

/** What is wrong with the files by which sessions are found, as sentences, and clauses of them. */
export const sessionProblems = {
  directory: (path: string, problem: string) => `the directory ${quote(path, 200)} ${problem}`,
  noDirectory: "is a link or a file, not a directory",
  relative: "is relative, as the home directory (the variable HOME) is no absolute path",
  notPrivate: "belongs to another user, or others may enter it; remove it, or make it yours and its mode 700",
  socket: (name: string, problem: string) => `the socket ${quote(name, 200)} can't be opened: it ${problem}`,
  longSocketPath: (path: string, most: number) =>
    `the path of a socket in ${quote(path, 200)} has more than ${most} bytes`,
  system: (code: string) => `can't be used: the system says ${code}`,
  blind: (problem: string) => `Editors can't announce themselves, or can't be seen: ${problem}.`,
  foreignRecord: (path: string) =>
    `${quote(path, 200)} is not looked at: it is not a plain file that only you can read. Remove it.`,
  badRecord: (path: string) => `${quote(path, 200)} can't be read as the announcement of a session. Remove it.`,
  newerRecord: (path: string) =>
    `${quote(path, 200)} announces the session of a newer version of multi-edit-language-server. Update this one; if no editor runs that version any more, remove the file.`,
  noStatus: () => "what it has open is not told in a way that this version understands",
} as const;

/** Why a session that is announced was not reached. */
export type Unreached =
  /** Nobody listens there; the system's code. */
  | { readonly kind: "absent"; readonly code: string }
  /** The system does not allow to connect; its code, and whether this process knows that it is in a sandbox. */
  | { readonly kind: "forbidden"; readonly code: string; readonly sandbox: boolean }
  /** It did not answer in time, or has as many agents as it takes. */
  | { readonly kind: "silent"; readonly seconds: number }
  /** It does not go along, and says why. */
  | { readonly kind: "refused"; readonly message: string }
  /** What answers there does not know the session's secret. */
  | { readonly kind: "impostor" };

/** Why a session was not reached, as the end of a sentence, and what can be done. */
export function sayUnreached(why: Unreached): { readonly problem: string; readonly hint: string } {
  switch (why.kind) {
    case "absent":
      return {
        problem: `nothing answers at its socket (${why.code}), though its process lives`,
        hint: "Restart the language server in that editor.",
      };
    case "forbidden":
      return {
        problem: `${why.sandbox ? "the sandbox of this agent" : "the system"} does not allow to connect to it (${why.code})`,
        hint: 'Sandboxes of agents forbid sockets to commands. Use the MCP server "multi-edit mcp", which agents start outside of it, or allow this command to run outside.',
      };
    case "silent":
      return {
        problem: `it does not answer within ${why.seconds} s`,
        hint: "The editor may be suspended or busy: bring it back, or end it.",
      };
    case "refused":
      return { problem: `it said: ${clip(why.message, 300)}`, hint: "See multi-edit doctor." };
    case "impostor":
      return {
        problem: "what answers at its socket does not know the session's secret",
        hint: "Restart the language server in that editor.",
      };
  }
}

/** Sessions, one a line, bounded. */
function listed(sessions: readonly string[]): string {
  const shown = sessions.slice(0, limits.sessionsShown).map((session) => `\n  ${clip(session, 200)}`);
  return `${shown.join("")}${sessions.length > shown.length ? "\n  …" : ""}`;
}

const nameOne =
  "Name one of them with --session or MULTI_EDIT_SESSION. An agent that can't asks the user to, or to close the files or the editor that is not meant.";

/** Failures of the way from an agent to the session of an editor; a session is named by its id, editor and folders. */
export const sessionFailures = {
  openInSeveral: (sessions: readonly string[]) =>
    makeFailure("noSession", {}, `Several editors have these files open:${listed(sessions)}\n`, nameOne),
  heldBySeveral: (sessions: readonly string[]) =>
    makeFailure("noSession", {}, `Several editors have this folder:${listed(sessions)}\n`, nameOne),
  apart: (sessions: readonly string[]) =>
    makeFailure(
      "noSession",
      {},
      `No editor has all of these files in one workspace folder; some lie in those of:${listed(sessions)}\n`,
      "Send a call for each folder, or name a session with --session.",
    ),
  unreached: (session: string, why: Unreached) => {
    const { problem, hint } = sayUnreached(why);
    return makeFailure(
      "noSession",
      {},
      `The editor ${clip(session, 200)} may hold text of these files that is not saved, but ${problem}. Nothing was changed.`,
      hint,
    );
  },
  /** `problem` is a sentence that says what to do. */
  hidden: (problem: string) =>
    makeFailure(
      "noSession",
      {},
      `An editor may hold text of these files that is not saved, but it can't be asked. ${problem} Nothing was changed.`,
      "Ask the user to do so.",
    ),
  unknown: (id: string, sessions: readonly string[]) =>
    makeFailure(
      "noSession",
      {},
      `There is no session ${quote(id, 40)}.${sessions.length === 0 ? " No editor runs multi-edit-language-server." : ` There are:${listed(sessions)}\n`}`,
      sessions.length === 0 ? "Start it in the editor." : "Name one of these.",
    ),
  none: (sessions: readonly string[]) =>
    makeFailure(
      "noSession",
      {},
      sessions.length === 0
        ? "No editor runs multi-edit-language-server."
        : `No editor has these files, open or in a workspace folder. There are:${listed(sessions)}\n`,
      'Open the folder in an editor that runs multi-edit-language-server. "multi-edit doctor" tells more.',
    ),
  tooOld: (version: string) =>
    makeFailure(
      "clientCapability",
      {},
      `The editor runs version ${clip(version, 40)} of multi-edit-language-server, which can't do this.`,
      "Update it and restart it in the editor.",
    ),
  lost: () =>
    makeFailure(
      "timeout",
      {},
      "The editor's session ended before it answered, so it is not known what became of the call.",
      "Read the files before you go on.",
    ),
  noAnswer: (seconds: number) =>
    makeFailure(
      "timeout",
      {},
      `The editor's session did not answer within ${seconds} s, nor to being told to stop, so it is not known what became of the call.`,
      "Read the files before you go on.",
    ),
  stopped: (seconds: number) =>
    makeFailure(
      "cancelled",
      {},
      `The call was stopped after ${seconds} s, most likely because the user was asked and has not answered. Nothing was changed.`,
      "Ask the user, and send the call again.",
    ),
} as const;

/** Where an answer comes from, as sentences for people and models. */
export const answerSentences = {
  through: (editor: string) => `Through the editor ${clip(editor, 200)}.`,
} as const;

/** What is wrong with what the command line was given, as sentences. */
export const inputProblems = {
  /** `path`: `undefined` for the working directory. */
  noDirectory: (path: string | undefined) =>
    path === undefined
      ? "The working directory is gone, or its name is not UTF-8: name a directory with --workspace."
      : `${quote(path, 200)} is no directory, or its name is not UTF-8.`,
  unreadable: (path: string, code: string) =>
    `${path === "-" ? "The standard input" : quote(path, 200)} can't be read: ${fileProblems.system(code)}.`,
  tooLarge: (most: number) => `The input has more than ${most.toLocaleString("en")} bytes.`,
  notUtf8: () => "The input is not UTF-8.",
  empty: () => "The input is empty; it is a call as JSON, one a line, or a patch.",
  badJson: (problem: string) => `The input is no JSON: ${clip(problem, 200)}.`,
  badLine: (line: number, problem: string) => `Line ${line}: ${problem}`,
  badCall: (number: number, message: string) => `Call ${number} can't be read, so that none was sent. ${message}`,
  stoppedAt: (number: number, total: number) =>
    `Call ${number} of ${total} failed: those before it are done, those behind it were not sent.`,
  unsaved: (path: string) => `${path} is so in the editor, and not on disk.`,
  noInput: () => "There is nothing to apply: name a file, or send a call or a patch to the standard input.",
} as const;

/** What the command that prints configurations says where it has none. */
export const setupSentences = {
  unknown: (name: string | undefined, known: readonly string[]) =>
    `${name === undefined ? "" : `Nothing is known of ${quote(name, 40)}. `}The configuration of one of these is printed: ${known.join(", ")}.`,
  tooMany: (name: string, word: string) =>
    `"multi-edit setup ${name}" takes no further arguments, but was given ${quote(word, 40)}.`,
  noLanguages: () =>
    "Name the languages of your files, as Helix calls them: multi-edit setup helix typescript rust. Helix has a list of servers for each language, so no entry is for all files.",
  noHelix: () =>
    "Neither hx nor helix is on the PATH, and only Helix knows which servers a language has. Run this on the machine that has it.",
  silentHelix: () =>
    "Helix has crashed, or did not end, when it was asked for the servers of a language. Run: hx --health",
  /** `problem` is Helix' own text, of several lines. */
  brokenHelix: (problem: string) => `Helix can't read your languages.toml; correct it first. ${clip(problem, 400)}`,
  /** `near` is empty, or names of languages with commas between them. */
  unknownLanguage: (language: string, near: string) =>
    `Helix knows no language ${quote(language, 40)}.${near === "" ? "" : ` Some that it knows: ${clip(near, 400)}.`}`,
  namelessServers: (language: string, shown: readonly string[]) =>
    `The servers of ${language} can't be named: Helix shows ${shown.map((one) => quote(one, 40)).join(", ")}, and not all of these are names. Write the entry yourself: the list that the language has, and "multi-edit" at its end.`,
} as const;

/** What a model is told over MCP beside the answers of a session. */
export const toolSentences = {
  instructions:
    "These tools edit files through the user's editor, where unsaved text is seen and kept and the user can undo. Prefer them to tools that write the disk. Put all edits of one change into one multi_edit call.",
  linesShown: (shown: LinesShown) => {
    const { first, last, total, from, isCut } = shown;
    const lines = last < first ? `No lines: there are ${total}` : `Lines ${first} to ${last} of ${total}`;
    return `${lines}${linesFrom[from]}.${isCut ? ` The rest is too long for one answer: go on with startLine ${last + 1}.` : ""}`;
  },
  moreFiles: (more: number) => `and ${count(more, "more file")}`,
} as const;

/** The part of a text that an answer shows. */
export interface LinesShown {
  readonly first: number;
  readonly last: number;
  readonly total: number;
  /** `unopened`: the disk, because no editor has the file open; `disk`: the disk, and not every editor was asked. */
  readonly from: "saved" | "unsaved" | "unopened" | "disk";
  /** More lines were asked for. */
  readonly isCut: boolean;
}

const linesFrom: Readonly<Record<LinesShown["from"], string>> = {
  saved: "",
  unsaved: ", as they are in the editor and not on disk",
  unopened: ", on disk: no editor has it open",
  disk: ", as they are on disk",
};

/** The rule for an agent's id, as the end of a sentence. */
export const agentIdRule = `an id of 1 to ${limits.agentId} printable ASCII characters without spaces`;

/** What one end of a session's socket says when it does not go along with the other, as sentences. */
export const socketSentences = {
  whoAreYou: "The first requests of an agent are initialize, with protocols and a nonce, and multiEdit/prove.",
  notProved: "The proof is wrong: the session's secret is not known to who sent it.",
  badAgent: `client.agent must be ${agentIdRule}, or be left out.`,
  serverTooOld: (version: string) =>
    `The editor runs version ${version} of multi-edit-language-server, which is too old for this agent: update it and restart it in the editor.`,
  agentTooOld: (version: string) =>
    `The editor runs version ${version} of multi-edit-language-server, for which this agent's version is too old: update the agent's.`,
  busy: (most: number) => `${most} requests of this agent are being served already; send this one later.`,
  unknownMethod: (method: string) => `The session has no request ${quote(method, 80)}.`,
} as const;

/** What became of a batch on disk that did not go through, or was cut off. */
export interface DiskEnding {
  readonly outcome: "applied" | "untouched" | "rolledBack" | "pending";
  /**
   * Files that somebody else has changed meanwhile, and where the old ones are; `isLost`: the file still has what the batch
   * gave it, or a part of that, and what was kept of the old one is gone.
   */
  readonly foreign: readonly { readonly path: string; readonly kept?: string; readonly isLost?: boolean }[];
  /** The system's code of what stood in the way of that, or of tidying up behind it. */
  readonly code?: string;
}

/** Why a file is not written on disk: an editor has it open, or may have. */
export type Holder =
  /** `by`: the editor in words, as "Emacs (ann@desk, process 12)". */
  | { readonly kind: "open"; readonly by: string }
  /** A session that has the file's folder and could not be asked; `session` names it. */
  | { readonly kind: "unasked"; readonly session: string; readonly why: Unreached }
  /** A session whose announcement this version can't read; `problem` is a sentence that says what to do. */
  | { readonly kind: "hidden"; readonly problem: string };

/** Failures of writing files that no editor has open. */
export const diskFailures = {
  locked(path: string, holder: Holder): Failure {
    const file = quote(path, 160);
    switch (holder.kind) {
      case "open":
        return makeFailure(
          "locked",
          { path },
          `${file} is open in ${clip(holder.by, 160)}, which may hold unsaved text of it.`,
          "Ask the user to save and close it there, or to have the edit applied by that editor.",
        );
      case "unasked": {
        const { problem, hint } = sayUnreached(holder.why);
        const why = `${file} may be open with unsaved text in ${clip(holder.session, 200)}, but ${problem}.`;
        return makeFailure("locked", { path }, why, `${hint} Then send the call again.`);
      }
      case "hidden":
        return makeFailure(
          "locked",
          { path },
          `${file} may be open with unsaved text in an editor that can't be asked. ${holder.problem}`,
          "Ask the user to do so, and send the call again.",
        );
    }
  },
  /** `pid` is the process that writes; `undefined`: it can't be told. */
  busy: (pid: number | undefined) =>
    makeFailure(
      "locked",
      {},
      `Another call${pid === undefined ? "" : ` (process ${pid})`} is writing files of this workspace.`,
      "Send the call again in a moment.",
    ),
  cantWrite: (path: string, problem: string) =>
    makeFailure("ioError", { path }, `${quote(path, 160)} can't be written: ${problem}.`),
  state: (path: string, problem: string) =>
    makeFailure(
      "ioError",
      {},
      `Files that are not open are written under a journal, but ${quote(path, 160)} can't hold one: ${problem}.`,
      "Ask the user, or have the files opened in the editor.",
    ),
  /** `journal` is the path of the journal of this call. */
  unconfirmed: (journal: string, problem: string) =>
    makeFailure(
      "ioError",
      {},
      `All files that no editor has open are written, but the disk does not confirm that this lasts: ${problem}. After a power cut they may have their old text again, all of them or none; ${quote(journal, 300)} tells which.`,
      "Do not send the call again: read the files, and ask the user to see to the disk.",
    ),
  /** `journal` is the path of the journal of the earlier call. */
  pending: (names: readonly string[], journal: string, problem: string) =>
    makeFailure(
      "ioError",
      {},
      `An earlier call was cut off while it changed ${some(names, 300)}, and the disk does not let it be ended yet: ${problem}. What it changed is written down in ${quote(journal, 300)}.`,
      "Ask the user to see to the disk. The server tries again with each call. Where the disk or the files are gone for good, the user may delete the journal.",
    ),
  /** `folder` holds all that the earlier call was to change. */
  pendingElsewhere: (names: readonly string[], journal: string, folder: string) =>
    makeFailure(
      "ioError",
      {},
      `An earlier call was cut off while it changed ${some(names, 300)}, and it can't be taken back from here, because not all of that is in this workspace. What it changed is written down in ${quote(journal, 300)}.`,
      `It is taken back by a call in ${quote(folder, 300)}, as "multi-edit read" of any file there: run that first, or ask the user to.`,
    ),
  /** `journal` is a path. */
  unreadJournal: (journal: string, problem: string) =>
    makeFailure(
      "ioError",
      {},
      `An earlier call may have been cut off here, but its journal ${quote(journal, 300)} can't be read: ${problem}.`,
      "Ask the user to see to the disk. The server tries again with each call.",
    ),
  /** What a batch ended with that did not go through, behind the reason why not. */
  ended: (failure: Failure, ending: DiskEnding): Failure => withRest(failure, sayEnding(ending)),
} as const;

/** What is wrong with the directory of the journals, as the clause that `diskFailures.state` takes. */
export const diskProblems = {
  stateNoDirectory: () => "it is no directory",
  stateRelative: () => "the home directory (the variable HOME) is no absolute path",
  stateOwner: () => "it belongs to another user",
  stateOpen: (mode: number) => `others may use it (its mode is ${mode.toString(8)}, and has to be 700)`,
} as const;

/** What is told about batches on disk beside failures: in the log, and as warnings. */
export const diskSentences = {
  /** What became of a batch that a crash had cut off. */
  recovered: ({
    names,
    started,
    ...ending
  }: DiskEnding & { readonly names: readonly string[]; readonly started: Date }): string =>
    `A call that was to change ${some(names, 300)} was cut off (it began at ${started.toISOString()}). ${sayEnding(ending)}`,
  badJournal: (path: string): string =>
    `the journal ${quote(path, 300)} is damaged, or was not written by the server, and is left alone: look at the files it names, and delete it`,
  bitsLost: (path: string): string =>
    `${path} belongs to somebody else: the system takes its set-user-ID and set-group-ID bits away when it is written`,
  /** A journal, or half of one, that the user may not use, or that is no file. */
  closedJournal: (path: string, problem: string): string =>
    `the journal ${quote(path, 300)} can't be used and is left alone: ${problem}`,
  /** A batch that was cut off in the middle, for people who look what is wrong. `folder` holds all that it was to change. */
  cutOff: (names: readonly string[], journal: string, folder: string): string =>
    `a call was cut off while it changed ${some(names, 300)}, as ${quote(journal, 300)} says: it is taken back by the next call in ${quote(folder, 300)}, and nothing is written before in folders that hold only some of these files`,
  attributesLost: (path: string): string =>
    `${path} was moved and edited: its extended attributes and access list, if it had any, could not be copied`,
} as const;

function sayEnding({ outcome, foreign, code }: DiskEnding): string {
  const said = {
    applied: "All of it had been done.",
    untouched: "Nothing was changed.",
    rolledBack: foreign.length === 0 ? "Nothing of it is left." : "It was taken back.",
    pending:
      "The disk did not let it be ended yet, and some of it may be there; the server tries again at its start and with each call.",
  }[outcome];
  const isUntidy = code !== undefined && outcome !== "pending";
  const untidy = isUntidy ? ["Files named .multi-edit-… that helped it are taken away later."] : [];
  const left = foreign.map(({ path, kept, isLost }) => {
    if (isLost === true) return `${path} (what was kept of its old text is gone)`;
    return `${path}${kept === undefined ? "" : ` (as it was before: ${kept})`}`;
  });
  const shown = left.slice(0, 2).map((one) => clip(one, 400));
  const more = left.length > shown.length ? ` and ${left.length - shown.length} more` : "";
  const changed =
    left.length === 0 ? [] : [`Changed meanwhile by another program, and left so: ${shown.join(", ")}${more}.`];
  return [said, ...changed, ...untidy].join(" ");
}

/** What a failed call consisted of. */
export interface FailedCall {
  /** Indices (0-based) of the edits that found their places. */
  readonly sound: readonly number[];
  /** Edits of the call. */
  readonly total: number;
  readonly isPatch: boolean;
}

/** The start of warnings of what a summary leaves out. */
const summary = "the answer is a summary: ";

/** Sentences about a whole call: what the JSON-RPC error says, warnings, and clauses of other sentences. */
export const callSentences = {
  /** The message of a failed call: every failure, and what the caller need not correct. Advice is given once. */
  failed: (failures: readonly Failure[], { sound: placed, total, isPatch }: FailedCall): string => {
    const hints = new Set(failures.map(({ hint }) => hint));
    const sound = placed.filter((index) => !hints.has(mergeWith(index)));
    const room = Math.max(200, limits.callMessage / Math.max(1, failures.length));
    const messages = new Map(failures.map((failure) => [failure.message, failure]));
    const lastWith = new Map([...messages.values()].map((failure) => [failure.hint, failure]));
    const shown = [...messages.values()].map((failure) => {
      const { message, hint } = failure;
      const repeated = hint !== undefined && lastWith.get(hint) !== failure;
      return clip(repeated ? withoutHint(message, hint) : message, room);
    });
    const head = total > 1 ? [`Nothing was changed: ${failures.length} of ${total} edits failed.`] : [];
    const rest =
      sound.length === 0
        ? []
        : [
            isPatch
              ? `${indices(sound)} found ${sound.length === 1 ? "its place: leave it as it is" : "their places: leave them as they are"}, and send the whole patch again.`
              : `${indices(sound)} found ${sound.length === 1 ? "its place: send it" : "their places: send them"} again, unchanged, with the corrected ones.`,
          ];
    return clip([...head, ...shown, ...rest].join("\n"), limits.callMessage + limits.failureMessage);
  },
  replaced: (path: string): string => `${path} was there: all of its text is replaced by what "*** Add File" has`,
  /** `gone`: the lines for which the edit writes no other ones. */
  elided: ({ index, path, line, gone }: { index: number; path: string; line: string; gone: number }): string =>
    `edit ${index} takes ${count(gone, "line")} away from ${path} and writes ${quote(line)} in their stead, as it is: if that was to stand for them, undo it and send the new text in full`,
  /** `paths`: of the files that the server has written itself, out of `total` that the call has changed. */
  changedOnDisk: (paths: readonly string[], total: number): string =>
    `Changed on disk: no editor has ${paths.length < total ? named(paths) : total === 1 ? "it" : "them"} open.`,
  idle: (at: At, idle: Idle): string =>
    `${nameOf(at)} changes nothing: ${sayIdle("it", idle).replace(/^[TN]/, (letter) => letter.toLowerCase())}. If a change was meant, it is still missing`,
  progressTitle: "Placing edits",
  nothingChanged: "Nothing was changed.",
  patchMayBeCutOff: 'the patch has no "*** End Patch" and may have been cut off: check that nothing is missing',
  notAsked: "options.confirm has no effect here: nothing is applied, and so nobody was asked",
  /** What became of the files that were changed before the one that failed. */
  rest: (rest: Record<Leftover | "back", readonly string[]>): string => {
    const said = leftovers.flatMap(([kind, words]) =>
      rest[kind].length === 0 ? [] : [`${words}: ${rest[kind].join(", ")}.`],
    );
    const back = rest.back.length === 0 ? [] : [`Taken back: ${rest.back.join(", ")}.`];
    return [...(back.length + said.length === 0 ? ["Nothing else was changed."] : []), ...back, ...said].join(" ");
  },
  /** `diff`: what can't be shown otherwise, or empty. */
  question: (label: string, added: number, removed: number, diff: string): string =>
    `Apply ${label}: +${added} -${removed} lines?${diff === "" ? "" : `\n\n${diff}`}`,
  /** Behind the start of a text. */
  furtherLines: (lines: number): string => (lines === 0 ? "" : `… and ${count(lines, "more line")}`),
  leftOut: (left: readonly number[]): string =>
    `${indices(left)} failed, or stood beside one that failed, and ${left.length === 1 ? "is" : "are"} left out`,
  unproved: (path: string): string =>
    `${path}: the editor said that it applied the edit, but did not send the text that would prove it`,
  throughEditor: (path: string): string => `${path} was not open: it was changed in the editor and is not saved`,
  staysOpen: (path: string, fate: "delete" | "rename"): string =>
    `${path} is ${fate === "delete" ? "deleted" : "renamed"}, but the editor still has it open under ${fate === "delete" ? "its" : "its old"} name: saving it there would bring the file back`,
  cannotSave: (paths: readonly string[]): string =>
    `${named(paths)} ${paths.length === 1 ? "is" : "are"} changed in the editor and not saved: the editor offers the server no way to save`,
  leftUnsaved: (paths: readonly string[]): string =>
    `${named(paths)} had unsaved changes before, and so ${paths.length === 1 ? "is" : "are"} not saved now`,
  notSaved: (path: string, problem: string): string =>
    `${path} is changed in the editor and not saved${problem === "" ? "" : `: ${problem}`}`,
  silentAboutSaving: "the editor did not answer when it was asked to save",
  notOnDisk: "the editor was asked to save it, but the file does not have the text",
  changedOnSave: (path: string): string => `${path}: the editor has changed more of the text when it saved it`,
  versionOfUnknown: (uri: string): string => `options.versions names ${quote(uri, 160)}, which the call does not touch`,
  noEditInSummary: `${summary}it has no edit`,
  diffCut: (characters: number): string =>
    `${summary}${characters.toLocaleString("en")} characters of the diff are left out`,
  versionIs: (actual: number | null, expected: number): string =>
    actual === null
      ? `version ${expected} was expected, but it is not open in the editor`
      : `version ${expected} was expected, the editor has ${actual}`,
  keepsMoving: "its text changed each time before the edit could be applied",
  fileChanged: "it is not the file any more that the call was planned on",
  keptGone: "somebody has taken away what was kept to take the change back (a file .multi-edit-….old beside it)",
  nameTaken: "there is a file of that name by now",
  openedMeanwhile: "it has been opened in the editor meanwhile",
  noFile: "the editor has it open, but there is no such file on disk",
  undoOf: (label: string): string => `Undo ${label}`,
  tooLargeToUndo: "the texts are too large to be kept, so that the server can't take this batch back",
  notKept: "the deleted file was not kept",
  gone: "it is not there any more",
  changedSince: "it was changed since",
  changedAt: (line: number): string => `its text has moved on at line ${line}`,
} as const;

/** Tells whether a warning says only what a summary leaves out: an answer that shows none of that can do without it. */
export function isAboutSummary(warning: string): boolean {
  return warning.startsWith(summary);
}

/** What could not be taken back, or not for certain. */
export type Leftover = "held" | "stuck" | "renamed" | "deleted" | "saved" | "doubtful";

const leftovers: readonly (readonly [Leftover, string])[] = [
  ["held", "These hold the edit, too, and are not saved"],
  ["stuck", "These still hold the edit, because it could not be taken back"],
  ["renamed", "These still have the new name, because the old one could not be given back"],
  ["deleted", "These are still deleted, because they could not be written again"],
  ["saved", "These have their old text in the editor, but the editor had saved the edit, so that the file holds it"],
  ["doubtful", "These may hold the edit"],
];

/** A message without its advice, which is its last sentence but for what was said of the whole call. */
function withoutHint(message: string, hint: string): string {
  const at = message.lastIndexOf(hint);
  return at < 0 ? message : `${message.slice(0, at).trimEnd()}${message.slice(at + hint.length)}`.trimEnd();
}

/** Paths in a sentence, bounded. */
function named(paths: readonly string[]): string {
  const more = paths.length - 20;
  return `${paths.slice(0, 20).join(", ")}${more > 0 ? ` and ${count(more, "more file")}` : ""}`;
}

/** `Edits 0, 2-5, 7`, bounded. */
function indices(sorted: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const index of sorted) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  const shown = runs.slice(0, 40).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return `${sorted.length === 1 ? "Edit" : "Edits"} ${shown.join(", ")}${runs.length > 40 ? ", …" : ""}`;
}
