/** Files as a strict editor reads and writes them: text, with its encoding and byte order mark. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A file's text without its byte order mark, and how to encode it. */
export interface FileText {
  readonly text: string;
  readonly encoding: "utf8" | "utf16le";
  readonly bom: boolean;
}

/**
 * Decodes bytes: UTF-16 if their byte order mark says so, otherwise UTF-8. Throws a TypeError for bytes that are not
 * valid in that encoding.
 */
export function decodeFile(bytes: Uint8Array): FileText {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  const decoder = new TextDecoder(utf16 ? "utf-16le" : "utf-8", { fatal: true, ignoreBOM: true });
  const text = decoder.decode(bytes);
  const bom = text.startsWith("\ufeff");
  return { text: bom ? text.slice(1) : text, encoding: utf16 ? "utf16le" : "utf8", bom };
}

/** Encodes a text. */
export function encodeFile({ text, encoding, bom }: FileText): Buffer {
  return Buffer.from(bom ? `\ufeff${text}` : text, encoding);
}

/** A file's text; `undefined` if the file does not exist. */
export function readFileText(path: string): FileText | undefined {
  return existsSync(path) ? decodeFile(readFileSync(path)) : undefined;
}

/** Writes a file, creating its parent directories if necessary. */
export function writeFileText(path: string, file: FileText): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, encodeFile(file));
}

/** Writes a text to a file, keeping the file's encoding and byte order mark. */
export function saveText(path: string, text: string): void {
  writeFileText(path, { encoding: "utf8", bom: false, ...readFileText(path), text });
}
