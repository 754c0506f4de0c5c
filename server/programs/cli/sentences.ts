/** Messages for people at a terminal, about arguments, input, reachable editors and configurations; also the help. */
import { type Closed, closedReasons } from "../../disk/sentences.js";
import type { StatusResult, TransactionStatus } from "../../lsp/protocol.js";
import { clip, count, type Failure, makeFailure, quote, some, theCall } from "../../plan/failure.js";
import type { SessionRecord } from "../../session/record.js";
import { agentIdRule } from "../../session/sentences.js";
import { fileProblems } from "../../workspace/sentences.js";
import { defaultSettings, type Settings } from "../../workspace/settings.js";

/** Texts of the help and of the manual page, besides those in the table of commands. */
export const pageTexts = {
  tagline: "edit files through the editor that has them open",
  about:
    "Agents, scripts and people use these commands to edit files through the editor that has them open: unsaved text is seen and kept, and each change can be undone. Files that no editor has open are changed on disk, all or none.",
  ofCommand: (program: string) => `"${program} COMMAND --help" describes a command and its options.`,
  general: "Options that most commands have:",
  oneOf: (argument: string, names: readonly string[]) =>
    `${argument} is one of${names.length === 0 ? ":" : ` ${names.join(", ")}.`}`,
} as const;

/** Problems with a command's arguments, as sentences. */
export const argumentProblems = {
  /** `near`: the command that was probably meant; `names`: all commands. */
  unknownCommand: (name: string, near: string | undefined, names: readonly string[]) =>
    name === ""
      ? `Name a command: ${names.join(", ")}.`
      : `There is no command ${clip(name, 40)}.${near === undefined ? ` The commands are ${names.join(", ")}.` : ` Did you mean ${near}?`}`,
  /** `option`: as it was written, such as `--jsn`; `near`: the name of the option that was probably meant. */
  unknownOption: (command: string, option: string, near: string | undefined) =>
    `The command ${command} has no option ${clip(option, 40)}.${near === undefined ? "" : ` Did you mean --${near}?`}`,
  noValue: (option: string) => `--${option} takes no value.`,
  needsValue: (option: string, value: string) => `--${option} needs a value: --${option}=${value}.`,
  usage: (command: string, takes: string) =>
    `Wrong number of arguments. Usage: multi-edit ${command} ${takes}`.trimEnd(),
  unknownValue: (option: string, known: readonly string[]) => `--${option} must be one of ${known.join(", ")}.`,
  badDecision: 'The answer must be "apply" or "reject".',
  unknownShell: (known: readonly string[]) => `There are completions for ${known.join(", ")}.`,
  timeout: "--timeout must be a number of seconds, greater than 0 and at most 86400 (one day).",
  badAgent: (name: string) => `${name} must be ${agentIdRule}.`,
  label: (most: number) => `--label may have at most ${most} characters.`,
  versions: '--versions must be a JSON object of URIs and version numbers, such as {"file:///src/a.ts": 7}.',
  emptyValue: "--workspace and --session require a value.",
  together: (one: string, other: string) => `--${one} and --${other} can't be used together.`,
} as const;

/** The failure of a command line, as programs get it. `problem`: one or more sentences. */
export const misuse = (problem: string): Failure => makeFailure("invalidParams", theCall, { problem });

/** Lines that a command prints in addition to its answer. */
export const commandSentences = {
  seeHelp: (program: string, problem: string, command: string | undefined) =>
    `${program}: ${problem}\nSee ${program} ${command === undefined ? "" : `${command} `}--help.`,
  /** `isAsked`: the editor's user has a question to answer. `session`: `undefined` for a call on disk. */
  waiting: (session: string | undefined, isAsked: boolean) =>
    isAsked
      ? `Waiting for your answer in ${session?.replace(/^\S+ \((.*)\)$/, "$1") ?? "an editor"} …`
      : `Waiting for ${session ?? "the disk"} …`,
  answered: (decision: string, label: string) => `Your answer to ${quote(label)}: ${decision}.`,
  nameSession: "Use --session=ID, or the variable MULTI_EDIT_SESSION, to choose one of them.",
  /** `isDone`: `false` for a preview. */
  onDisk: (isDone: boolean) =>
    `Warning: no editor has these files open in a workspace folder, so the call ${isDone ? "changed them on disk" : "would change them on disk"}. If an editor should have them, run "multi-edit doctor". With --mode=editor, such a call is refused.`,
  through: (editor: string) => `The call went through the editor ${clip(editor, 200)}.`,
} as const;

