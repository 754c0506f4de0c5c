/** Remembers what nobody has said that they write to open files, until an agent says when its command ran. */
import { limits } from "../../text/limits.js";

/** A change of a file, as texts of its document without a byte order mark. */
interface UnnamedWrite {
  readonly before: string;
  readonly after: string;
  /** The time of the file's change, in milliseconds since 1970. */
  readonly at: number;
}

/** A change that is kept; `uri`: the document's; `timer`: ends its time. */
interface TimedWrite extends UnnamedWrite {
  readonly uri: string;
  readonly timer: NodeJS.Timeout;
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

/** The changes of open files, each for `limits.unnamedMs` at most, and the latest that fit into `limits.unnamedText`. */
export class UnnamedWrites {
  /** The oldest first. */
  readonly #kept = new Set<TimedWrite>();
  #length = 0;

  /** Adds a change of a document's file. */
  add(uri: string, write: UnnamedWrite): void {
    const timer = setTimeout(() => this.#drop(kept), limits.unnamedMs).unref();
    const kept: TimedWrite = { ...write, uri, timer };
    this.#kept.add(kept);
    this.#length += lengthOf(kept);
    for (const oldest of this.#kept) {
      if (this.#length <= limits.unnamedText) break;
      this.#drop(oldest);
    }
  }

  /** Takes the changes that a document's file had in a time, as one; `undefined` if there are none, or others have followed. */
  take(uri: string, { from, to }: TimeSpan, now: string): Pick<UnnamedWrite, "before" | "after"> | undefined {
    const ofFile = [...this.#kept].filter((one) => one.uri === uri);
    let before: string | undefined;
    for (const write of ofFile.toReversed()) {
      const isMeant = write.after === (before ?? now) && write.at >= from - limits.writerSlackMs && write.at <= to;
      if (!isMeant) break;
      before = write.before;
    }
    if (before === undefined) return undefined;
    for (const one of ofFile) this.#drop(one);
    return { before, after: now };
  }

  #drop(kept: TimedWrite): void {
    clearTimeout(kept.timer);
    if (this.#kept.delete(kept)) this.#length -= lengthOf(kept);
  }
}

const lengthOf = ({ before, after }: UnnamedWrite): number => before.length + after.length;
