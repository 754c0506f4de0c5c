/** The commands and their options, from which the help, the completions and the manual page are made. */
import { limits } from "../../text/limits.js";

/** One option. */
export type OptionRow = {
  /** A phrase for the help. */
  readonly about: string;
  /** A single letter that stands for the option. */
  readonly short?: string;
} & (
  | { readonly kind: "flag" }
  /** `value`: the name of the value, as the help shows it. */
  | { readonly kind: "text"; readonly value: string; readonly completes?: "directories" }
  | { readonly kind: "choice"; readonly value: string; readonly choices: readonly string[] }
);

/** Every option, in the order of the help. */
export const optionRows = {
  json: {
    kind: "flag",
    about:
      "print the answer as one line of JSON, also if the command fails; edits are then counted from 0, otherwise from 1",
  },
  summary: { kind: "flag", about: "print a shortened diff; with --json, also the short answer of the MCP tools" },
  workspace: {
    kind: "text",
    value: "DIR",
    completes: "directories",
    about: "use this directory instead of the working directory",
  },
  session: {
    kind: "text",
    value: "ID",
    about: 'use this editor (see "multi-edit sessions"); the variable MULTI_EDIT_SESSION does the same',
  },
  agent: {
    kind: "text",
    value: "ID",
    about: "identify the calling agent, with the same id in all its calls; the variable MULTI_EDIT_AGENT does the same",
  },
  mode: {
    kind: "choice",
    value: "MODE",
    choices: ["auto", "editor", "disk"],
    about: "auto (the default): the editor that has the files, or else the disk; editor or disk: only that one",
  },
  atomic: {
    kind: "choice",
    value: "SCOPE",
    choices: ["all", "file", "none"],
    about:
      "what is abandoned if one edit fails. all (the default): the whole call; file: its file; none: only that edit",
  },
  order: {
    kind: "choice",
    value: "ORDER",
    choices: ["sequential", "original"],
    about:
      "sequential: match each edit against the result of those before it; original: against the text before the call",
  },
  lenient: { kind: "flag", about: "accept old texts that differ from the file in whitespace or typography" },
  exact: { kind: "flag", about: "accept only old texts that match exactly, apart from line endings" },
  confirm: { kind: "flag", about: "let the editor ask you before anything is changed" },
  overwrite: {
    kind: "flag",
    about:
      "let a patch replace, move or delete files with unsaved text, or move a file onto another; the editor asks you before unsaved text is lost",
  },
  "allow-omissions": {
    kind: "flag",
    about: 'let a new text have a comment like "// ... existing code ..." where it removes lines',
  },
  label: { kind: "text", value: "TEXT", about: "the name of the change, for example in the editor's list of changes" },
  save: {
    kind: "choice",
    value: "WHEN",
    choices: ["never", "ifWasClean", "always"],
    about: "never, ifWasClean (the default: files without unsaved text) or always",
  },
  unopened: {
    kind: "choice",
    value: "BY",
    choices: ["disk", "editor"],
    about: "what changes files that are not open: disk (the default: the server) or the editor",
  },
  versions: {
    kind: "text",
    value: "JSON",
    about: 'fail if a document has another version than given, for example {"file:///src/a.ts": 7}',
  },
  "max-length": {
    kind: "text",
    value: "CHARACTERS",
    about: "print at most that many characters, in whole lines, but at least one line",
  },
  structured: {
    kind: "flag",
    about: "add structured content to the results of edits; some agents show it to the model instead of the text",
  },
  apply: {
    kind: "flag",
    about: "apply the calls of the agent's own tools in the editor, instead of turning them away",
  },
  write: {
    kind: "flag",
    about: "add the lines to the program's configuration and show the difference, instead of printing the lines",
  },
  hook: {
    kind: "flag",
    about: "add a hook that keeps an agent's own tools away from unsaved text; --write without --hook removes the hook",
  },
  remove: { kind: "flag", about: "remove the lines from the configuration" },
  clear: { kind: "flag", about: "remove the copies that are kept to undo calls on disk in this directory" },
  timeout: {
    kind: "text",
    value: "SECONDS",
    about: `how long to wait for an answer (default: ${limits.commandMs / 1000}; of mcp: ${limits.toolMs / 1000})`,
  },
  help: { kind: "flag", short: "h", about: "print the help for the command" },
} as const satisfies Readonly<Record<string, OptionRow>>;

