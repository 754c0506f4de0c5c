/** The cases about documents of which earlier texts are kept, because agents have read or can have read them. */
import { editorPositions } from "../../server/lsp/edit/positions.js";
import type { Document } from "../../server/plan/snapshot.js";
import { withoutMark } from "../../server/text/chars.js";
import { createDocuments } from "../../server/workspace/documents.js";
import { Trails } from "../../server/workspace/trails.js";
import { documentAt } from "../support/planning.js";
import { type Batch, editBatch } from "./batches.js";
import { throughDocuments } from "./methods.js";
import { median, race, ratios, uncertainty } from "./race.js";
import type { BenchCase, Row } from "./result.js";
import { rounds, type Scale, scaled, seed } from "./scale.js";
import { type BenchServer, startServer } from "./server.js";

const uri = "file:///w/source.ts";
const reader = "client";
const rule = { loneCrEndsLine: true };
const habits = { syncsLf: false, endsLastLine: false };

/** The number of earlier texts. */
const viewCount = 8;

/** An open document in which a user types, with or without earlier texts. */
class Desk {
  readonly documents = createDocuments();
  readonly trails: Trails | undefined;
  #version = 1;
  #time = 0;
  #onDisk: string;

  constructor(text: string, { hasTrails }: { readonly hasTrails: boolean }) {
    this.#onDisk = text;
    this.trails = hasTrails ? new Trails(this.documents, () => this.#time) : undefined;
    this.documents.open(uri, 1, text, rule);
  }

  get text(): string {
    return this.documents.get(uri)?.text ?? "";
  }

  /** Types at the start of a line. */
  type(line: number, text: string): void {
    const at = { line, character: 0 };
    this.documents.change(uri, ++this.#version, [{ range: { start: at, end: at }, text }], editorPositions["utf-16"]);
  }

  read(): void {
    const lines = { startLine: 1, endLine: Number.MAX_SAFE_INTEGER };
    this.trails?.read(reader, { uri, version: this.#version, text: this.text }, lines);
  }

  save(minute: number): void {
    this.#time = minute * 60_000;
    this.#onDisk = this.text;
    this.trails?.saved(uri);
  }

  /** The document as a call gets it; its earlier texts are worked out anew. */
  get document(): Document {
    const { text } = this;
    const file = { kind: "text", text: this.#onDisk, bom: false, encoding: "utf-8", size: 0 } as const;
    const isSame = this.#onDisk === text;
    const views = this.trails?.ofOpen(reader, { uri, text }, { file, habits, isSame });
    return documentAt("source.ts", withoutMark(text), { uri, views });
  }
}

/**
 * Returns a document that the user has typed in so that there are as many earlier texts as are kept: at both ends and, if
 * `last` is given, at last before this 0-based line.
 */
function deskWithViews(text: string, last?: number): Desk {
  const desk = new Desk(text, { hasTrails: true });
  const end = text.split("\n").length - 2;
  const minutes = [0, 5, 7];
  for (let i = 0; i < viewCount; i++) {
    if (i < 4) desk.read();
    else if (i < 7) desk.save(minutes[i - 4] ?? 0);
    const isLast = i === viewCount - 1 && last !== undefined;
    desk.type(isLast ? last + (viewCount >> 1) : i % 2 === 0 ? 0 : end, `// typed ${i}\n`);
  }
  const count = desk.document.views?.length;
  if (count !== viewCount) throw new Error(`there are ${count} earlier texts`);
  return desk;
}

const keystrokes: BenchCase = {
  name: "viewKeystroke",
  title: `core: one keystroke in a document with ${viewCount} earlier texts`,
  isOfProcess: false,
  async measure(scale) {
    const rows: Row[] = [];
    const isFull = scale.rounds === undefined;
    for (const lines of [500, scaled(100_000, scale, 500)]) {
      const [{ text } = { text: "" }] = editBatch({ lines, edits: 1, seed }).texts;
      for (const [name, lineOf] of [
        ["on one line", () => lines >> 1],
        ["on other lines each time", (i: number) => (i * 7_919) % lines],
      ] as const) {
        const desks = { with: deskWithViews(text), without: new Desk(text, { hasTrails: false }) };
        const typed = { with: 0, without: 0 };
        const run = (which: keyof typeof desks) => (): void => {
          for (let i = 0; i < perSample; i++) desks[which].type(lineOf(typed[which]++), "x");
        };
        const times = await race(
          { with: { run: run("with") }, without: { run: run("without") } },
          // Six rounds are too few for the engine to compile what takes a few microseconds.
          { ...rounds(101, scale), ...(isFull && lines === 500 ? { warmUps: 400 } : {}), collect: false },
        );
        const own = ratios(times.with, times.without);
        rows.push({
          name: `${lines.toLocaleString("en")} lines, ${name}`,
          times: { ours: median(times.with) / perSample, "without earlier texts": median(times.without) / perSample },
          uncertainty: uncertainty(own),
          goals: [{ measure: "x a keystroke without", value: median(own), limit: 1.3, sense: "atMost", unit: "x" }],
        });
      }
    }
    return { rows };
  },
};

/** The number of keystrokes that are timed together. */
const perSample = 20;

/** Times a batch on a document with earlier texts, against the same batch where the user has not typed. */
async function raceCall(
  name: string,
  { texts: [source], call, replacements }: Batch,
  { scale, isAtPlace, limit }: { readonly scale: Scale; readonly isAtPlace: boolean; readonly limit: number },
): Promise<Row> {
  const { text = "", expected = "" } = source ?? {};
  const desk = deskWithViews(text, isAtPlace ? placeIn(text, replacements) : undefined);
  const plain = new Desk(text, { hasTrails: false });
  const run = (of: Desk) => () => throughDocuments([of.document], call);
  const after = run(desk)().planned;
  const result = after?.ok === true ? after.files[0]?.text : undefined;
  const untyped = result?.replaceAll(/^\/\/ typed \d\n/gm, "");
  if (untyped !== expected) throw new Error(`the text is wrong: ${JSON.stringify(after).slice(0, 1_000)}`);
  const times = await race({ with: { run: run(desk) }, without: { run: run(plain) } }, rounds(51, scale));
  const own = ratios(times.with, times.without);
  return {
    name,
    times: { ours: median(times.with), "without earlier texts": median(times.without) },
    uncertainty: uncertainty(own),
    goals: [{ measure: "x the same without", value: median(own), limit, sense: "atMost", unit: "x" }],
  };
}

/** Returns the 0-based second line of an old text with several lines. */
function placeIn(text: string, replacements: Batch["replacements"]): number {
  const place = replacements.find(({ oldText }) => oldText.includes("\n"));
  return text.slice(0, text.indexOf(place?.oldText ?? "")).split("\n").length;
}

const largeCalls: BenchCase = {
  name: "viewCalls",
  title: `core: 1,000 edits in 100,000 lines with ${viewCount} earlier texts`,
  isOfProcess: false,
  async measure(scale) {
    const batch = editBatch({ lines: scaled(100_000, scale, 40), edits: scaled(1_000, scale), seed });
    return {
      rows: [
        await raceCall("core, typed elsewhere", batch, { scale, isAtPlace: false, limit: 4 }),
        await raceCall("core, typed between the lines of one", batch, { scale, isAtPlace: true, limit: 4 }),
      ],
    };
  },
};

const smallCalls: BenchCase = {
  name: "viewSmall",
  title: `wire: 10 edits in a 500-line document with ${viewCount} earlier texts, request to answer`,
  isOfProcess: true,
  async measure(scale) {
    const { texts, call, replacements } = editBatch({ lines: 500, edits: 10, seed });
    const [{ path, text } = { path: "", text: "" }] = texts;
    const place = placeIn(text, replacements);
    const rows: Row[] = [];
    for (const [name, last] of [
      ["wire, typed elsewhere", undefined],
      ["wire, typed between the lines of one", place],
    ] as const) {
      const servers = { with: await startServer({ isFast: true }), without: await startServer() };
      try {
        for (const server of Object.values(servers)) await server.open(path, text);
        await typeViews(servers.with, path, text, last);
        const run = (server: BenchServer) => async () => {
          const answer = await server.apply(call);
          if (!("diff" in answer)) throw new Error(`the server refuses: ${JSON.stringify(answer).slice(0, 500)}`);
          // A text that decides alone would hide the others.
          if (last !== undefined && server === servers.with && !answer.edits.some(({ base }) => base === "saved"))
            throw new Error("no earlier text decides");
        };
        const warmUps = scale.rounds === undefined ? 50 : 0;
        const times = await race(
          { with: { run: run(servers.with) }, without: { run: run(servers.without) } },
          { ...rounds(201, scale), warmUps, collect: false },
        );
        const own = ratios(times.with, times.without);
        rows.push({
          name,
          times: { ours: median(times.with), "without earlier texts": median(times.without) },
          uncertainty: uncertainty(own),
          goals: [{ measure: "x the same without", value: median(own), limit: 1.5, sense: "atMost", unit: "x" }],
        });
      } finally {
        for (const server of Object.values(servers)) server.stop();
      }
    }
    return { rows };
  },
};

/** Types, reads and saves so that the server keeps as many earlier texts as it may. */
async function typeViews(server: BenchServer, path: string, text: string, last: number | undefined): Promise<void> {
  // The server does not keep any text before somebody has read the file.
  const desk = new Desk(text, { hasTrails: false });
  const end = text.split("\n").length - 2;
  for (let i = 0; i < viewCount; i++) {
    if (i < 4) await server.read(path);
    else if (i < 7) {
      await new Promise((resolve) => setTimeout(resolve, i === 5 ? 300 : 120));
      await server.save(path, desk.text);
    }
    const isLast = i === viewCount - 1 && last !== undefined;
    const line = isLast ? last + (viewCount >> 1) : i % 2 === 0 ? 0 : end;
    const typed = `// typed ${i}\n`;
    desk.type(line, typed);
    const at = { line, character: 0 };
    await server.change(path, { range: { start: at, end: at }, text: typed });
  }
}

/** The cases about earlier texts, in the order of the table. */
export const viewCases: readonly BenchCase[] = [keystrokes, smallCalls, largeCalls];
