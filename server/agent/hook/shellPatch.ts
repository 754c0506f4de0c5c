/** Finds out whether a command for a shell applies a patch, as Codex's models write such commands. */
import { basename } from "node:path";
import { isInside } from "../../workspace/pathText.js";
import { type Pipeline, pipelinesIn, unknown } from "./shellSyntax.js";

/** A command that applies a patch, or may do so. */
export type PatchCommand =
  /** The command does nothing but apply a patch. `folder`: the folder into which it goes first. */
  | { readonly kind: "plain"; readonly patch: string; readonly folder: string | undefined }
  /** It can't be read with certainty whether and where the command applies a patch. */
  | { readonly kind: "perhaps"; readonly command: string };

/** Matches the commands that Codex does not run but applies itself, with the patch as it is written. */
const plainCommand =
  /^\s*(?:cd[ \t]+("[^"\n]*"|'[^'\n]*'|[^\s"'&;|<>()]+)\s*&&\s*)?apply_?patch[ \t]*<<[ \t]*(['"]?)(\w+)\2[ \t]*\n([\s\S]*?)\n\3\s*$/;

/** Matches the parts of a folder's name that a shell may replace, and options of `cd`. */
const isReplaced = { '"': /[$`\\]|^"(?:-|"$)/, "'": /^'(?:-|'$)/, "": /[$`\\~*?[\]{}!#]|^-/ } as const;

/** Matches the name of the program. */
const isNamed = /(?<![\w.-])apply_?patch(?![\w./-])/;

/** Reads a command; `undefined` if it certainly applies no patch, even if it mentions one. */
export function readPatchCommand(command: string): PatchCommand | undefined {
  // Quotation marks in a program's name change nothing.
  if (!isNamed.test(command) && !isNamed.test(command.replace(/\\\n|["'\\]/g, ""))) return undefined;
  const [, quoted, , end, patch] = plainCommand.exec(command) ?? [];
  const quote = quoted?.startsWith('"') ? '"' : quoted?.startsWith("'") ? "'" : "";
  if (patch !== undefined && !isReplaced[quote].test(quoted ?? "") && !patch.split("\n").includes(end ?? ""))
    return { kind: "plain", patch, folder: quote === "" ? quoted : quoted?.slice(1, -1) };
  const pipelines = pipelinesIn(command);
  return pipelines === undefined || pipelines.some((one) => mayApply(one, pipelines))
    ? { kind: "perhaps", command }
    : undefined;
}

/** Reports whether one of a command's pipelines may apply a patch. */
function mayApply(pipeline: Pipeline, all: readonly Pipeline[]): boolean {
  const { calls, texts, endsGroup, writes } = pipeline;
  if (!texts.some((text) => isNamed.test(text)) && !(endsGroup && calls.length > 0)) return false;
  if (calls.length === 0 || !calls.every(isHarmless)) return true;
  // What was written may be run by a later part of the command.
  return (writes || calls.some(([name]) => name === "tee")) && all.some((one) => !one.calls.every(isHarmless));
}

/** Programs that run neither their arguments nor what they read, and those that build or test something. */
const harmlessPrograms = new Set([
  ...[
    "(",
    "[",
    "[[",
    ":",
    "basename",
    "cat",
    "cd",
    "chmod",
    "cmp",
    "comm",
    "cp",
    "cut",
    "diff",
    "dirname",
    "du",
    "echo",
  ],
  ...["egrep", "exit", "false", "fgrep", "file", "gh", "grep", "head", "less", "ls", "mkdir", "more", "mv"],
  ...["nl", "popd", "printf", "pushd", "pwd", "realpath", "rg", "rm", "sed", "sleep", "sort", "stat"],
  ...["tail", "tee", "test", "touch", "tr", "true", "type", "uniq", "wc", "which", "whereis"],
  ...["biome", "eslint", "gradle", "jest", "jq", "mocha", "mvn", "prettier", "pytest", "rustc", "rustfmt"],
  ...["ruff", "tsc", "vitest"],
]);

/** Programs that are harmless with these subcommands. */
const harmlessUnder: Readonly<Record<string, readonly string[]>> = {
  git: ["add", "blame", "branch", "commit", "diff", "grep", "log", "ls-files", "show", "status", "tag"],
  cargo: ["build", "check", "clippy", "doc", "fmt", "nextest", "test"],
  go: ["build", "doc", "fmt", "test", "vet"],
  npm: ["ci", "install", "t", "test"],
  pnpm: ["install", "t", "test"],
  yarn: ["install", "test"],
};

/** Programs that run another one, which their arguments name. */
const runners = new Set(["command", "env", "exec", "nice", "nohup", "npx", "sudo", "time", "timeout", "xargs"]);

/** Matches an option by which `rg`, `sort` or `git grep` runs a program, and a script of `sed` with the command or flag `e`. */
const runsProgram: Readonly<Record<string, RegExp>> = {
  rg: /^--(?:pre|hostname-bin)\b/,
  sort: /^--compress-program\b/,
  git: /^(?:-\w*O|--open-files-in-pager|--ext-diff\b)/,
  sed: /(?:^|[^\w\s\\-]|\d)\s*e(?:\s|$)|[^\w\s]\w*e\w*\s*(?:$|[;}\n])/,
};

/** Reports whether a call certainly does not run what it is given. */
function isHarmless(call: readonly string[]): boolean {
  const [name = "", ...args] = call;
  if (/^\w+\+?=/.test(name)) return !isNamed.test(name);
  if (name.includes(unknown)) return false;
  const program = name.slice(name.lastIndexOf("/") + 1);
  if (args.some((arg) => runsProgram[program]?.test(arg))) return false;
  if (harmlessPrograms.has(program)) return true;
  if (program === "command" && /^-[vV]$/.test(args[0] ?? "")) return true;
  if (program === "find") return !args.some((arg) => /^-(?:exec|ok)/.test(arg) || arg.includes(unknown));
  const isOption = (arg: string): boolean => /^-|^\d+[smhd]?$|^\w+=/.test(arg) && !isNamed.test(arg);
  const first = args.findIndex((arg) => !isOption(arg));
  if (Object.hasOwn(harmlessUnder, program)) {
    // `git -C folder log`
    const at = program === "git" && args[first - 1] === "-C" ? first + 1 : first;
    return !args.slice(0, at).includes("-c") && harmlessUnder[program]?.includes(args[at] ?? "") === true;
  }
  return runners.has(program) && first >= 0 && isHarmless(args.slice(first));
}

/** Matches a line of a patch that names a file, wherever it is; the rest of the line has the path. */
const header = /\*\*\* (?:(?:Add|Update|Delete) File|Move to):(.*)/g;

/** Matches what leads out of the directory in which a command starts. */
const leads = /\b(?:cd|pushd|popd|chdir)\b|[$`~]|\.\.|(?:^|[\s"'=:])\//;

/**
 * Reports whether a command that may apply a patch may change a file. `directory`: the directory in which it starts, as a
 * canonical path, as the file's.
 */
export function mayTouch(command: string, directory: string, file: string): boolean {
  const headers = [...command.matchAll(header)].map(([, rest = ""]) => rest.toLowerCase());
  const begun = command.match(/\*\*\* Begin Patch/g)?.length ?? 0;
  const named = command.match(new RegExp(isNamed, "g"))?.length ?? 0;
  // A patch that the command does not show may change any file that it can reach.
  if (begun < Math.max(1, named) || headers.length === 0) return leads.test(command) || isInside(directory, file);
  const name = basename(file).toLowerCase();
  return headers.some((rest) => /[$`]/.test(rest) || rest.includes(name));
}
