/** A disk batch's changes in two forms: one item per file and, because files may swap names, one item per name. */
import type { FileChange } from "../plan/outcome.js";

/** The new content of a file: text to write in the file's encoding, or bytes to write verbatim. */
export type Content = { readonly text: string } | { readonly bytes: Uint8Array };

/** A change to one file. Paths are absolute and canonical. */
export type DiskChange =
  | (NamedPath & {
      readonly kind: "create";
      readonly content: Content;
      /** The file's permission bits, as for `chmod`; `undefined` for the process's default. */
      readonly mode?: number | undefined;
    })
  | (NamedPath & PlannedOn & { readonly kind: "update"; readonly content?: Content | undefined })
  /** Moves the file to `target`, optionally with new content. `targetName`: the name used for `target` in failures. */
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
  /** The name used for the file in failures. */
  readonly name: string;
}

interface PlannedOn {
  /** SHA-256, in hex, of the bytes against which the change was planned; `undefined` if the file was not read. */
  readonly hash?: string | undefined;
}

/** Returns the target path of a rename; `undefined` for any other change. */
export function targetOf(change: DiskChange): string | undefined {
  return change.kind === "rename" ? change.target : undefined;
}

/** Converts the plan's change to a closed file. `pathOf` must return the absolute path for a URI. */
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

/** One name, with its file before and after the batch. */
export interface Slot {
  readonly path: string;
  readonly name: string;
  /** The file that the name must refer to before the batch; `undefined` if the name must be free. */
  readonly before?: { readonly hash?: string | undefined };
  /** The file that the name must refer to after the batch; `undefined` if the name becomes free. */
  readonly after?: {
    /** The file's path before the batch; `undefined` for a new file. */
    readonly from?: string;
    readonly content?: Content | undefined;
    readonly mode?: number | undefined;
  };
}

/**
 * Returns one slot for each name in a batch. A change may take a name that another change frees, even in a chain or a
 * cycle. The order of the slots does not matter, because every new file is ready before the first name changes. Throws
 * if the same file is changed twice, or if two files would get the same name; the plan must prevent both.
 */
export function toSlots(changes: readonly DiskChange[]): Slot[] {
  const slots = new Map<string, Slot>();
  const put = (path: string, name: string, part: Pick<Slot, "before" | "after">): void => {
    const held = slots.get(path);
    if (part.before !== undefined && held?.before !== undefined) throw new RangeError(`${path} is changed twice`);
    if (part.after !== undefined && held?.after !== undefined) throw new RangeError(`two files would be named ${path}`);
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
