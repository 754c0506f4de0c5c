/** Decides whether a placeholder in a new text stands for code that the edit would lose. */
import { limits } from "../../text/limits.js";
import { replacedIn } from "../../text/lines.js";
import { isComment, isElision, isOmission } from "./leftOutCode.js";

/** Returns the first new line (trimmed, as all are) that stands for code, where code is lost, if there is one. */
export function lossyOmission(old: readonly string[], next: readonly string[]): string | undefined {
  if (!next.some(isOmission)) return undefined;
  const runs = replacedIn(old, next);
  const added = next.map((_, line) => runs.some(({ fromB, toB }) => fromB <= line && line < toB));
  return next.find((line, at) => {
    if (!added[at] || !isOmission(line)) return false;
    const isCode = (one: string): boolean => /[\p{L}\p{N}]/u.test(one) && !isElision(one) && !isComment(one, line);
    const end = added.indexOf(false, at);
    return removedAt(old, next, at).some(isCode) || (end !== -1 && opensBlock(next.slice(at + 1, end)));
  });
}

/** Returns the lines that a new line removes, by the best alignments that remove some: brackets may be paired twice. */
function removedAt(old: readonly string[], next: readonly string[], at: number): readonly string[] {
  if (old.length * next.length > limits.lineSteps) return old;
  const before = keptCounts(old, next.slice(0, at));
  const after = keptCounts(old.toReversed(), next.slice(at + 1).reverse()).reverse();
  const most = before.reduce((best, count, i) => Math.max(best, count + after[i]!), 0);
  return old.filter((_, line) => {
    // The line is removed there if the lines before it and after it can keep as many.
    const [head, tail] = [before[line]!, after[line + 1]!];
    return head + tail === most;
  });
}

/** Returns, for each number of old lines from 0 on, how many of them can be kept in the new lines. */
function keptCounts(old: readonly string[], next: readonly string[]): number[] {
  const counts = Array<number>(old.length + 1).fill(0);
  for (const line of next) {
    let diagonal = 0;
    for (let i = 1; i <= old.length; i++) {
      const above = counts[i]!;
      counts[i] = old[i - 1] === line ? diagonal + 1 : Math.max(above, counts[i - 1]!);
      diagonal = above;
    }
  }
  return counts;
}

/** Reports whether added lines open a block: the lines below them, which stay, are then no longer where they were. */
function opensBlock(added: readonly string[]): boolean {
  const text = added.join("\n").trimEnd();
  const count = (brackets: RegExp): number => text.match(brackets)?.length ?? 0;
  return /[{([:]$/.test(text) || count(/[{([]/g) > count(/[})\]]/g);
}
