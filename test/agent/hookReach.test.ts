/** `multi-edit hook` and the files whose unsaved text can't be had: whom it turns away, whom it leaves alone, what it says. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { announced, ownStateHome, sessionsIn } from "../support/agentPeer.js";
import { type Ran, runCommand, suspend } from "../support/commands.js";
import { makeDirectory } from "../support/directory.js";
import type { FakeEditor } from "../support/fakeEditor.js";
import { hookColumns, reasonIn } from "../support/hookColumns.js";
import { answer, events, layProject, program, saved, startDesk, unsaved } from "../support/hookEvents.js";
import { startStub } from "../support/sessionStub.js";

const uri = (root: string, name: string): string => pathToFileURL(join(root, name)).href;
const edit = (root: string, name: string): object =>
  events.claude("Edit", { file_path: join(root, name), old_string: "a", new_string: "b" });
const read = (root: string, name: string, lines: object = {}): object =>
  events.claude("Read", { file_path: join(root, name), ...lines }, "PostToolUse");
const others = ["saved.ts", "closed.ts", "new.ts"] as const;

/** Waits until the only session's announcement has these files as unsaved. */
async function untilUnsaved(home: string, paths: readonly string[]): Promise<void> {
  await expect
    .poll(async () => (await announced(home)).map((one) => (one as { unsaved?: string[] }).unsaved), {
      timeout: 10_000,
    })
    .toEqual([paths]);
}

/** Tells the server that the editor has saved a file, which it writes. */
async function save(editor: FakeEditor, root: string, name: string): Promise<void> {
  writeFileSync(join(root, name), editor.documents.get(uri(root, name))?.text ?? "");
  await editor.notify("textDocument/didSave", { textDocument: { uri: uri(root, name) } });
}

describe("if agents are switched off in the editor, an agent's own edit", () => {
  it("is turned away from unsaved text only, until the user saves it", async () => {
    const { home, root, editor } = await layProject({ agent: { enabled: false } });
    await untilUnsaved(home, [join(root, "price.ts")]);
    for (const form of [[], ["--apply"]]) {
      expect(reasonIn("claude", await answer("claude", edit(root, "price.ts"), ...form))).toMatch(
        /price\.ts" has unsaved changes in the editor \w+ \(Desk in .*\), and agents are switched off in this editor\. .*Nothing was changed\. Ask the user to save the file there, or to close it, and then send this call again\. Until then, .* Other files can be changed\.$/,
      );
      for (const name of others) expect(await answer("claude", edit(root, name), ...form), name).toBeUndefined();
    }
    expect(await answer("claude", read(root, "price.ts"))).toBeUndefined();
    await save(editor, root, "price.ts");
    await untilUnsaved(home, []);
    expect(await answer("claude", edit(root, "price.ts"))).toBeUndefined();
    await editor.type({ uri: uri(root, "price.ts"), from: 0, to: 0, insert: "// more\n" });
    await untilUnsaved(home, [join(root, "price.ts")]);
    await editor.close(uri(root, "price.ts"));
    await untilUnsaved(home, []);
  });
});

describe("if the editor does not answer, an agent's own edit", () => {
  it("is turned away from unsaved text only, with the next step", async () => {
    const { home, root, editor } = await layProject();
    await untilUnsaved(home, [join(root, "price.ts")]);
    suspend(editor);
    expect(reasonIn("claude", await answer("claude", edit(root, "price.ts"), "--apply"))).toMatch(
      /has unsaved changes in the editor \w+ \(Desk in .*\), but it did not answer within 4 s\. .*Nothing was changed\. Ask the user to save the file there, .* then send this call again\. .*resume or close it\. Until then, this call is always turned away, so do not repeat it, /,
    );
    for (const name of others) expect(await answer("claude", edit(root, name)), name).toBeUndefined();
    expect(await answer("claude", read(root, "price.ts"))).toBeUndefined();
    editor.process.kill("SIGCONT");
    expect(reasonIn("claude", await answer("claude", edit(root, "price.ts")))).toMatch(hookColumns.claude.ours);
  });

  it("is turned away from all files of its folders if it has not announced which ones are unsaved", async () => {
    const home = ownStateHome();
    const root = makeDirectory({ "price.ts": saved });
    await startStub(home, { isImpostor: true, folders: [root] });
    expect(reasonIn("claude", await answer("claude", edit(root, "price.ts")))).toMatch(
      /may have unsaved changes in the editor .* Ask the user to save .*so do not repeat it/,
    );
  });
});

