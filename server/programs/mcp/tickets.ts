/**
 * Calls that wait for the user longer than the agent waits for an answer. Such a call goes on, and the agent gets a
 * ticket with which it can wait again. Tickets end with this process, which serves one agent.
 */
import { limits } from "../../text/limits.js";

/** A call that is being served, or whose answer nobody has fetched. */
interface OpenCall<T> {
  /** Names the call's tool and arguments: equal keys mean equal calls. */
  readonly key: string;
  /** `undefined` as long as the agent has not been given a ticket. */
  ticket: string | undefined;
  readonly answer: Promise<T>;
  /** Resolves when the user is asked. */
  readonly asked: Promise<void>;
  isAsked: boolean;
  /** `true` once `answer` is settled. */
  isOver: boolean;
  readonly abort: AbortController;
  /** The number of the agent's requests that wait for the answer. */
  waiting: number;
}

/** Starts a call, which ends early if the signal is aborted, and which calls `onAsked` when the user is asked. */
type StartCall<T> = (signal: AbortSignal, onAsked: () => void) => Promise<T>;

/** How long an agent waits for an answer. */
interface AgentPatience {
  /** Milliseconds. */
  readonly patience: number;
  /** Aborted when the agent no longer wants the answer. */
  readonly signal: AbortSignal;
}

/** The tickets of one agent. `T`: an answer. */
export interface Tickets<T> {
  /**
   * Returns a call's answer, or one with its ticket if the user has not decided when the agent's patience ends. A call
   * about which the user is asked is not started again when it is sent again. Other equal calls run one after another.
   */
  run(key: string, start: StartCall<T>, patience: AgentPatience): Promise<T>;
  /** Waits for the answer to the call with this ticket. If this wait is cancelled, the call goes on. */
  wait(ticket: string, patience: AgentPatience): Promise<T>;
  /** Cancels all calls that are still being served. */
  close(): void;
}

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
export function createTickets<T>({ waiting, none, full }: TicketAnswers<T>): Tickets<T> {
  const calls = new Set<OpenCall<T>>();
  let given = 0;

  /** The calls that wait for the user, or whose answers nobody has fetched, the oldest first. */
  const asked = (): readonly OpenCall<T>[] => [...calls].filter(({ isAsked }) => isAsked);

  function ticketOf(call: OpenCall<T>): string {
    call.ticket ??= `q${++given}`;
    return call.ticket;
  }

  /** Returns the refusal of a further call about which the user must be asked, if there are too many already. */
  function refusal(): T | undefined {
    const [oldest, ...others] = asked();
    return oldest !== undefined && others.length + 1 >= limits.tickets ? full(ticketOf(oldest)) : undefined;
  }

  /** `mayEnd`: the call ends if the agent cancels this request and no other request waits for the answer. */
  async function waitFor(call: OpenCall<T>, { patience, signal }: AgentPatience, mayEnd: boolean): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patience);
    });
    const left = leaving(signal);
    // A call that is slow for another reason has a limit of its own, and ends with an answer.
    const isUndecided = Promise.all([late, call.asked]).then(() => "undecided" as const);
    call.waiting++;
    try {
      const first = await Promise.race([call.answer, isUndecided, left.gone]);
      // The agent does not get the answer to a request that it has cancelled, so the answer is kept for the others.
      const ends = signal.aborted && mayEnd && call.waiting === 1;
      if (!ends && (signal.aborted || first === "undecided")) return waiting(ticketOf(call));
      // The same call, sent again, must not get the answer to the cancelled one.
      if (ends) {
        calls.delete(call);
        call.abort.abort();
      }
      return await call.answer.finally(() => calls.delete(call));
    } finally {
      call.waiting--;
      clearTimeout(timer);
      left.end();
    }
  }

  return {
    async run(key, start, patience) {
      for (;;) {
        const same = [...calls].find((one) => one.key === key && (one.ticket !== undefined || !one.isOver));
        if (same === undefined) break;
        if (same.isAsked || patience.signal.aborted) return waitFor(same, patience, true);
        await untilAsked(same, patience.signal);
      }
      const refused = refusal();
      if (refused !== undefined) return refused;
      const call = begin(key, start, refusal);
      calls.add(call);
      return waitFor(call, patience, true);
    },
    async wait(ticket, patience) {
      const call = [...calls].find((one) => one.ticket === ticket);
      return call === undefined ? none(ticket) : waitFor(call, patience, false);
    },
    close: () => {
      for (const { abort } of calls) abort.abort();
    },
  };
}

/** Starts a call. It ends with the `refusal`, if there is one at the time when the user must be asked. */
function begin<T>(key: string, start: StartCall<T>, refusal: () => T | undefined): OpenCall<T> {
  const abort = new AbortController();
  let resolveAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    resolveAsked = resolve;
  });
  let refused: T | undefined;
  const onAsked = (): void => {
    if (call.isAsked || refused !== undefined) return;
    refused = refusal();
    if (refused !== undefined) {
      abort.abort();
      return;
    }
    call.isAsked = true;
    resolveAsked();
  };
  const answer = Promise.resolve()
    .then(() => start(abort.signal, onAsked))
    .then((own) => refused ?? own);
  const state = { ticket: undefined, isAsked: false, isOver: false, waiting: 0 };
  const call: OpenCall<T> = { key, answer, asked, abort, ...state };
  const end = (): void => {
    call.isOver = true;
  };
  answer.then(end, end);
  return call;
}

/** Waits until the user is asked about a call, the call has its answer, or the signal is aborted. */
async function untilAsked({ asked, answer }: OpenCall<unknown>, signal: AbortSignal): Promise<void> {
  const left = leaving(signal);
  await Promise.race([asked, answer.catch(() => undefined), left.gone]);
  left.end();
}

/** Resolves `gone` when the signal is aborted. `end` stops listening to it. */
function leaving(signal: AbortSignal): { readonly gone: Promise<void>; end(): void } {
  let leave = (): void => undefined;
  const gone = new Promise<void>((resolve) => {
    leave = resolve;
  });
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  return { gone, end: () => signal.removeEventListener("abort", leave) };
}
