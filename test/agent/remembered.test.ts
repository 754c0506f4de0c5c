/** The memory of calls that a hook has applied. */
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryOf } from "../../server/agent/hook/remembered.js";
import { inServerFolder } from "../../server/workspace/serverFolder.js";
import { ownStateHome } from "../support/agentPeer.js";

describe("the memory of a call", () => {
  it("lets only one of two hooks that have got the call claim it", () => {
    ownStateHome();
    const [one, other] = [memoryOf("claude", "toolu_1"), memoryOf("claude", "toolu_1")];
    expect([one.recall(), other.recall()]).toEqual([undefined, undefined]);
    expect([one.claim(), other.claim()]).toEqual([true, false]);
    // Until the answer is there, the outcome is unknown.
    expect(other.recall()).toBe("");
    one.keep("Done.");
    expect([one.recall(), other.recall(), other.claim()]).toEqual(["Done.", "Done.", false]);
  });

  it("is that of one agent and one id", () => {
    ownStateHome();
    expect(memoryOf("claude", "toolu_1").claim()).toBe(true);
    expect([memoryOf("codex", "toolu_1").claim(), memoryOf("claude", "toolu_2").claim()]).toEqual([true, true]);
    // A call without an id is always a new one.
    expect([memoryOf("claude", undefined).claim(), memoryOf("claude", undefined).claim()]).toEqual([true, true]);
  });

  it("ends if the call has changed nothing, and after an hour", () => {
    ownStateHome();
    const memory = memoryOf("claude", "toolu_1");
    memory.claim();
    memory.forget();
    expect([memory.recall(), memory.claim()]).toEqual([undefined, true]);
    memory.keep("Done.");
    const folder = inServerFolder("hooks");
    const age = (minutes: number): void => {
      const time = new Date(Date.now() - minutes * 60_000);
      for (const name of readdirSync(folder)) utimesSync(join(folder, name), time, time);
    };
    age(59);
    expect(memory.recall()).toBe("Done.");
    age(61);
    expect([memory.recall(), memory.claim()]).toEqual([undefined, true]);
  });
});
