/** What a batch on disk is written in: the folders, the disk, and how to learn who else has their files open. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
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
  /** Absolute: the directories in which Neovim may keep the swap files of all that it has open. */
  readonly swapFiles: readonly string[];
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

/** Neovim has the same places everywhere but on Windows; up to 0.7 among its data. Source: its help, `base-directories`. */
function neovimSwapFiles({ XDG_DATA_HOME: data }: NodeJS.ProcessEnv = process.env): string[] {
  if (process.platform === "win32") return [join(stateHome(), "nvim-data", "swap")];
  const dataHome = data !== undefined && isAbsolute(data) ? data : join(homedir(), ".local", "share");
  return [stateHome(process.env, "linux"), dataHome].map((home) => join(home, "nvim", "swap"));
}
