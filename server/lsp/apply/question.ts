/** Puts a question to the user of this session's client, and withdraws it if it expires or its call is cancelled. */
import type { CancellationToken, MessageActionItem } from "vscode-languageserver/node";
import type { Failure } from "../../plan/failure.js";
import { oneLine, visible } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { wholeLines } from "../edit/result.js";
import { noticeFailed, noticeWithdrawn, showInfo } from "../notices/notices.js";
import type { QuestionEnd } from "../notices/sentences.js";
import { type Caller, type ConfirmRequestParams, type ConfirmRequestResult, clientRequests } from "../protocol.js";
import { callSentences, editorFailures } from "../sentences.js";
import { announcedBy, cancellation, messageTypes, type Session, seenBy } from "../session.js";
import { createCancelSource } from "../wire/rpc.js";
import { connectionClosed } from "../wire/sentences.js";
import { answerSentences } from "./sentences.js";
import { openToShell, type ShellQuestion } from "./shellAnswer.js";
import type { Viewer } from "./viewer.js";

/** A question about a change. */
export type UserQuestion = Omit<ConfirmRequestParams, "expiresInMs">;

/** The things that a question needs: the session that asks, the viewer of its diff, and its call's agent and token. */
export interface AskingClient {
  readonly session: Session;
  readonly caller: Caller | undefined;
  readonly viewer: Viewer;
  readonly token: CancellationToken;
}

/** The user's consent to a part of a change: the ids of the hunks that are refused, and why. */
export interface RefusedHunks {
  readonly refused: readonly string[];
  readonly reason: string | undefined;
}

/** Titles of the answers in a message. */
const titles = { apply: "Apply", show: "Show diff", reject: "Reject" } as const;

/** Asks the user, in the editor or from a shell, until the call or the question ends. Rejects if it can't. */
export async function askClient(asking: AskingClient, question: UserQuestion): Promise<"yes" | RefusedHunks | Failure> {
  const { session, caller, token } = asking;
  const { label } = question;
  if (token.isCancellationRequested) return editorFailures.cancelled();
  const key = [seenBy(caller), label, question.diff].join("\n");
  const { leftOnScreen } = session;
  if (leftOnScreen.has(key)) {
    const failure = editorFailures.stillAsked(label);
    noticeFailed(session, caller, failure.message);
    return failure;
  }
  const withdrawal = createCancelSource();
  const hasRequest = announcedBy(session).confirm === true;
  const shell = !hasRequest && session.facts.questionCoversDiff ? openToShell(session, label) : undefined;
  const message: ShownMessage = { shell, withdrawn: withdrawal.token, isShown: false };
  const ask = hasRequest ? askByRequest(session, question, withdrawal.token) : askByMessage(asking, question, message);
  let isOver = false;
  const answer = ask.finally(() => {
    isOver = true;
    leftOnScreen.delete(key);
  });
  const gone = cancellation(token).then(() => editorFailures.cancelled());
  let timer: NodeJS.Timeout | undefined;
  let end = "withdrawn" as QuestionEnd;
  const late = new Promise<Failure>((resolve) => {
    const expire = (): void => {
      end = "expired";
      resolve(editorFailures.noAnswerOfUser(label, limits.confirmMs / 1000));
    };
    timer = setTimeout(expire, limits.confirmMs).unref();
  });
  const decided = decisionOf(shell, label).then((decision) => {
    end = "answered";
    return decision;
  });
  const consent = await Promise.race([answer.catch(closedAsking), decided, gone, late]).finally(() => {
    clearTimeout(timer);
    shell?.end();
  });
  if (!isOver) {
    answer.catch(() => undefined);
    withdrawal.cancel();
    // Most clients leave a message on the screen, whatever this sends. A view is closed.
    if (message.isShown) leftOnScreen.add(key);
    if (message.isShown || (shell !== undefined && end !== "answered")) noticeWithdrawn(session, label, end);
  }
  return consent;
}

/** Returns the failure of a question whose client has gone; rethrows any other error. */
function closedAsking(error: unknown): Failure {
  if (Object(error).code === connectionClosed) return editorFailures.closedAsking();
  throw error;
}

/** A question as a message. */
interface ShownMessage {
  readonly shell: ShellQuestion | undefined;
  /** Cancelled once the question is withdrawn. */
  readonly withdrawn: CancellationToken;
  /** `true` while the message waits for the user. */
  isShown: boolean;
}

