/** Rolls back the steps of a call that can't be completed. The answer says what is certain and what is not. */
import type { Failure } from "../../plan/failure.js";
import { indicesOf } from "../../plan/operation.js";
import { asUpdate, type EditOutcome, type FileChange, nameAfter } from "../../plan/outcome.js";
import { ChangeSet } from "../../text/changeSet.js";
import { type Answer, toEditorRefusal, toResult } from "../edit/result.js";
import { missingOperation, toWorkspaceEdit } from "../edit/workspaceEdit.js";
import { callSentences, type Leftover, type StepDescription } from "../sentences.js";
import { inSlices, type Session } from "../session.js";
import { stateAfter } from "./applyOutcome.js";
import { outcomeRows } from "./outcomes.js";
import { saveRolledBack } from "./save.js";
import type { DoneStep, Run } from "./step.js";
import { stepRules } from "./steps/table.js";
import { takesTextsTogether } from "./steps/text.js";

/** For each file, what could not be rolled back: the text, the operation on the whole file, or both. */
type HeldParts = Map<FileChange, Set<"text" | "whole">>;

/** Rolls back the steps before those that failed. The answer is `unknown` unless all is certain to be as it was. */
export async function rollBackSteps(run: Run, steps: readonly [DoneStep, ...DoneStep[]]): Promise<Answer> {
  // Of texts sent as a single edit, those that are certainly unchanged matter only if none is in doubt.
  const [unsure, ...others] = steps.filter(({ outcome }) => !outcomeRows[outcome.kind].isCertain);
  const failed = unsure === undefined ? steps : ([unsure, ...others] as const);
  const rest = noPaths();
  const held: HeldParts = new Map();
  const back: FileChange[] = [];
  const hold = ({ file, kind }: DoneStep, part: "text" | "whole" = kind === "text" ? "text" : "whole"): void => {
    held.set(file, (held.get(file) ?? new Set()).add(part));
  };
  // Files that the server has already committed stay on disk, so the editor's steps are not rolled back either.
  const isThere = failed[0].outcome.kind === "unconfirmed";
  let waiting = run.done.toReversed();
  while (waiting.length > 0) {
    // Texts, which come last here, are rolled back in a single edit if the editor takes them so.
    const texts = takesTextsTogether(run.session) ? waiting.filter(isVerifiedText) : [];
    const group = texts.length === waiting.length ? waiting : waiting.slice(0, 1);
    waiting = waiting.slice(group.length);
    const [first, ...more] = group;
    if (first === undefined) break;
    const files = [first.file, ...more.map(({ file }) => file)] as const;
    const results = isThere ? [] : await stepRules[first.kind].rollBack(run, files, first);
    for (const [i, step] of group.entries()) {
      // A verified step that is not rolled back remains in effect. The state of any other step is uncertain.
      const stays = !outcomeRows[step.outcome.kind].isCertain ? "doubtful" : isThere ? "held" : "stuck";
      const result = results[i] ?? "stays";
      const left = result === "stays" ? stays : result;
      rest[left].push((isThere ? nameAfter(step.file) : step.file.document).path);
      if (left !== "back") hold(step, left === "saved" ? "text" : undefined);
      else if (step.kind === "text") back.push(step.file);
    }
  }
  await saveRolledBack(run, back);
  const stays = new Set(Object.entries(rest).flatMap(([kind, paths]) => (kind === "back" ? [] : paths)));
  rest.back = [...new Set(rest.back)].filter((path) => !stays.has(path));
  rest.held = [...new Set(rest.held)].reverse();
  // The failure of a step on disk says what became of all its files.
  for (const { outcome, file } of others) if (!("failure" in outcome)) rest.doubtful.push(file.document.path);
  const failure = failureOf(run.session, failed, callSentences.rest(rest));
  if (isThere) for (const step of failed) hold(step);
  const outcomes = outcomesOf(run, failed, failure, held);
  for (const step of failed) if (!outcomeRows[step.outcome.kind].isCertain) hold(step);
  if (held.size === 0) return toEditorRefusal(failure, outcomes);
  const warnings = [failure.message, ...run.warnings, ...(isThere ? (run.disk?.warnings ?? []) : [])];
  return unknown(run, held, outcomes, warnings);
}

/** Returns empty lists of paths, by what became of the files. */
const noPaths = (): Record<Leftover | "back", string[]> => ({
  back: [],
  held: [],
  stuck: [],
  renamed: [],
  deleted: [],
  saved: [],
  doubtful: [],
});

const isVerifiedText = ({ kind, outcome }: DoneStep): boolean => kind === "text" && outcome.kind === "verified";

/** Returns the edits' outcomes: `applied` if a file still contains the edit, else `failed` or `notAttempted`. */
function outcomesOf(run: Run, steps: readonly DoneStep[], failure: Failure, held: HeldParts): EditOutcome[] {
  const indices = (files: readonly FileChange[]) =>
    new Set(files.flatMap(({ operations }) => operations.flatMap(indicesOf)));
  const left = indices([...held.keys()]);
  const failed = indices(steps.map(({ file }) => file));
  return run.plan.outcomes.map((outcome): EditOutcome => {
    const { index, status } = outcome;
    if (status !== "applied" || left.has(index)) return outcome;
    if (!failed.has(index)) return { ...outcome, status: "notAttempted" };
    return { ...outcome, status: "failed", failure: { ...failure, index } };
  });
}

/** Builds the result of a failed call that may have left some files changed. */
async function unknown(
  run: Run,
  held: HeldParts,
  outcomes: readonly EditOutcome[],
  warnings: readonly string[],
): Promise<Answer> {
  const { plan, options } = run;
  const files = [...held].map(([file, parts]) => partOf(file, parts));
  const onDisk = new Map<FileChange, "same" | "differs">();
  for (const file of files) if (file.kind !== "delete") onDisk.set(file, (await stateAfter(run, file)) ?? "differs");
  const target = run.shownTo;
  const isWhole = missingOperation(files, target) === undefined;
  const edit = isWhole ? toWorkspaceEdit(files, target) : { documentChanges: [] };
  const planned = { ...plan, files, outcomes };
  const result = await inSlices(toResult({ planned, edit, outcome: "unknown", options, warnings, onDisk }));
  return { ok: true, result };
}

/** Reduces a file's change to the parts that could not be rolled back. */
function partOf(file: FileChange, parts: ReadonlySet<"text" | "whole">): FileChange {
  if (file.kind !== "rename" || (parts.has("text") && parts.has("whole"))) return file;
  if (parts.has("text")) return asUpdate(file);
  return { ...file, change: ChangeSet.none(file.document.text.length), text: file.document.text };
}

/** Returns the failure for the first of the steps; `rest` says what happened to the other ones. */
function failureOf(session: Session, [first, ...more]: readonly [DoneStep, ...DoneStep[]], rest: string): Failure {
  const { outcome, file, kind } = first;
  const { path } = file.document;
  const asked: StepDescription =
    kind === "rename" || kind === "delete" ? { kind, path, newPath: nameAfter(file).path } : { kind: "edit", path };
  return outcomeRows[outcome.kind].failure({ session, asked, others: more.length, rest }, outcome);
}
