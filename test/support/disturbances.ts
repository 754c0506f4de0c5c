/** Documents, callers' excerpts (disturbed in a way that one rung ignores), and the expected texts. */
import fc from "fast-check";
import type { RungName } from "../../server/match/rungs.js";
import { firstIndent, leastIndent } from "./arbitraries.js";

/** One edit that changes, deletes or adds one line of an excerpt, and the only acceptable results. */
export interface Excerpt {
  readonly text: string;
  readonly oldText: string;
  readonly newText: string;
  /** The resulting texts, with the new line indented in the document's style and all other bytes as in the document. */
  readonly expected: readonly string[];
  /** The same texts, but with the new line indented as sent: the result of a rung that does not handle indentation. */
  readonly expectedAsSent: readonly string[];
  /** The rung that the disturbance needs; a stricter rung may find the excerpt if the disturbance changed nothing. */
  readonly rung: RungName;
}

/**
 * A line of a document. Unless the line is empty, its content begins and ends with words that occur in no other line.
 */
interface Line {
  readonly indent: string;
  readonly content: string;
  readonly blanks: string;
  readonly end: string;
}

const wordOf = (line: number): string => String(line).padStart(2, "0");

const contents = ["= 1;", "“x”", "it’s – so…", "a\u00a0= b", "😀 e\u0301", "'q' \"r\" - ...", "\u2028 12: x", "$& \\n"];
const blanks = fc.constantFrom("", "", "", " ", "  ", "\t", "\u00a0", " \u3000");
const lineEnds = fc.constantFrom("\n", "\n", "\r\n", "\r");

/** Documents whose lines have these indentations. */
function documents(indents: fc.Arbitrary<string>): fc.Arbitrary<Line[]> {
  const full = fc.record({ indent: indents, content: fc.constantFrom(...contents), blanks });
  const empty = fc.record({ indent: fc.constant(""), content: fc.constant(""), blanks });
  const line = fc.oneof({ weight: 4, arbitrary: full }, { weight: 1, arbitrary: empty });
  return fc
    .record({
      lines: fc.array(line, { minLength: 1, maxLength: 9 }),
      ends: fc.oneof(
        lineEnds.map((end) => Array.from({ length: 9 }, () => end)),
        fc.array(lineEnds, { minLength: 9, maxLength: 9 }),
      ),
      final: fc.boolean(),
    })
    .map(({ lines, ends, final }) =>
      lines.map((one, i) => ({
        ...one,
        content: one.content === "" ? "" : `v${wordOf(i)} ${one.content} w${wordOf(i)}`,
        end: i < lines.length - 1 || final ? (ends[i] ?? "\n") : "",
      })),
    )
    .map((lines) =>
      lines.map((line, i) => {
        // A lone CR followed by the LF of an empty line would form one line ending.
        const fused = lines[i - 1]?.end === "\r" && lineText(line) === "" && line.end === "\n";
        return fused ? { ...line, end: "\r\n" } : line;
      }),
    );
}

const lineText = ({ indent, content, blanks }: Line): string => indent + content + blanks;

/** The caller's version of a line. */
interface SentLine {
  readonly text: string;
  readonly end: string;
}

/**
 * Turns a line of the document into the caller's version. `at`: the line's 0-based number in the document; `closed`:
 * the excerpt includes the end of the line, so trailing whitespace may differ.
 */
type Sender = (line: Line, at: number, closed: boolean) => SentLine;

/** One way in which a caller's lines differ from the document's. */
interface Disturbance {
  readonly rung: RungName;
  readonly indents: fc.Arbitrary<string>;
  /** `true` if the rung finds only whole lines. */
  readonly wholeLines: boolean;
  /** The function that turns lines into the caller's version, drawn once per excerpt. */
  readonly sender: fc.Arbitrary<Sender>;
  /**
   * Converts the indentation of a caller's line to the document's; `undefined` if the indentation stays as sent.
   */
  readonly inDocument?: (indent: string) => string;
  /** Indentations of new lines as the caller sends them. */
  readonly newIndents: fc.Arbitrary<string>;
  /** The text that the caller puts before a new line if the excerpt has line numbers. */
  readonly prefix?: (at: number) => string;
}

const plainIndents = fc.constantFrom("", "  ", "    ", "\t", "\t\t");
const asIs = fc.constant((line: Line) => ({ text: lineText(line), end: line.end }));