/** The commonest reasons why a file can't be read, in words, by the system's error code. */
const readProblems: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "you may not read it",
};

/** Problems with a command's input, as sentences. */
export const inputProblems = {
  /** `path`: `undefined` for the working directory. */
  noDirectory: (path: string | undefined) =>
    path === undefined
      ? "The working directory no longer exists, or its path is not valid UTF-8. Choose a directory with --workspace."
      : `${quote(path, 200)} is not a directory, or its path is not valid UTF-8.`,
  unreadable: (path: string, code: string) =>
    `${path === "-" ? "Standard input" : quote(path, 200)} can't be read: ${readProblems[code] ?? fileProblems.system(code)}.`,
  tooLarge: (most: number) => `The input is larger than ${most.toLocaleString("en")} bytes.`,
  notUtf8: () => "The input is not valid UTF-8.",
  empty: () => "The input is empty. It must be a call as JSON, several calls (one per line), or a patch.",
  badJson: (problem: string) => `The input is not valid JSON: ${clip(problem, 200)}.`,
  badLine: (line: number, problem: string) => `Line ${line}: ${problem}`,
  badCall: (number: number, message: string) => `Call ${number} can't be read, so no call was sent. ${message}`,
  stoppedAt: (number: number, total: number) =>
    `Call ${number} of ${total} failed. The calls before it were carried out; those after it were not sent.`,
  unsaved: (path: string) => `The text of ${path} comes from the editor; the file on disk differs.`,
  pastEnd: (path: string, lines: number) => `There are no such lines: ${path} has ${count(lines, "line")}.`,
  noInput: () => "There is no input. Name a file, or pipe a call or a patch to standard input.",
} as const;

/** Problems with the arguments of `setup`, or with Helix, as sentences. */
export const setupSentences = {
  /** `near`: the name that was probably meant; `undefined` if there is none. */
  unknown: (name: string | undefined, near: string | undefined, known: readonly string[]) =>
    `${name === undefined ? "" : `There is no setup for ${quote(name, 40)}${near === undefined ? "" : ` (did you mean ${quote(near)}?)`}. `}Usage: multi-edit setup NAME, where NAME is one of ${known.join(", ")}.`,
  /** `entry`: the server in the form that most MCP clients take. */
  anyClient: (entry: string) =>
    `Any MCP client can run the server as multi-edit: ${entry}. "Any other MCP client" in client-samples/agents/README.md says what some of them need.`,
  /** `section`: the part of README.md that says how to set up such a program by hand. */
  byHand: (name: string, section: string, known: readonly string[]) =>
    `There is no setup for ${quote(name, 40)}: see ${quote(section)} in README.md. The names are ${known.join(", ")}.`,
  tooMany: (name: string, word: string) =>
    `"multi-edit setup ${name}" takes no further arguments, but ${quote(word, 40)} was given.`,
  notWritten: (name: string, word: string) =>
    `With --write and --remove, "multi-edit setup ${name}" takes no further arguments, but ${quote(word, 40)} was given.`,
  noHook: (name: string, known: readonly string[]) =>
    `"multi-edit setup ${name}" can't add a hook; ${known.join(", ")} have hooks.`,
  /** `known`: the forms, of which there are at least two. */
  unknownForm: (name: string, form: string, known: readonly string[]) =>
    `There is no form ${quote(form, 40)}. Usage: multi-edit setup ${name} [FORM], where FORM is one of ${known.join(", ")}.`,
  noRepository: () =>
    'vim.pack installs from Git repositories only, and this program was not built in one. Use "multi-edit setup neovim", or run the command in a clone.',
  temporary:
    "Warning: npm deletes this copy of the program some day, and the configuration names it. Install the program for good, and run this command again.",
  nodeBelowHome: (node: string) =>
    `Note: the configuration starts ${node} by its path, because programs that are started from the desktop do not find a Node that belongs to your shell. After you upgrade or remove this Node, run this command again.`,
  noLanguages: () =>
    "No file in the working directory has a language that Helix is known to have. Name the languages, for example: multi-edit setup helix typescript rust. Helix has a separate list of servers for each language, so no single entry applies to all files.",
  noHelix: () =>
    "Neither hx nor helix is on the PATH, and only Helix knows which servers a language has. Run this command on the machine where Helix is installed.",
  silentHelix: () =>
    "Helix crashed or took too long when asked which servers a language has. To find out why, run: hx --health",
  /** `folder`: the temporary folder. */
  unaskedHelix: (folder: string, code: string) =>
    `To ask Helix which servers a language has, this command writes to the temporary folder ${quote(folder, 200)}, but can't: ${fileProblems.system(code)}. Set the variable TMPDIR to a folder that can be written.`,
  unreadLists: (file: string) =>
    `${quote(file, 200)} limits a server with only-features or except-features, and is in a form that this command can't read, so the limit would be lost. Add the entries yourself: list each language's servers as they are, and "multi-edit" at the end.`,
  projectLists: (file: string, languages: readonly string[]) =>
    `Note: ${quote(file, 200)} has its own list of servers for ${some(languages, 400)}. In this project, Helix uses it instead of yours, so add "multi-edit" to it.`,
  /** `problem`: Helix's output, which may have several lines. */
  brokenHelix: (problem: string) => `Helix can't read your languages.toml; fix it first. ${clip(problem, 400)}`,
  /** `near`: language names separated by commas, or an empty string. */
  unknownLanguage: (language: string, near: string) =>
    `Helix does not know the language ${quote(language, 40)}.${near === "" ? "" : ` Similar names: ${clip(near, 400)}.`}`,
  namelessServers: (language: string, shown: readonly string[]) =>
    `The entry for ${language} can't be generated: Helix shows the servers ${shown.map((one) => quote(one, 40)).join(", ")}, but its configuration does not accept all of these names. Write the entry yourself: list the language's servers, and add "multi-edit" at the end.`,
} as const;

