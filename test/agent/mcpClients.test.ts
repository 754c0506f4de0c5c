/** What MCP clients may announce or ask for: tasks, questions in results, and subscriptions; each on raw messages. */
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveTools } from "../../server/programs/mcp/core.js";
import type { ResourceListener, Resources, ToolCaller, ToolServer } from "../../server/programs/mcp/toolServer.js";
import { limits } from "../../server/text/limits.js";

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown> & { readonly task?: Record<string, unknown> };
  readonly error?: { readonly code: number };
}

const never = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };

/** One resource, whose listeners are put into a set. */
const resourcesFor = (listeners: Set<ResourceListener>): Resources => ({
  list: async () => [{ uri: "file:///a" }],
  read: async (uri) => (uri === "file:///a" ? { ok: true, contents: [{ uri }] } : { ok: false, message: "none" }),
  async listen(listener) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
});

/** A client that writes raw lines, and a server whose tool `ask` answers with the user's decisions. */
function open() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const listeners = new Set<ResourceListener>();
  let release = (): void => undefined;
  const calls: ToolCaller[] = [];
  const server: ToolServer = {
    info: { name: "tested", title: "Tested", version: "1" },
    instructions: "Use them.",
    list: async () => [{ name: "ask" }],
    async call(name, args, caller) {
      calls.push(caller);
      if (name === "fail") return { isError: true };
      if (name === "wait")
        await new Promise<void>((resolve) => {
          release = resolve;
          caller.signal.addEventListener("abort", () => resolve());
        });
      const decisions = [];
      for (const text of name === "ask" || (name === "slow" && calls.length === 1) ? (args as string[]) : [])
        decisions.push(await caller.elicit?.(text, never));
      if (name === "slow" && calls.length > 1) await new Promise(() => undefined);
      return { decisions, isTask: caller.isTask };
    },
    resources: async () => resourcesFor(listeners),
  };
  const ended = new AbortController();
  let received = "";
  output.setEncoding("utf8").on("data", (text: string) => (received += text));
  const done = serveTools(server, { input, output }, { ended: ended.signal, maxLine: 100_000 });
  onTestFinished(async () => {
    ended.abort();
    await done;
  });
  const all = (): Message[] =>
    received
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Message);
  let id = 0;
  const find = async (isIt: (message: Message) => boolean): Promise<Message> => {
    await expect.poll(() => all().some(isIt)).toBe(true);
    return all().findLast(isIt) as Message;
  };
  const say = (message: object): void => void input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return {
    all,
    calls,
    listeners,
    release: () => release(),
    say,
    /** Waits for a message of the server. */
    heard: (method: string) => find((message) => message.method === method),
    /** Sends a request without waiting for the answer; returns its id. */
    begin(method: string, params: object): number {
      say({ id: ++id, method, params });
      return id;
    },
    answerTo: (wanted: number) => find((message) => message.id === wanted && message.method === undefined),
    async ask(method: string, params: object): Promise<Message> {
      say({ id: ++id, method, params });
      const wanted = id;
      return find((message) => message.id === wanted && message.method === undefined);
    },
  };
}

const withTasks = { protocolVersion: "2025-11-25", capabilities: { tasks: {}, elicitation: {} } };

