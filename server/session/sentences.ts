/** Sentences about the connection between an agent and an editor's session. */
import { sayUnreached, type Unreached } from "../disk/sentences.js";
import { clip, type Failure, makeFailure, quote, theCall } from "../plan/failure.js";
import { limits } from "../text/limits.js";

/** Problems with the files that announce sessions, as sentences and clauses. */
export const sessionProblems = {
  socket: (name: string, problem: string) => `the socket ${quote(name, 200)} ${problem}`,
  longSocketPath: (path: string, most: number) =>
    `the path of a socket in ${quote(path, 200)} would be longer than ${most} bytes`,
  blind: (problem: string) => `Editors can't announce themselves, or can't be found: ${problem}.`,
  foreignRecord: (path: string) =>
    `${quote(path, 200)} is not a valid session announcement: it is not a regular file, or it is not private to this user. Remove it.`,
  badRecord: (path: string) => `${quote(path, 200)} is not a valid session announcement. Remove it.`,
  newerRecord: (path: string) =>
    `${quote(path, 200)} announces a session of a newer version of multi-edit-language-server. Update this program, multi-edit, to that version or, if no editor is running the newer version any more, remove the file.`,
  /** `when`: the direction in which the record's time of renewal is too far away. */
  staleRecord: (path: string, host: string, when: "past" | "future") => {
    const minutes = `${limits.recordMs / 60_000} minutes`;
    const why =
      when === "past"
        ? `that has not renewed it for ${minutes}, so the session counts as gone`
        : `and is dated more than ${minutes} in the future, so the session counts as gone: a clock must be wrong`;
    return `${quote(path, 200)} announces a session on ${quote(host, 80)}, or in a container, ${why}. If an editor there still has unsaved changes, save them first. Otherwise, remove the file.`;
  },
  settingsInWorkspace: (path: string, folder: string) =>
    `The settings file ${quote(path, 200)} is in the workspace ${quote(folder, 200)}, so only its "confirm" and "protectedNames" count, and only if they are stricter than the defaults.`,
  badSettings: (path: string, problem: string) =>
    `The settings file ${quote(path, 200)} can't be used (${clip(problem, 200)}), so no file is changed without the user's consent.`,
  wrongSettings: (path: string, warnings: readonly string[]) =>
    `The settings file ${quote(path, 200)} has mistakes. ${warnings.join(" ")}`,
  noStatus: () => "this program does not understand the session's list of open files",
} as const;

/** Lists at most `limits.sessionsShown` sessions, one per line; an ellipsis replaces the rest. */
const listed = (sessions: readonly string[]): string => onLines(sessions.map((session) => clip(session, 200)));

function onLines(all: readonly string[]): string {
  const shown = all.slice(0, limits.sessionsShown).map((line) => `\n  ${line}`);
  return `${shown.join("")}${all.length > shown.length ? "\n  …" : ""}`;
}

const noEditor = "No editor is running multi-edit-language-server.";

/** Files, and an editor that has them open. */
export interface FilesOfEditor {
  readonly editor: string;
  readonly paths: readonly string[];
  /** The reason why no other editor may change the file: unsaved text, or the editor does not load it again. */
  readonly why?: "unsaved" | "staysOld" | undefined;
}

const whyNot = { unsaved: ", with unsaved changes", staysOld: ", which does not load a changed file again" } as const;

/** Lists files with their editors, one editor per line. */
export function filesOfEditors(groups: readonly FilesOfEditor[]): string {
  return onLines(
    groups.map(({ editor, paths, why }) => `${listOfPaths(paths)}: ${clip(editor, 200)}${why ? whyNot[why] : ""}`),
  );
}

/** Returns the first few of the paths, in quotes. */
export function listOfPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).map((path) => quote(path, 160));
  return `${shown.join(", ")}${paths.length > shown.length ? ", …" : ""}`;
}

const nameOne = "Ask the user to close each file in all of these editors but one. Then send the call again.";
const wholeId = "Use the full id of one of these.";
const openFolder =
  'Open the folder in an editor that runs multi-edit-language-server. For details, run "multi-edit doctor".';
const callPerFolder = "Send a separate call for each folder.";

const noSession = (problem: string, hint: string): Failure => makeFailure("noSession", theCall, { problem, hint });

const readFiles = "Read the files before you continue.";

