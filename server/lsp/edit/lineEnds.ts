/** What a planned change has to be otherwise because of how this editor keeps line ends. */
import type { FileChange } from "../../plan/outcome.js";
import { type Change, ChangeSet } from "../../text/changeSet.js";
import type { EditTarget } from "./workspaceEdit.js";

/**
 * A file as it is planned for an editor that makes all line ends of an inserted text alike: where both kinds stand in the
 * text, it inserts LF, whatever it is sent.
 */
export function fitted(target: Pick<EditTarget, "capabilities" | "facts">, file: FileChange): FileChange {
  const { document, change } = file;
  const announced = target.capabilities.workspace?.workspaceEdit?.normalizesLineEndings === true;
  if (!announced && !target.facts.normalisesInserts) return file;
  if (!document.text.includes("\r\n") || !hasLoneLf(document.text)) return file;
  const fit = ChangeSet.of(
    change.length,
    change.changes.map((one): Change => ({ ...one, insert: withLf(one.insert) })),
  );
  return { ...file, change: fit, text: fit.apply(document.text) };
}

/** A file that was planned as it is on disk, as an editor has it once it is open that has LF for every line end. */
export function asOpened({ facts }: Pick<EditTarget, "facts">, file: FileChange): FileChange {
  const { document, change } = file;
  if (document.version !== null || !facts.habits.syncsLf) return file;
  if (!document.text.includes("\r\n") || hasLoneLf(document.text)) return file;
  let read = 0;
  let dropped = 0;
  const offset = (at: number): number => {
    dropped += at - read - withLf(document.text.slice(read, at)).length;
    read = at;
    return at - dropped;
  };
  const changes = change.changes.map(
    ({ from, to, insert }): Change => ({ from: offset(from), to: offset(to), insert: withLf(insert) }),
  );
  const text = withLf(document.text);
  const folded = ChangeSet.of(text.length, changes);
  return { ...file, document: { ...document, text }, change: folded, text: folded.apply(text) };
}

const hasLoneLf = (text: string): boolean => /(?<!\r)\n/.test(text);
const withLf = (text: string): string => text.replaceAll("\r\n", "\n");
