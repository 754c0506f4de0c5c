/** Reads files as text, refuses those that can't be decoded without loss, and encodes text in its file's encoding. */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { Failure } from "../plan/failure.js";
import { byteOrderMark, withoutMark } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { codeOf } from "./identity.js";
import { fileProblems, pathFailures } from "./sentences.js";

/** The encoding of a file's text. A file in UTF-16 always has a byte order mark. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/** A text file that was read. */
export interface TextFile {
  /** Without the byte order mark. */
  readonly text: string;
  readonly bom: boolean;
  readonly encoding: Encoding;
  /** SHA-256 of the bytes, in hex; `undefined` if the caller did not ask for it. */
  readonly hash?: string | undefined;
  /** In bytes. */
  readonly size: number;
}

/** The result of reading a file. */
export type FileRead =
  | ({ readonly kind: "text" } & TextFile)
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly failure: Failure };

/**
 * Reads a file of at most `limits.fileBytes`. `path` is canonical: a symbolic link at its end is not followed. `name`:
 * the name of the file in failures. `isRegular`: the caller has just seen that the file is regular. `isQuick`: the call
 * reads only a few files, so this one may be opened synchronously.
 */
export async function readTextFile(
  path: string,
  name: string = path,
  { isRegular, isHashed, isQuick }: HowToRead = unknownFile,
): Promise<FileRead> {
  try {
    // The path is checked before it is opened, because opening a device can have side effects.
    const refusal = isRegular ? undefined : refuseKind(await stat(path), name);
    if (refusal !== undefined) return { kind: "failed", failure: refusal };
    const fd = isRegular && isQuick ? fs.openSync(path, readFlags) : await open(path, readFlags);
    try {
      return await readOpened(fd, name, isHashed);
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT"
      ? { kind: "absent" }
      : { kind: "failed", failure: pathFailures.ioError(name, fileProblems.system(code)) };
  }
}

/** The ways in which the text that an editor syncs may differ from the file in which it saves the text. */
export interface SaveHabits {
  /** `true` if the editor syncs every line end as LF, whatever line ends the file has. */
  readonly syncsLf: boolean;
  /** `true` if the editor, when it saves a file, adds a line end to a last line that has none. */
  readonly endsLastLine: boolean;
}

/**
 * Compares the text of an open document with a file that was read. Ignores byte order marks and differences that the
 * editor's habits explain. Returns `undefined` if there is no file or the file can't be read as text.
 */
export function compareWithFile(text: string, file: FileRead, habits: SaveHabits): "same" | "differs" | undefined {
  if (file.kind !== "text") return undefined;
  const synced = withoutMark(text);
  if (synced === file.text) return "same";
  const { syncsLf, endsLastLine } = habits;
  if (!syncsLf && !endsLastLine) return "differs";
  const saved = syncsLf ? file.text.replaceAll("\r\n", "\n") : file.text;
  const isSame = saved === synced || (endsLastLine && (saved === `${synced}\n` || saved === `${synced}\r\n`));
  return isSame ? "same" : "differs";
}

/** Compares the text of an open document with the file at a canonical path, as `compareWithFile` does. */
export async function sameAsDisk(
  text: string,
  path: string,
  habits: SaveHabits,
): Promise<"same" | "differs" | undefined> {
  return compareWithFile(text, await readTextFile(path), habits);
}

/** Returns why a file can't be written or created; `undefined` if nothing seems to prevent it. */
export async function refuseWrite(path: string, name: string = path): Promise<Failure | undefined> {
  let at = path;
  for (;;) {
    try {
      // If a directory can't be entered, the check of the name below it has already failed with another error.
      await access(at, constants.W_OK);
      return undefined;
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || dirname(at) === at) return refusedBy(error, name);
      at = dirname(at);
    }
  }
}

interface HowToRead {
  readonly isRegular: boolean;
  readonly isHashed: boolean;
  readonly isQuick: boolean;
}

const unknownFile: HowToRead = { isRegular: false, isHashed: true, isQuick: false };

/**
 * Flags with which opening a file neither waits for a pipe nor follows a link, either of which may have replaced the
 * file since it was checked.
 */
export const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Turns a system error into a failure to write: `readOnly` if permission was denied, else the one from `otherwise`. */
export function refusedBy(
  error: unknown,
  name: string,
  otherwise: (name: string, problem: string) => Failure = pathFailures.ioError,
): Failure {
  const code = codeOf(error);
  return ["EACCES", "EPERM", "EROFS"].includes(code)
    ? pathFailures.readOnly(name)
    : otherwise(name, fileProblems.system(code));
}

/** Opens a file as a numeric descriptor, because a `FileHandle` can't be closed synchronously. */
const open = promisify(fs.open);
const read = promisify(fs.read);

