/**
 * The answer to an edit in as few tokens as possible: the caller knows what it has sent, so the answer says only where
 * the text is now, and which edits were not applied exactly as sent.
 */
import type { EditResult, FileResult, MultiEditResult } from "../../lsp/protocol.js";
import { callSentences, isAboutSummary } from "../../lsp/sentences.js";
import { limits } from "../../text/limits.js";
import { toolSentences } from "./sentences.js";

/** Returns the lines of the answer. `wasAsked`: `true` if every editor was asked whether it has the files open. */
export function answerLines(result: MultiEditResult, wasAsked: boolean): string[] {
  const { outcome, files, edits } = result;
  const isPreview = outcome === "proposed";
  const lines = files.map((file) => fileLine(file, { edits, isPreview, wasAsked }));
  const shown = lines.slice(0, limits.toolFiles);
  if (lines.length > shown.length) shown.push(toolSentences.moreFiles(lines.length - shown.length));
  const facts = edits.flatMap((edit) => toolSentences.edit(edit) ?? []);
  const isUnchanged = isPreview || (outcome === "applied" && files.length === 0);
  const nothing = isUnchanged ? [callSentences.nothingChanged] : [];
  const warnings = isPreview ? result.warnings : result.warnings.filter((warning) => !isAboutSummary(warning));
  const inOrder = [...shown, ...facts, ...nothing];
  // If the outcome is unknown, the warnings come first.
  return outcome === "unknown" ? [...warnings, ...inOrder] : [...inOrder, ...warnings];
}

interface About {
  readonly edits: readonly EditResult[];
  readonly isPreview: boolean;
  readonly wasAsked: boolean;
}

function fileLine(file: FileResult, { edits, isPreview, wasAsked }: About): string {
  const { path, kind, newPath, overwritten, version, onDisk } = file;
  const letter = kind === "delete" ? "D" : kind === "create" || overwritten ? "A" : "M";
  const places = edits.filter((edit) => edit.path === path).reduce((sum, edit) => sum + edit.places.length, 0);
  const sent = edits.filter((edit) => edit.path === path && edit.places.length > 0).length;
  const state = version === null ? (wasAsked ? "unopened" : "disk") : onDisk === "same" ? "saved" : "unsaved";
  return toolSentences.file(`${letter} ${newPath ?? path}`, {
    places: places > sent ? places : undefined,
    state: isPreview || kind === "delete" ? undefined : state,
  });
}
