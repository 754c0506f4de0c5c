/**
 * Follows the open files on disk. What another program writes reaches the editor: a document without unsaved text is
 * loaded again by the editor, and one with unsaved text is merged. All other cases are told to the user.
 */
import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { FileWatch } from "../../disk/fileWatch.js";
import { keepText } from "../../disk/keptTexts.js";
import type { ChangeSet } from "../../text/changeSet.js";
import { withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import type { OpenDocument } from "../../workspace/documents.js";
import { compareWithFile, type FileRead, isSameInOneByte, readTextFile, readToCompare } from "../../workspace/files.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { asSynced } from "../../workspace/trails.js";
import type { ClientFacts } from "../clients.js";
import { expectOwnWrite } from "../diagnostics/ownWrites.js";
import type { Caller, PlaceLines } from "../protocol.js";
import { announcedBy, type Session } from "../session.js";
import type { DiskFollower } from "./diskFollower.js";
import { type FollowedFile, followed, forgetAnswer, notMerged, type Saving, writtenBy } from "./followedFile.js";
import { changeOf, type DiskVerdict, hasAllUnsaved, judgeDisk } from "./judge.js";
import { adopt, agreesToMerge, linesOf, type MergeJob, mergedText, mergeIntoEditor } from "./mergeIntoEditor.js";
import { recordWrite } from "./recordWrite.js";
import { createReports, nameFor, tellToLoad } from "./reports.js";
import { diskLog } from "./sentences.js";
import { type TimeSpan, UnnamedWrites } from "./unnamedWrites.js";

/** Follows the files of a session's documents until the process ends. */
export class OpenFilesOnDisk implements DiskFollower {
  readonly #session: Session;
  readonly #files = new Map<string, FollowedFile>();
  /** The files that were closed just now: an editor that loads a file again may close and open its document. */
  readonly #closed = new Map<string, FollowedFile>();
  readonly #reports: ReturnType<typeof createReports>;
  readonly #watch: FileWatch;
  readonly #unnamed = new UnnamedWrites();
  /** Settles once the files of all opened documents have been compared. */
  #opened = Promise.resolve();

  constructor(session: Session) {
    this.#session = session;
    const isUnderWay = ({ coming, looking }: FollowedFile) => coming !== undefined || looking !== undefined;
    this.#reports = createReports(session, () => this.#loads && [...this.#files.values()].some(isUnderWay));
    this.#watch = new FileWatch((path) => {
      for (const file of this.#files.values()) {
        if (file.path === path) this.#look(file);
        else if (file.link === path) void this.#followLink(file);
      }
    });
    session.documents.onChange((uri) => this.#documentChanged(uri));
  }

  async settled(uri: string): Promise<boolean> {
    if (this.#isOff) return false;
    // Until then, nobody knows which text the editor and the disk had in common.
    await this.#opened;
    const file = this.#files.get(uri);
    if (file?.path === undefined) return false;
    const hasChanged = await this.#watch.settled(file.path);
    if (!hasChanged && file.looking === undefined && file.coming === undefined) return false;
    // A look that finds that the text has moved is followed by another one, as long as the person types.
    const until = performance.now() + limits.diskSettleMs;
    while (file.looking !== undefined && performance.now() < until) await file.looking;
    const { coming } = file;
    // A text that comes later may be told later: a program may write the file all the time.
    while (coming !== undefined && file.coming === coming && this.#files.get(uri) === file)
      await delay(limits.diskStillMs / 4);
    return true;
  }

  mergedLines(uri: string): readonly PlaceLines[] {
    const [file, document] = [this.#files.get(uri), this.#session.documents.get(uri)];
    return file?.merged === undefined || document === undefined ? [] : linesOf(file.merged, document);
  }

  async wroteDuring(span: TimeSpan, writer: Caller): Promise<void> {
    const record = async (file: FollowedFile): Promise<void> => {
      await this.settled(file.uri);
      const document = this.#documentOf(file);
      const write = document && this.#unnamed.take(file.uri, span, withoutMark(document.text));
      if (write !== undefined) this.#recordWrite(file, write.before, write.after, writer);
    };
    await Promise.all([...this.#files.values()].map(record));
  }

  saved(uri: string): void {
    const [file, document] = [this.#files.get(uri), this.#session.documents.get(uri)];
    if (file === undefined || document === undefined) return;
    const before = { base: file.base, conflicting: file.conflicting, beforeMerge: file.beforeMerge };
    const replaced = notMerged(file);
    // Another program may write the file before the server has seen the save on disk.
    const base = document.desynced === undefined ? withoutMark(document.text) : undefined;
    Object.assign(file, { base, conflicting: undefined, replaced: undefined, beforeMerge: undefined });
    forgetAnswer(file);
    this.#checkSave(file, base, { before, replaced }).catch((error: unknown) =>
      this.#session.log("error", String(error)),
    );
  }

  async merged(params: unknown): Promise<void> {
    const { uri, hash }: { uri?: unknown; hash?: unknown } = Object(params);
    const path = pathOfSyncedUri(String(uri));
    const file = this.#files.get(String(uri)) ?? [...this.#files.values()].find((one) => one.path === path);
    const read = file?.path === undefined ? undefined : await readTextFile(file.path);
    const document = file && this.#documentOf(file);
    if (file === undefined || read?.kind !== "text" || document === undefined) return;
    // What was written since the user looked is merged next.
    if (read.hash !== hash) return this.#look(file);
    Object.assign(file, { base: asSynced(read.text, document.text), conflicting: undefined });
  }

  /** Checks that a save has reached the file, and not one under another name. */
  async #checkSave(file: FollowedFile, saved: string | undefined, { before, replaced }: Saving): Promise<void> {
    const { path } = file;
    if (path === undefined) return;
    const read = await readToCompare(path);
    const isOnDisk = (text: string | undefined): boolean =>
      text !== undefined && compareWithFile(text, read, this.#session.facts.habits) === "same";
    const isUntouched = read.kind === "absent" || isOnDisk(before.base) || isOnDisk(replaced);
    if (isUntouched && !isOnDisk(saved)) {
      if (file.base === saved) Object.assign(file, before);
      // It was judged before the server knew all that was typed: what has been saved is in it.
      const document = this.#documentOf(file);
      const verdict = document && judgeDisk(document, file.base, read, this.#session.facts.habits);
      if (hasAllUnsaved(verdict, document)) this.#look(file);
    } else if (replaced !== undefined)
      this.#reports.add({ kind: "overwritten", path, keptAt: keepText(path, replaced) });
  }

  get #isOff(): boolean {
    return this.#session.settings.diskChanges === "off";
  }

  /** `true` if the client loads files that it is told to load. */
  get #loads(): boolean {
    return announcedBy(this.#session).didChangeOnDisk === true;
  }

  /** Returns a file's document; `undefined` if it was closed, or if its text is not known. */
  #documentOf({ uri, opening }: FollowedFile): OpenDocument | undefined {
    const document = this.#session.documents.get(uri);
    return document?.formerLines === opening && document?.desynced === undefined ? document : undefined;
  }

  #documentChanged(uri: string): void {
    const document = this.#session.documents.get(uri);
    const known = this.#files.get(uri);
    if (known !== undefined && known.opening !== document?.formerLines) this.#close(known);
    if (document === undefined || document.desynced !== undefined) return;
    const file = this.#files.get(uri);
    if (file === undefined) this.#open(document);
    else this.#textChanged(file, withoutMark(document.text));
  }

  #textChanged(file: FollowedFile, text: string): void {
    if (text === file.coming) this.#loaded(file, text);
    // The user may load a text that was not merged.
    if (text === file.coming || text === file.conflicting)
      Object.assign(file, { base: text, coming: undefined, conflicting: undefined });
    else if (file.coming !== undefined)
      this.#checkLoaded(file, text).catch((error: unknown) => this.#session.log("error", String(error)));
    if (text !== file.beforeMerge) return;
    Object.assign(file, { beforeMerge: undefined, merged: undefined });
    if (text !== file.base) this.#reports.add({ kind: "mergeUndone", path: file.path ?? file.uri });
  }

  /** Finds out whether the editor has loaded a newer text than the one that it was told to load. */
  async #checkLoaded(file: FollowedFile, text: string): Promise<void> {
    const read = file.path === undefined ? undefined : await readToCompare(file.path);
    if (read === undefined || compareWithFile(text, read, this.#session.facts.habits) !== "same") return;
    if (file.coming === undefined) return;
    file.written = writtenBy(file, text);
    this.#loaded(file, text);
    Object.assign(file, { base: text, coming: undefined });
  }

  #open({ uri, formerLines, text }: OpenDocument): void {
    const file = followed(uri, formerLines, this.#closed.get(uri));
    this.#closed.delete(uri);
    this.#files.set(uri, file);
    // One file after the other, because an editor may open many at once.
    this.#opened = this.#opened.then(() => this.#compare(file, text)).catch(() => undefined);
  }

  /** Begins to watch an opened document's file. `text`: the text as it was opened. */
  async #compare(file: FollowedFile, text: string): Promise<void> {
    const path = pathOfSyncedUri(file.uri);
    if (path === undefined || this.#files.get(file.uri) !== file) return;
    // A link is watched before it is followed, so that one that is replaced at this moment is not missed.
    file.path = path;
    this.#watch.add(path);
    const real = await realpath(path).catch(() => path);
    if (this.#files.get(file.uri) !== file) return;
    if (real !== path) {
      Object.assign(file, { path: real, link: path });
      this.#watch.add(real);
    }
    const read = await readToCompare(file.path);
    const isSame = (one: string): boolean => compareWithFile(one, read, this.#session.facts.habits) === "same";
    if (isSame(text)) Object.assign(file, { base: withoutMark(text), conflicting: undefined });
    else if (file.base !== undefined && !isSame(file.base)) this.#look(file);
    // An editor that has opened the file before the server began knows by itself whether the text is unsaved.
    else if (file.base === undefined && read.kind === "text" && this.#loads && !this.#isOff)
      this.#load(file, asSynced(read.text, withoutMark(text)), () => undefined);
  }

  #close(file: FollowedFile): void {
    this.#files.delete(file.uri);
    this.#closed.set(file.uri, file);
    setTimeout(() => {
      if (this.#closed.get(file.uri) === file) this.#closed.delete(file.uri);
    }, limits.diskSettleMs).unref();
    this.#unwatch(file.path);
    this.#unwatch(file.link);
  }

  /** Stops watching a path, unless a file still needs it. */
  #unwatch(path: string | undefined): void {
    const isNeeded = [...this.#files.values()].some((file) => file.path === path || file.link === path);
    if (path !== undefined && !isNeeded) this.#watch.remove(path);
  }

  /** Follows another file if a link in the document's path leads there by now. */
  async #followLink(file: FollowedFile): Promise<void> {
    const { path: before, link = "" } = file;
    const path = await realpath(link).catch(() => before);
    if (path === undefined || path === before || this.#files.get(file.uri) !== file) return;
    file.path = path;
    this.#watch.add(path);
    this.#unwatch(before);
    this.#look(file);
  }

  /** Looks at a file that has changed on disk. `told`: the text that the editor was told to load and has not loaded. */
  #look(file: FollowedFile, told?: string): void {
    if (this.#isOff) return;
    const { inTurn, log } = this.#session;
    const look = inTurn(() => this.#takeOver(file, told))
      .catch((error: unknown) => log("error", String(error)))
      .then(() => {
        if (file.looking === look) file.looking = undefined;
      });
    file.looking = look;
  }

  async #takeOver(file: FollowedFile, told: string | undefined): Promise<void> {
    const { path } = file;
    if (path === undefined) return;
    // Of a document that is out of sync, nobody knows what is unsaved.
    if (this.#session.documents.get(file.uri)?.desynced !== undefined)
      return this.#reports.add({ kind: "unmerged", path });
    const read = await readTextFile(path);
    file.merged = undefined;
    const document = this.#documentOf(file);
    if (document === undefined || isSavedInOneByte(document, path, read, this.#session.facts)) return;
    const verdict = judgeDisk(document, file.base, read, this.#session.facts.habits);
    const disk = "disk" in verdict ? verdict.disk : "";
    if ("disk" in verdict) this.#noteWriter(file, disk);
    // A program that runs at each save may write before the server hears of the save.
    const isStale = verdict.kind === "clean" || (!this.#loads && hasAllUnsaved(verdict, document));
    if (isStale && (told === undefined || !this.#loads))
      return this.#load(file, disk, () => this.#notLoaded(file, disk));
    if (told !== undefined && verdict.kind === "common" && withoutMark(document.text) === told)
      this.#loaded(file, told);
    // What was written since is told next.
    if (told !== undefined && disk !== told && verdict.kind !== "common") return;
    const change = changeOf(verdict, document);
    if (change !== undefined && this.#loads)
      return this.#merge(file, { document, change, disk, isClean: verdict.kind === "clean" }, read);
    // The file has another time, so the editor would ask before it saves.
    const isUnsaved = verdict.kind === "common" && verdict.base !== withoutMark(document.text);
    if (isUnsaved && this.#loads && read.kind === "text" && read.hash !== undefined)
      void adopt(this.#session, file.uri, read.hash);
    this.#note(file, path, verdict);
  }

  #noteWriter(file: FollowedFile, disk: string): void {
    const before = file.written;
    file.written = writtenBy(file, disk);
    const { writer } = file.written;
    if (file.written !== before && writer !== undefined) expectOwnWrite(this.#session, writer, file.uri);
  }

  /** Notes a verdict after which the document stays as it is. */
  #note(file: FollowedFile, path: string, verdict: DiskVerdict): void {
    if (verdict.kind === "common") {
      const text = withoutMark(this.#documentOf(file)?.text ?? "");
      // A program may also have put the old text back.
      if (file.conflicting !== undefined && verdict.base === text)
        file.replaced = { text: file.conflicting, at: performance.now() };
      forgetAnswer(Object.assign(file, { base: verdict.base, coming: undefined, conflicting: undefined }));
    } else if (verdict.kind === "missing") this.#reports.add({ kind: "missing", path });
    else if (verdict.kind === "unreadable") this.#reports.add({ kind: "unreadable", path, reason: verdict.reason });
    else {
      if ("disk" in verdict) file.conflicting = verdict.disk;
      const isNamed = verdict.kind === "conflict" && this.#loads;
      this.#reports.add(isNamed ? { kind: "conflict", path, lines: verdict.lines } : { kind: "unmerged", path });
    }
  }

  /** Merges a file's text on disk into the editor, after a question if the settings ask for one. */
  async #merge(file: FollowedFile, { document, change, disk, isClean }: Merge, read: FileRead): Promise<void> {
    const session = this.#session;
    const { path = "" } = file;
    const hash = (read.kind === "text" && read.hash) || "";
    const job = { path, name: nameFor(session, path), document, change, hash, writer: file.written?.writer?.name };
    const isAgreed = file.asked?.hash === hash && file.asked.isAgreed === true;
    if (session.settings.diskChanges !== "merge" && !change.isEmpty && !isClean && !isAgreed) {
      this.#ask(file, job, disk).catch((error: unknown) => session.log("error", String(error)));
      return;
    }
    const outcome = await mergeIntoEditor(session, job);
    if (outcome === "moved") return this.#look(file, isClean ? disk : undefined);
    if (outcome === "refused") {
      file.conflicting = disk;
      return this.#reports.add({ kind: "refused", path });
    }
    const beforeMerge = change.isEmpty ? undefined : withoutMark(document.text);
    const merged = mergedText(document, change);
    Object.assign(file, { base: disk, conflicting: undefined, beforeMerge, merged });
    this.#recordWrite(file, withoutMark(document.text), merged.text);
    // An agent that asks for the text is not told that the file has changed under it.
    session.diskStamps.remember(file.uri);
    if (!change.isEmpty) this.#reports.add({ kind: isClean ? "loaded" : "merged", path });
  }

  /** Asks the user about a merge. The other calls need not wait for the answer. */
  async #ask(file: FollowedFile, job: MergeJob, disk: string): Promise<void> {
    file.conflicting = disk;
    const { asked } = file;
    // While a question is open, there is no other: the file is looked at again once it is answered.
    if (asked !== undefined && (asked.isAgreed === undefined || asked.hash === job.hash)) return;
    file.asked = { hash: job.hash, isAgreed: undefined };
    let isAgreed = false;
    try {
      isAgreed = await agreesToMerge(this.#session, job);
    } finally {
      file.asked = { hash: job.hash, isAgreed };
    }
    this.#look(file);
  }

  /** The editor has loaded a text. The user is told of it only beside what else has become of files at the same time. */
  #loaded(file: FollowedFile, text: string): void {
    const { uri } = file;
    this.#reports.add({ kind: "loaded", path: file.path ?? uri });
    // The user has seen the new text, so whatever they type from now on is not older than the file.
    this.#session.diskStamps.remember(uri, this.#session.documents.get(uri)?.version);
    this.#recordWrite(file, file.base, text);
  }

  /** Records what an agent has written with a tool of its own. `before`: `undefined` if that text is not known. */
  #recordWrite(file: FollowedFile, before: string | undefined, after: string, byCommand?: Caller): void {
    const writer = byCommand ?? file.written?.writer;
    const { uri, path } = file;
    const document = this.#documentOf(file);
    if (before === undefined || before === after || path === undefined || document === undefined) return;
    this.#session.log("debug", diskLog.cameFrom(uri, writer?.name));
    const place = { path, name: nameFor(this.#session, path), document };
    if (writer !== undefined)
      recordWrite(this.#session, place, { before, after, writer, isUnread: byCommand !== undefined });
    else if (this.#session.review?.isOn === true)
      this.#unnamed.add(uri, { before, after, at: statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0 });
  }

  /** Has the editor load a file, and waits for its text. `failed`: called if it does not come. */
  #load(file: FollowedFile, disk: string, failed: () => void): void {
    file.coming = disk;
    if (this.#loads) tellToLoad(this.#session, file.uri);
    setTimeout(() => {
      if (this.#files.get(file.uri) !== file || file.coming !== disk) return;
      file.coming = undefined;
      failed();
    }, limits.diskSettleMs).unref();
  }

  #notLoaded(file: FollowedFile, disk: string): void {
    if (this.#loads) this.#look(file, disk);
    else {
      // The user may load it later, or replace it by a save.
      file.conflicting = disk;
      this.#reports.add({ kind: "stale", path: file.path ?? file.uri });
    }
  }
}

/** Reports whether a file that is not in Unicode has the document's text: the editor has saved it. */
function isSavedInOneByte({ text }: OpenDocument, path: string, read: FileRead, { habits }: ClientFacts): boolean {
  return read.kind === "failed" && read.failure.code === "unsupportedEncoding" && isSameInOneByte(text, path, habits);
}

/** A merge of what was written into the document, and the text on disk. `isClean`: it has no unsaved text. */
interface Merge {
  readonly document: OpenDocument;
  readonly change: ChangeSet;
  readonly disk: string;
  readonly isClean: boolean;
}
