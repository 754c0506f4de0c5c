/** Runs the commands for agents, scripts and people: sends requests to a session, and prints the results. */
import { statSync } from "node:fs";
import { constants } from "node:os";
import { resolve } from "node:path";
import type { MultiEditResult, ReadResult } from "../../lsp/protocol.js";
import { callSentences } from "../../lsp/sentences.js";
import { limits } from "../../text/limits.js";
import { fromDirectory } from "../../workspace/pathText.js";
import { inServerFolder } from "../../workspace/serverFolder.js";
import { asksForSession } from "../sentences.js";
import { isAgentId } from "../session/handshake.js";
import {
  type FailedRequest,
  type RequestContext,
  type RequestResult,
  readCall,
  type SessionRequest,
  sendRequest,
} from "../session/request.js";
import { type Arguments, helpOf, isCommand, readArguments } from "./arguments.js";
import { callsIn, readInput } from "./input.js";
import { exitCodeOf, exitCodes, forStderr, print, printJson, say } from "./output.js";
import { argumentProblems, commandSentences, inputProblems } from "./sentences.js";

export { isCommand };

/** Runs one command and returns the exit code. `args` begins with the command; `version` is the program's version. */
export async function runCommand(args: readonly string[], version: string): Promise<number> {
  const input = readArguments(args);
  if (!input.ok) return misused(commandSentences.seeHelp(program, input.problem, args[0]));
  const options = input.value;
  if (options.help) {
    print(helpOf(program));
    return exitCodes.done;
  }
  const workspace =
    options.workspace ?? (options.command === "mcp" ? process.env.CLAUDE_PROJECT_DIR || undefined : undefined);
  const directory = directoryOf(workspace);
  if (directory === undefined) return misused(inputProblems.noDirectory(workspace));
  const agent = options.agent ?? (process.env.MULTI_EDIT_AGENT || undefined);
  if (agent !== undefined && !isAgentId(agent)) return misused(argumentProblems.badAgent("MULTI_EDIT_AGENT"));
  // The reader of the output may close it early.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const stop = new AbortController();
  let signalCode: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      // Shells expect this code from a program that was stopped by a signal.
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
    patience: options.patience ?? limits.commandMs,
    notify: say,
    slow: (session) => say(commandSentences.waiting(session)),
    signal: stop.signal,
  };
  const code = await commands[options.command](options, context);
  return signalCode ?? code;
}

const program = "multi-edit";

type CommandHandler = (options: Arguments, context: RequestContext) => Promise<number>;

const commands: Readonly<Record<Arguments["command"], CommandHandler>> = {
  apply: (options, context) => edit("multiEdit/apply", options, context),
  preview: (options, context) => edit("multiEdit/preview", options, context),
  read: readText,
  undo,
  sessions: async (options, context) => (await import("./doctor.js")).listSessions(options, context),
  doctor: async (options, context) => (await import("./doctor.js")).runDoctor(options, context),
  setup: async (options) => (await import("./setup.js")).runSetup(options),
  mcp: serveTools,
};

/** Sends the input's calls one after another, so that each builds on those before it. Stops at the first failure. */
async function edit(method: string, options: Arguments, context: RequestContext): Promise<number> {
  const [path = "-"] = options.words;
  const text = await readInput(path, process.stdin);
  if (!text.ok) return misused(text.problem);
  const values = callsIn(text.value);
  if (!values.ok) return misused(values.problem);
  const { length: total } = values.value;
  const requests: SessionRequest[] = [];
  for (const value of values.value) {
    const call = readCall(value, method, { ...options.call, root: context.directory }, "command");
    if (!call.ok) {
      if (options.json) printJson(errorOf(call));
      const message = messageOf(call, options);
      return misused(total === 1 ? message : inputProblems.badCall(requests.length + 1, message));
    }
    requests.push(call.request);
  }
  for (const [index, request] of requests.entries()) {
    const code = showEdit(await sendRequest(request, context), options);
    if (code === exitCodes.done) continue;
    if (total > 1) say(inputProblems.stoppedAt(index + 1, total));
    return code;
  }
  return exitCodes.done;
}

/** With `--json`, prints the answer. If the request failed, prints the message to stderr. Returns the exit code. */
function showResult(result: RequestResult, options: Arguments): number {
  if (options.json) printJson(result.ok ? result.result : errorOf(result));
  if (!result.ok) say(messageOf(result, options));
  return exitCodeOf(result);
}

/** Returns the message for stderr, with the option that helps. With `--json`, edits are counted from 0, as in JSON. */
function messageOf({ message, failures }: FailedRequest, { json }: Arguments): string {
  return `${json ? message : forStderr(message)}${failures.some(asksForSession) ? `\n${commandSentences.nameSession}` : ""}`;
}

function showEdit(result: RequestResult, options: Arguments): number {
  const code = showResult(result, options);
  if (!result.ok) return code;
  const { diff, text, outcome, files, warnings } = result.result as MultiEditResult;
  if (!options.json) print(diff, { isDiff: true });
  const isUnchanged = outcome === "proposed" || (outcome === "applied" && files.length === 0);
  const through = result.editor === undefined ? [] : [commandSentences.through(result.editor)];
  const notes = isUnchanged ? [callSentences.nothingChanged] : through;
  say([text, ...notes, ...(options.json ? warnings : warnings.map(forStderr))].join("\n"));
  return code;
}

const errorOf = ({ message, failures, edits, unknown }: FailedRequest): object => ({
  error: { message, failures, edits, ...(unknown ? { outcome: "unknown" } : {}) },
});

async function readText(options: Arguments, context: RequestContext): Promise<number> {
  const [, path = "", from, dash, to] = /^(.+?)(?::(\d+)(-)?(\d+)?)?$/s.exec(options.words[0] ?? "") ?? [];
  const end = to ?? (dash === undefined ? from : undefined);
  const target = fromDirectory(context.directory, path);
  const params = { path: target, startLine: from && Number(from), endLine: end && Number(end) };
  const result = await sendRequest({ method: "multiEdit/read", params, targets: [target] }, context);
  const code = showResult(result, options);
  if (!result.ok || options.json) return code;
  const { text, onDisk } = result.result as ReadResult;
  print(text);
  if (onDisk === "differs") say(inputProblems.unsaved(target));
  return exitCodes.done;
}

async function undo(options: Arguments, context: RequestContext): Promise<number> {
  const [transaction] = options.words;
  const request = { method: "multiEdit/undo", params: { transaction }, targets: [], needsEditor: true };
  return showEdit(await sendRequest(request, context), options);
}

/** Serves agents over MCP. By default, waits less long than other commands, because agents give up after a minute. */
async function serveTools({ patience, structured }: Arguments, context: RequestContext): Promise<number> {
  const { serveMcp } = await import("../mcp/mcp.js");
  const { slow: _slow, notify: _notify, ...quiet } = context;
  return serveMcp({ ...quiet, patience: patience ?? limits.toolMs, structured: structured === true });
}

/**
 * Returns the absolute path of a directory, by default the working directory; `undefined` if there is no such
 * directory, or if its name is not UTF-8: Node then uses a different name, which may belong to another directory.
 */
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

function misused(problem: string): number {
  say(problem);
  return exitCodes.usage;
}
