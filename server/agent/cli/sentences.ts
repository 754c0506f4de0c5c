/** Messages for people at a terminal, about arguments, input, reachable editors and configurations; also the help. */
import type { StatusResult } from "../../lsp/protocol.js";
import { clip, count, quote } from "../../plan/failure.js";
import { limits } from "../../text/limits.js";
import { fileProblems } from "../../workspace/sentences.js";
import { defaultSettings, type Settings } from "../../workspace/settings.js";
import { agentIdRule } from "../sentences.js";
import type { SessionRecord } from "../session/record.js";

/** Problems with a command's arguments, as sentences. */
export const argumentProblems = {
  unknownCommand: (name: string) => `There is no command ${name}.`,
  usage: (command: string, takes: string) =>
    `Wrong number of arguments. Usage: multi-edit ${command} ${takes}`.trimEnd(),
  unknownValue: (option: string, known: readonly string[]) => `--${option} must be one of ${known.join(", ")}.`,
  timeout: "--timeout must be a number of seconds, greater than 0 and at most 86400 (one day).",
  badAgent: (name: string) => `${name} must be ${agentIdRule}.`,
  emptyValue: "--workspace and --session require a value.",
  writeAndRemove: "--write and --remove can't be used together.",
} as const;

/** Lines that a command prints in addition to its answer. */
export const commandSentences = {
  seeHelp: (program: string, problem: string, command: string | undefined) =>
    `${program}: ${problem}\nSee ${program} ${command} --help.`,
  waiting: (session: string | undefined) => `Waiting for ${session ?? "the disk"} …`,
  nameSession: "Use --session=ID to choose one of them.",
  through: (editor: string) => `The call went through the editor ${clip(editor, 200)}.`,
} as const;

/** Problems with a command's input, as sentences. */
export const inputProblems = {
  /** `path`: `undefined` for the working directory. */
  noDirectory: (path: string | undefined) =>
    path === undefined
      ? "The working directory no longer exists, or its path is not valid UTF-8. Choose a directory with --workspace."
      : `${quote(path, 200)} is not a directory, or its path is not valid UTF-8.`,
  unreadable: (path: string, code: string) =>
    `${path === "-" ? "Standard input" : quote(path, 200)} can't be read: ${fileProblems.system(code)}.`,
  tooLarge: (most: number) => `The input is larger than ${most.toLocaleString("en")} bytes.`,
  notUtf8: () => "The input is not valid UTF-8.",
  empty: () => "The input is empty. It must be a call as JSON, several calls (one per line), or a patch.",
  badJson: (problem: string) => `The input is not valid JSON: ${clip(problem, 200)}.`,
  badLine: (line: number, problem: string) => `Line ${line}: ${problem}`,
  badCall: (number: number, message: string) => `Call ${number} can't be read, so no call was sent. ${message}`,
  stoppedAt: (number: number, total: number) =>
    `Call ${number} of ${total} failed. The calls before it were carried out; those after it were not sent.`,
  unsaved: (path: string) => `The text of ${path} comes from the editor; the file on disk differs.`,
  noInput: () => "There is no input. Name a file, or pipe a call or a patch to standard input.",
} as const;

/** Problems with the arguments of `setup`, or with Helix, as sentences. */
export const setupSentences = {
  unknown: (name: string | undefined, known: readonly string[]) =>
    `${name === undefined ? "" : `There is no setup for ${quote(name, 40)}. `}Usage: multi-edit setup NAME, where NAME is one of ${known.join(", ")}.`,
  tooMany: (name: string, word: string) =>
    `"multi-edit setup ${name}" takes no further arguments, but ${quote(word, 40)} was given.`,
  noLanguages: () =>
    "List the languages of your files by their Helix names, for example: multi-edit setup helix typescript rust. Helix has a separate list of servers for each language, so no single entry applies to all files.",
  noHelix: () =>
    "Neither hx nor helix is on the PATH, and only Helix knows which servers a language has. Run this command on the machine where Helix is installed.",
  silentHelix: () =>
    "Helix crashed or took too long when asked which servers a language has. To find out why, run: hx --health",
  /** `problem`: Helix's output, which may have several lines. */
  brokenHelix: (problem: string) => `Helix can't read your languages.toml; fix it first. ${clip(problem, 400)}`,
  /** `near`: language names separated by commas, or an empty string. */
  unknownLanguage: (language: string, near: string) =>
    `Helix does not know the language ${quote(language, 40)}.${near === "" ? "" : ` Similar names: ${clip(near, 400)}.`}`,
  namelessServers: (language: string, shown: readonly string[]) =>
    `The entry for ${language} can't be generated: Helix shows the servers ${shown.map((one) => quote(one, 40)).join(", ")}, but its configuration does not accept all of these names. Write the entry yourself: list the language's servers, and add "multi-edit" at the end.`,
} as const;

