/** Runs a case on the core alone: the files in memory are the snapshot, and nothing is read, resolved or sent. */
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { type Decoded, decodeCall } from "../../server/dialect/decode.js";
import { diffOf } from "../../server/plan/diff.js";
import { type Failure, pathFailures } from "../../server/plan/failure.js";
import type { Operation } from "../../server/plan/operation.js";
import { planBatch, runPlan } from "../../server/plan/plan.js";
import type { Document, DocumentUri, Snapshot, Target } from "../../server/plan/snapshot.js";
import type { Case, CaseFile } from "./cases.js";
import { decodeFile } from "./editorFiles.js";
import type { Seen } from "./outcome.js";

/** What the core made of a case. */
export interface CoreRun {
  readonly seen: Seen;
  /** Texts after the batch by path, without byte order marks: of the files that change. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Decodes and plans a case's call. */
export function runCore(one: Case): CoreRun {
  const decoded = decodeCall(one.request, { optionsAllowed: true });
  if (!decoded.ok) return failed(decoded.failures);
  const planned = runPlan(
    planBatch(decoded.operations, snapshotOf(one, decoded.operations), {
      atomic: decoded.options.atomic ?? "all",
      order: decoded.options.order ?? decoded.defaultOrder,
      lenient: decoded.options.lenient ?? true,
      overwrite: decoded.options.overwrite ?? false,
    }),
  );
  if (!planned.ok)
    return { ...failed(planned.failures), seen: { ...failed(planned.failures).seen, edits: planned.outcomes } };
  return {
    seen: {
      diff: planned.files.map((file) => diffOf(file).text).join(""),
      failures: planned.outcomes.flatMap(({ failure }) => (failure === undefined ? [] : [failure])),
      edits: planned.outcomes,
      warnings: [...warningsOf(decoded), ...planned.warnings],
    },
    texts: new Map(planned.files.map(({ document, text }) => [document.path, text])),
  };
}

const failed = (failures: readonly Failure[]): CoreRun => ({
  seen: { failures, edits: [], warnings: [] },
  texts: new Map(),
});

const warningsOf = (decoded: Decoded): readonly string[] => (decoded.ok ? decoded.warnings : []);

function snapshotOf(one: Case, operations: readonly Operation[]): Snapshot {
  const targets = new Map<string, Target>();
  const documents = new Map<DocumentUri, Document>();
  const files = new Map(one.files.map((file) => [file.path, file]));
  for (const operation of operations) {
    const path = pathOf(operation.path, one);
    const file = files.get(path);
    const uri = `file:///project/${path}`;
    if (targets.has(operation.path)) continue;
    if (file === undefined && !documents.has(uri) && !(operation.kind === "edit" && operation.oldText === "")) {
      targets.set(operation.path, { ok: false, failure: pathFailures.fileNotFound(operation.path, []) });
      continue;
    }
    targets.set(operation.path, { ok: true, uri });
    if (!documents.has(uri)) documents.set(uri, documentOf(uri, path, file));
  }
  return { targets, documents };
}

/** The few spellings that pages use: absolute ones, an at sign in front, dots, links. */
function pathOf(sent: string, one: Case): string {
  const absolute = sent.startsWith("file:") ? fileURLToPath(sent) : sent;
  const path = posix.normalize(absolute.replace(/^\/project\//, ""));
  const named = path.startsWith("@") && !one.files.some((file) => file.path === path) ? path.slice(1) : path;
  return one.links.get(named) ?? named;
}

function documentOf(uri: DocumentUri, path: string, file: CaseFile | undefined): Document {
  const synced = file?.synced;
  const disk = file?.disk === undefined ? undefined : decodeFile(file.disk);
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
  };
}
