/** The case about a document with many hunks that the user has yet to look at. */
import type { TextDocumentEdit } from "vscode-languageserver/node";
import type { MultiEditResult } from "../../server/lsp/protocol.js";
import { editBatch } from "./batches.js";
import { median, race, ratios, uncertainty } from "./race.js";
import type { BenchCase } from "./result.js";
import { rounds, scaled, seed } from "./scale.js";
import { type BenchServer, startServer } from "./server.js";

/** The number of keystrokes that are timed together. */
const perSample = 20;

/** A keystroke in a document of 4 MB with 500 hunks, against one in a document in which nothing is reviewed. */
export const reviewKeystroke: BenchCase = {
  name: "reviewKeystroke",
  title: "wire: one keystroke in a document of 4 MB with 500 hunks under review",
  isOfProcess: true,
  async measure(scale) {
    const batch = editBatch({ lines: scaled(100_000, scale, 600), edits: scaled(500, scale, 20), seed });
    const [{ path, text } = { path: "", text: "" }] = batch.texts;
    const [reviewed, plain] = [await startServer({ settings: { review: "hints" } }), await startServer()];
    try {
      for (const server of [reviewed, plain]) {
        await server.open(path, text);
        const { edit } = (await server.apply(batch.call)) as MultiEditResult;
        const [changed] = (edit?.documentChanges ?? []) as TextDocumentEdit[];
        const edits = (changed?.edits ?? []).toReversed() as { range: never; newText: string }[];
        await server.change(path, ...edits.map(({ range, newText }) => ({ range, text: newText })));
        await server.ask();
      }
      let typed = 0;
      const typing = (server: BenchServer) => async (): Promise<void> => {
        for (let i = 0; i < perSample; i++) {
          const at = { line: typed++ % 20, character: 0 };
          await server.change(path, { range: { start: at, end: at }, text: "x" });
        }
        await server.ask();
      };
      const times = await race(
        { reviewed: { run: typing(reviewed) }, plain: { run: typing(plain) } },
        { ...rounds(101, scale), warmUps: scale.rounds === undefined ? 20 : 0, collect: false },
      );
      const own = ratios(times.reviewed, times.plain);
      return {
        rows: [
          {
            name: `with ${scaled(500, scale, 20)} hunks`,
            times: { ours: median(times.reviewed) / perSample, plain: median(times.plain) / perSample },
            uncertainty: uncertainty(own),
            goals: [{ measure: "x the plain keystroke", value: median(own), limit: 2, sense: "atMost", unit: "x" }],
          },
        ],
      };
    } finally {
      for (const server of [reviewed, plain]) server.stop();
    }
  },
};
