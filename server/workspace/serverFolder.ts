/** Locates and protects the folder for data that outlives the server; each user of this machine has one such folder. */
import { lstatSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute } from "node:path";
import { canonicalise, codeOf } from "./identity.js";
import { pathsOf } from "./pathText.js";
import { folderProblems } from "./sentences.js";

/**
 * Returns the folder for program state, by the rules of XDG, macOS or Windows; relative only if the home directory is.
 */
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

/** Returns the user's home directory as the environment gives it; it may be relative, or empty if it is unknown. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    // The environment variable is not set, and the system does not know the user.
    return "";
  }
}

/**
 * Returns the path of a part of the server's own folder, by default of the whole folder. The folder is never below the
 * directory for temporary files: a sandboxed agent may have its own, where it would not find the editor's files.
 */
export function inServerFolder(
  part: "journals" | "sessions" | "" = "",
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  return pathsOf(platform).join(stateHome(env, platform), "multi-edit-language-server", part);
}

/**
 * Returns the server's folder with every symbolic link followed, so that paths into it are recognised. The folder does
 * not have to exist. `undefined` if its location is unknown. If the links can't be followed, returns the path as spelt.
 */
export async function canonicalServerFolder(): Promise<string | undefined> {
  const spelt = inServerFolder();
  if (!isAbsolute(spelt)) return undefined;
  const cached = canonicalFolders.get(spelt);
  if (cached !== undefined) return cached;
  const canonical = await canonicalise(spelt);
  if (!canonical.ok) return spelt;
  // Once the folder exists, it stays; without this cache, every call would wait for the same answer.
  if (canonical.onDisk) canonicalFolders.set(spelt, canonical.path);
  return canonical.path;
}

/** Maps the path of each existing folder, as spelt, to its canonical path. */
const canonicalFolders = new Map<string, string>();

/**
 * Creates a directory that only the user can enter, and any missing directories above it. An existing directory is
 * checked but never repaired, because anyone who could write to it may have left something there. Returns the problem,
 * as a clause; `undefined` if there is none.
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
 * Returns, as a clause, why a directory or its parent is not private to the user; `undefined` if both are private, or
 * if one of them does not exist yet.
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

/**
 * Reports whether the user owns a file and nobody else may access it. `true` on Windows, where the system itself keeps
 * each user's folder for program data private.
 */
export function isOwn(stats: { readonly uid: number; readonly mode: number }): boolean {
  if (process.platform === "win32") return true;
  return stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}
