/** An agent's own edit of an open file, with the agent's hook. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { hookColumns, type Name } from "../support/hookColumns.js";
import { builtServer } from "../support/wireServer.js";
import type { OwnEdit } from "./diskActs.js";
import type { Place } from "./editor.js";

/** Runs one of our commands, and returns what it prints. */
export const runOurs = ({ env, folder: cwd }: Place, args: readonly string[], input: object): string =>
  execFileSync(process.execPath, [builtServer, ...args], { cwd, env, input: JSON.stringify(input), encoding: "utf8" });

/** Makes an agent's own edit, as the agent does with its hook. */
export async function makeEdit(place: Place, path: string, { agent, from, to, isLeft }: OwnEdit): Promise<void> {
  // What was typed has reached the server, and the editor's save before has been seen.
  await delay(1_500);
  // An agent sends no two calls with the same id.
  const id = `${agent} ${from} ${path}`;
  const event = { ...hookColumns[agent as Name].edit(path, dirname(path), { from, to }), tool_use_id: id, callID: id };
  const isApplied = applied.has(agent);
  const answer = runOurs(place, ["hook", agent, ...(isApplied ? ["--apply"] : [])], event);
  if (answer === "") {
    expect(isApplied && isLeft !== true, `${agent}: left to its own tool`).toBe(false);
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
  } else if (isApplied) expect(answer).toContain("Done. ");
  else {
    expect(answer).toContain("unsaved changes");
    runOurs(place, ["apply", "-", "--mode=editor"], { path, oldText: from, newText: to });
  }
}

/** The agents for which `client-samples/agents/hooks.md` recommends `--apply`. */
const applied: ReadonlySet<string> = new Set(["codex", "gemini", "opencode"]);
