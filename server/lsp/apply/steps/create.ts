/** The steps that create a file: a new one through the editor, or a deleted one from its kept bytes. */
import { asUpdate, type FileChange, type FileCreation } from "../../../plan/outcome.js";
import { ChangeSet, shrink } from "../../../text/changeSet.js";
import {
  isThere,
  type KeptFile,
  keepFile,
  makeParents,
  removeKept,
  writeAgain,
} from "../../../workspace/fileBackup.js";
import { readTextFile, sameAsDisk } from "../../../workspace/files.js";
import { pathFailures, staleFailures, staleProblems } from "../../../workspace/sentences.js";
import { labelOf } from "../../edit/result.js";
import { offers, toTextEdits } from "../../edit/workspaceEdit.js";
import { callSentences } from "../../sentences.js";
import { openAt } from "../../session.js";
import { applyTexts, isExpected, request, stateOnDisk, until } from "../applyOutcome.js";
import type { StepOutcome } from "../outcomes.js";
import {
  type ApplyContext,
  conflict,
  type Inverse,
  pathOf,
  type StepResult,
  type StepRules,
  type Task,
  type UndoneFile,
} from "../step.js";
import { documentNow, hasText } from "./text.js";

/** The rules for the `create` step. */
export const createStep: StepRules<FileCreation> = {
  do: async (run, [file]) => [await createFile(run, file)],
  rollBack: async (run, [file], step) => [(await removeFile(run, file, step)) ? "back" : "stays"],
  inverse: deletion,
  isDone: hasText,
};

/** Creates the file, then sends its text: given both at once, some editors ask the user or lose text. */
async function createFile(context: ApplyContext, file: FileCreation): Promise<StepResult> {
  const { uri, path: name } = file.document;
  const path = pathOf(context, uri);
  // Some editors would truncate an existing file. After a rename, an editor may still have a document open under the
  // old name.
  if (openAt(context.session, uri) !== undefined || (await isThere(path))) return { outcome: nameTaken(name) };
  const tidy = await makeParents(path);
  const result = await createAndFill(context, file);
  if (!(await isThere(path))) await tidy();
  return { ...result, tidy };
}

async function createAndFill(context: ApplyContext, file: FileCreation): Promise<StepResult> {
  const { session, options } = context;
  const { uri } = file.document;
  const label = labelOf([file], options);
  const isEmpty = async (): Promise<boolean> => (await stateOnDisk(context, uri, "")) === "same";
  const answer = await request(session, { label, edit: { documentChanges: [{ kind: "create", uri }] } });
  if (answer.isLate) return { outcome: { kind: "timedOut" } };
  // An editor may report failure even though it has created the file, so the disk is checked as well. A file that is
  // not empty can't be the one just created.
  if (!answer.applied && !(await isEmpty())) return { outcome: { kind: "refused", reason: answer.reason } };
  if (file.change.isEmpty) {
    const isSeen = openAt(session, uri) !== undefined || (await isEmpty());
    return { outcome: { kind: isSeen ? "verified" : "acknowledgedUnverifiable" } };
  }
  const edits = toTextEdits(file, session);
  const [seen] = await applyTexts(session, [{ file, edits }], label);
  const outcome = seen!;
  if (outcome.kind === "verified" || outcome.kind === "acknowledgedUnverifiable") return { outcome, edits };
  const isGone = await removeFile(context, file, {});
  if (!isGone && (await isEmpty())) return { outcome: { kind: "leftEmpty" } };
  // The file did not exist when the plan was made, so it had no text that could have changed since.
  return { outcome: outcome.kind === "moved" || outcome.kind === "misapplied" ? { kind: "diverged" } : outcome };
}

/** Returns the outcome of a step whose new name has been taken in the meantime. */
export function nameTaken(path: string): StepOutcome {
  return { kind: "failed", failure: staleFailures.contentModified({ path }, staleProblems.nameTaken) };
}

