/**
 * Follows the open files on disk. What another program writes reaches the editor: a document without unsaved text is
 * loaded again by the editor, and one with unsaved text is merged. All other cases are told to the user.
 */
import { realpath } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { createFileWatch } from "../../disk/fileWatch.js";
import { keepText } from "../../disk/keptTexts.js";
import { compareTexts } from "../../match/compareTexts.js";
import type { ChangeSet } from "../../text/changeSet.js";
import { withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { LineIndex } from "../../text/lines.js";
import type { OpenDocument } from "../../workspace/documents.js";
import { compareWithFile, type FileRead, readTextFile } from "../../workspace/files.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { asSynced } from "../../workspace/trails.js";
import { notifications, type PlaceLines } from "../protocol.js";
import { announcedBy, type Session } from "../session.js";
import type { DiskFollower } from "./diskFollower.js";
import { judgeDisk } from "./judge.js";
import { agreesToMerge, type MergeJob, mergeIntoEditor } from "./mergeIntoEditor.js";
import { createReports, nameFor } from "./reports.js";

/** An open document's file, as far as the server has followed it. All texts are as the editor syncs them, without a mark. */
export interface FollowedFile {
  readonly uri: string;
  /** All versions of a document since it was opened share this object. */
  readonly opening: unknown;
  /** The canonical path of the file; `undefined` until it is known. */
  path: string | undefined;
  /** The text that the editor and the disk last had in common; `undefined` if they never had, as far as the server knows. */
  base: string | undefined;
  /** The text on disk that the editor has been told to load; `undefined` if it has loaded it. */
  coming: string | undefined;
  /** A text on disk that conflicts with the unsaved text; `undefined` if there is none. */
  conflicting: string | undefined;
  /** The hash of the text on disk that the user has agreed to merge; `undefined` if there is none. */
  agreed: string | undefined;
  /** The lines, 1-based, that the last change on disk brought into unsaved text. */
  mergedLines: readonly PlaceLines[];
  /** The editor's text before the last merge, until the file is saved; `undefined` if there was none. */
  beforeMerge: string | undefined;
}

/** Follows the files of a session's documents until the process ends. */
export function followDisk(session: Session): DiskFollower {
  const { documents } = session;
  const files = new Map<string, FollowedFile>();
  /** The files that were closed just now: an editor that loads a file again may close and open its document. */
  const closed = new Map<string, FollowedFile>();
  const reports = createReports(session);
  const watch = createFileWatch((path) => {
    for (const file of files.values()) if (file.path === path) look(file);
  });
  let opened = Promise.resolve();

  const textOf = ({ uri, opening }: FollowedFile): OpenDocument | undefined => {
    const document = documents.get(uri);
    const isThis = document?.formerLines === opening && document?.desynced === undefined;
    return isThis ? document : undefined;
  };

  const isSame = (text: string, file: FileRead): boolean =>
    compareWithFile(text, file, session.facts.habits) === "same";

  async function open(file: FollowedFile, text: string): Promise<void> {
    const path = pathOfSyncedUri(file.uri);
    if (path === undefined || files.get(file.uri) !== file) return;
    file.path = await realpath(path).catch(() => path);
    if (files.get(file.uri) !== file) return;
    watch.add(file.path);
    const read = await readTextFile(file.path);
    if (isSame(text, read)) file.base = withoutMark(text);
    else if (file.base !== undefined && !isSame(file.base, read)) look(file);
    // An editor that has opened the file before the server began knows by itself whether the text is unsaved.
    else if (file.base === undefined && read.kind === "text") tellToLoad(file);
  }

  function close(file: FollowedFile): void {
    files.delete(file.uri);
    closed.set(file.uri, file);
    setTimeout(() => closed.get(file.uri) === file && closed.delete(file.uri), limits.diskSettleMs).unref();
    const isShared = [...files.values()].some(({ path }) => path === file.path);
    if (file.path !== undefined && !isShared) watch.remove(file.path);
  }

  documents.onChange((uri) => {
    const document = documents.get(uri);
    const known = files.get(uri);
    if (known !== undefined && known.opening !== document?.formerLines) close(known);
    if (document === undefined || document.desynced !== undefined) return;
    const file = files.get(uri);
    if (file === undefined) {
      const fresh = followed(uri, document.formerLines, closed.get(uri));
      closed.delete(uri);
      files.set(uri, fresh);
      // One file after the other, because an editor may open many at once.
      opened = opened.then(() => open(fresh, document.text)).catch(() => undefined);
      return;
    }
    const text = withoutMark(document.text);
    if (text === file.coming) Object.assign(file, { base: text, coming: undefined });
    if (text !== file.beforeMerge) return;
    file.beforeMerge = undefined;
    if (text !== file.base) reports.add({ kind: "mergeUndone", path: file.path ?? uri });
  });

  /** Looks at a file that has changed on disk. `mayLoad`: `true` if the editor may be told to load it. */
  function look(file: FollowedFile, mayLoad = true): void {
    if (session.settings.diskChanges === "off") return;
    session.inTurn(() => takeOver(file, mayLoad)).catch((error: unknown) => session.log("error", String(error)));
  }

  async function takeOver(file: FollowedFile, mayLoad: boolean): Promise<void> {
    const { path } = file;
    if (path === undefined) return;
    // Of a document that is out of sync, nobody knows what is unsaved.
    if (documents.get(file.uri)?.desynced !== undefined) return reports.add({ kind: "unmerged", path });
    const read = await readTextFile(path, path, {
      isRegular: false,
      isQuick: false,
      isCanonical: true,
      isHashed: true,
    });
    file.mergedLines = [];
    const document = textOf(file);
    if (document === undefined) return;
    const isKnowing = announcedBy(session).didChangeOnDisk === true;
    const verdict = judgeDisk(document, file.base, read, session.facts.habits);
    switch (verdict.kind) {
      case "missing":
        return reports.add({ kind: "missing", path });
      case "unreadable":
        return reports.add({ kind: "unreadable", path, reason: verdict.reason });
      case "common":
        Object.assign(file, { base: verdict.base, coming: undefined, conflicting: undefined });
        return;
      case "clean":
        if (mayLoad || !isKnowing) return load(file, verdict.disk, isKnowing);
        return merge(
          file,
          { document, change: compareTexts(withoutMark(document.text), verdict.disk), disk: verdict.disk },
          read,
        );
      case "baseless":
        return reports.add({ kind: "unmerged", path });
      case "conflict":
        file.conflicting = verdict.disk;
        return reports.add(isKnowing ? { kind: "conflict", path, lines: verdict.lines } : { kind: "unmerged", path });
      case "merged":
        if (!isKnowing) return reports.add({ kind: "unmerged", path });
        return merge(file, { document, change: verdict.change, disk: verdict.disk }, read);
    }
  }

  /** Merges a file's text on disk into the editor, after a question if the settings ask for one. */
  async function merge(file: FollowedFile, { document, change, disk }: Merge, read: FileRead): Promise<void> {
    const { path = "" } = file;
    const hash = (read.kind === "text" && read.hash) || "";
    const job = { path, name: nameFor(session, path), document, change, hash };
    const isAgreed = session.settings.diskChanges === "merge" || change.isEmpty || file.agreed === hash;
    if (!isAgreed) return void ask(file, job, disk).catch((error: unknown) => session.log("error", String(error)));
    const outcome = await mergeIntoEditor(session, job);
    if (outcome === "moved") return look(file);
    if (outcome === "refused") return reports.add({ kind: "refused", path });
    const beforeMerge = change.isEmpty ? undefined : withoutMark(document.text);
    Object.assign(file, { base: disk, conflicting: undefined, beforeMerge, mergedLines: linesOf(document, change) });
    // An agent that asks for the text is not told that the file has changed under it.
    session.diskStamps.remember(file.uri);
    if (!change.isEmpty) reports.add({ kind: "merged", path });
  }

  /** Asks the user about a merge. The other calls need not wait for the answer. */
  async function ask(file: FollowedFile, job: MergeJob, disk: string): Promise<void> {
    file.conflicting = disk;
    if (!(await agreesToMerge(session, job))) return;
    file.agreed = job.hash;
    look(file);
  }

  function tellToLoad({ uri }: FollowedFile): void {
    if (announcedBy(session).didChangeOnDisk !== true || session.settings.diskChanges === "off") return;
    const params = { uris: [uri] };
    session.connection.sendNotification(notifications.didChangeOnDisk, params).catch(() => undefined);
  }

  /** Has the editor load a file, and waits for its text. */
  function load(file: FollowedFile, disk: string, isKnowing: boolean): void {
    file.coming = disk;
    tellToLoad(file);
    setTimeout(() => {
      if (files.get(file.uri) !== file || file.coming !== disk) return;
      file.coming = undefined;
      if (isKnowing) look(file, false);
      else reports.add({ kind: "stale", path: file.path ?? file.uri });
    }, limits.diskSettleMs).unref();
  }

  return {
    async settled(uri) {
      const file = files.get(uri);
      if (file?.path === undefined || session.settings.diskChanges === "off") return false;
      if (!(await watch.settled(file.path)) && file.coming === undefined) return false;
      await session.inTurn(async () => undefined);
      while (file.coming !== undefined && files.get(uri) === file) await delay(limits.diskStillMs / 4);
      return true;
    },
    mergedLines: (uri) => files.get(uri)?.mergedLines ?? [],
    saved(uri) {
      const [file, document] = [files.get(uri), documents.get(uri)];
      if (file === undefined || document === undefined) return;
      const text = withoutMark(document.text);
      const { path, conflicting } = file;
      if (path !== undefined && conflicting !== undefined)
        reports.add({ kind: "overwritten", path, keptAt: keepText(path, conflicting) });
      // Another program may write the file before the server has seen the save on disk.
      Object.assign(file, { base: text, conflicting: undefined, beforeMerge: undefined });
    },
    async merged(params) {
      const { uri, hash }: { uri?: unknown; hash?: unknown } = Object(params);
      const path = pathOfSyncedUri(String(uri));
      const file = files.get(String(uri)) ?? [...files.values()].find((one) => one.path === path);
      const read = file?.path === undefined ? undefined : await readTextFile(file.path);
      const document = file && textOf(file);
      if (file === undefined || read?.kind !== "text" || document === undefined) return;
      // What was written since the user looked is merged next.
      if (read.hash !== hash) return look(file);
      Object.assign(file, { base: asSynced(read.text, document.text), conflicting: undefined });
    },
  };
}

/** A merge: the changes to the document by which it gets what was written, and the text on disk. */
interface Merge {
  readonly document: OpenDocument;
  readonly change: ChangeSet;
  readonly disk: string;
}

/** Returns the lines, 1-based, of the new text that changes make of a document. */
function linesOf(document: OpenDocument, change: ChangeSet): readonly PlaceLines[] {
  const after = LineIndex.of(change.apply(withoutMark(document.text)), document);
  return change.changes.map(({ from, insert }) => {
    const start = change.mapPos(from, "before");
    const end = Math.max(start, start + insert.length - 1);
    return { startLine: after.lineAt(start) + 1, endLine: after.lineAt(end) + 1 };
  });
}

/** Begins to follow a file. `before`: the file as it was followed until just now, if it was. */
const followed = (uri: string, opening: unknown, before?: FollowedFile): FollowedFile => ({
  ...{ base: undefined, conflicting: undefined, agreed: undefined, beforeMerge: undefined },
  mergedLines: [],
  ...before,
  ...{ uri, opening, path: undefined, coming: undefined },
});
