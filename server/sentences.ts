/** Sentences of the program itself: its help, and problems with its arguments. */
import manifest from "../package.json" with { type: "json" };

/** The help for starting the language server. */
export const help = `Usage: ${manifest.name} <transport> [options]
       multi-edit <command> [options]

A language server through which the edits of coding agents reach your editor.
An agent sends a batch of text replacements in one request. The server finds
each old text in the documents as the editor has them, unsaved changes included,
and answers with one WorkspaceEdit that changes all files or none.

Agents and scripts use its commands (apply, preview, read, undo, sessions,
doctor, setup, mcp): see multi-edit apply --help. To set up an editor or an
agent, run multi-edit setup.

Usually an editor starts the server, with one of these transports:
  --stdio                 speak the Language Server Protocol on stdin and stdout
  --node-ipc              speak it on the IPC channel of a parent Node process
  --socket=PORT           connect to this TCP port of 127.0.0.1
  --pipe=NAME             connect to this Unix socket or named pipe

Options:
  --clientProcessId=PID   exit when this process, the editor, ends
  --log-level=LEVEL       log only messages of this level (error, warn, info or
                          debug) and above
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
  Emacs    lsp-mode runs it along with other servers (:add-on? t); eglot has
           one server per mode: (add-to-list 'eglot-server-programs
             '(text-mode . ("${manifest.name}" "--stdio")))

To see it at work on real files, run npm run demo in a checkout of the source.
The README in the package describes requests, settings and editors.
`;

/** Problems with the arguments, as clauses. */
export const usageProblems = {
  port: "--socket needs a port from 1 to 65535",
  pipe: "--pipe needs a name",
  processId: "--clientProcessId needs a process id",
  logLevel: (known: readonly string[]) => `--log-level must be one of ${known.join(", ")}`,
  transports: (kinds: readonly string[]) =>
    `there can be only one transport, not ${kinds.map((kind) => `--${kind}`).join(" and ")}`,
  seeHelp: (problem: string) => `${manifest.name}: ${problem}\nSee ${manifest.name} --help.\n`,
} as const;
