/** Hunks of what agents write beside the server, and of an earlier session. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { noteWriter } from "../server/disk/writers.js";
import type { ReviewResult } from "../server/lsp/protocol.js";
import { announced, ownStateHome } from "./support/agentPeer.js";
import { runCommand } from "./support/commands.js";
import { batch, patchOf, serverForDesks } from "./support/desk.js";
import { startEditor } from "./support/fakeEditor.js";
import { events } from "./support/hookEvents.js";
import { loadingDesks } from "./support/loadingDesk.js";
import { layReviewDesk } from "./support/reviewDesk.js";

const program = serverForDesks();

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

describe("what an agent writes with a tool of its own", () => {
  const tenWith = (line: string): string => ten.replace("2", line);

  it("has hunks if its hook has said that it writes the file", async () => {
    ownStateHome();
    const capabilities = { experimental: { multiEdit: { didChangeOnDisk: true, review: true } } };
    const desk = await loadingDesks(program)({ open: { "a.txt": ten, "b.txt": ten }, capabilities });
    const list = async (): Promise<string[]> => {
      const { hunks } = (await desk.editor.request("multiEdit/review", {})) as ReviewResult;
      return hunks.map(({ agent, oldText, newText }) => `${agent}: ${oldText.trim()} > ${newText.trim()}`);
    };
    await desk.write("a.txt", tenWith("other"));
    await vi.waitUntil(() => desk.texts()["a.txt"] === tenWith("other"));
    expect(await list()).toEqual([]);
    noteWriter([`${desk.root}/a.txt`, `${desk.root}/b.txt`], { name: "claude-code" });
    await desk.write("a.txt", tenWith("agent"));
    await vi.waitUntil(() => desk.texts()["a.txt"] === tenWith("agent"));
    expect(await list()).toEqual(["claude-code: other > agent"]);
    // A note is for one write.
    await desk.write("a.txt", tenWith("formatter"));
    await vi.waitUntil(() => desk.texts()["a.txt"] === tenWith("formatter"));
    await desk.typeOver("b.txt", "9", "nine");
    await desk.write("b.txt", tenWith("merged"));
    await vi.waitUntil(() => desk.texts()["b.txt"]?.includes("merged"));
    await vi.waitUntil(async () => (await list()).length === 2);
    expect((await list()).at(-1)).toBe("claude-code: 2 > merged");
    await desk.editor.request("multiEdit/undo", { uri: desk.uri("b.txt") });
    expect(desk.texts()["b.txt"]).toBe(ten.replace("9", "nine"));
  });
});

describe("what a command of an agent writes", () => {
  const withLine = (line: string): string => ten.replace("2", line);

  /** A desk with open files, and what the hook of an agent says after a command that ran for these milliseconds. */
  async function lay() {
    const home = ownStateHome();
    const capabilities = { experimental: { multiEdit: { didChangeOnDisk: true, review: true } } };
    const desk = await loadingDesks(program)({ open: { "a.txt": ten, "b.txt": ten }, capabilities });
    await announced(home);
    const written = (name: string, line: string) =>
      desk.write(name, withLine(line)).then(() => vi.waitUntil(() => desk.texts()[name]?.includes(line), 5_000));
    const list = async (): Promise<string[]> => {
      const { hunks } = (await desk.editor.request("multiEdit/review", {})) as ReviewResult;
      return hunks.map(({ agent, oldText, newText }) => `${agent}: ${oldText.trim()} > ${newText.trim()}`);
    };
    const ranFor = async (duration_ms: number | undefined, more: object = {}): Promise<void> => {
      const event = events.claude("Bash", { command: "sed -i s/2/agent/ a.txt" }, "PostToolUse");
      const input = JSON.stringify({ ...event, cwd: desk.root, duration_ms, ...more });
      expect((await runCommand(program, ["hook", "claude"], { input })).code).toBe(0);
    };
    return { ...desk, written, list, ranFor };
  }

  it("has hunks once its hook has said how long the command ran, and what the user wrote before has none", async () => {
    const { written, list, ranFor, typeOver, write, texts } = await lay();
    await written("a.txt", "user");
    await delay(4_000);
    const start = performance.now();
    await written("a.txt", "formatted");
    await written("a.txt", "agent");
    await typeOver("b.txt", "9", "nine");
    await write("b.txt", withLine("merged"));
    await vi.waitUntil(() => texts()["b.txt"]?.includes("merged"));
    expect(await list()).toEqual([]);
    // The hook may start late on a busy machine.
    await ranFor(performance.now() - start + 2_500);
    await expect.poll(list, { timeout: 5_000 }).toEqual(["claude-code: user > agent", "claude-code: 2 > merged"]);
  });

  it("has hunks if the editor gets it only after the hook", async () => {
    const { write, list, ranFor } = await lay();
    await write("a.txt", withLine("agent"));
    await ranFor(60_000);
    await expect.poll(list, { timeout: 5_000 }).toEqual(["claude-code: 2 > agent"]);
  });

  it("does not count as read: the lines of a later edit are still those that the caller has read", async () => {
    const { root, write, list, ranFor, texts } = await lay();
    const run = (args: readonly string[], input = "") => runCommand(program, args, { input, cwd: root });
    expect((await run(["read", "a.txt"])).stdout).toContain("5");
    await write("a.txt", `new\n${ten}`);
    await ranFor(60_000);
    await expect.poll(list, { timeout: 5_000 }).toEqual(["claude-code:  > new"]);
    const edit = { path: "a.txt", startLine: 5, endLine: 5, newText: "five" };
    expect(await run(["apply"], JSON.stringify(edit))).toMatchObject({ code: 0 });
    expect(texts()["a.txt"]).toBe(`new\n${ten.replace("5", "five")}`);
  });

  it("has none if the agent does not say how long the command ran, or if it ran elsewhere", async () => {
    const { written, list, ranFor } = await lay();
    await written("a.txt", "agent");
    await ranFor(undefined);
    await ranFor(600_000, { cwd: "/" });
    await delay(500);
    expect(await list()).toEqual([]);
  });

  it("has none after the user has changed the text", async () => {
    const { written, list, ranFor, typeOver } = await lay();
    await written("a.txt", "agent");
    await typeOver("a.txt", "9", "nine");
    await ranFor(60_000);
    await delay(500);
    expect(await list()).toEqual([]);
  });
});

