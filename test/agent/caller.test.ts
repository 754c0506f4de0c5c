/**
 * The identity of callers: an agent that opens several connections counts as one caller because it sends the same id on
 * each.
 */
import { describe, expect, it } from "vitest";
import type { Caller, StatusResult } from "../../server/lsp/protocol.js";
import { describeCaller } from "../../server/lsp/requests.js";
import { limits } from "../../server/text/limits.js";
import { announced, friend, greet, ownStateHome, stranger } from "../support/agentPeer.js";
import { type RunOptions, runCommand } from "../support/commands.js";
import { layDesk, serverForDesks } from "../support/desk.js";
import { startAgent } from "../support/mcpAgent.js";

const program = serverForDesks();

/** An editor with one file open, its session, and functions that use both. */
async function layTable(settings: object = {}) {
  const home = ownStateHome();
  const desk = await layDesk(program, {
    clientInfo: { name: "Tester", version: "7" },
    open: { "a.txt": "one\n" },
    settings: { save: "never", ...settings },
  });
  const [session] = await announced(home);
  const status = async () => (await desk.editor.request("multiEdit/status", null)) as StatusResult;
  const run = (args: readonly string[], more: RunOptions = {}) =>
    runCommand(program, args, { cwd: desk.root, env: { MULTI_EDIT_AGENT: "" }, ...more });
  const logged = (): string => desk.editor.messages.map(({ message }) => message).join("\n");
  return { ...desk, session, status, run, logged };
}

const call = (oldText: string, newText: string): object => ({ path: "a.txt", oldText, newText });

describe("an agent at the socket", () => {
  it("is recognised as the same agent on all its connections, and its changes name it", async () => {
    const { session, status, logged } = await layTable();
    const client = { name: "robot", version: "3", agent: "r2-d2" };
    const first = await friend(session, client);
    await first.ask(1, "multiEdit/apply", call("one", "two"));
    const second = await friend(session, { ...client, version: "4" });
    await second.ask(1, "multiEdit/read", { path: "a.txt" });
    await (await friend(session, { name: "other", agent: "c-3po" })).ask(1, "multiEdit/apply", call("two", "three"));
    const { agents, transactions } = await status();
    expect(agents).toEqual([
      { ...client, version: "4" },
      { name: "other", agent: "c-3po" },
    ]);
    expect(transactions).toMatchObject([{ by: client }, { by: { name: "other", agent: "c-3po" } }]);
    await expect.poll(logged).toContain("robot 3 (agent r2-d2): multiEdit/apply applied: a.txt (1 edit)");
    expect(logged()).not.toContain("multiEdit/read");
  });

  it("is named in the log even if its call fails", async () => {
    const { session, logged } = await layTable();
    const agent = await friend(session, { name: "robot", agent: "r2-d2" });
    await agent.ask(1, "multiEdit/apply", call("none", "two"));
    await expect.poll(logged).toMatch(/robot \(agent r2-d2\): multiEdit\/apply failed: The old text of edit 0/);
  });

  it.each<[string, unknown, Caller]>([
    ["nothing", undefined, { name: "an unnamed agent" }],
    ["a string instead of an object", "robot", { name: "an unnamed agent" }],
    ["no id", { name: "robot", version: "3" }, { name: "robot", version: "3" }],
    ["null for an id", { name: "robot", agent: null }, { name: "robot" }],
    ["a number as its name", { name: 7, version: {} }, { name: "an unnamed agent" }],
    ["escapes and line ends", { name: "ro\u001b[31mbot\r\n2" }, { name: "ro [31mbot 2" }],
    ["a very long name", { name: "n".repeat(1_000) }, { name: "n".repeat(limits.agentName) }],
  ])("is served if it sends %s about itself, but not recognised again", async (_, client, expected) => {
    const { session, status } = await layTable();
    await (await friend(session, client)).ask(1, "multiEdit/apply", call("one", "two"));
    expect((await status()).agents).toEqual([expected]);
    expect((await status()).transactions).toMatchObject([{ by: expected }]);
  });

  it.each([
    ["a number", 7],
    ["empty", ""],
    ["with a space", "r2 d2"],
    ["with a line end", "r2\n"],
    ["too long", "x".repeat(limits.agentId + 1)],
  ])("is refused with an error if its id is %s", async (_, agent) => {
    const { session, status } = await layTable();
    const peer = await stranger(session);
    await expect(greet(peer, session, { name: "robot", agent })).rejects.toThrow(
      "client.agent must be an id of 1 to 100",
    );
    await peer.closed;
    expect((await status()).agents).toEqual([]);
  });

  it("is forgotten after many others have called", async () => {
    const { session, status } = await layTable();
    for (let i = 0; i <= limits.agentsKnown; i++) {
      const peer = await friend(session, { name: "robot", agent: `r${i}` });
      await peer.ask(1, "multiEdit/read", { path: "a.txt" });
      peer.socket.destroy();
    }
    const { agents } = await status();
    expect([agents.length, agents[0]?.agent, agents.at(-1)?.agent]).toEqual([limits.agentsKnown, "r1", "r50"]);
  });
});

