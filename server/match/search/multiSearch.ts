/** Searches for many patterns together, by keys: pieces of the patterns that are rare in the text. */
import { limits } from "../../text/limits.js";
import { unitsPerStep } from "../../text/lines.js";

/**
 * The lengths that a block may have, in UTF-16 code units. The text is read block by block, and a key consists of two
 * blocks. A pattern may start at any offset in a block, so it has one key for each of these offsets, and its length
 * must be at least three blocks minus one unit. Each pattern gets the longest keys that fit into it and are rare.
 */
const blockLengths = [8, 4, 2, 1] as const;

/** Length, in UTF-16 code units, of the shortest pattern that has a key. */
const shortest = 2;

/** Approximate number of offsets tried when looking for a pattern's rarest keys. */
const triedStarts = 16;

/** Counters for finding rare keys: one per `every` units of text, within `least` and `most`. */
const sampled = { every: 32, least: 4_096, most: 262_144 };

/** Counters per counted key: enough that few keys share a counter. */
const countersPerKey = 4;

/** The highest count that a counter can hold. */
const mostCounted = 65_535;

/** Number of patterns whose keys are chosen in one step. */
const patternsPerStep = 500;

/** Number of offsets at which keys are counted in one step. */
const placesPerStep = 65_536;

const factor = 0x01000193;

/** The offsets where a pattern may start according to its keys, in ascending order; `many` if there are too many. */
export type KeyHits = readonly number[] | "many";

/** A search for many patterns by their keys. */
export class MultiSearch {
  private constructor(
    private readonly patterns: readonly string[],
    private readonly tables: readonly KeyTable[],
  ) {}

  /** Chooses, in steps, keys that are rare in a text. Every pattern must be long enough for a key. */
  static *of(patterns: readonly string[], text: string): Generator<void, MultiSearch> {
    const tables: KeyTable[] = [];
    let left = patterns.map((pattern, id): Keyed => ({ pattern, id, start: 0 }));
    for (const block of blockLengths) {
      const fits = left.filter(({ pattern }) => pattern.length >= zoneOf(block));
      if (fits.length === 0) continue;
      const rarity = yield* Rarity.of(text, block);
      // If all long keys are too frequent, as when the patterns differ in only a few units, shorter keys may be rarer.
      const isLast = block === blockLengths[blockLengths.length - 1];
      const placed: Keyed[] = [];
      for (const [i, keyed] of fits.entries()) {
        const { start, count } = rarity.rarest(keyed.pattern);
        if (isLast || count <= limits.keyHits / 4) placed.push({ ...keyed, start });
        if (i % patternsPerStep === patternsPerStep - 1) yield;
      }
      if (placed.length > 0) tables.push(new KeyTable(placed, block));
      yield;
      const done = new Set(placed.map(({ id }) => id));
      left = left.filter(({ id }) => !done.has(id));
    }
    return new MultiSearch(patterns, tables);
  }

  /** Reports whether a pattern is long enough for a key. */
  static hasKey(pattern: string): boolean {
    return pattern.length >= shortest;
  }

  /** Finds, in steps, where each pattern may start. The caller must check each offset; some may be outside the text. */
  *hits(text: string): Generator<void, KeyHits[]> {
    const found: (number[] | "many" | undefined)[] = this.patterns.map(() => undefined);
    for (const table of this.tables) {
      yield* table.scan(text, (id, start) => {
        const hits = found[id];
        if (hits === "many") return false;
        // Most patterns have only one hit, so no room is reserved for more.
        if (hits === undefined) found[id] = [start];
        else if (hits.length < limits.keyHits) hits.push(start);
        else found[id] = "many";
        return true;
      });
    }
    return found.map((hits) => hits ?? []);
  }

  /** Returns the patterns in a short text that end after `offset`; a pattern may be there twice. */
  within(text: string, offset = 0): string[] {
    const found: string[] = [];
    const report: HitCallback = (id, start) => {
      const pattern = this.patterns[id]!;
      if (start >= 0 && start + pattern.length > offset && text.startsWith(pattern, start)) found.push(pattern);
      return true;
    };
    for (const table of this.tables) table.scanShort(text, report);
    return found;
  }
}

/** Returns the length of the part of a pattern that contains all its keys. */
function zoneOf(block: number): number {
  return 3 * block - 1;
}

