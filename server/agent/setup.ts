/** Prints what to write into the configuration of an editor or an agent; changes nothing itself. */
import { exitCodes } from "./exitCodes.js";

/** Prints the configuration of one program, or without a name those that are known. */
export function printSetup(name: string | undefined): number {
  const text = name === undefined ? undefined : setups[name];
  if (text !== undefined) {
    process.stdout.write(text);
    return exitCodes.done;
  }
  const known = `The configuration of one of these is printed: ${Object.keys(setups).join(", ")}.\n`;
  process.stderr.write(
    name === undefined ? known : `Nothing is known of ${JSON.stringify(name.slice(0, 40))}. ${known}`,
  );
  return exitCodes.usage;
}

const server = "multi-edit-language-server";

/** By name; each text is complete and begins with a line that says where it belongs. */
const setups: Readonly<Record<string, string>> = {
  neovim: `-- Neovim 0.11 or later, in init.lua: every file type, in the root of the repository.
vim.lsp.config("multi_edit_ls", {
  cmd = { "${server}", "--stdio" },
  root_markers = { ".git" },
  flags = { debounce_text_changes = 0 },
})
vim.lsp.enable("multi_edit_ls")
`,
  helix: `# Helix 25.07 or later, in languages.toml: one [[language]] for each that you use. The list replaces
# the default one, so name the servers that the language has as well.
[language-server.multi-edit]
command = "${server}"
args = ["--stdio"]

[[language]]
name = "rust"
language-servers = ["rust-analyzer", "multi-edit"]

[[language]]
name = "text"
language-servers = ["multi-edit"]
`,
  emacs: `;; Emacs with lsp-mode, in init.el: runs beside the servers that you have.
(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection '("${server}" "--stdio"))
                    :activation-fn (lambda (&rest _) t) :add-on? t :priority -10 :server-id 'multi-edit)))

;; Emacs with eglot, which has one server for a mode:
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(text-mode . ("${server}" "--stdio"))))
(setq eglot-confirm-server-edits nil)
`,
  claude: `# Claude Code, in a shell; then allow the tools mcp__multi-edit__* when it asks, or in its settings.
claude mcp add --scope user multi-edit -- multi-edit mcp

# Its own tools write the disk behind the editor. To have it use these instead, in ~/.claude/settings.json:
# { "permissions": { "allow": ["mcp__multi-edit__*"], "deny": ["Edit", "Write", "NotebookEdit"] } }
`,
  codex: `# Codex, in ~/.codex/config.toml. Commands in its sandbox may not open sockets; MCP servers run outside of it.
[mcp_servers.multi-edit]
command = "multi-edit"
args = ["mcp"]
startup_timeout_sec = 20
tool_timeout_sec = 60
`,
  opencode: `// opencode, in opencode.json.
{
  "mcp": {
    "multi-edit": { "type": "local", "command": ["multi-edit", "mcp"], "enabled": true }
  }
}
`,
  gemini: `// Gemini CLI, in ~/.gemini/settings.json; "timeout" is in milliseconds.
{
  "mcpServers": {
    "multi-edit": { "command": "multi-edit", "args": ["mcp"], "timeout": 60000 }
  }
}
`,
  pi: `# pi, in a shell: an extension that puts the session's tool in the place of pi's "edit". Copy it from the
# directory client-samples/pi of this package, which has a README.
cp client-samples/pi/multiEdit.ts ~/.pi/agent/extensions/
`,
};
