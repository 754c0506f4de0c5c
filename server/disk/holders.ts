/** Who else has a file open, by the files that editors leave beside those that they edit. */
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { isProcess } from "../workspace/process.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { attempt } from "./fileSystem.js";
import type { Holder } from "./sentences.js";

/** Who has a file open, or may have; `undefined`: nobody that can be seen. */
export function holderOf(workspace: DiskWorkspace, path: string): Holder | undefined {
  const ours = workspace.openElsewhere.get(path);
  if (ours !== undefined) return ours;
  for (const { trace, read } of tracesOf(path, workspace)) {
    // Where nobody may look, nobody can be seen.
    const stat = attempt(() => workspace.files.look(trace)).value;
    // Who came second keeps the second trace, also when the first one is gone.
    const by = stat === undefined || stat.kind === "directory" ? undefined : read(trace, workspace);
    if (by !== undefined) return { kind: "open", by };
  }
  return undefined;
}

/** A file that an editor leaves as long as it has another one open. */
interface Trace {
  readonly trace: string;
  /** Who it is, in words; `undefined`: a trace that was left behind. */
  readonly read: (trace: string, workspace: DiskWorkspace) => string | undefined;
}

/** Vim and Neovim take the next letter where a swap file is there already. Source: their help, `swap-file`. */
const swapEndings = ["swp", "swo", "swn", "swm", "swl", "swk"];

/** Where each editor would say that it has a file open, its first choice first. */
function tracesOf(path: string, { swapFiles }: DiskWorkspace): Trace[] {
  const [directory, name] = [dirname(path), basename(path)];
  const vim = join(directory, name.startsWith(".") ? name : `.${name}`);
  // Neovim keeps the swap files of all directories in one.
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

/** A link to `user@host.process:boot`, or a file that holds it. Source: the Emacs Lisp manual, "File Locks". */
function readEmacsLock(trace: string, { files }: DiskWorkspace): string | undefined {
  const isLink = (): boolean => files.look(trace)?.kind === "link";
  const text = attempt(() => (isLink() ? files.readLink(trace) : files.readStart(trace, 1024).toString())).value;
  const [, user, host, pid] = /^(.+)@(.+)\.(\d{1,10})(?::\d+)?$/s.exec(text ?? "") ?? [];
  if (pid === undefined) return "Emacs";
  return isLeft(host, Number(pid)) ? undefined : holderName("Emacs", `${user}@${host}`, Number(pid));
}

/** The first block of a swap file names process and machine. Source: `struct block0` in Vim's and Neovim's memline. */
function readSwapFile(editor: string, trace: string, { files }: DiskWorkspace): string | undefined {
  const block = attempt(() => files.readStart(trace, 108)).value;
  if (block === undefined || block.length < 108 || block.toString("latin1", 0, 2) !== "b0") return undefined;
  const pid = block.readUInt32LE(24);
  const host = block.toString("utf8", 68, 108).replace(/\0.*/s, "");
  return isLeft(host, pid) ? undefined : holderName(editor, host, pid);
}

/** Anybody may have written such a trace, as who made an archive or a repository: what is no plain name is not repeated. */
function holderName(editor: string, who: string, pid: number): string {
  return /^[\w.@-]{1,64}$/.test(who) ? `${editor} (${who}, process ${pid})` : editor;
}

/**
 * Tells whether the editor that left it is gone, as far as can be told: processes of other machines can't be looked for, and 0
 * is the number of none.
 */
function isLeft(host: string | undefined, pid: number): boolean {
  return host === hostname() && pid !== 0 && !isProcess(pid, undefined);
}
