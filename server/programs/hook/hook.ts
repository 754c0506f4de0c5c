/**
 * The command `hook`, which agents run before and after their own tools: keeps these tools away from files in which an
 * editor has unsaved text, and hands that text over. It runs for each call, so the build keeps it in a small file.
 */

import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentHook, ReadHook } from "../../agents/agent.js";
import { askingNames, runnerOf } from "../../agents/agents.js";
import { readOrEmpty } from "../../agents/parts.js";
import { noteWriter } from "../../disk/writers.js";
import { agentMethods, type Caller, methods, type ReadResult } from "../../lsp/protocol.js";
import { hookPrefix } from "../../lsp/review/hearers.js";
import { agentIdFor, isAgentId } from "../../session/agentId.js";
import { type RequestResult, resultOf } from "../../session/awaitAnswer.js";
import type { SessionConnection } from "../../session/connect.js";
import { canonicalPaths } from "../../session/holders.js";
import { sessionName } from "../../session/record.js";
import { sessionFailures } from "../../session/sentences.js";
import type { LiveSession } from "../../session/sessions.js";
import { limits } from "../../text/limits.js";
import { expandShellPath, fromDirectory } from "../../workspace/pathText.js";
import { homeFolder, inServerFolder } from "../../workspace/serverFolder.js";
import { changedUnder, newsAfter, unseenBySearch } from "./afterTool.js";
import { applyCall, type HeldFile, heldApart } from "./applyCall.js";
import { type OwnCall, readEvent } from "./readEvent.js";
import { type CallMemory, type HookPair, hookPairOf, memoryOf, stampMemoryOf } from "./remembered.js";
import { hookProblems, hookSentences } from "./sentences.js";
import { mayTouch } from "./shellPatch.js";
import { toCall } from "./toCall.js";
import { type FileState, fileStates, type Targets } from "./unsaved.js";

/** The command's arguments. */
interface HookOptions {
  readonly agent: AgentHook;
  /** `true` if calls are applied in the editor, rather than turned away. */
  readonly applies: boolean;
}

/**
 * Runs the command, and returns its exit code. An agent takes the exit code 2 for a refusal, so what goes wrong here ends
 * with 1, which no agent takes for one. Only a refusal that can't be written to standard output ends with 2.
 */
export async function runHook(args: readonly string[], version: string): Promise<number> {
  const options = optionsOf(args);
  if (options === undefined) return failed(hookProblems.usage(askingNames));
  try {
    const input = await readInput();
    if (input.ok) return sent(await answerToEvent(input.event, options, version));
    const answer = await answerToUnread(input.problem, options, version);
    return answer === undefined ? failed(hookProblems.input) : sent(answer);
  } catch (error) {
    const answer = await answerToUnread("bug", options, version).catch(() => undefined);
    return answer === undefined ? failed(hookProblems.bug(error)) : sent(answer);
  }
}

/** Writes an answer; returns the exit code. */
async function sent(answer: HookAnswer | undefined): Promise<number> {
  if (answer === undefined || (await isWritten(process.stdout, `${JSON.stringify(answer.answer)}\n`))) return 0;
  // Nobody reads the answer, but the agent may still look at the exit code, and the tool must not run.
  if (answer.reason !== undefined) await isWritten(process.stderr, `${answer.reason}\n`);
  return answer.reason === undefined ? 1 : 2;
}

/** Writes to a stream; resolves with `false` if nobody reads it any more. */
function isWritten(stream: NodeJS.WriteStream, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    stream.on("error", () => resolve(false));
    stream.write(text, (error) => resolve(error === undefined || error === null));
  });
}

async function failed(problem: string): Promise<number> {
  await isWritten(process.stderr, `${problem}\n`);
  return 1;
}

/** Returns the agent and the form that the arguments name; `undefined` if they are wrong. */
function optionsOf(args: readonly string[]): HookOptions | undefined {
  const words = args.filter((arg) => arg !== "--apply");
  const name = askingNames.find((one) => one === words[0]);
  const agent = name && runnerOf(name).hook;
  return agent === undefined || words.length !== 1 ? undefined : { agent, applies: words.length < args.length };
}

/** The event, or the reason why it can't be read. */
type EventInput =
  | { readonly ok: true; readonly event: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: "tooLarge" | "noObject" };

type UnreadProblem = Parameters<typeof hookSentences.unread>[1];

/** Reads the event. */
async function readInput(): Promise<EventInput> {
  const chunks: Buffer[] = [];
  let length = 0;
  // An input that is too large is read to its end, because an agent that can't send it might go ahead with the call.
  for await (const chunk of process.stdin) {
    length += (chunk as Buffer).length;
    if (length <= limits.inputBytes) chunks.push(chunk as Buffer);
    else chunks.length = 0;
  }
  if (length > limits.inputBytes) return { ok: false, problem: "tooLarge" };
  try {
    // Unlike `toString`, the decoder removes a byte order mark.
    const event: unknown = JSON.parse(new TextDecoder().decode(Buffer.concat(chunks)));
    if (typeof event === "object" && event !== null && !Array.isArray(event))
      return { ok: true, event: event as Record<string, unknown> };
  } catch {
    // No JSON.
  }
  return { ok: false, problem: "noObject" };
}