interface Keyed {
  readonly pattern: string;
  /** Index of the pattern among all patterns. */
  readonly id: number;
  /** The offset in the pattern where its first key starts. */
  readonly start: number;
}

/** Computes the hashes of blocks of one length. */
class Blocks {
  /** The multiplier for the unit that leaves the rolling hash. */
  private readonly weight: number;
  private hashes = new Int32Array(256);

  constructor(readonly length: number) {
    let weight = 1;
    for (let i = 0; i < length; i++) weight = Math.imul(weight, factor);
    this.weight = weight;
  }

  /** Returns the hashes of all blocks that lie within `[from, to)`, in an array that the next call overwrites. */
  of(text: string, from: number, to: number): Int32Array {
    const { length, weight } = this;
    const count = to - from - length + 1;
    if (this.hashes.length < count) this.hashes = new Int32Array(2 * count);
    const { hashes } = this;
    let hash = this.at(text, from);
    hashes[0] = hash;
    for (let i = 1; i < count; i++) {
      const gone = Math.imul(weight, text.charCodeAt(from + i - 1));
      hash = (Math.imul(hash, factor) + text.charCodeAt(from + i + length - 1) - gone) | 0;
      hashes[i] = hash;
    }
    return hashes;
  }

  /** Returns the key that starts at an offset: one hash for two consecutive blocks. */
  keyAt(text: string, from: number): number {
    return combined(this.at(text, from), this.at(text, from + this.length));
  }

  /** Returns the hash of the block at an offset. */
  at(text: string, from: number): number {
    let hash = 0;
    for (let i = from; i < from + this.length; i++) hash = (Math.imul(hash, factor) + text.charCodeAt(i)) | 0;
    return hash;
  }
}

/** An estimate of how often keys occur in a text, based on a sample of the text's offsets. */
class Rarity {
  private constructor(
    private readonly block: number,
    private readonly blocks: Blocks,
    private readonly counts: Uint16Array,
    /** Distance, in units, between consecutive offsets at which keys are counted. */
    private readonly step: number,
  ) {}

  /** Samples a text in steps. */
  static *of(text: string, block: number): Generator<void, Rarity> {
    const blocks = new Blocks(block);
    let size = sampled.least;
    while (size < sampled.most && size * sampled.every < text.length) size *= 2;
    const counts = new Uint16Array(size);
    // An odd step is rarely a multiple of the distance at which lines or other parts of the text repeat.
    const step = Math.max(1, Math.floor((text.length / size) * countersPerKey)) | 1;
    const rarity = new Rarity(block, blocks, counts, step);
    const last = text.length - 2 * block;
    for (let at = 0; at <= last; yield) at = rarity.count(text, at, Math.min(last, at + placesPerStep * step));
    return rarity;
  }

  /** Counts the keys at the sampled offsets from `from` to `to`, inclusive. Returns the next sampled offset. */
  private count(text: string, from: number, to: number): number {
    const { counts } = this;
    let at = from;
    for (; at <= to; at += this.step) {
      const bucket = bucketOf(this.blocks.keyAt(text, at), counts.length);
      if (counts[bucket]! < mostCounted) counts[bucket]!++;
    }
    return at;
  }

  /** Tries a few offsets in a pattern. Returns the one with the rarest keys, and how often a scan meets them. */
  rarest(pattern: string): { readonly start: number; readonly count: number } {
    const { block, counts } = this;
    const last = pattern.length - zoneOf(block);
    const step = Math.max(1, Math.ceil(last / triedStarts));
    let best = 0;
    let fewest = Number.POSITIVE_INFINITY;
    // Start at the end of the pattern: patterns that begin alike often differ near their ends.
    for (let at = last; at >= 0 && fewest > 1; at -= step) {
      const hashes = this.blocks.of(pattern, at, at + zoneOf(block));
      let count = 0;
      for (let i = 0; i < block; i++)
        count += counts[bucketOf(combined(hashes[i]!, hashes[i + block]!), counts.length)]!;
      if (count < fewest) [best, fewest] = [at, count];
    }
    // A scan looks up only one in `block` offsets of the text, so it finds only that fraction of the keys' occurrences.
    return { start: best, count: (fewest * this.step) / block };
  }
}

/** The key lists of a hash table: the first key of each list, and for each key the next key in its list. */
interface Lists {
  readonly heads: Int32Array;
  readonly next: Int32Array;
}

