/** Asks the user to confirm an edit, shows the diff on request, and remembers accepted diffs. */
import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { CancellationToken, ShowDocumentParams, ShowDocumentResult } from "vscode-languageserver/node";
import { diffOf } from "../../plan/diff.js";
import { clip, type Failure } from "../../plan/failure.js";
import type { FileChange } from "../../plan/outcome.js";
import { limits } from "../../text/limits.js";
import { uriOfPath } from "../../workspace/pathText.js";
import { pathFailures } from "../../workspace/sentences.js";
import { type Answer, labelOf, toRefusal, wholeDiff, wholeLines } from "../edit/result.js";
import type { ConfirmParams, ConfirmResult } from "../protocol.js";
import { callSentences, editorFailures } from "../sentences.js";
import { cancellation, type Session } from "../session.js";
import type { ApplyJob, ApplyPlan } from "./step.js";

/**
 * The user's response to a plan: `yes`; `known` if there is no need to ask, because the diff is empty or has already
 * been accepted; or a failure if the user rejected the plan, did not answer in time or can't be asked, or if the call
 * was cancelled.
 */
export type Consent = "known" | "yes" | Failure;

/** The job that a plan belongs to. */
type AskingJob = Pick<ApplyJob, "session" | "options" | "token">;

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
  // With `overwrite: "ask"` alone, only a plan that could lose unsaved text is asked about.
  const isNeeded = ({ files, asks }: AskedPlan): boolean =>
    job.options.confirm === true || asks.length > 0 || (job.options.overwrite === "ask" && files.some(losesUnsaved));
  const question = async (plan: AskedPlan, diff: string): Promise<Consent> => {
    proposed = diff;
    return askUser(job, viewer, plan, diff);
  };
  return {
    /** Asks about a whole plan, unless its diff is empty or is the last one that the user accepted. */
    async ask(plan: AskedPlan): Promise<Consent> {
      const { files } = plan;
      const diff = wholeDiff(files);
      if (diff === "" || diff === confirmed || !isNeeded(plan)) {
        for (const file of files) agreed.set(file, wholeDiff([file]));
        return "known";
      }
      const consent = await question(plan, diff);
      if (consent === "yes") confirmed = diff;
      return consent;
    },
    /** Asks about `again`, a new plan for one file of an accepted plan, unless its diff has already been accepted. */
    async askAgain(file: FileChange, again: FileChange, plan: AskedPlan): Promise<Consent> {
      // The user's consent covers only one particular diff of this file.
      const diff = wholeDiff([again]);
      if (diff === agreed.get(file) || !isNeeded(plan)) return "known";
      agreed.set(file, diff);
      return question(plan, wholeDiff(plan.files));
    },
    /** Returns the diff that the user was last asked about; empty if there was none. */
    proposed: () => proposed,
    /** Removes the files created to show diffs. */
    end: () => viewer.end(),
  };
}

/** Reports whether a change deletes, moves or replaces a document that has unsaved changes. */
function losesUnsaved(file: FileChange): boolean {
  const { version, onDisk } = file.document;
  const isWhole = file.kind === "delete" || file.kind === "rename" || (file.kind === "update" && file.overwritten);
  return isWhole && version !== null && onDisk !== "same";
}

const titles = { apply: "Apply", show: "Show diff", reject: "Reject" } as const;

/** Asks the user about a plan that this server only proposes. */
export async function askOnce(job: AskingJob, plan: AskedPlan): Promise<Consent> {
  const confirmation = createConfirmation(job);
  try {
    return await confirmation.ask(plan);
  } finally {
    await confirmation.end();
  }
}

/** Serves `multiEdit/confirm`: asks the user about a change that another process of the user will make on disk. */
export async function confirmFor(
  session: Session,
  params: unknown,
  token: CancellationToken,
): Promise<Answer<ConfirmResult>> {
  const { label, diff, added, removed } = Object(params) as Partial<Record<keyof ConfirmParams, unknown>>;
  const question: ConfirmParams = {
    label: clip(String(label), limits.label),
    diff: String(diff),
    added: Number(added),
    removed: Number(removed),
  };
  const viewer = createViewer(session);
  try {
    const consent = await inTime(askClient(session, viewer, question), question, token);
    return consent === "yes" ? { ok: true, result: { consent } } : toRefusal([consent]);
  } catch {
    return toRefusal([editorFailures.cannotAsk()]);
  } finally {
    await viewer.end();
  }
}

