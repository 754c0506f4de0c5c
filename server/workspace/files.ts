/** Reads files as text, refusing those that can't be decoded losslessly, and encodes text in its file's encoding. */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Failure } from "../plan/failure.js";
import { byteOrderMark, withoutMark } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { codeOf, systemError } from "./identity.js";
import { fileProblems, pathFailures } from "./sentences.js";

/** The encoding of a file's text. A file in UTF-16 always has a byte order mark. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/** The contents of a text file. */
export interface TextFile {
  /** The text without its byte order mark. */
  readonly text: string;
  readonly bom: boolean;
  readonly encoding: Encoding;
  /** SHA-256 of the bytes, in hex; `undefined` if the caller did not ask for it. */
  readonly hash?: string | undefined;
  /** The size in bytes. */
  readonly size: number;
}

/** The result of reading a file. */
export type FileRead =
  | ({ readonly kind: "text" } & TextFile)
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly failure: Failure };

/**
 * Reads a file of at most `limits.fileBytes`. A symbolic link as the last component of `path` is not followed. `name`: the
 * file's name in failures. `isRegular`: `true` if the caller has just checked that the file is regular. `isQuick`: `true`
 * if the call reads only a few files, so the file may be opened synchronously. `isCanonical`: `true` if no other
 * component of `path` may be a link either, as in a path that has been checked.
 */
