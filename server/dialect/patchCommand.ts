/** Reads the commands with which Codex's models apply a patch. */
import type { Operation } from "../plan/operation.js";

/** A patch that a command applies. */
export interface CommandPatch {
  readonly patch: string;
  /** The folder into which the command goes first; `undefined` if it goes nowhere. */
  readonly folder: string | undefined;
}

/** Matches the commands that Codex does not run but applies itself, with the patch as it is written. */
const plainCommand =
  /^\s*(?:cd[ \t]+("[^"\n]*"|'[^'\n]*'|[^\s"'&;|<>()]+)\s*&&\s*)?apply_?patch[ \t]*<<[ \t]*(['"]?)(\w+)\2[ \t]*\n([\s\S]*?)\n\3\s*$/;

/** Matches the parts of a folder's name that a shell may replace, and options of `cd`. */
const isReplaced = { '"': /[$`\\]|^"(?:-|"$)/, "'": /^'(?:-|'$)/, "": /[$`\\~*?[\]{}!#]|^-/ } as const;

/** Reads a command for a shell; `undefined` if it is certain to apply a patch only if a shell runs it, or not at all. */
export function readPlainCommand(command: string): CommandPatch | undefined {
  const [, quoted, , end, patch] = plainCommand.exec(command) ?? [];
  const quote = quoted?.startsWith('"') ? '"' : quoted?.startsWith("'") ? "'" : "";
  if (patch === undefined || isReplaced[quote].test(quoted ?? "") || patch.split("\n").includes(end ?? ""))
    return undefined;
  return { patch, folder: quote === "" ? quoted : quoted?.slice(1, -1) };
}

/** Reads a call of Codex's shell tool, with words in `command`; `undefined` if it does more than apply a patch. */
export function readShellCall(call: unknown): CommandPatch | undefined {
  const { command, workdir }: { command?: unknown; workdir?: unknown } = Object(call);
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return undefined;
  const [program = "", first = "", second = ""]: readonly string[] = command;
  const isPlain = command.length === 2 && /^apply_?patch$/.test(program);
  const isShell = command.length === 3 && /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|)sh$/.test(program) && /^-l?c$/.test(first);
  const read = isPlain ? { patch: first, folder: undefined } : isShell ? readPlainCommand(second) : undefined;
  if (read === undefined || typeof workdir !== "string") return read;
  return { ...read, folder: read.folder === undefined ? workdir : within(workdir, read.folder) };
}

/** Returns an operation of a command with its paths relative to the folder in which the command was started. */
export function inFolder<T extends Operation>(folder: string, operation: T): T {
  const path = within(folder, operation.path);
  if (operation.kind !== "update" || operation.move === undefined) return { ...operation, path };
  return { ...operation, path, move: { ...operation.move, path: within(folder, operation.move.path) } };
}

/** Joins a path to the folder that it is relative to; an absolute path, or one with a scheme or `~`, stays as it is. */
function within(folder: string, path: string): string {
  return /^(?:[\\/~]|[a-z][a-z\d+.-]*:)/i.test(path) ? path : `${folder.replace(/[\\/]+$/, "")}/${path}`;
}
