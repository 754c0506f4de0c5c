/**
 * Plans a call or an undo, lets the user confirm it, and applies it. Verifies each step, because the editor's answer
 * alone proves nothing.
 */
import type { ClientCapabilities } from "vscode-languageserver/node";
import { type Failure, withRest } from "../../plan/failure.js";
import { type FileChange, hasSameFate, nameAfter, notAttempted } from "../../plan/outcome.js";
import { limits } from "../../text/limits.js";
import { staleFailures, staleProblems } from "../../workspace/sentences.js";
import { type Answer, type FailedAnswer, toEditorRefusal, toRefusal, toResult } from "../edit/result.js";
import { missingOperation, toWorkspaceEdit } from "../edit/workspaceEdit.js";
import type { MultiEditResult } from "../protocol.js";
import { callSentences, editorFailures } from "../sentences.js";
import { cancellation, inSlices, openAt } from "../session.js";
import { stateAfter, until } from "./applyOutcome.js";
import { type Confirmation, createConfirmation } from "./confirm.js";
import { rollBackSteps } from "./rollBackSteps.js";
import { saveChanged } from "./save.js";
import type { ApplyJob, DoneStep, Run, StepResult, Task } from "./step.js";
import { commitPart, heldElsewhere, type Queue, stagePart, tasksByWriter } from "./steps/disk.js";
import { stepRules } from "./steps/table.js";
import { changedSince } from "./steps/text.js";

/** The outcome of a job. `steps` lists all steps in order; it is `undefined` unless all of them were verified. */
export interface Applied {
  readonly answer: Answer;
  readonly steps?: readonly DoneStep[];
}

/** Runs a task after all earlier tasks. If it is cancelled while waiting, immediately answers that it was cancelled. */
export function inTurn(
  { session, token }: Pick<ApplyJob, "session" | "token">,
  task: () => Promise<Answer>,
): Promise<Answer> {
  let hasStarted = false;
  const turn = session.inTurn(async () => {
    hasStarted = true;
    return token.isCancellationRequested ? cancelled() : task();
  });
  const left = cancellation(token).then(() => (hasStarted ? turn : cancelled()));
  return Promise.race([turn, left]);
}

/** Builds the answer to a call that was cancelled before anything was changed. */
export function cancelled(): FailedAnswer {
  return toRefusal([withRest(editorFailures.cancelled(), callSentences.nothingChanged)]);
}

/** Plans a job and applies it. If the user must be asked, applies exactly the plan that the user accepted. */
export async function applyJob(job: ApplyJob): Promise<Applied> {
  const asked: Asked = { confirmation: undefined };
  try {
    const applied = await applyConfirmed(job, asked);
    const { answer } = applied;
    const isRejected = !answer.ok && answer.failures.some(({ code }) => code === "userRejected");
    return isRejected ? { answer: { ...answer, diff: asked.confirmation?.proposed() ?? "" } } : applied;
  } finally {
    asked.turn?.leave();
    await asked.confirmation?.end();
  }
}

/** A call's turn to write, and the user's confirmation of it; `undefined` as long as none is needed. */
interface Asked extends Queue {
  confirmation: Confirmation | undefined;
}

