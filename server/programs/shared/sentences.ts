/** Texts that several programs use: answers to edits, editors that can be reached, and the failure of a command line. */
import { type Closed, closedReasons } from "../../disk/sentences.js";
import type { EditResult, StatusResult } from "../../lsp/protocol.js";
import { clip, count, type Failure, makeFailure, quote, theCall } from "../../plan/failure.js";
import type { SessionRecord } from "../../session/record.js";

/** Lines of the answer to an edit. */
export const answerSentences = {
  /** `places`: set if one edit changes several places. `line`: the first changed line. `state`: where the text is now. */
  file: (name: string, { places, line, state }: FileFacts) =>
    [
      name,
      ...(line === undefined ? [] : [`line ${line}`]),
      ...(places === undefined ? [] : [`${places} places`]),
      ...(state === undefined ? [] : [fileStates[state]]),
    ].join(", "),
  /** Says of an edit what is not as it was sent; `undefined` if all is. */
  edit: ({ index, status, rung, places: [first] }: EditResult): string | undefined => {
    if (status === "skipped") return `edit ${index}: nothing to change, skipped`;
    const difference = rungDifferences[rung ?? ""];
    return difference === undefined ? undefined : `edit ${index}, line ${first?.startLine}: ${difference}`;
  },
  moreFiles: (more: number) => `and ${count(more, "more file")}`,
} as const;

/** The facts in an answer about one file; `undefined` ones are left out. */
interface FileFacts {
  readonly places: number | undefined;
  readonly line: number | undefined;
  readonly state: keyof typeof fileStates | undefined;
}

/** The place of a file's new text after a call. */
const fileStates = {
  unsaved: "not saved",
  saved: "saved",
  unopened: "on disk (no editor has it open)",
  disk: "on disk",
} as const;

/** Differences between the old text that was sent and the one that was found, by the rung that found it. */
const rungDifferences: Readonly<Record<string, string>> = {
  trailingBlanks: "trailing spaces differ",
  typography: "quotes, dashes or spaces differ",
  indentation: "new text indented like the file",
  viewPrefix: "line numbers dropped",
  foldedLines: "spaces, quotes or dashes differ",
};

/** The failure of a command line, as programs get it. `problem`: one or more sentences. */
export const misuse = (problem: string): Failure => makeFailure("invalidParams", theCall, { problem });

/** Follows a folder that a session has, but that is not there. */
const absent = ", which does not exist on the machine of its server";

/** Lines about the editors that can be reached, and about the one that gets the calls. */
export const reachSentences = {
  noneReached: "No editor can be reached.",
  reached: "Editors that can be reached:",
  sessionLines: ({ id, client, pid, version, folders, absentFolders, open, question }: ShownSession) => [
    `${id}  ${client}, process ${pid}, server ${version}`,
    ...(question === undefined ? [] : [`    waits for your answer to ${quote(question)}`]),
    ...folders.map((folder) => `    folder ${folder}${absentFolders.includes(folder) ? absent : ""}`),
    ...open
      .slice(0, 10)
      .map(({ uri, onDisk }) => `    open ${uri}${onDisk === "differs" ? ", differs from disk" : ""}`),
    ...(open.length > 10 ? [`    and ${open.length - 10} more open`] : []),
  ],
  unreachedLines: (session: string, pid: number, { problem, hint }: { problem: string; hint: string }) => [
    `${session}, process ${pid}: ${problem}.`,
    `    ${hint}`,
  ],
  removed: (announcements: number) =>
    `Removed ${count(announcements, "announcement")} of ${announcements === 1 ? "a session that has" : "sessions that have"} ended.`,
  wouldFail: (problem: string) => `A call that edits files here would fail. ${problem}`,
  /** `isOnly`: no other editor can get the call. */
  callsGoTo: (directory: string, session: string, isOnly: boolean) =>
    `Calls that edit files in ${directory} go to ${session}${isOnly ? "" : ", or to the editor that has the files open"}.`,
  callsGoToDisk: (directory: string) =>
    `No editor has ${directory} in a workspace folder, so calls that edit files there write to disk. To edit through an editor, open the directory in one that runs multi-edit-language-server; "multi-edit setup" prints the configuration for it.`,
  callsFail: (directory: string) =>
    `No editor has ${directory} in a workspace folder, and calls may go only to an editor, so calls that edit files there fail.`,
  callsAreLocked: (directory: string, session: string, why: Closed) =>
    `The editor ${clip(session, 200)} has ${directory}, ${closedReasons[why]}, so calls that edit files there fail. Only the user can change this: make the change in that editor, or close the folder there${why === "switchedOff" ? ', or allow agents with its setting "agent.enabled"' : ""}.`,
  allGoToDisk: "All calls go to disk, not to an editor.",
} as const;

/** A session that answers, as the doctor shows it; `version` is its server's version. */
export type ShownSession = Pick<SessionRecord, "id" | "client" | "version" | "pid" | "startedAt"> &
  Required<Pick<StatusResult, "folders" | "absentFolders" | "open">> & { readonly question?: string | undefined };
