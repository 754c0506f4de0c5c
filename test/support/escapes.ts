/** JSON-style escapes for characters that a page cannot show. */

/**
 * Characters that a reader would not see or that an editor would change: control characters, trailing spaces, unusual
 * spaces, lone surrogates.
 */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must become visible.
  /[\u0000-\u0009\u000b-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]| +$|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gm;

const short: Readonly<Record<string, string>> = { "\t": "\\t", "\r": "\\r" };

/** Reports whether a text cannot be put on a page verbatim. */
export function needsEscapes(text: string): boolean {
  return text.search(hidden) !== -1;
}

/**
 * A text with its hidden characters made visible. Line endings are left unchanged, as is a backslash before a space,
 * such as the one in `\ No newline at end of file`.
 */
export function escaped(text: string): string {
  return text.replaceAll(/\\(?! )/g, "\\\\").replace(hidden, (found) => found.split("").map(escapedUnit).join(""));
}

/** The original of an escaped text. Throws a SyntaxError for an escape that JSON does not define. */
export function unescaped(text: string): string {
  return text.replace(/\\(?! )(?:u[0-9a-fA-F]{4}|.?)/g, (sequence) => String(JSON.parse(`"${sequence}"`)));
}

const escapedUnit = (unit: string): string => short[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
