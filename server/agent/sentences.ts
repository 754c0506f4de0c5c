/** Sentences about the way from an agent to the session of an editor. */
import { sayUnreached, type Unreached } from "../disk/sentences.js";
import { clip, type Failure, makeFailure, quote } from "../plan/failure.js";
import { limits } from "../text/limits.js";

/** Problems with the files by which sessions are found, as sentences, and clauses of them. */
export const sessionProblems = {
  socket: (name: string, problem: string) => `the socket ${quote(name, 200)} can't be opened: it ${problem}`,
  longSocketPath: (path: string, most: number) =>
    `the path of a socket in ${quote(path, 200)} has more than ${most} bytes`,
  blind: (problem: string) => `Editors can't announce themselves, or can't be seen: ${problem}.`,
  foreignRecord: (path: string) =>
    `${quote(path, 200)} is not looked at: it is not a plain file that only you can read. Remove it.`,
  badRecord: (path: string) => `${quote(path, 200)} can't be read as the announcement of a session. Remove it.`,
  newerRecord: (path: string) =>
    `${quote(path, 200)} announces the session of a newer version of multi-edit-language-server. Update this one; if no editor runs that version any more, remove the file.`,
  noStatus: () => "what it has open is not told in a way that this version understands",
} as const;

/** Sessions, one a line, bounded. */
function listed(sessions: readonly string[]): string {
  const shown = sessions.slice(0, limits.sessionsShown).map((session) => `\n  ${clip(session, 200)}`);
  return `${shown.join("")}${sessions.length > shown.length ? "\n  …" : ""}`;
}

const noEditor = "No editor runs multi-edit-language-server.";

const nameOne =
  "Name one of them with --session or MULTI_EDIT_SESSION. An agent that can't asks the user to, or to close the files or the editor that is not meant.";

const noSession = (problem: string, hint: string): Failure => makeFailure("noSession", {}, problem, hint);

const readFiles = "Read the files before you go on.";

/** Failures of the way from an agent to the session of an editor; a session is named by its id, editor and folders. */
export const sessionFailures = {
  openInSeveral: (sessions: readonly string[]) =>
    noSession(`Several editors have these files open:${listed(sessions)}\n`, nameOne),
  heldBySeveral: (sessions: readonly string[]) =>
    noSession(`Several editors have this folder:${listed(sessions)}\n`, nameOne),
  apart: (sessions: readonly string[]) =>
    noSession(
      `No editor has all of these files in one workspace folder; some lie in those of:${listed(sessions)}\n`,
      "Send a call for each folder, or name a session with --session.",
    ),
  unreached: (session: string, why: Unreached) => {
    const { problem, hint } = sayUnreached(why);
    const name = clip(session, 200);
    return noSession(
      `The editor ${name} may hold text of these files that is not saved, but ${problem}. Nothing was changed.`,
      hint,
    );
  },
  /** `problem` is a sentence that says what to do. */
  hidden: (problem: string) =>
    noSession(
      `An editor may hold text of these files that is not saved, but it can't be asked. ${problem} Nothing was changed.`,
      "Ask the user to do so.",
    ),
  unknown: (id: string, sessions: readonly string[]) =>
    sessions.length === 0
      ? noSession(`There is no session ${quote(id, 40)}. ${noEditor}`, "Start it in the editor.")
      : noSession(`There is no session ${quote(id, 40)}. There are:${listed(sessions)}\n`, "Name one of these."),
  none: (sessions: readonly string[]) =>
    noSession(
      sessions.length === 0
        ? noEditor
        : `No editor has these files, open or in a workspace folder. There are:${listed(sessions)}\n`,
      'Open the folder in an editor that runs multi-edit-language-server. "multi-edit doctor" tells more.',
    ),
  tooOld: (version: string) =>
    makeFailure(
      "clientCapability",
      {},
      `The editor runs version ${clip(version, 40)} of multi-edit-language-server, which can't do this.`,
      "Update it and restart it in the editor.",
    ),
  lost: () => {
    const problem = "The editor's session ended before it answered, so it is not known what became of the call.";
    return makeFailure("timeout", {}, problem, readFiles);
  },
  noAnswer: (seconds: number) => {
    const problem = `The editor's session did not answer within ${seconds} s, nor to being told to stop, so it is not known what became of the call.`;
    return makeFailure("timeout", {}, problem, readFiles);
  },
  stopped: (seconds: number) => {
    const problem = `The call was stopped after ${seconds} s, most likely because the user was asked and has not answered. Nothing was changed.`;
    return makeFailure("cancelled", {}, problem, "Ask the user, and send the call again.");
  },
} as const;

/** The rule for an agent's id, as the end of a sentence. */
export const agentIdRule = `an id of 1 to ${limits.agentId} printable ASCII characters without spaces`;

/** Refusals of one end of a session's socket to the other, as sentences. */
export const socketSentences = {
  whoAreYou: "The first requests of an agent are initialize, with protocols and a nonce, and multiEdit/prove.",
  notProved: "The proof is wrong: the session's secret is not known to who sent it.",
  badAgent: `client.agent must be ${agentIdRule}, or be left out.`,
  serverTooOld: (version: string) =>
    `The editor runs version ${version} of multi-edit-language-server, which is too old for this agent: update it and restart it in the editor.`,
  agentTooOld: (version: string) =>
    `The editor runs version ${version} of multi-edit-language-server, for which this agent's version is too old: update the agent's.`,
  busy: (most: number) => `${most} requests of this agent are being served already; send this one later.`,
} as const;

/** Log lines about a session's socket, its announcement and its agents. */
export const sessionLog = {
  reachable: (session: string) => `agents reach this session as ${session}`,
  unreachable: (problem: string) => `agents can't reach this session: ${problem}`,
  notAnnounced: (error: unknown) => `agents can't find this session: ${String(error)}`,
  socketError: (error: Error) => `the socket for agents: ${error.message}`,
  fromAgent: (text: string) => `from an agent: ${text}`,
} as const;

/** The name of an agent that gives none. */
export const namelessAgent = "an agent without a name";

/** `Neovim 0.12.1`, as far as the editor says who it is. */
export function editorName(client: { readonly name: string; readonly version?: string } | undefined): string {
  if (client === undefined) return "an editor without a name";
  return client.version === undefined ? client.name : `${client.name} ${client.version}`;
}
