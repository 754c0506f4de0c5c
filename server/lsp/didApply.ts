/** Tells the client what was applied, so that a plugin can show it or follow it. */
import type { Range } from "vscode-languageserver/node";
import type { FileChange } from "../plan/outcome.js";
import type { Document } from "../plan/snapshot.js";
import { LineIndex } from "../text/lines.js";
import { withoutMark } from "../workspace/files.js";
import { nameAfter } from "./fileSteps.js";
import { ascendingPositions } from "./positions.js";
import { type DidApplyParams, notifications } from "./protocol.js";
import { announcedBy, openAt, type Session } from "./session.js";
import { inverseOf } from "./textSteps.js";
import type { AppliedStep } from "./transactions.js";

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
  const open = openAt(session, nameAfter(file));
  const version = open?.version ?? null;
  const uri = open?.uri ?? nameAfter(file);
  const text = open === undefined ? file.text : withoutMark(open.text);
  const document: Document = { ...file.document, text, bomSynced: open !== undefined && text !== open.text };
  return { uri, version, ranges: rangesOf(session, file, document) };
}

/** The places of what was written, which are those that taking it back would replace; none where they can't be told. */
function rangesOf(session: Session, file: FileChange, now: Document): Range[] {
  const inverse = inverseOf(session, file, now);
  if (!inverse.ok) return [];
  const mark = now.bomSynced ? "\uFEFF" : "";
  const text = mark + now.text;
  const positionAt = ascendingPositions(text, LineIndex.of(text, now), session.encoding);
  return inverse.change.change.changes.map(({ from, to }) => ({
    start: positionAt(from + mark.length),
    end: positionAt(to + mark.length),
  }));
}
