/**
 * Measures every rung. All rungs find the same edits; for each rung, the text and the call differ in a way that this
 * rung ignores.
 */
import { type BatchShape, type Disguise, editBatch, patchBatch } from "./batches.js";
import { checkMethods, floor, throughCore } from "./methods.js";
import { median, race, uncertainty } from "./race.js";
import { type BenchCase, type Row, timesFloor } from "./result.js";
import { rounds, scaled, seed } from "./scale.js";

/** A comment with a quote and a dash, both plain in the call and typographic in the text. */
const note = (quote: string, dash: string): string => ` // it${quote}s so ${dash} still`;

const trailing: Disguise = { inText: (line) => `${line}  ` };
const curly: Disguise = {
  inText: (line) => line + note("\u2019", "\u2013"),
  sent: (line) => line + note("'", "-"),
  written: (line) => line + note("'", "-"),
};
const deeper: Disguise = { sent: (line) => `    ${line}` };

/**
 * For each rung that finds edits, a difference between the text and the call that this rung ignores but stricter ones
 * do not.
 */
const editRungs: Readonly<Record<string, Disguise | undefined>> = {
  exact: undefined,
  lineEnding: { lineEnd: "\r\n" },
  trailingBlanks: trailing,
  typography: curly,
  indentation: deeper,
  viewPrefix: { sent: (line, number) => `${number}\t${line}` },
};

/** For each rung that finds hunks, a difference of the same kind. */
const hunkRungs: Readonly<Record<string, Disguise | undefined>> = {
  exact: undefined,
  trailingBlanks: trailing,
  indentation: deeper,
  foldedLines: curly,
};

/** Every rung of the ladder, with 100 edits on 100,000 lines. */
export const ladder: BenchCase = {
  name: "rungs",
  title: "every rung of the ladder, 100,000 lines, 100 edits each",
  isOfProcess: false,
  async measure(scale) {
    const shape = (disguise: Disguise | undefined, options?: object): BatchShape => ({
      lines: scaled(100_000, scale),
      edits: scaled(100, scale),
      seed,
      ...(disguise === undefined ? {} : { disguise }),
      ...(options === undefined ? {} : { options }),
    });
    const rows: Row[] = [];
    const add = async (kind: string, rung: string, batch: ReturnType<typeof editBatch>): Promise<void> => {
      const { texts, call } = batch;
      const core = throughCore(texts, call);
      checkMethods(texts, core);
      for (const { rung: found, index } of core.answer.edits ?? []) {
        if (found !== rung) throw new Error(`${kind}: edit ${index} is found on ${found}, not on ${rung}`);
      }
      const json = JSON.stringify(call);
      let fresh: unknown = call;
      const times = await race(
        {
          core: {
            before: () => {
              fresh = JSON.parse(json);
            },
            run: () => throughCore(texts, fresh),
          },
          floor: { run: () => floor(texts) },
        },
        rounds(15, scale),
      );
      const [ours, least] = [median(times.core), median(times.floor)];
      rows.push({
        name: `core, ${kind} ${rung}`,
        times: { ours, floor: least },
        uncertainty: uncertainty(times.floor),
        goals: [timesFloor(ours / least, 10)],
      });
    };
    for (const order of ["sequential", "original"]) {
      for (const [rung, disguise] of Object.entries(editRungs))
        await add(order, rung, editBatch(shape(disguise, { order })));
    }
    for (const [rung, disguise] of Object.entries(hunkRungs)) await add("patch", rung, patchBatch(shape(disguise)));
    return { rows };
  },
};
