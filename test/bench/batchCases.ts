/**
 * Cases that time batches and patches on large texts, through the core and over the wire, against the floor and the
 * usual method.
 */
import type { TextEdit } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { MultiEditErrorData, MultiEditResult } from "../../server/lsp/protocol.js";
import { type Batch, type BatchText, documentsBatch, editBatch, flat, patchBatch } from "./batches.js";
import { checkMethods, floor, throughCore, usual } from "./methods.js";
import { median, race, ratios, uncertainty } from "./race.js";
import { type BenchCase, type CaseResult, type Goal, type Row, timesFloor } from "./result.js";
import { rounds, type Scale, scaled, seed } from "./scale.js";
import { type BenchServer, startServer } from "./server.js";
import { sourceText } from "./sourceText.js";

const manyEdits: BenchCase = {
  name: "edits",
  title: "1,000 unique edits, shuffled, in 100,000 lines (4 MB), full result with diff",
  isOfProcess: false,
  measure: (scale) =>
    raceBatch(editBatch({ lines: scaled(100_000, scale), edits: scaled(1_000, scale), seed }), scale, {
      goals: ({ ours, least, usually }) => [
        timesFloor(ours / least, 5),
        { measure: "x faster than usual", value: usually / ours, limit: 40, sense: "atLeast", unit: "x" },
      ],
    }),
};

const patch: BenchCase = {
  name: "patch",
  title: "500-hunk patch on 100,000 lines",
  isOfProcess: false,
  measure: (scale) =>
    raceBatch(patchBatch({ lines: scaled(100_000, scale), edits: scaled(500, scale), seed }), scale, {
      goals: ({ ours, least }) => [timesFloor(ours / least, 5)],
    }),
};

const documents: BenchCase = {
  name: "documents",
  title: "1,000 open documents of 200 lines, one edit each",
  isOfProcess: false,
  measure: (scale) =>
    raceBatch(documentsBatch({ documents: scaled(1_000, scale), lines: 200, seed }), scale, {
      goals: ({ ours, least }) => [timesFloor(ours / least, 5)],
    }),
};

interface Medians {
  readonly ours: number;
  readonly least: number;
  readonly usually: number;
}

/**
 * Races the core, the wire, the floor and the usual method. The goals apply to the core; wire times are shown for
 * comparison.
 */
async function raceBatch(
  batch: Batch,
  scale: Scale,
  { goals }: { readonly goals: (medians: Medians) => Goal[] },
): Promise<CaseResult> {
  const { texts, call, replacements } = batch;
  checkMethods(texts, throughCore(texts, call), replacements);
  const server = await startServer();
  try {
    for (const { path, text } of texts) await server.open(path, text);
    const asked = performance.now();
    const answer = await server.apply(call);
    const first = performance.now() - asked;
    checkAnswer(answer, texts);
    const fresh = fresher(call);
    const times = await race(
      {
        core: { before: fresh.take, run: () => throughCore(texts, fresh.call) },
        wire:
          scale.clock === "cpu"
            ? undefined
            : { before: keystrokes(server, texts), run: async () => server.apply(fresh.call) },
        floor: { run: () => floor(texts) },
        usual: { run: () => usual(texts, replacements), most: 3 },
      },
      rounds(15, scale),
    );
    const least = median(times.floor);
    const usually = median(times.usual);
    const row = (name: string, ours: number, own: readonly Goal[]): Row => ({
      name,
      times: { ours, floor: least, usual: usually },
      uncertainty: uncertainty(times.floor),
      goals: own,
    });
    const core = median(times.core);
    const wire =
      times.wire.length === 0
        ? []
        : [{ ...row("wire", median(times.wire), []), note: `the server's first request: ${first.toFixed(0)} ms` }];
    return { rows: [row("core", core, goals({ ours: core, least, usually })), ...wire] };
  } finally {
    server.stop();
  }
}

/**
 * A call that can be rebuilt from new strings, as if it had just arrived on the wire: the engine has cached nothing
 * about them.
 */
function fresher(call: object): { readonly call: unknown; readonly take: () => void } {
  const json = JSON.stringify(call);
  const state = {
    call: JSON.parse(json) as unknown,
    take: () => {
      state.call = JSON.parse(json);
    },
  };
  return state;
}

