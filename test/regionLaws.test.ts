/** The law of regions: planning parts of a text gives the same result as the plain loop over the whole text. */
import { describe, expect, test } from "vitest";
import { planByRegions } from "../server/plan/edits/regions.js";
import { type Drafted, planSequential } from "../server/plan/edits/sequential.js";
import { toEnd } from "../server/text/lines.js";
import { regionBatch } from "./support/regionBatches.js";

/** REGION_BATCHES=1000000 sets the number of batches; REGION_SEED=1 starts at seed 1 and prints the outcomes. */
const { REGION_BATCHES = "10000", REGION_SEED } = process.env;
const count = Number(REGION_BATCHES);
const seed = Number(REGION_SEED ?? Math.floor(Math.random() * 2 ** 32));

const seen = ({ draft, outcomes }: Drafted) => ({
  text: draft.index.text,
  changes: draft.change.changes,
  isUntouched: draft.index === draft.base,
  outcomes,
});

describe("regions", () => {
  test("give the same result as the plain loop", { timeout: Math.max(60_000, 20 * count) }, () => {
    let inRegions = 0;
    const statuses = new Map<string, number>();
    for (let i = 0; i < count; i++) {
      const { start, edits, lenient } = regionBatch(seed + i);
      const options = { atomic: "none", order: "sequential", lenient, overwrite: false } as const;
      const planned = toEnd(planByRegions(start, edits, options));
      if (planned === undefined) continue;
      inRegions++;
      for (const { status, rung, failure } of planned.outcomes) {
        const name = failure?.code ?? `${status} ${rung}`;
        statuses.set(name, (statuses.get(name) ?? 0) + 1);
      }
      // A fresh draft, so that one planner can't reuse the other's searches.
      const plain = toEnd(planSequential(regionBatch(seed + i).start, edits, options));
      if (JSON.stringify(seen(planned)) === JSON.stringify(seen(plain))) continue;
      expect(seen(planned), `REGION_SEED=${seed + i} REGION_BATCHES=1 tries it again`).toEqual(seen(plain));
    }
    if (REGION_SEED !== undefined) console.log({ seed, count, inRegions, ...Object.fromEntries(statuses) });
    expect(inRegions / count, `seed ${seed}`).toBeGreaterThan(0.3);
  });
});
