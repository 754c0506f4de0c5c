/** What the editor does to whole files, one request each: proved by the disk, and taken back where a later step fails. */
import { setTimeout as delay } from "node:timers/promises";
import type { WorkspaceEdit } from "vscode-languageserver/node";
import type { Failure } from "../../plan/failure.js";
import {
  asUpdate,
  type FileChange,
  type FileCreation,
  type FileDeletion,
  type FileRename,
  nameAfter,
} from "../../plan/outcome.js";
import { ChangeSet } from "../../text/changeSet.js";
import { limits } from "../../text/limits.js";
import { shrink } from "../../text/shrink.js";
import type { OpenDocument } from "../../workspace/documents.js";
import { isThere, type KeptFile, keepFile, makeParents, removeKept, writeAgain } from "../../workspace/fileBackup.js";
import { readTextFile, sameAsDisk } from "../../workspace/files.js";
import type { ResolvedPath } from "../../workspace/paths.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { fileProblems, pathFailures, staleFailures, staleProblems } from "../../workspace/sentences.js";
import { labelOf } from "../edit/result.js";
import { offers, toTextDocumentEdit } from "../edit/workspaceEdit.js";
import type { CallOptions } from "../protocol.js";
import { callSentences } from "../sentences.js";
import { openAt, type Session } from "../session.js";
import { isExpected, type Proof, prove, request, whichText } from "./applyOutcome.js";

/** Where the steps of one call are done. */
export interface Site {
  readonly session: Session;
  readonly options: CallOptions;
  /** Where the files of the plan are, by URI. */
  readonly places: ReadonlyMap<string, ResolvedPath>;
}

/** What became of one step. */
export type StepProof =
  | Proof
  | { readonly kind: "failed"; readonly failure: Failure }
  /** The disk is neither as it was nor as it was to be, until it can be written again. */
  | { readonly kind: "pending"; readonly failure: Failure }
  /** The disk is as it was to be, but does not confirm that it stays so through a power cut. */
  | { readonly kind: "unconfirmed"; readonly failure: Failure }
  /** The file was created, but got no text and could not be deleted again. */
  | { readonly kind: "leftEmpty" };

/** A step on a whole file. */
export interface FileStep {
  readonly proof: StepProof;
  /** A deleted file as it was right before; `undefined`: it was not deleted. */
  readonly kept?: KeptFile;
  /** SHA-256, in hex, of a renamed file right before; `undefined`: it was not renamed, or is too large to be read. */
  readonly hash?: string;
  /** Takes away the directories that were made for a new name, which not every editor makes. */
  readonly tidy?: () => Promise<void>;
  /** Whether the editor had a renamed file open; `undefined`: it was not renamed. */
  readonly wasOpen?: boolean;
}

/** The file first and its text in a second request: some editors prompt for both in one, or lose the text. */
export async function createFile(site: Site, file: FileCreation): Promise<FileStep> {
  const { uri, path: name } = file.document;
  const path = namePathOf(site, uri);
  if (path === undefined) throw new Error("only files are created");
  // Some editors empty what is there already. Behind a rename the old name may still be open in them.
  if (openAt(site.session, uri) !== undefined || (await isThere(path))) return { proof: nameTaken(name) };
  const tidy = await makeParents(path);
  const proof = await createAndFill(site, file);
  if (!(await isThere(path))) await tidy();
  return { proof, tidy };
}

async function createAndFill(site: Site, file: FileCreation): Promise<StepProof> {
  const { session, options } = site;
  const { uri } = file.document;
  const label = labelOf([file], options);
  const answer = await request(session, { label, edit: { documentChanges: [{ kind: "create", uri }] } });
  if (answer.silent) return { kind: "silent" };
  // An editor may say no to what it has done: the disk tells. A file with a text is somebody else's.
  const isMade = answer.applied || (await onDiskNow(site, file, "")) === "same";
  if (!isMade) return { kind: "refused", reason: answer.reason };
  if (file.change.isEmpty) {
    const there = openAt(session, uri) !== undefined || (await onDiskNow(site, file, "")) === "same";
    return { kind: there ? "proved" : "unproved" };
  }
  const document = { ...file.document, version: openAt(session, uri)?.version ?? null };
  const edit: WorkspaceEdit = { documentChanges: [toTextDocumentEdit({ ...file, document }, session)] };
  const proof = await prove(session, file, { label, edit });
  if (proof.kind === "proved" || proof.kind === "unproved") return proof;
  // The file was not there when it was planned, so there is no text that could have moved on.
  const isGone = await removeFile(site, file, {});
  if (!isGone && (await onDiskNow(site, file, "")) === "same") return { kind: "leftEmpty" };
  return proof.kind === "moved" ? { kind: "diverged" } : proof;
}

