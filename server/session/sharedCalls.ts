/** The calls being served, by key: an equal call that is sent again while the user is asked shares the answer. */
import type { OnWaiting } from "../lsp/session.js";

/** Starts a call, which ends early if the signal is aborted. */
export type StartCall<T> = (signal: AbortSignal, onWaiting: OnWaiting) => Promise<T>;

/** A request for a call's answer. */
interface AnswerRequest {
  /** Aborted when nobody wants the answer to this request any more. */
  readonly signal: AbortSignal;
  readonly onWaiting?: OnWaiting;
  /** How long the request waits for the user, in milliseconds; `undefined` if as long as it takes. */
  readonly patience?: number | undefined;
  /** `true` if the call goes on even if this request is aborted and there is no other. */
  readonly isVisitor?: boolean;
}

/** A call that is being served, or whose answer is kept. */
export class SharedCall<T> {
  /** Equal keys mean equal calls of one agent. */
  readonly key: string;
  readonly answer: Promise<T>;
  /** Resolves when the user is asked. */
  readonly asked: Promise<void>;
  /** The requests that wait for the answer. */
  readonly requests = new Set<AnswerRequest>();
  readonly stop = new AbortController();
  isAsked = false;
  /** `true` once a request has left the call to others, so that its answer is kept until one of them has got it. */
  isKept = false;
  /** `true` once `answer` is settled. */
  isOver = false;
  #isWaiting = false;

  constructor(key: string, start: StartCall<T>) {
    this.key = key;
    let ask = (): void => undefined;
    this.asked = new Promise((resolve) => {
      ask = resolve;
    });
    this.answer = start(this.stop.signal, (isWaiting) => {
      this.#isWaiting = isWaiting;
      this.isAsked ||= isWaiting;
      if (isWaiting) ask();
      for (const { onWaiting } of this.requests) onWaiting?.(isWaiting);
    });
    const end = (): void => {
      this.isOver = true;
    };
    this.answer.then(end, end);
  }

  /** Adds a request for the answer. */
  join(request: AnswerRequest): void {
    this.requests.add(request);
    if (this.#isWaiting) request.onWaiting?.(true);
  }
}

/** A list of calls. */
export class SharedCalls<T> {
  /** The oldest first. */
  readonly calls = new Set<SharedCall<T>>();

  /** Returns the equal call that waits for the user, or starts one. Equal calls run one after another. */
  async enter(key: string, start: StartCall<T>, signal: AbortSignal): Promise<SharedCall<T>> {
    for (;;) {
      const same = [...this.calls].find((call) => call.key === key && (call.isKept || !call.isOver));
      if (same === undefined) break;
      if (same.isAsked || signal.aborted) return same;
      await Promise.race([same.asked, same.answer.catch(() => undefined), aborted(signal)]);
    }
    const call = new SharedCall(key, start);
    this.calls.add(call);
    return call;
  }

  /** Returns an answer; `undefined` if aborted or out of patience. The call ends if all its requests are aborted. */
  async answerTo(request: AnswerRequest, call: SharedCall<T>): Promise<{ readonly answer: T } | undefined> {
    const { signal, patience } = request;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      if (patience !== undefined) timer = setTimeout(resolve, patience);
    });
    // A call that is slow for another reason has a limit of its own, and ends with an answer.
    const isUndecided = Promise.all([late, call.asked]).then(() => "undecided" as const);
    call.join(request);
    try {
      const first = await Promise.race([call.answer, isUndecided, aborted(signal)]);
      // Nobody gets the answer to an aborted request, so the answer is kept for the others.
      const ends = signal.aborted && request.isVisitor !== true && call.requests.size === 1;
      if (!ends && (signal.aborted || first === "undecided")) {
        call.isKept = true;
        return undefined;
      }
      // The same call, sent again, must not get the answer to the cancelled one.
      if (ends) {
        this.calls.delete(call);
        call.stop.abort();
      }
      return { answer: await call.answer.finally(() => this.calls.delete(call)) };
    } finally {
      call.requests.delete(request);
      clearTimeout(timer);
    }
  }
}

/** Resolves when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
}
