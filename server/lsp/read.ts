/** Answers the requests that change nothing: `multiEdit/read` and `multiEdit/status`. */
import { callFailures } from "../dialect/sentences.js";
import { LineIndex } from "../text/lines.js";
import { sameAsDisk } from "../workspace/files.js";
import { mapBounded } from "../workspace/identity.js";
import { pathOfSyncedUri } from "../workspace/pathText.js";
import { readTarget } from "../workspace/takeSnapshot.js";
import { keptCalls } from "./apply/keptCalls.js";
import { settleProposals } from "./apply/recordApplied.js";
import { type Answer, type FailedAnswer, toRefusal } from "./edit/result.js";
import { protocolVersion, type ReadResult, type StatusResult } from "./protocol.js";
import { readProblems, requestFailures } from "./sentences.js";
import { type Session, worldOf } from "./session.js";

/**
 * Serves `multiEdit/read`: returns a file's text or some of its lines. A range that extends past the end is clamped.
 */
export async function readDocument(session: Session, params: unknown): Promise<Answer<ReadResult>> {
  const request = parseParams(params);
  if (!request.ok) return request;
  await session.ready;
  const { path, startLine, endLine } = request.result;
  const target = await readTarget(path, worldOf(session, undefined));
  if (!target.ok) return toRefusal([target.failure]);
  const { document } = target;
  const lines = LineIndex.of(document.text, document);
  // A final line ending does not start another line.
  const totalLines = lines.lineCount - (lines.lineCount > 1 && lines.content(lines.lineCount - 1) === "" ? 1 : 0);
  const from = Math.min(startLine, totalLines + 1) - 1;
  const to = Math.max(from, Math.min(endLine ?? totalLines, totalLines));
  const onDisk = document.version === null ? "same" : (document.onDisk ?? "differs");
  // An editor that has reloaded the file has its new text.
  if (onDisk === "same" && document.version !== null) session.diskStamps.remember(document.uri);
  const isOutdated = onDisk === "differs" && (await session.diskStamps.isOutdated(document.uri));
  const result: ReadResult = {
    uri: document.uri,
    version: document.version,
    text: document.text.slice(lines.start(from), lines.start(to)),
    startLine: from + 1,
    totalLines,
    onDisk,
    ...(isOutdated ? { changedOnDisk: true } : {}),
  };
  return { ok: true, result };
}

function parseParams(params: unknown): Answer<{ path: string; startLine: number; endLine: number | undefined }> {
  const wrong = (field: string, problem: string): FailedAnswer =>
    toRefusal([callFailures.wrongType({}, field, problem)]);
  const values: Record<string, unknown> = typeof params === "object" && params !== null ? { ...params } : {};
  // A caller that selects lines with another tool's field names must not get the whole text instead.
  const unknown = Object.keys(values).find((key) => !fields.includes(key));
  if (unknown !== undefined) return toRefusal([requestFailures.unknownReadField(unknown)]);
  const { path, startLine = 1, endLine } = values;
  if (typeof path !== "string" || path === "") return wrong("path", readProblems.path);
  if (!isLine(startLine)) return wrong("startLine", readProblems.startLine);
  if (endLine !== undefined && (!isLine(endLine) || endLine < startLine)) return wrong("endLine", readProblems.endLine);
  return { ok: true, result: { path, startLine, endLine } };
}

/** The request's own fields, and those that LSP allows in any request. */
const fields: readonly string[] = ["path", "startLine", "endLine", "workDoneToken", "partialResultToken"];

const isLine = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1;

/** Serves `multiEdit/status`. Compares every open document with its file on disk. */
export async function statusOf(session: Session): Promise<StatusResult> {
  await session.ready;
  await settleProposals(session);
  return {
    server: { name: "multi-edit-language-server", version: session.version },
    protocol: protocolVersion,
    client: session.client ?? null,
    folders: session.folders.map(({ uri }) => uri),
    open: await mapBounded(session.documents.all(), async ({ uri, version, text, desynced }) => {
      const path = desynced === undefined ? pathOfSyncedUri(uri) : undefined;
      const onDisk = path === undefined ? undefined : await sameAsDisk(text, path, session.facts.habits);
      return { uri, version, onDisk: onDisk ?? "differs" };
    }),
    unsynced: [...session.unsynced],
    transactions: (session.history.isOnDisk ? await keptCalls(session) : session.history.transactions).map((call) => ({
      transaction: call.id,
      label: call.label,
      state: call.isUndone ? "undone" : "applied",
      at: new Date(call.at).toISOString(),
      files: [...call.files],
      ...(call.caller === undefined ? {} : { by: call.caller }),
    })),
    agents: [...session.callers],
    settingProblems: [...session.settingProblems],
    ...(session.lastCallAt === undefined ? {} : { lastCallAt: session.lastCallAt.toISOString() }),
  };
}
