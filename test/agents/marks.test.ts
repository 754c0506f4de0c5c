/**
 * Whose changes Neovim marks: what a real agent's command has written to an open file, as its hook says afterwards, and
 * nothing of what the person's own Git has written.
 */
import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { neovim } from "../editors/neovim.js";
import { absence as editorAbsence, startSession } from "../editors/session.js";
import { onStage, type Stage } from "../editors/stage.js";
import { gitEnv } from "../support/gitEnv.js";
import type { AgentKind } from "./agent.js";
import { workBeside } from "./beside.js";
import { claude, qwen } from "./kinds.js";
import { absence } from "./stage.js";

/** An agent that tells its hook how long a command ran, and its name in the review. */
interface Runner {
  readonly kind: AgentKind;
  readonly caller: string;
}

/** The kind with the arguments by which it runs commands unasked. */
const unasked = (kind: AgentKind, ...args: string[]): AgentKind => ({
  ...kind,
  ownTools: { ...kind.ownTools!, args },
});

const runners: readonly Runner[] = [
  { kind: unasked(claude, "--allowedTools", "Bash"), caller: "claude-code" },
  { kind: unasked(qwen, "--approval-mode", "yolo"), caller: "qwen-code" },
];

for (const runner of runners) {
  const { kind } = runner;
  describe(`${kind.name} beside a real Neovim`, { timeout: 240_000 }, () => {
    const missing = absence(kind) ?? editorAbsence(neovim);
    if (missing !== undefined) it("not available", () => expect(process.env.REQUIRE_AGENTS, missing).not.toBe("1"));
    else
      it("has marks at the lines that its command wrote, and the person's own git checkout has none", async () => {
        const session = await startSession(neovim);
        return onStage(session, (desk) => marks(desk, runner)).finally(session.stop);
      });
  });
}

const lines = Array.from({ length: 12 }, (_, i) => `line ${i + 1}\n`).join("");
const [first, other] = [lines, lines.replace("line 2\n", "line two\n").replace("line 11\n", "line eleven\n")];

/** A command that takes some seconds, and succeeds. Qwen does not run `sleep` before another command. */
const wait = (seconds: number): string => `timeout ${seconds} tail -f /dev/null || true`;

/** The lines, from 1, with signs in the current buffer, and those that the server lists. */
async function marksOf({ driver, wire }: Stage): Promise<readonly [unknown, unknown]> {
  const signs = await driver.run!(`local lines = {}
    local namespace = vim.api.nvim_get_namespaces().multi_edit_review
    for _, mark in ipairs(namespace and vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true }) or {}) do
      if mark[4].sign_text then table.insert(lines, vim.api.nvim_buf_get_lines(0, mark[2], mark[2] + 1, true)[1]) end
    end
    return table.concat(lines, ", ")`);
  const { result } = await wire.request("multiEdit/review", {});
  const hunks = result.hunks as readonly { agent: string; newText: string }[];
  return [signs, hunks.map(({ agent, newText }) => `${agent}: ${newText.trim()}`)];
}

async function marks(desk: Stage, { kind, caller }: Runner): Promise<void> {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: desk.folder, env: gitEnv, stdio: "pipe" });
  desk.lay({ "a.txt": other });
  // The folder of the session is the root with which Neovim has started the server.
  git("init", "-q", "..");
  git("add", ".");
  git("commit", "-qm", "x");
  git("checkout", "-qb", "other");
  git("branch", "first");
  git("checkout", "-q", "first");
  desk.lay({ "a.txt": first });
  git("commit", "-qam", "y");
  await desk.open("a.txt");
  await desk.wire.read(desk.path("a.txt"));
  const shows = (text: string) => expect.poll(async () => (await desk.held())["a.txt"]).toBe(text);

  await workBeside(desk, { kind, hook: "deny" }, async ({ callOwn }) => {
    /** The person checks a branch out; then a command of the agent changes a line, and takes some seconds. */
    async function checkOutAndRun(branch: string, text: string, [from, to]: readonly [string, string]): Promise<void> {
      git("checkout", "-q", branch);
      await shows(text);
      await expect.poll(() => marksOf(desk)).toEqual(["", []]);
      // What was written less than a second before a command counts as its own.
      await delay(3_000);
      await callOwn(kind.shell.call(`${wait(3)}; sed -i 's/${from}$/${to}/' a.txt; ${wait(2)}`));
      await shows(text.replace(`${from}\n`, `${to}\n`));
      await expect.poll(() => marksOf(desk)).toEqual([to, [expect.stringMatching(`^${caller}: ${to}$`)]]);
    }
    await checkOutAndRun("other", other, ["line 5", "line five"]);
    git("commit", "-qam", "z");
    await checkOutAndRun("first", first, ["line 7", "line seven"]);
  });
}
