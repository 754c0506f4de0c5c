/**
 * Runs a case on the core alone: the snapshot is made of files in memory, and nothing is read from disk, resolved or
 * sent.
 */
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { type DecodedCall, decodeCall } from "../../server/dialect/decode.js";
import { diffOf } from "../../server/plan/diff.js";
import type { Failure } from "../../server/plan/failure.js";
import { type Operation, pathsOf } from "../../server/plan/operation.js";
import { freeingFirst, nameAfter } from "../../server/plan/outcome.js";
import { planBatch } from "../../server/plan/plan.js";
import type { Document, DocumentUri, Snapshot, Target } from "../../server/plan/snapshot.js";
import { toEnd } from "../../server/text/lines.js";
import { pathFailures } from "../../server/workspace/sentences.js";
import type { Case, CaseFile } from "./cases.js";
import { decodeFile } from "./editorFiles.js";
import type { Seen } from "./outcome.js";
import { viewsOf } from "./past.js";

/** The outcome of a case on the core. */
export interface CoreRun {
  readonly seen: Seen;
  /** Texts of the changed files after the batch, without byte order marks, keyed by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Paths of files that were deleted or renamed away, unless the path is in `texts`. */
  readonly gone: readonly string[];
}

/** Decodes and plans a case's call. */
export function runCore(one: Case): CoreRun {
  const decoded = decodeCall(one.request, { optionsAllowed: true });
  if (!decoded.ok) return failed(decoded.failures);
  const planned = toEnd(
    planBatch(decoded.operations, snapshotOf(one, decoded.operations), {
      atomic: decoded.options.atomic ?? "all",
      order: decoded.options.order ?? decoded.defaultOrder,
      lenient: decoded.options.lenient ?? true,
      overwrite: (decoded.options.overwrite ?? false) !== false,
      allowOmissions: decoded.options.allowOmissions,
      ...decoded.rules,
    }),
  );
  if (!planned.ok)
    return { ...failed(planned.failures), seen: { ...failed(planned.failures).seen, edits: planned.outcomes } };
  return {
    seen: {
      diff: freeingFirst(planned.files)
        .ordered.map((file) => diffOf(file).text)
        .join(""),
      failures: planned.outcomes.flatMap(({ failure }) => (failure === undefined ? [] : [failure])),
      edits: planned.outcomes,
      warnings: [...warningsOf(decoded), ...planned.warnings],
    },
    texts: new Map(
      planned.files.filter(({ kind }) => kind !== "delete").map((file) => [nameAfter(file).path, file.text]),
    ),
    gone: planned.files
      .filter(({ kind }) => kind === "delete" || kind === "rename")
      .map(({ document }) => document.path),
  };
}

const failed = (failures: readonly Failure[]): CoreRun => ({
  seen: { failures, edits: [], warnings: [] },
  texts: new Map(),
  gone: [],
});

const warningsOf = (decoded: DecodedCall): readonly string[] => (decoded.ok ? decoded.warnings : []);

function snapshotOf(one: Case, operations: readonly Operation[]): Snapshot {
  const targets = new Map<string, Target>();
  const documents = new Map<DocumentUri, Document>();
  const files = new Map(one.files.map((file) => [file.path, file]));
  const uses = operations.flatMap(pathsOf).map((use) => ({ ...use, own: pathOf(use.path, one) }));
  for (const { path: sent, own } of uses) {
    if (targets.has(sent)) continue;
    const file = files.get(own);
    const uri = `file:///project/${own}`;
    const needs = uses.filter((use) => use.own === own).map(({ need }) => need);
    // An edit creates a file only if it is the first edit of that file; a patch may add a file that an earlier section
    // names.
    const counted = operations[0]?.kind === "edit" ? needs.slice(0, 1) : needs;
    if (file === undefined && !counted.some((need) => need === "create" || need === "name")) {
      targets.set(sent, { ok: false, failure: pathFailures.fileNotFound(sent, []) });
      continue;
    }
    targets.set(sent, { ok: true, uri });
    const mayBeBinary = needs.every((need) => need === "file" || need === "name");
    if (!documents.has(uri)) documents.set(uri, documentOf(uri, own, file, { mayBeBinary }));
  }
  return { targets, documents };
}

/** Resolves only the kinds of paths that occur on pages: absolute paths, a leading `@`, dots and links. */
function pathOf(sent: string, one: Case): string {
  const absolute = sent.startsWith("file:") ? fileURLToPath(sent) : sent;
  const path = posix.normalize(absolute.replace(/^\/project\//, ""));
  const named = path.startsWith("@") && !one.files.some((file) => file.path === path) ? path.slice(1) : path;
  return one.links.get(named) ?? named;
}

function documentOf(
  uri: DocumentUri,
  path: string,
  file: CaseFile | undefined,
  { mayBeBinary }: { readonly mayBeBinary: boolean },
): Document {
  const synced = file?.synced;
  const bytes = file?.disk;
  const isBinary = mayBeBinary && synced === undefined && bytes !== undefined && !isText(bytes);
  const disk = bytes === undefined || isBinary ? undefined : decodeFile(bytes);
  const text = synced ?? disk?.text ?? "";
  const bomSynced = synced?.startsWith("\ufeff") ?? false;
  return {
    uri,
    path,
    version: synced === undefined ? null : 1,
    text: bomSynced ? text.slice(1) : text,
    exists: file !== undefined,
    bom: file?.bom ?? false,
    bomSynced,
    loneCrEndsLine: true,
    ...(isBinary ? { isBinary } : {}),
    ...(synced === undefined || disk === undefined ? {} : { onDisk: disk.text === text ? "same" : "differs" }),
    ...(file === undefined || file.bom ? {} : { views: viewsOf(file) }),
  };
}

function isText(bytes: Buffer): boolean {
  try {
    return !decodeFile(bytes).text.includes("\0");
  } catch {
    return false;
  }
}
