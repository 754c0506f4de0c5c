/** The memory of calls that a hook has applied. */
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { hookPairOf, memoryOf, stampMemoryOf } from "../../server/programs/hook/remembered.js";
import { inServerFolder } from "../../server/workspace/serverFolder.js";
import { ownStateHome } from "../support/agentPeer.js";
import { reasonIn } from "../support/hookColumns.js";
import { answer, events, layProject, unsaved } from "../support/hookEvents.js";

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

describe("the memory of a conversation's files", () => {
  it("has the stamps of the agent's last command, and none at first", () => {
    ownStateHome();
    const memory = stampMemoryOf("claude", "a");
    expect(memory.recall()).toEqual({});
    memory.keep({ "/a.ts": "1" });
    memory.keep({ "/b.ts": "2" });
    expect([memory.recall(), stampMemoryOf("claude", "a").recall()]).toEqual([{ "/b.ts": "2" }, { "/b.ts": "2" }]);
    expect([stampMemoryOf("codex", "a").recall(), stampMemoryOf("claude", "b").recall()]).toEqual([{}, {}]);
  });

  it.each(["{", "null", "7"])("has none if its file is %j", (text) => {
    ownStateHome();
    const memory = stampMemoryOf("claude", "a");
    memory.keep({ "/a.ts": "1" });
    const folder = inServerFolder("hooks");
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), text);
    expect({ ...memory.recall() }).toEqual({});
  });
});

describe("what hooks share", () => {
  it("is kept apart by its kind, and removed by the next hook after an hour", async () => {
    ownStateHome();
    memoryOf("claude", "a").claim();
    stampMemoryOf("claude", "a").keep({});
    const pair = hookPairOf("claude", "a");
    pair.note();
    expect(await pair.isNoted()).toBe(true);
    const folder = inServerFolder("hooks");
    const all = readdirSync(folder);
    expect(all.map((name) => name.split(".")[1]).sort()).toEqual(["noted", "stamps", "txt"]);
    const [old = "", young = ""] = all;
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
    utimesSync(join(folder, old), ago(3_660), ago(3_660));
    utimesSync(join(folder, young), ago(3_540), ago(3_540));
    hookPairOf("codex", "b").note();
    expect(readdirSync(folder)).toHaveLength(3);
    expect(readdirSync(folder)).not.toContain(old);
  });

  it("is nothing without a private folder, but calls can be made", () => {
    const home = ownStateHome();
    // A file is in the folder's place.
    writeFileSync(join(home, "multi-edit-language-server"), "");
    const memory = memoryOf("claude", "a");
    expect([memory.claim(), memory.claim(), memory.recall()]).toEqual([true, true, undefined]);
    memory.keep("Done.");
    stampMemoryOf("claude", "a").keep({ a: "1" });
    hookPairOf("claude", "a").note();
    expect([memory.recall(), stampMemoryOf("claude", "a").recall()]).toEqual([undefined, {}]);
  });
});

it("a hook does not send a call that another hook has just claimed", async () => {
  const { root, editor } = await layProject();
  const path = join(root, "price.ts");
  const call = events.claude("Edit", { file_path: path, old_string: "rate = 0.19", new_string: "rate = 0.2" });
  const event = { ...call, permission_mode: "acceptEdits" };
  await answer("claude", event, "--apply");
  await editor.connection.sendRequest("workspace/executeCommand", { command: "multiEdit.undo", arguments: [] });
  // What can't be read is there nevertheless: so the hook notices it only when it wants to claim the call.
  const folder = inServerFolder("hooks");
  for (const name of readdirSync(folder)) {
    rmSync(join(folder, name));
    mkdirSync(join(folder, name));
  }
  expect(reasonIn("claude", await answer("claude", event, "--apply"))).toMatch(/^The same call was sent before/);
  expect(editor.documents.get(pathToFileURL(path).href)?.text).toBe(unsaved);
});
