/** Messages for people at a terminal, about arguments, input, reachable editors and configurations; also the help. */

import { quotedForShell } from "../../agents/parts.js";
import type { TransactionStatus } from "../../lsp/protocol.js";
import { clip, count, quote, some } from "../../plan/failure.js";
import { agentIdRule } from "../../session/sentences.js";
import { fileProblems } from "../../workspace/sentences.js";
import { defaultSettings, type Settings } from "../../workspace/settings.js";
import type { ShownSession } from "../shared/sentences.js";

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
  /** For a command that runs another one, whose options follow `--`. */
  othersOption: (command: string, option: string, takes: string) =>
    `The command ${command} has no option ${clip(option, 40)}. Usage: multi-edit ${command} ${takes}`,
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

/** Lines printed by the commands `doctor` and `sessions`. */
export const doctorSentences = {
  seeDoctor: 'For details, run "multi-edit doctor".',
  unreached: (session: string, problem: string) => `Session ${session} is announced, but ${problem}.`,
  sessionLine: ({ id, client, folders, open }: ShownSession) =>
    `${id}  ${client}  ${open.length} open  ${folders.join(" ")}`,
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
  editorOnly: "Use --mode=editor to prevent writes to disk.",
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
      ...(state === "applied" ? [] : [state === "partlyUndone" ? "partly undone" : state]),
    ].join(", ")}`,
    `    ${some(files ?? [], 400)}`,
  ],
  editors: (directory: string) => `Editors that have ${directory}:`,
  noEditor: (directory: string) => `No editor has ${directory} in a workspace folder.`,
  latest: "The latest calls:",
  more: (calls: number) => `and ${calls} more: "multi-edit log" lists them all`,
} as const;
