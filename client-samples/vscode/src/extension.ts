/** Starts the server for all files of the window, and connects it with VS Code. */
import type * as vscode from "vscode";
import { createClient } from "./client.js";
import { registerCommands } from "./commands.js";
import { answerDiagnostics } from "./diagnostics.js";
import { adoptMerges, saveOnRequest } from "./disk.js";
import { showCalls } from "./log.js";
import { answerQuestions } from "./question.js";
import { showReview } from "./review.js";
import { reportUnsynced } from "./unsynced.js";

/** Everything is registered before the start, so that no request of the server finds nobody who answers it. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const client = createClient(context);
  const review = showReview(client, context);
  context.subscriptions.push(
    saveOnRequest(client),
    adoptMerges(client),
    answerDiagnostics(client),
    answerQuestions(client),
    showCalls(client),
    review,
    registerCommands(client, review),
  );
  await client.start();
  context.subscriptions.push(client, reportUnsynced(client));
}
