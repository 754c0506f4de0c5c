/** Applies a plan through an editor that promises little: one document at a time, each proved by the text that it syncs. */
import { type ApplyWorkspaceEditResult, ResponseError, type WorkspaceEdit } from "vscode-languageserver/node";
import { callSentences, editorFailures, type Failure } from "../plan/failure.js";
import type { FileChange, Planned } from "../plan/outcome.js";
import { limits } from "../text/limits.js";
import { sameAsDisk } from "../workspace/files.js";
import type { WorkspaceSnapshot } from "../workspace/snapshot.js";
import type { CallOptions, MultiEditErrorData, MultiEditResult } from "./protocol.js";
import { labelOf, toError, toResult } from "./report.js";
import type { Session } from "./session.js";
import { offers, toTextDocumentEdit, toWorkspaceEdit } from "./workspaceEdit.js";

type GoodPlan = Extract<Planned, { ok: true }>;

/** A plan to be applied, and how to plan one of its documents again when its text moved on. */
export interface Job {
  readonly session: Session;
  readonly planned: GoodPlan;
  readonly snapshot: WorkspaceSnapshot;
  readonly options: CallOptions;
  readonly warnings: readonly string[];
  readonly replan: (
    uri: string,
  ) => Promise<
    | { readonly ok: true; readonly planned: GoodPlan }
    | { readonly ok: false; readonly error: ResponseError<MultiEditErrorData> }
  >;
}

/** What the editor's own text says of one step. */
type Proof =
  | { readonly kind: "proved" }
  /** The text is as it was. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The text has moved on, and the step is not in it. */
  | { readonly kind: "moved" }
  /** Nothing can be told from the text: it is not synced, or the editor is silent. */
  | { readonly kind: "unproved"; readonly warning: string }
  | { readonly kind: "failed"; readonly error: ResponseError<MultiEditErrorData> };

/** Open documents first, then files that are not open, new files last: what can be proved and taken back goes first. */
export async function applyThroughEditor(job: Job): Promise<MultiEditResult | ResponseError<MultiEditErrorData>> {
  const rank = ({ created, document }: FileChange): number => (created ? 2 : document.version === null ? 1 : 0);
  const steps = job.planned.files
    .filter((file) => file.created || !file.change.isEmpty)
    .sort((a, b) => rank(a) - rank(b));
  const done: FileChange[] = [];
  const warnings: string[] = [];
  for (const step of steps) {
    const { proof, file } = await applyStep(job, step);
    if (proof.kind === "proved" || proof.kind === "unproved") done.push(file);
    if (proof.kind === "unproved") warnings.push(proof.warning);
    else if (proof.kind !== "proved") return giveUp(job, file, proof, done);
  }
  return finish(job, done, warnings);
}

/** One document, matched again where its text moved on before the editor could apply the edit. */
async function applyStep(job: Job, first: FileChange): Promise<{ proof: Proof; file: FileChange }> {
  let file = first;
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const proof = file.created ? await create(job, file) : await change(job, file);
    if (proof.kind !== "moved") return { proof, file };
    const again = await job.replan(file.document.uri);
    if (!again.ok) return { proof: { kind: "failed", error: again.error }, file };
    file = again.planned.files[0] ?? file;
  }
  const failure = editorFailures.contentModified({ path: file.document.path }, callSentences.keepsMoving);
  return { proof: { kind: "failed", error: toError([failure], []) }, file };
}

async function change(job: Job, file: FileChange): Promise<Proof> {
  const { session, options } = job;
  const { uri, version } = file.document;
  if (version !== null && session.documents.get(uri)?.version !== version) return { kind: "moved" };
  const edit: WorkspaceEdit = { documentChanges: [toTextDocumentEdit(file, session)] };
  return prove(session, file, { label: labelOf([file], options), edit: plain(session, edit, file) });
}

/** A client that knows no `documentChanges` gets the older form. */
function plain(session: Session, edit: WorkspaceEdit, file: FileChange): WorkspaceEdit {
  const made = toWorkspaceEdit([{ ...file, created: false }], session);
  return made.ok && made.edit.changes !== undefined ? made.edit : edit;
}

/** The file first and its text in a second request: editors that get both in one prompt or lose the text. */
async function create(job: Job, file: FileChange): Promise<Proof> {
  const { session, options } = job;
  const { uri } = file.document;
  const label = labelOf([file], options);
  const answer = await request(session, { label, edit: { documentChanges: [{ kind: "create", uri }] } });
  if (!answer.applied) return { kind: "refused", reason: answer.reason };
  if (file.change.isEmpty) return { kind: "proved" };
  const open = session.documents.get(uri);
  const document = { ...file.document, version: open?.version ?? null };
  const edit: WorkspaceEdit = { documentChanges: [toTextDocumentEdit({ ...file, document }, session)] };
  return prove(session, file, { label, edit });
}

interface Asked {
  readonly label: string;
  readonly edit: WorkspaceEdit;
}

