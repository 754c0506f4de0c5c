/** One function behind every door: from a tool call to an answer, with all branching in one place. */
import { setTimeout as delay } from "node:timers/promises";
import type { CancellationToken, ResponseError } from "vscode-languageserver/node";
import { decodeCall } from "../dialect/decode.js";
import { diffOf } from "../plan/diff.js";
import { callSentences, editorFailures, type Failure, withRest } from "../plan/failure.js";
import { type BatchOptions, indicesOf, type Operation } from "../plan/operation.js";
import { type EditOutcome, type FileChange, notAttempted, type Planned } from "../plan/outcome.js";
import { planBatch } from "../plan/plan.js";
import { limits } from "../text/limits.js";
import { createResolver } from "../workspace/paths.js";
import { takeSnapshot, type WorkspaceSnapshot } from "../workspace/snapshot.js";
import { pathOfSyncedUri } from "../workspace/uri.js";
import { type ReportStep, withProgress } from "./progress.js";
import type { CallOptions, MultiEditErrorData, MultiEditResult } from "./protocol.js";
import { labelOf, toEditorError, toError, toResult, wholeDiff } from "./report.js";
import { applyThroughEditor, type Replanned } from "./roundTrip.js";
import { inSlices, type Session, worldOf } from "./session.js";
import { toWorkspaceEdit } from "./workspaceEdit.js";

/** Who applies: the client with the edit in the answer, nobody, or the server. */
export type Door = "client" | "preview" | "server";

/** An answer, or the error that takes its place. */
export type Answer = MultiEditResult | ResponseError<MultiEditErrorData>;

/** Serves one call. Never throws for what a caller can send. */
export async function applyBatch(
  session: Session,
  params: unknown,
  door: Door,
  token: CancellationToken,
): Promise<Answer> {
  await session.ready;
  const decoded = decodeCall(params, { optionsAllowed: true, lenient: session.settings.lenient });
  if (!decoded.ok) return toError(decoded.failures, []);
  const { operations, options, defaultOrder, warnings } = decoded;
  const batch: BatchOptions = {
    atomic: options.atomic ?? session.settings.atomic,
    order: options.order ?? defaultOrder,
    lenient: options.lenient ?? session.settings.lenient,
    overwrite: options.overwrite ?? false,
  };
  const isPatch = decoded.shape === "patch";
  return withProgress(session, token, (watched, report) => {
    const call: Call = { session, operations, options, batch, token: watched, report, warnings, isPatch };
    return door === "server" ? applyInTurn(call) : propose(call);
  });
}

/** One batch at a time; a call that is cancelled while it waits is answered at once. */
function applyInTurn(call: Call): Promise<Answer> {
  const { session, token } = call;
  let hasStarted = false;
  const turn = session.inTurn(async () => {
    hasStarted = true;
    return token.isCancellationRequested ? cancelled() : applyByServer(call);
  });
  const left = cancellation(token).then(() => (hasStarted ? turn : cancelled()));
  return Promise.race([turn, left]);
}

/** The answer to a call that its caller has taken back before anything was changed. */
function cancelled(): Answer {
  return toError([withRest(editorFailures.cancelled(), callSentences.nothingChanged)], []);
}

interface Call {
  readonly session: Session;
  readonly operations: readonly Operation[];
  readonly options: CallOptions;
  readonly batch: BatchOptions;
  readonly token: CancellationToken;
  readonly report: ReportStep;
  readonly warnings: readonly string[];
  readonly isPatch: boolean;
}

/** A plan on the text of one moment, and where its documents are. */
interface Draft {
  readonly planned: Extract<Planned, { ok: true }>;
  readonly snapshot: WorkspaceSnapshot;
}

type Drafted =
  | ({ readonly ok: true } & Draft)
  | {
      readonly ok: false;
      readonly failures: readonly [Failure, ...Failure[]];
      readonly outcomes: readonly EditOutcome[];
    };

async function propose(call: Call): Promise<Answer> {
  const drafted = await draft(call, call.operations);
  if (!drafted.ok) return toError(drafted.failures, drafted.outcomes, call);
  const { planned } = drafted;
  const made = toWorkspaceEdit(planned.files, call.session);
  if (!made.ok)
    return toEditorError(withRest(made.failure, callSentences.nothingChanged), notAttempted(planned.outcomes));
  const { options } = call;
  const warnings = options.confirm === true ? [...call.warnings, callSentences.notAsked] : call.warnings;
  const result = toResult({ planned, edit: made.edit, outcome: "proposed", options, warnings });
  const answer = await inSlices(result, call.token, () => undefined);
  return answer === "cancelled" ? cancelled() : answer;
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
    return { ok: true, planned: { ...planned, warnings: [...warnings, ...planned.warnings] }, snapshot };
  }
  return failed([editorFailures.contentModified({ path: moved ?? "" }, callSentences.keepsMoving)]);
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
      stale.push(editorFailures.contentModified({ path }, callSentences.versionIs(document.version, expected)));
    }
  }
  return { stale, warnings };
}