/** Deletes a file that the batch created, unless somebody else has written into it. */
export async function removeFile(site: Site, file: FileChange, { tidy }: Pick<FileStep, "tidy">): Promise<boolean> {
  const { session } = site;
  const isOurs = (await onDiskNow(site, file, "")) === "same" || (await onDiskNow(site, file, file.text)) === "same";
  const open = openAt(session, file.document.uri);
  const isUntouched = open === undefined || /^(?:\r\n|\n|\r)?$/.test(open.text) || isExpected(session, file, open.text);
  if (!isOurs || !isUntouched || !offers(session, "delete")) return false;
  const edit: WorkspaceEdit = { documentChanges: [{ kind: "delete", uri: open?.uri ?? file.document.uri }] };
  await request(session, { label: "Undo", edit });
  // Proved by the disk, as everything else is by the text; an editor may answer before it deletes.
  const isGone = await until(
    async () => (await onDiskNow(site, file, "")) === undefined,
    session.settings.proofTimeout,
  );
  if (isGone) await tidy?.();
  return isGone;
}

const nameTaken = (path: string): StepProof => ({
  kind: "failed",
  failure: staleFailures.contentModified({ path }, staleProblems.nameTaken),
});

/**
 * Gives a file its new name. `isEdited`: its text has just been changed, so that only its name is looked at again;
 * otherwise a file that is not the one that was planned on has `moved`.
 */
export async function renameFile(
  site: Site,
  file: FileRename,
  { isEdited }: { readonly isEdited: boolean },
): Promise<FileStep> {
  const { session, options } = site;
  const { document, target } = file;
  const open = openAt(session, document.uri);
  const operation = { kind: "rename", oldUri: open?.uri ?? document.uri, newUri: target.uri } as const;
  const [oldPath, newPath] = [namePathOf(site, operation.oldUri), namePathOf(site, operation.newUri)];
  if (oldPath === undefined || newPath === undefined) throw new Error("only files are renamed");
  const keeping = await keepFile(oldPath, document.path);
  if (keeping.kind === "absent") return { proof: isMissing(file, open) };
  // A file that is too large to be kept can be renamed all the same; of the others the bytes are not needed any more.
  const hash = keeping.kind === "kept" ? keeping.file.hash : undefined;
  const isOther = (open === undefined) !== (document.version === null) || isOtherFile(file, hash);
  if (!isEdited && isOther) return { proof: { kind: "moved" } };
  if (openAt(session, target.uri) !== undefined || (await isThere(newPath))) return { proof: nameTaken(target.path) };
  const tidy = await makeParents(newPath);
  const label = labelOf([file], options);
  const proof = await proveByDisk(session, {
    label,
    edit: { documentChanges: [operation] },
    isDone: async () => !(await isThere(oldPath)) && (await isThere(newPath)),
    isUntouched: async () => (await isThere(oldPath)) && !(await isThere(newPath)),
  });
  if (proof.kind === "refused") await tidy();
  const more = { tidy, wasOpen: open !== undefined, ...(hash === undefined ? {} : { hash }) };
  if (proof.kind !== "proved" || open === undefined) return { proof, ...more };
  // Some editors keep the document under its old name, and some close it and leave the text to the disk.
  const nowAt = () => openAt(session, target.uri);
  const isSaved = async () => (await sameAsDisk(open.text, newPath, session.facts.habits)) === "same";
  await until(
    async () => openAt(session, document.uri) === undefined && (nowAt() !== undefined || (await isSaved())),
    session.settings.proofTimeout,
  );
  const text = (nowAt() ?? openAt(session, document.uri))?.text;
  const isLost =
    text === undefined
      ? !(await isSaved())
      : text !== open.text && !file.change.isEmpty && whichText(file, text) === "old";
  return { proof: isLost ? { kind: "diverged" } : proof, ...more };
}

