/** Counts the outcomes of scenes, with and without another server to compare them with, and prints them. */
import { structuredPatch } from "diff";
import type { PlayedScene } from "./sceneRun.js";
import { spots } from "./scenes.js";

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
        return counted(`${spot}${hasTwin ? ", with a twin" : ""}${isRead ? ", read" : ""}`, own);
      }),
    ),
  );
  return [...rows.filter(({ cases }) => cases > 0), counted("all", pairs)];
}

interface Pair {
  readonly now: PlayedScene;
  readonly earlier: PlayedScene | undefined;
}

function counted(scene: string, pairs: readonly Pair[]): SceneFigures {
  const count = (test: (pair: Pair) => boolean): number => pairs.filter(test).length;
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
  };
}

/** Reports whether nobody typed on a changed line or where the edit inserts. */
export const isUntouched = ({ scene: { spot } }: PlayedScene): boolean =>
  spot !== "on a changed line" && spot !== "where the edit inserts";

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
  const head = [
    "the person types",
    "cases",
    ...(hasBefore ? ["right, refused, wrong before"] : []),
    "right",
    "refused",
    "wrong",
    ...(hasBefore ? ["price"] : []),
  ];
  const lines = rows.map(({ scene, cases, right, refused, wrong, before, price }) => [
    scene,
    cases,
    ...(before === undefined ? [] : [`${before.right}, ${before.refused}, ${before.wrong}`]),
    right,
    refused,
    wrong,
    ...(price === undefined ? [] : [price]),
  ]);
  const cells = [head, ...lines].map((line) => line.map(String));
  const widths = head.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)));
  return cells
    .map((line) => line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  "))
    .join("\n");
}

/** A scene that missed its goal, for whoever mends it. */
export function describedScene({ scene, outcome, text, codes }: PlayedScene): string {
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
