/**
 * The base protocol's frames as bytes: a strict decoder, because one wrong header leaves no way to find the next
 * message, and a silent connection is worse for the user than one that ends with a reason.
 */
import { limits } from "../../text/limits.js";

/** Where the decoder puts what it finds; neither may throw. */
export interface FrameSink {
  /** The body of one message; the bytes are only lent until this returns. */
  body(bytes: Buffer): void;
  /** Why the stream can't be read any further, as the end of a sentence; called once, and nothing after it. */
  fault(reason: string): void;
}

/** Takes the bytes of one stream in order, in pieces of any size. */
export interface FrameDecoder {
  push(chunk: Buffer): void;
  /** Whether the bytes so far end in the middle of a message. */
  isInsideFrame(): boolean;
}

/**
 * Decodes the frames of the LSP base protocol: a header block of at most `limits.headerBytes` whose lines end in CRLF,
 * with exactly one `Content-Length` of 1 to `limits.messageBytes`, in decimal digits, and at most one `Content-Type`
 * whose charset is UTF-8. Everything else is a fault as soon as it can be seen. Linear in the bytes, however they are cut.
 */
export function createFrameDecoder(sink: FrameSink): FrameDecoder {
  const header = createHeader();
  let body: Body | undefined;
  let broken = false;

  function push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !broken) {
      if (body === undefined) {
        takeHeaderByte(chunk[at]!);
        at += 1;
      } else {
        at += takeBodyBytes(body, chunk.subarray(at));
      }
    }
  }

  function takeHeaderByte(byte: number): void {
    const taken = header.take(byte);
    if (taken.kind === "end") {
      body = createBody(taken.length);
    }
    if (taken.kind === "fault") {
      broken = true;
      sink.fault(`${taken.reason}, after ${quote(header.bytes())}`);
    }
  }

  function takeBodyBytes(from: Body, bytes: Buffer): number {
    const taken = from.take(bytes);
    if (taken.whole !== undefined) {
      body = undefined;
      sink.body(taken.whole);
    }
    return taken.count;
  }

  return { push, isInsideFrame: () => !broken && (body !== undefined || header.bytes().length > 0) };
}

/** One message as a frame. `json` is the body's text; its lone surrogates must be escaped, as `JSON.stringify` does. */
export function encodeFrame(json: string): Buffer {
  const bodyLength = Buffer.byteLength(json);
  const head = `Content-Length: ${bodyLength}\r\n\r\n`;
  const frame = Buffer.allocUnsafe(head.length + bodyLength);
  frame.write(head, "latin1");
  frame.write(json, head.length, "utf8");
  return frame;
}

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const tab = 0x09;
const firstPrintable = 0x20;
const lastPrintable = 0x7e;

type HeaderStep =
  | { readonly kind: "more" }
  /** The block is whole; `length` is that of the body, in bytes. */
  | { readonly kind: "end"; readonly length: number }
  | { readonly kind: "fault"; readonly reason: string };

/** Reads one header block after the other. */
interface Header {
  take(byte: number): HeaderStep;
  /** What was taken of the block so far. */
  bytes(): Buffer;
}

function createHeader(): Header {
  const block = Buffer.alloc(limits.headerBytes);
  let used = 0;
  let lineStart = 0;
  let fields: HeaderFields = {};

  function take(byte: number): HeaderStep {
    if (used === block.length) return fault(`the header has more than ${block.length} bytes`);
    const isBreak = byte === carriageReturn || byte === lineFeed;
    if (!isBreak && byte !== tab && (byte < firstPrintable || byte > lastPrintable)) {
      return fault(`there is a byte 0x${byte.toString(16).padStart(2, "0")} in the header`);
    }
    const afterReturn = used > 0 && block[used - 1] === carriageReturn;
    block[used++] = byte;
    if ((byte === lineFeed) !== afterReturn) return fault("a header line does not end in CRLF");
    return byte === lineFeed ? endLine() : { kind: "more" };
  }

  function endLine(): HeaderStep {
    const line = block.toString("latin1", lineStart, used - 2);
    lineStart = used;
    if (line !== "") {
      const read = readField(line, fields);
      if (!read.ok) return fault(read.reason);
      fields = read.fields;
      return { kind: "more" };
    }
    const { length } = fields;
    if (length === undefined) return fault("the header has no Content-Length");
    used = 0;
    lineStart = 0;
    fields = {};
    return { kind: "end", length };
  }

  return { take, bytes: () => block.subarray(0, used) };
}

function fault(reason: string): HeaderStep {
  return { kind: "fault", reason };
}

/** What the lines of one header block have said so far. */
interface HeaderFields {
  /** Bytes of the body; 1 to `limits.messageBytes`. */
  readonly length?: number;
  readonly type?: string;
}

type ReadField = { ok: true; fields: HeaderFields } | { ok: false; reason: string };

function readField(line: string, fields: HeaderFields): ReadField {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
  const value = line.slice(colon + 1).trim();
  if (name === "content-length") {
    if (fields.length !== undefined) return { ok: false, reason: "the header has two Content-Length lines" };
    if (!/^[0-9]+$/.test(value)) return { ok: false, reason: "the Content-Length is not a decimal number" };
    const length = Number(value);
    if (length < 1) return { ok: false, reason: "the Content-Length is 0" };
    if (length > limits.messageBytes) {
      return { ok: false, reason: `the Content-Length is over ${limits.messageBytes} bytes` };
    }
    return { ok: true, fields: { ...fields, length } };
  }
  if (name === "content-type") {
    if (fields.type !== undefined) return { ok: false, reason: "the header has two Content-Type lines" };
    const charset = /;[ \t]*charset[ \t]*=[ \t]*"?([^"; \t]*)/i.exec(value)?.[1] ?? "utf-8";
    // `utf8` is not a registered name, but the protocol's first clients sent it and the specification keeps it alive.
    if (!/^utf-?8$/i.test(charset)) return { ok: false, reason: "the Content-Type's charset is not UTF-8" };
    return { ok: true, fields: { ...fields, type: value } };
  }
  return { ok: false, reason: "a header line is neither Content-Length nor Content-Type" };
}

interface Body {
  /** Takes as many of the bytes as belong to it; `whole` is all of it, as soon as it is there. */
  take(bytes: Buffer): { readonly count: number; readonly whole: Buffer | undefined };
}

/** A body that comes in one piece is not copied. */
function createBody(length: number): Body {
  let store = Buffer.alloc(0);
  let used = 0;

  function take(bytes: Buffer): { count: number; whole: Buffer | undefined } {
    const count = Math.min(bytes.length, length - used);
    if (count === length) return { count, whole: bytes.subarray(0, count) };
    if (used + count > store.length) {
      // Doubled rather than taken at once: a length that is announced but never sent must not cost its memory.
      const larger = Buffer.allocUnsafe(Math.min(length, Math.max(used + count, 2 * store.length, 4096)));
      store.copy(larger, 0, 0, used);
      store = larger;
    }
    bytes.copy(store, used, 0, count);
    used += count;
    return { count, whole: used === length ? store.subarray(0, length) : undefined };
  }

  return { take };
}

/** The end of what was read, on one line and bounded: whoever sent it may be hostile, and a log may be a terminal. */
function quote(bytes: Buffer): string {
  const start = Math.max(0, bytes.length - limits.quotedInput);
  return `${start > 0 ? "… " : ""}${JSON.stringify(bytes.toString("latin1", start))}`;
}
