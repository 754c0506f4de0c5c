/** Counts the outcomes of scenes, with and without another server to compare them with, and prints them. */
import { structuredPatch } from "diff";
import type { PlayedScene } from "./sceneRun.js";
import { spots } from "./scenes.js";
import type { Staged } from "./staged.js";

/** The figures of one kind of scene. */
export interface SceneFigures {
  readonly scene: string;
  readonly cases: number;
  readonly right: number;
  readonly refused: number;
  readonly wrong: number;
  /** The same for the other server; `undefined` if there is none. */
  readonly before: { readonly right: number; readonly refused: number; readonly wrong: number } | undefined;
  /** The calls that land right with the other server and are refused with this one. */
  readonly price: number | undefined;
  /** The number of refused calls for each code. */
  readonly codes: Readonly<Record<string, number>>;
  /**
   * The share of calls that must land, in percent; 0 if the goal is only that none is wrong, `undefined` if the row has no
   * goal of its own.
   */
  readonly goal?: number;
  readonly isMet?: boolean;
}

/** The rows of the table, the last of which is the sum. `before`: the same scenes with another server. */
export function sceneFigures(
  played: readonly PlayedScene[],
  before: readonly PlayedScene[] | undefined,
): SceneFigures[] {
  const pairs = played.map((now, i) => ({ now, earlier: before?.[i] }));
  const rows = spots.flatMap((spot) =>
    [false, true].flatMap((hasTwin) =>
      [false, true].map((isRead) => {
        const own = pairs.filter(
          ({ now: { scene } }) => scene.spot === spot && scene.hasTwin === hasTwin && scene.isRead === isRead,
        );
        return countedScenes(`${spot}${hasTwin ? ", with a twin" : ""}${isRead ? ", read" : ""}`, own);
      }),
    ),
  );
  return [...rows.filter(({ cases }) => cases > 0), countedScenes("all", pairs)];
}

/** A scene with this server and, if there is one, with the other. */
export interface ScenePair<S extends Staged> {
  readonly now: PlayedScene<S>;
  readonly earlier: PlayedScene<S> | undefined;
}

/** The figures of some scenes. */
export function countedScenes<S extends Staged>(scene: string, pairs: readonly ScenePair<S>[]): SceneFigures {
  const count = (test: (pair: ScenePair<S>) => boolean): number => pairs.filter(test).length;
  const hasBefore = pairs[0]?.earlier !== undefined;
  return {
    scene,
    cases: pairs.length,
    right: count(({ now }) => now.outcome === "right"),
    refused: count(({ now }) => now.outcome === "refused"),
    wrong: count(({ now }) => now.outcome === "wrong"),
    before: hasBefore
      ? {
          right: count(({ earlier }) => earlier?.outcome === "right"),
          refused: count(({ earlier }) => earlier?.outcome === "refused"),
          wrong: count(({ earlier }) => earlier?.outcome === "wrong"),
        }
      : undefined,
    price: hasBefore
      ? count(({ now, earlier }) => now.outcome === "refused" && earlier?.outcome === "right")
      : undefined,
    codes: codesOf(pairs.map(({ now }) => now)),
  };
}

/** The number of refused calls for each code; of a call with several failures, the first one counts. */
function codesOf<S extends Staged>(played: readonly PlayedScene<S>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome, codes } of played) {
    const [code = "none"] = codes;
    if (outcome === "refused") counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

/** Reports whether nobody typed where the edit inserts. */
export const isUntouched = ({ scene: { spot } }: PlayedScene): boolean => spot !== "where the edit inserts";

/**
 * Reports whether the rules allow a scene to land. They do not if the person typed in lines that occur once more, and the
 * present text, which names the other place, has a say: it has none only if the agent has read the lines through the
 * server and they were not saved since. If the editor syncs whole texts, such lines may always have been confused.
 */
export const mustLand = ({ scene: { spot, hasTwin, isRead, isSaved, syncsWhole } }: PlayedScene): boolean =>
  !hasTwin || spot === "above the edit's lines" || (isRead && !isSaved && !syncsWhole);

/** The table as text. */
export function sceneText(rows: readonly SceneFigures[]): string {
  const hasBefore = rows.some(({ before }) => before !== undefined);
  const hasGoals = rows.some(({ goal }) => goal !== undefined);
  const head = [
    "the person types",
    "cases",
    ...(hasBefore ? ["right, refused, wrong before"] : []),
    "right",
    "refused",
    "wrong",
    ...(hasBefore ? ["price"] : []),
    ...(hasGoals ? ["goal"] : []),
    "refused by code",
  ];
  const lines = rows.map(({ scene, cases, right, refused, wrong, before, price, goal, isMet, codes }) => [
    scene,
    cases,
    ...(before === undefined ? [] : [`${before.right}, ${before.refused}, ${before.wrong}`]),
    right,
    refused,
    wrong,
    ...(price === undefined ? [] : [price]),
    ...(hasGoals ? [goal === undefined ? "" : `${isMet ? "" : "MISSED "}${goal === 0 ? "0 wrong" : `${goal} %`}`] : []),
    Object.entries(codes)
      .map(([code, count]) => `${code} ${count}`)
      .join(", "),
  ]);
  const cells = [head, ...lines].map((line) => line.map(String));
  const widths = head.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)));
  const isLeft = (i: number): boolean => i === 0 || i === head.length - 1;
  const padded = (cell: string, i: number): string => (isLeft(i) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!));
  return cells
    .map((line) =>
      line
        .map((cell, i) => padded(cell, i))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A scene that missed its goal, for whoever mends it. */
export function describedScene<S extends Staged>({ scene, outcome, text, codes }: PlayedScene<S>): string {
  const { before, present, call, right, ...circumstances } = scene;
  const diff = (from: string, to: string): string[] =>
    structuredPatch("", "", from, to, undefined, undefined, { context: 3 }).hunks.flatMap(({ lines }) => lines);
  return [
    `=== ${outcome} ${codes.join(", ")} ${JSON.stringify({ ...circumstances, typed: undefined })}`,
    ...["typed:", ...diff(before, present)],
    JSON.stringify(call("f"), null, 1),
    ...(text === present ? [] : ["changed:", ...diff(present, text)]),
    ...(right[0] === undefined ? [] : ["expected:", ...diff(present, right[0])]),
  ].join("\n");
}
