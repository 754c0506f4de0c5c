/** Sentences about paths, files and synced documents. */
import type { BaseIssue } from "valibot";
import { issuePath, schemaProblem } from "../dialect/sentences.js";
import { type At, clip, fileAt, makeFailure, nameOf, quote } from "../plan/failure.js";
import { batchFailures } from "../plan/sentences.js";
import { limits } from "../text/limits.js";

const leaveOut = "If the file has already been deleted, leave the section out.";

/** Advice for a missing file. `alone` is used if no similar path is suggested, `otherwise` after a suggestion. */
const withoutFile = {
  edit: {
    alone: "Correct the path. Only an edit with an empty old text creates a file.",
    otherwise: "To create a new file, send an edit with an empty old text.",
  },
  section: {
    // A term without quotes, so that a dialect can put its own in its place.
    alone: "To create it, use *** Add File.",
    otherwise: "To create a new file, use *** Add File.",
  },
  deletion: { alone: leaveOut, otherwise: leaveOut },
  read: { alone: "Check the path.", otherwise: "Otherwise, check the path." },
} as const;

/** Warnings about paths that were not read as sent. */
export const pathWarnings = {
  gitPrefix: (path: string, read: string): string =>
    `there is no ${quote(path, 160)}: "a/" was taken for Git's prefix, and the path for ${quote(read, 160)}`,
} as const;

