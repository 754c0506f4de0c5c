/** Qwen Code. */
import { join } from "node:path";
import { limits } from "../text/limits.js";
import type { Agent } from "./agent.js";
import {
  agentFolder,
  byMode,
  jsonHook,
  likeClaude,
  mcpCommand,
  ourNames,
  patientMs,
  serverFile,
  snakeCase,
} from "./parts.js";

const settingsFile = (): string => join(agentFolder("QWEN_HOME", ".qwen"), "settings.json");

/** Qwen Code. */
export const qwen: Agent = {
  title: "Qwen Code",
  variables: { commands: ["QWEN_CODE"], hooks: "QWEN_PROJECT_DIR" },
  about: `// Qwen Code, in ~/.qwen/settings.json.
// timeout, in milliseconds: Qwen waits as long as you may take to answer a question in your editor.
// With trust, the tools change files without asking you; without it, qwen -p refuses them.
// With alwaysLoadTools, the tools cost about 1,500 tokens in each request. Without it, the model has to search for them.
`,
  files: (program) => [
    serverFile(settingsFile(), { ...mcpCommand(program), timeout: patientMs, trust: true, alwaysLoadTools: true }),
  ],
  hook: {
    name: "qwen-code",
    installed: jsonHook(
      "qwen",
      settingsFile,
      {
        PreToolUse: "^(edit|write_file|notebook_edit)$",
        PostToolUse: "^(read_file|edit|write_file|notebook_edit|run_shell_command|grep_search)$",
      },
      { name: "multi-edit" },
    ),
    ...likeClaude,
    tools: {
      read_file: { kind: "read", field: "file_path" },
      edit: { kind: "edit", field: "file_path" },
      write_file: { kind: "write", field: "file_path" },
      notebook_edit: { kind: "cell", field: "notebook_path" },
      run_shell_command: { kind: "command", field: "command" },
      grep_search: { kind: "search", field: "path" },
    },
    ours: ourNames("mcp__multi-edit__"),
    edit: { ...snakeCase, replaceAll: "replace_all" },
    // Qwen asks the user before the event.
    consent: byMode("default", "auto-edit", "auto", "yolo"),
    read: {
      lines: { first: "offset", count: "limit", isFromZero: true },
      linesShown: 1_000,
      mostText: limits.toolText,
      // A result that stops the tool replaces it; Qwen goes on.
      show: ({ text, note }) => ({ continue: false, stopReason: `${note}\n\n${text}` }),
    },
  },
};
