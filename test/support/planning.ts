/** Plans batches against texts in memory, for testing laws; no other documents exist. */
import type { BatchOptions, EditOperation } from "../../server/plan/operation.js";
import type { Planned } from "../../server/plan/outcome.js";
import { planBatch } from "../../server/plan/plan.js";
import type { Document, Snapshot, Target } from "../../server/plan/snapshot.js";
import { toEnd } from "../../server/text/lines.js";

/** An edit with only the fields that the laws need; the default path is `a`. */
export type SentEdit = { readonly oldText: string; readonly newText: string } & Partial<
  Omit<EditOperation, "kind" | "index">
>;

/** An open document at `file:///w/<path>` whose file exists. */
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

/** Plans the edits against the documents; the defaults are sequential order, lenient matching, and all or nothing. */
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

/** A snapshot in which each document's path resolves to the document. */
export function snapshotOf(documents: readonly Document[]): Snapshot {
  return {
    targets: new Map(documents.map(({ path, uri }): [string, Target] => [path, { ok: true, uri }])),
    documents: new Map(documents.map((document) => [document.uri, document])),
  };
}

/** The text of a document after a plan: unchanged if the plan failed or did not touch the document. */
export function textAfter(planned: Planned, document: Document): string {
  const file = planned.ok ? planned.files.find((one) => one.document.uri === document.uri) : undefined;
  return file?.text ?? document.text;
}
