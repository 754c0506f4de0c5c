/** The program's own messages: its help, and problems with its arguments. */
import manifest from "../package.json" with { type: "json" };

/** The help for starting the language server. */
export const help = `Usage: ${manifest.name} <transport> [options]
       multi-edit <command> [options]

A language server that brings the edits of coding agents into your editor.
An agent sends a batch of text replacements in one request. The server finds
each old text in the documents as the editor has them, unsaved changes included,
and answers with one WorkspaceEdit that changes all files or none.

Agents and scripts use its commands (apply, preview, read, undo, sessions,
doctor, setup, mcp): see multi-edit apply --help. To set up an editor or an
agent, run multi-edit setup.

The server is usually started by an editor, with one of these transports:
  --stdio                 speak the Language Server Protocol over stdin/stdout
  --node-ipc              speak it over the parent Node process's IPC channel
  --socket=PORT           connect to this TCP port on 127.0.0.1
  --pipe=NAME             connect to this Unix socket or named pipe

Options:
  --clientProcessId=PID   exit when this process, the editor, ends
  --log-level=LEVEL       log only messages at this level (error, warn, info or
                          debug) or above
  -V, --version           print the version
  -h, --help              print this help

Editors (see the README for details):
  Neovim   vim.lsp.config("multi_edit_ls", {
             cmd = { "${manifest.name}", "--stdio" },
             root_markers = { ".git" },
             flags = { debounce_text_changes = 0 } })
           vim.lsp.enable("multi_edit_ls")
  Helix    [language-server.multi-edit]
           command = "${manifest.name}"
           args = ["--stdio"]
           and "multi-edit" in the language-servers of each [[language]]
  Emacs    lsp-mode runs it alongside other servers (:add-on? t); eglot runs
           one server per mode: (add-to-list 'eglot-server-programs
             '(text-mode . ("${manifest.name}" "--stdio")))

To see it in action on real files, run npm run demo in a source checkout.
The README in the package describes requests, settings and editors.
`;

/** Problems with the arguments, as clauses. */
export const usageProblems = {
  port: "--socket requires a port number from 1 to 65535",
  pipe: "--pipe requires a name",
  processId: "--clientProcessId requires a process id",
  logLevel: (known: readonly string[]) => `--log-level must be one of ${known.join(", ")}`,
  transports: (kinds: readonly string[]) =>
    `only one transport is allowed, but ${kinds.map((kind) => `--${kind}`).join(" and ")} were given`,
  seeHelp: (problem: string) => `${manifest.name}: ${problem}\nSee ${manifest.name} --help.\n`,
} as const;
