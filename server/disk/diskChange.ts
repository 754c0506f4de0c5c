/** Changes of files on disk, by path and content; and the same changes by name, where moves and deletions meet. */
import type { FileChange } from "../plan/outcome.js";

/** The new content of a file: a text, in the encoding that the file has, or bytes as they are. */
export type Content = { readonly text: string } | { readonly bytes: Uint8Array };

/** The change of one file. Paths are absolute and canonical. */
export type DiskChange =
  | (NamedPath & {
      readonly kind: "create";
      readonly content: Content;
      /** The bits of `chmod`; `undefined` for those that the process gives by default. */
      readonly mode?: number | undefined;
    })
  | (NamedPath & PlannedOn & { readonly kind: "update"; readonly content?: Content | undefined })
  /** Moves the file to `target`, perhaps with new content. Failures call it `targetName` there, by default its path. */
  | (NamedPath &
      PlannedOn & {
        readonly kind: "rename";
        readonly target: string;
        readonly targetName?: string;
        readonly content?: Content | undefined;
      })
  | (NamedPath & PlannedOn & { readonly kind: "delete" });

interface NamedPath {
  readonly path: string;
  /** The file's name in failures. */
  readonly name: string;
}

interface PlannedOn {
  /** SHA-256, in hex, of the bytes that the change was planned on; `undefined` if nobody read the file. */
  readonly hash?: string | undefined;
}

/** The path that a change moves its file to; `undefined` if it moves none. */
export function targetOf(change: DiskChange): string | undefined {
  return change.kind === "rename" ? change.target : undefined;
}

/** Converts a planned change of a file that no editor has open; `pathOf` returns the absolute path of a URI. */
export function toDiskChange(file: FileChange, pathOf: (uri: string) => string): DiskChange {
  const { document, change } = file;
  const at = { path: pathOf(document.uri), name: document.path };
  const content = { text: file.text };
  if (file.kind === "create") return { kind: "create", ...at, content };
  const on = { ...at, hash: document.hash };
  if (file.kind === "delete") return { kind: "delete", ...on };
  const changed = { ...on, content: change.isEmpty ? undefined : content };
  if (file.kind === "update") return { kind: "update", ...changed };
  const { target } = file;
  return { kind: "rename", ...changed, target: pathOf(target.uri), targetName: target.path };
}

/** One name before and after the batch. */
export interface Slot {
  readonly path: string;
  readonly name: string;
  /** `undefined` if the name must be free. */
  readonly before?: { readonly hash?: string | undefined };
  /** `undefined` if the name becomes free. */
  readonly after?: {
    /** The path of the file that gets this name, with other content or without; `undefined` for a new file. */
    readonly from?: string;
    readonly content?: Content | undefined;
    readonly mode?: number | undefined;
  };
}

/**
 * Returns the batch by name. A name that one change frees may be taken by another, in chains and circles. No change
 * waits for another, because every file is ready beside its new name before the first name changes. Throws if two files
 * would get one name, which the plan must prevent.
 */
export function toSlots(changes: readonly DiskChange[]): Slot[] {
  const slots = new Map<string, Slot>();
  const put = (path: string, name: string, part: Pick<Slot, "before" | "after">): void => {
    const held = slots.get(path);
    if (part.before !== undefined && held?.before !== undefined) throw new RangeError(`${path} is changed twice`);
    if (part.after !== undefined && held?.after !== undefined) throw new RangeError(`${path} is to be two files`);
    slots.set(path, { path, name: held?.name ?? name, ...held, ...part });
  };
  for (const change of changes) {
    const { kind, path, name } = change;
    if (kind === "create") {
      put(path, name, { after: { content: change.content, mode: change.mode } });
      continue;
    }
    const before = { hash: change.hash };
    const after = { from: path, content: kind === "delete" ? undefined : change.content };
    put(path, name, kind === "update" ? { before, after } : { before });
    if (kind === "rename") put(change.target, change.targetName ?? change.target, { after });
  }
  return [...slots.values()];
}
