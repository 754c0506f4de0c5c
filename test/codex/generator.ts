/**
 * Generates trials: small files with few distinct lines, and patches for them that are correct, nearly correct, or
 * damaged.
 */

import { damaged } from "./damage.js";
import { type Loosening, lineEnds, linePool, loosened, loosenings, shifted } from "./lines.js";
import type { Chance } from "./random.js";
import type { Content, Trial } from "./trial.js";

/** A patch line with its sign, or a marker. */
type PatchText = string;

/** The expected lines of each file after the sections generated so far. */
type State = Map<string, string[]>;

const paths = ["a.txt", "b.txt", "dir/c.txt", "new.txt", "deep/er/n.txt"];

/** A folder, and a path below a file. */
const oddPaths = ["dir", "a.txt/n.txt"];

/** Generates the next trial from a random stream. */
export function makeTrial(chance: Chance): Trial {
  const pool = linePool(chance);
  const files = new Map<string, Content>();
  const state: State = new Map();
  for (const path of paths.slice(0, chance.between(1, 3))) {
    const lines = Array.from({ length: chance.percent(6) ? 0 : chance.between(1, 12) }, () => chance.pick(pool));
    state.set(path, lines);
    files.set(path, fileOf(lines, chance));
  }
  if (chance.percent(3)) files.set("binary.bin", new Uint8Array([0x66, 0xff, 0x0a, 0x62, 0x0a]));
  if (chance.percent(1)) files.set("nul.txt", "a\0b\nc\n");
  const sections = Array.from({ length: chance.pick([1, 1, 1, 1, 2, 2, 3]) }, () =>
    sectionOf(state, { pool, files, chance }),
  );
  const lines = ["*** Begin Patch", ...sections.flat(), "*** End Patch"];
  const patch = damaged(lines, chance);
  return { files, patch: chance.percent(5) ? patch.replaceAll("\n", "\r\n") : patch };
}

function fileOf(lines: readonly string[], chance: Chance): string {
  const ends = lineEnds(chance);
  const text = lines.map((line) => line + chance.pick(ends)).join("");
  const whole = chance.percent(20) ? text.replace(/(\r\n|\n|\r)$/, "") : text;
  return chance.percent(4) ? `\ufeff${whole}` : whole;
}

interface Around {
  readonly pool: readonly string[];
  readonly files: ReadonlyMap<string, Content>;
  readonly chance: Chance;
}

function sectionOf(state: State, around: Around): PatchText[] {
  const { chance, files } = around;
  const known = [...state.keys()];
  const noText = [...files.keys()].filter((file) => !paths.includes(file) && chance.percent(40));
  const path =
    noText[0] ?? (known.length > 0 && chance.percent(94) ? chance.pick(known) : chance.pick([...paths, ...oddPaths]));
  const spelt = chance.percent(3) ? `./${path}` : path;
  const kind = chance.weighted({ update: 80, add: 10, delete: 6, move: 14 });
  if (kind === "add") return addSection(chance.pick(chance.percent(8) ? oddPaths : paths), state, around);
  if (kind === "delete") {
    state.delete(path);
    return [`*** Delete File: ${spelt}`, ...(chance.percent(25) ? addSection(path, state, around) : [])];
  }
  const { hunks, after } = hunksFor(state.get(path) ?? [], around);
  if (kind === "update") {
    state.set(path, after);
    return [`*** Update File: ${spelt}`, ...hunks];
  }
  const target = chance.percent(6) ? spelt : chance.pick(chance.percent(5) ? oddPaths : paths);
  state.delete(path);
  state.set(target, after);
  return [`*** Update File: ${spelt}`, `*** Move to: ${target}`, ...(chance.percent(12) ? [] : hunks)];
}

function addSection(path: string, state: State, { pool, chance }: Around): PatchText[] {
  const lines = Array.from({ length: chance.between(0, 4) }, () => chance.pick(pool));
  state.set(path, lines);
  return [`*** Add File: ${path}`, ...lines.map((line) => `+${line}`)];
}

/** A line of a hunk, with its sign. */
type Step = { readonly sign: " " | "-" | "+"; readonly text: string };

