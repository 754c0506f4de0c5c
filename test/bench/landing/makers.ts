/**
 * Makers of the cases that can't be made by damaging every edit in the same way: shuffled edits, chains, parts of
 * lines, and all refusals.
 */
import type { Breaker, Reason } from "./breakages.js";
import { secondThought } from "./breakages.js";
import { type CaseMaker, type Ground, isCertain, landing, type Planned, refusal } from "./landingCase.js";
import {
  addedLines,
  drawEdits,
  type EditLine,
  endOf,
  isBlankLine,
  newLines,
  oldLines,
  placesOf,
  type RealEdit,
  withEdits,
} from "./realEdit.js";
import { toSent } from "./sent.js";
import type { Version } from "./sources.js";

/** At least three edits, in any order but that of the file. */
export const shuffled: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const edits = drawEdits(chance, version, chance.between(3, 8));
  const order = [...edits];
  for (let i = order.length - 1; i > 0; i--) {
    const j = chance.below(i + 1);
    [order[i], order[j]] = [order[j] as RealEdit, order[i] as RealEdit];
  }
  if (edits.length < 3 || order.every((edit, i) => edit === edits[i])) return undefined;
  const planned = order.map((edit) => asIs(ground, edit));
  return isCertain(version, planned) ? landing(ground, planned) : undefined;
};

/** One real edit in two or three steps, each based on the result of the previous one, with other edits in between. */
export const chain: CaseMaker = (ground) => {
  const { chance, version, door } = ground;
  const edits = drawEdits(chance, version, chance.between(1, 3));
  const target = edits.find((edit) => addedLines(edit).some((line) => /\w{4}/.test(line)));
  if (target === undefined || version.lines.some((line) => line.includes(draftMark))) return undefined;
  const steps = stepsOf(target, chance.between(2, 3));
  const chained: Planned[] = steps.map((lines, i) => ({
    sent: { ...toSent({ lines }, { ended: chance.percent(40) }), section: i },
    edit: target,
    sought: i === 0 ? oldLines(target) : [],
  }));
  const others = edits.filter((edit) => edit !== target).map((edit) => asIs(ground, edit));
  if (!isCertain(version, [...others, ...chained.slice(0, 1)])) return undefined;
  const planned = [...chained];
  for (const other of others) planned.splice(door === "patch" ? 0 : chance.below(planned.length + 1), 0, other);
  // The hunks of a section are sent in file order.
  if (door === "patch") planned.sort((a, b) => sectionOf(a) - sectionOf(b) || startOf(a) - startOf(b));
  return landing(ground, planned, {}, edits);
};

const draftMark = "InDraft";
const sectionOf = ({ sent }: Planned): number => sent.section ?? 0;
const startOf = ({ edit }: Planned): number => edit?.start ?? 0;

/**
 * The lines of each step. The first step adds a draft of one new line; the last step gives that line its final form.
 */
function stepsOf({ lines }: RealEdit, count: number): EditLine[][] {
  const at = lines.findIndex(({ kind, text }) => kind === "add" && /\w{4}/.test(text));
  const final = lines[at]?.text ?? "";
  const draft = (step: number): string => final.replace(/\w{4,}/, (word) => `${word}${draftMark}${step}`);
  const steps = [lines.toSpliced(at, 1, { kind: "add", text: draft(1) })];
  for (let step = 2; step <= count; step++) {
    const next = step === count ? final : draft(step);
    steps.push([
      { kind: "remove", text: draft(step - 1) },
      { kind: "add", text: next },
    ]);
  }
  return steps;
}

/** Only the part of a line that changes, with just enough context to make it unique. */
export const partOfLine: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const planned = version.hunks
    .filter(({ lines }) => lines.length === 2 && lines[0]?.kind === "remove" && lines[1]?.kind === "add")
    .flatMap((edit) => partOf(version, edit) ?? []);
  if (planned.length === 0) return undefined;
  const picked = [...new Set(Array.from({ length: chance.between(1, 3) }, () => chance.pick(planned)))];
  return isCertain(version, picked) ? landing(ground, picked) : undefined;
};

