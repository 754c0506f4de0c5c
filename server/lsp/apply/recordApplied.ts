/** Records applied batches, including proposals that the client has applied, and notifies the client of them. */
import type { Range } from "vscode-languageserver/node";
import { type EditOutcome, type FileChange, nameAfter } from "../../plan/outcome.js";
import { withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { LineIndex } from "../../text/lines.js";
import { keepFile } from "../../workspace/fileBackup.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { ascendingPositions } from "../edit/positions.js";
import { requestedFiles } from "../edit/result.js";
import { type AppliedStep, type LineCounts, type Proposal, type Transaction, withLatest } from "../history.js";
import { noticeApplied } from "../notices/notices.js";
import { type AppliedFile, type DidApplyParams, type MultiEditResult, notifications } from "../protocol.js";
import { announcedBy, openAt, type Session, seenBy } from "../session.js";
import { isExpected } from "./applyOutcome.js";
import type { ApplyPlan } from "./step.js";
import { stepRules } from "./steps/table.js";
import { inverseOf } from "./steps/text.js";

/** A call or an undo that has just been carried out. */
interface Done extends Pick<Transaction, "id" | "label" | "steps"> {
  /** The agent that sent the call or the undo; `undefined` if the editor did. */
  readonly caller: Transaction["caller"];
  readonly counts: readonly LineCounts[];
  /** What became of the call's edits; absent if that is unknown. */
  readonly edits?: readonly EditOutcome[];
  /** `true` if the agent does not know what was written: texts that it has seen stay as they are. */
  readonly isUnread?: boolean;
}

/** Adds a transaction to the history and notifies the client. Returns `false` if it is too large for the history. */
export function recordApplied(session: Session, done: Done): boolean {
  const { id, label, steps, caller, counts, edits } = done;
  const { history } = session;
  const files = [...new Set(steps.map(({ file }) => nameAfter(file).path))];
  const lines = { added: 0, removed: 0 };
  for (const { added, removed } of counts)
    Object.assign(lines, { added: lines.added + added, removed: lines.removed + removed });
  const transaction = { id, label, steps, isUndone: false, at: Date.now(), files, caller, lines };
  const kept = withLatest(history.transactions, transaction, limits.transactions);
  history.transactions = kept ?? history.transactions;
  if (session.trails !== undefined && done.isUnread !== true) noteBatch(session, steps, caller);
  session.review?.record({ ...transaction, ...(edits === undefined ? {} : { edits }) });
  tellApplied(session, { ...transaction, counts }, "applied");
  return kept !== undefined;
}

/** Applies what a batch made of files to the texts that its caller saw; agents without an id may have sent any. */
export function noteBatch(
  session: Session,
  steps: readonly { readonly file: FileChange }[],
  caller: Transaction["caller"],
): void {
  for (const file of new Set(steps.map((step) => step.file))) {
    if (file.kind !== "update" && file.kind !== "rename") continue;
    const { uri } = openAt(session, nameAfter(file).uri) ?? nameAfter(file);
    session.trails?.applied([seenBy(caller), seenBy({ name: "" })], uri, file.document, file);
  }
}

/** Sends `multiEdit/didApply`, unless the client would warn about it, and tells the user if the client does not. */
export function tellApplied(session: Session, done: Done, kind: DidApplyParams["kind"]): void {
  const { id, label, steps, caller, counts } = done;
  const changed = requestedFiles([...new Set(steps.map(({ file }) => file))]);
  const isOwn = caller === undefined;
  if (!isOwn || session.facts.hidesAnswers) noticeApplied(session, kind, { caller, files: changed, counts });
  if (session.facts.warnsOfUnknown && announcedBy(session).didApply !== true) return;
  const lines = new Map<string, LineCounts>();
  for (const one of counts) lines.set(one.uri, one);
  const params: DidApplyParams = {
    transaction: id,
    label,
    kind,
    ...(isOwn ? {} : { agent: caller.name }),
    at: new Date().toISOString(),
    files: changed.map((file) => ({
      ...rangesOf(session, file),
      kind: file.kind,
      ...(file.kind === "rename" ? { oldUri: file.document.uri } : {}),
      added: lines.get(file.document.uri)?.added ?? 0,
      removed: lines.get(file.document.uri)?.removed ?? 0,
    })),
  };
  session.connection.sendNotification(notifications.didApply, params).catch(() => undefined);
}

/** Returns the ranges of the new text in the open document or, if the file is closed, in the planned text. */
function rangesOf(session: Session, file: FileChange): Pick<AppliedFile, "uri" | "version" | "ranges"> {
  const { uri } = nameAfter(file);
  if (file.kind === "delete") return { uri, version: null, ranges: [] };
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
  { history, review }: Session,
  { label, files: counts }: Pick<MultiEditResult, "label" | "files">,
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
  const kept = withLatest(
    history.proposals,
    { id, label, steps, places, unseen: new Map(open), counts },
    limits.proposals,
  );
  history.proposals = kept ?? history.proposals;
  review?.expect(steps.map(({ file }) => file));
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

/** Checks all proposals against the texts and the files on disk, and turns applied ones into transactions. */
export async function settleProposals(session: Session): Promise<void> {
  for (const proposal of session.history.proposals) await settle(session, proposal);
}

/** Turns a proposal into a transaction if all files have its edit, even if the user has typed elsewhere. */
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