/** Generates hunks for a text; also returns the resulting lines. */
function hunksFor(lines: readonly string[], around: Around): { hunks: PatchText[]; after: string[] } {
  const { chance } = around;
  const hunks: PatchText[][] = [];
  const after: string[] = [];
  let done = 0;
  const count = chance.pick([1, 1, 1, 2, 2, 3]);
  for (let i = 0; i < count; i++) {
    const start = chance.between(done, lines.length);
    const end = Math.min(lines.length, start + chance.pick([0, 1, 1, 2, 2, 3, 4]));
    const steps = stepsFor(lines.slice(start, end), around);
    const anchors = anchorsFor(lines, { done, start }, around);
    const isEnd = chance.percent(end === lines.length ? 30 : 2);
    const head = anchors.map((anchor) => `@@ ${anchor}`);
    const bare = i === 0 && chance.percent(15) ? [] : ["@@"];
    const loose = loosenedHunk(steps, chance);
    hunks.push([
      ...(head.length > 0 ? head : bare),
      ...loose.map(({ sign, text }) => (text === "" && sign === " " && chance.percent(40) ? "" : sign + text)),
      ...(chance.percent(4) ? chance.pick([[""], [""], ["", ""], [" "], ["-"], ["+"]]) : []),
      ...(isEnd ? ["*** End of File"] : []),
    ]);
    after.push(...lines.slice(done, start), ...steps.filter(({ sign }) => sign !== "-").map(({ text }) => text));
    done = end;
  }
  after.push(...lines.slice(done));
  if (hunks.length > 1 && chance.percent(10)) hunks.reverse();
  return { hunks: hunks.flat(), after };
}

/** Randomly keeps, removes, replaces and inserts lines; makes at least one change. */
function stepsFor(lines: readonly string[], { pool, chance }: Around): Step[] {
  const steps: Step[] = [];
  const addSome = (percent: number) => {
    while (chance.percent(percent)) steps.push({ sign: "+", text: chance.pick(pool) });
  };
  const edits = chance.weighted({ mixed: 70, contextOnly: 6, insertOnly: 12, removeOnly: 12 });
  addSome(edits === "mixed" || edits === "insertOnly" ? 25 : 0);
  for (const text of lines) {
    const kept = edits === "contextOnly" || edits === "insertOnly" || (edits === "mixed" && chance.percent(50));
    steps.push({ sign: kept ? " " : "-", text });
    addSome(edits === "mixed" || edits === "insertOnly" ? 30 : 0);
  }
  if (steps.length === 0) steps.push({ sign: chance.percent(90) ? "+" : " ", text: chance.pick(pool) });
  return steps;
}

/**
 * The anchors for a hunk: usually a line above the hunk; sometimes a later line, the hunk's own first line, or a
 * nonexistent line.
 */
function anchorsFor(lines: readonly string[], at: { done: number; start: number }, around: Around): string[] {
  const { chance, pool } = around;
  if (!chance.percent(40)) return [];
  const from = chance.weighted({ above: 75, first: 8, anywhere: 10, pool: 7 });
  const above = lines.slice(at.done, at.start);
  const own = lines[at.start];
  const line =
    from === "above" && above.length > 0
      ? chance.pick(above)
      : from === "first" && own !== undefined
        ? own
        : from === "pool" || lines.length === 0
          ? chance.pick(pool)
          : chance.pick(lines);
  const text = chance.percent(25) ? loosened(line, chance.pick(loosenings), chance) : line;
  return text === "" ? [] : [text];
}

/** The lines of a hunk as a model might remember them: exact, all wrong in the same way, or only one of them wrong. */
function loosenedHunk(steps: readonly Step[], chance: Chance): Step[] {
  const how = chance.weighted({ exact: 50, one: 18, all: 14, shift: 14, foreign: 4 });
  const way: Loosening = chance.pick(loosenings);
  const chosen = chance.below(steps.length);
  const shift = chance.pick(["\t", "  ", "    ", " ", "-", "--"]);
  const isRetyped = chance.percent(30);
  return steps.map((step, i) => {
    if (how === "shift") {
      const text = step.sign !== "+" && isRetyped ? loosened(step.text, "typography", chance) : step.text;
      return { ...step, text: shifted(text, shift) };
    }
    if (step.sign === "+" || how === "exact") return step;
    if (how === "foreign") return i === chosen ? { ...step, text: `${step.text}?` } : step;
    if (how === "one" && i !== chosen) return step;
    return { ...step, text: loosened(step.text, way, chance) };
  });
}
