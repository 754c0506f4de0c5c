/** The server's own steps, on closed files. They are staged before the editor's steps and made visible after them. */
import type { CancellationToken } from "vscode-languageserver/node";
import { type NotCommitted, stage } from "../../../disk/commit.js";
import { type DiskChange, targetOf, toDiskChange } from "../../../disk/diskChange.js";
import { type DiskWorkspace, userWorkspace } from "../../../disk/diskWorkspace.js";
import { pruneKept } from "../../../disk/keptBatches.js";
import { recover } from "../../../disk/recover.js";
import { diskFailures, type Holder } from "../../../disk/sentences.js";
import { createTurn, type Turn } from "../../../disk/turn.js";
import type { Failure } from "../../../plan/failure.js";
import { type FileChange, namesOf } from "../../../plan/outcome.js";
import { removeEmpty } from "../../../workspace/fileBackup.js";
import { decodeBytes } from "../../../workspace/files.js";
import { canonicalFolders } from "../../../workspace/paths.js";
import { isInside } from "../../../workspace/pathText.js";
import { gitDirectoriesWith, gitParts, protectsGit } from "../../../workspace/protection.js";
import { pathFailures, staleFailures } from "../../../workspace/sentences.js";
import { labelOf } from "../../edit/result.js";
import { callSentences } from "../../sentences.js";
import { nobody, openAt, type Session, worldOf } from "../../session.js";
import { type ApplyContext, type DiskPart, type DoneStep, namePathOf, pathOf, type Task } from "../step.js";

/** Divides the tasks between editor and server. The editor gets all if asked to, or if both sides share a name. */
export function tasksByWriter(
  context: ApplyContext,
  tasks: readonly Task[],
): { readonly editor: readonly Task[]; readonly disk: readonly Task[] } {
  const disk = tasks.filter((task) => isForDisk(context, task));
  const editor = tasks.filter((task) => !disk.includes(task));
  const held = new Set(editor.flatMap(({ planned }) => namesOf(planned).map(({ uri }) => uri)));
  // A name that one side must free for the other would not be free in time.
  const isTied = disk.some(({ planned }) => namesOf(planned).some(({ uri }) => held.has(uri)));
  return isTied ? { editor: tasks, disk: [] } : { editor, disk };
}

function isForDisk(context: ApplyContext, task: Task): boolean {
  const { session, options } = context;
  const { planned } = task;
  if (planned.document.version !== null || options.unopened === "editor") return false;
  const names = namesOf(planned);
  if (names.some(({ uri }) => openAt(session, uri) !== undefined || namePathOf(context, uri) === undefined))
    return false;
  if (task.kind !== "restore") return true;
  // If a restored file's text differs from its bytes, the text was unsaved in the editor and must be restored there.
  const saved = decodeBytes(task.bytes.bytes);
  return !saved.ok || saved.text === planned.text;
}

/** A call's turn to write; `undefined` as long as it need not wait. */
export interface Queue {
  turn?: Turn;
}

/** Stages the changes of all tasks, or returns the failures. Waits for other processes, unless cancelled. */
export async function stagePart(
  context: ApplyContext,
  tasks: readonly Task[],
  { token, queue }: { readonly token: CancellationToken; readonly queue: Queue },
): Promise<DiskPart | { readonly ok: false; readonly failures: readonly Failure[] }> {
  const { session, options, onCommit } = context;
  // All tasks for a file yield the same change.
  const changes = new Map<FileChange, DiskChange>();
  for (const task of tasks) {
    const { planned } = task;
    const change = toDiskChange(planned, (uri) => pathOf(context, uri));
    if (task.kind === "restore") {
      const { bytes, mode } = task.bytes;
      changes.set(planned, { ...change, kind: "create", content: { bytes }, mode });
    } else changes.set(planned, change);
  }
  const label = labelOf([...changes.keys()], options);
  const paths = [...changes.values()].flatMap((change) => [change.path, targetOf(change) ?? []].flat());
  let isGitLike = false;
  for (const path of paths) isGitLike ||= gitParts.test(path);
  const recovered: string[] = [];
  for (;;) {
    const workspace = await workspaceOf(session, paths);
    const staged = stage(workspace, [...changes.values()], label, { onCommit, turn: queue.turn?.id() });
    for (const { message } of staged.recovered) {
      session.log("warn", message);
      recovered.push(message);
    }
    if (staged.ok) {
      const failures = isGitLike ? gitFailures(session, changes.values(), paths) : [];
      if (failures.length > 0) {
        staged.abandon();
        return { ok: false, failures };
      }
      return { ok: true, warnings: [...recovered, ...staged.warnings], staged, tasks, changes, paths };
    }
    if (staged.isBusy !== true) return staged;
    queue.turn ??= createTurn();
    if (!(await queue.turn.wait(workspace, paths, () => token.isCancellationRequested))) return staged;
  }
}

