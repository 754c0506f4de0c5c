/** The configurations as text to paste, with explanations. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { limits } from "../../text/limits.js";
import { type Input, unreadable } from "../cli/input.js";
import { quotedForShell, setupSentences } from "../cli/sentences.js";
import { type Installation, serverCommand } from "./installation.js";

/** Returns a list of strings as Lua. */
export const luaList = (words: readonly string[]): string =>
  `{ ${words.map((word) => JSON.stringify(word)).join(", ")} }`;

/** Returns a quoted list of strings as Lisp. */
export const emacsList = (words: readonly string[]): string =>
  `'(${words.map((word) => JSON.stringify(word)).join(" ")})`;

/** Returns a list of strings as JSON or TOML, with spaces between them. */
const jsonList = (words: readonly string[]): string => `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;

/** Returns the text that an installation needs if it is not on the PATH; otherwise, an empty string. */
function ifNotOnPath(installation: Installation, text: (command: readonly string[]) => string): string {
  return installation.command.length === 1 ? "" : text(serverCommand(installation));
}

/** Prints one form of a configuration. */
type TextOf = (installation: Installation) => Input<string>;

const text =
  (build: (installation: Installation) => string): TextOf =>
  (installation) => ({ ok: true, value: build(installation) });

/** The arguments with which an agent starts a server whose calls wait as long as the user may take to decide. */
export const patientMcp = ["mcp", "--timeout", String(limits.commandMs / 1000)] as const;
/** The limit of such an agent, in milliseconds: a little longer than that of its server. */
export const patientMs: number = limits.commandMs + 3 * limits.stopMs;

/** Returns the tables for Codex's configuration, as they are printed and written. */
export const codexTables = ({ command: [command, ...args] }: Installation): string => `[mcp_servers.multi-edit]
command = ${JSON.stringify(command)}
args = ${jsonList([...args, ...patientMcp])}
startup_timeout_sec = 20
tool_timeout_sec = ${patientMs / 1000}
env_vars = ["XDG_STATE_HOME"]
required = true
default_tools_approval_mode = "approve"
omit_tools_from = ["deferred"]

[mcp_servers.multi-edit.tools.read_document]
output_token_limit = 40000
`;

const neovimOptions = (installation: Installation): string =>
  ifNotOnPath(installation, (command) => `cmd = ${luaList(command)}`);
const neovimSetup = (installation: Installation): string => {
  const options = neovimOptions(installation);
  return `require("multi_edit").setup(${options === "" ? "" : `{ ${options} }`})`;
};
const neovimFolder = ({ samples }: Installation): string => JSON.stringify(join(samples, "neovim"));

/** The forms for Neovim: without a plugin manager, and for the two that most users have. */
const neovim = {
  plain: text(
    (
      installation,
    ) => `-- Neovim 0.10 or later, in ~/.config/nvim/init.lua. Starts the server for every file, alongside the file's other
-- servers.
vim.opt.runtimepath:append(${neovimFolder(installation)})
${neovimSetup(installation)}
`,
  ),
  "lazy.nvim": text((installation) => {
    const options = neovimOptions(installation);
    return `-- Neovim 0.10 or later with lazy.nvim, in ~/.config/nvim/lua/plugins/multi-edit.lua. Starts the server for every file,
-- alongside the file's other servers.
return {
  dir = ${neovimFolder(installation)},
  name = "multi-edit",
  main = "multi_edit",
  opts = ${options === "" ? "{}" : `{ ${options} }`},
}
`;
  }),
  "vim.pack": (installation: Installation): Input<string> => {
    const { repository } = installation;
    if (repository === undefined) return unreadable(setupSentences.noRepository());
    const src = JSON.stringify(pathToFileURL(repository).href);
    const value = `-- Neovim 0.12 or later, in ~/.config/nvim/init.lua. Starts the server for every file, alongside the file's other
-- servers. vim.pack copies what has been committed in the repository.
vim.pack.add({ { src = ${src}, name = "multi-edit" } }, { confirm = false })
${neovimSetup(installation)}
`;
    return { ok: true, value };
  },
};

const emacsFolder = ({ samples }: Installation): string => JSON.stringify(join(samples, "emacs"));
const emacsCommand = (installation: Installation, line: (list: string) => string): string =>
  ifNotOnPath(installation, (command) => line(emacsList(command)));
const emacsSetq = (installation: Installation): string =>
  emacsCommand(installation, (list) => `(setq multi-edit-command ${list})\n`);

/** The first lines of a form for Emacs. */
const emacsStart = (installation: Installation, about: string): string =>
  `;; Emacs 29.1 or later, in ~/.emacs.d/init.el or ~/.config/emacs/init.el.
