/** Draws scenarios, and makes those that fail as short as possible. */
import { chanceOf } from "../codex/random.js";
import { play } from "./play.js";
import { emptyTally, type Objection, type Scenario, type Stage, type Step } from "./story.js";
import { anyone } from "./world.js";

const weights = {
  typeLine: 6,
  typeOnLine: 5,
  removeLines: 2,
  moveLines: 2,
  copyLines: 2,
  format: 1,
  undo: 3,
  save: 3,
  reload: 1,
  minutes: 1,
  read: 3,
  readSome: 2,
  look: 3,
  call: 12,
  undoCall: 2,
  whole: 1,
} satisfies Record<Step["kind"], number>;

/** The last steps of a scenario. */
const endings: readonly (readonly Step["kind"][])[] = [
  ...Array<Step["kind"][]>(5).fill(["call"]),
  ["call", "typeLine", "undoCall"],
  ["call", "typeOnLine", "removeLines", "undoCall"],
  ["whole"],
];

/** The scenario of a seed. */
export function drawScenario(seed: number): Scenario {
  const chance = chanceOf(seed);
  const step = (kind: Step["kind"], agent: string): Step => ({ kind, agent, seed: chance.below(2 ** 31) });
  const main = chance.percent(85) ? "ann" : anyone;
  const agent = (): string => chance.weighted({ [main]: 7, bob: 2, [main === anyone ? "ann" : anyone]: 1 });
  const opening = step(chance.pick(["look", "read", "readSome"] as const), main);
  const steps = Array.from({ length: chance.between(2, 9) }, () => step(chance.weighted(weights), agent()));
  const ending = chance.pick(endings);
  return {
    seed: chance.below(2 ** 31),
    isDistinct: chance.percent(30),
    isClosed: chance.percent(12),
    isCrlf: chance.percent(20),
    steps: [opening, ...steps, ...ending.map((kind) => step(kind, main))],
  };
}

/** Leaves out steps for as long as the judge still objects; returns the story of the shortest scenario. */
export async function shortest(stage: Stage, scenario: Scenario, { kind, story }: Objection): Promise<string> {
  let [best, told] = [scenario, story];
  const tally = emptyTally();
  for (let i = best.steps.length - 1; i >= 0; i--) {
    const shorter = { ...best, steps: best.steps.toSpliced(i, 1) };
    const objection = await play(stage, shorter, tally);
    if (objection?.kind === kind) [best, told] = [shorter, objection.story];
  }
  return told;
}
