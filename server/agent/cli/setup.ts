/** Prints what to write into the configuration of an editor or an agent; changes nothing itself. */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Input, unreadable } from "./input.js";
import { exitCodes, print, say } from "./output.js";
import { setupSentences } from "./sentences.js";
import { helixSetup } from "./setupHelix.js";

/** Prints the configuration of one program, of Helix that for some languages; or says what is known. */
export function printSetup([name, ...words]: readonly string[]): number {
  const setup = name === "helix" ? helixSetup(words) : fixedSetup(name, words);
  if (!setup.ok) {
    say(setup.problem);
    return exitCodes.usage;
  }
  print(setup.value);
  return exitCodes.done;
}

function fixedSetup(name: string | undefined, words: readonly string[]): Input<string> {
  const setup = name !== undefined && Object.hasOwn(setups, name) ? setups[name] : undefined;
  if (name === undefined || setup === undefined) {
    return unreadable(setupSentences.unknown(name, ["helix", ...Object.keys(setups)].sort()));
  }
  const [word] = words;
  if (word !== undefined) return unreadable(setupSentences.tooMany(name, word));
  return { ok: true, value: setup(samples()) };
}

/** The samples lie in the package beside the program, wherever that was installed. */
function samples(): string {
  return join(dirname(dirname(realpathSync(process.argv[1] ?? "."))), "client-samples");
}

/** A word of a shell's command line; what needs no quotes stays as it is. */
const quotedForShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** By name, but for Helix; each text is complete, its first lines say where it belongs. They are given the folder of the samples. */
const setups: Readonly<Record<string, (samples: string) => string>> = {
  neovim: (folder) => `-- Neovim 0.10 or later, in init.lua: every file, beside the servers that it has.
vim.opt.runtimepath:append(${JSON.stringify(join(folder, "neovim"))})
require("multi_edit").setup()
`,
  emacs: (folder) => `;; Emacs 29.1 or later, in ~/.emacs.d/init.el or ~/.config/emacs/init.el: every file, beside
;; the servers that eglot has.
(add-to-list 'load-path ${JSON.stringify(join(folder, "emacs"))})
(require 'multi-edit)
(multi-edit-beside-mode)
;; With lsp-mode in place of the last line: (multi-edit-use-lsp-mode)
`,
  claude: () => `# Claude Code, in a shell.
# alwaysLoad: the tools cost about 2,000 tokens in each request. Without it the model has to search for three of the five.
claude mcp add-json --scope user multi-edit '{"type":"stdio","command":"multi-edit","args":["mcp"],"alwaysLoad":true}'

# Claude's own tools write the disk and not the editor. To have Claude use these instead, in ~/.claude/settings.json:
# { "permissions": { "allow": ["mcp__multi-edit__*"], "deny": ["Edit", "Write", "NotebookEdit"] } }
# allow: outside of plan mode the tools change files without asking you. deny: Claude's own tools for edits are gone in every
# project.
`,
  codex: () => `# Codex, in ~/.codex/config.toml.
# Commands in its sandbox may not open sockets; MCP servers run outside of it.
# required: Codex waits for the server, and ends with an error if the server does not start.
# approve: the tools change files without asking you, also on disk, and also under --sandbox read-only. Without it codex exec
# refuses every edit.
# omit_tools_from: the tools cost about 2,000 tokens in each request. Without it most models are not shown them.
# output_token_limit: reading one file may cost that many tokens. Models that call tools from a script get less of a long file.
[mcp_servers.multi-edit]
command = "multi-edit"
args = ["mcp"]
startup_timeout_sec = 20
tool_timeout_sec = 60
required = true
default_tools_approval_mode = "approve"
omit_tools_from = ["deferred"]

[mcp_servers.multi-edit.tools.read_document]
output_token_limit = 40000
`,
  opencode: () => `// opencode, in opencode.json.
// permission: what you allow or forbid its own edit does not count for these tools. With allow they change files without asking
// you; with ask opencode asks you, and opencode run refuses them.
// agent: without these lines the plan agent can edit files with these tools.
{
  "mcp": {
    "multi-edit": { "type": "local", "command": ["multi-edit", "mcp"], "enabled": true }
  },
  "permission": { "multi-edit_multi_edit": "allow", "multi-edit_apply_patch": "allow" },
  "agent": {
    "plan": { "permission": { "multi-edit_multi_edit": "deny", "multi-edit_apply_patch": "deny" } }
  }
}
`,
  gemini: () => `// Gemini CLI, in ~/.gemini/settings.json.
// The timeout is in milliseconds.
// trust: the tools change files without asking you. Without it gemini -p does not have them.
// In folders that you have not trusted Gemini disables the MCP servers of this file, with trust or without.
{
  "mcpServers": {
    "multi-edit": { "command": "multi-edit", "args": ["mcp"], "timeout": 60000, "trust": true }
  }
}
`,
  pi: (folder) => `# pi, in a shell.
# An extension that puts the session's tool in the place of pi's own edit, in every project. Like that one, it changes files
# without asking you.
mkdir -p ~/.pi/agent/extensions
cp ${quotedForShell(join(folder, "pi", "multiEdit.ts"))} ~/.pi/agent/extensions/
`,
};
