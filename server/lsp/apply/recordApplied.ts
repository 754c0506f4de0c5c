/** Records applied batches, including proposals that the client has applied, and notifies the client of them. */
import type { Range } from "vscode-languageserver/node";
import { type FileChange, nameAfter } from "../../plan/outcome.js";
import { withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { LineIndex } from "../../text/lines.js";
import { keepFile } from "../../workspace/fileBackup.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { ascendingPositions } from "../edit/positions.js";
import { type AppliedStep, type Proposal, type Transaction, withLatest } from "../history.js";
import { type DidApplyParams, notifications } from "../protocol.js";
import { announcedBy, openAt, type Session } from "../session.js";
import { isExpected } from "./applyOutcome.js";
import type { ApplyPlan } from "./step.js";
import { stepRules } from "./steps/table.js";
import { inverseOf } from "./steps/text.js";

/** Adds a transaction to the history and notifies the client. Returns `false` if it is too large for the history. */
export function recordApplied(
  session: Session,
  { id, label, steps, caller }: Pick<Transaction, "id" | "label" | "steps" | "caller">,
): boolean {
  const { history } = session;
  const own = steps.map(({ kind, file, kept, tidy }) => ({ kind, file, kept, tidy }));
  const files = [...new Set(steps.map(({ file }) => nameAfter(file).path))];
  const transaction = { id, label, steps: own, isUndone: false, at: Date.now(), files, caller };
  const kept = withLatest(history.transactions, transaction, limits.transactions);
  history.transactions = kept ?? history.transactions;
  tellApplied(session, transaction);
  return kept !== undefined;
}

/**
 * Sends `multiEdit/didApply`, unless the client would warn its user about the unknown notification. The notification
 * does not list deleted files.
 */
export function tellApplied(session: Session, { id, label, steps }: Pick<Transaction, "id" | "label" | "steps">): void {
  if (session.facts.warnsOfUnknown && announcedBy(session).didApply !== true) return;
  const files = [...new Set(steps.map(({ file }) => file))].filter(({ kind }) => kind !== "delete");
  const params: DidApplyParams = { transaction: id, label, files: files.map((file) => rangesOf(session, file)) };
  session.connection.sendNotification(notifications.didApply, params).catch(() => undefined);
}

/**
 * Returns the ranges that the new text now occupies in the open document or, if the file is not open, in the planned
 * text.
 */
function rangesOf(session: Session, file: FileChange): DidApplyParams["files"][number] {
  const { uri } = nameAfter(file);
  const open = openAt(session, uri);
  const text = open === undefined ? file.text : withoutMark(open.text);
  const version = open?.version ?? null;
  const inverse = inverseOf(session, file, { ...file.document, text, version });
  if (!inverse.ok) return { uri: open?.uri ?? uri, version, ranges: [] };
  const lines = open?.lines ?? LineIndex.of(text, file.document);
  const mark = lines.text.length - text.length;
  const positionAt = ascendingPositions(lines.text, lines, session.encoding);
  // These are the ranges that an undo would replace.
  const ranges = inverse.change.change.changes.map(
    ({ from, to }): Range => ({ start: positionAt(from + mark), end: positionAt(to + mark) }),
  );
  return { uri: open?.uri ?? uri, version, ranges };
}

/** Starts watching a proposal; returns its id, or `undefined` if it changes nothing or is too large to keep. */
export async function addProposal(
  { history }: Session,
  label: string,
  { tasks, places }: ApplyPlan,
): Promise<string | undefined> {
  if (tasks.length === 0) return undefined;
  const steps = await Promise.all(
    tasks.map(async ({ kind, planned: file }): Promise<AppliedStep> => {
      // A file that the proposal deletes must be read while it still exists.
      const path = kind === "delete" ? pathOfSyncedUri(file.document.uri) : undefined;
      const keeping = path === undefined ? undefined : await keepFile(path, file.document.path);
      return { kind, file, kept: keeping?.kind === "kept" ? keeping.file : undefined };
    }),
  );
  const open = steps.flatMap(({ kind, file }) =>
    kind === "text" && file.document.version !== null ? [[file.document.uri, file] as const] : [],
  );
  const id = history.newId();
  const kept = withLatest(history.proposals, { id, label, steps, places, unseen: new Map(open) }, limits.proposals);
  history.proposals = kept ?? history.proposals;
  return kept && id;
}

/** Checks the proposals whenever a text is synced. This is cheap: most comparisons fail on the length alone. */
export function watchProposals(session: Session): void {
  session.documents.onChange((uri) => {
    for (const proposal of session.history.proposals) {
      const file = proposal.unseen.get(uri);
      const open = file === undefined ? undefined : session.documents.get(uri);
      if (file === undefined || open === undefined || !isExpected(session, file, open.text)) continue;
      proposal.unseen.delete(uri);
      if (proposal.unseen.size > 0) continue;
      settle(session, proposal).catch((error: unknown) => session.log("warn", String(error)));
    }
  });
}

/**
 * Checks all proposals against the current texts and the files on disk, and turns the applied ones into transactions.
 */
export async function settleProposals(session: Session): Promise<void> {
  for (const proposal of session.history.proposals) await settle(session, proposal);
}

/**
 * Turns a proposal into a transaction if its edit has been applied to all files, even if the user has typed elsewhere
 * in them.
 */
async function settle(session: Session, proposal: Proposal): Promise<void> {
  const { history } = session;
  const { steps, unseen, places } = proposal;
  const names = new Set(steps.flatMap(({ file }) => (file.kind === "delete" ? [] : [nameAfter(file).uri])));
  const context = { session, options: {}, places, unseen, names };
  for (const { kind, file } of steps) if (!(await stepRules[kind].isDone({ ...context, file }))) return;
  // A concurrent call may have settled the proposal in the meantime.
  if (!history.proposals.includes(proposal)) return;
  history.proposals = history.proposals.filter((one) => one !== proposal);
  recordApplied(session, { ...proposal, caller: undefined });
}
