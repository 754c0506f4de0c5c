/** The earlier texts of all documents of a session. */
import { compareTexts } from "../match/compareTexts.js";
import type { MadeCall, ShownLines, View } from "../plan/views/view.js";
import { withoutMark } from "../text/chars.js";
import { limits } from "../text/limits.js";
import type { Documents, OpenDocument } from "./documents.js";
import { compareWithFile, type FileRead, type SaveHabits } from "./files.js";
import type { Batch } from "./ownBatch.js";
import { type ReadText, Trail } from "./trail.js";

/** An open document. */
interface OpenTrail {
  /** All versions of a document since it was opened share this object. */
  readonly opening: unknown;
  /** The text, without a byte order mark. */
  text: string;
  /** The text as it was opened, until there is a trail. */
  opened: string;
  /** The document's earlier texts; `undefined` as long as nobody has asked for them. */
  trail: Trail | undefined;
  /** `true` if there is a trail, or something of which there will be one. */
  hasTrail: boolean;
  /** What has happened to the document but not been worked on, because nobody may ask for its earlier texts. */
  later: ((trail: Trail) => void)[];
}

/** The number of events that are left for later, and the length of a text, in UTF-16 code units, whose events are. */
const [mostLater, shortText] = [3, 262_144];

/** Keeps the earlier texts of a session's documents. `now`: the time in milliseconds. */
export class Trails {
  /** The open documents, by URI. */
  readonly open = new Map<string, OpenTrail>();
  /** Texts of closed files that callers have read, by URI; oldest first. */
  readonly closed = new Map<string, readonly ReadText[]>();

  constructor(
    readonly documents: Documents,
    readonly now: () => number,
  ) {
    documents.onChange((uri) => this.#changed(uri));
  }

  #changed(uri: string): void {
    const document = this.documents.get(uri);
    const known = this.open.get(uri);
    if (document === undefined || document.desynced !== undefined) {
      this.open.delete(uri);
      if (known !== undefined && document === undefined && known.hasTrail)
        this.#keepClosed(uri, trailOf(known).reads());
      return;
    }
    const { formerLines: opening } = document;
    const text = withoutMark(document.text);
    if (known?.opening !== opening) {
      const reads = this.closed.get(uri) ?? [];
      const later = reads.map((read) => (trail: Trail) => trail.adopt(read));
      const followed: OpenTrail = {
        ...{ opening, text, opened: text, trail: undefined },
        ...{ hasTrail: later.length > 0, later },
      };
      this.closed.delete(uri);
      this.open.set(uri, followed);
    } else {
      const { since: synced } = document;
      // With a byte order mark, the synced changes have other offsets.
      const fits = synced?.length === known.text.length && synced.lengthAfter === text.length;
      const since = fits ? synced : undefined;
      const isSame = text === known.text;
      known.text = text;
      if (!isSame) this.#note(known, (trail) => trail.changed(text, since));
    }
  }