/** Failures in resolving a path and in reading or writing its document. */
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
      problem: `${quote(path, 160)} is a relative path, but the editor has no workspace folder to resolve it against.`,
      hint: "Send the absolute path of an open file.",
    }),
  outsideWorkspace: (path: string, folders: readonly string[], inside?: string) =>
    makeFailure("outsideWorkspace", fileAt(path), {
      problem:
        folders.length === 0
          ? `${quote(path, 160)} is not open in the editor, and the editor has no workspace folder.`
          : `${quote(path, 160)} is outside the workspace (${folders
              .slice(0, 3)
              .map((f) => quote(f, 160))
              .join(", ")}).`,
      hint:
        inside === undefined
          ? 'Only the user can allow access to it, with the setting "additionalFolders".'
          : `Did you mean ${quote(inside, 160)}? If not, only the user can allow access to it, with the setting "additionalFolders".`,
    }),
  protectedPath: (path: string, { why, by }: Refused) =>
    makeFailure("protectedPath", fileAt(path), {
      problem: `${quote(path, 160)} is protected, because ${protectionReasons[why](quote(by, 160))}.`,
      hint: protectionHints[why],
    }),
  /** `name`: the protected name; `undefined` if the setting "confirm" asks for consent, which `by` can't ask for. */
  nobodyToAsk: (path: string, name: string | undefined, by: "nobody" | "editor") => {
    const unprotect = name === undefined ? "" : `add ${quote(`-${name}`, 80)} to the setting "protectedNames"`;
    const who = by === "editor" ? "the editor can't ask" : "no editor is there to ask";
    const open = "open the folder in an editor that runs multi-edit-language-server";
    const ways = by === "editor" ? [unprotect || 'change the setting "confirm"', "make the change"] : [open, unprotect];
    return makeFailure(name === undefined ? "clientCapability" : "protectedPath", fileAt(path), {
      problem: `A change to ${quote(path, 160)} needs the user's consent, because ${
        name === undefined
          ? 'the setting "confirm" says so'
          : `${quote(name, 80)} matches a name in the setting "protectedNames"`
      }, but ${who} the user.`,
      hint: `Ask the user to ${ways.filter((way) => way !== "").join(", or to ")}.`,
    });
  },
  ownFolder: (path: string) =>
    makeFailure("protectedPath", fileAt(path), {
      problem: `${quote(path, 160)} is the user's settings file, or in a folder where the server keeps its settings, journals and session records.`,
      hint: "Only the server may read or write there.",
    }),
  fileNotFound: (path: string, similar: readonly string[], asked: FileUse = "edit") =>
    makeFailure("fileNotFound", fileAt(path), {
      problem: `There is no file ${quote(path, 160)}.`,
      hint:
        similar.length === 0
          ? withoutFile[asked].alone
          : `Did you mean ${similar.map((s) => quote(s, 160)).join(" or ")}? ${withoutFile[asked].otherwise}`,
    }),
  notOpen: (uri: string) =>
    makeFailure("fileNotFound", fileAt(uri), {
      problem: `No document ${quote(uri, 160)} is open in the editor.`,
      hint: "Send the exact URI of an open document, or the path of a file.",
    }),
  otherScheme: (uri: string, scheme: string) =>
    makeFailure("fileNotFound", fileAt(uri), {
      problem: `The server does not read documents of the scheme ${quote(scheme, 40)}, such as ${quote(uri, 160)}.`,
      hint: `Send the path of a file. Only the user can allow such documents: by adding the scheme to the setting "schemes", and then opening the document again.`,
    }),
  isDirectory: (path: string) =>
    makeFailure("isDirectory", fileAt(path), {
      problem: `${quote(path, 160)} is a directory.`,
      hint: "Send the path of a file.",
    }),
  isLink: (path: string, file: string) =>
    makeFailure("ioError", fileAt(path), {
      problem: `${quote(path, 160)} is a symbolic link; only regular files can be deleted or moved.`,
      hint: `Send the path that it points to: ${quote(file, 160)}.`,
    }),
  hasOtherName: (path: string, file: string) =>
    makeFailure("ioError", fileAt(path), {
      problem: `${quote(path, 160)} is another name (a link) for ${quote(file, 160)}, which is open or also named in this call.`,
      hint: "Edit the file under one name only. To delete or move it, send a separate call while it is not open.",
    }),
  unsupportedEncoding: (path: string, problem: string) =>
    makeFailure("unsupportedEncoding", fileAt(path), {
      problem: `${quote(path, 160)} is ${problem}; only UTF-8, and UTF-16 with a byte order mark, can be read and edited.`,
      hint: "Use another tool for this file.",
    }),
  desynced: (path: string, problem: string) =>
    makeFailure("desynced", fileAt(path), {
      problem: `The editor sent inconsistent messages about ${quote(path, 160)} (${problem}), so the server does not know its text.`,
      hint: "Ask the user to close the file in the editor and open it again.",
    }),
  /** `uri`: the document with the changes; it may be the file itself, of which the client does not send the text. */
  heldUnseen: (path: string, uri: string) =>
    makeFailure("locked", fileAt(path), {
      problem: /^file:/i.test(uri)
        ? `The editor has unsaved changes to ${quote(path, 160)} that it does not send to the server.`
        : `The editor may hold unsaved changes to ${quote(path, 160)} that the server can't see, in ${quote(uri, 160)}.`,
      hint: "Ask the user to save and close it in the editor.",
    }),
  tooLarge: (path: string, size: number, limit: number, unit: "bytes" | "characters") =>
    makeFailure("tooLarge", fileAt(path), {
      problem: `${quote(path, 160)} is ${size.toLocaleString("en")} ${unit}; the limit is ${limit.toLocaleString("en")}.`,
      hint: "Edit it with another tool.",
    }),
  readOnly: (path: string) =>
    makeFailure("readOnly", fileAt(path), {
      problem: `${quote(path, 160)} can't be written: permission denied.`,
      hint: "Ask the user to make it writable.",
    }),
  inUse: (path: string) =>
    makeFailure("locked", fileAt(path), {
      problem: `${quote(path, 160)} can't be written: another program is using it and does not share it.`,
      hint: "Send the call again in a moment, or ask the user to close the file there.",
    }),
  tooManyPaths: (size: number) =>
    makeFailure(
      "tooLarge",
      {},
      {
        problem: `The call names ${size.toLocaleString("en")} different paths; the limit is ${limits.filesPerCall.toLocaleString("en")}.`,
        hint: "Split the change into smaller calls.",
      },
    ),
  /** `size`: in bytes. */
  tooMuchRead: (path: string, size: number) =>
    batchFailures.tooLarge({ path }, "the size of all files read from disk", size, limits.callFileBytes, "bytes"),
  ioError: (path: string, problem: string) =>
    makeFailure("ioError", fileAt(path), { problem: `${quote(path, 160)} can't be read: ${problem}.` }),
  notRestored: (path: string) =>
    makeFailure("ioError", fileAt(path), { problem: `The deleted file ${quote(path, 160)} could not be restored.` }),
} as const;

/** Warnings about files that a call changes. */
export const fileWarnings = {
  draft: (path: string, uri: string) =>
    `${path}: the editor has an unsaved draft of this file (${clip(uri, 160)}); saving the draft would overwrite the file`,
} as const;

const protectionReasons: Record<Refused["why"], (by: string) => string> = {
  protected: (by) => `${by} matches a name in the setting "protectedNames"`,
  added: (by) => `the user has added ${by} to the setting "protectedNames"`,
  unasked: (by) =>
    `${by} matches a name in the setting "protectedNames", and the setting "confirm" forbids asking the user about it`,
  git: (by) => `Git takes ${by} for a repository's own directory`,
};

