/** Stories: what people and agents do to one document, drawn from a seed so that steps can be left out. */
import { type Chance, chanceOf } from "../codex/random.js";
import { drawLines } from "./texts.js";

/** One step. Everything that it draws depends on its own seed and on the text that it finds. */
export interface Step {
  readonly kind:
    | "deed"
    | "undo"
    | "read"
    | "readPart"
    | "look"
    | "save"
    | "minutes"
    | "call"
    | "again"
    | "sort"
    | "format"
    | "reload";
  readonly seed: number;
  /** The number of the agent. */
  readonly agent: number;
}

/** A story. */
export interface Story {
  readonly lines: readonly string[];
  /** The percentage of line endings that are CRLF. */
  readonly crlf: number;
  readonly isEnded: boolean;
  readonly focus: number;
  /** `false` if agents have no ids. */
  readonly hasIds: boolean;
  /** `true` if the editor syncs whole texts. */
  readonly isWhole: boolean;
  readonly steps: readonly Step[];
}

const middle = {
  ...{ deed: 30, undo: 3, read: 4, readPart: 2, look: 4, save: 5, minutes: 3, call: 9, again: 2 },
  ...{ sort: 0, format: 0, reload: 0 },
} satisfies Record<Step["kind"], number>;

/** With whole texts, an editor also changes all lines at once. */
const wholeMiddle = { ...middle, sort: 2, format: 3, reload: 3 };

/** The story of a seed. */
export function drawStory(seed: number, { isWhole = false } = {}): Story {
  const chance = chanceOf(seed);
  const lines = drawLines(chance);
  const agents = chance.percent(30) ? 2 : 1;
  const step = (kind: Step["kind"]): Step => ({ kind, seed: chance.below(2 ** 31), agent: chance.below(agents) });
  const opening = chance.weighted({ look: 5, read: 4, readPart: 2 });
  const weights = isWhole ? wholeMiddle : middle;
  const steps = [step(opening), step("deed")];
  const count = chance.weighted({ few: 5, some: 4, many: 1 });
  const most = { few: 3, some: 8, many: 14 }[count];
  for (let i = chance.below(most); i > 0; i--) steps.push(step(chance.weighted(weights)));
  steps.push(step("call"));
  if (chance.percent(25)) steps.push(step(chance.weighted(weights)), step("call"));
  return {
    lines,
    crlf: chance.weighted({ 0: 85, 100: 8, 50: 7 } as Record<string, number>) as unknown as number,
    isEnded: chance.percent(93),
    focus: chance.below(1000) / 1000,
    hasIds: chance.percent(85),
    isWhole,
    steps: mended(chance, steps),
  };
}

/** Story steps in which every agent has seen a text before it calls. */
function mended(chance: Chance, steps: readonly Step[]): Step[] {
  const hasSeen = new Set<number>();
  return steps.flatMap((step) => {
    const { kind, agent } = step;
    const isNew = !hasSeen.has(agent);
    if (kind === "read" || kind === "look" || kind === "readPart" || kind === "call") hasSeen.add(agent);
    if (kind !== "call" || !isNew) return [step];
    return [{ kind: "look" as const, agent, seed: chance.below(2 ** 31) }, step];
  });
}

/** What a stage found out about a story. */
export interface Tally {
  stories: number;
  calls: number;
  landed: number;
  skipped: number;
  neededBy: Map<string, number>;
  needlessBy: Map<string, number>;
  wrongBy: Map<string, number>;
  /** Outcomes of which nobody can know whether they are wrong. */
  lenientBy: Map<string, number>;
}

/** A tally with nothing in it. */
export const emptyTally = (): Tally => ({
  ...{ stories: 0, calls: 0, landed: 0, skipped: 0 },
  ...{ neededBy: new Map(), needlessBy: new Map(), wrongBy: new Map(), lenientBy: new Map() },
});

/** Counts one more. */
export const count = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);

/** The sum of the counts. */
export const sum = (map: ReadonlyMap<string, number>): number => [...map.values()].reduce((a, b) => a + b, 0);

/** A call that a story objects to, and everything that led to it. */
export interface Objection {
  readonly kind: "wrong" | "needless";
  /** The kind of objection in a few words. */
  readonly why: string;
  readonly script: readonly string[];
}
