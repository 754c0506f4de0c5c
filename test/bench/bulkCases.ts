/** The case about notifications of many changes, such as an editor sends after it has applied a large batch. */
import type { TextDocumentContentChangeEvent } from "vscode-languageserver/node";
import { editBatch } from "./batches.js";
import { median, race, ratios, uncertainty } from "./race.js";
import type { BenchCase, Row } from "./result.js";
import { rounds, type Scale, scaled, seed } from "./scale.js";
import { startServer } from "./server.js";

/** Orders in which editors send changes. Each returns the place of the `i`th of `count` changes among `places`. */
const orders: Readonly<Record<string, (i: number, count: number, places: number) => number>> = {
  "last first": (i, count, places) => Math.floor(((count - 1 - i) * places) / count),
  "first first": (i, count, places) => Math.floor((i * places) / count),
  "in no order": (i, _, places) => (i * 7_919) % places,
};

/**
 * The text as it is, with changes at starts of lines, and the same text in one line, as minified code is. Within a line,
 * characters are counted in UTF-8, as several editors do, because this takes longer.
 */
const shapes: Readonly<Record<string, (text: string, lines: number) => Shape>> = {
  "many lines": (text, lines) => ({ encoding: "utf-16", text, places: lines, at: (line) => ({ line, character: 0 }) }),
  "one line": (text) => ({
    encoding: "utf-8",
    text: text.replaceAll("\n", " "),
    // The text is ASCII, so every offset is a place.
    places: text.length,
    at: (character) => ({ line: 0, character }),
  }),
};

interface Shape {
  readonly encoding: "utf-8" | "utf-16";
  readonly text: string;
  /** The number of places at which the text can be changed, and the position of each. */
  readonly places: number;
  at(place: number): { line: number; character: number };
}

/** A notification of 1,000 changes against the same text sent in full. */
export const bulk: BenchCase = {
  name: "bulk",
  title: "wire: one didChange of 1,000 changes in 100,000 lines (4 MB), or in one line as long",
  isOfProcess: true,
  async measure(scale) {
    const lines = scaled(100_000, scale);
    const count = scaled(1_000, scale);
    const { texts } = editBatch({ lines, edits: 1, seed });
    const [{ text } = { text: "" }] = texts;
    const rows: Row[] = [];
    for (const [name, shapeOf] of Object.entries(shapes)) {
      const shape = shapeOf(text, lines);
      for (const [order, placeOf] of Object.entries(orders)) {
        const changes = Array.from({ length: count }, (_, i) => {
          const at = shape.at(placeOf(i, count, shape.places));
          return { range: { start: at, end: at }, text: "x" };
        });
        rows.push(await measured(`wire, ${name}, ${order}`, { ...shape, changes }, scale));
      }
    }
    return { rows };
  },
};

/** Measures one notification of many changes against the same text sent in full. */
async function measured(
  name: string,
  {
    encoding,
    text,
    changes,
  }: Pick<Shape, "encoding" | "text"> & { readonly changes: readonly TextDocumentContentChangeEvent[] },
  scale: Scale,
): Promise<Row> {
  const server = await startServer({ encoding });
  try {
    for (const path of ["changes.ts", "full.ts"]) await server.open(path, text);
    const send = async (path: string, ...sent: readonly TextDocumentContentChangeEvent[]): Promise<void> => {
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
    const [ours, slower] = [median(times.ours), ratios(times.ours, times.full)];
    return {
      name,
      times: { ours, "full text": median(times.full) },
      uncertainty: uncertainty(slower),
      goals: [
        { measure: "x the same text in full", value: median(slower), limit: 2, sense: "atMost", unit: "x" },
        { measure: "ms for which a request waits", value: ours, limit: 50, sense: "atMost", unit: " ms" },
      ],
    };
  } finally {
    server.stop();
  }
}
