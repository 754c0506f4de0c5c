/**
 * Applies patches to files in memory with the core alone: no editor has them open, and nothing is resolved or written.
 */
import { posix } from "node:path";
import { decodeCall } from "../../server/dialect/decode.js";
import type { Failure } from "../../server/plan/failure.js";
import { type Operation, pathsOf } from "../../server/plan/operation.js";
import { type FileChange, nameAfter, type Planned } from "../../server/plan/outcome.js";
import { planBatch } from "../../server/plan/plan.js";
import type { Document, DocumentUri, Snapshot, Target } from "../../server/plan/snapshot.js";
import { toEnd } from "../../server/text/lines.js";
import { fileProblems, pathFailures } from "../../server/workspace/sentences.js";

/** Files, keyed by path; a string is the whole text of a UTF-8 file, including its byte order mark. */
export type PatchedFiles = ReadonlyMap<string, string | Uint8Array>;

/** The outcome of a patch. */
export interface PatchRun {
  /** The plan; `undefined` if the patch could not be decoded. */
  readonly planned: Planned | undefined;
  /** The failures; empty if the patch was applied. */
  readonly failures: readonly Failure[];
  /** All files after the patch; if the patch failed, the original files. */
  readonly files: PatchedFiles;
}

/** Parses a patch, plans it against the files, and applies the plan to them. */
export function planPatch(files: PatchedFiles, patch: string, options: { readonly lenient?: boolean } = {}): PatchRun {
  const decoded = decodeCall({ patch, options }, { optionsAllowed: true });
  if (!decoded.ok) return { planned: undefined, failures: decoded.failures, files };
  const planned = toEnd(
    planBatch(decoded.operations, snapshotOf(files, decoded.operations), {
      atomic: "all",
      order: decoded.defaultOrder,
      lenient: decoded.options.lenient ?? true,
      overwrite: false,
      ...decoded.rules,
    }),
  );
  if (!planned.ok) return { planned, failures: planned.failures, files };
  return { planned, failures: [], files: filesAfter(files, planned.files) };
}

/** Reports whether a file is not text. */
const isBinary = (content: string | Uint8Array | undefined): boolean =>
  content !== undefined && (typeof content !== "string" || content.includes("\0"));

function snapshotOf(files: PatchedFiles, operations: readonly Operation[]): Snapshot {
  const targets = new Map<string, Target>();
  const documents = new Map<DocumentUri, Document>();
  const uses = operations.flatMap(pathsOf).map((use) => ({ ...use, sent: use.path, path: posix.normalize(use.path) }));
  const asText = new Set(uses.filter(({ need }) => need === "text" || need === "create").map(({ path }) => path));
  for (const { sent, path } of uses) {
    const failure = refusalOf(files, { sent, path, isText: asText.has(path) });
    if (failure !== undefined) {
      targets.set(sent, { ok: false, failure });
      continue;
    }
    const document = documentOf(path, files.get(path));
    targets.set(sent, { ok: true, uri: document.uri });
    documents.set(document.uri, document);
  }
  return { targets, documents };
}

/** The failure that the workspace reports for a path in the patch; `undefined` if it accepts the path. */
function refusalOf(
  files: PatchedFiles,
  { sent, path, isText }: { readonly sent: string; readonly path: string; readonly isText: boolean },
): Failure | undefined {
  const paths = [...files.keys()];
  if (paths.some((file) => file.startsWith(`${path}/`))) return pathFailures.isDirectory(sent);
  if (paths.some((file) => path.startsWith(`${file}/`))) {
    return pathFailures.ioError(sent, fileProblems.system("ENOTDIR"));
  }
  const isRefused = isText && isBinary(files.get(path));
  return isRefused ? pathFailures.unsupportedEncoding(sent, fileProblems.notUtf8()) : undefined;
}

function documentOf(path: string, content: string | Uint8Array | undefined): Document {
  const text = typeof content === "string" && !isBinary(content) ? content : "";
  const bom = text.startsWith("\ufeff");
  return {
    uri: `file:///w/${encodeURI(path)}`,
    path,
    version: null,
    text: bom ? text.slice(1) : text,
    exists: content !== undefined,
    bom,
    bomSynced: false,
    loneCrEndsLine: true,
    ...(isBinary(content) ? { isBinary: true } : {}),
  };
}

/** The files after the changes. All names are freed before any is taken; other tests check the order of the steps. */
function filesAfter(files: PatchedFiles, changes: readonly FileChange[]): PatchedFiles {
  const after = new Map(files);
  for (const { kind, document } of changes) {
    if (kind === "delete" || kind === "rename") after.delete(document.path);
  }
  for (const file of changes) {
    const { kind, document, text } = file;
    if (kind === "delete") continue;
    const bytes = document.isBinary ? files.get(document.path) : undefined;
    after.set(nameAfter(file).path, bytes ?? (document.bom ? `\ufeff${text}` : text));
  }
  return after;
}
