/** In which order the files of a batch can be changed, so that no name is taken before it is free. */
import { type FileChange, nameAfter } from "./outcome.js";

/** What is done to whole files, and when. */
export interface FileOrder {
  /** Files that come into being before any text is edited: nothing stands in their way. */
  readonly created: readonly FileChange[];
  /**
   * What follows the edits of existing texts, in this order: renames, deletions, and creations whose name is only free by
   * then; the text of such a creation goes right behind it.
   */
  readonly after: readonly FileChange[];
  /** One of the renames that go round in a circle, each to the name that the next one has; `undefined`: there is no circle. */
  readonly circle: FileChange | undefined;
}

/** The order of a batch; with a circle, that of the files before it. */
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
 * Files in their order, but what frees a name comes before what takes it: so git takes their diffs together. With a circle, as
 * for `FileOrder`, the files before it.
 */
export function freeingFirst(files: readonly FileChange[]): {
  readonly ordered: readonly FileChange[];
  readonly circle: FileChange | undefined;
} {
  const holders = new Map(files.filter(leaves).map((file) => [file.document.uri, file]));
  const ordered = new Set<FileChange>();
  for (const file of files) {
    // Each waits for one other at most, so this is a walk along a chain.
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
