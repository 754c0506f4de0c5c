/** The possible outcomes of a step, as one table: what each says about the files, and how a call fails because of it. */
import { type Failure, withRest } from "../../plan/failure.js";
import { editorFailures, type StepDescription } from "../sentences.js";
import type { Session } from "../session.js";

/** The outcome of one step, as shown by the editor's synced text or the disk. */
export type StepOutcome =
  | { readonly kind: Exclude<OutcomeKind, "refused" | FailedKind> }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: FailedKind; readonly failure: Failure };

type OutcomeKind = keyof typeof table;

/** The outcomes that have a failure of their own. */
type FailedKind = "failed" | "unagreed" | "pending" | "unconfirmed";

/** A failed step, for the sentence about it. */
interface FailedStep {
  readonly session: Session;
  readonly asked: StepDescription;
  /** The number of other steps that have failed with this one. */
  readonly others: number;
  /** What happened to the files of the other steps. */
  readonly rest: string;
}

/** One kind of outcome. */
interface OutcomeRow {
  /** `true` if the step has been carried out or, if there is no proof, has at least been reported as such. */
  readonly isDone: boolean;
  /** `true` if it is known what the step has changed; if the step has failed, nothing. */
  readonly isCertain: boolean;
  /** The failure of a call because of this step. */
  failure(step: FailedStep, outcome: StepOutcome): Failure;
}

/** The step has certainly changed nothing, or it may have changed something. */
const [unchanged, unsure] = [
  { isDone: false, isCertain: true },
  { isDone: false, isCertain: false },
] as const;

const diverged = ({ asked, rest }: FailedStep): Failure => editorFailures.clientDiverged(asked, rest);

/** Returns an outcome's own failure. */
const ownFailure = (step: FailedStep, outcome: StepOutcome): Failure =>
  "failure" in outcome ? withRest(outcome.failure, step.rest) : diverged(step);

const refused = ({ asked, others, rest }: FailedStep, outcome: StepOutcome): Failure =>
  editorFailures.clientRefused({ ...asked, others }, "reason" in outcome ? outcome.reason : "", rest);

const timedOut = ({ session, asked, rest }: FailedStep): Failure =>
  editorFailures.timeout(asked, session.facts.answerMs / 1000, rest);

const notSeen = ({ session, asked, rest }: FailedStep): Failure =>
  editorFailures.acknowledgedButUnchanged(asked, { mayBeDeclined: session.facts.hidesDeclining }, rest);

const leftEmpty = ({ asked, rest }: FailedStep): Failure => editorFailures.leftEmpty(asked.path, rest);

const table = {
  verified: { isDone: true, isCertain: true, failure: diverged },
  /** The editor reported success, but does not sync the text that would verify the step. */
  acknowledgedUnverifiable: { isDone: true, isCertain: false, failure: diverged },
  refused: { ...unchanged, failure: refused },
  /** The text or file had changed beforehand. */
  moved: { ...unchanged, failure: diverged },
  /** Another document had changed beforehand, or the editor refused it. */
  untouched: { ...unchanged, failure: diverged },
  failed: { ...unchanged, failure: ownFailure },
  /** The text had changed beforehand, and the user has not agreed to the new plan for it. */
  unagreed: { ...unchanged, failure: ownFailure },
  /** The text or the file on disk is in neither the old nor the planned state. */
  diverged: { ...unsure, failure: diverged },
  /** The editor did not answer in time, and no change was seen. */
  timedOut: { ...unsure, failure: timedOut },
  /** The editor reported success, but nothing has changed. The editor may still perform the step. */
  acknowledgedButUnchanged: { ...unsure, failure: notSeen },
  /** The file was created, but stayed empty and could not be deleted. */
  leftEmpty: { ...unsure, failure: leftEmpty },
  /** The files on disk are in neither the old nor the planned state; recovery must wait until the disk is writable again. */
  pending: { ...unsure, failure: ownFailure },
  /** The files on disk are as planned, but the change may not survive a power cut. */
  unconfirmed: { ...unsure, failure: ownFailure },
} as const satisfies Readonly<Record<string, OutcomeRow>>;

/** The rows of the table, by kind. */
export const outcomeRows: Readonly<Record<OutcomeKind, OutcomeRow>> = table;
