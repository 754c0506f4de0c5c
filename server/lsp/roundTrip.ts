/** Applies a plan through an editor that promises little: one document at a time, each proved by the text that it syncs. */
import { ResponseError, type WorkspaceEdit } from "vscode-languageserver/node";
import { callSentences, editorFailures } from "../plan/failure.js";
import type { EditOutcome, FileChange, Planned } from "../plan/outcome.js";
import { limits } from "../text/limits.js";
import { sameAsDisk } from "../workspace/files.js";
import type { WorkspaceSnapshot } from "../workspace/snapshot.js";
import { isExpected, type Proof, prove, request } from "./proof.js";
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

/** A document's part as it was applied in the end, and what proves it. */
interface Step {
  readonly proof: Proof | { readonly kind: "failed"; readonly error: ResponseError<MultiEditErrorData> };
  readonly file: FileChange;
  /** The outcomes of this document's edits, where they were planned again. */
  readonly outcomes: readonly EditOutcome[];
}

/** Open documents first, then files that are not open, new files last: what can be proved and taken back goes first. */
export async function applyThroughEditor(job: Job): Promise<MultiEditResult | ResponseError<MultiEditErrorData>> {
  const rank = ({ created, document }: FileChange): number => (created ? 2 : document.version === null ? 1 : 0);
  const files = job.planned.files
    .filter((file) => file.created || !file.change.isEmpty)
    .sort((a, b) => rank(a) - rank(b));
  const done: Step[] = [];
  for (const file of files) {
    const step = await applyStep(job, file);
    if (step.proof.kind !== "proved" && step.proof.kind !== "unproved") return giveUp(job, step, done);
    done.push(step);
  }
  return finish(job, done);
}

/** One document, matched again where its text moved on before the editor could apply the edit. */
async function applyStep(job: Job, first: FileChange): Promise<Step> {
  let file = first;
  let outcomes: readonly EditOutcome[] = [];
  for (let attempt = 0; attempt <= limits.rematches; attempt++) {
    const proof = file.created ? await create(job, file) : await change(job, file);
    if (proof.kind !== "moved") return { proof, file, outcomes };
    const again = await job.replan(file.document.uri);
    if (!again.ok) return { proof: { kind: "failed", error: again.error }, file, outcomes };
    ({ outcomes } = again.planned);
    file = again.planned.files[0] ?? file;
    if (!file.created && file.change.isEmpty) return { proof: { kind: "proved" }, file, outcomes };
  }
  const failure = editorFailures.contentModified({ path: file.document.path }, callSentences.keepsMoving);
  return { proof: { kind: "failed", error: toError([failure], []) }, file, outcomes };
}

async function change(job: Job, file: FileChange): Promise<Proof> {
  const { session, options } = job;
  const { uri, version } = file.document;
  if (version !== null && session.documents.get(uri)?.version !== version) return { kind: "moved" };
  return prove(session, file, { label: labelOf([file], options), edit: editOf(session, file) });
}

/** The edit of one document; a client that knows no `documentChanges` gets the older form. */
function editOf(session: Session, file: FileChange): WorkspaceEdit {
  const made = toWorkspaceEdit([{ ...file, created: false }], session);
  const older = made.ok && made.edit.changes !== undefined;
  return older ? made.edit : { documentChanges: [toTextDocumentEdit(file, session)] };
}

/** The file first and its text in a second request: some editors prompt for both in one, or lose the text. */
async function create(job: Job, file: FileChange): Promise<Proof> {
  const { session, options, snapshot } = job;
  const { uri } = file.document;
  const label = labelOf([file], options);
  const answer = await request(session, { label, edit: { documentChanges: [{ kind: "create", uri }] } });
  if (answer.silent) return { kind: "silent" };
  if (!answer.applied) return { kind: "refused", reason: answer.reason };
  if (file.change.isEmpty) {
    const path = snapshot.places.get(uri)?.file;
    const there =
      session.documents.get(uri) !== undefined || (path !== undefined && (await sameAsDisk("", path)) === "same");
    return { kind: there ? "proved" : "unproved" };
  }
  const document = { ...file.document, version: session.documents.get(uri)?.version ?? null };
  const proof = await prove(session, file, {
    label,
    edit: { documentChanges: [toTextDocumentEdit({ ...file, document }, session)] },
  });
  if (proof.kind !== "proved" && proof.kind !== "unproved") await remove(session, uri);
  // The file was not there when it was planned, so there is no text that could have moved on.
  return proof.kind === "moved" ? { kind: "diverged" } : proof;
}

