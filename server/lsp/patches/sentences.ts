/** The words about patches in documents: the titles of actions, and where an edit would land. */
import { clip } from "../../plan/failure.js";
import type { EditOutcome } from "../../plan/outcome.js";
import { visible } from "../../text/chars.js";

/** The titles of the actions. */
export const actionTitles = {
  apply: (files: readonly string[]): string => `Apply to ${filesText(files)}`,
  preview: (files: readonly string[]): string => `Preview the changes to ${filesText(files)}`,
  copy: (problem: string): string => `Copy the failure: ${clip(visible(problem.split("\n", 1)[0] ?? ""), 100)}`,
  /** Tells one of several patches from the others. */
  withLine: (title: string, line: number): string => `Line ${line}: ${title}`,
} as const;

function filesText([first = "", ...others]: readonly string[]): string {
  return `${clip(visible(first), 80)}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

/** The outcome of an edit that was planned. */
type Landing = Pick<EditOutcome, "path" | "status" | "places"> & { readonly rung?: string };

/** Says where an edit would land. `isApplied`: `false` if other edits of its patch keep it from being applied. */
export function landingText({ path, status, places, rung }: Landing, isApplied: boolean): string {
  const spans = places.map(({ startLine, endLine }) => (startLine === endLine ? startLine : `${startLine}-${endLine}`));
  const where = `${path}${spans.length === 0 ? "" : `, line ${spans.slice(0, 10).join(", ")}`}`;
  if (status === "skipped") return `Nothing to do in ${where}.`;
  const how = rung === undefined ? "" : `, found by the rung ${rung}`;
  return `Lands in ${where}${how}.${isApplied ? "" : " It is not applied, because other edits of the patch fail."}`;
}
