/** Detects which other programs have a file open, using the lock files and swap files that editors create. */
import { hostname } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { limits } from "../text/limits.js";
import { isInside } from "../workspace/pathText.js";
import { isProcess } from "../workspace/process.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { attempt } from "./fileSystem.js";
import type { Holder } from "./sentences.js";

/** The names in directories, by the paths of the directories; `undefined` for a directory that can't be listed. */
export type Listings = Map<string, ReadonlySet<string> | undefined>;

/** The number of files from which on it is faster to list their directories than to look for each trace. */
export const manyFiles = 20;

/** Returns who may have a file open, if there is a sign of it. `listings`: the only traces to look at, if given. */
export function holderOf(workspace: DiskWorkspace, path: string, listings?: Listings): Holder | undefined {
  const ours = workspace.openElsewhere.get(path);
  if (ours !== undefined) return ours;
  for (const { trace, read } of tracesOf(path, workspace)) {
    if (listings !== undefined && !isListed(workspace, trace, listings)) continue;
    // A trace that the server is not allowed to examine is ignored.
    const stat = attempt(() => workspace.files.look(trace)).value;
    // Every trace is checked, because the trace of the second editor to open a file may outlast that of the first.
    const by = stat === undefined || stat.kind === "directory" ? undefined : read(trace, workspace);
    if (by !== undefined) return { kind: "open", by, trace };
  }
  return undefined;
}

/** Reports whether a trace is in the listing of its directory, or whether there is no such listing. */
function isListed({ files }: DiskWorkspace, trace: string, listings: Listings): boolean {
  const directory = dirname(trace);
  if (!listings.has(directory)) listings.set(directory, attempt(() => new Set(files.list(directory))).value);
  return listings.get(directory)?.has(basename(trace)) ?? true;
}

/** A file that counts as open because of a trace. */
export interface TracedFile {
  readonly path: string;
  /** A human-readable name for the editor. */
  readonly by: string;
  /** The path of the trace. */
  readonly trace: string;
}

/** Returns the files in a directory that traces show as open, among at most `limits.tracedEntries` entries. */
export function tracedFilesIn(workspace: DiskWorkspace, directory: string): TracedFile[] {
  const { files, swapFiles } = workspace;
  const found = new Map<string, TracedFile>();
  const examine = (path: string): void => {
    const holder = holderOf(workspace, path);
    if (holder?.kind !== "open" || holder.trace === undefined) return;
    // A swap file does not tell whether its file's name begins with a dot, but the file usually exists.
    if (!found.has(holder.trace) || attempt(() => files.look(path)).value !== undefined) {
      found.set(holder.trace, { path, by: holder.by, trace: holder.trace });
    }
  };
  const left = [directory];
  let entries = 0;
  for (let at = left.pop(); at !== undefined && entries < limits.tracedEntries; at = left.pop()) {
    for (const name of attempt(() => files.list(at)).value ?? []) {
      entries += 1;
      const path = join(at, name);
      for (const named of tracedNames(name)) examine(join(at, named));
      const isDirectory = attempt(() => files.look(path)).value?.kind === "directory";
      if (!isDirectory || name === ".git") continue;
      // Packages are many files that people seldom edit, so they are looked at last.
      if (name === "node_modules") left.unshift(path);
      else left.push(path);
    }
  }
  for (const swap of swapFiles) {
    for (const name of attempt(() => files.list(swap)).value ?? []) {
      // Neovim's names do not tell a separator from a percent sign; a name with percent signs is not recognised here.
      const path = name.replace(/\.sw[a-p]$/, "").replaceAll("%", sep);
      if (isInside(directory, path)) examine(path);
    }
  }
  return [...found.values()];
}

/** Returns the names of the files that a directory entry would be a trace of. */
function tracedNames(name: string): string[] {
  const [, emacs, kate, office, vim] =
    /^(?:\.#(.+)|\.(.+)\.kate-swp|\.~lock\.(.+)#|\.(.+)\.sw[k-p])$/s.exec(name) ?? [];
  return [emacs, kate, office, ...(vim === undefined ? [] : [vim, `.${vim}`])].filter((one) => one !== undefined);
}

/** A file, such as a lock file, that an editor keeps for as long as it has another file open. */
interface Trace {
  readonly trace: string;
  /** Returns a human-readable name for the editor; `undefined` if the trace is stale or not genuine. */
  readonly read: (trace: string, workspace: DiskWorkspace) => string | undefined;
}

/** The extensions of swap files, in the order in which Vim and Neovim try them. Source: `:help swap-file`. */
const swapEndings = ["swp", "swo", "swn", "swm", "swl", "swk"];

/** Returns the traces that editors may leave for an open file, in the order in which each editor tries them. */
function tracesOf(path: string, { swapFiles }: DiskWorkspace): Trace[] {
  const [directory, name] = [dirname(path), basename(path)];
  const vim = join(directory, name.startsWith(".") ? name : `.${name}`);
  // Neovim keeps all its swap files in one directory.
  const neovim = swapFiles.map((swap) => join(swap, path.replaceAll(/[/\\:]/g, "%")));
  return [
    { trace: join(directory, `.#${name}`), read: readEmacsLock },
    ...swapEndings.map((ending) => ({ trace: `${vim}.${ending}`, read: readSwapFile.bind(undefined, "Vim") })),
    { trace: join(directory, `.${name}.kate-swp`), read: () => "Kate" },
    { trace: join(directory, `.~lock.${name}#`), read: () => "LibreOffice" },
    ...neovim.flatMap((start) =>
      swapEndings.map((ending) => ({ trace: `${start}.${ending}`, read: readSwapFile.bind(undefined, "Neovim") })),
    ),
  ];
}

/** Parses a lock `user@host.process:boot`, from a link's target or a text: Emacs Lisp manual, "File Locks". */
function readEmacsLock(trace: string, { files }: DiskWorkspace): string | undefined {
  const isLink = (): boolean => files.look(trace)?.kind === "link";
  const text = attempt(() => (isLink() ? files.readLink(trace) : files.readStart(trace, 1024).toString())).value;
  const [, user, host, pid] = /^(.+)@(.+)\.(\d{1,10})(?::\d+)?$/s.exec(text ?? "") ?? [];
  if (pid === undefined) return "Emacs";
  return isLeft(host, Number(pid)) ? undefined : holderName("Emacs", `${user}@${host}`, Number(pid));
}

/** Reads process ID and host from a swap file's first block: `struct block0` in Vim's memline.c. */
function readSwapFile(editor: string, trace: string, { files }: DiskWorkspace): string | undefined {
  const block = attempt(() => files.readStart(trace, 108)).value;
  if (block === undefined || block.length < 108 || block.toString("latin1", 0, 2) !== "b0") return undefined;
  const pid = block.readUInt32LE(24);
  const host = block.toString("utf8", 68, 108).replace(/\0.*/s, "");
  return isLeft(host, pid) ? undefined : holderName(editor, host, pid);
}

/** Returns a name for the holder, with `who` only if it is plain, because a trace may be forged. */
function holderName(editor: string, who: string, pid: number): string {
  return /^[\w.@-]{1,64}$/.test(who) ? `${editor} (${who}, process ${pid})` : editor;
}

/** Reports whether a trace's editor is known to have exited; not one elsewhere, nor process 0, which is none. */
function isLeft(host: string | undefined, pid: number): boolean {
  return host === hostname() && pid !== 0 && !isProcess(pid, undefined);
}
