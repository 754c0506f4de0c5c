/** The calls that were carried out on disk without an editor, and whose old files are kept so that they can be undone. */
import { relative, sep } from "node:path";
import { userWorkspace } from "../../disk/diskWorkspace.js";
import { type KeptBatch, type KeptChange, markUndone, readKept } from "../../disk/keptBatches.js";
import type { Failure } from "../../plan/failure.js";
import type { FileChange } from "../../plan/outcome.js";
import type { Document } from "../../plan/snapshot.js";
import { ChangeSet, shrink } from "../../text/changeSet.js";
import { type KeptFile, removeEmpty } from "../../workspace/fileBackup.js";
import { decodeBytes, hashOf } from "../../workspace/files.js";
import { canonicalFolders, createResolver } from "../../workspace/paths.js";
import { isInside, uriOfPath } from "../../workspace/pathText.js";
import { staleProblems } from "../../workspace/sentences.js";
import type { AppliedStep, Transaction } from "../history.js";
import { undoFailures } from "../sentences.js";
import { type Session, worldOf } from "../session.js";

/** A kept call. Its steps are rebuilt from the copies only when it is undone. */
export interface KeptCall extends Omit<Transaction, "steps"> {
  /** Returns the steps, or the failure if the call can't be undone in this session's folders. */
  readSteps(): Promise<{ readonly ok: true; readonly steps: readonly AppliedStep[] } | { ok: false; failure: Failure }>;
}

/** Returns the kept calls in a session's folders, and those whose files are only partly in these, oldest first. */
export async function keptCalls(session: Session): Promise<readonly KeptCall[]> {
  const folders = canonicalFolders(worldOf(session, undefined));
  const { batches, problems } = readKept(userWorkspace(folders));
  for (const problem of problems) session.log("warn", problem);
  const touches = (path: string): boolean => folders.some((folder) => isInside(folder, path));
  return batches.filter(({ paths }) => paths.some(touches)).map((batch) => toCall(session, batch, folders));
}

/** Notes that a kept call has been undone. */
export async function forgetKept(id: string): Promise<void> {
  markUndone(userWorkspace([]), id);
}

function toCall(session: Session, batch: KeptBatch, folders: readonly string[]): KeptCall {
  const { id, label, at, by, files, paths, changed, directories } = batch;
  const nameOf = (path: string): string => shownName(folders, path);
  return {
    id,
    label,
    at,
    caller: by,
    files: changed.map(nameOf),
    isUndone: files === undefined,
    async readSteps() {
      if (!batch.isInside) return { ok: false, failure: undoFailures.elsewhere(id, batch.folder) };
      // Another program may have changed the copies, so their paths are checked like those of any call.
      const resolver = createResolver(worldOf(session, undefined));
      for (const path of paths) {
        const resolved = await resolver.resolve(path);
        if (!resolved.ok) return resolved;
        if (resolved.place.file !== path) {
          return { ok: false, failure: undoFailures.conflict(nameOf(path), staleProblems.fileChanged) };
        }
      }
      const [first, ...rest] = toSteps(session, files ?? [], nameOf);
      if (first === undefined) return { ok: true, steps: [] };
      return { ok: true, steps: [{ ...first, tidy: () => removeEmpty(directories.toReversed()) }, ...rest] };
    },
  };
}

/** Returns a path as answers show it: relative to its folder, with `/`; otherwise as it is. */
function shownName(folders: readonly string[], path: string): string {
  const folder = folders.find((one) => isInside(one, path));
  return folder === undefined ? path : relative(folder, path).split(sep).join("/");
}

/** Rebuilds the steps of a call from the bytes of its files. */
export function toSteps(
  session: Session,
  changes: readonly KeptChange[],
  nameOf: (path: string) => string,
): readonly AppliedStep[] {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const moved = new Set(changes.map(({ movedFrom }) => movedFrom));
  const all = changes.flatMap((change): AppliedStep[] => {
    const { path, before, after, movedFrom } = change;
    const from = movedFrom === undefined ? change : byPath.get(movedFrom);
    const document = documentOf(session, from ?? change, nameOf);
    const steps: AppliedStep[] = [];
    if (before !== undefined && !moved.has(path) && (after === undefined || movedFrom !== undefined)) {
      const own = documentOf(session, change, nameOf);
      const kept: KeptFile = { path, bytes: before.bytes, hash: before.hash, mode: before.mode };
      steps.push({ kind: "delete", file: { kind: "delete", ...unchanged(own) }, kept });
    }
    if (after === undefined) return steps;
    const text = textOf(after.bytes).text;
    const edit = ChangeSet.of(
      document.text.length,
      shrink(document.text, { from: 0, to: document.text.length, insert: text }),
    );
    const common = { document, change: edit, text, edits: 1, operations: [], overwritten: false };
    if (!document.exists) return [...steps, { kind: "create", file: { kind: "create", ...common } }];
    const target = { uri: uriOfPath(path), path: nameOf(path) };
    const file: FileChange =
      movedFrom === undefined ? { kind: "update", ...common } : { kind: "rename", ...common, target };
    if (!edit.isEmpty) steps.push({ kind: "text", file });
    return movedFrom === undefined ? steps : [...steps, { kind: "rename", file }];
  });
  // The order in which an editor would have performed them.
  return (["text", "create", "rename", "delete"] as const).flatMap((kind) => all.filter((step) => step.kind === kind));
}

const unchanged = (document: Document) => ({
  document,
  change: ChangeSet.none(document.text.length),
  text: document.text,
  edits: 1,
  operations: [],
});

/** Returns the document that a file was before the call. */
function documentOf({ facts }: Session, { path, before }: KeptChange, nameOf: (path: string) => string): Document {
  const { text, bom, isBinary } = textOf(before?.bytes ?? Buffer.alloc(0));
  return {
    uri: uriOfPath(path),
    path: nameOf(path),
    version: null,
    text,
    exists: before !== undefined,
    bom,
    bomSynced: false,
    loneCrEndsLine: facts.loneCrEndsLine,
    hash: before && hashOf(before.bytes),
    ...(isBinary ? { isBinary } : {}),
  };
}

function textOf(bytes: Buffer): { readonly text: string; readonly bom: boolean; readonly isBinary?: true } {
  const decoded = decodeBytes(bytes);
  return decoded.ok ? decoded : { text: "", bom: false, isBinary: true };
}
