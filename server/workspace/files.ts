/** Files as texts: read strictly, since what can't be decoded without loss is refused and left alone, and written as they were. */
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

/** How a file's text is written in bytes; the UTF-16 ones always with a byte order mark. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/** A file that was read. */
export interface TextFile {
  /** Without the byte order mark. */
  readonly text: string;
  readonly bom: boolean;
  readonly encoding: Encoding;
  /** SHA-256 of the bytes, in hex; `undefined`: it was not asked for. */
  readonly hash?: string | undefined;
  /** Bytes. */
  readonly size: number;
}

/** The result of reading a path. */
export type FileRead =
  | ({ readonly kind: "text" } & TextFile)
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly failure: Failure };

/**
 * Reads a file of at most `limits.fileBytes`. `path` is canonical: a symbolic link at its end is not followed. `name` is
 * what failures call it; `isRegular` says that somebody has just seen a regular file there, `isQuick` that it need not be waited
 * for, since it is one of a few.
 */
export async function readTextFile(
  path: string,
  name: string = path,
  { isRegular, isHashed, isQuick }: HowToRead = unknownFile,
): Promise<FileRead> {
  try {
    // Looked at before it is opened, because opening a device can set it going.
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

/** In what the texts that an editor syncs may differ from the files that they are saved as. */
export interface SaveHabits {
  /** Whether every line end is synced as LF, whatever the file has. */
  readonly syncsLf: boolean;
  /** Whether a last line without an end gets one in the file. */
  readonly endsLastLine: boolean;
}

/**
 * Whether a file that is read holds the text of an open document, byte order marks and the editor's habits aside; otherwise
 * compared exactly. `undefined`: there is no file, or none that can be read as text.
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

/** Why a file can't be written, or created with the directories it needs; `undefined`: it seems that it can. */
export async function refuseWrite(path: string, name: string = path): Promise<Failure | undefined> {
  let at = path;
  for (;;) {
    try {
      // A directory that can't be entered has refused the look at what is missing in it.
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

/** To read a file. Since the last look it may have been exchanged: never wait for a pipe, never follow a link. */
export const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Why a file can't be written, by the system's error; `otherwise` is said of all that is not a missing permission. */
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

/** As numbers, because a file is closed at once where another thread need not be asked to. */
const open = promisify(fs.open);
const read = promisify(fs.read);

async function readOpened(fd: number, name: string, isHashed: boolean): Promise<FileRead> {
  // To wait for another thread takes longer than to ask for what the system has at hand, now that the file is open.
  const stats = fs.fstatSync(fd);
  const refusal = refuseKind(stats, name);
  if (refusal !== undefined) return { kind: "failed", failure: refusal };
  const buffer = Buffer.allocUnsafe(stats.size + 1);
  const length =
    stats.size <= small
      ? fs.readSync(fd, buffer, 0, buffer.length, 0)
      : (await read(fd, buffer, 0, buffer.length, 0)).bytesRead;
  // All that was expected came, and of the byte after it, which was asked for, nothing: that is the end.
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

/** Why something at a path is not read; `undefined`: it is a regular file of at most `limits.fileBytes`. `name`: for the failure. */
export function refuseKind(stats: Stats, name: string): Failure | undefined {
  if (stats.isDirectory()) return pathFailures.isDirectory(name);
  if (!stats.isFile()) return pathFailures.ioError(name, fileProblems.notRegular(specialKind(stats)));
  if (stats.size > limits.fileBytes) return pathFailures.tooLarge(name, stats.size, limits.fileBytes, "bytes");
  return undefined;
}

/** Something that is neither a file nor a directory. */
function specialKind(stats: Stats): "link" | "pipe" | "socket" | "device" {
  if (stats.isSymbolicLink()) return "link";
  if (stats.isFIFO()) return "pipe";
  return stats.isSocket() ? "socket" : "device";
}

/** Bytes that are read in no time. */
const small = 65_536;

/**
 * All bytes of an open file; of one that has more than `most`, one byte more than that. `buffer`, of at most so many, holds the
 * first `length` of them already.
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

/** SHA-256, in hex. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The text of a file's bytes, or why there is none, as the clause that `pathFailures.unsupportedEncoding` takes. */
export type DecodedText =
  | { readonly ok: true; readonly text: string; readonly encoding: Encoding; readonly bom: boolean }
  | { readonly ok: false; readonly problem: string };

/** Decodes strictly: bytes that two texts could stand for, or none, are refused. */
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

/** By hand, because Node's own decoder knows big endian only where it was built with all of ICU. */
function decodeUtf16(bytes: Buffer, encoding: "utf-16le" | "utf-16be"): DecodedText {
  if (bytes.length % 2 === 1) return { ok: false, problem: fileProblems.notUtf16() };
  const littleEndian = encoding === "utf-16le" ? bytes : Buffer.from(bytes).swap16();
  const text = littleEndian.toString("utf16le", 2);
  if (text.includes("\0")) return { ok: false, problem: fileProblems.binary() };
  if (!text.isWellFormed()) return { ok: false, problem: fileProblems.notUtf16() };
  return { ok: true, text, encoding, bom: true };
}

/**
 * The bytes of a text that has no byte order mark; with `bom` they get one. A text that did not change has its old bytes again,
 * because decoding is strict: an encoding has one sequence of bytes for a text.
 */
export function encodeText(text: string, { encoding, bom }: Pick<TextFile, "encoding" | "bom">): Buffer {
  const marked = bom ? byteOrderMark + text : text;
  if (encoding === "utf-8") return Buffer.from(marked, "utf8");
  const littleEndian = Buffer.from(marked, "utf16le");
  return encoding === "utf-16le" ? littleEndian : littleEndian.swap16();
}
