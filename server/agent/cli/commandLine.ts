/** The commands for agents, scripts and people: asks an editor's session, and prints what comes of it. */

import { statSync } from "node:fs";
import { constants } from "node:os";
import { resolve } from "node:path";
import type { MultiEditResult, ReadResult } from "../../lsp/protocol.js";
import { callSentences } from "../../lsp/sentences.js";
import { limits } from "../../text/limits.js";
import { isFileUri } from "../../workspace/pathText.js";
import { inServerFolder } from "../../workspace/serverFolder.js";
import { agentIdRule, answerSentences, inputProblems } from "../sentences.js";
import { isAgentId } from "../session/caller.js";
import { paramsOf, readCall, type SoundCall } from "../session/callInput.js";
import { type Answered, type Asker, ask } from "../session/request.js";
import { type Arguments, helpText, isCommand, readArguments } from "./arguments.js";
import { exitCodeOf, exitCodes } from "./exitCodes.js";
import { callsIn, readInput } from "./input.js";
import { print, say } from "./print.js";

export { isCommand };

/** Runs one command to its end; gives the exit code. `args` begin with the command, `version` is that of the program. */
export async function runCommand(args: readonly string[], version: string): Promise<number> {
  const read = readArguments(args);
  if (!read.ok) {
    say(`${program}: ${read.problem}\nSee ${program} ${args[0]} --help.`);
    return exitCodes.usage;
  }
  const given = read.value;
  if (given.help) {
    print(helpText(program));
    return exitCodes.done;
  }
  const wanted = given.workspace ?? (given.command === "mcp" ? process.env.CLAUDE_PROJECT_DIR || undefined : undefined);
  const directory = directoryOf(wanted);
  if (directory === undefined) return misused(inputProblems.noDirectory(wanted));
  const agent = given.agent ?? (process.env.MULTI_EDIT_AGENT || undefined);
  if (agent !== undefined && !isAgentId(agent)) return misused(`MULTI_EDIT_AGENT must be ${agentIdRule}.`);
  // Whoever has read enough of the answer is no trouble.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const stop = new AbortController();
  let signalled: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      // What a shell expects of a program that was stopped by a signal.
      signalled = 128 + constants.signals[signal];
      stop.abort();
    });
  }
  const asker: Asker = {
    version,
    caller: { name: program, version, ...(agent === undefined ? {} : { agent }) },
    sessions: inServerFolder("sessions"),
    directory,
    session: given.session ?? (process.env.MULTI_EDIT_SESSION || undefined),
    mode: given.mode ?? "auto",
    patience: given.patience ?? limits.commandMs,
    tell: say,
    slow: (session) => say(`Waiting for ${session} …`),
    signal: stop.signal,
  };
  const code = await commands[given.command](given, asker);
  return signalled ?? code;
}

const program = "multi-edit";

type Command = (given: Arguments, asker: Asker) => Promise<number>;

const commands: Readonly<Record<Arguments["command"], Command>> = {
  apply: (given, asker) => edit("multiEdit/apply", given, asker),
  preview: (given, asker) => edit("multiEdit/preview", given, asker),
  read: readText,
  undo,
  sessions: async (given, asker) => (await import("./doctor.js")).listSessions(given, asker),
  doctor: async (given, asker) => (await import("./doctor.js")).examine(given, asker),
  setup: async ({ words }) => (await import("./setup.js")).printSetup(words),
  mcp: serveTools,
};

/** Calls one after the other, each on what those before it have left; the first that fails is the last. */
async function edit(method: string, given: Arguments, asker: Asker): Promise<number> {
  const [path = "-"] = given.words;
  if (path === "-" && process.stdin.isTTY) return misused(inputProblems.noInput());
  const text = await readInput(path, process.stdin);
  if (!text.ok) return misused(text.problem);
  const values = callsIn(text.value);
  if (!values.ok) return misused(values.problem);
  const calls = values.value.map((value) => readCall(value, "command"));
  const wrong = calls.findIndex(({ ok }) => !ok);
  if (wrong !== -1) return refuseCall(calls[wrong]!, { number: wrong + 1, of: calls.length, json: given.json });
  let code: number = exitCodes.done;
  for (const [index, call] of (calls as SoundCall[]).entries()) {
    const params = paramsOf(call, { ...given.call, root: asker.directory });
    const answered = await ask({ method, params, targets: call.targets }, asker);
    code = showAnswer(answered, given);
    if (code === exitCodes.done) continue;
    if (calls.length > 1) say(inputProblems.stoppedAt(index + 1, calls.length));
    break;
  }
  return code;
}

