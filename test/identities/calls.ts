/** The calls of agents: edits that are meant for certain characters of the text that the agent has seen. */
import type { Chance } from "../codex/random.js";
import { applied, type Hunk, linesOf, occurrences, type Span } from "./chars.js";
import { nearFocus } from "./deeds.js";
import { type Body, drawBody, drawFragment } from "./edits.js";

/** A hint that says which one of several matches is meant. */
export type Hint =
  | { readonly kind: "line" | "occurrence" | "number"; readonly value: number }
  | { readonly kind: "anchor"; readonly value: string };

/** An edit as its author means it. */
export interface Meant {
  /** The span of the old text in the text that the author saw. */
  readonly from: number;
  readonly to: number;
  /** The changes within the old text, ascending. */
  readonly hunks: readonly Hunk[];
  readonly hint: Hint | undefined;
}

/** A call to the file. */
export interface Call {
  readonly form: "edits" | "patch";
  readonly edits: readonly Meant[];
  readonly request: object;
}

/** The text that an author has seen. */
export interface Sight {
  readonly text: string;
  /** The lines that the author was shown; 0-based, the second one exclusive. */
  readonly first: number;
  readonly end: number;
}

/** What a drawn call depends on. */
export interface Desire {
  readonly chance: Chance;
  readonly sight: Sight;
  readonly focus: number;
  /** A name that occurs in no other call. */
  readonly mark: string;
  /** `true` if the text has line endings that are CRLF. */
  readonly crlf: boolean;
}

/** Draws a call; `undefined` if the text is not fit for one. */
export function drawCall(desire: Desire): Call | undefined {
  const { chance, sight } = desire;
  const lines = linesOf(sight.text);
  if (lines.length === 0) return undefined;
  const form = chance.percent(40) ? "patch" : "edits";
  const count = chance.weighted({ one: 70, two: 20, three: 10 });
  const bodies: Body[] = [];
  for (let tries = 0; tries < 30 && bodies.length < { one: 1, two: 2, three: 3 }[count]; tries++) {
    const body = drawOne(desire, lines, form, `${desire.mark}${"abc"[bodies.length]}`);
    const isApart = bodies.every((one) => body === undefined || body.end < one.first || one.end < body.first);
    if (body !== undefined && isApart) bodies.push(body);
  }
  if (bodies.length === 0) return undefined;
  const all = form === "patch" ? bodies.toSorted((a, b) => a.first - b.first) : bodies;
  const edits = all.map((body) => ({ ...body, hint: hintFor(desire, lines, body, form) }));
  // Line numbers hold for the edits that are made last to first.
  if (form === "edits" && edits.some(({ hint }) => hint)) edits.sort((a, b) => b.from - a.from);
  if (!areApart(sight.text, edits)) return undefined;
  return { form, edits, request: toRequest(desire, edits, form) };
}

function drawOne(desire: Desire, lines: readonly Span[], form: Call["form"], mark: string): Body | undefined {
  const { chance, sight, focus } = desire;
  const shown = sight.end - sight.first;
  const share = (focus * lines.length - sight.first) / Math.max(1, shown);
  const line = sight.first + nearFocus(chance, Math.max(0, Math.min(1, share)), shown);
  const paper = { chance, text: sight.text, lines, first: sight.first, end: sight.end, mark };
  if (form === "edits" && chance.percent(30)) return drawFragment(paper, line);
  return drawBody(paper, line, form);
}

/** Reports whether no edit writes what another one looks for. */
function areApart(text: string, edits: readonly Meant[]): boolean {
  return edits.every(({ from, to }) => {
    const others = edits.filter((one) => one.from !== from).flatMap(({ hunks }) => hunks);
    const old = text.slice(from, to);
    const after = applied(
      text,
      others.toSorted((a, b) => a.from - b.from),
    );
    return others.length === 0 || occurrences(after, old).length === occurrences(text, old).length;
  });
}

function hintFor(desire: Desire, lines: readonly Span[], body: Body, form: Call["form"]): Hint | undefined {
  const { chance, sight } = desire;
  const number = lines.findIndex(({ next }, at) => next > body.from || at === lines.length - 1) + 1;
  if (form === "patch") {
    const above = lines.slice(sight.first, body.first).map(({ from, to }) => sight.text.slice(from, to));
    const all = lines.map(({ from, to }) => sight.text.slice(from, to));
    const anchors = above.filter(
      (one) =>
        /\w/.test(one) && !/^@@|@@$/.test(one) && all.filter((other) => other.trim() === one.trim()).length === 1,
    );
    const kind = chance.weighted({ bare: 4, number: 3, anchor: anchors.length > 0 ? 3 : 0 });
    if (kind === "anchor") return { kind, value: anchors.at(-1 - chance.below(Math.min(2, anchors.length)))! };
    return kind === "number" ? { kind, value: number } : undefined;
  }
  const start = lines[sight.first]!.from;
  const seen = sight.text.slice(start, lines[sight.end - 1]!.next);
  const found = occurrences(seen, sight.text.slice(body.from, body.to));
  const isWhole = sight.first === 0 && sight.end === lines.length;
  const kind = chance.weighted(
    found.length > 1 ? { line: 50, occurrence: isWhole ? 20 : 0, none: 30 } : { line: 15, occurrence: 0, none: 85 },
  );
  if (kind === "none") return undefined;
  return { kind, value: kind === "line" ? number : found.indexOf(body.from) + 1 };
}

function toRequest({ chance, sight, crlf }: Desire, edits: readonly (Body & Meant)[], form: Call["form"]): object {
  const { text } = sight;
  if (form === "patch") {
    const hunks = edits.flatMap(({ signed, hint, first }) => [header(hint, signed, first), ...signed]);
    return { patch: ["*** Begin Patch", "*** Update File: a.py", ...hunks, "*** End Patch", ""].join("\n") };
  }
  const usesCrlf = crlf && chance.percent(30);
  const sent = (own: string): string => (usesCrlf ? own.replaceAll("\n", "\r\n") : own);
  const pairs = edits.map(({ from, to, hunks, hint }) => {
    const own = hunks.map((hunk) => ({ ...hunk, from: hunk.from - from, to: hunk.to - from }));
    const old = text.slice(from, to);
    return { oldText: sent(old), newText: sent(applied(old, own)), ...(hint ? { [hint.kind]: hint.value } : {}) };
  });
  if (edits.some(({ hint }) => hint) || chance.percent(40))
    return { edits: pairs.map((pair) => ({ path: "a.py", ...pair })) };
  const isOne = pairs.length === 1 && chance.percent(50);
  const strings = pairs.map(({ oldText, newText }) => ({ old_string: oldText, new_string: newText }));
  return isOne ? { file_path: "a.py", ...strings[0] } : { file_path: "a.py", edits: strings };
}

function header(hint: Hint | undefined, signed: readonly string[], first: number): string {
  if (hint === undefined) return "@@";
  if (hint.kind === "anchor") return `@@ ${hint.value}`;
  const count = (sign: string): number => signed.filter((line) => !line.startsWith(sign)).length;
  return `@@ -${first + 1},${count("+")} +${first + 1},${count("-")} @@`;
}