const protectionHints: Record<Refused["why"], string> = {
  protected: "The setting protects files that can make other programs run code; only the user can change it.",
  added: "Only the user can change this setting.",
  unasked: "Only the user can change these settings.",
  git: "Git runs programs that files in such a directory name; use Git's own commands.",
};

/** The reason why a file is refused. `by`: the name, pattern or directory that decides. */
export interface Refused {
  readonly kind: "refused";
  /** `protected` by default; `added` by the user; `unasked`: the rules say never to ask; `git`: a Git directory. */
  readonly why: "protected" | "added" | "unasked" | "git";
  readonly by: string;
}

/** The way a call uses a file, which determines the advice if the file does not exist. */
export type FileUse = keyof typeof withoutFile;

/** Problems with a path, as clauses for `pathFailures.badPath`. */
export const pathProblems = {
  empty: () => "it is empty",
  tooLong: (length: number, limit: number) =>
    `it has ${length.toLocaleString("en")} characters; the limit is ${limit.toLocaleString("en")}`,
  controlCharacter: () => "it contains a control character",
  loneSurrogate: () => "it contains half a character (a lone surrogate)",
  otherScheme: () => 'its scheme is not "file"',
  foreignHost: (host: string) => `it names the host ${quote(host)}; only files on this machine can be edited`,
  queryOrFragment: () => "it has a query or a fragment; write a ? or # in a name as %3F or %23",
  badEscape: () => "it has a % that does not start an encoded UTF-8 character; write a % in a name as %25",
  encodedSeparator: () => "it contains an encoded path separator",
  encodedDots: () => 'it contains an encoded "." or ".."',
  relativeUri: () => "a URI needs an absolute path",
  relativeRoot: () => "the directory for relative paths must be given as an absolute path",
  deviceOrShare: () => "it names a device, or a network share that no workspace folder is on",
  noDrive: () => "it has no drive, or no slash after the drive",
  badCharacter: (character: string) => `a name can't contain ${quote(character)} on Windows`,
  reservedName: (name: string) => `${quote(name)} is the name of a device on Windows`,
  trailingDotOrSpace: (name: string) => `Windows strips the trailing dots and spaces from ${quote(name)}`,
} as const;

/** Problems with a file, as clauses for `pathFailures.ioError` and `pathFailures.unsupportedEncoding`. */
export const fileProblems = {
  notRegular: (kind: keyof typeof fileKinds) => `it is ${fileKinds[kind]}, not a regular file`,
  binary: () => "a binary file (it contains a NUL)",
  notUtf8: () => "not valid UTF-8",
  notUtf16: () => "not valid UTF-16",
  /** `code`: the system's error code, such as `EACCES`. */
  system: (code: string) => systemReasons[code] ?? `the system reports ${code}`,
} as const;

/** Warns the user about workspace folders, named by their paths or URIs, that do not exist on the server's machine. */
export function absentFolders(folders: readonly string[]): string {
  const [first = "", ...more] = folders;
  const named = `${quote(first, 200)}${more.length === 0 ? "" : ` and ${more.length} more`}`;
  return `multi-edit-language-server: the workspace folder ${named} does not exist on the machine on which this server runs, so files in it can be neither read nor changed. If the editor runs on another machine or in a container, start the server where the files are, or mount the folder at the same path there.`;
}

/** Problems with a directory that must be private to the user, as clauses for `folderProblems.unusable`. */
export const folderProblems = {
  unusable: (path: string, problem: string) => `the directory ${quote(path, 200)} ${problem}`,
  noDirectory: "is a link or a file, not a directory",
  relative: "has a relative path, because the home directory (the variable HOME) is not an absolute path",
  notPrivate:
    "belongs to another user or is accessible to others; remove it, or make yourself its owner and set its mode to 700",
  system: (code: string) => `can't be used (the system reports ${code})`,
} as const;

const fileKinds = {
  link: "a symbolic link",
  pipe: "a pipe",
  socket: "a socket",
  device: "a device",
  other: "a pipe, a socket or a device",
} as const;

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ELOOP: "its symbolic links form a loop",
  ENOTDIR: "part of its path is not a directory",
  EISDIR: "it is a directory",
  ENOMEDIUM: "its disk is not mounted",
  ENAMETOOLONG: "a name in its path is too long",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EIO: "the disk reports an error",
  ENOSPC: "no space is left on the disk",
  // Linux's EDQUOT, for which Node has no name.
  "Unknown system error -122": "the user's disk quota is exceeded",
  EFBIG: "it would exceed the maximum file size",
  EBUSY: "another program is using it",
  ETXTBSY: "it is a running program",
  ESTALE: "a directory in its path was replaced in the meantime",
};

