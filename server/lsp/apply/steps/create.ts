/** The step that creates a file through the editor. */
import type { FileCreation } from "../../../plan/outcome.js";
import { ChangeSet } from "../../../text/changeSet.js";
import { isThere, makeParents } from "../../../workspace/fileBackup.js";
import { sameAsDisk } from "../../../workspace/files.js";
import { staleFailures, staleProblems } from "../../../workspace/sentences.js";
import { labelOf } from "../../edit/result.js";
import { offers, toTextEdits } from "../../edit/workspaceEdit.js";
import { callSentences, undoFailures } from "../../sentences.js";
import { openAt } from "../../session.js";
import { applyText, isExpected, request, stateOnDisk, until } from "../applyOutcome.js";
import {
  type ApplyContext,
  type Inverse,
  pathOf,
  type StepOutcome,
  type StepResult,
  type StepRules,
  stuckOrDoubtful,
  type UndoneFile,
} from "../step.js";
import { documentNow, hasText } from "./text.js";

/** Rules of the step. */
export const createStep: StepRules<FileCreation> = {
  do: createFile,
  async rollBack(run, file, step) {
    return (await removeFile(run, file, step)) ? "back" : stuckOrDoubtful(step);
  },
  inverse: deletion,
  isDone: hasText,
  describe: ({ document: { path } }) => ({ kind: "edit", path }),
};

/** The file first and its text in a second request: some editors prompt for both in one, or lose the text. */
async function createFile(context: ApplyContext, file: FileCreation): Promise<StepResult> {
  const { uri, path: name } = file.document;
  const path = pathOf(context, uri);
  // Some editors empty what is there already. Behind a rename the old name may still be open in them.
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
  // An editor may say no to what it has done: the disk tells. A file with a text is somebody else's.
  if (!answer.applied && !(await isEmpty())) return { outcome: { kind: "refused", reason: answer.reason } };
  if (file.change.isEmpty) {
    const isSeen = openAt(session, uri) !== undefined || (await isEmpty());
    return { outcome: { kind: isSeen ? "verified" : "acknowledgedUnverifiable" } };
  }
  const edits = toTextEdits(file, session);
  const version = openAt(session, uri)?.version ?? null;
  const outcome = await applyText(session, file, { label, edits, version });
  if (outcome.kind === "verified" || outcome.kind === "acknowledgedUnverifiable") return { outcome, edits };
  const isGone = await removeFile(context, file, {});
  if (!isGone && (await isEmpty())) return { outcome: { kind: "leftEmpty" } };
  // The file was not there when it was planned, so there is no text that could have moved on.
  return { outcome: outcome.kind === "moved" || outcome.kind === "misapplied" ? { kind: "diverged" } : outcome };
}

/** The failure of a step whose name something else has by now. */
export function nameTaken(path: string): StepOutcome {
  return { kind: "failed", failure: staleFailures.contentModified({ path }, staleProblems.nameTaken) };
}

/** Deletes a file that the batch created, unless somebody else has written into it. */
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
  // Proved by the disk, as everything else is by the text; an editor may answer before it deletes.
  const isGone = async (): Promise<boolean> => (await stateOnDisk(context, uri, "")) === undefined;
  if (!(await until(isGone, session.settings.proofTimeout))) return false;
  await tidy?.();
  return true;
}

/** The deletion of a created file that holds its text and nothing else. */
async function deletion({ session, file }: UndoneFile<FileCreation>): Promise<Inverse> {
  const now = await documentNow(session, file);
  if (!now.ok) return now;
  const { document, place } = now;
  const holds = async (path: string, text: string): Promise<boolean> =>
    (await sameAsDisk(text, path, session.facts.habits)) !== "differs";
  // Whether the file holds the text, or nothing yet, so that deleting it loses nothing else.
  const isOurs =
    document.version === null ||
    document.onDisk === "same" ||
    place.file === undefined ||
    (await holds(place.file, "")) ||
    (await holds(place.file, file.text));
  if (!isExpected(session, file, document.text) || !isOurs) {
    return { ok: false, failure: undoFailures.conflict(file.document.path, callSentences.changedSince) };
  }
  const change = ChangeSet.none(document.text.length);
  const { text } = document;
  return { ok: true, file: { kind: "delete", document, change, text, edits: file.edits, operations: [] }, place };
}
