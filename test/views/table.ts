/** The allowed outcomes of a call: the rules for views, applied to the identities of the lines. */
import { limits } from "../../server/text/limits.js";
import { carryByDiff, isAlike, isGuessed } from "./alike.js";
import { type Call, type Meant, newLines, oldLines } from "./calls.js";
import { type Carried, carry, carryInserted, type Effect, joined, product, type Seen, withEffects } from "./carry.js";
import type { Leniency } from "./leniencies.js";
import { type Lines, textOf } from "./lines.js";
import { type Alone, effectsHere, type Found, pointed, resolve } from "./resolve.js";
import { isCarriedByDiff, type View, type World } from "./world.js";

/** The outcomes that the rules allow. */
export interface Allowed {
  readonly texts: ReadonlySet<string>;
  /** Failure codes; empty if the call must succeed. */
  readonly codes: ReadonlySet<string>;
  /** `true` if the rules say too little about this state: only what always holds is judged. */
  readonly isOpen: boolean;
  /** The texts and codes that are allowed only by a leniency, with its name. */
  readonly lenient: ReadonlyMap<string, Leniency>;
}

/** `by`: the row that allows it, if the rules do not ask for it. */
type Option = { readonly by?: Leniency } /** As if there were no views. */ & (
  | { readonly kind: "today" }
  | { readonly kind: "refused"; readonly code: string }
  | { readonly kind: "carried"; readonly carried: Carried }
  /** The old text is at a certain line of the present text, but not only there. */
  | { readonly kind: "there"; readonly at: number }
  | { readonly kind: "done" }
  | { readonly kind: "open" }
);

/** The views that have a say about an edit. `by`: the row that allows them, if the rules do not ask for these. */
export interface Panel {
  readonly by?: Leniency;
  readonly views: readonly View[];
  readonly hasPresent: boolean;
}

/** Works out the allowed outcomes. `panels`: for each edit, the panels that the rules allow; usually one. */
export function decide(world: World, call: Call, panels: readonly (readonly Panel[])[]): Allowed {
  const alone = resolve(world.present.lines, call);
  const options = call.edits.map((edit, i) =>
    panels[i]!.flatMap((panel) =>
      optionsOf({ world, call, edit, i, alone }, panel).map((one) => by(one.by ?? panel.by, one)),
    ),
  );
  const texts = new Set<string>();
  const codes = new Set<string>();
  const lenient = new Map<string, Leniency>();
  let isOpen = false;
  const choices = product(options).sort((a, b) => Number(a.some(isLenient)) - Number(b.some(isLenient)));
  for (const choice of choices) {
    const made = together({ world, call, alone }, choice);
    const row = choice.find(isLenient)?.by;
    for (const one of [...made.texts, ...made.codes])
      if (row !== undefined && !texts.has(one) && !codes.has(one)) lenient.set(one, row);
    for (const text of made.texts) texts.add(text);
    for (const code of made.codes) codes.add(code);
    isOpen ||= made.isOpen;
  }
  return { texts, codes, isOpen, lenient };
}

const isLenient = ({ by }: Option): boolean => by !== undefined;

/** An option that a row allows. */
const by = (row: Leniency | undefined, option: Option): Option => (row === undefined ? option : { ...option, by: row });

interface Subject {
  readonly world: World;
  readonly call: Call;
  readonly alone: Alone;
}