/** An answer to the agent. `reason`: the reason in it for which a tool does not run; `undefined` for a read. */
interface HookAnswer {
  readonly answer: object;
  readonly reason: string | undefined;
}

/** Returns the answer to an event; `undefined` if it is about no call that may have to be turned away. */
async function answerToEvent(
  event: Readonly<Record<string, unknown>>,
  options: HookOptions,
  version: string,
): Promise<HookAnswer | undefined> {
  const call = readEvent(options.agent, event);
  if (call === "unreadable") return answerToUnread("noPath", options, version);
  return call === undefined ? undefined : answerTo(call, options, version);
}

/**
 * Turns away a call of which nothing is known, because its event can't be read, if an editor has unsaved text in any file:
 * the call may mean that file.
 */
async function answerToUnread(
  problem: UnreadProblem,
  { agent }: HookOptions,
  version: string,
): Promise<HookAnswer | undefined> {
  const targets: Targets = { paths: [process.cwd()], mayTouch: () => true };
  const { states, close } = await fileStates(targets, inServerFolder("sessions"), callerOf(agent, undefined, version));
  close();
  const unsaved = [...states].filter(([, { kind }]) => kind !== "free" && kind !== "saved").map(([path]) => path);
  if (unsaved.length === 0) return undefined;
  const reason = reasonToAsk(states) ?? hookSentences.unread(unsaved, problem);
  return { answer: agent.deny(reason), reason };
}

/** Returns the reason for which no editor can be asked about some of the files; `undefined` if there is none. */
function reasonToAsk(states: ReadonlyMap<string, FileState>): string | undefined {
  for (const state of states.values())
    if (state.kind === "unknown" && state.holder.kind === "hidden")
      return sessionFailures.hidden(state.holder.problem).message;
  return undefined;
}

/** Returns what editors get to know about the agent. `conversation`: `undefined` if it is unknown. */
function callerOf(agent: AgentHook, conversation: string | undefined, version: string): Caller {
  const id = process.env.MULTI_EDIT_AGENT;
  const own = (): string => hookPrefix + agentIdFor(conversation && `${agent.name} ${conversation}`);
  return { name: agent.name, version, agent: isAgentId(id) ? id : own() };
}

/** Returns the answer to the agent; `undefined` leaves the call alone. */
async function answerTo(call: OwnCall, options: HookOptions, version: string): Promise<HookAnswer | undefined> {
  const { agent, applies } = options;
  if (call.tool.kind === "search") return tellAfterSearch(call, agent);
  if (agent.when(call.event) === "after" && call.tool.kind !== "read") return tellAfterChange(call, agent, version);
  const deny = (reason: string): HookAnswer => ({ answer: agent.deny(reason), reason });
  const memory = memoryOf(agent.name, applies ? call.id : undefined);
  const remembered = memory.recall();
  const pair = hookPairOf(agent.name, call.key);
  if (remembered !== undefined) {
    pair.note();
    return deny(remembered || hookSentences.underway);
  }
  const caller = callerOf(agent, call.conversation, version);
  const isEdit = call.tool.kind !== "read";
  const withSaved = isEdit && applies && agent.goesOn === true && agent.consent(call.event) === "given";
  const targets = targetsOf(call).then((one) => ({ ...one, withSaved }));
  const found = await inTime(targets.then((one) => fileStates(one, inServerFolder("sessions"), caller)));
  if (found === undefined) return answerToUnread("tooLong", options, version);
  const { states, close } = found;
  try {
    if (call.tool.kind === "read") {
      const answer = await showRead(call, agent, states);
      return answer === undefined ? undefined : { answer, reason: undefined };
    }
    if (applies && [...states.values()].some(({ kind }) => kind !== "free")) pair.note();
    const reason = await reasonFor(call, options, states, memory);
    // Another hook, such as that of a plugin, must not turn away what the hook of the agent's own settings applies.
    const isLeft = reason !== undefined && !applies && (await isAppliedElsewhere(agent, pair));
    if (reason !== undefined) return isLeft ? undefined : deny(reason);
    // The editor that has the file open then knows whose change it finds on disk.
    if (call.perhaps === undefined) noteWriter(await canonicalPaths([...states.keys()]), caller);
    return undefined;
  } finally {
    close();
  }
}

