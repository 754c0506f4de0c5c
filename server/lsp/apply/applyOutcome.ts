/** Sends requests to the editor and determines the outcome of each from the synced text or the disk. */
import { setTimeout as delay } from "node:timers/promises";
import type { ApplyWorkspaceEditParams, TextEdit } from "vscode-languageserver/node";
import { asUpdate, type FileChange, nameAfter } from "../../plan/outcome.js";
import { ChangeSet, shrink } from "../../text/changeSet.js";
import { byteOrderMark } from "../../text/chars.js";
import { LineIndex } from "../../text/lines.js";
import { isThere } from "../../workspace/fileBackup.js";
import { sameAsDisk } from "../../workspace/files.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { spanOf } from "../edit/positions.js";
import { type FileOperation, hasDocumentChanges } from "../edit/workspaceEdit.js";
import { openAt, type Session, within } from "../session.js";
import type { StepOutcome } from "./outcomes.js";
import type { ApplyContext } from "./step.js";

/** The outcome of an edit that the editor applied in the wrong places; `done` is the change that it made. */
export interface Misapplied {
  readonly kind: "misapplied";
  readonly done: FileChange;
}

/** One document's part of an edit: its edits, and the file as it will be after them. */
export interface TextPart {
  readonly file: FileChange;
  readonly edits: readonly TextEdit[];
}

/** Sends the documents' edits as one and watches their texts; the editor's answer decides if these do not. */
export async function applyTexts(
  session: Session,
  parts: readonly TextPart[],
  label: string,
): Promise<readonly (StepOutcome | Misapplied)[]> {
  const watches = parts.map((part) => watchText(session, part));
  const changes = parts.map(({ file: { document }, edits }) => {
    const { uri, version } = document;
    // If the file was opened after the plan was made, the edit targets the version that is open now.
    return { textDocument: { uri, version: version ?? openAt(session, uri)?.version ?? null }, edits: [...edits] };
  });
  // A client without `documentChanges` gets the edit in the older form, `changes`.
  const edit = hasDocumentChanges(session)
    ? { documentChanges: changes }
    : { changes: Object.fromEntries(changes.map(({ textDocument, edits }) => [textDocument.uri, edits])) };
  try {
    const answer = await Promise.race([
      request(session, { label, edit }),
      Promise.all(watches.map(({ seen }) => seen)),
    ]);
    if (!("applied" in answer)) return answer;
    const outcomes = await Promise.all(parts.map((part, i) => outcomeOf(session, part, answer, watches[i]!.seen)));
    // If the editor names the document that it refused, the others are unchanged only for that reason.
    const cause = outcomes[answer.failedChange ?? -1];
    if (cause?.kind !== "refused") return outcomes;
    return outcomes.map((one) => (one.kind === "refused" && one !== cause ? { kind: "untouched" } : one));
  } finally {
    for (const { stop } of watches) stop();
  }
}

/** Determines the outcome for one document after the editor's answer. `seen` is the first sign in its synced text. */
async function outcomeOf(
  session: Session,
  { file }: TextPart,
  answer: EditorAnswer,
  seen: Promise<StepOutcome | Misapplied>,
): Promise<StepOutcome | Misapplied> {
  const { uri, version } = file.document;
  const sourceOf = (text: string): TextSource => (version === null ? "unclear" : sourceOfText(file, text));
  const isNo = !answer.applied && !answer.isLate;
  const before = await Promise.race([seen, undefined]);
  if (before !== undefined) return before;
  // If the client refused the edit, and its text has since changed only through typing, the edit has certainly not
  // been applied.
  const moved = openAt(session, uri);
  if (isNo && moved !== undefined && moved.version !== version && sourceOf(moved.text) === "old") {
    return { kind: "moved" };
  }
  const { proofTimeout } = session.settings;
  // The typing that caused a refusal may not have been synced yet.
  const patience = answer.applied ? proofTimeout : Math.max(proofTimeout / 4, session.facts.syncDelay);
  const after = await within(seen, patience, undefined);
  if (after !== undefined) return after;
  const open = openAt(session, uri);
  if (open === undefined && version === null && !answer.isLate) {
    return answer.applied ? { kind: "acknowledgedUnverifiable" } : { kind: "refused", reason: answer.reason };
  }
  if (open === undefined || open.desynced !== undefined) return { kind: answer.isLate ? "timedOut" : "diverged" };
  if (open.version === version) return unchanged(answer);
  if (version === null) return { kind: "diverged" };
  // If the user typed where the edit belongs, the text is inconclusive, but a refusal by the editor can be trusted.
  const source = sourceOf(open.text);
  return { kind: source === "old" || (source === "unclear" && isNo) ? "moved" : "diverged" };
}

