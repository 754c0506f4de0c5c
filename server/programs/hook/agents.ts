/**
 * The agents that have hooks, as one table: the events that they send before and after their own tools run, the fields of
 * these tools, and the answers that they accept. All of it was seen by running the agents.
 */
import { resolve } from "node:path";
import { limits } from "../../text/limits.js";
import type { askingNames } from "../cli/table.js";
import { readLimits } from "../mcp/readLimits.js";
import type { EditorLines, EventFields, HookedAgent, OwnTool } from "./hookedAgent.js";
import { claudeRule, geminiTrusts } from "./ownSettings.js";
import { hookSentences } from "./sentences.js";
import { readPatchCommand } from "./shellPatch.js";

const hookFields: EventFields = {
  tool: "tool_name",
  input: "tool_input",
  directory: "cwd",
  id: "tool_use_id",
  session: "session_id",
  subagent: "agent_id",
};

const byName =
  (before: string, after: string): HookedAgent["when"] =>
  // An event that does not say what it is may be sent before a tool runs.
  ({ hook_event_name: name }) =>
    name === before || typeof name !== "string" ? "before" : name === after ? "after" : undefined;

/** The fields of an edit of Claude Code and Gemini CLI. */
const snakeCase = { oldText: "old_string", newText: "new_string" } as const;

/** The consent in modes that have the same names in several agents. `free`: the modes in which edits need no consent. */
const byMode =
  (...free: readonly string[]): HookedAgent["consent"] =>
  ({ permission_mode: mode }) =>
    mode === "plan" ? "none" : free.includes(String(mode)) ? "given" : "needed";

const permissionDenied = (reason: string): object => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
});

/** The answer that adds a note to what a tool has returned, in the form of several agents. */
const addContext =
  (hookEventName: string) =>
  (note: string): object => ({ hookSpecificOutput: { hookEventName, additionalContext: note } });

const ourNames = (prefix: string): HookedAgent["ours"] => ({
  edit: `${prefix}multi_edit`,
  read: `${prefix}read_document`,
  patch: `${prefix}apply_patch`,
});

/** Numbers lines as agents show them. A final line ending ends the last line. */
const numbered = ({ text, first }: EditorLines, separator: string): string =>
  text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((line, index) => `${first + index}${separator}${line}`)
    .join("\n");