/**
 * Returns the failures of the changes that would complete a Git directory. The plan was checked, too, but since then
 * another process may have created the other parts. It can't create any while these changes are staged.
 */
function gitFailures(session: Session, changes: Iterable<DiskChange>, paths: readonly string[]): readonly Failure[] {
  const [by] = protectsGit(worldOf(session, undefined).gates) ? gitDirectoriesWith(paths) : [];
  if (by === undefined) return [];
  const inside = [...changes].filter((one) => isInside(by, one.path) || isInside(by, targetOf(one) ?? one.path));
  return inside.map(({ name }) => pathFailures.protectedPath(name, { kind: "refused", why: "git", by }));
}

/** Makes all staged files visible, or none and returns the failed steps. `hasWaited`: others may have opened one. */
export async function commitPart(
  context: ApplyContext,
  { staged, tasks, changes, paths }: DiskPart,
  { hasWaited }: { readonly hasWaited: boolean },
): Promise<readonly DoneStep[]> {
  let failure: Failure | undefined;
  try {
    const others = hasWaited ? await context.session.outside.holders(paths) : new Map<string, Holder>();
    failure = openedBy(context, tasks, others);
  } catch (error) {
    // Staged files block other batches in their folders, so they must be removed, whatever the error.
    staged.abandon();
    throw error;
  }
  if (failure !== undefined) {
    staged.abandon();
    return notWritten(tasks, { outcome: "rolledBack", failure });
  }
  const result = staged.commit();
  if (result.outcome !== "applied") return notWritten(tasks, result);
  result.finish();
  const befores = new Map(staged.targets.map(({ slot, before }) => [slot.path, before]));
  return tasks.map((task): DoneStep => {
    const change = changes.get(task.planned)!;
    const { path } = change;
    const deleted = change.kind === "delete" ? befores.get(path) : undefined;
    const kept = deleted && { path, bytes: deleted.bytes, hash: deleted.hash, mode: deleted.stat.mode };
    const name = targetOf(change) ?? path;
    const parents = staged.directories.filter((at) => isInside(at, name)).reverse();
    const outcome = { kind: "verified" } as const;
    return { ...task, file: task.planned, editOutcomes: [], outcome, kept, tidy: () => removeEmpty(parents) };
  });
}

/** Returns the failure if any editor has opened one of the files since they were staged; otherwise `undefined`. */
function openedBy(
  context: ApplyContext,
  tasks: readonly Task[],
  others: ReadonlyMap<string, Holder>,
): Failure | undefined {
  for (const task of tasks) {
    const { path } = task.planned.document;
    const [holder] = namesOf(task.planned).flatMap(({ uri }) => others.get(pathOf(context, uri)) ?? []);
    if (holder !== undefined) return diskFailures.locked(path, holder);
    if (!isForDisk(context, task)) return staleFailures.contentModified({ path }, callSentences.openedMeanwhile);
  }
  return undefined;
}

/** Returns the failure if this editor must change a file, and not only an open text, that another has open. */
export async function heldElsewhere(context: ApplyContext, tasks: readonly Task[]): Promise<Failure | undefined> {
  const names = tasks.flatMap(({ kind, planned }) =>
    kind === "text" && planned.document.version !== null ? [] : namesOf(planned),
  );
  const paths = new Map(names.flatMap(({ uri, path }) => [[namePathOf(context, uri) ?? "", path] as const]));
  paths.delete("");
  if (paths.size === 0) return undefined;
  const [first] = await context.session.outside.holders([...paths.keys()]);
  if (first === undefined) return undefined;
  const [path, holder] = first;
  return diskFailures.locked(paths.get(path) ?? path, holder);
}

/** Returns the failed steps: those for the failure's file, or all if it has none or recovery is pending. */
function notWritten(tasks: readonly Task[], { outcome, failure, isThere }: NotCommitted): DoneStep[] {
  const isPending = outcome === "recoveryPending";
  const kind = isThere === true ? "unconfirmed" : isPending ? "pending" : "failed";
  const named = tasks.filter(({ planned }) => namesOf(planned).some(({ path }) => path === failure.path));
  return (isPending || named.length === 0 ? tasks : named).map(
    (task): DoneStep => ({ ...task, file: task.planned, editOutcomes: [], outcome: { kind, failure } }),
  );
}

/** Ends earlier batches that a crash interrupted, and removes old copies. Returns messages for the user. */
export async function recoverAtStart(session: Session): Promise<readonly string[]> {
  const workspace = await workspaceOf(session, []);
  const { batches, problems, failure } = recover(workspace);
  pruneKept(workspace);
  const pending = failure === undefined || failure.code === "locked" ? [] : [failure.message];
  return [...batches.map(({ message }) => message), ...problems, ...pending];
}

async function workspaceOf(session: Session, paths: readonly string[]): Promise<DiskWorkspace> {
  const openElsewhere = await (paths.length === 0 ? nobody : session.outside).holders(paths);
  return userWorkspace(canonicalFolders(worldOf(session, undefined)), { openElsewhere });
}
