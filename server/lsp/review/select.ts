/** Finds the hunks that a request names. */
import type { Range } from "vscode-languageserver/node";
import type { ReviewSelector } from "../protocol.js";
import type { HunksOf, ReviewItem } from "./item.js";
import { linesOf } from "./texts.js";

/** The fields by which a request names hunks, other than the transaction. */
export const selectorKeys: ReadonlySet<string> = new Set(["hunks", "uri", "range", "agent", "all"]);

/** Reads the fields that name hunks from received params; `undefined` if there is not exactly one. */
export function readSelector(params: unknown): ReviewSelector | undefined {
  const given = Object(params) as Partial<Record<keyof ReviewSelector, unknown>>;
  const { hunks, uri, range, transaction, agent, all } = given;
  const isText = (value: unknown): value is string => typeof value === "string";
  const found: ReviewSelector[] = [
    ...(Array.isArray(hunks) && hunks.every(isText) ? [{ hunks }] : []),
    ...(isText(uri) ? [{ uri, ...(isRange(range) ? { range } : {}) }] : []),
    ...(isText(transaction) ? [{ transaction }] : []),
    ...(isText(agent) ? [{ agent }] : []),
    ...(all === true ? [{ all } as const] : []),
  ];
  const named = Object.entries(given).filter(
    ([key, value]) => key !== "range" && value !== undefined && value !== null,
  );
  const isRangeWrong = range !== undefined && range !== null && !(isText(uri) && isRange(range));
  return found.length === 1 && named.length === 1 && !isRangeWrong ? found[0] : undefined;
}

/** Reports whether a received value is a range, whose positions need not be in any text. */
export function isRange(value: unknown): value is Range {
  const { start, end } = Object(value) as Partial<Record<keyof Range, unknown>>;
  return [start, end].every(
    (at) => Number.isSafeInteger(Object(at).line) && Number.isSafeInteger(Object(at).character),
  );
}

/** Returns the hunks that a selector names. */
export function selected(review: HunksOf, selector: ReviewSelector): readonly ReviewItem[] {
  const { hunks, uri, range, transaction, agent } = selector;
  if (uri !== undefined) return review.items(uri).filter((item) => range === undefined || touches(item, range));
  const isNamed = (item: ReviewItem): boolean => {
    if (hunks !== undefined) return hunks.includes(item.id);
    if (transaction !== undefined) return item.calls.includes(transaction);
    return agent === undefined || review.callOf(item)?.caller?.name === agent;
  };
  return review.items().filter(isNamed);
}

/** Reports whether a hunk touches the lines of a range. A removal touches the lines above and below it. */
export function touches({ of }: ReviewItem, { start, end }: Range): boolean {
  if (of.kind === "file") return start.line === 0;
  const { first, last } = linesOf(of.text, of.hunk);
  const above = of.hunk.from === of.hunk.to ? 1 : 0;
  // A range that ends at the start of a line does not have that line.
  const lastLine = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return first - 1 - above <= lastLine && start.line <= last - 1;
}