describe("tasks", () => {
  async function begin() {
    const client = open();
    const { result } = await client.ask("initialize", withTasks);
    expect(result?.capabilities).toMatchObject({ tasks: { cancel: {}, requests: { tools: { call: {} } } } });
    return client;
  }

  it("are announced only to clients that announce them, in the revision that has them", async () => {
    for (const params of [
      { protocolVersion: "2025-11-25", capabilities: { elicitation: {} } },
      { protocolVersion: "2025-11-25" },
      { ...withTasks, protocolVersion: "2025-06-18" },
    ]) {
      const { ask } = open();
      expect((await ask("initialize", params)).result?.capabilities).not.toHaveProperty("tasks");
      expect((await ask("tools/list", {})).result).toEqual({ tools: [{ name: "ask" }] });
      // The field is ignored.
      const { result } = await ask("tools/call", { name: "other", arguments: [], task: {} });
      expect(result).toEqual({ decisions: [] });
    }
  });

  it("give the answer later, under the id of the task", async () => {
    const { ask, begin: start, answerTo, release } = await begin();
    expect((await ask("tools/list", {})).result).toEqual({
      tools: [{ name: "ask", execution: { taskSupport: "optional" } }],
    });
    const { result } = await ask("tools/call", { name: "wait", arguments: [], task: { ttl: 60_000 } });
    const task = result?.task ?? {};
    expect(task).toMatchObject({ status: "working", ttl: 60_000, pollInterval: limits.taskPollMs });
    const params = { taskId: task.taskId };
    expect((await ask("tasks/get", params)).result).toEqual(task);
    const waiting = start("tasks/result", params);
    release();
    expect((await answerTo(waiting)).result).toEqual({
      decisions: [],
      isTask: true,
      _meta: { "io.modelcontextprotocol/related-task": params },
    });
    expect((await ask("tasks/get", params)).result).toMatchObject({ ...params, status: "completed" });
    expect((await ask("tasks/cancel", params)).error?.code).toBe(-32602);
  });

  it("that are cancelled cancel the call; those that fail say so", async () => {
    const { ask, calls } = await begin();
    const { result } = await ask("tools/call", { name: "wait", arguments: [], task: {} });
    const params = { taskId: result?.task?.taskId };
    expect(calls[0]?.signal.aborted).toBe(false);
    expect((await ask("tasks/cancel", params)).result).toMatchObject({ status: "cancelled", ttl: limits.taskMs });
    expect(calls[0]?.signal.aborted).toBe(true);
    expect((await ask("tasks/get", params)).result).toMatchObject({ status: "cancelled" });
    const failed = await ask("tools/call", { name: "fail", task: {} });
    const { taskId } = failed.result?.task ?? {};
    expect((await ask("tasks/result", { taskId })).result).toMatchObject({ isError: true });
    expect((await ask("tasks/get", { taskId })).result).toMatchObject({ status: "failed" });
  });

  it("end after their time, with their calls", async () => {
    const { ask, calls } = await begin();
    const { result } = await ask("tools/call", { name: "wait", arguments: [], task: { ttl: 1 } });
    await expect.poll(() => calls[0]?.signal.aborted).toBe(true);
    expect((await ask("tasks/get", { taskId: result?.task?.taskId })).error?.code).toBe(-32602);
  });

  it("are limited in number; those that are over make room", async () => {
    const { ask, begin: start, answerTo } = await begin();
    const wait = { name: "wait", arguments: [], task: {} };
    const over = await ask("tools/call", { name: "fail", task: {} });
    await expect
      .poll(async () => (await ask("tasks/get", { taskId: over.result?.task?.taskId })).result?.status)
      .toBe("failed");
    let last = 0;
    for (let count = 0; count < limits.tickets; count++) last = start("tools/call", wait);
    expect((await answerTo(last)).result?.task).toMatchObject({ status: "working" });
    expect((await ask("tools/call", wait)).error?.code).toBe(-32602);
  });

  it("ask the user with the id of the task", async () => {
    const { ask, heard, say } = await begin();
    const { result } = await ask("tools/call", { name: "ask", arguments: ["Really?"], task: {} });
    const params = { taskId: result?.task?.taskId };
    const question = await heard("elicitation/create");
    expect(question.params).toMatchObject({
      message: "Really?",
      _meta: { "io.modelcontextprotocol/related-task": params },
    });
    say({ id: question.id, result: { action: "accept", content: { decision: "Apply" } } });
    expect((await ask("tasks/result", params)).result).toMatchObject({ decisions: ["apply"] });
  });
});

const _meta = (elicitation?: object): object => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": elicitation === undefined ? {} : { elicitation },
});

