/** The configurations as text to paste, with explanations. */
import { join } from "node:path";

/** Quotes an argument for a shell if necessary. */
const quotedForShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The configurations of all programs except Helix, by name. Each is complete; its first line says where it goes. */
export const setupTexts: Readonly<Record<string, (samples: string) => string>> = {
  neovim: (
    folder,
  ) => `-- Neovim 0.10 or later, in init.lua. Starts the server for every file, alongside the file's other servers.
vim.opt.runtimepath:append(${JSON.stringify(join(folder, "neovim"))})
require("multi_edit").setup()
`,
  emacs: (folder) => `;; Emacs 29.1 or later, in ~/.emacs.d/init.el or ~/.config/emacs/init.el.
;; Starts the server for every file, alongside eglot's other servers.
(add-to-list 'load-path ${JSON.stringify(join(folder, "emacs"))})
(require 'multi-edit)
(multi-edit-beside-mode)
;; With lsp-mode, instead of the last line: (multi-edit-use-lsp-mode)
`,
  claude: () => `# Claude Code, in a shell.
# With alwaysLoad, the tools cost about 2,000 tokens in each request; without it, the model has to search for three of
# the five tools.
claude mcp add-json --scope user multi-edit '{"type":"stdio","command":"multi-edit","args":["mcp"],"alwaysLoad":true}'

# Claude's own tools write to disk, not to the editor. To make Claude use multi-edit's tools instead, add this to
# ~/.claude/settings.json:
# { "permissions": { "allow": ["mcp__multi-edit__*"], "deny": ["Edit", "Write", "NotebookEdit"] } }
# allow lets the tools change files without asking you, except in plan mode. deny disables Claude's own editing tools
# in every project.
`,
  codex: () => `# Codex, in ~/.codex/config.toml.
# In Codex's sandbox, commands may not open sockets; MCP servers run outside the sandbox.
# env_vars: Codex passes on few variables, but the server looks for editors in XDG_STATE_HOME if you have set it.
# required: Codex waits for the server and exits with an error if the server does not start.
# approve: the tools change files without asking you, even on disk and under --sandbox read-only. Without this
# setting, codex exec refuses every edit.
# omit_tools_from: the tools cost about 2,000 tokens in each request. Without this setting, most models do not see the
# tools.
# output_token_limit: reading one file may cost up to that many tokens. Models that call tools from a script see less of
# a long file.
[mcp_servers.multi-edit]
command = "multi-edit"
args = ["mcp"]
startup_timeout_sec = 20
tool_timeout_sec = 60
env_vars = ["XDG_STATE_HOME"]
required = true
default_tools_approval_mode = "approve"
omit_tools_from = ["deferred"]

[mcp_servers.multi-edit.tools.read_document]
output_token_limit = 40000
`,
  opencode: () => `// opencode, in opencode.json.
// permission: your rules for opencode's own edit tool do not apply to these tools. With allow, these tools change files
// without asking you; with ask, opencode asks you first, and opencode run refuses their calls.
// agent: without these lines, the plan agent can edit files with these tools.
{
  "mcp": {
    "multi-edit": { "type": "local", "command": ["multi-edit", "mcp"], "enabled": true }
  },
  "permission": {
    "multi-edit_multi_edit": "allow",
    "multi-edit_apply_patch": "allow",
    "multi-edit_undo_last_edit": "allow"
  },
  "agent": {
    "plan": {
      "permission": {
        "multi-edit_multi_edit": "deny",
        "multi-edit_apply_patch": "deny",
        "multi-edit_undo_last_edit": "deny"
      }
    }
  }
}
`,
  gemini: () => `// Gemini CLI, in ~/.gemini/settings.json.
// The timeout is in milliseconds.
// With trust, the tools change files without asking you; without it, gemini -p can't use them.
// In folders that you have not trusted, Gemini disables the MCP servers listed in this file, even those with
// "trust": true.
{
  "mcpServers": {
    "multi-edit": { "command": "multi-edit", "args": ["mcp"], "timeout": 60000, "trust": true }
  }
}
`,
  pi: (folder) => `# pi, in a shell.
# An extension that replaces pi's own edit tool in every project with one that goes through your editor. Like pi's own
# tool, it changes files without asking you.
mkdir -p ~/.pi/agent/extensions
cp ${quotedForShell(join(folder, "pi", "multiEdit.ts"))} ~/.pi/agent/extensions/
`,
};
