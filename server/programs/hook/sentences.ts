/** Text for models and users about the calls of agents' own tools. */
import { closedReasons, diskFailures, type Holder, sayUnreached } from "../../disk/sentences.js";
import type { PlaceLines } from "../../lsp/protocol.js";
import { clip, fileAt, makeFailure, quote, type UnseenText } from "../../plan/failure.js";
import { sayUnseen } from "../../plan/patch/sentences.js";
import { type FilesOfEditor, filesOfEditors, listOfPaths, sessionFailures } from "../../session/sentences.js";
import { limits } from "../../text/limits.js";
import type { ChangedUnder } from "./afterTool.js";

/** The names of our tools that take the place of an agent's own tool. */
interface OurNames {
  readonly edit: string;
  readonly read: string;
  readonly patch: string;
}

/** The lines of a text that a read shows; `last` is less than `first` if there are none. */
interface LinesOfRead {
  readonly first: number;
  readonly last: number;
  readonly total: number;
  /** Our tool for edits. */
  readonly edit: string;
  /** `true` if the read asked for more lines. */
  readonly isCut: boolean;
  /** `true` if the file on disk has changed since the editor last read or wrote it. */
  readonly isOutdated: boolean;
  /** Set if the only line is cut off: its length and that of the part shown, in UTF-16 code units. */
  readonly longLine: { readonly length: number; readonly shown: number } | undefined;
}

/** Reasons for which it is not known which files a call changes, and the first step before asking the user. */
const unreadProblems = {
  tooLarge: { why: `it is larger than ${limits.inputBytes} bytes`, hint: "Send smaller calls, or a" },
  noObject: { why: "its event is not a JSON object", hint: "A" },
  tooLong: { why: `finding its files takes longer than ${limits.hookMs / 1000} s`, hint: "Send smaller calls, or a" },
  noPath: { why: "it does not say which files it changes", hint: "Send the file's absolute path, or a" },
  bug: { why: "multi-edit failed to check it", hint: "A" },
} as const;

