/**
 * What the tests need to know of each agent's hooks, one column for each agent: its events as they were seen, the answers
 * that it takes, and where its settings are. A new agent with a hook is one more column here, and no change of a test.
 */
import { join } from "node:path";
import { expect } from "vitest";
import type { AgentName } from "../../server/agents/agents.js";
import { events } from "./hookEvents.js";

/** An agent that runs the command `hook` from its own settings, by its name for the command. */
export type Name = Exclude<AgentName, "pi">;

/** What the hook has printed; `undefined` if nothing. */
export type Given = Readonly<Record<string, unknown>> | undefined;

/** A replacement that an agent's own tool makes. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
  /** `true` for the event after the tool has run. */
  readonly isAfter?: boolean;
}

/** One agent. Of its events, `cwd` is the directory in which it works. */
export interface HookColumn {
  /** Replaces a text, which is a whole line for agents whose own tool takes patches. */
  readonly edit: (path: string, cwd: string, replacement: Replacement) => object;
  /** The event after a command. */
  readonly command: (cwd: string) => object;
  /** The event after an edit of the file `closed.ts`, or of none. */
  readonly otherEdit: (cwd: string) => object;
  /** The event after a search; `undefined` if the agent searches with commands. */
  readonly search: ((cwd: string, folder?: string) => object) | undefined;
  /** Returns the note in the answer to such an event; throws if the answer does anything else. */
  readonly noteIn: (given: Given) => string;
  /** The answer that turns a tool away. */
  readonly refusal: (reason: string) => object;
  /** Our tools as the agent names them. */
  readonly ours: RegExp;
  /** The agent's own tool for reading, and the characters in front of the names of ours; none if it has no such tool. */
  readonly readWith: readonly [tool: string, prefix: string] | readonly [];
  readonly settings: HookSettings;
}

/** The file with an agent's hook. */
export interface HookSettings {
  /** The variable that names the folder of `file`. */
  readonly variable: string;
  readonly file: string;
  /** A text of that file by which the hook applies calls. */
  readonly applies: string;
  /** Path of the file that `setup` writes below the user's home, and what it prints above its text. */
  readonly written: readonly [path: string, comment: RegExp];
  /** The files of the user's to which `setup` adds something, the main one first, each with a text that it may have. */
  readonly present: Readonly<Record<string, string>>;
}

const inFolder = (field: string, folder: string | undefined): object =>
  folder === undefined ? {} : { [field]: folder };

const patchOf = (path: string, { from, to }: Replacement): string =>
  `*** Begin Patch\n*** Update File: ${path}\n@@\n-${from}\n+${to}\n*** End Patch`;

const deletion = "*** Begin Patch\n*** Delete File: a\n*** End Patch";

const denied = (permissionDecisionReason: string): object => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason },
});

/** Returns the note that Claude Code, and those that follow it, add to the model's context. */
const contextOf =
  (hookEventName: string) =>
  (given: Given): string => {
    const { additionalContext } = Object(given?.hookSpecificOutput) as { additionalContext: string };
    expect(given).toEqual({ hookSpecificOutput: { hookEventName, additionalContext } });
    return additionalContext;
  };

const likeClaude = { refusal: denied, noteIn: contextOf("PostToolUse") };

/** The name of the event before or after a tool. */
const claudesEvent = ({ isAfter }: Replacement): string => (isAfter === true ? "PostToolUse" : "PreToolUse");

