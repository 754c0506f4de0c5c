/** The one reading of which editors have a file, and unsaved text in it, by their reports or their records. */
import { dirname, parse, resolve } from "node:path";
import type { Holder } from "../disk/sentences.js";
import type { Caller, OpenStatus, StatusResult } from "../lsp/protocol.js";
import { OpenDocuments } from "../workspace/documents.js";
import { canonicalise, mapBounded, type OpenText } from "../workspace/identity.js";
import { createResolver } from "../workspace/paths.js";
import { isInside, pathBehindUri, pathOfSyncedUri } from "../workspace/pathText.js";
import { type ClosedRecord, canonical, holds, readRecords, type SessionRecord, sessionName } from "./record.js";
import { closeSessions, type FoundSessions, findSessions, type LiveSession } from "./sessions.js";

/** An open text, compared with its file. `outdated`: it has no unsaved changes, but the file has been changed. */
export type TextState = "same" | "outdated" | "unsaved";

/** A file that an editor has open. */
export interface OpenedFile {
  readonly session: LiveSession;
  /** `unsaved` if the text is unknown. */
  readonly text: TextState;
  /** `false` if the session's server does not know the text, as of a cell of a notebook. */
  readonly isSynced: boolean;
}

/** An editor that may have a file open, but can't be asked. */
export interface Suspect {
  readonly holder: Exclude<Holder, { readonly kind: "open" }>;
  readonly announced: Announced;
}

/** What a session has announced about unsaved text in files. `unknown`: older versions announce nothing, and long lists are left out. */
type Announced = "unsaved" | "nothing" | "unknown";

/** The editors that have a file, or may have it. */
export interface FileHolders {
  readonly opened: readonly OpenedFile[];
  readonly suspects: readonly Suspect[];
}

/** The files of a call, and the session that the user has named. */
export interface FileQuery {
  /** A prefix of the id of the session that the user chose; `undefined` if the files determine the session. */
  readonly session: string | undefined;
  /** Paths and URIs, as spelt in the call. If there are none, `directory` itself determines the session. */
  readonly targets: readonly string[];
  /** The base directory for relative paths, as an absolute path. */
  readonly directory: string;
}

/** A target as one session sees it. */
export interface TargetFile {
  /** Canonical path; `undefined` if the target is not a file, or can't be resolved: it may be any file. */
  readonly file: string | undefined;
  /** URI of the open document; empty if the file is open under several names; `undefined` if it is not open. */
  readonly open: string | undefined;
}

/** Returns the state of an open document. */
export function textState({ onDisk, saved }: Pick<OpenStatus, "onDisk" | "saved">): TextState {
  return onDisk === "same" ? "same" : saved === true ? "outdated" : "unsaved";
}

/** Returns the path of the file that a document belongs to, such as a notebook that has it as a cell; a draft belongs to none. */
export function fileOf(uri: string): string | undefined {
  return pathOfSyncedUri(uri) ?? (/^untitled:/i.test(uri) ? undefined : pathBehindUri(uri));
}

/** Returns the files that a session has open. */
function filesIn({ open, unsynced = [] }: Pick<StatusResult, "open"> & { readonly unsynced?: readonly string[] }) {
  // Older versions do not report unsynced documents.
  const texts = [
    ...open.map((one) => ({ uri: one.uri, text: textState(one), isSynced: pathOfSyncedUri(one.uri) !== undefined })),
    ...unsynced.map((uri) => ({ uri, text: "unsaved" as const, isSynced: false })),
  ];
  return texts.flatMap(({ uri, ...text }) => {
    const path = fileOf(uri);
    return path === undefined ? [] : [{ path, ...text }];
  });
}

