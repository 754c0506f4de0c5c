/**
 * Decodes and encodes the base protocol's frames. The decoder is strict: after an invalid header, the next message
 * can't be found, and for the user, a connection that goes silent is worse than one that ends with a reason.
 */
import { limits } from "../../text/limits.js";
import { frameFaults } from "./sentences.js";

/** Receives the decoder's output. Neither function may throw. */
export interface FrameSink {
  /** Receives the body of one message. The bytes are valid only until this function returns. */
  body(bytes: Buffer): void;
  /** Called last, with a clause that says why nothing more can be read from the stream. */
  fault(reason: string): void;
}

/**
 * A decoder for the frames of the LSP base protocol: a header block of at most `limits.headerBytes` whose lines end in
 * CRLF, with exactly one `Content-Length` of 1 to `limits.messageBytes`, in decimal digits, and at most one
 * `Content-Type` whose charset is UTF-8. Anything else is reported as a fault as soon as it is seen. Decoding takes
 * linear time, however the input is split into chunks.
 */
export class FrameDecoder {
  /** The header block received so far, `headerUsed` bytes long. The current line starts at `lineStart`. */
  private readonly header = Buffer.alloc(limits.headerBytes);
  private headerUsed = 0;
  private lineStart = 0;
  private fields: HeaderFields = {};
  /** Length in bytes of the body being received; 0 while the header block is incomplete. */
  private bodyLength = 0;
  /** A body that arrives in pieces; its first `bodyUsed` bytes have been received. */
  private body: Buffer = Buffer.alloc(0);
  private bodyUsed = 0;
  private isBroken = false;

  constructor(private readonly sink: FrameSink) {}

  /** Accepts the next chunk of the stream, whatever its size. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.isBroken) {
      if (this.bodyLength > 0) {
        at += this.takeBodyBytes(chunk.subarray(at));
        continue;
      }
      const problem = this.takeHeaderByte(chunk[at++]!);
      if (problem === undefined) continue;
      this.isBroken = true;
      this.sink.fault(frameFaults.after(problem, this.header.subarray(0, this.headerUsed)));
    }
  }

  /** Reports whether the bytes received so far end in the middle of a message. */
  isInsideFrame(): boolean {
    return !this.isBroken && (this.bodyLength > 0 || this.headerUsed > 0);
  }

  /** Accepts a byte of a header block. Returns a clause that describes the problem, or `undefined` if there is none. */
  private takeHeaderByte(byte: number): string | undefined {
    const { header } = this;
    if (this.headerUsed === header.length) return frameFaults.longHeader;
    const isBreak = byte === carriageReturn || byte === lineFeed;
    if (!isBreak && byte !== tab && (byte < firstPrintable || byte > lastPrintable)) return frameFaults.byte(byte);
    const afterReturn = this.headerUsed > 0 && header[this.headerUsed - 1] === carriageReturn;
    header[this.headerUsed++] = byte;
    if ((byte === lineFeed) !== afterReturn) return frameFaults.lineEnd;
    if (byte !== lineFeed) return undefined;
    const line = header.toString("latin1", this.lineStart, this.headerUsed - 2);
    this.lineStart = this.headerUsed;
    if (line !== "") return readField(line, this.fields);
    if (this.fields.length === undefined) return frameFaults.noLength;
    this.bodyLength = this.fields.length;
    this.headerUsed = 0;
    this.lineStart = 0;
    this.fields = {};
    return undefined;
  }

  /** Takes the current body's bytes and returns their number. Only a body that arrives in pieces is copied. */
  private takeBodyBytes(bytes: Buffer): number {
    const count = Math.min(bytes.length, this.bodyLength - this.bodyUsed);
    let whole = bytes.subarray(0, count);
    if (count < this.bodyLength) {
      const used = this.bodyUsed + count;
      if (used > this.body.length) this.body = enlarged(this.body, { least: used, most: this.bodyLength });
      bytes.copy(this.body, this.bodyUsed, 0, count);
      this.bodyUsed = used;
      if (used < this.bodyLength) return count;
      whole = this.body.subarray(0, this.bodyLength);
    }
    this.bodyLength = 0;
    this.bodyUsed = 0;
    this.body = Buffer.alloc(0);
    this.sink.body(whole);
    return count;
  }
}

/** Encodes one message as a frame. `json` must escape lone surrogates, as `JSON.stringify` does. */
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

/** Enlarges a buffer, usually twofold: memory use depends on the bytes received, not on the length announced. */
function enlarged(store: Buffer, { least, most }: { least: number; most: number }): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(most, Math.max(least, 2 * store.length, 4096)));
  store.copy(larger);
  return larger;
}

/** The fields received in one header block. */
interface HeaderFields {
  /** Length of the body in bytes; from 1 to `limits.messageBytes`. */
  length?: number;
  type?: string;
}

/** Parses a header line into `fields`. Returns a clause that describes the problem, or `undefined` if there is none. */
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
  // `utf8` is not a registered name, but the protocol's first clients sent it, and the specification still accepts it.
  if (!/^utf-?8$/i.test(charset)) return frameFaults.charset;
  fields.type = value;
  return undefined;
}