async function applyConfirmed(job: ApplyJob, asked: Asked): Promise<Applied> {
  const { session, options, token, warnings, onCommit } = job;
  for (let moved = 0; ; ) {
    const plan = await job.plan();
    if (!plan.ok) return { answer: toRefusal(plan.failures, plan.outcomes, job) };
    const refused = (failure: Failure): Applied => ({
      answer: toEditorRefusal(withRest(failure, callSentences.nothingChanged), notAttempted(plan.outcomes)),
    });
    const context = { session, options, places: plan.places, onCommit };
    const { editor: tasks, disk } = tasksByWriter(context, plan.tasks);
    const byEditor = plan.files.filter((file) => tasks.some((one) => one.kind !== "restore" && one.planned === file));
    const missing = missingOperation(byEditor, session);
    if (missing !== undefined) return refused(missing);
    const canApply = tasks.length === 0 || session.capabilities.workspace?.applyEdit === true;
    if (!canApply) return refused(editorFailures.noApplyEdit(job.kind));
    // A caller may request confirmation, but can't bypass confirmation that the user requires.
    const { confirm, overwrite } = options;
    const mayAsk = confirm === true || overwrite === "ask" || plan.asks.length > 0;
    if (mayAsk) asked.confirmation ??= createConfirmation(job);
    const consent = await asked.confirmation?.ask(plan);
    if (typeof consent === "object") return refused(consent);
    // The text may have changed while the user was reading the diff. Plan again, because only the accepted diff may be
    // applied.
    if (consent === "yes") continue;
    if (token.isCancellationRequested) return refused(editorFailures.cancelled());
    const held = await heldElsewhere(context, tasks);
    if (held !== undefined) return refused(held);
    const part = disk.length === 0 ? undefined : await stagePart(context, disk, { token, queue: asked });
    if (token.isCancellationRequested) {
      if (part?.ok === true) part.staged.abandon();
      return refused(editorFailures.cancelled());
    }
    if (part?.ok === false) {
      const hasMoved = part.failures.every(({ code }) => code === "contentModified");
      if (hasMoved && ++moved <= limits.rematches) continue;
      const failures = part.failures.map((one, i) => (i === 0 ? withRest(one, callSentences.nothingChanged) : one));
      return { answer: toRefusal(failures, notAttempted(plan.outcomes), job) };
    }
    // Once the server changes a text, the client can no longer apply earlier proposals for that text.
    session.history.proposals = session.history.proposals.filter(
      ({ unseen }) => !plan.files.some(({ document }) => unseen.has(document.uri)),
    );
    // Changes that the server writes itself may include operations that the editor does not support.
    const shownTo = part === undefined ? session : { ...session, capabilities: anyEdit };
    const run: Run = { ...context, plan, tasks, disk: part, shownTo, warnings, done: [], budget: { bytes: 0 } };
    return execute(run, (file) => replan(job, asked.confirmation, file));
  }
}

const anyEdit: ClientCapabilities = {
  workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] } },
};

/** A new plan for a file's current text, with the same kind of change as before, or the failure that prevented it. */
type Replanned = Pick<DoneStep, "file" | "editOutcomes"> | Failure;

async function replan(job: ApplyJob, confirmation: Confirmation | undefined, file: FileChange): Promise<Replanned> {
  const { path } = file.document;
  const changed = staleFailures.contentModified({ path }, staleProblems.fileChanged);
  const again = await job.plan(file);
  if (!again.ok) return again.failures[0] ?? changed;
  const same = again.files.find((one) => hasSameFate(one, file));
  // A deletion that only makes room for another file was not requested by the caller, so the new plan does not include
  // it.
  if (same === undefined) return changed;
  const consent = await confirmation?.askAgain(file, same, again);
  return typeof consent === "object" ? consent : { file: same, editOutcomes: again.outcomes };
}

/** Has the editor perform its tasks, then commits the staged files. If a step fails, rolls back the earlier steps. */
export async function execute(run: Run, replanned: (file: FileChange) => Promise<Replanned>): Promise<Applied> {
  const { disk, tasks, done } = run;
  for (const task of tasks) {
    const step = await doTask(run, task, replanned).catch((error: unknown) => {
      // Staged files block other batches in their folders, so they must be removed, whatever the error.
      disk?.staged.abandon();
      throw error;
    });
    if (step.outcome.kind !== "verified" && step.outcome.kind !== "acknowledgedUnverifiable") {
      disk?.staged.abandon();
      return { answer: await rollBackSteps(run, [step]) };
    }
    done.push(step);
  }
  const written = disk === undefined ? [] : await commitPart(run, disk, { hasWaited: tasks.length > 0 });
  const [first, ...rest] = written.filter(({ outcome }) => outcome.kind !== "verified");
  if (first !== undefined) return { answer: await rollBackSteps(run, [first, ...rest]) };
  done.push(...written);
  const result = await finish(run);
  return { answer: { ok: true, result }, ...(result.outcome === "applied" ? { steps: done } : {}) };
}

/** Performs one task. If its file changes before the editor has done anything, plans the file again. */
async function doTask(run: Run, task: Task, replanned: (file: FileChange) => Promise<Replanned>): Promise<DoneStep> {
  const before = run.done.findLast(({ planned }) => planned === task.planned);
  let file: FileChange = before?.file ?? task.planned;
  let editOutcomes = before?.editOutcomes ?? [];
  const toStep = (result: StepResult): DoneStep => ({ ...task, ...result, file, editOutcomes });
  const toFailed = (failure: Failure): DoneStep => toStep({ outcome: { kind: "failed", failure } });
  const hasMoved = (problem: string): DoneStep =>
    toFailed(staleFailures.contentModified({ path: file.document.path }, problem));
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const result = await stepRules[task.kind].do(run, file, task);
    if (result.outcome.kind !== "moved") return toStep(result);
    // A file that an earlier step has already changed can't be planned again.
    if (before !== undefined) return hasMoved(staleProblems.fileChanged);
    const again = await replanned(task.planned);
    if ("code" in again) return toFailed(again);
    ({ file, editOutcomes } = again);
    if (task.kind === "text" && file.change.isEmpty) return toStep({ outcome: { kind: "verified" } });
  }
  return hasMoved(callSentences.keepsMoving);
}

