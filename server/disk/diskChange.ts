/** What is to become of files on disk, by path and bytes; and the same by name, where moves and deletions meet. */
import type { FileChange } from "../plan/outcome.js";
import type { Target } from "./preflight.js";

/** What a file is to hold: a text, in the encoding that the file has, or bytes as they are. */
export type Content = { readonly text: string } | { readonly bytes: Uint8Array };

/** What is to become of one file. Paths are absolute and canonical. */
export interface DiskChange {
  /** `rename`: it moves to `target`, and may get other content on the way. */
  readonly kind: "create" | "update" | "delete" | "rename";
  readonly path: string;
  readonly target?: string;
  /** What failures call the file, and its new name. */
  readonly name: string;
  readonly targetName?: string;
  /** SHA-256, in hex, of the bytes that the change was planned on; `undefined`: a file that nobody read, or none. */
  readonly hash?: string;
  /** `undefined`: it stays as it is. */
  readonly content?: Content;
  /** The bits of `chmod` of a file that is created; `undefined`: as the process makes files. */
  readonly mode?: number;
}

/** A planned change of a file that no editor has open, at its paths. */
export function toDiskChange(file: FileChange, at: { readonly path: string; readonly target?: string }): DiskChange {
  const { document, kind, target, change, text } = file;
  const hasText = kind === "create" || (kind !== "delete" && !change.isEmpty);
  return {
    kind,
    path: at.path,
    name: document.path,
    ...(at.target === undefined ? {} : { target: at.target }),
    ...(target === undefined ? {} : { targetName: target.path }),
    ...(document.hash === undefined ? {} : { hash: document.hash }),
    ...(hasText ? { content: { text } } : {}),
  };
}

/** One name before and after the batch. */
export interface Slot {
  readonly path: string;
  readonly name: string;
  /** `undefined`: the name must be free. */
  readonly before?: { readonly hash?: string };
  /** `undefined`: the name becomes free. */
  readonly after?: {
    /** The path of the file that it is afterwards, with other content or without; `undefined`: a new file. */
    readonly from?: string;
    readonly content?: Content;
    readonly mode?: number;
  };
}

/**
 * The batch by name. A name that one change frees may be taken by another, in chains and circles: no change waits for
 * another, because every file is ready beside its new name before the first name changes. Throws where two files would
 * have one name: the plan has to prevent it.
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
    const { kind, path, name, target, targetName, hash, content, mode } = change;
    const before = { ...(hash === undefined ? {} : { hash }) };
    const given = { ...(content === undefined ? {} : { content }), ...(mode === undefined ? {} : { mode }) };
    if (kind === "create") put(path, name, { after: given });
    else if (kind === "delete") put(path, name, { before });
    else if (kind === "update") put(path, name, { before, after: { from: path, ...given } });
    else if (target === undefined) throw new RangeError(`${path} is to be moved nowhere`);
    else {
      put(path, name, { before });
      put(target, targetName ?? target, { after: { from: path, ...given } });
    }
  }
  return [...slots.values()];
}

/** The changes that take others back, in a batch of their own. `targets` are the names of those others, as they were. */
export function inverseOf(changes: readonly DiskChange[], targets: readonly Target[]): DiskChange[] {
  const byPath = new Map(targets.map((target) => [target.slot.path, target]));
  return changes.flatMap(({ kind, path, target, name, targetName, content }): DiskChange[] => {
    const { before } = byPath.get(path) ?? {};
    const { after } = byPath.get(target ?? path) ?? {};
    const hash = after === undefined ? {} : { hash: after.hash };
    const old = before === undefined ? {} : { content: { bytes: before.bytes } };
    if (kind === "create") return [{ kind: "delete", path, name, ...hash }];
    if (kind === "delete") return [{ kind: "create", path, name, ...old, ...(before && { mode: before.stat.mode }) }];
    // What did not change has no name among the targets.
    if (kind === "update") return after === undefined ? [] : [{ kind, path, name, ...hash, ...old }];
    if (target === undefined) throw new RangeError(`${path} was moved nowhere`);
    const back = { path: target, name: targetName ?? target, target: path, targetName: name };
    return [{ kind, ...back, ...hash, ...(content === undefined ? {} : old) }];
  });
}
