/** Claude Code. */
import { join } from "node:path";
import { homeFolder } from "../workspace/serverFolder.js";
import type { Agent, InstalledProgram } from "./agent.js";
import {
  agentFolder,
  byMode,
  jsonHook,
  likeClaude,
  mcpCommand,
  ourNames,
  quotedForShell,
  readOrEmpty,
  serverFile,
  snakeCase,
} from "./parts.js";

const settingsFile = (): string => join(agentFolder("CLAUDE_CONFIG_DIR", ".claude"), "settings.json");
const server = (program: InstalledProgram) => ({ type: "stdio", ...mcpCommand(program), alwaysLoad: true });
const client = { name: "claude-code", mostText: 80_000 } as const;
const byPermission = byMode("acceptEdits", "auto", "bypassPermissions");

/** Claude Code. */
export const claude: Agent = {
  title: "Claude Code",
  variables: { commands: ["CLAUDECODE"], project: "CLAUDE_PROJECT_DIR", plugin: "CLAUDE_PLUGIN_ROOT" },
  client,
  about: `# Claude Code, in a shell.
# With --timeout, Claude waits as long as you may take to answer a question in your editor.
# With alwaysLoad, the tools cost about 1,500 tokens in each request. Without it, they cost half as much, but the model
# has to search for four of the six tools.
`,
  lines: (program) => `claude mcp add-json --scope user multi-edit ${quotedForShell(JSON.stringify(server(program)))}

# Claude's own tools write to disk, not to the editor. To make Claude use multi-edit's tools instead, add this to
# ~/.claude/settings.json:
# { "permissions": { "allow": ["mcp__multi-edit__*"], "deny": ["Edit", "Write", "NotebookEdit"] } }
# allow lets the tools change files without asking you, except in plan mode. deny disables Claude's own editing tools
# in every project.
`,
  files: (program) => [
    serverFile(join(process.env.CLAUDE_CONFIG_DIR || homeFolder(), ".claude.json"), server(program)),
    {
      kind: "json",
      path: settingsFile(),
      entries: [{ path: ["permissions", "allow"], value: "mcp__multi-edit__*", kind: "item" }],
    },
  ],
  hook: {
    name: "claude-code",
    installed: jsonHook("claude", settingsFile, {
      PreToolUse: "Edit|MultiEdit|Write|NotebookEdit",
      PostToolUse: "Read|Edit|MultiEdit|Write|NotebookEdit|Bash|Grep",
    }),
    ...likeClaude,
    goesOn: true,
    tools: {
      Read: { kind: "read", field: "file_path" },
      Edit: { kind: "edit", field: "file_path" },
      MultiEdit: { kind: "edit", field: "file_path" },
      Write: { kind: "write", field: "file_path" },
      NotebookEdit: { kind: "cell", field: "notebook_path" },
      Bash: { kind: "command", field: "command" },
      Grep: { kind: "search", field: "path" },
    },
    // Claude Code sets the variable for the hooks of a plugin, and puts the plugin's name before those of its tools.
    ours: ourNames(process.env.CLAUDE_PLUGIN_ROOT ? "mcp__plugin_multi-edit_multi-edit__" : "mcp__multi-edit__"),
    edit: { ...snakeCase, replaceAll: "replace_all", list: "edits" },
    consent(event) {
      const consent = byPermission(event);
      const rule = consent === "none" ? undefined : ruleForEdits(String(event.cwd));
      return rule === "ask" ? "needed" : rule === "allow" ? "given" : consent;
    },
    read: {
      lines: { first: "offset", count: "limit" },
      linesShown: 2_000,
      mostText: client.mostText,
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
  },
};

/** Returns the user's rules about edits, which Claude Code reads after its hooks: `ask` about some, `allow` all. */
function ruleForEdits(directory: string): "ask" | "allow" | undefined {
  const project = join(process.env.CLAUDE_PROJECT_DIR || directory, ".claude");
  const paths = [
    settingsFile(),
    ...["settings.json", "settings.local.json"].map((name) => join(project, name)),
    ...["/etc/claude-code", "/Library/Application Support/ClaudeCode", "C:\\Program Files\\ClaudeCode"].map((folder) =>
      join(folder, "managed-settings.json"),
    ),
  ];
  const settings = paths.map((path) => readOrEmpty(path)).filter((text) => text !== "");
  const hasRule = (text: string, list: "ask" | "allow", meant: RegExp): boolean => {
    try {
      const rules: unknown = Object(Object(JSON.parse(text)).permissions)[list];
      return Array.isArray(rules) && rules.some((rule) => meant.test(String(rule)));
    } catch {
      // What can't be read may have a rule to ask.
      return list === "ask";
    }
  };
  if (settings.some((text) => hasRule(text, "ask", /^(?:Edit|MultiEdit|Write|\*)/))) return "ask";
  // Claude applies a rule for Edit, without a pattern of paths, to all of its tools that edit files.
  return settings.some((text) => hasRule(text, "allow", /^Edit$/)) ? "allow" : undefined;
}