it("an editor of a newer version keeps an agent's own edit away from its own folders only, and the reason names the step", async () => {
  const home = ownStateHome();
  const folder = makeDirectory({ "theirs/price.ts": saved, "price.ts": saved });
  mkdirSync(sessionsIn(home), { recursive: true, mode: 0o700 });
  const record = { format: 2, folders: [{ uri: "", path: join(folder, "theirs") }] };
  writeFileSync(join(sessionsIn(home), "0123456789ab.json"), JSON.stringify(record), { mode: 0o600 });
  for (const form of [[], ["--apply"]]) {
    expect(await answer("claude", edit(folder, "price.ts"), ...form)).toBeUndefined();
    expect(reasonIn("claude", await answer("claude", edit(folder, "theirs/price.ts"), ...form))).toMatch(
      /can't be asked\. .* Update this program, multi-edit, to that version/,
    );
  }
});

it("a draft of which only the client knows is announced, too", async () => {
  const { home, root, editor } = await layProject({ agent: { enabled: false } });
  await editor.notify("multiEdit/didChangeUnsynced", { uris: [uri(root, "closed.ts")] });
  await untilUnsaved(home, [join(root, "price.ts"), join(root, "closed.ts")]);
  expect(reasonIn("claude", await answer("claude", edit(root, "closed.ts")))).toMatch(/switched off/);
});

describe("a file that is neither UTF-8 nor UTF-16", () => {
  it("is left alone if it is saved, even after a change on disk, and not if it has unsaved text", async () => {
    const { root, editor } = await layProject();
    for (const [name, bytes, text] of [
      ["latin.ts", Buffer.from("// caf\xe9\n", "latin1"), "// café\n"],
      ["windows.ts", Buffer.from("// \x93caf\xe9\x94\n", "latin1"), "// “café”\n"],
      ["cyrillic.ts", Buffer.from([0x2f, 0x2f, 0xd2, 0xd3, 0x0a]), "//то\n"],
    ] as const) {
      writeFileSync(join(root, name), bytes);
      await editor.open({ uri: uri(root, name), text });
      expect(await answer("claude", edit(root, name)), name).toBeUndefined();
      await editor.type({ uri: uri(root, name), from: 0, to: 0, insert: "// typed\n" });
      expect(reasonIn("claude", await answer("claude", edit(root, name))), name).toMatch(hookColumns.claude.ours);
      if (name === "cyrillic.ts") continue;
      writeFileSync(join(root, name), Buffer.concat([Buffer.from("// typed\n"), bytes]));
      expect(await answer("claude", edit(root, name)), name).toBeUndefined();
    }
    await editor.notify("textDocument/didSave", { textDocument: { uri: uri(root, "cyrillic.ts") } });
    expect(await answer("claude", edit(root, "cyrillic.ts"))).toBeUndefined();
  });

  it("that does not exist yet is left alone as long as the editor has no text for it", async () => {
    const { root, editor } = await layProject();
    await editor.open({ uri: uri(root, "new.ts"), text: "" });
    expect(await answer("claude", edit(root, "new.ts"))).toBeUndefined();
    await editor.type({ uri: uri(root, "new.ts"), from: 0, to: 0, insert: "x" });
    expect(reasonIn("claude", await answer("claude", edit(root, "new.ts")))).toMatch(hookColumns.claude.ours);
  });
});

