/** Draws the cases of each kind, all from a single seed, and judges them. */
import { chanceOf } from "../../codex/random.js";
import type { Kind } from "./kinds.js";
import type { LandingCase } from "./landingCase.js";
import type { SourceFile } from "./sources.js";
import { judge, type Verdict } from "./trial.js";

/** A case and its verdict. */
export interface Landed {
  /** 0-based number among the cases of its kind; seed, kind and number determine the case. */
  readonly number: number;
  readonly landingCase: LandingCase;
  readonly verdict: Verdict;
}

/** Runs `count` cases of a kind. */
export function runKind(
  kind: Kind,
  { files, seed, count }: { readonly files: readonly SourceFile[]; readonly seed: number; readonly count: number },
): Landed[] {
  return Array.from({ length: count }, (_, number) => {
    const landingCase = drawCase(kind, files, seed, number);
    return { number, landingCase, verdict: judge(landingCase) };
  });
}

/**
 * Maximum number of attempts to draw a file and edits for one case; in many files, a rare kind of damage is impossible.
 */
const mostDraws = 2_000;

function drawCase(kind: Kind, files: readonly SourceFile[], seed: number, number: number): LandingCase {
  const chance = chanceOf(seedOf(`${seed} ${kind.name} ${number}`));
  const door = kind.doors[number % kind.doors.length] ?? "batch";
  for (let draw = 0; draw < mostDraws; draw++) {
    const version = chance.pick(files).version();
    const made = version && kind.make({ chance, version, files, door });
    if (made !== undefined) return made;
  }
  throw new Error(`no file allows a case of the kind "${kind.name}" as ${door}`);
}

/** FNV-1a over UTF-16 code units. */
function seedOf(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}
