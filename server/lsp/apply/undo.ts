/** Answers `multiEdit/undo`: takes back what was applied, as long as its text is untouched, all of it or none. */
import type { CancellationToken } from "vscode-languageserver/node";
import { trialKeys } from "../../dialect/keys.js";
import { callFailures } from "../../dialect/sentences.js";
import type { Failure } from "../../plan/failure.js";
import { type FileChange, nameAfter } from "../../plan/outcome.js";
import type { Document } from "../../plan/snapshot.js";
import { ChangeSet } from "../../text/changeSet.js";
import { LineIndex } from "../../text/lines.js";
import { isThere } from "../../workspace/fileBackup.js";
import { sameAsDisk } from "../../workspace/files.js";
import type { ResolvedPath } from "../../workspace/paths.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { staleProblems } from "../../workspace/sentences.js";
import { readTarget } from "../../workspace/takeSnapshot.js";
import { fitted } from "../edit/lineEnds.js";
import { type Answer, toRefusal } from "../edit/result.js";
import type { AppliedStep, Transaction } from "../history.js";
import { callSentences, editorFailures, requestFailures, undoFailures } from "../sentences.js";
import { type Session, worldOf } from "../session.js";
import { applyByServer, type Drafted, inTurn, type Redrafted } from "./applyLoop.js";
import { isExpected } from "./applyOutcome.js";
import { tellApplied } from "./notifyApplied.js";
import { settleProposals } from "./proposals.js";
import { inverseOf } from "./textSteps.js";
import type { GoodPlan, Task } from "./work.js";

/** Serves one request. Never throws for what a caller can send. */
export async function undo(session: Session, params: unknown, token: CancellationToken): Promise<Answer> {
  const asked = undoParams(params);
  if (!asked.ok) return toRefusal([asked.failure]);
  await session.ready;
  return inTurn({ session, token }, async () => {
    const { history } = session;
    const { id } = asked;
    await settleProposals(session);
    if (id !== undefined && history.proposals().some((one) => one.id === id))
      return toRefusal([undoFailures.notApplied(id)]);
    const transaction = id === undefined ? history.last() : history.get(id);
    if (transaction === undefined) {
      return toRefusal([id === undefined ? undoFailures.nothing() : undoFailures.unknown(id)]);
    }
    if (transaction.isUndone) return toRefusal([undoFailures.undone(transaction.id, transaction.label)]);
    return takeBack(session, transaction, token);
  });
}

type UndoParams =
  | { readonly ok: true; readonly id: string | undefined }
  | { readonly ok: false; readonly failure: Failure };

/** A misspelt key must not undo another transaction than the one that was meant. */
function undoParams(params: unknown): UndoParams {
  const given: unknown = Array.isArray(params) && params.length <= 1 ? params[0] : params;
  const fail = (failure: Failure): UndoParams => ({ ok: false, failure });
  if (given === undefined || given === null) return { ok: true, id: undefined };
  if (typeof given !== "object" || Array.isArray(given)) {
    return fail(callFailures.wrongType({}, "transaction", "the params are no object"));
  }
  const [trial] = trialKeys(given);
  if (trial !== undefined) return fail(requestFailures.trialOfUndo(trial));
  const unknown = Object.keys(given).find((key) => key !== "transaction");
  if (unknown !== undefined) return fail(callFailures.unknownField({}, unknown, "transaction"));
  const { transaction } = given as { transaction?: unknown };
  if (transaction === undefined || transaction === null) return { ok: true, id: undefined };
  if (typeof transaction === "string") return { ok: true, id: transaction };
  return fail(callFailures.wrongType({}, "transaction", "it must be the id of a transaction"));
}

/** Plans the inverse of every file, and has it applied as any batch is. */
async function takeBack(session: Session, transaction: Transaction, token: CancellationToken): Promise<Answer> {
  const { id, label } = transaction;
  const plan = createPlan(session, transaction);
  const { answer, steps } = await applyByServer({
    ...{ session, token, warnings: [], isPatch: false },
    options: { label: callSentences.undoOf(label) },
    draft: plan.draft,
    redraft: plan.redraft,
    tasksOf: plan.tasksOf,
    noApplyEdit: () => editorFailures.noApplyEdit("undo"),
  });
  if (steps === undefined || !answer.ok) return answer;
  for (const { tidy } of transaction.steps.toReversed()) await tidy?.();
  session.history.undone(id);
  tellApplied(session, { transaction: id, label: answer.result.label, steps });
  return { ok: true, result: { ...answer.result, transaction: id } };
}

/** The inverse of a transaction, planned on the texts of the moment. */
interface UndoPlan {
  readonly draft: () => Promise<Drafted>;
  readonly redraft: (file: FileChange) => Promise<Redrafted>;
  readonly tasksOf: (planned: GoodPlan) => readonly Task[];
}