/** Random choices for the lines and characters of an excerpt, looked up by number. */
const choices = fc.array(fc.nat(1_000), { minLength: 29, maxLength: 29 }).map(
  (list) =>
    (number: number): number =>
      list[number % list.length] ?? 0,
);

const pick = <T>(list: readonly [T, ...T[]], choice: number): T => list[choice % list.length] ?? list[0];

const otherEnds = ["\n", "\r\n", "\r"] as const;

/**
 * The caller's own line endings, either uniform or chosen line by line; a line without a line ending stays without one.
 */
const ends = fc
  .record({ alike: fc.option(lineEnds, { nil: undefined }), choices })
  .map(({ alike, choices }) => (line: Line, at: number): string => {
    if (line.end === "") return "";
    return alike ?? pick(otherEnds, choices(at));
  });

const otherBlanks = ["", "", " ", "   ", "\t", "\u00a0"] as const;

/** The caller's own line endings and trailing whitespace. */
const looseEnds = fc
  .record({ end: ends, choices })
  .map(({ end, choices }) => (line: Line, at: number, closed: boolean) => ({
    blanks: closed ? pick(otherBlanks, choices(at)) : line.blanks,
    end: end(line, at),
  }));

/** Characters that the rung `typography` treats as equal; the plain character comes first. */
const alike: readonly (readonly [string, ...string[]])[] = [
  ["...", "…"],
  ['"', "“", "”", "„"],
  ["'", "‘", "’"],
  ["-", "–", "—", "\u2212", "\u2011"],
  [" ", "\u00a0", "\u2009", "\u202f"],
  ["w", "\uff57"],
];

function retyped(text: string, choice: (at: number) => number): string {
  return text.replace(/\.\.\.|[…"“”„'‘’\-–—\u2212\u2011 \u00a0\u2009\u202fw\uff57]/g, (found, offset: number) => {
    const row = alike.find((one) => one.includes(found));
    return row === undefined ? found : pick(row, choice(offset));
  });
}

const typing = fc
  .record({ loose: looseEnds, choices })
  .map(({ loose, choices }) => (line: Line, at: number, closed: boolean) => {
    const { blanks, end } = loose(line, at, closed);
    return { text: line.indent + retyped(line.content, (offset) => choices(at + offset)) + blanks, end };
  });

const isBlankLine = ({ content }: Line): boolean => content === "";

/** Sends lines with the document's indentation, converted by `toCaller`. */
function indenting(toCaller: (indent: string) => string): Disturbance["sender"] {
  return looseEnds.map((loose) => (line: Line, at: number, closed: boolean) => {
    const { blanks, end } = loose(line, at, closed);
    return { text: (isBlankLine(line) ? "" : toCaller(line.indent)) + line.content + blanks, end };
  });
}

function lessIndented(by: string): Disturbance {
  return {
    rung: "indentation",
    wholeLines: true,
    indents: plainIndents.map((indent) => by + indent),
    sender: indenting((indent) => indent.slice(by.length)),
    inDocument: (indent) => by + indent,
    newIndents: plainIndents,
  };
}

function moreIndented(by: string): Disturbance {
  return {
    rung: "indentation",
    wholeLines: true,
    indents: plainIndents,
    sender: indenting((indent) => by + indent),
    inDocument: (indent) => indent.slice(by.length),
    newIndents: plainIndents.map((indent) => by + indent),
  };
}

const levels = (unit: string): fc.Arbitrary<string> => fc.nat(3).map((level) => unit.repeat(level));

/** The document uses one unit of indentation, and the caller uses another; unindented lines contain neither. */
function exchanged(document: string, caller: string): Disturbance {
  const convert = (from: string, to: string) => (indent: string) => to.repeat(indent.length / from.length);
  return {
    rung: "indentation",
    wholeLines: true,
    indents: levels(document),
    sender: indenting(convert(document, caller)),
    inDocument: convert(caller, document),
    newIndents: levels(caller),
  };
}

/** `start` is the number that the view gives to the document's first line. */
function numbered(start: number, prefixOf: (lineNumber: number) => string): Disturbance {
  return {
    rung: "viewPrefix",
    wholeLines: true,
    indents: plainIndents,
    sender: looseEnds.map((loose) => (line: Line, at: number, closed: boolean) => {
      const { blanks, end } = loose(line, at, closed);
      return { text: prefixOf(start + at) + (isBlankLine(line) ? "" : line.indent) + line.content + blanks, end };
    }),
    newIndents: plainIndents,
    prefix: (at) => prefixOf(start + at),
  };
}

