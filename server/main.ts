/** The command line: tells from the arguments what is wanted, and loads no more than that needs. */
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { logLevels } from "./lsp/wire/lifetime.js";
import type { ServeOptions, Transport } from "./lsp/wire/transport.js";

const help = `Usage: ${manifest.name} <transport> [options]
       multi-edit <command> [options]

A language server through which the edits of coding agents reach your editor.
An agent sends a whole batch of text replacements with one request; the server
finds each old text in the documents as the editor has them now, unsaved changes
included, and answers with one WorkspaceEdit that changes all files or none.

Agents and scripts use its commands (apply, preview, read, undo, sessions,
doctor, setup, mcp): see multi-edit apply --help. To set up an editor or an
agent: multi-edit setup.

The server is started by an editor rather than by hand. Transports, one of:
  --stdio                 speak the Language Server Protocol on stdin and stdout
  --node-ipc              speak it on the IPC channel of a parent Node process
  --socket=PORT           connect to this TCP port of 127.0.0.1
  --pipe=NAME             connect to this Unix socket or named pipe

Options:
  --clientProcessId=PID   end when this process, the editor, ends
  --log-level=LEVEL       error, warn, info or debug: what is logged
  -V, --version           print the version
  -h, --help              print this help

Editors (the README has each in full):
  Neovim   vim.lsp.config("multi_edit_ls", {
             cmd = { "${manifest.name}", "--stdio" },
             root_markers = { ".git" },
             flags = { debounce_text_changes = 0 } })
           vim.lsp.enable("multi_edit_ls")
  Helix    [language-server.multi-edit]
           command = "${manifest.name}"
           args = ["--stdio"]
           and "multi-edit" in the language-servers of each [[language]]
  Emacs    lsp-mode runs it beside other servers (:add-on? t); eglot has one
           server a mode: (add-to-list 'eglot-server-programs
             '(text-mode . ("${manifest.name}" "--stdio")))

See it at work on real files: npm run demo, in a checkout of the source.
Read more: the README beside the program, on requests, settings and editors.
`;

const options = {
  stdio: { type: "boolean" },
  "node-ipc": { type: "boolean" },
  socket: { type: "string" },
  pipe: { type: "string" },
  clientProcessId: { type: "string" },
  "log-level": { type: "string" },
  version: { type: "boolean", short: "V" },
  help: { type: "boolean", short: "h" },
} as const;

/** Exit code for a command line that can't be understood. */
const badUsage = 2;

void main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  if (args[0] !== undefined && !args[0].startsWith("-")) {
    const { isCommand, runCommand } = await import("./agent/cli/commandLine.js");
    if (isCommand(args[0])) {
      process.exitCode = await runCommand(args, manifest.version);
      return;
    }
  }
  const command = readCommandLine(args);
  switch (command.kind) {
    case "print":
      process.stdout.write(command.text);
      return;
    case "nothing":
      process.stderr.write(help);
      process.exitCode = 1;
      return;
    case "wrong":
      process.stderr.write(`${manifest.name}: ${command.reason}\nSee ${manifest.name} --help.\n`);
      process.exitCode = badUsage;
      return;
    case "serve":
      await startServer(command.options);
  }
}

type Command =
  | { kind: "print"; text: string }
  | { kind: "nothing" }
  | { kind: "wrong"; reason: string }
  | { kind: "serve"; options: ServeOptions };

function readCommandLine(args: readonly string[]): Command {
  const parsed = parse(args);
  if (!parsed.ok) return { kind: "wrong", reason: parsed.reason };
  const { values } = parsed;
  if (values.help) return { kind: "print", text: help };
  if (values.version) return { kind: "print", text: `${manifest.version}\n` };

  const port = values.socket === undefined ? undefined : readInteger(values.socket, { most: 65_535 });
  if (values.socket !== undefined && port === undefined) return wrong("--socket needs a port from 1 to 65535");
  if (values.pipe === "") return wrong("--pipe needs a name");
  const clientProcessId =
    values.clientProcessId === undefined ? undefined : readInteger(values.clientProcessId, { most: 2 ** 31 - 1 });
  if (values.clientProcessId !== undefined && clientProcessId === undefined) {
    return wrong("--clientProcessId needs a process id");
  }
  const logLevel = logLevels.find((level) => level === values["log-level"]);
  if (values["log-level"] !== undefined && logLevel === undefined) {
    return wrong(`--log-level is one of ${logLevels.join(", ")}`);
  }

  const transports: Transport[] = [];
  if (values.stdio) transports.push({ kind: "stdio" });
  if (values["node-ipc"]) transports.push({ kind: "node-ipc" });
  if (port !== undefined) transports.push({ kind: "socket", port });
  if (values.pipe !== undefined) transports.push({ kind: "pipe", path: values.pipe });
  const [transport] = transports;
  if (transport === undefined) return { kind: "nothing" };
  if (transports.length > 1) {
    return wrong(`one transport at a time, not ${transports.map(({ kind }) => `--${kind}`).join(" and ")}`);
  }
  return { kind: "serve", options: { transport, clientProcessId, logLevel } };
}

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

function parse(args: readonly string[]): { ok: true; values: Values } | { ok: false; reason: string } {
  try {
    return { ok: true, values: parseArgs({ args: [...args], options, strict: true }).values };
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split("\n");
    return { ok: false, reason: (reason ?? "").slice(0, 200) };
  }
}

function wrong(reason: string): Command {
  return { kind: "wrong", reason };
}

/** A whole number from 1 to `most`, in decimal digits; `undefined` for any other text. */
function readInteger(text: string, { most }: { most: number }): number | undefined {
  const value = Number(text);
  return /^[0-9]{1,10}$/.test(text) && value >= 1 && value <= most ? value : undefined;
}

async function startServer(start: ServeOptions): Promise<void> {
  // The library looks for --clientProcessId when it is loaded, and would end the process for an id of another namespace.
  process.argv.splice(2);
  const [{ serve }, { registerServer }] = await Promise.all([
    import("./lsp/wire/transport.js"),
    import("./lsp/server.js"),
  ]);
  await serve(start, (connection) =>
    registerServer(connection, {
      version: manifest.version,
      logLevel: start.logLevel,
      async openToAgents(session) {
        const { serveAgents } = await import("./agent/session/serveAgents.js");
        await serveAgents(session, manifest.version);
      },
    }),
  );
}
