/** What a batch on disk is written in: the folders, the disk, and how to learn who else has their files open. */
import { join } from "node:path";
import { type FileSystem, realFileSystem } from "./fileSystem.js";
import { type Owners, realOwners } from "./owner.js";
import { stateHome } from "./stateDirectory.js";

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
  const home = stateHome();
  return {
    files: realFileSystem,
    folders,
    state: join(home, "multi-edit-language-server"),
    owners: more.owners ?? realOwners(),
    swapFiles: join(home, process.platform === "win32" ? "nvim-data" : "nvim", "swap"),
    openElsewhere: () => undefined,
    ...more,
  };
}