/**
 * Reports whether the hook in the agent's own configuration applies a call. If two hooks answered one call, and one of them
 * turned it away, the model would make the same change again with another tool. The user may have switched that hook off,
 * or the agent may not trust it: then it does not note the call.
 */
async function isAppliedElsewhere({ installed }: AgentHook, pair: HookPair): Promise<boolean> {
  if (installed === undefined || !installed.applies.test(readOrEmpty(installed.path()))) return false;
  return installed.runsInTurn === true || (await pair.isNoted());
}

/** Waits for a promise; resolves with `undefined` if that takes too long for a hook. */
async function inTime<T>(promise: Promise<T>): Promise<T | undefined> {
  const stop = new AbortController();
  const late = delay(limits.hookMs, undefined, { signal: stop.signal }).catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    stop.abort();
  }
}

/**
 * Tells the agent about files that have changed on disk under unsaved text, since one of its tools last may have done so, and
 * about what other language servers report, and the user says, since this tool has written its files.
 */
async function tellAfterChange(call: OwnCall, agent: AgentHook, version: string): Promise<HookAnswer | undefined> {
  const { conversation, event, tool } = call;
  if (agent.tell === undefined) return undefined;
  // The command has just ended; what follows may wait for editors.
  const ran = tool.kind === "command" ? spanOf(event[agent.fields.duration]) : undefined;
  const caller = callerOf(agent, conversation, version);
  const memory = stampMemoryOf(agent.name, conversation ?? "");
  const sessions = inServerFolder("sessions");
  const changed = await changedUnder(sessions, caller, memory, (session, path, lines) =>
    requestOf(session, { path, ...(lines ?? { startLine: Number.MAX_SAFE_INTEGER }) }),
  );
  const files = tool.kind === "command" ? (ran === undefined ? [] : [call.directory]) : (await targetsOf(call)).paths;
  const news = await newsAfter(sessions, caller, files, (session, paths) =>
    requestOf(session, ran === undefined ? { files: paths } : { ran }, {
      method: agentMethods.ownWrites,
      patience: limits.ownWriteMs,
    }),
  );
  const told = changed.length === 0 ? news : [hookSentences.changedUnder(changed, agent.ours), ...news];
  if (told.length === 0) return undefined;
  return { answer: agent.tell(told.join("\n"), event), reason: undefined };
}

/** Returns the time in which a command ran that has just ended, in milliseconds since 1970. `duration`: as received. */
export function spanOf(duration: unknown) {
  const to = Date.now();
  return typeof duration === "number" && duration >= 0 ? { from: to - limits.hookStartMs - duration, to } : undefined;
}

/** Tells the agent about the files with unsaved text that its search has not seen as they are. */
async function tellAfterSearch(call: OwnCall, { tell, ours }: AgentHook): Promise<HookAnswer | undefined> {
  const [folder = call.directory] = await canonicalPaths((await targetsOf(call)).paths);
  const unseen = unseenBySearch(inServerFolder("sessions"), folder);
  if (unseen.length === 0 || tell === undefined) return undefined;
  return { answer: tell(hookSentences.unseenBySearch(unseen, ours), call.event), reason: undefined };
}

/** Returns the files that a call may change. */
async function targetsOf({ paths, directory, perhaps }: OwnCall): Promise<Targets> {
  const [folder = directory] = await canonicalPaths([directory]);
  return {
    paths: paths.map((path) => expandShellPath(fromDirectory(directory, path), homeFolder())),
    mayTouch: perhaps === undefined ? undefined : (file) => mayTouch(perhaps, folder, file),
  };
}

/**
 * Returns the reason for which a tool is turned away: an editor has, or may have, unsaved text in one of its files; or the
 * call was applied there instead. `undefined` leaves the call alone.
 */
async function reasonFor(
  call: OwnCall,
  { agent, applies }: HookOptions,
  states: ReadonlyMap<string, FileState>,
  memory: CallMemory,
): Promise<string | undefined> {
  const held: HeldFile[] = [];
  for (const [path, state] of states) {
    if (state.kind === "unknown") return hookSentences.outOfReach(path, state.holder, state.isAnnounced);
    if (state.kind === "several") return sessionFailures.openInSeveral(state.editors).message;
    if (state.kind === "notChosen")
      return hookSentences.notChosen(path, sessionName(state.session.record), state.chosen);
    if (state.kind === "free" || state.kind === "saved") continue;
    const refusal = await refusalOf(state.session, path);
    if (refusal !== undefined) return hookSentences.refused(path, refusal);
    held.push({ path, session: state.session });
  }
  const [first] = held;
  if (first === undefined) return appliedToSaved(call, agent, states, memory);
  const { path, session } = first;
  const unsaved = held.map((one) => one.path);
  if (call.perhaps !== undefined) return hookSentences.perhaps(unsaved, agent.ours, applies);
  if (held.some((one) => one.session !== session)) return heldApart(held, agent, applies);
  const consent = applies ? agent.consent(call.event) : "none";
  const params = toCall(call, agent, path);
  if (consent !== "none" && params !== undefined)
    return applyCall({ ...call, agent, path, consent, isSaved: false }, params, session, memory);
  const gone = unsaved.find((one) => !existsSync(one));
  if (gone !== undefined) return hookSentences.deleted(gone, agent.ours);
  if (call.tool.kind === "write") return hookSentences.wouldReplace(path, agent.ours);
  return hookSentences.unsaved(unsaved, agent.ours, call.tool.kind === "patch");
}