/** Returns the outcome of a step that left no trace in the text or on disk. */
function unchanged(answer: EditorAnswer): StepOutcome {
  if (answer.isLate) return { kind: "timedOut" };
  return answer.applied ? { kind: "acknowledgedButUnchanged" } : { kind: "refused", reason: answer.reason };
}

/** The text that the user typed into: the old one or the planned one; `unclear` if it could be either or neither. */
type TextSource = "old" | "planned" | "unclear";

/** Determines whether a text is the old or the planned one, ignoring one stretch of typing outside the edited parts. */
export function sourceOfText(file: FileChange, synced: string): TextSource {
  const mark = file.document.bomSynced ? byteOrderMark : "";
  const { change, document, text } = file;
  const isIntact = (before: string, telling: ChangeSet): boolean => {
    const [typed] = shrink(mark + before, { from: 0, to: mark.length + before.length, insert: synced });
    if (typed === undefined) return true;
    const [from, to] = [typed.from - mark.length, typed.to - mark.length];
    const shift = typed.insert.length - (to - from);
    // An edited part is intact unless the typing overlaps it or, if the part is empty, touches it. What is typed seems to
    // end before an empty part, or to start after it, if the text that belongs there is like the text around it.
    return telling.changes.every((one) => {
      if (one.from < one.to) return one.to <= from || one.from >= to;
      const at = mark.length + one.from + (one.from > to ? shift : 0);
      const isFilled = isBeside(synced, at, one.insert) && !isBeside(before, one.from, one.insert);
      return (one.to < from || one.from > to) && !isFilled;
    });
  };
  const isOld = isIntact(document.text, change);
  const isPlanned = isIntact(text, change.invert(document.text));
  return isOld === isPlanned ? "unclear" : isOld ? "old" : "planned";
}

/** Reports whether a text has another one directly before or after an offset. */
const isBeside = (text: string, at: number, other: string): boolean =>
  text.startsWith(other, at) || text.slice(0, at).endsWith(other);

/** Reports whether the editor's text is the planned text, ignoring a final line ending that some editors add. */
export function isExpected(session: Session, file: FileChange, text: string): boolean {
  const expected = (file.document.bomSynced ? byteOrderMark : "") + file.text;
  if (text === expected) return true;
  const { finalLineEndReturns, emptyIsLineEnd } = session.facts;
  const allowed = (finalLineEndReturns && !/[\r\n]$/.test(expected)) || (emptyIsLineEnd && expected === "");
  return allowed && (text === `${expected}\n` || text === `${expected}\r\n`);
}

/** Returns the change made if the edit landed at the positions sent, although typing had moved its text. */
function whereMisapplied(
  session: Session,
  file: FileChange,
  edits: readonly TextEdit[],
  before: string,
  now: string,
): FileChange | undefined {
  const mark = file.document.bomSynced ? byteOrderMark : "";
  const base = mark + file.document.text;
  // If the file was only just opened, a difference from the text on disk may be due to the editor, not to typing.
  if (file.document.version === null || before === base || !before.startsWith(mark) || !now.startsWith(mark))
    return undefined;
  const meant = spansOf(session, file, edits, base);
  const done = spansOf(session, file, edits, before);
  if (meant === undefined || done === undefined) return undefined;
  const change = ChangeSet.of(before.length, done);
  if (change.apply(before) !== now) return undefined;
  const typed = ChangeSet.of(base.length, shrink(base, { from: 0, to: base.length, insert: before }));
  const isRight = meant.every(({ from, to }, i) => {
    const at = done[i];
    if (at === undefined) return false;
    const held = before.slice(at.from, at.to);
    // Some editors sync each change of an edit separately, so the text may already contain earlier changes.
    if (held === at.insert) return true;
    return (
      base.slice(from, to) === held && typed.mapPos(from, "after") === at.from && typed.mapPos(to, "before") === at.to
    );
  });
  if (isRight) return undefined;
  const changes = change.changes.map(({ from, to, insert }) => ({
    from: from - mark.length,
    to: to - mark.length,
    insert,
  }));
  const text = before.slice(mark.length);
  return asUpdate({
    ...file,
    document: { ...file.document, text },
    change: ChangeSet.of(text.length, changes),
    text: now.slice(mark.length),
  });
}

