/** Requests whose agent has gone before the session was found, and those that take too long. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { CancellationToken } from "vscode-jsonrpc/node";
import { AnswerError } from "../../server/lsp/wire/rpc.js";
import { resultOf } from "../../server/session/awaitAnswer.js";
import { limits } from "../../server/text/limits.js";

it("is cancelled at once if nobody wanted the answer any more when it was sent", async () => {
  let isCancelled = false;
  const respond = (token: { onCancellationRequested(act: () => void): unknown }): Promise<unknown> =>
    new Promise((resolve) =>
      token.onCancellationRequested(() => {
        isCancelled = true;
        resolve({});
      }),
    );
  await resultOf({ version: "1", editor: undefined, respond }, { patience: 3_000, signal: AbortSignal.abort() });
  expect(isCancelled).toBe(true);
}, 2_000);

describe("a call that is stopped because nobody has answered the question", () => {
  it.each([
    [true, "stopped after 331 s"],
    [false, "stopped after 1 s"],
  ])("names the time that it really took; the user's time does not count: %s", async (isAsking, words) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const failures = [{ code: "cancelled" }];
    const respond = (token: CancellationToken, onWaiting: (isWaiting: boolean) => void): Promise<unknown> => {
      onWaiting(true);
      return new Promise((_, reject) =>
        token.onCancellationRequested(() => reject(new AnswerError(-32800, "Cancelled.", { failures }))),
      );
    };
    const result = resultOf(
      { version: "1", editor: undefined, respond },
      {
        patience: 1_000,
        signal: new AbortController().signal,
        ...(isAsking && { onAsked: () => undefined }),
      },
    );
    await vi.advanceTimersByTimeAsync(1_000 + limits.commandMs);
    expect(await result).toMatchObject({ ok: false, message: expect.stringContaining(words) });
  });
});