it.each([
  ["is outside the workspace", "../outside.ts", /is outside the workspace/],
  ["is protected", ".git/config", /is protected/],
])(
  "an edit of unsaved text that our tools refuse, because it %s, is turned away with a step that works",
  async (_why, name, why) => {
    const { root, editor } = await layProject();
    const folder = makeDirectory({ "outside.ts": saved, "project/.git/config": saved });
    const path = name.startsWith("..") ? join(folder, "outside.ts") : join(root, name);
    mkdirSync(join(root, ".git"));
    writeFileSync(path, saved);
    const document = pathToFileURL(path).href;
    await editor.open({ uri: document, text: unsaved });
    const event = events.claude("Edit", { file_path: path, old_string: "0.19", new_string: "0.2" });
    for (const form of [[], ["--apply"]]) {
      const reason = reasonIn("claude", await answer("claude", event, ...form));
      expect(reason).toMatch(why);
      expect(reason).toMatch(
        /Nothing was changed\. Ask the user to save the file, or to discard the changes; then send this call again\.$/,
      );
      expect(reason).not.toMatch(hookColumns.claude.ours);
    }
    expect(await answer("claude", events.claude("Read", { file_path: path }, "PostToolUse"))).toBeUndefined();
    expect([editor.documents.get(document)?.text, readFileSync(path, "utf8")]).toEqual([unsaved, saved]);
  },
);

describe("if several editors have the file open, MULTI_EDIT_SESSION", () => {
  it("chooses the editor, but the message, which a model reads, does not say so", async () => {
    const { home, root, editor } = await layProject();
    const [{ id }] = await announced(home);
    const other = await startDesk(root);
    await other.open({ uri: uri(root, "price.ts"), text: saved });
    await announced(home, 2);
    const event = events.opencode("edit", { filePath: join(root, "price.ts"), oldString: "0.19", newString: "0.2" });
    const reason = reasonIn("opencode", await answer("opencode", event, "--apply"));
    expect(reason).toMatch(/^Several editors have these files open:/);
    expect(reason).not.toContain("MULTI_EDIT_SESSION");
    process.env.MULTI_EDIT_SESSION = id;
    try {
      expect(reasonIn("opencode", await answer("opencode", event))).toMatch(hookColumns.opencode.ours);
      expect(reasonIn("opencode", await answer("opencode", event, "--apply"))).toMatch(/^Done\./);
    } finally {
      delete process.env.MULTI_EDIT_SESSION;
    }
    expect(editor.documents.get(uri(root, "price.ts"))?.text).toBe(unsaved.replace("0.19", "0.2"));
  });
});

describe("if MULTI_EDIT_SESSION names an editor that does not have the file, an agent's own edit", () => {
  it("is turned away in both forms, names the editor that has the unsaved text, and is applied in neither", async () => {
    const { home, root, editor } = await layProject();
    const [{ id }] = await announced(home);
    await startDesk(root);
    const second = (await announced(home, 2)).find((one) => one.id !== id)!.id;
    const event = events.opencode("edit", { filePath: join(root, "price.ts"), oldString: "0.19", newString: "0.2" });
    process.env.MULTI_EDIT_SESSION = second;
    try {
      for (const form of [[], ["--apply"]]) {
        const reason = reasonIn("opencode", await answer("opencode", event, ...form));
        expect(reason).toContain(`price.ts" has unsaved changes in the editor ${id} (Desk in`);
        expect(reason).toContain(`MULTI_EDIT_SESSION names another editor, "${second}"`);
        const free = events.opencode("edit", { filePath: join(root, "saved.ts"), oldString: "a", newString: "b" });
        expect(await answer("opencode", free, ...form)).toBeUndefined();
      }
    } finally {
      delete process.env.MULTI_EDIT_SESSION;
    }
    expect(editor.documents.get(uri(root, "price.ts"))?.text).toBe(unsaved);
  });
});

