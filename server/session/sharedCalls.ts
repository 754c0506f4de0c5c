/**
 * Equal calls that an agent sends again, on any of its connections, while the user is asked about the first one: they
 * share its question and its answer.
 */
import { type CancellationToken, ResponseError } from "vscode-jsonrpc/node";
import { toErrorData, toRefusal } from "../lsp/edit/result.js";
import { agentMethods, type Caller, methods } from "../lsp/protocol.js";
import { callSentences, editorFailures } from "../lsp/sentences.js";
import type { OnWaiting } from "../lsp/session.js";
import { createCancelSource, errorCodes } from "../lsp/wire/rpc.js";
import { withRest } from "../plan/failure.js";

/** The methods of calls that may wait for the user. */
const asking: readonly string[] = [methods.apply, methods.undo, agentMethods.confirm];

/** One request for a call: its end, and the function that is told when the call waits for the user. */
interface Requester {
  readonly token: CancellationToken;
  readonly onWaiting: OnWaiting;
}

/** A call that waits for the user. */
interface WaitingCall {
  /** Returns the call's answer for a further request. The call is cancelled once all of its requests are. */
  join(requester: Requester): Promise<unknown>;
}

/** Serves a call, which ends early if the token is cancelled. */
type ServeCall = (token: CancellationToken, onWaiting: OnWaiting) => Promise<unknown>;

/** Serves the calls of a session's agents. `key`: as `keyOf` returns it. */
export type SharedCalls = (key: string | undefined, requester: Requester, serve: ServeCall) => Promise<unknown>;

/** Returns the key that equal calls of one agent share; `undefined` if the agent has no id, or never waits. */
export function keyOf({ agent }: Caller, method: string, params: unknown): string | undefined {
  return agent === undefined || !asking.includes(method) ? undefined : JSON.stringify([agent, method, params]);
}

/** Creates the list of a session's waiting calls, which is empty. */
export function createSharedCalls(): SharedCalls {
  const waiting = new Map<string, WaitingCall>();
  return async (key, requester, serve) => {
    if (key === undefined) return serve(requester.token, requester.onWaiting);
    const source = createCancelSource();
    const told = new Set<OnWaiting>();
    let answer: Promise<unknown> | undefined;
    let isWaiting = false;
    const call: WaitingCall = {
      join({ token, onWaiting }) {
        told.add(onWaiting);
        if (isWaiting) onWaiting(true);
        const left = new Promise((resolve) =>
          token.onCancellationRequested(() => {
            told.delete(onWaiting);
            if (told.size === 0) source.cancel();
            else resolve(cancelled());
          }),
        );
        return Promise.race([answer, left]);
      },
    };
    let first: Promise<unknown> | undefined;
    answer = serve(source.token, (now) => {
      const other = waiting.get(key);
      if (now && other !== undefined && other !== call) {
        // The user is being asked about an equal call. This one has changed nothing.
        first ??= other.join(requester);
        source.cancel();
      } else if (first === undefined) {
        isWaiting = now;
        if (now) waiting.set(key, call);
        else waiting.delete(key);
        for (const tell of told) tell(now);
      }
    });
    const own = await call.join(requester);
    return first ?? own;
  };
}

/** The answer to a request that its agent has cancelled, although the call goes on for another one. */
function cancelled(): ResponseError<object> {
  const refusal = toRefusal([withRest(editorFailures.cancelled(), callSentences.nothingChanged)]);
  return new ResponseError(errorCodes.requestCancelled, refusal.message, toErrorData(refusal));
}
