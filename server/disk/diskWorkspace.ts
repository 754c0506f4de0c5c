/** The environment of a batch on disk: the folders, the disk, and a way to find out who else has a file open. */
import { isAbsolute, join } from "node:path";
import { canonicalise, mapBounded } from "../workspace/identity.js";
import { type Owners, realOwners } from "../workspace/process.js";
import { homeFolder, inServerFolder, stateHome } from "../workspace/serverFolder.js";
import { type FileSystem, realFileSystem } from "./fileSystem.js";
import type { Holder } from "./sentences.js";

/** The workspace in which batches are written. Outside `folders`, only `state` is changed, whatever a journal says. */
export interface DiskWorkspace {
  readonly files: FileSystem;
  /** Absolute, canonical paths. */
  readonly folders: readonly string[];
  /** Absolute, canonical path of the directory for the journals of all the user's workspaces. It may not exist yet. */
  readonly state: string;
  readonly owners: Owners;
  /** Absolute, canonical paths of the directories in which Neovim may keep its swap files. */
  readonly swapFiles: readonly string[];
  /** Maps a file's path to an editor session that has, or may have, the file open. */
  readonly openElsewhere: ReadonlyMap<string, Holder>;
}

/** Returns the workspace of this user on this machine. `folders`: absolute, canonical paths. */
export async function userWorkspace(
  folders: readonly string[],
  more: Partial<DiskWorkspace> = {},
): Promise<DiskWorkspace> {
  const spelt = [inServerFolder("journals"), ...neovimSwapFiles()];
  // The paths of home and state directories often contain links. If the links in a path can't be followed, the path is
  // left as it is, and using it fails later.
  const [state = "", ...swapFiles] = await mapBounded(spelt, async (path) => {
    const real = isAbsolute(path) ? await canonicalise(path) : undefined;
    return real?.ok === true ? real.path : path;
  });
  return diskWorkspace(folders, { state, swapFiles, ...more });
}

/**
 * Returns a workspace that keeps its journals in `state`. By default, it knows of no other sessions or swap
 * directories.
 */
export function diskWorkspace(
  folders: readonly string[],
  more: Pick<DiskWorkspace, "state"> & Partial<DiskWorkspace>,
): DiskWorkspace {
  return {
    files: realFileSystem,
    folders,
    owners: more.owners ?? realOwners(),
    swapFiles: [],
    openElsewhere: new Map(),
    ...more,
  };
}

/**
 * Returns Neovim's default swap directories: the one in its state directory and, for versions up to 0.7, the one in its
 * data directory. Source: `:help base-directories`.
 */
function neovimSwapFiles({ XDG_DATA_HOME: data }: NodeJS.ProcessEnv = process.env): string[] {
  if (process.platform === "win32") return [join(stateHome(), "nvim-data", "swap")];
  const dataHome = data !== undefined && isAbsolute(data) ? data : join(homeFolder(), ".local", "share");
  return [stateHome(process.env, "linux"), dataHome].map((home) => join(home, "nvim", "swap"));
}
