/** The size of the texts and the number of measurements: as in the table of goals, or small for the tests. */
import type { Clock, RaceOptions } from "./race.js";

/** Size and duration. */
export interface Scale {
  /** The fraction of the full number of lines and edits; 1 as in the table of goals. */
  readonly size: number;
  /** The maximum number of rounds; `undefined` for as many as a sound median on a warm engine needs. */
  readonly rounds?: number;
  /** If absent, elapsed time; with `cpu`, the rows about other processes are left out. */
  readonly clock?: Clock;
}

/** The seed for every text of the benchmark. */
export const seed = 20_251_121;

/** A number of lines or edits at a scale. */
export function scaled(full: number, { size }: Scale, least = 1): number {
  return Math.max(least, Math.round(full * size));
}

/** As many rounds as a sound median needs, but no more than the scale allows. */
export function rounds(count: number, scale: Scale): RaceOptions {
  const isFull = scale.rounds === undefined;
  return {
    rounds: Math.min(count, scale.rounds ?? count),
    warmUps: isFull ? 6 : 0,
    collect: isFull,
    clock: scale.clock ?? "wall",
  };
}