export async function readTextFile(
  path: string,
  name: string = path,
  { isRegular, isHashed, isQuick, isCanonical }: HowToRead = unknownFile,
): Promise<FileRead> {
  try {
    // The file is checked before it is opened, because opening a device can have side effects.
    const refusal = isRegular ? undefined : refuseKind(await stat(path), name);
    if (refusal !== undefined) return { kind: "failed", failure: refusal };
    const fd =
      isRegular && isQuick ? within(path, (at) => fs.openSync(at, readFlags)) : await openLater(path, { isCanonical });
    try {
      return await readOpened(fd, name, isHashed);
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" ? { kind: "absent" } : { kind: "failed", failure: readFailure(name, code) };
  }
}

/** Reads a file as `readTextFile` does, but computes no hash: its text is only compared with another one. */
export function readToCompare(path: string): Promise<FileRead> {
  return readTextFile(path, path, { ...unknownFile, isHashed: false });
}

/** Returns the failure for a file that the system does not let the server read; `code` is the system's reason. */
export function readFailure(name: string, code: string): Failure {
  return code === inUse ? pathFailures.inUse(name) : pathFailures.ioError(name, fileProblems.system(code));
}

/** The system's code for a file that another program holds without sharing it, which is common on Windows. */
export const inUse = "EBUSY";

/** The ways that an editor's synced text may differ from the file it is saved to. */
export interface SaveHabits {
  /** `true` if the editor syncs every line ending as LF, whatever line endings the file has. */
  readonly syncsLf: boolean;
  /** `true` if the editor makes all line endings of a file the same when it opens it. */
  readonly endsLinesAlike?: boolean;
  /** `true` if the editor adds a missing line ending to the last line when it saves a file. */
  readonly endsLastLine: boolean;
}

/** Compares a document with its file, but for marks and the editor's habits; `undefined` if it has no text file. */
export function compareWithFile(text: string, file: FileRead, habits: SaveHabits): "same" | "differs" | undefined {
  if (file.kind !== "text") return undefined;
  const synced = withoutMark(text);
  if (synced === file.text) return "same";
  const { syncsLf, endsLastLine, endsLinesAlike = false } = habits;
  if (endsLinesAlike) return withLf(file.text) === withLf(synced) ? "same" : "differs";
  if (!syncsLf && !endsLastLine) return "differs";
  const saved = syncsLf ? file.text.replaceAll("\r\n", "\n") : file.text;
  const isSame = saved === synced || (endsLastLine && (saved === `${synced}\n` || saved === `${synced}\r\n`));
  return isSame ? "same" : "differs";
}

const withLf = (text: string): string => text.replace(/\r\n?/g, "\n");

/** Compares an open document's text with the file at a canonical path, as `compareWithFile` does. */
export async function sameAsDisk(
  text: string,
  path: string,
  habits: SaveHabits,
): Promise<"same" | "differs" | undefined> {
  return compareWithFile(text, await readToCompare(path), habits);
}

/** The characters of the bytes 0x80 to 0x9F in Windows-1252; Node's own decoder takes them for control characters. */
const windowsCharacters = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Reports whether a file has a document's text in ISO 8859-1 or Windows-1252, and is neither UTF-8 nor UTF-16. */
export function isSameInOneByte(text: string, path: string, habits: SaveHabits): boolean {
  try {
    if (fs.statSync(path).size > limits.fileBytes) return false;
    const bytes = fs.readFileSync(path);
    const latin1 = bytes.toString("latin1");
    const windows1252 = latin1.replace(/[\x80-\x9f]/g, (one) => windowsCharacters[one.charCodeAt(0) - 0x80] ?? one);
    const file = { kind: "text", bom: false, encoding: "utf-8", size: bytes.length } as const;
    return [latin1, windows1252].some((one) => compareWithFile(text, { ...file, text: one }, habits) === "same");
  } catch {
    return false;
  }
}

/**
 * Calls `act` again for as long as another program holds the file without sharing it, at most for `limits.heldFileMs`;
 * returns the last result. `failureOf`: the failure in a result, if any.
 */
export async function untilReleased<T>(
  act: () => Promise<T>,
  failureOf: (result: T) => Failure | undefined,
): Promise<T> {
  const until = performance.now() + limits.heldFileMs;
  for (;;) {
    const result = await act();
    if (failureOf(result)?.code !== "locked" || performance.now() >= until) return result;
    await delay(limits.heldFileMs / 20);
  }
}

/**
 * Returns a failure that says why a file can't be written or created; `undefined` if nothing seems to prevent it. Waits for
 * another program that holds the file, as `untilReleased` does.
 */
export async function refuseWrite(path: string, name: string = path): Promise<Failure | undefined> {
  let at = path;
  const until = performance.now() + limits.heldFileMs;
  for (;;) {
    try {
      // If a directory can't be entered, checking the path below it has already failed with an error other than ENOENT.
      await access(at, constants.W_OK);
      // Only on Windows can a program keep others from opening a file.
      if (process.platform === "win32" && at === path) fs.closeSync(await open(path, constants.O_RDWR));
      return undefined;
    } catch (error) {
      if (codeOf(error) === inUse && performance.now() < until) {
        await delay(limits.heldFileMs / 20);
        continue;
      }
      if (codeOf(error) !== "ENOENT" || dirname(at) === at) return refusedBy(error, name);
      at = dirname(at);
    }
  }
}

interface HowToRead {
  readonly isRegular: boolean;
  readonly isHashed: boolean;
  readonly isQuick: boolean;
  readonly isCanonical: boolean;
}

const unknownFile: HowToRead = { isRegular: false, isHashed: true, isQuick: false, isCanonical: false };

/** Flag for refusing a link as the last component of a path; 0 on systems that lack it. */
export const noFollow = constants.O_NOFOLLOW ?? 0;

/** Flags for opening a file that may have become a pipe or a link, which are neither waited for nor followed. */
export const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | noFollow;

/** Converts a system error to a failure: `readOnly` without permission, `locked` if held, else `otherwise`. */
export function refusedBy(
  error: unknown,
  name: string,
  otherwise: (name: string, problem: string) => Failure = pathFailures.ioError,
): Failure {
  const code = codeOf(error);
  if (code === inUse) return pathFailures.inUse(name);
  return ["EACCES", "EPERM", "EROFS"].includes(code)
    ? pathFailures.readOnly(name)
    : otherwise(name, fileProblems.system(code));
}

/** Opens a file and returns a numeric descriptor, because a `FileHandle` can't be closed synchronously. */
const open = promisify(fs.open);
const read = promisify(fs.read);

/** Opens a file asynchronously, through a descriptor of its directory if the path is canonical. */
async function openLater(path: string, { isCanonical }: Pick<HowToRead, "isCanonical">): Promise<number> {
  const directory = dirname(path);
  if (!canHold || !isCanonical || directory === path) return open(path, readFlags);
  const fd = hold(directory);
  try {
    return await open(`/proc/self/fd/${fd}/${basename(path)}`, readFlags);
  } finally {
    fs.closeSync(fd);
  }
}

async function readOpened(fd: number, name: string, isHashed: boolean): Promise<FileRead> {
  // Once the file is open, the system has its metadata at hand, so an asynchronous call would take longer.
  const stats = fs.fstatSync(fd);
  const refusal = refuseKind(stats, name);
  if (refusal !== undefined) return { kind: "failed", failure: refusal };
  const buffer = Buffer.allocUnsafe(stats.size + 1);
  const length =
    stats.size <= small
      ? fs.readSync(fd, buffer, 0, buffer.length, 0)
      : (await read(fd, buffer, 0, buffer.length, 0)).bytesRead;
  // One byte more than the expected size was requested. If exactly the expected number arrived, the file ends here.
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

/** The maximum size, in bytes, of a file that is read synchronously. */
const small = 65_536;

/** Reads the rest of an open file, up to `most + 1` bytes in all. `buffer` already holds the first `length`. */
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

/** A file's text, or the problem with its bytes, as a clause for `pathFailures.unsupportedEncoding`. */
export type DecodedText =
  | { readonly ok: true; readonly text: string; readonly encoding: Encoding; readonly bom: boolean }
  | { readonly ok: false; readonly problem: string };

/** Decodes strictly: refuses bytes that are not text, or that could be decoded in more than one way. */
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

/** Encodes text; `bom` adds a mark. Decoding is strict, so unchanged text gets its own bytes back. */
export function encodeText(text: string, { encoding, bom }: Pick<TextFile, "encoding" | "bom">): Buffer {
  const marked = bom ? byteOrderMark + text : text;
  if (encoding === "utf-8") return Buffer.from(marked, "utf8");
  const littleEndian = Buffer.from(marked, "utf16le");
  return encoding === "utf-16le" ? littleEndian : littleEndian.swap16();
}

/** Flags for holding a directory open even if it can't be listed. `0o10000000` is O_PATH on Linux. */
const holdDirectory = 0o10000000 | constants.O_DIRECTORY | noFollow;

/** `true` if, on this system, a directory can be held open while a file in it is accessed. */
export const canHold = process.platform === "linux" && fs.existsSync("/proc/self/fd");

/** Calls `act`, on Linux with a path by a held parent directory. `ESTALE`: a link has replaced a directory. */
export function within<R>(path: string, act: (reachable: string) => R): R {
  const directory = dirname(path);
  if (!canHold || directory === path) return act(path);
  const fd = hold(directory);
  try {
    return act(`/proc/self/fd/${fd}/${basename(path)}`);
  } finally {
    fs.closeSync(fd);
  }
}

/** Opens a directory, and throws `ESTALE` if its path leads through a link. */
function hold(directory: string): number {
  let fd: number;
  try {
    fd = fs.openSync(directory, holdDirectory);
  } catch (error) {
    const isLink = fs.lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    throw isLink ? systemError("ESTALE", `${directory} is a link`) : error;
  }
  const real = fs.readlinkSync(`/proc/self/fd/${fd}`);
  if (real === directory) return fd;
  fs.closeSync(fd);
  throw systemError("ESTALE", `${directory} is ${real}`);
}
