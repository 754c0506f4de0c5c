/** Sentences about paths, files, and documents as the editor has synced them. */
import type { z } from "zod";
import { type At, clip, fileAt, makeFailure, nameOf, quote } from "../plan/failure.js";
import { batchFailures } from "../plan/sentences.js";
import { limits } from "../text/limits.js";

/** Advice where there is no file: the only advice, and the one after paths that may be meant. */
const withoutFile = {
  edit: {
    alone: "An edit with an empty old text creates it.",
    otherwise: "If a new file is meant, an edit with an empty old text creates it.",
  },
  section: {
    alone: 'Only "*** Add File" is for a file that is not there.',
    otherwise: 'If a new file is meant, use "*** Add File".',
  },
  deletion: {
    alone: "If it is gone already, leave the section out.",
    otherwise: "If it is gone already, leave the section out.",
  },
} as const;

/** Failures of finding out which text a path means. */
export const pathFailures = {
  badPath: (path: string, problem: string) =>
    makeFailure("invalidParams", fileAt(path), { problem: `The path ${quote(path, 160)} can't be used: ${problem}.` }),
  ambiguousPath: (path: string, places: readonly string[]) =>
    makeFailure("ambiguousPath", fileAt(path), {
      problem: `${quote(path, 160)} may mean ${places.map((p) => quote(p, 160)).join(" or ")}.`,
      hint: "Send the absolute path.",
    }),
  noFolder: (path: string) =>
    makeFailure("outsideWorkspace", fileAt(path), {
      problem: `${quote(path, 160)} is a relative path, but the editor has no workspace folder for it to start from.`,
      hint: "Send the absolute path of an open file.",
    }),
  outsideWorkspace: (path: string, folders: readonly string[], inside?: string) =>
    makeFailure("outsideWorkspace", fileAt(path), {
      problem:
        folders.length === 0
          ? `${quote(path, 160)} is not open in the editor, and the editor has no workspace folder.`
          : `${quote(path, 160)} lies outside the workspace (${folders
              .slice(0, 3)
              .map((f) => quote(f, 160))
              .join(", ")}).`,
      hint:
        inside === undefined
          ? 'Only the user can allow it, with the setting "additionalFolders".'
          : `Is ${quote(inside, 160)} meant? Otherwise only the user can allow it, with the setting "additionalFolders".`,
    }),
  protectedPath: (path: string, name: string) =>
    makeFailure("protectedPath", fileAt(path), {
      problem: `${quote(path, 160)} is protected: "${name}" can make other programs run code.`,
      hint: 'Only the user can allow it, with the setting "protectedNames".',
    }),
  ownFolder: (path: string) =>
    makeFailure("protectedPath", fileAt(path), {
      problem: `${quote(path, 160)} is in the folder in which the server keeps its sessions and journals.`,
      hint: "Nobody but the server reads or writes there.",
    }),
  fileNotFound: (path: string, similar: readonly string[], asked: "edit" | "section" | "deletion" = "edit") =>
    makeFailure("fileNotFound", fileAt(path), {
      problem: `There is no file ${quote(path, 160)}.`,
      hint:
        similar.length === 0
          ? withoutFile[asked].alone
          : `Is ${similar.map((s) => quote(s, 160)).join(" or ")} meant? ${withoutFile[asked].otherwise}`,
    }),
  notOpen: (uri: string) =>
    makeFailure("fileNotFound", fileAt(uri), {
      problem: `The editor has no document ${quote(uri, 160)} open.`,
      hint: "Send the exact URI of an open document, or the path of a file.",
    }),
  isDirectory: (path: string) =>
    makeFailure("isDirectory", fileAt(path), { problem: `${quote(path, 160)} is a directory.`, hint: "Name a file." }),
  isLink: (path: string, file: string) =>
    makeFailure("ioError", fileAt(path), {
      problem: `${quote(path, 160)} is a symbolic link, and only files themselves are deleted or moved.`,
      hint: `Name the file that it leads to: ${quote(file, 160)}.`,
    }),
  hasOtherName: (path: string, file: string) =>
    makeFailure("ioError", fileAt(path), {
      problem: `${quote(path, 160)} is one of several names (links) of a file that is open, or named in this call, as ${quote(file, 160)}.`,
      hint: "Change its text under one name, or delete and move it in a call of its own when it is not open.",
    }),
  unsupportedEncoding: (path: string, problem: string) =>
    makeFailure("unsupportedEncoding", fileAt(path), {
      problem: `${quote(path, 160)} is ${problem}; only UTF-8, and UTF-16 with a byte order mark, are edited.`,
      hint: "It was left as it is.",
    }),
  desynced: (path: string, problem: string) =>
    makeFailure("desynced", fileAt(path), {
      problem: `What the editor told about ${quote(path, 160)} does not fit together (${problem}), so its text is not known.`,
      hint: "Close the file in the editor and open it again.",
    }),
  tooLarge: (path: string, size: number, limit: number, unit: "bytes" | "characters") =>
    makeFailure("tooLarge", fileAt(path), {
      problem: `${quote(path, 160)} is ${size.toLocaleString("en")} ${unit}; the limit is ${limit.toLocaleString("en")}.`,
      hint: "Edit it by other means.",
    }),
  readOnly: (path: string) =>
    makeFailure("readOnly", fileAt(path), {
      problem: `${quote(path, 160)} can't be written: permission denied.`,
      hint: "Ask the user to make it writable.",
    }),
  tooManyPaths: (size: number) =>
    batchFailures.tooLarge({}, "what it names", size, limits.filesPerCall, "different paths"),
  /** `size`: bytes. */
  tooMuchRead: (path: string, size: number) =>
    batchFailures.tooLarge({ path }, "what the call reads from disk", size, limits.callFileBytes, "bytes"),
  ioError: (path: string, problem: string) =>
    makeFailure("ioError", fileAt(path), { problem: `${quote(path, 160)} can't be read: ${problem}.` }),
} as const;