/** An option's name, without its hyphens. */
export type OptionName = keyof typeof optionRows;

const general = ["agent", "help", "json", "session", "timeout", "workspace"] as const;
const applying = [
  ...general,
  ...([
    "allow-omissions",
    "atomic",
    "confirm",
    "exact",
    "label",
    "lenient",
    "mode",
    "order",
    "overwrite",
    "save",
  ] as const),
  ...(["summary", "unopened", "versions"] as const),
] as const;

/** One command. */
export interface CommandRow {
  /** The arguments, as the help shows them. */
  readonly takes: string;
  readonly about: string;
  /** Sentences for the command's own help. */
  readonly more?: string;
  /** The minimum and maximum number of arguments, not counting options. */
  readonly words: readonly [least: number, most: number];
  readonly options: readonly OptionName[];
  /** The exit codes, if they are not those of the other commands. */
  readonly exitCodes?: ExitCodes;
  /** The kind of names that complete the first argument. */
  readonly completes?: "files" | "commands" | "hooks" | "shells" | "setups";
}

const aboutInput =
  "A call is JSON in the shape of any known edit tool; a patch is in the format of Codex's apply_patch, a unified diff, or SEARCH/REPLACE blocks. The input (a file or standard input) is a patch, a call, or several calls with one call per line. Relative paths are relative to the working directory.";

