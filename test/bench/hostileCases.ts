/** Calls and texts designed to be slow; twice the size must take little more than twice the time. */
import { flat } from "./batches.js";
import { type HostileBatch, hostileShapes } from "./hostileShapes.js";
import { throughCore } from "./methods.js";
import { median, race, ratios, uncertainty } from "./race.js";
import type { BenchCase, Row } from "./result.js";
import { rounds, type Scale, scaled } from "./scale.js";

/** The minimum time for the smaller size, in milliseconds; shorter times would be lost in noise. */
const least = 20;

/** Measures each shape at the sizes n and 2n in turn. */
export const hostile: BenchCase = {
  name: "hostile",
  title: "adversarial shapes, n against 2n",
  isOfProcess: false,
  async measure(scale) {
    const rows: Row[] = [];
    for (const [name, { why, start, most, outcome, make }] of Object.entries(hostileShapes)) {
      const ready = (n: number): (() => void) => prepared(name, make(n), outcome);
      let n = scale.rounds === undefined ? calibrated(ready, { start, most }) : smallSize(start, scale);
      const raced = () => race({ once: { run: ready(n) }, twice: { run: ready(2 * n) } }, rounds(15, scale));
      let times = await raced();
      // Once the engine is warm, the size may turn out to be too small.
      while (scale.rounds === undefined && median(times.once) < least && 2 * n <= most) {
        n *= 2;
        times = await raced();
      }
      const growth = ratios(times.twice, times.once);
      rows.push({
        name: `core, ${name}, n = ${n.toLocaleString("en")}`,
        times: { "2n": median(times.twice), n: median(times.once) },
        uncertainty: uncertainty(growth),
        goals: [{ measure: "x the time of n", value: median(growth), limit: 2.5, sense: "atMost", unit: "x" }],
        note: why,
      });
    }
    return { rows };
  },
};

const smallSize = (start: number, scale: Scale): number => 2 * scaled(start / 2, scale, 2);

/** Checks that the call has the expected outcome and returns a function that repeats the call, for timing. */
function prepared(name: string, { texts, call }: HostileBatch, outcome: "done" | "refused"): () => void {
  const documents = Object.entries(texts).map(([path, text]) => ({ path, text: flat(text) }));
  const json = JSON.stringify(call);
  const { planned, answer } = throughCore(documents, JSON.parse(json));
  const isDone = planned?.ok === true;
  if (isDone !== (outcome === "done")) {
    throw new Error(`${name} is ${isDone ? "done" : "refused"}: ${JSON.stringify(answer).slice(0, 500)}`);
  }
  return () => {
    throughCore(documents, JSON.parse(json));
  };
}

/** Returns the starting size, doubled until its time is measurable or until another doubling would exceed the limit. */
function calibrated(ready: (n: number) => () => void, size: { readonly start: number; readonly most: number }): number {
  let n = size.start;
  while (2 * n <= size.most) {
    const run = ready(n);
    // The times of the first runs include compilation.
    const times = Array.from({ length: 5 }, () => {
      const from = performance.now();
      run();
      return performance.now() - from;
    });
    if (Math.min(...times) >= least) break;
    n *= 2;
  }
  return n;
}
