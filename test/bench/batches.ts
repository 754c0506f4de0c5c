/** Batches on generated texts: the call, its expected result and, for the floor, the same result as plain changes. */
import type { HunkLine } from "../../server/plan/operation.js";
import type { Change } from "../../server/text/changeSet.js";
import { chanceOf } from "../codex/random.js";
import { type SourceFunction, type SourceText, sourceText } from "./sourceText.js";

/** A document in a batch. */
export interface BatchText {
  readonly path: string;
  readonly text: string;
  /** The expected text after the batch. */
  readonly expected: string;
  /**
   * The changes that turn `text` into `expected`, in ascending order and without overlaps; offsets are in UTF-16 code
   * units.
   */
  readonly changes: readonly Change[];
}

/** A search text and its replacement, for the usual method. */
export interface Replacement {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
}

/** A call and the documents that it applies to. */
export interface Batch {
  readonly texts: readonly BatchText[];
  /** The call, as a client would send it. */
  readonly call: object;
  /** The replacements, in the same order as the edits in the call. */
  readonly replacements: readonly Replacement[];
}

/** An edit of whole lines; the first line that it keeps or removes is line `start` (0-based) of the text. */
interface LineEdit {
  readonly start: number;
  readonly lines: readonly HunkLine[];
}

/** The differences between the text and the call, as functions of a generated line. */
export interface Disguise {
  /** Turns a generated line that an edit names into the corresponding line of the text. */
  readonly inText?: (line: string) => string;
  /** Turns a line into the form that is sent; `number` is its 1-based number in a view of the text. */
  readonly sent?: (line: string, number: number) => string;
  /** Turns a new line into its expected form in the resulting text; if absent, new lines stay as generated. */
  readonly written?: (line: string) => string;
  /** Default: LF. */
  readonly lineEnd?: string;
}

/** The parameters of a batch on one text. */
export interface BatchShape {
  readonly lines: number;
  readonly edits: number;
  readonly seed: number;
  readonly disguise?: Disguise;
  /** Options that the integration adds to the call. */
  readonly options?: object;
}

const path = "source.ts";

/** Edits in random order, each in a different function. */
export function editBatch(shape: BatchShape): Batch {
  const { text, edits, disguise } = prepared(shape);
  const sent = shuffled(edits, shape.seed).map((edit) => replacement(edit, disguise));
  return {
    texts: [text],
    call: {
      path,
      edits: sent.map(({ oldText, newText }) => ({ oldText, newText })),
      ...(shape.options === undefined ? {} : { options: shape.options }),
    },
    replacements: sent,
  };
}

/**
 * A patch with one hunk per edit, in order. Without a disguise, some hunks use their first line, which is unique, as
 * the anchor.
 */
export function patchBatch(shape: BatchShape): Batch {
  const { text, edits, disguise } = prepared(shape);
  const sent = disguise.sent ?? ((line) => line);
  const signs = { context: " ", remove: "-", add: "+" } as const;
  const hunks = edits.map(({ start, lines }, i) => {
    const [first, ...rest] = lines;
    const isAnchored = shape.disguise === undefined && i % 4 === 2 && first?.kind === "context";
    return [
      isAnchored ? `@@ ${first.text}` : "@@",
      ...(isAnchored ? rest : lines).map(({ kind, text: line }) => signs[kind] + sent(line, start + 1)),
    ];
  });
  const patch = ["*** Begin Patch", `*** Update File: ${path}`, ...hunks.flat(), "*** End Patch", ""].join("\n");
  return {
    texts: [text],
    call: { patch, ...(shape.options === undefined ? {} : { options: shape.options }) },
    replacements: edits.map((edit) => replacement(edit, disguise)),
  };
}

/** Separate documents with one edit each. */
export function documentsBatch(shape: {
  readonly documents: number;
  readonly lines: number;
  readonly seed: number;
}): Batch {
  const batches = Array.from({ length: shape.documents }, (_, i) => {
    const own = `source${i}.ts`;
    const batch = editBatch({ lines: shape.lines, edits: 1, seed: shape.seed + i });
    return {
      texts: batch.texts.map((text) => ({ ...text, path: own })),
      replacements: batch.replacements.map((each) => ({ ...each, path: own })),
    };
  });
  const replacements = batches.flatMap((batch) => batch.replacements);
  return {
    texts: batches.flatMap((batch) => batch.texts),
    call: { edits: replacements.map((each) => ({ ...each })) },
    replacements,
  };
}