function optionsOf(
  { world, call, edit, i, alone }: Subject & { readonly edit: Meant; readonly i: number },
  { views, hasPresent }: Panel,
): Option[] {
  if (edit.isWide) return [{ kind: "today" }];
  if (views.some(({ isVague }) => isVague)) return [{ kind: "open" }];
  const named = views.map((view) => ({ view, found: foundIn(view, call, i) }));
  const says = named.filter(({ found }) => found.kind !== "none");
  if (says.length === 0) return [{ kind: "today" }];
  const own = alone.found[i]!;
  const several: Option = { kind: "refused", code: "ambiguousMatch" };
  const all = says.flatMap(({ view, found }) => (found.kind === "one" ? [{ view, found }] : []));
  // A place that is only a part of another one has no say.
  const places = all.filter(({ found }) => !all.some((other) => isPartOf(found.lines, other.found.lines)));
  // The rules leave open whether a read that shows one of several places names that place.
  if (says.some(({ view, found }) => found.kind === "several" && view.shown !== "all")) return [{ kind: "open" }];
  if (all.length < says.length || (hasPresent && own.kind === "several")) return [several];
  const keys = places.map(({ found }) => keyOf(found.lines));
  const isPart =
    own.kind === "one" &&
    places.some(({ found }) => isPartOf(own.lines, found.lines) || isWithin(own, found.lines, world.present.lines));
  const ownKey = own.kind === "one" && !isPart ? keyOf(own.lines) : undefined;
  const { view, found } = places[0]!;
  const isUnsure = places.some((one) => isCarriedByDiff(one.view, world));
  const doubts = (row: Leniency): Option[] => [by(row, several), by(row, { kind: "refused", code: "contentModified" })];
  const unsure = isUnsure ? doubts("compared") : [];
  // Of equal lines side by side, nobody can say which one was there first.
  const isSame =
    own.kind === "one" &&
    isPerhaps(own, { edit, view, at: found.kind === "one" ? found.at : 0, present: world.present, isUnsure });
  const alike: Option[] = isSame ? [by("equalLines", { kind: "today" })] : [];
  // Whether the texts name the same lines does not matter if the edit makes the same change in all of them.
  const isSameText = own.kind === "one" && places.every((one) => makesSame({ world, call, edit }, one));
  if (isSameText) return [{ kind: "today" }, by("sameChange", several)];
  if (new Set(keys).size > 1) return [...sharedBy({ world, edit }, places), several, ...alike];
  // Whether so little text was moved or typed anew is left open.
  const isFaint = places.some((one) => isMoved(one.found.lines, one.view, world) && isLittle(one.found.lines));
  if (ownKey === keys[0]) return [{ kind: "today" }, ...unsure, ...(isFaint ? doubts("littleText") : [])];
  if (hasPresent && ownKey !== undefined) return [several, ...alike];
  // What an edit of parts of lines does, or one that ignores differences, is not worked out on identities.
  const isWhole = textOf(found.lines) === textOf(oldLines(edit)) || edit.word !== undefined;
  if (!found.isExact || !isWhole) return [{ kind: "open" }];
  const guesses = isUnsure ? carryByDiff(edit, found.at, view, world.present) : [];
  const inserted = carryInserted(edit, found.at, view, world.present);
  const guessed = [
    ...guesses.map((carried) => by("compared", { kind: "carried", carried })),
    ...inserted.map((carried) => by("inserted", { kind: "carried", carried })),
  ];
  const little = isFaint ? doubts("littleText") : [];
  const carried = carriedOption({ world, call, edit }, view, found.at);
  const isLoose = carried.kind === "carried" && carried.carried.refused === "may";
  const lost = isLoose ? doubts("lostNeighbour").slice(own.kind === "none" ? 1 : 0) : [];
  return [...unsure, ...little, ...alike, ...guessed, ...lost, carried];
}

/** If an edit makes the same change for each of several places, these agree, although their lines are others. */
function sharedBy(
  { world, edit }: Pick<Subject, "world"> & { readonly edit: Meant },
  places: readonly { readonly view: View; readonly found: Extract<Found, { kind: "one" }> }[],
): Option[] {
  const all = places.map(({ view, found }) => carry(edit, found.at, view, world.present));
  const textsOf = ({ effects }: Carried): string[] =>
    effects.map((effect) => textOf(withEffects(world.present.lines, [effect])));
  const [first, ...others] = all;
  if (first === undefined || all.some(({ refused }) => refused === "must")) return [];
  const own = textsOf(first);
  const isShared = others.every((one) => textsOf(one).some((text) => own.includes(text)));
  return isShared ? [by("sameChange", { kind: "carried", carried: first })] : [];
}

