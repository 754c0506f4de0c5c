/** The step that deletes a file through the editor and keeps its bytes. */
import type { FileChange, FileDeletion } from "../../../plan/outcome.js";
import { ChangeSet } from "../../../text/changeSet.js";
import { limits } from "../../../text/limits.js";
import type { OpenDocument } from "../../../workspace/documents.js";
import { isThere, keepFile } from "../../../workspace/fileBackup.js";
import { pathOfSyncedUri } from "../../../workspace/pathText.js";
import { pathFailures, staleFailures, staleProblems } from "../../../workspace/sentences.js";
import { labelOf } from "../../edit/result.js";
import { callSentences } from "../../sentences.js";
import { openAt } from "../../session.js";
import { applyToFile, stateOnDisk, until } from "../applyOutcome.js";
import type { StepOutcome } from "../outcomes.js";
import { conflict, type Inverse, pathOf, type Run, type StepResult, type StepRules, type UndoneFile } from "../step.js";
import { undelete } from "./create.js";

/** The rules for the `delete` step. */
export const deleteStep: StepRules<FileDeletion> = {
  do: async (run, [file]) => [await deleteFile(run, file)],
  rollBack: async (run, [file], { kept }) => [
    kept !== undefined && (await undelete(run, file, kept)) ? "back" : "deleted",
  ],
  inverse: restoreLater,
  isDone: ({ file, names }) => hasLeft(file, names),
};

/** Deletes a file if it has not changed since it was planned; otherwise the outcome is `moved`. */
async function deleteFile(run: Run, file: FileDeletion): Promise<StepResult> {
  const { session, options, budget } = run;
  const { document } = file;
  const open = openAt(session, document.uri);
  const operation = { kind: "delete", uri: open?.uri ?? document.uri } as const;
  const path = pathOf(run, operation.uri);
  if ((open?.version ?? null) !== document.version) return { outcome: { kind: "moved" } };
  const keeping = await keepFile(path, document.path);
  if (keeping.kind === "absent") return { outcome: isMissing(file, open) };
  if (keeping.kind === "failed") return { outcome: keeping };
  const kept = keeping.file;
  const bytes = budget.bytes + kept.bytes.length;
  if (bytes > limits.callFileBytes) {
    const failure = pathFailures.tooLarge(document.path, bytes, limits.callFileBytes, "bytes");
    return { outcome: { kind: "failed", failure } };
  }
  const isOther =
    open === undefined
      ? isOtherFile(file, kept.hash)
      : (await stateOnDisk(run, document.uri, open.text)) !== document.onDisk;
  if (isOther) return { outcome: { kind: "moved" } };
  const outcome = await applyToFile(session, { label: labelOf([file], options), operation }, path);
  budget.bytes = bytes;
  // A later step may need the name, which remains taken until the editor reports that the document is closed. Some
  // editors never do.
  if (outcome.kind === "verified" && open !== undefined) {
    await until(async () => openAt(session, document.uri) === undefined, session.settings.proofTimeout);
  }
  return { outcome, kept };
}

/** Reports whether a file's bytes have changed since it was planned; always `false` for an open file. */
export function isOtherFile({ document: { version, hash } }: FileChange, hashNow: string | undefined): boolean {
  return version === null && hash !== undefined && hashNow !== hash;
}

/** Returns the outcome for a file that is missing from disk: a failure if the editor has it open, otherwise `moved`. */
export function isMissing({ document: { path } }: FileChange, open: OpenDocument | undefined): StepOutcome {
  if (open === undefined) return { kind: "moved" };
  return { kind: "failed", failure: staleFailures.contentModified({ path }, callSentences.noFile) };
}

/** Reports whether the old name of a renamed or deleted file is free or is one of `names`. */
export async function hasLeft({ document: { uri } }: FileChange, names: ReadonlySet<string>): Promise<boolean> {
  const path = pathOfSyncedUri(uri);
  return names.has(uri) || path === undefined || !(await isThere(path));
}

/** Plans the restoration of a deleted file, with the text that it had in the editor or on disk. */
async function restoreLater({ file, freed, kept }: UndoneFile<FileDeletion>): Promise<Inverse> {
  if (!(await hasLeft(file, freed))) return conflict(file, staleProblems.nameTaken);
  if (kept === undefined) return conflict(file, callSentences.notKept);
  const { document, edits } = file;
  const { text, hash: _, ...rest } = document;
  const change = ChangeSet.of(0, [{ from: 0, to: 0, insert: text }]);
  const absent = { ...rest, version: null, text: "", exists: false };
  const more = { edits, overwritten: false, operations: [] };
  return { ok: true, file: { kind: "create", document: absent, change, text, ...more }, place: undefined };
}
