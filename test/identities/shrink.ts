/** Makes a story that fails as short as possible. */
import { play } from "./play.js";
import { emptyTally, type Objection, type Story } from "./story.js";

/** The number of stories that are tried at most. */
const mostTries = 3000;

/** Returns the shortest story found that fails in the same way, and its objection with a script. */
export function shortest(
  story: Story,
  { kind, why }: Objection,
): { readonly story: Story; readonly objection: Objection } {
  let best = story;
  let tries = 0;
  const fails = (one: Story): boolean => {
    if (++tries > mostTries) return false;
    const found = play(one, emptyTally());
    return found?.kind === kind && found.why === why;
  };
  const attempt = (one: Story): boolean => {
    if (!fails(one)) return false;
    best = one;
    return true;
  };
  for (let before: Story | undefined; before !== best; ) {
    before = best;
    for (let at = best.steps.length - 1; at >= 0; at--)
      if (at < best.steps.length) attempt({ ...best, steps: best.steps.toSpliced(at, 1) });
    for (let size = Math.ceil(best.lines.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
      for (let at = best.lines.length - size; at >= 0; at -= size)
        attempt({ ...best, lines: best.lines.toSpliced(at, size) });
    if (Number(best.crlf) > 0) attempt({ ...best, crlf: 0 });
    if (!best.isEnded) attempt({ ...best, isEnded: true });
    if (!best.hasIds) attempt({ ...best, hasIds: true });
  }
  const objection = play(best, emptyTally(), { isScript: true });
  return { story: best, objection: objection ?? { kind, why, script: ["the story does not fail any more"] } };
}
