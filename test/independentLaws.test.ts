/**
 * The law of independent edits: finding all of them together in the original text gives the same result as the plain
 * loop.
 */
import { describe, expect, test } from "vitest";
import { planIndependent } from "../server/plan/edits/independent.js";
import { type Drafted, planSequential } from "../server/plan/edits/sequential.js";
import { toEnd } from "../server/text/lines.js";
import { denseBatch } from "./support/denseBatches.js";
import { regionBatch } from "./support/regionBatches.js";

/**
 * INDEPENDENT_BATCHES=1000000 sets the number of batches; INDEPENDENT_SEED=1 starts at seed 1 and prints the outcomes.
 */
const { INDEPENDENT_BATCHES = 10000, INDEPENDENT_SEED } = process.env;
const count = Number(INDEPENDENT_BATCHES);
const seed = Number(INDEPENDENT_SEED ?? Math.floor(Math.random() * 2 ** 32));

const seen = ({ draft, outcomes }: Drafted) => ({
  text: draft.index.text,
  changes: draft.change.changes,
  isUntouched: draft.index === draft.base,
  outcomes,
});

/** One batch in eight has lines of code; the others are dense. */
const batchOf = (number: number) => (number % 8 === 0 ? regionBatch(number) : denseBatch(number));

describe("independent edits", () => {
  test("give the same result as the plain loop", { timeout: Math.max(60_000, 20 * count) }, () => {
    const atOnce = { batches: 0, edits: 0, failed: 0 };
    for (let i = 0; i < count; i++) {
      const { start, edits, lenient } = batchOf(seed + i);
      const options = { atomic: "none", order: "sequential", lenient, overwrite: false } as const;
      const planned = toEnd(planIndependent(start, edits, options));
      if (planned === undefined) continue;
      atOnce.batches++;
      atOnce.edits += edits.length;
      atOnce.failed += planned.outcomes.filter(({ status }) => status === "failed").length;
      // A fresh draft, so that one planner can't reuse the other's searches.
      const plain = toEnd(planSequential(batchOf(seed + i).start, edits, options));
      if (JSON.stringify(seen(planned)) === JSON.stringify(seen(plain))) continue;
      expect(seen(planned), `INDEPENDENT_SEED=${seed + i} INDEPENDENT_BATCHES=1 tries it again`).toEqual(seen(plain));
    }
    if (INDEPENDENT_SEED !== undefined) console.log({ seed, count, ...atOnce });
    expect(atOnce.batches / count, `seed ${seed}`).toBeGreaterThan(0.2);
    expect(atOnce.edits / atOnce.batches, `seed ${seed}`).toBeGreaterThan(2);
  });
});
