/** Serves every tool call, whether from the editor or an agent: plans the call, then applies or returns its edit. */
import type { CancellationToken } from "vscode-languageserver/node";
import { decodeCall } from "../../dialect/decode.js";
import { type Failure, withRest } from "../../plan/failure.js";
import { type BatchOptions, indicesOf, type Operation } from "../../plan/operation.js";
import { type EditOutcome, type FileChange, fileOrder, namesOf, notAttempted } from "../../plan/outcome.js";
import { planBatch } from "../../plan/plan.js";
import type { DocumentUri } from "../../plan/snapshot.js";
import { presentView } from "../../plan/views/view.js";
import { limits } from "../../text/limits.js";
import { createResolver } from "../../workspace/paths.js";
import { staleFailures } from "../../workspace/sentences.js";
import { takeSnapshot, type WorkspaceSnapshot } from "../../workspace/takeSnapshot.js";
import { watchDiagnostics } from "../diagnostics/watch.js";
import { type Answer, toEditorRefusal, toRefusal, toResult } from "../edit/result.js";
import { fitted, missingOperation, toWorkspaceEdit } from "../edit/workspaceEdit.js";
import { type ReportStep, withProgress } from "../progress.js";
import type { Caller, CallOptions, RefusedPlace } from "../protocol.js";
import { refusedText } from "../review/sentences.js";
import { callSentences, editorFailures } from "../sentences.js";
import { announcedBy, inSlices, type OnWaiting, type Session, type Share, seenBy, worldOf } from "../session.js";
import { type Asked, applyJob, cancelled, inTurn, type Question } from "./applyLoop.js";
import { askOnce } from "./confirm.js";
import { addProposal, noteBatch, recordApplied } from "./recordApplied.js";
import type { ApplyJob, PlanAttempt, Task } from "./step.js";

/** A call, as received from the editor or an agent. */
export interface ReceivedCall {
  /** The params as sent, not yet validated. */
  readonly params: unknown;
  /** The side that applies the edit: the `client`, from the answer; the `server`; or neither, for a `preview`. */
  readonly applier: "client" | "preview" | "server";
  /** The agent that sent the call; `undefined` if the editor did. */
  readonly caller: Caller | undefined;
  /** Called with `true` when the user must be asked and the call waits; with `false` when the wait is over. */
  readonly onWaiting?: OnWaiting | undefined;
  /** The agent's share of the server; `undefined` if the editor sent the call, or if there is no editor. */
  readonly share?: Share | undefined;
}

/** Serves one call. Never throws, whatever the caller sends. */
export async function applyBatch(
  session: Session,
  { params, applier, caller, share, onWaiting }: ReceivedCall,
  token: CancellationToken,
): Promise<Answer> {
  await session.ready;
  const decoded = decodeCall(params, { optionsAllowed: true, lenient: session.settings.lenient });
  if (!decoded.ok) return toRefusal(decoded.failures);
  const { operations, options, defaultOrder, warnings } = decoded;
  const batch: BatchOptions = {
    atomic: options.atomic ?? session.settings.atomic,
    order: options.order ?? defaultOrder,
    lenient: options.lenient ?? session.settings.lenient,
    overwrite: (options.overwrite ?? false) !== false,
    allowOmissions: options.allowOmissions,
    ...decoded.rules,
  };
  const isPatch = decoded.shape === "patch";
  const isWatched = applier === "server" && session.settings.diagnostics !== "off";
  const watches = isWatched && (announcedBy(session).diagnostics === true || session.facts.hidesDiagnostics);
  const serve = async (watched: CancellationToken, report: ReportStep): Promise<Answer> => {
    const plain = { session, operations, options, batch, token: watched, report, warnings, isPatch, caller };
    const watch = watches ? watchDiagnostics(session, caller) : undefined;
    const call: ServedCall = { ...plain, onStart: watch?.before };
    if (applier !== "server") return propose(call, applier);
    const answer = await inTurn({ ...call, share, onWaiting }, (asked) => applyCall(call, asked));
    // Other calls go ahead while this one waits for the editor's other servers.
    return watch === undefined ? answer : watch.after(answer, watched);
  };
  const canShow = session.capabilities.window?.workDoneProgress === true;
  return canShow ? withProgress(session, token, serve) : serve(token, () => undefined);
}

interface ServedCall extends Omit<ApplyJob, "kind" | "plan"> {
  readonly operations: readonly Operation[];
  readonly batch: BatchOptions;
  readonly caller: Caller | undefined;
  readonly report: ReportStep;
}

