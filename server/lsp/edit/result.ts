/** Builds the answer to a call: a result if its edits were proposed or applied, or a refusal if it failed. */
import type { WorkspaceEdit } from "vscode-languageserver/node";
import { diffing, diffOf, type FileDiff } from "../../plan/diff.js";
import type { Failure } from "../../plan/failure.js";
import type { TextRules } from "../../plan/operation.js";
import { type EditOutcome, type FileChange, freeingFirst, nameAfter, type Planned } from "../../plan/outcome.js";
import { limits } from "../../text/limits.js";
import type { CallOptions, FileResult, MultiEditErrorData, MultiEditResult } from "../protocol.js";
import { callSentences } from "../sentences.js";
import { failureMessage } from "./failureMessage.js";

/** The input to `toResult`. */
export interface Report {
  readonly planned: Extract<Planned, { ok: true }>;
  readonly edit: WorkspaceEdit;
  readonly outcome: MultiEditResult["outcome"];
  readonly options: CallOptions;
  readonly warnings: readonly string[];
  /** Comparison of each file on disk with the text after the call; for other files, `document.onDisk` applies. */
  readonly onDisk?: ReadonlyMap<FileChange, "same" | "differs">;
  /** Files that the server wrote itself because no editor has them open; `undefined` means none. */
  readonly written?: ReadonlySet<FileChange>;
}

/** Builds a call's result, yielding at least once per changed file. */
export function* toResult(report: Report): Generator<void, MultiEditResult> {
  const { planned, options } = report;
  const changed = planned.files.filter(isChanged);
  const diffs = new Map<FileChange, FileDiff>();
  for (const file of changed) {
    diffs.set(file, yield* diffing(file));
    yield;
  }
  const diff = freeingFirst(changed)
    .ordered.map((file) => diffs.get(file)?.text)
    .join("");
  const summary = options.result === "summary";
  const shown = summary ? wholeLines(diff, limits.summaryDiff) : diff;
  const label = labelOf(planned.files, options);
  const result: MultiEditResult = {
    applied: report.outcome === "applied",
    outcome: report.outcome,
    label,
    text: textOf(label, changed, report),
    diff: shown,
    files: [...diffs].map(([file, diff]) => toFileResult(file, summary ? { ...diff, text: "" } : diff, report)),
    edits: planned.outcomes.map((one) => ({ ...one, places: [...one.places] })),
    warnings: [
      ...report.warnings,
      ...planned.warnings,
      ...(shown === diff ? [] : [callSentences.diffCut(diff.length - shown.length)]),
    ],
  };
  return summary ? result : { ...result, edit: report.edit };
}

/** Returns the label: the caller's own or, by default, `src/a.ts (3 edits)` or `4 files (9 edits)`. */
export function labelOf(files: readonly FileChange[], options: CallOptions): string {
  // Labels are shown to people. These characters could break the line or reverse the text direction; a path has no
  // control characters, but it may have invisible ones that belong to its script.
  if (options.label !== undefined) return options.label.replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd");
  const changed = files.filter(isChanged);
  const named = changed.length > 0 ? changed : files;
  const edits = named.reduce((sum, file) => sum + file.edits, 0);
  const shown = requestedFiles(named);
  const [only] = shown;
  const moved = only?.kind === "rename" ? ` → ${only.target.path}` : "";
  const name = shown.length === 1 && only !== undefined ? `${only.document.path}${moved}` : `${shown.length} files`;
  return `${name.replace(/\p{Bidi_Control}/gu, "\ufffd")} (${edits} ${edits === 1 ? "edit" : "edits"})`;
}

/** Reports whether a file changes. It does not if its edits were skipped or cancel each other out. */
function isChanged({ kind, change }: FileChange): boolean {
  return kind !== "update" || !change.isEmpty;
}

/** Returns the files, except those that are deleted only to make room for a renamed file. */
export function requestedFiles(files: readonly FileChange[]): readonly FileChange[] {
  const room = new Set(files.flatMap((file) => (file.kind === "rename" && file.overwritten ? [file.target.uri] : [])));
  return files.filter(({ kind, document }) => kind !== "delete" || !room.has(document.uri));
}