/** Has the editor save the changed files, compares their texts with the files on disk, and builds the result. */
async function finish(run: Run): Promise<MultiEditResult> {
  const { options, done, plan, disk } = run;
  const last = new Map(done.map((step): [FileChange, FileChange] => [step.planned, step.file]));
  const again = new Map(done.flatMap(({ editOutcomes }) => editOutcomes.map((outcome) => [outcome.index, outcome])));
  const files = plan.files.map((file) => last.get(file) ?? file);
  const outcomes = plan.outcomes.map((outcome) => again.get(outcome.index) ?? outcome);
  const changed = [...new Set(last.values())];
  // A file that was only renamed or deleted has no new text.
  const written = changed.filter(({ kind, change }) => kind === "create" || (kind !== "delete" && !change.isEmpty));
  const byServer = new Set(done.slice(run.tasks.length).map(({ file }) => file));
  const byEditor = written.filter((file) => !byServer.has(file));
  const warnings = [...run.warnings, ...(disk?.warnings ?? []), ...(await saveChanged(run, byEditor))];
  const unverifiable = done.filter(({ outcome }) => outcome.kind === "acknowledgedUnverifiable");
  const onDisk = new Map<FileChange, "same" | "differs">();
  let outcome: MultiEditResult["outcome"] = "applied";
  for (const file of changed) {
    const { path, version, uri } = file.document;
    if (!written.includes(file) && (version === null || file.kind === "delete")) continue;
    const state = await stateAfter(run, file);
    if (state !== undefined || run.places.get(uri)?.file !== undefined) onDisk.set(file, state ?? "differs");
    if (state === "same") continue;
    // An editor may write a file without opening or syncing it. If so, the comparison above has verified the step.
    if (unverifiable.some((step) => step.file === file)) {
      outcome = "unknown";
      warnings.push(callSentences.unverifiable(path));
    } else if (version === null && !byServer.has(file)) {
      warnings.push(callSentences.throughEditor(nameAfter(file).path));
    }
  }
  warnings.push(...(await staying(run)));
  for (const { kind, file } of done) {
    const open = kind === "text" ? openAt(run.session, nameAfter(file).uri) : undefined;
    const again = open === undefined || open.text === file.text ? undefined : changedSince(run.session, file, open);
    const { path } = nameAfter(file);
    if (again === undefined || warnings.includes(callSentences.changedOnSave(path))) continue;
    warnings.push(callSentences.changedAgain(path, again.first, again.last));
  }
  const sent = new Map(done.flatMap(({ file, edits }) => (edits === undefined ? [] : [[file, edits]])));
  // The edit in the result omits files that the server itself restored.
  const restored = done.flatMap(({ kind, file }) => (kind === "restore" ? [file] : []));
  const edit = toWorkspaceEdit(
    files.filter((file) => !restored.includes(file)),
    run.shownTo,
    sent,
  );
  const planned = { ...plan, files, outcomes };
  return inSlices(toResult({ planned, edit, outcome, options, warnings, onDisk, written: byServer }));
}

/**
 * Gives the editor a moment to close documents whose files were deleted or renamed. Returns warnings about those that
 * stay open.
 */
async function staying({ session, done }: Run): Promise<string[]> {
  const taken = done.flatMap(({ kind, file }) => (kind === "create" || kind === "rename" ? [nameAfter(file).uri] : []));
  const gone = done.filter(
    ({ kind, file }) => (kind === "delete" || kind === "rename") && !taken.includes(file.document.uri),
  );
  if (gone.length === 0) return [];
  const stays = () => gone.filter(({ file }) => openAt(session, file.document.uri) !== undefined);
  await until(async () => stays().length === 0, session.settings.proofTimeout / 4);
  return stays().map(({ file: { document, kind } }) =>
    callSentences.staysOpen(document.path, kind === "rename" ? "rename" : "delete"),
  );
}
