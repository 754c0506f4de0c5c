/** What a batch on disk is written in: the folders, the disk, and how to learn who else has their files open. */
import { join } from "node:path";
import { stateFolder, stateHome } from "../workspace/stateFolder.js";
import { type FileSystem, realFileSystem } from "./fileSystem.js";
import { type Owners, realOwners } from "./owner.js";

/** Where batches are written. Nothing outside `folders` is ever touched, be it asked for or found in a journal. */
export interface DiskWorkspace {
  readonly files: FileSystem;
  /** Absolute and canonical. */
  readonly folders: readonly string[];
  /** Absolute: the directory of the journals, for all workspaces of the user. */
  readonly state: string;
  readonly owners: Owners;
  /** Absolute: where Neovim keeps the swap files of all that it has open. */
  readonly swapFiles: string;
  /** Who of the server's own sessions has a file open, in words as "Neovim (process 12)"; `undefined`: nobody. */
  readonly openElsewhere: (path: string) => string | undefined;
}

/** The workspace of this user on this machine. `folders`: absolute and canonical. */
export function diskWorkspace(folders: readonly string[], more: Partial<DiskWorkspace> = {}): DiskWorkspace {
  return {
    files: realFileSystem,
    folders,
    state: join(stateFolder(), "journals"),
    owners: more.owners ?? realOwners(),
    swapFiles: neovimSwapFiles(),
    openElsewhere: () => undefined,
    ...more,
  };
}

/** Neovim has a home of its own everywhere but on Windows. Source: its help, `base-directories`. */
function neovimSwapFiles(): string {
  const isWindows = process.platform === "win32";
  return join(stateHome(process.env, isWindows ? "win32" : "linux"), isWindows ? "nvim-data" : "nvim", "swap");
}