/** Converts the edits to offset-based changes; returns `undefined` if a position does not exist in the text. */
function spansOf({ encoding }: Session, { document }: FileChange, edits: readonly TextEdit[], text: string) {
  const lines = LineIndex.of(text, document);
  const spans = edits.flatMap(({ range, newText }) => {
    const span = spanOf(text, lines, range, encoding);
    return span === undefined ? [] : [{ ...span, insert: newText }];
  });
  return spans.length === edits.length ? spans : undefined;
}

/** The editor's answer to `workspace/applyEdit`. */
interface EditorAnswer {
  readonly applied: boolean;
  readonly reason: string;
  /** `true` if the request timed out. */
  readonly isLate: boolean;
  /** The index of the entry that the editor says it refused; `undefined` if it names none. */
  readonly failedChange?: number | undefined;
}

/** Asks the editor to apply an edit and waits at most `session.facts.answerMs` for the answer. */
export async function request(session: Session, asked: ApplyWorkspaceEditParams): Promise<EditorAnswer> {
  const no: EditorAnswer = { applied: false, reason: "", isLate: false };
  try {
    const answer = await within(session.connection.workspace.applyEdit(asked), session.facts.answerMs, "late");
    if (answer === "late") return { ...no, isLate: true };
    const reason = answer?.failureReason ?? "";
    return answer?.applied === true
      ? { ...no, applied: true, reason }
      : { ...no, reason, failedChange: answer?.failedChange };
  } catch (error) {
    return { ...no, reason: error instanceof Error ? error.message : "" };
  }
}

/** Watches a document's synced text for the first sign of the edits. The sign counts even if the text changes again. */
function watchText(session: Session, { file, edits }: TextPart) {
  const { uri, version } = file.document;
  let stop = (): void => {};
  let last = openAt(session, uri)?.text;
  const seen = new Promise<StepOutcome | Misapplied>((resolve) => {
    stop = session.documents.onChange((changed) => {
      const open = openAt(session, uri);
      if (changed !== open?.uri || open.desynced !== undefined) return;
      const before = last ?? open.text;
      last = open.text;
      // It does not matter how the text came to match the plan.
      if (isExpected(session, file, open.text)) return resolve({ kind: "verified" });
      const done = whereMisapplied(session, file, edits, before, open.text);
      if (done !== undefined) resolve({ kind: "misapplied", done });
      else if (version !== null && sourceOfText(file, open.text) === "planned") resolve({ kind: "verified" });
    });
  });
  return { seen, stop };
}

/** Deletes or renames `path`, and watches the disk. The answer says how long, and decides if nothing changes. */
export async function applyToFile(
  session: Session,
  { label, operation }: { readonly label: string; readonly operation: FileOperation },
  path: string,
  newPath?: string,
): Promise<StepOutcome> {
  const isDone = async () => !(await isThere(path)) && (newPath === undefined || isThere(newPath));
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
  // After a no, the old file says that nothing was done; the new name may have been taken, which the caller looks at.
  const isNo = !answer.applied && !answer.isLate;
  const isUntouched = (await isThere(path)) && (isNo || newPath === undefined || !(await isThere(newPath)));
  return isUntouched ? unchanged(answer) : { kind: "diverged" };
}

/** Polls until a condition holds. Returns `false` on timeout, or if `isIdle` reports that polling is pointless. */
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

/** Compares a text with the file on disk that a URI refers to; `undefined` if there is no such text file. */
export async function stateOnDisk(
  { places, session }: ApplyContext,
  uri: string,
  text: string,
): Promise<"same" | "differs" | undefined> {
  const path = places.get(uri)?.file ?? pathOfSyncedUri(uri);
  return path === undefined ? undefined : sameAsDisk(text, path, session.facts.habits);
}

/** After the call, compares a file on disk with the editor's text or, if the file is closed, with the planned text. */
export function stateAfter(context: ApplyContext, file: FileChange): Promise<"same" | "differs" | undefined> {
  const { uri } = nameAfter(file);
  return stateOnDisk(context, uri, openAt(context.session, uri)?.text ?? file.text);
}
