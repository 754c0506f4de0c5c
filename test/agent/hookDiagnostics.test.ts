/** What a call of an agent's own tool has broken: the answer says so if the hook applies it, and a note if the tool has run. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { DiagnosticsParams, DiagnosticsResult } from "../../server/lsp/protocol.js";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { makeDirectory } from "../support/directory.js";
import { answerLoads } from "../support/editorLoads.js";
import { columnNames, hookColumns, type Name, reasonIn } from "../support/hookColumns.js";
import { answer, events, layProject, saved, startDesk } from "../support/hookEvents.js";

const [from, to] = ["rate = 0.19", "vat = 0.2"];

it.each([
  [
    "claude",
    (file_path: string) => ({
      ...events.claude("Edit", { file_path, old_string: from, new_string: to }),
      permission_mode: "acceptEdits",
    }),
  ],
  [
    "gemini",
    (file_path: string, root: string) =>
      events.gemini("replace", { file_path, instruction: "x", old_string: from, new_string: to }, root),
  ],
  ["opencode", (filePath: string) => events.opencode("edit", { filePath, oldString: from, newString: to })],
] as const satisfies readonly (readonly [Name, (path: string, root: string) => object])[])(
  "%s is told of an error in another file",
  async (name, event) => {
    const { root, editor } = await layProject({}, { experimental: { multiEdit: { diagnostics: true } } });
    const uri = pathToFileURL(join(root, "saved.ts")).href;
    const start = { line: 1, character: 6 };
    const error = { range: { start, end: start }, severity: 1 as const, message: "Cannot find name 'rate'." };
    editor.connection.onRequest("multiEdit/diagnostics", ({ waitMs }: DiagnosticsParams): DiagnosticsResult => {
      return { servers: [{ name: "ts", files: [{ uri, diagnostics: waitMs === 0 ? [] : [error] }] }] };
    });
    const said = reasonIn(name, await answer(name, event(join(root, "price.ts"), root), "--apply"));
    expect(said).toMatch(/\nM price\.ts, not saved\n1 new error \(ts\): saved\.ts:2 Cannot find name 'rate'\.$/);
  },
);

/** An editor that loads files, and tells of an error in `price.ts` once `saved.ts` has changed. `order`: what it was asked. */
async function layTelling(settings: object = {}, multiEdit: object = { diagnostics: true }) {
  const experimental = { multiEdit: { didChangeOnDisk: true, save: true, ...multiEdit } };
  const home = ownStateHome();
  const root = makeDirectory({ "price.ts": saved, "saved.ts": saved, "closed.ts": saved });
  const editor = await startDesk(root, settings, { experimental }, "saves");
  const [uri, open] = ["price.ts", "saved.ts"].map((name) => pathToFileURL(join(root, name)).href) as [string, string];
  const loads = answerLoads(editor);
  const order: string[] = [];
  const start = { line: 2, character: 6 };
  const error = { range: { start, end: start }, severity: 1 as const, message: "Cannot find name 'rate'." };
  editor.connection.onRequest("multiEdit/diagnostics", ({ uris, waitMs }: DiagnosticsParams): DiagnosticsResult => {
    const names = uris.map((one) => one.slice(one.lastIndexOf("/") + 1));
    order.push(`${waitMs === 0 ? "before" : "after"} ${names} with ${loads.uris.length} loaded`);
    return { servers: [{ name: "ts", files: [{ uri, diagnostics: waitMs === 0 ? [] : [error] }] }] };
  });
  await editor.open({ uri: open, text: saved });
  await announced(home);
  return { root, order, editor };
}

/** Writes a file as an agent's own tool does. */
const writeRate = (root: string, name = "saved.ts"): void => {
  const path = join(root, name);
  writeFileSync(path, readFileSync(path, "utf8").replace("rate = 0.19", "vat = 0.2"));
};

const line = { from: `const ${from};`, to: `const ${to};` };
const toWrite = (name: Name, path: string, root: string): object => hookColumns[name].edit(path, root, line);
const written = (name: Name, path: string, root: string): object =>
  hookColumns[name].edit(path, root, { ...line, isAfter: true });
const sentence = "1 new error (ts): price.ts:3 Cannot find name 'rate'.";

describe("after its own tool has written an open file", () => {
  it.each(columnNames)("%s is told of an error in another file", async (name) => {
    const { root, order } = await layTelling();
    const path = join(root, "saved.ts");
    expect(await answer(name, toWrite(name, path, root))).toBeUndefined();
    writeRate(root);
    expect(JSON.stringify(await answer(name, written(name, path, root)))).toContain(`${sentence}"`);
    // The editor is asked before it loads the file.
    expect(order).toEqual(["before saved.ts with 0 loaded", "after saved.ts with 1 loaded"]);
    expect(await answer(name, written(name, path, root))).toBeUndefined();
  });

  it("reads once what the user says of its changes, also without errors", async () => {
    const { root, editor } = await layTelling({ review: "hints" }, {});
    const path = join(root, "saved.ts");
    await answer("claude", toWrite("claude", path, root));
    writeRate(root);
    expect(await answer("claude", written("claude", path, root))).toBeUndefined();
    const uri = pathToFileURL(path).href;
    const start = { line: 0, character: 0 };
    await editor.request("multiEdit/comment", { uri, range: { start, end: start }, text: "use cents" });
    const said = JSON.stringify(await answer("claude", written("claude", path, root)));
    expect(said).toContain('Since your last edit, the user says of saved.ts:1: \\"use cents\\".');
    expect(await answer("claude", written("claude", path, root))).toBeUndefined();
  });

  it.each([
    ["the user has switched it off", { diagnostics: "off" }, { diagnostics: true }, "saved.ts"],
    ["the editor can't tell", {}, {}, "saved.ts"],
    ["no editor has the file open", {}, { diagnostics: true }, "closed.ts"],
  ] as const)("nobody is asked, and nothing waits, if %s", async (_, settings, multiEdit, name) => {
    const { root, order } = await layTelling(settings, multiEdit);
    const path = join(root, name);
    expect(await answer("claude", toWrite("claude", path, root))).toBeUndefined();
    writeRate(root, name);
    expect(await answer("claude", written("claude", path, root))).toBeUndefined();
    // By then, the server has seen what was written.
    await delay(600);
    expect(order).toEqual([]);
  });

  it("nobody is asked about what another program has written, and another agent is told nothing", async () => {
    const { root, order } = await layTelling();
    const path = join(root, "saved.ts");
    expect(await answer("claude", toWrite("claude", path, root))).toBeUndefined();
    writeRate(root);
    expect(await answer("gemini", written("gemini", path, root))).toBeUndefined();
    await expect.poll(() => order).toEqual(["before saved.ts with 0 loaded"]);
    expect(JSON.stringify(await answer("claude", written("claude", path, root)))).toContain(sentence);
    writeFileSync(path, "by another program\n");
    expect(await answer("claude", written("claude", path, root))).toBeUndefined();
    expect(order).toHaveLength(2);
  });
});
