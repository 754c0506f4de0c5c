/** Compares the text that an author saw with the present one, by the identities of their characters. */
import { type Chars, lineStart, linesOf } from "./chars.js";

/** The text that the author saw, and the present one. */
export interface Both {
  readonly seen: Chars;
  readonly present: Chars;
  /** The offset in the present text of each unit of the text that was seen; -1 if it is gone. */
  readonly nowAt: Int32Array;
  /** 1 for each unit of the present text that the author has seen. */
  readonly isSeen: Uint8Array;
}

/** Compares two texts by identities. `count`: the number of identities. */
export function both(seen: Chars, present: Chars, count: number): Both {
  const where = new Int32Array(count).fill(-1);
  for (const [at, id] of present.ids.entries()) where[id] = at;
  const nowAt = new Int32Array(seen.ids.length);
  const isSeen = new Uint8Array(present.ids.length);
  for (const [at, id] of seen.ids.entries()) {
    const now = where[id]!;
    nowAt[at] = now;
    if (now >= 0) isSeen[now] = 1;
  }
  for (const { from, to } of linesOf(seen.text)) {
    // Spaces that Enter has left alone on a line are nothing that anybody knows again: the line is where its text is.
    const indent = seen.text.slice(from, to).match(/^ */)![0].length;
    const [first, text] = [nowAt[from]!, nowAt[from + indent]!];
    if (indent === 0 || from + indent === to || first === -1 || text === -1) continue;
    const start = lineStart(present.text, first);
    const end = present.text.indexOf("\n", first);
    if (end === -1 || end >= text || present.text.slice(start, end).trim() !== "") continue;
    for (let at = from; at < from + indent; at++) {
      const now = nowAt[at]!;
      if (now !== -1 && now < end) [isSeen[now], nowAt[at]] = [0, -1];
    }
  }
  for (let from = 0; from < nowAt.length; from++) {
    // What was removed and put back at the same place is as it was.
    if (nowAt[from] !== -1) continue;
    let to = from;
    while (to < nowAt.length && nowAt[to] === -1) to++;
    const start = from === 0 ? 0 : nowAt[from - 1]! + 1;
    const end = to === nowAt.length ? present.text.length : nowAt[to]!;
    const isSame = end - start === to - from && present.text.slice(start, end) === seen.text.slice(from, to);
    for (let i = from; isSame && i < to; i++) {
      nowAt[i] = start + i - from;
      isSeen[nowAt[i]!] = 1;
    }
    from = to;
  }
  const lines = linesOf(present.text);
  for (const line of linesOf(seen.text)) {
    // What was removed from a line and typed there again is as it was.
    const first = nowAt.subarray(line.from, line.to).find((at) => at >= 0);
    const now = lines.find(({ from, to }) => first !== undefined && from <= first && first < to);
    if (now === undefined || present.text.slice(now.from, now.to) !== seen.text.slice(line.from, line.to)) continue;
    const isOwn = nowAt.subarray(line.from, line.to).every((at, i) => at === -1 || at === now.from + i);
    for (let i = 0; isOwn && i < line.to - line.from; i++) {
      nowAt[line.from + i] = now.from + i;
      isSeen[now.from + i] = 1;
    }
  }
  for (const { from, to } of linesOf(seen.text)) {
    // An empty line that was put elsewhere with text in it is gone: a line ending alone is nothing that anybody knows again.
    const now = nowAt[to];
    if (now === undefined || now === -1 || seen.text.slice(from, to).trim() !== "") continue;
    const start = lineStart(present.text, now);
    const isInPlace = from === 0 ? start === 0 : nowAt[from - 1] === start - 1;
    if (isInPlace || present.text.slice(start, now).trim() === "") continue;
    isSeen[now] = 0;
    nowAt[to] = -1;
  }
  return { seen, present, nowAt, isSeen };
}