const plain = { wholeLines: false, indents: plainIndents, newIndents: plainIndents } as const;
/** The known ways that a caller's text differs from the document, one per row. */
export const disturbances: Readonly<Record<string, Disturbance>> = {
  nothing: { ...plain, rung: "exact", sender: asIs },
  "line ends": {
    ...plain,
    rung: "lineEnding",
    sender: ends.map((end) => (line: Line, at: number) => ({ text: lineText(line), end: end(line, at) })),
  },
  "spaces at line ends": {
    ...plain,
    rung: "trailingBlanks",
    sender: looseEnds.map((loose) => (line: Line, at: number, closed: boolean) => {
      const { blanks, end } = loose(line, at, closed);
      return { text: line.indent + line.content + blanks, end };
    }),
  },
  typography: { ...plain, rung: "typography", sender: typing },
  "two spaces less": lessIndented("  "),
  "a tab less": lessIndented("\t"),
  "a tab and a space less": lessIndented("\t "),
  "four spaces more": moreIndented("    "),
  "a tab more": moreIndented("\t"),
  "two spaces for a tab": exchanged("\t", "  "),
  "a tab for four spaces": exchanged("    ", "\t"),
  "line numbers and a tab": numbered(1, (n) => `${n}\t`),
  "line numbers and an arrow": numbered(1, (n) => `${String(n).padStart(6)}→`),
  "line numbers and a colon": numbered(1, (n) => `${n}: `),
  "line numbers and a bar": numbered(1, (n) => `${String(n).padStart(4)} | `),
  "line numbers as failures show them": numbered(1, (n) => `${n}| `),
  "line numbers and hashes": numbered(1, (n) => `${n}:${(n * 37).toString(36).padStart(2, "0").slice(-2)}|`),
};

/** Excerpts of a document with one line changed; all other lines are the caller's versions of the document's lines. */
export function excerpts(kind: Disturbance): fc.Arbitrary<Excerpt> {
  const ranged = documents(kind.indents).chain((lines) =>
    fc
      .tuple(fc.nat(lines.length - 1), fc.nat(lines.length - 1))
      .map(([a, b]): Range => ({ lines, first: Math.min(a, b), last: Math.max(a, b) })),
  );
  return ranged
    .filter(({ lines, first, last }) => !lines.slice(first, last + 1).every(isBlankLine))
    .chain((range) =>
      fc.record({
        range: fc.constant(range),
        changed: fc.constantFrom(...changeable(range)),
        how: fc.constantFrom("changes", "changes", "deletes", "adds"),
        sender: kind.sender,
        newIndent: kind.newIndents,
        newContent: fc.constantFrom("changed();", "“changed” – 😀", "changed\u00a0…", "$& $1"),
        ended: fc.boolean(),
        cuts: fc.tuple(fc.nat(99), fc.nat(99)),
      }),
    )
    .map((drawn) => excerptOf(kind, drawn))
    .filter(({ oldText, newText }) => {
      // If the first or the least indented new line is indented as in the document, all may be.
      const isInDocument = [leastIndent, firstIndent].some((indentOf) => {
        const [old, next] = [indentOf(oldText), indentOf(newText)];
        return next !== old && next === kind.inDocument?.(old);
      });
      return newText.trim() === "" || !isInDocument;
    });
}

/** A range of a document's lines, given by the 0-based numbers of its first and last line. */
interface Range {
  readonly lines: readonly Line[];
  readonly first: number;
  readonly last: number;
}

/** The lines that may be changed: all but an empty first or last line, of which an old text may cover any part. */
function changeable({ lines, first, last }: Range): number[] {
  const all = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return all.filter((i) => (i > first && i < last) || lines[i]?.content !== "");
}

interface Drawn {
  readonly range: Range;
  readonly changed: number;
  readonly how: "changes" | "deletes" | "adds";
  readonly sender: Sender;
  readonly newIndent: string;
  readonly newContent: string;
  readonly ended: boolean;
  readonly cuts: readonly [number, number];
}

