/** Plays many stories and adds up what became of their calls. */
import { play } from "./play.js";
import { shortest } from "./shrink.js";
import { count, drawStory, emptyTally, sum, type Tally } from "./story.js";

/** Stories to be played. */
interface Plan {
  readonly first: number;
  readonly runs: number;
  readonly show?: string | undefined;
  /** The number of stories of one kind that are shown. */
  readonly most?: number;
  /** `true` if the editor syncs whole texts. */
  readonly isWhole?: boolean;
}

/** Plays the stories of a range of seeds. `show`: the kind of objection of which stories are shown. */
export function run({ first, runs, show = "wrong", most = 2, isWhole = false }: Plan): {
  tally: Tally;
  scripts: { wrong: string[]; needless: string[] };
} {
  const tally = emptyTally();
  const scripts = { wrong: [] as string[], needless: [] as string[] };
  const shown = new Map<string, number>();
  for (let seed = first; seed < first + runs; seed++) {
    const story = drawStory(seed, { isWhole });
    const objection = play(story, tally);
    if (objection === undefined || objection.kind !== show) continue;
    const key = `${objection.kind} ${objection.why}`;
    if ((shown.get(key) ?? 0) >= most) continue;
    count(shown, key);
    const { objection: short } = shortest(story, objection);
    scripts[objection.kind].push([`seed ${seed}: ${key}`, ...short.script.map((line) => `  ${line}`)].join("\n"));
  }
  return { tally, scripts };
}

/** The figures of a tally, as lines. */
export function figures(tally: Tally): string {
  const { stories, calls, landed, skipped, neededBy, needlessBy, wrongBy, lenientBy } = tally;
  const rows = (map: ReadonlyMap<string, number>): string =>
    [...map]
      .sort((a, b) => b[1] - a[1])
      .map(([key, number]) => `\n    ${number} ${key}`)
      .join("");
  const share = ((100 * sum(needlessBy)) / calls).toFixed(2);
  return [
    `${stories} stories, ${calls} calls: ${landed} landed, ${skipped} skipped`,
    `  refused, needed: ${sum(neededBy)}${rows(neededBy)}`,
    `  refused, needless: ${sum(needlessBy)} (${share} %)${rows(needlessBy)}`,
    `  not known: ${sum(lenientBy)}${rows(lenientBy)}`,
    `  wrong: ${sum(wrongBy)}${rows(wrongBy)}`,
  ].join("\n");
}
