/** Answers the requests that change nothing: `multiEdit/read` and `multiEdit/status`. */
import { callFailures } from "../dialect/sentences.js";
import { limits } from "../text/limits.js";
import { firstIndex, LineIndex } from "../text/lines.js";
import type { OpenDocument } from "../workspace/documents.js";
import { compareWithFile, isSameInOneByte, readToCompare } from "../workspace/files.js";
import { canonicalise, indexOpenFiles, isAbsent, mapBounded } from "../workspace/identity.js";
import { pathOfSyncedUri } from "../workspace/pathText.js";
import { readTarget } from "../workspace/takeSnapshot.js";
import { Trails } from "../workspace/trails.js";
import { keptCalls } from "./apply/keptCalls.js";
import { settleProposals } from "./apply/recordApplied.js";
import { questionForShell } from "./apply/shellAnswer.js";
import { type Answer, type FailedAnswer, toRefusal } from "./edit/result.js";
import {
  type Caller,
  type OpenStatus,
  protocolVersion,
  type ReadParams,
  type ReadResult,
  type StatusParams,
  type StatusResult,
} from "./protocol.js";
import { stateOfCall } from "./review/serve.js";
import { readProblems, requestFailures } from "./sentences.js";
import { announcedBy, type Session, seenBy, worldOf } from "./session.js";

/** Serves `multiEdit/read`: returns a file's text or some of its lines, clamped to those that there are. */
export async function readDocument(
  session: Session,
  params: unknown,
  caller: Caller | undefined,
): Promise<Answer<ReadResult>> {
  const request = parseParams(params);
  if (!request.ok) return request;
  await session.ready;
  const { path, startLine, endLine, maxLength } = request.result;
  let target = await readTarget(path, worldOf(session, undefined));
  // An agent that has just written a file with a tool of its own sees what became of it in the editor.
  if (target.ok && (await session.disk?.settled(target.document.uri)) === true)
    target = await readTarget(path, worldOf(session, undefined));
  if (!target.ok) return toRefusal([target.failure]);
  const { document } = target;
  const lines = LineIndex.of(document.text, document);
  // A final line ending does not start another line.
  const totalLines = lines.lineCount - (lines.lineCount > 1 && lines.content(lines.lineCount - 1) === "" ? 1 : 0);
  const from = Math.min(startLine, totalLines + 1) - 1;
  const last = Math.max(from, Math.min(endLine, totalLines));
  const fitting = firstIndex(last - from, (more) => lines.start(from + more + 1) - lines.start(from) > maxLength);
  const to = last === from ? from : from + Math.max(1, fitting);
  // The caller can't have seen a line that it must cut.
  const isCut = fitting < to - from;
  const onDisk = document.version === null ? "same" : (document.onDisk ?? "differs");
  // An editor that has reloaded the file has its new text.
  if (onDisk === "same" && document.version !== null) session.diskStamps.remember(document.uri, document.version);
  const isOutdated = onDisk === "differs" && (await session.diskStamps.isOutdated(document.uri));
  if (!session.history.isOnDisk) session.trails ??= new Trails(session.documents, Date.now);
  if (to > from && !isCut) session.trails?.read(seenBy(caller), document, { startLine: from + 1, endLine: to });
  const merged = onDisk === "differs" ? (session.disk?.mergedLines(document.uri) ?? []) : [];
  const result: ReadResult = {
    uri: document.uri,
    version: document.version,
    text: document.text.slice(lines.start(from), lines.start(to)),
    startLine: from + 1,
    endLine: to,
    totalLines,
    onDisk,
    ...(isOutdated ? { changedOnDisk: true } : {}),
    ...(merged.length > 0 ? { mergedFromDisk: merged.slice(0, limits.mergedPlaces) } : {}),
  };
  return { ok: true, result };
}