/** Messages to models about calls of the agent's own tools. */
export const hookSentences = {
  /** Turns away an agent's own tool. `isPatch`: the tool takes a patch, which one of ours takes as well. */
  unsaved: (paths: readonly string[], { edit, read, patch }: OurNames, isPatch: boolean) =>
    `The user's editor has unsaved changes in ${listOfPaths(paths)}, which this tool would miss and overwrite. Nothing was changed. ${isPatch ? `Send the same patch to ${patch}; ${read} returns the current text.` : `Use ${edit} {"edits":[{"path","oldText","newText"}]} for this file; ${read} returns its current text. Do not change it with a command, which would do the same.`}`,
  /**
   * Turns away a patch because several editors have unsaved text in its files. `send`: our names, if the patches must go
   * to our tool; `undefined` if the same tool takes them.
   */
  heldApart: (groups: readonly FilesOfEditor[], send: OurNames | undefined) =>
    `Different editors of the user have unsaved changes in the files of this patch, and one patch can't change text in several editors:${filesOfEditors(groups)}\nNothing was changed. Send a separate patch for the files of each editor${send === undefined ? "" : ` to ${send.patch}`}.`,
  /**
   * Turns away a command that may apply a patch. `applies`: a command in the plain form would be applied in the editor.
   */
  perhaps: (paths: readonly string[], { patch, read }: OurNames, applies: boolean) =>
    `The user's editor has unsaved changes in ${listOfPaths(paths)}, and this command may apply a patch there, on disk, which would miss and overwrite them. Nothing was run. Send the patch to ${patch}${applies ? ", or as a command that does nothing else: apply_patch <<'EOF', the patch, and EOF, after cd FOLDER && if it needs to be in another folder" : ""}; ${read} returns the current text. Send the rest of the command by itself. If the command applies no patch to ${paths.length === 1 ? "this file" : "these files"}, ask the user to save ${paths.length === 1 ? "it" : "them"}, and send the command again.`,
  /**
   * Turns away an agent's own tool because an editor has unsaved text that can't be had from it. `isAnnounced`: the editor
   * has said that there is such text.
   */
  outOfReach(path: string, holder: Holder, isAnnounced: boolean): string {
    if (holder.kind === "hidden") return sessionFailures.hidden(holder.problem).message;
    if (holder.kind === "open") return diskFailures.locked(path, holder).message;
    const { problem, hint } =
      holder.kind === "closed"
        ? { problem: closedReasons[holder.why], hint: "" }
        : { problem: `but ${sayUnreached(holder.why).problem}`, hint: ` ${sayUnreached(holder.why).hint}` };
    const state = isAnnounced ? "has unsaved changes" : "may have unsaved changes";
    return `${quote(path, 160)} ${state} in the editor ${clip(holder.session, 200)}, ${problem}. This tool would miss and overwrite such changes. Nothing was changed. Ask the user to save the file there, or to close it, and then send this call again.${hint} Until then, this call is always turned away, so do not repeat it, and do not change the file with a command. ${isAnnounced ? "Other files can be changed." : ""}`.trimEnd();
  },
  /**
   * Turns away an agent's own tool because the user has named another editor than the one that has the file. `chosen`: the
   * value of the variable.
   */
  notChosen: (path: string, session: string, chosen: string) =>
    `${quote(path, 160)} has unsaved changes in the editor ${clip(session, 200)}, which this tool would miss and overwrite. The environment variable MULTI_EDIT_SESSION names another editor, ${quote(chosen, 40)}, so the file can't be edited there either. Nothing was changed. Ask the user to save the file and close it there, and then send this call again; or to start the agent without this variable, or with the id of the editor that has the file.`,
  /** Turns away an agent's own tool from a file that exists only in the editor. */
  deleted: (path: string, { edit, read, patch }: OurNames) =>
    `There is no file ${quote(path, 160)} on disk: it was deleted or never saved. But the user's editor has its text open, and this tool would write another text in its place. Nothing was changed. To change the open text, use ${edit}. To replace all of it, read it with ${read}, then send a patch with Add File to ${patch}. Or ask the user to close the file in the editor, and then send this call again.`,
  /** Turns away a call of which it is not known which files it changes. */
  unread: (paths: readonly string[], problem: keyof typeof unreadProblems) =>
    `This call can't be checked, because ${unreadProblems[problem].why}. The user's editor has, or may have, unsaved changes in ${listOfPaths(paths)}, which this tool may miss and overwrite. Nothing was changed. ${unreadProblems[problem].hint}sk the user to save ${paths.length === 1 ? "this file" : "these files"}, and then send this call again.`,
  /** Turns away an agent's own tool from a file that ours refuse, too. `message`: the reason for that. */
  refused: (path: string, message: string) =>
    `The user's editor has unsaved changes in ${quote(path, 160)}, which this tool would miss and overwrite. The tools of multi-edit can't change this file either: ${clip(message, 600)} Nothing was changed. Ask the user to save the file, or to discard the changes; then send this call again.`,
  /**
   * Turns away a tool that would replace a whole text. `refused`: the editor's reason, with the lines that the agent has not
   * seen, and the agent's own tool that shows them.
   */
  wouldReplace: (
    path: string,
    { edit, read }: OurNames,
    refused?: { readonly unseen: UnseenText | undefined; readonly tool: string | undefined },
  ) => {
    const { unseen = { lines: [], more: 0 } } = refused ?? {};
    const seen = sayUnseen(unseen);
    const kept = unseen.lines.length > 0 ? "has them" : "keeps these changes";
    const again = refused?.tool ? `Or read the file with ${refused.tool}, and write a text that ${kept}. ` : "";
    return makeFailure("dirty", fileAt(path), {
      problem: `This tool would replace the whole text of ${quote(path, 160)}, which has unsaved changes in the user's editor${seen}${seen.endsWith("\n") ? "" : " "}Nothing was changed.`,
      hint: `To keep these changes, replace parts of the text with ${edit}; ${read} returns it. ${again}Or ask the user to save or discard the changes.`,
    }).message;
  },
  /** Answers a call that was applied in the editor. `lines`: the files and what is to be said about them. */
  applied: (lines: readonly string[]) =>
    `Done. This call was applied in the user's editor, so the tool itself did not run. Do not send it again.\n${lines.join("\n")}`,
  /** Answers a call that may have been applied. `problem`: sentences. */
  unknown: (problem: string) => `It is unknown whether this call was applied in the user's editor. ${problem}`,
  failed: (message: string) => `The user's editor has unsaved changes in this file. ${message}`,
  /**
   * After the failure of a patch that replaces a text that the agent has not seen. `tool`: the agent's own tool that reads
   * files; `undefined` if it has none.
   */
  readsThatCount: ({ patch, read }: OurNames, tool: string | undefined) =>
    tool === undefined
      ? ` What you read with ${read} counts only for patches that you send to ${patch}.`
      : ` For this tool, only what you read with ${tool} counts.`,
  /** After the failure of an edit that has several matches. `replaceAll`: the name of this field in the agent's own tool. */
  ownFields: ({ edit }: OurNames, replaceAll: string) =>
    ` This tool itself has no occurrence or line${replaceAll === "replaceAll" ? "" : `, and its field for replaceAll is ${replaceAll}`}. To set occurrence or line, use ${edit} {"edits":[{"path","oldText","newText","occurrence"}]} instead.`,
  underway: "The same call was sent before, and its outcome is unknown. Read the files before you continue.",
  /** Before or beside lines from the editor that replace those from disk. */
  shown: ({ first, last, total, edit, isCut, isOutdated, longLine }: LinesOfRead) =>
    last < first
      ? `In the user's editor, this file has unsaved changes and only ${total} ${total === 1 ? "line" : "lines"}, so it has no line ${first}. To change this file, use ${edit}.`
      : `Lines ${first} to ${last} of ${total}, from the user's editor, including unsaved changes, which are not on disk${isOutdated ? "; the file on disk has changed since" : ""}.${longLine ? ` Line ${first} is too long for one answer: only ${longLine.shown} of its ${longLine.length} characters are shown. For the rest of it, ask the user to save the file, and search it with a command.` : ""}${isCut ? ` To read on, start at line ${last + 1}.` : ""} To change this file, use ${edit}.`,
  /** After a search. */
  unseenBySearch: (paths: readonly string[], { read }: OurNames) =>
    `This search has read the disk. The user's editor has unsaved text in ${listOfPaths(paths)}, which it did not see; ${read} returns the text.`,
  /** After a tool that may have changed files. */
  changedUnder: (files: readonly ChangedUnder[], { edit, read }: OurNames) => {
    const left = files.flatMap(({ path, merged }) => (merged === undefined ? [path] : []));
    const sentences = files.flatMap(({ path, merged }) =>
      merged === undefined
        ? []
        : [
            `${quote(path)} changed on disk, and the user's editor has unsaved text there. The change was merged into that text, at ${linesText(merged.lines)}: line ${merged.lines[0]?.startLine} is now ${quote(clip(merged.first, 120))}. It is not saved; ${read} returns the text.`,
          ],
    );
    if (left.length === 0) return sentences.join(" ");
    return [
      ...sentences,
      `${listOfPaths(left)} changed on disk, but the user's editor has other, unsaved text there, which this change did not reach: the user does not see it, and saving in the editor may overwrite it. Make the change with ${edit} instead; ${read} returns the text in the editor.`,
    ].join(" ");
  },
} as const;

/** Names at most three runs of lines. */
function linesText(lines: readonly PlaceLines[]): string {
  const runs = lines
    .slice(0, 3)
    .map(({ startLine, endLine }) => (startLine === endLine ? startLine : `${startLine}-${endLine}`));
  return `${lines.length === 1 && lines[0]?.startLine === lines[0]?.endLine ? "line" : "lines"} ${runs.join(", ")}${lines.length > 3 ? " and others" : ""}`;
}

/** Problems of the command line and its input, for the user. Nothing is blocked because of them. */
export const hookProblems = {
  usage: (names: readonly string[]) => `usage: multi-edit hook ${names.join("|")} [--apply]`,
  input: "multi-edit hook: standard input must be one event of the agent's hooks, as a JSON object",
  bug: (error: unknown) => `multi-edit hook: ${clip(String(error), 500)}`,
} as const;
