/** The cases about editors with many open documents. */
import { setTimeout as delay } from "node:timers/promises";
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

/** The server of an editor with many open files, which does nothing but watch them. */
export const idle: BenchCase = {
  name: "idle",
  title: "watching 1,000 open files in 100 folders, without a change",
  isOfProcess: true,
  async measure(scale) {
    const count = scaled(1_000, scale, 20);
    const servers: BenchServer[] = [];
    const open = async (documents: number): Promise<BenchServer> => {
      const server = await startServer({ withHeap: true });
      servers.push(server);
      for (let i = 0; i < documents; i++)
        await server.open(`folder${i % 100}/file${i}.ts`, `export const number = ${i};\n`);
      await server.ask();
      return server;
    };
    try {
      const [watching, plain] = [await open(count), await open(0)];
      // The server compares each file with its document, one after the other.
      await delay(scale.rounds === undefined ? 5_000 : 500);
      const [{ used }, { used: less }] = [await watching.heap(), await plain.heap()];
      const [from, start] = [watching.processorMs(), performance.now()];
      await delay(scale.rounds === undefined ? 20_000 : 500);
      const [to, end] = [watching.processorMs(), performance.now()];
      if (from === undefined || to === undefined)
        return { rows: [{ name: "wire", times: {}, goals: [], note: "not measured on this system" }] };
      const [megabytes, percent] = [(used - less) / 1_000_000, (100 * (to - from)) / (end - start)];
      return {
        rows: [
          {
            name: "wire",
            times: {},
            goals: [
              { measure: "% of a processor", value: percent, limit: 0.5, sense: "atMost", unit: " %" },
              {
                measure: "MB in use above a server without open files",
                value: megabytes,
                limit: 20,
                sense: "atMost",
                unit: " MB",
              },
            ],
          },
        ],
      };
    } finally {
      for (const server of servers) server.stop();
    }
  },
};
