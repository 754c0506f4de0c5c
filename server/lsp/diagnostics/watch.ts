/** Asks the client before and after a call which diagnostics its other language servers have. */
import { isDeepStrictEqual } from "node:util";
import type { CancellationToken, Diagnostic } from "vscode-languageserver/node";
import { compareTexts } from "../../match/compareTexts.js";
import { clip } from "../../plan/failure.js";
import { type FileChange, nameAfter } from "../../plan/outcome.js";
import { withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { LineIndex } from "../../text/lines.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import type { Answer } from "../edit/result.js";
import { nameFor } from "../onDisk/reports.js";
import { type Caller, clientRequests } from "../protocol.js";
import { announcedBy, cancellation, openAt, type Session, within } from "../session.js";
import { newDiagnostics, type TextChange } from "./compare.js";
import type { DiagnosticsParams, NewDiagnostic, NewDiagnostics } from "./protocol.js";
import { diagnosticSentences } from "./sentences.js";

/** Watches what one call does to the diagnostics of the other servers. */
export interface DiagnosticsWatch {
  /** Asks for the diagnostics before these files change, and does not wait for the answer. */
  before(files: readonly FileChange[]): void;
  /** Adds to the answer to a call that was applied what is new, once the servers have answered. */
  after(answer: Answer, token: CancellationToken): Promise<Answer>;
}

/**
 * What servers had reported before a call to which they have not answered, with the texts to which that refers: as long as
 * they report nothing else, it counts for the next call, too.
 */
const unanswered = new WeakMap<Session, ReadonlyMap<string, Pick<Known, "texts"> & { readonly then: Reports }>>();

/** The sessions of which an agent knows that the client can't tell. */
const told = new WeakSet<Session>();

/** Creates the watch for a call. `caller`: the agent that sent it; `undefined` if the editor did. */
export function watchDiagnostics(session: Session, caller: Caller | undefined): DiagnosticsWatch {
  const tells = announcedBy(session).diagnostics === true;
  let earlier: EarlierReports | undefined;
  return {
    before(files) {
      if (tells) earlier = askBefore(session, urisOf(session, files), files);
    },
    async after(answer, token) {
      if (!answer.ok || answer.result.outcome !== "applied") return answer;
      const { result } = answer;
      const added = (warnings: readonly string[], more: object = {}): Answer => ({
        ok: true,
        result: { ...result, warnings: [...result.warnings, ...warnings], ...more },
      });
      if (tells) {
        const found = earlier && (await askAfter(session, earlier, token));
        return found === undefined ? answer : added(found.sentences, { diagnostics: found.diagnostics });
      }
      if (caller === undefined || told.has(session)) return answer;
      told.add(session);
      return added([diagnosticSentences.hidden]);
    },
  };
}

/** The texts and the diagnostics before a call changes its files. */
export interface EarlierReports {
  /** URIs of the files. */
  readonly uris: readonly string[];
  /** The changes, as far as they are known. */
  readonly files: readonly FileChange[];
  /** The open texts, by the client's URIs. */
  readonly texts: ReadonlyMap<string, string>;
  readonly reports: Promise<readonly Reports[] | undefined>;
}

/** Asks for the diagnostics before files change. */
export function askBefore(session: Session, uris: readonly string[], files: readonly FileChange[]): EarlierReports {
  const texts = new Map(session.documents.all().map(({ uri, text }) => [uri, text]));
  return { uris, files, texts, reports: ask(session, { uris: [...uris], waitMs: 0 }) };
}

/**
 * Asks for the diagnostics after these files have changed. Resolves with what is new, and with a sentence about it if there is
 * anything; `undefined` if the client does not answer, or if there are no other servers.
 */
export async function askAfter(
  session: Session,
  { uris, files, texts, reports }: EarlierReports,
  token: CancellationToken,
) {
  const before = (await soon(reports, token)) ?? [];
  if (before.length === 0) return undefined;
  const after = await soon(ask(session, { uris: [...uris], waitMs: limits.diagnosticsMs }), token);
  if (after === undefined) return undefined;
  const diagnostics = compare(session, { before, after, files, texts });
  const noun = session.settings.diagnostics === "all" ? "problem" : "error";
  return { diagnostics, sentences: diagnostics.count === 0 ? [] : [diagnosticSentences.added(diagnostics, noun)] };
}

/** The diagnostics of one server, by the paths of files or, for documents that are not files, their URIs. */
interface Reports {
  readonly name: string;
  readonly isPending: boolean;
  readonly files: ReadonlyMap<string, { readonly uri: string; readonly diagnostics: readonly Diagnostic[] }>;
}

/** Returns the client's URIs for the changed files; those of renamed files are the new ones. */
const urisOf = (session: Session, files: readonly FileChange[]): string[] =>
  files.map((file) => openAt(session, nameAfter(file).uri)?.uri ?? nameAfter(file).uri);

/** Waits for an answer, but not for long; resolves with `undefined` if there is none. */
async function soon<T>(answer: Promise<T>, token: CancellationToken): Promise<T | undefined> {
  const cancelled = cancellation(token).then(() => undefined);
  return within(Promise.race([answer, cancelled]), limits.diagnosticsMs + limits.diagnosticsLateMs, undefined);
}

/** Asks the client; resolves with `undefined` if it fails to answer. */
const ask = ({ connection }: Session, params: DiagnosticsParams): Promise<readonly Reports[] | undefined> =>
  connection.sendRequest(clientRequests.diagnostics, params).then(readAnswer, () => undefined);

/** Reads the client's answer; skips what is malformed. */
function readAnswer(answer: unknown): Reports[] {
  let room: number = limits.diagnosticsRead;
  const sound = (value: unknown): value is Diagnostic => {
    const { range, message, source } = Object(value);
    const { line, character } = Object(Object(range).start);
    const isPlace = [line, character].every((one) => Number.isSafeInteger(one) && one >= 0);
    // The server's own hints are not about what was broken.
    return isPlace && typeof message === "string" && source !== "multi-edit" && --room >= 0;
  };
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const servers = new Map<string, Reports>();
  for (const server of list(Object(answer).servers)) {
    const { name, pending, files } = Object(server);
    if (typeof name !== "string") continue;
    const known = servers.get(name);
    const read = new Map(known?.files);
    for (const file of list(files)) {
      const { uri, diagnostics } = Object(file);
      if (typeof uri !== "string") continue;
      const earlier = read.get(keyOf(uri))?.diagnostics ?? [];
      read.set(keyOf(uri), { uri, diagnostics: [...earlier, ...list(diagnostics).filter(sound)] });
    }
    // Of a server with more than can be read, nothing is known.
    const isPending = pending === true || known?.isPending === true || room < 0;
    servers.set(name, { name, isPending, files: read });
  }
  return [...servers.values()];
}

/** Everything that is known before and after a call. */
interface Known extends Pick<EarlierReports, "files" | "texts"> {
  readonly before: readonly Reports[];
  readonly after: readonly Reports[];
}

/** A diagnostic that was not there before, and its file's URI as the client gives it. */
interface FoundDiagnostic {
  readonly uri: string;
  readonly shown: NewDiagnostic;
}

/** Compares the diagnostics of the servers that have answered both times. */
function compare(session: Session, known: Known): NewDiagnostics {
  const { before, after } = known;
  const answered: string[] = [];
  const found: FoundDiagnostic[] = [];
  let gone = 0;
  const left = new Map<string, Pick<Known, "texts"> & { readonly then: Reports }>();
  for (const then of before) {
    const kept = unanswered.get(session)?.get(then.name);
    const texts = kept !== undefined && isDeepStrictEqual(kept.then, then) ? kept.texts : known.texts;
    const now = after.find(({ name }) => name === then.name);
    const compared = now === undefined ? undefined : compareServer(session, { ...known, texts }, then, now);
    if (compared === undefined) left.set(then.name, { texts, then });
    if (compared === undefined) continue;
    answered.push(then.name);
    found.push(...compared.added);
    gone += compared.gone;
  }
  unanswered.set(session, left);
  // A server may be loading, slow, or dead.
  const names = new Set([...before, ...after].map(({ name }) => name));
  const pending = [...names].filter((name) => !answered.includes(name));
  const rank = ({ severity }: NewDiagnostic): number => severityNames.indexOf(severity);
  const sorted = found.toSorted((a, b) => rank(a.shown) - rank(b.shown));
  session.review?.broke(
    sorted.filter(({ shown }) => shown.severity === "error").map(({ uri, shown }) => ({ ...shown, uri })),
  );
  const shown = sorted.slice(0, limits.diagnosticsShown).map((one) => one.shown);
  return { new: shown, count: found.length, gone, answered, pending };
}

/** Compares what one server reports; `undefined` if it has not answered both times. */
function compareServer(session: Session, known: Known, then: Reports, now: Reports) {
  if (then.isPending || now.isPending) return undefined;
  const severities = session.settings.diagnostics === "all" ? 4 : 1;
  const counts = ({ severity = 1 }: Diagnostic): boolean => severity <= severities;
  const renames = known.files.filter((file) => file.kind === "rename");
  const names = new Map(renames.map(({ document, target }) => [keyOf(document.uri), keyOf(target.uri)]));
  const earlier = new Map([...then.files].map(([key, file]) => [names.get(key) ?? key, file]));
  const added: FoundDiagnostic[] = [];
  let gone = 0;
  for (const key of new Set([...earlier.keys(), ...now.files.keys()])) {
    const before = (earlier.get(key)?.diagnostics ?? []).filter(counts);
    const after = (now.files.get(key)?.diagnostics ?? []).filter(counts);
    const uri = now.files.get(key)?.uri ?? earlier.get(key)!.uri;
    const text = before.length === 0 ? undefined : changeOf(session, uri, known);
    const compared = newDiagnostics({ before, after, text }, session.encoding);
    if (compared === undefined) return undefined;
    gone += compared.gone;
    const path = nameFor(session, key);
    added.push(...compared.added.map((one) => ({ uri, shown: toNew(one, path, now.name) })));
  }
  return { added, gone };
}

/** Returns one name for all spellings of a file's URI. */
const keyOf = (uri: string): string => pathOfSyncedUri(uri) ?? uri;

/**
 * Returns what has become of a text since the first question: what the call has made of it, and whatever was typed or
 * formatted since; `undefined` if it is the same, or unknown.
 */
function changeOf(session: Session, uri: string, { files, texts }: Known): TextChange | undefined {
  const file = files.find((one) => keyOf(nameAfter(one).uri) === keyOf(uri));
  const now = openAt(session, uri);
  const then = texts.get(file?.kind === "rename" ? file.document.uri : (now?.uri ?? uri));
  const textA = withoutMark(then ?? file?.document.text ?? "");
  const textB = withoutMark(now?.text ?? file?.text ?? textA);
  if (textA === textB) return undefined;
  const own = file?.document.text === textA ? file : undefined;
  const since = compareTexts(own?.text ?? textA, textB);
  const rule = { loneCrEndsLine: session.facts.loneCrEndsLine };
  const [linesA, linesB] = [LineIndex.of(textA, rule), LineIndex.of(textB, rule)];
  return { linesA, linesB, change: own === undefined ? since : own.change.compose(since) };
}

const severityNames = ["error", "warning", "information", "hint"] as const;

function toNew({ range, severity = 1, message, code }: Diagnostic, path: string, server: string): NewDiagnostic {
  const kind = severityNames[severity - 1] ?? "error";
  const text = clip(String(message), limits.diagnosticsMessage);
  const found = { path, line: range.start.line + 1, severity: kind, message: text, server };
  return typeof code === "string" || typeof code === "number" ? { ...found, code } : found;
}
