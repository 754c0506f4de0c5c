/** The folder in which the server keeps what outlives it, for one user of this machine: where it is, and who may be in it. */
import { lstatSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute } from "node:path";
import { canonicalise, codeOf } from "./identity.js";
import { pathsOf } from "./pathText.js";
import { folderProblems } from "./sentences.js";

/** The folder for the state of programs, by the rules of XDG, macOS and Windows; absolute, unless the home is not. */
export function stateHome(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { isAbsolute, join } = pathsOf(platform);
  const { XDG_STATE_HOME: given, LOCALAPPDATA: local } = env;
  if (given !== undefined && isAbsolute(given)) return given;
  const home = homeFolder();
  if (platform === "win32") return local ?? join(home, "AppData", "Local");
  if (platform === "darwin") return join(home, "Library", "Application Support");
  return join(home, ".local", "state");
}

/** The home of the user, as the environment has it, where it may be relative; empty where nobody knows it. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    // The variable is not set, and the system does not know the user.
    return "";
  }
}

/**
 * A part of the server's own folder, by default all of it. Never below the directory for temporary files: agents' sandboxes have
 * one of their own, and would look in another place than the editor.
 */
export function inServerFolder(
  part: "journals" | "sessions" | "" = "",
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  return pathsOf(platform).join(stateHome(env, platform), "multi-edit-language-server", part);
}

/**
 * The folder once every symbolic link is followed, so that no caller's path leads into it: a canonical path, which need not exist
 * yet. `undefined`: nobody knows where it is.
 */
export async function canonicalServerFolder(): Promise<string | undefined> {
  const spelt = inServerFolder();
  if (!isAbsolute(spelt)) return undefined;
  const cached = canonicalFolders.get(spelt);
  if (cached !== undefined) return cached;
  const canonical = await canonicalise(spelt);
  if (!canonical.ok) return spelt;
  // Once it is there it stays there: every call would have to wait for the same answer.
  if (canonical.onDisk) canonicalFolders.set(spelt, canonical.path);
  return canonical.path;
}

/** By the path as it is spelt. */
const canonicalFolders = new Map<string, string>();

/**
 * Makes a directory that only the user can enter, with the one that holds it. What is there already is looked at and never
 * repaired: who could write into it before may have left something. Gives what is wrong with it, as a clause; `undefined`:
 * it is as it must be.
 */
export function makePrivate(path: string): string | undefined {
  try {
    if (isAbsolute(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
    return privacyProblem(path);
  } catch (error) {
    return folderProblems.unusable(path, folderProblems.system(codeOf(error)));
  }
}

/**
 * What keeps a directory, or the one that holds it, from being the user's alone, as a clause; `undefined`: nothing, also where it
 * is not there yet.
 */
export function privacyProblem(path: string): string | undefined {
  if (!isAbsolute(path)) return folderProblems.unusable(path, folderProblems.relative);
  try {
    for (const directory of [dirname(path), path]) {
      const stats = lstatSync(directory);
      if (!stats.isDirectory()) return folderProblems.unusable(directory, folderProblems.noDirectory);
      if (!isOwn(stats)) return folderProblems.unusable(directory, folderProblems.notPrivate);
    }
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" ? undefined : folderProblems.unusable(path, folderProblems.system(code));
  }
}

/** Tells whether nobody else owns it or may do anything with it. Windows tells neither, and keeps its users apart by itself. */
export function isOwn(stats: { readonly uid: number; readonly mode: number }): boolean {
  if (process.platform === "win32") return true;
  return stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}
