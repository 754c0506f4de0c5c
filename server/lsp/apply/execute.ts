/** Applies a plan through an editor that promises little: one step at a time, each proved by the text that it syncs or by the disk. */

import { type EditOutcome, type FileChange, nameAfter } from "../../plan/outcome.js";
import { limits } from "../../text/limits.js";
import { staleFailures, staleProblems } from "../../workspace/sentences.js";
import { type Answer, toEditorRefusal, toResult } from "../edit/result.js";
import { orderOf, toWorkspaceEdit } from "../edit/workspaceEdit.js";
import { callSentences } from "../sentences.js";
import { inSlices, openAt } from "../session.js";
import { orAbandon } from "./diskPart.js";
import { createFile, deleteFile, diskAfter, type FileStep, renameFile, restoreFile, until } from "./fileSteps.js";
import { saveChanged } from "./save.js";
import { giveUp, shownIn } from "./takeBack.js";
import { changeText } from "./textSteps.js";
import type { Job, Step, Task, Work } from "./work.js";

/** What applying a job came to. */
export interface Applied {
  readonly answer: Answer;
  /** What was done, in this order, if all of it is proved; else `undefined`. */
  readonly steps: readonly Step[] | undefined;
}

/** Does the tasks of a job in their order; where one fails, those before it are taken back. */
export async function applyThroughEditor(job: Job): Promise<Applied> {
  const work: Work = { ...job, done: [], budget: { bytes: 0 } };
  const stuck = await orAbandon(work.disk, () => doTasks(work));
  if (stuck !== undefined) {
    work.disk?.abandon();
    return { answer: await giveUp(work, [stuck]), steps: undefined };
  }
  const onDisk = await work.disk?.commit({ hasWaited: work.tasks.length > 0 });
  if (onDisk?.isDone === false) return { answer: await giveUp(work, onDisk.steps), steps: undefined };
  work.done.push(...(onDisk?.steps ?? []));
  const answer = await finish(work);
  return { answer, steps: answer.ok && answer.result.outcome === "applied" ? work.done : undefined };
}

/**
 * The tasks of a batch: texts first, of these open documents first, then new files, renames, and deletions last. What can
 * be proved and taken back best goes first.
 */
export function tasksOf(files: readonly FileChange[]): Task[] {
  const { created, after } = orderOf(files);
  const rank = ({ planned: { document } }: Task): number => (document.version === null ? 1 : 0);
  const texts = files.flatMap((planned): Task[] =>
    (planned.kind === "update" || planned.kind === "rename") && !planned.change.isEmpty
      ? [{ kind: "text", planned }]
      : [],
  );
  return [...texts.sort((a, b) => rank(a) - rank(b)), ...[...created, ...after].flatMap(wholeTask)];
}

function wholeTask(planned: FileChange): Task[] {
  if (planned.kind === "create") return [{ kind: "create", planned }];
  if (planned.kind === "rename") return [{ kind: "rename", planned }];
  return planned.kind === "delete" ? [{ kind: "delete", planned }] : [];
}

/** The first step that did not come about; `undefined`: all of them did. */
async function doTasks(work: Work): Promise<Step | undefined> {
  for (const task of work.tasks) {
    const step = await doTask(work, task);
    if (step.proof.kind !== "proved" && step.proof.kind !== "unproved") return step;
    work.done.push(step);
  }
  return undefined;
}

/** One step; its file is planned again where it moved on before the editor could do anything. */
async function doTask(work: Work, task: Task): Promise<Step> {
  const before = work.done.findLast(({ planned }) => planned === task.planned);
  let file = before?.file ?? task.planned;
  let outcomes: readonly EditOutcome[] = before?.outcomes ?? [];
  const done = (step: FileStep): Step => ({ ...task, ...step, file, outcomes });
  const gaveUp = (problem: string): Step => {
    const failure = staleFailures.contentModified({ path: file.document.path }, problem);
    return done({ proof: { kind: "failed", failure } });
  };
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const step = await attemptTask(work, task, file);
    if (step.proof.kind !== "moved") return done(step);
    // What is half done can't be planned again.
    if (before !== undefined) return gaveUp(staleProblems.fileChanged);
    const again = await work.replan(task.planned);
    if (!again.ok) return done({ proof: { kind: "failed", failure: again.failure } });
    ({ file, outcomes } = again);
    if (task.kind === "text" && file.change.isEmpty) return done({ proof: { kind: "proved" } });
  }
  return gaveUp(callSentences.keepsMoving);
}

