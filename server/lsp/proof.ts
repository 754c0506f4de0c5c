/** Sends one edit to the editor and finds out from the text that it syncs, not from its answer, what became of it. */
import type { ApplyWorkspaceEditResult, WorkspaceEdit } from "vscode-languageserver/node";
import type { FileChange } from "../plan/outcome.js";
import type { ChangeSet } from "../text/changeSet.js";
import { limits } from "../text/limits.js";
import { shrink } from "../text/shrink.js";
import type { Session } from "./session.js";

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
  /** The editor said yes, but does not sync the text that would prove it. */
  | { readonly kind: "unproved" };

/** What is sent. */
interface Asked {
  readonly label: string;
  readonly edit: WorkspaceEdit;
}

/** Sends the edit and watches the text: the answer only decides how long to wait for it. */
export async function prove(session: Session, file: FileChange, asked: Asked): Promise<Proof> {
  const { uri, version } = file.document;
  const watch = watchText(session, uri, (text) => isExpected(session, file, text));
  try {
    const answer = await Promise.race([request(session, asked), watch.seen.then(() => "seen" as const)]);
    if (answer === "seen") return { kind: "proved" };
    const patience = answer.applied ? session.settings.proofTimeout : session.settings.proofTimeout / 4;
    if (await within(patience, watch.seen)) return { kind: "proved" };
    const open = session.documents.get(uri);
    if (open === undefined && version === null && !answer.silent) {
      return answer.applied ? { kind: "unproved" } : { kind: "refused", reason: answer.reason };
    }
    if (open === undefined || open.desynced !== undefined) return { kind: answer.silent ? "silent" : "diverged" };
    if (open.version === version)
      return answer.silent ? { kind: "silent" } : { kind: "refused", reason: answer.reason };
    if (version === null) return { kind: "diverged" };
    // The user typed meanwhile: what is outside of the typing tells whether the edit is in the text.
    const verdict = whichText(file, open.text);
    return { kind: verdict === "planned" ? "proved" : verdict === "old" ? "moved" : "diverged" };
  } finally {
    watch.stop();
  }
}

/** Whether a text that moved on is the old or the planned one, but for one stretch that touches none of the changes. */
function whichText(file: FileChange, synced: string): "old" | "planned" | "unclear" {
  const mark = file.document.bomSynced ? "\uFEFF" : "";
  const { change, document, text } = file;
  const untouched = (before: string, set: ChangeSet): boolean => {
    const [typed] = shrink(mark + before, { from: 0, to: mark.length + before.length, insert: synced });
    if (typed === undefined) return true;
    const [from, to] = [typed.from - mark.length, typed.to - mark.length];
    return set.changes.every((one) => one.to < from || one.from > to);
  };
  const isOld = untouched(document.text, change);
  const isPlanned = untouched(text, change.invert(document.text));
  return isOld === isPlanned ? "unclear" : isOld ? "old" : "planned";
}

/** Whether the editor's text is the planned one; some editors give a text its final line end back. */
export function isExpected(session: Session, file: FileChange, text: string): boolean {
  const expected = (file.document.bomSynced ? "\uFEFF" : "") + file.text;
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
    setTimeout(() => resolve({ applied: false, reason: "", silent: true }), limits.applyEditMs).unref();
  });
  return Promise.race([sent, silence]);
}

/** Tells when a document's synced text is first the one that is waited for, even if it moves on at once. */
function watchText(
  session: Session,
  uri: string,
  isSought: (text: string) => boolean,
): { seen: Promise<void>; stop: () => void } {
  let stop = (): void => {};
  const seen = new Promise<void>((resolve) => {
    stop = session.documents.onChange((changed) => {
      const open = session.documents.get(uri);
      if (changed === uri && open !== undefined && open.desynced === undefined && isSought(open.text)) resolve();
    });
  });
  return { seen, stop };
}

async function within(milliseconds: number, seen: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  const result = await Promise.race([seen.then(() => true), late]);
  clearTimeout(timer);
  return result;
}
