/** Single edits, drawn as lines that are kept, removed and added, or as a part of one line. */
import type { Chance } from "../codex/random.js";
import type { Hunk, Span } from "./chars.js";
import { newLine, newWord, tails } from "./texts.js";

/** An edit without its hint. */
export interface Body {
  /** The span of the old text, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
  readonly hunks: readonly Hunk[];
  /** The lines that the edit concerns; 0-based, the second one exclusive. */
  readonly first: number;
  readonly end: number;
  /** The lines of a hunk of a patch. */
  readonly signed: readonly string[];
}

/** What an edit is drawn on. */
export interface Paper {
  readonly chance: Chance;
  readonly text: string;
  readonly lines: readonly Span[];
  /** The lines that the author has seen; 0-based, the second one exclusive. */
  readonly first: number;
  readonly end: number;
  readonly mark: string;
}

/** A change to a run of lines. `fine`: the change within the only line, if it is a part of it. */
interface Change {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
  readonly fine?: Hunk;
}

const contentOf = ({ text, lines }: Paper, at: number): string => text.slice(lines[at]!.from, lines[at]!.to);

/** A change within a line. */
function drawFine(paper: Paper, line: number): Hunk | undefined {
  const { chance, lines, mark } = paper;
  const content = contentOf(paper, line);
  const words = [...content.matchAll(/[\w.]+/g)];
  const { from, to } = lines[line]!;
  if (chance.percent(25) || words.length === 0) {
    if (content.trim() === "") return undefined;
    return { from: to, to, insert: chance.percent(70) ? chance.pick(tails) : `  # ${mark}` };
  }
  const word = chance.pick(words);
  const [start, end] = [from + word.index, from + word.index + word[0].length];
  if (chance.percent(20)) return { from: end, to: end, insert: chance.pick([`(${mark})`, ", c", " + 1", "s"]) };
  const insert = newWord(chance, mark);
  return insert === word[0] ? undefined : { from: start, to: end, insert };
}

/** An edit whose old text is a part of a line: 2 to 8 characters, or a word. */
export function drawFragment(paper: Paper, line: number): Body | undefined {
  const { chance, text, lines } = paper;
  const fine = drawFine(paper, line);
  if (fine === undefined) return undefined;
  const { from: start, to: end } = lines[line]!;
  let { from, to } = fine;
  const least = chance.between(2, 8);
  while (to - from < least && (from > start || to < end)) {
    if (to < end && (from === start || chance.percent(50))) to++;
    else from--;
  }
  if (text.slice(from, to).trim() === "") return undefined;
  return { from, to, hunks: [fine], first: line, end: line + 1, signed: [] };
}

function drawChange(paper: Paper, at: number): Change | undefined {
  const { chance, end, mark } = paper;
  const kind = chance.weighted({ fine: 35, insert: 25, remove: 15, replace: 20, rename: 5 });
  const added = Array.from({ length: chance.between(1, 3) }, (_, i) => newLine(chance, `${mark}${i}`));
  const removed = Math.min(chance.between(1, 3), end - at);
  if (kind === "insert") return { at: at + chance.below(2), removed: 0, added };
  if (kind === "remove") return { at, removed, added: [] };
  const old = Array.from({ length: removed }, (_, i) => contentOf(paper, at + i));
  // A line that is removed and added again is kept.
  if (kind === "replace") return added.some((text) => old.includes(text)) ? undefined : { at, removed, added };
  if (kind === "rename") {
    const next = old.map((one) => one.replace(/\w+/g, (word, i: number) => (i % 3 === 0 ? word : mark)));
    return next.join() === old.join() ? undefined : { at, removed, added: next };
  }
  const fine = drawFine(paper, at);
  if (fine === undefined) return undefined;
  const { from } = paper.lines[at]!;
  const content = contentOf(paper, at);
  const changed = content.slice(0, fine.from - from) + fine.insert + content.slice(fine.to - from);
  return { at, removed: 1, added: [changed], fine };
}

/** An edit of whole lines, with up to three lines of context on each side. */
export function drawBody(paper: Paper, line: number, form: "edits" | "patch"): Body | undefined {
  const { chance, text, lines } = paper;
  const one = drawChange(paper, line);
  if (one === undefined) return undefined;
  const gap = chance.between(1, 2);
  const next = one.at + one.removed + gap;
  const other =
    chance.percent(12) && next < paper.end ? drawChange({ ...paper, mark: `${paper.mark}z` }, next) : undefined;
  const changes = other === undefined ? [one] : [one, other];
  const last = changes.at(-1)!;
  const first = Math.max(paper.first, one.at - chance.between(0, 3));
  const end = Math.min(paper.end, last.at + last.removed + chance.between(0, 3));
  if (end <= first || end < last.at + last.removed) return undefined;
  const hasEnd = text.endsWith("\n") || end < lines.length;
  if (!hasEnd && (form === "patch" || changes.some(({ added }) => added.length === 0))) return undefined;
  const isEnded = form === "patch" || (hasEnd && chance.percent(50));
  const span = { from: lines[first]!.from, to: isEnded ? lines[end - 1]!.next : lines[end - 1]!.to };
  const old = text.slice(span.from, span.to);
  // An old text that ends with an empty line looks like one whose last line has its ending.
  if (old.trim() === "" || (!isEnded && lines[end - 1]!.from === lines[end - 1]!.to)) return undefined;
  const hunks = changes.map((change) => change.fine ?? hunkOf(paper, change, { first, end, isEnded }));
  return { ...span, hunks, first, end, signed: signed(paper, changes, first, end) };
}

function hunkOf(
  { lines }: Paper,
  { at, removed, added }: Change,
  { first, end, isEnded }: { first: number; end: number; isEnded: boolean },
): Hunk {
  const text = added.join("\n");
  const until = at + removed;
  if (removed > 0 && added.length > 0) return { from: lines[at]!.from, to: lines[until - 1]!.to, insert: text };
  const isInner = until < end || isEnded;
  if (removed === 0) {
    const start = at < lines.length ? lines[at]!.from : lines[at - 1]!.next;
    if (isInner) return { from: start, to: start, insert: `${text}\n` };
    return { from: lines[at - 1]!.to, to: lines[at - 1]!.to, insert: `\n${text}` };
  }
  if (isInner) return { from: lines[at]!.from, to: lines[until - 1]!.next, insert: "" };
  return { from: at > first ? lines[at - 1]!.to : lines[at]!.from, to: lines[until - 1]!.to, insert: "" };
}

function signed(paper: Paper, changes: readonly Change[], first: number, end: number): string[] {
  const made: string[] = [];
  let at = first;
  for (const change of changes) {
    for (; at < change.at; at++) made.push(` ${contentOf(paper, at)}`);
    for (; at < change.at + change.removed; at++) made.push(`-${contentOf(paper, at)}`);
    made.push(...change.added.map((line) => `+${line}`));
  }
  for (; at < end; at++) made.push(` ${contentOf(paper, at)}`);
  return made;
}
