/** Finds out whether a command for a shell applies a patch, as Codex's models write such commands. */
import { basename } from "node:path";
import { type CommandPatch, readPlainCommand } from "../../dialect/patchCommand.js";
import { isInside } from "../../workspace/pathText.js";
import { readCommand, unknown } from "./shellSyntax.js";

/** A command that applies a patch, or may do so. */
export type PatchCommand =
  /** The command does nothing but apply a patch. */
  | ({ readonly kind: "plain" } & CommandPatch)
  /** It can't be read with certainty whether and where the command applies a patch. */
  | { readonly kind: "perhaps"; readonly command: string };

/** Matches the name of the program. */
const isNamed = /(?<![\w.-])apply_?patch(?![\w./-])/;

/** Reports whether a text names the program; quotation marks in its name change nothing. */
const names = (text: string): boolean => isNamed.test(text) || isNamed.test(text.replace(/\\\n|["'\\]/g, ""));

/** Reads a command; `undefined` if it certainly applies no patch, even if it mentions one. */
export function readPatchCommand(command: string): PatchCommand | undefined {
  if (!names(command)) return undefined;
  const plain = readPlainCommand(command);
  if (plain !== undefined) return { kind: "plain", ...plain };
  return mayApply(command) ? { kind: "perhaps", command } : undefined;
}

/** The number of shells and other programs that run a program from which on a command counts as unreadable. */
const maxDepth = 10;

/** Reports whether a command may run the program. */
function mayApply(command: string): boolean {
  const read = readCommand(command);
  if (read === undefined) return true;
  return (
    names(read.text) &&
    !read.calls.every((call, index) => isHarmless(call, 0, index === 0 && startsWithMan.test(command)))
  );
}

const startsWithMan = /^\s*man\s/;

const words = (text: string): ReadonlySet<string> => new Set(text.split(","));

/** Programs that run neither their arguments nor what they read, and those that build or test something. */
const harmlessPrograms = words(
  "ack,ag,awk,basename,bat,biome,break,cat,cd,chmod,cmp,code,column,comm,continue,cp,curl,cut,date,df,diff,dirname,du," +
    "echo,egrep,eslint,exit,false,fd,fdfind,fgrep,file,fold,gradlew,grep,head,jest,jq,less,ln,ls,make,md5sum,mkdir,mocha," +
    "more,mv,nl,od,paste,pgrep,pkill,popd,ps,pushd,pwd,pytest,realpath,return,rg,rm,ruff,rustfmt,seq,sha256sum,sleep,sort," +
    "split,stat,strings,tac,tail,tar,tee,touch,tr,tree,true,tsc,type,uniq,unzip,vitest,wc,which,whereis,xxd,yq,zip",
);

/** Programs that are harmless with these subcommands, or with these modules after `-m`. */
const harmlessUnder: Readonly<Record<string, ReadonlySet<string>>> = {
  git: words(
    "add,blame,branch,checkout,cherry-pick,clone,commit,describe,diff,fetch,grep,log,ls-files,merge,mv,pull,push,reset," +
      "restore,rev-parse,rm,show,stash,status,switch,tag,worktree",
  ),
  cargo: words("add,bench,build,check,clippy,doc,fmt,nextest,test,tree,update"),
  docker: words("build,images,inspect,logs,ps,pull,push,rm,rmi,stop,tag"),
  gh: words("api,issue,pr,release,repo,run,search,workflow"),
  go: words("build,doc,fmt,get,list,mod,test,vet"),
  kubectl: words("apply,describe,get,logs"),
  npm: words("ci,install,ls,run,t,test,view"),
  pnpm: words("add,install,run,t,test"),
  yarn: words("add,install,run,test"),
  python: words("black,mypy,pytest,ruff,unittest"),
  python3: words("black,mypy,pytest,ruff,unittest"),
};

/** Programs that run another one, which their arguments name, and their options that do not. */
const runners = words("command,env,exec,nice,nohup,npx,sudo,time,timeout,xargs");
const runnerOption = /^(?:\d+[smhd]?|-[0nrPpyLI]\S{0,3}|--yes|--no-install)$/;

/** Programs that run a command that is one of their arguments. */
const shells = words("bash,dash,ksh,sh,zsh");

/** Tests and the like, which run what is in the index of a variable's name. */
const evaluators = words("[,[[,printf,read,test");

/** Matches arguments with which programs that are harmless otherwise run another one. */
const runsProgram: Readonly<Record<string, RegExp>> = {
  awk: /system|[|@]|^-[^Fv]/,
  ag: /^--pa/,
  ack: /^--pa/,
  bat: /^--p/,
  cargo: /^--config/,
  fd: /^(?:-\w*[xX]|--exec)/,
  fdfind: /^(?:-\w*[xX]|--exec)/,
  git: /^(?:-\w*O|--(?:co|e|op|rec|textc|up)|ext::|foreach$|bisect$)/,
  go: /^--?(?:exec|toolexec|vettool)/,
  gradlew: /^-(?!-tests$|-info$)/,
  less: /^\+|^-(?![FNRSXinr]+$)/,
  make: /=|^-(?!j\d*$|[kns]$)/,
  more: /^[+-]/,
  npm: /^--sc/,
  pnpm: /^--sc/,
  rg: /^--(?:pre|hostname-bin)\b/,
  sort: /^--co/,
  split: /^--fi/,
  tar: /^--|^-?\w*[IF]\w*$/,
  zip: /^-\w*T|^--/,
};

/** Matches variables that no program takes for the name of another one. */
const harmlessVariable =
  /^(?:[a-z_]\w*|CI|DEBUG|FORCE_COLOR|LANG|LC_\w+|NODE_ENV|NO_COLOR|RUST_BACKTRACE|RUST_LOG|TERM|TZ)\+?=/;

/** Reports whether a call certainly does not run the program. `isFirst`: nothing runs before it. */
function isHarmless(call: readonly string[], depth: number, isFirst: boolean): boolean {
  const begin = call.findIndex((word) => !/^\w+\+?=/.test(word));
  if (depth > maxDepth || !call.slice(0, begin < 0 ? call.length : begin).every((word) => harmlessVariable.test(word)))
    return false;
  if (begin < 0) return true;
  const [name = "", ...args] = call.slice(begin);
  const program = name.replace(/^(?:\/usr)?\/bin\/|^\.\/(?=gradlew$)/, "");
  const hasUnknown = args.some((arg) => arg.includes(unknown));
  if (program === "sed") return isHarmlessSed(args);
  if (program === "for") return args[1] === "in" && /^[a-z]/.test(args[0] ?? "");
  if (program === "find") return !hasUnknown && !args.some((arg) => /^-(?:exec|ok)/.test(arg));
  // Its options, and a file in the home folder, may name a pager.
  if (program === "man") return isFirst && args.every((arg) => /^(?:-[afkw]|\w[\w.:+-]*)$/.test(arg));
  if (program === "command" && /^-[vV]$/.test(args[0] ?? "")) return true;
  if (evaluators.has(program)) return !hasUnknown && !args.some((arg) => /[$`]|^-(?:v|R|\w\w)$/.test(arg));
  const refused = runsProgram[program];
  const isRun = refused !== undefined && args.some((arg) => refused.test(arg));
  if (isRun || (refused !== undefined && args.find((arg) => !arg.startsWith("-"))?.includes(unknown))) return false;
  if (harmlessPrograms.has(program)) return true;
  if (Object.hasOwn(harmlessUnder, program)) {
    const at = program === "git" && args[0] === "-C" ? 2 : program.startsWith("python") && args[0] === "-m" ? 1 : 0;
    return (at === 1 || !program.startsWith("python")) && harmlessUnder[program]?.has(args[at] ?? "") === true;
  }
  if (runners.has(program)) {
    const first = args.findIndex((arg) => !runnerOption.test(arg));
    // What is fed to xargs may be options.
    const isSafe = program !== "xargs" || runsProgram[args[first] ?? ""] === undefined;
    return first >= 0 && isSafe && isHarmless(args.slice(first), depth + 1, false);
  }
  // Further arguments are values in the command.
  const isCommand = shells.has(program) && /^-l?c$/.test(args[0] ?? "") && args.length === 2 && !hasUnknown;
  return isCommand && (readCommand(args[1] ?? "")?.calls.every((one) => isHarmless(one, depth + 1, false)) ?? false);
}

/** Matches a script for sed that is one command, other than those that run programs. */
const sedScript = (() => {
  const address = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)`;
  const part = String.raw`(?:(?!\1)[^\\\n]|\\.)*\1`;
  return new RegExp(`^(?:${address}(?:,${address})?)?(?:[pdq=]|s([/|#,])${part}${part}[gpIi\\d]*)$`);
})();

function isHarmlessSed(args: readonly string[]): boolean {
  const given = args.filter((_, index) => /^-[nErsuz]*e$/.test(args[index - 1] ?? ""));
  const scripts = given.length > 0 ? given : args.filter((arg) => !arg.startsWith("-")).slice(0, 1);
  const isKnown = args.every((arg) => !arg.startsWith("-") || /^-(?:[nErsuz]*e?|i(?:\.\w+)?)$/.test(arg));
  return isKnown && scripts.length > 0 && scripts.every((one) => !one.includes(unknown) && sedScript.test(one));
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
