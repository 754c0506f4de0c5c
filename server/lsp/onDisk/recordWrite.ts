/** Records what an agent has written to an open file with a tool of its own, as if it were a call. */
import type { WriterNote } from "../../disk/writers.js";
import { compareTexts } from "../../match/compareTexts.js";
import { diffOf } from "../../plan/diff.js";
import { asUpdate } from "../../plan/outcome.js";
import type { OpenDocument } from "../../workspace/documents.js";
import { recordApplied } from "../apply/recordApplied.js";
import type { Session } from "../session.js";
import { diskSentences } from "./sentences.js";

/** What was written to a file. The texts are the document's, without a byte order mark. */
interface Write {
  readonly before: string;
  readonly after: string;
  /** The agent whose hook has said that it writes the file, or that its command ran at this time. */
  readonly writer: WriterNote["by"];
  /** `true` if a command has written the file, so that the agent does not know the text. */
  readonly isUnread: boolean;
}

/** Records that a document has got what an agent has written to its file, if the changes of agents are reviewed. */
export function recordWrite(
  session: Session,
  { name, document }: { readonly name: string; readonly document: OpenDocument },
  { before, after, writer, isUnread }: Write,
): void {
  if (session.review?.isOn !== true) return;
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
  const id = session.history.newId();
  const steps = [{ kind: "text", file }] as const;
  recordApplied(session, {
    id,
    label: diskSentences.written(name),
    steps,
    caller: writer,
    counts: [{ uri, added, removed }],
    isUnread,
  });
}