/** Failures to reach an editor's session. They identify a session by its id, editor and folders. */
export const sessionFailures = {
  openInSeveral: (groups: readonly FilesOfEditor[]) =>
    noSession(`Several editors have these files open:${filesOfEditors(groups)}\nNothing was changed.`, nameOne),
  openApart: (groups: readonly FilesOfEditor[]) =>
    noSession(
      `These files are open in different editors, and one call can't change text in several:${filesOfEditors(groups)}\nNothing was changed.`,
      "Send one call for each of these editors, with its files.",
    ),
  /** `id`: a prefix of all these sessions' ids. */
  ambiguous: (id: string, sessions: readonly string[]) =>
    noSession(`Several session ids start with ${quote(id, 40)}:${listed(sessions)}\n`, wholeId),
  apart: (sessions: readonly string[]) =>
    noSession(
      `No editor has all of these files in one workspace folder; some are in the folders of:${listed(sessions)}\n`,
      callPerFolder,
    ),
  unreached: (session: string, why: Unreached) => {
    const { problem, hint } = sayUnreached(why);
    const name = clip(session, 200);
    return noSession(
      `The editor ${name} may have unsaved changes to these files, but ${problem}. Nothing was changed.`,
      hint,
    );
  },
  /** `problem`: one or more sentences that say what is wrong. */
  hidden: (problem: string) =>
    noSession(
      `An editor may have unsaved changes to these files, but it can't be asked. ${problem} Nothing was changed.`,
      "Ask the user to fix this, then send the call again.",
    ),
  unknown: (id: string, sessions: readonly string[]) =>
    sessions.length === 0
      ? noSession(`There is no session ${quote(id, 40)}. ${noEditor}`, "Start the server in an editor.")
      : noSession(
          `There is no session ${quote(id, 40)}. The sessions are:${listed(sessions)}\n`,
          "Choose one of these.",
        ),
  none: (sessions: readonly string[]) =>
    noSession(
      sessions.length === 0
        ? noEditor
        : `No editor has these files open or in a workspace folder. The editors are:${listed(sessions)}\n`,
      openFolder,
    ),
  tooOld: (version: string) =>
    makeFailure("clientCapability", theCall, {
      problem: `The editor is running version ${clip(version, 40)} of multi-edit-language-server, which does not support this request.`,
      hint: "Update the server and restart it in the editor.",
    }),
  lost: () => {
    const problem = "The editor's session ended before it answered, so the outcome of the call is unknown.";
    return makeFailure("timeout", theCall, { problem, hint: readFiles });
  },
  noAnswer: (seconds: number) => {
    const problem = `The editor's session did not answer within ${seconds} s, nor after the call was cancelled, so the outcome of the call is unknown.`;
    return makeFailure("timeout", theCall, { problem, hint: readFiles });
  },
  stopped: (seconds: number) => {
    const problem = `The call was stopped after ${seconds} s, most likely because the user was asked to confirm it and did not answer. Nothing was changed.`;
    return makeFailure("cancelled", theCall, {
      problem,
      hint: "Send the call again, and ask the user to answer the question.",
    });
  },
} as const;

/** Reports whether the caller can resolve a failure by choosing a session; a program can then say how to choose one. */
export function asksForSession({ code, hint }: Failure): boolean {
  return code === "noSession" && (hint === nameOne || hint === callPerFolder);
}

/** Reports whether a call failed because no editor has its files. */
export const isUnopened = ({ hint }: Failure): boolean => hint === openFolder;

/** The rule for an agent's id, as the end of a sentence. */
export const agentIdRule = `an id of 1 to ${limits.agentId} printable ASCII characters without spaces`;

/** A session's reasons for refusing an agent's request, as sentences. */
export const socketSentences = {
  whoAreYou: "An agent's first requests must be initialize, with protocols and a nonce, and then multiEdit/prove.",
  notProved: "The proof is wrong: the sender does not know the session's secret.",
  badAgent: `If present, client.agent must be ${agentIdRule}.`,
  serverTooOld: (version: string) =>
    `The editor is running version ${version} of multi-edit-language-server, which is too old for this agent. Update the server and restart it in the editor.`,
  agentTooOld: (version: string) =>
    `The editor is running version ${version} of multi-edit-language-server, which is too new for this agent. Update the agent's copy of the program.`,
  busy: (most: number) => `${most} requests from this agent are already being served; send this one later.`,
} as const;

/** Problems with the user's settings file, as clauses. */
export const settingsFileProblems = {
  notRegular: "it is not a regular file",
  notJson: "it is not valid JSON",
  foreign: "it belongs to another user, or other users may change it",
  tooLarge: (most: number) => `it has more than ${most.toLocaleString("en")} bytes`,
} as const;

/** Log lines about a session's socket, its announcement and its agents. */
export const sessionLog = {
  reachable: (session: string) => `agents can reach this session as ${session}`,
  switchedOff: (session: string) =>
    `agents are switched off, and this session is announced as ${session} only to protect its files`,
  unreachable: (problem: string) => `agents can't reach this session: ${problem}`,
  notAnnounced: (error: unknown) => `agents can't find this session: ${String(error)}`,
  socketError: (error: Error) => `the socket for agents failed: ${error.message}`,
  fromAgent: (text: string) => `from an agent: ${text}`,
} as const;

/** Returns the name and version that the editor gave, such as `Neovim 0.12.1`. */
export function editorName(client: { readonly name: string; readonly version?: string } | undefined): string {
  if (client === undefined) return "an unnamed editor";
  return client.version === undefined ? client.name : `${client.name} ${client.version}`;
}
