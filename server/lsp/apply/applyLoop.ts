/** Plans a call or an undo, has the user confirm it, applies it, and verifies each step by the result. */
import type { ClientCapabilities } from "vscode-languageserver/node";
import { type Failure, withRest } from "../../plan/failure.js";
import { type FileChange, hasSameFate, nameAfter, notAttempted } from "../../plan/outcome.js";
import { limits } from "../../text/limits.js";
import { staleFailures, staleProblems } from "../../workspace/sentences.js";
import { type Answer, type FailedAnswer, toEditorRefusal, toRefusal, toResult } from "../edit/result.js";
import { missingOperation, toWorkspaceEdit } from "../edit/workspaceEdit.js";
import type { MultiEditResult } from "../protocol.js";
import { callSentences, editorFailures } from "../sentences.js";
import { cancellation, type InTurn, inSlices, type OnWaiting, openAt, type Share } from "../session.js";
import { stateAfter, until } from "./applyOutcome.js";
import { type Confirmation, createConfirmation } from "./confirm.js";
import { outcomeRows, type StepOutcome } from "./outcomes.js";
import { rollBackSteps } from "./rollBackSteps.js";
import { type Saved, saveChanged } from "./save.js";
import type { ApplyJob, ApplyPlan, DoneStep, PlanAttempt, Run, Task } from "./step.js";
import { commitPart, heldElsewhere, type Queue, stagePart, tasksByWriter } from "./steps/disk.js";
import { stepRules } from "./steps/table.js";
import { changedSince, takesTextsTogether } from "./steps/text.js";

/** The outcome of a job. */
export interface Applied {
  readonly answer: Answer;
  /** All steps, in order; `undefined` unless all of them were verified. */
  readonly steps?: readonly DoneStep[];
  /** The plan that was carried out, as far as possible; `undefined` if none was. */
  readonly plan?: ApplyPlan;
}

/** A question that a call must ask before it can be applied. */
export interface Question {
  /** Asks the user. Resolves with the call's answer if the user has not agreed, otherwise with `undefined`. */
  readonly ask: () => Promise<Answer | undefined>;
}

/** Everything that a call keeps from one of its turns to the next. */
export interface Asked extends Queue {
  /** The user's confirmation of the call; `undefined` as long as none is needed. */
  confirmation: Confirmation | undefined;
  /** The id of the call's transaction. */
  transaction?: string;
}

/**
 * Runs a task after all earlier tasks. If the task returns a question, the calls after it go ahead: the user is asked
 * outside the queue, one question at a time, and then the task takes another turn and starts again. It does so before
 * the question, too, so that the user sees a diff of the texts as they are when the question is asked. If the call is
 * cancelled while it waits, immediately answers that it was cancelled.
 */
export async function inTurn(
  job: Pick<ApplyJob, "session" | "token"> & {
    readonly share?: Share | undefined;
    readonly onWaiting?: OnWaiting | undefined;
  },
  task: (asked: Asked) => Promise<Answer | Question>,
): Promise<Answer> {
  const { session } = job;
  const asked: Asked = { confirmation: undefined };
  let isWaiting = false;
  const waits = (now: boolean): void => {
    if (now !== isWaiting) job.onWaiting?.(now);
    isWaiting = now;
  };
  const askFirst = async (): Promise<Answer> => {
    waits(false);
    const answer = await queued(job, session.inTurn, () => task(asked));
    if ("ok" in answer) return answer;
    waits(true);
    return (await answer.ask()) ?? askFirst();
  };
  try {
    const answer = await queued(job, session.inTurn, () => task(asked));
    if ("ok" in answer) return answer;
    waits(true);
    return await queued(job, session.askInTurn, askFirst);
  } finally {
    if (isWaiting) waits(false);
    asked.turn?.leave();
    await asked.confirmation?.end();
  }
}

/** Runs a task in its turn, unless the call is cancelled before that. */
function queued<T>(
  { token, share }: Pick<ApplyJob, "token"> & { readonly share?: Share | undefined },
  inQueue: InTurn,
  task: () => Promise<T>,
): Promise<T | FailedAnswer> {
  let hasStarted = false;
  const turn = inQueue(async () => {
    hasStarted = true;
    return token.isCancellationRequested ? cancelled() : task();
  }, share);
  const left = cancellation(token).then(() => (hasStarted ? turn : cancelled()));
  return Promise.race([turn, left]);
}

/** Builds the answer to a call that was cancelled before anything was changed. */
export function cancelled(): FailedAnswer {
  return toRefusal([withRest(editorFailures.cancelled(), callSentences.nothingChanged)]);
}

