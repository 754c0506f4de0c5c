/** Equal calls of one agent: when they share an answer, and when a call ends. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { SharedCalls } from "../../server/session/sharedCalls.js";

/** A list of calls; `begun` are the calls that were started. */
function layCalls() {
  const calls = new SharedCalls<string>();
  const begun: { ask(isWaiting: boolean): void; end(answer: string): void; signal: AbortSignal }[] = [];
  const start = (signal: AbortSignal, ask: (isWaiting: boolean) => void): Promise<string> =>
    new Promise((resolve) => begun.push({ signal, ask, end: resolve }));
  /** Sends the call; the answer is `left` if the call goes on without this request. */
  function send(options: { readonly patience?: number; readonly key?: string } = {}) {
    const stop = new AbortController();
    const told: boolean[] = [];
    const { key = "same", ...rest } = options;
    const request = { signal: stop.signal, onWaiting: (now: boolean) => told.push(now), ...rest };
    const answer = calls.enter(key, start, stop.signal).then(async (call) => {
      const got = await calls.answerTo(request, call);
      return got?.answer ?? "left";
    });
    return { answer, stop: () => stop.abort(), told };
  }
  return { calls, begun, send };
}

it("a call about which the user is asked is joined by an equal one, until it is over", async () => {
  const { calls, begun, send } = layCalls();
  const first = send();
  begun[0]!.ask(true);
  const second = send();
  const other = send({ key: "other" });
  await turn();
  expect([begun.length, first.told, second.told, other.told]).toEqual([2, [true], [true], []]);
  // Also while the answer of the user is being carried out.
  begun[0]!.ask(false);
  const third = send();
  await turn();
  expect([begun.length, first.told, second.told, third.told]).toEqual([2, [true, false], [true, false], []]);
  begun[0]!.end("done");
  expect(await Promise.all([first.answer, second.answer, third.answer])).toEqual(["done", "done", "done"]);
  expect([...calls.calls].map(({ key }) => key)).toEqual(["other"]);
  void send();
  expect(begun).toHaveLength(3);
});

it("a call about which nobody is asked is followed by an equal one", async () => {
  const { begun, send } = layCalls();
  const [first, second] = [send(), send()];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]!.end("one");
  expect(await first.answer).toBe("one");
  await turn();
  begun[1]!.end("two");
  expect(await second.answer).toBe("two");
});

it("a request that is cancelled before the user is asked about an equal call leaves at once", async () => {
  const { begun, send } = layCalls();
  const [first, second] = [send(), send()];
  await turn();
  second.stop();
  expect([await second.answer, begun.length, begun[0]!.signal.aborted]).toEqual(["left", 1, false]);
  begun[0]!.end("done");
  expect(await first.answer).toBe("done");
});

it("a call ends with the last of its requests", async () => {
  const { begun, send } = layCalls();
  const first = send();
  begun[0]!.ask(true);
  const second = send();
  await turn();
  first.stop();
  expect([await first.answer, begun[0]!.signal.aborted]).toEqual(["left", false]);
  second.stop();
  await turn();
  expect(begun[0]!.signal.aborted).toBe(true);
  begun[0]!.end("cancelled");
  expect(await second.answer).toBe("cancelled");
});

it("a call that was cancelled is not joined any more, even before it has ended", async () => {
  const { begun, send } = layCalls();
  const first = send();
  begun[0]!.ask(true);
  first.stop();
  await turn();
  const second = send();
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]!.end("done");
  expect(await second.answer).toBe("done");
});

it("an answer for which nobody waits any more is kept for the call sent again, once", async () => {
  const { begun, send } = layCalls();
  const first = send({ patience: 1 });
  begun[0]!.ask(true);
  expect(await first.answer).toBe("left");
  begun[0]!.end("done");
  await turn();
  expect([await send().answer, begun.length]).toEqual(["done", 1]);
  void send();
  expect(begun).toHaveLength(2);
});

it("patience counts only once the user is asked", async () => {
  const { begun, send } = layCalls();
  const first = send({ patience: 1 });
  await new Promise((resolve) => setTimeout(resolve, 30));
  begun[0]!.end("done");
  expect(await first.answer).toBe("done");
});

it("a visitor that leaves does not end the call", async () => {
  const { calls, begun, send } = layCalls();
  const first = send({ patience: 1 });
  begun[0]!.ask(true);
  await first.answer;
  const stop = new AbortController();
  const [call] = calls.calls;
  const visit = calls.answerTo({ signal: stop.signal, isVisitor: true }, call!);
  stop.abort();
  expect([await visit, begun[0]!.signal.aborted]).toEqual([undefined, false]);
});
