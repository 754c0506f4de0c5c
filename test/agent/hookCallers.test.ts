/** Whose reads count for a call of an agent's own tool: those of the same conversation, and nobody else's. */
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { type Name, reasonIn } from "../support/hookColumns.js";
import { answer, events, layProject, saved, unsaved } from "../support/hookEvents.js";

const content = "// typed\nconst rate = 0.2;";

/** The events of a read and of a write of the whole text, by agent. */
const calls = {
  claude: [
    (file_path: string) => events.claude("Read", { file_path }, "PostToolUse"),
    (file_path: string) => ({ ...events.claude("Write", { file_path, content }), permission_mode: "acceptEdits" }),
  ],
  gemini: [
    (file_path: string) => events.gemini("read_file", { file_path }, dirname(file_path), "AfterTool"),
    (file_path: string) => events.gemini("write_file", { file_path, content }, dirname(file_path)),
  ],
  opencode: [
    (filePath: string) => events.opencode("read", { filePath }, ""),
    (filePath: string) => events.opencode("write", { filePath, content }),
  ],
} as const;

/** A project with unsaved text, and functions by which agents read it and replace all of it. */
async function layRace() {
  const { root, editor } = await layProject();
  const path = join(root, "price.ts");
  const send = async (name: keyof typeof calls, which: 0 | 1, more: object) =>
    answer(name, JSON.parse(JSON.stringify({ ...calls[name][which](path), ...more })), "--apply");
  return {
    text: () => editor.documents.get(pathToFileURL(path).href)?.text,
    read: async (name: keyof typeof calls, more: object = {}) =>
      expect(JSON.stringify(await send(name, 0, more))).toContain("// typed"),
    write: async (name: keyof typeof calls, more: object = {}) => reasonIn(name as Name, await send(name, 1, more)),
  };
}

const refusal = /^This tool would replace the whole text of .*which you have not seen:\n1\| \/\/ typed\n/s;

describe("what one agent has read does not count for the write of", () => {
  const [claude, opencode] = [{ session_id: "other" }, { sessionID: "ses_2" }];
  it.each([
    ["another conversation with Claude Code", "claude", claude],
    ["another conversation with Gemini CLI", "gemini", claude],
    ["another conversation with opencode", "opencode", opencode],
    ["a subagent", "claude", { agent_id: "a1" }],
    ["a conversation that does not say which it is", "gemini", { session_id: undefined }],
    ["a conversation whose id is no text", "opencode", { sessionID: 7 }],
  ] as const)("%s", async (_, name, other) => {
    const { read, write, text } = await layRace();
    await read(name);
    expect(await write(name, other)).toMatch(refusal);
    expect(text()).toBe(unsaved);
    await read(name, other);
    if (Object.values(other).every((id) => typeof id === "string")) {
      expect(await write(name, other)).toMatch(/^Done\./);
      expect(text()).toBe(content);
    } else {
      // Nothing shows that the read was its own.
      expect(await write(name, other)).toMatch(refusal);
      expect(text()).toBe(unsaved);
    }
  });

  it("another agent whose conversation has the same id", async () => {
    const { read, write, text } = await layRace();
    await read("claude", { session_id: "same" });
    expect(await write("gemini", { session_id: "same" })).toMatch(refusal);
    expect(text()).toBe(unsaved);
  });
});

it("conversations are one agent if MULTI_EDIT_AGENT says so", async () => {
  const { read, write, text } = await layRace();
  process.env.MULTI_EDIT_AGENT = "r2d2";
  try {
    await read("claude");
    expect(await write("gemini")).toMatch(/^Done\./);
  } finally {
    delete process.env.MULTI_EDIT_AGENT;
  }
  expect(text()).toBe(content);
});

describe("the reason for which a write of the whole text is refused", () => {
  const writeOf = (root: string, name: string) =>
    answer("opencode", events.opencode("write", { filePath: join(root, name), content }), "--apply");
  const uriOf = (root: string, name: string): string => pathToFileURL(join(root, name)).href;
  const steps = (again: string): string =>
    `Nothing was changed. To keep these changes, replace parts of the text with multi-edit_multi_edit; multi-edit_read_document returns it. Or read the file with read, and ${again}. Or ask the user to save or discard the changes.`;

  it("says where lines were removed", async () => {
    const { root, editor } = await layProject();
    await editor.type({ uri: uriOf(root, "saved.ts"), from: 0, to: saved.indexOf("\n") + 1, insert: "" });
    expect(reasonIn("opencode", await writeOf(root, "saved.ts"))).toBe(
      `This tool would replace the whole text of "${join(root, "saved.ts")}", which has unsaved changes in the user's editor, which you have not seen: lines were removed before line 1. ${steps("write a text that keeps these changes")}`,
    );
  });

  it("speaks of no changes if the text was never saved", async () => {
    const { root, editor } = await layProject();
    await editor.open({ uri: uriOf(root, "new.ts"), text: "new\n" });
    expect(reasonIn("opencode", await writeOf(root, "new.ts"))).toMatch(
      /^There is no file ".*new\.ts" on disk: it was deleted or never saved\. .* read it with multi-edit_read_document, /,
    );
  });

  const add = (path: string) => `*** Begin Patch\n*** Add File: ${path}\n+// typed\n*** End Patch`;
  it("names the tools whose reads count, for a patch", async () => {
    const { root } = await layProject();
    const path = join(root, "price.ts");
    const codex = await answer("codex", events.codex("apply_patch", add(path), root), "--apply");
    expect(reasonIn("codex", codex)).toMatch(
      / What you read with mcp__multi_edit__read_document counts only for patches that you send to mcp__multi_edit__apply_patch\.$/,
    );
    const event = { ...events.opencode("apply_patch", { patchText: add(path) }), directory: root };
    expect(reasonIn("opencode", await answer("opencode", event, "--apply"))).toMatch(
      / For this tool, only what you read with read counts\.$/,
    );
  });
});