/** Receives a pattern's index and an offset where it may start; returns `false` if it needs no more. */
type HitCallback = (id: number, start: number) => boolean;

/** Bits per list: enough that few keys share a bit, but few enough for a batch's bits to fit into the CPU's cache. */
const bitsPerHead = 8;

/** A hash table of keys of one length; keys in the same bucket form a list. */
class KeyTable {
  private readonly heads: Int32Array;
  /** A bit for each short hash that a key has. Unlike the lists, the bits fit into a CPU cache. */
  private readonly present: Int32Array;
  /** For each key, the next key in its list; -1 for the last. */
  private readonly next: Int32Array;
  private readonly hashes: Int32Array;
  private readonly keyed: readonly Keyed[];
  private readonly blocks: Blocks;

  constructor(
    keyed: readonly Keyed[],
    private readonly block: number,
  ) {
    this.keyed = keyed;
    this.blocks = new Blocks(block);
    let size = 4_096;
    while (size < keyed.length * block) size *= 2;
    this.heads = new Int32Array(size).fill(-1);
    this.present = new Int32Array((size * bitsPerHead) / 32);
    this.next = new Int32Array(keyed.length * block);
    this.hashes = new Int32Array(keyed.length * block);
    for (const [at, { pattern, start }] of keyed.entries()) {
      const hashes = this.blocks.of(pattern, start, start + zoneOf(block));
      for (let i = 0; i < block; i++) {
        const key = at * block + i;
        const hash = combined(hashes[i]!, hashes[i + block]!);
        const bucket = bucketOf(hash, size);
        this.hashes[key] = hash;
        const bit = bucketOf(hash, size * bitsPerHead);
        this.present[bit >>> 5]! |= 1 << (bit & 31);
        this.next[key] = this.heads[bucket]!;
        this.heads[bucket] = key;
      }
    }
  }

  /** Reads a text in blocks and calls `report` for each key, no more once it has returned `false` for that key. */
  *scan(text: string, report: HitCallback): Generator<void, void> {
    const { block } = this;
    // A copy of the lists, from which the keys of patterns with too many hits are removed.
    const lists: Lists = { heads: this.heads.slice(), next: this.next.slice() };
    const step = unitsPerStep - (unitsPerStep % block);
    for (let at = block; at + block <= text.length; at += step) {
      this.scanStep(text, { from: at, to: Math.min(at + step, text.length - block + 1) }, lists, report);
      yield;
    }
  }

  /** Like `scan`, but in a single step, for a short text. */
  scanShort(text: string, report: HitCallback): void {
    const lists: Lists = { heads: this.heads, next: this.next };
    if (text.length >= 2 * this.block)
      this.scanStep(text, { from: this.block, to: text.length - this.block + 1 }, lists, report);
  }

  /** Reads the blocks that start in `[from, to)`, each together with the block before it. */
  private scanStep(text: string, { from, to }: { from: number; to: number }, lists: Lists, report: HitCallback): void {
    const { block, present } = this;
    const mask = this.heads.length * bitsPerHead - 1;
    let before = this.blocks.at(text, from - block);
    for (let at = from; at < to; at += block) {
      let hash = text.charCodeAt(at);
      for (let i = 1; i < block; i++) hash = (Math.imul(hash, factor) + text.charCodeAt(at + i)) | 0;
      const both = (Math.imul(before, 0x2c1b3c6d) + hash) | 0;
      const bit = (both ^ (both >>> 15)) & mask;
      if ((present[bit >>> 5]! & (1 << (bit & 31))) !== 0) this.report(lists, both, at - block, report);
      before = hash;
    }
  }

  private report({ heads, next }: Lists, hash: number, at: number, report: HitCallback): void {
    const bucket = bucketOf(hash, heads.length);
    let before = -1;
    for (let key = heads[bucket]!; key >= 0; key = next[key]!) {
      const owner = Math.floor(key / this.block);
      const isOther = this.hashes[key] !== hash;
      if (isOther || report(this.keyed[owner]!.id, at - this.keyed[owner]!.start - (key % this.block))) before = key;
      else if (before < 0) heads[bucket] = next[key]!;
      else next[before] = next[key]!;
    }
  }
}

const combined = (first: number, second: number): number => (Math.imul(first, 0x2c1b3c6d) + second) | 0;

const bucketOf = (hash: number, size: number): number => (hash ^ (hash >>> 15)) & (size - 1);