/** Applies the call and records what was done, or returns the question that the user must answer first. */
async function applyCall(call: ServedCall, asked: Asked): Promise<Answer | Question> {
  const { session, caller } = call;
  const plan = (only?: FileChange): Promise<PlanAttempt> => planCall(call, only?.operations ?? call.operations);
  asked.transaction ??= session.history.newId();
  const { transaction } = asked;
  const onCommit = session.history.isOnDisk ? ({ kind: "keep", id: transaction, by: caller } as const) : undefined;
  const applied = await applyJob({ ...call, kind: "call", plan, onCommit }, asked);
  if ("ask" in applied) return applied;
  const { answer, steps = [], plan: made } = applied;
  if (!answer.ok) return answer;
  // A file of which nothing is left to do was not written.
  const files = made?.files ?? [];
  const idle = steps.length < files.length ? files.filter(({ change }) => change.isEmpty) : [];
  if (idle.length > 0)
    noteBatch(
      session,
      idle.map((file) => ({ file })),
      caller,
    );
  if (steps.length === 0) return answer;
  const { result } = answer;
  const isKept = recordApplied(session, {
    ...{ id: transaction, label: result.label, steps, caller, counts: result.files, edits: made?.outcomes ?? [] },
  });
  const more = isKept ? { transaction } : { warnings: [...result.warnings, callSentences.tooLargeToUndo] };
  const { places = [], reason } = asked.confirmation?.refused() ?? {};
  const refused = places.length === 0 ? {} : refusalNote(result.text, places, reason);
  return { ok: true, result: { ...result, ...more, ...refused } };
}

/** Returns what tells an agent of the hunks that the user has refused before the others were applied. */
function refusalNote(text: string, refused: readonly RefusedPlace[], reason: string | undefined) {
  const note = refusedText(refused, reason);
  return { refused: [...refused], note, text: `${note}\n${text}` };
}

/** Answers with the call's edit without applying it. */
async function propose(call: ServedCall, applier: "client" | "preview"): Promise<Answer> {
  const { session, options } = call;
  const plan = await planCall(call, call.operations);
  if (!plan.ok) return toRefusal(plan.failures, plan.outcomes, call);
  const missing = missingOperation(plan.files, session);
  if (missing !== undefined) {
    return toEditorRefusal(withRest(missing, callSentences.nothingChanged), notAttempted(plan.outcomes));
  }
  const isGuarded = plan.asks.some(({ name }) => name !== undefined);
  const consent = applier === "client" && isGuarded ? await askOnce(call, plan) : "yes";
  if (typeof consent === "object") {
    return toEditorRefusal(withRest(consent, callSentences.nothingChanged), notAttempted(plan.outcomes));
  }
  const edit = toWorkspaceEdit(plan.files, session);
  const warnings = [
    ...call.warnings,
    ...(options.confirm === true ? [callSentences.notAsked] : []),
    // A client that applies the edit itself needs it in the answer.
    ...(applier === "client" && options.result === "summary" ? [callSentences.noEditInSummary] : []),
  ];
  const made = toResult({ planned: plan, edit, outcome: "proposed", options, warnings });
  const result = await inSlices(made, call.token, () => undefined);
  if (result === "cancelled") return cancelled();
  // If the client does not accept edits from the server, the server can't undo the proposal later.
  const isWatched = applier === "client" && session.capabilities.workspace?.applyEdit === true;
  const transaction = isWatched ? await addProposal(session, result, plan) : undefined;
  return { ok: true, result: transaction === undefined ? result : { ...result, transaction } };
}

/** Plans a call. If a text changes during planning, starts over, so that the plan fits the current texts. */
async function planCall(call: ServedCall, operations: readonly Operation[]): Promise<PlanAttempt> {
  const { session, options, batch, token } = call;
  const failed = (failures: readonly Failure[], outcomes: readonly EditOutcome[] = []) =>
    ({ ok: false, failures, outcomes }) as const;
  const by = seenBy(call.caller);
  let moved: string | undefined;
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const world = { ...worldOf(session, options.root), seen: session.trails && { by, trails: session.trails } };
    const snapshot = await takeSnapshot(operations, world);
    const { versions } = options;
    const { stale, warnings, current } =
      versions === undefined
        ? { stale: [], warnings: [], current: [] }
        : await checkVersions(call, versions, snapshot, operations === call.operations);
    if (stale.length > 0) return failed(stale, untried(operations));
    const steps = operations.reduce((sum, operation) => sum + indicesOf(operation).length, 0);
    const planning = planBatch(operations, current.length === 0 ? snapshot : onlyPresent(snapshot, current), batch);
    const planned = await inSlices(planning, token, (done) => call.report(done, steps));
    if (planned === "cancelled") return failed([withRest(editorFailures.cancelled(), callSentences.nothingChanged)]);
    moved = movedSince(session, snapshot);
    if (moved !== undefined) continue;
    if (!planned.ok) return planned;
    const files = planned.files.map((file) => fitted(session, file));
    const all = [...snapshot.warnings, ...warnings, ...planned.warnings];
    const { places } = snapshot;
    const asks = files.flatMap(namesOf).flatMap(({ uri, path }) => {
      const place = places.get(uri);
      return place?.asks === undefined ? [] : [{ path, file: place.file, name: place.asks.name }];
    });
    return { ...planned, files, warnings: all, tasks: tasksOf(files), places, asks };
  }
  return failed([staleFailures.contentModified({ path: moved ?? "" }, callSentences.keepsMoving)]);
}

