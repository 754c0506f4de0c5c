/** Finds the diagnostics that were not there before a call, wherever the call has moved the others. */
import { isDeepStrictEqual } from "node:util";
import type { Diagnostic, Position } from "vscode-languageserver/node";
import type { ChangeSet } from "../../text/changeSet.js";
import { firstIndex, type LineIndex } from "../../text/lines.js";
import { offsetOf, type PositionEncoding } from "../edit/positions.js";

/** What has become of a file's text since the earlier diagnostics: its lines then and now, and the changes between. */
export interface TextChange {
  readonly linesA: LineIndex;
  readonly linesB: LineIndex;
  readonly change: ChangeSet;
}

/** The diagnostics that one server has reported for one file, before a call and after it. */
export interface FileDiagnostics {
  readonly before: readonly Diagnostic[];
  readonly after: readonly Diagnostic[];
  /** `undefined` if the text has not changed, as far as the server knows. */
  readonly text: TextChange | undefined;
}

/**
 * Returns the diagnostics that are new, and the number of those that are gone; `undefined` if the server has not seen the
 * changes, because it reports the earlier ones where they were, although the changes have moved them. Two are the same if severity, source, code
 * and message are, and the line of the one is that to which the changes move the other; if they replace its first
 * character, any line of the new text counts.
 */
export function newDiagnostics(
  { before, after, text }: FileDiagnostics,
  encoding: PositionEncoding,
): { readonly added: readonly Diagnostic[]; readonly gone: number } | undefined {
  const left = new Map<string, Set<Diagnostic>>();
  for (const one of after.toSorted((a, b) => a.range.start.line - b.range.start.line)) {
    const key = keyOf(one);
    left.set(key, (left.get(key) ?? new Set()).add(one));
  }
  let gone = 0;
  for (const one of before) {
    const alike = left.get(keyOf(one));
    const [first, last] = linesAfter(one.range.start, text, encoding);
    const same = firstOf(alike ?? [], ({ range: { start } }) => start.line >= first && start.line <= last);
    if (same === undefined) gone++;
    else alike?.delete(same);
  }
  const added = [...left.values()].flatMap((alike) => [...alike]);
  const placed = (all: readonly Diagnostic[]): string[] =>
    all.map((one) => `${one.range.start.line} ${keyOf(one)}`).toSorted();
  const isOutdated = added.length > 0 && isDeepStrictEqual(placed(before), placed(after));
  return isOutdated ? undefined : { added, gone };
}

function firstOf<T>(all: Iterable<T>, holds: (one: T) => boolean): T | undefined {
  for (const one of all) if (holds(one)) return one;
  return undefined;
}

const keyOf = ({ severity, source, code, message }: Diagnostic): string =>
  JSON.stringify([severity, source, code, message]);

/** Returns the first and the last line, 0-based, at which a diagnostic may be after the changes. */
function linesAfter(start: Position, text: TextChange | undefined, encoding: PositionEncoding): [number, number] {
  if (text === undefined) return [start.line, start.line];
  const { linesA, linesB, change } = text;
  const line = Math.min(start.line, linesA.lineCount - 1);
  const offset = offsetOf(linesA.text, linesA, start, encoding) ?? linesA.start(line);
  const { changes } = change;
  const at = changes[firstIndex(changes.length, (i) => changes[i]!.to > offset)];
  const isReplaced = at !== undefined && at.from <= offset;
  const from = change.mapPos(isReplaced ? at.from : offset, "after");
  const to = isReplaced ? change.mapPos(at.to, "before") : from;
  return [linesB.lineAt(from), linesB.lineAt(Math.max(from, to - 1))];
}
