/** Keeps a few earlier texts of an open document: those that were on disk, and those that callers have read. */
import { compareTexts } from "../match/compareTexts.js";
import type { MadeCall, ShownLines, View } from "../plan/views/view.js";
import { ChangeSet, shrink } from "../text/changeSet.js";
import { limits } from "../text/limits.js";
import { type LastBatch, lastBatch, madeCall } from "./lastBatch.js";
import { type Batch, OwnBatch, withoutEqual } from "./ownBatch.js";

/** An earlier text. */
interface SeenText {
  readonly base: View["base"];
  /** The caller that read the text or, for a text that was on disk, whose batches it includes; `undefined` for all. */
  readonly caller: string | undefined;
  /** The number of the event by which the text came to be on disk or was read; events are counted for each document. */
  readonly event: number;
  /** The lines that the caller was shown; `undefined` for all. */
  shown: readonly ShownLines[] | undefined;
  /** Turns the text at the last settling into the earlier text. */
  back: ChangeSet;
  isCompared: boolean;
  /** `true` once a file is known to exist; before that, the opening text may never have been on disk. */
  isCertain: boolean;
  /** `true` if nobody knows whether the text was on disk: the document was opened with it, and the file had another one. */
  isGuess: boolean;
  /** The event and the time, in milliseconds, at which another text replaced this one on disk. */
  until: { readonly event: number; readonly time: number } | undefined;
}

/** A text that a caller has read. */
export interface ReadText {
  readonly caller: string;
  readonly text: string;
  readonly shown: readonly ShownLines[] | undefined;
}

/** An earlier text of which nothing else is known. */
const unknown = {
  ...{ caller: undefined, shown: undefined, isCompared: false, isCertain: true, isGuess: false, until: undefined },
};

/** The earlier texts of one document while it is open. */
export class Trail {
  #text: string;
  /**
   * The changes since the last settling, newest first: each set turns a text into the one before it. A set has at least
   * twice the changes of the one in front of it, so that a keystroke takes the same time however much was typed before.
   */
  #pending: { readonly back: ChangeSet; readonly count: number }[] = [];
  /** The size of these sets, in bytes. */
  #pendingSize = 0;
  #isCompared = false;
  #seen: SeenText[] = [];
  /** By caller. */
  #made = new Map<string, LastBatch>();
  #events = 0;

  /** `text`: the document as it was opened, which probably is its text on disk. */
  constructor(text: string) {
    this.#text = text;
    this.#add({ base: "saved", isCertain: false, isGuess: true });
  }

