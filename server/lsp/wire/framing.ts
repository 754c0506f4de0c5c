/**
 * The base protocol's frames as bytes: a strict decoder, because one wrong header leaves no way to find the next
 * message, and a silent connection is worse for the user than one that ends with a reason.
 */
import { limits } from "../../text/limits.js";
import { frameFaults } from "./sentences.js";

/** Receives what the decoder finds; neither function may throw. */
export interface FrameSink {
  /** The body of one message; the bytes are only lent until this returns. */
  body(bytes: Buffer): void;
  /** Why the stream can't be read any further, as the end of a sentence; called once, and nothing after it. */
  fault(reason: string): void;
}

/**
 * Decodes the frames of the LSP base protocol: a header block of at most `limits.headerBytes` whose lines end in CRLF,
 * with exactly one `Content-Length` of 1 to `limits.messageBytes`, in decimal digits, and at most one `Content-Type`
 * whose charset is UTF-8. Everything else is a fault as soon as it can be seen. Linear in the bytes, however they are cut.
 */
export function createFrameDecoder(sink: FrameSink) {
  /** The header block so far: its first `headerUsed` bytes, of which the last line begins at `lineStart`. */
  const header = Buffer.alloc(limits.headerBytes);
  let headerUsed = 0;
  let lineStart = 0;
  let fields: HeaderFields = {};
  /** Bytes of the body that follows a whole header block; 0: the header is not whole yet. */
  let bodyLength = 0;
  /** The first `bodyUsed` bytes of a body that comes in several pieces. */
  let body: Buffer = Buffer.alloc(0);
  let bodyUsed = 0;
  let isBroken = false;

  /** Takes the bytes of one stream in order, in pieces of any size. */
  function push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !isBroken) {
      if (bodyLength > 0) {
        at += takeBodyBytes(chunk.subarray(at));
        continue;
      }
      const problem = takeHeaderByte(chunk[at++]!);
      if (problem === undefined) continue;
      isBroken = true;
      sink.fault(frameFaults.after(problem, header.subarray(0, headerUsed)));
    }
  }

  /** Gives what is wrong with the byte, as a clause; `undefined`: nothing. */
  function takeHeaderByte(byte: number): string | undefined {
    if (headerUsed === header.length) return frameFaults.longHeader;
    const isBreak = byte === carriageReturn || byte === lineFeed;
    if (!isBreak && byte !== tab && (byte < firstPrintable || byte > lastPrintable)) return frameFaults.byte(byte);
    const afterReturn = headerUsed > 0 && header[headerUsed - 1] === carriageReturn;
    header[headerUsed++] = byte;
    if ((byte === lineFeed) !== afterReturn) return frameFaults.lineEnd;
    if (byte !== lineFeed) return undefined;
    const line = header.toString("latin1", lineStart, headerUsed - 2);
    lineStart = headerUsed;
    if (line !== "") return readField(line, fields);
    if (fields.length === undefined) return frameFaults.noLength;
    bodyLength = fields.length;
    headerUsed = 0;
    lineStart = 0;
    fields = {};
    return undefined;
  }

  /** Gives how many of the bytes belong to the body. A body that comes in one piece is not copied. */
  function takeBodyBytes(bytes: Buffer): number {
    const count = Math.min(bytes.length, bodyLength - bodyUsed);
    let whole = bytes.subarray(0, count);
    if (count < bodyLength) {
      if (bodyUsed + count > body.length) body = enlarged(body, { least: bodyUsed + count, most: bodyLength });
      bytes.copy(body, bodyUsed, 0, count);
      bodyUsed += count;
      if (bodyUsed < bodyLength) return count;
      whole = body.subarray(0, bodyLength);
    }
    bodyLength = 0;
    bodyUsed = 0;
    body = Buffer.alloc(0);
    sink.body(whole);
    return count;
  }

  /** Tells whether the bytes so far end in the middle of a message. */
  const isInsideFrame = (): boolean => !isBroken && (bodyLength > 0 || headerUsed > 0);
  return { push, isInsideFrame };
}

/** One message as a frame. `json` is the body's text; its lone surrogates must be escaped, as `JSON.stringify` does. */
export function encodeFrame(json: string): Buffer {
  const length = Buffer.byteLength(json);
  const head = `Content-Length: ${length}\r\n\r\n`;
  const frame = Buffer.allocUnsafe(head.length + length);
  frame.write(head, "latin1");
  frame.write(json, head.length, "utf8");
  return frame;
}

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const tab = 0x09;
const firstPrintable = 0x20;
const lastPrintable = 0x7e;

/** Doubled rather than taken at once: a length that is announced but never sent must not cost its memory. */
function enlarged(store: Buffer, { least, most }: { least: number; most: number }): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(most, Math.max(least, 2 * store.length, 4096)));
  store.copy(larger);
  return larger;
}

/** The lines of one header block so far. */
interface HeaderFields {
  /** Bytes of the body; 1 to `limits.messageBytes`. */
  length?: number;
  type?: string;
}

/** Adds what a header line says; gives what is wrong with it, as a clause, `undefined`: nothing. */
function readField(line: string, fields: HeaderFields): string | undefined {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
  const value = line.slice(colon + 1).trim();
  if (name === "content-length") {
    if (fields.length !== undefined) return frameFaults.twoLengths;
    if (!/^[0-9]+$/.test(value)) return frameFaults.noNumber;
    const length = Number(value);
    if (length < 1) return frameFaults.emptyBody;
    if (length > limits.messageBytes) return frameFaults.largeBody;
    fields.length = length;
    return undefined;
  }
  if (name !== "content-type") return frameFaults.unknownField;
  if (fields.type !== undefined) return frameFaults.twoTypes;
  const charset = /;[ \t]*charset[ \t]*=[ \t]*"?([^"; \t]*)/i.exec(value)?.[1] ?? "utf-8";
  // `utf8` is not a registered name, but the protocol's first clients sent it and the specification keeps it alive.
  if (!/^utf-?8$/i.test(charset)) return frameFaults.charset;
  fields.type = value;
  return undefined;
}
