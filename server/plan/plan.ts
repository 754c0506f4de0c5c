/** Turns operations and a snapshot into one workspace change or a list of failures. Planning is deterministic. */
import { ChangeSet, shrink } from "../text/changeSet.js";
import { limits } from "../text/limits.js";
import { type Draft, draftOf, edited, netChange } from "./draft.js";
import { planIndependent } from "./edits/independent.js";
import { planOriginal } from "./edits/original.js";
import { planByRegions } from "./edits/regions.js";
import { editFailures } from "./edits/sentences.js";
import { type Drafted, planSequential } from "./edits/sequential.js";
import { elidedWarnings } from "./explain/leftOutWarnings.js";
import { atEdit, type Failure } from "./failure.js";
import { allLines, type BatchOptions, type EditOperation, type Operation } from "./operation.js";
import {
  type EditOutcome,
  type FilePlan,
  type FilePlans,
  failedOutcome,
  notAttempted,
  type Planned,
  tooLarge,
} from "./outcome.js";
import { planSections } from "./patch/sections.js";
import { fileFailures } from "./patch/sentences.js";
import { batchWarnings } from "./sentences.js";
import { type Document, documentAt, isEmpty, liesBelow, type Snapshot } from "./snapshot.js";
import { plannedIn } from "./terms.js";
import { planViews } from "./views/planViews.js";
import { refusedUnread } from "./views/seenLines.js";

/** Plans a whole batch; yields after each edit, so that the caller can serve other requests or stop. */
export function* planBatch(
  operations: readonly Operation[],
  snapshot: Snapshot,
  options: BatchOptions,
): Generator<void, Planned> {
  const edits = operations.flatMap((operation) => (operation.kind === "edit" ? [operation] : []));
  const sections = operations.flatMap((operation) => (operation.kind === "edit" ? [] : [operation]));
  if (edits.length > 0 && sections.length > 0) throw new Error("a batch has edits or sections, not both");
  // An edit that asks for nothing does not stop the others.
  const same = edits.filter(({ oldText, newText }) => oldText !== "" && oldText === newText);
  const idle = same.flatMap((edit) => idleOutcome(edit, snapshot) ?? []);
  const idleAt = new Set(idle.map(({ index }) => index));
  const isIdle = idle.length > 0 && idle.length < edits.length;
  const { plans, lost } = yield* sections.length > 0
    ? planSections(sections, snapshot, options)
    : planEdits(isIdle ? edits.filter(({ index }) => !idleAt.has(index)) : edits, snapshot, options);
  const planned = decide(plans, isIdle ? [...lost, ...idle] : lost, options);
  return options.terms === undefined ? planned : plannedIn(planned, operations, options);
}

/** Returns the outcome of an edit that is left out, because it would change nothing; `undefined` if its path is wrong. */
function idleOutcome({ index, path }: EditOperation, snapshot: Snapshot): EditOutcome | undefined {
  const found = documentAt(snapshot, path);
  return found.ok ? { index, path: found.document.path, status: "skipped", places: [] } : undefined;
}

function* planEdits(
  edits: readonly EditOperation[],
  snapshot: Snapshot,
  options: BatchOptions,
): Generator<void, FilePlans> {
  const byDocument = new Map<Document, EditOperation[]>();
  const lost: EditOutcome[] = [];
  for (const edit of edits) {
    const { index } = edit;
    const found = documentAt(snapshot, edit.path);
    if (!found.ok) {
      // A failure without a path concerns the whole call and is the same for all its edits.
      const failure = found.failure.path === undefined ? found.failure : atEdit(found.failure, { index });
      lost.push(failedOutcome(edit, failure));
      continue;
    }
    const { document } = found;
    const at = { index, path: document.path };
    const own = byDocument.get(document);
    if (!document.exists && liesBelow(document.uri, snapshot)) {
      lost.push(failedOutcome(at, fileFailures.belowFile(at)));
    } else if (own === undefined) byDocument.set(document, [edit]);
    else own.push(edit);
  }
  const plans: FilePlan[] = [];
  for (const [document, own] of byDocument) plans.push(yield* planFile(document, own, options));
  const planAgain = (again: readonly EditOperation[], then: Snapshot) =>
    planEdits(again, then, { ...options, isTrial: true });
  const isAlone = plans.every(({ file }) => file?.document.views === undefined);
  return { plans: isAlone ? plans : yield* planViews(plans, snapshot, planAgain), lost };
}