function refuseCall(call: ReturnType<typeof readCall>, at: { number: number; of: number; json: boolean }): number {
  if (call.ok) throw new Error("a sound call was refused");
  const { failures, message } = call;
  if (at.json) print(`${JSON.stringify({ error: { message, failures, edits: [] } })}\n`);
  say(at.of === 1 ? message : inputProblems.badCall(at.number, message));
  return exitCodes.usage;
}

function showAnswer(answered: Answered, { json }: Arguments): number {
  if (json) print(`${JSON.stringify(answered.ok ? answered.result : errorOf(answered))}\n`);
  if (!answered.ok) {
    say(answered.message);
    return exitCodeOf(answered);
  }
  const { diff, text, outcome, files, warnings } = answered.result as MultiEditResult;
  if (!json) print(diff, { isDiff: true });
  const isUnchanged = outcome === "proposed" || (outcome === "applied" && files.length === 0);
  const through = answered.editor === undefined ? [] : [answerSentences.through(answered.editor)];
  say([text, ...(isUnchanged ? [callSentences.nothingChanged] : through), ...warnings].join("\n"));
  return exitCodeOf(answered);
}

const errorOf = ({ message, failures, edits, unknown }: Answered & { ok: false }): object => ({
  error: { message, failures, edits, ...(unknown ? { outcome: "unknown" } : {}) },
});

async function readText({ words, json }: Arguments, asker: Asker): Promise<number> {
  const [, path = "", from, dash, to] = /^(.+?)(?::(\d+)(-)?(\d+)?)?$/s.exec(words[0] ?? "") ?? [];
  const lines = {
    ...(from === undefined ? {} : { startLine: Number(from) }),
    ...(to !== undefined
      ? { endLine: Number(to) }
      : from !== undefined && dash === undefined
        ? { endLine: Number(from) }
        : {}),
  };
  const isSpelt = isFileUri(path) || path.startsWith("~/") || /^[a-z][a-z0-9+.-]*:/i.test(path);
  const target = isSpelt ? path : resolve(asker.directory, path);
  const answered = await ask(
    { method: "multiEdit/read", params: { path: target, ...lines }, targets: [target] },
    asker,
  );
  if (!answered.ok || json) {
    if (json) print(`${JSON.stringify(answered.ok ? answered.result : errorOf(answered))}\n`);
    if (!answered.ok) say(answered.message);
    return exitCodeOf(answered);
  }
  const { text, onDisk } = answered.result as ReadResult;
  print(text);
  if (onDisk === "differs") say(inputProblems.unsaved(target));
  return exitCodes.done;
}

async function undo(given: Arguments, asker: Asker): Promise<number> {
  const [transaction] = given.words;
  const params = transaction === undefined ? {} : { transaction };
  return showAnswer(await ask({ method: "multiEdit/undo", params, targets: [], needsEditor: true }, asker), given);
}

/** Agents give up on a call after a minute. */
async function serveTools({ patience, structured }: Arguments, asker: Asker): Promise<number> {
  const { serveMcp } = await import("../mcp/mcp.js");
  const { slow: _slow, tell: _tell, ...quiet } = asker;
  return serveMcp({ ...quiet, patience: patience ?? limits.toolMs, structured });
}

/**
 * The absolute path of a directory, by default of the working directory; `undefined`: there is none, or its name is not UTF-8: what
 * is told in the place of such a name may be that of another one.
 */
function directoryOf(given = "."): string | undefined {
  try {
    const directory = resolve(given);
    const [meant, found] = [given, directory].map((path) => statSync(path, { bigint: true }));
    const isSame = meant?.isDirectory() && meant.ino === found?.ino && meant.dev === found.dev;
    return isSame ? directory : undefined;
  } catch {
    return undefined;
  }
}

function misused(problem: string): number {
  say(problem);
  return exitCodes.usage;
}
