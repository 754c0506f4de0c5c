/** Applies a plan through an editor that promises little: one document at a time, each proved by the text that it syncs. */
import { setTimeout as delay } from "node:timers/promises";
import type { ResponseError, WorkspaceEdit } from "vscode-languageserver/node";
import { callSentences, editorFailures, type Failure, withRest } from "../plan/failure.js";
import type { EditOutcome, FileChange, Planned } from "../plan/outcome.js";
import { ChangeSet } from "../text/changeSet.js";
import { limits } from "../text/limits.js";
import { shrink } from "../text/shrink.js";
import { sameAsDisk, withoutMark } from "../workspace/files.js";
import type { WorkspaceSnapshot } from "../workspace/snapshot.js";
import { isExpected, type Proof, prove, request, whichText } from "./proof.js";
import type { CallOptions, MultiEditErrorData, MultiEditResult } from "./protocol.js";
import { labelOf, toEditorError, toResult } from "./report.js";
import { openAt, type Session } from "./session.js";
import { offers, toTextDocumentEdit, toWorkspaceEdit } from "./workspaceEdit.js";

type GoodPlan = Extract<Planned, { ok: true }>;

/** A result, or the error that takes its place. */
type Answer = MultiEditResult | ResponseError<MultiEditErrorData>;

/** A plan to be applied, and how to plan one of its documents again when its text moved on. */
export interface Job {
  readonly session: Session;
  readonly planned: GoodPlan;
  readonly snapshot: WorkspaceSnapshot;
  readonly options: CallOptions;
  readonly warnings: readonly string[];
  readonly replan: (uri: string) => Promise<Replanned>;
}

/** One document planned again, on the text that it has now. */
export type Replanned =
  | { readonly ok: true; readonly planned: GoodPlan }
  | { readonly ok: false; readonly failure: Failure };

type StepProof =
  | Proof
  | { readonly kind: "failed"; readonly failure: Failure }
  /** The file was created, but got no text and could not be deleted again. */
  | { readonly kind: "leftEmpty" };

/** A document's part as it was applied in the end, and what proves it. */
interface Step {
  readonly proof: StepProof;
  readonly file: FileChange;
  /** The outcomes of this document's edits, where they were planned again. */
  readonly outcomes: readonly EditOutcome[];
}

/** Open documents first, then files that are not open, new files last: what can be proved and taken back goes first. */
export async function applyThroughEditor(job: Job): Promise<Answer> {
  const rank = ({ kind, document }: FileChange): number => (kind === "create" ? 2 : document.version === null ? 1 : 0);
  const files = job.planned.files
    .filter((file) => file.kind === "create" || !file.change.isEmpty)
    .sort((a, b) => rank(a) - rank(b));
  const done: Step[] = [];
  for (const file of files) {
    const step = await applyStep(job, file);
    if (step.proof.kind !== "proved" && step.proof.kind !== "unproved") return giveUp(job, step, done);
    done.push(step);
  }
  return finish(job, done);
}

/** One document, matched again where its text moved on before the editor could apply the edit. */
async function applyStep(job: Job, first: FileChange): Promise<Step> {
  let file = first;
  let outcomes: readonly EditOutcome[] = [];
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const proof = file.kind === "create" ? await create(job, file) : await change(job, file);
    if (proof.kind !== "moved") return { proof, file, outcomes };
    const again = await job.replan(file.document.uri);
    if (!again.ok) return { proof: { kind: "failed", failure: again.failure }, file, outcomes };
    ({ outcomes } = again.planned);
    file = again.planned.files[0] ?? file;
    if (file.kind !== "create" && file.change.isEmpty) return { proof: { kind: "proved" }, file, outcomes };
  }
  const failure = editorFailures.contentModified({ path: file.document.path }, callSentences.keepsMoving);
  return { proof: { kind: "failed", failure }, file, outcomes };
}

async function change(job: Job, file: FileChange): Promise<Proof> {
  const { session, options } = job;
  const { uri, version } = file.document;
  // A file that was not open may have been opened meanwhile: then it has a version, and is planned again with it.
  if ((openAt(session, uri)?.version ?? null) !== version) return { kind: "moved" };
  return prove(session, file, { label: labelOf([file], options), edit: editOf(session, file) });
}

