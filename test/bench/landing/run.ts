/** Draws the cases of each kind, all from a single seed, and judges them. */
import { chanceOf } from "../../codex/random.js";
import { type Kind, kinds, weightOfKind } from "./kinds.js";
import type { LandingCase } from "./landingCase.js";
import type { Door } from "./sent.js";
import { canBeDamaged, type SourceFile } from "./sources.js";
import { judge, type Verdict } from "./trial.js";

/** A case and its verdict. */
export interface Landed {
  /** 0-based number among the cases of its kind; seed, kind and number determine the case. */
  readonly number: number;
  readonly landingCase: LandingCase;
  readonly verdict: Verdict;
}

/** Numbers of cases. */
export interface Amounts {
  /** Of each undamaged kind. */
  readonly undamaged: number;
  /** Of all kinds that have a weight, together. */
  readonly failing: number;
  /** Of each other kind, at least. */
  readonly least: number;
}

/** The number of a kind's cases; those of failing calls are shared out by weight. */
export function casesOf(kind: Kind, { undamaged, failing, least }: Amounts): number {
  return kind.cause === "undamaged" ? undamaged : Math.max(least, Math.round(failing * weightOfKind(kind)));
}

/** The files from which cases are drawn, and the seed of the choices. */
export interface Material {
  readonly files: readonly SourceFile[];
  readonly seed: number;
}

/** Runs `count` cases of a kind; fewer, perhaps none, if the files do not allow them. */
export async function runKind(kind: Kind, { files, seed, count }: Material & { count: number }): Promise<Landed[]> {
  const landed: Landed[] = [];
  const impossible = new Set<Door>();
  for (let number = 0; number < count; number++) {
    const door = kind.doors[number % kind.doors.length] ?? "batch";
    const landingCase = impossible.has(door) ? undefined : drawCase(kind, door, { files, seed }, number);
    if (landingCase === undefined) impossible.add(door);
    else landed.push({ number, landingCase, verdict: await judge(landingCase) });
  }
  return landed;
}

/** Runs all kinds, or those that `test` accepts. */
export async function runKinds(
  material: Material,
  { amounts, test = () => true }: { readonly amounts: Amounts; readonly test?: (kind: Kind) => boolean },
): Promise<{ readonly kind: Kind; readonly landed: readonly Landed[] }[]> {
  const runs: { readonly kind: Kind; readonly landed: readonly Landed[] }[] = [];
  for (const kind of kinds.filter(test))
    runs.push({ kind, landed: await runKind(kind, { ...material, count: casesOf(kind, amounts) }) });
  return runs;
}

/**
 * Maximum number of attempts to draw a file and edits for one case; in many files, a rare kind of damage is impossible.
 */
const mostDraws = 2_000;

function drawCase(kind: Kind, door: Door, { files, seed }: Material, number: number): LandingCase | undefined {
  const chance = chanceOf(seedOf(`${seed} ${kind.name} ${number}`));
  for (let draw = 0; draw < mostDraws; draw++) {
    const version = chance.pick(files).version();
    if (version === undefined || !(kind.cause === "undamaged" || canBeDamaged(version))) continue;
    const made = kind.make({ chance, version, files, door });
    if (made !== undefined) return made;
  }
  return undefined;
}

/** FNV-1a over UTF-16 code units. */
function seedOf(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}
