/** Orders a batch's file changes so that no name is taken before it is free. */
import { type FileChange, nameAfter } from "./outcome.js";

/** Changes to whole files, in an order in which they can be made. */
export interface FileOrder {
  /** Files to create before any text is edited; their names are already free. */
  readonly created: readonly FileChange[];
  /** Renames, deletions, and creations that need a freed name: after the edits, in order, each with its text. */
  readonly after: readonly FileChange[];
  /** A rename in a circle, in which each file takes the name of the next one; `undefined` if there is no circle. */
  readonly circle: FileChange | undefined;
}

/** Returns the order of a batch's file changes. If there is a circle, `after` holds only the changes before it. */
export function fileOrder(files: readonly FileChange[]): FileOrder {
  const leaving = files.filter(leaves);
  const names = new Set(leaving.map(({ document }) => document.uri));
  const created = files.filter(({ kind, document }) => kind === "create" && !names.has(document.uri));
  const late = files.filter(({ kind, document }) => kind === "create" && names.has(document.uri));
  const isRename = ({ kind }: FileChange): boolean => kind === "rename";
  const moved = [...leaving.filter(isRename), ...late, ...leaving.filter((file) => !isRename(file))];
  const { ordered, circle } = freeingFirst(moved);
  return { created, after: ordered, circle };
}

/**
 * Puts each change that frees a name before the change that takes it, and otherwise keeps the given order, so that git
 * accepts all the diffs together. If there is a circle (see `FileOrder`), `ordered` holds only the changes before it.
 */
export function freeingFirst(files: readonly FileChange[]): {
  readonly ordered: readonly FileChange[];
  readonly circle: FileChange | undefined;
} {
  const holders = new Map(files.filter(leaves).map((file) => [file.document.uri, file]));
  const ordered = new Set<FileChange>();
  for (const file of files) {
    // Each file waits for at most one other, so this is a walk along a chain.
    const chain = new Set<FileChange>();
    for (let at: FileChange | undefined = file; at !== undefined && !ordered.has(at); ) {
      if (chain.has(at)) return { ordered: [...ordered], circle: at };
      chain.add(at);
      const takes: boolean = at.kind === "create" || at.kind === "rename";
      at = takes ? holders.get(nameAfter(at).uri) : undefined;
    }
    for (const one of [...chain].reverse()) ordered.add(one);
  }
  return { ordered: [...ordered], circle: undefined };
}

const leaves = ({ kind }: FileChange): boolean => kind === "rename" || kind === "delete";
