/** Gemini CLI. */
import { join } from "node:path";
import { homeFolder } from "../workspace/serverFolder.js";
import type { Agent } from "./agent.js";
import {
  events,
  hookFields,
  jsonHook,
  mcpCommand,
  ourNames,
  patientMs,
  readOrEmpty,
  serverFile,
  snakeCase,
} from "./parts.js";

const settingsIn = (folder: string): string => join(folder, ".gemini", "settings.json");
const settingsFile = (): string => settingsIn(homeFolder());
const client = { name: "gemini-cli-mcp-client", mostText: 80_000 } as const;
const ours = ourNames("mcp_multi-edit_");

/** Gemini CLI. */
export const gemini: Agent = {
  title: "Gemini CLI",
  variables: { commands: ["GEMINI_CLI"] },
  client,
  about: `// Gemini CLI, in ~/.gemini/settings.json.
// timeout, in milliseconds: Gemini CLI waits as long as you may take to answer a question in your editor.
// With trust, the tools change files without asking you; without it, gemini -p can't use them.
// In folders that you have not trusted, Gemini disables the MCP servers listed in this file, even those with
// "trust": true.
`,
  files: (program) => [serverFile(settingsFile(), { ...mcpCommand(program), timeout: patientMs, trust: true })],
  hook: {
    name: "gemini-cli",
    installed: jsonHook(
      "gemini",
      settingsFile,
      {
        BeforeTool: "^(replace|write_file)$",
        AfterTool: "^(read_file|replace|write_file|run_shell_command|grep_search)$",
      },
      { name: "multi-edit" },
    ),
    fields: hookFields,
    tools: {
      read_file: { kind: "read", field: "file_path" },
      replace: { kind: "edit", field: "file_path" },
      write_file: { kind: "write", field: "file_path" },
      run_shell_command: { kind: "command", field: "command" },
      grep_search: { kind: "search", field: "dir_path" },
    },
    ours,
    edit: { ...snakeCase, replaceAll: "allow_multiple" },
    ...events("BeforeTool", "AfterTool"),
    goesOn: true,
    // Gemini asks the user before the event.
    consent: () => "given",
    deny: (reason) => ({ decision: "deny", reason }),
    read: {
      lines: { first: "start_line", last: "end_line" },
      linesShown: 2_000,
      mostText: client.mostText,
      show({ path, directory, text, first, last, note }) {
        // Gemini replaces the result of a tool by the reason for which the result is denied, and calls it an error.
        if (!isTrusted(directory)) return { decision: "deny", reason: `${note}\n\n${text}` };
        const args = { path, startLine: first, endLine: Math.max(first, last) };
        const tailToolCallRequest = { name: ours.read, args };
        return { hookSpecificOutput: { hookEventName: "AfterTool", tailToolCallRequest } };
      },
    },
  },
};

/** Reports whether settings give Gemini our MCP server with trust; an extension can't. `directory`: where it works. */
function isTrusted(directory: string): boolean {
  return [settingsFile(), settingsIn(directory)].some((path) => {
    try {
      const { mcpServers }: { readonly mcpServers?: unknown } = Object(JSON.parse(readOrEmpty(path)));
      return Object(Object(mcpServers)["multi-edit"]).trust === true;
    } catch {
      return false;
    }
  });
}
