/**
 * Calls that wait for the user longer than the agent waits for an answer. Such a call goes on, and the agent gets a
 * ticket with which it can wait again. Tickets end with this process, which serves one agent.
 */
import { type SharedCall, SharedCalls, type StartCall } from "../../session/sharedCalls.js";
import { limits } from "../../text/limits.js";

/** How long an agent waits for an answer. */
interface AgentPatience {
  /** Milliseconds; `undefined` if it waits for as long as it takes. */
  readonly patience: number | undefined;
  /** Aborted when the agent no longer wants the answer. */
  readonly signal: AbortSignal;
}

/** The tickets of one agent. `T`: an answer. */
export type Tickets<T> = ReturnType<typeof createTickets<T>>;

/** The answers about tickets. */
interface TicketAnswers<T> {
  readonly waiting: (ticket: string) => T;
  readonly none: (ticket: string) => T;
  /** The refusal of a further call. `ticket`: the oldest one. */
  readonly full: (ticket: string) => T;
}

/** Returns the key of a call, which does not depend on the order of fields in the arguments. */
export function callKey(name: string, args: unknown): string {
  return JSON.stringify([name, args], (_, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const fields = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      Object.keys(fields)
        .sort()
        .map((field) => [field, fields[field]]),
    );
  });
}

/** Creates an agent's list of tickets, which is empty. */
export function createTickets<T>({ waiting, none, full }: TicketAnswers<T>) {
  const shared = new SharedCalls<T>();
  const tickets = new WeakMap<SharedCall<T>, string>();
  let given = 0;

  function ticketOf(call: SharedCall<T>): string {
    const ticket = tickets.get(call) ?? `q${++given}`;
    tickets.set(call, ticket);
    return ticket;
  }

  /** Returns the refusal of a further call about which the user must be asked, if there are too many already. */
  function refusal(): T | undefined {
    const asked = [...shared.calls].filter(({ isAsked }) => isAsked);
    return asked[0] !== undefined && asked.length >= limits.tickets ? full(ticketOf(asked[0])) : undefined;
  }

  async function waitFor(call: SharedCall<T>, patience: AgentPatience & { readonly isVisitor?: true }): Promise<T> {
    const got = await shared.answerTo(patience, call);
    return got === undefined ? waiting(ticketOf(call)) : got.answer;
  }

  return {
    /**
     * Returns a call's answer, or one with its ticket if the user has not decided when the agent's patience ends. A call
     * about which the user is asked is not started again when it is sent again. Other equal calls run one after another.
     * `start` calls its second argument when the user is asked.
     */
    async run(
      key: string,
      start: (signal: AbortSignal, onAsked: () => void) => Promise<T>,
      patience: AgentPatience,
    ): Promise<T> {
      /** Starts the call, which ends with the refusal, if there is one at the time when the user must be asked. */
      const begin: StartCall<T> = async (signal, onWaiting) => {
        let refused = refusal();
        if (refused !== undefined) return refused;
        const stop = new AbortController();
        let isAsked = false;
        const answer = await start(AbortSignal.any([signal, stop.signal]), () => {
          if (isAsked || refused !== undefined) return;
          refused = refusal();
          isAsked = refused === undefined;
          if (isAsked) onWaiting(true);
          else stop.abort();
        });
        return refused ?? answer;
      };
      return waitFor(await shared.enter(key, begin, patience.signal), patience);
    },
    /** Waits for the answer to the call with this ticket. If this wait is cancelled, the call goes on. */
    async wait(ticket: string, patience: AgentPatience): Promise<T> {
      const call = [...shared.calls].find((one) => tickets.get(one) === ticket);
      return call === undefined ? none(ticket) : waitFor(call, { ...patience, isVisitor: true });
    },
    /** Cancels all calls that are still being served. */
    close: (): void => {
      for (const { stop } of shared.calls) stop.abort();
    },
  };
}
