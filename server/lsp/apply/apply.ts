/** One function behind every door: from a tool call to an answer, with all branching in one place. */
import type { CancellationToken } from "vscode-languageserver/node";
import { decodeCall } from "../../dialect/decode.js";
import { type Failure, withRest } from "../../plan/failure.js";
import { type BatchOptions, indicesOf, type Operation } from "../../plan/operation.js";
import { type EditOutcome, type FileChange, hasSameFate, notAttempted } from "../../plan/outcome.js";
import { planBatch } from "../../plan/plan.js";
import { limits } from "../../text/limits.js";
import { createResolver } from "../../workspace/paths.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { staleFailures, staleProblems } from "../../workspace/sentences.js";
import { takeSnapshot, type WorkspaceSnapshot } from "../../workspace/takeSnapshot.js";
import { fitted } from "../edit/lineEnds.js";
import { type Answer, toEditorRefusal, toRefusal, toResult } from "../edit/result.js";
import { toWorkspaceEdit } from "../edit/workspaceEdit.js";
import { type ReportStep, withProgress } from "../progress.js";
import type { Caller, CallOptions } from "../protocol.js";
import { callSentences, editorFailures } from "../sentences.js";
import { inSlices, type Session, worldOf } from "../session.js";
import { applyByServer, cancelled, type Drafted, inTurn, type Redrafted } from "./applyLoop.js";
import { tasksOf } from "./execute.js";
import { tellApplied } from "./notifyApplied.js";
import { addProposal } from "./proposals.js";

/** Who applies: the client with the edit in the answer, nobody, or the server. */
export type Door = "client" | "preview" | "server";

/** A call as it came through one of the doors. */
export interface ReceivedCall {
  /** As it came off the wire. */
  readonly params: unknown;
  readonly door: Door;
  /** The agent that sent it; `undefined`: the editor did. */
  readonly caller: Caller | undefined;
}

/** Serves one call. Never throws for what a caller can send. */
export async function applyBatch(
  session: Session,
  { params, door, caller }: ReceivedCall,
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
    overwrite: options.overwrite ?? false,
  };
  const isPatch = decoded.shape === "patch";
  return withProgress(session, token, (watched, report) => {
    const call: Call = { session, caller, operations, options, batch, token: watched, report, warnings, isPatch };
    return door === "server" ? inTurn(call, () => applyCall(call)) : propose(call, door);
  });
}

interface Call {
  readonly session: Session;
  readonly caller: Caller | undefined;
  readonly operations: readonly Operation[];
  readonly options: CallOptions;
  readonly batch: BatchOptions;
  readonly token: CancellationToken;
  readonly report: ReportStep;
  readonly warnings: readonly string[];
  readonly isPatch: boolean;
}

async function propose(call: Call, door: "client" | "preview"): Promise<Answer> {
  const drafted = await draft(call, call.operations);
  if (!drafted.ok) return toRefusal(drafted.failures, drafted.outcomes, call);
  const { planned } = drafted;
  const made = toWorkspaceEdit(planned.files, call.session);
  if (!made.ok)
    return toEditorRefusal(withRest(made.failure, callSentences.nothingChanged), notAttempted(planned.outcomes));
  const { options } = call;
  const warnings = [
    ...call.warnings,
    ...(options.confirm === true ? [callSentences.notAsked] : []),
    // Nobody else wants one.
    ...(door === "client" && options.result === "summary" ? [callSentences.noEditInSummary] : []),
  ];
  const report = { planned, edit: made.edit, outcome: "proposed", options, warnings } as const;
  const result = await inSlices(toResult(report), call.token, () => undefined);
  if (result === "cancelled") return cancelled();
  const { session } = call;
  // Who has no door for edits of ours can't have them taken back.
  if (door === "preview" || session.capabilities.workspace?.applyEdit !== true) return { ok: true, result };
  const { files } = planned;
  const transaction = await addProposal(session, { label: result.label, files, places: drafted.places });
  return { ok: true, result: transaction === undefined ? result : { ...result, transaction } };
}

