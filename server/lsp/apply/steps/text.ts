/** The step that changes the text of one document through the editor. */
import { setTimeout as delay } from "node:timers/promises";
import type { TextEdit } from "vscode-languageserver/node";
import { asUpdate, type FileChange, type FileRename, type FileUpdate, nameAfter } from "../../../plan/outcome.js";
import type { Document } from "../../../plan/snapshot.js";
import { type Change, ChangeSet, shrink } from "../../../text/changeSet.js";
import { byteOrderMark, splitsCharacter, withoutMark } from "../../../text/chars.js";
import { limits } from "../../../text/limits.js";
import { LineIndex } from "../../../text/lines.js";
import type { OpenDocument } from "../../../workspace/documents.js";
import { pathOfSyncedUri } from "../../../workspace/pathText.js";
import { readTarget } from "../../../workspace/takeSnapshot.js";
import { labelOf } from "../../edit/result.js";
import { asOpened, hasDocumentChanges, toTextEdits } from "../../edit/workspaceEdit.js";
import { callSentences } from "../../sentences.js";
import { openAt, type Session, worldOf } from "../../session.js";
import { applyText, isExpected, type Misapplied, sourceOfText, stateOnDisk } from "../applyOutcome.js";
import {
  type ApplyContext,
  conflict,
  type Inverse,
  type ProposedStep,
  type StepOutcome,
  type StepResult,
  type StepRules,
  type UndoneFile,
} from "../step.js";

/** The rules for the `text` step. */
export const textStep: StepRules<FileUpdate | FileRename> = {
  do: changeText,
  rollBack: async (run, file, { outcome }) => outcome.kind === "verified" && rollBackText(run, file),
  inverse: invertText,
  isDone: async (proposed) => {
    const { uri, version } = proposed.file.document;
    return (version !== null && !proposed.unseen.has(uri)) || hasText(proposed);
  },
};

/**
 * Sends one document's edits as planned. If the editor applies them in the wrong places because the text has changed,
 * they are rolled back and the outcome is `moved`, or `diverged` if the rollback fails.
 */
async function changeText(context: ApplyContext, file: FileChange): Promise<StepResult> {
  const { outcome, ...sent } = await sendText(context, file);
  if (outcome.kind !== "misapplied") return { outcome, ...sent };
  return { outcome: { kind: (await rollBackText(context, outcome.done)) ? "moved" : "diverged" } };
}

/** Like `changeText`, but does not roll anything back. */
async function sendText(
  { session, options }: ApplyContext,
  file: FileChange,
): Promise<{ readonly outcome: StepOutcome | Misapplied; readonly edits?: readonly TextEdit[] | undefined }> {
  const { uri, version } = file.document;
  const hasMoved = (): boolean => (openAt(session, uri)?.version ?? null) !== version;
  // Until the user's latest typing is synced, the editor might apply the edit in the wrong place.
  if (!hasMoved()) await typingSynced(session, version);
  // A file that has been opened in the meantime now has a version, so it is planned again for that version.
  if (hasMoved()) return { outcome: { kind: "moved" } };
  const opened = asOpened(session, file);
  const edits = toTextEdits(opened, session);
  const outcome = await applyText(session, opened, labelOf([file], options), edits);
  return { outcome, edits: opened === file ? edits : undefined };
}

/** The time of each session's last wait for typing to be synced, as given by `performance.now()`. */
const waited = new WeakMap<Session, number>();

/**
 * Waits until earlier typing is synced, if the editor would apply an edit meant for this document version even to a
 * later version. Documents edited at nearly the same time share one wait.
 */
async function typingSynced(session: Session, version: number | null): Promise<void> {
  const { syncDelay, checksVersionsFrom } = session.facts;
  if (version === null || (version >= checksVersionsFrom && hasDocumentChanges(session))) return;
  if (performance.now() - (waited.get(session) ?? Number.NEGATIVE_INFINITY) < syncDelay) return;
  await delay(syncDelay);
  waited.set(session, performance.now());
}

/**
 * Sends the inverse edit if nothing but typing elsewhere has changed the text since the edit. Returns `true` on
 * success.
 */
async function rollBackText(context: ApplyContext, file: FileChange): Promise<boolean> {
  const { session } = context;
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const open = openAt(session, file.document.uri);
    if (open === undefined || open.desynced !== undefined) return false;
    const document = { ...file.document, text: withoutMark(open.text), version: open.version };
    const inverse = inverseOf(session, file, document);
    if (!inverse.ok) return false;
    const { outcome } = await sendText(context, asUpdate({ ...file, ...inverse.change, document }));
    // After further typing, a new inverse is computed for the new text. If the editor applies the inverse in the wrong
    // place, nothing more is sent: the user is typing faster than edits arrive.
    if (outcome.kind !== "moved") return outcome.kind === "verified";
  }
  return false;
}

