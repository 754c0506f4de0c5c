/** Sentences for people at a terminal: arguments, input, editors that can be reached, configurations, and the help. */
import type { StatusResult } from "../../lsp/protocol.js";
import { clip, quote } from "../../plan/failure.js";
import { limits } from "../../text/limits.js";
import { fileProblems } from "../../workspace/sentences.js";
import { agentIdRule } from "../sentences.js";
import type { SessionRecord } from "../session/record.js";

/** Problems with the arguments of a command, as sentences. */
export const argumentProblems = {
  unknownCommand: (name: string) => `There is no command ${name}.`,
  usage: (command: string, takes: string) => `It is used so: ${command} ${takes}`.trimEnd(),
  unknownValue: (option: string, known: readonly string[]) => `--${option} is one of ${known.join(", ")}.`,
  timeout: "--timeout needs a number of seconds, at most a day.",
  badAgent: (name: string) => `${name} must be ${agentIdRule}.`,
  emptyValue: "--workspace and --session need a value.",
} as const;

/** Lines of a command beside its answer. */
export const commandSentences = {
  seeHelp: (program: string, problem: string, command: string | undefined) =>
    `${program}: ${problem}\nSee ${program} ${command} --help.`,
  waiting: (session: string | undefined) => `Waiting for ${session ?? "the disk"} …`,
  through: (editor: string) => `Through the editor ${clip(editor, 200)}.`,
} as const;

/** Problems with the input of a command, as sentences. */
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

/** Refusals of the command that prints configurations, as sentences. */
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

/** Lines of the doctor and of the list of sessions. */
export const doctorSentences = {
  noneReached: "No editor can be reached.",
  reached: "Editors that can be reached:",
  seeDoctor: '"multi-edit doctor" tells more.',
  unreached: (session: string, problem: string) => `${session} is announced, but ${problem}.`,
  sessionLine: ({ id, client, folders, open }: ShownSession) =>
    `${id}  ${client}  ${open.length} open  ${folders.join(" ")}`,
  sessionLines: ({ id, client, pid, version, folders, open }: ShownSession) => [
    `${id}  ${client}, process ${pid}, server ${version}`,
    ...folders.map((folder) => `    folder ${folder}`),
    ...open.slice(0, 10).map(({ uri, onDisk }) => `    open ${uri}${onDisk === "differs" ? ", not as on disk" : ""}`),
    ...(open.length > 10 ? [`    and ${open.length - 10} more open`] : []),
  ],
  unreachedLines: (session: string, pid: number, { problem, hint }: { problem: string; hint: string }) => [
    `${session}, process ${pid}: ${problem}.`,
    `    ${hint}`,
  ],
  removed: (announcements: number) => `Removed ${announcements} announcements of sessions that have ended.`,
  system: (version: string) =>
    `multi-edit-language-server ${version}, Node ${process.versions.node}, ${process.platform}`,
  program: (path: string | undefined, isOnPath: boolean) =>
    `Program: ${path}${isOnPath ? "" : ' ("multi-edit" is not on the PATH: editors and agents need the full path, or "npm link")'}`,
  announcedIn: (directory: string) => `Sessions are announced in ${directory}`,
  workingDirectory: (directory: string) => `Working directory: ${directory}`,
  sandbox: "This is a sandbox of Codex, which forbids sockets: use the MCP server, which runs outside of it.",
  journalsIn: (directory: string) => `Journals of files that no editor has are kept in ${directory}`,
  wouldFail: (problem: string) => `A call for files here would fail: ${problem}`,
  callsGoTo: (directory: string, session: string) => `Calls for files in ${directory} go to ${session}.`,
  callsGoToDisk: (directory: string) =>
    `No editor has ${directory}: calls for files in it write the disk, unless --mode=editor forbids it. To edit through an editor, open the directory in one that runs multi-edit-language-server, as "multi-edit setup" shows.`,
} as const;

/** A session that answers, as the doctor shows it, with the version of its server. Its secret is not shown. */
export type ShownSession = Pick<SessionRecord, "id" | "client" | "version" | "pid" | "startedAt"> &
  Pick<StatusResult, "folders" | "open">;

/** The help for everything that is no transport; `program` is how it is called, `commands` has a line for each command. */
export function helpText(program: string, commands: readonly string[]): string {
  return `Usage: ${program} <command> [options]

Agents and scripts reach the editor in which the files are: what is typed and
not saved is seen, and what they change can be undone there.

Commands:
${commands.join("\n")}

A call is JSON in the shape of any known tool; a patch is in the format of
Codex' apply_patch. They are read from a file or from the standard input, which
may also hold a call on each line. Relative paths start at the working
directory.

Options:
  --json               print the answer as JSON
  --summary            print a bounded diff
  --workspace=DIR      work in this directory instead of the working directory
  --session=ID         in this one of the editors that "sessions" lists; the
                       variable MULTI_EDIT_SESSION does the same
  --agent=ID           the agent that calls, by an id that stays the same over
                       all its calls; also MULTI_EDIT_AGENT
  --mode=MODE          auto: the editor that has the files, else the disk;
                       editor: an editor or nothing; disk: the disk in any case
  --atomic=WHAT        what a failure takes with it. all (the default):
                       everything; file: its file; none: that edit alone
  --save=WHEN          never, ifWasClean (the default) or always
  --structured         of mcp: answer edits with structured content, too; some
                       agents show their model that in place of the short text
  --timeout=SECONDS    how long an answer may take, by default ${limits.commandMs / 1000}
  -h, --help           print this help

Exit codes: 0 done; 1 an edit has no place, nothing was changed; 2 the command
or the call can't be read; 3 no editor, or more than one; 4 the editor or the
user refused; 5 the text has moved on; 6 it is not known what became of it.
`;
}