/** The edit of one document; a client that knows no `documentChanges` gets the older form. */
function editOf(session: Session, file: FileChange): WorkspaceEdit {
  const made = toWorkspaceEdit([{ ...file, kind: "update" }], session);
  const older = made.ok && made.edit.changes !== undefined;
  return older ? made.edit : { documentChanges: [toTextDocumentEdit(file, session)] };
}

/** The file first and its text in a second request: some editors prompt for both in one, or lose the text. */
async function create(job: Job, file: FileChange): Promise<StepProof> {
  const { session, options } = job;
  const { uri } = file.document;
  const label = labelOf([file], options);
  const answer = await request(session, { label, edit: { documentChanges: [{ kind: "create", uri }] } });
  if (answer.silent) return { kind: "silent" };
  if (!answer.applied) return { kind: "refused", reason: answer.reason };
  if (file.change.isEmpty) {
    const there = openAt(session, uri) !== undefined || (await onDiskNow(job, file, "")) === "same";
    return { kind: there ? "proved" : "unproved" };
  }
  const document = { ...file.document, version: openAt(session, uri)?.version ?? null };
  const edit: WorkspaceEdit = { documentChanges: [toTextDocumentEdit({ ...file, document }, session)] };
  const proof = await prove(session, file, { label, edit });
  if (proof.kind === "proved" || proof.kind === "unproved") return proof;
  // The file was not there when it was planned, so there is no text that could have moved on.
  const isGone = await remove(job, file);
  if (!isGone && (await onDiskNow(job, file, "")) === "same") return { kind: "leftEmpty" };
  return proof.kind === "moved" ? { kind: "diverged" } : proof;
}

/** Takes back what was done, the last first. What then is certain is an error; what is not, a result that says so. */
async function giveUp(job: Job, step: Step, done: readonly Step[]): Promise<Answer> {
  const back: FileChange[] = [];
  const stuck: FileChange[] = [];
  const doubtful: FileChange[] = [];
  for (const one of [...done].reverse()) {
    if (await takeBack(job, one)) back.push(one.file);
    else if (one.proof.kind === "proved") stuck.push(one.file);
    else doubtful.push(one.file);
  }
  const paths = (files: readonly FileChange[]): string[] => files.map(({ document }) => document.path);
  const failure = failureOf(
    step,
    callSentences.rest({ back: paths(back), stuck: paths(stuck), doubtful: paths(doubtful) }),
  );
  const left = paths([...stuck, ...doubtful]);
  const isUncertain = ["diverged", "silent", "unseen", "leftEmpty"].includes(step.proof.kind);
  const outcomes = job.planned.outcomes.map((outcome): EditOutcome => {
    const { index, path, status } = outcome;
    if (status !== "applied" || left.includes(path)) return outcome;
    if (path !== step.file.document.path) return { ...outcome, status: "notAttempted" };
    return { ...outcome, status: "failed", failure: { ...failure, index } };
  });
  if (!isUncertain && left.length === 0) return toEditorError(failure, outcomes);
  const files = [...(isUncertain ? [step.file] : []), ...stuck, ...doubtful];
  const made = toWorkspaceEdit(files, job.session);
  const onDisk = new Map<string, "same" | "differs">();
  for (const file of files) {
    const open = openAt(job.session, file.document.uri);
    onDisk.set(file.document.uri, (await onDiskNow(job, file, open?.text ?? file.text)) ?? "differs");
  }
  return toResult({
    planned: { ...job.planned, files, outcomes },
    edit: made.ok ? made.edit : { documentChanges: [] },
    outcome: "unknown",
    options: job.options,
    warnings: [failure.message, ...job.warnings],
    onDisk,
  });
}

/** Why the step did not come about; `rest` says what became of the others. */
function failureOf({ proof, file }: Step, rest: string): Failure {
  const { path } = file.document;
  switch (proof.kind) {
    case "failed":
      return withRest(proof.failure, rest);
    case "refused":
      return editorFailures.clientRefused(path, proof.reason, rest);
    case "leftEmpty":
      return editorFailures.leftEmpty(path, rest);
    case "silent":
      return editorFailures.timeout(path, limits.applyEditMs / 1000, rest);
    case "unseen":
      return editorFailures.unseen(path, rest);
    default:
      return editorFailures.clientDiverged(path, rest);
  }
}