/** The commands. The help lists them in this order. */
export const commandRows = {
  apply: {
    takes: "[FILE|-]",
    about: "apply a call or a patch",
    more: aboutInput,
    words: [0, 1],
    options: applying,
    completes: "files",
  },
  preview: {
    takes: "[FILE|-]",
    about: "show what a call or a patch would change",
    more: aboutInput,
    words: [0, 1],
    options: applying,
    completes: "files",
  },
  read: {
    takes: "PATH[:FROM-TO]",
    about: "print a file as the editor has it",
    words: [1, 1],
    options: [...general, "max-length"],
    completes: "files",
  },
  undo: {
    takes: "[TRANSACTION]",
    about: "undo a call, by default the last one",
    more: '"multi-edit log" lists the transactions. A call that wrote to disk can be undone for 7 days, unless its files have changed since; set the variable MULTI_EDIT_HISTORY to "off", and no copies are kept for that.',
    words: [0, 1],
    options: [...general, "mode"],
  },
  answer: {
    takes: "CODE apply|reject [REASON]",
    about: "answer the question of an editor that has shown this code",
    more: "In an editor whose question would hide a part of the diff (Helix), the question shows the code once you have chosen to see the diff. Only you see the code, so an agent can't answer. The agent gets the reason of a rejection.",
    words: [2, 3],
    options: ["help", "json", "session", "timeout"],
  },
  log: {
    takes: "",
    about: "list the calls that were applied here, the latest first",
    more: "The list has the calls of the editors that have this directory, and those that wrote to disk here without an editor. Of these, copies of the old files are kept (at most 20 calls a directory, 64 MB and 7 days). --clear removes the copies.",
    words: [0, 0],
    options: [...general, "clear"],
  },
  status: {
    takes: "",
    about: "show the editors of this directory, their files and calls",
    words: [0, 0],
    options: general,
  },
  sessions: { takes: "", about: "list the reachable editors", words: [0, 0], options: general },
  doctor: { takes: "", about: "report what works, and how to fix what does not", words: [0, 0], options: general },
  setup: {
    takes: "NAME [WORD...]",
    about: "print the configuration for an editor or agent",
    more: "For Neovim and Emacs, a WORD selects another form to print: lazy.nvim or vim.pack; use-package, eglot or lsp-mode. For Helix, the WORDs are languages, by default those of the files in the working directory.",
    words: [0, Number.POSITIVE_INFINITY],
    options: ["apply", "help", "hook", "remove", "write"],
    completes: "setups",
  },
  try: {
    takes: "[FOLDER]",
    about: "make a folder to try an edit in",
    words: [0, 1],
    options: ["help", "workspace"],
  },
  mcp: {
    takes: "",
    about: "serve agents over MCP on stdin and stdout",
    words: [0, 0],
    options: [...general, "mode", "structured"],
  },
  acp: {
    takes: "-- COMMAND [ARGUMENT...]",
    about: "run an ACP agent, and answer its requests for files from your editor",
    more: "An ACP client runs this command instead of the agent's own, such as: multi-edit acp -- gemini --acp. The agent reads and writes files as your editor has them, and gets the MCP tools; nothing is set up in the agent.",
    exitCodes: [
      [2, "the command line can't be read"],
      [127, "the agent can't be started"],
    ],
    words: [1, Number.POSITIVE_INFINITY],
    options: ["agent", "help", "mode", "session", "timeout", "workspace"],
  },
  hook: {
    takes: "AGENT",
    about: "keep an agent's own tools away from unsaved text",
    more: "Agents run this command themselves, before and after their own tools; client-samples/agents/hooks.md says how to set it up. Standard input has the event, and standard output gets the answer; without output, the tool goes ahead.",
    exitCodes: [
      [0, "the output is the answer"],
      [1, "the arguments or the input are wrong, or the hook failed, and the tool goes ahead"],
      [2, "the call is turned away, but nobody reads standard output, so the reason is on standard error"],
    ],
    words: [1, 1],
    options: ["apply", "help"],
    completes: "hooks",
  },
  completion: {
    takes: "SHELL",
    about: "print the completions for bash, zsh or fish",
    more: 'For bash: put  eval "$(multi-edit completion bash)"  into ~/.bashrc. For zsh: put  eval "$(multi-edit completion zsh)"  into ~/.zshrc, after compinit. For fish:  multi-edit completion fish > ~/.config/fish/completions/multi-edit.fish',
    words: [1, 1],
    options: ["help"],
    completes: "shells",
  },
  help: {
    takes: "[COMMAND]",
    about: "print the help for a command, or this page",
    words: [0, 1],
    options: ["help"],
    completes: "commands",
  },
} as const satisfies Record<string, CommandRow>;

/** A command's name. */
export type CommandName = keyof typeof commandRows;

/** Reports whether an argument names a command. */
export function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(commandRows, word);
}

/** The shells that completions are made for. */
export const shells = ["bash", "zsh", "fish"] as const;

/** Exit codes, each with what it means, for the help. */
type ExitCodes = readonly (readonly [code: number, meaning: string])[];

/** The exit codes of the commands. */
export const exitCodeRows: ExitCodes = [
  [0, "done"],
  [1, "an edit failed, nothing was changed; or the lines to read do not exist"],
  [2, "the command line or the call can't be read"],
  [3, "no editor, or more than one"],
  [4, "the editor or the user refused"],
  [5, "the text has changed"],
  [6, "the outcome is unknown"],
];

/** The environment variables that the commands read. */
export const variableRows: readonly (readonly [name: string, about: string])[] = [
  ["MULTI_EDIT_SESSION", "the id of the editor's session to use, as with --session"],
  ["MULTI_EDIT_AGENT", "the id of the calling agent, as with --agent"],
  [
    "MULTI_EDIT_HISTORY",
    '"off": keep no copies of files that calls change on disk, so that these calls can\'t be undone',
  ],
  ["NO_COLOR", "if it is set, diffs are printed without colours"],
];