/** Asks in a message, and again after the user has seen the diff. */
async function askByMessage(
  { session, viewer }: AskingClient,
  question: UserQuestion,
  shown: ShownMessage,
): Promise<"yes" | Failure> {
  const { label, diff } = question;
  const { shell, withdrawn } = shown;
  // If the user has viewed an outdated diff, show the current one.
  if (viewer.wasUsed()) await viewer.show(diff);
  while (!withdrawn.isCancellationRequested) {
    const actions = [titles.apply, ...(viewer.works() ? [titles.show] : []), titles.reject];
    const message = questionText(session, question, { hasDiff: !viewer.works() });
    const howTo = viewer.wasUsed() && shell?.isOpen() ? `\n${answerSentences.howTo(shell.code)}` : "";
    const params = { type: messageTypes.info, message: message + howTo, actions: actions.map((title) => ({ title })) };
    shown.isShown = true;
    const received = session.connection.sendRequest("window/showMessageRequest", params, withdrawn);
    const action = (await received.finally(() => {
      shown.isShown = false;
    })) as MessageActionItem | null;
    if (withdrawn.isCancellationRequested) break;
    if (action?.title === titles.apply) return "yes";
    if (action?.title === titles.reject) return editorFailures.userRejected(label, undefined);
    // A client answers `null` if the user closes the message, which may be in the way of the diff.
    const isClosed = action === null || action === undefined;
    if (isClosed && !(viewer.wasUsed() && shell?.isOpen())) return editorFailures.userClosed(label);
    if (!isClosed && action.title !== titles.show) return editorFailures.noDecision(label, action);
    if (!isClosed) await viewer.show(diff);
    if (!shell?.isOpen() || !viewer.works()) continue;
    const pauseMs = isClosed ? undefined : limits.readDiffMs;
    showInfo(session, answerSentences.reading(shell.code, pauseMs && pauseMs / 1000));
    const pause = new Promise<void>((resolve) => {
      if (pauseMs !== undefined) setTimeout(resolve, pauseMs).unref();
    });
    const spent = shell.decided.then((decision) => decision && cancellation(withdrawn));
    await Promise.race([pause, viewer.closed(), spent, cancellation(withdrawn)]);
  }
  return editorFailures.cancelled();
}

/** Returns a question as text. `hasDiff`: `true` if the first lines of the diff are in it. */
export function questionText(session: Session, question: UserQuestion, { hasDiff }: { hasDiff: boolean }): string {
  const files = question.files.map((file) => ({ ...file, path: shownPath(session, file.uri) }));
  return callSentences.question({ ...question, files }, hasDiff ? visible(short(question.diff)) : "");
}

/** Returns the user's decision from a shell; the promise stays pending if there is none. */
async function decisionOf(shell: ShellQuestion | undefined, label: string): Promise<"yes" | Failure> {
  const decision = await shell?.decided;
  if (decision === undefined) return new Promise(() => undefined);
  if (decision.answer === "apply") return "yes";
  return editorFailures.userRejected(label, oneLine(decision.reason, limits.rejectReason));
}

/** Asks in the client's own view. */
async function askByRequest(
  { connection }: Session,
  question: UserQuestion,
  token: CancellationToken,
): Promise<"yes" | RefusedHunks | Failure> {
  const params: ConfirmRequestParams = { ...question, expiresInMs: limits.confirmMs };
  const received = await connection.sendRequest(clientRequests.confirm, params, token);
  const { answer, ...given }: Partial<Record<keyof ConfirmRequestResult, unknown>> = Object(received);
  const reason = oneLine(given.reason, limits.rejectReason);
  const ids = (question.hunks ?? []).map(({ id }) => id);
  const refused = Array.isArray(given.refused) ? given.refused : [];
  const isKnown = refused.every((id) => ids.includes(id)) && (given.refused ?? refused) === refused;
  if (answer === "apply" && refused.length === 0 && isKnown) return "yes";
  const isAll = refused.length > 0 && ids.every((id) => refused.includes(id));
  if (answer === "apply" && isKnown && !isAll) return { refused, reason };
  if (answer !== "reject" && !(answer === "apply" && isKnown))
    return editorFailures.noDecision(question.label, received);
  return editorFailures.userRejected(question.label, reason);
}

/** Returns a path for people: relative to the workspace folder that has the file, if there is one. */
function shownPath({ folders }: Session, uri: string): string {
  const path = pathOfSyncedUri(uri) ?? uri;
  const folder = folders.find((one) => one.path !== "" && path.startsWith(`${one.path}/`));
  return folder === undefined ? path : path.slice(folder.path.length + 1);
}

/** Shortens a diff for a question: returns its first lines, followed by the number of lines left out. */
function short(diff: string): string {
  const shown = wholeLines(diff, limits.questionDiff);
  return shown + callSentences.furtherLines(diff.slice(shown.length).split("\n").length - 1);
}