/** Gives a renamed file its old name back. `saved`: it has it, but the editor wrote something else into it on the way. */
export async function renameBack(
  site: Site,
  file: FileRename,
  { hash, tidy, wasOpen }: FileStep,
): Promise<"back" | "saved" | "stuck"> {
  const { session } = site;
  const { document, target } = file;
  const open = openAt(session, target.uri);
  const oldUri = open?.uri ?? target.uri;
  const [oldPath, newPath] = [namePathOf(site, document.uri), namePathOf(site, oldUri)];
  if (oldPath === undefined || newPath === undefined || !(await isThere(newPath))) return "stuck";
  if (await isThere(oldPath)) return "stuck";
  const proof = await proveByDisk(session, {
    label: "Undo",
    edit: { documentChanges: [{ kind: "rename", oldUri, newUri: document.uri }] },
    isDone: async () => !(await isThere(newPath)) && (await isThere(oldPath)),
    isUntouched: async () => isThere(newPath),
  });
  if (proof.kind !== "proved") return "stuck";
  // Its text is taken back where the editor has it open.
  if (wasOpen === true)
    await until(async () => openAt(session, document.uri) !== undefined, session.settings.proofTimeout);
  await tidy?.();
  const now = await keepFile(oldPath, document.path);
  const isSame = hash === undefined || (now.kind === "kept" && now.file.hash === hash);
  return isSame ? "back" : "saved";
}

/**
 * Deletes a file that is still what was planned on, otherwise it has `moved`. Its bytes are kept; `budget` counts them over
 * the whole call.
 */
export async function deleteFile(site: Site, file: FileDeletion, budget: { bytes: number }): Promise<FileStep> {
  const { session, options } = site;
  const { document } = file;
  const open = openAt(session, document.uri);
  const operation = { kind: "delete", uri: open?.uri ?? document.uri } as const;
  const path = namePathOf(site, operation.uri);
  if (path === undefined) throw new Error("only files are deleted");
  if ((open?.version ?? null) !== document.version) return { proof: { kind: "moved" } };
  const keeping = await keepFile(path, document.path);
  if (keeping.kind === "absent") return { proof: isMissing(file, open) };
  if (keeping.kind === "failed") return { proof: keeping };
  const kept = keeping.file;
  const bytes = budget.bytes + kept.bytes.length;
  if (bytes > limits.callFileBytes) {
    const failure = pathFailures.tooLarge(document.path, bytes, limits.callFileBytes, "bytes");
    return { proof: { kind: "failed", failure } };
  }
  const isOther =
    open === undefined ? isOtherFile(file, kept.hash) : (await onDiskNow(site, file, open.text)) !== document.onDisk;
  if (isOther) return { proof: { kind: "moved" } };
  const proof = await proveByDisk(session, {
    label: labelOf([file], options),
    edit: { documentChanges: [operation] },
    isDone: async () => !(await isThere(path)),
    isUntouched: async () => isThere(path),
  });
  budget.bytes = bytes;
  // What comes next may need the name, which the editor has until it says that the document is closed; some never do.
  if (proof.kind === "proved" && open !== undefined) {
    await until(async () => openAt(session, document.uri) === undefined, session.settings.proofTimeout);
  }
  return { proof, kept };
}

/** Writes a deleted file again, and gives its document the unsaved text back if the editor has thrown it away. */
export async function undelete(site: Site, file: FileChange, kept: KeptFile | undefined): Promise<boolean> {
  const { session } = site;
  const { document } = file;
  if (kept === undefined || !(await writeAgain(kept))) return false;
  const wasUnsaved = document.onDisk === "differs";
  if (!wasUnsaved || openAt(session, document.uri) !== undefined) return true;
  const read = await readTextFile(kept.path);
  if (read.kind !== "text") return false;
  const { text } = document;
  const change = ChangeSet.of(read.text.length, shrink(read.text, { from: 0, to: read.text.length, insert: text }));
  if (change.isEmpty) return true;
  const closed = { ...document, version: null, text: read.text, bom: read.bom, bomSynced: false };
  const unsaved = asUpdate({ ...file, document: closed, change, text });
  const edit: WorkspaceEdit = { documentChanges: [toTextDocumentEdit(unsaved, session)] };
  return (await prove(session, unsaved, { label: "Undo", edit })).kind === "proved";
}

