/** Serves `multiEdit/undo`, which undoes an applied batch completely or, if its new text has changed, not at all. */
import type { CancellationToken, WorkspaceEdit } from "vscode-languageserver/node";
import { trialKeys } from "../../dialect/keys.js";
import { callFailures } from "../../dialect/sentences.js";
import type { Failure } from "../../plan/failure.js";
import { type FileChange, nameAfter, namesOf } from "../../plan/outcome.js";
import { isThere, keepFile } from "../../workspace/fileBackup.js";
import { mapBounded } from "../../workspace/identity.js";
import { createResolver } from "../../workspace/paths.js";
import { isInside, pathOfSyncedUri } from "../../workspace/pathText.js";
import { gitDirectoriesWith, protectsGit } from "../../workspace/protection.js";
import { pathFailures } from "../../workspace/sentences.js";
import { readTarget } from "../../workspace/takeSnapshot.js";
import { type Answer, toRefusal } from "../edit/result.js";
import { fitted, toWorkspaceEdit } from "../edit/workspaceEdit.js";
import { type AppliedStep, type Transaction, withLatest } from "../history.js";
import type { ReverseText } from "../review/reviewer.js";
import { selectorKeys } from "../review/select.js";
import { redoFailures, redoOf } from "../review/sentences.js";
import { callSentences, requestFailures, undoFailures, undoProblems } from "../sentences.js";
import { openAt, type Session, worldOf } from "../session.js";
import { type ReceivedCall, textsFirst } from "./apply.js";
import { type Asked, applyJob, inTurn, type Question } from "./applyLoop.js";
import { forgetKept, type KeptCall, keptCalls } from "./keptCalls.js";
import { noteBatch, settleProposals, tellApplied } from "./recordApplied.js";
import type { ApplyJob, GuardedFile, Inverse, Task, UndoneFile } from "./step.js";
import { stepRules } from "./steps/table.js";

/** Whether a request undoes calls or hunks, or applies undone ones again. */
export type Direction = "undo" | "redo";

/** Serves one request. Never throws, whatever the caller sends. */
export async function undo(
  session: Session,
  { params: sent, caller, share, onWaiting }: Omit<ReceivedCall, "applier">,
  token: CancellationToken,
  direction: Direction = "undo",
): Promise<Answer> {
  const params = undoParams(sent);
  if (!params.ok) return params;
  await session.ready;
  let wanted = params.result;
  return inTurn({ session, token, share, onWaiting }, async (asked) => {
    const by = { session, token, caller, asked };
    if (typeof wanted === "object") return undoHunks(by, wanted, direction);
    const own = session.history.transactions.find(({ id }) => id === wanted);
    // Of a call of an earlier session, or one of which only hunks were undone, the hunks may be known.
    const isPart = own === undefined || (direction === "redo" && !own.isUndone);
    if (wanted !== undefined && isPart && session.review?.stateOfCall(wanted) !== undefined)
      return undoHunks(by, { transaction: wanted }, direction);
    const found = await findCall(session, wanted, direction);
    if (!found.ok) return found;
    // If the user is asked, later calls may be applied in the meantime; the question is still about this one.
    wanted = found.result.id;
    return undoTransaction(by, found.result, direction);
  });
}

