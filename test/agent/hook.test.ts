/** `multi-edit hook`: what agents' own tools may do to files that an editor has open, with the agents' events as seen. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { askingNames } from "../../server/agents/agents.js";
import { writerOf } from "../../server/disk/writers.js";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { runCommand, suspend } from "../support/commands.js";
import { makeDirectory } from "../support/directory.js";
import { startEditor } from "../support/fakeEditor.js";
import { hookColumns, type Name, reasonIn } from "../support/hookColumns.js";
import { answer, events, layProject, program, saved, unsaved } from "../support/hookEvents.js";
import { startStub } from "../support/sessionStub.js";

/** The events that agents send before their own tools run, by the agent and the tool; `path` is absolute. */
const edits: Readonly<Record<string, readonly [name: Name, event: (path: string, root: string) => object]>> = {
  "Claude Code's Edit": [
    "claude",
    (file_path) => events.claude("Edit", { file_path, old_string: "a", new_string: "b" }),
  ],
  "Claude Code's MultiEdit": ["claude", (file_path) => events.claude("MultiEdit", { file_path, edits: [] })],
  "Claude Code's Write": ["claude", (file_path) => events.claude("Write", { file_path, content: "new" })],
  "Claude Code's NotebookEdit": ["claude", (notebook_path) => events.claude("NotebookEdit", { notebook_path })],
  "Codex's apply_patch": ["codex", (path, cwd) => events.codex("apply_patch", patchOf(path), cwd)],
  "a patch in Codex's shell": [
    "codex",
    (path, cwd) => events.codex("Bash", `apply_patch <<'EOF'\n${patchOf(path)}\nEOF`, cwd),
  ],
  "a patch of a relative path": [
    "codex",
    (path, cwd) => events.codex("apply_patch", patchOf(path.slice(cwd.length + 1)), cwd),
  ],
  "a patch that moves a file": [
    "codex",
    (path, cwd) => events.codex("apply_patch", patchOf("closed.ts").replace("\n@@", `\n*** Move to: ${path}\n@@`), cwd),
  ],
  "Gemini CLI's replace": [
    "gemini",
    (file_path, cwd) =>
      events.gemini("replace", { file_path, instruction: "x", old_string: "a", new_string: "b" }, cwd),
  ],
  "Gemini CLI's write_file": [
    "gemini",
    (file_path, cwd) => events.gemini("write_file", { file_path, content: "x" }, cwd),
  ],
  "Copilot CLI's edit": ["copilot", (path, cwd) => events.copilot("Edit", { path, old_str: "a", new_str: "b" }, cwd)],
  "Copilot CLI's create": ["copilot", (path, cwd) => events.copilot("Write", { path, file_text: "x" }, cwd)],
  "Copilot CLI's apply_patch": ["copilot", (path, cwd) => events.copilot("Edit", patchOf(path), cwd)],
  "Qwen Code's edit": [
    "qwen",
    (file_path, cwd) => events.qwen("edit", { file_path, old_string: "a", new_string: "b" }, cwd),
  ],
  "Qwen Code's write_file": ["qwen", (file_path, cwd) => events.qwen("write_file", { file_path, content: "x" }, cwd)],
  "Qwen Code's notebook_edit": ["qwen", (notebook_path, cwd) => events.qwen("notebook_edit", { notebook_path }, cwd)],
  "opencode's edit": ["opencode", (filePath) => events.opencode("edit", { filePath, oldString: "a", newString: "b" })],
  "opencode's write": ["opencode", (filePath) => events.opencode("write", { filePath, content: "x" })],
  "opencode's apply_patch": ["opencode", (path) => events.opencode("apply_patch", { patchText: patchOf(path) })],
};

const patchOf = (path: string): string => `*** Begin Patch\n*** Update File: ${path}\n@@\n-a\n+b\n*** End Patch`;

