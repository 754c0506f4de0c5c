/** A request whose agent has gone before the session was found. */
import { expect, it } from "vitest";
import { resultOf } from "../../server/agent/session/awaitAnswer.js";

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
