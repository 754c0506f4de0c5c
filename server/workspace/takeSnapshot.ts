/** Takes the snapshot against which a batch is planned, resolving every path and reading every text up front. */
import { type Failed, failed } from "../plan/failure.js";
import { type Operation, pathsOf } from "../plan/operation.js";
import type { Document, DocumentUri, Snapshot, Target } from "../plan/snapshot.js";
import { withoutMark } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { compareWithFile, type FileRead, readTextFile, refuseWrite, type SaveHabits, untilReleased } from "./files.js";
import { gitPrefix, withoutGitPrefix } from "./gitPrefix.js";
import { isLink, mapBounded, type OpenText } from "./identity.js";
import { createResolver, type Resolved, type ResolvedPath, type Resolver, type Scope } from "./paths.js";
import { isInside, pathOfSyncedUri } from "./pathText.js";
import { gitDirectoriesWith, gitParts } from "./protection.js";
import { type FileUse, fileWarnings, pathFailures, pathWarnings } from "./sentences.js";
import type { Trails } from "./trails.js";

/** The scope of a snapshot, with the rules for reading files and for comparing open documents with their files. */
export interface World extends Scope {
  /** `true` if a lone CR ends a line in files that are not open. */
  readonly loneCrEndsLine: boolean;
  /** The differences to ignore when an open document is compared with its file. */
  readonly habits: SaveHabits;
  /** The earlier texts of documents, and the caller whose edits they are for; absent if only present texts count. */
  readonly seen?: { readonly by: string; readonly trails: Trails } | undefined;
}

/** A snapshot, with the resolved paths of its documents. */
export interface WorkspaceSnapshot extends Snapshot {
  readonly places: ReadonlyMap<DocumentUri, ResolvedPath>;
  /** A sentence for each path that was not read as sent, or whose file needs a warning. */
  readonly warnings: readonly string[];
}

/** A document, or the reason it could not be read. */
export type ReadTarget = { readonly ok: true; readonly document: Document; readonly place: ResolvedPath } | Failed;

/** Reads all that the operations name, as it is now. Each path fails for itself, unless there are too many. */
export async function takeSnapshot(operations: readonly Operation[], world: World): Promise<WorkspaceSnapshot> {
  const paths = [...new Set(operations.flatMap(pathsOf).map(({ path }) => path))];
  if (paths.length > limits.filesPerCall) {
    const tooMany = failed(pathFailures.tooManyPaths(paths.length));
    return assemble(new Map(paths.map((path) => [path, tooMany])), [], []);
  }
  const resolver = createResolver(world);
  const resolved = new Map<string, Resolved>(
    await mapBounded(paths, async (path) => [path, await resolver.resolve(path)] as const),
  );
  const warnings: string[] = [];
  for (const path of paths) {
    if (!path.startsWith(gitPrefix)) continue;
    const bare = await withoutGitPrefix(path, resolved.get(path), { operations, resolver });
    if (bare === undefined) continue;
    resolved.set(path, bare);
    warnings.push(pathWarnings.gitPrefix(path, path.slice(gitPrefix.length)));
  }
  const budget = { bytes: 0 };
  const uses = usesOf(operations, resolved);
  const isOneOfFew = uses.length <= few;
  const files = uses.map(({ place }) => place.file ?? "");
  const isGitLike = files.some((file) => gitParts.test(file));
  const protectsGit = isGitLike && world.gates.some(({ names }) => names.byLast.has(".git"));
  const git = protectsGit ? gitDirectoriesWith(files) : [];
  const read = await mapBounded(uses, async (use) => {
    const { unseen } = use.place;
    if (unseen?.isDraft === false) return failed(pathFailures.heldUnseen(use.sent, unseen.uri));
    if (git.some((directory) => isInside(directory, use.place.file ?? ""))) {
      return failed(pathFailures.protectedPath(use.sent, { kind: "refused", why: "git", by: git[0] ?? "" }));
    }
    if (use.leaves && use.hasOtherName) return failed(pathFailures.hasOtherName(use.sent, use.place.path));
    const openAs = use.place.open === undefined ? undefined : pathOfSyncedUri(use.place.open.uri);
    if (use.leaves && (await isLink(openAs))) return failed(pathFailures.hasOtherName(use.sent, openAs ?? ""));
    if (use.leaves && (await isLink(use.place.spelt))) return failed(pathFailures.isLink(use.sent, use.place.path));
    const result = await readDocument({ ...use, resolver, world, budget, isOneOfFew });
    const { open, file } = use.place;
    // Open documents are written by the editor, which knows best whether it can write them.
    if (!result.ok || open !== undefined || file === undefined) return result;
    const failure = await refuseWrite(file, use.sent);
    return failure === undefined ? result : failed(failure);
  });
  const snapshot = assemble(resolved, uses, read);
  return { ...snapshot, warnings: [...warnings, ...snapshot.warnings] };
}