/** What is wrong with a path, as the clause that `pathFailures.badPath` takes. */
export const pathProblems = {
  empty: () => "it is empty",
  tooLong: (length: number, limit: number) =>
    `it has ${length.toLocaleString("en")} characters; the limit is ${limit.toLocaleString("en")}`,
  controlCharacter: () => "it holds a control character",
  loneSurrogate: () => "it holds half a character (a lone surrogate)",
  otherScheme: () => "its scheme is not file",
  foreignHost: (host: string) => `it names the host ${quote(host)}; only files of this machine are edited`,
  queryOrFragment: () => "it has a query or a fragment; a ? or # in a name is written %3F or %23",
  badEscape: () => "it has a % that starts no UTF-8 character; a % in a name is written %25",
  encodedSeparator: () => "it has an encoded separator",
  encodedDots: () => "it has an encoded . or .. as a name",
  relativeUri: () => "a URI needs an absolute path",
  relativeRoot: () => "the root for relative paths is not absolute",
  deviceOrShare: () => "it names a network share or a device",
  noDrive: () => "it names no drive, or no folder on its drive",
  badCharacter: (character: string) => `a name can't hold ${quote(character)} on Windows`,
  reservedName: (name: string) => `${quote(name)} is a device's name on Windows`,
  trailingDotOrSpace: (name: string) => `Windows drops the dots and spaces at the end of ${quote(name)}`,
} as const;

/** What is wrong with a file, as the clause that `pathFailures.ioError` and `unsupportedEncoding` take. */
export const fileProblems = {
  notRegular: (kind: keyof typeof fileKinds) => `it is ${fileKinds[kind]}, not a regular file`,
  binary: () => "a binary file (it holds a NUL)",
  notUtf8: () => "not valid UTF-8",
  notUtf16: () => "not valid UTF-16",
  notWritten: () => "it could not be written again as it was",
  /** `code` is the system's, as `EACCES`. */
  system: (code: string) => systemReasons[code] ?? `the system says ${code}`,
} as const;

