/**
 * The outcome of a case in the form of a page's blocks, so that the core and the server are compared with the same
 * text.
 */
import type { Failure } from "../../server/plan/failure.js";
import { type Case, type OutcomeKind, outcomeKinds } from "./cases.js";
import { escaped, needsEscapes } from "./escapes.js";
import { gistLineOf, gistOf } from "./gist.js";

/** One edit of the call, in the form that the core's plan and the result over the wire share. */
interface SeenEdit {
  readonly index: number;
  readonly status: string;
  readonly rung?: string | undefined;
  readonly base?: string | undefined;
  readonly places: readonly { readonly startLine: number; readonly endLine: number }[];
}

/** The outcome on the core or over the wire; `/project` means the case's folder. */
export interface Seen {
  /** The diff; `undefined` if the call failed. */
  readonly diff?: string;
  readonly failures: readonly Failure[];
  readonly edits: readonly SeenEdit[];
  readonly warnings: readonly string[];
  /** The label of the edit; set only over the wire. */
  readonly label?: string;
}

/** Texts of an outcome's blocks. */
export type Outcome = Readonly<Partial<Record<OutcomeKind, string>>>;

/**
 * The blocks that a page must have for this outcome. A `result` block is included only if the page has such a block, or
 * if there are warnings or edits whose old text was not found exactly.
 */
export function toOutcome(seen: Seen, { outcome: page, whole }: Pick<Case, "outcome" | "whole">): Outcome {
  const plain = seen.edits.every(({ status, rung }) => status === "applied" && (rung ?? "exact") === "exact");
  const needsResult = seen.diff !== undefined && (!plain || seen.warnings.length > 0);
  return {
    ...(seen.diff === undefined ? {} : { diff: seen.diff === "" ? "nothing changes\n" : seen.diff }),
    ...(seen.failures.length === 0
      ? {}
      : { failure: seen.failures.map((one) => toFailureText(one, whole.has("failure"))).join("\n") }),
    ...(needsResult || page.result !== undefined ? { result: toResultText(seen, page, whole.has("result")) } : {}),
  };
}

/**
 * A page with new outcomes for its cases; `outcomes` is in the same order as `cases`, and `undefined` keeps the old
 * one.
 */
export function rewrite(markdown: string, cases: readonly Case[], outcomes: readonly (Outcome | undefined)[]): string {
  const lines = markdown.split("\n");
  for (let i = cases.length - 1; i >= 0; i--) {
    const outcome = outcomes[i];
    if (outcome !== undefined) rewriteCase(lines, cases[i]!, outcome);
  }
  return lines.join("\n");
}

function rewriteCase(lines: string[], { blocks, outcomeLine, whole }: Case, outcome: Outcome): void {
  const fresh = outcomeKinds.filter((kind) => outcome[kind] !== undefined && !blocks.some((b) => b.kind === kind));
  const after = blocks.reduce((line, { last }) => Math.max(line, last + 1), outcomeLine);
  lines.splice(after, 0, ...fresh.flatMap((kind) => ["", ...toBlock(kind, outcome[kind]!, "gist")]));
  for (const { kind, first, last } of blocks.toSorted((a, b) => b.first - a.first)) {
    const text = outcome[kind];
    // An obsolete block is removed along with the empty line before it.
    if (text === undefined) lines.splice(first - 1, last - first + 2);
    else lines.splice(first, last - first + 1, ...toBlock(kind, text, whole.has(kind) ? "whole" : "gist"));
  }
}

function toBlock(kind: OutcomeKind, text: string, messages: "whole" | "gist"): string[] {
  const shown = kind === "diff" ? text.replace(/^ $/gm, "") : text;
  const escapes = kind !== "result" && needsEscapes(shown);
  const body = (escapes ? escaped(shown) : shown).replace(/\n$/, "").split("\n");
  const longest = Math.max(2, ...body.map((line) => /^`*/.exec(line)![0].length));
  const fence = "`".repeat(longest + 1);
  const flags = `${messages === "whole" ? " whole" : ""}${escapes ? " escaped" : ""}`;
  return [`${fence}${kind}${flags}`, ...body, fence];
}

function toFailureText({ code, index, path, line, message }: Failure, whole: boolean): string {
  const head = [
    code,
    ...(index === undefined ? [] : [`edit ${index}`]),
    ...(path === undefined ? [] : [path]),
    ...(line === undefined ? [] : [`line ${line}`]),
  ];
  const body = (whole ? message : gistOf(message)).split("\n").map((text) => (text === "" ? "" : `  ${text}`));
  return `${[head.join(" "), ...body].join("\n")}\n`;
}

function toResultText({ edits, warnings, label }: Seen, page: Outcome, whole: boolean): string {
  const lines = edits.map(({ index, status, rung, base, places }) =>
    [
      index,
      status,
      ...(rung === undefined ? [] : [rung]),
      places.map(toLines).join(", "),
      ...(base ? [`by ${base}`] : []),
    ]
      .join(" ")
      .trimEnd(),
  );
  // The core creates no label, so the page's own is reused.
  const wanted = /^label: (.*)$/m.exec(page.result ?? "")?.[1];
  const labels = wanted === undefined ? [] : [`label: ${label ?? wanted}`];
  return [...lines, ...labels, ...warnings.map((text) => toWarningLine(text, whole)), ""].join("\n");
}

/** A warning as a line of a `result` block. */
export const toWarningLine = (warning: string, whole: boolean): string =>
  `warning: ${whole ? warning : gistLineOf(warning)}`;

const toLines = ({ startLine, endLine }: { startLine: number; endLine: number }): string => `${startLine}-${endLine}`;
