/** The benchmark's command line: measures all cases, or only those named, and reports which goals are met. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchCases } from "./cases.js";
import { chartOf } from "./chart.js";
import { compare, comparison, merged } from "./compare.js";
import {
  caseTable,
  doubts,
  goalTable,
  type MeasuredCase,
  machineLine,
  machineNow,
  milliseconds,
  missed,
  type Report,
} from "./report.js";
import { seed } from "./scale.js";

const {
  values: { only, json, chart, cpu, compare: compares },
} = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    json: { type: "string" },
    chart: { type: "string" },
    cpu: { type: "boolean", default: false },
    compare: { type: "boolean", default: false },
  },
});
const clock = cpu ? "cpu" : "wall";
const names = benchCases.filter(({ isOfProcess }) => !(cpu && isOfProcess)).map(({ name }) => name);
const wanted = (only ?? names).flatMap((name) => name.split(","));
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no case named ${unknown.join(", ")}. The cases are ${names.join(", ")}.`);
  process.exit(2);
}

// The servers are killed, so they would otherwise leave their announcements in the user's home directory.
const state = mkdtempSync(join(tmpdir(), "multi-edit-bench-state-"));
process.env.XDG_STATE_HOME = state;
process.on("exit", () => rmSync(state, { recursive: true, force: true }));

/** The figures of the last run of each case; those of processor time are kept apart. */
const lastFile = json ?? `dist/bench${cpu ? "-cpu" : ""}.json`;
const last = readReport(lastFile);
if (compares && last === undefined) {
  console.error(`There are no figures in ${lastFile} to compare with. Run the benchmark without --compare first.`);
  process.exit(2);
}

const machine = machineNow();
console.log(`${machineLine(machine)}${cpu ? "\nTimes are processor times." : ""}\n`);
const cases: MeasuredCase[] = [];
let hasFailed = false;
for (const one of benchCases.filter(({ name }) => wanted.includes(name))) {
  const start = performance.now();
  try {
    const result = await one.measure({ size: 1, clock });
    cases.push({ name: one.name, title: one.title, ...result });
    console.log(`${caseTable(one, result)}\n  (measured in ${milliseconds(performance.now() - start)})\n`);
  } catch (error) {
    // A wrong text does not stop the remaining measurements, but it fails the run.
    console.log(`${one.title}\n  FAILED: ${String(error)}\n`);
    hasFailed = true;
  }
}
console.log(goalTable(cases));
const doubt = doubts(cases);
if (doubt !== undefined) console.log(`\n${doubt}`);

const flags = [...(cpu ? ["--cpu"] : []), ...(only === undefined ? [] : [`--only ${wanted.join(",")}`])];
const command = ["npm run bench", ...(flags.length === 0 ? [] : ["--", ...flags])].join(" ");
const report: Report = { machine, command, seed, cases };
const compared = compares && last !== undefined ? last : undefined;
if (compared !== undefined) console.log(`\n${comparison(compared, cases)}`);
const isWorse = compared !== undefined && compare(compared.cases, cases).some((one) => one.isWorse);
const kept = json === undefined ? merged(last, report) : report;
writeFileSync(lastFile, `${JSON.stringify(kept, null, 2)}\n`);
if (chart !== undefined) writeFileSync(chart, chartOf(report));
process.exitCode = missed(cases) === 0 && !hasFailed && !isWorse ? 0 : 1;

/** Reads the figures of an earlier run; `undefined` if there are none. */
function readReport(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch {
    return undefined;
  }
}
