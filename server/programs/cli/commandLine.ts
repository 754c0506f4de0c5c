/** Runs the commands for agents, scripts and people: sends requests to a session and prints the results. */
import { realpathSync, statSync } from "node:fs";
import { constants } from "node:os";
import { resolve } from "node:path";
import { agentVariables, askingNames, valuesSet } from "../../agents/agents.js";
import { nearestName } from "../../dialect/spelling.js";
import { isAgentId } from "../../session/agentId.js";
import type { RequestContext } from "../../session/request.js";
import { limits } from "../../text/limits.js";
import { isInside } from "../../workspace/pathText.js";
import { inServerFolder } from "../../workspace/serverFolder.js";
import { thisInstallation } from "../setup/installation.js";
import { exitCodes, misused, print, say } from "../shared/output.js";
import { type Arguments, readArguments } from "./arguments.js";
import { helpOf, helpOfCommand } from "./help.js";
import { argumentProblems, commandSentences, inputProblems } from "./sentences.js";
import { type CommandName, commandRows, isCommand, shells } from "./table.js";

/** Runs one command and returns its exit code. `args` has the command; `version` is the program's version. */
export async function runCommand(args: readonly string[], version: string): Promise<number> {
  const input = readArguments(args);
  if (!input.ok) {
    const isJson = { json: args.includes("--json") };
    return misused(commandSentences.seeHelp(program, input.problem, args.find(isCommand)), isJson);
  }
  const options = input.value;
  if (options.help) return showHelp(options.command);
  const workspace = options.workspace ?? (options.command === "mcp" ? valuesSet("project")[0] : undefined);
  const directory = directoryOf(workspace);
  if (directory === undefined) return misused(inputProblems.noDirectory(workspace), options);
  const agent = options.agent ?? (process.env.MULTI_EDIT_AGENT || undefined);
  if (agent !== undefined && !isAgentId(agent)) return misused(argumentProblems.badAgent("MULTI_EDIT_AGENT"), options);
  // The program that reads the output, such as `head`, may close the stream early.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const stop = new AbortController();
  let signalCode: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      // Shells expect this code from a program stopped by a signal.
      signalCode = 128 + constants.signals[signal];
      stop.abort();
    });
  }
  const context: RequestContext = {
    version,
    caller: { name: program, version, ...(agent === undefined ? {} : { agent }) },
    sessions: inServerFolder("sessions"),
    directory,
    session: options.session ?? (process.env.MULTI_EDIT_SESSION || undefined),
    mode: options.mode ?? "auto",
    isTyped: agent === undefined && isTyped(),
    patience: options.patience ?? limits.commandMs,
    notify: say,
    slow: (session, isAsked) => say(commandSentences.waiting(session, isAsked)),
    signal: stop.signal,
  };
  const code = await commands[options.command](options, context);
  return signalCode ?? code;
}

const program = "multi-edit";

/** Reports whether the user typed the command, as far as this can be known: on a terminal, and not by a known agent. */
function isTyped(): boolean {
  const isOnTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  return isOnTerminal && !agentVariables.some((name) => Boolean(process.env[name]));
}

type CommandHandler = (options: Arguments, context: RequestContext) => Promise<number>;

const commands: Readonly<Record<Arguments["command"], CommandHandler>> = {
  apply: async (options, context) => (await calls()).edit("multiEdit/apply", options, context),
  preview: async (options, context) => (await calls()).edit("multiEdit/preview", options, context),
  read: async (options, context) => (await calls()).readText(options, context),
  undo: async (options, context) => (await calls()).undo(options, context),
  answer: async (options, context) => (await calls()).answer(options, context),
  log: async (options, context) => (await calls()).showLog(options, context),
  status: async (options, context) => (await calls()).showStatus(options, context),
  sessions: async (options, context) => (await import("./doctor.js")).listSessions(options, context),
  doctor: async (options, context) => (await import("./doctor.js")).runDoctor(options, context),
  setup: async (options) => (await import("../setup/setup.js")).runSetup(options),
  try: async ({ words: [folder] }, { directory }) => (await import("./try.js")).runTry(folder, directory),
  mcp: serveTools,
  acp: async ({ words }, { slow: _slow, notify: _notify, ...quiet }) =>
    (await import("../acp/acp.js")).runAcp(words, quiet, calls),
  hook: async ({ words }, { version }) => (await import("../hook/hook.js")).runHook(words, version),
  completion: showCompletion,
  help: async (options) => {
    const [name] = options.words;
    if (name === undefined || isCommand(name)) return showHelp(name);
    const names = Object.keys(commandRows);
    const problem = argumentProblems.unknownCommand(name, nearestName(name, names), names);
    return misused(commandSentences.seeHelp(program, problem, undefined), options);
  },
};

/** Prints the help for a command or, without one, for all commands. */
async function showHelp(name: CommandName | undefined): Promise<number> {
  print(name === undefined ? helpOf(program) : helpOfCommand(program, name, await namesFor(name)));
  return exitCodes.done;
}

/** Returns the permitted first arguments of a command, if there are only certain ones. */
async function namesFor(name: CommandName): Promise<readonly string[]> {
  if (name === "setup") return (await import("../setup/setup.js")).setupNames;
  if (name === "hook") return askingNames;
  return name === "completion" ? shells : [];
}

async function showCompletion(options: Arguments): Promise<number> {
  const shell = shells.find((one) => one === options.words[0]);
  if (shell === undefined) return misused(argumentProblems.unknownShell(shells), options);
  const { completions } = await import("./completions.js");
  print(completions[shell](await namesFor("setup")));
  return exitCodes.done;
}

/** The modules that send calls to sessions. They take longer to load than this program takes to start. */
const calls = (): Promise<typeof import("./calls.js")> => import("./calls.js");

/** Serves agents over MCP. The default timeout is shorter, because agents give up after a minute. */
async function serveTools({ patience, structured, workspace }: Arguments, context: RequestContext): Promise<number> {
  const { serveMcp } = await import("../mcp/mcp.js");
  const { slow: _slow, notify: _notify, ...quiet } = context;
  const isNamed = workspace !== undefined || valuesSet("project").length > 0;
  const isHomeless = !isNamed && isPluginFolder(context.directory);
  // Outside the folders of the user's editors, nothing says which files belong to the project.
  const mode = isHomeless && context.mode === "auto" ? "editor" : context.mode;
  return serveMcp({ ...quiet, mode, isHomeless, patience: patience ?? limits.toolMs, structured }, calls);
}

/** Reports whether a directory is a plugin's own folder, where some agents start the plugin's server. */
function isPluginFolder(directory: string): boolean {
  const named = [process.env.PLUGIN_ROOT, ...valuesSet("plugin")];
  const [real, ...folders] = [directory, thisInstallation().samples, ...named].map(realPath);
  return folders.some((folder) => folder !== undefined && isInside(folder, real ?? directory));
}

function realPath(path: string | undefined): string | undefined {
  try {
    return path && realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Returns a directory's absolute path; `undefined` if there is none, or if Node would alter it (no UTF-8). */
function directoryOf(given = "."): string | undefined {
  try {
    const directory = resolve(given);
    const [before, after] = [given, directory].map((path) => statSync(path, { bigint: true }));
    const isSame = before?.isDirectory() && before.ino === after?.ino && before.dev === after.dev;
    return isSame ? directory : undefined;
  } catch {
    return undefined;
  }
}
