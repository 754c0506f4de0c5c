/** Applies by the server what a door asks for: in its turn, on the text of the moment, and after the user's word where it is wanted. */
import type { CancellationToken } from "vscode-languageserver/node";
import { type Failure, withRest } from "../../plan/failure.js";
import { type EditOutcome, type FileChange, notAttempted } from "../../plan/outcome.js";
import { limits } from "../../text/limits.js";
import type { ResolvedPath } from "../../workspace/paths.js";
import { type Answer, toEditorRefusal, toRefusal } from "../edit/result.js";
import { toWorkspaceEdit } from "../edit/workspaceEdit.js";
import type { CallOptions } from "../protocol.js";
import { callSentences, editorFailures } from "../sentences.js";
import { cancellation, type Session } from "../session.js";
import { type Confirmation, createConfirmation } from "./confirm.js";
import { heldElsewhere, partsOf, stagePart } from "./diskPart.js";
import { type Applied, applyThroughEditor } from "./execute.js";
import type { GoodPlan, Replanned, Task } from "./work.js";

/** A plan on the text of one moment, or why there is none. */
export type Drafted =
  | ({ readonly ok: true } & Draft)
  | {
      readonly ok: false;
      readonly failures: readonly [Failure, ...Failure[]];
      readonly outcomes: readonly EditOutcome[];
    };

/** A plan on the text of one moment. */
export interface Draft {
  readonly planned: GoodPlan;
  /** Where its documents are, by URI. */
  readonly places: ReadonlyMap<string, ResolvedPath>;
}

/** Something that is to be applied, and how it is planned. */
export interface Intent {
  readonly session: Session;
  readonly options: CallOptions;
  readonly token: CancellationToken;
  readonly warnings: readonly string[];
  readonly isPatch: boolean;
  /** Plans on the text as it is. */
  readonly draft: () => Promise<Drafted>;
  /** The tasks of a plan, in the order in which they are done. */
  readonly tasksOf: (planned: GoodPlan) => readonly Task[];
  /** Plans one file of a plan again, whose text has moved on; the file has the same fate as before. */
  readonly redraft: (file: FileChange) => Promise<Redrafted>;
  /** The failure where the client can't be asked to apply anything. */
  readonly noApplyEdit: () => Failure;
}

/** One file planned again, as a plan of its own. */
export type Redrafted =
  | { readonly ok: true; readonly file: FileChange; readonly planned: GoodPlan }
  | { readonly ok: false; readonly failure: Failure };

/** One at a time; what is cancelled while it waits is answered at once. */
export function inTurn(
  { session, token }: { readonly session: Session; readonly token: CancellationToken },
  task: () => Promise<Answer>,
): Promise<Answer> {
  let hasStarted = false;
  const turn = session.inTurn(async () => {
    hasStarted = true;
    return token.isCancellationRequested ? cancelled() : task();
  });
  const left = cancellation(token).then(() => (hasStarted ? turn : cancelled()));
  return Promise.race([turn, left]);
}

/** The answer to a call that its caller has taken back before anything was changed. */
export function cancelled(): Answer {
  return toRefusal([withRest(editorFailures.cancelled(), callSentences.nothingChanged)]);
}

/** Plans until the user agrees to what comes out, where the user is to be asked, and then applies exactly that. */
export async function applyByServer(intent: Intent): Promise<Applied> {
  const confirmation = createConfirmation(intent);
  try {
    for (let moved = 0; ; ) {
      const applied = await attempt(intent, confirmation);
      if (applied === "again") continue;
      if (applied.moved === true && ++moved <= limits.rematches) continue;
      return { ...applied, answer: withDiff(applied.answer, confirmation) };
    }
  } finally {
    await confirmation.end();
  }
}

/** What an attempt came to. `moved`: nothing was changed, because a file on disk was no longer what it was planned on. */
interface Attempted extends Applied {
  readonly moved?: boolean;
}

/** `again`: the user has agreed, and the text may have moved on meanwhile; what is applied is what was agreed to. */
async function attempt(intent: Intent, confirmation: Confirmation): Promise<Attempted | "again"> {
  const { session, options, token, warnings } = intent;
  const drafted = await intent.draft();
  if (!drafted.ok) return refusal(toRefusal(drafted.failures, drafted.outcomes, intent));
  const { planned, places } = drafted;
  const refused = (failure: Failure): Applied =>
    refusal(toEditorRefusal(withRest(failure, callSentences.nothingChanged), notAttempted(planned.outcomes)));
  const site = { session, options, places };
  const { editor: tasks, disk: onDisk } = partsOf(site, intent.tasksOf(planned));
  const byEditor = new Set(tasks.flatMap((task) => (task.kind === "restore" ? [] : [task.planned])));
  const made = toWorkspaceEdit(
    planned.files.filter((file) => byEditor.has(file)),
    session,
  );
  if (!made.ok) return refused(made.failure);
  const canApply = session.capabilities.workspace?.applyEdit === true;
  if (!canApply && tasks.length > 0) return refused(intent.noApplyEdit());
  const word = await confirmation.ask(planned);
  if (word.kind === "no") return refused(word.failure);
  if (word.kind === "yes") return "again";
  if (token.isCancellationRequested) return refused(editorFailures.cancelled());
  const replan = async (file: FileChange): Promise<Replanned> => {
    const again = await intent.redraft(file);
    if (!again.ok) return again;
    const wordNow = await confirmation.askAgain(file, again);
    if (wordNow.kind === "no") return { ok: false, failure: wordNow.failure };
    return { ok: true, file: again.file, outcomes: again.planned.outcomes };
  };
  const held = await heldElsewhere(site, tasks);
  if (held !== undefined) return refused(held);
  const disk = onDisk.length === 0 ? undefined : await stagePart(site, onDisk);
  if (disk?.ok === false) {
    const moved = disk.failures.every(({ code }) => code === "contentModified");
    return { ...refusal(notStaged(intent, planned, disk.failures)), moved };
  }
  if (token.isCancellationRequested) {
    disk?.abandon();
    return refused(editorFailures.cancelled());
  }
  // The client can't apply any more what was proposed for texts that the server is going to change.
  session.history.forget(({ unseen }) => planned.files.some(({ document }) => unseen.has(document.uri)));
  return applyThroughEditor({ ...site, planned, tasks, disk, warnings, replan });
}

/** The error of a batch that could not be made ready on disk, with the failure of each file. */
function notStaged(intent: Intent, { outcomes }: GoodPlan, failures: readonly [Failure, ...Failure[]]): Answer {
  const [first, ...rest] = failures;
  return toRefusal([withRest(first, callSentences.nothingChanged), ...rest], notAttempted(outcomes), intent);
}

const refusal = (answer: Answer): Applied => ({ answer, steps: undefined });

/** A rejection with the diff that was rejected. */
function withDiff(answer: Answer, confirmation: Confirmation): Answer {
  const isRejected = !answer.ok && answer.failures.some(({ code }) => code === "userRejected");
  return isRejected ? { ...answer, diff: confirmation.proposed() } : answer;
}