function parseParams(params: unknown): Answer<Readonly<Required<ReadParams>>> {
  const wrong = (field: string, problem: string): FailedAnswer =>
    toRefusal([callFailures.wrongType({}, field, problem)]);
  const values: Record<string, unknown> = typeof params === "object" && params !== null ? { ...params } : {};
  // A caller that selects lines with another tool's field names must not get the whole text instead.
  const unknown = Object.keys(values).find((key) => !fields.includes(key));
  if (unknown !== undefined) return toRefusal([requestFailures.unknownReadField(unknown)]);
  const { path, startLine = 1, endLine = Number.MAX_SAFE_INTEGER, maxLength = Number.MAX_SAFE_INTEGER } = values;
  if (typeof path !== "string" || path === "") return wrong("path", readProblems.path);
  if (!isPositive(startLine)) return wrong("startLine", readProblems.startLine);
  if (!isPositive(endLine) || endLine < startLine) return wrong("endLine", readProblems.endLine);
  if (!isPositive(maxLength)) return wrong("maxLength", readProblems.maxLength);
  return { ok: true, result: { path, startLine, endLine, maxLength } };
}

/** The request's own fields, and those that LSP allows in any request. */
const fields: readonly string[] = ["path", "startLine", "endLine", "maxLength", "workDoneToken", "partialResultToken"];

const isPositive = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1;

/** Serves `multiEdit/status`. Compares every open document that is asked for with its file on disk. */
export async function statusOf(session: Session, params: unknown): Promise<StatusResult> {
  await session.ready;
  const { files }: { readonly [Field in keyof StatusParams]?: unknown } = Object(params);
  const isList = Array.isArray(files) && files.every((path) => typeof path === "string");
  await settleProposals(session);
  const question = questionForShell(session)?.label;
  const absent = session.folders.filter(({ path }) => isAbsent(path));
  return {
    server: { name: "multi-edit-language-server", version: session.version },
    protocol: protocolVersion,
    client: session.client ?? null,
    folders: session.folders.map(({ uri }) => uri),
    ...(absent.length === 0 ? {} : { absentFolders: absent.map(({ uri }) => uri) }),
    open: await mapBounded(isList ? await openAmong(session, files) : session.documents.all(), async (document) => {
      const { uri, version } = document;
      return { uri, version, ...(await savedStateOf(session, document)) };
    }),
    unsynced: [...session.unsynced, ...session.refused],
    transactions: (session.history.isOnDisk ? await keptCalls(session) : session.history.transactions).map((call) => ({
      transaction: call.id,
      label: call.label,
      state: stateOfCall(session, call),
      at: new Date(call.at).toISOString(),
      files: [...call.files],
      ...(call.caller === undefined ? {} : { by: call.caller }),
    })),
    agents: [...session.callers],
    settingProblems: [...session.settingProblems],
    ...(announcedBy(session).save === true ? { saves: true } : {}),
    ...(question === undefined ? {} : { question }),
    ...(session.lastCallAt === undefined ? {} : { lastCallAt: session.lastCallAt.toISOString() }),
  };
}

/** Returns the open documents that one of the paths may refer to, in the order in which they were opened. */
async function openAmong({ documents }: Session, paths: readonly string[]): Promise<readonly OpenDocument[]> {
  const files = indexOpenFiles(documents);
  const found = new Set<string>();
  for (const path of paths) for (const { open } of await files.at(path, canonicalise(path))) found.add(open.uri);
  return found.size === 0 ? [] : documents.all().filter(({ uri }) => found.has(uri));
}

/** Compares an open document with its file. */
export async function savedStateOf(
  session: Session,
  document: OpenDocument,
): Promise<Pick<OpenStatus, "onDisk" | "saved">> {
  const { diskStamps, documents, facts } = session;
  const { uri, version, text, desynced } = document;
  const path = desynced === undefined ? pathOfSyncedUri(uri) : undefined;
  if (path === undefined) return { onDisk: "differs" };
  const file = await readToCompare(path);
  const onDisk = compareWithFile(text, file, facts.habits);
  if (onDisk === "same") {
    // It may have been closed while the file was read, and its version may come back with another text.
    if (documents.get(uri) === document) diskStamps.noteSame(uri, version);
    return { onDisk };
  }
  const isSaved =
    onDisk === "differs"
      ? diskStamps.wasSame(uri, version)
      : file.kind === "absent"
        ? text === ""
        : diskStamps.isUntouched(uri, version) || isSameInOneByte(text, path, facts.habits);
  return { onDisk: "differs", ...(isSaved ? { saved: true } : {}) };
}