/** Returns the label, then files that no editor has open, then lines as of `apply_patch`, which may be cut off. */
function textOf(label: string, changed: readonly FileChange[], { written }: Report): string {
  const files = requestedFiles(changed);
  const unseen = files.filter((file) => written?.has(file)).map((file) => nameAfter(file).path);
  const onDisk = unseen.length === 0 ? [] : [callSentences.changedOnDisk(unseen, files.length)];
  const byLetter = { A: [] as string[], M: [] as string[], D: [] as string[] };
  for (const file of files) {
    const isNew = file.kind === "create" || (file.kind === "update" && file.overwritten);
    const letter = file.kind === "delete" ? "D" : isNew ? "A" : "M";
    byLetter[letter].push(`${letter} ${nameAfter(file).path}`);
  }
  return [label, ...onDisk, ...Object.values(byLetter).flat()].join("\n");
}

/** Truncates a text to as many whole lines as fit into `length` characters. */
export function wholeLines(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, text.lastIndexOf("\n", length - 1) + 1);
}

/** Returns the combined diff of a plan's files. */
export function wholeDiff(files: readonly FileChange[]): string {
  return freeingFirst(files)
    .ordered.map((file) => diffOf(file).text)
    .join("");
}

function toFileResult(file: FileChange, diff: FileDiff, report: Report): FileResult {
  const { document } = file;
  const onDisk = file.kind === "delete" ? undefined : (report.onDisk?.get(file) ?? document.onDisk);
  return {
    path: document.path,
    uri: document.uri,
    kind: file.kind,
    ...(file.kind === "rename" ? { newPath: file.target.path } : {}),
    ...(file.kind !== "delete" && file.overwritten ? { overwritten: true } : {}),
    version: document.version,
    ...(document.hash === undefined ? {} : { hash: document.hash }),
    firstChangedLine: diff.firstChangedLine,
    added: diff.added,
    removed: diff.removed,
    diff: diff.text,
    ...(onDisk === undefined ? {} : { onDisk }),
  };
}

/** The answer to a request: a result or failures. The code that received the request converts it to JSON-RPC. */
export type Answer<T = MultiEditResult> = { readonly ok: true; readonly result: T } | FailedAnswer;

/** The answer to a request that failed and changed nothing. */
export interface FailedAnswer {
  readonly ok: false;
  /** All failures; the first one determines the answer's error code. */
  readonly failures: readonly Failure[];
  readonly outcomes: readonly EditOutcome[];
  /** The error message, for people and agents alike. */
  readonly message: string;
  /** The diff that the user rejected, if any. */
  readonly diff?: string;
}

/** Builds the answer to a call that failed. */
export function toRefusal(
  failures: readonly Failure[],
  outcomes: readonly EditOutcome[] = [],
  { isPatch, batch }: { readonly isPatch: boolean; readonly batch?: TextRules | undefined } = { isPatch: false },
): FailedAnswer {
  // If the call as a whole failed, nothing is known about its edits.
  const known = failures.some(({ index }) => index !== undefined) ? outcomes : [];
  const sound = known.filter(({ status }) => status === "notAttempted").map(({ index }) => index);
  const message = failureMessage(failures, { sound, total: known.length, isPatch, terms: batch?.terms });
  return { ok: false, failures, outcomes, message };
}

/** Builds the answer to a call that was planned but not applied. The failure's message applies to the whole call. */
export function toEditorRefusal(failure: Failure, outcomes: readonly EditOutcome[]): FailedAnswer {
  return { ok: false, failures: [failure], outcomes, message: failure.message };
}

/** Returns the JSON-RPC error's `data` for a failed answer. */
export function toErrorData({ failures, outcomes, diff }: FailedAnswer): MultiEditErrorData {
  const data = { failures: [...failures], edits: outcomes.map((one) => ({ ...one, places: [...one.places] })) };
  return diff === undefined ? data : { ...data, diff };
}