/** Returns a plan's tasks, the easiest to verify and undo first: text edits, new files, renames, deletions. */
function tasksOf(files: readonly FileChange[]): Task[] {
  const { created, after } = fileOrder(files);
  const texts = files.flatMap((planned): Task[] =>
    (planned.kind === "update" || planned.kind === "rename") && !planned.change.isEmpty
      ? [{ kind: "text", planned }]
      : [],
  );
  const whole = [...created, ...after].flatMap((planned): Task[] => {
    if (planned.kind === "create") return [{ kind: "create", planned }];
    if (planned.kind === "rename") return [{ kind: "rename", planned }];
    return planned.kind === "delete" ? [{ kind: "delete", planned }] : [];
  });
  return textsFirst([...texts, ...whole]);
}

/** Sorts tasks: text edits to open documents first, then other text edits, then the rest. The sort is stable. */
export function textsFirst(tasks: readonly Task[]): Task[] {
  const texts = tasks.filter(({ kind }) => kind === "text");
  const open = texts.filter(({ planned }) => planned.document.version !== null);
  // A set keeps only the first occurrence of each task.
  return [...new Set([...open, ...texts, ...tasks])];
}

/** Returns `notAttempted` outcomes for the edits of all operations. */
function untried(operations: readonly Operation[]): EditOutcome[] {
  return operations.flatMap((operation) =>
    indicesOf(operation).map(
      (index): EditOutcome => ({ index, path: operation.path, status: "notAttempted", places: [] }),
    ),
  );
}

/** Returns the path of a document that was changed, opened or closed since the snapshot; `undefined` if none was. */
function movedSince({ documents }: Session, snapshot: WorkspaceSnapshot): string | undefined {
  for (const { uri, path, file, open: seen } of snapshot.places.values()) {
    // The object for an open document is immutable, so a new object means a new state, whatever its version.
    const isAsItWas =
      seen === undefined ? file === undefined || !documents.held.urisByPath.has(file) : documents.get(uri) === seen;
    if (!isAsItWas) return path;
  }
  return undefined;
}

/** Returns a snapshot in which the caller has seen the present texts of some documents, and no others. */
function onlyPresent(snapshot: WorkspaceSnapshot, uris: readonly DocumentUri[]): WorkspaceSnapshot {
  const documents = new Map(snapshot.documents);
  for (const uri of uris) {
    const document = documents.get(uri);
    if (document !== undefined)
      documents.set(uri, { ...document, views: [presentView(document.text)], made: undefined });
  }
  return { ...snapshot, documents };
}

/** Checks `options.versions` against the call's documents and, if `all` is set, against other open documents. */
async function checkVersions(
  { session, options }: ServedCall,
  versions: NonNullable<CallOptions["versions"]>,
  snapshot: WorkspaceSnapshot,
  all: boolean,
) {
  const stale: Failure[] = [];
  const warnings: string[] = [];
  /** The documents whose present version the caller names. */
  const current: DocumentUri[] = [];
  const resolver = createResolver(worldOf(session, options.root));
  for (const [uri, expected] of Object.entries(versions)) {
    // The option's spelling of a document's URI may differ from that of the edits or of the editor.
    const resolved = await resolver.resolve(uri);
    const place = resolved.ok ? resolved.place : undefined;
    const same = [...snapshot.places].find(([, { identity }]) => identity === place?.identity);
    // When a single document is planned again, this batch itself may have changed the others.
    if (same === undefined && !all) continue;
    const document = same === undefined ? session.documents.get(place?.uri ?? uri) : snapshot.documents.get(same[0]);
    if (document === undefined) warnings.push(callSentences.versionOfUnknown(uri));
    else if (document.version !== expected) {
      const path = place?.path ?? uri;
      stale.push(staleFailures.contentModified({ path }, callSentences.versionIs(document.version, expected)));
    } else if (same !== undefined) current.push(same[0]);
  }
  return { stale, warnings, current };
}
