/** Lines of bytes between two programs, which pass unchanged, and one after another. */
import type { Readable, Writable } from "node:stream";

/** A part of the input. */
export type PassedPart =
  /** A line, with its ending. */
  | { readonly kind: "line"; readonly bytes: Buffer }
  /** A part of a line that is too long to be read at once. */
  | { readonly kind: "piece"; readonly bytes: Buffer; readonly isLast: boolean };

const lineFeed = 0x0a;

/** Divides an input into lines. Of a line longer than `most` bytes, its pieces are passed on as they arrive. */
export async function* passedParts(input: Readable, most: number): AsyncGenerator<PassedPart> {
  let kept: Buffer[] = [];
  let length = 0;
  let isLong = false;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    for (let from = 0; from < chunk.length; ) {
      const at = chunk.indexOf(lineFeed, from);
      const to = at === -1 ? chunk.length : at + 1;
      kept.push(chunk.subarray(from, to));
      length += to - from;
      from = to;
      isLong ||= length > most;
      if (at === -1 && !isLong) continue;
      const bytes = Buffer.concat(kept);
      yield isLong ? { kind: "piece", bytes, isLast: at !== -1 } : { kind: "line", bytes };
      [kept, length, isLong] = [[], 0, isLong && at === -1];
    }
  }
  // What comes after the last line ending is passed on, too.
  if (length > 0) yield { kind: "piece", bytes: Buffer.concat(kept), isLast: true };
}

/** The input of a program, to which two others write lines. */
export class LineOutlet {
  /** Resolves when the line that is being written ends. */
  #last: Promise<void> = Promise.resolve();
  #endLine: (() => void) | undefined;

  constructor(readonly output: Writable) {}

  /** Writes a part of a line. Resolves once the other program has read enough that more may be written. */
  async write({ bytes, ...part }: PassedPart): Promise<void> {
    const isEnd = part.kind === "line" || part.isLast;
    // The pieces of a line come from one program; nothing may be written between them.
    if (this.#endLine === undefined || part.kind === "line") {
      const before = this.#last;
      let end = (): void => undefined;
      this.#last = new Promise((resolve) => {
        end = resolve;
      });
      await before;
      if (part.kind === "piece") this.#endLine = end;
      await this.#put(bytes);
      if (part.kind === "line") end();
    } else await this.#put(bytes);
    if (part.kind === "piece" && isEnd) {
      this.#endLine?.();
      this.#endLine = undefined;
    }
  }

  /** Writes a message as a line. */
  send(message: object): Promise<void> {
    return this.write({ kind: "line", bytes: Buffer.from(`${JSON.stringify(message)}\n`) });
  }

  #put(bytes: Buffer): Promise<void> {
    const { output } = this;
    if (!output.writable) return Promise.resolve();
    return new Promise((resolve) => {
      // The callback is called with an error if the other program has ended; its end is noticed elsewhere.
      output.write(bytes, () => resolve());
    });
  }
}
