/** Changes the text of one document through the editor, and finds the change that takes that back. */
import { setTimeout as delay } from "node:timers/promises";
import type { WorkspaceEdit } from "vscode-languageserver/node";
import { asUpdate, type FileChange } from "../../plan/outcome.js";
import type { Document } from "../../plan/snapshot.js";
import { type Change, ChangeSet } from "../../text/changeSet.js";
import { byteOrderMark, splitsCharacter, withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { shrink } from "../../text/shrink.js";
import { asOpened } from "../edit/lineEnds.js";
import { labelOf } from "../edit/result.js";
import { hasDocumentChanges, toTextDocumentEdit, toWorkspaceEdit } from "../edit/workspaceEdit.js";
import { openAt, type Session } from "../session.js";
import { type Astray, isExpected, type Proof, proveText, whichText } from "./applyOutcome.js";
import type { Site } from "./fileSteps.js";

/**
 * Sends the edit of one document, as it was planned. Where the editor applies it at other places than are meant, because it
 * has another text by then, that is taken back and the document has `moved`.
 */
export async function changeText(site: Site, file: FileChange): Promise<Proof> {
  const proof = await sendText(site, file);
  if (proof.kind !== "astray") return proof;
  return (await takeTextBack(site, proof.done)) ? { kind: "moved" } : { kind: "diverged" };
}

async function sendText({ session, options }: Site, file: FileChange): Promise<Proof | Astray> {
  const { uri, version } = file.document;
  const hasMoved = (): boolean => (openAt(session, uri)?.version ?? null) !== version;
  // Typing that is not synced yet would not keep the edit from being applied at the wrong place.
  if (!hasMoved() && isUnguarded(session, version)) await typingSynced(session);
  // A file that was not open may have been opened meanwhile: then it has a version, and is planned again with it.
  if (hasMoved()) return { kind: "moved" };
  const asked = asOpened(session, file);
  return proveText(session, asked, { label: labelOf([file], options), edit: editOf(session, asked) });
}

/** When the typing of a session was last waited for, in milliseconds of the process. */
const waited = new WeakMap<Session, number>();

/** Waits until what has been typed so far is synced; once for all documents that are edited at nearly the same time. */
async function typingSynced(session: Session): Promise<void> {
  const { syncDelay } = session.facts;
  if (performance.now() - (waited.get(session) ?? Number.NEGATIVE_INFINITY) < syncDelay) return;
  await delay(syncDelay);
  waited.set(session, performance.now());
}

/** Whether the editor applies an edit for this version of a document also to a later one. */
function isUnguarded(session: Session, version: number | null): boolean {
  return version !== null && (version < session.facts.checksVersionsFrom || !hasDocumentChanges(session));
}

/** The edit of one document; a client that knows no `documentChanges` gets the older form. */
function editOf(session: Session, file: FileChange): WorkspaceEdit {
  const made = toWorkspaceEdit([asUpdate(file)], session);
  const older = made.ok && made.edit.changes !== undefined;
  return older ? made.edit : { documentChanges: [toTextDocumentEdit(file, session)] };
}

/** By the inverse edit, where the editor still has the text that the edit gave, but for typing elsewhere. */
export async function takeTextBack(site: Site, file: FileChange): Promise<boolean> {
  const { session } = site;
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const open = openAt(session, file.document.uri);
    if (open === undefined || open.desynced !== undefined) return false;
    const document = { ...file.document, text: withoutMark(open.text), version: open.version };
    const inverse = inverseOf(session, file, document);
    if (!inverse.ok) return false;
    const { kind } = await sendText(site, { ...file, ...inverse.change, document });
    // Typed into again meanwhile: the inverse is made anew, for the text as it is then.
    if (kind !== "moved") return kind === "proved";
  }
  return false;
}

/** What gives a document its old text back, or the offset at which the text has moved on from what the edit gave. */
export type Inverse =
  | { readonly ok: true; readonly change: Pick<FileChange, "change" | "text"> }
  | { readonly ok: false; readonly movedAt: number };

/** The inverse of a file's change on the text that the document has `now`; what was typed since stays. */
export function inverseOf(session: Session, applied: FileChange, now: Document): Inverse {
  const { text } = now;
  const file = now.version === null ? applied : asOpened(session, applied);
  const synced = (file.document.bomSynced ? byteOrderMark : "") + text;
  const isTyped = !isExpected(session, file, synced);
  // A final line end that the editor gave back does not count for typing, and goes with the edit.
  const whole = { from: 0, to: file.text.length, insert: text };
  const typed = ChangeSet.of(file.text.length, isTyped ? shrink(file.text, whole) : []);
  const movedAt = typed.changes[0]?.from ?? 0;
  if (isTyped && whichText(file, synced) !== "planned") return { ok: false, movedAt };
  const inverse = file.change.invert(file.document.text).changes;
  // Typed right beside what is to go: without it, the typing would stand in another line or word.
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

/** A change that ends inside no character and no CRLF, which an edit may have made of two of its neighbours. */
function widened(text: string, { from, to, insert }: Change): Change {
  const start = splitsCharacter(text, from) ? from - 1 : from;
  const end = splitsCharacter(text, to) ? to + 1 : to;
  return { from: start, to: end, insert: text.slice(start, from) + insert + text.slice(to, end) };
}
