/** Tells the client what was applied, so that a plugin can show it or follow it. */

import type { Range } from "vscode-languageserver/node";
import { type FileChange, nameAfter } from "../../plan/outcome.js";
import { withoutMark } from "../../text/chars.js";
import { LineIndex } from "../../text/lines.js";
import { ascendingPositions } from "../edit/positions.js";
import type { AppliedStep } from "../history.js";
import { type DidApplyParams, notifications } from "../protocol.js";
import { announcedBy, openAt, type Session } from "../session.js";
import { inverseOf } from "./textSteps.js";

/** What is told of. */
export interface Told {
  readonly transaction: string;
  readonly label: string;
  readonly steps: readonly AppliedStep[];
}

/** Sends `multiEdit/didApply` to who does not mind; files that were deleted are left out. */
export function tellApplied(session: Session, { transaction, label, steps }: Told): void {
  const files = [...new Set(steps.map(({ file }) => file))].filter(({ kind }) => kind !== "delete");
  const params: DidApplyParams = { transaction, label, files: files.map((file) => placeOf(session, file)) };
  if (session.facts.warnsOfUnknown && announcedBy(session).didApply !== true) return;
  session.connection.sendNotification(notifications.didApply, params).catch(() => undefined);
}

/** Where the new text stands in the text that the editor has synced last; typed on meanwhile, it is where that left it. */
function placeOf(session: Session, file: FileChange): DidApplyParams["files"][number] {
  const { uri } = nameAfter(file);
  const open = openAt(session, uri);
  const text = open === undefined ? file.text : withoutMark(open.text);
  const version = open?.version ?? null;
  const inverse = inverseOf(session, file, { ...file.document, text, version });
  if (!inverse.ok) return { uri: open?.uri ?? uri, version, ranges: [] };
  const lines = open?.lines ?? LineIndex.of(text, file.document);
  const mark = lines.text.length - text.length;
  const positionAt = ascendingPositions(lines.text, lines, session.encoding);
  // The places of what was written are those that taking it back would replace.
  const ranges = inverse.change.change.changes.map(
    ({ from, to }): Range => ({ start: positionAt(from + mark), end: positionAt(to + mark) }),
  );
  return { uri: open?.uri ?? uri, version, ranges };
}
