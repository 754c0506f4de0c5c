/**
 * Tries much more than the suite does: `npm run prove -- [ROW]… [--list] [--ci] [--minutes N] [--goal N]`. Each row goes on
 * where its last run stopped; with `--ci`, it starts again with the numbers for CI. Exits with 1 if anything was wrong.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Command, type Row, rows } from "./rows.js";

/** How far a row got. */
interface State {
  /** The number tried, which is also the distance of the next seed from the first. */
  readonly done: number;
  readonly seconds: number;
  /** The seed of each part in which something was wrong, and the file that has its output. */
  readonly wrong: readonly { readonly seed: number; readonly output: string }[];
  /** The last lines with figures. */
  readonly figures: readonly string[];
}

const nothing: State = { done: 0, seconds: 0, wrong: [], figures: [] };

/** Minutes after which a command is stopped; most parts take some minutes. */
const mostMinutes = 45;

/** Parts with something wrong after which a row stops. */
const mostWrong = 5;

const { values, positionals } = parseArgs({
  options: {
    list: { type: "boolean", default: false },
    ci: { type: "boolean", default: false },
    minutes: { type: "string", default: "100" },
    goal: { type: "string" },
    seed: { type: "string" },
  },
  allowPositionals: true,
});
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "multi-edit-prove");
const folder = values.ci ? join(tmpdir(), `multi-edit-prove-${process.pid}`) : cache;
const names = positionals.length > 0 ? positionals : Object.keys(rows);
const unknown = names.find((name) => !(name in rows));
if (unknown !== undefined) throw new Error(`there is no row ${unknown}; there are: ${Object.keys(rows).join(", ")}`);

if (values.list) show(names);
else {
  mkdirSync(folder, { recursive: true });
  for (const name of names) await go(name, rows[name]!);
  show(names);
  if (names.some((name) => stateOf(name).wrong.length > 0)) process.exitCode = 1;
}

/** Tries parts of a row until its goal is reached, the time is over, or too much was wrong. */
async function go(name: string, row: Row): Promise<void> {
  const goal = goalOf(row);
  const end = Date.now() + Number(values.minutes) * 60_000;
  const first = firstSeed(row);
  let state = stateOf(name);
  print(`${name}: ${row.proves}; from ${state.done} to ${goal} ${row.unit}, first seed ${first}`);
  const attempt = async (seed: number, count: number, commands: readonly Command[]): Promise<void> => {
    const start = Date.now();
    for (const [index, command] of commands.entries()) {
      const { isRight, figures, output } = await run(command);
      state = { ...state, figures: figures.length > 0 ? figures : state.figures };
      if (isRight) continue;
      const file = join(folder, `${name}-${seed}-${index}.txt`);
      writeFileSync(file, output);
      state = { ...state, wrong: [...state.wrong, { seed, output: file }] };
      print(`WRONG ${name}, seed ${seed}; the end of ${file}:\n${output.slice(-4000)}`);
    }
    state = { ...state, done: state.done + count, seconds: state.seconds + (Date.now() - start) / 1000 };
    writeFileSync(pathOf(name), `${JSON.stringify(state, undefined, 1)}\n`);
  };
  await attempt(first, 0, row.first ?? []);
  while (state.done < goal && Date.now() < end && state.wrong.length < mostWrong) {
    const count = Math.min(row.part, goal - state.done);
    await attempt(first + state.done, count, row.run(first + state.done, count));
    print(`  ${state.done} of ${goal} ${row.unit} in ${state.seconds.toFixed(0)} s, ${state.wrong.length} wrong`);
  }
}

function goalOf(row: Row): number {
  return Number(values.goal ?? (values.ci ? row.ci : row.long));
}

function firstSeed({ ciSeed = Date.now() % 1_000_000_000 }: Row): number {
  return Number(values.seed ?? (values.ci ? ciSeed : 1));
}

/** Runs a command to its end, and shows the lines with figures. */
async function run({ words: [program, ...args], env, minutes = mostMinutes }: Command) {
  const child = spawn(program, args, {
    env: { ...process.env, PROVE: "1", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = setTimeout(() => child.kill("SIGTERM"), minutes * 60_000);
  let output = `${Object.entries(env ?? {})
    .map(([name, value]) => `${name}=${value} `)
    .join("")}${program} ${args.join(" ")}\n`;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const code = await new Promise((resolve) => child.on("close", resolve).on("error", resolve));
  clearTimeout(timer);
  const figures = output.split("\n").filter((line) => line.startsWith("figures: "));
  for (const line of figures) print(`  ${line}`);
  return { isRight: code === 0, figures, output };
}

/** Prints the table of the rows. */
function show(shown: readonly string[]): void {
  const lines = shown.map((name) => {
    const row = rows[name]!;
    const { done, seconds, wrong } = stateOf(name);
    const minutes = (seconds / 60).toFixed(1);
    return [name, `${done} of ${goalOf(row)} ${row.unit}`, `${minutes} min`, `${wrong.length} wrong`, row.proves];
  });
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines) print(line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
}

function pathOf(name: string): string {
  return join(folder, `${name}.json`);
}

function stateOf(name: string): State {
  try {
    return { ...nothing, ...JSON.parse(readFileSync(pathOf(name), "utf8")) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return nothing;
    throw error;
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