describe("questions in results", () => {
  const call = { name: "ask", arguments: ["One?", "Two?"], _meta: _meta({ form: {}, url: {} }) };
  const accept = { decision: { action: "accept", content: { decision: "Apply" } } };

  it.each([[undefined], [{ url: {} }]])("are asked only of clients that show forms, not with %j", async (forms) => {
    const { ask } = open();
    const { result } = await ask("tools/call", { ...call, _meta: _meta(forms) });
    expect(result).toMatchObject({ resultType: "complete", decisions: [null, null] });
  });

  it("end a request, and the call goes on with the request that has the answer", async () => {
    const { ask } = open();
    const first = (await ask("tools/call", call)).result ?? {};
    expect(first).toMatchObject({
      resultType: "input_required",
      inputRequests: { decision: { method: "elicitation/create", params: { mode: "form", message: "One?" } } },
    });
    const { requestState } = first;
    // An answer without the state, or with another one, answers nothing.
    const again = await ask("tools/call", { ...call, requestState: "question-1", inputResponses: accept });
    expect(again.result).toMatchObject({ resultType: "input_required" });
    // Without the answer, the same question is asked again.
    expect((await ask("tools/call", { ...call, requestState })).result).toEqual(first);
  });

  it("leave a call to be cancelled by its last request", async () => {
    const { ask, begin: start, say, calls } = open();
    const slow = { ...call, name: "slow", arguments: ["One?"] };
    const { requestState } = (await ask("tools/call", slow)).result ?? {};
    const requestId = start("tools/call", { ...slow, requestState, inputResponses: accept });
    await expect.poll(() => calls.length).toBe(2);
    expect(calls[0]?.signal.aborted).toBe(false);
    say({ method: "notifications/cancelled", params: { requestId } });
    await expect.poll(() => calls.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  it("are asked one after another by one call", async () => {
    const { ask, begin: start, all } = open();
    const first = (await ask("tools/call", call)).result ?? {};
    const retry = start("tools/call", { ...call, requestState: first.requestState, inputResponses: accept });
    await expect.poll(() => all().some(({ id }) => id === retry)).toBe(true);
    const second = all().find(({ id }) => id === retry)?.result ?? {};
    expect(second.inputRequests).toMatchObject({ decision: { params: { message: expect.any(String) } } });
    // The state is spent.
    expect(second.requestState).not.toBe(first.requestState);
  });
});

describe("subscriptions", () => {
  const uri = "file:///a";
  const updated = "notifications/resources/updated";

  it("last until they are ended", async () => {
    const { ask, listeners, heard } = open();
    await ask("initialize", { protocolVersion: "2025-06-18" });
    expect((await ask("resources/subscribe", { uri })).result).toEqual({});
    await ask("resources/subscribe", { uri });
    expect([...listeners]).toMatchObject([{ hasList: false, uris: [uri] }]);
    for (const { notify } of listeners) notify(updated, { uri });
    expect(await heard(updated)).toMatchObject({ params: { uri } });
    expect((await ask("resources/unsubscribe", { uri })).result).toEqual({});
    expect(listeners.size).toBe(0);
    expect((await ask("resources/subscribe", {})).error?.code).toBe(-32602);
  });

  it("to the list begin with the list", async () => {
    const { ask, listeners } = open();
    await ask("initialize", { protocolVersion: "2025-06-18" });
    expect(listeners.size).toBe(0);
    for (let count = 0; count < 2; count++)
      expect((await ask("resources/list", {})).result).toEqual({ resources: [{ uri }] });
    expect([...listeners]).toMatchObject([{ hasList: true, uris: [] }]);
    expect((await ask("resources/read", { uri })).result).toEqual({ contents: [{ uri }] });
    expect((await ask("resources/read", { uri: "file:///b" })).error).toMatchObject({ code: -32002 });
    expect((await ask("resources/templates/list", {})).result).toEqual({ resourceTemplates: [] });
  });

  it("are limited in number", async () => {
    const { ask, begin: start, listeners } = open();
    for (let count = 0; count < limits.toolFiles; count++) start("resources/subscribe", { uri: `file:///${count}` });
    expect((await ask("resources/subscribe", { uri })).error?.code).toBe(-32602);
    expect(listeners.size).toBe(limits.toolFiles);
  });

  it("last as long as the request, in the newest revision", async () => {
    const { ask, begin: start, say, listeners, heard, all } = open();
    const notifications = { resourcesListChanged: true, resourceSubscriptions: [uri, 7], promptsListChanged: true };
    const id = start("subscriptions/listen", { notifications, _meta: _meta() });
    const own = { "io.modelcontextprotocol/subscriptionId": id };
    expect((await heard("notifications/subscriptions/acknowledged")).params).toEqual({
      notifications: { resourcesListChanged: true, resourceSubscriptions: [uri] },
      _meta: own,
    });
    expect([...listeners]).toMatchObject([{ hasList: true, uris: [uri] }]);
    for (const { notify } of listeners) notify(updated, { uri });
    expect((await heard(updated)).params).toEqual({ uri, _meta: own });
    say({ method: "notifications/cancelled", params: { requestId: id } });
    await expect.poll(() => listeners.size).toBe(0);
    expect((await ask("resources/read", { uri: "file:///b", _meta: _meta() })).error).toMatchObject({ code: -32602 });
    expect((await ask("resources/list", { _meta: _meta() })).result).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    expect(all().some((message) => message.id === id)).toBe(false);
    expect(listeners.size).toBe(0);
  });
});