export const hookColumns: Readonly<Record<Name, HookColumn>> = {
  claude: {
    ...likeClaude,
    edit: (file_path, _, edit) =>
      events.claude("Edit", { file_path, old_string: edit.from, new_string: edit.to }, claudesEvent(edit)),
    command: (cwd) => ({ ...events.claude("Bash", { command: "make" }, "PostToolUse"), cwd }),
    otherEdit: (cwd) => ({
      ...events.claude("Write", { file_path: join(cwd, "closed.ts"), content: "" }, "PostToolUse"),
      cwd,
    }),
    search: (cwd, folder) => ({
      ...events.claude("Grep", { pattern: "rate", ...inFolder("path", folder) }, "PostToolUse"),
      cwd,
    }),
    ours: /\bmcp__multi-edit__multi_edit\b.*\bmcp__multi-edit__read_document\b/,
    readWith: ["Read", "mcp__multi-edit__"],
    settings: {
      variable: "CLAUDE_CONFIG_DIR",
      file: "settings.json",
      applies: '{"command": "multi-edit hook claude --apply"}',
      written: [".claude/settings.json", /^\n# The hook, in .*\.claude\/settings\.json:\n/],
      present: {
        ".claude.json": '{\n  "numStartups": 7\n}\n',
        ".claude/settings.json": '{ "permissions": { "allow": ["Bash"] } }\n',
      },
    },
  },
  codex: {
    ...likeClaude,
    edit: (path, cwd, edit) => ({
      ...events.codex("apply_patch", patchOf(path, edit), cwd),
      hook_event_name: claudesEvent(edit),
    }),
    command: (cwd) => ({ ...events.codex("Bash", "make", cwd), hook_event_name: "PostToolUse" }),
    otherEdit: (cwd) => ({ ...events.codex("apply_patch", deletion, cwd), hook_event_name: "PostToolUse" }),
    search: undefined,
    ours: /\bmcp__multi_edit__apply_patch\b.*\bmcp__multi_edit__read_document\b/,
    readWith: [],
    settings: {
      variable: "CODEX_HOME",
      file: "config.toml",
      applies: 'command = "multi-edit hook codex --apply"',
      written: [".codex/config.toml", /^/],
      present: { ".codex/config.toml": 'model = "gpt-6-sol"\n\n[tools]\nweb_search = true\n' },
    },
  },
  gemini: {
    edit: (file_path, cwd, { from, to, isAfter }) =>
      events.gemini(
        "replace",
        { file_path, instruction: "x", old_string: from, new_string: to },
        cwd,
        isAfter === true ? "AfterTool" : "BeforeTool",
      ),
    command: (cwd) => events.gemini("run_shell_command", { command: "make" }, cwd, "AfterTool"),
    otherEdit: (cwd) => events.gemini("replace", { file_path: join(cwd, "closed.ts") }, cwd, "AfterTool"),
    search: (cwd, folder) =>
      events.gemini("grep_search", { pattern: "rate", ...inFolder("dir_path", folder) }, cwd, "AfterTool"),
    noteIn: contextOf("AfterTool"),
    refusal: (reason) => ({ decision: "deny", reason }),
    ours: /\bmcp_multi-edit_multi_edit\b.*\bmcp_multi-edit_read_document\b/,
    readWith: ["read_file", "mcp_multi-edit_"],
    settings: {
      variable: "HOME",
      file: ".gemini/settings.json",
      applies: '{"command": "multi-edit hook gemini --apply"}',
      written: [".gemini/settings.json", /^\n\/\/ The hook, in .*\.gemini\/settings\.json:\n/],
      present: {
        ".gemini/settings.json": '{\n    "mcpServers": {\n        "other": { "command": "x" }\n    }\n}\n',
      },
    },
  },
  copilot: {
    edit: (path, cwd, edit) =>
      events.copilot("Edit", { path, old_str: edit.from, new_str: edit.to }, cwd, claudesEvent(edit)),
    command: (cwd) => events.copilot("Bash", { command: "make" }, cwd, "PostToolUse"),
    otherEdit: (cwd) => events.copilot("Edit", deletion, cwd, "PostToolUse"),
    search: (cwd, folder) =>
      events.copilot("Grep", { pattern: "rate", ...inFolder("path", folder) }, cwd, "PostToolUse"),
    noteIn(given) {
      const { additionalContext } = given as { additionalContext: string };
      expect(given).toEqual({ additionalContext });
      return additionalContext;
    },
    refusal: denied,
    ours: /\bmulti-edit-(?:multi_edit|apply_patch)\b.*\bmulti-edit-read_document\b/,
    readWith: ["Read", "multi-edit-"],
    settings: {
      variable: "HOME",
      file: ".copilot/hooks/multi-edit.json",
      applies: '{"command": "multi-edit hook copilot --apply"}',
      written: [".copilot/hooks/multi-edit.json", /^\n\/\/ The hook, in .*hooks\/multi-edit\.json:\n/],
      present: {},
    },
  },
  qwen: {
    ...likeClaude,
    edit: (file_path, cwd, edit) =>
      events.qwen("edit", { file_path, old_string: edit.from, new_string: edit.to }, cwd, claudesEvent(edit)),
    command: (cwd) => events.qwen("run_shell_command", { command: "make" }, cwd, "PostToolUse"),
    otherEdit: (cwd) => events.qwen("edit", { file_path: join(cwd, "closed.ts") }, cwd, "PostToolUse"),
    search: (cwd, folder) =>
      events.qwen("grep_search", { pattern: "rate", ...inFolder("path", folder) }, cwd, "PostToolUse"),
    ours: /\bmcp__multi-edit__multi_edit\b.*\bmcp__multi-edit__read_document\b/,
    readWith: ["read_file", "mcp__multi-edit__"],
    settings: {
      variable: "HOME",
      file: ".qwen/settings.json",
      applies: '{"command": "multi-edit hook qwen --apply"}',
      written: [".qwen/settings.json", /^\n\/\/ The hook, in .*\.qwen\/settings\.json:\n/],
      present: {
        ".qwen/settings.json": '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n',
      },
    },
  },
  opencode: {
    edit: (filePath, _, { from, to, isAfter }) =>
      events.opencode("edit", { filePath, oldString: from, newString: to }, isAfter === true ? "Edited." : undefined),
    command: (directory) => ({ ...events.opencode("bash", { command: "make" }, "made"), directory }),
    otherEdit: (directory) => ({ ...events.opencode("edit", { filePath: "closed.ts" }, "made"), directory }),
    search: (directory, folder) => ({
      ...events.opencode("grep", { pattern: "rate", ...inFolder("path", folder) }, "made"),
      directory,
    }),
    noteIn(given) {
      const { output } = given as { output: string };
      expect(output).toMatch(/^made\n\n/);
      return output.slice(6);
    },
    refusal: (reason) => ({ deny: reason }),
    ours: /\bmulti-edit_(?:multi_edit|apply_patch)\b.*\bmulti-edit_read_document\b/,
    readWith: ["read", "multi-edit_"],
    settings: {
      variable: "XDG_CONFIG_HOME",
      file: "opencode/plugin/multi-edit.js",
      applies: 'const hookOptions = ["--apply"];',
      written: [".config/opencode/plugin/multi-edit.js", /^\n\/\/ The hook, in .*plugin\/multi-edit\.js:\n/],
      present: { ".config/opencode/opencode.json": '{\n\t// mine\n\t"theme": "dark",\n}\n' },
    },
  },
};

/** The agents with a column. */
export const columnNames = Object.keys(hookColumns) as readonly Name[];

/** The reason in an answer that turns a tool away; throws if the answer does anything else. */
export function reasonIn(name: Name, given: Given): string {
  const output = (given?.hookSpecificOutput ?? given ?? {}) as Record<string, string>;
  const reason = output.permissionDecisionReason ?? output.reason ?? output.deny ?? "";
  expect(given).toEqual(hookColumns[name].refusal(reason));
  return reason;
}