/** Reports whether an edit, carried from a text, changes the present text as it would be changed without that text. */
function makesSame(
  { world, call, edit }: Pick<Subject, "world" | "call"> & { readonly edit: Meant },
  { view, found }: { readonly view: View; readonly found: Extract<Found, { kind: "one" }> },
): boolean {
  const { text } = resolve(world.present.lines, { form: call.form, edits: [edit] });
  if (text === undefined) return false;
  const { effects } = carry(edit, found.at, view, world.present);
  return effects.some((effect) => textOf(withEffects(world.present.lines, [effect])) === text);
}

/** Reports whether a place of the present text may be the edit's own, as far as anyone without the identities can say. */
function isPerhaps(
  own: Extract<Found, { kind: "one" }>,
  {
    edit,
    view,
    at,
    present,
    isUnsure,
  }: { edit: Meant; view: View; at: number; present: World["present"]; isUnsure: boolean },
): boolean {
  const place = view.lines.slice(at, at + oldLines(edit).length).map(({ id }) => id);
  const isPart = own.lines.every(({ id }) => place.includes(id));
  if (isPart || isAlike(own.lines, edit)) return true;
  return isUnsure && isGuessed(edit, at, view, present, own.at);
}

const isMoved = (lines: Lines, { time }: View, { present }: World): boolean =>
  lines.some(({ id }) => (present.moved.get(id) ?? -1) > time);

const isLittle = (lines: Lines): boolean => {
  const text = textOf(lines).replace(/\s+/g, "");
  return text.length < limits.tellingText || lines[0]?.text.trim() === "";
};

function carriedOption(
  { world, call, edit }: Pick<Subject, "world" | "call"> & { edit: Meant },
  view: View,
  at: number,
): Option {
  const { lines } = world.present;
  const place = view.lines.slice(at, at + oldLines(edit).length);
  const first = lines.findIndex(({ id }) => id === place[0]!.id);
  if (first !== -1) {
    const [there] = resolve(lines, { form: call.form, edits: [pointed(edit, call.form, first)] }).found;
    if (there?.kind === "one" && keyOf(there.lines) === keyOf(place)) return { kind: "there", at: first };
  }
  if (isDone(edit, { view, at }, world.present)) return { kind: "done" };
  return { kind: "carried", carried: carry(edit, at, view, world.present) };
}

/**
 * Reports whether the lines of the place are now as the edit would make them: between its neighbours, with all lines of
 * it that are left, there is such a run of lines.
 */
function isDone(
  edit: Meant,
  { view, at }: { readonly view: Seen; readonly at: number },
  { lines: now, moved }: World["present"],
): boolean {
  const old = oldLines(edit);
  const here = now.map(({ id }, i) => [id, i] as const).filter(([id]) => (moved.get(id) ?? -1) <= view.time);
  const index = new Map(here);
  const above = view.lines.slice(0, at).findLast(({ id }) => index.has(id));
  const below = view.lines.slice(at + old.length).find(({ id }) => index.has(id));
  const from = above === undefined ? 0 : index.get(above.id)! + 1;
  const to = below === undefined ? now.length : index.get(below.id)!;
  const left = view.lines.slice(at, at + old.length).flatMap(({ id }) => index.get(id) ?? []);
  const made = newLines(edit);
  for (let start = from; start + made.length <= to; start++) {
    const end = start + made.length;
    const isWhole = left.every((i) => start <= i && i < end);
    if (isWhole && textOf(now.slice(start, end)) === textOf(made)) return true;
  }
  return false;
}

function foundIn(view: View, call: Call, i: number): Found {
  const found = resolve(view.lines, call).found[i]!;
  const { shown } = view;
  if (shown === "all" || found.kind !== "one") return found;
  return found.lines.every(({ id }) => shown.has(id)) ? found : { kind: "none", code: "notShown" };
}

