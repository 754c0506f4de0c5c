/** The directory in which the sessions of one user are announced: nobody else may look into it or put anything there. */
import { lstatSync, mkdirSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { codeOf } from "../../workspace/identity.js";
import { pathsOf } from "../../workspace/pathRules.js";
import { stateFolder } from "../../workspace/stateFolder.js";
import { sessionProblems } from "../sentences.js";

/** Beside whatever else the server keeps. */
export function sessionDirectory(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  return pathsOf(platform).join(stateFolder(env, platform), "sessions");
}

/**
 * Makes a directory that only the user can enter, with the one that holds it. What is there already is looked at and never
 * repaired: who could write into it before may have left something. Gives what is wrong with it, as a clause; `undefined`:
 * it is as it must be.
 */
export function makePrivate(path: string): string | undefined {
  if (!isAbsolute(path)) return sessionProblems.directory(path, sessionProblems.relative);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return problemOf(dirname(path)) ?? problemOf(path);
  } catch (error) {
    return sessionProblems.directory(path, sessionProblems.system(codeOf(error)));
  }
}

/** What keeps sessions from being announced in a directory, as a clause; `undefined`: nothing, also where it is not there yet. */
export function announcementProblem(path: string): string | undefined {
  if (!isAbsolute(path)) return sessionProblems.directory(path, sessionProblems.relative);
  try {
    return problemOf(dirname(path)) ?? problemOf(path);
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" ? undefined : sessionProblems.directory(path, sessionProblems.system(code));
  }
}

/** What is wrong with a directory that should be the user's alone; `undefined`: nothing. Throws what the system says. */
function problemOf(path: string): string | undefined {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return sessionProblems.directory(path, sessionProblems.noDirectory);
  return isOwn(stats) ? undefined : sessionProblems.directory(path, sessionProblems.notPrivate);
}

/** Whether nobody else owns it or may do anything with it. Windows tells neither, and keeps its users apart by itself. */
export function isOwn(stats: { readonly uid: number; readonly mode: number }): boolean {
  if (process.platform === "win32") return true;
  return stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}