/** Sentences of `setup NAME --write` and `setup NAME --remove`. */
export const configureSentences = {
  refused: (path: string, problem: string) => `${path} was not changed: ${problem}.`,
  unreadable: (code: string) => `it can't be read (${code})`,
  notObject: "it is not a JSON object",
  byHand: "it already has these settings, and this command did not write them",
  foreign: "this command did not write it",
  /** The line before the block that this program writes to a file, without the mark of a comment. */
  blockStart: 'multi-edit: this block is written and removed by "multi-edit setup".',
  /** The line after that block. */
  blockEnd: "multi-edit: end of the block.",
  unwritable: (path: string, code: string) => `${path} can't be written (${code}).`,
  nothing: (task: "add" | "remove") =>
    task === "add"
      ? "Everything is already set up; nothing was changed.\n"
      : "Nothing was set up; nothing was changed.\n",
} as const;

/** Lines printed by the commands `doctor` and `sessions`. */
export const doctorSentences = {
  noneReached: "No editor can be reached.",
  reached: "Editors that can be reached:",
  seeDoctor: 'For details, run "multi-edit doctor".',
  unreached: (session: string, problem: string) => `Session ${session} is announced, but ${problem}.`,
  sessionLine: ({ id, client, folders, open }: ShownSession) =>
    `${id}  ${client}  ${open.length} open  ${folders.join(" ")}`,
  sessionLines: ({ id, client, pid, version, folders, open }: ShownSession) => [
    `${id}  ${client}, process ${pid}, server ${version}`,
    ...folders.map((folder) => `    folder ${folder}`),
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
  system: (version: string) =>
    `multi-edit-language-server ${version}, Node ${process.versions.node}, ${process.platform}`,
  program: (path: string | undefined, isOnPath: boolean) =>
    `Program: ${path}${isOnPath ? "" : ' ("multi-edit" is not on the PATH: give editors and agents the full path, or run "npm link")'}`,
  announcedIn: (directory: string) => `Sessions are announced in ${directory}`,
  workingDirectory: (directory: string) => `Working directory: ${directory}`,
  /** `source`: the name of a session, or the path of the settings file. */
  gate: (source: string, { confirm, protectedNames }: Pick<Settings, "confirm" | "protectedNames">) => {
    const isDefault = JSON.stringify(protectedNames) === JSON.stringify(defaultSettings.protectedNames);
    const names = isDefault ? "the defaults" : clip(protectedNames.join(", ") || "none", 400);
    return [
      `Settings from ${source}`,
      `    confirm: ${clip(JSON.stringify(confirm), 400)}`,
      `    protectedNames: ${names}`,
    ];
  },
  sandbox: "This is a Codex sandbox, which forbids sockets: use the MCP server, which runs outside it.",
  journalsIn: (directory: string) => `Journals for files that no editor has open are kept in ${directory}`,
  wouldFail: (problem: string) => `A call that edits files here would fail. ${problem}`,
  callsGoTo: (directory: string, session: string) => `Calls that edit files in ${directory} go to ${session}.`,
  callsGoToDisk: (directory: string) =>
    `No editor has ${directory} in a workspace folder, so calls that edit files there write to disk. To edit through an editor, open the directory in one that runs multi-edit-language-server; "multi-edit setup" prints the configuration for it.`,
  callsFail: (directory: string) =>
    `No editor has ${directory} in a workspace folder, and calls may go only to an editor, so calls that edit files there fail.`,
  editorOnly: "Use --mode=editor to prevent writes to disk.",
  allGoToDisk: "All calls go to disk, not to an editor.",
} as const;

/** A session that answers, as the doctor shows it; `version` is its server's version. */
export type ShownSession = Pick<SessionRecord, "id" | "client" | "version" | "pid" | "startedAt"> &
  Pick<StatusResult, "folders" | "open">;

/** Returns the help for the commands. `program`: the program's name; `commands`: a line for each command. */
export function helpText(program: string, commands: readonly string[]): string {
  return `Usage: ${program} <command> [options]

Agents and scripts use these commands to edit files through the user's editor:
unsaved text is seen and kept, and the user can undo each change in the editor.

Commands:
${commands.join("\n")}

A call is JSON in the shape of any known edit tool; a patch is in the format of
Codex's apply_patch. The input (a file or standard input) is a patch, a call, or
several calls with one call per line. Relative paths are relative to the working
directory.

Options:
  --json               print the answer as JSON; edits are then counted from 0,
                       otherwise from 1
  --summary            print a shortened diff
  --workspace=DIR      use this directory instead of the working directory
  --session=ID         use this editor (see "${program} sessions"); the variable
                       MULTI_EDIT_SESSION does the same
  --agent=ID           identify the calling agent, with the same id in all its
                       calls; the variable MULTI_EDIT_AGENT does the same
  --mode=MODE          auto (the default): the editor that has the files,
                       or else the disk; editor or disk: only that one
  --atomic=SCOPE       what is abandoned if one edit fails. all (the default):
                       the whole call; file: its file; none: only that edit
  --save=WHEN          never, ifWasClean (the default) or always
  --structured         for mcp: add structured content to the results of edits;
                       some agents show it to the model instead of the text
  --write              for setup: add the lines to the program's configuration
                       and show the difference, instead of printing the lines
  --remove             for setup: remove the lines from the configuration
  --timeout=SECONDS    how long to wait for an answer (default: ${limits.commandMs / 1000})
  -h, --help           print this help

Exit codes: 0 done; 1 an edit failed, nothing was changed; 2 the command line or
the call can't be read; 3 no editor, or more than one; 4 the editor or the user
refused; 5 the text has changed; 6 the outcome is unknown.
`;
}
