/** One document, everything that its lines went through, and the texts that agents can have seen of it. */
import { renamedLines, typedAgain } from "./alike.js";
import { type Call, oldLines } from "./calls.js";
import { type Effect, type Present, type Seen, withEffects } from "./carry.js";
import type { Lines } from "./lines.js";
import { resolve } from "./resolve.js";
import type { Panel } from "./table.js";

/** An earlier text that may have a say. */
export interface View extends Seen {
  /** The lines that were shown, by identity. */
  readonly shown: "all" | ReadonlySet<number>;
  /** `true` if the text has never been the editor's. */
  readonly isForeign: boolean;
  /** `true` if a batch of the agent can't be applied to it without a doubt. */
  readonly isVague: boolean;
}

/** A text as it was on disk. */
export interface Saved extends View {
  /** The time of the clock, in minutes, when it was written. */
  readonly minute: number;
  /** The text with the batches of each agent applied. */
  readonly withBatches: ReadonlyMap<string, View>;
}

/** The state of one document. Times are the numbers of steps. */
export interface World {
  readonly present: Present;
  /** The time at which the text was last replaced as a whole. */
  readonly lastWhole: number;
  readonly reads: ReadonlyMap<string, readonly View[]>;
  /** Oldest first; the last one is on disk now. Empty if no editor has the document open. */
  readonly saved: readonly Saved[];
  /** The time of the last change on disk. */
  readonly written: number;
  /** The time at which the editor opened the document for the last time. */
  readonly opened: number;
  readonly minute: number;
  readonly time: number;
}

/** The id under which batches of all callers are applied to the texts that a caller without an id can have seen. */
export const anyone = "*";

/** The id under which only the batches of callers without an id are applied to the texts that these can have seen. */
export const anyoneAlone = "* alone";

/** The panels that the rules allow for each edit. */
export function panelsOf(world: World, agent: string, call: Call): Panel[][] {
  return call.edits.map((_, i): Panel[] => {
    const reads = (world.reads.get(agent) ?? []).slice(-4);
    const finds = (view: View): boolean => {
      const found = resolve(view.lines, call).found[i]!;
      if (found.kind === "none") return false;
      return found.kind === "several" || shows(view, found.lines);
    };
    const finding = reads.findLast(finds);
    const alone: Panel[] =
      finding === undefined || finding.time <= world.written ? [] : [{ views: [finding], hasPresent: false }];
    // The rules leave open whether the agent's own batch counts as a change on disk.
    if (alone.length > 0 && finding === reads.at(-1) && world.saved.length > 0) return alone;
    const others = everything(world, agent);
    const row = { by: "ownWrites" } as const;
    return alone.length === 0 ? others : [...alone, ...others.map((one) => ({ ...one, ...row }))];
  });
}

/** Reports whether a text was replaced as a whole since it was seen, and lines may be confused. */
export function isCarriedByDiff(view: View, { present, lastWhole }: World): boolean {
  if (view.time >= lastWhole && !view.isForeign) return false;
  const areDistinct = [view.lines, present.lines].every(
    (lines) => new Set(lines.map(({ text }) => text.trim())).size === lines.length,
  );
  return !areDistinct || [...present.moved.values()].some((time) => time > view.time);
}

const shows = ({ shown }: View, lines: Lines): boolean => shown === "all" || lines.every(({ id }) => shown.has(id));

