/**
 * The answer to an edit in as few tokens as possible: the caller knows what it has sent, so the answer says only where
 * the text is now, and which edits were not applied exactly as sent.
 */
import type { EditResult, FileResult, MultiEditResult } from "../../lsp/protocol.js";
import { callSentences, isAboutSummary, isAboutUnsaved } from "../../lsp/sentences.js";
import { isAboutReplacing } from "../../plan/patch/sentences.js";
import { limits } from "../../text/limits.js";
import { answerSentences } from "./sentences.js";

/** Returns the answer's lines. `wasAsked`: about open files; `isUndo`: of which edit is unknown; `isWrite`: a text. */
export function answerLines(result: MultiEditResult, manner: Manner): string[] {
  const { outcome, files, edits } = result;
  const isPreview = outcome === "proposed";
  const lines = files.map((file) => fileLine(file, { edits, isPreview, ...manner }));
  const shown = lines.slice(0, limits.toolFiles);
  if (lines.length > shown.length) shown.push(answerSentences.moreFiles(lines.length - shown.length));
  const facts = edits.flatMap((edit) => answerSentences.edit(edit) ?? []);
  const isUnchanged = isPreview || (outcome === "applied" && files.length === 0);
  const nothing = isUnchanged ? [callSentences.nothingChanged] : [];
  const isKnown = (warning: string): boolean =>
    isAboutSummary(warning) ||
    // The file's line says that it is not saved.
    (outcome === "applied" && isAboutUnsaved(warning)) ||
    (manner.isWrite === true && isAboutReplacing(warning));
  const warnings = isPreview ? result.warnings : result.warnings.filter((warning) => !isKnown(warning));
  const inOrder = [...shown, ...facts, ...nothing];
  const note = result.note === undefined ? [] : [result.note];
  // If the outcome is unknown, the warnings come first.
  return [...note, ...(outcome === "unknown" ? [...warnings, ...inOrder] : [...inOrder, ...warnings])];
}

interface Manner {
  readonly wasAsked: boolean;
  readonly isUndo: boolean;
  readonly isWrite?: boolean;
}

interface About extends Manner {
  readonly edits: readonly EditResult[];
  readonly isPreview: boolean;
}

function fileLine(file: FileResult, { edits, isPreview, wasAsked, isUndo, isWrite }: About): string {
  const { path, kind, newPath, overwritten, version, onDisk, firstChangedLine } = file;
  const letter = kind === "delete" ? "D" : kind === "create" || (overwritten && !isWrite) ? "A" : "M";
  const places = edits.filter((edit) => edit.path === path).reduce((sum, edit) => sum + edit.places.length, 0);
  const sent = edits.filter((edit) => edit.path === path && edit.places.length > 0).length;
  const state = version === null ? (wasAsked ? "unopened" : "disk") : onDisk === "same" ? "saved" : "unsaved";
  return answerSentences.file(`${letter} ${newPath ?? path}`, {
    places: places > sent ? places : undefined,
    line: isUndo && firstChangedLine > 0 ? firstChangedLine : undefined,
    state: isPreview || kind === "delete" ? undefined : state,
  });
}