function excerptOf(kind: Disturbance, drawn: Drawn): Excerpt {
  const { range, sender, changed, newIndent, newContent } = drawn;
  const { lines, first, last } = range;
  const ended = drawn.ended && lines[last]?.end !== "";
  const cut = kind.wholeLines ? { head: "", tail: "" } : cutsOf(range, ended, drawn.cuts);
  const sent = lines.slice(first, last + 1).map((line, at) => {
    const inner = trimmedBy(line, at === 0 ? cut.head : "", first + at === last ? cut.tail : "");
    return sender(inner, first + at, first + at < last || cut.tail === "");
  });
  const how = possible(drawn);
  const newLine = { text: (kind.prefix?.(changed) ?? "") + newIndent + newContent, end: "\n" };
  const result = (indent: string, blanks: string): string => {
    const written = {
      text: (changed === first && how === "changes" ? cut.head : "") + indent + newContent + blanks,
      end: lines[changed]?.end ?? "",
    };
    const whole = lines.map((line) => ({ text: lineText(line), end: line.end }));
    return whole
      .flatMap((line, i) => (i === changed ? edited(how, line, written) : [line]))
      .map(joined)
      .join("");
  };
  // An old text that stops short of a line ending may leave out some of the whitespace before that line ending.
  const behind = lines[changed]?.blanks ?? "";
  const left = Array.from({ length: behind.length + 1 }, (_, i) => behind.slice(i));
  const open = how === "changes" && changed === last && !ended;
  const blanks = open ? (cut.tail.trim() === "" ? left : [cut.tail]) : [""];
  return {
    text: lines.map((line) => lineText(line) + line.end).join(""),
    oldText: separated(sent, ended),
    newText: separated(
      sent.flatMap((line, at) =>
        first + at === changed ? edited(how, line, { ...newLine, end: how === "changes" ? line.end : "\n" }) : [line],
      ),
      ended,
    ),
    expected: blanks.map((blank) => result(kind.inDocument?.(newIndent) ?? newIndent, blank)),
    expectedAsSent: blanks.map((blank) => result(newIndent, blank)),
    rung: kind.rung,
  };
}

/**
 * Lines are deleted only in the middle, and added only after a middle line, where the new line's line ending is
 * certain.
 */
function possible({ how, range: { lines, first, last }, changed }: Drawn): Drawn["how"] {
  const alike = ["\n", "\r\n"].some((known) => lines.every(({ end }) => end === known || end === ""));
  const inside = changed > first && changed < last && lines[changed]?.content !== "";
  return alike && inside ? how : "changes";
}

function edited(how: Drawn["how"], line: SentLine, written: SentLine): SentLine[] {
  if (how === "deletes") return [];
  return how === "adds" ? [line, written] : [written];
}

const joined = ({ text, end }: SentLine): string => text + end;

/** Joins the lines; a lone CR before an empty line that ends with LF would merge two line endings into one. */
function separated(lines: readonly SentLine[], ended: boolean): string {
  let text = "";
  lines.forEach((line, i) => {
    const end = i < lines.length - 1 || ended ? line.end : "";
    text += line.text + (line.text === "" && text.endsWith("\r") && end === "\n" ? "\r" : end);
  });
  return text;
}

/**
 * The parts of the first and last line that are outside the excerpt; the lines' distinct words always stay inside it.
 */
function cutsOf({ lines, first, last }: Range, ended: boolean, cuts: Drawn["cuts"]): { head: string; tail: string } {
  const [start, end] = [lines[first], lines[last]];
  if (start === undefined || end === undefined) return { head: "", tail: "" };
  const headRoom = isBlankLine(start) ? 0 : start.indent.length + start.content.length - 3;
  const tailRoom = isBlankLine(end) || ended || first === last ? 0 : end.content.length - 3 + end.blanks.length;
  const head = wellFormedCut(lineText(start), cuts[0] % (headRoom + 1));
  const text = lineText(end);
  const tail = text.slice(wellFormedCut(text, text.length - (cuts[1] % (tailRoom + 1))).length);
  return { head, tail };
}

/** The first `length` UTF-16 code units of a text, or one fewer to avoid splitting a surrogate pair. */
function wellFormedCut(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** The part of a line that is inside the excerpt. */
function trimmedBy(line: Line, head: string, tail: string): Line {
  if (head === "" && tail === "") return line;
  const inner = lineText(line).slice(head.length, -tail.length || undefined);
  return { ...line, indent: "", content: inner, blanks: "" };
}