describe("a file that was deleted on disk while it was open and saved", () => {
  const write = (path: string): object => ({
    ...events.claude("Write", { file_path: path, content: "new\n" }),
    permission_mode: "acceptEdits",
  });

  it("is kept from the agent's own tool, and each step that the reason names works", async () => {
    const { root, editor } = await layProject();
    const path = join(root, "saved.ts");
    const text = (): string | undefined => editor.documents.get(uri(root, "saved.ts"))?.text;
    rmSync(path);
    for (const form of [[], ["--apply"]]) {
      const reason = reasonIn("claude", await answer("claude", write(path), ...form));
      expect(reason).toMatch(/^There is no file ".*saved\.ts" on disk: it was deleted or never saved\. /);
      expect(reason).toMatch(/use mcp__multi-edit__multi_edit\. .*Or ask the user to close the file/);
      expect(reason).not.toMatch(/\bRead\b|unsaved/);
    }
    const env = { MULTI_EDIT_AGENT: "0123456789abcdef01234567" };
    const run = (args: readonly string[], input = ""): Promise<Ran> =>
      runCommand(program, args, { cwd: root, env, input });
    const edits = [{ path: "saved.ts", oldText: "0.19", newText: "0.2" }];
    expect(await run(["apply"], JSON.stringify({ edits }))).toMatchObject({ code: 0 });
    expect(text()).toBe(saved.replace("0.19", "0.2"));
    rmSync(path, { force: true });
    expect(await run(["read", "saved.ts"])).toMatchObject({ code: 0, stdout: text() });
    const patch = "*** Begin Patch\n*** Add File: saved.ts\n+new\n*** End Patch\n";
    expect(await run(["apply"], patch)).toMatchObject({ code: 0 });
    expect(text()).toBe("new\n");
    rmSync(path, { force: true });
    await editor.close(uri(root, "saved.ts"));
    expect(await answer("claude", write(path))).toBeUndefined();
  });
});

describe("an event", () => {
  const run = (input: string | Uint8Array, name = "claude", cwd?: string): Promise<Ran> =>
    runCommand(program, ["hook", name], { input, ...(cwd === undefined ? {} : { cwd }) });

  it("may start with a byte order mark", async () => {
    const { root } = await layProject();
    const { code, stdout } = await run(`\ufeff${JSON.stringify(edit(root, "price.ts"))}`);
    expect(code).toBe(0);
    expect(reasonIn("claude", JSON.parse(stdout))).toMatch(hookColumns.claude.ours);
    expect(await run(`\ufeff${JSON.stringify(edit(root, "saved.ts"))}`)).toMatchObject({ code: 0, stdout: "" });
  });

  it("that is too large or no JSON object is turned away only as long as an editor has unsaved text", async () => {
    const { home, root, editor } = await layProject();
    await untilUnsaved(home, [join(root, "price.ts")]);
    const huge = events.claude("Write", { file_path: join(root, "price.ts"), content: "x".repeat(64 * 1024 * 1024) });
    const inputs = [
      [
        "no JSON",
        /its event is not a JSON object\. .*price\.ts".*\. Nothing was changed\. Ask the user to save this file/,
      ],
      [
        JSON.stringify(huge),
        /it is larger than 67108864 bytes\. .*price\.ts".*Send smaller calls, or ask the user to save/,
      ],
    ] as const;
    for (const [input, why] of inputs) {
      for (const name of ["claude", "codex", "gemini", "opencode"] as const) {
        const { code, stdout } = await run(input, name);
        expect(code).toBe(0);
        expect(reasonIn(name, JSON.parse(stdout))).toMatch(why);
      }
    }
    await save(editor, root, "price.ts");
    await untilUnsaved(home, []);
    for (const [input] of inputs) {
      expect(await run(input, "claude", root)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining("must be one event"),
      });
    }
  }, 60_000);
});

