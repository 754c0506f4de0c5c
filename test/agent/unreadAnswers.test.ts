/** An agent that does not read its answers burdens neither the server nor the other agents. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { announced, friend, ownStateHome } from "../support/agentPeer.js";
import { layDesk, serverForDesks } from "../support/desk.js";

const program = serverForDesks();

/** An option that keeps the desk from being shared, because its server must use this test's state directory. */
const alone = { clientInfo: { name: "Tester", version: "7" } };

const request = (id: number, method: string, params: unknown): object => ({ jsonrpc: "2.0", id, method, params });

/**
 * Code that runs in the server: agents that are idle are let go 100 times as soon, and on a signal, the memory in use is
 * written to a file.
 */
const probeTo = (file: string): string => `
  const { Socket } = require("node:net");
  const { setTimeout } = Socket.prototype;
  Socket.prototype.setTimeout = function (ms, act) { return setTimeout.call(this, ms / 100, act); };
  process.on("SIGUSR2", () => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    require("node:fs").writeFileSync(${JSON.stringify(`${file}.new`)}, String(heapUsed + external));
    require("node:fs").renameSync(${JSON.stringify(`${file}.new`)}, ${JSON.stringify(file)});
  });`;

describe("an agent that does not read its answers", () => {
  const text = `${"x".repeat(5_000)} old\n`.repeat(200);
  const large = { path: "a.txt", oldText: " old", newText: " new", replaceAll: true };
  const calls = 25;

  const methods = [
    ["multiEdit/preview", large],
    ["multiEdit/read", { path: "a.txt" }],
  ] as const;

  it.each(methods)("has at most 20 MB of answers to %s prepared", async (method, params) => {
    const home = ownStateHome();
    const settings = { save: "never", logLevel: "debug" };
    const desk = await layDesk(program, { ...alone, settings, open: { "a.txt": text } });
    const [session] = await announced(home);
    const reader = await friend(session, { name: "reader", agent: "reader" });
    const size = JSON.stringify((await reader.ask("size", method, params)).result).length;
    // Without a bound, the answers would take more than 20 MB.
    expect(calls * size).toBeGreaterThan(20_000_000);

    const deaf = await friend(session, { name: "deaf", agent: "deaf" });
    deaf.socket.pause();
    deaf.send(...Array.from({ length: calls }, (_, id) => request(id, method, params)));
    // The agents take turns, so after these calls, the server has prepared all that it will prepare.
    for (let id = 0; id < calls + 5; id++) await reader.ask(id, method, params);
    const prepared = desk.editor.messages.filter(({ message }) => message.startsWith("deaf (agent deaf)")).length;
    expect(prepared).toBeGreaterThan(0);
    expect(prepared * size).toBeLessThan(20_000_000);
    deaf.socket.resume();
    for (let id = 0; id < calls; id++) expect((await deaf.answer(id)).result).toBeDefined();
  });

  it("costs the server at most 20 MB, and is let go", { timeout: 60_000 }, async () => {
    const home = ownStateHome();
    const heapFile = join(home, "heap");
    const probe = join(home, "probe.cjs");
    writeFileSync(probe, probeTo(heapFile));
    const server = [process.execPath, "--expose-gc", "--require", probe, program.path, "--stdio"] as const;
    const desk = await layDesk(program, { ...alone, server, settings: { save: "never" }, open: { "a.txt": text } });
    const [session] = await announced(home);
    const reader = await friend(session, { name: "reader", agent: "reader" });
    const readerAnswers = async (): Promise<unknown> => (await reader.ask("status", "multiEdit/status", null)).result;
    const heap = async (): Promise<number> => {
      rmSync(heapFile, { force: true });
      desk.editor.process.kill("SIGUSR2");
      await expect.poll(async () => (await readerAnswers()) && existsSync(heapFile)).toBe(true);
      return Number(readFileSync(heapFile, "utf8"));
    };
    const before = await heap();
    const deaf = await friend(session, { name: "deaf", agent: "deaf" });
    deaf.socket.pause();
    // A call that is refused because the agent has too many under way has an answer, too.
    for (const [method, params] of methods)
      deaf.send(...Array.from({ length: 60 }, (_, id) => request(id, method, params)));
    for (let id = 0; id < 30; id++) await reader.ask(id, "multiEdit/read", { path: "a.txt" });
    // Soon, while the agent is still connected: part of what is in use is about to be collected.
    await expect.poll(async () => (await heap()) - before, { timeout: 4_000 }).toBeLessThan(20_000_000);
    // Once the agent is let go, its answers are gone.
    await expect.poll(async () => (await heap()) - before, { timeout: 30_000 }).toBeLessThan(5_000_000);
    deaf.socket.resume();
    await deaf.closed;
  });

  it("and is killed does not keep the server from answering the others", async () => {
    const home = ownStateHome();
    const desk = await layDesk(program, { ...alone, settings: { save: "never" }, open: { "a.txt": text } });
    const [session] = await announced(home);
    const reader = await friend(session, { name: "reader", agent: "reader" });
    for (const [method, params] of methods) {
      const deaf = await friend(session, { name: "deaf", agent: "deaf" });
      deaf.socket.pause();
      deaf.send(...Array.from({ length: calls }, (_, id) => request(id, method, params)));
      for (let id = 0; id < calls + 5; id++) await reader.ask(id, "multiEdit/read", { path: "a.txt" });
      deaf.socket.destroy();
      for (let id = 0; id < 5; id++) expect((await reader.ask(id, method, params)).result).toBeDefined();
      expect(await desk.read({ path: "a.txt" })).toMatchObject({ text });
    }
  });
});
