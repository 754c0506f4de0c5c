/**
 * The landing benchmark as a command: damages real edits and counts how many of them land, are refused, or go wrong.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { structuredPatch } from "diff";
import { kinds } from "./kinds.js";
import { type Landed, runKind } from "./run.js";
import { changedFiles } from "./sources.js";
import { figuresOf, toTable, total } from "./table.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    cases: { type: "string", default: "80" },
    json: { type: "string" },
    show: { type: "string" },
    most: { type: "string", default: "5" },
  },
});

const seed = Number(values.seed);
const count = Number(values.cases);
const chosen = kinds.filter(({ name }) => values.show === undefined || name === values.show);
if (chosen.length === 0) throw new Error(`unknown kind; the kinds are: ${kinds.map(({ name }) => name).join(", ")}`);

const files = changedFiles(process.cwd());
const runs = chosen.map((kind) => ({ kind, landed: runKind(kind, { files, seed, count }) }));
const rows = runs.map(({ kind, landed }) => figuresOf(kind, landed));
const all = total(rows);

if (values.show !== undefined) {
  const missed = runs.flatMap(({ kind, landed }) => landed.filter((one) => isMissed(one, "right" in kind.goal)));
  for (const one of missed.slice(0, Number(values.most))) process.stdout.write(`${described(one)}\n\n`);
}
process.stdout.write(`Seed ${seed}, ${all.cases} cases of ${rows.length} kinds.\n\n${toTable([...rows, all])}\n`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ seed, rows, all }, null, 2)}\n`);
if (![...rows, all].every(({ isMet }) => isMet)) process.exitCode = 1;

function isMissed({ verdict }: Landed, lands: boolean): boolean {
  if (verdict.outcome === "wrong" || (verdict.outcome === "refused") === lands) return true;
  return verdict.pointsAtPlace === false || verdict.isReasonRight === false;
}

function described({ number, landingCase, verdict }: Landed): string {
  const { path, door, call, places, expected } = landingCase;
  const missed = [
    ...(verdict.pointsAtPlace === false ? ["does not name the place"] : []),
    ...(verdict.isReasonRight === false ? ["not for the right reason"] : []),
  ];
  const wanted = "text" in expected ? "lands" : `refused: ${JSON.stringify(expected)}`;
  const difference =
    verdict.text === undefined || !("text" in expected)
      ? []
      : structuredPatch("", "", expected.text, verdict.text).hunks.flatMap(({ lines }) =>
          lines.map((line) => JSON.stringify(line)),
        );
  return [
    `=== case ${number}, ${path}, ${door}: ${[verdict.outcome, ...missed].join(", ")}; expected: ${wanted}`,
    `places: ${places.map((place) => (place === undefined ? "none" : `${place.startLine}-${place.endLine}`)).join(", ")}`,
    JSON.stringify(call, null, 1),
    ...verdict.failures.map(({ code, index, message }) => `${code} of edit ${index}: ${message}`),
    ...difference,
  ].join("\n");
}