/** The agents, by their names for `multi-edit hook`. */
export const hookedAgents: Readonly<Record<(typeof askingNames)[number], HookedAgent>> = {
  claude: {
    name: "claude-code",
    fields: hookFields,
    tools: {
      Read: { kind: "read", field: "file_path" },
      Edit: { kind: "edit", field: "file_path" },
      MultiEdit: { kind: "edit", field: "file_path" },
      Write: { kind: "write", field: "file_path" },
      NotebookEdit: { kind: "cell", field: "notebook_path" },
      Bash: { kind: "command", field: "command" },
    },
    // Claude Code sets the variable for the hooks of a plugin, and puts the plugin's name before those of its tools.
    ours: ourNames(process.env.CLAUDE_PLUGIN_ROOT ? "mcp__plugin_multi-edit_multi-edit__" : "mcp__multi-edit__"),
    edit: { ...snakeCase, replaceAll: "replace_all", list: "edits" },
    when: byName("PreToolUse", "PostToolUse"),
    consent(event) {
      const consent = byMode("acceptEdits", "auto", "bypassPermissions")(event);
      const rule = consent === "none" ? undefined : claudeRule(String(event.cwd));
      return rule === "ask" ? "needed" : rule === "allow" ? "given" : consent;
    },
    deny: permissionDenied,
    tell: addContext("PostToolUse"),
    lines: { first: "offset", count: "limit" },
    linesShown: 2_000,
    mostText: readLimits["claude-code"] ?? 0,
    show({ path, text, first, last, total, endsInLineEnding, note }) {
      // Claude numbers the lines itself, and counts the empty text after a final line ending as a line.
      const lines = text.replaceAll("\r\n", "\n");
      const content = last < total ? lines.replace(/\n$/, "") : lines;
      const totalLines = total + (endsInLineEnding ? 1 : 0);
      const numLines = last < first ? 0 : content.split("\n").length;
      const file = { filePath: path, content, numLines, startLine: first, totalLines };
      const updatedToolOutput = { type: "text", file };
      return { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput, additionalContext: note } };
    },
  },
  codex: {
    name: "codex",
    fields: hookFields,
    // Models that have no tool for patches run the command `apply_patch` in a shell; Codex applies such a patch itself.
    tools: {
      apply_patch: { kind: "patch", field: "command" },
      Bash: { kind: "patch", field: "command", isCommand: true },
    },
    ours: ourNames("mcp__multi_edit__"),
    edit: { oldText: "", newText: "", replaceAll: "" },
    when: byName("PreToolUse", "PostToolUse"),
    consent: byMode("default", "acceptEdits", "dontAsk", "bypassPermissions"),
    deny: permissionDenied,
    lines: { first: "" },
    linesShown: 0,
    mostText: 0,
  },
  gemini: {
    name: "gemini-cli",
    fields: hookFields,
    tools: {
      read_file: { kind: "read", field: "file_path" },
      replace: { kind: "edit", field: "file_path" },
      write_file: { kind: "write", field: "file_path" },
      run_shell_command: { kind: "command", field: "command" },
    },
    ours: ourNames("mcp_multi-edit_"),
    edit: { ...snakeCase, replaceAll: "allow_multiple" },
    when: byName("BeforeTool", "AfterTool"),
    // Gemini asks the user before the event.
    consent: () => "given",
    deny: (reason) => ({ decision: "deny", reason }),
    tell: addContext("AfterTool"),
    lines: { first: "start_line", last: "end_line" },
    linesShown: 2_000,
    mostText: readLimits["gemini-cli-mcp-client"] ?? 0,
    show({ path, directory, text, first, last, note }) {
      // Gemini replaces the result of a tool by the reason for which the result is denied, and calls it an error.
      if (!geminiTrusts(directory)) return { decision: "deny", reason: `${note}\n\n${text}` };
      const args = { path, startLine: first, endLine: Math.max(first, last) };
      const tailToolCallRequest = { name: hookedAgents.gemini.ours.read, args };
      return { hookSpecificOutput: { hookEventName: "AfterTool", tailToolCallRequest } };
    },
  },
  opencode: {
    name: "opencode",
    // A subagent of opencode has a conversation of its own.
    fields: { tool: "tool", input: "args", directory: "directory", id: "callID", session: "sessionID", subagent: "" },
    tools: {
      read: { kind: "read", field: "filePath" },
      edit: { kind: "edit", field: "filePath" },
      write: { kind: "write", field: "filePath" },
      apply_patch: { kind: "patch", field: "patchText" },
      bash: { kind: "command", field: "command" },
    },
    ours: ourNames("multi-edit_"),
    edit: { oldText: "oldString", newText: "newString", replaceAll: "replaceAll" },
    // The plugin knows whether the user has rules for edits, which opencode would look at only after the event.
    consent: ({ mayApply }) => (mayApply === false ? "none" : "given"),
    // The plugin passes on what both of its hooks get; only a tool that has run has an output.
    when: ({ output }) => (output === undefined ? "before" : "after"),
    deny: (reason) => ({ deny: reason }),
    tell: (note, { output }) => ({ output: `${output}\n\n${note}` }),
    lines: { first: "offset", count: "limit" },
    linesShown: 2_000,
    mostText: readLimits.opencode ?? 0,
    show(lines) {
      const { path, first, last, total, note } = lines;
      const end = hookSentences.endOfLines(first, last, total);
      const text = `${last < first ? "" : numbered(lines, ": ")}\n\n(${end})`;
      return { output: `${note}\n<path>${path}</path>\n<type>file</type>\n<content>\n${text}\n</content>` };
    },
  },
  copilot: {
    name: "copilot",
    // Its calls have no ids.
    fields: hookFields,
    // Copilot sends Claude's names for its tools `view`, `edit` and `create`. Its tool for patches has the name `Edit`, too.
    tools: {
      Read: { kind: "read", field: "path" },
      Edit: { kind: "edit", field: "path", mayBePatch: true },
      Write: { kind: "write", field: "path" },
    },
    ours: ourNames("multi-edit-"),
    edit: { oldText: "old_str", newText: "new_str", replaceAll: "", content: "file_text" },
    when: byName("PreToolUse", "PostToolUse"),
    // Copilot asks the user after the event, and does not say whether it will.
    consent: () => "needed",
    deny: permissionDenied,
    lines: { first: "", range: "view_range" },
    linesShown: 2_000,
    mostText: limits.toolText,
    show: ({ text, note }) => ({
      modifiedResult: { resultType: "success", textResultForLlm: `${note}\n\n${text}` },
    }),
  },
  qwen: {
    name: "qwen-code",
    fields: hookFields,
    tools: {
      read_file: { kind: "read", field: "file_path" },
      edit: { kind: "edit", field: "file_path" },
      write_file: { kind: "write", field: "file_path" },
      notebook_edit: { kind: "cell", field: "notebook_path" },
      run_shell_command: { kind: "command", field: "command" },
    },
    ours: ourNames("mcp__multi-edit__"),
    edit: { ...snakeCase, replaceAll: "replace_all" },
    when: byName("PreToolUse", "PostToolUse"),
    // Qwen asks the user before the event.
    consent: byMode("default", "auto-edit", "auto", "yolo"),
    deny: permissionDenied,
    tell: addContext("PostToolUse"),
    lines: { first: "offset", count: "limit", isFromZero: true },
    linesShown: 1_000,
    mostText: limits.toolText,
    // A result that stops the tool replaces it; Qwen goes on.
    show: ({ text, note }) => ({ continue: false, stopReason: `${note}\n\n${text}` }),
  },
  pi: {
    name: "pi",
    fields: { tool: "tool", input: "args", directory: "directory", id: "callID", session: "sessionID", subagent: "" },
    // Our extension replaces pi's tool for edits, and what its tool for reads returns.
    tools: { write: { kind: "write", field: "path" } },
    ours: { edit: "edit", read: "read_document", patch: "edit" },
    edit: { oldText: "", newText: "", replaceAll: "" },
    when: () => "before",
    consent: () => "given",
    deny: (reason) => ({ deny: reason }),
    lines: { first: "" },
    linesShown: 0,
    mostText: 0,
  },
};

