/** The table of text dialects: the forms of calls that are one text, such as a patch. */
import { parsePatch } from "./codexPatch.js";
import { findSign } from "./patchText.js";
import { searchReplace } from "./searchReplace.js";
import type { ParsedText, ReadingOptions, TextDialect } from "./textDialect.js";
import { unifiedDiff } from "./unifiedDiff.js";

const codexPatch: TextDialect = {
  name: "Codex patch",
  takesPath: false,
  recognise: findSign,
  read: parsePatch,
};

/** Every text dialect. If a text has signs of several, the first sign decides; if two are on one line, the first row. */
export const textDialects: readonly TextDialect[] = [codexPatch, unifiedDiff, searchReplace];

/** Returns the dialect of a text; `undefined` if it has a sign of none. */
export function dialectOf(text: string): TextDialect | undefined {
  const found = textDialects.map((dialect) => ({ dialect, line: dialect.recognise(text) }));
  const [first] = found.filter(({ line }) => line >= 0).sort((a, b) => a.line - b.line);
  return first?.dialect;
}

/**
 * Reads a text in its dialect. Takes a text without a sign of any, and every text if `lenient` is `false`, for a Codex
 * patch.
 */
export function readText(text: string, how: ReadingOptions): ParsedText {
  const dialect = (how.lenient ? dialectOf(text) : undefined) ?? codexPatch;
  return dialect.read(text, how);
}