/** Reasons why a folder can't be made, by the system's error code. */
const tryProblems: Readonly<Record<string, string>> = {
  ENOENT: "the system has no folders there but its own",
  EEXIST: "a link without a target has this name, or the name of a folder around it",
};

/** Texts of the command `try`. */
export const trySentences = {
  /** The file to edit. */
  file: `export const rate = 0.19;

export function gross(net: number): number {
  return net * (1 + rate);
}
`,
  exists: (folder: string) =>
    `${quote(folder, 200)} already exists. Delete it, or name another folder: multi-edit try FOLDER.`,
  unwritable: (folder: string, code: string) =>
    `${quote(folder, 200)} can't be made: ${tryProblems[code] ?? fileProblems.system(code)}.`,
  steps: (folder: string) => {
    const path = quotedForShell(folder);
    return `Made ${folder} with price.ts, a file to edit, and call.json, an agent's call.

1. Open the file in your editor, for example:
     cd ${path} && nvim price.ts
2. Type a comment at the end of its first line. Do not save the file.
3. In another terminal, send the call:
     cd ${path} && multi-edit apply --mode=editor call.json

The line then changes in the editor, and your comment stays. Undo the change in
the editor, or with "multi-edit undo". If nothing changes, run "multi-edit doctor".
`;
  },
} as const;