/** Writes a file again that an earlier call deleted, where nothing has its name by now. */
export async function restoreFile(site: Site, file: FileCreation, bytes: KeptFile): Promise<FileStep> {
  const { path } = file.document;
  if (await isThere(bytes.path)) return { proof: nameTaken(path) };
  if (await undelete(site, { ...file, document: { ...file.document, text: file.text } }, bytes)) {
    return { proof: { kind: "proved" } };
  }
  await removeRestored(site, file, bytes);
  return { proof: { kind: "failed", failure: pathFailures.ioError(path, fileProblems.notWritten()) } };
}

/** Deletes a file again that was restored, unless somebody has changed it meanwhile. */
export async function removeRestored(site: Site, file: FileChange, bytes: KeptFile): Promise<boolean> {
  if (openAt(site.session, file.document.uri) !== undefined) return false;
  const now = await keepFile(bytes.path, file.document.path);
  if (now.kind === "absent") return true;
  return now.kind === "kept" && now.file.hash === bytes.hash && (await removeKept(bytes));
}

/** Whether a file has a text on disk, under the name that it has in the end. */
export function diskAfter(site: Site, file: FileChange, text: string): Promise<"same" | "differs" | undefined> {
  return onDiskNow(site, { ...file, document: { ...file.document, uri: nameAfter(file).uri } }, text);
}

/** Whether the file on disk has a text now. `undefined`: there is no file. */
async function onDiskNow(
  { places, session }: Site,
  { document: { uri } }: FileChange,
  text: string,
): Promise<"same" | "differs" | undefined> {
  const path = places.get(uri)?.file ?? pathOfSyncedUri(uri);
  return path === undefined ? undefined : sameAsDisk(text, path, session.facts.habits);
}

/** The path that a file operation with this URI is about; `undefined`: it is no file. */
/** The path at which a file of the plan is known by name; `undefined`: it is no file. */
export function namePathOf({ places }: Site, uri: string): string | undefined {
  const place = places.get(uri);
  // A link that the editor has open is renamed and deleted itself, not what it leads to.
  return place?.file === undefined || place.open !== undefined ? pathOfSyncedUri(uri) : place.file;
}

/** Whether the bytes of a file that is not open are others than those that were planned on. */
function isOtherFile({ document: { version, hash } }: FileChange, hashNow: string | undefined): boolean {
  return version === null && hash !== undefined && hashNow !== hash;
}

/** A file that is gone is planned again; a document that was never saved has none. */
function isMissing({ document: { path } }: FileChange, open: OpenDocument | undefined): StepProof {
  if (open === undefined) return { kind: "moved" };
  return { kind: "failed", failure: staleFailures.contentModified({ path }, callSentences.noFile) };
}

/** A request whose effect the disk shows. */
interface ProvableRequest {
  readonly label: string;
  readonly edit: WorkspaceEdit;
  readonly isDone: () => Promise<boolean>;
  readonly isUntouched: () => Promise<boolean>;
}

/** Sends a request and watches the disk: the answer only decides how long to wait for it. */
async function proveByDisk(session: Session, asked: ProvableRequest): Promise<Proof> {
  const { label, edit, isDone, isUntouched } = asked;
  let isAnswered = false;
  const replied = request(session, { label, edit }).finally(() => {
    isAnswered = true;
  });
  const seen = until(isDone, Number.POSITIVE_INFINITY, () => isAnswered);
  const answer = await Promise.race([replied, seen.then((isSeen) => (isSeen ? undefined : replied))]);
  if (answer === undefined) return { kind: "proved" };
  const { proofTimeout } = session.settings;
  const patience = answer.silent ? 0 : answer.applied ? proofTimeout : proofTimeout / 4;
  if (await until(isDone, patience)) return { kind: "proved" };
  if (!(await isUntouched())) return { kind: "diverged" };
  if (answer.silent) return { kind: "silent" };
  return answer.applied ? { kind: "unseen" } : { kind: "refused", reason: answer.reason };
}

/** Looks again and again whether something holds, for some milliseconds, or until it need not be known any more. */
export async function until(
  holds: () => Promise<boolean>,
  milliseconds: number,
  isIdle: () => boolean = () => false,
): Promise<boolean> {
  const end = performance.now() + milliseconds;
  for (;;) {
    if (await holds()) return true;
    if (performance.now() > end || isIdle()) return false;
    await delay(20);
  }
}
