/** The part of a batch that the server writes itself: files that no editor has open, ready before the editor's part and made visible behind it. */
import { type Committed, type NotCommitted, type Staged, stage } from "../../disk/commit.js";
import { type DiskChange, targetOf, toDiskChange } from "../../disk/diskChange.js";
import { type DiskWorkspace, userWorkspace } from "../../disk/diskWorkspace.js";
import { recover } from "../../disk/recover.js";
import { diskFailures, type Holder } from "../../disk/sentences.js";
import type { Failure } from "../../plan/failure.js";
import { type FileChange, namesOf } from "../../plan/outcome.js";
import { type KeptFile, removeEmpty } from "../../workspace/fileBackup.js";
import { decodeBytes, hashOf } from "../../workspace/files.js";
import { canonicalFolders } from "../../workspace/paths.js";
import { isInside } from "../../workspace/pathText.js";
import { staleFailures } from "../../workspace/sentences.js";
import { labelOf } from "../edit/result.js";
import { callSentences } from "../sentences.js";
import { openAt, type Session, worldOf } from "../session.js";
import { namePathOf, type Site } from "./fileSteps.js";
import type { DiskPart, Step, Task, Written } from "./work.js";

/** The tasks of a batch, by who does them. */
export interface Parts {
  /** In the order in which they are done. */
  readonly editor: readonly Task[];
  /** Done all together. */
  readonly disk: readonly Task[];
}

/** Who does what: the editor what it has open, and all of it where the caller wants that or where names depend on each other. */
export function partsOf(site: Site, tasks: readonly Task[]): Parts {
  const isOnDisk = (task: Task): boolean => isForDisk(site, task.planned) && !hasUnsavedText(task);
  const [disk, editor] = [tasks.filter(isOnDisk), tasks.filter((task) => !isOnDisk(task))];
  const names = (some: readonly Task[]): string[] =>
    some.flatMap(({ planned }) => namesOf(planned).map(({ uri }) => uri));
  const held = new Set(names(editor));
  // A name that one side frees for the other would be free too late.
  return names(disk).some((name) => held.has(name)) ? { editor: tasks, disk: [] } : { editor, disk };
}

function isForDisk(site: Site, file: FileChange): boolean {
  const { session, options } = site;
  if (file.document.version !== null || options.unopened === "editor") return false;
  return namesOf(file).every(({ uri }) => openAt(session, uri) === undefined && namePathOf(site, uri) !== undefined);
}

/** A deleted file that comes back with another text than its bytes have: that was in the editor alone, and has to be there again. */
function hasUnsavedText(task: Task): boolean {
  if (task.kind !== "restore") return false;
  const saved = decodeBytes(task.bytes.bytes);
  return saved.ok && saved.text !== task.planned.text;
}

/** Why nothing can be made ready. */
export interface NoDiskPart {
  readonly ok: false;
  readonly failures: readonly [Failure, ...Failure[]];
}

/** Makes all the files of some tasks ready beside their places. */
export async function stagePart(site: Site, tasks: readonly Task[]): Promise<DiskPart | NoDiskPart> {
  const { session } = site;
  const files = [...new Set(tasks.map(({ planned }) => planned))];
  const changes = files.map((file) => changeOf(site, file, tasks));
  const paths = changes.flatMap((change) => [change.path, ...[targetOf(change) ?? []].flat()]);
  const staged = stage(await workspaceOf(session, paths), changes, labelOf(files, site.options));
  for (const { message } of staged.recovered) session.log("warn", message);
  const { failures: [first, ...rest] = [] } = staged.ok ? {} : staged;
  if (!staged.ok) {
    if (first === undefined) throw new Error("what can't be staged must say why");
    return { ok: false, failures: [first, ...rest] };
  }
  return {
    ok: true,
    tasks,
    warnings: [...staged.recovered.map(({ message }) => message), ...staged.warnings],
    async commit({ hasWaited }) {
      const failure = await orAbandon(staged, async () => {
        const others = hasWaited ? await session.openElsewhere(paths) : new Map<string, Holder>();
        return openedBy(site, files, others);
      });
      if (failure === undefined) return committed(staged, { tasks, changes, files });
      staged.abandon();
      return notWritten(tasks, { outcome: "rolledBack", failure });
    },
    abandon: () => staged.abandon(),
  };
}

/** What is staged keeps everybody else from these folders: whatever is thrown before it is committed must not leave it so. */
export async function orAbandon<T>(staged: { abandon(): void } | undefined, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    staged?.abandon();
    throw error;
  }
}

/** The failure of a file that somebody has opened since it was made ready, in this editor or in another one; `undefined`: nobody. */
function openedBy(site: Site, files: readonly FileChange[], others: ReadonlyMap<string, Holder>): Failure | undefined {
  for (const file of files) {
    const { document } = file;
    const holder = namesOf(file).flatMap(({ uri }) => others.get(pathOf(site, uri)) ?? [])[0];
    if (holder !== undefined) return diskFailures.locked(document.path, holder);
    if (isForDisk(site, file)) continue;
    return staleFailures.contentModified({ path: document.path }, callSentences.openedMeanwhile);
  }
  return undefined;
}

