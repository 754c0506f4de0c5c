/** The whole files that calls have created, renamed or deleted: how they are undone, and what is kept of them. */
import * as v from "valibot";
import { nameAfter } from "../../plan/outcome.js";
import { isThere, type KeptFile, keepFile } from "../../workspace/fileBackup.js";
import { decodeBytes, hashOf } from "../../workspace/files.js";
import { createResolver } from "../../workspace/paths.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { toSteps } from "../apply/keptCalls.js";
import type { AppliedStep } from "../history.js";
import { nameFor } from "../onDisk/reports.js";
import { type Session, worldOf } from "../session.js";
import type { ReviewedFile } from "./item.js";
import { keyOf } from "./texts.js";

/** A whole file as it is kept for the next session. */
export const keptFile = v.object({
  ...{ id: v.string(), uri: v.string(), oldUri: v.optional(v.string()), call: v.string() },
  kind: v.picklist(["create", "rename", "delete"]),
  /** SHA-256 of the bytes that the file has; of a deleted file, that it had. */
  hash: v.string(),
  /** The deleted file, its bytes in base64. */
  deleted: v.optional(v.object({ bytes: v.string(), mode: v.number() })),
});

type KeptWhole = v.InferOutput<typeof keptFile>;

/** Returns the steps that made what a call did to a file as a whole; none if they are no longer known. */
export function stepsOf(session: Session, { call, kind, uri, steps }: ReviewedFile): readonly AppliedStep[] {
  const made = steps ?? session.history.transactions.find(({ id }) => id === call)?.steps ?? [];
  return made.filter((step) => step.kind === kind && keyOf(nameAfter(step.file).uri) === keyOf(uri));
}

/** Notes by which bytes a file will be known after a restart, if there is no unsaved text. Resolves with `true` if it did. */
export async function proveFile(session: Session, file: ReviewedFile): Promise<boolean> {
  const [step] = stepsOf(session, file);
  const path = pathOfSyncedUri(file.uri);
  if (file.proof !== undefined || step === undefined || path === undefined) return false;
  const isDeletion = file.kind === "delete";
  if (isDeletion && step.file.document.onDisk === "differs") return false;
  const kept = isDeletion ? step.kept : await presentFile(path);
  const read = file.kind === "create" && kept !== undefined ? decodeBytes(kept.bytes) : undefined;
  if (kept === undefined || (read !== undefined && !(read.ok && read.text === step.file.text))) return false;
  file.proof = { hash: kept.hash, ...(isDeletion ? { deleted: kept } : {}) };
  return true;
}

/** Returns what is kept of the files that wait for review. */
export const toKept = (files: readonly ReviewedFile[]): KeptWhole[] =>
  files.flatMap(({ id, uri, oldUri, call, kind, state, proof }) => {
    if (state !== "pending" || proof === undefined) return [];
    const { hash, deleted } = proof;
    const bytes = deleted && { bytes: deleted.bytes.toString("base64"), mode: deleted.mode };
    return [{ id, uri, oldUri, call, kind, hash, ...(bytes === undefined ? {} : { deleted: bytes }) }];
  });

/** Returns the kept files that are as they were then, with the steps that undo them. */
export async function fromKept(session: Session, kept: readonly KeptWhole[]): Promise<ReviewedFile[]> {
  const found = await Promise.all(kept.map((one) => restored(session, one)));
  return found.flatMap((file) => file ?? []);
}

async function restored(session: Session, kept: KeptWhole): Promise<ReviewedFile | undefined> {
  const { id, uri, oldUri, call, kind, hash, deleted } = kept;
  const [path, oldPath] = [pathOfSyncedUri(uri), oldUri === undefined ? undefined : pathOfSyncedUri(oldUri)];
  const left = kind === "delete" ? path : oldPath;
  if (path === undefined || (kind === "rename") !== (oldPath !== undefined)) return undefined;
  // Another program may have changed what is kept, so its paths are checked like those of any call.
  const resolver = createResolver(worldOf(session, undefined));
  for (const name of [path, oldPath]) {
    const resolved = name === undefined ? undefined : await resolver.resolve(name);
    if (resolved !== undefined && !(resolved.ok && resolved.place.file === name)) return undefined;
  }
  if (left !== undefined && (await isThere(left))) return undefined;
  const bytes = deleted && Buffer.from(deleted.bytes, "base64");
  const file = bytes ? { path, bytes, hash: hashOf(bytes), mode: deleted.mode } : await presentFile(path);
  if (file?.hash !== hash || (kind === "delete") !== (bytes !== undefined)) return undefined;
  const [absent, none] = [
    { before: undefined, movedFrom: undefined },
    { after: undefined, movedFrom: undefined },
  ];
  const changes = {
    create: [{ path, ...absent, after: file }],
    delete: [{ path, ...none, before: file }],
    rename: [
      { path: oldPath ?? "", ...none, before: file },
      { path, ...absent, after: file, movedFrom: oldPath },
    ],
  };
  const steps = toSteps(session, changes[kind], (name) => nameFor(session, name));
  return { id, uri, oldUri, call, kind, state: "pending", steps, proof: { hash, ...(bytes ? { deleted: file } : {}) } };
}

/** Returns a file as it is on disk; `undefined` if there is none, or it can't be read. */
async function presentFile(path: string): Promise<KeptFile | undefined> {
  const keeping = await keepFile(path, path);
  return keeping.kind === "kept" ? keeping.file : undefined;
}
