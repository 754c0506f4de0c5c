/**
 * The base protocol's frames as bytes: a strict decoder, because one wrong header leaves no way to find the next
 * message, and a silent connection is worse for the user than one that ends with a reason.
 */
import { limits } from "../text/limits.js";

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
  let reading: "header" | "body" | "nothing" = "header";
  const header = Buffer.alloc(limits.headerBytes);
  let headerLength = 0;
  let lineStart = 0;
  let fields: HeaderFields = {};
  let bodyLength = 0;
  let received = 0;
  let store: Buffer = noBytes;

  function push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && reading !== "nothing") {
      if (reading === "body") {
        at += readBody(chunk.subarray(at));
        continue;
      }
      const reason = readHeaderByte(chunk[at++]!);
      if (reason === undefined) continue;
      reading = "nothing";
      sink.fault(`${reason}, after ${quote(header.subarray(0, headerLength))}`);
    }
  }

  /** Returns what is wrong with the header up to this byte. */
  function readHeaderByte(byte: number): string | undefined {
    if (headerLength === limits.headerBytes) return `the header has more than ${limits.headerBytes} bytes`;
    const previous = headerLength === 0 ? 0 : header[headerLength - 1];
    if (
      byte !== carriageReturn &&
      byte !== lineFeed &&
      byte !== tab &&
      (byte < firstPrintable || byte > lastPrintable)
    ) {
      return `there is a byte 0x${byte.toString(16).padStart(2, "0")} in the header`;
    }
    header[headerLength++] = byte;
    if ((byte === lineFeed) !== (previous === carriageReturn)) return "a header line does not end in CRLF";
    return byte === lineFeed ? endLine() : undefined;
  }

  function endLine(): string | undefined {
    const line = header.toString("latin1", lineStart, headerLength - 2);
    lineStart = headerLength;
    if (line !== "") {
      const read = readField(line, fields);
      if (!read.ok) return read.reason;
      fields = read.fields;
      return undefined;
    }
    if (fields.length === undefined) return "the header has no Content-Length";
    bodyLength = fields.length;
    reading = "body";
    return undefined;
  }

  /** Returns how many of the bytes belong to this body. */
  function readBody(bytes: Buffer): number {
    const taken = Math.min(bytes.length, bodyLength - received);
    if (taken === bodyLength) {
      endFrame(bytes.subarray(0, taken));
      return taken;
    }
    store = grown(store, { used: received, needed: received + taken, most: bodyLength });
    bytes.copy(store, received, 0, taken);
    received += taken;
    if (received === bodyLength) endFrame(store.subarray(0, bodyLength));
    return taken;
  }

  function endFrame(body: Buffer): void {
    reading = "header";
    headerLength = 0;
    lineStart = 0;
    fields = {};
    received = 0;
    store = noBytes;
    sink.body(body);
  }

  return { push, isInsideFrame: () => reading === "body" || (reading === "header" && headerLength > 0) };
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

const noBytes = Buffer.alloc(0);
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const tab = 0x09;
const firstPrintable = 0x20;
const lastPrintable = 0x7e;

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

/** Doubles rather than takes `most` at once: a length that is announced but never sent must not cost its memory. */
function grown(store: Buffer, size: { used: number; needed: number; most: number }): Buffer {
  if (size.needed <= store.length) return store;
  const larger = Buffer.allocUnsafe(Math.min(size.most, Math.max(size.needed, 2 * store.length, 4096)));
  store.copy(larger, 0, 0, size.used);
  return larger;
}

/** The end of what was read, on one line and bounded: whoever sent it may be hostile, and a log may be a terminal. */
function quote(bytes: Buffer): string {
  const start = Math.max(0, bytes.length - limits.quotedInput);
  return `${start > 0 ? "… " : ""}${JSON.stringify(bytes.toString("latin1", start))}`;
}
