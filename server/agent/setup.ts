/** Prints what to write into the configuration of an editor or an agent; changes nothing itself. */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { setupSentences } from "../plan/failure.js";
import { exitCodes } from "./exitCodes.js";
import { print, say } from "./show.js";

/** Prints the configuration of one program, or says which are known. */
export function printSetup(name: string | undefined): number {
  const known = Object.keys(setups);
  const setup = name === undefined ? undefined : setups[name];
  if (setup === undefined) {
    say(setupSentences.unknown(name, known));
    return exitCodes.usage;
  }
  print(setup(samples()));
  return exitCodes.done;
}

/** The samples lie in the package beside the program, wherever that was installed. */
function samples(): string {
  return join(dirname(dirname(realpathSync(process.argv[1] ?? "."))), "client-samples");
}

/** By name; each text is complete, its first lines say where it belongs. They are given the folder of the samples. */
const setups: Readonly<Record<string, (samples: string) => string>> = {
  neovim: (folder) => `-- Neovim 0.10 or later, in init.lua: every file, beside the servers that it has.
vim.opt.runtimepath:append(${JSON.stringify(join(folder, "neovim"))})
require("multi_edit").setup()
`,
  helix: (
    folder,
  ) => `# Helix 25.01 or later, in languages.toml. A language names all of its servers, so this is one entry for each;
#   sh ${join(folder, "helix", "languages.sh")} rust python
# prints them with the servers that those languages have now.
[language-server.multi-edit]
command = "multi-edit-language-server"
args = ["--stdio"]

[[language]]
name = "text"
scope = "text.plain"
file-types = ["txt", "text", "log"]
language-servers = ["multi-edit"]
`,
  emacs: (folder) => `;; Emacs 29.1 or later, in init.el: beside the servers that eglot has.
(add-to-list 'load-path ${JSON.stringify(join(folder, "emacs"))})
(require 'multi-edit)
(multi-edit-beside-mode)
;; With lsp-mode in place of the last line: (multi-edit-use-lsp-mode)
`,
  claude: () => `# Claude Code, in a shell; then allow the tools mcp__multi-edit__* when it asks, or in its settings.
claude mcp add --scope user multi-edit -- multi-edit mcp

# Its own tools write the disk behind the editor. To have it use these instead, in ~/.claude/settings.json:
# { "permissions": { "allow": ["mcp__multi-edit__*"], "deny": ["Edit", "Write", "NotebookEdit"] } }
`,
  codex:
    () => `# Codex, in ~/.codex/config.toml. Commands in its sandbox may not open sockets; MCP servers run outside of it.
[mcp_servers.multi-edit]
command = "multi-edit"
args = ["mcp"]
startup_timeout_sec = 20
tool_timeout_sec = 60
`,
  opencode: () => `// opencode, in opencode.json.
{
  "mcp": {
    "multi-edit": { "type": "local", "command": ["multi-edit", "mcp"], "enabled": true }
  }
}
`,
  gemini: () => `// Gemini CLI, in ~/.gemini/settings.json; "timeout" is in milliseconds.
{
  "mcpServers": {
    "multi-edit": { "command": "multi-edit", "args": ["mcp"], "timeout": 60000 }
  }
}
`,
  pi: (folder) => `# pi, in a shell: an extension that puts the session's tool in the place of pi's "edit".
cp ${join(folder, "pi", "multiEdit.ts")} ~/.pi/agent/extensions/
`,
};
