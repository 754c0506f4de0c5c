/** How answers look on a terminal, and in a pipe. */
import { styleText } from "node:util";

/** Prints an answer, of which nothing but answers goes to stdout: as it is in a pipe, in colour on a terminal. */
export function print(text: string, { isDiff }: { readonly isDiff: boolean } = { isDiff: false }): void {
  const { stdout } = process;
  if (!stdout.isTTY) stdout.write(text);
  else stdout.write(isDiff ? harmless(text).split("\n").map(inColour).join("\n") : harmless(text));
}

/** Prints a line that is no answer, to stderr. */
export function say(text: string): void {
  process.stderr.write(`${process.stderr.isTTY ? harmless(text) : text}\n`);
}

type Style = Parameters<typeof styleText>[0];

/** By how a line of a diff begins; the first that fits counts. */
const lineStyles: readonly (readonly [start: string, style: Style])[] = [
  ["diff ", "bold"],
  ["--- ", "bold"],
  ["+++ ", "bold"],
  ["@@", "cyan"],
  ["+", "green"],
  ["-", "red"],
];

/** A line of a diff, where the user wants colours. */
function inColour(line: string): string {
  const style = lineStyles.find(([start]) => line.startsWith(start))?.[1];
  return style === undefined ? line : styleText(style, line, { stream: process.stdout });
}

/** What could steer a terminal is shown as the pictures that Unicode has for it; tabs stay. */
function harmless(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => {
    if (character === "\t" || character === "\n") return character;
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
  });
}