/** Reads the document that a path refers to. If the document does not exist, the failure is `fileNotFound`. */
export async function readTarget(path: string, world: World): Promise<ReadTarget> {
  const resolver = createResolver(world);
  const resolved = await resolver.resolve(path);
  if (!resolved.ok) return resolved;
  const { place } = resolved;
  const use = { place, sent: path, asked: "read", mayCreate: false, mayBeBinary: false } as const;
  const read = await readDocument({ ...use, resolver, world, budget: { bytes: 0 }, isOneOfFew: true });
  return read.ok ? { ...read, place } : read;
}

/** The combined use of one document by all of a batch's operations. */
interface DocumentUse {
  readonly place: ResolvedPath;
  /** The first path in the batch that refers to the document. */
  readonly sent: string;
  /** The kind of the last operation that names the document. */
  readonly asked: FileUse;
  /** `true` if the document may be created, or if another file may be moved to its path. */
  readonly mayCreate: boolean;
  /** `true` if the document will be deleted, renamed, or replaced by another file. */
  readonly leaves: boolean;
  /** `true` if two operations, or an operation and the editor, use different hard links to the file. */
  readonly hasOtherName: boolean;
  /** `true` if no operation needs the text of the existing file, which may then be binary. */
  readonly mayBeBinary: boolean;
}

/** Returns the use of each document, in the order of the operations. */
function usesOf(operations: readonly Operation[], resolved: ReadonlyMap<string, Resolved>): DocumentUse[] {
  const uses = new Map<string, DocumentUse>();
  for (const operation of operations) {
    for (const { path, need } of pathsOf(operation)) {
      const target = resolved.get(path)!;
      if (!target.ok) continue;
      const { identity } = target.place;
      const former = uses.get(identity);
      const isNew = (need === "create" || need === "name") && (former === undefined || operation.kind !== "edit");
      const isMoved = operation.kind === "update" && operation.move !== undefined && need === "text";
      uses.set(identity, {
        place: former?.place ?? target.place,
        sent: former?.sent ?? path,
        asked: operation.kind === "edit" ? "edit" : operation.kind === "delete" ? "deletion" : "section",
        mayCreate: isNew || former?.mayCreate === true,
        leaves: need === "file" || need === "name" || isMoved || former?.leaves === true,
        hasOtherName: target.place.reached !== (former?.place ?? target.place).file || former?.hasOtherName === true,
        // The first operation decides whether the file may be binary: if it deletes the file, a later one may create it
        // again, as text.
        mayBeBinary: former?.mayBeBinary ?? (need === "file" || need === "name"),
      });
    }
  }
  return [...uses.values()];
}

type Read = { readonly ok: true; readonly document: Document } | Failed;

/** A document to read, with everything needed to read it. */
interface PendingRead extends Omit<DocumentUse, "leaves" | "hasOtherName"> {
  readonly resolver: Resolver;
  readonly world: World;
  /** The number of bytes that the call has read so far. */
  readonly budget: { bytes: number };
  /** `true` if the call reads so few documents that blocking the server while they are read goes unnoticed. */
  readonly isOneOfFew: boolean;
}

/** The maximum number of documents that counts as few. */
const few = 4;