/** Reports whether some lines are only a part of others. */
const isPartOf = (lines: Lines, others: Lines): boolean =>
  lines.length < others.length && lines.every(({ id }) => others.some((other) => other.id === id));

/** Reports whether a present place lies between the lines that are left of another one, and has fewer lines than it. */
function isWithin({ at, lines }: Extract<Found, { kind: "one" }>, place: Lines, now: Lines): boolean {
  const left = now.flatMap(({ id }, i) => (place.some((line) => line.id === id) ? [i] : []));
  const [first, last] = [left[0], left.at(-1)];
  if (first === undefined || last === undefined || lines.length >= place.length) return false;
  return first <= at && at + lines.length - 1 <= last;
}

const keyOf = (lines: Lines): string => lines.map(({ id }) => id).join(" ");

function together({ world, call, alone }: Subject, choice: readonly Option[]): Omit<Allowed, "lenient"> {
  const { lines } = world.present;
  const nothing = { texts: new Set<string>(), codes: new Set<string>(), isOpen: false };
  if (choice.some(({ kind }) => kind === "open")) return { ...nothing, isOpen: true };
  const codes = new Set(choice.flatMap((one, i) => codesOf(one, alone.found[i]!)));
  const mustFail = choice.some((one, i) => isRefused(one, alone.found[i]!));
  if (mustFail) return { ...nothing, codes };
  if (choice.every(({ kind }) => kind === "today")) {
    return alone.text === undefined
      ? { ...nothing, codes: new Set(alone.codes) }
      : { ...nothing, texts: new Set([alone.text]) };
  }
  const [only] = choice;
  if (choice.length === 1 && only?.kind === "there") {
    const { text } = resolve(lines, { form: call.form, edits: [pointed(call.edits[0]!, call.form, only.at)] });
    return text === undefined ? { ...nothing, isOpen: true } : { ...nothing, texts: new Set([text]) };
  }
  const effects = choice.map((one, i) => effectsOf(one, { world, call, edit: call.edits[i]!, found: alone.found[i]! }));
  if (effects.some((list) => list === undefined)) return { ...nothing, codes, isOpen: true };
  const made = product(effects.map((list) => list ?? [])).map((list) => textOf(withEffects(lines, [joined(list)])));
  return { texts: new Set(made), codes, isOpen: false };
}

const isRefused = (option: Option, own: Found): boolean =>
  option.kind === "refused" ||
  (option.kind === "today" && own.kind !== "one" && own.code !== "skipped") ||
  (option.kind === "carried" && option.carried.refused === "must");

function codesOf(option: Option, own: Found): string[] {
  if (option.kind === "refused") return [option.code];
  if (option.kind === "today") return own.kind === "one" ? [] : [own.code];
  // What the place of removed lines is, the rules leave open; the present text may then name another.
  const elsewhere = own.kind === "none" ? [] : ["ambiguousMatch"];
  return option.kind === "carried" && option.carried.refused === "must" ? ["contentModified", ...elsewhere] : [];
}

function effectsOf(
  option: Option,
  { world, call, edit, found }: Pick<Subject, "world" | "call"> & { readonly edit: Meant; readonly found: Found },
): readonly Effect[] | undefined {
  const { present } = world;
  if (option.kind === "done") return [joined([])];
  if (option.kind === "carried") return option.carried.effects;
  if (option.kind === "today") {
    if (found.kind === "one") return effectsHere(found, { edit, form: call.form }, present);
    return found.code === "skipped" ? [joined([])] : undefined;
  }
  if (option.kind !== "there") return undefined;
  const now = { lines: present.lines, time: Number.MAX_SAFE_INTEGER };
  const isWhole = oldLines(edit).every((line, n) => present.lines[option.at + n]?.text === line.text);
  return isWhole ? carry(edit, option.at, now, present).effects : undefined;
}
