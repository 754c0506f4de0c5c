/** Finds an edit's place among those that the text before the batch has, and around what the batch has changed since. */

import { type Located, locate, locating } from "../match/locate.js";
import type { Place } from "../match/place.js";
import { rewrite } from "../match/rewrite.js";
import { type RungName, rungs } from "../match/rungs.js";
import { MultiSearch } from "../match/search/multiSearch.js";
import { coreOf } from "../match/search/plainCore.js";
import { type Change, ChangeSet } from "../text/changeSet.js";
import { isAllBlank, splitLines } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { lineEndsOf } from "../text/lines.js";
import { toEnd } from "../text/slices.js";
import { type Draft, draftOf, type LineSpan, linesOf, type Span, spanInBase } from "./draft.js";
import { choose } from "./edits/choose.js";
import type { BatchOptions, EditOperation } from "./operation.js";
import { type Extent, Pieces, type Window } from "./pieces.js";
import { type InWindow, joined, placesIn } from "./windows.js";

/** What an edit came to. */
export interface IncrementalEdit {
  readonly rung: RungName;
  readonly places: readonly LineSpan[];
  /** The stretches of the base text that it changed; none: the text was there already. */
  readonly changed: readonly Span[];
}

/** Where an old text stands. */
export type Sighting =
  | { readonly kind: "absent" }
  /** In text that the batch has left alone, and nowhere else on that rung or a stricter one. */
  | { readonly kind: "base"; readonly located: Extract<Located, { kind: "one" | "many" }> }
  /** In text that the batch has changed, and nowhere else. */
  | { readonly kind: "changed"; readonly hit: InWindow }
  /** On no rung up to this one any more; what looser ones find is not known. */
  | { readonly kind: "gone"; readonly rung: RungName };

/** Units around a change in which the keys of an old text are looked for. */
const keyReach = MultiSearch.reach;

/** A file's edits in sequence: the same answers as a search of the whole text for each, for less. */
export class IncrementalSearch {
  private readonly pieces: Pieces;
  /** By old text, base offsets of the changes that its key stands at. */
  private readonly flagged = new Map<string, Set<number>>();
  private loose: LooseSearch | undefined;

  private constructor(
    private readonly origin: Draft,
    /** What the batch starts from as if it had been there before: the text of a file that it has just created, too. */
    private readonly start: Draft,
    private readonly edits: readonly EditOperation[],
    private readonly options: BatchOptions,
    private readonly isUsable: boolean,
    /** The one line end of the text, which new lines get wherever they are; `undefined`: it has both kinds. */
    private readonly lineEnd: string | undefined,
  ) {
    this.pieces = new Pieces(start);
  }

  /** Looks for all old texts of a batch, in steps. */
  static *over(
    origin: Draft,
    edits: readonly EditOperation[],
    options: BatchOptions,
  ): Generator<void, IncrementalSearch> {
    const start = origin.created ? asBase(origin) : origin;
    // For one edit nothing has to be kept up to date.
    const lineEnds = edits.length > 1 && start.index === start.base ? lineEndsOf(start.base.text) : undefined;
    const lineEnd = lineEnds?.length === 1 ? lineEnds[0] : undefined;
    if (lineEnds !== undefined) yield* start.base.expecting(edits.map(({ oldText }) => oldText));
    return new IncrementalSearch(origin, start, edits, options, lineEnds !== undefined, lineEnd);
  }

  /** The text as it is now, as one draft. */
  get draft(): Draft {
    const { draft } = this.pieces;
    if (this.start === this.origin) return draft;
    return { ...this.origin, change: this.origin.change.compose(draft.change), index: draft.index };
  }

  /**
   * Plans one edit where that is certain, or says that its old text stands nowhere; `undefined`: it must be planned on the
   * whole text, and may fail there.
   */
  plan(edit: EditOperation): IncrementalEdit | "absent" | undefined {
    const found = this.find(edit);
    if (found?.kind === "base") return this.onBase(edit, found.located);
    if (found?.kind === "changed") return this.inWindow(edit, found.hit);
    return found?.kind === "absent" ? "absent" : undefined;
  }

  /** Looks for an edit in the base text, in steps. */
  *preparing({ oldText }: EditOperation): Generator<void, void> {
    if (this.isUsable) yield* locating(this.start.base, oldText, this.options);
  }