describe("after a restart", () => {
  /** Starts an editor for a folder, with its own server; returns what it lists. */
  async function again(root: string) {
    const server = [process.execPath, program.path, "--stdio"] as const;
    const editor = await startEditor({ server, folders: [root], settings: { review: "hints", save: "never" } });
    onTestFinished(async () => void (await editor.stop()));
    const list = async (): Promise<string[]> => {
      const { hunks } = (await editor.request("multiEdit/review", {})) as ReviewResult;
      return hunks.map(
        ({ uri, newText, state }) => `${uri.slice(uri.lastIndexOf("/") + 1)} ${newText.trim()} ${state}`,
      );
    };
    return { editor, list };
  }

  it("hunks of saved text are there, if the file is as it was, and can be undone and kept", async () => {
    const home = ownStateHome();
    const { root, uri, apply, editor, typeBefore } = await layReviewDesk(
      program,
      { files: { "b.txt": ten, "c.txt": ten }, open: { "a.txt": ten, "d.txt": ten } },
      { isDrawn: false },
    );
    const { transaction } = await apply(
      batch(["b.txt", "2\n", "B\n"], ["b.txt", "7\n", "G\n"], ["c.txt", "2\n", "C\n"]),
    );
    await typeBefore("d.txt", "9", "never saved ");
    await apply(batch(["a.txt", "2\n", "A\n"], ["d.txt", "never saved 9\n", "D\n"]));
    await vi.waitUntil(() => keptIn(home).includes("G"));
    writeFileSync(join(root, "a.txt"), ten.replace("2", "A"));
    writeFileSync(join(root, "d.txt"), ten.replace("9", "D"));
    for (const path of ["d.txt", "a.txt"])
      await editor.notify("textDocument/didSave", { textDocument: { uri: uri(path) } });
    await vi.waitUntil(() => keptIn(home).includes("a.txt"));
    expect(keptIn(home)).not.toContain("never saved");
    writeFileSync(join(root, "c.txt"), `${ten}changed\n`);
    const next = await again(root);
    await vi.waitUntil(async () => (await next.list()).length > 0);
    expect(await next.list()).toEqual(["a.txt A pending", "b.txt B pending", "b.txt G pending"]);
    await next.editor.request("multiEdit/keep", { uri: uri("a.txt") });
    await next.editor.request("multiEdit/undo", { transaction });
    expect(readFileSync(join(root, "b.txt"), "utf8")).toBe(ten);
    const third = await again(root);
    await third.editor.request("multiEdit/status", null);
    expect(await third.list()).toEqual([]);
  });

  it("files that were created, renamed and deleted are there, if they are as they were, and can be undone", async () => {
    const home = ownStateHome();
    const files = { "gone.txt": "gone\n", "back.txt": "back\n", "old.txt": ten, "deep/one.txt": "one\n" };
    const { root, apply, disk, ask, uri } = await layReviewDesk(program, { files }, { isDrawn: false });
    await apply(
      patchOf(
        ...["*** Add File: new.txt", "+new", "*** Add File: typed.txt", "+new", "*** Delete File: gone.txt"],
        ...["*** Delete File: back.txt", "*** Update File: old.txt", "*** Move to: moved.txt", "@@", "-2", "+B"],
        ...["*** Update File: deep/one.txt", "*** Move to: deep/two.txt"],
      ),
    );
    await vi.waitUntil(() => keptIn(home).includes(`"B\\n"`) && keptIn(home).includes("two.txt"));
    await ask("multiEdit/keep", { uri: uri("deep/two.txt") });
    await vi.waitUntil(() => !keptIn(home).includes("two.txt"));
    writeFileSync(join(root, "typed.txt"), "new\ntyped\n");
    writeFileSync(join(root, "back.txt"), "again\n");
    const next = await again(root);
    await vi.waitUntil(async () => (await next.list()).length > 0);
    expect(await next.list()).toEqual([
      "gone.txt  pending",
      "moved.txt  pending",
      "moved.txt B pending",
      "new.txt  pending",
    ]);
    const { diff } = (await next.editor.request("workspace/executeCommand", {
      command: "multiEdit.reviewDiff",
    })) as { readonly diff: string };
    expect(diff).toContain("-gone\n");
    await next.editor.request("multiEdit/undo", { all: true });
    expect(disk()).toEqual({
      ...{ "gone.txt": "gone\n", "old.txt": ten, "back.txt": "again\n" },
      ...{ "deep/two.txt": "one\n", "typed.txt": "new\ntyped\n" },
    });
    expect(await next.list()).toEqual([]);
  });

  it("a call is undone without those before it on the same lines", async () => {
    const home = ownStateHome();
    const { root, apply } = await layReviewDesk(program, { files: { "b.txt": ten } }, { isDrawn: false });
    await apply(batch(["b.txt", "2\n", "first\n"]));
    const { transaction } = await apply(batch(["b.txt", "first\n", "second\n"]));
    await vi.waitUntil(() => keptIn(home).includes("second"));
    const next = await again(root);
    await vi.waitUntil(async () => (await next.list()).length > 0);
    await next.editor.request("multiEdit/undo", { transaction });
    expect(readFileSync(join(root, "b.txt"), "utf8")).toBe(ten.replace("2", "first"));
  });

  /** Everything that the server keeps of a review. */
  const keptIn = (home: string): string => {
    const folder = join(home, "multi-edit-language-server", "reviews");
    // A file under another name is being written, and may have got its own name meanwhile.
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
    return names.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  };
});
