/** What a caller asks for, decoded from whatever shape it came in: values only, nothing is found or resolved yet. */

/** One old text to be replaced by one new text. An empty old text as the first edit of a path creates the file. */
export interface EditOperation {
  readonly kind: "edit";
  /** 0-based, in the order in which the caller sent its edits. */
  readonly index: number;
  /** The path or URI as the caller spelt it. */
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  /** Replace every non-overlapping place instead of demanding exactly one. */
  readonly replaceAll: boolean;
  /** 1-based place to take among several; `undefined`: there must be one. */
  readonly occurrence?: number | undefined;
  /** 1-based line of the text before the batch: the place that starts nearest to it is taken. */
  readonly line?: number | undefined;
  /** With `replaceAll`: any other number of places is a failure. */
  readonly expectedCount?: number | undefined;
}

/** One line of a hunk, without its sign and its line end. */
export interface HunkLine {
  /** `context` stays, `remove` goes, `add` comes. */
  readonly kind: "context" | "remove" | "add";
  readonly text: string;
}

/** Where to look for a hunk: what stands behind `@@`. */
export interface Anchor {
  /** A whole line of the document, blanks aside; never empty. */
  readonly text: string;
  /**
   * The 1-based old line and the number of old lines that a unified diff's `-12,3 +12,4` names; of no lines, the line behind
   * which they are. Only where the anchor can be read so; it counts only where no line of the document is the anchor itself.
   */
  readonly range?: { readonly line: number; readonly count: number };
}

/** A part of an `Update File` section that is placed as a whole. */
export interface Hunk {
  /** 0-based among the edits of the call; each hunk, Add, Delete and Move counts as one, in the order of the patch. */
  readonly index: number;
  /** 1-based line of the patch at which the hunk starts. */
  readonly patchLine: number;
  /** Outermost first: each is looked for behind the one before. Usually none or one. */
  readonly anchors: readonly Anchor[];
  /** In the order of the patch; may be without a change, but is never empty. */
  readonly lines: readonly HunkLine[];
  /** Whether `*** End of File` says that the last line is the document's last one. */
  readonly atEnd: boolean;
}

/** `Update File`: hunks, all found in the file as it is when the section begins, and perhaps a new name. */
export interface UpdateSection {
  readonly kind: "update";
  /** As the patch spells it. */
  readonly path: string;
  /** 1-based line of the patch that has the section's header. */
  readonly patchLine: number;
  /** Empty only where `move` is there. */
  readonly hunks: readonly Hunk[];
  /** `undefined`: the file keeps its name. */
  readonly move?: { readonly index: number; readonly path: string; readonly patchLine: number } | undefined;
}

/** `Add File`: the whole text of a file, which may exist. */
export interface AddSection {
  readonly kind: "add";
  readonly index: number;
  readonly path: string;
  readonly patchLine: number;
  /** Each line ended by LF; empty for an empty file. */
  readonly text: string;
}

/** `Delete File`. */
export interface DeleteSection {
  readonly kind: "delete";
  readonly index: number;
  readonly path: string;
  readonly patchLine: number;
}

/** A section of a patch. */
export type Section = AddSection | DeleteSection | UpdateSection;

/** A step of a batch. A batch has edits only, or sections only. */
export type Operation = EditOperation | Section;

/** The places of an operation among the edits of its call, 0-based, ascending. */
export function indicesOf(operation: Operation): readonly number[] {
  if (operation.kind !== "update") return [operation.index];
  return [
    ...(operation.move === undefined ? [] : [operation.move.index]),
    ...operation.hunks.map(({ index }) => index),
  ];
}

/** What an operation wants of a path: its text, a file to fill or replace, a file as a whole, or a name for another file. */
export interface PathUse {
  readonly path: string;
  readonly need: "text" | "create" | "file" | "name";
}

/** The paths that an operation names. An edit with an empty old text creates only where it is the first of its file. */
export function pathsOf(operation: Operation): readonly PathUse[] {
  const { path } = operation;
  switch (operation.kind) {
    case "edit":
      return [{ path, need: operation.oldText === "" ? "create" : "text" }];
    case "add":
      return [{ path, need: "create" }];
    case "delete":
      return [{ path, need: "file" }];
    case "update":
      // To give a file another name, nobody needs to read it.
      return [
        { path, need: operation.hunks.length === 0 ? "file" : "text" },
        ...(operation.move ? [{ path: operation.move.path, need: "name" } as const] : []),
      ];
  }
}

/** What one failure does to the rest: `all` nothing changes; `file` its file stays untouched; `none` it alone is left out. */
export type Atomic = "all" | "file" | "none";

/** `sequential`: each edit is found in the result of those before it; `original`: all are found in the same text. */
export type Order = "sequential" | "original";

/** How a batch is planned. */
export interface BatchOptions {
  readonly atomic: Atomic;
  readonly order: Order;
  /** `false`: for edits only the rungs `exact` and `lineEnding` are tried; hunks are placed as Codex does it. */
  readonly lenient: boolean;
  /** `true`: a section may delete, move or replace a text that has unsaved changes, or move a file onto one that exists. */
  readonly overwrite: boolean;
}
