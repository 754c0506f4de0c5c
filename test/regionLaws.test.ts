/** The law of regions: planning parts of a text gives the same result as the plain loop over the whole text. */
import { describe, expect, test } from "vitest";
import { draftOf } from "../server/plan/draft.js";
import { planByRegions } from "../server/plan/edits/regions.js";
import { type Drafted, planSequential } from "../server/plan/edits/sequential.js";
import { toEnd } from "../server/text/lines.js";
import { lawRuns } from "./support/extent.js";
import { documentAt, type SentEdit } from "./support/planning.js";
import { regionBatch } from "./support/regionBatches.js";

const inOrder = { atomic: "none", order: "sequential", overwrite: false } as const;

/** REGION_BATCHES=1000000 sets the number of batches; REGION_SEED=1 starts at seed 1 and prints the outcomes. */
const { REGION_BATCHES = lawRuns(10000), REGION_SEED } = process.env;
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
      const options = { ...inOrder, lenient };
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

  /** Batches for which the results once differed. */
  const examples: readonly { name: string; text: string; edits: readonly SentEdit[] }[] = [
    {
      name: "lines far from an edit show by how many spaces the document is indented",
      text: `a {\n  b {\n  }\n}\n${"-\n".repeat(20)}    one();\nlast();\n-\n`,
      edits: [
        { oldText: "last();", newText: "next();" },
        { oldText: "\tone();", newText: "\tone();\n\t\ttwo();" },
      ],
    },
    {
      name: "an earlier edit changes by how many spaces most lines are indented",
      text: `a {\n    b {\n    }\n}\n${"-\n".repeat(20)}c {\n    one();\n}\n`,
      edits: [
        { oldText: "a {\n    b {\n    }", newText: "a {\n   b {\n      d {}\n   }" },
        { oldText: "\tone();", newText: "\tone();\n\t\ttwo();" },
      ],
    },
    {
      name: "lines that an edit inserts are there already, beside lines of another indentation",
      text: `${"-\n".repeat(20)}  a();\nb();\nc();\n${"+\n".repeat(20)}`,
      edits: [{ oldText: "      a();\n    b();\n", newText: "  a();\nb();\nc();" }],
    },
    {
      name: "a line that an edit inserts is there already, and its old text ends with the number of that line",
      text: `${"-\n".repeat(12)}a();\nb();\n${"+\n".repeat(20)}`,
      edits: [{ oldText: "13\ta();\n14\t", newText: "a();\nb();\n" }],
    },
  ];

  test.each(examples)("give the same result: $name", ({ text, edits }) => {
    const operations = edits.map(
      (edit, index) => ({ kind: "edit", path: "a", replaceAll: false, ...edit, index }) as const,
    );
    const options = { ...inOrder, lenient: true };
    const planned = toEnd(planByRegions(draftOf(documentAt("a", text)), operations, options));
    const plain = toEnd(planSequential(draftOf(documentAt("a", text)), operations, options));
    // Where the text around a region decides, there is no plan by regions.
    expect(seen(planned ?? plain)).toEqual(seen(plain));
  });
});