  #note(document: OpenTrail, event: (trail: Trail) => void): void {
    document.later.push(event);
    document.hasTrail = true;
    // Changes that are left for later keep former texts in memory.
    if (document.later.length > mostLater || document.text.length > shortText) trailOf(document);
  }

  #keepClosed(uri: string, reads: readonly ReadText[]): void {
    const kept = reads.filter(({ text }) => 2 * text.length <= limits.viewBytes).slice(-limits.viewsKept);
    this.closed.delete(uri);
    if (kept.length > 0) this.closed.set(uri, kept);
    const [first] = this.closed.keys();
    // Texts may be empty, so that all of them together are never too large.
    if (first !== undefined && this.closed.size > limits.closedFiles) this.closed.delete(first);
    this.#limit();
  }

  /** Notes that the editor has saved a document. */
  saved(uri: string): void {
    const followed = this.open.get(uri);
    const time = this.now();
    if (followed?.hasTrail === true) this.#note(followed, (trail) => trail.saved(time));
  }

  /**
   * Returns the earlier texts of an open document that have a say about a caller's edits, newest first; `undefined` if
   * there are none. `isSame`: `true` if the document is as its file.
   */
  ofOpen(caller: string, document: Pick<OpenDocument, "uri" | "text">, { file, habits, isSame }: OnDisk) {
    const followed = this.open.get(document.uri);
    const text = withoutMark(document.text);
    if (followed?.text !== text) return undefined;
    if (!followed.hasTrail && (isSame || file.kind !== "text")) return undefined;
    const views = viewsFor(caller, trailOf(followed), text, { file, habits, isSame }, this.now());
    this.#limit();
    return views.length > 0 ? views : undefined;
  }

  /** Returns the last call of a caller to an open document, if its result is there. */
  madeBy(caller: string, { uri, text }: Pick<OpenDocument, "uri" | "text">): MadeCall | undefined {
    const followed = this.open.get(uri);
    const isCurrent = followed?.hasTrail === true && followed.text === withoutMark(text);
    return isCurrent ? trailOf(followed).madeBy(caller) : undefined;
  }

  /** Returns the texts of a closed file that a caller has read, newest first. */
  ofClosed(caller: string, uri: string, text: string): readonly View[] | undefined {
    return this.closed
      .get(uri)
      ?.filter((read) => read.caller === caller)
      .slice(-limits.readsKept)
      .map((read): View => {
        const back = compareTexts(text, read.text);
        return { base: "read", back, isCompared: !back.isEmpty, shown: read.shown, isLatest: back.isEmpty };
      })
      .reverse();
  }

  /** Notes that a caller has read lines of a document. `version`: `null` for a closed file. */
  read(caller: string, { uri, version, text, onDisk }: ReadDocument, shown: ShownLines): void {
    const followed = this.open.get(uri);
    if (version === null) this.#readClosed(uri, { caller, text, shown: [shown] });
    else if (followed?.text === text) {
      const trail = trailOf(followed);
      // An editor that has read a file again does not say so; noted later, the file would count as changed since the read.
      if (onDisk === "same") trail.saved(this.now());
      trail.read(caller, shown);
    }
    this.#limit();
  }

  #readClosed(uri: string, read: ReadText): void {
    const held = this.closed.get(uri) ?? [];
    const last = held.findLast(({ caller }) => caller === read.caller);
    const isAgain = last?.text === read.text;
    const spans = isAgain && last.shown && read.shown ? [...last.shown, ...read.shown] : read.shown;
    const shown = spans?.slice(-limits.shownSpans);
    this.#keepClosed(uri, [...held.filter((one) => !isAgain || one !== last), { ...read, shown }]);
  }

  /** Applies a batch of a caller to the texts that it can have seen, and to those that `others` have read. */
  applied(
    [caller, ...others]: readonly [string, ...string[]],
    uri: string,
    { text, version }: Omit<ReadDocument, "uri">,
    batch: Batch,
  ): void {
    const { change } = batch;
    const followed = this.open.get(uri);
    if (followed !== undefined && version !== null && followed.hasTrail)
      this.#note(followed, (trail) => trail.applied(caller, text, batch, others));
    const held = this.closed.get(uri);
    if (held === undefined || change.length !== text.length) return;
    const after = held.map((read) => {
      if (read.caller !== caller && !others.includes(read.caller)) return read;
      const view = compareTexts(text, read.text);
      return { ...read, text: change.map(view, "before").apply(read.text) };
    });
    this.#keepClosed(uri, after);
  }

  /** Forgets the texts of the documents that were opened or read first, if all texts together are too large. */
  #limit(): void {
    let size = 0;
    const trails = [...this.open.values()].flatMap(({ trail }) => trail ?? []);
    for (const trail of trails) size += trail.size;
    for (const reads of this.closed.values()) for (const { text } of reads) size += 2 * text.length;
    for (const [uri, reads] of this.closed) {
      if (size <= limits.allViewBytes) return;
      this.closed.delete(uri);
      for (const { text } of reads) size -= 2 * text.length;
    }
    for (const trail of trails) {
      if (size <= limits.allViewBytes) return;
      size -= trail.size;
      trail.forget();
    }
  }
}

/** Returns a document's trail, after everything that has happened to the document. */
function trailOf(document: OpenTrail): Trail {
  document.trail ??= new Trail(document.opened);
  document.hasTrail = true;
  document.opened = "";
  const events = document.later;
  document.later = [];
  for (const event of events) event(document.trail);
  return document.trail;
}

/** A document's file, and the way to compare them. */
interface OnDisk {
  readonly file: FileRead;
  readonly habits: SaveHabits;
  readonly isSame: boolean;
}

function viewsFor(
  caller: string,
  trail: Trail,
  text: string,
  { file, habits, isSame }: OnDisk,
  time: number,
): readonly View[] {
  if (file.kind === "text") {
    const isEqual = (one: string): boolean => (one === text ? isSame : compareWithFile(one, file, habits) === "same");
    trail.onDisk(asSynced(file.text, text), isEqual, time);
  }
  return trail.viewsOf(caller);
}

/** A document as a caller has read it. */
interface ReadDocument {
  readonly uri: string;
  readonly version: number | null;
  readonly text: string;
  /** As in a `Document`. */
  readonly onDisk?: "same" | "differs" | undefined;
}

/** Returns a file's text with the line endings as the editor syncs them. */
export function asSynced(text: string, synced: string): string {
  return text.includes("\r") && !synced.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}
