/** The step that renames a file through the editor. */
import type { FileRename } from "../../../plan/outcome.js";
import { isThere, keepFile, makeParents } from "../../../workspace/fileBackup.js";
import { sameAsDisk } from "../../../workspace/files.js";
import { pathOfSyncedUri } from "../../../workspace/pathText.js";
import { staleProblems } from "../../../workspace/sentences.js";
import { labelOf } from "../../edit/result.js";
import { openAt, type Session } from "../../session.js";
import { applyToFile, sourceOfText, until } from "../applyOutcome.js";
import type { StepOutcome } from "../outcomes.js";
import {
  conflict,
  type Inverse,
  namePathOf,
  pathOf,
  type RolledBack,
  type Run,
  type StepResult,
  type StepRules,
  type Task,
  type UndoneFile,
} from "../step.js";
import { nameTaken } from "./create.js";
import { hasLeft, isMissing, isOtherFile } from "./delete.js";
import { textStep } from "./text.js";

/** The rules for the `rename` step. */
export const renameStep: StepRules<FileRename> = {
  do: async (run, [file], { planned }) => [await renameFile(run, file, planned)],
  rollBack: async (run, [file], step) => [await renameBack(run, file, step)],
  inverse: renameLater,
  isDone: async ({ file, names }) => {
    const path = pathOfSyncedUri(file.target.uri);
    return path !== undefined && (await isThere(path)) && hasLeft(file, names);
  },
};

/** Renames a file. The outcome is `moved` if its text changed since the plan, unless an earlier step did that. */
async function renameFile(run: Run, file: FileRename, planned: Task["planned"]) {
  const { session, options, done } = run;
  const { document, target } = file;
  const open = openAt(session, document.uri);
  const operation = { kind: "rename", oldUri: open?.uri ?? document.uri, newUri: target.uri } as const;
  const [oldPath, newPath] = [pathOf(run, operation.oldUri), pathOf(run, operation.newUri)];
  const keeping = await keepFile(oldPath, document.path);
  if (keeping.kind === "absent") return { outcome: isMissing(file, open) };
  // Only the hash is needed here. A file that is too large to keep has none, but can still be renamed.
  const hash = keeping.kind === "kept" ? keeping.file.hash : undefined;
  const isEdited = done.some((step) => step.planned === planned);
  const isOther = (open === undefined) !== (document.version === null) || isOtherFile(file, hash);
  if (!isEdited && isOther) return { outcome: { kind: "moved" } } as const;
  if (openAt(session, target.uri) !== undefined || (await isThere(newPath))) return { outcome: nameTaken(target.path) };
  const tidy = await makeParents(newPath);
  const answered = await applyToFile(session, { label: labelOf([file], options), operation }, oldPath, newPath);
  const isTaken = answered.kind === "refused" && (await isThere(newPath));
  const outcome = isTaken ? await takenBy(newPath, hash, { session, file, text: open?.text }) : answered;
  if (outcome.kind === "refused") await tidy();
  const result: StepResult = { outcome, tidy, hash, wasOpen: open !== undefined };
  if (outcome.kind !== "verified" || open === undefined) return result;
  // Some editors keep the document open under its old name; others close it and leave its text on disk.
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
      : text !== open.text && !file.change.isEmpty && sourceOfText(file, text) === "old";
  return isLost ? ({ ...result, outcome: { kind: "diverged" } } as const) : result;
}

/** A rename that the editor has refused. `text`: the open document's text; `undefined` if the file was not open. */
interface Renamed {
  readonly session: Session;
  readonly file: FileRename;
  readonly text: string | undefined;
}

/** Returns the outcome of a rename that was refused, if the new name is taken: by another program, or by a copy of the editor's own. */
async function takenBy(
  newPath: string,
  hash: string | undefined,
  { session, file, text }: Renamed,
): Promise<StepOutcome> {
  const path = file.target.path;
  const there = await keepFile(newPath, path);
  const isSameFile = hash === undefined || there.kind !== "kept" || there.file.hash === hash;
  const isCopy =
    isSameFile || (text !== undefined && (await sameAsDisk(text, newPath, session.facts.habits)) === "same");
  return isCopy ? { kind: "diverged" } : nameTaken(path);
}

/** Renames a file back. Returns `renamed` if that fails, or `saved` if other text has been saved to the file since. */
async function renameBack(run: Run, file: FileRename, { hash, tidy, wasOpen }: StepResult): Promise<RolledBack> {
  const { session } = run;
  const { document, target } = file;
  const oldUri = openAt(session, target.uri)?.uri ?? target.uri;
  const [oldPath, newPath] = [namePathOf(run, document.uri), namePathOf(run, oldUri)];
  if (oldPath === undefined || newPath === undefined) return "renamed";
  if (!(await isThere(newPath)) || (await isThere(oldPath))) return "renamed";
  const operation = { kind: "rename", oldUri, newUri: document.uri } as const;
  const outcome = await applyToFile(session, { label: "Undo", operation }, newPath, oldPath);
  if (outcome.kind !== "verified") return "renamed";
  // The file's text can be rolled back only once the editor has the file open.
  if (wasOpen === true)
    await until(async () => openAt(session, document.uri) !== undefined, session.settings.proofTimeout);
  await tidy?.();
  const now = await keepFile(oldPath, document.path);
  const isSame = hash === undefined || (now.kind === "kept" && now.file.hash === hash);
  return isSame ? "back" : "saved";
}

/** Plans the restoration of a file's old name and, if its text was changed, of its old text. */
async function renameLater(undone: UndoneFile<FileRename>): Promise<Inverse> {
  const { uri, path } = undone.file.document;
  if (!(await hasLeft(undone.file, undone.freed))) return conflict(undone.file, staleProblems.nameTaken);
  const inverse = await textStep.inverse(undone);
  if (!inverse.ok) return inverse;
  return { ...inverse, file: { ...inverse.file, kind: "rename", target: { uri, path }, overwritten: false } };
}
