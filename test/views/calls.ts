/** Calls that are meant for lines with identities, and the effect that they have there. */
import type { Chance } from "../codex/random.js";
import { type Line, type Lines, newLine, textOf } from "./lines.js";

/** A line of an edit, as its author means it: a line that is seen, or a line to be added. */
export interface Part {
  readonly kind: "keep" | "remove" | "add";
  readonly line: Line;
}

/** An edit, meant for certain lines. */
export interface Meant {
  /** 0-based line of the seen text at which the old text starts. */
  readonly at: number;
  readonly parts: readonly Part[];
  /** A replacement within the only line of the edit, which is the old text; `undefined` if whole lines are sent. */
  readonly word?: { readonly from: string; readonly to: string } | undefined;
  /** `true` if the word is replaced wherever it occurs; such an edit is the only one of its call. */
  readonly isWide?: boolean;
  readonly line?: number | undefined;
  readonly occurrence?: number | undefined;
  /** In a patch: the text after `@@`. */
  readonly anchor?: string | undefined;
  /** `true` if old and new text end with a line ending. */
  readonly isEnded: boolean;
}

/** A call to one file. */
export interface Call {
  readonly form: "edits" | "patch";
  readonly edits: readonly Meant[];
}

/** The lines that an edit looks for. */
export const oldLines = ({ parts }: Pick<Meant, "parts">): Lines =>
  parts.flatMap(({ kind, line }) => (kind === "add" ? [] : [line]));

/** The lines that an edit leaves. */
export const newLines = ({ parts }: Pick<Meant, "parts">): Lines =>
  parts.flatMap(({ kind, line }) => (kind === "remove" ? [] : [line]));

/** The call as it is sent. `moveTo`: the new path of the file, if a patch moves it, too. */
export function toCall(path: string, { form, edits }: Call, moveTo?: string): { edits: object[] } | { patch: string } {
  if (form === "edits") return { edits: edits.map((edit) => ({ path, ...sentEdit(edit) })) };
  const hunks = edits.flatMap((edit) => [`@@${edit.anchor === undefined ? "" : ` ${edit.anchor}`}`, ...signed(edit)]);
  const head = [`*** Update File: ${path}`, ...(moveTo === undefined ? [] : [`*** Move to: ${moveTo}`])];
  return { patch: ["*** Begin Patch", ...head, ...hunks, "*** End Patch", ""].join("\n") };
}

function sentEdit(edit: Meant): object {
  const { line, occurrence, isEnded, word } = edit;
  const text = (lines: Lines): string => (isEnded ? textOf(lines) : textOf(lines).slice(0, -1));
  return {
    ...(word === undefined
      ? { oldText: text(oldLines(edit)), newText: text(newLines(edit)) }
      : { oldText: word.from, newText: word.to }),
    ...(edit.isWide ? { replaceAll: true } : {}),
    ...(line === undefined ? {} : { line }),
    ...(occurrence === undefined ? {} : { occurrence }),
  };
}

const signs = { keep: " ", remove: "-", add: "+" } as const;

const signed = ({ parts }: Meant): string[] => parts.map(({ kind, line }) => signs[kind] + line.text);

/** Draws an edit of some of the lines `[from, to)` of a text that its author sees. */
function drawEdit(chance: Chance, seen: Lines, { from, to }: { from: number; to: number }): Meant {
  const length = Math.min(chance.between(1, 5), to - from);
  const at = chance.between(from, to - length);
  const old = seen.slice(at, at + length);
  // Without its line ending, an empty last line would be no line of the old text.
  const isEnded = chance.percent(40) || old.at(-1)?.text === "";
  const [word] = length === 1 ? (/[a-z]+\d*/.exec(old[0]!.text) ?? []) : [];
  if (word !== undefined && chance.percent(40)) {
    const changed = { id: old[0]!.id, text: old[0]!.text.replace(word, `${word}X`) };
    const parts: Part[] = [
      { kind: "remove", line: old[0]! },
      { kind: "add", line: changed },
    ];
    return { at, parts, word: { from: word, to: `${word}X` }, isEnded: false };
  }
  return { at, parts: drawParts(chance, old), isEnded };
}

