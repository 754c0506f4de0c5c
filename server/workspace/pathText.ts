/** Converts between paths and `file:` URIs, strictly for callers and leniently for editors; refuses unusable paths. */
import nodePath from "node:path";
import { limits } from "../text/limits.js";
import { pathProblems } from "./sentences.js";

/** The path that a URI names, or the problem with the URI, as a clause for `pathFailures.badPath`. */
export type UriPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly problem: string };

/**
 * Returns the absolute path that a caller's `file:` URI names, with the platform's separators and an upper-case drive
 * letter.
 *
 * Parsers disagree about hosts, queries, encoded separators and encoded dots, so one URI could refer to two files. Only
 * URIs that all parsers interpret alike are accepted. Unencoded `.` and `..` are kept and treated as in any other path.
 */
export function pathOfUri(uri: string, platform: NodeJS.Platform = process.platform): UriPath {
  const problem = textProblem(uri);
  if (problem !== undefined) return { ok: false, problem };
  const parts = splitUri(uri);
  if (parts === undefined) return { ok: false, problem: pathProblems.otherScheme() };
  if (parts.host !== "" && !isShareHost(parts.host, platform)) {
    return { ok: false, problem: pathProblems.foreignHost(parts.host) };
  }
  if (parts.rest !== "") return { ok: false, problem: pathProblems.queryOrFragment() };
  if (!parts.path.startsWith("/")) return { ok: false, problem: pathProblems.relativeUri() };
  if (/%2f|%5c|\\/i.test(parts.path)) return { ok: false, problem: pathProblems.encodedSeparator() };
  const names: string[] = [];
  for (const encoded of parts.path.split("/")) {
    const name = decodeStrictly(encoded);
    if (name === undefined) return { ok: false, problem: pathProblems.badEscape() };
    if (name !== encoded && (name === "." || name === "..")) return { ok: false, problem: pathProblems.encodedDots() };
    names.push(name);
  }
  const decoded = names.join("/");
  if (controlCharacters.test(decoded)) return { ok: false, problem: pathProblems.controlCharacter() };
  const path = toPlatformPath(decoded, platform, parts.host);
  return path === undefined ? { ok: false, problem: pathProblems.noDrive() } : { ok: true, path };
}

/** Returns a synced document's path, if it has one here. A `%` that starts no escape counts as it is. */
export function pathOfSyncedUri(uri: string, platform: NodeJS.Platform = process.platform): string | undefined {
  const parts = splitUri(uri);
  if (parts === undefined || !parts.path.startsWith("/")) return undefined;
  if (parts.host !== "" && !isShareHost(parts.host, platform)) return undefined;
  const decoded = decodeTolerantly(parts.path);
  return decoded.includes("\0") ? undefined : toPlatformPath(decoded, platform, parts.host);
}

/** Returns a URI's scheme, in lower case, if only the setting `schemes` (`allowed`) makes it readable. */
export function refusedScheme(uri: string, allowed: readonly string[]): string | undefined {
  // A single letter is a drive on Windows.
  const scheme = /^[a-z][a-z0-9+.-]+(?=:)/i.exec(uri)?.[0].toLowerCase();
  const known = ["file", "untitled", ...allowed.map((one) => one.toLowerCase())];
  return scheme === undefined || known.includes(scheme) ? undefined : scheme;
}

