/** Locates and protects the folder for the server's persistent data; each user of this machine has one. */
import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { canonicalise, codeOf } from "./identity.js";
import { pathsOf } from "./pathText.js";
import { folderProblems } from "./sentences.js";

/** Returns the folder for program state, by XDG, macOS or Windows; relative only if the home directory is. */
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

/** Returns the user's home directory according to the environment; possibly relative, or empty if it is unknown. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    // The environment variable is not set, and the system does not know the user.
    return "";
  }
}

/** Returns a subfolder of the server's folder, or itself; never a temporary one, which sandboxes do not share. */
export function inServerFolder(
  part: "hooks" | "journals" | "replaced" | "reviews" | "sessions" | "writers" | "" = "",
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  return pathsOf(platform).join(stateHome(env, platform), "multi-edit-language-server", part);
}

/** Returns the folder for the user's settings, by XDG, macOS or Windows; relative only if the home directory is. */
export function configFolder(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { isAbsolute, join } = pathsOf(platform);
  const { XDG_CONFIG_HOME: given, APPDATA: roaming } = env;
  const [name, home] = ["multi-edit-language-server", homeFolder()];
  if (given !== undefined && isAbsolute(given)) return join(given, name);
  if (platform === "win32") return join(roaming ?? join(home, "AppData", "Roaming"), name);
  return join(home, ...(platform === "darwin" ? ["Library", "Application Support"] : [".config"]), name);
}

/**
 * Returns the canonical paths of the server's folder, of the folder for the user's settings, and of the settings file,
 * which may be a link to a file elsewhere, so that paths to them are recognised. Leaves out a folder whose location is
 * unknown, and a missing file. The folders do not have to exist. If links can't be followed, returns the path as spelt.
 */
export function canonicalServerFiles(): string[] {
  const config = configFolder();
  const settings = join(config, "settings.json");
  const spellings = [inServerFolder(), config, ...(isMissing(settings) ? [] : [settings])];
  return spellings.filter(isAbsolute).map(canonicalServerFile);
}

/** Maps the path of each existing folder, as spelt, to its canonical path. */
const canonicalFolders = new Map<string, string>();

function canonicalServerFile(spelt: string): string {
  const cached = canonicalFolders.get(spelt);
  if (cached !== undefined) return cached;
  const above = dirname(spelt);
  if (above !== spelt && isMissing(spelt)) return join(canonicalServerFile(above), basename(spelt));
  const canonical = canonicalise(spelt);
  // An existing folder stays where it is; without this cache, every call would look for it again.
  if (canonical.ok && canonical.isDirectory) canonicalFolders.set(spelt, canonical.path);
  return canonical.ok ? canonical.path : spelt;
}

/** Reports whether there is nothing at a path. A link without a target counts: the server would follow it once there is one. */
function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    // If the folder can't be examined, nobody can read the file.
    return true;
  }
}

/** Creates a directory only for the user, or checks it; never repairs it. Returns the problem, as a clause. */
export function makePrivate(path: string): string | undefined {
  try {
    if (isAbsolute(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
    return privacyProblem(path);
  } catch (error) {
    return folderProblems.unusable(path, folderProblems.system(codeOf(error)));
  }
}

/** Creates or replaces a private file. No reader ever sees it with only a part of its text. Throws any system error. */
export function replacePrivate(path: string, text: string): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Returns, as a clause, why a directory or its parent is not private; `undefined` if both are, or do not exist. */
export function privacyProblem(path: string): string | undefined {
  if (!isAbsolute(path)) return folderProblems.unusable(path, folderProblems.relative);
  try {
    // Nobody has used a directory that does not exist yet, whatever its parent is like.
    for (const directory of [path, dirname(path)]) {
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

/** Reports whether a file is private to the user. Always `true` on Windows, where the system cares for that. */
export function isOwn(stats: { readonly uid: number; readonly mode: number }): boolean {
  if (process.platform === "win32") return true;
  return stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}
