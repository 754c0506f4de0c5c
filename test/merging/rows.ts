/** Tables of merges. */
import { expect, it } from "vitest";
import { editSide, mergedText, type Said, typedSide } from "./sides.js";

/** An earlier text, what was typed since, the text as an edit would make it, and the result: a text, or `conflict`. */
export type Row = readonly [name: string, base: string, typed: Said, edited: string, result: string];

export const conflict = "conflict";

/** Checks one row. */
function check(_: string, base: string, typed: Said, edited: string, result: string): void {
  expect(mergedText(typedSide(base, typed), editSide(base, edited)) ?? conflict).toBe(result);
}

/** Declares a test for each row. */
export const holds = (rows: readonly Row[]): void => it.each(rows)("%s", check);