function* planFile(
  document: Document,
  edits: readonly EditOperation[],
  options: BatchOptions,
): Generator<void, FilePlan> {
  const hasLines = edits.some(({ seenLines }) => seenLines !== undefined);
  if (hasLines && document.text !== "" && isEmpty(document)) return yield* planEmpty(document, edits, options);
  const refused = hasLines && !options.isTrial ? refusedUnread(document, edits, options) : undefined;
  if (refused !== undefined) return refused;
  const [first] = edits;
  const appends = options.emptyAppends === true && document.exists && !isEmpty(document);
  const isOpening = first?.oldText === "" && !appends && (first.seenLines === undefined || !document.exists);
  const opening = isOpening ? open(draftOf(document), first) : { draft: draftOf(document), outcomes: [] };
  const rest = edits.slice(opening.outcomes.length);
  // In a file that the batch creates, later edits are matched against the created text, regardless of `order`.
  const isMany = rest.length >= limits.manyEdits && !options.wholeLines && !hasLines;
  const sequential = isMany ? planMany : planSequential;
  const plan = options.order === "sequential" || hasLines ? sequential : planOriginal;
  const { draft, outcomes } = yield* plan(opening.draft, rest, options);
  const all = [...opening.outcomes, ...outcomes];
  const tooLong = draft.index.text.length > limits.documentLength;
  return {
    operations: edits,
    outcomes: tooLong ? all.map((outcome) => tooLarge(outcome, draft.index.text.length)) : all,
    warnings: [
      ...all
        .filter(({ status, rung }) => status === "skipped" && (rung !== undefined || hasLines))
        .map(batchWarnings.nothingToDo),
      ...elidedWarnings(hasLines ? edits.map((edit) => withOldText(edit, document)) : edits, all, draft),
    ],
    file: {
      document,
      change: netChange(draft),
      text: draft.index.text,
      kind: draft.created ? "create" : "update",
      overwritten: false,
      operations: edits,
      edits: all.filter(({ status }) => status === "applied").length,
    },
  };
}

/** Plans edits of an empty text that the editor syncs as a line ending: as for the text that the user sees. */
function* planEmpty(
  document: Document,
  edits: readonly EditOperation[],
  options: BatchOptions,
): Generator<void, FilePlan> {
  const plan = yield* planFile({ ...document, text: "", views: undefined }, edits, options);
  if (plan.file === undefined) return plan;
  const whole = { from: 0, to: document.text.length, insert: plan.file.text };
  const changes = plan.file.change.isEmpty ? [] : shrink(document.text, whole);
  return { ...plan, file: { ...plan.file, document, change: ChangeSet.of(document.text.length, changes) } };
}

/** Returns an edit with the old text that it replaces, if it gives a file its whole text. */
const withOldText = (edit: EditOperation, { text }: Document): EditOperation =>
  edit.seenLines?.to === allLines.to ? { ...edit, oldText: text } : edit;

/** Plans many edits in one pass or by regions if the result is surely the same as one after another. */
function* planMany(start: Draft, edits: readonly EditOperation[], options: BatchOptions): Generator<void, Drafted> {
  const isLarge = start.index.text.length >= limits.regionUnits;
  return (
    (yield* planIndependent(start, edits, options)) ??
    (isLarge ? yield* planByRegions(start, edits, options) : undefined) ??
    (yield* planSequential(start, edits, options))
  );
}

/** Plans a file's first edit if its old text is empty: creates the file or fills an empty one. */
function open(draft: Draft, edit: EditOperation): { draft: Draft; outcomes: EditOutcome[] } {
  const { document } = draft;
  const at = { index: edit.index, path: document.path };
  const failed = (failure: Failure) => ({ draft, outcomes: [failedOutcome(at, failure)] });
  if (document.exists && !isEmpty(document)) return failed(editFailures.emptyOldText(at, { first: true }));
  if (document.exists && edit.newText === "") return failed(editFailures.noChange(at));
  const filled = edited(draft, [{ from: 0, to: document.text.length, insert: edit.newText }]).draft;
  const outcomes: EditOutcome[] = [{ ...at, status: "applied", places: [] }];
  return { draft: document.exists ? filled : { ...filled, created: true }, outcomes };
}

/** Decides what is applied, by `atomic` if an edit failed. `lost`: the outcomes of edits outside of all plans. */
function decide(plans: readonly FilePlan[], lost: readonly EditOutcome[], options: BatchOptions): Planned {
  const spoilt = new Set(plans.filter(({ outcomes }) => outcomes.some(({ status }) => status === "failed")));
  const anyFailed = lost.some(({ status }) => status === "failed") || spoilt.size > 0;
  const isAll = options.atomic === "all";
  const kept = new Set(plans.filter((plan) => (isAll ? !anyFailed : options.atomic === "none" || !spoilt.has(plan))));
  const files = [...kept]
    // Keep a deletion that makes way for another file, even if the deleted file has no edits, or all of its edits
    // failed.
    .filter(({ file, outcomes }) => file?.kind === "delete" || outcomes.some(({ status }) => status !== "failed"))
    .flatMap(({ file }) => file ?? []);
  const all = [...lost, ...plans.flatMap((plan) => (kept.has(plan) ? plan.outcomes : notAttempted(plan.outcomes)))];
  all.sort((a, b) => a.index - b.index);
  const outcomes = all.map(({ warnings: _, ...outcome }) => outcome);
  const failures = [...new Set(outcomes.flatMap(({ failure }) => (failure === undefined ? [] : [failure])))];
  const nothingLeft = failures.length > 0 && files.every(({ edits }) => edits === 0);
  if (nothingLeft) return { ok: false, failures, outcomes };
  const left = outcomes
    .filter(({ status }) => status === "failed" || status === "notAttempted")
    .map(({ index }) => index);
  const warnings = [
    ...(left.length === 0 ? [] : [batchWarnings.leftOut(left)]),
    ...lost.filter(({ status }) => status === "skipped").map(batchWarnings.sameTexts),
    ...[...kept].flatMap((plan) => plan.warnings),
    ...all.flatMap(({ status, warnings = [] }) => (status === "applied" ? warnings : [])),
  ];
  return { ok: true, files, outcomes, warnings };
}