function prepared({ lines, edits: count, seed, disguise }: BatchShape) {
  const source = sourceText(lines, seed);
  if (source.functions.length < count) throw new Error(`${lines} lines have no room for ${count} edits`);
  const edits = spread(source.functions, count).map((at, i) => editOf(source, at, i, disguise));
  return { text: textOf(source, edits, disguise ?? {}), edits, disguise: disguise ?? {} };
}

/** Returns `count` evenly spaced items of a list, in order. */
function spread<T>(items: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)] as T);
}

/**
 * Makes a typical change to a function: replaces or removes a line after the first, adds lines, or changes the first
 * line, which contains the name.
 */
function editOf(source: SourceText, { start, name }: SourceFunction, i: number, disguise?: Disguise): LineEdit {
  const at = (offset: number): string => source.lines[start + offset] ?? "";
  const context = (offset: number): HunkLine => ({ kind: "context", text: at(offset) });
  const remove = (offset: number): HunkLine => ({ kind: "remove", text: at(offset) });
  const add = (text: string): HunkLine => ({ kind: "add", text });
  // With a disguise, the edit must keep some lines.
  switch (i % (disguise === undefined ? 4 : 3)) {
    case 0:
      return { start, lines: [context(0), remove(1), add(`  const changed = ${name}Changed();`), context(2)] };
    case 1:
      return { start, lines: [context(0), context(1), add(`  check(${i});`), add("  count += 1;"), context(2)] };
    case 2:
      return { start, lines: [context(0), remove(1), context(2)] };
    default:
      return { start, lines: [remove(0), add(at(0).replace("(", "(context: Context, "))] };
  }
}

function replacement({ start, lines }: LineEdit, { sent = (line) => line }: Disguise): Replacement {
  const without = (kind: HunkLine["kind"]): string =>
    lines
      .filter((line) => line.kind !== kind)
      .map(({ text }, i) => sent(text, start + i + 1))
      .join("\n");
  return { path, oldText: without("add"), newText: without("remove") };
}

/** A text before and after its edits, and the changes between the two, computed line by line without a search. */
function textOf(source: SourceText, edits: readonly LineEdit[], disguise: Disguise): BatchText {
  const { inText = (line) => line, written = (line) => line, lineEnd = "\n" } = disguise;
  const named = new Set(edits.flatMap(({ start, lines }) => oldLines(lines).map((_, i) => start + i)));
  const before = source.lines.map((line, i) => (named.has(i) ? inText(line) : line) + lineEnd);
  const starts = [0];
  for (const line of before) starts.push((starts.at(-1) as number) + line.length);
  const changes: Change[] = [];
  const after: string[] = [];
  let copied = 0;
  for (const { start, lines } of edits) {
    after.push(...before.slice(copied, start));
    copied = start;
    let run: { from: number; to: number; insert: string } | undefined;
    for (const { kind, text } of lines) {
      if (kind === "context") {
        run = undefined;
        after.push(before[copied++] as string);
        continue;
      }
      const at = starts[copied] as number;
      if (run === undefined) {
        run = { from: at, to: at, insert: "" };
        changes.push(run);
      }
      if (kind === "remove") run.to = starts[++copied] as number;
      else {
        run.insert += written(text) + lineEnd;
        after.push(written(text) + lineEnd);
      }
    }
  }
  after.push(...before.slice(copied));
  return { path, text: flat(before.join("")), expected: flat(after.join("")), changes };
}

const oldLines = (lines: readonly HunkLine[]): readonly HunkLine[] => lines.filter(({ kind }) => kind !== "add");

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const chance = chanceOf(seed ^ 0x5bd1e995);
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = chance.below(i + 1);
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}

/**
 * Returns a text as one contiguous string, as if it had arrived on the wire: the engine keeps concatenated strings in
 * pieces until they are read.
 */
export function flat(text: string): string {
  return Buffer.from(text).toString();
}
