/** `multi-edit hook --apply`: calls of agents' own tools that are applied in the editor instead. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { announced } from "../support/agentPeer.js";
import { fillDirectory, makeDirectory } from "../support/directory.js";
import { hookColumns, type Name, reasonIn } from "../support/hookColumns.js";
import { answer, events, layProject, program, saved, startDesk, unsaved } from "../support/hookEvents.js";

describe("with --apply, a call of an agent's own tool", () => {
  const [from, to] = ["rate = 0.19", "rate = 0.2"];
  const snake = { old_string: from, new_string: to };
  const bodies = "@@\n // typed\n-const rate = 0.19;\n+const rate = 0.2;";
  const patch = (path: string): string => `*** Begin Patch\n*** Update File: ${path}\n${bodies}\n*** End Patch`;
  const free = (event: object): object => ({ ...event, permission_mode: "acceptEdits" });
  const calls: Readonly<Record<string, readonly [Name, (path: string, root: string) => object]>> = {
    "Claude Code's Edit": [
      "claude",
      (file_path) => free(events.claude("Edit", { file_path, ...snake, replace_all: false })),
    ],
    "Claude Code's MultiEdit": [
      "claude",
      (file_path) => free(events.claude("MultiEdit", { file_path, edits: [snake] })),
    ],
    "Codex's apply_patch": [
      "codex",
      (path, cwd) => events.codex("apply_patch", patch(path.slice(cwd.length + 1)), cwd),
    ],
    "a patch in Codex's shell": [
      "codex",
      (path, cwd) =>
        events.codex("Bash", `cd ${cwd} && apply_patch <<'EOF'\n${patch(path.slice(cwd.length + 1))}\nEOF\n`, "/"),
    ],
    "Gemini CLI's replace": [
      "gemini",
      (file_path, cwd) => events.gemini("replace", { file_path, instruction: "x", ...snake }, cwd),
    ],
    "Qwen Code's edit": ["qwen", (file_path, cwd) => events.qwen("edit", { file_path, ...snake }, cwd)],
    "opencode's edit": [
      "opencode",
      (filePath) => events.opencode("edit", { filePath, oldString: from, newString: to }),
    ],
    "opencode's apply_patch": [
      "opencode",
      (path, cwd) => ({ ...events.opencode("apply_patch", { patchText: patch(path) }), directory: cwd }),
    ],
  };
  const changed = unsaved.replace(from, to);
  const done =
    "Done. This call was applied in the user's editor, so the tool itself did not run. Do not send it again.\n";

  it.each(Object.entries(calls))(
    "%s, changes unsaved text in the editor, once for each id, and can be undone there",
    async (tool, [name, event]) => {
      const { root, editor } = await layProject();
      const path = join(root, "price.ts");
      const text = (): string | undefined => editor.documents.get(pathToFileURL(path).href)?.text;
      const said = reasonIn(name, await answer(name, event(path, root), "--apply"));
      expect(said).toBe(`${done}M price.ts, not saved`);
      expect([text(), readFileSync(path, "utf8")]).toEqual([changed, saved]);
      const again = reasonIn(name, await answer(name, event(path, root), "--apply"));
      if (name === "gemini") expect(again).toContain("edit 0 changes nothing: you sent this call before");
      else expect(again).toBe(said);
      expect(text()).toBe(changed);
      await editor.connection.sendRequest("workspace/executeCommand", { command: "multiEdit.undo", arguments: [] });
      expect(text()).toBe(unsaved);
      for (const other of ["saved.ts", "closed.ts", "new.ts"]) {
        const called = JSON.stringify(event(join(root, other), root)).replace(/(call|toolu)_1/, "$1_2");
        expect(await answer(name, JSON.parse(called), "--apply"), `${tool} of ${other}`).toBeUndefined();
      }
    },
    60_000,
  );

  it("that replaces all occurrences replaces all", async () => {
    const { root, editor } = await layProject();
    const path = join(root, "price.ts");
    const event = events.gemini(
      "replace",
      { file_path: path, old_string: "const", new_string: "let", allow_multiple: true },
      root,
    );
    expect(reasonIn("gemini", await answer("gemini", event, "--apply"))).toBe(`${done}M price.ts, 2 places, not saved`);
    expect(editor.documents.get(pathToFileURL(path).href)?.text).toBe(unsaved.replaceAll("const", "let"));
  });

  it.each(["false", 1, {}])("that says %j instead of true does not replace all", async (replace_all) => {
    const { root, editor } = await layProject();
    const path = join(root, "price.ts");
    const event = free(events.claude("Edit", { file_path: path, old_string: "const", new_string: "let", replace_all }));
    expect(reasonIn("claude", await answer("claude", event, "--apply"))).toContain("its field for replaceAll is");
    expect(editor.documents.get(pathToFileURL(path).href)?.text).toBe(unsaved);
  });

  it("that fails changes nothing, and the answer is that of our tool", async () => {
    const { root, editor } = await layProject();
    const path = join(root, "price.ts");
    const event = events.opencode("edit", { filePath: path, oldString: "rate = 0.5", newString: "rate = 1" });
    for (let times = 0; times < 2; times++) {
      expect(reasonIn("opencode", await answer("opencode", event, "--apply"))).toMatch(
        /^The user's editor has unsaved changes in this file\. The old text of edit 0 .*rate = 0\.19/s,
      );
    }
    expect(editor.documents.get(pathToFileURL(path).href)?.text).toBe(unsaved);
  });

  const repeated: readonly [tool: string, name: Name, event: (path: string) => object, fields: string][] = [
    [
      "Claude Code's Edit",
      "claude",
      (file_path) => free(events.claude("Edit", { file_path, old_string: "const", new_string: "let" })),
      "This tool itself has no occurrence or line, and its field for replaceAll is replace_all. To set occurrence or line, use mcp__multi-edit__multi_edit",
    ],
    [
      "Gemini CLI's replace",
      "gemini",
      (file_path) =>
        events.gemini("replace", { file_path, old_string: "const", new_string: "let" }, dirname(file_path)),
      "This tool itself has no occurrence or line, and its field for replaceAll is allow_multiple. To set occurrence or line, use mcp_multi-edit_multi_edit",
    ],
    [
      "opencode's edit",
      "opencode",
      (filePath) => events.opencode("edit", { filePath, oldString: "const", newString: "let" }),
      "This tool itself has no occurrence or line. To set occurrence or line, use multi-edit_multi_edit",
    ],
  ];
  it.each(repeated)("%s, whose old text has several matches, gets advice that it can follow", async (_, ...row) => {
    const [name, event, fields] = row;
    const { root, editor } = await layProject();
    const path = join(root, "price.ts");
    const said = reasonIn(name, await answer(name, event(path), "--apply"));
    expect(said).toMatch(/ occurs 2 times:.* or set occurrence, line or replaceAll\. This tool/s);
    expect(said.endsWith(` ${fields} {"edits":[{"path","oldText","newText","occurrence"}]} instead.`)).toBe(true);
    expect(editor.documents.get(pathToFileURL(path).href)?.text).toBe(unsaved);
  });

  it("that has unsaved files of two editors is turned away, and a patch for each editor is applied", async () => {
    const { root, editor } = await layProject();
    const other = await startDesk(root);
    const [price, closed] = ["price.ts", "closed.ts"].map((name) => join(root, name)) as [string, string];
    await other.open({ uri: pathToFileURL(closed).href, text: unsaved });
    await announced(process.env.XDG_STATE_HOME!, 2);
    const both = `${patch(price).replace("\n*** End Patch", "")}\n${patch(closed).replace("*** Begin Patch\n", "")}`;
    const texts = () => [
      editor.documents.get(pathToFileURL(price).href)?.text,
      other.documents.get(pathToFileURL(closed).href)?.text,
    ];
    for (const [form, to] of [
      [[], " to mcp__multi_edit__apply_patch"],
      [["--apply"], ""],
    ] as const) {
      const said = reasonIn("codex", await answer("codex", events.codex("apply_patch", both, root), ...form));
      const [first, ...lines] = said.split("\n");
      expect(first).toBe(
        "Different editors of the user have unsaved changes in the files of this patch, and one patch can't change text in several editors:",
      );
      expect(lines.map((line) => line.replace(/: \w{12} \(Desk in .*\)$/, ": Desk"))).toEqual([
        `  "${price}": Desk`,
        `  "${closed}": Desk`,
        `Nothing was changed. Send a separate patch for the files of each editor${to}.`,
      ]);
      expect(texts()).toEqual([unsaved, unsaved]);
    }
    for (const path of [price, closed]) {
      const said = reasonIn("codex", await answer("codex", events.codex("apply_patch", patch(path), root), "--apply"));
      expect(said).toMatch(/^Done\./);
    }
    expect(texts()).toEqual([changed, changed]);
  });

  const whole = "// typed\nconst rate = 0.2;";
  const writers: readonly [
    tool: string,
    name: Name,
    read: (path: string) => object,
    write: (path: string) => object,
  ][] = [
    [
      "Claude Code's Write",
      "claude",
      (file_path) => events.claude("Read", { file_path }, "PostToolUse"),
      (file_path) => free(events.claude("Write", { file_path, content: whole })),
    ],
    [
      "Gemini CLI's write_file",
      "gemini",
      (file_path) => events.gemini("read_file", { file_path }, dirname(file_path), "AfterTool"),
      (file_path) => events.gemini("write_file", { file_path, content: whole }, dirname(file_path)),
    ],
    [
      "Copilot CLI's create",
      "copilot",
      (path) => events.copilot("Read", { path }, dirname(path), "PostToolUse"),
      (path) => events.copilot("Write", { path, file_text: whole }, dirname(path)),
    ],
    [
      "Qwen Code's write_file",
      "qwen",
      (file_path) => events.qwen("read_file", { file_path }, dirname(file_path), "PostToolUse"),
      (file_path) => events.qwen("write_file", { file_path, content: whole }, dirname(file_path)),
    ],
    [
      "opencode's write",
      "opencode",
      (filePath) => events.opencode("read", { filePath }, ""),
      (filePath) => events.opencode("write", { filePath, content: whole }),
    ],
  ];
  it.each(writers)(
    "%s, replaces a whole text if the agent has read all of it",
    async (_, name, read, write) => {
      const { root, editor } = await layProject();
      const path = join(root, "price.ts");
      const text = (): string | undefined => editor.documents.get(pathToFileURL(path).href)?.text;
      editor.answerQuestionsWith("Apply", "Apply");
      const [tool, own] = hookColumns[name].readWith;
      for (let times = 0; times < 2; times++) {
        expect(reasonIn(name, await answer(name, write(path), "--apply"))).toBe(
          `This tool would replace the whole text of "${path}", which has unsaved changes in the user's editor, which you have not seen:\n1| // typed\nNothing was changed. To keep these changes, replace parts of the text with ${own}multi_edit; ${own}read_document returns it. Or read the file with ${tool}, and write a text that has them. Or ask the user to save or discard the changes.`,
        );
      }
      expect(text()).toBe(unsaved);
      expect(JSON.stringify(await answer(name, read(path), "--apply"))).toContain("// typed");
      const said = reasonIn(name, await answer(name, write(path), "--apply"));
      expect(said).toBe(`${done}M price.ts, not saved`);
      expect([text(), readFileSync(path, "utf8")]).toEqual([whole, saved]);
      const again = reasonIn(name, await answer(name, write(path), "--apply"));
      // Gemini's and Copilot's calls have no ids.
      if (name !== "gemini" && name !== "copilot") expect(again).toBe(said);
      expect(text()).toBe(whole);
    },
    60_000,
  );

  it("is turned away in plan mode, if opencode has rules for edits, and if a command does more", async () => {
    const { root, editor } = await layProject();
    const path = join(root, "price.ts");
    const plan = { ...calls["Claude Code's Edit"]![1](path, root), permission_mode: "plan" };
    const more = events.codex("Bash", `apply_patch <<'EOF'\n${patch(path)}\nEOF\nnpm test`, root);
    for (const [name, event] of [
      ["claude", plan],
      ["opencode", { ...calls["opencode's edit"]![1](path, root), mayApply: false }],
      ["codex", more],
    ] as const) {
      expect(reasonIn(name, await answer(name, event, "--apply"))).toMatch(hookColumns[name].ours);
    }
    expect(editor.documents.get(pathToFileURL(path).href)?.text).toBe(unsaved);
  });

  it.each<[tool: string, name: Name, event: (path: string, root: string) => object]>([
    ["Claude Code's Edit", "claude", (file_path) => events.claude("Edit", { file_path, ...snake })],
    [
      "Copilot CLI's edit",
      "copilot",
      (path, root) => events.copilot("Edit", { path, old_str: from, new_str: to }, root),
    ],
    ["Copilot CLI's apply_patch", "copilot", (_, root) => events.copilot("Edit", patch("price.ts"), root)],
  ])("%s, is shown to the user in the editor first if the agent would ask the user afterwards", async (_, name, of) => {
    const { root, editor } = await layProject();
    const path = join(root, "price.ts");
    editor.answerQuestionsWith("Reject", "Apply");
    expect(reasonIn(name, await answer(name, of(path, root), "--apply"))).toMatch(
      /unsaved changes in this file\. .*reject/s,
    );
    expect(editor.documents.get(pathToFileURL(path).href)?.text).toBe(unsaved);
    expect(reasonIn(name, await answer(name, of(path, root), "--apply"))).toBe(`${done}M price.ts, not saved`);
    expect(editor.documents.get(pathToFileURL(path).href)?.text).toBe(changed);
  });

  it.each([
    ["the user's settings", "ask", "Edit(*.env)"],
    ["the project's settings", "ask", "Edit"],
    ["settings that can't be read", "", ""],
  ])("is shown to the user in the editor first if Claude must ask: a rule in %s", async (where, list, rule) => {
    const { root, editor } = await layProject();
    const path = join(root, "price.ts");
    const settings = list === "" ? "{" : JSON.stringify({ permissions: { [list]: [rule] } });
    const folder = makeDirectory({ "settings.json": where.startsWith("the user's") ? settings : "{}" });
    if (!where.startsWith("the user's")) fillDirectory(root, { ".claude/settings.local.json": settings });
    process.env.CLAUDE_CONFIG_DIR = folder;
    onTestFinished(() => void delete process.env.CLAUDE_CONFIG_DIR);
    editor.answerQuestionsWith("Reject");
    const event = free(events.claude("Edit", { file_path: path, ...snake }));
    expect(reasonIn("claude", await answer("claude", event, "--apply"))).toMatch(/reject/);
    expect(editor.questions).toHaveLength(1);
    expect(editor.documents.get(pathToFileURL(path).href)?.text).toBe(unsaved);
  });

  it.each([
    [{ allow: ["Edit"] }, 0],
    [{ allow: ["Edit(src/**)", "Write"] }, 1],
    [{ allow: ["Edit"], ask: ["Write"] }, 1],
  ])(
    "is not shown to the user first if Claude's rules allow all edits: with %j, %i questions",
    async (permissions, asked) => {
      const { root, editor } = await layProject();
      fillDirectory(root, { ".claude/settings.json": JSON.stringify({ permissions }) });
      editor.answerQuestionsWith("Apply");
      const event = events.claude("Edit", { file_path: join(root, "price.ts"), ...snake });
      expect(reasonIn("claude", await answer("claude", event, "--apply"))).toBe(`${done}M price.ts, not saved`);
      expect(editor.questions).toHaveLength(asked);
    },
  );

  it("is not sent twice at the same time, and not again if its outcome is unknown", async () => {
    const { root, editor } = await layProject();
    const path = join(root, "price.ts");
    const event = events.claude("Edit", { file_path: path, ...snake });
    editor.answerQuestionsWith("Apply");
    editor.beforeEdits(() => editor.process.kill("SIGKILL"));
    expect(reasonIn("claude", await answer("claude", event, "--apply"))).toMatch(
      /^It is unknown whether this call was applied/,
    );
    expect(reasonIn("claude", await answer("claude", event, "--apply"))).toBe(
      "The same call was sent before, and its outcome is unknown. Read the files before you continue.",
    );
  });

  it("is applied again under the same id if it is another call, or if the memory of it is too old", async () => {
    const { root, editor } = await layProject();
    const path = join(root, "price.ts");
    const text = (): string | undefined => editor.documents.get(pathToFileURL(path).href)?.text;
    const edit = (oldString: string, newString: string): object =>
      events.opencode("edit", { filePath: path, oldString, newString });
    const first = edit(from, to);
    expect(reasonIn("opencode", await answer("opencode", first, "--apply"))).toBe(`${done}M price.ts, not saved`);
    const second = edit(to, "rate = 0.3");
    expect(reasonIn("opencode", await answer("opencode", second, "--apply"))).toBe(`${done}M price.ts, not saved`);
    expect(text()).toBe(unsaved.replace(from, "rate = 0.3"));
    for (let times = 0; times < 2; times++) {
      await editor.connection.sendRequest("workspace/executeCommand", { command: "multiEdit.undo", arguments: [] });
    }
    expect(text()).toBe(unsaved);
    const folder = join(process.env.XDG_STATE_HOME!, "multi-edit-language-server", "hooks");
    const old = new Date(Date.now() - 2 * 3_600_000);
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), old, old);
    await answer("opencode", first, "--apply");
    expect(text()).toBe(changed);
  });

  it("is never applied after the agent has stopped the hook, and may be sent again", async () => {
    const { root, editor } = await layProject();
    const path = join(root, "price.ts");
    const text = (): string | undefined => editor.documents.get(pathToFileURL(path).href)?.text;
    const event = events.claude("Edit", { file_path: path, ...snake });
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      editor.answerQuestionsWith("Apply");
      const child = spawn(process.execPath, [program.path, "hook", "claude", "--apply"]);
      const exit = once(child, "close");
      editor.beforeAnswers(async () => {
        child.kill(signal);
        await exit;
      });
      child.stdin.end(JSON.stringify(event));
      await exit;
      await editor.connection.sendRequest("multiEdit/status");
      expect(text(), signal).toBe(unsaved);
    }
    editor.beforeAnswers(() => undefined);
    editor.answerQuestionsWith("Apply");
    expect(reasonIn("claude", await answer("claude", event, "--apply"))).toBe(`${done}M price.ts, not saved`);
    expect(text()).toBe(changed);
  });

  it("is applied if the command goes into a folder with a quoted name first", async () => {
    const { root, editor } = await layProject();
    const command = (quote: string): string =>
      `cd ${quote}${root}${quote} && apply_patch <<'EOF'\n${patch("price.ts")}\nEOF\n`;
    const uri = pathToFileURL(join(root, "price.ts")).href;
    for (const quote of ['"', "'"]) {
      const event = events.codex("Bash", command(quote), "/");
      expect(reasonIn("codex", await answer("codex", event, "--apply"))).toBe(`${done}M price.ts, not saved`);
      expect(editor.documents.get(uri)?.text).toBe(changed);
      await editor.connection.sendRequest("workspace/executeCommand", { command: "multiEdit.undo", arguments: [] });
    }
  });
});
