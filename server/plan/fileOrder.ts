/** In which order the files of a batch can be changed, so that no name is taken before it is free. */
import { type FileChange, nameAfter } from "./outcome.js";
import type { DocumentUri } from "./snapshot.js";

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
  const holders = new Map(files.filter(leaves).map((file) => [file.document.uri, file]));
  const blocker = (file: FileChange): FileChange | undefined => {
    const name = takenBy(file);
    return name === undefined ? undefined : holders.get(name);
  };
  const created = files.filter((file) => file.kind === "create" && blocker(file) === undefined);
  const after: FileChange[] = [];
  const state = new Map<FileChange, "open" | "done">();
  const place = (file: FileChange): FileChange | undefined => {
    // Each step waits for one other at most, so this is a walk along a chain.
    const chain: FileChange[] = [];
    for (let at: FileChange | undefined = file; at !== undefined && state.get(at) !== "done"; at = blocker(at)) {
      if (state.get(at) === "open") return at;
      state.set(at, "open");
      chain.push(at);
    }
    for (const one of chain.reverse()) {
      state.set(one, "done");
      after.push(one);
    }
    return undefined;
  };
  const late = files.filter((file) => file.kind === "create" && !created.includes(file));
  const renamed = files.filter(({ kind }) => kind === "rename");
  const deleted = files.filter(({ kind }) => kind === "delete");
  for (const file of [...renamed, ...late, ...deleted]) {
    const circle = place(file);
    if (circle !== undefined) return { created, after, circle };
  }
  return { created, after, circle: undefined };
}

const leaves = ({ kind }: FileChange): boolean => kind === "rename" || kind === "delete";

/** The name that a step takes; `undefined`: none. */
function takenBy(file: FileChange): DocumentUri | undefined {
  return file.kind === "create" || file.kind === "rename" ? nameAfter(file).uri : undefined;
}