/** Plans a job and applies it, or returns the question that the user must answer before. */
export async function applyJob(job: ApplyJob, asked: Asked): Promise<Applied | Question> {
  const { session, options, token, warnings, onCommit, onStart } = job;
  for (let moved = 0; ; ) {
    const plan = await (asked.confirmation === undefined ? job.plan() : narrowedPlan(job, asked));
    if (!plan.ok) return { answer: toRefusal(plan.failures, plan.outcomes, job) };
    const refused = (failure: Failure): Applied => ({
      answer: toEditorRefusal(withRest(failure, callSentences.nothingChanged), notAttempted(plan.outcomes)),
    });
    const context = { session, options, places: plan.places, onCommit, onStart };
    const { editor: tasks, disk } = tasksByWriter(context, plan.tasks);
    const byEditor = plan.files.filter((file) => tasks.some((one) => one.kind !== "restore" && one.planned === file));
    const canApply = tasks.length === 0 || session.capabilities.workspace?.applyEdit === true;
    const missing =
      missingOperation(byEditor, session) ?? (canApply ? undefined : editorFailures.noApplyEdit(job.kind));
    if (missing !== undefined) return refused(missing);
    // A caller may request confirmation, but can't bypass confirmation that the user requires.
    const mayAsk = options.confirm === true || options.overwrite === "ask" || plan.asks.length > 0;
    if (mayAsk) asked.confirmation ??= createConfirmation(job);
    const { confirmation } = asked;
    if (confirmation?.covers(plan) === false) {
      asked.turn?.leave();
      delete asked.turn;
      return { ask: () => refusalOf(confirmation, plan, refused) };
    }
    if (token.isCancellationRequested) return refused(editorFailures.cancelled());
    const held = await heldElsewhere(context, tasks);
    if (held !== undefined) return refused(held);
    const part = disk.length === 0 ? undefined : await stagePart(context, disk, { token, queue: asked });
    if (token.isCancellationRequested) {
      if (part?.ok === true) part.staged.abandon();
      return refused(editorFailures.cancelled());
    }
    if (part?.ok === false) {
      if (part.failures.every(({ code }) => code === "contentModified") && ++moved <= limits.rematches) continue;
      const failures = part.failures.map((one, i) => (i === 0 ? withRest(one, callSentences.nothingChanged) : one));
      return { answer: toRefusal(failures, notAttempted(plan.outcomes), job) };
    }
    // Once the server changes a text, the client can no longer apply earlier proposals for that text.
    session.history.proposals = session.history.proposals.filter(
      ({ unseen }) => !plan.files.some(({ document }) => unseen.has(document.uri)),
    );
    // Changes that the server writes itself may include operations that the editor does not support.
    const shownTo = part === undefined ? session : { ...session, capabilities: anyEdit };
    const replan = { plan: (only?: FileChange) => narrowedPlan(job, asked, only), confirmation };
    const run: Run = { ...context, plan, tasks, disk: part, shownTo, warnings, replan, done: [], budget: { bytes: 0 } };
    const executed = await execute(run);
    // If everything is as it was before the call, the user can be asked about the new plan.
    if (executed.isUnagreed !== true || ++moved > limits.rematches) return { ...executed, plan };
  }
}

/** Plans a job without what the user has refused of it. */
async function narrowedPlan(job: ApplyJob, { confirmation }: Asked, only?: FileChange): Promise<PlanAttempt> {
  const made = await job.plan(only);
  return made.ok ? (confirmation?.narrowed(made) ?? made) : made;
}

/** Asks the user about a plan. Returns the call's answer if the user does not agree, otherwise `undefined`. */
async function refusalOf(
  confirmation: Confirmation,
  plan: ApplyPlan,
  refused: (failure: Failure) => { readonly answer: Answer },
): Promise<Answer | undefined> {
  const consent = await confirmation.ask(plan);
  if (consent === "yes") return undefined;
  const { answer } = refused(consent);
  return consent.code === "userRejected" && !answer.ok ? { ...answer, diff: confirmation.proposed() } : answer;
}

const anyEdit: ClientCapabilities = {
  workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] } },
};

/** The outcome of a run. `isUnagreed`: it was rolled back completely, because the user must be asked about a new plan. */
interface Executed extends Applied {
  readonly isUnagreed?: boolean;
}

/** Has the editor perform its tasks, then commits the staged files. If a step fails, rolls back the earlier steps. */
export async function execute(run: Run): Promise<Executed> {
  const { disk, tasks, done } = run;
  let left = tasks;
  run.onStart?.(run.plan.files);
  while (left.length > 0) {
    // Texts come first, so a client that takes them together gets them all at once.
    const texts = takesTextsTogether(run.session) ? left.filter(({ kind }) => kind === "text") : [];
    const next = left.slice(0, Math.max(1, texts.length));
    const { steps, left: unsent } = await doTasks(run, next).catch((error: unknown) => {
      // Staged files block other batches in their folders, so they must be removed, whatever the error.
      disk?.staged.abandon();
      throw error;
    });
    const [first, ...rest] = steps.filter(({ outcome }) => !outcomeRows[outcome.kind].isDone);
    done.push(...steps.filter(({ outcome }) => outcomeRows[outcome.kind].isDone));
    left = [...unsent, ...left.slice(next.length)];
    if (first === undefined) continue;
    disk?.staged.abandon();
    const answer = await rollBackSteps(run, [first, ...rest]);
    return { answer, isUnagreed: first.outcome.kind === "unagreed" && !answer.ok };
  }
  const written = disk === undefined ? [] : await commitPart(run, disk, { hasWaited: tasks.length > 0 });
  const [first, ...rest] = written.filter(({ outcome }) => outcome.kind !== "verified");
  if (first !== undefined) return { answer: await rollBackSteps(run, [first, ...rest]) };
  done.push(...written);
  const { result, changed } = await finish(run);
  // An undo reverses what the editor has changed while saving, too.
  const steps = done.map((step) => ({ ...step, file: changed.get(step.file) ?? step.file }));
  return { answer: { ok: true, result }, ...(result.outcome === "applied" ? { steps } : {}) };
}