/** Returns the call with an id or, without one, the latest that can be undone or redone. */
async function findCall(
  session: Session,
  id: string | undefined,
  direction: Direction,
): Promise<Answer<Transaction | KeptCall>> {
  const { history } = session;
  await settleProposals(session);
  if (id !== undefined && history.proposals.some((one) => one.id === id))
    return toRefusal([undoFailures.notApplied(id)]);
  const own = id === undefined ? undefined : history.transactions.findLast((one) => one.id === id);
  if (direction === "redo") {
    const undone = history.transactions.filter(({ isUndone }) => isUndone);
    const redone = own ?? undone.toSorted((a, b) => (a.undoneAt ?? 0) - (b.undoneAt ?? 0)).at(-1);
    if (redone === undefined || (id !== undefined && own === undefined)) return toRefusal([redoFailures.nothing()]);
    return redone.isUndone ? { ok: true, result: redone } : toRefusal([redoFailures.notUndone(redone.id)]);
  }
  const held = own === undefined ? [...history.transactions, ...(await keptCalls(session))] : [];
  const transaction =
    id === undefined ? latest(held.filter(({ isUndone }) => !isUndone)) : (own ?? held.find((one) => one.id === id));
  if (transaction === undefined)
    return toRefusal([id === undefined ? undoFailures.nothing() : undoFailures.unknown(id)]);
  if (transaction.isUndone) return toRefusal([undoFailures.undone(transaction.id, transaction.label)]);
  return { ok: true, result: transaction };
}

/** Returns the latest call; `undefined` if there is none. Of calls in the same millisecond, it is the last one. */
function latest<T extends Pick<Transaction, "at">>(calls: readonly T[]): T | undefined {
  return calls.reduce<T | undefined>((last, one) => (last === undefined || one.at >= last.at ? one : last), undefined);
}

/** Returns the requested id, if any, or the params that name hunks. Refuses unknown keys, which may be misspelt. */
function undoParams(params: unknown): Answer<string | object | undefined> {
  const given: unknown = Array.isArray(params) && params.length <= 1 ? params[0] : params;
  const wrong = (problem: string): Answer<never> => toRefusal([callFailures.wrongType({}, "transaction", problem)]);
  if (given === undefined || given === null) return { ok: true, result: undefined };
  if (typeof given !== "object" || Array.isArray(given)) return wrong(undoProblems.params);
  const [trial] = trialKeys(given);
  if (trial !== undefined) return toRefusal([requestFailures.trialOfUndo(trial)]);
  const keys = Object.keys(given);
  if (keys.some((key) => selectorKeys.has(key)) && !keys.includes("transaction")) return { ok: true, result: given };
  const unknown = keys.find((key) => key !== "transaction");
  if (unknown !== undefined) return toRefusal([callFailures.unknownField({}, unknown, "transaction")]);
  const { transaction } = given as { transaction?: unknown };
  if (transaction === undefined || transaction === null) return { ok: true, result: undefined };
  return typeof transaction === "string" ? { ok: true, result: transaction } : wrong(undoProblems.transaction);
}

/** The request that an undo serves. */
interface UndoRequest extends Pick<ApplyJob, "session" | "token" | "caller"> {
  readonly asked: Asked;
}

/** Plans the inverse of every file's change and applies the plan like any other batch. */
async function undoTransaction(
  by: UndoRequest,
  transaction: Transaction | KeptCall,
  direction: Direction,
): Promise<Answer | Question> {
  const { session, token, caller, asked } = by;
  const { id, label } = transaction;
  const isKept = "readSteps" in transaction;
  const read = isKept ? await transaction.readSteps() : ({ ok: true, steps: transaction.steps } as const);
  if (!read.ok) return toRefusal([read.failure]);
  const applied = read.steps;
  const options = { label: (direction === "undo" ? callSentences.undoOf : redoOf)(label) };
  const plan = createPlan(session, applied, session.review?.reverseCall(id, direction));
  const onCommit = isKept ? ({ kind: "markUndone", id } as const) : undefined;
  const job = { session, options, token, caller, warnings: [], isPatch: false, plan, onCommit };
  const undone = await applyJob({ ...job, kind: "undo" }, asked);
  if ("ask" in undone) return undone;
  const { answer, steps } = undone;
  if (steps === undefined || !answer.ok) return answer;
  for (const { tidy } of applied.toReversed()) await tidy?.();
  const { history } = session;
  // If the undo wrote nothing on disk, no journal has noted it.
  if (isKept) await forgetKept(id);
  const isUndone = direction === "undo";
  // If the steps are too large to keep, the call can't be redone.
  const [kept] = withLatest([], { steps }, 1) ?? [];
  const after = { steps: kept?.steps ?? [], isUndone, ...(isUndone ? { undoneAt: Date.now() } : {}) };
  history.transactions = history.transactions.map((one) => (one.id === id ? { ...one, ...after } : one));
  session.review?.reversed({ id, steps, caller }, direction);
  const { label: undoing, files: counts } = answer.result;
  noteBatch(session, steps, caller);
  tellApplied(session, { id, label: undoing, steps, caller, counts }, isUndone ? "undone" : "applied");
  // The user's own undo came first: the call is reverted, and this request changed nothing.
  const text = counts.length === 0 && isUndone ? callSentences.undoneBefore(label) : answer.result.text;
  return { ok: true, result: { ...answer.result, text, transaction: id } };
}