  /** Where an edit's old text stands, as far as that is certain. */
  find(edit: EditOperation): Sighting | undefined {
    const { base } = this.start;
    const hasMark = this.start.document.bom && (edit.oldText.startsWith("\uFEFF") || edit.newText.startsWith("\uFEFF"));
    // Where the batch has taken all line ends away, new ones have no model in the text any more.
    const hasLineEnds = this.lineEnd === undefined || this.pieces.lineEndsGone < base.matchedLines.lineCount - 1;
    if (!this.isUsable || hasMark || !hasLineEnds) return undefined;
    const located = locate(base, edit.oldText, this.options);
    if (located.kind === "tooMany") return undefined;
    if (this.pieces.count === 0) return located.kind === "none" ? { kind: "absent" } : { kind: "base", located };
    const exact = this.inChangedExactly(edit.oldText, located);
    const changed =
      exact === undefined || exact.length > 0 || isExact(located) ? exact : this.inChanged(edit.oldText, located);
    if (changed === undefined) return undefined;
    const left = located.kind === "none" ? [] : located.places.filter((place) => this.stands(place, located.rung));
    if (located.kind !== "none" && changed.length === 0 && left.length === located.places.length)
      return { kind: "base", located };
    const [only, second] = changed;
    if (only !== undefined) {
      const isStricter = located.kind === "none" || only.rung !== located.rung;
      return second === undefined && (isStricter || left.length === 0) ? { kind: "changed", hit: only } : undefined;
    }
    if (located.kind === "none") return { kind: "absent" };
    const { rung } = located;
    const [first, ...rest] = left;
    if (first === undefined) return { kind: "gone", rung };
    return { kind: "base", located: { kind: rest.length === 0 ? "one" : "many", rung, places: [first, ...rest] } };
  }

  /** Takes over what was planned on the whole text; `step` leads there from the text before it. */
  adopt(draft: Draft, step: ChangeSet): void {
    const own =
      this.start === this.origin
        ? draft
        : { ...this.start, change: this.pieces.draft.change.compose(step), index: draft.index };
    this.pieces.adopt(own);
    if (!this.isUsable) return;
    let shift = 0;
    for (const { from, to, insert } of step.changes) {
      const start = own.change.unitBack(from + shift).from;
      const end = own.change.unitBack(from + shift + insert.length).to;
      const first = this.pieces.firstTouching(start);
      let behind = first;
      while (behind < this.pieces.count && this.pieces.at(behind).from <= end) behind++;
      this.flagNear({ from: start, to: end }, first, behind);
      shift += insert.length - (to - from);
    }
  }

  /** An edit whose places all are as the base text has them. */
  private onBase(
    edit: EditOperation,
    located: Extract<Located, { kind: "one" | "many" }>,
  ): IncrementalEdit | undefined {
    const chosen = choose(this.start, edit, located);
    if (!chosen.ok) return undefined;
    const all: { place: Place; changes: readonly Change[] }[] = [];
    for (const place of chosen.places) {
      const changes = this.keepsLineEnd(place) ? rewrite(this.start.base, place, edit) : undefined;
      if (changes === undefined) return undefined;
      all.push({ place, changes });
    }
    for (const { place, changes } of all) {
      const first = this.pieces.add(place, changes);
      this.flagChanges(first, first + changes.length);
    }
    return {
      rung: chosen.rung,
      places: chosen.places.map((place) => linesOf(this.start, place)),
      changed: all.flatMap(({ changes }) => changes),
    };
  }

  /** Whether new lines get the same end at a place of the base text as at that place of the current text. */
  private keepsLineEnd({ from, to }: Place): boolean {
    if (this.lineEnd !== undefined) return true;
    const lines = this.start.base.matchedLines;
    const first = Math.max(0, lines.lineAt(from) - 1);
    return !this.pieces.isTouched({ from: lines.start(first), to: lines.end(lines.lineAt(to)) });
  }

  /** An edit whose only place lies in text that the batch has changed. */
  private inWindow(edit: EditOperation, { window, place, rung }: InWindow): IncrementalEdit | undefined {
    // What is said of several places is for the whole text to judge.
    if (edit.occurrence !== undefined || edit.expectedCount !== undefined) return undefined;
    const changes = rewrite(window.index, place, edit);
    if (changes === undefined) return undefined;
    const local = localDraft(this.start, window);
    const inBase = (span: Span): Span => {
      const { from, to } = spanInBase(local, span);
      return { from: from + window.base.from, to: to + window.base.from };
    };
    const places = [linesOf(this.start, inBase(place))];
    const changed = changes.map(inBase);
    const { first, end } = this.pieces.edit(window, ChangeSet.of(window.index.text.length, changes));
    // Where changes cancel each other, what is left beside them has new surroundings.
    this.flagNear(window.base, first, end);
    return { rung, places, changed };
  }

  /** Whether a place of the base text is still one of the current text, found on the same rung. */
  private stands({ from, to }: Place, rung: RungName): boolean {
    if (rung === "exact") return !this.pieces.isChanged({ from, to });
    const lines = this.start.base.matchedLines;
    return !this.pieces.isTouched({ from: lines.start(lines.lineAt(from)), to: lines.end(lines.lineAt(to)) });
  }

