/** Shows the progress of a long call and lets the user cancel it. */
import type { CancellationToken, WorkDoneProgressServerReporter } from "vscode-languageserver/node";
import { limits } from "../text/limits.js";
import { callSentences, serverLog } from "./sentences.js";
import type { Session } from "./session.js";
import { createCancelSource } from "./wire/rpc.js";

/** Reports a task's progress: the number of steps done, and the total number of steps (`of`). */
export type ReportStep = (done: number, of: number) => void;

/** Runs a task and shows its progress after `limits.progressAfterMs`. Its token is cancelled by the user, too. */
export async function withProgress<T>(
  session: Session,
  token: CancellationToken,
  task: (token: CancellationToken, report: ReportStep) => Promise<T>,
): Promise<T> {
  const source = createCancelSource();
  if (token.isCancellationRequested) source.cancel();
  const listening = token.onCancellationRequested(() => source.cancel());
  const begun = performance.now();
  let reporter: WorkDoneProgressServerReporter | undefined;
  let isRequested = false;
  let hasEnded = false;
  let percentage = 0;
  /** Starts showing the progress, unless the task has ended by the time the client answers. */
  const show = async (): Promise<void> => {
    const created = await session.connection.window.createWorkDoneProgress();
    if (hasEnded) return created.done();
    created.begin(callSentences.progressTitle, percentage, undefined, true);
    created.token.onCancellationRequested(() => source.cancel());
    reporter = created;
  };
  const report: ReportStep = (done, of) => {
    // If planning starts over, it takes more steps than there are edits.
    const now = Math.min(100, Math.floor((100 * done) / Math.max(1, of)));
    if (!isRequested && performance.now() - begun > limits.progressAfterMs) {
      isRequested = true;
      show().catch((error: unknown) => session.log("warn", serverLog.noProgress(error)));
    }
    if (now > percentage) reporter?.report(now);
    percentage = now;
  };
  try {
    return await task(source.token, report);
  } finally {
    hasEnded = true;
    reporter?.done();
    listening.dispose();
  }
}