/** By the inverse edit, where the editor still has the text that the edit gave, but for typing elsewhere. */
async function takeBack(job: Job, { file, proof }: Step): Promise<boolean> {
  if (file.kind === "create") return remove(job, file);
  if (proof.kind !== "proved") return false;
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const inverse = inverseNow(job, file);
    if (inverse === undefined) return false;
    const { kind } = await change(job, inverse);
    // Typed into again meanwhile: the inverse is made anew, for the text as it is then.
    if (kind !== "moved") return kind === "proved";
  }
  return false;
}

/** What gives the document its old text back now; `undefined`: that can't be told from what the editor has. */
function inverseNow({ session }: Job, file: FileChange): FileChange | undefined {
  const open = openAt(session, file.document.uri);
  if (open === undefined || open.desynced !== undefined) return undefined;
  const isTyped = !isExpected(session, file, open.text);
  if (isTyped && whichText(file, open.text) !== "planned") return undefined;
  const text = withoutMark(open.text);
  // What was typed since stays; a final line end that the editor gave back does not.
  const typed = ChangeSet.of(file.text.length, shrink(file.text, { from: 0, to: file.text.length, insert: text }));
  const inverse = file.change.invert(file.document.text).changes;
  const back = ChangeSet.of(
    text.length,
    isTyped
      ? inverse.map(({ from, to, insert }) => ({
          from: typed.mapPos(from, "after"),
          to: typed.mapPos(to, "before"),
          insert,
        }))
      : [...inverse, { from: file.text.length, to: text.length, insert: "" }],
  );
  const document = { ...file.document, text, version: open.version };
  return { ...file, document, change: back, text: back.apply(text) };
}

/** Deletes a file that the batch created, unless somebody else has written into it. */
async function remove(job: Job, file: FileChange): Promise<boolean> {
  const { session } = job;
  const isOurs = (await onDiskNow(job, file, "")) === "same" || (await onDiskNow(job, file, file.text)) === "same";
  const open = openAt(session, file.document.uri);
  const isUntouched = open === undefined || /^(?:\r\n|\n|\r)?$/.test(open.text) || isExpected(session, file, open.text);
  if (!isOurs || !isUntouched || !offers(session, "delete")) return false;
  const edit: WorkspaceEdit = { documentChanges: [{ kind: "delete", uri: file.document.uri }] };
  await request(session, { label: "Undo", edit });
  // Proved by the disk, as everything else is by the text; an editor may answer before it deletes.
  const end = performance.now() + session.settings.proofTimeout;
  while ((await onDiskNow(job, file, "")) !== undefined) {
    if (performance.now() > end) return false;
    await delay(20);
  }
  return true;
}

/** Whether the file on disk has a text now. `undefined`: there is no file. */
async function onDiskNow(job: Job, file: FileChange, text: string): Promise<"same" | "differs" | undefined> {
  const path = job.snapshot.places.get(file.document.uri)?.file;
  return path === undefined ? undefined : sameAsDisk(text, path);
}

/** The result, as far as it was proved. */
async function finish(job: Job, done: readonly Step[]): Promise<Answer> {
  const { session, options } = job;
  const byUri = new Map(done.map(({ file }) => [file.document.uri, file]));
  const again = new Map(done.flatMap(({ outcomes }) => outcomes.map((outcome) => [outcome.index, outcome])));
  const planned: GoodPlan = {
    ...job.planned,
    files: job.planned.files.map((file) => byUri.get(file.document.uri) ?? file),
    outcomes: job.planned.outcomes.map((outcome) => again.get(outcome.index) ?? outcome),
  };
  const onDisk = new Map<string, "same" | "differs">();
  const warnings = [...job.warnings];
  let isProved = true;
  for (const { file, proof } of done) {
    const { uri, path, version } = file.document;
    const state = (await onDiskNow(job, file, file.text)) ?? "differs";
    if (job.snapshot.places.get(uri)?.file !== undefined) onDisk.set(uri, state);
    // An editor that does not sync what it was not asked to open may have written it: the disk proves that, too.
    if (proof.kind === "unproved" && state !== "same") {
      isProved = false;
      warnings.push(callSentences.unproved(path));
    } else if (state === "differs" && version === null) {
      warnings.push(callSentences.throughEditor(path));
    } else if (state === "differs" && options.save === "always") {
      warnings.push(callSentences.notSaved(path));
    }
  }
  const made = toWorkspaceEdit(planned.files, session);
  if (!made.ok) return toEditorError(made.failure, planned.outcomes);
  const outcome = isProved ? "applied" : "unknown";
  return toResult({ planned, edit: made.edit, outcome, options, warnings, onDisk });
}