describe("a read", () => {
  it("of a line that is too long is cut, and says how to go on", async () => {
    const { root, editor } = await layProject();
    const path = join(root, "closed.ts");
    await editor.open({ uri: uri(root, "closed.ts"), text: `${"x".repeat(79_999)}${"😀".repeat(100_000)}\nlast\n` });
    const note =
      /^Lines 1 to 1 of 2, .* Line 1 is too long for one answer: only 79999 of its 280000 characters are shown\. .*search it with a command\. To read on, start at line 2\./;
    const file = { content: "x".repeat(79_999), numLines: 1, startLine: 1, totalLines: 3 };
    expect(await answer("claude", read(root, "closed.ts"))).toMatchObject({
      hookSpecificOutput: { updatedToolOutput: { file }, additionalContext: expect.stringMatching(note) },
    });
    const gemini = events.gemini("read_file", { file_path: path }, root, "AfterTool");
    const { reason } = (await answer("gemini", gemini)) as { reason: string };
    expect(reason).toMatch(note);
    expect(reason.endsWith(`\n\n${"x".repeat(79_999)}`)).toBe(true);
    expect(await answer("claude", read(root, "closed.ts", { offset: 2 }))).toMatchObject({
      hookSpecificOutput: { updatedToolOutput: { file: { content: "last\n", startLine: 2 } } },
    });
  });

  it("past the end of unsaved text says how many lines there are", async () => {
    const { root } = await layProject();
    const path = join(root, "price.ts");
    const note = "In the user's editor, this file has unsaved changes and only 3 lines, so it has no line 99.";
    expect(await answer("claude", read(root, "price.ts", { offset: 99 }))).toMatchObject({
      hookSpecificOutput: {
        additionalContext: expect.stringContaining(note),
        updatedToolOutput: { file: { content: "", numLines: 0, startLine: 99, totalLines: 3 } },
      },
    });
    const gemini = events.gemini("read_file", { file_path: path, start_line: 99 }, root, "AfterTool");
    expect(await answer("gemini", gemini)).toMatchObject({ reason: expect.stringContaining(note) });
    expect(
      await answer("opencode", events.opencode("read", { filePath: path, offset: 99 }, "from disk")),
    ).toMatchObject({
      output: expect.stringMatching(/no line 99\..*<content>\n\n\n\(End of file - total 3 lines\)\n<\/content>/s),
    });
  });

  it("says where to read on if it got less than it asked for", async () => {
    const { root, editor } = await layProject();
    await editor.open({ uri: uri(root, "closed.ts"), text: "line\n".repeat(3_000) });
    const path = join(root, "closed.ts");
    const lines = (range: object): object =>
      events.gemini("read_file", { file_path: path, ...range }, root, "AfterTool");
    for (const [range, note] of [
      [{ end_line: 2_500 }, /^Lines 1 to 2000 of 3000, .* To read on, start at line 2001\./],
      [{}, /^Lines 1 to 2000 of 3000, .* To read on, start at line 2001\./],
      [{ start_line: 2_001, end_line: 2_500 }, /^Lines 2001 to 2500 of 3000, (?!.*To read on)/],
    ] as const) {
      expect(await answer("gemini", lines(range))).toMatchObject({ reason: expect.stringMatching(note) });
    }
  });
});

it("a refusal that nobody reads on standard output is still a refusal: exit code 2, with the reason on standard error", async () => {
  const { root } = await layProject();
  const run = async (event: object): Promise<readonly [number, string]> => {
    const child = spawn(process.execPath, [program.path, "hook", "claude"], { env: process.env });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const exit = once(child, "close");
    // The pipe is closed before the event can be answered.
    await once(child.stdout, "close");
    child.stdin.end(JSON.stringify(event));
    return [Number((await exit)[0]), stderr];
  };
  expect(await run(edit(root, "price.ts"))).toEqual([2, expect.stringMatching(hookColumns.claude.ours)]);
  expect(await run(read(root, "price.ts"))).toEqual([1, ""]);
  expect(await run(edit(root, "saved.ts"))).toEqual([0, ""]);
});
