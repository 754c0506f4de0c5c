/** Asks the user to confirm an edit, and remembers accepted diffs. */
import type { CancellationToken } from "vscode-languageserver/node";
import { diskFailures } from "../../disk/sentences.js";
import { diffOf } from "../../plan/diff.js";
import { clip, type Failure } from "../../plan/failure.js";
import { type FileChange, nameAfter } from "../../plan/outcome.js";
import { limits } from "../../text/limits.js";
import { pathFailures } from "../../workspace/sentences.js";
import { type Answer, labelOf, requestedFiles, toRefusal, wholeDiff } from "../edit/result.js";
import type { Caller, ConfirmParams, ConfirmResult, FileSummary, RefusedPlace } from "../protocol.js";
import { editorFailures } from "../sentences.js";
import { announcedBy, type Session } from "../session.js";
import { confirmHunks, hunksOfPlan, withoutRefused } from "./partial.js";
import { askClient, questionText, type RefusedHunks, type UserQuestion } from "./question.js";
import type { ApplyJob, ApplyPlan } from "./step.js";
import { createViewer, type Viewer } from "./viewer.js";

/** The user's response: `yes`; or a failure if there was a rejection, no answer in time, or no way to ask. */
export type Consent = "yes" | Failure;

/** The job that a plan belongs to. */
type AskingJob = Pick<ApplyJob, "session" | "options" | "token" | "caller"> & Partial<Pick<ApplyJob, "kind">>;

/** The parts of a plan that the user is asked about. */
type AskedPlan = Pick<ApplyPlan, "files" | "asks">;

/** The user's confirmation of one call. */
export type Confirmation = ReturnType<typeof createConfirmation>;

/** Creates the object that asks the user to confirm a call. */
export function createConfirmation(job: AskingJob) {
  const agreed = new Map<FileChange, string>();
  const viewer = createViewer(job.session);
  let confirmed: string | undefined;
  let proposed = "";
  let refused: { readonly keys: ReadonlySet<string>; readonly reason: string | undefined } | undefined;
  let places: readonly RefusedPlace[] = [];
  // With `overwrite: "ask"` alone, only a plan that could lose unsaved text is asked about.
  const isNeeded = ({ files, asks }: AskedPlan): boolean =>
    job.options.confirm === true || asks.length > 0 || (job.options.overwrite === "ask" && files.some(losesUnsaved));
  return {
    /** Reports whether a plan needs no question: its diff is empty, or is the last one that the user accepted. */
    covers(plan: AskedPlan): boolean {
      const { files } = plan;
      const diff = wholeDiff(files);
      if (diff !== "" && diff !== confirmed && isNeeded(plan)) return false;
      for (const file of files) agreed.set(file, wholeDiff([file]));
      return true;
    },
    /** Reports whether `again`, a new plan for one file of a covered plan, has the diff that the user accepted. */
    coversAgain(file: FileChange, again: FileChange, plan: AskedPlan): boolean {
      // The user's consent covers only one particular diff of this file.
      return wholeDiff([again]) === agreed.get(file) || !isNeeded(plan);
    },
    /** Asks about a whole plan. */
    async ask(plan: AskedPlan): Promise<Consent> {
      proposed = wholeDiff(plan.files);
      const consent = await askUser(job, viewer, plan, proposed);
      if (consent === "yes") confirmed = proposed;
      if (consent === "yes" || !("refused" in consent)) return consent;
      const keys = hunksOfPlan(plan.files).map(({ key }) => key);
      refused = { keys: new Set(consent.refused.map((id) => keys[Number(id)] ?? "")), reason: consent.reason };
      const { files } = withoutRefused({ ...plan, tasks: [], outcomes: [] }, refused.keys).plan;
      confirmed = wholeDiff(files);
      return "yes";
    },
    /** Returns a plan without what the user has refused of it. */
    narrowed(plan: ApplyPlan): ApplyPlan {
      const { places: left, plan: narrow } = withoutRefused(plan, refused?.keys ?? noKeys);
      places = left;
      return narrow;
    },
    /** Returns what the user has refused of the plan that was applied; no places if nothing. */
    refused: () => ({ places, reason: refused?.reason }),
    /** Returns the diff that the user was last asked about; empty if there was none. */
    proposed: () => proposed,
    /** Removes the files created to show diffs. */
    end: () => viewer.end(),
  };
}

const noKeys: ReadonlySet<string> = new Set();

/** Reports whether a change deletes, moves or replaces a document that has unsaved changes. */
function losesUnsaved(file: FileChange): boolean {
  const { version, onDisk } = file.document;
  const isWhole = file.kind === "delete" || file.kind === "rename" || (file.kind === "update" && file.overwritten);
  return isWhole && version !== null && onDisk !== "same";
}

