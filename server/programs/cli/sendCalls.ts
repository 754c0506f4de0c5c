/** The commands that send calls to a session: `apply`, `preview`, `read`, `undo` and `answer`. */
import type { CancellationToken } from "vscode-jsonrpc/node";
import { answerFailures } from "../../lsp/apply/sentences.js";
import { type AnswerParams, agentMethods, type MultiEditResult, type ReadResult } from "../../lsp/protocol.js";
import { callSentences } from "../../lsp/sentences.js";
import { failureResult, resultOf } from "../../session/awaitAnswer.js";
import { sessionName } from "../../session/record.js";
import {
  type FailedRequest,
  type RequestContext,
  type RequestResult,
  readCall,
  type SessionRequest,
  sendRequest,
} from "../../session/request.js";
import { asksForSession } from "../../session/sentences.js";
import { closeSessions, findSessions } from "../../session/sessions.js";
import { fromDirectory } from "../../workspace/pathText.js";
import { answerLines } from "../shared/answer.js";
import { withHome } from "../shared/inHome.js";
import { exitCodeOf, exitCodes, forStderr, misused, print, printJson, say } from "../shared/output.js";
import type { Arguments } from "./arguments.js";
import { callsIn, readInput } from "./readInput.js";
import { argumentProblems, commandSentences, inputProblems } from "./sentences.js";

/** Sends the input's calls one at a time, so that each can build on those before it. Stops at the first failure. */
export async function edit(method: string, options: Arguments, context: RequestContext): Promise<number> {
  const [path = "-"] = options.words;
  const text = await readInput(path, process.stdin);
  if (!text.ok) return misused(text.problem, options);
  const values = callsIn(text.value);
  if (!values.ok) return misused(values.problem, options);
  const { length: total } = values.value;
  const requests: SessionRequest[] = [];
  for (const value of values.value) {
    const call = readCall(value, method, { ...options.call, root: context.directory }, "command");
    if (!call.ok) {
      if (options.json) printJson(errorOf(call));
      const message = messageOf(call, options);
      say(total === 1 ? message : inputProblems.badCall(requests.length + 1, message));
      return exitCodes.usage;
    }
    requests.push(call.request);
  }
  for (const [index, request] of requests.entries()) {
    const code = showEdit(withAnswer(await sendRequest(request, context), options, context), options);
    if (code === exitCodes.done) continue;
    if (total > 1) say(inputProblems.stoppedAt(index + 1, total));
    return code;
  }
  return exitCodes.done;
}

/** Adds what the MCP tools answer to a summary, which is for an agent whose model gets no more than that. */
function withAnswer(result: RequestResult, { call }: Arguments, { mode, session }: RequestContext): RequestResult {
  if (!result.ok || call.result !== "summary") return result;
  const edited = result.result as MultiEditResult;
  const wasAsked = mode !== "disk" && session === undefined;
  return { ...result, result: { ...edited, answer: answerLines(edited, { wasAsked, isUndo: false }).join("\n") } };
}

/** With `--json`, prints the answer. If the request failed, prints the message to stderr. Returns the exit code. */
function showResult(result: RequestResult, options: Arguments): number {
  if (options.json) printJson(result.ok ? result.result : errorOf(result));
  if (!result.ok) say(messageOf(result, options));
  return exitCodeOf(result);
}

/** Returns the message for stderr, with advice to choose a session if that helps; with `--json`, edits count from 0. */
function messageOf({ message, failures }: FailedRequest, { json }: Arguments): string {
  return `${json ? message : forStderr(message)}${failures.some(asksForSession) ? `\n${commandSentences.nameSession}` : ""}`;
}

function showEdit(result: RequestResult, options: Arguments): number {
  const code = showResult(result, options);
  if (!result.ok) return code;
  const { diff, text, outcome, files, warnings } = result.result as MultiEditResult;
  if (!options.json) print(diff, { isDiff: true });
  const isUnchanged = outcome === "proposed" || (outcome === "applied" && files.length === 0);
  const through = result.editor === undefined ? [] : [withHome(commandSentences.through(result.editor))];
  const isFallback =
    options.command !== "undo" &&
    result.editor === undefined &&
    (options.mode ?? "auto") === "auto" &&
    files.length > 0;
  const fallback = isFallback ? [commandSentences.onDisk(outcome !== "proposed")] : [];
  const notes = [...(isUnchanged ? [callSentences.nothingChanged] : through), ...fallback];
  say([text, ...notes, ...(options.json ? warnings : warnings.map(forStderr))].join("\n"));
  return code;
}

const errorOf = ({ message, failures, edits, unknown }: FailedRequest): object => ({
  error: { message, failures, edits, ...(unknown ? { outcome: "unknown" } : {}) },
});

/** Prints a document, or some of its lines, as the editor has it; returns the exit code. */
export async function readText(options: Arguments, context: RequestContext): Promise<number> {
  const [, path = "", from, dash, to] = /^(.+?)(?::(\d+)(-)?(\d+)?)?$/s.exec(options.words[0] ?? "") ?? [];
  const end = to ?? (dash === undefined ? from : undefined);
  const target = fromDirectory(context.directory, path);
  const most = options.maxLength === undefined ? {} : { maxLength: options.maxLength };
  const params = { path: target, startLine: from && Number(from), endLine: end && Number(end), ...most };
  const result = await sendRequest({ method: "multiEdit/read", params, targets: [target] }, context);
  const code = showResult(result, options);
  if (!result.ok) return code;
  const { text, onDisk, startLine, totalLines, note } = result.result as ReadResult;
  // A program that reads JSON sees how many lines there are.
  if (options.json) return code;
  if (note !== undefined) say(note);
  print(text);
  const isPastEnd = startLine > totalLines;
  if (isPastEnd) say(inputProblems.pastEnd(target, totalLines));
  if (onDisk === "differs") say(inputProblems.unsaved(target));
  // A script must not take the empty output for an empty file.
  return isPastEnd && from !== undefined ? exitCodes.unresolved : code;
}

/** Undoes a transaction, by default the last one; returns the exit code. */
export async function undo(options: Arguments, context: RequestContext): Promise<number> {
  const [transaction] = options.words;
  const request = { method: "multiEdit/undo", params: { transaction }, targets: [] };
  return showEdit(await sendRequest(request, context), options);
}

/** Answers the question that an editor has shown with a code; returns the exit code. */
export async function answer(options: Arguments, context: RequestContext): Promise<number> {
  const [code, decision = "", reason] = options.words;
  if (decision !== "apply" && decision !== "reject") return misused(argumentProblems.badDecision, options);
  const found = await findSessions(context.sessions, context.caller);
  let result: RequestResult = failureResult(answerFailures.noQuestion());
  try {
    // Only the editor that shows the question knows its code.
    for (const { record, version, status, request } of found.reached) {
      if (status.question === undefined || !record.id.startsWith(context.session ?? "")) continue;
      const params: AnswerParams = {
        code: String(code),
        answer: decision,
        ...(reason === undefined ? {} : { reason }),
      };
      const respond = (token: CancellationToken) => request(agentMethods.answer, params, token);
      result = await resultOf({ version, editor: sessionName(record), respond }, context);
      if (result.ok) break;
    }
  } finally {
    closeSessions(found);
  }
  const exitCode = showResult(result, options);
  if (result.ok) say(commandSentences.answered(decision, (result.result as { readonly label: string }).label));
  return exitCode;
}
