/**
 * The merge of two changed texts, judged by characters that are there only once in all three texts: it shows in the texts
 * themselves which character stayed, and nothing of the server's rules is needed.
 */

/** A text as its characters, without spaces, and the number of the line of each. */
interface Shown {
  readonly lineOf: ReadonlyMap<string, number>;
  readonly chars: readonly string[];
}

function shown(text: string): Shown {
  const lineOf = new Map<string, number>();
  for (const [line, content] of text.split("\n").entries())
    for (const char of content) if (char !== " ") lineOf.set(char, line);
  return { lineOf, chars: [...lineOf.keys()] };
}

/** Three texts and what a merge made of them. */
export interface Merged {
  readonly base: string;
  readonly typed: string;
  readonly edited: string;
  readonly result: string;
}

/**
 * Returns what is wrong with a merged text, or nothing: it must have the characters that both sides kept and those that
 * either side wrote, once each, in the order that each side gave them; and it must divide them into lines as both sides do.
 */
export function wrongIn({ base, typed, edited, result }: Merged): readonly string[] {
  const [before, own, others, after] = [base, typed, edited, result].map(shown) as [Shown, Shown, Shown, Shown];
  const isGone = (char: string, side: Shown): boolean => before.lineOf.has(char) && !side.lineOf.has(char);
  const wrong: string[] = [];
  if (after.chars.length !== [...result].filter((char) => !/\s/.test(char)).length)
    wrong.push("a character is doubled");
  for (const [side, other, name] of [
    [own, others, "typed"],
    [others, own, "edited"],
  ] as const) {
    const kept = side.chars.filter((char) => !isGone(char, other));
    const found = after.chars.filter((char) => side.lineOf.has(char));
    if (found.join("") !== kept.join("")) wrong.push(`not the characters of the ${name} text: ${kept.join("")}`);
  }
  const strange = after.chars.filter((char) => !own.lineOf.has(char) && !others.lineOf.has(char));
  if (strange.length > 0) wrong.push(`characters that both have removed: ${strange.join("")}`);
  for (const [side, other] of [
    [own, others],
    [others, own],
  ] as const)
    for (const [i, char] of side.chars.entries()) {
      const next = side.chars[i + 1];
      if (next === undefined || !after.lineOf.has(char) || after.chars[after.chars.indexOf(char) + 1] !== next)
        continue;
      const isFree = isDividedAnew(before, other, char, 1) || isDividedAnew(before, other, next, -1);
      if (isDivided(after, char, next) !== isDivided(side, char, next) && !isFree)
        wrong.push(`the lines at ${char}${next}`);
    }
  return wrong;
}

const isDivided = ({ lineOf }: Shown, one: string, next: string): boolean => lineOf.get(one) !== lineOf.get(next);

/** Reports whether a side has divided a character of the base text from its neighbour there, or joined it, or removed one. */
function isDividedAnew(before: Shown, side: Shown, char: string, step: -1 | 1): boolean {
  const at = before.chars.indexOf(char);
  const next = before.chars[at + step];
  if (at === -1 || next === undefined) return false;
  if (!side.lineOf.has(char) || !side.lineOf.has(next)) return true;
  return isDivided(before, char, next) !== isDivided(side, char, next);
}
