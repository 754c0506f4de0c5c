/** Rules on paths as texts: which spellings are refused, what lies inside a folder, which names are protected. */
import nodePath from "node:path";
import { pathProblems } from "./sentences.js";

/** The path functions of a platform, so that Windows' rules can be tested anywhere. */
export function pathsOf(platform: NodeJS.Platform): nodePath.PlatformPath {
  return platform === "win32" ? nodePath.win32 : nodePath.posix;
}

/**
 * Why Windows would take a path for something else than a file of that name, as a clause; `undefined`: it would not.
 * The path may be relative. Source: Microsoft's "Naming Files, Paths, and Namespaces".
 */
export function windowsProblem(path: string): string | undefined {
  if (/^[\\/]{2}/.test(path) || path.startsWith("\\??\\")) return pathProblems.deviceOrShare();
  const drive = /^[a-z]:/i.test(path) ? path.slice(0, 2) : "";
  if (drive !== "" && !/^[\\/]/.test(path.slice(2))) return pathProblems.noDrive();
  if (drive === "" && /^[\\/]/.test(path)) return pathProblems.noDrive();
  for (const name of path.slice(drive.length).split(/[\\/]/)) {
    const problem = windowsNameProblem(name);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Whether a path is a folder or lies below it; both absolute and normal. Compared name by name: `/ws-secret` is not in `/ws`. */
export function isInside(folder: string, path: string, platform: NodeJS.Platform): boolean {
  const { relative, isAbsolute, sep } = pathsOf(platform);
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Whether the end of a path says that it names a directory: a separator, `.` or `..`. */
export function namesDirectory(path: string, platform: NodeJS.Platform): boolean {
  return (platform === "win32" ? /(?:^|[\\/])\.{0,2}$/ : /(?:^|\/)\.{0,2}$/).test(path);
}

/** The first name in a path that is protected, as the path has it; `undefined`: none is. */
export function protectedNameIn(path: string, folded: ReadonlySet<string>): string | undefined {
  return path.split(/[\\/]/).find((name) => folded.has(foldName(name)));
}

/**
 * What names have in common that some file system takes for one: case, composition, compatibility forms, characters that
 * are not seen (HFS+ ignores them), trailing dots and spaces (Windows drops them). Only for refusing: it folds too much.
 */
export function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFC")
    .replace(/(?<=[^. ])[. ]{1,255}$/, "");
}

function windowsNameProblem(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return undefined;
  // A colon starts an alternate data stream; the others are wildcards or never valid.
  const character = /[<>:"|?*]/.exec(name)?.[0];
  if (character !== undefined) return pathProblems.badCharacter(character);
  if (/[. ]$/.test(name)) return pathProblems.trailingDotOrSpace(name);
  if (/^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\..*)?$/i.test(name)) {
    return pathProblems.reservedName(name);
  }
  return undefined;
}
