/** The operations of a call as plain values, whatever the call's form. Paths and places have not been resolved yet. */

import type { Lines } from "./views/view.js";

/** An old text and its replacement. A file's first edit may have an empty old text, to create or fill the file. */
export interface EditOperation {
  readonly kind: "edit";
  /** 0-based, in the order in which the caller sent the edits. */
  readonly index: number;
  /** The path or URI as the caller spelt it. */
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  /** `true` to replace every place that does not overlap an earlier one, instead of requiring exactly one place. */
  readonly replaceAll: boolean;
  /** 1-based number of the place to take if there are several; `undefined` if the caller sent none. */
  readonly occurrence?: number | undefined;
  /** 1-based line of the text before the batch; the place that starts nearest to it is taken. */
  readonly line?: number | undefined;
  /** 1-based line of the sent text at which the edit starts; `undefined` if it was not sent in a text. */
  readonly patchLine?: number | undefined;
  /** With `replaceAll`, the required number of places; any other number is a failure. */
  readonly expectedCount?: number | undefined;
  /** The seen lines that the new text replaces, perhaps none; `undefined` if the old text says what is replaced. */
  readonly seenLines?: Lines | undefined;
}

/** The lines of any text, as a value of `seenLines`. */
export const allLines: Lines = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** Returns the lines that edits without an old text name; none if all operations say what they replace. */
export const linesNamed = (operations: readonly Operation[]): readonly Lines[] =>
  operations.flatMap((one) => (one.kind === "edit" ? (one.seenLines ?? []) : []));

/** One line of a hunk, without its sign or line ending. */
export interface HunkLine {
  /** `context` lines stay; `remove` lines are deleted; `add` lines are inserted. */
  readonly kind: "context" | "remove" | "add";
  readonly text: string;
  /** For a line without a sign, which counts as context: its 1-based line of the patch. */
  readonly unsignedAt?: number;
}

/** The text after `@@`, which says where to look for a hunk. */
export interface Anchor {
  /** A whole line of the document, apart from leading and trailing whitespace; never empty. */
  readonly text: string;
  /** Lines (1-based) and count of an anchor that is a range, as `-12,3`; 0: the line above. A real line comes first. */
  readonly range?: { readonly line: number; readonly count: number };
}

/** A part of an `Update File` section that is placed as a whole. */
export interface Hunk {
  /** 0-based index among the call's edits; each hunk, Add, Delete and Move counts as one, in patch order. */
  readonly index: number;
  /** 1-based line of the patch where the hunk starts. */
  readonly patchLine: number;
  /** Outermost first; each is searched for after the previous one. Usually there is at most one. */
  readonly anchors: readonly Anchor[];
  /** In patch order. Never empty, but the lines do not necessarily change anything. */
  readonly lines: readonly HunkLine[];
  /** `true` if the hunk ends with `*** End of File`: it must then be placed at the end of the document. */
  readonly atEnd: boolean;
  /** `true` if Git's notes say that the last old line has no line ending, and that the last new line has one. */
  readonly addsLineEnd?: boolean;
  /** `true` if Git's notes say the opposite: only the last new line has no line ending. */
  readonly dropsLineEnd?: boolean;
}

/** `Update File`: hunks, all matched against the file as it was before the section, and optionally a new name. */
export interface UpdateSection {
  readonly kind: "update";
  /** The path as the patch spells it. */
  readonly path: string;
  /** 1-based line of the section's header in the patch. */
  readonly patchLine: number;
  /** Empty only if `move` is set. */
  readonly hunks: readonly Hunk[];
  /** `undefined` if the file keeps its name. */
  readonly move?: { readonly index: number; readonly path: string; readonly patchLine: number } | undefined;
}

/** `Add File`: the whole text of a file, which may already exist. */
export interface AddSection {
  readonly kind: "add";
  readonly index: number;
  readonly path: string;
  readonly patchLine: number;
  /** The file's text, with LF at the end of every line; empty for an empty file. */
  readonly text: string;
  /** `true` if the section fails if there is such a file already, unless it is empty or has this very text. */
  readonly isNew?: boolean;
}

/** `Delete File`: the removal of a file. */
export interface DeleteSection {
  readonly kind: "delete";
  readonly index: number;
  readonly path: string;
  readonly patchLine: number;
  /** `true` if the section fails unless the sections before it leave no text in the file. */
  readonly isEmptied?: boolean;
}

/** A section of a patch. */
export type Section = AddSection | DeleteSection | UpdateSection;

/** A step of a batch. A batch consists of either edits or sections, never both. */
export type Operation = EditOperation | Section;

/** Returns the 0-based indices of the edits that make up an operation, in ascending order. */
export function indicesOf(operation: Operation): readonly number[] {
  if (operation.kind !== "update") return [operation.index];
  return [
    ...(operation.move === undefined ? [] : [operation.move.index]),
    ...operation.hunks.map(({ index }) => index),
  ];
}

/** A path and its use: a text to edit, a file to create or fill, a file as a whole, or a new name for another file. */
export interface PathUse {
  readonly path: string;
  readonly need: "text" | "create" | "file" | "name";
}

/** Returns the paths that an operation names. Treats an edit with an empty old text as the first edit of its file. */
export function pathsOf(operation: Operation): readonly PathUse[] {
  const { path } = operation;
  switch (operation.kind) {
    case "edit": {
      // An edit without an old text creates its file, unless it names a line of it.
      const { oldText, seenLines = allLines } = operation;
      return [{ path, need: oldText === "" && seenLines.to === allLines.to ? "create" : "text" }];
    }
    case "add":
      return [{ path, need: "create" }];
    case "delete":
      return [{ path, need: "file" }];
    case "update":
      // A file that is only renamed does not need to be read.
      return [
        { path, need: operation.hunks.length === 0 ? "file" : "text" },
        ...(operation.move ? [{ path: operation.move.path, need: "name" } as const] : []),
      ];
  }
}

/** The scope of a failed edit: `all` is left unchanged, the edit's `file`, or `none` but the edit itself. */
export type Atomic = "all" | "file" | "none";

/** `sequential`: each edit is matched against the result of those before it; `original`: all match the same text. */
export type Order = "sequential" | "original";

/** The words of messages to replace, in order, each with a text dialect's own. */
export type Terms = readonly (readonly [RegExp, string])[];

/** What a text dialect asks of planning. */
export interface TextRules {
  /** `true` if old texts must be whole lines of the file. */
  readonly wholeLines?: boolean;
  /** `true` if an edit with an empty old text appends its new text to a file that has text. */
  readonly emptyAppends?: boolean;
  /** `undefined` if messages speak of edits. */
  readonly terms?: Terms;
}

/** The options for planning a batch. */
export interface BatchOptions extends TextRules {
  readonly atomic: Atomic;
  readonly order: Order;
  /** `false` to try only the rungs `exact` and `lineEnding` for edits, and to place hunks as Codex does. */
  readonly lenient: boolean;
  /** `true` if a section may delete, move or replace a text with unsaved changes, or move a file over another one. */
  readonly overwrite: boolean;
  /** `true` if a new text may have a line that stands for left-out code where it removes lines; `undefined`: it may not. */
  readonly allowOmissions?: boolean | undefined;
  /** `true` if nobody will read why an edit was not found, so that the reason need not be searched for. */
  readonly isTrial?: boolean | undefined;
}