let added = 0;

function drawParts(chance: Chance, old: Lines): Part[] {
  const keep = (line: Line): Part => ({ kind: "keep", line });
  const fresh = (): Part => {
    const indent = /^\s*/.exec(old[0]!.text)![0];
    return { kind: "add", line: newLine(`${indent}added(${++added});`) };
  };
  if (chance.percent(40)) {
    // An insertion: between kept lines, or before or after them.
    const gap = chance.between(0, old.length);
    const lines = Array.from({ length: chance.between(1, 2) }, fresh);
    return [...old.slice(0, gap).map(keep), ...lines, ...old.slice(gap).map(keep)];
  }
  const first = chance.between(0, old.length - 1);
  const last = chance.between(first, Math.min(old.length - 1, first + 1));
  const removed = old.slice(first, last + 1).map((line): Part => ({ kind: "remove", line }));
  const isDeletion = removed.length < old.length && chance.percent(30);
  const written = isDeletion ? [] : Array.from({ length: chance.between(1, 2) }, fresh);
  return [...old.slice(0, first).map(keep), ...removed, ...written, ...old.slice(last + 1).map(keep)];
}

/** Draws a call whose edits do not touch each other; `spans` are the lines that its author sees. */
export function drawCall(chance: Chance, seen: Lines, near: readonly number[]): Call {
  const form = chance.percent(35) ? "patch" : "edits";
  const count = chance.weighted({ "1": 7, "2": 2, "3": 1 });
  const edits: Meant[] = [];
  if (form === "edits" && chance.percent(8)) {
    const at = chance.below(seen.length);
    const wide = drawEdit(chance, seen, { from: at, to: at + 1 });
    if (wide.word !== undefined) return { form, edits: [{ ...wide, isWide: true }] };
  }
  for (let tries = 0; edits.length < Number(count) && tries < 20; tries++) {
    const centre = near.length > 0 && chance.percent(75) ? chance.pick(near) : chance.below(seen.length);
    const from = Math.max(0, centre - chance.between(0, 3));
    const drawn = drawEdit(chance, seen, { from, to: Math.min(seen.length, centre + chance.between(1, 4)) });
    if (form === "patch" && drawn.word !== undefined) continue;
    if (oldLines(drawn).every(({ text }) => !/\w/.test(text))) continue;
    const isApart = ({ at, parts }: Meant): boolean =>
      at + oldLines({ parts }).length < drawn.at || drawn.at + oldLines(drawn).length < at;
    if (edits.every(isApart)) edits.push(withHint(chance, drawn, seen, form));
  }
  return { form, edits: form === "patch" ? edits.toSorted((a, b) => a.at - b.at) : edits };
}

function withHint(chance: Chance, edit: Meant, seen: Lines, form: Call["form"]): Meant {
  if (form === "edits") {
    if (chance.percent(35)) return { ...edit, line: edit.at + 1 };
    return chance.percent(15) ? { ...edit, occurrence: occurrenceOf(edit, seen) } : edit;
  }
  const above = seen.slice(0, edit.at).findLast(({ text }) => /^\w/.test(text));
  if (above !== undefined && chance.percent(45)) return { ...edit, anchor: above.text };
  const range = `-${edit.at + 1},${oldLines(edit).length} +${edit.at + 1},${newLines(edit).length} @@`;
  return chance.percent(45) ? { ...edit, anchor: range } : edit;
}

function occurrenceOf(edit: Meant, seen: Lines): number {
  const { oldText } = sentEdit(edit) as { oldText: string };
  const text = textOf(seen);
  const meant = textOf(seen.slice(0, edit.at)).length;
  let count = 1;
  for (let at = text.indexOf(oldText); at !== -1 && at < meant; at = text.indexOf(oldText, at + 1)) count++;
  return count;
}
