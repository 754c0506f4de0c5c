/** The sentences of the review: the titles of its actions, what became of a call, and what the agent is told. */
import { clip, count, makeFailure, quote, some, theCall } from "../../plan/failure.js";
import { oneLine } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { agentText } from "../sentences.js";

/** Lines of a text, 1-based and inclusive. */
interface NamedLines {
  readonly first: number;
  readonly last: number;
}

/** Returns lines as people write them: `4` or `4-6`. */
const numbers = ({ first, last }: NamedLines): string => (first === last ? `${first}` : `${first}-${last}`);

const lineText = (lines: NamedLines): string => `line${lines.first === lines.last ? "" : "s"} ${numbers(lines)}`;

/** Returns the place of a hunk: `src/a.ts:4-6`. Of a whole file, it is the path. */
export const placeText = (path: string, lines: NamedLines | undefined): string =>
  lines === undefined ? path : `${path}:${numbers(lines)}`;

/** Returns the place of an undone hunk, with the numbers of the edits of the agent's call that are gone. */
export const undoneText = (place: string, edits: readonly number[]): string =>
  edits.length === 0 ? place : `${place} (your edit${edits.length > 1 ? "s" : ""} ${edits.join(", ")})`;

/** Why a hunk can't be undone or redone, as clauses. */
export const reviewProblems = {
  typedIn: (lines: NamedLines): string => `somebody has changed ${lineText(lines)} since`,
  changedAgain: (transaction: string, label: string): string =>
    `a later call, ${quote(transaction)} (${quote(label, 200)}), has changed these lines; undo it first`,
} as const;

/** The name of the sender of a call, as people read it. */
const whoText = (agent: string | undefined): string => (agent === undefined ? "you" : agentText(agent));

/** The texts that people see at a hunk. */
export const reviewTexts = {
  /** `old` and `next`: the numbers of lines; of a whole file, what happened to it. */
  lines: (agent: string | undefined, old: number, next: number): string => {
    const parts = [
      [Math.min(old, next), "changed"],
      [next - old, "added"],
      [old - next, "removed"],
    ] as const;
    const shown = parts.filter(([number]) => number > 0);
    const text = shown.map(([number, what], i) => `${i === 0 ? count(number, "line") : number} ${what}`).join(", ");
    return `${whoText(agent)}: ${text}`;
  },
  file: (agent: string | undefined, kind: "create" | "rename" | "delete", oldPath: string | undefined): string => {
    const what = { create: "file created", delete: "file deleted", rename: `file renamed from ${oldPath}` };
    return `${whoText(agent)}: ${what[kind]}`;
  },
  broken: (message: string, error: string): string => `${message}; new error: ${clip(oneLine(error, 200) ?? "", 120)}`,
  moreLines: (left: number): string => `… ${count(left, "more line")}`,
  /** The name of several hunks, in a label. */
  changes: (number: number): string => count(number, "change"),
  left: (places: readonly string[]): string =>
    `Left as they are, because somebody has typed there since: ${clip(places.join(", "), 200)}.`,
  diffName: "review.diff",
} as const;

/** The titles of code actions. */
export const reviewTitles = {
  undo: "Undo this change",
  keep: "Keep this change",
  undoFile: "Undo all changes in this file",
  keepFile: "Keep all changes in this file",
  undoCall: (changes: number): string => `Undo this call (${count(changes, "change")})`,
  keepCall: (changes: number): string => `Keep this call (${count(changes, "change")})`,
  undoAgent: (agent: string): string => `Undo all changes of ${agentText(agent)}`,
  keepAgent: (agent: string): string => `Keep all changes of ${agentText(agent)}`,
  diff: "Show all changes as a diff",
} as const;

/** Builds the failures of the review's requests. */
export const reviewFailures = {
  allTyped: (places: readonly string[]) =>
    makeFailure("undoConflict", theCall, {
      problem: `Somebody has typed in these changes since: ${clip(places.join(", "), 200)}. Nothing was changed.`,
      hint: "Keep them, or edit the lines by hand.",
    }),
  selector: () =>
    makeFailure("invalidParams", theCall, {
      problem: "The params must name the changes by exactly one of hunks, uri, transaction, agent and all.",
    }),
  noText: () =>
    makeFailure("invalidParams", theCall, { problem: "A comment must be a text.", hint: 'Send { "text": "…" }.' }),
  userOnly: () =>
    makeFailure("invalidParams", theCall, {
      problem: "Only the user, in the editor, keeps changes or comments on them.",
    }),
} as const;

/** Builds the failures of a redo, or of an undo of hunks that are not known. */
export const redoFailures = {
  nothing: () =>
    makeFailure("undoConflict", theCall, {
      problem: "There is no such change here.",
      hint: "multiEdit/history lists the calls, and multiEdit/review the hunks, if the review is on.",
    }),
  notUndone: (id: string) =>
    makeFailure("undoConflict", theCall, { problem: `The transaction ${quote(id)} has not been undone.` }),
} as const;

/** Returns the label of a redo. */
export const redoOf = (label: string): string => `Redo ${label}`;

/** What the user has done to an agent's changes. */
export interface AgentNews {
  readonly undone: readonly string[];
  readonly kept: number;
  readonly comments: readonly { readonly place: string; readonly text: string }[];
}

/**
 * Returns what an agent is told of the user's review, at most `limits.reviewNote` characters. `told`: the number of comments
 * in it, which are the first ones.
 */
export function noteText({ undone, kept, comments }: AgentNews): { readonly text: string; readonly told: number } {
  const shown = undone.slice(0, 3).join(", ") + (undone.length > 3 ? ` and ${undone.length - 3} more` : "");
  const facts = [
    ...(undone.length > 0 ? [`undid ${shown}`] : []),
    ...(kept > 0 ? [`kept ${count(kept, "change")}`] : []),
  ];
  const said = comments.map(({ place, text }) => `says of ${place}: "${oneLine(text, limits.reviewComment) ?? ""}"`);
  const textOf = (told: number): string => {
    const parts = [...facts, ...said.slice(0, told)];
    const list = parts.length > 1 ? `${parts.slice(0, -1).join(", ")}, and ${parts.at(-1)}` : parts[0];
    return `Since your last edit, the user ${list}.`;
  };
  let told = Math.min(said.length, limits.reviewNote);
  while (told > (facts.length > 0 ? 0 : 1) && textOf(told).length > limits.reviewNote) told--;
  return { text: clip(textOf(told), limits.reviewNote), told };
}

/** Returns what an agent is told of the parts of its call that the user has refused. */
export function refusedText(
  refused: readonly { readonly path: string; readonly startLine?: number; readonly endLine?: number }[],
  reason: string | undefined,
): string {
  const places = refused.map(({ path, startLine: first, endLine: last }) =>
    placeText(path, first === undefined ? undefined : { first, last: last ?? first }),
  );
  const why = reason === undefined ? "" : `: "${reason}"`;
  return clip(`The user refused ${some(places, 200)} of this call${why}. The rest was applied.`, limits.reviewNote);
}