describe("an agent's own tool that would change a file", () => {
  it("is turned away with the names of our tools if the file has unsaved text, and left alone otherwise", async () => {
    const { root, editor } = await layProject();
    for (const [tool, [name, event]] of Object.entries(edits)) {
      const path = join(root, "price.ts");
      const reason = reasonIn(name, await answer(name, event(path, root)));
      expect(reason, tool).toMatch(/unsaved changes/);
      expect(reason, tool).toContain(`"${path}"`);
      expect(reason, tool).toMatch(hookColumns[name].ours);
      for (const other of ["saved.ts", "closed.ts", "new.ts", "../outside.ts"]) {
        expect(await answer(name, event(join(root, other), root)), `${tool} of ${other}`).toBeUndefined();
      }
    }
    expect(editor.documents.get(pathToFileURL(join(root, "price.ts")).href)?.text).toBe(unsaved);
  }, 60_000);

  it("is left alone if no editor is running, and turned away if one is announced but can't be reached", async () => {
    const home = ownStateHome();
    const root = makeDirectory({ "price.ts": saved });
    const [, event] = edits["Claude Code's Edit"]!;
    const path = join(root, "price.ts");
    expect(await answer("claude", event(path, root))).toBeUndefined();
    const id = await startStub(home, { isImpostor: true, folders: [root] });
    expect(reasonIn("claude", await answer("claude", event(path, root)))).toContain(id);
    expect(await answer("claude", event("/elsewhere/price.ts", root))).toBeUndefined();
    expect(await answer("claude", events.claude("Read", { file_path: path }, "PostToolUse"))).toBeUndefined();
  });

  it("is turned away if the editor has changes that it does not sync", async () => {
    const { root, editor } = await layProject();
    const path = join(root, "closed.ts");
    await editor.connection.sendNotification("multiEdit/didChangeUnsynced", { uris: [pathToFileURL(path).href] });
    await editor.connection.sendRequest("multiEdit/status");
    const [, event] = edits["opencode's write"]!;
    expect(reasonIn("opencode", await answer("opencode", event(path, root)))).toMatch(/is open in Desk .*Ask the user/);
  });

  it("is turned away in both forms if several editors have the file open, and a read is left alone", async () => {
    const { root, editor } = await layProject();
    const path = join(root, "price.ts");
    const [, event] = edits["opencode's edit"]!;
    const read = events.opencode("read", { filePath: path }, "from disk");
    const uri = pathToFileURL(path).href;
    const other = await startEditor({
      server: [process.execPath, program.path, "--stdio"],
      folders: [root],
      clientInfo: { name: "Other" },
    });
    onTestFinished(() => void other.process.kill("SIGKILL"));
    await announced(process.env.XDG_STATE_HOME!, 2);
    for (const text of [saved, `// other\n${saved}`]) {
      await other.open({ uri, text });
      for (const form of [[], ["--apply"]]) {
        const reason = reasonIn("opencode", await answer("opencode", event(path, root), ...form));
        expect(reason).toMatch(/^Several editors have these files open:.*Desk.*Other|Other.*Desk/s);
      }
      expect(await answer("opencode", read)).toBeUndefined();
      await other.connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
    }
    suspend(other);
    for (const form of [[], ["--apply"]]) {
      expect(reasonIn("opencode", await answer("opencode", event(path, root), ...form))).toMatch(/Other/);
    }
    expect(await answer("opencode", read)).toBeUndefined();
    expect(editor.documents.get(uri)?.text).toBe(unsaved);
  }, 60_000);

  it("is turned away if a command goes into a folder before it applies a patch, and does more", async () => {
    const { root } = await layProject();
    const apply = `apply_patch <<'EOF'\n${patchOf("price.ts")}\nEOF`;
    for (const command of [
      `cd "${root}" && ${apply}`,
      `cd '${root}' && ${apply}`,
      `cd ${root} && ${apply} && npm test`,
      `cd ${root}\n${apply.replaceAll("'", "")}`,
      `set -e; cd "${root}"; ${apply}`,
    ]) {
      const reason = reasonIn("codex", await answer("codex", events.codex("Bash", command, "/")));
      expect(reason, command).toContain(`"${join(root, "price.ts")}"`);
    }
  });

  it("is left alone once the text is saved", async () => {
    const { root } = await layProject();
    const path = join(root, "price.ts");
    writeFileSync(path, unsaved);
    const [, event] = edits["Gemini CLI's replace"]!;
    expect(await answer("gemini", event(path, root))).toBeUndefined();
    // The editor then knows whose change it finds on disk.
    expect(writerOf(path)?.by.name).toBe("gemini-cli");
    expect(writerOf(join(root, "closed.ts"))).toBeUndefined();
  });
});

