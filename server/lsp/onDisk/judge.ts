/** Decides what a file's text on disk means for the text in the editor. Knows nothing of the client. */
import { compareTexts } from "../../match/compareTexts.js";
import { type FileMerge, mergeFile } from "../../plan/mergeFile.js";
import type { Lines } from "../../plan/views/view.js";
import type { ChangeSet } from "../../text/changeSet.js";
import { withoutMark } from "../../text/chars.js";
import type { OpenDocument } from "../../workspace/documents.js";
import { compareWithFile, type FileRead, type SaveHabits } from "../../workspace/files.js";
import { asSynced } from "../../workspace/trails.js";

/** The meaning of a text on disk. All texts are as the editor syncs them, without a byte order mark. */
export type DiskVerdict =
  | { readonly kind: "missing" }
  /** `reason`: a sentence. */
  | { readonly kind: "unreadable"; readonly reason: string }
  /** The editor and the disk have a text in common, which is the base from now on. */
  | { readonly kind: "common"; readonly base: string }
  /** Nothing is unsaved. */
  | { readonly kind: "clean"; readonly disk: string }
  /** Nobody knows which text the editor and the disk last had in common. */
  | { readonly kind: "baseless"; readonly disk: string }
  /** `lines`: as in a `FileMerge`; none if the file is empty on disk. */
  | { readonly kind: "conflict"; readonly disk: string; readonly lines: readonly Lines[] }
  | { readonly kind: "merged"; readonly disk: string; readonly change: ChangeSet };

/** Judges a file that was read. `base`: the text that the editor and the disk last had in common. */
export function judgeDisk(
  document: OpenDocument,
  base: string | undefined,
  read: FileRead,
  habits: SaveHabits,
): DiskVerdict {
  if (read.kind === "absent") return { kind: "missing" };
  if (read.kind === "failed") return { kind: "unreadable", reason: read.failure.message };
  const text = withoutMark(document.text);
  const common = [text, base].find((one) => one !== undefined && compareWithFile(one, read, habits) === "same");
  if (common !== undefined) return { kind: "common", base: common };
  const disk = asSynced(read.text, text);
  if (text === base) return { kind: "clean", disk };
  if (base === undefined) return { kind: "baseless", disk };
  const merge: FileMerge = disk === "" ? emptied : mergeFile({ base, editor: text, disk }, document);
  return { ...merge, disk };
}

/** A file without text may have lost it, so unsaved text never gives way to it. */
const emptied: FileMerge = { kind: "conflict", lines: [] };

/** Returns the changes by which a document gets what was written; `undefined` if it must not get it. */
export function changeOf(verdict: DiskVerdict, document: OpenDocument): ChangeSet | undefined {
  if (verdict.kind === "merged") return verdict.change;
  return verdict.kind === "clean" ? compareTexts(withoutMark(document.text), verdict.disk) : undefined;
}

/** Reports whether the text on disk has all that is unsaved in a document: to load it loses nothing. */
export const hasAllUnsaved = (verdict: DiskVerdict | undefined, document: OpenDocument | undefined): boolean =>
  verdict?.kind === "merged" && verdict.change.apply(withoutMark(document?.text ?? "")) === verdict.disk;
