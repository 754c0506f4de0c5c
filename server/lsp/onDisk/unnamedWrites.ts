/** Remembers what nobody has said that they write to open files, until an agent says when its command ran. */
import { limits } from "../../text/limits.js";

/** A change of a file, as texts of its document without a byte order mark. */
interface UnnamedWrite {
  readonly before: string;
  readonly after: string;
  /** The time of the file's change, in milliseconds since 1970. */
  readonly at: number;
}

/** The time from one moment to another, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** Returns a time span as it was received; `undefined` if it is none. */
export function spanOf(received: unknown): TimeSpan | undefined {
  const { from, to }: { from?: unknown; to?: unknown } = Object(received);
  return typeof from === "number" && typeof to === "number" && from <= to ? { from, to } : undefined;
}

/** The changes of open files, each for `limits.unnamedMs`. */
export class UnnamedWrites {
  /** The changes of each document, by URI, the oldest first. */
  readonly #writes = new Map<string, readonly UnnamedWrite[]>();

  /** Adds a change of a document's file. */
  add(uri: string, write: UnnamedWrite): void {
    this.#writes.set(uri, [...(this.#writes.get(uri) ?? []), write]);
    setTimeout(() => this.#keep(uri, (one) => one !== write), limits.unnamedMs).unref();
  }

  /** Takes the changes that a document's file had in a time, as one; `undefined` if there are none, or others have followed. */
  take(uri: string, { from, to }: TimeSpan, now: string): Pick<UnnamedWrite, "before" | "after"> | undefined {
    let before: string | undefined;
    for (const write of (this.#writes.get(uri) ?? []).toReversed()) {
      const isMeant = write.after === (before ?? now) && write.at >= from - limits.writerSlackMs && write.at <= to;
      if (!isMeant) break;
      before = write.before;
    }
    if (before === undefined) return undefined;
    this.#writes.delete(uri);
    return { before, after: now };
  }

  #keep(uri: string, isKept: (write: UnnamedWrite) => boolean): void {
    const writes = (this.#writes.get(uri) ?? []).filter(isKept);
    if (writes.length > 0) this.#writes.set(uri, writes);
    else this.#writes.delete(uri);
  }
}