/** Undoes or redoes hunks like any other batch. The rest of their calls can still be undone. */
async function undoHunks(by: UndoRequest, params: object, direction: Direction): Promise<Answer | Question> {
  const { session, token, caller, asked } = by;
  const hunks = session.review?.reverseHunks(params, direction) ?? toRefusal([redoFailures.nothing()]);
  if (!hunks.ok) return hunks;
  const { steps: applied, reverse, name, warnings, done } = hunks.result;
  const options = { label: (direction === "undo" ? callSentences.undoOf : redoOf)(name) };
  const plan = createPlan(session, applied, reverse);
  const job = { session, options, token, caller, warnings, isPatch: false, plan };
  const undone = await applyJob({ ...job, kind: "undo" }, asked);
  if ("ask" in undone) return undone;
  const { answer, steps } = undone;
  if (steps === undefined || !answer.ok) return answer;
  noteBatch(session, steps, caller);
  done(caller, steps);
  return answer;
}

/** Returns the edit that undoes hunks, for a client that applies it itself; `undefined` if there is none. */
export async function undoEdit(session: Session, params: object): Promise<WorkspaceEdit | undefined> {
  const hunks = session.review?.reverseHunks(params, "undo");
  if (hunks?.ok !== true) return undefined;
  const plan = await createPlan(session, hunks.result.steps, hunks.result.reverse)();
  return plan.ok && plan.asks.length === 0 ? toWorkspaceEdit(plan.files, session) : undefined;
}

/** Creates the function that plans the inverse of the steps against the current texts. `reverse`: as in an `UndoneFile`. */
function createPlan(
  session: Session,
  steps: readonly AppliedStep[],
  reverse: ReverseText | undefined,
): ApplyJob["plan"] {
  const applied = [...new Set(steps.map(({ file }) => file))];
  /** URIs of the files after the steps. If the undo needs any of these names, it frees them itself. */
  const freed = new Set(applied.filter(({ kind }) => kind !== "delete").map((file) => nameAfter(file).uri));
  /** The applied changes, keyed by their inverses. */
  const sources = new Map<FileChange, FileChange>();
  /** Returns `undefined` if nothing is left to undo. */
  const invert = async (file: FileChange, isAgain: boolean): Promise<Inverse | undefined> => {
    const own = steps.filter((step) => step.file === file);
    const isEdited = own.some(({ kind }) => kind === "text");
    const undone = { session, file, isEdited, kept: own[0]?.kept, freed, reverse };
    if (!isAgain && (await isBack(undone))) return undefined;
    const inverse = await stepRules[file.kind === "update" ? "text" : file.kind].inverse(undone);
    if (!inverse.ok) return inverse;
    const fit = fitted(session, inverse.file);
    sources.set(fit, file);
    return { ...inverse, file: fit };
  };
  return async (only) => {
    const again = applied.filter((file) => only === undefined || file === sources.get(only));
    const inverted = await Promise.all(again.map((file) => invert(file, only !== undefined)));
    const failures = inverted.flatMap((one) => (one?.ok === false ? [one.failure] : []));
    if (failures.length > 0) return { ok: false, failures, outcomes: [] };
    const good = inverted.map((one) => (one?.ok === true ? one : undefined));
    const files = good.flatMap((one) => one?.file ?? []);
    const places = new Map(good.flatMap((one) => (one?.place ? [[one.file.document.uri, one.place] as const] : [])));
    const tasks = tasksOf(steps, new Map(again.map((file, i) => [file, good[i]?.file])));
    const asks = await guardedIn(session, files);
    return asks.ok
      ? { ok: true, files, outcomes: [], warnings: [], tasks, places, asks: asks.guarded }
      : { ok: false, failures: asks.failures, outcomes: [] };
  };
}

