/**
 * The landing benchmark as a command: damages real edits and counts how many of them land, are refused, or go wrong.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { structuredPatch } from "diff";
import { kinds } from "./kinds.js";
import { type Landed, runKinds } from "./run.js";
import { drawScenes, type PlayedScene, playScenes } from "./sceneRun.js";
import { describedScene, isUntouched, mustLand, type SceneFigures, sceneFigures, sceneText } from "./sceneTable.js";
import { sourceFiles } from "./sources.js";
import type { Staged } from "./staged.js";
import { byCause, figuresOf, refusalGoals, toTable, total, weighted } from "./table.js";
import { folderPairs, gitPairs, packagePairs } from "./textPairs.js";
import { drawTypedScenes } from "./typedScenes.js";
import { isDue, typedFigures } from "./typedTable.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    cases: { type: "string", default: "3000" },
    undamaged: { type: "string", default: "1000" },
    git: { type: "string" },
    commits: { type: "string", default: "1000" },
    versions: { type: "string", multiple: true },
    kind: { type: "string" },
    json: { type: "string" },
    show: { type: "string" },
    most: { type: "string", default: "5" },
    brief: { type: "boolean", default: false },
    scenes: { type: "string", default: "5" },
    edits: { type: "string", default: "8" },
    "scenes-only": { type: "boolean", default: false },
    before: { type: "string" },
  },
});

const shownScenes = values["scenes-only"] ? Number(values.most) : 0;
const seed = Number(values.seed);
const wanted = values.show ?? values.kind;
const isWanted = ({ name, cause }: { readonly name: string; readonly cause: string }): boolean =>
  wanted === undefined || wanted === name || wanted === cause;
if (!kinds.some(isWanted)) throw new Error(`unknown kind; the kinds are: ${kinds.map(({ name }) => name).join(", ")}`);

const pairs = [
  ...(values.git === undefined ? [] : gitPairs(values.git, Number(values.commits))),
  ...(values.versions === undefined ? [] : folderPairs(values.versions)),
];
const isOther = values.git !== undefined || values.versions !== undefined;
if (isOther && pairs.length === 0)
  throw new Error("no file has two versions there; is the repository a shallow clone?");
const files = sourceFiles(isOther ? pairs : packagePairs(process.cwd()));
const isScenesOnly = values["scenes-only"];
const amounts = { undamaged: Number(values.undamaged), failing: Number(values.cases), least: 20 };
const runs = isScenesOnly
  ? []
  : (await runKinds({ files, seed }, { amounts, test: isWanted })).filter(({ landed }) => landed.length > 0);
const rows = runs.map(({ kind, landed }) => figuresOf(kind, landed));
const all = total(rows);
const refusals = refusalGoals(rows);

if (values.show !== undefined) {
  const missed = runs.flatMap(({ kind, landed }) =>
    landed.filter((one) => isMissed(one, "right" in kind.goal && kind.goal.right > 0)),
  );
  for (const one of missed.slice(0, Number(values.most))) process.stdout.write(`${described(one)}\n\n`);
}
process.stdout.write(`Seed ${seed}, ${files.length} files, ${all.cases} cases of ${rows.length} kinds.\n\n`);
if (!isScenesOnly) process.stdout.write(`${toTable([...(values.brief ? byCause(rows) : rows), all])}\n\n`);
const percent = (part: "right" | "refused" | "wrong"): string =>
  `${(100 * weighted(rows, part, "cases")).toFixed(1)} %`;
if (all.weight > 0) {
  const outcomes = `${percent("right")} land right, ${percent("refused")} are refused, ${percent("wrong")} land wrong`;
  process.stdout.write(`Of failed calls, by weight, ${outcomes}.\n`);
}
for (const { does, share, goal, isMet } of isScenesOnly ? [] : refusals)
  process.stdout.write(
    `Of their refusals with one true place, ${share.toFixed(1)} % ${does}; goal: ${goal} % (${isMet ? "met" : "NOT MET"}).\n`,
  );
const scenes = wanted === undefined && values.scenes !== "0" ? await sceneReport() : undefined;
const typed = wanted === undefined && values.edits !== "0" ? await typedReport() : undefined;
const figures = { seed, rows, all, refusals, scenes: scenes?.rows, typed: typed?.rows };
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
const areMet = isScenesOnly || [...rows, all, ...refusals].every(({ isMet }) => isMet);
if (!areMet || scenes?.isMet === false || typed?.isMet === false) process.exitCode = 1;

interface Report {
  readonly rows: readonly SceneFigures[];
  readonly isMet: boolean;
}

/** Plays the scenes in which a person types where an edit belongs. */
async function sceneReport(): Promise<Report> {
  const { played, before } = await playBoth(drawScenes(files, { seed, count: Number(values.scenes) }));
  const figures = sceneFigures(played, before);
  process.stdout.write(`\nScenes: a person types where an edit belongs.\n\n${sceneText(figures)}\n\n`);
  const landing = (some: readonly PlayedScene[]): number =>
    (100 * some.filter(({ outcome }) => outcome === "right").length) / some.length;
  const untouched = played.filter(isUntouched);
  const due = untouched.filter(mustLand);
  const landed = landing(due);
  process.stdout.write(
    `Of the ${due.length} that the rules allow to land, and whose changes nobody typed on, ${landed.toFixed(1)} % land; goal: 95 %. Of all ${untouched.length} whose changes nobody typed on, ${landing(untouched).toFixed(1)} % land.\n`,
  );
  return { rows: figures, isMet: showMissed(played, due) && landed >= 95 };
}

