/** A strict editor's view for questions: records every `multiEdit/confirm` and answers it. */
import { type CancellationToken, type MessageConnection, ResponseError } from "vscode-jsonrpc/node";
import type { ConfirmRequestParams, ConfirmRequestResult } from "../../server/lsp/protocol.js";

/**
 * The answer to `multiEdit/confirm`: a result, which may be malformed; `waits` for the server to withdraw it; or
 * `ignores` the withdrawal, too.
 */
type ConfirmAnswer = Partial<ConfirmRequestResult> | "waits" | "ignores";

/** The view. */
export interface ConfirmView {
  /** Every `multiEdit/confirm` request received. */
  readonly confirms: ConfirmRequestParams[];
  /** The labels of the questions that the server has withdrawn. */
  readonly withdrawn: string[];
  /** Sets the answer to every `multiEdit/confirm` from now on; by default, the user agrees. */
  readonly answerConfirmsWith: (answer: ConfirmAnswer) => void;
}

/** Answers the questions. `before` runs before each answer. */
export function answerConfirms(connection: MessageConnection, before: () => unknown): ConfirmView {
  const confirms: ConfirmRequestParams[] = [];
  const withdrawn: string[] = [];
  let answer: ConfirmAnswer = { answer: "apply" };
  connection.onRequest("multiEdit/confirm", async (params: ConfirmRequestParams, token: CancellationToken) => {
    confirms.push(params);
    await before();
    if (answer === "ignores") return new Promise(() => undefined);
    if (answer !== "waits") return answer;
    await new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()));
    withdrawn.push(params.label);
    return new ResponseError(-32800, "withdrawn");
  });
  return {
    confirms,
    withdrawn,
    answerConfirmsWith: (next) => {
      answer = next;
    },
  };
}
