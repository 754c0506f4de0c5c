/** One function behind every door: from a tool call to an answer, with all branching in one place. */
import type { CancellationToken, ResponseError } from "vscode-languageserver/node";
import { decodeCall } from "../dialect/decode.js";
import { callSentences, editorFailures, type Failure } from "../plan/failure.js";
import type { BatchOptions, Operation } from "../plan/operation.js";
import type { EditOutcome, Planned } from "../plan/outcome.js";
import { planBatch } from "../plan/plan.js";
import { limits } from "../text/limits.js";
import { takeSnapshot, type WorkspaceSnapshot } from "../workspace/snapshot.js";
import type { CallOptions, MultiEditErrorData, MultiEditResult } from "./protocol.js";
import { labelOf, toError, toResult, wholeDiff } from "./report.js";
import { applyThroughEditor } from "./roundTrip.js";
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
  const decoded = decodeCall(params, { optionsAllowed: true });
  if (!decoded.ok) return toError(decoded.failures, []);
  const { operations, options, defaultOrder, warnings } = decoded;
  await session.ready;
  const batch: BatchOptions = {
    atomic: options.atomic ?? session.settings.atomic,
    order: options.order ?? defaultOrder,
    lenient: options.lenient ?? session.settings.lenient,
  };
  const call: Call = { session, operations, options, batch, token, warnings };
  return door === "server" ? session.inTurn(() => applyByServer(call)) : propose(call);
}

interface Call {
  readonly session: Session;
  readonly operations: readonly Operation[];
  readonly options: CallOptions;
  readonly batch: BatchOptions;
  readonly token: CancellationToken;
  readonly warnings: readonly string[];
}

/** A plan on the text of one moment, and where its documents are. */
interface Draft {
  readonly planned: Extract<Planned, { ok: true }>;
  readonly snapshot: WorkspaceSnapshot;
}

type Drafted =
  | ({ readonly ok: true } & Draft)
  | { readonly ok: false; readonly error: ResponseError<MultiEditErrorData> };

async function propose(call: Call): Promise<Answer> {
  const drafted = await draft(call, call.operations);
  if (!drafted.ok) return drafted.error;
  const { planned } = drafted;
  const made = toWorkspaceEdit(planned.files, call.session);
  if (!made.ok) return toError([made.failure], planned.outcomes);
  const { options, warnings } = call;
  return toResult({ planned, edit: made.edit, outcome: "proposed", options, warnings });
}

/** Plans on the text as it is when the plan is done: what moved on meanwhile is planned again. */
async function draft(call: Call, operations: readonly Operation[]): Promise<Drafted> {
  const { session, options, batch, token } = call;
  const failed = (failures: readonly Failure[], outcomes: readonly EditOutcome[] = []): Drafted => ({
    ok: false,
    error: toError(failures, outcomes),
  });
  let moved: string | undefined;
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const snapshot = await takeSnapshot(operations, worldOf(session, options.root));
    const stale = staleVersions(snapshot, options);
    if (stale.length > 0) return failed(stale);
    const planned = await inSlices(planBatch(operations, snapshot, batch), token);
    if (planned === "cancelled") return failed([editorFailures.cancelled()]);
    moved = [...snapshot.documents.values()].find(
      ({ uri, version }) => version !== null && session.documents.get(uri)?.version !== version,
    )?.path;
    if (moved !== undefined) continue;
    return planned.ok ? { ok: true, planned, snapshot } : failed(planned.failures, planned.outcomes);
  }
  return failed([editorFailures.contentModified({ path: moved ?? "" }, callSentences.keepsMoving)]);
}

/** Documents that are not at the version that the caller has seen. */
function staleVersions(snapshot: WorkspaceSnapshot, options: CallOptions): Failure[] {
  return Object.entries(options.versions ?? {}).flatMap(([uri, expected]) => {
    const target = snapshot.targets.get(uri);
    const document = snapshot.documents.get(target?.ok === true ? target.uri : uri);
    if (document === undefined || document.version === expected) return [];
    return [
      editorFailures.contentModified({ path: document.path }, callSentences.versionIs(document.version, expected)),
    ];
  });
}

async function applyByServer(call: Call): Promise<Answer> {
  const { session, options, token } = call;
  let confirmed: string | undefined;
  for (;;) {
    const drafted = await draft(call, call.operations);
    if (!drafted.ok) return drafted.error;
    const { planned, snapshot } = drafted;
    const made = toWorkspaceEdit(planned.files, session);
    if (!made.ok) return toError([made.failure], planned.outcomes);
    if (session.capabilities.workspace?.applyEdit !== true) return toError([editorFailures.noApplyEdit()], []);
    const asks = options.confirm ?? session.settings.confirm === "always";
    const diff = asks ? wholeDiff(planned.files) : "";
    if (asks && diff !== "" && diff !== confirmed) {
      const label = labelOf(planned.files, options);
      if (!(await isConfirmed(session, label))) return toError([editorFailures.userRejected(label)], planned.outcomes);
      // The text may have moved on while the person looked: what is applied is what was agreed to.
      confirmed = diff;
      continue;
    }
    if (token.isCancellationRequested) return toError([editorFailures.cancelled()], []);
    const replan = async (uri: string): Promise<Drafted> => {
      const own = call.operations.filter(({ path }) => {
        const target = snapshot.targets.get(path);
        return target?.ok === true && target.uri === uri;
      });
      return draft(call, own);
    };
    return applyThroughEditor({ session, planned, snapshot, options, warnings: call.warnings, replan });
  }
}

async function isConfirmed(session: Session, label: string): Promise<boolean> {
  const apply = { title: "Apply" };
  const answer = await session.connection.window.showInformationMessage(`Apply ${label}?`, apply, { title: "Reject" });
  return answer?.title === apply.title;
}
