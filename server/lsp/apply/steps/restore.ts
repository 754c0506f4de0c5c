/** The step that writes a file again which an earlier call deleted. */
import { asUpdate, type FileChange, type FileCreation } from "../../../plan/outcome.js";
import { ChangeSet } from "../../../text/changeSet.js";
import { shrink } from "../../../text/shrink.js";
import { isThere, type KeptFile, keepFile, removeKept, writeAgain } from "../../../workspace/fileBackup.js";
import { readTextFile } from "../../../workspace/files.js";
import { fileProblems, pathFailures } from "../../../workspace/sentences.js";
import { toTextEdits } from "../../edit/workspaceEdit.js";
import { openAt } from "../../session.js";
import { applyText } from "../applyOutcome.js";
import type { ApplyContext, RestoreTask, StepResult, StepRules } from "../step.js";
import { createStep, nameTaken } from "./create.js";

/** Rules of the step: later, a file that was restored is like one that was created. */
export const restoreStep: StepRules<FileCreation, RestoreTask> = {
  ...createStep,
  do: restoreFile,
  rollBack: async (run, file, { bytes }) => ((await removeRestored(run, file, bytes)) ? "back" : "stuck"),
};

/** Writes the file, if nothing has its name by now. */
async function restoreFile(context: ApplyContext, file: FileCreation, { bytes }: RestoreTask): Promise<StepResult> {
  const { path } = file.document;
  if (await isThere(bytes.path)) return { outcome: nameTaken(path) };
  if (await undelete(context, { ...file, document: { ...file.document, text: file.text } }, bytes)) {
    return { outcome: { kind: "verified" } };
  }
  await removeRestored(context, file, bytes);
  return { outcome: { kind: "failed", failure: pathFailures.ioError(path, fileProblems.notWritten()) } };
}

/** Writes a deleted file again, and gives its document the unsaved text back if the editor has thrown it away. */
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
  return (await applyText(session, unsaved, { label: "Undo", edits, version: null })).kind === "verified";
}

/** Deletes a file again that was restored, unless somebody has changed it meanwhile. */
async function removeRestored(context: ApplyContext, file: FileCreation, bytes: KeptFile): Promise<boolean> {
  if (openAt(context.session, file.document.uri) !== undefined) return false;
  const now = await keepFile(bytes.path, file.document.path);
  if (now.kind === "absent") return true;
  return now.kind === "kept" && now.file.hash === bytes.hash && (await removeKept(bytes));
}