/**
 * Applies a call in the one editor that has its files open, without unsaved text, and returns the answer; `undefined` leaves
 * the call alone.
 */
async function appliedToSaved(
  call: OwnCall,
  agent: AgentHook,
  states: ReadonlyMap<string, FileState>,
  memory: CallMemory,
): Promise<string | undefined> {
  const saved = [...states].flatMap(([path, state]) =>
    state.kind === "saved" ? [{ path, session: state.session }] : [],
  );
  const [first] = saved;
  const params = first && toCall(call, agent, first.path);
  if (first === undefined || params === undefined || call.perhaps !== undefined) return undefined;
  if (saved.some(({ session }) => session !== first.session)) return undefined;
  const permitted = { ...call, agent, path: first.path, consent: "given", isSaved: true } as const;
  return applyCall(permitted, params, first.session, memory);
}

/** Returns the reason for which our own tools can't change a file either; `undefined` if they probably can. */
async function refusalOf(session: LiveSession, path: string): Promise<string | undefined> {
  // A read of lines that do not exist does not count as one of the lines that the agent has seen.
  const read = await requestOf(session, { path, startLine: Number.MAX_SAFE_INTEGER });
  return read.ok || read.unknown ? undefined : read.message;
}

/** Sends a request; by default, one for a text, which is answered at once. */
function requestOf(
  session: SessionConnection,
  params: object,
  { method, patience }: { readonly method: string; readonly patience: number } = readRequest,
): Promise<RequestResult> {
  const respond = (): Promise<unknown> => session.request(method, params);
  const responder = { version: session.version, editor: sessionName(session.record), respond };
  return resultOf(responder, { patience, signal: new AbortController().signal });
}

const readRequest = { method: methods.read, patience: limits.connectMs } as const;

/** Replaces the lines that a tool has read from disk by those in the editor, if these are not saved. */
async function showRead(
  { input, directory }: OwnCall,
  agent: AgentHook,
  states: ReadonlyMap<string, FileState>,
): Promise<object | undefined> {
  const [[path, state] = []] = states;
  if (path === undefined || state?.kind !== "unsaved" || agent.read === undefined) return undefined;
  const { mostText } = agent.read;
  const { first, last, most } = linesOf(input, agent.read);
  // The editor takes the lines that it returns for those that the agent has seen, so these must not be more.
  const endLine = Math.max(first, Math.min(last, first - 1 + most));
  const read = await requestOf(state.session, { path, startLine: first, endLine, maxLength: mostText });
  if (!read.ok) return undefined;
  const { text: whole, endLine: end, totalLines: total, changedOnDisk, note: news } = read.result as ReadResult;
  // The editor returns a line that is too long on its own; it is cut, but not within a surrogate pair.
  const isLong = whole.length > mostText;
  const text = isLong ? whole.slice(0, mostText).replace(/[\ud800-\udbff]$/, "") : whole;
  const longLine = isLong ? { length: whole.length, shown: text.length } : undefined;
  const about = { first, last: end, total };
  const isCut = end < Math.min(last, total);
  const isOutdated = changedOnDisk === true;
  const shown = hookSentences.shown({ ...about, edit: agent.ours.edit, isCut, isOutdated, longLine });
  const note = news === undefined ? shown : `${news} ${shown}`;
  return agent.read.show({
    ...about,
    path,
    directory,
    text,
    endsInLineEnding: end < total || whole.endsWith("\n"),
    note,
  });
}

/** Returns the lines that a read asks for, and the number of lines that it may get. */
function linesOf(input: Readonly<Record<string, unknown>>, { lines, linesShown }: ReadHook) {
  const number = (sent: unknown): number | undefined => {
    const value = Number(sent);
    return Number.isInteger(value) && value > 0 ? value : undefined;
  };
  const range: unknown = input[lines.range ?? ""];
  const [from, to]: readonly unknown[] = Array.isArray(range) ? range : [input[lines.first], input[lines.last ?? ""]];
  const first = number(lines.isFromZero ? Number(from) + 1 : from) ?? 1;
  const count = number(input[lines.count ?? ""]);
  const last = number(to) ?? (count === undefined ? Number.POSITIVE_INFINITY : first - 1 + count);
  return { first, last, most: count ?? linesShown };
}
