/** The words about patches in documents: titles of actions, hovers, diagnostics. */
import { clip } from "../../plan/failure.js";
import type { EditOutcome } from "../../plan/outcome.js";
import { visible } from "../../text/chars.js";
import type { Deed } from "./foresight.js";

/** Titles of the actions. `at`: the patch's first line (1-based) if several patches have actions, otherwise empty. */
export const actionTitles = {
  apply: (files: readonly string[], at: string): string => `Apply to ${filesText(files)}${at}`,
  preview: (files: readonly string[], at: string): string => `Preview the changes to ${filesText(files)}${at}`,
  failure: (verb: "Copy" | "Show", problem: string, at: string): string =>
    `${verb} the failure${at}: ${clip(visible(problem.split("\n", 1)[0] ?? ""), 100)}`,
  at: (line: number): string => ` (line ${line})`,
} as const;

/** Names the first file and the number of the others. */
function filesText([first = "", ...others]: readonly string[]): string {
  return `${clip(visible(first), 80)}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

/** Says where an edit would land. `isHeld`: `true` if nothing would be changed all the same. */
export function landingText({ kind }: Deed, outcome: EditOutcome, isHeld: boolean): string {
  const { path, status, places, rung, base } = outcome;
  const lines = places.map(({ startLine, endLine }) =>
    startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`,
  );
  const where = lines.length === 0 ? path : `${path}, line ${lines.slice(0, 10).join(", ")}`;
  const how =
    rung === undefined ? "" : `, found by the rung ${rung}${base === undefined ? "" : ` in the ${base} text`}`;
  const said = status === "skipped" ? `Nothing to do: ${where}` : `${deedWords[kind]} ${where}${how}`;
  return `${said}.${isHeld ? " Nothing is changed, because other edits of this patch fail." : ""}`;
}

/** What an edit of each kind does to its file. */
const deedWords: Readonly<Record<Deed["kind"], string>> = {
  edit: "Changes",
  add: "Writes",
  delete: "Deletes",
  move: "Renames",
};

/** The name of the server on its diagnostics. */
export const diagnosticSource = "multi-edit";

/** The text for a person who wants to see a preview that has no differences. */
export const nothingToShow = (text: string): string => `This changes nothing: ${text}`;

/** What the log says if a client does not accept the server's registration. */
export const notRegistered = (error: unknown): string => `the client has no actions for patches: ${String(error)}`;
