/** Sends one edit to the editor and finds out from the text that it syncs, not from its answer, what became of it. */

import type { ApplyWorkspaceEditResult, WorkspaceEdit } from "vscode-languageserver/node";
import type { FileChange } from "../../plan/outcome.js";
import type { ChangeSet } from "../../text/changeSet.js";
import { byteOrderMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { shrink } from "../../text/shrink.js";
import { openAt, type Session } from "../session.js";
import { astrayIn, type Step } from "./misapplied.js";

/** What the editor's own text says of one edit. */
export type Proof =
  | { readonly kind: "proved" }
  /** The text is as it was. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The text has moved on, and the step is certainly not in it. */
  | { readonly kind: "moved" }
  /** The text is neither the old nor the planned one. */
  | { readonly kind: "diverged" }
  /** No answer came, and no text. */
  | { readonly kind: "silent" }
  /** The editor said yes, but the text that it syncs is as it was: it may still come. */
  | { readonly kind: "unseen" }
  /** The editor said yes, but does not sync the text that would prove it. */
  | { readonly kind: "unproved" };

/** The editor has applied the edit at places that are not meant, which `done` describes. */
export interface Astray {
  readonly kind: "astray";
  readonly done: FileChange;
}

/** What is sent. */
interface Asked {
  readonly label: string;
  readonly edit: WorkspaceEdit;
}

/** As `proveText`, for texts that nobody types into yet. */
export async function prove(session: Session, file: FileChange, asked: Asked): Promise<Proof> {
  const proof = await proveText(session, file, asked);
  return proof.kind === "astray" ? { kind: "diverged" } : proof;
}

/** Sends the edit and watches the text: the answer only decides how long to wait for it. */
export async function proveText(session: Session, file: FileChange, asked: Asked): Promise<Proof | Astray> {
  const { uri, version } = file.document;
  const verdictOn = (text: string): Verdict => (version === null ? "unclear" : whichText(file, text));
  const told = (step: Step): Proof | Astray | undefined => {
    // However it came about.
    if (isExpected(session, file, step.now)) return { kind: "proved" };
    const done = astrayIn(session, { file, edit: asked.edit }, step);
    if (done !== undefined) return { kind: "astray", done };
    return verdictOn(step.now) === "planned" ? { kind: "proved" } : undefined;
  };
  const watch = watchText(session, uri, told);
  const openNow = () => openAt(session, uri);
  try {
    const answer = await Promise.race([request(session, asked), watch.seen]);
    if ("kind" in answer) return answer;
    // Who says no to a version that is gone has not applied the edit, if the text agrees.
    const moved = openNow();
    if (isNo(answer) && moved !== undefined && moved.version !== version && verdictOn(moved.text) === "old") {
      return { kind: "moved" };
    }
    const { proofTimeout } = session.settings;
    // What was typed before a refusal, and is the reason for it, may still be on its way.
    const patience = answer.applied ? proofTimeout : Math.max(proofTimeout / 4, session.facts.syncDelay);
    const seen = await within(patience, watch.seen);
    if (seen !== undefined) return seen;
    const open = openNow();
    if (open === undefined && version === null && !answer.silent) {
      return answer.applied ? { kind: "unproved" } : { kind: "refused", reason: answer.reason };
    }
    if (open === undefined || open.desynced !== undefined) return { kind: answer.silent ? "silent" : "diverged" };
    if (open.version === version) {
      if (answer.silent) return { kind: "silent" };
      return answer.applied ? { kind: "unseen" } : { kind: "refused", reason: answer.reason };
    }
    if (version === null) return { kind: "diverged" };
    // Where the user typed into the very place, the text does not tell; the editors that say no are known to mean it.
    const verdict = verdictOn(open.text);
    return { kind: verdict === "old" || (verdict === "unclear" && isNo(answer)) ? "moved" : "diverged" };
  } finally {
    watch.stop();
  }
}

const isNo = (answer: Reply): boolean => !answer.applied && !answer.silent;

/** What a text that moved on was before: the user's typing is the difference. */
export type Verdict = "old" | "planned" | "unclear";

/** Whether a text is the old or the planned one, but for one stretch that leaves all of what tells the two apart. */
export function whichText(file: FileChange, synced: string): Verdict {
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

/** Whether the editor's text is the planned one; some editors give a text its final line end back. */
export function isExpected(session: Session, file: FileChange, text: string): boolean {
  const expected = (file.document.bomSynced ? byteOrderMark : "") + file.text;
  if (text === expected) return true;
  const { finalLineEndReturns, emptyIsLineEnd } = session.facts;
  const allowed = (finalLineEndReturns && !/[\r\n]$/.test(expected)) || (emptyIsLineEnd && expected === "");
  return allowed && (text === `${expected}\n` || text === `${expected}\r\n`);
}

interface Reply {
  readonly applied: boolean;
  readonly reason: string;
  /** No answer came in time. */
  readonly silent: boolean;
}

/** Asks the editor to apply an edit, and waits for its answer for a bounded time. */
export async function request(session: Session, asked: Asked): Promise<Reply> {
  const sent = session.connection.workspace.applyEdit(asked).then(
    (answer: ApplyWorkspaceEditResult | null): Reply => ({
      applied: answer?.applied === true,
      reason: answer?.failureReason ?? "",
      silent: false,
    }),
    (error: unknown): Reply => ({ applied: false, reason: error instanceof Error ? error.message : "", silent: false }),
  );
  const silence = new Promise<Reply>((resolve) => {
    setTimeout(() => resolve({ applied: false, reason: "", silent: true }), patienceOf(session)).unref();
  });
  return Promise.race([sent, silence]);
}

/** Milliseconds that the client may take to answer `workspace/applyEdit`. */
export function patienceOf({ facts }: Session): number {
  return facts.asksUser ? limits.confirmMs : limits.applyEditMs;
}

/** Gives the first thing that a document's synced text tells, even if it moves on at once. */
function watchText<T>(
  session: Session,
  uri: string,
  told: (step: Step) => T | undefined,
): { readonly seen: Promise<T>; readonly stop: () => void } {
  let stop = (): void => {};
  let before = openAt(session, uri)?.text;
  const seen = new Promise<T>((resolve) => {
    stop = session.documents.onChange((changed) => {
      const open = openAt(session, uri);
      if (changed !== open?.uri || open.desynced !== undefined) return;
      const what = told({ before: before ?? open.text, now: open.text });
      before = open.text;
      if (what !== undefined) resolve(what);
    });
  });
  return { seen, stop };
}

/** What comes in that time; `undefined`: nothing. */
async function within<T>(milliseconds: number, seen: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  const result = await Promise.race([seen, late]);
  clearTimeout(timer);
  return result;
}
