/** Reads files as text, strictly: what can't be decoded without loss is refused and left alone. */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { Failure } from "../plan/failure.js";
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
  readonly hash?: string;
  /** Bytes. */
  readonly size: number;
}

/** What reading a path came to. */
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
      const code = codeOf(error);
      if (code === "ENOENT" && dirname(at) !== at) at = dirname(at);
      else return refusedBy(code, name);
    }
  }
}

/** A text without the byte order mark that it may start with. */
export function withoutMark(text: string): string {
  return text.startsWith(mark) ? text.slice(1) : text;
}

interface HowToRead {
  readonly isRegular: boolean;
  readonly isHashed: boolean;
  readonly isQuick: boolean;
}

const unknownFile: HowToRead = { isRegular: false, isHashed: true, isQuick: false };

const mark = "\ufeff";

/** Between the look and the opening the file may have been exchanged: never wait for a pipe, never follow a link. */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

function refusedBy(code: string, name: string): Failure {
  return ["EACCES", "EPERM", "EROFS"].includes(code)
    ? pathFailures.readOnly(name)
    : pathFailures.ioError(name, fileProblems.system(code));
}

/** As numbers, because a file is closed at once where another thread need not be asked to. */
const open = promisify(fs.open);
const read = promisify(fs.read);

async function readOpened(fd: number, name: string, isHashed: boolean): Promise<FileRead> {
  // To wait for another thread takes longer than to ask for what the system has at hand, now that the file is open.
  const stats = fs.fstatSync(fd);
  const refusal = refuseKind(stats, name);
  if (refusal !== undefined) return { kind: "failed", failure: refusal };
  const bytes = readSmall(fd, stats.size) ?? (await readBytes(fd, stats.size));
  if (bytes.length > limits.fileBytes) {
    return { kind: "failed", failure: pathFailures.tooLarge(name, bytes.length, limits.fileBytes, "bytes") };
  }
  const decoded = decodeBytes(bytes);
  if (!decoded.ok) return { kind: "failed", failure: pathFailures.unsupportedEncoding(name, decoded.problem) };
  const { text, encoding, bom } = decoded;
  return {
    kind: "text",
    text,
    bom,
    encoding,
    ...(isHashed ? { hash: createHash("sha256").update(bytes).digest("hex") } : {}),
    size: bytes.length,
  };
}

/** `undefined`: a regular file of a size that is read. */
function refuseKind(stats: Stats, name: string): Failure | undefined {
  if (stats.isDirectory()) return pathFailures.isDirectory(name);
  if (!stats.isFile()) return pathFailures.ioError(name, fileProblems.notRegular(kindOf(stats)));
  if (stats.size > limits.fileBytes) return pathFailures.tooLarge(name, stats.size, limits.fileBytes, "bytes");
  return undefined;
}

/** What something is that is neither a file nor a directory, in words. */
export function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return "a symbolic link";
  if (stats.isFIFO()) return "a pipe";
  if (stats.isSocket()) return "a socket";
  return "a device";
}

/** All bytes of a file that is read in no time; `undefined`: it is large, or has another size than was expected. */
function readSmall(fd: number, expected: number): Buffer | undefined {
  if (expected > small) return undefined;
  const buffer = Buffer.allocUnsafe(expected + 1);
  return fs.readSync(fd, buffer, 0, buffer.length, 0) === expected ? buffer.subarray(0, expected) : undefined;
}

/** Bytes. */
const small = 65_536;

/** All bytes, or one more than the limit of a file that grew meanwhile. */
async function readBytes(fd: number, expected: number): Promise<Buffer> {
  let buffer = Buffer.allocUnsafe(expected + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await read(fd, buffer, length, buffer.length - length, length);
    length += bytesRead;
    // All that was expected came, and of the byte behind it, which was asked for, nothing: that is the end.
    const isAll = bytesRead === 0 || (length === expected && length < buffer.length);
    if (isAll || length > limits.fileBytes) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafe(Math.min(buffer.length * 2 + 4096, limits.fileBytes + 1));
    buffer.copy(larger);
    buffer = larger;
  }
}

/** The text of a file's bytes, or why there is none, as the clause that `pathFailures.unsupportedEncoding` takes. */
export type Decoded =
  | { readonly ok: true; readonly text: string; readonly encoding: Encoding; readonly bom: boolean }
  | { readonly ok: false; readonly problem: string };

/** Decodes strictly: bytes that two texts could stand for, or none, are refused. */
export function decodeBytes(bytes: Buffer): Decoded {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, "utf-16le");
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, "utf-16be");
  if (bytes.includes(0)) return { ok: false, problem: fileProblems.binary() };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ok: true, text: withoutMark(text), encoding: "utf-8", bom: text.startsWith(mark) };
  } catch {
    return { ok: false, problem: fileProblems.notUtf8() };
  }
}

/** By hand, because Node's own decoder knows big endian only where it was built with all of ICU. */
function decodeUtf16(bytes: Buffer, encoding: "utf-16le" | "utf-16be"): Decoded {
  if (bytes.length % 2 === 1) return { ok: false, problem: fileProblems.notUtf16() };
  const littleEndian = encoding === "utf-16le" ? bytes : Buffer.from(bytes).swap16();
  const text = littleEndian.toString("utf16le", 2);
  if (text.includes("\0")) return { ok: false, problem: fileProblems.binary() };
  if (!text.isWellFormed()) return { ok: false, problem: fileProblems.notUtf16() };
  return { ok: true, text, encoding, bom: true };
}
