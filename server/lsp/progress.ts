/** Shows the user that a call takes long, where the client can show it, and lets the user stop it there. */
import {
  type CancellationToken,
  CancellationTokenSource,
  type WorkDoneProgressServerReporter,
} from "vscode-languageserver/node";
import { limits } from "../text/limits.js";
import { callSentences, serverLog } from "./sentences.js";
import type { Session } from "./session.js";

/** How far a task has come: `done` of `of` steps. */
export type ReportStep = (done: number, of: number) => void;

/**
 * Runs a task; from `limits.progressAfterMs` on its progress is shown. The task's token is also cancelled by the user, from
 * where the progress is shown.
 */
export async function withProgress<T>(
  session: Session,
  token: CancellationToken,
  task: (token: CancellationToken, report: ReportStep) => Promise<T>,
): Promise<T> {
  const source = new CancellationTokenSource();
  if (token.isCancellationRequested) source.cancel();
  const listening = token.onCancellationRequested(() => source.cancel());
  const canShow = session.capabilities.window?.workDoneProgress === true;
  const display = canShow ? createDisplay(session, () => source.cancel()) : undefined;
  try {
    return await task(source.token, (done, of) => display?.report(done, of));
  } finally {
    display?.end();
    listening.dispose();
    source.dispose();
  }
}

/** Nothing is shown before its time, nor after the end, however late the client answers. */
function createDisplay(
  session: Session,
  cancel: () => void,
): { readonly report: ReportStep; readonly end: () => void } {
  let reporter: WorkDoneProgressServerReporter | undefined;
  let hasEnded = false;
  let percentage = 0;
  let isRequested = false;
  const begun = performance.now();
  const show = async (): Promise<void> => {
    const created = await session.connection.window.createWorkDoneProgress();
    if (hasEnded) return created.done();
    created.begin(callSentences.progressTitle, percentage, undefined, true);
    created.token.onCancellationRequested(cancel);
    reporter = created;
  };
  return {
    report: (done, of) => {
      // A plan that begins anew takes more steps than there are edits.
      const now = Math.min(100, Math.floor((100 * done) / Math.max(1, of)));
      if (!isRequested && performance.now() - begun > limits.progressAfterMs) {
        isRequested = true;
        show().catch((error: unknown) => session.log("warn", serverLog.noProgress(error)));
      }
      if (now > percentage) reporter?.report(now);
      percentage = now;
    },
    end: () => {
      hasEnded = true;
      reporter?.done();
    },
  };
}
