/** How large the texts are and how often they are measured: as the table of goals says, or small for the tests. */
import type { Clock, RaceOptions } from "./race.js";

/** How big and how long. */
export interface Scale {
  /** 1: as the table says; less: that share of the lines and edits. */
  readonly size: number;
  /** Rounds at most; `undefined`: as many as each case needs for a sound median, on a warm engine. */
  readonly rounds?: number;
  /** The time that passes where absent; with `cpu` the rows that are about other processes are left out. */
  readonly clock?: Clock;
}

/** Every text of the benchmark follows from it. */
export const seed = 20_251_121;

/** A number of lines or edits at a scale. */
export function scaled(full: number, { size }: Scale, least = 1): number {
  return Math.max(least, Math.round(full * size));
}

/** As many rounds as make a sound median, and no more than the scale wants. */
export function rounds(count: number, scale: Scale): RaceOptions {
  const isFull = scale.rounds === undefined;
  return {
    rounds: Math.min(count, scale.rounds ?? count),
    warmUps: isFull ? 6 : 0,
    collect: isFull,
    clock: scale.clock ?? "wall",
  };
}