/** Plays the scenes in which one edit is sent in every shape, after a person has typed. */
async function typedReport(): Promise<Report> {
  const { played, before } = await playBoth(drawTypedScenes(files, { seed, edits: Number(values.edits) }));
  const figures = typedFigures(played, { before, isBrief: values.brief });
  process.stdout.write(`\nScenes: one edit in every shape, after a person has typed.\n\n${sceneText(figures)}\n\n`);
  const due = played.filter(({ scene }) => isDue(scene));
  const missed = figures.filter(({ isMet }) => isMet === false);
  const landed = due.filter(({ outcome }) => outcome === "right").length;
  process.stdout.write(
    `Of the ${due.length} that are certain and that the rules allow to land, ${((100 * landed) / due.length).toFixed(1)} % land. ${missed.length} rows miss their goal.\n`,
  );
  return { rows: figures, isMet: showMissed(played, due) && missed.length === 0 };
}

async function playBoth<S extends Staged>(
  drawn: readonly S[],
): Promise<{ played: PlayedScene<S>[]; before: PlayedScene<S>[] | undefined }> {
  const before = values.before === undefined ? undefined : await playScenes(values.before, drawn);
  return { played: await playScenes("dist/main.cjs", drawn), before };
}

/** Prints wrong scenes, and some of those that were refused but should land; returns `true` if none is wrong. */
function showMissed<S extends Staged>(played: readonly PlayedScene<S>[], due: readonly PlayedScene<S>[]): boolean {
  const wrong = played.filter(({ outcome }) => outcome === "wrong");
  process.stdout.write(`${wrong.length} wrong; goal: 0.\n`);
  for (const one of [...wrong, ...due.filter(({ outcome }) => outcome === "refused")].slice(0, shownScenes))
    process.stdout.write(`${describedScene(one)}\n\n`);
  return wrong.length === 0;
}

function isMissed({ verdict }: Landed, lands: boolean): boolean {
  if (verdict.outcome === "wrong" || (verdict.outcome === "refused" && lands)) return true;
  return verdict.pointsAtPlace === false || verdict.suffices === false || verdict.isReasonRight === false;
}

function described({ number, landingCase, verdict }: Landed): string {
  const { path, door, call, places, expected } = landingCase;
  const missed = [
    ...(verdict.pointsAtPlace === false ? ["does not name the place"] : []),
    ...(verdict.suffices === false ? ["does not say enough"] : []),
    ...(verdict.isReasonRight === false ? ["not for the right reason"] : []),
  ];
  const wanted = "text" in expected ? "lands" : `refused: ${JSON.stringify(expected)}`;
  // For a call that must be refused, the difference is what it changed.
  const other = "text" in expected ? expected.text : landingCase.before;
  const difference =
    verdict.text === undefined
      ? []
      : structuredPatch("", "", other, verdict.text).hunks.flatMap(({ lines }) =>
          lines.map((line) => JSON.stringify(line)),
        );
  const sent =
    typeof call === "object" && call !== null && "patch" in call ? String(call.patch) : JSON.stringify(call, null, 1);
  return [
    `=== case ${number}, ${path}, ${door}: ${[verdict.outcome, ...missed].join(", ")}; expected: ${wanted}`,
    `places: ${places.map((place) => (place === undefined ? "none" : `${place.startLine}-${place.endLine}`)).join(", ")}`,
    sent,
    ...verdict.failures.map(({ code, index, message }) => `${code} of edit ${index}: ${message}`),
    ...difference,
  ].join("\n");
}