/** Adds or removes a character at the end of the first text, so that consecutive requests never see the same text. */
function keystrokes(server: BenchServer, [first]: readonly BatchText[]): () => Promise<void> {
  if (first === undefined) throw new Error("a batch must have a text");
  const line = first.text.split("\n").length - 1;
  let isThere = false;
  return async () => {
    const range = { start: { line, character: 0 }, end: { line, character: isThere ? 1 : 0 } };
    await server.change(first.path, { range, text: isThere ? "" : " " });
    isThere = !isThere;
    await server.ask();
  };
}

/** Throws unless applying an answer's edit with the LSP library produces the expected texts. */
function checkAnswer(answer: MultiEditResult | MultiEditErrorData, texts: readonly BatchText[]): void {
  if (!("edit" in answer)) throw new Error(`the server refuses: ${JSON.stringify(answer).slice(0, 2_000)}`);
  const entries = answer.edit?.documentChanges ?? [];
  for (const { path, text, expected } of texts) {
    const entry = entries.find((one) => "edits" in one && one.textDocument.uri.endsWith(`/${path}`));
    const edits = entry !== undefined && "edits" in entry ? (entry.edits as TextEdit[]) : [];
    const after = TextDocument.applyEdits(TextDocument.create("", "", 1, text), edits);
    if (after !== expected) throw new Error(`${path}: the server's edit gives a different text`);
  }
}

/**
 * Number of edits with which the usual method is timed. The time for all edits is extrapolated, because each edit takes
 * the same amount of work.
 */
const usualShare = 40;

const growth: BenchCase = {
  name: "growth",
  title: "10,000 edits in 400,000 lines (16 MB)",
  isOfProcess: false,
  async measure(scale) {
    const sizes = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1].map((part) => scaled(400_000 * part, scale, 40));
    const batches = sizes.map((lines) => {
      const { texts, call, replacements } = editBatch({ lines, edits: Math.max(1, Math.floor(lines / 40)), seed });
      checkMethods(texts, throughCore(texts, call));
      return { lines, texts, replacements, fresh: fresher(call) };
    });
    const contenders = batches.flatMap(({ texts, replacements, fresh }, i) => [
      [`core${i}`, { before: fresh.take, run: () => throughCore(texts, fresh.call) }] as const,
      [`floor${i}`, { run: () => floor(texts) }] as const,
      [`usual${i}`, { run: () => usual(texts, replacements.slice(0, usualShare)), most: 1 }] as const,
    ]);
    const times = await race(Object.fromEntries(contenders), rounds(15, scale));
    const toQuarter = ratios(times[`core${sizes.length - 1}`] ?? [], times[`core${sizes.length - 3}`] ?? []);
    const of = (name: string, i: number): number => median(times[`${name}${i}`] ?? []);
    const usualOf = (i: number): number => {
      const count = batches[i]?.replacements.length ?? 0;
      return (of("usual", i) * count) / Math.min(count, usualShare);
    };
    const curve = (name: string, ms: (i: number) => number) => ({
      name,
      points: sizes.map((size, i) => ({ size, ms: ms(i) })),
    });
    const rows = sizes.map((lines, i): Row => {
      const isLast = i === sizes.length - 1;
      return {
        name: `core, ${Math.floor(lines / 40).toLocaleString("en")} edits in ${lines.toLocaleString("en")} lines`,
        times: { ours: of("core", i), floor: of("floor", i), usual: usualOf(i) },
        uncertainty: uncertainty(isLast ? toQuarter : (times[`floor${i}`] ?? [])),
        goals: isLast
          ? [{ measure: "x the time for a quarter", value: median(toQuarter), limit: 5.5, sense: "atMost", unit: "x" }]
          : [],
        note: `usual: extrapolated from its first ${usualShare} edits`,
      };
    });
    return {
      rows,
      curves: [
        curve("multi-edit", (i) => of("core", i)),
        curve("floor", (i) => of("floor", i)),
        curve("usual method", usualOf),
      ],
    };
  },
};

/** Functions that make one of many edits fail, given the line that the edit names. */
const failingEdits: Readonly<Record<string, (line: string) => { oldText: string; newText: string }>> = {
  absent: (line) => ({ oldText: line.replace("function", "funktion"), newText: "" }),
  ambiguous: () => ({ oldText: "}", newText: "" }),
  "no change": (line) => ({ oldText: line, newText: line }),
};

