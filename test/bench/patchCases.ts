/** The case about documents that people read, in which the server looks for patches. */
import { editBatch } from "./batches.js";
import { median, race, ratios, uncertainty } from "./race.js";
import type { BenchCase } from "./result.js";
import { rounds, scaled, seed } from "./scale.js";
import { type BenchServer, startServer } from "./server.js";

/** The number of keystrokes that are timed together. */
const perSample = 100;

const patch = "*** Begin Patch\n*** Update File: other.ts\n@@\n-gone\n+new\n*** End Patch\n";

/** A keystroke in a document without a patch, beside one with a patch, against one in an editor with source files only. */
export const patchKeystroke: BenchCase = {
  name: "patchKeystroke",
  title: "wire: one keystroke in a document without a patch, beside one with a patch",
  isOfProcess: true,
  async measure(scale) {
    const [{ text } = { text: "" }] = editBatch({ lines: scaled(2_000, scale, 20), edits: 1, seed }).texts;
    const [beside, plain] = [await startServer(), await startServer()];
    try {
      await beside.open("chat.md", patch);
      for (const server of [beside, plain]) await server.open("source.ts", text);
      await beside.open("notes.md", text);
      await plain.open("notes.ts", text);
      let typed = 0;
      const typing = (server: BenchServer, path: string) => async (): Promise<void> => {
        for (let i = 0; i < perSample; i++) {
          const at = { line: typed++ % 20, character: 0 };
          await server.change(path, { range: { start: at, end: at }, text: "x" });
        }
        await server.ask();
      };
      const times = await race(
        {
          source: { run: typing(beside, "source.ts") },
          plainSource: { run: typing(plain, "source.ts") },
          notes: { run: typing(beside, "notes.md") },
          plainNotes: { run: typing(plain, "notes.ts") },
        },
        { ...rounds(301, scale), warmUps: scale.rounds === undefined ? 50 : 0, collect: false },
      );
      return {
        rows: (
          [
            ["in a source file", times.source, times.plainSource],
            ["in a Markdown file", times.notes, times.plainNotes],
          ] as const
        ).map(([name, ours, plainly]) => {
          const own = ratios(ours, plainly);
          return {
            name,
            times: { ours: median(ours) / perSample, plain: median(plainly) / perSample },
            uncertainty: uncertainty(own),
            goals: [{ measure: "x the plain keystroke", value: median(own), limit: 1.05, sense: "atMost", unit: "x" }],
          };
        }),
      };
    } finally {
      for (const server of [beside, plain]) server.stop();
    }
  },
};
