/**
 * The cases about the server's process and its wire: how fast it starts, answers and keeps up with typing, and how much
 * memory it uses.
 */
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { Range } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { limits } from "../../server/text/limits.js";
import { documentsBatch, editBatch, patchBatch } from "./batches.js";
import { floor } from "./methods.js";
import { errorOfMedian, median, race, uncertainty } from "./race.js";
import type { BenchCase, Goal, Row } from "./result.js";
import { rounds, scaled, seed } from "./scale.js";
import { connect, startServer } from "./server.js";

const smallBatch: BenchCase = {
  name: "small",
  title: "wire: 10 edits in a 500-line document, request to answer",
  isOfProcess: true,
  async measure(scale) {
    const { texts, call } = editBatch({ lines: 500, edits: 10, seed });
    const server = await startServer();
    try {
      for (const { path, text } of texts) await server.open(path, text);
      const answer = await server.apply(call);
      if (!("diff" in answer)) throw new Error("the server refuses");
      const times = await race(
        {
          wire: { run: async () => server.apply(call) },
          empty: { run: async () => server.ask() },
          floor: { run: () => floor(texts) },
        },
        { ...rounds(201, scale), warmUps: scale.rounds === undefined ? 50 : 0, collect: false },
      );
      const [ours, empty] = [median(times.wire), median(times.empty)];
      const value = ours - empty;
      const limit = 1.5;
      return {
        rows: [
          {
            name: "wire",
            times: { ours, "empty request": empty, floor: median(times.floor) },
            // An empty request takes little time, but that time varies a lot; what matters is the variation relative to
            // the goal.
            uncertainty: errorOfMedian(times.empty) / limit,
            goals: [{ measure: "ms above an empty request", value, limit, sense: "atMost", unit: " ms" }],
          },
        ],
      };
    } finally {
      server.stop();
    }
  },
};

const keystroke: BenchCase = {
  name: "keystroke",
  title: "wire: one keystroke (didChange) in a 4 MB document",
  isOfProcess: true,
  async measure(scale) {
    const { texts } = editBatch({ lines: scaled(100_000, scale), edits: 1, seed });
    const [{ path, text } = { path: "", text: "" }] = texts;
    const document = TextDocument.create("file:///source.ts", "typescript", 1, text);
    // Someone keeps typing on one line in the middle of the text.
    const line = document.positionAt(text.length >> 1).line;
    const typed = { server: 0, library: 0 };
    const change = (character: number) => ({
      range: { start: { line, character }, end: { line, character } },
      text: "abcdefghij"[character % 10] as string,
    });
    const server = await startServer();
    try {
      await server.open(path, text);
      const times = await race(
        {
          change: {
            run: async () => {
              await server.change(path, change(typed.server++));
              await server.ask();
            },
          },
          empty: { run: async () => server.ask() },
          update: {
            run: () => TextDocument.update(document, [change(typed.library++)], document.version + 1),
          },
        },
        { ...rounds(200, scale), warmUps: scale.rounds === undefined ? 20 : 0, collect: false },
      );
      // The two requests of a round are sent back to back, so their difference is less noisy than that of the medians.
      const ours = median(times.change.map((ms, i) => ms - (times.empty[i] ?? 0)));
      const update = median(times.update);
      return {
        rows: [
          {
            name: "wire",
            times: { ours, "TextDocument.update": update, "empty request": median(times.empty) },
            uncertainty: uncertainty(times.update),
            goals: [{ measure: "x TextDocument.update", value: ours / update, limit: 2, sense: "atMost", unit: "x" }],
            note: "ours: the time of a keystroke and an empty request, minus that of an empty request",
          },
        ],
      };
    } finally {
      server.stop();
    }
  },
};