describe("the editor", () => {
  it("is not listed as an agent, even if an agent has asked for the status", async () => {
    const { editor, session, status } = await layTable();
    await (await friend(session, { name: "robot", agent: "r2-d2" })).ask(1, "multiEdit/status", null);
    await editor.request("workspace/executeCommand", { command: "multiEdit.apply", arguments: [call("one", "two")] });
    const { agents, transactions } = await status();
    expect([agents, transactions[0]?.by]).toEqual([[], undefined]);
  });
});

describe("the command line", () => {
  it("takes the calling agent's id from --agent or else from MULTI_EDIT_AGENT, and otherwise sends none", async () => {
    const { run, status } = await layTable();
    const env = { MULTI_EDIT_AGENT: "from-env" };
    const input = (oldText: string, newText: string) => ({ input: JSON.stringify(call(oldText, newText)) });
    await run(["apply", "--agent=by-option"], { ...input("one", "two"), env });
    await run(["apply"], { ...input("two", "three"), env });
    await run(["apply"], input("three", "four"));
    const { agents, transactions } = await status();
    expect(agents.map(({ name, agent }) => [name, agent])).toEqual([
      ["multi-edit", "by-option"],
      ["multi-edit", "from-env"],
      ["multi-edit", undefined],
    ]);
    expect(transactions.map(({ by }) => by)).toEqual(agents);
  });

  it("refuses an invalid id, and sends nothing", async () => {
    const { run, status, texts } = await layTable();
    const input = JSON.stringify(call("one", "two"));
    const option = await run(["apply", "--agent=r2 d2"], { input });
    expect(option).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("--agent must be an id of 1 to"),
    });
    const variable = await run(["apply"], { input, env: { MULTI_EDIT_AGENT: "r2 d2" } });
    expect(variable).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("MULTI_EDIT_AGENT must be an id of 1 to"),
    });
    expect([texts()["a.txt"], (await status()).agents]).toEqual(["one\n", []]);
  });
});

describe("an MCP server", () => {
  it.each(["2025", "2026"] as const)("of %s is one agent, named after its client", async (era) => {
    const { root, status } = await layTable();
    const edits = (oldText: string, newText: string) => ({ edits: [call(oldText, newText)] });
    const one = await startAgent(program, root, { era, env: { MULTI_EDIT_AGENT: "" } });
    await one.call("multi_edit", edits("one", "two"));
    await one.call("multi_edit", edits("two", "three"));
    const other = await startAgent(program, root, { era, env: { MULTI_EDIT_AGENT: "" } });
    await other.call("multi_edit", edits("three", "four"));
    const named = await startAgent(program, root, { era, args: ["--agent=r2-d2"] });
    await named.call("read_document", { path: "a.txt" });
    const { agents, transactions } = await status();
    const id = expect.stringMatching(/^[0-9a-f]{16}$/);
    expect(agents).toEqual([
      { name: "tester", version: "1", agent: id },
      { name: "tester", version: "1", agent: id },
      { name: "tester", version: "1", agent: "r2-d2" },
    ]);
    const [first, second] = agents.map(({ agent }) => agent);
    expect(first).not.toBe(second);
    expect(transactions.map(({ by }) => by?.agent)).toEqual([first, first, second]);
  });
});

describe("the log", () => {
  it("names an agent by its name, version and id, if known", () => {
    expect(describeCaller({ name: "robot", version: "3", agent: "r2-d2" })).toBe("robot 3 (agent r2-d2)");
    expect(describeCaller({ name: "robot" })).toBe("robot (an unknown agent)");
  });
});