${about}
(add-to-list 'load-path ${emacsFolder(installation)})
(require 'multi-edit)
${emacsSetq(installation)}`;

/** The forms for Emacs: for all files, without or with use-package, and for users of one of the two LSP clients. */
const emacs = {
  plain: text(
    (
      installation,
    ) => `${emacsStart(installation, ";; Starts the server for every file, alongside eglot's other servers.")}\
(multi-edit-beside-mode)
`,
  ),
  "use-package": text(
    (installation) => `;; Emacs 29.1 or later, in ~/.emacs.d/init.el or ~/.config/emacs/init.el.
;; Starts the server for every file, alongside eglot's other servers.
(use-package multi-edit
  :load-path ${emacsFolder(installation)}
  :demand t
${emacsCommand(installation, (list) => `  :custom (multi-edit-command ${list})\n`)}\
  :config (multi-edit-beside-mode))
`,
  ),
  eglot: text(
    (installation) => `${emacsStart(
      installation,
      `;; Makes the server eglot's only server in these modes. List only modes that have no other server; to use the server
;; alongside others, run "multi-edit setup emacs".`,
    )}\
(multi-edit-use-eglot 'text-mode 'prog-mode 'conf-mode)
(dolist (hook '(text-mode-hook prog-mode-hook conf-mode-hook))
  (add-hook hook #'eglot-ensure))
`,
  ),
  "lsp-mode": text(
    (installation) => `${emacsStart(installation, ";; Starts the server alongside lsp-mode's other servers.")}\
(multi-edit-use-lsp-mode)
(dolist (hook '(text-mode-hook prog-mode-hook conf-mode-hook))
  (add-hook hook #'lsp))
`,
  ),
};

/**
 * The configurations of all programs except Helix, by name and by form. Each is complete; its first line says where it
 * goes. The form `plain` is the default.
 */
export const setupForms: Readonly<Record<string, Readonly<Record<string, TextOf>>>> = {
  neovim,
  emacs,
  claude: {
    plain: text(
      ({ command: [command, ...args] }) => `# Claude Code, in a shell.
# With --timeout, Claude waits as long as you may take to answer a question in your editor.
# With alwaysLoad, the tools cost about 1,500 tokens in each request. Without it, they cost half as much, but the model
# has to search for four of the six tools.
claude mcp add-json --scope user multi-edit ${quotedForShell(
        JSON.stringify({ type: "stdio", command, args: [...args, ...patientMcp], alwaysLoad: true }),
      )}

# Claude's own tools write to disk, not to the editor. To make Claude use multi-edit's tools instead, add this to
# ~/.claude/settings.json:
# { "permissions": { "allow": ["mcp__multi-edit__*"], "deny": ["Edit", "Write", "NotebookEdit"] } }
# allow lets the tools change files without asking you, except in plan mode. deny disables Claude's own editing tools
# in every project.
`,
    ),
  },
  codex: {
    plain: text(
      (installation) => `# Codex, in ~/.codex/config.toml.
# In Codex's sandbox, commands may not open sockets; MCP servers run outside the sandbox.
# env_vars: Codex passes on few variables, but the server looks for editors in XDG_STATE_HOME if you have set it.
# required: Codex waits for the server and exits with an error if the server does not start.
# approve: the tools change files without asking you, even on disk and under --sandbox read-only. Without this
# setting, codex exec refuses every edit.
# omit_tools_from: the tools cost about 1,500 tokens in each request. Without this setting, most models do not see the
# tools.
# tool_timeout_sec and --timeout: Codex waits as long as you may take to answer a question in your editor.
# output_token_limit: reading one file may cost up to that many tokens. Models that call tools from a script see less of
# a long file.
${codexTables(installation)}`,
    ),
  },
  opencode: {
    plain: text(
      ({ command }) => `// opencode, in opencode.json.
// permission: your rules for opencode's own edit tool do not apply to these tools. With allow, these tools change files
// without asking you; with ask, opencode asks you first, and opencode run refuses their calls.
// timeout and --timeout: opencode waits as long as you may take to answer a question in your editor.
// agent: without these lines, the plan agent can edit files with these tools.
{
  "mcp": {
    "multi-edit": { "type": "local", "command": ${jsonList([...command, ...patientMcp])}, "enabled": true, "timeout": ${patientMs} }
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
    ),
  },
  gemini: {
    plain: text(
      ({ command: [command, ...args] }) => `// Gemini CLI, in ~/.gemini/settings.json.
// timeout, in milliseconds: Gemini CLI waits as long as you may take to answer a question in your editor.
// With trust, the tools change files without asking you; without it, gemini -p can't use them.
// In folders that you have not trusted, Gemini disables the MCP servers listed in this file, even those with
// "trust": true.
{
  "mcpServers": {
    "multi-edit": { "command": ${JSON.stringify(command)}, "args": ${jsonList([...args, ...patientMcp])}, "timeout": ${patientMs}, "trust": true }
  }
}
`,
    ),
  },
  copilot: {
    plain: text(
      ({ command: [command, ...args] }) => `// Copilot CLI, in ~/.copilot/mcp-config.json.
// timeout, in milliseconds: Copilot waits as long as you may take to answer a question in your editor.
// Copilot asks before it uses the tools, and copilot -p refuses them. To let them change files without asking you, start
// Copilot with --allow-tool multi-edit. "multi-edit setup copilot --write" allows them for good.
{
  "mcpServers": {
    "multi-edit": { "type": "local", "command": ${JSON.stringify(command)}, "args": ${jsonList([...args, ...patientMcp])}, "tools": ["*"], "timeout": ${patientMs} }
  }
}
`,
    ),
  },
  qwen: {
    plain: text(
      ({ command: [command, ...args] }) => `// Qwen Code, in ~/.qwen/settings.json.
// timeout, in milliseconds: Qwen waits as long as you may take to answer a question in your editor.
// With trust, the tools change files without asking you; without it, qwen -p refuses them.
// With alwaysLoadTools, the tools cost about 1,500 tokens in each request. Without it, the model has to search for them.
{
  "mcpServers": {
    "multi-edit": { "command": ${JSON.stringify(command)}, "args": ${jsonList([...args, ...patientMcp])}, "timeout": ${patientMs}, "trust": true, "alwaysLoadTools": true }
  }
}
`,
    ),
  },
  pi: {
    plain: text(
      ({ samples }) => `# pi, in a shell.
# An extension that replaces pi's own edit tool in every project with one that goes through your editor. Like pi's own
# tool, it changes files without asking you.
mkdir -p ~/.pi/agent/extensions
cp ${quotedForShell(join(samples, "pi", "multiEdit.ts"))} ~/.pi/agent/extensions/
`,
    ),
  },
};