const start: BenchCase = {
  name: "start",
  title: "wire: from the start to the answer to initialize",
  isOfProcess: true,
  async measure(scale) {
    let stop = (): void => undefined;
    const times = await race(
      {
        server: {
          run: async () => {
            const { child, connection } = await connect();
            stop = () => {
              connection.dispose();
              child.kill("SIGKILL");
            };
          },
          after: () => stop(),
        },
        node: {
          run: async () => {
            const child = spawn(process.execPath, ["-e", "0"], { stdio: "ignore" });
            await new Promise((resolve) => child.once("exit", resolve));
          },
        },
      },
      { ...rounds(21, scale), collect: false },
    );
    const [ours, node] = [median(times.server), median(times.node)];
    return {
      rows: [
        {
          name: "wire",
          times: { ours, "node -e 0": node },
          uncertainty: uncertainty(times.node),
          goals: [{ measure: "x node -e 0", value: ours / node, limit: 2.5, sense: "atMost", unit: "x" }],
        },
      ],
    };
  },
};

const served: BenchCase = {
  name: "served",
  title: "wire: how long other requests wait while a large batch is planned",
  isOfProcess: true,
  async measure(scale) {
    const limit = 50;
    const shapes = [
      { name: "wire, 1,000 edits in 100,000 lines", lines: 100_000, edits: 1_000, limit },
      { name: "wire, 500 hunks in 100,000 lines", lines: 100_000, edits: 500, limit, isPatch: true },
      { name: "wire, 10,000 edits in 400,000 lines", lines: 400_000, edits: 10_000, note: "an answer of 10 MB" },
    ];
    const rows: Row[] = [];
    for (const { name, lines, edits, isPatch = false, ...shape } of shapes) {
      const make = isPatch ? patchBatch : editBatch;
      const { texts, call } = make({ lines: scaled(lines, scale), edits: scaled(edits, scale), seed });
      const server = await startServer();
      try {
        for (const { path, text } of texts) await server.open(path, text);
        const worst: number[] = [];
        for (let round = Math.min(9, scale.rounds ?? 9) + 1; round > 0; round--) {
          let isDone = false;
          const answer = server.apply(call).finally(() => {
            isDone = true;
          });
          let longest = 0;
          while (!isDone) {
            const start = performance.now();
            await server.ask();
            longest = Math.max(longest, performance.now() - start);
          }
          await answer;
          worst.push(longest);
        }
        // During the first round, the engine is still compiling the code.
        const value = median(worst.slice(1));
        const goals =
          shape.limit === undefined
            ? []
            : [{ measure: "ms of waiting", value, limit: shape.limit, sense: "atMost" as const, unit: " ms" }];
        rows.push({
          name,
          times: { "longest wait": value },
          goals,
          ...(shape.note === undefined ? {} : { note: shape.note }),
        });
      } finally {
        server.stop();
      }
    }
    return { rows };
  },
};

const megabyte = 1_000_000;

const memory: BenchCase = {
  name: "memory",
  title: "resident memory after the 1,000-edit case",
  isOfProcess: true,
  async measure(scale) {
    const { texts, call } = editBatch({ lines: scaled(100_000, scale), edits: scaled(1_000, scale), seed });
    const grown = { once: [] as number[], fiveTimes: [] as number[] };
    for (let round = 0; round < Math.min(3, scale.rounds ?? 3); round++) {
      const idle = await startServer();
      const server = await startServer();
      try {
        await idle.ask();
        for (const { path, text } of texts) await server.open(path, text);
        for (const list of [grown.once, grown.fiveTimes]) {
          for (let more = list === grown.once ? 1 : 4; more > 0; more--) await server.apply(call);
          const [after, before] = [server.memory(), idle.memory()];
          if (after !== undefined && before !== undefined) list.push(after - before);
        }
      } finally {
        idle.stop();
        server.stop();
      }
    }
    const row = (name: string, bytes: readonly number[]): Row => {
      if (bytes.length === 0) return { name, times: {}, goals: [], note: "not measured on this system" };
      const value = median(bytes) / megabyte;
      return {
        name,
        times: {},
        goals: [{ measure: "MB above an idle server", value, limit: 150, sense: "atMost", unit: " MB" }],
      };
    };
    return { rows: [row("wire, asked once", grown.once), row("wire, asked five times", grown.fiveTimes)] };
  },
};

