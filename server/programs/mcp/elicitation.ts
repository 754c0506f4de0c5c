/**
 * Questions to the user in the program that the agent runs in, if its MCP client announces forms (elicitation). Up to
 * revision 2025-11-25, the server sends a request. Since 2026-07-28, the question is the answer to the tool's call, which
 * the client sends again with the user's answer.
 */
import { randomUUID } from "node:crypto";
import type { CancellationToken } from "vscode-jsonrpc/node";
import type { UserDecision } from "../../lsp/session.js";
import { limits } from "../../text/limits.js";
import { decisionForm } from "./sentences.js";

/** Asks the user; `undefined`: there is no answer, or it does not say what the user decided. */
export type Elicit = (question: string, token: CancellationToken) => Promise<UserDecision | undefined>;

/** Reports whether a client has announced that it shows forms to its user. A client that names no mode shows forms. */
export function showsForms(capabilities: unknown): boolean {
  const { elicitation }: { readonly elicitation?: unknown } = Object(capabilities);
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return "form" in elicitation || Object.keys(elicitation).length === 0;
}

/** Returns the params of the question. The form has no default, so a client that accepts it unseen says nothing. */
const formOf = (message: string): object => ({
  mode: "form",
  message,
  requestedSchema: {
    type: "object",
    properties: { decision: { type: "string", title: decisionForm.title, enum: Object.values(decisionForm.answers) } },
    required: ["decision"],
  },
});

/** Returns the decision in a client's answer. */
function decisionIn(answer: unknown): UserDecision | undefined {
  const { action, content }: { readonly action?: unknown; readonly content?: unknown } = Object(answer);
  if (action === "decline") return "reject";
  if (action === "cancel") return "closed";
  const { decision }: { readonly decision?: unknown } = Object(content);
  if (action !== "accept") return undefined;
  return decision === decisionForm.answers.apply
    ? "apply"
    : decision === decisionForm.answers.reject
      ? "reject"
      : undefined;
}

/** An open question. */
interface OpenQuestion {
  readonly settle: (decision: UserDecision | undefined) => void;
  /** The call that waits for the answer. */
  readonly round?: Round | undefined;
  /** The result that asks the question, if the question is part of a result. */
  readonly asked: object;
}

/** A call that may ask questions in its results. */
interface Round {
  /** Ends the call's present request with a result. */
  pose?: ((result: object) => void) | undefined;
  /** Aborted if one of the call's requests is cancelled. */
  readonly stop: AbortController;
}

/** The questions to the user of one client. */
export class Questions {
  private readonly open = new Map<string, OpenQuestion>();
  private count = 0;

  constructor(private readonly send: (message: object) => void) {}

  /** Asks with a request of the server. `meta`: the request's `_meta`, if it has one. */
  ask(question: string, token: CancellationToken, meta?: object): Promise<UserDecision | undefined> {
    const id = `question-${++this.count}`;
    const params = { ...formOf(question), ...(meta === undefined ? {} : { _meta: meta }) };
    this.send({ jsonrpc: "2.0", id, method: "elicitation/create", params });
    const withdraw = (): void =>
      this.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    return this.wait(id, token, { asked: params, withdraw });
  }

  /** Takes the client's answer to a request of the server. */
  receive(id: unknown, result: unknown): void {
    this.open.get(String(id))?.settle(decisionIn(result));
  }

  /**
   * Serves a request for a call whose questions are asked in results. `run`: starts the call, or joins it if the request
   * is sent again. `signal`: aborted if the client cancels this request.
   */
  async inRounds(
    { requestState: state, inputResponses: answers }: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    run: (elicit: Elicit, signal: AbortSignal) => Promise<object>,
  ): Promise<object> {
    const question = typeof state === "string" ? this.open.get(state) : undefined;
    const { decision: answer }: { readonly decision?: unknown } = Object(answers);
    if (question !== undefined && answer === undefined) return question.asked;
    const round: Round = question?.round ?? { stop: new AbortController() };
    signal.addEventListener("abort", () => round.stop.abort());
    const posed = new Promise<object>((resolve) => {
      round.pose = resolve;
    });
    const result = run((text, token) => this.askIn(round, text, token), round.stop.signal);
    // Only once this request has joined the call may the call end.
    setImmediate(() => question?.settle(decisionIn(answer)));
    return Promise.race([result, posed]);
  }

  private async askIn(round: Round, question: string, token: CancellationToken): Promise<UserDecision | undefined> {
    const { pose } = round;
    if (pose === undefined) return undefined;
    round.pose = undefined;
    const state = randomUUID();
    const inputRequests = { decision: { method: "elicitation/create", params: formOf(question) } };
    const asked = { resultType: "input_required", inputRequests, requestState: state };
    const answer = this.wait(state, token, { round, asked, withdraw: () => undefined });
    pose(asked);
    return answer;
  }

  /** Waits for the answer to a question: until it arrives, the call is cancelled, or the time is up. */
  private wait(
    id: string,
    token: CancellationToken,
    { round, asked, withdraw }: Omit<OpenQuestion, "settle"> & { readonly withdraw: () => void },
  ): Promise<UserDecision | undefined> {
    return new Promise((resolve) => {
      const end = (decision: UserDecision | undefined): void => {
        clearTimeout(timer);
        cancelled.dispose();
        this.open.delete(id);
        resolve(decision);
      };
      const giveUp = (): void => {
        withdraw();
        end(undefined);
      };
      const timer = setTimeout(giveUp, limits.confirmMs).unref();
      const cancelled = token.onCancellationRequested(giveUp);
      this.open.set(id, { settle: end, round, asked });
    });
  }
}
