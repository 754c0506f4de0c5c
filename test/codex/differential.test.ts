/**
 * Compares the real `apply_patch` with the server on thousands of random patches; only intentional differences are
 * allowed. To try more patches: `CODEX_APPLY_PATCH=<the program> CODEX_PATCHES=20000 CODEX_SEED=7 npx vitest run
 * test/codex`.
 */
import { afterAll, it } from "vitest";
import { codexBinary } from "./binary.js";
import { compare, modes } from "./compare.js";
import { type DeviationName, deviations } from "./deviations.js";
import { makeTrial } from "./generator.js";
import { chanceOf } from "./random.js";
import { shrink } from "./shrink.js";
import type { Trial } from "./trial.js";

const program = process.env.CODEX_APPLY_PATCH;
const count = Number(process.env.CODEX_PATCHES ?? 3_000);
const seed = Number(process.env.CODEX_SEED ?? Date.now() % 1_000_000);

/** Each trial starts a process; two at a time are enough to keep a small machine busy. */
const atOnce = 2;

// Without the program, there is nothing to compare; if the program is required, its absence is a failure.
if (program === undefined) {
  it("apply_patch is not available", () => {
    const leftOut = "left out: the comparison with Codex, because CODEX_APPLY_PATCH names no program";
    if (process.env.REQUIRE_CODEX === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  const binary = codexBinary(program);
  afterAll(() => binary.close());

  it("agrees with Codex except for intentional differences", { timeout: 60_000 + count * 100 }, async () => {
    const chance = chanceOf(seed);
    const tally = { pairs: 0, done: 0, refused: 0, deviating: 0 };
    const rows = new Map<DeviationName | "several together", number>();
    let different: Trial | undefined;
    const work = async (): Promise<void> => {
      while (tally.pairs < count && different === undefined) {
        tally.pairs++;
        const trial = makeTrial(chance);
        for (const verdict of await compare(trial, binary)) {
          if (verdict.kind === "different") different = trial;
          else if (verdict.kind === "same") tally[verdict.isDone ? "done" : "refused"]++;
          else {
            tally.deviating++;
            const by = verdict.by.length > 0 ? verdict.by : (["several together"] as const);
            for (const row of by) rows.set(row, (rows.get(row) ?? 0) + 1);
          }
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const counts = [...Object.keys(deviations), "several together"].map(
      // Object.keys loses the type of the table's keys.
      (name) => `  ${name}: ${rows.get(name as DeviationName) ?? 0}`,
    );
    console.log(
      `Codex and the server on ${tally.pairs} patches in ${modes.length} modes, CODEX_SEED=${seed}: ${tally.done} times ` +
        `both do the same, ${tally.refused} times both refuse, ${tally.deviating} times they deviate intentionally:\n` +
        counts.join("\n"),
    );
    if (different !== undefined) throw new Error(await reportOf(different));
  });

  /** Reduces a trial to the smallest one that still shows the difference and returns the report on it. */
  const reportOf = async (trial: Trial): Promise<string> => {
    const reported = async (one: Trial): Promise<string | undefined> => {
      const found = (await compare(one, binary)).find((verdict) => verdict.kind === "different");
      return found?.report;
    };
    const smallest = await shrink(trial, async (one) => (await reported(one)) !== undefined);
    return (await reported(smallest)) ?? "";
  };
}
