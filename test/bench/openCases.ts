/** The case about editors with many open documents. */
import { editBatch } from "./batches.js";
import { median, race, ratios, uncertainty } from "./race.js";
import type { BenchCase } from "./result.js";
import { rounds, scaled, seed } from "./scale.js";
import { type BenchServer, startServer } from "./server.js";

/** A small call in an editor with many open documents against the same call in an editor with few. */
export const openDocuments: BenchCase = {
  name: "openDocuments",
  title: "wire: 10 edits in one of 5,000 open documents",
  isOfProcess: true,
  async measure(scale) {
    const { texts, call } = editBatch({ lines: 500, edits: 10, seed });
    const [{ path, text } = { path: "", text: "" }] = texts;
    const servers: BenchServer[] = [];
    const open = async (count: number): Promise<BenchServer> => {
      const server = await startServer();
      servers.push(server);
      await server.open(path, text);
      for (let i = 1; i < count; i++) await server.open(`other${i}.ts`, `export const number = ${i};\n`);
      return server;
    };
    try {
      const [many, few] = [await open(scaled(5_000, scale, 20)), await open(10)];
      const typed = { many: 0, few: 0 };
      const ask = async (server: BenchServer, name: keyof typeof typed): Promise<void> => {
        // A keystroke in another document, so that nothing can be kept from the call before.
        const at = { line: 0, character: typed[name]++ };
        await server.change("other1.ts", { range: { start: at, end: at }, text: "x" });
        const answer = await server.apply(call);
        if (!("diff" in answer)) throw new Error("the server refuses");
      };
      const times = await race(
        { many: { run: async () => ask(many, "many") }, few: { run: async () => ask(few, "few") } },
        { ...rounds(201, scale), warmUps: scale.rounds === undefined ? 50 : 0, collect: false },
      );
      const value = median(ratios(times.many, times.few));
      return {
        rows: [
          {
            name: "wire",
            times: { ours: median(times.many), "10 documents": median(times.few) },
            uncertainty: uncertainty(ratios(times.many, times.few)),
            goals: [{ measure: "x the time with 10 open documents", value, limit: 1.5, sense: "atMost", unit: "x" }],
          },
        ],
      };
    } finally {
      for (const server of servers) server.stop();
    }
  },
};