/** Takes back what was done, the last first, and says so. */
async function giveUp(
  job: Job,
  { proof, file }: Step,
  done: readonly Step[],
): Promise<ResponseError<MultiEditErrorData>> {
  const back: string[] = [];
  const stuck: string[] = [];
  for (const step of [...done].reverse()) {
    const list = (await takeBack(job, step)) ? back : stuck;
    list.push(step.file.document.path);
  }
  const takenBack = callSentences.rest(back, stuck);
  if (proof.kind === "failed") {
    const { code, message, data } = proof.error;
    return new ResponseError(code, done.length === 0 ? message : `${message}\n${takenBack}`, data);
  }
  const { path } = file.document;
  const failure =
    proof.kind === "refused"
      ? editorFailures.clientRefused(path, proof.reason, takenBack)
      : proof.kind === "silent"
        ? editorFailures.timeout(path, limits.applyEditMs / 1000, takenBack)
        : editorFailures.clientDiverged(path, takenBack);
  const outcomes = job.planned.outcomes.map((outcome) =>
    outcome.status === "applied" ? { ...outcome, status: "notAttempted" as const } : outcome,
  );
  return toError([failure], outcomes);
}

/** By the inverse edit, where the editor still has the text that the edit gave. */
async function takeBack(job: Job, { file, proof }: Step): Promise<boolean> {
  const { session } = job;
  const { uri } = file.document;
  if (file.created) return remove(session, uri);
  const open = session.documents.get(uri);
  if (proof.kind !== "proved" || open === undefined || !isExpected(session, file, open.text)) return false;
  const document = { ...file.document, text: file.text, version: open.version };
  const inverse = { ...file, document, change: file.change.invert(file.document.text), text: file.document.text };
  return (await change(job, inverse)).kind === "proved";
}

/** Deletes a file that the batch created. */
async function remove(session: Session, uri: string): Promise<boolean> {
  if (!offers(session, "delete")) return false;
  return (await request(session, { label: "Undo", edit: { documentChanges: [{ kind: "delete", uri }] } })).applied;
}

/** The result, as far as it was proved. */
async function finish(job: Job, done: readonly Step[]): Promise<MultiEditResult | ResponseError<MultiEditErrorData>> {
  const { session, snapshot, options } = job;
  const byUri = new Map(done.map(({ file }) => [file.document.uri, file]));
  const again = new Map(done.flatMap(({ outcomes }) => outcomes.map((outcome) => [outcome.index, outcome])));
  const planned: GoodPlan = {
    ...job.planned,
    files: job.planned.files.map((file) => byUri.get(file.document.uri) ?? file),
    outcomes: job.planned.outcomes.map((outcome) => again.get(outcome.index) ?? outcome),
  };
  const onDisk = new Map<string, "same" | "differs">();
  const warnings = [...job.warnings];
  for (const { file, proof } of done) {
    const { uri, path, version } = file.document;
    if (proof.kind === "unproved") warnings.push(callSentences.unproved(path));
    const place = snapshot.places.get(uri)?.file;
    if (place === undefined) continue;
    const state = (await sameAsDisk(file.text, place)) ?? "differs";
    onDisk.set(uri, state);
    if (state === "differs" && version === null) warnings.push(callSentences.throughEditor(path));
    else if (state === "differs" && options.save === "always") warnings.push(callSentences.notSaved(path));
  }
  const made = toWorkspaceEdit(planned.files, session);
  if (!made.ok) return toError([made.failure], planned.outcomes);
  const outcome = done.every(({ proof }) => proof.kind === "proved") ? "applied" : "unknown";
  return toResult({ planned, edit: made.edit, outcome, options, warnings, onDisk });
}
