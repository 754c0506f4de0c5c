/** The places that the earlier texts and the present one give for an edit. */
import type { ChangeSet } from "../../text/changeSet.js";
import { limits } from "../../text/limits.js";
import type { EditOutcome, FilePlan } from "../outcome.js";
import type { Group, Lines } from "./carry.js";
import type { LineMap } from "./lineMap.js";
import type { View } from "./view.js";

/** A call's plan for an earlier text of a file. */
export interface ViewPlan {
  readonly view: View;
  /** The earlier text. */
  readonly text: string;
  readonly plan: FilePlan;
}

/** The way in which one text answers where an edit belongs. */
export type Finding =
  | { readonly kind: "place"; readonly lines: Lines }
  | { readonly kind: "several"; readonly lines: readonly number[] }
  | { readonly kind: "refused"; readonly line: number | undefined }
  /** The edit has nothing to do. */
  | { readonly kind: "idle" }
  | { readonly kind: "none" };

/** Codes of failures that say that an edit was not found. */
const notFound: ReadonlySet<string> = new Set(["noMatch", "contextNotFound", "alreadyApplied", "consumed"]);

/** Returns the answer that an outcome gives. */
export function answerOf(outcome: EditOutcome | undefined): Finding {
  if (outcome === undefined) return { kind: "none" };
  const { status, places, failure } = outcome;
  if (status === "failed") {
    if (failure === undefined || notFound.has(failure.code)) return { kind: "none" };
    if (failure.code === "ambiguousMatch")
      return { kind: "several", lines: (failure.matches ?? []).map(({ line }) => line - 1) };
    return { kind: "refused", line: failure.line === undefined ? undefined : failure.line - 1 };
  }
  const [first] = places;
  if (first === undefined) return { kind: "idle" };
  const last = places.at(-1)!;
  return { kind: "place", lines: { from: first.startLine - 1, to: last.endLine } };
}

/** A plan for an earlier text, ready to be compared with the present text. */
export interface Seen extends ViewPlan {
  /** Turns the earlier text into the present one. */
  readonly since: ChangeSet;
  readonly map: LineMap;
  readonly outcomes: ReadonlyMap<number, EditOutcome>;
  readonly groups: readonly Group[];
}

/** Reports whether a text has a say about an edit for which it gives an answer. */
export function hasSay({ shown }: View, answer: Finding): boolean {
  if (answer.kind === "none" || answer.kind === "idle") return false;
  if (shown === undefined) return true;
  const isShown = (from: number, to: number): boolean =>
    shown.some(({ startLine, endLine }) => startLine - 1 <= from && to <= endLine);
  if (answer.kind === "place") return isShown(answer.lines.from, answer.lines.to);
  if (answer.kind === "refused") return answer.line === undefined || isShown(answer.line, answer.line + 1);
  return answer.lines.length >= limits.matchesShown || answer.lines.some((line) => isShown(line, line + 1));
}

/** Returns the group that an edit belongs to. */
export function groupWith(groups: readonly Group[], index: number): Group | undefined {
  return groups.find(({ indices }) => indices.includes(index));
}
