/**
 * The judge of the views: texts whose lines have hidden identities change under the eyes of agents, and every call must
 * do what the rules make of the identities. `VIEWS_RUNS` sets the number of scenarios, `VIEWS_SEED` the first seed,
 * `VIEWS_MOST` the number of wrong outcomes after which it stops; with `VIEWS_REFUSED`, every refusal that the rules do
 * not ask for is told as well.
 */
import { describe, expect, it } from "vitest";
import { serverForDesks } from "./support/desk.js";
import { play } from "./views/play.js";
import { drawScenario, shortest } from "./views/scenarios.js";
import { startStage } from "./views/stage.js";
import { emptyTally } from "./views/story.js";

const program = serverForDesks();
const runs = Number(process.env.VIEWS_RUNS ?? 150);
const firstSeed = Number(process.env.VIEWS_SEED ?? 1);
const showsRefused = process.env.VIEWS_REFUSED !== undefined;
const most = Number(process.env.VIEWS_MOST ?? 3);

describe("calls land where the agent looked", () => {
  it.each(["changes", "wholeText"] as const)(
    "if the editor syncs as %s",
    { timeout: 30_000 + 200 * runs },
    async (tells) => {
      const stage = await startStage(program, tells);
      const tally = emptyTally();
      const stories = { wrong: [] as string[], refused: [] as string[] };
      for (let seed = firstSeed; seed < firstSeed + runs && stories.wrong.length < most; seed++) {
        const scenario = drawScenario(seed);
        const objection = await play(stage, scenario, tally);
        if (objection === undefined) continue;
        const isShown = objection.kind === "wrong" || showsRefused;
        const story = isShown ? await shortest(stage, scenario, objection) : objection.story;
        stories[objection.kind].push(`seed ${seed}:\n${story}`);
      }
      const { wrong, refused } = stories;
      if (process.env.VIEWS_RUNS !== undefined)
        process.stdout.write(
          `${tells}: ${JSON.stringify({ ...tally, lenient: Object.fromEntries(tally.lenient), wrong: wrong.length, overcautious: refused.length })}\n`,
        );
      expect([...wrong, ...(showsRefused ? refused : [])].join(`\n${"=".repeat(60)}\n`)).toBe("");
      // Where lines were moved or replaced around a place, refusing is right as well, if it is rare.
      expect(refused.length, refused[0]).toBeLessThanOrEqual(Math.max(2, tally.calls / 50));
      expect(tally.landed).toBeGreaterThan(runs / 4);
      expect(tally.refused).toBeGreaterThan(runs / 10);
      expect(tally.open).toBeLessThan(tally.calls / 10);
      const lenient = [...tally.lenient.values()].reduce((sum, count) => sum + count, 0);
      expect(lenient, JSON.stringify([...tally.lenient])).toBeLessThan(tally.calls / (tells === "changes" ? 10 : 6));
      for (const count of [tally.undone, tally.kept, tally.moved, tally.rewritten, tally.dirty])
        expect(count, JSON.stringify(tally)).toBeGreaterThan(0);
    },
  );
});
