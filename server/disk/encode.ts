/** Texts back to bytes, as the file had them: what a change leaves alone stays byte for byte. */
import type { Encoding } from "../workspace/files.js";

/** How a text is written. */
export interface Spelling {
  readonly encoding: Encoding;
  readonly bom: boolean;
}

/** How a file is written that has no bytes yet. */
export const plainSpelling: Spelling = { encoding: "utf-8", bom: false };

/**
 * The bytes of a text without its byte order mark. Files are decoded strictly, so that one text has one spelling in an
 * encoding: what of the text is as it was, is so in the bytes.
 */
export function encode(text: string, { encoding, bom }: Spelling): Buffer {
  const marked = bom ? `\ufeff${text}` : text;
  if (encoding === "utf-8") return Buffer.from(marked, "utf8");
  const littleEndian = Buffer.from(marked, "utf16le");
  return encoding === "utf-16le" ? littleEndian : littleEndian.swap16();
}