/**
 * The failure of a file on disk that the editor is to write, make, move or delete, and that another editor has open, or may
 * have; `undefined`: there is none. Texts that the editor has open are its own affair.
 */
export async function heldElsewhere(site: Site, tasks: readonly Task[]): Promise<Failure | undefined> {
  const names = tasks.flatMap(({ kind, planned }) =>
    kind === "text" && planned.document.version !== null ? [] : namesOf(planned),
  );
  const paths = new Map(names.flatMap(({ uri, path }) => [[namePathOf(site, uri) ?? "", path] as const]));
  paths.delete("");
  if (paths.size === 0) return undefined;
  const [first] = await site.session.openElsewhere([...paths.keys()]);
  if (first === undefined) return undefined;
  const [path, holder] = first;
  return diskFailures.locked(paths.get(path) ?? path, holder);
}

/** What is to become of a file on disk, whatever tasks it takes. */
function changeOf(site: Site, file: FileChange, tasks: readonly Task[]): DiskChange {
  const { document } = file;
  const path = pathOf(site, document.uri);
  const restore = tasks.find((task) => task.kind === "restore" && task.planned === file);
  if (restore?.kind === "restore") {
    const { bytes } = restore;
    return { kind: "create", path, name: document.path, content: { bytes: bytes.bytes }, mode: bytes.mode };
  }
  return toDiskChange(file, (uri) => pathOf(site, uri));
}

function pathOf(site: Site, uri: string): string {
  const path = namePathOf(site, uri);
  if (path === undefined) throw new Error("only files are written");
  return path;
}

/** What was staged, and for what. */
interface Batch {
  readonly tasks: readonly Task[];
  readonly changes: readonly DiskChange[];
  readonly files: readonly FileChange[];
}

function committed(staged: Staged, batch: Batch): Written {
  const { tasks, changes, files } = batch;
  const result = staged.commit();
  if (result.outcome !== "applied") return notWritten(tasks, result);
  const kept = keptBy(result);
  result.finish();
  const steps = tasks.map((task): Step => {
    const change = changes[files.indexOf(task.planned)];
    const bytes = change === undefined ? undefined : kept.get(change.path);
    const name = change === undefined ? "" : (targetOf(change) ?? change.path);
    const parents = staged.directories.filter((at) => isInside(at, name, process.platform)).reverse();
    return {
      ...stepOf(task, { kind: "proved" }),
      ...(bytes === undefined ? {} : { kept: bytes }),
      ...(parents.length === 0 ? {} : { tidy: () => removeEmpty(parents) }),
    };
  });
  return { isDone: true, steps };
}

const stepOf = (task: Task, proof: Step["proof"]): Step => ({ ...task, file: task.planned, outcomes: [], proof });

/** Taken back, it failed for the file that is named; where the disk is in between, every file may be concerned. */
function notWritten(tasks: readonly Task[], { outcome, failure, isThere }: NotCommitted): Written {
  const isPending = outcome === "recoveryPending";
  const kind = isThere === true ? "unconfirmed" : isPending ? "pending" : "failed";
  const named = tasks.filter(({ planned }) => namesOf(planned).some(({ path }) => path === failure.path));
  const concerned = isPending || named.length === 0 ? tasks : named;
  const [first, ...rest] = concerned.map((task) => stepOf(task, { kind, failure }));
  if (first === undefined) throw new Error("nothing is written for no task");
  return { isDone: false, steps: [first, ...rest] };
}

/** The files that were deleted, by path, as they were. */
function keptBy(result: Committed): ReadonlyMap<string, KeptFile> {
  const back = result.inverse().flatMap((change) => {
    if (change.kind !== "create" || !("bytes" in change.content)) return [];
    const bytes = Buffer.from(change.content.bytes);
    return [{ path: change.path, bytes, hash: hashOf(bytes), mode: change.mode ?? 0o644 }];
  });
  return new Map(back.map((file) => [file.path, file]));
}

/** What is left of earlier batches is ended, and told to the user: at the start, before anybody asks for anything. */
export async function recoverAtStart(session: Session): Promise<readonly string[]> {
  const { batches, problems, failure } = recover(await workspaceOf(session, []));
  const pending = failure === undefined || failure.code === "locked" ? [] : [failure.message];
  return [...batches.map(({ message }) => message), ...problems, ...pending];
}

async function workspaceOf(session: Session, paths: readonly string[]): Promise<DiskWorkspace> {
  const [folders, others] = await Promise.all([
    canonicalFolders(worldOf(session, undefined)),
    paths.length === 0 ? new Map<string, Holder>() : session.openElsewhere(paths),
  ]);
  return userWorkspace(folders, { openElsewhere: (path) => others.get(path) });
}