/** Deletes a file that the batch created, unless the user or another program has written to it. */
async function removeFile(
  context: ApplyContext,
  file: FileCreation,
  { tidy }: Pick<StepResult, "tidy">,
): Promise<boolean> {
  const { session } = context;
  const { uri } = file.document;
  const isOurs =
    (await stateOnDisk(context, uri, "")) === "same" || (await stateOnDisk(context, uri, file.text)) === "same";
  const open = openAt(session, uri);
  const isUntouched = open === undefined || /^(?:\r\n|\n|\r)?$/.test(open.text) || isExpected(session, file, open.text);
  if (!isOurs || !isUntouched || !offers(session, "delete")) return false;
  const operation = { kind: "delete", uri: open?.uri ?? uri } as const;
  await request(session, { label: "Undo", edit: { documentChanges: [operation] } });
  // Only the disk can prove the deletion: an editor may answer before it deletes the file.
  const isGone = async (): Promise<boolean> => (await stateOnDisk(context, uri, "")) === undefined;
  if (!(await until(isGone, session.settings.proofTimeout))) return false;
  await tidy?.();
  return true;
}

/** Plans the deletion of a created file; fails if its text in the editor or on disk has changed. */
async function deletion({ session, file, reverse }: UndoneFile<FileCreation>): Promise<Inverse> {
  const now = await documentNow(session, file);
  if (!now.ok) return now;
  const { document, place } = now;
  const holds = async (path: string, text: string): Promise<boolean> =>
    (await sameAsDisk(text, path, session.facts.habits)) !== "differs";
  // If the file on disk has the planned text or is still empty, deleting it loses no other text.
  const isOurs =
    document.version === null ||
    document.onDisk === "same" ||
    place.file === undefined ||
    (await holds(place.file, "")) ||
    (await holds(place.file, file.text));
  // What later calls have changed in the file may be undone together with it.
  const later = reverse?.(document);
  const created = later?.ok === true ? later.change.apply(document.text) : document.text;
  if (!isExpected(session, file, created) || !isOurs) return conflict(file, callSentences.changedSince);
  const change = ChangeSet.none(document.text.length);
  const { text } = document;
  return { ok: true, file: { kind: "delete", document, change, text, edits: file.edits, operations: [] }, place };
}

/** The rules for the `restore` step. Once restored, a file is treated like a created one. */
export const restoreStep: StepRules<FileCreation, Extract<Task, { kind: "restore" }>> = {
  ...createStep,
  do: async (run, [file], { bytes }) => [await restoreFile(run, file, bytes)],
  rollBack: async (run, [file], { bytes }) => [(await removeRestored(run, file, bytes)) ? "back" : "stays"],
};

/** Writes the file, unless its name has been taken in the meantime. */
async function restoreFile(context: ApplyContext, file: FileCreation, bytes: KeptFile): Promise<StepResult> {
  const { path } = file.document;
  if (await isThere(bytes.path)) return { outcome: nameTaken(path) };
  if (await undelete(context, { ...file, document: { ...file.document, text: file.text } }, bytes)) {
    return { outcome: { kind: "verified" } };
  }
  await removeRestored(context, file, bytes);
  return { outcome: { kind: "failed", failure: pathFailures.notRestored(path) } };
}

/** Recreates a deleted file, and restores its document's unsaved text if the editor has discarded it. */
export async function undelete({ session }: ApplyContext, file: FileChange, kept: KeptFile): Promise<boolean> {
  const { document } = file;
  if (!(await writeAgain(kept))) return false;
  const wasUnsaved = document.onDisk === "differs";
  if (!wasUnsaved || openAt(session, document.uri) !== undefined) return true;
  const read = await readTextFile(kept.path);
  if (read.kind !== "text") return false;
  const { text } = document;
  const change = ChangeSet.of(read.text.length, shrink(read.text, { from: 0, to: read.text.length, insert: text }));
  if (change.isEmpty) return true;
  const closed = { ...document, version: null, text: read.text, bom: read.bom, bomSynced: false };
  const unsaved = asUpdate({ ...file, document: closed, change, text });
  const edits = toTextEdits(unsaved, session);
  const [seen] = await applyTexts(session, [{ file: unsaved, edits }], "Undo");
  return seen?.kind === "verified";
}

/** Deletes a restored file again, unless it has been opened or changed in the meantime. */
async function removeRestored(context: ApplyContext, file: FileCreation, bytes: KeptFile): Promise<boolean> {
  if (openAt(context.session, file.document.uri) !== undefined) return false;
  const now = await keepFile(bytes.path, file.document.path);
  if (now.kind === "absent") return true;
  return now.kind === "kept" && now.file.hash === bytes.hash && (await removeKept(bytes));
}