/** Asks the user about a plan that this server only proposes, unless its diff is empty. */
export async function askOnce(job: AskingJob, plan: AskedPlan): Promise<Consent> {
  const confirmation = createConfirmation(job);
  try {
    return confirmation.covers(plan) ? "yes" : await confirmation.ask(plan);
  } finally {
    await confirmation.end();
  }
}

/** Serves `multiEdit/confirm`: asks the user about a change that another process of the user will make on disk. */
export async function confirmFor(
  session: Session,
  { params, caller }: { readonly params: unknown; readonly caller: Caller | undefined },
  token: CancellationToken,
): Promise<Answer<ConfirmResult>> {
  const { label, diff, added, removed, files } = Object(params) as Partial<Record<keyof ConfirmParams, unknown>>;
  const question: UserQuestion = {
    label: clip(String(label), limits.label),
    ...(caller === undefined ? {} : { agent: caller.name }),
    diff: String(diff),
    added: Number(added),
    removed: Number(removed),
    files: Array.isArray(files) ? files.filter(isFileSummary) : [],
  };
  const viewer = createViewer(session);
  try {
    const consent = await session.askInTurn(() => askClient({ session, caller, viewer, token }, question));
    // Another process can't apply a part of its change.
    if (consent === "yes") return { ok: true, result: { consent } };
    return toRefusal(["refused" in consent ? editorFailures.cannotAsk() : consent]);
  } catch {
    return toRefusal([editorFailures.cannotAsk()]);
  } finally {
    await viewer.end();
  }
}

/** Reports whether a received value has the form of a `FileSummary`. */
function isFileSummary(value: unknown): value is FileSummary {
  const { uri, kind, oldUri, added, removed } = Object(value) as Partial<Record<keyof FileSummary, unknown>>;
  const isText = typeof uri === "string" && (oldUri === undefined || typeof oldUri === "string");
  return isText && fileKinds.has(kind) && Number.isSafeInteger(added) && Number.isSafeInteger(removed);
}

const fileKinds: ReadonlySet<unknown> = new Set<FileSummary["kind"]>(["create", "update", "rename", "delete"]);

/** Asks the user about a plan, in this session's editor or, if it has none, in another one. */
async function askUser(
  { session, options, token, caller, kind }: AskingJob,
  viewer: Viewer,
  { files, asks }: AskedPlan,
  diff: string,
): Promise<Consent | RefusedHunks> {
  const summaries = requestedFiles(files).map((file) => {
    const { added, removed } = diffOf(file);
    const oldUri = file.kind === "rename" ? { oldUri: file.document.uri } : {};
    return { uri: nameAfter(file).uri, kind: file.kind, ...oldUri, added, removed };
  });
  const lines = files.map((file) => diffOf(file));
  const sum = (of: "added" | "removed"): number => lines.reduce((total, one) => total + one[of], 0);
  const question: UserQuestion = {
    label: labelOf(files, options),
    ...(caller === undefined ? {} : { agent: caller.name }),
    diff,
    added: sum("added"),
    removed: sum("removed"),
    files: summaries,
  };
  const [first] = asks.toSorted((a, b) => Number(a.name === undefined) - Number(b.name === undefined));
  const cannotAsk = (by: "nobody" | "editor"): Failure =>
    first === undefined ? editorFailures.cannotAsk() : pathFailures.nobodyToAsk(first.path, first.name, by);
  const held = asks.flatMap(({ file }) => file ?? []);
  const consent = await session.outside.ask(question, held, token);
  if (consent === "ownClient") {
    const hunks = kind === "call" && announcedBy(session).review === true ? { hunks: confirmHunks(files) } : {};
    const asking = { session, caller, viewer, token };
    return askClient(asking, { ...question, ...hunks }).catch(() => cannotAsk("editor"));
  }
  if (consent !== "nobody") return consent;
  // If no editor may or can be asked, an editor may have the file all the same.
  const holders = await session.outside.holders(held);
  for (const { path, file = "" } of asks) {
    const holder = holders.get(file);
    if (holder !== undefined) return diskFailures.locked(path, holder);
  }
  const decision = await session.outside.elicit?.(questionText(session, question, { hasDiff: true }), token);
  if (token.isCancellationRequested) return editorFailures.cancelled();
  if (decision === "apply") return "yes";
  if (decision === undefined) return cannotAsk("nobody");
  return decision === "reject"
    ? editorFailures.userRejected(question.label, undefined)
    : editorFailures.userClosed(question.label);
}
