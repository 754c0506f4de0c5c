/** Finds the line that tells one match of an ambiguous old text from all others. */
import type { Place } from "../../match/place.js";
import { limits } from "../../text/limits.js";
import { type Draft, isWritten, lineInBase } from "../draft.js";
import type { TellingLine } from "./sentences.js";

/** The number of lines above and below a match that are compared. */
const reach = 40;

/** Returns the nearest line near a match that is different at every other match; `undefined` if there is none. */
export function onlyHere(draft: Draft, place: Place, all: readonly Place[]): TellingLine | undefined {
  const { lines } = draft.index;
  if (all.length > limits.comparedPlaces) return undefined;
  const rangeOf = ({ from, to }: Place): Range => ({
    first: lines.lineAt(from),
    last: lines.lineAt(Math.max(from, to - 1)),
  });
  const textOf = (line: number): string | undefined =>
    line >= 0 && line < lines.lineCount && lines.contentEnd(line) - lines.start(line) <= limits.quotedLine
      ? lines.content(line).trim()
      : undefined;
  const own = rangeOf(place);
  const others = all.filter((other) => other !== place).map(rangeOf);
  const matched = textOf(own.first);
  for (let by = 1; by <= reach; by++) {
    for (const side of ["above", "below"] as const) {
      const lineOf = ({ first, last }: Range): number => (side === "above" ? first - by : last + by);
      const line = lineOf(own);
      const text = textOf(line);
      if (text === undefined || text === "" || text === matched || isWritten(draft, lines.start(line))) continue;
      if (others.every((other) => textOf(lineOf(other)) !== text))
        return { side, line: lineInBase(draft, lines.start(line)), text };
    }
  }
  return undefined;
}

/** The 0-based first and last line of a match. */
interface Range {
  readonly first: number;
  readonly last: number;
}
