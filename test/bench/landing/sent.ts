/** An edit as a model sends it, and calls with such edits in the shapes of several tools. */
import { type EditLine, newLines, oldLines, type RealEdit } from "./realEdit.js";

/** One of a call's edits. */
export interface Sent {
  readonly oldText: string;
  readonly newText: string;
  /** The edit as lines of a hunk; `undefined` if a patch cannot express it. */
  readonly hunk: readonly EditLine[] | undefined;
  /** 1-based line number that a batch may give for the edit; a patch gives it in the hunk header. */
  readonly line?: number;
  /** 1-based line number in the file as the call leaves it, for the hunk header; default: `line`. */
  readonly newLine?: number;
  /** The text that a patch has after `@@`. */
  readonly anchor?: string;
  /** The lines of the hunk, with its header and all signs, if they are not the signed lines of `hunk`. */
  readonly hunkText?: readonly string[];
  /** 0-based index of the patch section that contains the hunk; `undefined` for the first one. */
  readonly section?: number;
}

/** The way a model writes the lines of an edit. */
export interface Spelling {
  /** Transforms a line that the model copied from the file; `at` is the line's 0-based index in the old text. */
  readonly copied?: (line: string, at: number) => string;
  /** Transforms a line that the model wrote. */
  readonly typed?: (line: string) => string;
  /** `true` if kept lines in the new text match the file even where their copies in the old text do not. */
  readonly cleanNew?: boolean;
  /** The line ending between lines and, if `ended` is `true`, after the last line; default: LF. */
  readonly lineEnd?: string | undefined;
  /** `true` if both texts end with a line ending. */
  readonly ended: boolean;
}

/** An edit as a model writes it. */
export function toSent({ lines }: Pick<RealEdit, "lines">, spelling: Spelling): Sent {
  const { copied = (line) => line, typed = (line) => line, cleanNew = false, lineEnd = "\n", ended } = spelling;
  let at = 0;
  const hunk = lines.map(({ kind, text }): EditLine & { readonly clean: string } => ({
    kind,
    text: kind === "add" ? typed(text) : copied(text, at++),
    clean: text,
  }));
  const next = hunk.map((line) => (cleanNew && line.kind === "keep" ? { ...line, text: line.clean } : line));
  const joined = (some: readonly string[]): string => some.join(lineEnd) + (ended ? lineEnd : "");
  return {
    oldText: joined(oldLines({ lines: hunk })),
    newText: joined(newLines({ lines: next })),
    hunk: lineEnd === "\n" ? hunk.map(({ kind, text }) => ({ kind, text })) : undefined,
  };
}

/** The shapes of calls; the last one contains hunks instead of texts. */
export const doors = ["batch", "MultiEdit", "pi", "edit_file", "patch"] as const;

/** The shape of a call. */
export type Door = (typeof doors)[number];

/** A single call with all edits to one file. */
export function toCall(door: Door, path: string, edits: readonly Sent[]): unknown {
  switch (door) {
    case "batch":
      return {
        path,
        edits: edits.map(({ oldText, newText, line }) => ({
          oldText,
          newText,
          ...(line === undefined ? {} : { line }),
        })),
      };
    case "MultiEdit":
      return {
        file_path: path,
        edits: edits.map(({ oldText, newText }) => ({ old_string: oldText, new_string: newText })),
      };
    case "pi":
      return { path, multi: edits.map(({ oldText, newText }) => ({ oldText, newText })) };
    case "edit_file":
      return { path, edits: edits.map(({ oldText, newText }) => ({ oldString: oldText, newString: newText })) };
    case "patch":
      return { patch: patchOf(path, edits) };
  }
}

function patchOf(path: string, edits: readonly Sent[]): string {
  const sections = [...new Set(edits.map(({ section = 0 }) => section))].sort((a, b) => a - b);
  const lines = sections.flatMap((section) => [
    `*** Update File: ${path}`,
    ...edits.filter((edit) => (edit.section ?? 0) === section).flatMap(hunkOf),
  ]);
  return ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
}

/** The lines of a hunk with their signs. */
export const signed = (lines: readonly EditLine[]): string[] => lines.map(({ kind, text }) => signs[kind] + text);

const signs = { keep: " ", remove: "-", add: "+" } as const;

function hunkOf({ hunk, anchor, line, newLine = line, hunkText }: Sent): readonly string[] {
  if (hunkText !== undefined) return hunkText;
  if (hunk === undefined) throw new Error("an edit that has no hunk can't be sent in a patch");
  const counts = [oldLines, newLines].map((linesOf) => linesOf({ lines: hunk }).length);
  const range = line === undefined ? "" : ` -${line},${counts[0]} +${newLine},${counts[1]} @@`;
  return [anchor === undefined ? `@@${range}` : `@@ ${anchor}`, ...signed(hunk)];
}
