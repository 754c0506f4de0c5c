/** Asks the user to confirm an edit, shows the diff on request, and remembers accepted diffs. */
import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ShowDocumentParams, ShowDocumentResult } from "vscode-languageserver/node";
import { diffOf } from "../../plan/diff.js";
import type { Failure } from "../../plan/failure.js";
import type { FileChange } from "../../plan/outcome.js";
import { limits } from "../../text/limits.js";
import { uriOfPath } from "../../workspace/pathText.js";
import { labelOf, wholeDiff, wholeLines } from "../edit/result.js";
import { callSentences, editorFailures } from "../sentences.js";
import { cancellation, type Session } from "../session.js";
import type { ApplyJob, ApplyPlan } from "./step.js";

/**
 * The user's response to a plan: `yes`; `known` if there is no need to ask, because the diff is empty or has already
 * been accepted; or a failure if the user rejected the plan, did not answer in time or can't be asked, or if the call
 * was cancelled.
 */
export type Consent = "known" | "yes" | Failure;

/** The user's confirmation of one call. */
export type Confirmation = ReturnType<typeof createConfirmation>;

/** Creates the object that asks the user to confirm a call. */
export function createConfirmation(job: ApplyJob) {
  const agreed = new Map<FileChange, string>();
  const viewer = createViewer(job.session);
  let confirmed: string | undefined;
  let proposed = "";
  // With `overwrite: "ask"` alone, only a plan that could lose unsaved text is asked about.
  const isNeeded = (files: readonly FileChange[]): boolean =>
    job.options.confirm === true || job.session.settings.confirm === "always" || files.some(losesUnsaved);
  const question = async (files: readonly FileChange[], diff: string): Promise<Consent> => {
    proposed = diff;
    return askUser(job, viewer, files, diff);
  };
  return {
    /** Asks about a whole plan, unless its diff is empty or is the last one that the user accepted. */
    async ask({ files }: ApplyPlan): Promise<Consent> {
      const diff = wholeDiff(files);
      if (diff === "" || diff === confirmed || !isNeeded(files)) {
        for (const file of files) agreed.set(file, wholeDiff([file]));
        return "known";
      }
      const consent = await question(files, diff);
      if (consent === "yes") confirmed = diff;
      return consent;
    },
    /** Asks about `again`, a new plan for one file of an accepted plan, unless its diff has already been accepted. */
    async askAgain(file: FileChange, again: FileChange, { files }: ApplyPlan): Promise<Consent> {
      // The user's consent covers only one particular diff of this file.
      const diff = wholeDiff([again]);
      if (diff === agreed.get(file) || !isNeeded(files)) return "known";
      agreed.set(file, diff);
      return question(files, wholeDiff(files));
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

/** Keeps asking until the user accepts or rejects the diff, the call is cancelled, or the question times out. */
async function askUser(
  { session, options, token }: ApplyJob,
  viewer: ReturnType<typeof createViewer>,
  files: readonly FileChange[],
  diff: string,
): Promise<Consent> {
  const label = labelOf(files, options);
  const lines = files.map((file) => diffOf(file));
  const sum = (of: "added" | "removed"): number => lines.reduce((total, one) => total + one[of], 0);
  const ask = async (): Promise<Consent> => {
    // If the user has viewed an outdated diff, show the current one.
    if (viewer.wasUsed()) await viewer.show(diff);
    for (;;) {
      const actions = [titles.apply, ...(viewer.works() ? [titles.show] : []), titles.reject];
      const question = callSentences.question(label, sum("added"), sum("removed"), viewer.works() ? "" : short(diff));
      const action = await session.connection.window.showInformationMessage(
        question,
        ...actions.map((title) => ({ title })),
      );
      if (action?.title === titles.apply) return "yes";
      if (action?.title !== titles.show) return editorFailures.userRejected(label);
      await viewer.show(diff);
    }
  };
  const answer = ask().catch(() => editorFailures.cannotAsk());
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
