/**
 * Tasks (MCP, revision 2025-11-25): calls whose answers the client fetches later. A client that announces tasks gets them
 * in place of tickets. Tasks end with this process.
 */
import { randomUUID } from "node:crypto";
import { limits } from "../../text/limits.js";
import { protocolErrors } from "./sentences.js";
import { errorCodes, RequestError } from "./toolServer.js";

interface ClientTask {
  /** The part that the client sees. The call is cancelled, and the task removed, `ttl` milliseconds after its creation. */
  readonly state: {
    status: "working" | "completed" | "failed" | "cancelled";
    lastUpdatedAt: string;
    readonly ttl: number;
  };
  readonly stop: AbortController;
  readonly result: Promise<object>;
}

/** The `_meta` that names the task to which a message belongs. */
export const relatedTo = (taskId: string): object => ({ "io.modelcontextprotocol/related-task": { taskId } });

const refuse = (message: string): RequestError => new RequestError(errorCodes.invalidParams, message);

/** The tasks of one client, by id. */
export class Tasks {
  private readonly tasks = new Map<string, ClientTask>();

  /** Starts a call as a task; returns the answer to its request. `asked`: the field `task` of the request. */
  create(asked: unknown, start: (taskId: string, signal: AbortSignal) => Promise<object>): object {
    const { ttl: wanted }: { readonly ttl?: unknown } = Object(asked);
    // Tasks that are over make room, the oldest first.
    const [over] = [...this.tasks].find(([, { state }]) => state.status !== "working") ?? [];
    if (this.tasks.size >= limits.tickets && over !== undefined) this.tasks.delete(over);
    if (this.tasks.size >= limits.tickets) throw refuse(protocolErrors.tooManyTasks);
    const [taskId, stop, now] = [randomUUID(), new AbortController(), new Date().toISOString()];
    const ttl = typeof wanted === "number" && wanted >= 0 ? Math.min(wanted, limits.taskMs) : limits.taskMs;
    const times = { createdAt: now, lastUpdatedAt: now, ttl, pollInterval: limits.taskPollMs };
    const state: ClientTask["state"] = { ...{ taskId }, status: "working", ...times };
    const result = start(taskId, stop.signal).then(
      (answer) => {
        end(state, Object(answer).isError === true ? "failed" : "completed");
        return { ...answer, _meta: relatedTo(taskId) };
      },
      (error: unknown) => {
        end(state, "failed");
        throw error;
      },
    );
    result.catch(() => undefined);
    this.tasks.set(taskId, { state, stop, result });
    setTimeout(() => {
      stop.abort();
      this.tasks.delete(taskId);
    }, ttl).unref();
    return { task: { ...state } };
  }

  /** Serves a request about a task; returns `undefined` if it is about something else. */
  async serve(method: string, { taskId }: Readonly<Record<string, unknown>>): Promise<object | undefined> {
    if (method !== "tasks/get" && method !== "tasks/result" && method !== "tasks/cancel") return undefined;
    const task = this.tasks.get(String(taskId));
    if (task === undefined) throw refuse(protocolErrors.noTask);
    if (method === "tasks/result") return task.result;
    if (method === "tasks/cancel") {
      if (task.state.status !== "working") throw refuse(protocolErrors.taskIsOver);
      end(task.state, "cancelled");
      task.stop.abort();
    }
    return { ...task.state };
  }

  /** Cancels all calls. */
  close(): void {
    for (const { stop } of this.tasks.values()) stop.abort();
  }
}

/** Ends a task. A task that is over stays as it is. */
function end(state: ClientTask["state"], status: ClientTask["state"]["status"]): void {
  if (state.status !== "working") return;
  state.status = status;
  state.lastUpdatedAt = new Date().toISOString();
}
