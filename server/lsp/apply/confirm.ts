/** Asks the user before the server applies an edit, shows the diff to those who want to see it, and remembers what was agreed to. */
import { setTimeout as delay } from "node:timers/promises";
import type { CancellationToken, ShowDocumentParams, ShowDocumentResult } from "vscode-languageserver/node";
import { diffOf } from "../../plan/diff.js";
import type { Failure } from "../../plan/failure.js";
import type { FileChange } from "../../plan/outcome.js";
import { limits } from "../../text/limits.js";
import { uriOfPath } from "../../workspace/pathText.js";
import { labelOf, wholeDiff, wholeLines } from "../edit/result.js";
import type { CallOptions } from "../protocol.js";
import { callSentences, editorFailures } from "../sentences.js";
import { cancellation, type Session } from "../session.js";
import { createDiffFolder } from "./diffFolder.js";
import type { GoodPlan } from "./work.js";

/** What the user says to a plan: `known` means that nobody has to be asked about it, or that it was agreed to before. */
export type Word =
  | { readonly kind: "known" | "yes" }
  /** `failure`: rejected, cancelled, not answered, or not to be asked. */
  | { readonly kind: "no"; readonly failure: Failure };

/** The questions about one call. */
export interface Confirmation {
  /** Asks about a whole plan, if its diff has not been agreed to. */
  ask(planned: GoodPlan): Promise<Word>;
  /** The same for one file of a plan that was `known`, which was planned again; `planned` is that file's own plan. */
  askAgain(file: FileChange, again: { readonly file: FileChange; readonly planned: GoodPlan }): Promise<Word>;
  /** The diff that was last asked about; empty if nobody was asked. */
  proposed(): string;
  /** Takes away what was made for showing. */
  end(): Promise<void>;
}

/** Whose call it is, and who may be asked. */
interface Asking {
  readonly session: Session;
  readonly options: CallOptions;
  readonly token: CancellationToken;
}

/** The questions about one call, in which the user may be asked several times, but about no diff twice. */
export function createConfirmation(asking: Asking): Confirmation {
  const { session, options } = asking;
  // A caller may ask for a question, but not do without one that the user wants.
  const asks = options.confirm === true || session.settings.confirm === "always";
  const agreed = new Map<FileChange, string>();
  const viewer = createViewer(session);
  let confirmed: string | undefined;
  let proposed = "";
  const question = async (planned: GoodPlan, diff: string): Promise<Word> => {
    proposed = diff;
    const failure = await refusalOfUser(asking, viewer, { files: planned.files, diff });
    return failure === undefined ? { kind: "yes" } : { kind: "no", failure };
  };
  return {
    async ask(planned) {
      if (!asks) return { kind: "known" };
      const diff = wholeDiff(planned.files);
      if (diff === "" || diff === confirmed) {
        for (const file of planned.files) agreed.set(file, wholeDiff([file]));
        return { kind: "known" };
      }
      const word = await question(planned, diff);
      if (word.kind === "yes") confirmed = diff;
      return word;
    },
    async askAgain(file, again) {
      // What the person has agreed to is that diff and no other.
      const diff = asks ? wholeDiff([again.file]) : "";
      if (!asks || diff === agreed.get(file)) return { kind: "known" };
      agreed.set(file, diff);
      return question(again.planned, wholeDiff(again.planned.files));
    },
    proposed: () => proposed,
    end: () => viewer.end(),
  };
}

/** What is to be agreed to. */
interface Proposal {
  readonly files: readonly FileChange[];
  readonly diff: string;
}

const titles = { apply: "Apply", show: "Show diff", reject: "Reject" } as const;

/** Asks until the user says yes or no, and says why the edit may not be applied; `undefined`: it may. */
async function refusalOfUser(
  { session, options, token }: Asking,
  viewer: Viewer,
  { files, diff }: Proposal,
): Promise<Failure | undefined> {
  const label = labelOf(files, options);
  const lines = files.map((file) => diffOf(file));
  const sum = (of: "added" | "removed"): number => lines.reduce((total, one) => total + one[of], 0);
  const asked = async (): Promise<Failure | undefined> => {
    // Who has looked at a diff that is not the one any more looks at this one.
    if (viewer.wasUsed()) await viewer.show(diff);
    for (;;) {
      const actions = [titles.apply, ...(viewer.works() ? [titles.show] : []), titles.reject];
      const question = callSentences.question(label, sum("added"), sum("removed"), viewer.works() ? "" : short(diff));
      const answer = await session.connection.window.showInformationMessage(
        question,
        ...actions.map((title) => ({ title })),
      );
      if (answer?.title === titles.apply) return undefined;
      if (answer?.title !== titles.show) return editorFailures.userRejected(label);
      await viewer.show(diff);
    }
  };
  const told = asked().catch(() => editorFailures.cannotAsk());
  const left = cancellation(token).then(() => editorFailures.cancelled());
  const late = delay(limits.confirmMs, editorFailures.noAnswerOfUser(label, limits.confirmMs / 1000), { ref: false });
  return Promise.race([told, left, late]);
}

/** The start of a diff, for a question; what is left out is counted. */
function short(diff: string): string {
  const shown = wholeLines(diff, limits.questionDiff);
  return shown + callSentences.furtherLines(diff.slice(shown.length).split("\n").length - 1);
}

/** Shows diffs in the editor. */
interface Viewer {
  /** Whether the client can show a document, and has not failed to. */
  works(): boolean;
  /** Whether the user has asked for a diff. */
  wasUsed(): boolean;
  show(diff: string): Promise<void>;
  end(): Promise<void>;
}

function createViewer(session: Session): Viewer {
  let isUsed = false;
  let hasFailed = false;
  const folder = createDiffFolder();
  return {
    works: () => session.capabilities.window?.showDocument?.support === true && !hasFailed,
    wasUsed: () => isUsed,
    async show(diff) {
      if (!this.works()) return;
      isUsed = true;
      const params: ShowDocumentParams = { uri: uriOfPath(await folder.write(diff)), takeFocus: true };
      const answer = session.connection.sendRequest("window/showDocument", params).then(
        (shown) => (shown as ShowDocumentResult | null)?.success === true,
        () => false,
      );
      hasFailed = !(await Promise.race([answer, delay(limits.showMs, false, { ref: false })]));
    },
    end: () => folder.remove(),
  };
}