/** All texts that the agent can have seen; the rules leave open which of the older saved texts are kept. */
export function everything(world: World, agent: string): Panel[] {
  const { saved, minute } = world;
  const reads = (world.reads.get(agent) ?? []).slice(-4);
  const since = reads.at(-1)?.time ?? -1;
  const isCurrentAt = (i: number, then: number): boolean =>
    saved[i]!.minute <= then && (saved[i + 1]?.minute ?? Number.POSITIVE_INFINITY) > then;
  const kept = saved.filter(
    (_, i) =>
      i === saved.length - 1 ||
      [1, 3, 10].some((ago) => isCurrentAt(i, minute - ago) || (i === 0 && minute - ago < saved[0]!.minute)),
  );
  const lists = [
    kept.filter(({ time }) => time >= since),
    kept.filter((_, i) => (kept[i + 1]?.time ?? Number.POSITIVE_INFINITY) >= since),
    // A document that is closed and opened again may have lost its earlier texts.
    kept.filter(({ time }) => time >= since && time >= world.opened),
    saved.filter(({ time }) => time >= since),
    saved.filter((_, i) => (saved[i + 1]?.time ?? Number.POSITIVE_INFINITY) >= since),
  ];
  const distinct = [...new Map(lists.map((list) => [list.map(({ time }) => time).join(" "), list])).values()];
  const withBatches = (list: readonly Saved[], id: string): View[] => [
    ...reads,
    ...list.map((one) => one.withBatches.get(id) ?? one),
  ];
  return distinct.flatMap((list, i): Panel[] => [
    { views: withBatches(list, agent), hasPresent: true, ...(i > 0 ? { by: "keptTexts" as const } : {}) },
    { views: [...reads, ...list], hasPresent: true, by: "ownBatches" },
    // Whoever has no id may be another caller than the one whose batch it was.
    ...(agent === anyone
      ? [{ views: withBatches(list, anyoneAlone), hasPresent: true, by: "ownBatches" } as const]
      : []),
  ]);
}

/** The earlier text with the identities that its lines have now, if they were removed and typed again. */
export function upToDate(view: View, present: Present): View {
  const names = typedAgain(view, present);
  const shown = view.shown === "all" ? "all" : new Set([...view.shown].map((id) => names.get(id) ?? id));
  return { ...view, lines: renamedLines(view.lines, names), shown };
}

/** The same, for all earlier texts. */
export function allUpToDate(world: World): World {
  const own = (view: View): View => upToDate(view, world.present);
  return {
    ...world,
    reads: new Map([...world.reads].map(([id, views]) => [id, views.map(own)])),
    saved: world.saved.map((one) => ({
      ...one,
      ...own(one),
      withBatches: new Map([...one.withBatches].map(([id, view]) => [id, own(view)])),
    })),
  };
}

/** Applies an agent's batch to the texts that it and those without an id can have seen. `before`: the text before it. */
export function withBatch(world: World, before: Present, agent: string, effect: Effect): World {
  const apply = (view: View): View => applied(view, effect, before);
  const hasBatch = (id: string): boolean => id === agent || id === anyone || (id === anyoneAlone && agent === anyone);
  const forAgents = (one: Saved): ReadonlyMap<string, View> =>
    new Map([...one.withBatches].map(([id, view]) => [id, hasBatch(id) ? apply(view) : view]));
  return {
    ...world,
    reads: new Map([...world.reads].map(([id, views]) => [id, hasBatch(id) ? views.map(apply) : views])),
    saved: world.saved.map((one) => ({ ...one, withBatches: forAgents(one) })),
  };
}

function applied(view: View, effect: Effect, { lines: now, moved }: Present): View {
  const ids = new Set(view.lines.map(({ id }) => id));
  const touched = [
    ...effect.removed,
    ...effect.replaced.map(({ id }) => id),
    ...effect.added.flatMap(({ after }) => after ?? []),
  ];
  const isKept = (id: number): boolean => ids.has(id) && (moved.get(id) ?? -1) <= view.time;
  const next = (lines: Lines, id: number | undefined): number | undefined => {
    const left = lines.filter((line) => line.id === id || !effect.removed.includes(line.id));
    return left[left.findIndex((line) => line.id === id) + 1]?.id;
  };
  const isSameGap = effect.added.every(({ after }) => next(now, after) === next(view.lines, after));
  const textIn = (lines: Lines, id: number): string | undefined => lines.find((line) => line.id === id)?.text;
  const isSameLine = effect.replaced.every(({ id }) => textIn(now, id) === textIn(view.lines, id));
  if (!touched.every(isKept) || !isSameGap || !isSameLine) return { ...view, isVague: true };
  const added = effect.added.flatMap(({ lines }) => lines.map(({ id }) => id));
  const shown = view.shown === "all" ? "all" : new Set([...view.shown, ...added]);
  return { ...view, lines: withEffects(view.lines, [effect]), shown };
}

/** Reports whether an edit's place in a text is the one that its author meant. */
export const isMeant = (found: { readonly lines: Lines }, edit: Call["edits"][number]): boolean =>
  found.lines.every(({ id }, n) => id === oldLines(edit)[n]?.id);