/** Sends the edit and watches the text: the answer only decides how long to wait for it. */
async function prove(session: Session, file: FileChange, asked: Asked): Promise<Proof> {
  const { uri, path, version } = file.document;
  const watch = watchText(session, uri, (text) => isExpected(session, file, text));
  try {
    const answer = await Promise.race([request(session, asked), watch.seen.then(() => "seen" as const)]);
    if (answer === "seen") return { kind: "proved" };
    const patience = answer.applied ? session.settings.proofTimeout : session.settings.proofTimeout / 4;
    if (await within(patience, watch.seen)) return { kind: "proved" };
    const open = session.documents.get(uri);
    if (open === undefined) {
      if (version !== null) return { kind: "moved" };
      return answer.applied
        ? { kind: "unproved", warning: callSentences.unproved(path) }
        : { kind: "refused", reason: answer.reason };
    }
    if (open.version !== version) return { kind: "moved" };
    if (answer.silent) return { kind: "unproved", warning: callSentences.noAnswer(path) };
    return { kind: "refused", reason: answer.reason };
  } finally {
    watch.stop();
  }
}

/** Whether the editor's text is the planned one; some editors give a text its final line end back. */
function isExpected(session: Session, file: FileChange, text: string): boolean {
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

async function request(session: Session, asked: Asked): Promise<Reply> {
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

/** Takes back what was done, the last first, and says so. */
async function giveUp(
  job: Job,
  file: FileChange,
  proof: Exclude<Proof, { kind: "proved" | "unproved" }>,
  done: readonly FileChange[],
): Promise<ResponseError<MultiEditErrorData>> {
  const back: string[] = [];
  const stuck: string[] = [];
  for (const one of [...done].reverse()) {
    const list = (await takeBack(job, one)) ? back : stuck;
    list.push(one.document.path);
  }
  const takenBack =
    done.length === 0
      ? callSentences.nothingTakenBack
      : [
          ...(back.length > 0 ? [callSentences.takenBack(back)] : []),
          ...(stuck.length > 0 ? [callSentences.notTakenBack(stuck)] : []),
        ].join(" ");
  const { path } = file.document;
  const failure: Failure | undefined =
    proof.kind === "refused"
      ? editorFailures.clientRefused(path, proof.reason, takenBack)
      : proof.kind === "moved"
        ? editorFailures.clientDiverged(path, takenBack)
        : undefined;
  const outcomes = job.planned.outcomes.map((outcome) =>
    outcome.status === "applied" ? { ...outcome, status: "notAttempted" as const } : outcome,
  );
  if (failure !== undefined) return toError([failure], outcomes);
  if (proof.kind !== "failed") throw new Error("a step that failed must say why");
  return new ResponseError(proof.error.code, `${proof.error.message}\n${takenBack}`, proof.error.data);
}

/** By the inverse edit, where the editor still has the text that the edit gave. */
async function takeBack(job: Job, file: FileChange): Promise<boolean> {
  const { session } = job;
  const { uri } = file.document;
  const open = session.documents.get(uri);
  if (file.created) {
    if (!offers(session, "delete")) return false;
    return (await request(session, { label: "Undo", edit: { documentChanges: [{ kind: "delete", uri }] } })).applied;
  }
  if (open === undefined || !isExpected(session, file, open.text)) return false;
  const document = { ...file.document, text: file.text, version: open.version };
  const inverse: FileChange = {
    ...file,
    document,
    change: file.change.invert(file.document.text),
    text: file.document.text,
  };
  return (await change({ ...job, planned: { ...job.planned, files: [inverse] } }, inverse)).kind === "proved";
}

/** The result, as far as it was proved. */
async function finish(
  job: Job,
  done: readonly FileChange[],
  unproved: readonly string[],
): Promise<MultiEditResult | ResponseError<MultiEditErrorData>> {
  const { session, snapshot, options } = job;
  const byUri = new Map(done.map((file) => [file.document.uri, file]));
  const planned: GoodPlan = {
    ...job.planned,
    files: job.planned.files.map((file) => byUri.get(file.document.uri) ?? file),
  };
  const onDisk = new Map<string, "same" | "differs">();
  const warnings = [...job.warnings, ...unproved];
  for (const file of done) {
    const { uri, path, version } = file.document;
    const place = snapshot.places.get(uri)?.file;
    const state = place === undefined ? undefined : ((await sameAsDisk(file.text, place)) ?? "differs");
    if (state !== undefined) onDisk.set(uri, state);
    if (state !== "differs") continue;
    if (version === null) warnings.push(callSentences.throughEditor(path));
    else if (options.save === "always") warnings.push(callSentences.notSaved(path));
  }
  const made = toWorkspaceEdit(planned.files, session);
  if (!made.ok) return toError([made.failure], planned.outcomes);
  const outcome = unproved.length === 0 ? "applied" : "unknown";
  return toResult({ planned, edit: made.edit, outcome, options, warnings, onDisk });
}