/** Quotes an argument for a shell if necessary. */
export const quotedForShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Sentences of `setup NAME --write` and `setup NAME --remove`. */
export const configureSentences = {
  refused: (path: string, problem: string) => `${path} was not changed: ${problem}.`,
  unchanged: (message: string) => `${message} Nothing was changed.`,
  /** The name of the batch, in its journal. */
  label: "multi-edit setup",
  unreadable: (problem: string) => `it can't be read (${problem})`,
  keepsChanging: (paths: readonly string[]) =>
    `Nothing was changed, because another program keeps writing ${some(paths, 400)}. Close that program, and run the command again.`,
  notObject: "it is not a JSON object",
  notUtf8: "it is not UTF-8",
  readOnly: "it is read-only",
  justChanged: "another program has just changed it; run the command again",
  wrongProperty: (path: readonly string[], kind: string) => `its property ${quote(path.join("."), 100)} is not ${kind}`,
  notOurs: (path: readonly string[]) =>
    `its property ${quote(path.join("."), 100)} does not run this program, and this command did not write it; rename or delete that entry, and run the command again`,
  twice: "one of its properties is there twice",
  byHand: "it already has these settings, and this command did not write them",
  foreign: "this command did not write it",
  /** The line before the block that this program writes to a file, without the mark of a comment. */
  blockStart: 'multi-edit: this block is written and removed by "multi-edit setup".',
  /** The line after that block. */
  blockEnd: "multi-edit: end of the block.",
  /** Lines that say what happened to a whole file of this program that is too long to be shown. */
  wholeFile: (path: string, lines: number, task: "add" | "remove") =>
    `${task === "add" ? "Created" : "Deleted"} ${path} (${lines.toLocaleString("en")} lines).\n`,
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
  sessionLines: ({ id, client, pid, version, folders, open, question }: ShownSession) => [
    `${id}  ${client}, process ${pid}, server ${version}`,
    ...(question === undefined ? [] : [`    waits for your answer to ${quote(question)}`]),
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
  /** `isOnly`: no other editor can get the call. */
  callsGoTo: (directory: string, session: string, isOnly: boolean) =>
    `Calls that edit files in ${directory} go to ${session}${isOnly ? "" : ", or to the editor that has the files open"}.`,
  callsGoToDisk: (directory: string) =>
    `No editor has ${directory} in a workspace folder, so calls that edit files there write to disk. To edit through an editor, open the directory in one that runs multi-edit-language-server; "multi-edit setup" prints the configuration for it.`,
  /** `isRunning`: `true` if the editor, then the only one, has a file of the directory open. */
  unstarted: (directory: string, setUp: readonly { editor: string; file: string }[], isRunning: boolean) => {
    const names = some(
      setUp.map(({ editor, file }) => `${editor} (in ${file})`),
      400,
    );
    const [{ editor } = { editor: "" }] = setUp;
    const whose = isRunning ? `the running ${editor} has no server` : "no running editor has a server";
    return `multi-edit is set up for ${names}, but ${whose} for ${directory}, so calls that edit files there write to disk. Was the editor started before the setup, without node on its PATH, or in another directory? Start it again from a shell${editor === "Neovim" ? ', or see ":checkhealth multi_edit"' : ""}.`;
  },
  /** `name`: the program's name for setup. */
  missing: (name: string, file: string, path: string) =>
    `${quote(file, 200)} names ${quote(path, 200)}, which does not exist; run "multi-edit setup ${name} --write" again`,
  callsFail: (directory: string) =>
    `No editor has ${directory} in a workspace folder, and calls may go only to an editor, so calls that edit files there fail.`,
  callsAreLocked: (directory: string, session: string, why: Closed) =>
    `The editor ${clip(session, 200)} has ${directory}, ${closedReasons[why]}, so calls that edit files there fail. Only the user can change this: make the change in that editor, or close the folder there${why === "switchedOff" ? ', or allow agents with its setting "agent.enabled"' : ""}.`,
  editorOnly: "Use --mode=editor to prevent writes to disk.",
  allGoToDisk: "All calls go to disk, not to an editor.",
} as const;

/** Lines of the commands `log` and `status`. */
export const logSentences = {
  none: "No calls yet.",
  cleared: (count: number) =>
    count === 0 ? "No copies were kept." : `Removed the copies of ${count === 1 ? "1 call" : `${count} calls`}.`,
  /** `editor`: the editor that applied the call; `undefined` if it wrote to disk without an editor. */
  call: ({ transaction, label, state, at, files, by, editor }: TransactionStatus & { readonly editor?: string }) => [
    [transaction, at === undefined ? "" : new Date(at).toLocaleString("sv"), clip(label, 200)].join("  "),
    `    ${[
      by === undefined
        ? "from the editor"
        : `by ${clip([by.name, by.version, by.agent].filter(Boolean).join(" "), 200)}`,
      editor === undefined ? "on disk" : `in ${clip(editor, 100)}`,
      ...(state === "undone" ? ["undone"] : []),
    ].join(", ")}`,
    `    ${some(files ?? [], 400)}`,
  ],
  editors: (directory: string) => `Editors that have ${directory}:`,
  noEditor: (directory: string) => `No editor has ${directory} in a workspace folder.`,
  latest: "The latest calls:",
  more: (calls: number) => `and ${calls} more: "multi-edit log" lists them all`,
} as const;

/** A session that answers, as the doctor shows it; `version` is its server's version. */
export type ShownSession = Pick<SessionRecord, "id" | "client" | "version" | "pid" | "startedAt"> &
  Pick<StatusResult, "folders" | "open"> & { readonly question?: string | undefined };
