/** Handles `workspace/applyEdit` as real editors do: a table lists what they apply and how they answer. */
import { type MessageConnection, ResponseError } from "vscode-jsonrpc/node";
import type { ApplyWorkspaceEditParams, ApplyWorkspaceEditResult, WorkspaceEdit } from "vscode-languageserver/node";
import { Refused, type Replacement } from "./editorText.js";
import type { Step, Terms } from "./editorWorkspace.js";

interface Manner {
  /**
   * `first`: only the first replacement of the first document; `withLf`: every inserted line ending becomes LF;
   * `allButRenames`: a rename is skipped, as Neovim does if the new name is taken; `upToRefused`: the entries before the
   * first one that is refused, as in Helix; `allButLast`: the last document is left out.
   */
  readonly does: "all" | "allButRenames" | "allButLast" | "first" | "upToRefused" | "withLf" | "nothing";
  readonly versions: Terms["versions"];
  /**
   * `truth`: true, or false with the reason; `onDemand`: the same as `truth`, but only when `answerNow` is called;
   * `silence`: no answer; `lastFailed`: false, naming the last entry as the one that failed.
   */
  readonly says: "truth" | "onDemand" | "true" | "false" | "lastFailed" | "null" | "error" | "silence";
}

const manners = {
  honest: { does: "all", versions: "checked", says: "truth" },
  answersLate: { does: "all", versions: "checked", says: "onDemand" },
  doesButNeverAnswers: { does: "all", versions: "checked", says: "silence" },
  doesButDenies: { does: "all", versions: "checked", says: "false" },
  doesButAnswersNull: { does: "all", versions: "checked", says: "null" },
  doesButAnswersErrors: { does: "all", versions: "checked", says: "error" },
  neverAnswers: { does: "nothing", versions: "checked", says: "silence" },
  lies: { does: "nothing", versions: "checked", says: "true" },
  refuses: { does: "nothing", versions: "checked", says: "false" },
  answersNull: { does: "nothing", versions: "checked", says: "null" },
  answersErrors: { does: "nothing", versions: "checked", says: "error" },
  ignoresVersions: { does: "all", versions: "ignored", says: "truth" },
  appliesPartly: { does: "first", versions: "checked", says: "truth" },
  keepsEarlier: { does: "upToRefused", versions: "checked", says: "truth" },
  leavesLastAndDenies: { does: "allButLast", versions: "checked", says: "false" },
  leavesLastAndNeverAnswers: { does: "allButLast", versions: "checked", says: "silence" },
  refusesLast: { does: "nothing", versions: "checked", says: "lastFailed" },
  skipsRenames: { does: "allButRenames", versions: "checked", says: "truth" },
  normalisesLineEnds: { does: "withLf", versions: "checked", says: "truth" },
} as const satisfies Record<string, Manner>;

/** The name of a row in the table. */
export type Behaviour = keyof typeof manners;

/** The part of an editor that applies edits. */
export interface EditTaker {
  /** Returns the steps of an edit. Throws `Refused` if the editor refuses the edit. */
  check(edit: WorkspaceEdit, versions: Terms["versions"]): readonly Step[];
  commit(steps: readonly Step[]): Promise<void>;
  /** The point at which the editor syncs a change: before or after answering the edit that made it. */
  readonly syncs: "beforeAnswer" | "afterAnswer";
}

/** Answers `workspace/applyEdit` as set with `behave`. */
export function answerEdits(connection: MessageConnection, taker: EditTaker) {
  const asked: ApplyWorkspaceEditParams[] = [];
  const refusals: string[] = [];
  let turns: readonly Behaviour[] = ["honest"];
  let before: (params: ApplyWorkspaceEditParams) => unknown = () => undefined;
  let held: (() => void)[] = [];
  let waiting = 0;
  const later = createLater();
  const take = async (edit: WorkspaceEdit, manner: Manner): Promise<ApplyWorkspaceEditResult> => {
    if (manner.does === "nothing") return { applied: false, failureReason: "the editor rejected the edit" };
    try {
      const isLater = taker.syncs === "afterAnswer" && manner.says !== "onDemand";
      for (const part of manner.does === "upToRefused" ? entriesOf(edit) : [edit]) {
        const steps = done(manner, taker.check(part, manner.versions));
        if (isLater && part === edit) later.run(() => taker.commit(steps));
        else await taker.commit(steps);
      }
      return { applied: true };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refusals.push(error.message);
      return { applied: false, failureReason: error.message };
    }
  };
  connection.onRequest("workspace/applyEdit", async (params: ApplyWorkspaceEditParams) => {
    asked.push(params);
    waiting++;
    const manner: Manner = manners[turns[0]!];
    turns = turns.length > 1 ? turns.slice(1) : turns;
    await before(params);
    const truth = await take(params.edit, manner);
    if (manner.says !== "silence" && manner.says !== "onDemand") waiting--;
    switch (manner.says) {
      case "truth":
        return truth;
      case "onDemand":
        return new Promise((resolve) => {
          held.push(() => {
            waiting--;
            resolve(truth);
          });
        });
      case "silence":
        return new Promise(() => undefined);
      default:
        return fixedAnswer(manner.says, params.edit);
    }
  });
  return {
    asked,
    refusals,
    waitingEdits: () => waiting,
    pendingEdit: later.pending,
    behave: (...behaviours: readonly [Behaviour, ...Behaviour[]]) => {
      turns = behaviours;
    },
    beforeEdits: (act: (params: ApplyWorkspaceEditParams) => unknown) => {
      before = act;
    },
    answerNow: () => {
      for (const answer of held) answer();
      held = [];
    },
  };
}

function fixedAnswer(
  says: "true" | "false" | "lastFailed" | "null" | "error",
  { documentChanges = [] }: WorkspaceEdit,
) {
  switch (says) {
    case "true":
      return { applied: true };
    case "false":
      return { applied: false, failureReason: "the editor rejected the edit" };
    case "lastFailed":
      return { applied: false, failedChange: documentChanges.length - 1 };
    case "null":
      return null;
    case "error":
      return new ResponseError(-32603, "the editor broke");
  }
}

/** Returns an edit for each entry of an edit. */
const entriesOf = ({ documentChanges = [] }: WorkspaceEdit): readonly WorkspaceEdit[] =>
  documentChanges.map((one) => ({ documentChanges: [one] }));

function done({ does }: Manner, steps: readonly Step[]): readonly Step[] {
  if (does === "first") {
    return steps
      .slice(0, 1)
      .map((step) => (step.kind === "edit" ? { ...step, replacements: step.replacements.slice(0, 1) } : step));
  }
  if (does === "allButLast") return steps.slice(0, -1);
  if (does === "allButRenames") return steps.filter(({ kind }) => kind !== "rename");
  if (does !== "withLf") return steps;
  const toLf = (replacement: Replacement) => ({ ...replacement, insert: replacement.insert.replace(/\r\n?/g, "\n") });
  return steps.map((step) => (step.kind === "edit" ? { ...step, replacements: step.replacements.map(toLf) } : step));
}

/** Runs tasks a moment later. Text typed in the meantime is applied after the task's edit, as in any editor. */
function createLater() {
  let pending: Promise<void> | undefined;
  return {
    pending: () => pending,
    run: (task: () => Promise<void>): void => {
      const done = new Promise((resolve) => setImmediate(resolve)).then(task);
      pending = done.finally(() => {
        pending = undefined;
      });
    },
  };
}