/** Asks the user about a plan, in this session's editor or, if it has none, in another one. */
async function askUser(
  { session, options, token }: AskingJob,
  viewer: ReturnType<typeof createViewer>,
  { files, asks }: AskedPlan,
  diff: string,
): Promise<Consent> {
  const lines = files.map((file) => diffOf(file));
  const sum = (of: "added" | "removed"): number => lines.reduce((total, one) => total + one[of], 0);
  const question = { label: labelOf(files, options), diff, added: sum("added"), removed: sum("removed") };
  const [first] = asks.toSorted((a, b) => Number(a.name === undefined) - Number(b.name === undefined));
  const nobody = (): Failure =>
    first === undefined ? editorFailures.cannotAsk() : pathFailures.nobodyToAsk(first.path, first.name);
  if (session.askElsewhere !== undefined) {
    const held = asks.flatMap(({ file }) => file ?? []);
    return (await session.askElsewhere(question, held, token)) ?? nobody();
  }
  return inTime(askClient(session, viewer, question).catch(nobody), question, token);
}

/** Keeps asking until the user accepts or rejects the diff. Rejects if the client can't ask. */
async function askClient(
  session: Session,
  viewer: ReturnType<typeof createViewer>,
  { label, diff, added, removed }: ConfirmParams,
): Promise<"yes" | Failure> {
  // If the user has viewed an outdated diff, show the current one.
  if (viewer.wasUsed()) await viewer.show(diff);
  for (;;) {
    const actions = [titles.apply, ...(viewer.works() ? [titles.show] : []), titles.reject];
    const question = callSentences.question(label, added, removed, viewer.works() ? "" : short(diff));
    const action = await session.connection.window.showInformationMessage(
      question,
      ...actions.map((title) => ({ title })),
    );
    if (action?.title === titles.apply) return "yes";
    if (action?.title !== titles.show) return editorFailures.userRejected(label);
    await viewer.show(diff);
  }
}

/** Waits for the user's answer until the call is cancelled or the question times out. */
function inTime(
  answer: Promise<"yes" | Failure>,
  { label }: ConfirmParams,
  token: CancellationToken,
): Promise<"yes" | Failure> {
  const left = cancellation(token).then(() => editorFailures.cancelled());
  const late = delay(limits.confirmMs, editorFailures.noAnswerOfUser(label, limits.confirmMs / 1000), { ref: false });
  return Promise.race([answer, left, late]);
}

/** Shortens a diff for a question: returns its first lines, followed by the number of lines left out. */
function short(diff: string): string {
  const shown = wholeLines(diff, limits.questionDiff);
  return shown + callSentences.furtherLines(diff.slice(shown.length).split("\n").length - 1);
}

/** The diff folders that currently exist. They are removed if the process exits while a question is pending. */
const folders = new Set<string>();

process.on("exit", () => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/**
 * Creates a viewer that shows each diff in a file of its own, in a folder readable only by the user. `end` removes the
 * folder.
 */
function createViewer({ capabilities, connection }: Session) {
  let folder: string | undefined;
  let written = 0;
  let hasFailed = false;
  const works = (): boolean => capabilities.window?.showDocument?.support === true && !hasFailed;
  return {
    /** Reports whether the client can show a document and has not yet failed to do so. */
    works,
    /** Reports whether the user has asked to see a diff. */
    wasUsed: () => written > 0,
    async show(diff: string): Promise<void> {
      if (!works()) return;
      // Each diff gets its own file, because editors do not expect an open file to change.
      const name = `proposed${written++ === 0 ? "" : `-${written}`}.diff`;
      // `mkdtemp` creates the folder with mode 0700.
      folder ??= await mkdtemp(join(tmpdir(), "multi-edit-"));
      folders.add(folder);
      const path = join(folder, name);
      await writeFile(path, diff, { mode: 0o600, flag: "wx" });
      const params: ShowDocumentParams = { uri: uriOfPath(path), takeFocus: true };
      const shown = connection.sendRequest("window/showDocument", params).then(
        (answer) => (answer as ShowDocumentResult | null)?.success === true,
        () => false,
      );
      hasFailed = !(await Promise.race([shown, delay(limits.showMs, false, { ref: false })]));
    },
    async end(): Promise<void> {
      if (folder === undefined) return;
      await rm(folder, { recursive: true, force: true });
      folders.delete(folder);
    },
  };
}
