/** Sends requests to the editor and finds out from the text that it syncs, or from the disk, what became of each. */
import { setTimeout as delay } from "node:timers/promises";
import type { ApplyWorkspaceEditParams, TextEdit } from "vscode-languageserver/node";
import { type FileChange, nameAfter } from "../../plan/outcome.js";
import type { ChangeSet } from "../../text/changeSet.js";
import { byteOrderMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { shrink } from "../../text/shrink.js";
import { sameAsDisk } from "../../workspace/files.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { type FileOperation, hasDocumentChanges } from "../edit/workspaceEdit.js";
import { openAt, type Session } from "../session.js";
import { type SyncedTexts, whereMisapplied } from "./misapplied.js";
import type { ApplyContext, StepOutcome } from "./step.js";

/** The editor has applied the edit at places that are not meant, which `done` describes. */
interface Misapplied {
  readonly kind: "misapplied";
  readonly done: FileChange;
}

/** Edits of one document, for the version of it that they are made for. */
interface TextRequest {
  readonly label: string;
  readonly edits: readonly TextEdit[];
  readonly version: number | null;
}

/** Sends the edits of one document and watches its text: the answer only decides how long to wait for it. */
export async function applyText(
  session: Session,
  file: FileChange,
  { label, edits, version: sentFor }: TextRequest,
): Promise<StepOutcome | Misapplied> {
  const { uri, version } = file.document;
  const sourceOf = (text: string): TextSource => (version === null ? "unclear" : sourceOfText(file, text));
  const watch = watchText(session, uri, (texts): StepOutcome | Misapplied | undefined => {
    // However it came about.
    if (isExpected(session, file, texts.now)) return { kind: "verified" };
    const done = whereMisapplied(session, { file, edits }, texts);
    if (done !== undefined) return { kind: "misapplied", done };
    return sourceOf(texts.now) === "planned" ? { kind: "verified" } : undefined;
  });
  // A client that knows no `documentChanges` gets the older form.
  const edit = hasDocumentChanges(session)
    ? { documentChanges: [{ textDocument: { uri, version: sentFor }, edits: [...edits] }] }
    : { changes: { [uri]: [...edits] } };
  try {
    const answer = await Promise.race([request(session, { label, edit }), watch.seen]);
    if ("kind" in answer) return answer;
    const isNo = !answer.applied && !answer.isLate;
    // Who says no to a version that is gone has not applied the edit, if the text agrees.
    const moved = openAt(session, uri);
    if (isNo && moved !== undefined && moved.version !== version && sourceOf(moved.text) === "old") {
      return { kind: "moved" };
    }
    const { proofTimeout } = session.settings;
    // What was typed before a refusal, and is the reason for it, may still be on its way.
    const patience = answer.applied ? proofTimeout : Math.max(proofTimeout / 4, session.facts.syncDelay);
    const seen = await within(patience, watch.seen);
    if (seen !== undefined) return seen;
    const open = openAt(session, uri);
    if (open === undefined && version === null && !answer.isLate) {
      return answer.applied ? { kind: "acknowledgedUnverifiable" } : { kind: "refused", reason: answer.reason };
    }
    if (open === undefined || open.desynced !== undefined) return { kind: answer.isLate ? "timedOut" : "diverged" };
    if (open.version === version) return unchanged(answer);
    if (version === null) return { kind: "diverged" };
    // If the user typed into the very place, the text does not tell; the editors that say no are known to mean it.
    const source = sourceOf(open.text);
    return { kind: source === "old" || (source === "unclear" && isNo) ? "moved" : "diverged" };
  } finally {
    watch.stop();
  }
}

/** The outcome of a step that has left no trace in texts or on disk. */
function unchanged(answer: EditorAnswer): StepOutcome {
  if (answer.isLate) return { kind: "timedOut" };
  return answer.applied ? { kind: "acknowledgedButUnchanged" } : { kind: "refused", reason: answer.reason };
}

/** The text that a text which moved on comes from: the user's typing is the difference. */
type TextSource = "old" | "planned" | "unclear";

/** Tells if a text is the old or the planned one, apart from one stretch that leaves all of what tells the two apart. */
export function sourceOfText(file: FileChange, synced: string): TextSource {
  const mark = file.document.bomSynced ? byteOrderMark : "";
  const { change, document, text } = file;
  const isIntact = (before: string, telling: ChangeSet): boolean => {
    const [typed] = shrink(mark + before, { from: 0, to: mark.length + before.length, insert: synced });
    if (typed === undefined) return true;
    const [from, to] = [typed.from - mark.length, typed.to - mark.length];
    // A stretch of text is intact where the typing does not reach into it; an empty one where it is not even touched.
    return telling.changes.every((one) =>
      one.from < one.to ? one.to <= from || one.from >= to : one.to < from || one.from > to,
    );
  };
  const isOld = isIntact(document.text, change);
  const isPlanned = isIntact(text, change.invert(document.text));
  return isOld === isPlanned ? "unclear" : isOld ? "old" : "planned";
}

/** Returns `true` if the editor's text is the planned one; some editors give a text its final line end back. */
export function isExpected(session: Session, file: FileChange, text: string): boolean {
  const expected = (file.document.bomSynced ? byteOrderMark : "") + file.text;
  if (text === expected) return true;
  const { finalLineEndReturns, emptyIsLineEnd } = session.facts;
  const allowed = (finalLineEndReturns && !/[\r\n]$/.test(expected)) || (emptyIsLineEnd && expected === "");
  return allowed && (text === `${expected}\n` || text === `${expected}\r\n`);
}

/** The editor's answer to `workspace/applyEdit`. */
interface EditorAnswer {
  readonly applied: boolean;
  readonly reason: string;
  /** No answer came in time. */
  readonly isLate: boolean;
}

/** Asks the editor to apply an edit, and waits for its answer for a bounded time. */
export async function request(session: Session, asked: ApplyWorkspaceEditParams): Promise<EditorAnswer> {
  const answered = session.connection.workspace.applyEdit(asked).then(
    (answer): EditorAnswer => ({
      applied: answer?.applied === true,
      reason: answer?.failureReason ?? "",
      isLate: false,
    }),
    (error: unknown): EditorAnswer => ({
      applied: false,
      reason: error instanceof Error ? error.message : "",
      isLate: false,
    }),
  );
  const late = new Promise<EditorAnswer>((resolve) => {
    setTimeout(() => resolve({ applied: false, reason: "", isLate: true }), patienceOf(session)).unref();
  });
  return Promise.race([answered, late]);
}

/** Milliseconds that the client may take to answer `workspace/applyEdit`. */
export function patienceOf({ facts }: Session): number {
  return facts.asksUser ? limits.confirmMs : limits.applyEditMs;
}

/** Gives the first thing that a document's synced text tells, even if it moves on at once. */
function watchText<T>(
  session: Session,
  uri: string,
  judge: (texts: SyncedTexts) => T | undefined,
): { readonly seen: Promise<T>; readonly stop: () => void } {
  let stop = (): void => {};
  let before = openAt(session, uri)?.text;
  const seen = new Promise<T>((resolve) => {
    stop = session.documents.onChange((changed) => {
      const open = openAt(session, uri);
      if (changed !== open?.uri || open.desynced !== undefined) return;
      const judgement = judge({ before: before ?? open.text, now: open.text });
      before = open.text;
      if (judgement !== undefined) resolve(judgement);
    });
  });
  return { seen, stop };
}

/** The value that comes in that time; `undefined`: none. */
async function within<T>(milliseconds: number, seen: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController();
  const late = delay(milliseconds, undefined, { signal: timer.signal }).catch(() => undefined);
  const result = await Promise.race([seen, late]);
  timer.abort();
  return result;
}

/** An operation on a whole file, and how the disk shows what became of it. */
interface FileRequest {
  readonly label: string;
  readonly operation: FileOperation;
  readonly isDone: () => Promise<boolean>;
  readonly isUntouched: () => Promise<boolean>;
}

/** Sends an operation and watches the disk: the answer only decides how long to wait for it. */
export async function applyToFile(
  session: Session,
  { label, operation, isDone, isUntouched }: FileRequest,
): Promise<StepOutcome> {
  let isAnswered = false;
  const answered = request(session, { label, edit: { documentChanges: [operation] } }).finally(() => {
    isAnswered = true;
  });
  const seen = until(isDone, Number.POSITIVE_INFINITY, () => isAnswered);
  const answer = await Promise.race([answered, seen.then((isSeen) => (isSeen ? undefined : answered))]);
  if (answer === undefined) return { kind: "verified" };
  const { proofTimeout } = session.settings;
  const patience = answer.isLate ? 0 : answer.applied ? proofTimeout : proofTimeout / 4;
  if (await until(isDone, patience)) return { kind: "verified" };
  return (await isUntouched()) ? unchanged(answer) : { kind: "diverged" };
}

/** Looks again and again whether something holds, for some milliseconds, or until it need not be known any more. */
export async function until(
  holds: () => Promise<boolean>,
  milliseconds: number,
  isIdle: () => boolean = () => false,
): Promise<boolean> {
  const end = performance.now() + milliseconds;
  for (;;) {
    if (await holds()) return true;
    if (performance.now() > end || isIdle()) return false;
    await delay(20);
  }
}

/** Compares the file at a URI, as it is on disk now, with a text. `undefined`: there is no file. */
export async function stateOnDisk(
  { places, session }: ApplyContext,
  uri: string,
  text: string,
): Promise<"same" | "differs" | undefined> {
  const path = places.get(uri)?.file ?? pathOfSyncedUri(uri);
  return path === undefined ? undefined : sameAsDisk(text, path, session.facts.habits);
}

/** The same for the text that the editor holds of a file in the end, or else for the planned one. */
export function stateAfter(context: ApplyContext, file: FileChange): Promise<"same" | "differs" | undefined> {
  const { uri } = nameAfter(file);
  return stateOnDisk(context, uri, openAt(context.session, uri)?.text ?? file.text);
}