/** Reports whether the user has already undone the creation, deletion or renaming of a file. */
async function isBack({ session, file, kept, freed }: UndoneFile): Promise<boolean> {
  const isGone = async (uri: string): Promise<boolean> => {
    const path = pathOfSyncedUri(uri);
    return path !== undefined && openAt(session, uri) === undefined && !(await isThere(path));
  };
  const { uri, path: name, text } = file.document;
  if (file.kind === "update") return false;
  if (file.kind === "create") return isGone(uri);
  const path = pathOfSyncedUri(uri);
  // A file that the batch has moved to this name is not the old one, whatever its text.
  if (path === undefined || freed.has(uri)) return false;
  if (file.kind === "rename" && !(await isGone(file.target.uri))) return false;
  const now = await readTarget(path, worldOf(session, undefined));
  if (!now.ok || now.document.text !== text) return false;
  if (kept === undefined) return true;
  const keeping = await keepFile(path, name);
  return keeping.kind === "kept" && keeping.file.hash === kept.hash;
}

/** Returns the files whose change needs the user's consent, or the failures for those that may not be changed any more. */
async function guardedIn(
  session: Session,
  files: readonly FileChange[],
): Promise<{ ok: true; guarded: readonly GuardedFile[] } | { ok: false; failures: readonly Failure[] }> {
  const names = files.flatMap(namesOf);
  const world = worldOf(session, undefined);
  const resolver = createResolver(world);
  const resolved = await mapBounded(names, ({ uri }) => resolver.resolve(uri));
  // The resolver recognises a Git directory only once it is complete, and the undo may complete one.
  const made = resolved.flatMap((one) => (one.ok && one.place.file !== undefined ? [one.place.file] : []));
  const git = protectsGit(world.gates) ? gitDirectoriesWith(made) : [];
  const failures = resolved.flatMap((one, i) => {
    if (!one.ok) return one.failure.code === "protectedPath" ? [one.failure] : [];
    const { unseen, file = "" } = one.place;
    const by = git.find((directory) => isInside(directory, file));
    if (by !== undefined) {
      const path = names[i]?.path ?? one.place.path;
      return [pathFailures.protectedPath(path, { kind: "refused", why: "git", by })];
    }
    return unseen?.isDraft === false ? [pathFailures.heldUnseen(names[i]?.path ?? one.place.path, unseen.uri)] : [];
  });
  const guarded = resolved.flatMap((one, i) =>
    one.ok && one.place.asks !== undefined
      ? [{ path: names[i]?.path ?? one.place.path, file: one.place.file, name: one.place.asks.name }]
      : [],
  );
  return failures.length > 0 ? { ok: false, failures } : { ok: true, guarded };
}

/** Returns the tasks, each group in reverse order: text edits (of open documents first), then whole files. */
function tasksOf(steps: readonly AppliedStep[], inverses: ReadonlyMap<FileChange, FileChange | undefined>): Task[] {
  const tasks = steps.toReversed().flatMap(({ kind, file, kept }): Task[] => {
    const planned = inverses.get(file);
    if (planned?.kind === "delete") return [{ kind: "delete", planned }];
    if (planned?.kind === "create") return kept === undefined ? [] : [{ kind: "restore", planned, bytes: kept }];
    if (kind === "rename" && planned?.kind === "rename") return [{ kind: "rename", planned }];
    return planned === undefined || planned.change.isEmpty ? [] : [{ kind: "text", planned }];
  });
  return textsFirst(tasks);
}