describe("the hook of Claude Code's plugin", () => {
  it.each<[agent: string, variable: string, name: Name, tool: string]>([
    ["Copilot CLI", "COPILOT_PROJECT_DIR", "copilot", "Copilot CLI's edit"],
    ["Qwen Code", "QWEN_PROJECT_DIR", "qwen", "Qwen Code's edit"],
  ])("reads the events of %s, which installs the plugin, too, and names its names", async (_, variable, name, tool) => {
    const { root } = await layProject();
    process.env[variable] = root;
    onTestFinished(() => void delete process.env[variable]);
    const event = edits[tool]![1];
    expect(reasonIn("claude", await answer("claude", event(join(root, "price.ts"), root)))).toMatch(
      hookColumns[name].ours,
    );
    expect(await answer("claude", event(join(root, "closed.ts"), root))).toBeUndefined();
  });
});

describe("what an agent's own tool has read", () => {
  const reads: Readonly<Record<string, (path: string, lines: object) => readonly [Name, object]>> = {
    claude: (file_path, lines) => ["claude", events.claude("Read", { file_path, ...lines }, "PostToolUse")],
    gemini: (file_path, lines) => ["gemini", events.gemini("read_file", { file_path, ...lines }, "/", "AfterTool")],
    opencode: (filePath, lines) => ["opencode", events.opencode("read", { filePath, ...lines }, "from disk")],
    copilot: (path, lines) => ["copilot", events.copilot("Read", { path, ...lines }, "/", "PostToolUse")],
    qwen: (file_path, lines) => ["qwen", events.qwen("read_file", { file_path, ...lines }, "/", "PostToolUse")],
  };

  it("is replaced by unsaved text in the form of the agent's own tool, and left alone otherwise", async () => {
    const { root } = await layProject();
    const path = join(root, "price.ts");
    const note = (edit: string): string =>
      `Lines 1 to 3 of 3, from the user's editor, including unsaved changes, which are not on disk. To change this file, use ${edit}.`;
    const file = { filePath: path, content: unsaved, numLines: 4, startLine: 1, totalLines: 4 };
    expect(await answer(...reads.claude!(path, {}))).toEqual({
      hookSpecificOutput: {
        hookEventName: "PostToolUse",
        updatedToolOutput: { type: "text", file },
        additionalContext: note("mcp__multi-edit__multi_edit"),
      },
    });
    expect(await answer(...reads.gemini!(path, {}))).toEqual({
      decision: "deny",
      reason: `${note("mcp_multi-edit_multi_edit")}\n\n${unsaved}`,
    });
    expect(await answer(...reads.copilot!(path, {}))).toEqual({
      modifiedResult: {
        resultType: "success",
        textResultForLlm: `${note("multi-edit-multi_edit")}\n\n${unsaved}`,
      },
    });
    expect(await answer(...reads.qwen!(path, {}))).toEqual({
      continue: false,
      stopReason: `${note("mcp__multi-edit__multi_edit")}\n\n${unsaved}`,
    });
    const numbered = "1: // typed\n2: const rate = 0.19;\n3: const name = 'tax';\n\n(End of file - total 3 lines)";
    expect(await answer(...reads.opencode!(path, {}))).toEqual({
      output: `${note("multi-edit_multi_edit")}\n<path>${path}</path>\n<type>file</type>\n<content>\n${numbered}\n</content>`,
    });
    for (const read of Object.values(reads)) {
      expect(await answer(...read(join(root, "saved.ts"), {}))).toBeUndefined();
      expect(await answer(...read(join(root, "closed.ts"), {}))).toBeUndefined();
    }
  });

  it("has the lines that were asked for", async () => {
    const { root } = await layProject();
    const path = join(root, "price.ts");
    const claude = await answer(...reads.claude!(path, { offset: 2, limit: 1 }));
    const second = { content: "const rate = 0.19;", numLines: 1, startLine: 2, totalLines: 4 };
    expect(claude).toMatchObject({ hookSpecificOutput: { updatedToolOutput: { file: second } } });
    expect(await answer(...reads.gemini!(path, { start_line: 2, end_line: 2 }))).toMatchObject({
      reason: expect.stringMatching(/^Lines 2 to 2 of 3, .*\n\nconst rate = 0.19;\n$/),
    });
    expect(await answer(...reads.copilot!(path, { view_range: [2, 2] }))).toMatchObject({
      modifiedResult: {
        textResultForLlm: expect.stringMatching(/^Lines 2 to 2 of 3, .*\n\nconst rate = 0.19;\n$/),
      },
    });
    expect(await answer(...reads.copilot!(path, { view_range: [2, -1] }))).toMatchObject({
      modifiedResult: { textResultForLlm: expect.stringMatching(/^Lines 2 to 3 of 3, /) },
    });
    expect(await answer(...reads.qwen!(path, { offset: 1, limit: 1 }))).toMatchObject({
      stopReason: expect.stringMatching(/^Lines 2 to 2 of 3, .*\n\nconst rate = 0.19;\n$/),
    });
    expect(await answer(...reads.opencode!(path, { offset: 2, limit: 1 }))).toMatchObject({
      output: expect.stringContaining(
        "\n2: const rate = 0.19;\n\n(Showing lines up to 2 of 3. Use offset=3 to continue.)\n",
      ),
    });
  });
});

