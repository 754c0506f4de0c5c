/** Messages of the command `setup`. */
import { clip, quote, some } from "../../plan/failure.js";
import { fileProblems } from "../../workspace/sentences.js";

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
  /** A line above the text of a hook. `comment`: the characters that begin a comment. */
  hookIn: (comment: string, path: string) => `\n${comment} The hook, in ${path}:\n`,
  /** `known`: the forms, of which there are at least two. */
  unknownForm: (name: string, form: string, known: readonly string[]) =>
    `There is no form ${quote(form, 40)}. Usage: multi-edit setup ${name} [FORM], where FORM is one of ${known.join(", ")}.`,
  noRepository: () =>
    'vim.pack installs from Git repositories only, and this program was not built in one. Use "multi-edit setup neovim", or run the command in a clone.',
  temporary:
    "Warning: npm deletes this copy of the program some day, and the configuration names it. Install the program for good, and run this command again.",
  /** `path`: the program, or Node. */
  hidden: (path: string) =>
    `The user whose home this is can't read ${quote(path, 200)}, so no program of theirs could start it. Install it where every user can read it, and run this command again. Nothing was changed.`,
  nodeBelowHome: (node: string) =>
    `Note: the configuration starts ${node} by its path, because programs that are started from the desktop do not find a Node that belongs to your shell. After you upgrade or remove this Node, run this command again.`,
  installByHand: (command: string, file: string) =>
    `# VS Code 1.91 or later; for VSCodium, write codium, and for code-server, code-server.\n${command} --install-extension ${file}\n`,
  notPacked: (file: string) =>
    `The extension is not packed: ${quote(file, 200)} is missing. In a clone of the repository, "npm run vsix" packs it.`,
  noVscode: (commands: readonly string[]) =>
    `None of ${commands.join(", ")} is on the PATH. In VS Code, "Shell Command: Install 'code' command in PATH" adds it; or choose "Install from VSIX" in VS Code's view of extensions.`,
  /** `said`: the command's output, which may have several lines. */
  vscodeFailed: (command: string, said: string) => `${command} failed: ${clip(said.trim(), 400)}`,
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
