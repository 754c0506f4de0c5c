/** One document and everything that agents have seen of it. */

import type { Both } from "./both.js";
import type { Call } from "./calls.js";
import { type Chars, type Hunk, type Identities, lineStart, linesOf, type Splice, spliced } from "./chars.js";
import type { Candidate } from "./needed.js";

/** A text that an agent has seen. */
export interface Seen {
  readonly chars: Chars;
  readonly step: number;
  readonly by: "read" | "disk";
  /** The lines that were shown; 0-based, the second one exclusive. */
  readonly first: number;
  readonly end: number;
}

/** A text on disk. `until`: the time in minutes at which it was replaced. */
export interface OnDisk {
  readonly chars: Chars;
  readonly step: number;
  until: number | undefined;
  untilStep: number;
}

/** An agent. */
export interface Agent {
  readonly name: string;
  /** The text that it goes by; `undefined` if it has seen none. */
  view: Seen | undefined;
  reads: Seen[];
  /** The texts on disk with its own edits, by the step at which each came to be there. */
  readonly own: Map<number, Chars>;
  /** The step of its last call that landed. */
  landed: number;
  last: { readonly request: object; readonly present: Chars } | undefined;
}

/** The ages, in minutes, at which the protocol says that former texts on disk are kept. */
const ages = [1, 3, 10] as const;

/** The former texts that are kept when a text is replaced: the oldest one of each age. */
export function keptDisks(disks: readonly OnDisk[], minute: number): OnDisk[] {
  const current = disks.filter(({ until }) => until === undefined);
  const kept = ages.flatMap((age, i) => {
    const least = i === 0 ? 0 : ages[i - 1]!;
    return disks.find(({ until }) => until !== undefined && minute - until >= least && minute - until < age) ?? [];
  });
  return [...kept, ...current].sort((a, b) => a.step - b.step);
}

/** Makes an author's changes in a text that has the characters that they concern. */
export function withEdits(
  chars: Chars,
  author: Chars,
  changes: readonly { readonly hunk: Hunk; readonly ids: readonly number[] }[],
): Chars {
  const where = chars === author ? undefined : new Map(chars.ids.map((id, at) => [id, at]));
  const placeOf = (at: number): number | undefined => (where === undefined ? at : where.get(author.ids[at]!));
  const splices = changes.flatMap(({ hunk: { from, to, insert }, ids }): Splice[] => {
    const removed: number[] = [];
    for (let at = from; at < to; at++) {
      const own = placeOf(at);
      if (own !== undefined) removed.push(own);
    }
    const cuts = removed.map((at) => ({ from: at, to: at + 1, insert: "", ids: [] as number[] }));
    const left = from === 0 ? -1 : placeOf(from - 1);
    const right = to >= author.text.length ? chars.text.length : placeOf(to);
    const at = removed[0] ?? (left === undefined ? right : left + 1);
    return insert === "" || at === undefined ? cuts : [{ from: at, to: at, insert, ids }, ...cuts];
  });
  // From the end on, and at one offset the insertions last: of these, the last one first.
  return splices
    .reverse()
    .sort((a, b) => b.from - a.from || b.to - a.to)
    .reduce(spliced, chars);
}

/** The identities of a text that was written with another indentation, or without what was there already. */
export function alike(text: string, written: string, ids: readonly number[], all: Identities): number[] {
  const own = all.fresh(text, false);
  const marks = (of: string): number[] => [...of].flatMap((char, at) => (char === " " ? [] : [at]));
  const [a, b] = [marks(text), marks(written)];
  const shift = text.trim().endsWith(written.trim()) ? a.length - b.length : 0;
  for (const [i, at] of b.entries()) {
    const there = a[i + shift];
    if (there !== undefined && text[there] === written[at]) own[there] = ids[at]!;
  }
  return own;
}

/** The text as a candidate: only what was shown has a say. */
function candidateOf(chars: Chars, first = 0, end = Number.MAX_SAFE_INTEGER): Candidate {
  const lines = linesOf(chars.text);
  return {
    chars,
    from: lines[first]?.from ?? 0,
    to: lines[Math.min(end, lines.length) - 1]?.next ?? chars.text.length,
  };
}

/** The texts that an agent can have seen, the one that it goes by first; and the present one, if that has a say. */
export function candidatesOf(
  agent: Agent,
  view: Seen,
  { disks, present }: { readonly disks: readonly OnDisk[]; readonly present: Chars },
): { candidates: Candidate[]; present: Candidate | undefined } {
  const own = candidateOf(view.chars, view.first, view.end);
  const written = Math.max(...disks.map(({ step }) => step));
  const lastRead = agent.reads.at(-1);
  if (view === lastRead && view.step > written) return { candidates: [own], present: undefined };
  const reads = agent.reads
    .filter((one) => one !== view)
    .map(({ chars, first, end }) => candidateOf(chars, first, end));
  const since = lastRead?.step ?? -1;
  const saved = disks
    .filter(({ until, untilStep }) => until === undefined || untilStep > since)
    .map((disk) => candidateOf(agent.own.get(disk.step) ?? disk.chars));
  return { candidates: [own, ...reads, ...saved], present: candidateOf(present) };
}

/** The line endings of the lines that edits change, and of those beside them. The server may choose those anew. */
export function endingsIn({ seen, present, nowAt }: Both, { edits }: Call): Set<number> {
  const found = new Set<number>();
  for (const { from, to } of edits.flatMap(({ hunks }) => hunks)) {
    const start = lineStart(seen.text, Math.max(0, lineStart(seen.text, from) - 1));
    const own = seen.text.indexOf("\n", to);
    const end = own === -1 ? -1 : seen.text.indexOf("\n", own + 1);
    const now = [...nowAt.slice(start, end === -1 ? seen.text.length : end + 1)].filter((at) => at !== -1);
    for (let at = Math.min(...now); at <= Math.max(...now); at++)
      if (present.text[at] === "\n") found.add(present.ids[at]!);
  }
  return found;
}

/** The text that the editor has after a call, with the line endings that the server has written. */
export function adoptEndings(rendered: string, chars: Chars, ids: Identities, isNew: (id: number) => boolean): boolean {
  let at = 0;
  for (let i = 0; i < chars.text.length; i++) {
    if (chars.text.charCodeAt(i) !== 10) {
      at++;
      continue;
    }
    const crlf = rendered.charCodeAt(at) === 13;
    at += crlf ? 2 : 1;
    const id = chars.ids[i]!;
    if (isNew(id)) ids.setEnding(id, crlf);
    else if (ids.isCrlf(id) !== crlf) return false;
  }
  return true;
}
