/** Applies a plan through an editor that promises little: one step at a time, each proved by the text that it syncs or by the disk. */
import type { ResponseError, WorkspaceEdit } from "vscode-languageserver/node";
import { type Asked, callSentences, editorFailures, type Failure, type Leftover, withRest } from "../plan/failure.js";
import { indicesOf } from "../plan/operation.js";
import type { EditOutcome, FileChange, Planned } from "../plan/outcome.js";
import { type Change, ChangeSet } from "../text/changeSet.js";
import { limits } from "../text/limits.js";
import { shrink } from "../text/shrink.js";
import { withoutMark } from "../workspace/files.js";
import type { WorkspaceSnapshot } from "../workspace/snapshot.js";
import {
  createFile,
  deleteFile,
  type FileStep,
  onDiskNow,
  removeFile,
  renameBack,
  renameFile,
  type Site,
  undelete,
  until,
} from "./fileSteps.js";
import { isExpected, type Proof, prove, whichText } from "./proof.js";
import type { CallOptions, MultiEditErrorData, MultiEditResult } from "./protocol.js";
import { labelOf, toEditorError, toResult } from "./report.js";
import { inSlices, openAt, type Session } from "./session.js";
import { orderOf, toTextDocumentEdit, toWorkspaceEdit } from "./workspaceEdit.js";

type GoodPlan = Extract<Planned, { ok: true }>;

/** A result, or the error that takes its place. */
type Answer = MultiEditResult | ResponseError<MultiEditErrorData>;

/** A plan to be applied, and how to plan one of its files again when its text moved on. */
export interface Job {
  readonly session: Session;
  readonly planned: GoodPlan;
  readonly snapshot: WorkspaceSnapshot;
  readonly options: CallOptions;
  readonly warnings: readonly string[];
  readonly replan: (file: FileChange) => Promise<Replanned>;
}

/** One file planned again, on the text that it has now, with the same fate as before; and the outcomes of its edits. */
export type Replanned =
  | { readonly ok: true; readonly file: FileChange; readonly outcomes: readonly EditOutcome[] }
  | { readonly ok: false; readonly failure: Failure };

/** A step of a plan: the text of a file that is there, or what is done to a whole file. */
interface Task {
  readonly kind: "text" | "create" | "rename" | "delete";
  /** As it was planned first. */
  readonly planned: FileChange;
}

/** A step as it was done in the end, what proves it, and what taking it back needs. */
interface Step extends Task, FileStep {
  /** As it was planned last. */
  readonly file: FileChange;
  /** The outcomes of this file's edits, where they were planned again. */
  readonly outcomes: readonly EditOutcome[];
}

/** A job on its way. */
interface Work extends Job, Site {
  readonly done: Step[];
  /** Bytes of deleted files that are kept. */
  readonly budget: { bytes: number };
}

/** Texts first, then new files, renames, and deletions last: what can be proved and taken back best goes first. */
export async function applyThroughEditor(job: Job): Promise<Answer> {
  const work: Work = { ...job, places: job.snapshot.places, done: [], budget: { bytes: 0 } };
  for (const task of tasksOf(job.planned.files)) {
    const step = await doTask(work, task);
    if (step.proof.kind !== "proved" && step.proof.kind !== "unproved") return giveUp(work, step);
    work.done.push(step);
  }
  return finish(work);
}

/** Of the texts, open documents first. */
function tasksOf(files: readonly FileChange[]): Task[] {
  const { created, after } = orderOf(files);
  const rank = ({ document }: FileChange): number => (document.version === null ? 1 : 0);
  const texts = files
    .filter(({ kind, change }) => (kind === "update" || kind === "rename") && !change.isEmpty)
    .sort((a, b) => rank(a) - rank(b));
  return [
    ...texts.map((planned): Task => ({ kind: "text", planned })),
    ...[...created, ...after].flatMap((planned): Task[] =>
      planned.kind === "update" ? [] : [{ kind: planned.kind, planned }],
    ),
  ];
}

/** One step; its file is planned again where it moved on before the editor could do anything. */
async function doTask(work: Work, task: Task): Promise<Step> {
  const before = work.done.findLast(({ planned }) => planned === task.planned);
  let file = before?.file ?? task.planned;
  let outcomes: readonly EditOutcome[] = before?.outcomes ?? [];
  const done = (step: FileStep): Step => ({ ...task, ...step, file, outcomes });
  const gaveUp = (problem: string): Step => {
    const failure = editorFailures.contentModified({ path: file.document.path }, problem);
    return done({ proof: { kind: "failed", failure } });
  };
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const step = await attemptTask(work, task, file);
    if (step.proof.kind !== "moved") return done(step);
    // What is half done can't be planned again, nor what only makes room for another file.
    if (before !== undefined || file.operations.length === 0) return gaveUp(callSentences.fileChanged);
    const again = await work.replan(task.planned);
    if (!again.ok) return done({ proof: { kind: "failed", failure: again.failure } });
    ({ file, outcomes } = again);
    if (task.kind === "text" && file.change.isEmpty) return done({ proof: { kind: "proved" } });
  }
  return gaveUp(callSentences.keepsMoving);
}

