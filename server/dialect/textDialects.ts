/** The table of text dialects: the forms of calls that are one text, such as a patch. */
import { parsePatch } from "./codexPatch.js";
import { findSign } from "./patchText.js";
import { searchReplace } from "./searchReplace.js";
import { patchFailures, secondDialect } from "./sentences.js";
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
  return firstSign(text, textDialects)?.dialect;
}

function firstSign(text: string, dialects: readonly TextDialect[]) {
  const found = dialects.map((dialect) => ({ dialect, line: dialect.recognise(text) }));
  return found.filter(({ line }) => line >= 0).sort((a, b) => a.line - b.line)[0];
}

/** Reads a text in its dialect, by default as a Codex patch. Refuses another dialect in the lines left over. */
export function readText(text: string, how: ReadingOptions): ParsedText {
  const dialect = (how.lenient ? dialectOf(text) : undefined) ?? codexPatch;
  const read = dialect.read(text, how);
  if (!how.lenient || !read.ok || read.rest === undefined) return read;
  const others = textDialects.filter((other) => other !== dialect);
  const second = firstSign(read.rest.join("\n"), others);
  if (second === undefined) return read;
  const quoted = { number: second.line + 1, text: read.rest[second.line] ?? "" };
  const problem = secondDialect(dialect.name, second.dialect.name);
  return { ok: false, failures: [patchFailures.syntax({}, quoted, problem, [])], unlisted: 0 };
}