const oneFails: BenchCase = {
  name: "oneFails",
  title: "1,000 edits in 100,000 lines, and one in the middle that fails",
  isOfProcess: false,
  async measure(scale) {
    const shape = { lines: scaled(100_000, scale, 40), edits: scaled(1_000, scale, 2), seed };
    const { texts, replacements } = editBatch(shape);
    const { lines, functions } = sourceText(shape.lines, seed);
    const line = lines[functions[0]?.start ?? 0] ?? "";
    const edits = replacements.map(({ oldText, newText }) => ({ oldText, newText }));
    const middle = edits.length >> 1;
    const callWith = (failing: readonly object[]): object => ({
      path: texts[0]?.path,
      edits: [...edits.slice(0, middle), ...failing, ...edits.slice(middle)],
      options: { atomic: "none" },
    });
    const whole = fresher(callWith([]));
    const rows: Row[] = [];
    for (const [name, failing] of Object.entries(failingEdits)) {
      const fresh = fresher(callWith([failing(line)]));
      const { planned } = throughCore(texts, fresh.call);
      const failed = planned?.outcomes.filter(({ status }) => status !== "applied").map(({ index }) => index) ?? [];
      if (failed.length !== 1 || failed[0] !== middle) throw new Error(`${name}: edits ${failed.join(", ")} fail`);
      const times = await race(
        {
          core: { before: fresh.take, run: () => throughCore(texts, fresh.call) },
          whole: { before: whole.take, run: () => throughCore(texts, whole.call) },
          floor: { run: () => floor(texts) },
        },
        rounds(15, scale),
      );
      const toWhole = ratios(times.core, times.whole);
      rows.push({
        name: `core, ${name}`,
        times: { ours: median(times.core), floor: median(times.floor) },
        uncertainty: uncertainty(toWhole),
        goals: [{ measure: "x the time without it", value: median(toWhole), limit: 3, sense: "atMost", unit: "x" }],
      });
    }
    return { rows };
  },
};

/** Old texts that do not occur in the text, keyed by the way they resemble its lines. */
const absentTexts: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  "nothing like it": () =>
    [
      "class Zebra {",
      "  graze(meadow) {",
      "    this.hunger -= meadow.grass;",
      "    yield;",
      "  }",
      "  // zzz",
      "}",
    ].join("\n"),
  "three of seven lines wrong": (lines) =>
    lines.map((line, i) => ([1, 3, 5].includes(i) ? `${line.slice(0, -2)}Zebra` : line)).join("\n"),
  "one wrong word in a line": ([line = ""]) => line.replace("function", "funktion"),
};

const absent: BenchCase = {
  name: "absent",
  title: "one old text absent from 100,000 lines, full report",
  isOfProcess: false,
  async measure(scale) {
    const source = sourceText(scaled(100_000, scale, 40), seed);
    const text = flat(`${source.lines.join("\n")}\n`);
    const texts: BatchText[] = [{ path: "source.ts", text, expected: text, changes: [] }];
    const middle = source.functions[source.functions.length >> 1];
    if (middle === undefined) throw new Error("the text is too short");
    const near = source.lines.slice(middle.start, middle.start + 7);
    const rows: Row[] = [];
    for (const [name, oldTextOf] of Object.entries(absentTexts)) {
      const oldText = oldTextOf(near);
      const fresh = fresher({ path: "source.ts", edits: [{ oldText, newText: "" }] });
      const { answer } = throughCore(texts, fresh.call);
      const isFound = isNamed(answer, middle.start + 1);
      const times = await race(
        {
          core: { before: fresh.take, run: () => throughCore(texts, fresh.call) },
          floor: { run: () => floor(texts) },
          usual: { run: () => usual(texts, [{ path: "source.ts", oldText, newText: "" }]) },
        },
        rounds(15, scale),
      );
      const [ours, least, usually] = [median(times.core), median(times.floor), median(times.usual)];
      rows.push({
        name: `core, ${name}`,
        times: { ours, floor: least, usual: usually },
        uncertainty: uncertainty(times.floor),
        goals: [timesFloor(ours / least, 10)],
        note: isFound ? "the report names the intended place" : "the report does not name the intended place",
      });
    }
    return { rows };
  },
};

/**
 * Reports whether a nearest region starts on `line` (1-based). Throws unless the answer says that the old text was not
 * found.
 */
function isNamed(answer: MultiEditResult | MultiEditErrorData, line: number): boolean {
  const failure = "failures" in answer ? answer.failures[0] : undefined;
  if (failure?.code !== "noMatch") throw new Error(`not refused as absent: ${JSON.stringify(answer).slice(0, 500)}`);
  return failure.nearest?.some(({ startLine }) => startLine === line) ?? false;
}

/** The batch cases, in the order of the table. */
export const batchCases: readonly BenchCase[] = [manyEdits, oneFails, growth, patch, documents, absent];