/** The change that restores a document's old text, or the first offset where the text has changed since the edit. */
type TextInverse =
  | { readonly ok: true; readonly change: Pick<FileChange, "change" | "text"> }
  | { readonly ok: false; readonly movedAt: number };

/**
 * Returns the inverse of a file's change, for the document's current state, `now`. Keeps any text typed since the
 * change.
 */
export function inverseOf(session: Session, applied: FileChange, now: Document): TextInverse {
  const { text } = now;
  const file = now.version === null ? applied : asOpened(session, applied);
  const synced = (file.document.bomSynced ? byteOrderMark : "") + text;
  const isTyped = !isExpected(session, file, synced);
  // A final line ending that the editor restored does not count as typing and is removed with the edit.
  const whole = { from: 0, to: file.text.length, insert: text };
  const typed = ChangeSet.of(file.text.length, isTyped ? shrink(file.text, whole) : []);
  const movedAt = typed.changes[0]?.from ?? 0;
  if (isTyped && sourceOfText(file, synced) !== "planned") return { ok: false, movedAt };
  const inverse = file.change.invert(file.document.text).changes;
  // Text typed right next to text that the inverse removes would end up joined to another line or word.
  const touches = (one: Change): boolean => typed.changes.some(({ from, to }) => from <= one.to && to >= one.from);
  if (isTyped && inverse.some(touches)) return { ok: false, movedAt };
  const changes = isTyped
    ? inverse.map(({ from, to, insert }) => ({
        from: typed.mapPos(from, "after"),
        to: typed.mapPos(to, "before"),
        insert,
      }))
    : [...inverse, { from: file.text.length, to: text.length, insert: "" }];
  const change = ChangeSet.of(
    text.length,
    ChangeSet.of(text.length, changes).changes.map((one) => widened(text, one)),
  );
  return { ok: true, change: { change, text: change.apply(text) } };
}

/**
 * Returns the lines (1-based) where a text is neither what an edit made nor mere typing elsewhere; `undefined` if there
 * are none. If the editor changes the place of its own edit, the server's answer would otherwise be untrue.
 */
export function changedSince(
  session: Session,
  file: FileChange,
  { text: synced, version, lines, desynced }: OpenDocument,
): { readonly first: number; readonly last: number } | undefined {
  const text = withoutMark(synced);
  if (text === file.text || desynced !== undefined) return undefined;
  if (inverseOf(session, file, { ...file.document, text, version }).ok) return undefined;
  const [change] = shrink(file.text, { from: 0, to: file.text.length, insert: text });
  const from = (change?.from ?? 0) + synced.length - text.length;
  return { first: lines.lineAt(from) + 1, last: lines.lineAt(from + (change?.insert.length ?? 0)) + 1 };
}

/** Widens a change that starts or ends inside a surrogate pair or a CRLF, whose halves an edit may have joined. */
function widened(text: string, { from, to, insert }: Change): Change {
  const start = splitsCharacter(text, from) ? from - 1 : from;
  const end = splitsCharacter(text, to) ? to + 1 : to;
  return { from: start, to: end, insert: text.slice(start, from) + insert + text.slice(to, end) };
}

/** Plans the inverse of a text change against the current document. */
async function invertText({ session, file, isEdited }: UndoneFile): Promise<Inverse> {
  const now = await documentNow(session, file);
  if (!now.ok) return now;
  const { document, place } = now;
  const unchanged = { change: ChangeSet.none(document.text.length), text: document.text };
  // The user may have undone the change in the editor.
  const isToUndo = isEdited && document.text !== file.document.text;
  const inverse: TextInverse = isToUndo ? inverseOf(session, file, document) : { ok: true, change: unchanged };
  if (!inverse.ok) {
    const line = LineIndex.of(document.text, document).lineAt(inverse.movedAt) + 1;
    return conflict(file, callSentences.changedAt(line), line);
  }
  return { ok: true, file: asUpdate({ ...file, operations: [], ...inverse.change, document }), place };
}

/** Reads the current document for a file, using the file's name after the batch. */
export async function documentNow(session: Session, file: FileChange) {
  const { uri } = nameAfter(file);
  const target = await readTarget(pathOfSyncedUri(uri) ?? uri, worldOf(session, undefined));
  if (target.ok || target.failure.code !== "fileNotFound") return target;
  return conflict(file, callSentences.gone);
}

/**
 * Reports whether a file has its planned text, in the editor or, if it is not open there, on disk. Typing elsewhere is
 * ignored.
 */
export async function hasText(proposed: ProposedStep): Promise<boolean> {
  const { session, file } = proposed;
  const { uri } = nameAfter(file);
  const open = openAt(session, uri) ?? openAt(session, file.document.uri);
  if (open === undefined) return (await stateOnDisk(proposed, uri, file.text)) === "same";
  const text = withoutMark(open.text);
  if (file.change.isEmpty) return text === file.text;
  return inverseOf(session, file, { ...file.document, text, version: open.version }).ok;
}
