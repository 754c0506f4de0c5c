/** Copilot CLI. */
import { join } from "node:path";
import { limits } from "../text/limits.js";
import type { Agent, HookForm, InstalledProgram } from "./agent.js";
import {
  agentFolder,
  appliesCalls,
  hookCommand,
  likeClaude,
  mcpCommand,
  ourNames,
  patientMs,
  serverFile,
} from "./parts.js";

const folder = (): string => agentFolder("COPILOT_HOME", ".copilot");
const hookFile = (): string => join(folder(), "hooks", "multi-edit.json");

/** Copilot CLI. */
export const copilot: Agent = {
  title: "Copilot CLI",
  variables: { commands: ["COPILOT_CLI"], plugin: "COPILOT_PLUGIN_ROOT", hooks: "COPILOT_PROJECT_DIR" },
  about: `// Copilot CLI, in ~/.copilot/mcp-config.json.
// timeout, in milliseconds: Copilot waits as long as you may take to answer a question in your editor.
// Copilot asks before it uses the tools, and copilot -p refuses them. To let them change files without asking you, start
// Copilot with --allow-tool multi-edit. "multi-edit setup copilot --write" allows them for good.
`,
  files: (program) => [
    serverFile(join(folder(), "mcp-config.json"), {
      type: "local",
      ...mcpCommand(program),
      tools: ["*"],
      timeout: patientMs,
    }),
  ],
  hook: {
    name: "copilot",
    installed: {
      path: hookFile,
      applies: appliesCalls("copilot"),
      file: (program, form) => ({
        kind: "whole",
        path: hookFile(),
        text: hooksText(program, form),
        isOurs: (present) => present.includes('"multi-edit/.*"'),
      }),
    },
    // Its calls have no ids.
    ...likeClaude,
    // Copilot sends Claude's names for its tools `view`, `edit` and `create`. Its tool for patches has the name `Edit`, too.
    tools: {
      Read: { kind: "read", field: "path" },
      Edit: { kind: "edit", field: "path", mayBePatch: true },
      Write: { kind: "write", field: "path" },
      Bash: { kind: "command", field: "command" },
      Grep: { kind: "search", field: "path" },
    },
    tell: (additionalContext) => ({ additionalContext }),
    ours: ourNames("multi-edit-"),
    edit: { oldText: "old_str", newText: "new_str", replaceAll: "", content: "file_text" },
    // Copilot asks the user after the event, and does not say whether it will.
    consent: () => "needed",
    read: {
      lines: { first: "", range: "view_range" },
      linesShown: 2_000,
      mostText: limits.toolText,
      show: ({ text, note }) => ({
        modifiedResult: { resultType: "success", textResultForLlm: `${note}\n\n${text}` },
      }),
    },
  },
};

/** Returns the text of the file with Copilot's hooks. One allows our tools, for which Copilot has no setting. */
function hooksText(program: InstalledProgram, form: HookForm): string {
  const command = hookCommand(program, "copilot", form);
  const own = (matcher: string): object[] => [{ type: "command", matcher, command, timeoutSec: 60 }];
  const hooks = {
    permissionRequest: [
      { type: "command", matcher: "multi-edit/.*", command: `echo '${JSON.stringify({ behavior: "allow" })}'` },
    ],
    ...(form === "none" ? {} : { PreToolUse: own("Edit|Write"), PostToolUse: own("Read|Edit|Write|Bash|Grep") }),
  };
  return `${JSON.stringify({ version: 1, hooks }, undefined, 2)}\n`;
}
