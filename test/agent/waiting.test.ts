/** Many agents without an editor that write at the same time: their calls wait for each other instead of failing. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { CancellationToken, CancellationTokenSource } from "vscode-languageserver/node";
import { userWorkspace } from "../../server/disk/diskWorkspace.js";
import { claimFor, takeLock } from "../../server/disk/lock.js";
import { newId } from "../../server/disk/recover.js";
import { createTurn } from "../../server/disk/turn.js";
import { applyBatch } from "../../server/lsp/apply/apply.js";
import type { Answer } from "../../server/lsp/edit/result.js";
import { nobody } from "../../server/lsp/session.js";
import { openDiskSession } from "../../server/session/diskSession.js";
import { limits } from "../../server/text/limits.js";
import { defaultSettings } from "../../server/workspace/settings.js";
import { ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { makeDirectory } from "../support/directory.js";
import { startAgent } from "../support/mcpAgent.js";

const agents = 16;
/** The goal is 20 calls each, which `ROUNDS=20` makes; on a busy machine they take a minute. */
const rounds = Number(process.env.ROUNDS ?? 6);

describe("16 agents that write without pauses", () => {
  let program: Program;
  beforeAll(async () => {
    program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
  });
  afterAll(() => program.remove());

  /** Has each agent count up its line in a file, without pauses and until the edit lands; returns the refusals. */
  async function countUp(root: string, fileOf: (agent: number) => string): Promise<readonly string[]> {
    const started = await Promise.all(Array.from({ length: agents }, () => startAgent(program, root)));
    const refused = await Promise.all(
      started.map(async (agent, i) => {
        const refusals: string[] = [];
        for (let round = 0; round < rounds && refusals.length < 20; ) {
          const edit = { path: fileOf(i), oldText: `agent ${i}: ${round}\n`, newText: `agent ${i}: ${round + 1}\n` };
          const { texts, isError } = await agent.call("multi_edit", { edits: [edit] });
          if (isError) refusals.push(texts.join("\n"));
          else round++;
        }
        return refusals;
      }),
    );
    return refused.flat();
  }

  it("never refuse each other in files of their own", async () => {
    const home = ownStateHome();
    const fileOf = (agent: number): string => `${agent}.txt`;
    const files = Array.from({ length: agents }, (_, i) => [fileOf(i), `agent ${i}: 0\n`]);
    const root = makeDirectory(Object.fromEntries(files));
    expect(await countUp(root, fileOf)).toEqual([]);
    for (let i = 0; i < agents; i++) {
      expect(readFileSync(join(root, fileOf(i)), "utf8")).toBe(`agent ${i}: ${rounds}\n`);
    }
    expect(readdirSync(root)).toHaveLength(agents);
    expect(readdirSync(join(home, "multi-edit-language-server", "journals"))).toEqual([]);
  }, 120_000);

  it("land every edit in the same file, or are told that its turn did not come", async () => {
    const home = ownStateHome();
    const textAt = (round: number): string =>
      Array.from({ length: agents }, (_, i) => `agent ${i}: ${round}\n`).join("");
    const root = makeDirectory({ "all.txt": textAt(0) });
    // On a slow machine, 16 agents can keep each other waiting for longer than a call waits.
    const told = /^Another call \(process \d+\) is changing the same files\. .* Nothing was changed\.$/;
    for (const refusal of await countUp(root, () => "all.txt")) expect(refusal).toMatch(told);
    expect(readFileSync(join(root, "all.txt"), "utf8")).toBe(textAt(rounds));
    expect(readdirSync(root)).toEqual(["all.txt"]);
    expect(readdirSync(join(home, "multi-edit-language-server", "journals"))).toEqual([]);
  }, 120_000);
});

describe("a call whose file another batch holds", () => {
  /** A session for a folder whose file `a.txt` is held, as by a process in the middle of a batch. */
  async function hold() {
    ownStateHome();
    const root = makeDirectory({ "a.txt": "one\n", "b.txt": "one\n" });
    const workspace = await userWorkspace([root]);
    mkdirSync(workspace.state, { recursive: true, mode: 0o700 });
    const lock = takeLock(workspace, newId(), claimFor(workspace, [join(root, "a.txt")]));
    if (!lock.ok) throw new Error(lock.failure.message);
    const user = { settings: defaultSettings, isStricterOnly: false, problems: [] };
    const start = { directory: root, user, version: "0.0.0", outside: nobody, log: () => undefined };
    const session = await openDiskSession(start);
    const apply = (path: string, token = CancellationToken.None): Promise<Answer> => {
      const params = { path, oldText: "one", newText: "two" };
      return applyBatch(session, { params, applier: "server", caller: undefined }, token);
    };
    const text = (path: string): string => readFileSync(join(root, path), "utf8");
    const left = (): string[] => readdirSync(workspace.state);
    return { root, workspace, lock, apply, text, left };
  }

  it("waits, is planned for the text that it then finds, and is served", async () => {
    const { root, lock, apply, text, left } = await hold();
    const answer = apply("a.txt");
    await expect.poll(() => left().filter((name) => name.endsWith(".turn"))).toHaveLength(1);
    writeFileSync(join(root, "a.txt"), "new\none\n");
    lock.release();
    expect(await answer).toMatchObject({ ok: true, result: { outcome: "applied" } });
    expect([text("a.txt"), left()]).toEqual(["new\ntwo\n", []]);
  });

  it("does not wait for other files, and gives up its turn when it is cancelled", async () => {
    const { lock, apply, text, left } = await hold();
    const source = new CancellationTokenSource();
    const answer = apply("a.txt", source.token);
    await expect.poll(() => left().filter((name) => name.endsWith(".turn"))).toHaveLength(1);
    source.cancel();
    const cancelled = await answer;
    expect(cancelled).toMatchObject({ ok: false, failures: [{ code: "cancelled" }] });
    expect(await apply("b.txt")).toMatchObject({ ok: true });
    lock.release();
    expect([text("a.txt"), text("b.txt"), left()]).toEqual(["one\n", "two\n", []]);
  });

  it("fails as locked after 10 s, and says which process is in the way", async () => {
    expect(limits.turnMs).toBe(10_000);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => 20 * now());
    onTestFinished(() => clock.mockRestore());
    const { lock, apply, text, left } = await hold();
    const answer = await apply("a.txt");
    expect(answer).toMatchObject({ ok: false, failures: [{ code: "locked" }] });
    expect(answer.ok ? "" : answer.failures[0]?.message).toContain(
      `Another call (process ${process.pid}) is changing the same files.`,
    );
    lock.release();
    expect([text("a.txt"), left()]).toEqual(["one\n", []]);
  }, 30_000);

  it("is served in the order of arrival, and before calls that come later", async () => {
    const { root, workspace, lock, left } = await hold();
    const names = [join(root, "a.txt")];
    const served: number[] = [];
    const waiting = [0, 1, 2].map(async (at) => {
      await delay(15 * at);
      const turn = createTurn();
      expect(await turn.wait(workspace, names, () => false)).toBe(true);
      served.push(at);
      await delay(30);
      turn.leave();
    });
    await expect.poll(() => left().filter((name) => name.endsWith(".turn"))).toHaveLength(3);
    lock.release();
    expect(takeLock(workspace, newId(), claimFor(workspace, names)).ok).toBe(false);
    expect(takeLock(workspace, newId(), claimFor(workspace, [join(root, "b.txt")])).ok).toBe(true);
    await Promise.all(waiting);
    expect(served).toEqual([0, 1, 2]);
  });
});