/** Problems with the editor's messages about a document, as clauses for `pathFailures.desynced`. */
export const syncProblems = {
  badUri: () => "a message has no URI",
  notOpen: (what: "change" | "close") => `a ${what} was reported, but the document is not open`,
  badText: () => "it was opened without text",
  badVersion: (version: unknown) => `its version is ${typeof version === "number" ? version : "not a number"}`,
  versionNotGreater: (version: number, held: number) => `version ${version} came after version ${held}`,
  badChanges: () => "its changes are not a list",
  badChange: (at: number) => `change ${at} is neither a full text nor a range with its new text`,
  reversedRange: (at: number) => `the range of change ${at} ends before it starts`,
  badRange: (at: number) => `the range of change ${at} is outside the text or splits a character`,
  tooLong: (length: number, limit: number) =>
    `its text would be ${length.toLocaleString("en")} characters long; the limit is ${limit.toLocaleString("en")}`,
} as const;

/** Failures caused by changes to a text or file since the plan was made. */
export const staleFailures = {
  contentModified: (at: At, problem: string) =>
    makeFailure("contentModified", at, {
      problem: `${nameOf(at)} has changed: ${problem}.`,
      hint: "Read it again and send the call again.",
    }),
} as const;

/** Changes to a file since the plan was made, as clauses for `staleFailures.contentModified`. */
export const staleProblems = {
  fileChanged: "it is no longer the file that the call was planned for",
  nameTaken: "a file with that name now exists",
} as const;

/** The forms that a setting's value must have. */
export const settingForms = {
  folder: "the absolute path of a folder, or a path that starts with ~/",
  scheme: 'a scheme such as "chat", without a colon',
  name: "a name, or names with slashes between them, or - or + and a name",
  names:
    "some of its items begin with + or -, but not all; put either + or - before every item, to change the default list, or before none, to replace it",
  pattern:
    'a path such as "infra/**" or "*.lock", in which only *, ** and ? are special, without a leading ! or ~, braces, or ".."',
  confirm: '"never", "protected", "always", or a list of rules such as { "files": "infra/**", "ask": "always" }',
} as const;

/** Warnings about unusable settings. */
export const settingWarnings = {
  /** `key`: the value's key; `undefined` if the value was sent in place of the whole settings object. */
  notAnObject: (key: string | undefined, value: unknown) => {
    const [what, ignored] = key === undefined ? ["The settings are", "they are"] : [`The setting "${key}" is`, "it is"];
    return `${what} ${Array.isArray(value) ? "a list" : `a ${typeof value}`}, not an object; ${ignored} ignored.`;
  },
  /** `near`: the setting that was probably meant by the first key; `undefined` if there is none. */
  unknown: ([first = "", ...others]: readonly string[], near: string | undefined, known: readonly string[]) => {
    const guess = near === undefined ? "" : ` (did you mean ${quote(near)}?)`;
    const shown = others.slice(0, 3).map((key) => ` or ${quote(key, 30)}`);
    const left = others.length - shown.length;
    const more = left === 0 ? "" : ` or ${left.toLocaleString("en")} other${left === 1 ? "" : "s"}`;
    return `There is no setting ${quote(first)}${guess}${shown.join("")}${more}; the settings are ${known.join(", ")}.`;
  },
  /** Names the invalid part of the value, the form that this part must have, and the value used instead. */
  unusable: (key: string, value: unknown, [first]: readonly BaseIssue<unknown>[], current: unknown) => {
    const place = [key, ...(first === undefined ? [] : issuePath(first))].join(".");
    const problem =
      first === undefined ? "it is invalid" : first.type === "check" ? first.message : schemaProblem(first, value);
    const list = (length: number): string => (length === 0 ? "an empty list" : `a list of length ${length}`);
    const instead = Array.isArray(current) ? list(current.length) : JSON.stringify(current);
    return `The setting "${place}" can't be used: ${clip(problem, 200)}. The server uses ${instead} instead.`;
  },
  /** `near`: the name that was probably meant; `undefined` if there is none. */
  removesNothing: (name: string, near: string | undefined) =>
    `The setting "protectedNames" has the item ${quote(`-${name}`)}, but the default list has no ${quote(name)}${near === undefined ? "" : ` (did you mean ${quote(near)}?)`}, so the item changes nothing.`,
  /** Follows the warnings about the user's settings file. */
  closed: "Until this is corrected, no file is changed without the user's consent.",
  /** The message that the editor shows. */
  shown: (problems: readonly string[]) => `multi-edit: ${problems.join(" ")} All other settings are in force.`,
} as const;
