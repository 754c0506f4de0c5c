/** The rows of the scenes in which one edit is sent in every shape, and their goals. */
import { conflicts } from "./conflicts.js";
import type { PlayedScene } from "./sceneRun.js";
import { countedScenes, type SceneFigures, type ScenePair } from "./sceneTable.js";
import { lineShapes, wordShapes } from "./shapes.js";
import type { Sign, TypedScene } from "./typedScenes.js";
import { typings } from "./typings.js";

/** The least share of calls that must land, in percent; a call that nothing tells apart from its twin need not. */
const goals: Readonly<Record<Sign, number>> = {
  "no twin": 95,
  "twin, its number": 90,
  "twin, its context": 90,
  ambiguous: 0,
};

type Pair = ScenePair<TypedScene>;

/**
 * A row for each typing, sign, kind of twins and shape; then, for each typing and sign, their sum; the calls that the rules
 * refuse, in a row for each reason; and the sums by the other circumstances. `isBrief`: only the sums. `before`: the same
 * scenes with another server.
 */
export function typedFigures(
  played: readonly PlayedScene<TypedScene>[],
  { before, isBrief }: { readonly before: readonly PlayedScene<TypedScene>[] | undefined; readonly isBrief: boolean },
): SceneFigures[] {
  const pairs = played.map((now, i): Pair => ({ now, earlier: before?.[i] }));
  const shapes = [...wordShapes, ...lineShapes];
  const able = pairs.filter(({ now: { scene } }) => scene.conflict === undefined);
  const signs = Object.keys(typings).flatMap((typing) =>
    (Object.keys(goals) as Sign[]).map((sign) => ({
      typing,
      sign,
      own: able.filter(({ now: { scene } }) => scene.typing === typing && scene.sign === sign),
    })),
  );
  const details = signs.flatMap(({ typing, sign, own }) =>
    shapes.flatMap(({ name }) =>
      kindsOfTwins(sign).flatMap(({ kind, isOf }) => {
        const some = own.filter(({ now: { scene } }) => scene.shape.name === name && isOf(scene));
        return withGoal(`${typing}; ${kind}; ${name}`, some);
      }),
    ),
  );
  const sums = signs.flatMap(({ typing, sign, own }) => withGoal(`${typing}; ${sign}; all shapes`, own));
  const refused = (Object.keys(goals) as Sign[]).flatMap((sign) =>
    conflicts.flatMap((conflict) =>
      withGoal(
        `a conflict by the rule; ${sign}; ${conflict}`,
        pairs.filter(({ now: { scene } }) => scene.conflict === conflict && scene.sign === sign),
      ),
    ),
  );
  return [...(isBrief ? [] : details), ...sums, ...refused, ...circumstances(pairs)];
}

interface KindOfTwins {
  readonly kind: string;
  readonly isOf: (scene: TypedScene) => boolean;
}

function kindsOfTwins(sign: Sign): KindOfTwins[] {
  if (sign === "no twin" || sign === "ambiguous") return [{ kind: sign, isOf: () => true }];
  return [
    { kind: `copy${sign.slice("twin".length)}`, isOf: ({ twin }) => twin !== "natural" },
    { kind: `natural ${sign}`, isOf: ({ twin }) => twin === "natural" },
  ];
}

/** A row, unless it has no case. If all its calls must be refused, its goal is that none lands. */
function withGoal(name: string, pairs: readonly Pair[]): SceneFigures[] {
  if (pairs.length === 0) return [];
  const figures = countedScenes(name, pairs);
  const { sign, right, conflict } = pairs[0]!.now.scene;
  const goal = right.length === 0 || conflict !== undefined ? 0 : goals[sign];
  // A row with few cases may miss one of them.
  const isMet = figures.wrong === 0 && figures.right >= Math.floor((goal * figures.cases) / 100);
  return [{ ...figures, goal, isMet }];
}

/** Reports whether a call must land: it is certain, and the rules allow it. */
export const isDue = ({ sign, right, conflict }: TypedScene): boolean =>
  sign !== "ambiguous" && right.length > 0 && conflict === undefined;

/** The same scenes by the other circumstances, without those that must, or may well, be refused. */
function circumstances(pairs: readonly Pair[]): SceneFigures[] {
  const due = pairs.filter(({ now: { scene } }) => isDue(scene));
  const either: readonly [string, string, (scene: TypedScene) => boolean][] = [
    ["saved", "not saved", ({ isSaved }) => isSaved],
    ["read", "not read", ({ isRead }) => isRead],
    ["whole texts are synced", "changes are synced", ({ syncsWhole }) => syncsWhole],
  ];
  return [
    ...either.flatMap(([name, other, test]) => [
      countedScenes(
        `certain; ${name}`,
        due.filter(({ now }) => test(now.scene)),
      ),
      countedScenes(
        `certain; ${other}`,
        due.filter(({ now }) => !test(now.scene)),
      ),
    ]),
    countedScenes("all", pairs),
  ];
}
