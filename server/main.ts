/** Parses the command line, then loads only the modules needed to carry it out. */
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { logLevels } from "./lsp/wire/logLevel.js";
import type { ServeOptions, Transport } from "./lsp/wire/transport.js";
import { help, usageProblems } from "./sentences.js";

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

void main(process.argv.slice(2));

async function main(given: readonly string[]): Promise<void> {
  // People try this command, which other programs have.
  const args = given.length === 1 && given[0] === "version" ? ["--version"] : given;
  const hookArgs = hookIn(args);
  if (hookArgs !== undefined) {
    // An agent runs this command for each call of its own tools, so it must not wait for the other commands' code.
    const { runHook } = await import("./programs/hook/hook.js");
    // The agent waits until the process ends, so it must not wait for what came too late to be of use.
    process.exit(await runHook(hookArgs, manifest.version));
  }
  const commandLine = commandsIn(args);
  if (commandLine !== undefined) {
    const { runCommand } = await import("./programs/cli/commandLine.js");
    process.exitCode = await runCommand(commandLine, manifest.version);
    return;
  }
  const line = readCommandLine(args);
  if ("start" in line) {
    // Hide --clientProcessId from the library, which would exit if the client ran in another PID namespace.
    process.argv.splice(2);
    const { startServer } = await import("./serve.js");
    return startServer(line.start, manifest.version);
  }
  (line.exitCode === 0 ? process.stdout : process.stderr).write(line.text);
  process.exitCode = line.exitCode;
}

/** Returns the arguments of `hook`, even if wrong: other exit codes block an agent's tools. `undefined`: no hook. */
function hookIn(args: readonly string[]): readonly string[] | undefined {
  const at = args.findIndex((arg) => !arg.startsWith("-"));
  if (args[at] !== "hook" || args.some((arg) => arg === "-h" || arg === "--help")) return undefined;
  // The server's own options may have this value.
  return at > 0 && parseFlags(args).ok ? undefined : args.filter((_, index) => index !== at);
}

/** Returns a command's line; `undefined` for the server. Any word asks for a command, as our name's options do. */
function commandsIn(args: readonly string[]): readonly string[] | undefined {
  const [first = ""] = args;
  if (first !== "" && !first.startsWith("-")) return args;
  const isCommands = /[\\/]multi-edit(?:\.\w+)?$/.test(process.argv[1] ?? "");
  if (!isCommands) return undefined;
  if (first === "" || first === "-h" || first === "--help") return ["help"];
  return parseFlags(args).ok ? undefined : args;
}

/** The server's options, or text to print: to stdout if the exit code is 0, otherwise to stderr. */
type CommandLine = { readonly start: ServeOptions } | { readonly exitCode: number; readonly text: string };

function readCommandLine(args: readonly string[]): CommandLine {
  const input = parseFlags(args);
  if (!input.ok) return wrong(input.problem);
  const { values } = input;
  if (values.help) return { exitCode: 0, text: help };
  if (values.version) return { exitCode: 0, text: `${manifest.version}\n` };

  const port = readInteger(values.socket, 65_535);
  if (values.socket !== undefined && port === undefined) return wrong(usageProblems.port);
  if (values.pipe === "") return wrong(usageProblems.pipe);
  const clientProcessId = readInteger(values.clientProcessId, 2 ** 31 - 1);
  if (values.clientProcessId !== undefined && clientProcessId === undefined) return wrong(usageProblems.processId);
  const logLevel = logLevels.find((level) => level === values["log-level"]);
  if (values["log-level"] !== undefined && logLevel === undefined) return wrong(usageProblems.logLevel(logLevels));

  const transports: Transport[] = [];
  if (values.stdio) transports.push({ kind: "stdio" });
  if (values["node-ipc"]) transports.push({ kind: "node-ipc" });
  if (port !== undefined) transports.push({ kind: "socket", port });
  if (values.pipe !== undefined) transports.push({ kind: "pipe", path: values.pipe });
  const [transport] = transports;
  if (transport === undefined) return { exitCode: 1, text: help };
  if (transports.length > 1) return wrong(usageProblems.transports(transports.map(({ kind }) => kind)));
  return { start: { transport, clientProcessId, logLevel } };
}

type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

function parseFlags(args: readonly string[]): { ok: true; values: Flags } | { ok: false; problem: string } {
  try {
    return { ok: true, values: parseArgs({ args: [...args], options, strict: true }).values };
  } catch (error) {
    const [problem = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return { ok: false, problem: problem.slice(0, 200) };
  }
}

/** Returns the output for an invalid command line. */
function wrong(problem: string): CommandLine {
  return { exitCode: 2, text: usageProblems.seeHelp(problem) };
}

/** Parses a decimal integer from 1 to `most`. Returns `undefined` for any other text, or if there is none. */
function readInteger(text: string | undefined, most: number): number | undefined {
  const value = Number(text);
  return text !== undefined && /^[0-9]{1,10}$/.test(text) && value >= 1 && value <= most ? value : undefined;
}
