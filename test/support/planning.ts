/** Plans batches on texts in memory, for laws: the documents are the whole world. */
import type { BatchOptions, EditOperation } from "../../server/plan/operation.js";
import type { Planned } from "../../server/plan/outcome.js";
import { planBatch } from "../../server/plan/plan.js";
import type { Document, Snapshot, Target } from "../../server/plan/snapshot.js";
import { toEnd } from "../../server/text/lines.js";

/** An edit with only what matters to a law; the path is `a` where none is given. */
export type SentEdit = { readonly oldText: string; readonly newText: string } & Partial<
  Omit<EditOperation, "kind" | "index">
>;

/** An open document at `file:///w/<path>` that exists. */
export function documentAt(path: string, text: string, more: Partial<Document> = {}): Document {
  return {
    uri: `file:///w/${path}`,
    path,
    version: 1,
    text,
    exists: true,
    bom: false,
    bomSynced: false,
    loneCrEndsLine: true,
    ...more,
  };
}

/** What planning the edits on the documents gives; sequential, lenient and all or nothing unless said otherwise. */
export function planOn(
  documents: readonly Document[],
  edits: readonly SentEdit[],
  options: Partial<BatchOptions> = {},
): Planned {
  const operations = edits.map(
    (edit, index): EditOperation => ({ kind: "edit", path: "a", replaceAll: false, ...edit, index }),
  );
  return toEnd(
    planBatch(operations, snapshotOf(documents), {
      atomic: "all",
      order: "sequential",
      lenient: true,
      overwrite: false,
      ...options,
    }),
  );
}

/** A snapshot in which each document is found by its path. */
export function snapshotOf(documents: readonly Document[]): Snapshot {
  return {
    targets: new Map(documents.map(({ path, uri }): [string, Target] => [path, { ok: true, uri }])),
    documents: new Map(documents.map((document) => [document.uri, document])),
  };
}

/** The text of a document after a plan: its own where the plan failed or left it alone. */
export function textAfter(planned: Planned, document: Document): string {
  const file = planned.ok ? planned.files.find((one) => one.document.uri === document.uri) : undefined;
  return file?.text ?? document.text;
}