async function readOpened(fd: number, name: string, isHashed: boolean): Promise<FileRead> {
  // Now that the file is open, the system has this information at hand; an asynchronous call would take longer.
  const stats = fs.fstatSync(fd);
  const refusal = refuseKind(stats, name);
  if (refusal !== undefined) return { kind: "failed", failure: refusal };
  const buffer = Buffer.allocUnsafe(stats.size + 1);
  const length =
    stats.size <= small
      ? fs.readSync(fd, buffer, 0, buffer.length, 0)
      : (await read(fd, buffer, 0, buffer.length, 0)).bytesRead;
  // If all expected bytes were read, but not the extra byte that was requested, this is the end of the file.
  const isAll = length === stats.size;
  const bytes = isAll ? buffer.subarray(0, length) : readRest(fd, buffer, length, limits.fileBytes);
  if (bytes.length > limits.fileBytes) {
    return { kind: "failed", failure: pathFailures.tooLarge(name, bytes.length, limits.fileBytes, "bytes") };
  }
  const decoded = decodeBytes(bytes);
  if (!decoded.ok) return { kind: "failed", failure: pathFailures.unsupportedEncoding(name, decoded.problem) };
  const { text, encoding, bom } = decoded;
  return { kind: "text", text, bom, encoding, hash: isHashed ? hashOf(bytes) : undefined, size: bytes.length };
}

/** Returns why a file must not be read; `undefined` for a regular file of up to `limits.fileBytes`. */
export function refuseKind(stats: Stats, name: string): Failure | undefined {
  if (stats.isDirectory()) return pathFailures.isDirectory(name);
  if (!stats.isFile()) return pathFailures.ioError(name, fileProblems.notRegular(specialKind(stats)));
  if (stats.size > limits.fileBytes) return pathFailures.tooLarge(name, stats.size, limits.fileBytes, "bytes");
  return undefined;
}

/** Returns the kind of a directory entry that is neither a regular file nor a directory. */
function specialKind(stats: Stats): "link" | "pipe" | "socket" | "device" {
  if (stats.isSymbolicLink()) return "link";
  if (stats.isFIFO()) return "pipe";
  return stats.isSocket() ? "socket" : "device";
}

/** The size, in bytes, of the largest file that is read synchronously. */
const small = 65_536;

/**
 * Reads an open file to its end, but at most `most + 1` bytes, and returns the bytes. `buffer`, which has room for at
 * most `most + 1` bytes, already holds the first `length` bytes of the file.
 */
export function readRest(fd: number, buffer: Buffer, length: number, most: number): Buffer {
  let [bytes, held] = [buffer, length];
  while (held <= most) {
    if (held === bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(held * 2 + 4096, most + 1));
      bytes.copy(larger);
      bytes = larger;
    }
    const count = fs.readSync(fd, bytes, held, bytes.length - held, held);
    if (count === 0) break;
    held += count;
  }
  return bytes.subarray(0, held);
}

/** Returns the SHA-256 hash, in hex, of the given bytes or of a string encoded as UTF-8. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The text of a file, or the problem with its bytes, as a clause for `pathFailures.unsupportedEncoding`. */
export type DecodedText =
  | { readonly ok: true; readonly text: string; readonly encoding: Encoding; readonly bom: boolean }
  | { readonly ok: false; readonly problem: string };

/** Decodes strictly: refuses bytes that can be decoded in several ways, or that are not text. */
export function decodeBytes(bytes: Buffer): DecodedText {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, "utf-16le");
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, "utf-16be");
  if (bytes.includes(0)) return { ok: false, problem: fileProblems.binary() };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ok: true, text: withoutMark(text), encoding: "utf-8", bom: text.startsWith(byteOrderMark) };
  } catch {
    return { ok: false, problem: fileProblems.notUtf8() };
  }
}

/** Decodes by hand, because Node's own decoder supports big-endian text only if Node was built with full ICU. */
function decodeUtf16(bytes: Buffer, encoding: "utf-16le" | "utf-16be"): DecodedText {
  if (bytes.length % 2 === 1) return { ok: false, problem: fileProblems.notUtf16() };
  const littleEndian = encoding === "utf-16le" ? bytes : Buffer.from(bytes).swap16();
  const text = littleEndian.toString("utf16le", 2);
  if (text.includes("\0")) return { ok: false, problem: fileProblems.binary() };
  if (!text.isWellFormed()) return { ok: false, problem: fileProblems.notUtf16() };
  return { ok: true, text, encoding, bom: true };
}

/**
 * Encodes text that has no byte order mark; `bom` adds one. Text that was decoded from a file and is unchanged yields
 * the same bytes again: because decoding is strict, each text has only one sequence of bytes in each encoding.
 */
export function encodeText(text: string, { encoding, bom }: Pick<TextFile, "encoding" | "bom">): Buffer {
  const marked = bom ? byteOrderMark + text : text;
  if (encoding === "utf-8") return Buffer.from(marked, "utf8");
  const littleEndian = Buffer.from(marked, "utf16le");
  return encoding === "utf-16le" ? littleEndian : littleEndian.swap16();
}
