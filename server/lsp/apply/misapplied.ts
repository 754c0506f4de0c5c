/** Tells that an editor has applied an edit to a later text than the one it was made for, at places that are not meant. */
import type { TextEdit } from "vscode-languageserver/node";
import { asUpdate, type FileChange } from "../../plan/outcome.js";
import { ChangeSet } from "../../text/changeSet.js";
import { byteOrderMark } from "../../text/chars.js";
import { LineIndex } from "../../text/lines.js";
import { shrink } from "../../text/shrink.js";
import { spanOf } from "../edit/positions.js";
import type { Session } from "../session.js";

/** Two texts that the editor has synced, one right after the other. */
export interface SyncedTexts {
  readonly before: string;
  readonly now: string;
}

/**
 * The editor's change of the text that it had right before, if it is what the edit says and not what the edit means: typing
 * has moved the places meanwhile, or is in them. `undefined`: the editor has done something else.
 */
export function whereMisapplied(
  session: Session,
  { file, edits }: { readonly file: FileChange; readonly edits: readonly TextEdit[] },
  { before, now }: SyncedTexts,
): FileChange | undefined {
  const mark = file.document.bomSynced ? byteOrderMark : "";
  const base = mark + file.document.text;
  // How a file looks once it is open is nothing that somebody has typed.
  if (file.document.version === null || before === base || !before.startsWith(mark) || !now.startsWith(mark))
    return undefined;
  const meant = spansOf(session, file, edits, base);
  const done = spansOf(session, file, edits, before);
  if (meant === undefined || done === undefined) return undefined;
  const change = ChangeSet.of(before.length, done);
  if (change.apply(before) !== now) return undefined;
  const typed = ChangeSet.of(base.length, shrink(base, { from: 0, to: base.length, insert: before }));
  const isRight = meant.every(({ from, to }, i) => {
    const at = done[i];
    if (at === undefined) return false;
    const held = before.slice(at.from, at.to);
    // Some editors tell of each change on its own: what an earlier step has done, this one does not do again.
    if (held === at.insert) return true;
    return (
      base.slice(from, to) === held && typed.mapPos(from, "after") === at.from && typed.mapPos(to, "before") === at.to
    );
  });
  if (isRight) return undefined;
  const changes = change.changes.map(({ from, to, insert }) => ({
    from: from - mark.length,
    to: to - mark.length,
    insert,
  }));
  const text = before.slice(mark.length);
  return asUpdate({
    ...file,
    document: { ...file.document, text },
    change: ChangeSet.of(text.length, changes),
    text: now.slice(mark.length),
  });
}

/** The edits as changes of a text; `undefined`: not all their positions are in it. */
function spansOf({ encoding }: Session, { document }: FileChange, edits: readonly TextEdit[], text: string) {
  const lines = LineIndex.of(text, document);
  const spans = edits.flatMap(({ range, newText }) => {
    const span = spanOf(text, lines, range, encoding);
    return span === undefined ? [] : [{ ...span, insert: newText }];
  });
  return spans.length === edits.length ? spans : undefined;
}