async function attemptTask(work: Work, task: Task, file: FileChange): Promise<FileStep> {
  const { kind, planned } = task;
  if (kind === "text" || file.kind === "update") return { proof: await changeText(work, file) };
  if (file.kind === "delete") return deleteFile(work, file, work.budget);
  if (file.kind === "create") return kind === "restore" ? restoreFile(work, file, task.bytes) : createFile(work, file);
  return renameFile(work, file, { isEdited: work.done.some((step) => step.planned === planned) });
}

/** The result, as far as it was proved. */
async function finish(work: Work): Promise<Answer> {
  const { session, options, done, planned } = work;
  const last = new Map(done.map((step) => [step.planned, step.file]));
  const again = new Map(done.flatMap(({ outcomes }) => outcomes.map((outcome) => [outcome.index, outcome])));
  const files = planned.files.map((file) => last.get(file) ?? file);
  const outcomes = planned.outcomes.map((outcome) => again.get(outcome.index) ?? outcome);
  const onDisk = new Map<FileChange, "same" | "differs">();
  // A file that was only renamed or deleted holds what it held.
  const written = [...new Set(last.values())].filter(
    ({ kind, change }) => kind === "create" || (kind !== "delete" && !change.isEmpty),
  );
  const byServer = new Set(work.disk?.tasks.flatMap(({ planned }) => last.get(planned) ?? []));
  const byEditor = written.filter((file) => !byServer.has(file));
  const warnings = [...work.warnings, ...(work.disk?.warnings ?? []), ...(await saveChanged(work, byEditor))];
  let isProved = true;
  for (const file of new Set(last.values())) {
    const { path, version } = file.document;
    const isWritten = written.includes(file);
    if (!isWritten && (version === null || file.kind === "delete")) continue;
    const state = await diskAfter(work, file, openAt(session, nameAfter(file).uri)?.text ?? file.text);
    if (state !== undefined || work.places.get(file.document.uri)?.file !== undefined) {
      onDisk.set(file, state ?? "differs");
    }
    const isSaved = state === "same";
    const isUnproved = done.some((step) => step.file === file && step.proof.kind === "unproved");
    // An editor that does not sync what it was not asked to open may have written it: the disk proves that, too.
    if (isUnproved && !isSaved) {
      isProved = false;
      warnings.push(callSentences.unproved(path));
    } else if (!isSaved && version === null && !byServer.has(file)) {
      warnings.push(callSentences.throughEditor(nameAfter(file).path));
    }
  }
  warnings.push(...(await staying(work)));
  // What the server has written again itself is no part of what the editor was asked to do.
  const restored = done.flatMap(({ kind, file }) => (kind === "restore" ? [file] : []));
  const made = toWorkspaceEdit(
    files.filter((file) => !restored.includes(file)),
    shownIn(work),
  );
  if (!made.ok) return toEditorRefusal(made.failure, outcomes);
  const outcome = isProved ? "applied" : "unknown";
  const result = toResult({
    planned: { ...planned, files, outcomes },
    edit: made.edit,
    outcome,
    options,
    warnings,
    onDisk,
    written: byServer,
  });
  return { ok: true, result: await inSlices(result) };
}

/** Documents that the editor keeps open although their file is gone, or has another name; it gets a moment to close them. */
async function staying({ session, done }: Work): Promise<string[]> {
  const taken = done.flatMap(({ kind, file }) => (kind === "create" || kind === "rename" ? [nameAfter(file).uri] : []));
  const stays = () =>
    done.filter(
      ({ kind, file: { document } }) =>
        (kind === "delete" || kind === "rename") &&
        !taken.includes(document.uri) &&
        openAt(session, document.uri) !== undefined,
    );
  await until(async () => stays().length === 0, session.settings.proofTimeout / 4);
  return stays().map(({ file: { document, kind } }) =>
    callSentences.staysOpen(document.path, kind === "rename" ? "rename" : "delete"),
  );
}
