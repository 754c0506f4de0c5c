/** The surroundings of a batch on disk: the folders, the disk, and how to learn who else has their files open. */
import { isAbsolute, join } from "node:path";
import { canonicalise, mapBounded } from "../workspace/identity.js";
import { type Owners, realOwners } from "../workspace/process.js";
import { homeFolder, inServerFolder, stateHome } from "../workspace/serverFolder.js";
import { type FileSystem, realFileSystem } from "./fileSystem.js";
import type { Holder } from "./sentences.js";

/** The workspace in which batches are written. Nothing outside `folders` is ever touched, be it asked for or found in a journal. */
export interface DiskWorkspace {
  readonly files: FileSystem;
  /** Absolute and canonical. */
  readonly folders: readonly string[];
  /** The directory of the journals, for all workspaces of the user: absolute and canonical, also where it is not there yet. */
  readonly state: string;
  readonly owners: Owners;
  /** Absolute and canonical: the directories in which Neovim may keep the swap files of all that it has open. */
  readonly swapFiles: readonly string[];
  /** By path: the other one of the server's own sessions that has a file open, or may have. */
  readonly openElsewhere: ReadonlyMap<string, Holder>;
}

/** The workspace of this user on this machine. `folders`: absolute and canonical. */
export async function userWorkspace(
  folders: readonly string[],
  more: Partial<DiskWorkspace> = {},
): Promise<DiskWorkspace> {
  const spelt = [inServerFolder("journals"), ...neovimSwapFiles()];
  // Homes, and the directories for state in them, are often reached by links. What can't be followed fails where it is used.
  const [state = "", ...swapFiles] = await mapBounded(spelt, async (path) => {
    const real = isAbsolute(path) ? await canonicalise(path) : undefined;
    return real?.ok === true ? real.path : path;
  });
  return diskWorkspace(folders, { state, swapFiles, ...more });
}

/** A workspace of this machine that keeps its journals in `state`; by default nobody else has a file of it open. */
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

/** Neovim has the same places everywhere but on Windows; up to 0.7 among its data. Source: its help, `base-directories`. */
function neovimSwapFiles({ XDG_DATA_HOME: data }: NodeJS.ProcessEnv = process.env): string[] {
  if (process.platform === "win32") return [join(stateHome(), "nvim-data", "swap")];
  const dataHome = data !== undefined && isAbsolute(data) ? data : join(homeFolder(), ".local", "share");
  return [stateHome(process.env, "linux"), dataHome].map((home) => join(home, "nvim", "swap"));
}