/** Returns the absolute path in the URI of a document that belongs to a file, such as a notebook's cell. */
export function pathBehindUri(uri: string, platform: NodeJS.Platform = process.platform): string | undefined {
  const [, scheme = "", path = ""] = /^([a-z][a-z0-9+.-]*):(?:\/\/[^/?#]*)?(\/[^?#]*)/i.exec(uri) ?? [];
  if (path === "" || readOnlySchemes.has(scheme.toLowerCase())) return undefined;
  const decoded = decodeTolerantly(path);
  return decoded.includes("\0") ? undefined : toPlatformPath(decoded, platform);
}

/** Schemes of documents that can't change a file, such as a file's earlier version or a terminal. */
const readOnlySchemes: ReadonlySet<string> = new Set([
  ...["file", "git", "gitlens", "gitfs", "scm-history-item", "output", "term"],
]);

/** Returns the URI for an absolute path, with all but slashes and unreserved characters percent-encoded. */
export function uriOfPath(path: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== "win32") return `file://${encodePath(path)}`;
  const slashed = path.replaceAll("\\", "/");
  if (slashed.startsWith("//")) return `file:${encodePath(slashed)}`;
  // VS Code, by far the most widely used client on Windows, spells its own URIs with a lower-case drive letter.
  return `file:///${encodePath(slashed.slice(0, 1).toLowerCase() + slashed.slice(1))}`;
}

/** Decodes the percent escapes that are well-formed UTF-8 and leaves the others as they are. */
export function decodeTolerantly(text: string): string {
  return text.replace(escapedCharacter, (escapes) => decodeStrictly(escapes) ?? escapes);
}

/**
 * Expands what a shell would: a leading `~` to the home directory and, on Windows, the drive `/c` of Git Bash. A `~` that
 * is part of a longer name is left as it is.
 */
export function expandShellPath(path: string, home: string, platform: NodeJS.Platform = process.platform): string {
  const isWindows = platform === "win32";
  if ((isWindows ? /^~(?:$|[\\/])/ : /^~(?:$|\/)/).test(path)) return `${home}${path.slice(1)}`;
  const drive = isWindows ? /^\/([a-z])(?=\/|$)/i.exec(path)?.[1] : undefined;
  return drive === undefined ? path : `${drive.toUpperCase()}:${path.slice(2) || "/"}`;
}

/** Reports whether a path starts with something that a shell would expand. */
export function isShellPath(path: string, platform: NodeJS.Platform = process.platform): boolean {
  return expandShellPath(path, "", platform) !== path;
}

/** Matches a path that is absolute, or starts with `~`, on any platform: one JSON Schema serves them all. */
export const folderPattern = /^(?:\/|~$|~[\\/]|[A-Za-z]:[\\/]|\\\\)/;

/** Makes a path usable in another process: resolves it against `directory`, unless it is a URI or a shell's path. */
export function fromDirectory(directory: string, path: string, platform: NodeJS.Platform = process.platform): string {
  // A single letter before a colon is a drive on Windows but part of a name on other platforms.
  const scheme = platform === "win32" ? /^[a-z][a-z0-9+.-]*:/i : /^[a-z][a-z0-9+.-]+:/i;
  return isShellPath(path, platform) || scheme.test(path) ? path : pathsOf(platform).resolve(directory, path);
}

/** Reports whether a string is a `file:` URI rather than a path. */
export function isFileUri(text: string): boolean {
  return /^file:/i.test(text);
}

/** Returns, as a clause, why a string can't be a path or URI on any platform; `undefined` if it can. */
export function textProblem(text: string): string | undefined {
  if (text === "") return pathProblems.empty();
  if (text.length > limits.pathLength) return pathProblems.tooLong(text.length, limits.pathLength);
  if (controlCharacters.test(text)) return pathProblems.controlCharacter();
  if (!text.isWellFormed()) return pathProblems.loneSurrogate();
  return undefined;
}

/** Returns the path functions for a platform, so that Windows rules can be tested on any platform. */
export function pathsOf(platform: NodeJS.Platform): nodePath.PlatformPath {
  return platform === "win32" ? nodePath.win32 : nodePath.posix;
}

/**
 * Returns, as a clause, why Windows would not open exactly this file ("Naming Files, Paths, and Namespaces"). `shares`:
 * those named by `shareOf` that may be used; Windows would log in to any other host.
 */
export function windowsProblem(path: string, shares: readonly (string | undefined)[] = []): string | undefined {
  const share = shareOf(path);
  const isShared = share !== undefined && shares.includes(share);
  if (!isShared && (/^[\\/]{2}/.test(path) || path.startsWith("\\??\\"))) return pathProblems.deviceOrShare();
  const drive = /^[a-z]:/i.test(path) ? path.slice(0, 2) : "";
  if (drive !== "" && !/^[\\/]/.test(path.slice(2))) return pathProblems.noDrive();
  if (drive === "" && !isShared && /^[\\/]/.test(path)) return pathProblems.noDrive();
  for (const name of path.slice(drive.length).split(/[\\/]/)) {
    const problem = windowsNameProblem(name);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Names the host and the share of a Windows path such as `\\\\wsl.localhost\\Debian\\home`; `undefined` for all other paths. */
export function shareOf(path: string): string | undefined {
  const [, host, share] = /^[\\/]{2}(\w[\w.$-]*)[\\/]+([^\\/]+)/.exec(path) ?? [];
  return host === undefined ? undefined : `${host}/${share}`.toLowerCase();
}

/** Reports whether a path is in or is `folder`, both absolute and normalised: `/ws-b` is not in `/ws`. */
export function isInside(folder: string, path: string, platform: NodeJS.Platform = process.platform): boolean {
  const { relative, isAbsolute, sep } = pathsOf(platform);
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Reports whether a path can name only a directory: it ends with a separator, or its last component is `.` or `..`. */
export function namesDirectory(path: string, platform: NodeJS.Platform = process.platform): boolean {
  return (platform === "win32" ? /(?:^|[\\/])\.{0,2}$/ : /(?:^|\/)\.{0,2}$/).test(path);
}

/** Folds all that some file system ignores in names; only for refusals, because none ignores all of it. */
export function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFC")
    .replace(/(?<=[^. ])[. ]{1,255}$/, "");
}

/** Matches as many escapes as the first byte of a UTF-8 character requires; the decoder checks their validity. */
const escapedCharacter =
  /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi;

/** Matches a control character (C0, DEL, C1): editors do not show it, and a line feed could forge a diff. */
const controlCharacters = /\p{Control}/u;

interface UriParts {
  /** The host's name; empty for this machine. */
  readonly host: string;
  readonly path: string;
  /** The query and the fragment, including their `?` and `#`. */
  readonly rest: string;
}

/** Splits a `file:` URI into its parts; returns `undefined` if the URI has another scheme. */
function splitUri(uri: string): UriParts | undefined {
  const match = /^file:(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is.exec(uri);
  if (match === null) return undefined;
  const [, host = "", path = "", rest = ""] = match;
  // VS Code writes the host of \\wsl$ as wsl%24.
  return { host: host.toLowerCase() === "localhost" ? "" : decodeTolerantly(host), path, rest };
}

/** Decodes percent escapes; returns `undefined` if a `%` does not start a well-formed character. */
function decodeStrictly(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Reports whether a URI's host is one that shares folders, which only Windows names in a path. */
function isShareHost(host: string, platform: NodeJS.Platform): boolean {
  return platform === "win32" && shareOf(`//${host}/s`) === `${host.toLowerCase()}/s`;
}

/** Converts a URI's decoded path to a platform path; on Windows, returns `undefined` if it has neither a drive nor a host with a share. */
function toPlatformPath(decoded: string, platform: NodeJS.Platform, host = ""): string | undefined {
  if (platform !== "win32") return decoded;
  if (host !== "") {
    const path = `\\\\${host}${decoded.replaceAll("/", "\\")}`;
    return shareOf(path) === undefined ? undefined : path;
  }
  const match = /^\/([a-z]):(?:\/(.*))?$/is.exec(decoded);
  if (match === null) return undefined;
  const [, drive = "", rest = ""] = match;
  return `${drive.toUpperCase()}:\\${rest.replaceAll("/", "\\")}`;
}

function encodePath(path: string): string {
  // On Windows, names may contain lone surrogates, which no URI can represent.
  const encoded = path.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function windowsNameProblem(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return undefined;
  // A colon starts an alternate data stream; the other characters are wildcards or never valid.
  const character = /[<>:"|?*]/.exec(name)?.[0];
  if (character !== undefined) return pathProblems.badCharacter(character);
  if (/[. ]$/.test(name)) return pathProblems.trailingDotOrSpace(name);
  if (/^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\..*)?$/i.test(name)) {
    return pathProblems.reservedName(name);
  }
  return undefined;
}