function partOf(version: Version, edit: RealEdit): Planned | undefined {
  const [old = "", next = ""] = edit.lines.map(({ text }) => text);
  let from = 0;
  while (from < old.length && old[from] === next[from]) from++;
  let tail = 0;
  while (tail < Math.min(old.length, next.length) - from && old.at(-1 - tail) === next.at(-1 - tail)) tail++;
  let to = old.length - tail;
  for (;;) {
    while (from > 0 && /\w/.test(old[from - 1] ?? "")) from--;
    while (to < old.length && /\w/.test(old[to] ?? "")) to++;
    const part = old.slice(from, to);
    if (/\w/.test(part) && placesOf([part], version.lines) === 1) {
      const newText = next.slice(from, next.length - (old.length - to));
      return { sent: { oldText: part, newText, hunk: undefined }, edit, sought: [part] };
    }
    if (from === 0 && to === old.length) return undefined;
    from = Math.max(0, from - 1);
    to = Math.min(old.length, to + 1);
  }
}

/**
 * Lines that occur several times, with a line number near the intended occurrence or, in patches, with its line number or
 * an anchor before it.
 */
export const repeatedWithLine: CaseMaker = (ground) => {
  const { chance, version, door } = ground;
  const edit = repeatedLines(ground, 50);
  if (edit === undefined || addedLines(edit).length === 0) return undefined;
  const starts = startsOf(version, oldLines(edit));
  const sent = toSent(edit, { ended: false });
  const planned = (more: { line: number } | { anchor: string }): Planned[] => [
    { sent: { ...sent, ...more }, edit, sought: oldLines(edit) },
  ];
  if (door === "patch" && chance.percent(50)) {
    // After the anchor, the lines must occur only once.
    if (starts.at(-1) !== edit.start) return undefined;
    const before = starts.at(-2) ?? -1;
    const anchors = version.lines
      .slice(before + 1, edit.start)
      .filter((line) => /\w{3}/.test(line) && placesOf([line], version.lines) === 1);
    return anchors.length === 0 ? undefined : landing(ground, planned({ anchor: chance.pick(anchors).trim() }));
  }
  // In a patch, a line number must be right.
  const line = edit.start + 1 + (door === "patch" ? 0 : chance.between(-2, 2));
  const distance = (start: number): number => Math.abs(start + 1 - line);
  const isNearest = starts.every((start) => start === edit.start || distance(start) > distance(edit.start));
  return isNearest && line > 0 ? landing(ground, planned({ line })) : undefined;
};

/** Lines that occur several times, with no indication of which occurrence is meant. */
export const ambiguous: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const edit = repeatedLines(ground, 5);
  if (edit === undefined) return undefined;
  const others = drawEdits(chance, version, chance.below(3)).filter(
    (other) => endOf(edit) < other.start || endOf(other) < edit.start,
  );
  const rest = others.map((other) => asIs(ground, other));
  const stays = startsOf({ lines: withEdits(version.lines, others) }, oldLines(edit)).length > 1;
  if (!stays || !isCertain(version, rest)) return undefined;
  const first: Planned = { sent: toSent(edit, { ended: false }), edit, sought: oldLines(edit) };
  return refusal(ground, [first, ...rest], { reason: "ambiguous", index: 0 });
};

/**
 * Returns an edit of the first one or two lines that a hunk removes, provided that they occur at least twice and at
 * most `most` times.
 */
export function repeatedLines({ chance, version }: Ground, most: number): RealEdit | undefined {
  const { start, lines } = chance.pick(version.hunks);
  const removed = lines.filter(({ kind }) => kind === "remove");
  if (removed.length === 0) return undefined;
  const count = Math.min(removed.length, chance.between(1, 2));
  const edit = { start, lines: [...removed.slice(0, count), ...lines.filter(({ kind }) => kind === "add")] };
  const says = !isBlankLine(oldLines(edit)[0] ?? "") && /\w/.test(oldLines(edit).join(""));
  if (!says) return undefined;
  const places = startsOf(version, oldLines(edit)).length;
  const wholes = version.lines.filter((_, i) =>
    oldLines(edit).every((line, j) => version.lines[i + j] === line),
  ).length;
  return wholes > 1 && places <= most ? edit : undefined;
}

/** The 0-based lines at which occurrences of a text start. */
export function startsOf({ lines }: Pick<Version, "lines">, sought: readonly string[]): number[] {
  const [text, wanted] = [lines.join("\n"), sought.join("\n")];
  const starts: number[] = [];
  let line = 0;
  let counted = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    for (; counted < at; counted++) if (text[counted] === "\n") line++;
    starts.push(line);
  }
  return starts;
}