/** Returns the editors that have, or may have, each of the files. `paths`: absolute. */
export async function holdersOf(
  found: FoundSessions,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FileHolders>> {
  const identities = new Map<string, Promise<string>>();
  const identify: typeof identityOf = (path) => {
    const identity = identities.get(path) ?? identityOf(path);
    identities.set(path, identity);
    return identity;
  };
  const opened = new Map<string, OpenedFile[]>();
  const open = found.reached.flatMap((session) => filesIn(session.status).map((file) => ({ session, ...file })));
  const names = await mapBounded(open, ({ path }) => identify(path));
  for (const [index, { session, text, isSynced }] of open.entries()) {
    const identity = names[index] ?? "";
    opened.set(identity, [...(opened.get(identity) ?? []), { session, text, isSynced }]);
  }
  const entries = await mapBounded(paths, async (path) => {
    const query = { session: undefined, targets: [path], directory: dirname(path) };
    const suspects = await suspectsOf(found, query, identify);
    return [path, { opened: opened.get(await identify(path)) ?? [], suspects }] as const;
  });
  return new Map(entries);
}

/** Returns the canonical paths of the files in which the sessions have, or have announced, unsaved text. */
export async function unsavedFiles({ reached, unreached, closed }: FoundSessions): Promise<readonly string[]> {
  const announced = [...closed, ...[...reached, ...unreached].map(({ record }) => record)];
  const open = reached.flatMap(({ status }) => filesIn(status).filter(({ text }) => text === "unsaved"));
  const paths = await canonicalPaths(open.map(({ path }) => path));
  return [...announced.flatMap(({ unsaved = [] }) => unsaved), ...paths];
}

/** Returns editors that may have a target open but can't be asked: closed, silent, or with an unreadable record. */
export async function suspectsOf(
  found: FoundSessions,
  query: FileQuery,
  identify = identityOf,
): Promise<readonly Suspect[]> {
  const { closed, unreached, hidden } = found;
  if (closed.length + unreached.length + hidden.length === 0) return [];
  const files = (await targetFiles(query, [])).map(({ file }) => file);
  const identities = await mapBounded(known(files), identify);
  const suspects: Suspect[] = [];
  const add = async (record: SessionRecord | ClosedRecord, mayHave: boolean, holder: Suspect["holder"]) => {
    const announced = await announcedIn(record, identities, identify);
    if (mayHave || announced === "unsaved") suspects.push({ holder, announced });
  };
  for (const record of closed)
    await add(record, holds(record, files), { kind: "closed", session: sessionName(record), why: record.closed });
  for (const { record, why } of unreached)
    await add(record, await mayHold(record, files), { kind: "unasked", session: sessionName(record), why });
  for (const { problem, held } of hidden) {
    const folders = held && (await canonicalPaths(held));
    const mayBeIn = (file: string | undefined): boolean =>
      file === undefined || folders === undefined || folders.some((folder) => isInside(folder, file));
    if (files.some(mayBeIn)) suspects.push({ holder: { kind: "hidden", problem }, announced: "unknown" });
  }
  return suspects;
}

/** Reports what a session has announced about files, given by their identities. */
async function announcedIn(
  { unsaved }: Pick<SessionRecord, "unsaved">,
  identities: readonly string[],
  identify: typeof identityOf,
): Promise<Announced> {
  if (unsaved === undefined) return "unknown";
  const listed = await mapBounded(unsaved, identify);
  return listed.some((identity) => identities.includes(identity)) ? "unsaved" : "nothing";
}

/** Returns a function that reports whether a session has announced no unsaved text in any of the files. `paths`: absolute. */
export function announcesNothing(paths: readonly string[]): (record: SessionRecord) => Promise<boolean> {
  const identities = mapBounded(paths, identityOf);
  return async (record) => (await announcedIn(record, await identities, identityOf)) === "nothing";
}

/** Returns a session that has one of the files, and that agents may not or can't use; `undefined` if there is none. */
export function closedSessionOf(directory: string, files: readonly string[]): ClosedRecord | undefined {
  try {
    return readRecords(directory).closed.find((record) => holds(record, files.map(canonical)));
  } catch {
    return undefined;
  }
}

/** Returns a function that reports whether a session is the named one or may have a target open or in a folder. */
export function mattersTo(query: FileQuery): (record: SessionRecord) => Promise<boolean> {
  let files: Promise<TargetFile[]> | undefined;
  return async (record) => {
    if (query.session !== undefined && record.id.startsWith(query.session)) return true;
    files ??= targetFiles(query, []);
    return mayHold(
      record,
      (await files).map(({ file }) => file),
    );
  };
}

/** Returns the absolute paths that the targets are; `undefined` if what one of them means depends on more than its text. */
export function plainPaths({ targets, directory }: FileQuery): readonly string[] | undefined {
  const isPlain = targets.every((target) => !/^[@~]|^[a-z][a-z\d+.-]+:/i.test(target));
  return isPlain ? targets.map((target) => resolve(directory, target)) : undefined;
}

/** Reports whether a session may have one of the files. A session without folders may have any, even if it lists some. */
async function mayHold(record: SessionRecord, files: readonly (string | undefined)[]): Promise<boolean> {
  const folders = await canonicalPaths(record.folders.map(({ path }) => path));
  const holds = (file: string): boolean =>
    folders.some((folder) => isInside(folder, file)) || record.outside?.includes(file) === true;
  return folders.length === 0 || files.some((file) => file === undefined || holds(file));
}

/** Finds, for each absolute path, a session but `except` that has it open, or may have and can't be asked. */
export async function openElsewhere(
  paths: readonly string[],
  sessions: string,
  caller: Caller,
  except?: string,
): Promise<ReadonlyMap<string, Holder>> {
  // All paths are absolute, so any directory will do; the working directory may no longer exist.
  const query = { session: undefined, targets: paths, directory: dirname(paths[0] ?? "/") };
  const found = await findSessions(sessions, caller, { matters: mattersTo(query), except });
  try {
    const holders = new Map<string, Holder>();
    for (const [path, { opened, suspects }] of await holdersOf(found, paths)) {
      const record = opened.at(-1)?.session.record;
      const holder = record === undefined ? suspects[0]?.holder : openIn(record);
      if (holder !== undefined) holders.set(path, holder);
    }
    return holders;
  } finally {
    closeSessions(found);
  }
}

/** Returns what failures say about an editor that has a file open. */
export function openIn({ client, id }: SessionRecord): Holder {
  return { kind: "open", by: `${client} (session ${id})` };
}

/** Resolves the targets. Allows every path, because the session itself decides which files may be changed. */
export async function targetFiles(
  { targets, directory }: Pick<FileQuery, "targets" | "directory">,
  open: readonly OpenText[],
): Promise<TargetFile[]> {
  if (targets.length === 0) {
    const [file] = await canonicalPaths([directory]);
    return [{ file, open: undefined }];
  }
  const { root } = parse(directory);
  const held = new OpenDocuments<OpenText>();
  for (const one of open) held.set(one.uri, one);
  const resolver = createResolver({
    root: directory,
    folders: [{ uri: "", path: root }],
    additionalFolders: [],
    gates: [],
    openTexts: { held },
  });
  return mapBounded(targets, async (target) => {
    const resolved = await resolver.resolve(target);
    if (resolved.ok) return { file: resolved.place.file, open: resolved.place.open?.uri };
    // An ambiguous path refers to a file that is open under several names. The session reports all other problems.
    return { file: undefined, open: resolved.failure.code === "ambiguousPath" ? "" : undefined };
  });
}

/** Returns the paths, with links resolved where possible. Omits empty and `undefined` paths. */
export async function canonicalPaths(paths: readonly (string | undefined)[]): Promise<string[]> {
  return mapBounded(known(paths), async (path) => {
    const resolved = canonicalise(path);
    return resolved.ok ? resolved.path : path;
  });
}

const known = (paths: readonly (string | undefined)[]): string[] =>
  paths.filter((path) => path !== undefined && path !== "") as string[];

async function identityOf(path: string): Promise<string> {
  const resolved = canonicalise(path);
  return resolved.ok ? resolved.identity : path;
}
