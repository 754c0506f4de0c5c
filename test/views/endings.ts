/** Line endings: the model's texts have LF, and the editor's may have CRLF. */
import type { Typed } from "./lines.js";

/** The text as the editor has it. */
export const withEndings = (text: string, isCrlf: boolean): string => (isCrlf ? text.replaceAll("\n", "\r\n") : text);

/** The model's text; throws if the line endings of the editor's text are mixed. */
export function withoutEndings(text: string, isCrlf: boolean): string {
  if (!isCrlf) return text;
  const own = text.replaceAll("\r\n", "\n");
  if (withEndings(own, true) !== text) throw new Error(`its line endings are mixed: ${JSON.stringify(text)}`);
  return own;
}

/** A change to the model's text, as a change to the editor's. `text`: the model's text before. */
export function typedWith(text: string, { from, to, insert }: Typed, isCrlf: boolean): Typed {
  const offset = (at: number): number => withEndings(text.slice(0, at), isCrlf).length;
  return { from: offset(from), to: offset(to), insert: withEndings(insert, isCrlf) };
}