async function applyByServer(call: Call): Promise<Answer> {
  const { session, options, token } = call;
  let confirmed: string | undefined;
  for (;;) {
    const drafted = await draft(call, call.operations);
    if (!drafted.ok) return toError(drafted.failures, drafted.outcomes, call);
    const { planned, snapshot } = drafted;
    const made = toWorkspaceEdit(planned.files, session);
    const refused = (failure: Failure): Answer =>
      toEditorError(withRest(failure, callSentences.nothingChanged), notAttempted(planned.outcomes));
    if (!made.ok) return refused(made.failure);
    if (session.capabilities.workspace?.applyEdit !== true) return refused(editorFailures.noApplyEdit());
    // A caller may ask for a question, but not do without one that the user wants.
    const asks = options.confirm === true || session.settings.confirm === "always";
    const diff = asks ? wholeDiff(planned.files) : "";
    if (asks && diff !== "" && diff !== confirmed) {
      const no = await refusalOfUser(call, planned);
      if (no !== undefined) return refused(no);
      // The text may have moved on while the person looked: what is applied is what was agreed to.
      confirmed = diff;
      continue;
    }
    if (token.isCancellationRequested) return refused(editorFailures.cancelled());
    const agreed = new Map(planned.files.map((file) => [file, asks ? wholeDiff([file]) : ""]));
    const replan = async (file: FileChange): Promise<Replanned> => {
      const again = await draft(call, file.operations);
      if (!again.ok) return { ok: false, failure: again.failures[0] };
      const { files, outcomes } = again.planned;
      const same = files.find((one) => hasFateOf(one, file));
      const { path } = file.document;
      if (same === undefined) {
        return { ok: false, failure: editorFailures.contentModified({ path }, callSentences.fileChanged) };
      }
      // What the person has agreed to is that diff and no other.
      const diffNow = asks ? wholeDiff([same]) : "";
      const no = diffNow === agreed.get(file) ? undefined : await refusalOfUser(call, again.planned);
      agreed.set(file, diffNow);
      return no === undefined ? { ok: true, file: same, outcomes } : { ok: false, failure: no };
    };
    return applyThroughEditor({ session, planned, snapshot, options, warnings: call.warnings, replan });
  }
}

/** Whether a file that was planned again is the same one and has become of it what was planned before. */
function hasFateOf(one: FileChange, { kind, document, target }: FileChange): boolean {
  // A file that was opened meanwhile has the client's spelling.
  const isSame = one.document.uri === document.uri || one.document.path === document.path;
  return isSame && one.kind === kind && one.target?.uri === target?.uri;
}

/** Settled when the caller cancels; the token of a call that was cancelled before it was dispatched never tells so. */
function cancellation(token: CancellationToken): Promise<void> {
  if (token.isCancellationRequested) return Promise.resolve();
  return new Promise((resolve) => {
    token.onCancellationRequested(() => resolve());
  });
}

/** Asks the user, and says why the edit may not be applied; `undefined`: it may. */
async function refusalOfUser(
  { session, options, token }: Call,
  { files }: Draft["planned"],
): Promise<Failure | undefined> {
  const label = labelOf(files, options);
  const lines = files.map((file) => diffOf(file));
  const sum = (of: "added" | "removed"): number => lines.reduce((total, diff) => total + diff[of], 0);
  const apply = { title: "Apply" };
  const asked = session.connection.window
    .showInformationMessage(callSentences.question(label, sum("added"), sum("removed")), apply, { title: "Reject" })
    .then(
      (answer) => (answer?.title === apply.title ? undefined : editorFailures.userRejected(label)),
      () => editorFailures.cannotAsk(),
    );
  const cancelled = cancellation(token).then(() => editorFailures.cancelled());
  const late = delay(limits.confirmMs, editorFailures.noAnswerOfUser(label, limits.confirmMs / 1000), { ref: false });
  return Promise.race([asked, cancelled, late]);
}