/** Plans on the text as it is when the plan is done: what moved on meanwhile is planned again. */
async function draft(call: Call, operations: readonly Operation[]): Promise<Drafted> {
  const { session, options, batch, token } = call;
  const failed = ([first, ...rest]: readonly Failure[], outcomes: readonly EditOutcome[] = []): Drafted => {
    if (first === undefined) throw new Error("what failed must say why");
    return { ok: false, failures: [first, ...rest], outcomes };
  };
  let moved: string | undefined;
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const snapshot = await takeSnapshot(operations, worldOf(session, options.root));
    const { stale, warnings } = await checkVersions(call, snapshot, { all: operations === call.operations });
    if (stale.length > 0) return failed(stale, untried(operations));
    const steps = operations.reduce((sum, operation) => sum + indicesOf(operation).length, 0);
    const planned = await inSlices(planBatch(operations, snapshot, batch), token, (done) => call.report(done, steps));
    if (planned === "cancelled") return failed([withRest(editorFailures.cancelled(), callSentences.nothingChanged)]);
    moved = movedSince(session, snapshot);
    if (moved !== undefined) continue;
    if (!planned.ok) return failed(planned.failures, planned.outcomes);
    const { places } = snapshot;
    const files = planned.files.map((file) => fitted(session, file));
    return { ok: true, planned: { ...planned, files, warnings: [...warnings, ...planned.warnings] }, places };
  }
  return failed([staleFailures.contentModified({ path: moved ?? "" }, callSentences.keepsMoving)]);
}

/** The outcomes of operations that nobody has looked at. */
function untried(operations: readonly Operation[]): EditOutcome[] {
  return operations.flatMap((operation) =>
    indicesOf(operation).map(
      (index): EditOutcome => ({ index, path: operation.path, status: "notAttempted", places: [] }),
    ),
  );
}

/** The path of a document that is not what it was when the snapshot was taken: changed, closed, or opened meanwhile. */
function movedSince(session: Session, snapshot: WorkspaceSnapshot): string | undefined {
  const open = new Set(session.documents.all().map(({ uri }) => pathOfSyncedUri(uri)));
  for (const { uri, path, file, open: seen } of snapshot.places.values()) {
    // Open documents are values: another one means another text, whatever its version says.
    const isAsItWas = seen === undefined ? file === undefined || !open.has(file) : session.documents.get(uri) === seen;
    if (!isAsItWas) return path;
  }
  return undefined;
}

/** What `options.versions` says of the documents of a call, and of those that it does not touch. */
async function checkVersions(
  { session, options }: Call,
  snapshot: WorkspaceSnapshot,
  which: { readonly all: boolean },
): Promise<{ stale: Failure[]; warnings: string[] }> {
  const stale: Failure[] = [];
  const warnings: string[] = [];
  const versions = Object.entries(options.versions ?? {});
  const resolver = versions.length === 0 ? undefined : await createResolver(worldOf(session, options.root));
  for (const [uri, expected] of versions) {
    // The caller may spell the document in another way than the call does, or than the editor.
    const resolved = await resolver?.resolve(uri);
    const place = resolved?.ok === true ? resolved.place : undefined;
    const same = [...snapshot.places].find(([, { identity }]) => identity === place?.identity);
    // Of a document that is planned again, the others may have been moved by this very batch.
    if (same === undefined && !which.all) continue;
    const document = same === undefined ? session.documents.get(place?.uri ?? uri) : snapshot.documents.get(same[0]);
    if (document === undefined) warnings.push(callSentences.versionOfUnknown(uri));
    else if (document.version !== expected) {
      const path = place?.path ?? uri;
      stale.push(staleFailures.contentModified({ path }, callSentences.versionIs(document.version, expected)));
    }
  }
  return { stale, warnings };
}

async function applyCall(call: Call): Promise<Answer> {
  const { session, caller, options, token, warnings, isPatch } = call;
  const redraft = async (file: FileChange): Promise<Redrafted> => {
    const { path } = file.document;
    const changed: Redrafted = {
      ok: false,
      failure: staleFailures.contentModified({ path }, staleProblems.fileChanged),
    };
    // What only makes room for another file was asked for by nobody.
    if (file.operations.length === 0) return changed;
    const again = await draft(call, file.operations);
    if (!again.ok) return { ok: false, failure: again.failures[0] };
    const same = again.planned.files.find((one) => hasSameFate(one, file));
    return same === undefined ? changed : { ok: true, file: same, planned: again.planned };
  };
  const { answer, steps } = await applyByServer({
    ...{ session, options, token, warnings, isPatch, redraft },
    draft: () => draft(call, call.operations),
    tasksOf: ({ files }) => tasksOf(files),
    noApplyEdit: () => editorFailures.noApplyEdit("call"),
  });
  if (steps === undefined || steps.length === 0 || !answer.ok) return answer;
  const { result } = answer;
  const transaction = session.history.newId();
  const isKept = session.history.add({ id: transaction, label: result.label, steps, caller });
  tellApplied(session, { transaction, label: result.label, steps });
  const more = isKept ? { transaction } : { warnings: [...result.warnings, callSentences.tooLargeToUndo] };
  return { ok: true, result: { ...result, ...more } };
}
