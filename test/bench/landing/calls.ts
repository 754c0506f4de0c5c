/** Calls that are meant for lines with identities, and the effect that they have there. */
import { type Line, type Lines, textOf } from "./lines.js";

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
  readonly line?: number | undefined;
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
const newLines = ({ parts }: Pick<Meant, "parts">): Lines =>
  parts.flatMap(({ kind, line }) => (kind === "remove" ? [] : [line]));

/** The call as it is sent. */
export function toCall(path: string, { form, edits }: Call): { edits: object[] } | { patch: string } {
  if (form === "edits") return { edits: edits.map((edit) => ({ path, ...sentEdit(edit) })) };
  const hunks = edits.flatMap((edit) => [`@@${edit.anchor === undefined ? "" : ` ${edit.anchor}`}`, ...signed(edit)]);
  return { patch: ["*** Begin Patch", `*** Update File: ${path}`, ...hunks, "*** End Patch", ""].join("\n") };
}

function sentEdit(edit: Meant): object {
  const { line, isEnded, word } = edit;
  const text = (lines: Lines): string => (isEnded ? textOf(lines) : textOf(lines).slice(0, -1));
  return {
    ...(word === undefined
      ? { oldText: text(oldLines(edit)), newText: text(newLines(edit)) }
      : { oldText: word.from, newText: word.to }),
    ...(line === undefined ? {} : { line }),
  };
}

const signs = { keep: " ", remove: "-", add: "+" } as const;

const signed = ({ parts }: Meant): string[] => parts.map(({ kind, line }) => signs[kind] + line.text);
