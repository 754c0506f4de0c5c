/** The case about notifications of many changes, such as an editor sends after it has applied a large batch. */
import { editBatch } from "./batches.js";
import { median, race, ratios, uncertainty } from "./race.js";
import type { BenchCase, Row } from "./result.js";
import { rounds, scaled, seed } from "./scale.js";
import { startServer } from "./server.js";

/** Orders in which editors send changes. Each returns the line of the `i`th of `count` changes in `lines` lines. */
const orders: Readonly<Record<string, (i: number, count: number, lines: number) => number>> = {
  "last line first": (i, count, lines) => Math.floor(((count - 1 - i) * lines) / count),
  "first line first": (i, count, lines) => Math.floor((i * lines) / count),
  "in no order": (i, _, lines) => (i * 7_919) % lines,
};

/** A notification of 1,000 changes against the same text sent in full. */
export const bulk: BenchCase = {
  name: "bulk",
  title: "wire: one didChange of 1,000 changes in 100,000 lines",
  isOfProcess: true,
  async measure(scale) {
    const lines = scaled(100_000, scale);
    const count = scaled(1_000, scale);
    const { texts } = editBatch({ lines, edits: 1, seed });
    const [{ text } = { text: "" }] = texts;
    const rows: Row[] = [];
    for (const [order, lineOf] of Object.entries(orders)) {
      const changes = Array.from({ length: count }, (_, i) => {
        const at = { line: lineOf(i, count, lines), character: 0 };
        return { range: { start: at, end: at }, text: "x" };
      });
      const server = await startServer();
      try {
        for (const path of ["changes.ts", "full.ts"]) await server.open(path, text);
        const send = async (path: string, ...sent: Parameters<typeof server.change>[1][]): Promise<void> => {
          await server.change(path, ...sent);
          // The server handles messages in order, so the answer shows that it has taken the changes.
          await server.ask();
        };
        const times = await race(
          {
            ours: { run: async () => send("changes.ts", ...changes) },
            full: { run: async () => send("full.ts", { text }) },
          },
          { ...rounds(25, scale), collect: false },
        );
        const ours = median(times.ours);
        rows.push({
          name: `wire, ${order}`,
          times: { ours, "full text": median(times.full) },
          uncertainty: uncertainty(ratios(times.ours, times.full)),
          goals: [
            {
              measure: "x the same text in full",
              value: median(ratios(times.ours, times.full)),
              limit: 2,
              sense: "atMost",
              unit: "x",
            },
            { measure: "ms for which a request waits", value: ours, limit: 50, sense: "atMost", unit: " ms" },
          ],
        });
      } finally {
        server.stop();
      }
    }
    return { rows };
  },
};
