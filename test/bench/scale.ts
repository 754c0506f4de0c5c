/** The size of the texts and the number of measurements: full, as in the table of goals, or small, for the tests. */
import type { Clock, RaceOptions } from "./race.js";

/** The size and duration of a run. */
export interface Scale {
  /** Fraction of the full number of lines and edits; 1 for the table of goals. */
  readonly size: number;
  /** Maximum number of rounds; if `undefined`, as many as a sound median on a warm engine needs. */
  readonly rounds?: number;
  /** Default: elapsed time. With `cpu`, the rows about other processes are left out. */
  readonly clock?: Clock;
}

/** The seed for all texts of the benchmark. */
export const seed = 20_251_121;

/** Scales a number of lines or edits. */
export function scaled(full: number, { size }: Scale, least = 1): number {
  return Math.max(least, Math.round(full * size));
}

/** Sets the number of rounds to `count`, but to no more than the scale allows. */
export function rounds(count: number, scale: Scale): RaceOptions {
  const isFull = scale.rounds === undefined;
  return {
    rounds: Math.min(count, scale.rounds ?? count),
    warmUps: isFull ? 6 : 0,
    collect: isFull,
    clock: scale.clock ?? "wall",
  };
}