  /** The places in changed text at which an old text stands as it is; `undefined`: there is too much to look at. */
  private inChangedExactly(oldText: string, located: Located): InWindow[] | undefined {
    const suspects = this.exactSuspects(oldText);
    if (suspects === undefined) return isExact(located) ? undefined : [];
    if (suspects.length === 0) return [];
    const windows = this.windowsAt(suspects, oldText, this.lineEnd === undefined ? "lines" : "units");
    return windows && placesIn(windows, rungs[0]!, oldText);
  }

  /**
   * The places in changed text, on the first rung that has any, as far down as the base text's own; `undefined`: there is
   * too much to look at, or what counts there is not known.
   */
  private inChanged(oldText: string, located: Located): InWindow[] | undefined {
    const suspects = this.looseSuspects(oldText);
    const windows = suspects && this.windowsAt(suspects, oldText, "lines");
    const isBlank = isAllBlank(oldText);
    for (const rung of windows === undefined ? [] : rungs) {
      if (rung.find === undefined || (!this.options.lenient && !rung.strict) || (isBlank && !rung.forBlankText))
        continue;
      const found = placesIn(windows ?? [], rung, oldText);
      if (found === undefined || found.length > 0) return found;
      if (located.kind !== "none" && located.kind !== "tooMany" && rung.name === located.rung) return [];
    }
    return windows && [];
  }

  /** The surroundings of some changes, as far as the old text may reach; `undefined`: too much. */
  private windowsAt(suspects: readonly number[], oldText: string, by: "lines" | "units"): Window[] | undefined {
    if (suspects.length > limits.searchedChanges) return undefined;
    const lines = by === "lines" ? splitLines(oldText).length : 0;
    const extents: Extent[] = [];
    for (const at of suspects) {
      const own =
        by === "lines" ? this.pieces.extent(at, at + 1, lines) : this.pieces.extentOfUnits(at, oldText.length);
      const last = extents.at(-1);
      const isJoined = last !== undefined && own.base.from <= last.base.to;
      if (isJoined) extents.pop();
      extents.push(isJoined ? joined(last, own) : own);
    }
    const size = extents.reduce((sum, extent) => sum + this.pieces.lengthOf(extent), 0);
    return size > limits.searchedAround ? undefined : extents.map((extent) => this.pieces.window(extent, this.lineEnd));
  }

  /** Indices of the changes that an old text might reach into as it is, ascending; `undefined`: too many. */
  private exactSuspects(oldText: string): readonly number[] | undefined {
    const hits = this.start.base.keyHits(undefined, oldText);
    // Few edits have no keys; then a look at each change is quick, too.
    if (hits === undefined) {
      return this.all()?.filter((at) => this.pieces.textAround(at, oldText.length).includes(oldText));
    }
    if (hits === "many") return undefined;
    const spans: Span[] = [];
    for (const from of hits) if (this.mayStand(oldText, from)) spans.push({ from, to: from + oldText.length });
    return this.changesAt(this.flagged.get(oldText), spans);
  }

  /** The same for whatever a rung folds. */
  private looseSuspects(oldText: string): readonly number[] | undefined {
    if (this.pieces.count <= limits.changesLookedAt) return this.changesNear(oldText);
    this.loose ??= this.searchLoose();
    const core = this.loose.coreOf.get(oldText);
    const hits = core === undefined ? "many" : this.loose.hits.get(core)!;
    if (core === undefined || hits === "many") return this.all();
    const lines = this.start.base.matchedLines;
    const count = splitLines(oldText).length;
    const spans = hits.map((at) => {
      const line = lines.lineAt(Math.max(0, at));
      return { from: lines.start(Math.max(0, line - count)), to: lines.end(line + count) };
    });
    return this.changesAt(this.loose.flagged.get(core), spans);
  }

  /** The changes in whose surroundings the core of an old text stands: where they are few, a look at each is the quickest. */
  private changesNear(oldText: string): readonly number[] | undefined {
    const core = coreOf(oldText);
    if (core === undefined) return this.all();
    const lines = splitLines(oldText).length;
    const { text } = this.start.base;
    return Array.from({ length: this.pieces.count }, (_, i) => i).filter((at) => {
      const { base, first, end } = this.pieces.extent(at, at + 1, lines);
      if (text.slice(base.from, base.to).includes(core)) return true;
      for (let i = first; i < end; i++) if (this.pieces.textAround(i, core.length).includes(core)) return true;
      return false;
    });
  }

