/** The environment of a batch on disk: the folders, the file system, and the editors that may have a file open. */
import { dirname, isAbsolute, join } from "node:path";
import { canonicalise } from "../workspace/identity.js";
import { type Owners, realOwners } from "../workspace/process.js";
import { homeFolder, inServerFolder, stateHome } from "../workspace/serverFolder.js";
import { type FileSystem, realFileSystem } from "./fileSystem.js";
import type { Holder } from "./sentences.js";

/** The workspace in which batches are written; nothing outside `folders` and `state` is ever changed. */
export interface DiskWorkspace {
  readonly files: FileSystem;
  /** Absolute, canonical paths. */
  readonly folders: readonly string[];
  /** Absolute, canonical path of the journal directory, which all the user's workspaces share. It may not exist yet. */
  readonly state: string;
  /** Absolute, canonical path of the directory of kept batches, next to the journal directory. It may not exist yet. */
  readonly batches: string;
  readonly owners: Owners;
  /** Absolute, canonical paths of the directories where Neovim may keep its swap files. */
  readonly swapFiles: readonly string[];
  /** Maps a file's path to an editor session that has, or may have, the file open. */
  readonly openElsewhere: ReadonlyMap<string, Holder>;
}

/** Returns a workspace for this user on this machine. `folders`: absolute, canonical paths. */
export function userWorkspace(folders: readonly string[], more: Partial<DiskWorkspace> = {}): DiskWorkspace {
  // Neovim's default swap directories: the one in its state directory and, for versions up to 0.7, the one in its data
  // directory. Source: `:help base-directories`.
  const { XDG_DATA_HOME: data } = process.env;
  const dataHome = data !== undefined && isAbsolute(data) ? data : join(homeFolder(), ".local", "share");
  const neovim =
    process.platform === "win32"
      ? [join(stateHome(), "nvim-data", "swap")]
      : [stateHome(process.env, "linux"), dataHome].map((home) => join(home, "nvim", "swap"));
  const spelt = [inServerFolder("journals"), ...neovim];
  // Home and state directories are often reached through links. A path whose links can't be followed is left as it is,
  // and using it fails later.
  const [state = "", ...swapFiles] = spelt.map((path) => {
    const real = isAbsolute(path) ? canonicalise(path) : undefined;
    return real?.ok === true ? real.path : path;
  });
  return diskWorkspace(folders, { state, swapFiles, ...more });
}

/** Returns a workspace with its journals in `state`, by default without other sessions or swap directories. */
export function diskWorkspace(
  folders: readonly string[],
  more: Pick<DiskWorkspace, "state"> & Partial<DiskWorkspace>,
): DiskWorkspace {
  return {
    files: realFileSystem,
    folders,
    batches: join(dirname(more.state), "batches"),
    owners: more.owners ?? realOwners(),
    swapFiles: [],
    openElsewhere: new Map(),
    ...more,
  };
}
