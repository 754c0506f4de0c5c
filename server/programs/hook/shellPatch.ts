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

/** Reads a command; `undefined` if it certainly applies no patch, even if it mentions one. */
export function readPatchCommand(command: string): PatchCommand | undefined {
  // Quotation marks in a program's name change nothing.
  if (!isNamed.test(command) && !isNamed.test(command.replace(/\\\n|["'\\]/g, ""))) return undefined;
  const plain = readPlainCommand(command);
  if (plain !== undefined) return { kind: "plain", ...plain };
  return mayApply(command, 0) ? { kind: "perhaps", command } : undefined;
}

/** The number of shells and other programs that run a program from which on a command counts as unreadable. */
const maxDepth = 10;

/** Reports whether a command that names the program may run it. `depth`: the number of shells around it. */
function mayApply(command: string, depth: number): boolean {
  const read = depth > maxDepth ? undefined : readCommand(command);
  if (read === undefined) return true;
  const writes = read.writes || read.calls.some(({ words }) => writers.test(words.join(" ")));
  return read.calls.some(({ words, isFed, at }) => {
    const isGiven = isFed || (writes && (at === 0 || isNamed.test(command.slice(0, at))));
    return mayRun(words, isGiven, depth);
  });
}

/** Matches calls that may write a text into a file, which may be run later. */
const writers = /(?:^|\/| )(?:awk|dd|patch|tee|sed (?:.* )?(?:-\w*i|--in-place))(?: |$)/;

const words = (text: string): ReadonlySet<string> => new Set(text.split(","));

/** Programs that run neither their arguments nor what they read, and those that build or test something. */
const harmlessPrograms = words(
  "[,[[,:,ack,ag,awk,basename,bat,biome,break,cat,cd,chmod,cmp,column,comm,continue,cp,curl,cut,date,df,diff,dirname,du," +
    "echo,egrep,eslint,exit,fd,false,fdfind,fgrep,file,fold,for,gh,gradle,gradlew,grep,head,jest,jq,kubectl,less,ln,local," +
    "ls,make,md5sum,mkdir,mocha,more,mv,mvn,nl,od,paste,patch,pgrep,pkill,popd,prettier,printf,ps,pushd,pwd,pytest,read," +
    "realpath,return,rg,rm,ruff,rustc,rustfmt,sed,seq,sha256sum,sleep,sort,split,stat,strings,tac,tail,tar,tee,test," +
    "touch,tr,tree,true,tsc,type,uniq,unzip,vitest,wc,wget,which,whereis,xxd,yq,zip",
);

/** Programs that are harmless with these subcommands, or with these modules after `-m`. */
const harmlessUnder: Readonly<Record<string, ReadonlySet<string>>> = {
  git: words(
    "add,blame,branch,checkout,cherry-pick,clone,commit,describe,diff,fetch,grep,log,ls-files,merge,mv,pull,push,reset," +
      "restore,rev-parse,rm,show,stash,status,switch,tag,worktree",
  ),
  cargo: words("add,bench,build,check,clippy,doc,fmt,nextest,test,tree,update"),
  docker: words("build,images,inspect,logs,ps,pull,push,rm,rmi,stop,tag"),
  go: words("build,doc,fmt,get,list,mod,test,vet"),
  npm: words("ci,install,ls,run,t,test,view"),
  pnpm: words("add,install,run,t,test"),
  yarn: words("add,install,run,test"),
  python: words("black,mypy,pytest,ruff,unittest"),
  python3: words("black,mypy,pytest,ruff,unittest"),
};

/** Programs that run another one, which their arguments name. */
const runners = words("command,env,exec,nice,nohup,npx,sudo,time,timeout,xargs");

/** Programs that run a command that is one of their arguments. */
const shells = words("bash,dash,ksh,sh,zsh");

/** Matches arguments with which programs that are harmless otherwise run another one. */
const runsProgram: Readonly<Record<string, RegExp>> = {
  awk: /system|[|@]|^-[^Fv]/,
  fd: /^(?:-[xX]|--exec)/,
  fdfind: /^(?:-[xX]|--exec)/,
  ag: /^--pager/,
  ack: /^--pager/,
  make: /=|^--eval|^-[fE]/,
  man: /^-P/,
  rg: /^--(?:pre|hostname-bin)\b/,
  sort: /^--compress-program\b/,
  split: /^--filter/,
  tar: /^(?:-\w*[IF]|--(?:to-command|use|checkpoint|rsh|info|new))/,
  wget: /^--use-askpass/,
  zip: /^(?:-TT|--unzip)/,
  git: /^(?:-\w*O|--open-files-in-pager|--ext-diff\b|--exec|--upload-pack|--receive-pack|foreach|bisect)/,
  sed: /(?:^|[^\w\s\\-]|\d)\s*e(?:\s|$)|[^\w\s]\w*e\w*\s*(?:$|[;}\n])/,
};

/** Matches a program that is named by an argument, and arguments that name it but no program. */
const asArgument = /^(?:https?:\/\/\S*|[\w.-]+\/\S*)$/;

/** Matches options of many programs whose value is a name, such as that of a test. */
const takesName = /^(?:-[kgt]|--(?:bench|bin|example|exclude|filter|grep|name|package|target|test|test-name-pattern))$/;

/** Reports whether a call may run the program. `isGiven`: it may get a text that names the program. */
function mayRun(call: readonly string[], isGiven: boolean, depth: number): boolean {
  const begin = call.findIndex((one) => !/^\w+\+?=/.test(one));
  if (depth > maxDepth || call.slice(0, begin < 0 ? call.length : begin).some((one) => isNamed.test(one))) return true;
  if (begin < 0) return false;
  const [name = "", ...args] = call.slice(begin);
  const program = name.slice(name.lastIndexOf("/") + 1);
  if (args.some((arg) => runsProgram[program]?.test(arg))) return true;
  // A loop over a list, whose variable is unknown when it is used.
  if (program === "for") return args[1] !== "in";
  if (name.includes(unknown) || isNamed.test(name)) return true;
  if (harmlessPrograms.has(program)) return false;
  if (/[*?[\]{}]/.test(name)) return true;
  if (program === "command" && /^-[vV]$/.test(args[0] ?? "")) return false;
  if (program === "find") return args.some((arg) => /^-(?:exec|ok)/.test(arg) || arg.includes(unknown));
  const isOption = (arg: string): boolean => /^-|^\d+[smhd]?$|^\w+=/.test(arg) && !isNamed.test(arg);
  const first = args.findIndex((arg) => !isOption(arg));
  if (Object.hasOwn(harmlessUnder, program)) {
    // `git -C folder log`
    const at = program === "git" && args[first - 1] === "-C" ? first + 1 : first;
    const isRun = program === "python" || program === "python3" ? args[0] !== "-m" : args.slice(0, at).includes("-c");
    if (!isRun && harmlessUnder[program]?.has(args[at] ?? "") === true) return false;
  }
  if (runners.has(program)) return first < 0 || mayRun(args.slice(first), isGiven, depth + 1);
  if (args.some((arg) => arg.includes(unknown)) || isGiven) return true;
  // Other options of `man` may name a pager.
  if (program === "man" && args.every((arg) => /^(?:-[afkw]|\w[\w.:+-]*)$/.test(arg))) return false;
  // Further arguments are values in the command.
  if (shells.has(program) && /^-l?c$/.test(args[0] ?? "") && args.length === 2) return mayApplyIn(args[1] ?? "", depth);
  const isName = (arg: string, at: number): boolean => !asArgument.test(arg) && !takesName.test(args[at - 1] ?? "");
  return args.some((arg, at) => isNamed.test(arg) && (shells.has(program) || isName(arg, at)));
}

const mayApplyIn = (command: string, depth: number): boolean => isNamed.test(command) && mayApply(command, depth + 1);

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