async function readDocument(pending: PendingRead): Promise<Read> {
  const { place, sent, budget } = pending;
  // An open document's file is only compared with the document, so no hash is needed.
  const how = {
    isRegular: place.isRegular,
    isHashed: place.open === undefined,
    isQuick: pending.isOneOfFew,
    isCanonical: true,
  };
  let file: FileRead = place.file === undefined ? { kind: "absent" } : await readTextFile(place.file, sent, how);
  if (file.kind === "failed" && file.failure.code === "locked" && place.open === undefined) {
    file = await untilReleased(
      () => readTextFile(place.file ?? "", sent, how),
      (read) => (read.kind === "failed" ? read.failure : undefined),
    );
  }
  if (file.kind === "text") {
    budget.bytes += file.size;
    if (budget.bytes > limits.callFileBytes) return failed(pathFailures.tooMuchRead(sent, budget.bytes));
  }
  return place.open === undefined ? closedDocument(pending, file) : openDocument(pending, place.open, file);
}

function openDocument({ place, sent, world }: PendingRead, open: OpenText, file: FileRead): Read {
  if (open.desynced !== undefined) return failed(pathFailures.desynced(sent, open.desynced));
  if (open.text.length > limits.documentLength) {
    return failed(pathFailures.tooLarge(sent, open.text.length, limits.documentLength, "characters"));
  }
  const text = withoutMark(open.text);
  const bomSynced = text !== open.text;
  const onDisk = compareWithFile(open.text, file, world.habits);
  const { uri, path } = place;
  const { version, loneCrEndsLine } = open;
  const bom = bomSynced || (file.kind === "text" && file.bom);
  const formerLines = open.formerLines?.size === 0 ? undefined : open.formerLines;
  const same = { file, habits: world.habits, isSame: onDisk === "same" };
  // A document that is as its file, and has no trail, has no other texts.
  const hasOthers = world.seen !== undefined && (!same.isSame || world.seen.trails.open.get(uri)?.hasTrail === true);
  const views = hasOthers ? world.seen?.trails.ofOpen(world.seen.by, open, same) : undefined;
  const made = hasOthers ? world.seen?.trails.madeBy(world.seen.by, open) : undefined;
  const document = { uri, path, version, text, exists: true, bom, bomSynced, loneCrEndsLine, formerLines, views, made };
  return { ok: true, document: onDisk === undefined ? document : { ...document, onDisk } };
}

async function closedDocument(pending: PendingRead, file: FileRead): Promise<Read> {
  const { sent, mayCreate, resolver, world } = pending;
  const { uri, path, searched } = pending.place;
  const { loneCrEndsLine } = world;
  const empty = { uri, path, version: null, text: "", exists: true, bom: false, bomSynced: false, loneCrEndsLine };
  if (file.kind === "text") {
    const { text, bom, hash } = file;
    const { seen } = world;
    const views = seen?.trails.closed.has(uri) ? seen.trails.ofClosed(seen.by, uri, text) : undefined;
    return { ok: true, document: { ...empty, text, bom, hash, ...(views === undefined ? {} : { views }) } };
  }
  if (file.kind === "failed") {
    const isBinary = pending.mayBeBinary && file.failure.code === "unsupportedEncoding";
    return isBinary ? { ok: true, document: { ...empty, isBinary } } : failed(file.failure);
  }
  if (mayCreate) return { ok: true, document: { ...empty, exists: false } };
  return failed(pathFailures.fileNotFound(sent, await resolver.suggest(sent, searched), pending.asked));
}

function assemble(
  resolved: ReadonlyMap<string, Resolved>,
  uses: readonly DocumentUse[],
  read: readonly Read[],
): WorkspaceSnapshot {
  const byIdentity = new Map(uses.map(({ place }, i) => [place.identity, read[i]!]));
  const targets = new Map<string, Target>();
  for (const [path, result] of resolved) {
    const target = result.ok ? byIdentity.get(result.place.identity)! : result;
    targets.set(path, target.ok ? { ok: true, uri: target.document.uri } : target);
  }
  const documents = new Map<DocumentUri, Document>();
  const places = new Map<DocumentUri, ResolvedPath>();
  for (const { place } of uses) {
    const result = byIdentity.get(place.identity)!;
    if (!result.ok) continue;
    documents.set(result.document.uri, result.document);
    places.set(result.document.uri, place);
  }
  const warnings = uses.flatMap(({ place: { path, unseen } }) =>
    unseen?.isDraft === true ? [fileWarnings.draft(path, unseen.uri)] : [],
  );
  return { targets, documents, places, warnings };
}
