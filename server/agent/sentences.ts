/** Sentences for agents and for people at a terminal: sessions, sockets, commands and tools. */

import { sayUnreached, type Unreached } from "../disk/sentences.js";
import { clip, count, makeFailure, quote } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { fileProblems } from "../workspace/sentences.js";

/** What is wrong with the files by which sessions are found, as sentences, and clauses of them. */
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

const nameOne =
  "Name one of them with --session or MULTI_EDIT_SESSION. An agent that can't asks the user to, or to close the files or the editor that is not meant.";

/** Failures of the way from an agent to the session of an editor; a session is named by its id, editor and folders. */
export const sessionFailures = {
  openInSeveral: (sessions: readonly string[]) =>
    makeFailure("noSession", {}, `Several editors have these files open:${listed(sessions)}\n`, nameOne),
  heldBySeveral: (sessions: readonly string[]) =>
    makeFailure("noSession", {}, `Several editors have this folder:${listed(sessions)}\n`, nameOne),
  apart: (sessions: readonly string[]) =>
    makeFailure(
      "noSession",
      {},
      `No editor has all of these files in one workspace folder; some lie in those of:${listed(sessions)}\n`,
      "Send a call for each folder, or name a session with --session.",
    ),
  unreached: (session: string, why: Unreached) => {
    const { problem, hint } = sayUnreached(why);
    return makeFailure(
      "noSession",
      {},
      `The editor ${clip(session, 200)} may hold text of these files that is not saved, but ${problem}. Nothing was changed.`,
      hint,
    );
  },
  /** `problem` is a sentence that says what to do. */
  hidden: (problem: string) =>
    makeFailure(
      "noSession",
      {},
      `An editor may hold text of these files that is not saved, but it can't be asked. ${problem} Nothing was changed.`,
      "Ask the user to do so.",
    ),
  unknown: (id: string, sessions: readonly string[]) =>
    makeFailure(
      "noSession",
      {},
      `There is no session ${quote(id, 40)}.${sessions.length === 0 ? " No editor runs multi-edit-language-server." : ` There are:${listed(sessions)}\n`}`,
      sessions.length === 0 ? "Start it in the editor." : "Name one of these.",
    ),
  none: (sessions: readonly string[]) =>
    makeFailure(
      "noSession",
      {},
      sessions.length === 0
        ? "No editor runs multi-edit-language-server."
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
  lost: () =>
    makeFailure(
      "timeout",
      {},
      "The editor's session ended before it answered, so it is not known what became of the call.",
      "Read the files before you go on.",
    ),
  noAnswer: (seconds: number) =>
    makeFailure(
      "timeout",
      {},
      `The editor's session did not answer within ${seconds} s, nor to being told to stop, so it is not known what became of the call.`,
      "Read the files before you go on.",
    ),
  stopped: (seconds: number) =>
    makeFailure(
      "cancelled",
      {},
      `The call was stopped after ${seconds} s, most likely because the user was asked and has not answered. Nothing was changed.`,
      "Ask the user, and send the call again.",
    ),
} as const;

/** Where an answer comes from, as sentences for people and models. */
export const answerSentences = {
  through: (editor: string) => `Through the editor ${clip(editor, 200)}.`,
} as const;

/** What is wrong with what the command line was given, as sentences. */
export const inputProblems = {
  /** `path`: `undefined` for the working directory. */
  noDirectory: (path: string | undefined) =>
    path === undefined
      ? "The working directory is gone, or its name is not UTF-8: name a directory with --workspace."
      : `${quote(path, 200)} is no directory, or its name is not UTF-8.`,
  unreadable: (path: string, code: string) =>
    `${path === "-" ? "The standard input" : quote(path, 200)} can't be read: ${fileProblems.system(code)}.`,
  tooLarge: (most: number) => `The input has more than ${most.toLocaleString("en")} bytes.`,
  notUtf8: () => "The input is not UTF-8.",
  empty: () => "The input is empty; it is a call as JSON, one a line, or a patch.",
  badJson: (problem: string) => `The input is no JSON: ${clip(problem, 200)}.`,
  badLine: (line: number, problem: string) => `Line ${line}: ${problem}`,
  badCall: (number: number, message: string) => `Call ${number} can't be read, so that none was sent. ${message}`,
  stoppedAt: (number: number, total: number) =>
    `Call ${number} of ${total} failed: those before it are done, those behind it were not sent.`,
  unsaved: (path: string) => `${path} is so in the editor, and not on disk.`,
  noInput: () => "There is nothing to apply: name a file, or send a call or a patch to the standard input.",
} as const;

/** What the command that prints configurations says where it has none. */
export const setupSentences = {
  unknown: (name: string | undefined, known: readonly string[]) =>
    `${name === undefined ? "" : `Nothing is known of ${quote(name, 40)}. `}The configuration of one of these is printed: ${known.join(", ")}.`,
  tooMany: (name: string, word: string) =>
    `"multi-edit setup ${name}" takes no further arguments, but was given ${quote(word, 40)}.`,
  noLanguages: () =>
    "Name the languages of your files, as Helix calls them: multi-edit setup helix typescript rust. Helix has a list of servers for each language, so no entry is for all files.",
  noHelix: () =>
    "Neither hx nor helix is on the PATH, and only Helix knows which servers a language has. Run this on the machine that has it.",
  silentHelix: () =>
    "Helix has crashed, or did not end, when it was asked for the servers of a language. Run: hx --health",
  /** `problem` is Helix' own text, of several lines. */
  brokenHelix: (problem: string) => `Helix can't read your languages.toml; correct it first. ${clip(problem, 400)}`,
  /** `near` is empty, or names of languages with commas between them. */
  unknownLanguage: (language: string, near: string) =>
    `Helix knows no language ${quote(language, 40)}.${near === "" ? "" : ` Some that it knows: ${clip(near, 400)}.`}`,
  namelessServers: (language: string, shown: readonly string[]) =>
    `The servers of ${language} can't be named: Helix shows ${shown.map((one) => quote(one, 40)).join(", ")}, and not all of these are names. Write the entry yourself: the list that the language has, and "multi-edit" at its end.`,
} as const;

/** What a model is told over MCP beside the answers of a session. */
export const toolSentences = {
  instructions:
    "These tools edit files through the user's editor, where unsaved text is seen and kept and the user can undo. Prefer them to tools that write the disk. Put all edits of one change into one multi_edit call.",
  linesShown: (shown: LinesShown) => {
    const { first, last, total, from, isCut } = shown;
    const lines = last < first ? `No lines: there are ${total}` : `Lines ${first} to ${last} of ${total}`;
    return `${lines}${linesFrom[from]}.${isCut ? ` The rest is too long for one answer: go on with startLine ${last + 1}.` : ""}`;
  },
  moreFiles: (more: number) => `and ${count(more, "more file")}`,
} as const;

/** The part of a text that an answer shows. */
export interface LinesShown {
  readonly first: number;
  readonly last: number;
  readonly total: number;
  /** `unopened`: the disk, because no editor has the file open; `disk`: the disk, and not every editor was asked. */
  readonly from: "saved" | "unsaved" | "unopened" | "disk";
  /** More lines were asked for. */
  readonly isCut: boolean;
}

const linesFrom: Readonly<Record<LinesShown["from"], string>> = {
  saved: "",
  unsaved: ", as they are in the editor and not on disk",
  unopened: ", on disk: no editor has it open",
  disk: ", as they are on disk",
};

/** The rule for an agent's id, as the end of a sentence. */
export const agentIdRule = `an id of 1 to ${limits.agentId} printable ASCII characters without spaces`;

/** What one end of a session's socket says when it does not go along with the other, as sentences. */
export const socketSentences = {
  whoAreYou: "The first requests of an agent are initialize, with protocols and a nonce, and multiEdit/prove.",
  notProved: "The proof is wrong: the session's secret is not known to who sent it.",
  badAgent: `client.agent must be ${agentIdRule}, or be left out.`,
  serverTooOld: (version: string) =>
    `The editor runs version ${version} of multi-edit-language-server, which is too old for this agent: update it and restart it in the editor.`,
  agentTooOld: (version: string) =>
    `The editor runs version ${version} of multi-edit-language-server, for which this agent's version is too old: update the agent's.`,
  busy: (most: number) => `${most} requests of this agent are being served already; send this one later.`,
  unknownMethod: (method: string) => `The session has no request ${quote(method, 80)}.`,
} as const;
