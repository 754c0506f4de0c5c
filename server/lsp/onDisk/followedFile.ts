/** An open document's file, as far as the server has followed it. */
import { statSync } from "node:fs";
import { type WriterNote, writerOf } from "../../disk/writers.js";
import { limits } from "../../text/limits.js";
import type { MergedText } from "./mergeIntoEditor.js";

/** All texts are as the editor syncs them, without a byte order mark. */
export interface FollowedFile {
  readonly uri: string;
  /** All versions of a document since it was opened share this object. */
  readonly opening: unknown;
  /** The canonical path of the file; `undefined` until it is known. */
  path: string | undefined;
  /** The document's own path, if it leads to the file by a link; `undefined` if not. */
  link: string | undefined;
  /** The text that the editor and the disk last had in common; `undefined` if they never had, as far as the server knows. */
  base: string | undefined;
  /** The text on disk that the editor has been told to load; `undefined` if it has loaded it. */
  coming: string | undefined;
  /** Settles once the last look at the file on disk has ended; `undefined` if there is none under way. */
  looking: Promise<void> | undefined;
  /** A text on disk that was not merged into the unsaved text; `undefined` if there is none. */
  conflicting: string | undefined;
  /** The last such text that is no longer on disk, and when it was found gone: a save may be about to be told. */
  replaced: { readonly text: string; readonly at: number } | undefined;
  /** The hash of the text on disk that was last asked about, and the answer, `undefined` while the question is open. */
  asked: { readonly hash: string; readonly isAgreed: boolean | undefined } | undefined;
  /** The last text that another program wrote, who that was, and the time of the hook's note that said so. */
  written: WrittenText | undefined;
  /** What the last change on disk brought into unsaved text; `undefined` if it brought nothing, or was undone. */
  merged: MergedText | undefined;
  /** The editor's text before the last merge, until the file is saved; `undefined` if there was none. */
  beforeMerge: string | undefined;
}

/** A text on disk, and the agent that has written it; `undefined` if nobody knows. */
export interface WrittenText {
  readonly disk: string;
  readonly writer: WriterNote["by"] | undefined;
  /** In milliseconds since 1970; `undefined` if no note has been used yet. */
  readonly notedAt: number | undefined;
}

/** Returns the agent that a hook named shortly before as the writer of this one text, if there is one. */
export function writtenBy({ path = "", written }: FollowedFile, disk: string): WrittenText {
  if (written?.disk === disk) return written;
  const note = writerOf(path);
  const age = note === undefined ? Number.NaN : (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) - note.at;
  const isMeant = note?.at !== written?.notedAt && age >= -limits.writerSlackMs && age <= limits.writerMs;
  return {
    disk,
    ...(isMeant ? { writer: note?.by, notedAt: note?.at } : { writer: undefined, notedAt: written?.notedAt }),
  };
}

/** Begins to follow a file. `before`: the file as it was followed until just now, if it was. */
export const followed = (uri: string, opening: unknown, before?: FollowedFile): FollowedFile => ({
  ...{
    base: undefined,
    conflicting: undefined,
    replaced: undefined,
    beforeMerge: undefined,
    merged: undefined,
    written: undefined,
  },
  ...before,
  ...{ uri, opening, path: undefined, link: undefined, coming: undefined, looking: undefined, asked: undefined },
});

/** The text that was on disk and not merged when the editor saved, which the server may hear of after the file has changed. */
export function notMerged({ conflicting, replaced }: FollowedFile): string | undefined {
  const isRecent = replaced !== undefined && performance.now() - replaced.at < limits.diskSettleMs;
  return conflicting ?? (isRecent ? replaced.text : undefined);
}

/** Forgets what the user has answered. A question that is open stays open. */
export function forgetAnswer(file: FollowedFile): void {
  if (file.asked?.isAgreed !== undefined) file.asked = undefined;
}

/** The fields of a file that a save changes. */
type BeforeSave = Pick<FollowedFile, "base" | "conflicting" | "beforeMerge">;

/** What was known of a file when it was saved; `replaced`: a text on disk that was not merged. */
export interface Saving {
  readonly before: BeforeSave;
  readonly replaced: string | undefined;
}
