/** Brings the changes that another program has made to a file into the editor's document. */
import { compareTexts } from "../../match/compareTexts.js";
import type { FileUpdate } from "../../plan/outcome.js";
import type { ChangeSet } from "../../text/changeSet.js";
import { withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { LineIndex } from "../../text/lines.js";
import type { OpenDocument } from "../../workspace/documents.js";
import { readTextFile } from "../../workspace/files.js";
import { askOnce } from "../apply/confirm.js";
import { changeTexts } from "../apply/steps/text.js";
import { clientRequests, type PlaceLines } from "../protocol.js";
import { type Session, within } from "../session.js";
import { createCancelSource } from "../wire/rpc.js";
import { anotherProgram, diskLog, diskSentences } from "./sentences.js";

/** A merge that is to be made. */
export interface MergeJob {
  /** The canonical path of the file. */
  readonly path: string;
  /** The path as the user reads it. */
  readonly name: string;
  readonly document: OpenDocument;
  /** The changes to the document's text, without its byte order mark. */
  readonly change: ChangeSet;
  /** SHA-256, in hex, of the bytes that were merged. */
  readonly hash: string;
  /** Name of the agent that wrote the file; `undefined` if nobody knows who did. */
  readonly writer: string | undefined;
}

/** Changes the document in one step, and has the file treated as read. `moved`: the text changed before. */
export async function mergeIntoEditor(session: Session, job: MergeJob): Promise<"merged" | "moved" | "refused"> {
  const { path, name, document, change, hash } = job;
  if (!change.isEmpty) {
    const context = { session, options: { label: diskSentences.label(name) }, places: new Map() };
    const [result] = await changeTexts(context, [toUpdate(job)]);
    const kind = result?.outcome.kind ?? "refused";
    if (kind === "moved") return "moved";
    if (kind !== "verified") {
      session.log("warn", diskLog.notMerged(document.uri, kind));
      return "refused";
    }
  }
  const again = await readTextFile(path);
  // What was written since is merged next.
  if (again.kind === "text" && again.hash === hash) void adopt(session, document.uri, hash);
  return "merged";
}

/** A text, without its byte order mark, and the places that a merge has changed in it. */
export interface MergedText {
  readonly text: string;
  readonly spans: readonly { readonly from: number; readonly to: number }[];
}

/** Returns the new text that changes make of a document. */
export function mergedText({ text }: OpenDocument, change: ChangeSet): MergedText {
  const spans = change.changes.map(({ from, insert }) => {
    const start = change.mapPos(from, "before");
    return { from: start, to: start + insert.length };
  });
  return { text: change.apply(withoutMark(text)), spans };
}

/** Returns the lines, 1-based, at which a document has what was merged into it, whatever was typed since. */
export function linesOf({ text, spans }: MergedText, document: OpenDocument): readonly PlaceLines[] {
  const now = withoutMark(document.text);
  const since = compareTexts(text, now);
  const lines = LineIndex.of(now, document);
  return spans.map(({ from, to }) => {
    const start = since.mapPos(from, "after");
    const end = Math.max(start, since.mapPos(to, "before") - 1);
    return { startLine: lines.lineAt(start) + 1, endLine: lines.lineAt(end) + 1 };
  });
}

/** Asks the user whether to merge, with the diff of the document. */
export async function agreesToMerge(session: Session, job: MergeJob): Promise<boolean> {
  const options = { label: diskSentences.question(job.name), confirm: true };
  const asking = {
    session,
    options,
    token: createCancelSource().token,
    caller: { name: job.writer ?? anotherProgram },
  };
  const consent = await session.askInTurn(() => askOnce(asking, { files: [toUpdate(job)], asks: [] }));
  return consent === "yes";
}

function toUpdate({ name, document, change }: MergeJob): FileUpdate {
  const { uri, version, loneCrEndsLine } = document;
  const text = withoutMark(document.text);
  const bomSynced = text !== document.text;
  return {
    kind: "update",
    document: { uri, path: name, version, text, exists: true, bom: bomSynced, bomSynced, loneCrEndsLine },
    change,
    text: change.apply(text),
    overwritten: false,
    edits: 1,
    operations: [],
  };
}

/** Has the editor treat the file as read. If it can't, it asks the user at the next save, as it would without this. */
export async function adopt(session: Session, uri: string, hash: string): Promise<void> {
  const answer = session.connection.sendRequest(clientRequests.adoptDiskText, { uri, hash }).then(
    (result) => Object(result).adopted === true,
    () => false,
  );
  const isAdopted = await within(answer, limits.showMs, false);
  if (!isAdopted) session.log("info", diskLog.notAdopted(uri));
}