describe("the command", () => {
  it("ends with 1, which blocks nothing, if its arguments or its input are wrong", async () => {
    const wrong = [["hook"], ["hook", "cursor"], ["hook", "claude", "--wrong"], ["hook", "claude", "codex"]];
    for (const args of [...wrong, ["--wrong", "hook", "claude"]]) {
      const ran = await runCommand(program, args, { input: "{}" });
      expect(ran).toEqual({
        code: 1,
        stdout: "",
        stderr: `usage: multi-edit hook ${askingNames.join("|")} [--apply]\n`,
      });
    }
    for (const input of ["", "no JSON", "[", "[]", '"text"', "null"]) {
      const { code, stdout, stderr } = await runCommand(program, ["hook", "claude"], { input });
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: "",
        stderr: "multi-edit hook: standard input must be one event of the agent's hooks, as a JSON object\n",
      });
    }
  });

  it("may have its option in front, and is not taken for the name of a pipe", async () => {
    expect(await runCommand(program, ["--apply", "hook", "claude"], { input: "{}" })).toMatchObject({
      code: 0,
      stderr: "",
    });
    const { stderr } = await runCommand(program, ["--pipe", "hook"], { input: "{}" });
    expect(stderr).not.toContain("usage: multi-edit hook");
  });

  it("leaves every event alone that is not about the agent's own tools for files", async () => {
    ownStateHome();
    for (const name of askingNames) {
      for (const event of [{}, { tool_name: "Edit" }, { hook_event_name: "PreToolUse", tool_name: "toString" }]) {
        expect(await answer(name, event)).toBeUndefined();
      }
    }
    expect(await answer("codex", events.codex("Bash", "cat price.ts", "/"))).toBeUndefined();
    expect(await answer("claude", events.claude("Edit", { file_path: 7 }))).toBeUndefined();
  });
});