/** Matches the lines of a patch that name files. */
const patchHeader = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): *(.+?)[ \t]*$/gm;

const pathsIn = (patch: string): string[] => [...patch.matchAll(patchHeader)].map(([, path = ""]) => path);

/** Reports whether a text can't be a path as it is; a tool may make one of it, for example without `a/..`. */
const isNoPath = (path: string): boolean => path.length > limits.pathLength || path.includes("\0");

/** A call of one of the agent's own tools, as its event describes it. */
export interface OwnCall {
  readonly tool: OwnTool;
  readonly input: Readonly<Record<string, unknown>>;
  /** The patch; `undefined` if the tool takes none. */
  readonly patch: string | undefined;
  /** The command of which it is not certain whether it applies a patch, and to which files; otherwise `undefined`. */
  readonly perhaps: string | undefined;
  /** The paths as they were sent; only the directory for such a command. */
  readonly paths: readonly string[];
  /** The directory to which relative paths refer. */
  readonly directory: string;
  /**
   * The ids of the conversation and of the call in it, with the tool and its input, because a model may use an id again;
   * `undefined` if the agent gives its calls no ids.
   */
  readonly id: string | undefined;
  /** The same, for every call; without ids, equal calls have the same key. Each hook gets the same one for one call. */
  readonly key: string;
  /** The ids of the conversation and of the subagent in it; `undefined` if the event does not say which it is. */
  readonly conversation: string | undefined;
  readonly event: Readonly<Record<string, unknown>>;
}

/**
 * Reads an event; `undefined` if it is about none of the agent's own tools for files, and no command with a patch.
 * `unreadable`: it does not say which files a tool is about to change.
 */
export function readEvent(
  agent: HookedAgent,
  event: Readonly<Record<string, unknown>>,
): OwnCall | "unreadable" | undefined {
  const { fields, tools } = agent;
  const name = event[fields.tool];
  const when = agent.when(event);
  if (typeof name !== "string") return when === "before" ? "unreadable" : undefined;
  const input = event[fields.input];
  const known = Object.hasOwn(tools, name) ? tools[name] : undefined;
  const isPatch = known?.mayBePatch === true && typeof input === "string";
  const tool: OwnTool | undefined = isPatch ? { kind: "patch", field: "" } : known;
  if (tool === undefined || when !== (["read", "command"].includes(tool.kind) ? "after" : "before")) return undefined;
  const text: unknown = isPatch ? input : Object(input)[tool.field];
  if (typeof text !== "string" || text === "") return when === "before" ? "unreadable" : undefined;
  const command = tool.isCommand ? readPatchCommand(text) : undefined;
  if (tool.isCommand && command === undefined) return undefined;
  const patch = command?.kind === "plain" ? command.patch : tool.kind === "patch" && !tool.isCommand ? text : undefined;
  const perhaps = command?.kind === "perhaps" ? command.command : undefined;
  const paths =
    perhaps !== undefined || tool.kind === "command" ? ["."] : patch === undefined ? [text] : pathsIn(patch);
  const given = event[fields.directory];
  const directory = typeof given === "string" && given !== "" ? given : process.cwd();
  if (paths.length === 0 || [directory, ...paths].some(isNoPath)) return when === "before" ? "unreadable" : undefined;
  const session = event[fields.session];
  const ids = [session, event[fields.id]];
  const key = JSON.stringify([...ids, name, input]);
  const hasSession = typeof session === "string" && session !== "";
  return {
    tool,
    input: Object(input) as Record<string, unknown>,
    paths: [...new Set(paths)],
    patch,
    perhaps,
    directory: resolve(directory, (command?.kind === "plain" && command.folder) || "."),
    id: ids.every((one) => typeof one === "string") ? key : undefined,
    key,
    conversation: hasSession ? JSON.stringify([session, event[fields.subagent] ?? ""]) : undefined,
    event,
  };
}