function createPlan(session: Session, { steps }: Transaction): UndoPlan {
  const applied = [...new Set(steps.map(({ file }) => file))];
  /** Names that are taken now and free again on the way. */
  const freed = new Set(applied.filter(({ kind }) => kind !== "delete").map((file) => nameAfter(file).uri));
  /** By inverse file, what was applied. */
  const sources = new Map<FileChange, FileChange>();
  const kindOf = (file: FileChange): AppliedStep["kind"][] =>
    steps.filter((step) => step.file === file).map(({ kind }) => kind);
  const invert = async (file: FileChange): Promise<Inverted> => {
    const inverted = await inverseFile(session, { file, kinds: kindOf(file), freed, steps });
    if (!inverted.ok) return inverted;
    const fit = fitted(session, inverted.file);
    sources.set(fit, file);
    return { ...inverted, file: fit };
  };
  return {
    async draft() {
      const inverted = await Promise.all(applied.map(invert));
      const [first, ...rest] = inverted.flatMap((one) => (one.ok ? [] : [one.failure]));
      if (first !== undefined) return { ok: false, failures: [first, ...rest], outcomes: [] };
      const good = inverted.filter((one) => one.ok);
      const places = good.flatMap(({ file, place }) =>
        place === undefined ? [] : [[file.document.uri, place] as const],
      );
      const files = good.map(({ file }) => file);
      return { ok: true, planned: { ok: true, files, outcomes: [], warnings: [] }, places: new Map(places) };
    },
    async redraft(file) {
      const source = sources.get(file);
      if (source === undefined) throw new Error("only what was planned is planned again");
      const again = await invert(source);
      if (!again.ok) return again;
      return { ok: true, file: again.file, planned: { ok: true, files: [again.file], outcomes: [], warnings: [] } };
    },
    tasksOf: ({ files }) => {
      const inverses = new Map(files.map((file) => [sources.get(file), file]));
      return tasksOf(steps, (file) => inverses.get(file));
    },
  };
}

/** Texts first, under the names that they have now, those of open documents before others; then whole files, the last step first. */
function tasksOf(
  steps: readonly AppliedStep[],
  inverseFor: (file: FileChange) => FileChange | undefined,
): readonly Task[] {
  const tasks = steps.toReversed().flatMap(({ kind, file, kept }): Task[] => {
    const planned = inverseFor(file);
    if (planned?.kind === "delete") return [{ kind: "delete", planned }];
    if (planned?.kind === "create") return kept === undefined ? [] : [{ kind: "restore", planned, bytes: kept }];
    if (kind === "rename" && planned?.kind === "rename") return [{ kind: "rename", planned }];
    return planned === undefined ? [] : [{ kind: "text", planned }];
  });
  const rank = ({ kind, planned }: Task): number =>
    kind !== "text" ? 2 : planned.document.version === null ? 1 : planned.change.isEmpty ? 2 : 0;
  return tasks
    .filter(({ kind, planned }) => kind !== "text" || !planned.change.isEmpty)
    .sort((a, b) => rank(a) - rank(b));
}

/** A file that was applied, and the transaction around it. */
interface Source {
  readonly file: FileChange;
  readonly kinds: readonly AppliedStep["kind"][];
  readonly freed: ReadonlySet<string>;
  readonly steps: readonly AppliedStep[];
}

type Inverted =
  /** `place`: where the file is; `undefined`: it is not there. */
  | { readonly ok: true; readonly file: FileChange; readonly place: ResolvedPath | undefined }
  | { readonly ok: false; readonly failure: Failure };

async function inverseFile(session: Session, source: Source): Promise<Inverted> {
  const { file, kinds, freed } = source;
  const { uri, path } = file.document;
  const conflict = (problem: string, line?: number): Inverted => ({
    ok: false,
    failure: undoFailures.conflict(path, problem, line),
  });
  const before = pathOfSyncedUri(uri);
  const comesBack = kinds.includes("rename") || kinds.includes("delete");
  if (comesBack && !freed.has(uri) && before !== undefined && (await isThere(before))) {
    return conflict(staleProblems.nameTaken);
  }
  if (kinds.includes("delete")) {
    const { kept } = source.steps.find((step) => step.file === file) ?? {};
    return kept === undefined ? conflict(callSentences.notKept) : { ok: true, file: restored(file), place: undefined };
  }
  const name = nameAfter(file).uri;
  const target = await readTarget(pathOfSyncedUri(name) ?? name, worldOf(session, undefined));
  if (!target.ok) return target.failure.code === "fileNotFound" ? conflict(callSentences.gone) : target;
  const { document, place } = target;
  if (kinds.includes("create")) {
    const isOurs = isExpected(session, file, document.text) && (await holdsOurs(session, file, target));
    if (!isOurs) return conflict(callSentences.changedSince);
    const change = ChangeSet.none(document.text.length);
    return { ok: true, file: { ...bare(file), kind: "delete", document, change, text: document.text }, place };
  }
  const unchanged = { change: ChangeSet.none(document.text.length), text: document.text };
  const inverse = kinds.includes("text")
    ? inverseOf(session, file, document)
    : ({ ok: true, change: unchanged } as const);
  if (!inverse.ok) {
    const line = LineIndex.of(document.text, document).lineAt(inverse.movedAt) + 1;
    return conflict(callSentences.changedAt(line), line);
  }
  const whole = kinds.includes("rename")
    ? ({ kind: "rename", target: { uri, path } } as const)
    : ({ kind: "update" } as const);
  return { ok: true, file: { ...bare(file), ...whole, ...inverse.change, document }, place };
}

/** What an inverse has in common with the change. */
function bare({ edits }: FileChange) {
  return { edits, overwritten: false, operations: [] };
}

/** A deleted file as one that is created, with the text that it had in the editor or on disk. */
function restored(file: FileChange): FileChange {
  const { document } = file;
  const { text, hash: _, ...rest } = document;
  const change = ChangeSet.of(0, [{ from: 0, to: 0, insert: text }]);
  const absent: Document = { ...rest, version: null, text: "", exists: false };
  return { ...bare(file), kind: "create", document: absent, change, text };
}

/** Whether the file of a created document holds its text, or nothing yet, so that deleting it loses nothing else. */
async function holdsOurs(
  { facts: { habits } }: Session,
  file: FileChange,
  { document, place }: { readonly document: Document; readonly place: ResolvedPath },
): Promise<boolean> {
  if (document.version === null || document.onDisk === "same" || place.file === undefined) return true;
  if ((await sameAsDisk("", place.file, habits)) !== "differs") return true;
  return (await sameAsDisk(file.text, place.file, habits)) === "same";
}