  /**
   * Whether an old text may stand around a key at which it would start in the base text, with changes in it: then it agrees
   * with the base text from change to change where the key is.
   */
  private mayStand(oldText: string, start: number): boolean {
    const end = start + oldText.length;
    const { text } = this.start.base;
    const agrees = (from: number, to: number): boolean =>
      to > from && text.startsWith(oldText.slice(from - start, to - start), from);
    let i = this.pieces.firstTouching(start);
    if (i === this.pieces.count || this.pieces.at(i).from > end) return false;
    let from = Math.max(0, start);
    for (; i < this.pieces.count && this.pieces.at(i).from <= end; i++) {
      if (agrees(from, this.pieces.at(i).from)) return true;
      from = Math.max(from, this.pieces.at(i).to);
    }
    return agrees(from, end);
  }

  /** All changes, if they are few. */
  private all(): readonly number[] | undefined {
    const { count } = this.pieces;
    return count > limits.searchedChanges ? undefined : Array.from({ length: count }, (_, i) => i);
  }

  /** The changes at some base offsets and in some stretches of the base text. */
  private changesAt(offsets: ReadonlySet<number> | undefined, spans: readonly Span[]): readonly number[] | undefined {
    if (offsets !== undefined && offsets.size > limits.searchedChanges) return undefined;
    if ((offsets === undefined || offsets.size === 0) && spans.length === 0) return [];
    const found = new Set<number>();
    for (const { from, to } of [...[...(offsets ?? [])].map((offset) => ({ from: offset, to: offset })), ...spans]) {
      for (let i = this.pieces.firstTouching(from); i < this.pieces.count && this.pieces.at(i).from <= to; i++)
        found.add(i);
    }
    return [...found].sort((a, b) => a - b);
  }

  /** Old texts that do not stand in the base text as they are, by what no rung folds away. */
  private searchLoose(): LooseSearch {
    const { base } = this.start;
    const texts = this.edits
      .map(({ oldText }) => oldText)
      .filter((text) => base.starts(undefined, text, 1).length === 0);
    const coreOfText = new Map(texts.map((text) => [text, coreOf(text)]));
    const cores = [...new Set([...coreOfText.values()].flatMap((core) => core ?? []))];
    const search = toEnd(MultiSearch.of(cores, base.text));
    const hits = toEnd(search.hits(base.text));
    const loose: LooseSearch = {
      coreOf: coreOfText,
      search,
      hits: new Map(cores.map((core, id) => [core, hits[id]!])),
      flagged: new Map(),
    };
    for (let i = 0; i < this.pieces.count; i++)
      flagLoose(loose, this.pieces.textAround(i, keyReach), this.pieces.at(i).from);
    return loose;
  }

  /** Flags the changes `[first, end)` of a stretch of the base text, and the next ones beside it that keys may reach. */
  private flagNear({ from, to }: Span, first: number, end: number): void {
    const before = first > 0 && from - this.pieces.at(first - 1).to < keyReach ? first - 1 : first;
    const behind = end < this.pieces.count && this.pieces.at(end).from - to < keyReach ? end + 1 : end;
    this.flagChanges(before, behind);
  }

  private flagChanges(first: number, end: number): void {
    for (let i = first; i < end; i++) this.flag(this.pieces.textAround(i, keyReach), this.pieces.at(i).from);
  }

  private flag(text: string, offset: number): void {
    this.start.base.touched(text, (oldText) => push(this.flagged, oldText, offset));
    if (this.loose !== undefined) flagLoose(this.loose, text, offset);
  }
}

function isExact(located: Located): boolean {
  return (located.kind === "one" || located.kind === "many") && located.rung === "exact";
}

/** Old texts that are looked for on looser rungs. */
interface LooseSearch {
  /** By old text; `undefined`: it has none. */
  readonly coreOf: ReadonlyMap<string, string | undefined>;
  readonly search: MultiSearch;
  /** By core, in the base text. */
  readonly hits: ReadonlyMap<string, readonly number[] | "many">;
  /** By core, base offsets of the changes that it stands at. */
  readonly flagged: Map<string, Set<number>>;
}

function flagLoose({ search, flagged }: LooseSearch, text: string, offset: number): void {
  search.touch(text, (id) => push(flagged, search.patterns[id]!, offset));
}

function push(map: Map<string, Set<number>>, key: string, value: number): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  // One more than is looked at says that there are too many.
  else if (values.size <= limits.searchedChanges) values.add(value);
}

function asBase(origin: Draft): Draft {
  const { index } = origin;
  return { ...origin, base: index, change: ChangeSet.none(index.text.length), index };
}

function localDraft(start: Draft, { base, change, index }: Window): Draft {
  const text = start.base.text.slice(base.from, base.to);
  return { ...draftOf({ ...start.document, text }), change, index };
}