/** What is wrong with a directory that must be the user's alone, as the clause that `folderProblems.unusable` takes. */
export const folderProblems = {
  unusable: (path: string, problem: string) => `the directory ${quote(path, 200)} ${problem}`,
  noDirectory: "is a link or a file, not a directory",
  relative: "is relative, as the home directory (the variable HOME) is no absolute path",
  notPrivate: "belongs to another user, or others may enter it; remove it, or make it yours and its mode 700",
  system: (code: string) => `can't be used: the system says ${code}`,
} as const;

const fileKinds = {
  link: "a symbolic link",
  pipe: "a pipe",
  socket: "a socket",
  device: "a device",
  other: "a pipe, a socket or a device",
} as const;

const systemReasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ELOOP: "its symbolic links lead in a circle",
  ENOTDIR: "a part of its path is not a directory",
  EISDIR: "it is a directory",
  ENOMEDIUM: "the disk that it is on is not there (not mounted)",
  ENAMETOOLONG: "a name in it is too long",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EIO: "the disk reports an error",
  ENOSPC: "no space is left on the disk",
  // This is EDQUOT on Linux, which Node does not know.
  "Unknown system error -122": "the user's quota of disk space is used up",
  EFBIG: "it would be larger than a file may be",
  EBUSY: "another program uses it",
  ETXTBSY: "it is a program that runs just now",
  ESTALE: "a directory on its path was exchanged meanwhile",
};

/** What is wrong with what the editor told about a document, as the clause that `pathFailures.desynced` takes. */
export const syncProblems = {
  badUri: () => "it names no URI",
  notOpen: (what: "change" | "close") => `it tells of a ${what}, but the document is not open`,
  badText: () => "it was opened without a text",
  badVersion: (version: unknown) => `its version is ${typeof version === "number" ? version : "no number"}`,
  versionNotGreater: (version: number, held: number) => `version ${version} came after version ${held}`,
  badChanges: () => "its changes are no list",
  badChange: (at: number) => `change ${at} is neither a whole text nor a range and a text`,
  reversedRange: (at: number) => `the range of change ${at} ends before it starts`,
  badRange: (at: number) => `the range of change ${at} does not lie between characters of the text`,
  tooLong: (length: number, limit: number) =>
    `its text would be ${length.toLocaleString("en")} characters long; the limit is ${limit.toLocaleString("en")}`,
} as const;

/** Failures of texts and files that are no longer what a plan was made for. */
export const staleFailures = {
  contentModified: (at: At, problem: string) =>
    makeFailure("contentModified", at, {
      problem: `${nameOf(at)} has moved on: ${problem}.`,
      hint: "Read it again and send the call again.",
    }),
} as const;

/** How a file is no longer what a plan was made for, as the clause that `staleFailures.contentModified` takes. */
export const staleProblems = {
  fileChanged: "it is not the file any more that the call was planned on",
  nameTaken: "there is a file of that name by now",
} as const;

/** Warnings about settings that can't be used. */
export const settingWarnings = {
  /** `key`: under which the value is; `undefined`: it is the settings as a whole. */
  notAnObject: (key: string | undefined, value: unknown) => {
    const what = key === undefined ? "The settings are" : `The setting "${key}" is`;
    return `${what} ${Array.isArray(value) ? "a list" : `a ${typeof value}`}, not an object: left out.`;
  },
  unknown: (key: string, known: readonly string[]) =>
    `There is no setting ${quote(key)}; the settings are ${known.join(", ")}.`,
  /** Which part of the value is wrong, what was expected there, and what holds instead. */
  unusable: (key: string, issues: readonly z.core.$ZodIssue[], current: unknown) => {
    const place = [key, ...(issues[0]?.path ?? [])].join(".");
    const instead = Array.isArray(current) ? `a list of ${current.length}` : JSON.stringify(current);
    return `The setting "${place}" can't be used: ${clip(issues[0]?.message ?? "invalid", 160)}. It stays ${instead}.`;
  },
} as const;