  /** The size of the kept texts, in bytes. */
  get size(): number {
    this.#settle();
    const made = [...this.#made.values()].map(sizeOfBatch);
    return [...this.#seen.map(({ back }) => sizeOf(back)), ...made].reduce((sum, size) => sum + size, 0);
  }

  /** Notes a change by the editor. `since`: the changes to the former text; `undefined` if they are unknown. */
  changed(text: string, since: ChangeSet | undefined): void {
    // A text that was replaced as a whole, and differs in one place only, was typed in there.
    const whole = { from: 0, to: this.#text.length, insert: text };
    const isWhole = since?.changes.length === 1 && since.changes[0]?.from === 0 && since.changes[0].to === whole.to;
    const typed = since === undefined || isWhole ? ChangeSet.of(whole.to, shrink(this.#text, whole)) : since;
    const isExact = !typed.changes.some((change) => isLarge(this.#text, change));
    const back = isExact ? typed.invert(this.#text) : compareTexts(text, this.#text);
    this.#isCompared ||= !isExact;
    this.#text = text;
    this.#defer(copied(back));
    if (this.#pendingSize > limits.viewBytes) this.#settle();
  }

  /** Notes that the present text has been saved, at a time in milliseconds. */
  saved(time: number): void {
    this.onDisk(this.#text, (text) => text === this.#text, time);
  }

  /** Notes the text on disk. `isEqual` compares a text of the document with it. */
  onDisk(text: string, isEqual: (text: string) => boolean, time: number): void {
    this.#settle();
    const current = this.#onDisk();
    if (current !== undefined && isEqual(current.back.apply(this.#text))) {
      this.#confirm(current);
      return;
    }
    this.#replace(current, time);
    this.#add({ base: "saved", ...(isEqual(this.#text) ? {} : this.#compared(text)) });
  }

  /** Notes that a caller has read lines of the present text. */
  read(caller: string, shown: ShownLines): void {
    this.#settle();
    // If the caller makes the same call now, it means to make it once more.
    this.#made.delete(caller);
    const own = this.#seen.filter((one) => one.base === "read" && one.caller === caller);
    const last = own.at(-1);
    const current = this.#onDisk();
    if (last?.back.isEmpty && last.event > (current?.event ?? 0)) {
      last.shown = [...(last.shown ?? []), shown].slice(-limits.shownSpans);
      return;
    }
    const oldest = own.length >= limits.readsKept ? own[0] : undefined;
    this.#seen = this.#seen.filter((one) => one !== oldest);
    this.#add({ base: "read", caller, shown: [shown] });
  }

  /** Adds a text that a caller read before the document was opened. */
  adopt({ caller, text, shown }: ReadText): void {
    this.#settle();
    this.#add({ base: "read", caller, shown, ...this.#compared(text) });
  }

  /** Returns the texts that callers have read, oldest first. */
  reads(): readonly ReadText[] {
    this.#settle();
    return this.#seen.flatMap(({ base, caller, back, shown }) =>
      base === "read" && caller !== undefined ? [{ caller, text: back.apply(this.#text), shown }] : [],
    );
  }

  /**
   * Applies a batch of a caller to its texts. The batch was made to the text `before`; the user may have typed since.
   * `others`: callers whose texts include the batch, too, if they have any.
   */
  applied(caller: string, before: string, batch: Batch, others: readonly string[] = []): void {
    this.#settle();
    const { change, seenAs = [] } = batch;
    if (change.length !== before.length || (change.isEmpty && seenAs.length === 0)) return;
    const made = new OwnBatch(this.#text, before, batch);
    const own = this.#textsFor(caller);
    this.#noteMade(caller, before, made.toAfter, batch);
    const shared = this.#seen.filter((one) => others.includes(one.caller ?? ""));
    for (const one of new Set([...own, ...shared])) {
      const after = made.appliedTo(one);
      // What both have written is no difference, wherever each has put it.
      const back = copied(after.isCompared ? compareTexts(this.#text, after.back.apply(this.#text)) : after.back);
      Object.assign(one, { ...after, back, isCompared: after.isCompared && !back.isEmpty });
    }
    this.#limit();
  }

  /** Keeps what a batch wrote, in case that its caller sends it again. */
  #noteMade(caller: string, before: string, toAfter: ChangeSet, batch: Batch): void {
    this.#made.delete(caller);
    const made = lastBatch(before, copied(toAfter), batch);
    if (made !== undefined) this.#made.set(caller, { ...made, toBefore: copied(made.toBefore) });
    if (this.#made.size > limits.viewsKept) this.#made.delete([...this.#made.keys()][0]!);
  }

  /** Returns the last call of a caller; `undefined` if nothing of what it wrote is there, or nobody can say so. */
  madeBy(caller: string): MadeCall | undefined {
    this.#settle();
    const made = this.#made.get(caller);
    return made && madeCall(made, this.#text);
  }

  /** Returns the earlier texts that have a say about a caller's edits, newest first. */
  viewsOf(caller: string): readonly View[] {
    this.#settle();
    const reads = this.#seen.filter((one) => one.base === "read" && one.caller === caller);
    const lastRead = reads.reduce((last, { event }) => Math.max(last, event), -1);
    const forked = new Set(
      this.#seen.flatMap((one) => (one.base === "saved" && one.caller === caller ? [one.event] : [])),
    );
    const saved = this.#seen.filter(
      (one) =>
        one.base === "saved" &&
        one.isCertain &&
        (one.caller === caller || (one.caller === undefined && !forked.has(one.event))) &&
        (one.until === undefined || one.until.event > lastRead),
    );
    const disk = this.#onDisk()?.event ?? 0;
    return [...reads, ...saved]
      .sort((a, b) => b.event - a.event)
      .map(({ base, back, isCompared, shown, event, isGuess }): View => {
        const isLatest = base === "read" && event > disk;
        return { key: event, base, back, isCompared, shown, isLatest, ...(isGuess ? { isGuess } : {}) };
      });
  }

  /** Returns the texts of a caller; those on disk are copied first, because other callers do not know its batches. */
  #textsFor(caller: string): readonly SeenText[] {
    const shared = this.#seen.filter(({ base, caller: own }) => base === "saved" && own === undefined);
    for (const one of shared) {
      const isForked = this.#seen.some(({ event, caller: own }) => event === one.event && own === caller);
      if (!isForked) this.#seen.push({ ...one, caller });
    }
    return this.#seen.filter((one) => one.caller === caller);
  }

  /** Forgets all earlier texts. */
  forget(): void {
    this.#settle();
    this.#seen = [];
    this.#made.clear();
  }

  /** The text that is on disk now, without the batches of any caller. */
  #onDisk(): SeenText | undefined {
    return this.#seen.findLast((one) => one.base === "saved" && one.caller === undefined && one.until === undefined);
  }

  /** Adds a text: the present one, unless `text` says otherwise. */
  #add(text: Pick<SeenText, "base"> & Partial<SeenText>): void {
    this.#seen.push({ ...unknown, event: ++this.#events, back: ChangeSet.none(this.#text.length), ...text });
    this.#limit();
  }

  /** Compares an earlier text with the present one. */
  #compared(text: string): Pick<SeenText, "back" | "isCompared"> {
    const back = copied(compareTexts(this.#text, text));
    return { back, isCompared: !back.isEmpty };
  }

  /** Notes that a text is known to be on disk. */
  #confirm({ event }: SeenText): void {
    for (const one of this.#seen) if (one.event === event) Object.assign(one, { isCertain: true, isGuess: false });
  }

  /** Makes the text that is on disk a former one. */
  #replace(current: SeenText | undefined, time: number): void {
    if (current === undefined) return;
    const until = { event: ++this.#events, time };
    for (const one of this.#seen) {
      if (one.base !== "saved" || one.event !== current.event) continue;
      one.until = until;
      // Now that the file is known to exist, the document was probably opened with the file's text.
      one.isCertain = true;
    }
    const former = this.#seen
      .filter((one) => one.base === "saved" && one.caller === undefined && one.until !== undefined)
      .sort((a, b) => b.event - a.event);
    const kept = new Set(spaced(former, time).map(({ event }) => event));
    this.#seen = this.#seen.filter((one) => one.base !== "saved" || one.until === undefined || kept.has(one.event));
  }

  /** Keeps a change for the next settling. */
  #defer(back: ChangeSet): void {
    let own = { back, count: 1 };
    for (let next = this.#pending[0]; next !== undefined && next.count < 2 * own.count; next = this.#pending[0]) {
      own = { back: own.back.compose(next.back), count: own.count + next.count };
      this.#pending.shift();
    }
    this.#pending.unshift(own);
    this.#pendingSize += sizeOf(back);
  }

  /** Brings all texts up to the present text. */
  #settle(): void {
    if (this.#pending.length > 0) {
      const since = this.#pending.map(({ back }) => back).reduce((newer, older) => newer.compose(older));
      for (const one of this.#seen) {
        const back = since.compose(one.back);
        // Neovim inserts what a filter makes of many lines before it removes these: together, that is a large change.
        const isReplaced = back.changes.some((change) => isLarge(this.#text, change));
        one.back = copied(withoutEqual(this.#text, back));
        one.isCompared = (one.isCompared || this.#isCompared || isReplaced) && !one.back.isEmpty;
      }
      // Nobody can say what became of a part of a text that was replaced.
      if (this.#isCompared || since.changes.some((change) => isLarge(this.#text, change))) this.#made.clear();
      for (const [caller, one] of this.#made)
        this.#made.set(caller, { ...one, toAfter: copied(withoutEqual(this.#text, since.compose(one.toAfter))) });
    }
    this.#pending = [];
    this.#pendingSize = 0;
    this.#isCompared = false;
    this.#limit();
  }

  /** Drops texts that are too large, and the oldest ones if there are too many. */
  #limit(): void {
    this.#seen = this.#seen.filter(({ back }) => sizeOf(back) <= limits.viewBytes);
    for (const [caller, made] of this.#made) if (sizeOfBatch(made) > limits.viewBytes) this.#made.delete(caller);
    while (this.#seen.length > limits.viewsKept) {
      const disk = this.#onDisk();
      const oldest = this.#seen.filter((one) => one !== disk).reduce((a, b) => (b.event < a.event ? b : a));
      this.#seen = this.#seen.filter((one) => one !== oldest);
    }
  }
}

/** The ages, in milliseconds, at which former texts of a file are kept: about 1, 3 and 10 minutes. */
const ages = [60_000, 180_000, 600_000] as const;

/** Chooses the former texts to keep, from a list that starts with the newest: at most one for each age. */
function spaced(former: readonly SeenText[], time: number): readonly SeenText[] {
  const kept: SeenText[] = [];
  const ageOf = ({ until }: SeenText): number => time - (until?.time ?? time);
  for (const [i, age] of ages.entries()) {
    const least = i === 0 ? 0 : ages[i - 1]!;
    // Of several texts of about the same age, the oldest one lasted until then.
    const own = former.filter((one) => ageOf(one) >= least && ageOf(one) < age);
    const oldest = own.at(-1);
    if (oldest !== undefined) kept.push(oldest);
  }
  return kept;
}

/** Reports whether a change replaces several lines by several others, as a formatter does. */
function isLarge(text: string, { from, to, insert }: { from: number; to: number; insert: string }): boolean {
  const isShort = to - from <= fewLines || insert.length <= fewLines;
  return !isShort && linesIn(insert) > fewLines && linesIn(text.slice(from, to)) > fewLines;
}

/** The number of lines from which on the lines of a replaced text are compared with the new ones. */
const fewLines = 1;

const linesIn = (text: string): number => text.split("\n", fewLines + 2).length - 1;

/** Returns the size of a change set's texts, in bytes. */
function sizeOf({ changes }: ChangeSet): number {
  return changes.reduce((sum, { insert }) => sum + 2 * insert.length + changeBytes, 0);
}

/** Returns the size of what is kept of a batch, in bytes. */
const sizeOfBatch = ({ operations, toAfter, toBefore }: LastBatch): number =>
  2 * operations.length + sizeOf(toAfter) + sizeOf(toBefore);

/** The approximate size of one change without its text, in bytes. */
const changeBytes = 64;

/** Copies the texts of a change set, because in V8 a slice keeps the whole text in memory from which it was cut. */
function copied(set: ChangeSet): ChangeSet {
  if (set.changes.every(({ insert }) => insert.length < shortText)) return set;
  return ChangeSet.of(
    set.length,
    set.changes.map(({ from, to, insert }) => ({ from, to, insert: copiedText(insert) })),
  );
}

/** V8 copies slices of fewer UTF-16 code units anyway. */
const shortText = 13;

const copiedText = (text: string): string =>
  text.length < shortText ? text : Buffer.from(text, "utf16le").toString("utf16le");
