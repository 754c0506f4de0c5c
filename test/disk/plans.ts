/** Random batches on small trees, and the trees expected afterwards, computed independently of the writer. */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import type { DiskChange } from "../../server/disk/diskChange.js";
import type { Choose, LaidFile, Layout } from "./memoryDisk.js";

/** A batch, the files that it needs, and the trees before and after it. */
export interface TrialPlan {
  readonly layout: Layout;
  readonly changes: readonly DiskChange[];
  readonly old: Tree;
  readonly new: Tree;
}

/**
 * Maps each file's path to its mode in octal and its text, separated by a space, and each directory's path to
 * `undefined`.
 */
export type Tree = ReadonlyMap<string, string | undefined>;

/** The folder for a plan's files; the state directory is next to it. */
export const workspaceFolder = "/ws";

/**
 * A source of random choices; the same seed gives the same choices. The algorithm is mulberry32, which is in the public
 * domain.
 */
export function chooser(seed: number): Choose {
  let state = seed >>> 0;
  return (count) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}

/**
 * A batch of one to four changes: chains, cycles, moves onto deleted files, new directories, files with several names.
 */
export function randomPlan(choose: Choose): TrialPlan {
  const layout = randomLayout(choose);
  const old = treeOf(layout);
  const taken = new Set<string>();
  const changes: DiskChange[] = [];
  const sources = shuffled(Object.keys(layout.files), choose).slice(0, choose(4));
  const kinds = sources.map(() => kindNames[choose(kindNames.length)]!);
  const freed = new Set(sources.filter((_, i) => kinds[i] === "delete" || kinds[i] === "rename"));
  const name = (): string | undefined =>
    shuffled(places, choose).find((path) => !taken.has(path) && (freed.has(path) || !old.has(path)));
  for (const [i, path] of sources.entries()) {
    const kind = kinds[i]!;
    const target = kind === "rename" ? name() : undefined;
    if (kind === "rename" && (target === undefined || target === path)) continue;
    if (target !== undefined) taken.add(target);
    const { bytes } = layout.files[path]!;
    const isEdited = kind === "update" || (kind === "rename" && choose(2) === 0);
    const on = { path, name: path, hash: createHash("sha256").update(bytes).digest("hex") };
    const content = isEdited ? { content: { text: randomText(choose) } } : {};
    if (kind === "delete") changes.push({ kind, ...on });
    else if (target === undefined) changes.push({ kind: "update", ...on, ...content });
    else changes.push({ kind: "rename", ...on, ...content, target, targetName: target });
  }
  const moved = new Set(changes.flatMap(({ kind, path }) => (kind === "delete" || kind === "rename" ? [path] : [])));
  for (let more = choose(3); more > 0 || changes.length === 0; more--) {
    const path = shuffled(places, choose).find((one) => !taken.has(one) && (moved.has(one) || !old.has(one)));
    if (path === undefined) break;
    taken.add(path);
    changes.push({ kind: "create", path, name: path, content: { text: randomText(choose) } });
  }
  return planOf(layout, changes);
}

/** A batch with the trees before and after it. */
export function planOf(layout: Layout, changes: readonly DiskChange[]): TrialPlan {
  return { layout, changes, old: treeOf(layout), new: expectedAfter(layout, changes) };
}

/** The tree after a batch: first all old names are removed, then each new name gets its file. */
function expectedAfter(layout: Layout, changes: readonly DiskChange[]): Tree {
  const tree = new Map(treeOf(layout));
  for (const { kind, path } of changes) if (kind === "delete" || kind === "rename") tree.delete(path);
  for (const change of changes) {
    const { kind, path } = change;
    const content = kind === "delete" ? undefined : change.content;
    const text = content !== undefined && "text" in content ? content.text : undefined;
    const { mode = 0o644, bytes } = layout.files[path] ?? {};
    const before = bytes === undefined ? "" : bytes.toString();
    // A byte order mark at the start is not part of the text, and stays.
    const after = text === undefined ? before : `${before.startsWith(mark) ? mark : ""}${text}`;
    if (kind === "create") tree.set(path, `644 ${text}`);
    if (kind === "update") {
      // The file has this text under each of its names.
      const names = Object.entries(layout.links ?? {}).flatMap(([link, to]) => (to === path ? [link] : []));
      for (const name of [path, ...names]) tree.set(name, `${mode.toString(8)} ${after}`);
    }
    if (kind === "rename") tree.set(change.target, `${mode.toString(8)} ${after}`);
  }
  for (const path of [...tree.keys()]) addAbove(tree, path);
  return tree;
}

const mark = "\ufeff";

const kindNames = ["update", "update", "delete", "rename"] as const;

const places = ["a", "b", "sub/a", "sub/b", "other/c", "new/a", "new/deep/b", "new/deep/er/c"].map(
  (name) => `${workspaceFolder}/${name}`,
);

function randomLayout(choose: Choose): Layout {
  const files: Record<string, LaidFile> = {};
  const links: Record<string, string> = {};
  for (const path of places.slice(0, 5)) {
    if (choose(4) === 0) continue;
    const text = `${choose(6) === 0 ? mark : ""}${randomText(choose)}`;
    const owner = choose(5) === 0 ? 7 : 0;
    // A writer other than the owner cannot restore the set-user-ID and set-group-ID bits.
    const mode = choose(3) === 0 ? 0o755 : owner === 0 && choose(4) === 0 ? 0o6755 : 0o644;
    files[path] = { bytes: Buffer.from(text), mode, owner };
    if (choose(5) === 0) links[`${workspaceFolder}/other/link${Object.keys(links).length}`] = path;
  }
  return { files, links, directories: [workspaceFolder, `${workspaceFolder}/sub`, `${workspaceFolder}/other`] };
}

/** A text that may equal others, be empty, or be longer than a sector. */
function randomText(choose: Choose): string {
  const text = ["", "one\n", "two\n", "old and new\n", "é😀\r\n"][choose(5)]!;
  return text.repeat([1, 1, 1, 60, 250][choose(5)]!);
}

function treeOf({ files, links = {}, directories }: Layout): Tree {
  const tree = new Map<string, string | undefined>();
  const line = (path: string): string => {
    const { bytes, mode = 0o644 } = files[path]!;
    return `${mode.toString(8)} ${bytes}`;
  };
  for (const path of Object.keys(files)) tree.set(path, line(path));
  for (const [path, target] of Object.entries(links)) tree.set(path, line(target));
  for (const path of directories) if (path !== workspaceFolder) tree.set(path, undefined);
  for (const path of [...tree.keys()]) addAbove(tree, path);
  return tree;
}

function addAbove(tree: Map<string, string | undefined>, path: string): void {
  for (let at = dirname(path); at !== workspaceFolder && at !== "/"; at = dirname(at)) tree.set(at, undefined);
}

/** The items in random order. */
export function shuffled<T>(items: readonly T[], choose: Choose): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = choose(i + 1);
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}
