/** Records what an agent has written to an open file with a tool of its own, as if it were a call. */
import { writerOf } from "../../disk/writers.js";
import { compareTexts } from "../../match/compareTexts.js";
import { diffOf } from "../../plan/diff.js";
import { asUpdate } from "../../plan/outcome.js";
import type { OpenDocument } from "../../workspace/documents.js";
import { recordApplied } from "../apply/recordApplied.js";
import type { Session } from "../session.js";
import { diskSentences } from "./sentences.js";

/** The notes that have been used, by session and path: each is for one write. */
const used = new WeakMap<Session, Map<string, number>>();

/**
 * Records that a document has got what was written to its file, if an agent's hook has said that it writes it. `before` and
 * `after`: the document's text, without a byte order mark.
 */
export function recordWrite(
  session: Session,
  { path, name, document }: { readonly path: string; readonly name: string; readonly document: OpenDocument },
  before: string,
  after: string,
): void {
  if (session.review?.isOn !== true || before === after) return;
  const note = writerOf(path);
  const ofSession = used.get(session) ?? new Map<string, number>();
  used.set(session, ofSession);
  if (note === undefined || ofSession.get(path) === note.at) return;
  ofSession.set(path, note.at);
  const { uri, version, loneCrEndsLine } = document;
  const flags = { exists: true, bom: false, bomSynced: false, loneCrEndsLine };
  const source = { uri, path: name, version, text: before, ...flags };
  const file = asUpdate({
    document: source,
    change: compareTexts(before, after),
    text: after,
    edits: 1,
    operations: [],
  });
  const { added, removed } = diffOf(file);
  const { name: agent, ...by } = note.by;
  const caller = { name: agent, ...(by.version && { version: by.version }), ...(by.agent && { agent: by.agent }) };
  const id = session.history.newId();
  const steps = [{ kind: "text", file }] as const;
  recordApplied(session, { id, label: diskSentences.written(name), steps, caller, counts: [{ uri, added, removed }] });
}
