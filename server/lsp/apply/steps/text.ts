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
import { callSentences, serverLog } from "../../sentences.js";
import { openAt, type Session, worldOf } from "../../session.js";
import { applyTexts, isExpected, type Misapplied, sourceOfText, stateOnDisk, type TextPart } from "../applyOutcome.js";
import type { StepOutcome } from "../outcomes.js";
import {
  type ApplyContext,
  conflict,
  type Inverse,
  type ProposedStep,
  type RolledBack,
  type StepResult,
  type StepRules,
  type UndoneFile,
} from "../step.js";

/** The rules for the `text` step. */
export const textStep: StepRules<FileUpdate | FileRename> = {
  do: changeTexts,
  rollBack: async (run, files, { outcome }) => (outcome.kind === "verified" ? rollBackTexts(run, files) : ["stays"]),
  inverse: invertText,
  isDone: async (proposed) => {
    const { uri, version } = proposed.file.document;
    return (version !== null && !proposed.unseen.has(uri)) || hasText(proposed);
  },
};

/** Sends edits as planned, as one. Those applied in the wrong places are rolled back: `moved`, or else `diverged`. */
export async function changeTexts(context: ApplyContext, files: readonly FileChange[]): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for (const { outcome, ...sent } of await sendTexts(context, files)) {
    if (outcome.kind !== "misapplied") results.push({ outcome, ...sent });
    else {
      const [isBack] = await rollBackTexts(context, [outcome.done]);
      results.push({ outcome: { kind: isBack === "back" ? "moved" : "diverged" } });
    }
  }
  return results;
}

/** The outcome for one document, with the edits sent, which are `undefined` if they differ from the plan's. */
interface Sent {
  readonly outcome: StepOutcome | Misapplied;
  readonly edits?: readonly TextEdit[] | undefined;
}

/** Like `changeTexts`, but does not roll anything back. */
async function sendTexts({ session, options }: ApplyContext, files: readonly FileChange[]): Promise<readonly Sent[]> {
  const hasMoved = ({ document: { uri, version } }: FileChange): boolean =>
    (openAt(session, uri)?.version ?? null) !== version;
  // Until the user's latest typing is synced, the editor might apply the edit in the wrong place.
  for (const file of files) if (!hasMoved(file)) await typingSynced(session, file.document.version);
  // A file that has been opened in the meantime now has a version, so it is planned again for that version.
  if (files.some(hasMoved)) {
    return files.map((file) => ({ outcome: { kind: hasMoved(file) ? "moved" : "untouched" } }));
  }
  const parts = files.map((planned): TextPart => {
    const file = asOpened(session, planned);
    return { file, edits: toTextEdits(file, session) };
  });
  session.review?.expect(files);
  const outcomes = await applyTexts(session, parts, labelOf(files, options));
  if (takesTextsTogether(session)) noteBrokenPromise(session, outcomes);
  return parts.map(({ file, edits }, i) => ({
    outcome: outcomes[i]!,
    edits: file === files[i] ? edits : undefined,
  }));
}

/** The sessions whose editor has applied only a part of an edit, although it had announced not to. */
const broken = new WeakSet<Session>();

/** Reports whether all texts go as one edit: the editor announces all or none, is known for it, and has kept to it. */
export function takesTextsTogether(session: Session): boolean {
  const { facts, capabilities } = session;
  const announced = capabilities.workspace?.workspaceEdit?.failureHandling;
  const isAnnounced = announced === "transactional" || announced === "textOnlyTransactional";
  return facts.textsTogether && isAnnounced && hasDocumentChanges(session) && !broken.has(session);
}

/** Outcomes of documents that the editor has changed; those that it has not changed. */
const changed: ReadonlySet<string> = new Set(["verified", "misapplied", "diverged"]);
const unchanged: ReadonlySet<string> = new Set([
  "refused",
  "untouched",
  "moved",
  "timedOut",
  "acknowledgedButUnchanged",
]);

/** Notes it if an editor has applied a part of an edit, or has applied it without looking at the versions. */
function noteBrokenPromise(session: Session, outcomes: readonly (StepOutcome | Misapplied)[]): void {
  const isPart = outcomes.some(({ kind }) => changed.has(kind)) && outcomes.some(({ kind }) => unchanged.has(kind));
  if (!isPart && !outcomes.some(({ kind }) => kind === "misapplied")) return;
  broken.add(session);
  session.log("warn", serverLog.appliedPart);
}