/** A task, with its file as most recently planned. */
interface Attempt extends Pick<DoneStep, "file" | "editOutcomes"> {
  readonly task: Task;
}

/** Performs a task, or texts as one edit, until one fails. `left`: texts that must be sent one at a time. */
async function doTasks(
  run: Run,
  tasks: readonly Task[],
): Promise<{ readonly steps: readonly DoneStep[]; readonly left: readonly Task[] }> {
  const steps: DoneStep[] = [];
  let attempts = tasks.map((task): Attempt => {
    const before = run.done.findLast(({ planned }) => planned === task.planned);
    return { task, file: before?.file ?? task.planned, editOutcomes: before?.editOutcomes ?? [] };
  });
  for (let count = 0; ; count++) {
    const [first, ...others] = attempts;
    if (first === undefined || (tasks.length > 1 && !takesTextsTogether(run.session))) break;
    const files = [first.file, ...others.map(({ file }) => file)] as const;
    const results = await stepRules[first.task.kind].do(run, files, first.task);
    const moved = new Set(attempts.filter((_, i) => results[i]?.outcome.kind === "moved"));
    const again: Attempt[] = [];
    for (const [i, attempt] of attempts.entries()) {
      const { task, ...planned } = attempt;
      const result = results[i]!;
      const { kind } = result.outcome;
      const isUnchanged = kind === "refused" || kind === "untouched";
      // If one document has changed, the editor refuses the whole edit, so that refusal is not about the others.
      if (moved.has(attempt) || (moved.size > 0 && isUnchanged)) again.push(attempt);
      else if (kind !== "untouched") steps.push({ ...task, ...planned, ...result });
    }
    attempts = [];
    for (const attempt of again) {
      if (!steps.every(({ outcome }) => outcomeRows[outcome.kind].isDone)) break;
      const next = moved.has(attempt) ? await planAgain(run, attempt, count) : attempt;
      if ("outcome" in next) steps.push(next);
      else attempts.push(next);
    }
    if (!steps.every(({ outcome }) => outcomeRows[outcome.kind].isDone)) return { steps, left: [] };
  }
  return { steps, left: attempts.map(({ task }) => task) };
}

/** Plans a task again whose file has changed. Returns a step if the task can't be performed or has no effect any more. */
async function planAgain({ replan, done }: Run, attempt: Attempt, count: number): Promise<Attempt | DoneStep> {
  const { task } = attempt;
  const { planned } = task;
  const { path } = planned.document;
  const changed = staleFailures.contentModified({ path }, staleProblems.fileChanged);
  const ended = (outcome: StepOutcome, { file, editOutcomes } = attempt): DoneStep => ({
    ...task,
    file,
    editOutcomes,
    outcome,
  });
  // A file that an earlier step has already changed can't be planned again.
  if (done.some((step) => step.planned === planned)) return ended({ kind: "failed", failure: changed });
  const again = await replan.plan(planned);
  if (!again.ok) return ended({ kind: "failed", failure: again.failures[0] ?? changed });
  const file = again.files.find((one) => hasSameFate(one, planned));
  // A deletion that only makes room for another file was not requested by the caller, so the new plan does not include
  // it.
  if (file === undefined) return ended({ kind: "failed", failure: changed });
  if (replan.confirmation?.coversAgain(planned, file, again) === false)
    return ended({ kind: "unagreed", failure: changed });
  const next = { task, file, editOutcomes: again.outcomes };
  if (task.kind === "text" && file.change.isEmpty) return ended({ kind: "verified" }, next);
  if (count < limits.rematches) return next;
  return ended({ kind: "failed", failure: staleFailures.contentModified({ path }, callSentences.keepsMoving) }, next);
}

/** Has the editor save the changed files, compares their texts with the files on disk, and builds the result. */
async function finish(run: Run): Promise<Pick<Saved, "changed"> & { readonly result: MultiEditResult }> {
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
  const saved = await saveChanged(run, byEditor);
  const warnings = [...run.warnings, ...(disk?.warnings ?? []), ...saved.warnings];
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
  if (done.some(({ kind }) => kind === "delete" || kind === "rename")) warnings.push(...(await staying(run)));
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
  const made = toResult({ planned, edit, outcome, options, warnings, onDisk, written: byServer });
  return { result: await inSlices(made), changed: saved.changed };
}

/** Gives the editor time to close documents that were deleted or renamed. Returns warnings about the rest. */
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
