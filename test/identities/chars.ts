/** Texts whose characters have identities: a character keeps its identity wherever a person moves it. */

/** A text; every line ending is one character, `\n`. */
export interface Chars {
  readonly text: string;
  /** The identity of each UTF-16 unit of `text`. */
  readonly ids: readonly number[];
}

/** A replaced span of a text, in UTF-16 units. `ids`: the identities of `insert`. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  readonly ids: readonly number[];
}

/** A replaced span of a text, without identities, in UTF-16 units. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Replaces a span. */
export function spliced({ text, ids }: Chars, { from, to, insert, ids: own }: Splice): Chars {
  return {
    text: text.slice(0, from) + insert + text.slice(to),
    ids: [...ids.slice(0, from), ...own, ...ids.slice(to)],
  };
}

/**
 * Replaces a span. A line ending belongs to the line that it ends: the one that was typed at a line's end counts as the
 * end of the last line that was typed, and if lines are deleted from a line's end on, that line keeps its own ending.
 */
export function typedInto(chars: Chars, splice: Splice, ids: Identities): Chars {
  const after = spliced(chars, splice);
  const { from, to, insert } = splice;
  if (chars.text[to] !== "\n" || lineStart(chars.text, from) === from) return after;
  const [first, last] = [from, from + insert.length];
  const own = [...after.ids];
  if (from === to && insert.startsWith("\n")) ids.swap(own, first, last);
  else if (insert === "" && chars.text[from] === "\n" && from < to) {
    ids.setEnding(chars.ids[from]!, ids.isCrlf(own[last]!));
    own[last] = chars.ids[from]!;
  }
  return { text: after.text, ids: own };
}

/** The splice that leads back. `before` is the text before the splice. */
export const inverted = ({ text, ids }: Chars, { from, to, insert }: Splice): Splice => ({
  from,
  to: from + insert.length,
  insert: text.slice(from, to),
  ids: ids.slice(from, to),
});

/** A change in which whole lines at its start and end that it puts back, equal, are the ones that were there. */
export function settled({ text, ids }: Chars, splice: Splice): Splice {
  const { from, to, insert, ids: own } = splice;
  if (lineStart(text, from) !== from) return splice;
  const [old, next] = [text.slice(from, to).split("\n"), insert.split("\n")];
  const most = Math.min(old.length, next.length) - 1;
  let [head, tail] = [0, 0];
  while (head < most && old[head] === next[head]) head++;
  while (tail < most - head && old.at(-1 - tail) === next.at(-1 - tail)) tail++;
  const size = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);
  // The line ending before the last lines belongs to the line that it ends.
  const [first, last] = [size(next.slice(0, head)), tail === 0 ? 0 : size(next.slice(-tail)) - 1];
  const kept = (i: number): number | undefined => {
    if (i < first) return ids[from + i];
    return i >= own.length - last ? ids[to - own.length + i] : undefined;
  };
  // A line that was moved from there is the one that would have come there.
  const instead = new Map(own.flatMap((id, i) => (kept(i) === undefined ? [] : [[kept(i)!, id] as const])));
  const settledId = (id: number): number => (instead.has(id) ? settledId(instead.get(id)!) : id);
  return { ...splice, ids: own.map((id, i) => kept(i) ?? settledId(id)) };
}

/** Replaces spans of a text. */
export function applied(text: string, hunks: readonly Hunk[]): string {
  return hunks.reduceRight((rest, { from, to, insert }) => rest.slice(0, from) + insert + rest.slice(to), text);
}

/** The offsets at which a text occurs in another one. */
export function occurrences(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}

/** A line's content, in UTF-16 units; `next` is the start of the next line. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly next: number;
}

/** The lines of a text. A final line ending does not start another line. */
export function linesOf(text: string): Span[] {
  const lines: Span[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const to = end === -1 ? text.length : end;
    lines.push({ from, to, next: Math.min(text.length, to + 1) });
    from = to + 1;
  }
  return lines;
}

/** The start of the line that an offset is on. */
export const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1);

/** For each unit of a text, the number of the line that it is on; a line ending belongs to the line that it ends. */
export function lineNumbers(text: string): Int32Array {
  const numbers = new Int32Array(text.length + 1);
  let line = 0;
  for (let i = 0; i < text.length; i++) {
    numbers[i] = line;
    if (text.charCodeAt(i) === 10) line++;
  }
  numbers[text.length] = line;
  return numbers;
}

/** All identities of a story, and what happened to the characters that have them. */
export class Identities {
  #next = 0;
  /** The line endings that are CRLF. */
  readonly #crlf = new Set<number>();
  /** The step at which a person last cut and pasted a character. */
  readonly moved = new Map<number, number>();
  /** The step at which a person last copied a character. */
  readonly copied = new Map<number, number>();

  /** New identities. `crlf`: for the line endings. */
  fresh(text: string, crlf: boolean): number[] {
    const ids: number[] = [];
    for (let i = 0; i < text.length; i++) {
      ids.push(this.#next++);
      if (crlf && text.charCodeAt(i) === 10) this.#crlf.add(this.#next - 1);
    }
    return ids;
  }

  /** New identities for copies of characters. */
  copies(ids: readonly number[], step: number): number[] {
    return ids.map((id) => {
      const copy = this.#next++;
      if (this.#crlf.has(id)) this.#crlf.add(copy);
      for (const one of [id, copy]) this.copied.set(one, step);
      return copy;
    });
  }

  /** Reports whether a person has moved or copied a character after a step. */
  isPasted(id: number, step: number): boolean {
    return (this.moved.get(id) ?? -1) > step || (this.copied.get(id) ?? -1) > step;
  }

  /** Sets the line ending of a character that is one. */
  setEnding(id: number, crlf: boolean): void {
    if (crlf) this.#crlf.add(id);
    else this.#crlf.delete(id);
  }

  /** Swaps two line endings; the text stays as it is. */
  swap(ids: number[], one: number, other: number): void {
    const [a, b] = [ids[one]!, ids[other]!];
    const [isCrlfA, isCrlfB] = [this.isCrlf(a), this.isCrlf(b)];
    this.setEnding(a, isCrlfB);
    this.setEnding(b, isCrlfA);
    [ids[one], ids[other]] = [b, a];
  }

  /** The line endings as they are; a later call of the result restores them. */
  keepEndings(): () => void {
    const kept = [...this.#crlf];
    return () => {
      this.#crlf.clear();
      for (const id of kept) this.#crlf.add(id);
    };
  }

  isCrlf(id: number): boolean {
    return this.#crlf.has(id);
  }

  get count(): number {
    return this.#next;
  }

  /** The text as the editor has it. */
  rendered({ text, ids }: Chars): string {
    if (this.#crlf.size === 0) return text;
    let whole = "";
    let done = 0;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
      if (!this.#crlf.has(ids[at]!)) continue;
      whole += `${text.slice(done, at)}\r\n`;
      done = at + 1;
    }
    return whole + text.slice(done);
  }
}