const typing: BenchCase = {
  name: "typing",
  title: "memory after much typing in a 4 MB document",
  isOfProcess: true,
  async measure(scale) {
    const lines = scaled(100_000, scale);
    const { texts } = editBatch({ lines, edits: 1, seed });
    const [{ path, text } = { path: "", text: "" }] = texts;
    const size = Buffer.byteLength(text);
    /**
     * Changes to `count` different lines, from the last line to the first, so that each change is also valid in the
     * original text.
     */
    const changes = (count: number): { range: Range; text: string }[] =>
      Array.from({ length: count }, (_, i) => {
        const at = { line: Math.floor(((count - 1 - i) * lines) / count), character: 0 };
        return { range: { start: at, end: at }, text: "x" };
      });
    const many = [
      { name: "wire, 2,000 keystrokes", batches: changes(scaled(2_000, scale)).map((change) => [change]) },
      { name: "wire, one didChange of 1,000 changes", batches: [changes(scaled(1_000, scale))] },
    ];
    // For a moment, the server reads an opened file to compare it with the text, and keeps the text of a closed document.
    const settled = (): Promise<void> => delay(scale.rounds === undefined ? limits.diskSettleMs + 500 : 0);
    const rows: Row[] = [];
    for (const { name, batches } of many) {
      const server = await startServer({ withHeap: true });
      try {
        const idle = await server.heap();
        await server.open(path, text);
        for (const batch of batches) {
          await server.change(path, ...batch);
          await server.ask();
        }
        await settled();
        const typed = await server.heap();
        await server.close(path);
        await settled();
        const closed = await server.heap();
        const above = (bytes: number): number => (bytes - idle.used) / size;
        rows.push({
          name,
          times: {},
          goals: [
            atMost("x the size of the text above an idle server", above(typed.used), 3, "x"),
            atMost("MB resident at the peak", typed.mostResident / megabyte, 300, " MB"),
            atMost(
              "x the size of the text above an idle server, once the text is closed",
              above(closed.used),
              0.25,
              "x",
            ),
          ],
        });
      } finally {
        server.stop();
      }
    }
    return { rows };
  },
};

const atMost = (measure: string, value: number, limit: number, unit: string): Goal => ({
  measure,
  value,
  limit,
  sense: "atMost",
  unit,
});

const openTexts: BenchCase = {
  name: "openTexts",
  title: "memory of 200 open documents of 200 lines",
  isOfProcess: true,
  async measure(scale) {
    const { texts } = documentsBatch({ documents: scaled(200, scale), lines: 200, seed });
    const grown = { resident: [] as number[], heap: [] as number[] };
    for (let round = 0; round < Math.min(3, scale.rounds ?? 3); round++) {
      const server = await startServer({ withHeap: true });
      try {
        const [idle, before] = [await server.heap(), server.memory()];
        for (const { path, text } of texts) await server.open(path, text);
        await server.ask();
        if (scale.rounds === undefined) await delay(limits.diskSettleMs + 500);
        const [opened, after] = [await server.heap(), server.memory()];
        grown.heap.push((opened.used - idle.used) / megabyte);
        if (after !== undefined && before !== undefined) grown.resident.push((after - before) / megabyte);
      } finally {
        server.stop();
      }
    }
    const heap = atMost("MB in use above an idle server", median(grown.heap), 5, " MB");
    const isKnown = grown.resident.length > 0;
    const resident = isKnown ? [atMost("MB resident above an idle server", median(grown.resident), 15, " MB")] : [];
    return { rows: [{ name: "wire", times: {}, goals: [heap, ...resident] }] };
  },
};

/** The cases about the process, in the order of the table. */
export const wireCases: readonly BenchCase[] = [smallBatch, keystroke, served, start, memory, typing, openTexts];