/**
 * Several edits, one with a mistake. If `found` is `true`, the lines from which the mistaken edit was made must occur
 * in the file exactly once; otherwise, the lines that it sends must not occur there at all. Both checks ignore
 * whitespace.
 */
export function broken(
  reason: Reason,
  breaker: Breaker,
  { found = false }: { readonly found?: boolean } = {},
): CaseMaker {
  return (ground) => {
    const { chance, version, door } = ground;
    const edits = drawEdits(chance, version, chance.between(1, 4));
    const index = chance.below(Math.max(1, edits.length));
    const target = edits[index];
    const made = target && breaker(chance, target, version);
    if (target === undefined || made === undefined || (door === "patch" && made.sent.hunk === undefined))
      return undefined;
    const sought = found ? oldLines(target) : [];
    const planned = edits.map((edit, i) => (i === index ? { sent: made.sent, edit, sought } : asIs(ground, edit)));
    if (!isCertain(version, planned)) return undefined;
    const { differsAt } = made;
    return refusal(ground, planned, { reason, index, ...(differsAt === undefined ? {} : { differsAt }) });
  };
}

/** Edits to one file, one of which belongs in a different file. */
export const absent: CaseMaker = (ground) => {
  const { chance, version, files } = ground;
  const other = chance.pick(files).version();
  const [stranger] = other === undefined ? [] : drawEdits(chance, other, 1);
  if (stranger === undefined) return undefined;
  const own = new Set(version.lines.map((line) => line.trim()));
  const telling = oldLines(stranger).filter((line) => /\w{3}/.test(line));
  if (telling.length === 0 || telling.some((line) => own.has(line.trim()))) return undefined;
  const planned = drawEdits(chance, version, chance.below(4)).map((edit) => asIs(ground, edit));
  const index = chance.below(planned.length + 1);
  planned.splice(index, 0, { sent: toSent(stranger, { ended: chance.percent(40) }), edit: undefined, sought: [] });
  return isCertain(version, planned) ? refusal(ground, planned, { reason: "absent", index }) : undefined;
};

/** An edit that has already been applied, among others that have not. */
export const alreadyApplied: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const edits = drawEdits(chance, version, chance.between(1, 4));
  const index = chance.below(Math.max(1, edits.length));
  const done = edits[index];
  if (done === undefined) return undefined;
  const lines = withEdits(version.lines, [done]);
  if (placesOf(newLines(done), lines) !== 1 || placesOf(oldLines(done), lines) !== 0) return undefined;
  const moved = newLines(done).length - oldLines(done).length;
  const planned = edits.map((edit, i): Planned => {
    if (i < index) return asIs(ground, edit);
    if (i > index) return asIs(ground, { ...edit, start: edit.start + moved });
    // The file already contains the result of the edit, so the edit's location is that of its new lines.
    const kept = newLines(done).map((text): EditLine => ({ kind: "keep", text }));
    return { sent: asIs(ground, done).sent, edit: { start: done.start, lines: kept }, sought: [] };
  });
  const now = { ...version, lines };
  return isCertain(now, planned)
    ? refusal({ ...ground, version: now }, planned, { reason: "alreadyApplied", index })
    : undefined;
};

/** Two edits to the same lines in one call, both written for the original file. */
export const consumed: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const edits = drawEdits(chance, version, chance.between(1, 3));
  const first = chance.below(Math.max(1, edits.length));
  const target = edits[first];
  const second = target && secondThought(chance, target, version);
  if (target === undefined || second === undefined) return undefined;
  const planned = edits.map((edit) => asIs(ground, edit));
  const sought = second.sent.oldText.split("\n");
  const gone = placesOf(sought, version.lines) === 1 && placesOf(sought, withEdits(version.lines, edits)) === 0;
  if (!gone || !isCertain(version, planned)) return undefined;
  const index = chance.between(first + 1, planned.length);
  planned.splice(index, 0, { sent: second.sent, edit: target, sought });
  return refusal(ground, planned, { reason: "consumed", index });
};

/** The edit as its author made it. */
export function asIs({ chance }: Pick<Ground, "chance">, edit: RealEdit): Planned {
  return { sent: toSent(edit, { ended: chance.percent(40) }), edit, sought: oldLines(edit) };
}