async function attemptTask(work: Work, { kind, planned }: Task, file: FileChange): Promise<FileStep> {
  switch (kind) {
    case "text":
      return { proof: await changeText(work, file) };
    case "create":
      return createFile(work, file);
    case "rename":
      return renameFile(work, file, { isEdited: work.done.some((step) => step.planned === planned) });
    case "delete":
      return deleteFile(work, file, work.budget);
  }
}

async function changeText({ session, options }: Job, file: FileChange): Promise<Proof> {
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

/** What of a file could not be taken back: its text, what was done to it as a whole, or both. */
type Held = ReadonlyMap<FileChange, ReadonlySet<"text" | "whole">>;

/** Takes back what was done, the last first. What then is certain is an error; what is not, a result that says so. */
async function giveUp(work: Work, step: Step): Promise<Answer> {
  const rest: Record<Leftover | "back", string[]> = {
    back: [],
    stuck: [],
    renamed: [],
    deleted: [],
    saved: [],
    doubtful: [],
  };
  const held = new Map<FileChange, Set<"text" | "whole">>();
  const hold = ({ file, kind }: Step, part: "text" | "whole" = kind === "text" ? "text" : "whole"): void => {
    held.set(file, (held.get(file) ?? new Set()).add(part));
  };
  for (const one of [...work.done].reverse()) {
    const left = await takeBack(work, one);
    rest[left].push(one.file.document.path);
    if (left !== "back") hold(one, left === "saved" ? "text" : undefined);
  }
  const stays = new Set(Object.entries(rest).flatMap(([kind, paths]) => (kind === "back" ? [] : paths)));
  rest.back = [...new Set(rest.back)].filter((path) => !stays.has(path));
  const failure = failureOf(step, callSentences.rest(rest));
  const outcomes = outcomesOf(work, { step, failure, held });
  if (["diverged", "silent", "unseen", "leftEmpty"].includes(step.proof.kind)) hold(step);
  return held.size === 0 ? toEditorError(failure, outcomes) : unknown(work, { failure, outcomes, held });
}

/** What became of the edits: those that a file still holds are applied, those of the file that failed have failed. */
function outcomesOf(
  work: Work,
  { step, failure, held }: { readonly step: Step; readonly failure: Failure; readonly held: Held },
): EditOutcome[] {
  const indices = (files: readonly FileChange[]) =>
    new Set(files.flatMap(({ operations }) => operations.flatMap(indicesOf)));
  const left = indices([...held.keys()]);
  const failed = indices([step.file]);
  return work.planned.outcomes.map((outcome): EditOutcome => {
    const { index, status } = outcome;
    if (status !== "applied" || left.has(index)) return outcome;
    if (!failed.has(index)) return { ...outcome, status: "notAttempted" };
    return { ...outcome, status: "failed", failure: { ...failure, index } };
  });
}

/** The result of a call of which something may have been left behind. */
async function unknown(
  work: Work,
  { failure, outcomes, held }: { failure: Failure; outcomes: readonly EditOutcome[]; held: Held },
): Promise<Answer> {
  const files = [...held].map(([file, parts]) => partOf(file, parts));
  const made = toWorkspaceEdit(files, work.session);
  const onDisk = new Map<FileChange, "same" | "differs">();
  for (const file of files) {
    if (file.kind === "delete") continue;
    const open = openAt(work.session, nameAfter(file));
    onDisk.set(file, (await diskAfter(work, file, open?.text ?? file.text)) ?? "differs");
  }
  const result = toResult({
    planned: { ...work.planned, files, outcomes },
    edit: made.ok ? made.edit : { documentChanges: [] },
    outcome: "unknown",
    options: work.options,
    warnings: [failure.message, ...work.warnings],
    onDisk,
  });
  return inSlices(result);
}

/** A change of which only some parts came about. */
function partOf(file: FileChange, parts: ReadonlySet<"text" | "whole">): FileChange {
  if (file.kind !== "rename" || (parts.has("text") && parts.has("whole"))) return file;
  const { target, ...rest } = file;
  if (parts.has("text")) return { ...rest, kind: "update", overwritten: false };
  return { ...file, change: ChangeSet.none(file.document.text.length), text: file.document.text };
}

/** Why the step did not come about; `rest` says what became of the others. */
function failureOf({ proof, file, kind }: Step, rest: string): Failure {
  const { path } = file.document;
  const asked: Asked =
    kind === "rename" || kind === "delete"
      ? { kind, path, ...(file.target === undefined ? {} : { newPath: file.target.path }) }
      : { kind: "edit", path };
  switch (proof.kind) {
    case "failed":
      return withRest(proof.failure, rest);
    case "refused":
      return editorFailures.clientRefused(asked, proof.reason, rest);
    case "leftEmpty":
      return editorFailures.leftEmpty(path, rest);
    case "silent":
      return editorFailures.timeout(asked, limits.applyEditMs / 1000, rest);
    case "unseen":
      return editorFailures.unseen(asked, rest);
    default:
      return editorFailures.clientDiverged(asked, rest);
  }
}

/** Takes one step back, and says what is left of it. */
async function takeBack(work: Work, step: Step): Promise<Leftover | "back"> {
  const { file, kind, proof } = step;
  const isCertain = proof.kind === "proved";
  if (kind === "rename") {
    const left = await renameBack(work, file, step);
    return left === "stuck" ? "renamed" : left;
  }
  if (kind === "delete") return (await undelete(work, file, step)) ? "back" : "deleted";
  const isBack = kind === "create" ? await removeFile(work, file, step) : isCertain && (await takeTextBack(work, file));
  return isBack ? "back" : isCertain ? "stuck" : "doubtful";
}

/** By the inverse edit, where the editor still has the text that the edit gave, but for typing elsewhere. */
async function takeTextBack(job: Job, file: FileChange): Promise<boolean> {
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const inverse = inverseNow(job, file);
    if (inverse === undefined) return false;
    const { kind } = await changeText(job, inverse);
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
  // Typed right beside what is to go: without it, the typing would stand in another line or word.
  const touches = (one: Change): boolean => typed.changes.some(({ from, to }) => from <= one.to && to >= one.from);
  if (isTyped && inverse.some(touches)) return undefined;
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

/** The result, as far as it was proved. */
async function finish(work: Work): Promise<Answer> {
  const { session, options, done, planned } = work;
  const last = new Map(done.map((step) => [step.planned, step.file]));
  const again = new Map(done.flatMap(({ outcomes }) => outcomes.map((outcome) => [outcome.index, outcome])));
  const files = planned.files.map((file) => last.get(file) ?? file);
  const outcomes = planned.outcomes.map((outcome) => again.get(outcome.index) ?? outcome);
  const onDisk = new Map<FileChange, "same" | "differs">();
  const warnings = [...work.warnings];
  let isProved = true;
  for (const file of new Set(last.values())) {
    const { path, version } = file.document;
    // A file that was only renamed or deleted holds what it held.
    const isText = file.kind === "create" || !file.change.isEmpty;
    if (!isText && (version === null || file.kind === "delete")) continue;
    const state = await diskAfter(work, file, file.text);
    if (state !== undefined || work.places.get(file.document.uri)?.file !== undefined) {
      onDisk.set(file, state ?? "differs");
    }
    const isSaved = state === "same";
    const isUnproved = done.some((step) => step.file === file && step.proof.kind === "unproved");
    // An editor that does not sync what it was not asked to open may have written it: the disk proves that, too.
    if (isUnproved && !isSaved) {
      isProved = false;
      warnings.push(callSentences.unproved(path));
    } else if (!isSaved && version === null) {
      warnings.push(callSentences.throughEditor(file.target?.path ?? path));
    } else if (!isSaved && options.save === "always") {
      warnings.push(callSentences.notSaved(path));
    }
  }
  warnings.push(...(await staying(work)));
  const made = toWorkspaceEdit(files, session);
  if (!made.ok) return toEditorError(made.failure, outcomes);
  const outcome = isProved ? "applied" : "unknown";
  const result = toResult({
    planned: { ...planned, files, outcomes },
    edit: made.edit,
    outcome,
    options,
    warnings,
    onDisk,
  });
  return inSlices(result);
}

/** Documents that the editor keeps open although their file is gone, or has another name; it gets a moment to close them. */
async function staying({ session, done }: Work): Promise<string[]> {
  const taken = done.flatMap(({ kind, file }) =>
    kind === "create" ? [file.document.uri] : kind === "rename" ? (file.target?.uri ?? []) : [],
  );
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

/** Under which URI a file is to be found in the end. */
const nameAfter = ({ document, target }: FileChange): string => target?.uri ?? document.uri;

/** Whether a file has a text on disk, under the name that it has in the end. */
function diskAfter(work: Work, file: FileChange, text: string): Promise<"same" | "differs" | undefined> {
  return onDiskNow(work, { ...file, document: { ...file.document, uri: nameAfter(file) } }, text);
}