/** The time of each session's last wait for typing to be synced, as given by `performance.now()`. */
const waited = new WeakMap<Session, number>();

/** Waits until earlier typing is synced, if the editor applies edits even to later versions; one wait for several. */
async function typingSynced(session: Session, version: number | null): Promise<void> {
  const { syncDelay, checksVersionsFrom } = session.facts;
  if (version === null || (version >= checksVersionsFrom && hasDocumentChanges(session))) return;
  if (performance.now() - (waited.get(session) ?? Number.NEGATIVE_INFINITY) < syncDelay) return;
  await delay(syncDelay);
  waited.set(session, performance.now());
}

/** Sends the inverse edits of the documents in which there was only typing elsewhere. Returns each file's result. */
async function rollBackTexts(context: ApplyContext, files: readonly FileChange[]): Promise<readonly RolledBack[]> {
  const { session } = context;
  const back = new Set<FileChange>();
  let left = files;
  let isRefused = false;
  for (let attempt = 0; attempt <= limits.rematches && left.length > 0; attempt++) {
    const inverses = left.flatMap((file) => {
      const open = openAt(session, file.document.uri);
      if (open === undefined || open.desynced !== undefined) return [];
      const document = { ...file.document, text: withoutMark(open.text), version: open.version };
      const inverse = inverseOf(session, file, document);
      return inverse.ok ? [{ file, inverse: asUpdate({ ...file, ...inverse.change, document }) }] : [];
    });
    const groups = takesTextsTogether(session) && !isRefused ? [inverses] : inverses.map((one) => [one]);
    left = [];
    for (const group of groups) {
      const sent = await sendTexts(
        context,
        group.map(({ inverse }) => inverse),
      );
      const kinds = sent.map(({ outcome }) => outcome.kind);
      for (const [i, { file }] of group.entries()) {
        if (kinds[i] === "verified") back.add(file);
        // After further typing, new inverses are computed for the new texts. If the editor applies an inverse in the
        // wrong place, it is not sent again: the user is typing faster than edits arrive.
        const isUnchanged = kinds[i] === "refused" || kinds[i] === "untouched";
        if (kinds[i] === "moved" || (isUnchanged && kinds.includes("moved"))) left = [...left, file];
        // The editor may have refused all of the edit because of one document, so each gets an edit of its own.
        else if (isUnchanged && group.length > 1) {
          isRefused = true;
          left = [...left, file];
        }
      }
    }
  }
  return files.map((file) => (back.has(file) ? "back" : "stays"));
}

/** The change that restores a document's old text, or the first offset where the text has changed since the edit. */
type TextInverse =
  | { readonly ok: true; readonly change: Pick<FileChange, "change" | "text"> }
  | { readonly ok: false; readonly movedAt: number };

/** Returns the inverse of a file's change, for the document as it is `now`, which keeps text typed since. */
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

/** Returns the 1-based lines where a text is neither what an edit made nor mere typing elsewhere, if there are any. */
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
async function invertText({ session, file, isEdited, reverse }: UndoneFile): Promise<Inverse> {
  const now = await documentNow(session, file);
  if (!now.ok) return now;
  const { document, place } = now;
  const followed = isEdited ? reverse?.(document) : undefined;
  if (followed?.ok === false) return conflict(file, followed.problem, followed.line);
  if (followed !== undefined) {
    const { change } = followed;
    return {
      ok: true,
      file: asUpdate({ ...file, operations: [], change, text: change.apply(document.text), document }),
      place,
    };
  }
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

/** Reports whether a file has its planned text, in the editor or else on disk, apart from typing elsewhere. */
export async function hasText(proposed: ProposedStep): Promise<boolean> {
  const { session, file } = proposed;
  const { uri } = nameAfter(file);
  const open = openAt(session, uri) ?? openAt(session, file.document.uri);
  if (open === undefined) return (await stateOnDisk(proposed, uri, file.text)) === "same";
  const text = withoutMark(open.text);
  if (file.change.isEmpty) return text === file.text;
  return inverseOf(session, file, { ...file.document, text, version: open.version }).ok;
}
