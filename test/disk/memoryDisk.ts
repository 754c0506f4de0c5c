/** An in-memory disk that can be cut off before any step; it then keeps an arbitrary part of the unsynced data. */
import { basename, dirname } from "node:path";
import { type AttributePair, type FileStat, type FileSystem, systemError } from "../../server/disk/fileSystem.js";
import { treeOf } from "./diskTree.js";

/** Thrown when the power fails, and by every call after that. */
export class PowerCut extends Error {}

/** A disk's failures, by step number (counted from 0). */
export interface Trouble {
  /** The power fails before this step. */
  readonly cutAt?: number;
  /** Called before each step with a description of it: a word and a path. */
  readonly before?: (step: number, what: string) => void;
  /** Steps from `from` up to, but excluding, `to` are refused with this code. */
  readonly refuse?: { readonly from: number; readonly to: number; readonly code: string };
}

/** A file that is on a disk from the start. */
export interface LaidFile {
  readonly bytes: Buffer;
  /** Default: 0o644. */
  readonly mode?: number;
  /** The owner's user id; default: 0, the id under which everything runs. */
  readonly owner?: number;
}

/** The initial contents of a disk, by path; `links` are additional names of files. */
export interface Layout {
  readonly files: Readonly<Record<string, LaidFile>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly directories: readonly string[];
}

interface Node {
  readonly inode: number;
  readonly isDirectory: boolean;
  mode: number;
  owner: number;
  bytes: Buffer;
  /** The contents that are certain to be on the disk; `undefined` if none are yet. */
  synced: Buffer | undefined;
  /** The entries of a directory. */
  readonly names: Map<string, number>;
  readonly syncedNames: Map<string, number>;
}

/** A change to directory entries that reaches the disk either completely or not at all. */
type NameChange = readonly { readonly directory: number; readonly name: string; readonly to: number | undefined }[];

/** Chooses one of `count` possibilities, numbered from 0. */
export type Choose = (count: number) => number;

/** A disk whose state after a power cut or a kill can be derived at any time. */
export interface MemoryDisk extends FileSystem {
  /** Number of steps so far. */
  steps(): number;
  /** The disk after a power cut; `choose` decides how much of the unsynced data survives. */
  afterCut(choose: Choose, trouble?: Trouble): MemoryDisk;
  /** The disk as the next process finds it after the previous one was killed or exited: nothing is lost. */
  afterKill(trouble?: Trouble): MemoryDisk;
  setOwner(path: string, owner: number): void;
  /** The disk as another program sees it, without faults. */
  outside(): FileSystem;
  /** Everything below a directory: for each path, the mode and text of a file, or `undefined` for a directory. */
  tree(directory: string): Map<string, string | undefined>;
}

const root = 1;

/** The process's umask: the permission bits that new files do not get. */
const mask = 0o022;

/** Creates a disk with everything synced. */
export function memoryDisk(layout: Layout, options: { readonly copiesAttributes: boolean }, trouble: Trouble = {}) {
  const nodes = new Map<number, Node>();
  nodes.set(root, directoryNode(root, 0o755));
  const disk = diskOf({ nodes, pending: [], ...options }, trouble);
  const quiet = diskOf({ nodes, pending: [], ...options }, {});
  const all = new Set<string>();
  for (const path of [...Object.keys(layout.files), ...Object.keys(layout.links ?? {})]) addAbove(all, dirname(path));
  for (const path of layout.directories) addAbove(all, path);
  for (const path of [...all].sort()) if (path !== "/") quiet.makeDirectory(path, 0o755);
  for (const [path, { bytes, mode, owner }] of Object.entries(layout.files)) {
    quiet.make(path, bytes, 0o644);
    quiet.setMode(path, mode ?? 0o644);
    if (owner !== undefined) nodes.get(Number(quiet.look(path)!.inode))!.owner = owner;
  }
  for (const [path, target] of Object.entries(layout.links ?? {})) quiet.link(target, path);
  for (const node of nodes.values()) {
    node.synced = node.bytes;
    for (const [name, inode] of node.names) node.syncedNames.set(name, inode);
  }
  return disk;
}

function addAbove(all: Set<string>, path: string): void {
  for (let at = path; at !== "/"; at = dirname(at)) all.add(at);
}

function directoryNode(inode: number, mode: number): Node {
  return {
    inode,
    isDirectory: true,
    mode,
    owner: 0,
    bytes: Buffer.alloc(0),
    synced: undefined,
    names: new Map(),
    syncedNames: new Map(),
  };
}

interface Platter {
  readonly nodes: Map<number, Node>;
  /** Changes to directory entries that have not been synced yet, in order. */
  pending: NameChange[];
  readonly copiesAttributes: boolean;
}

/** A running disk. */
interface Machine {
  readonly platter: Platter;
  readonly trouble: Trouble;
  /** Number of steps so far. */
  count: number;
  isCut: boolean;
}

function diskOf(platter: Platter, trouble: Trouble): MemoryDisk {
  const machine: Machine = { platter, trouble, count: 0, isCut: false };
  return {
    ...readingCalls(machine),
    ...fileCalls(machine),
    ...nameCalls(machine),
    steps: () => machine.count,
    afterCut: (choose, next = {}) => diskOf(cut(platter, choose), next),
    afterKill: (next = {}) => diskOf(copied(platter), next),
    setOwner: (path, owner) => {
      get(machine, path).owner = owner;
    },
    outside: () => diskOf(platter, {}),
    tree: (directory) => treeOf(platter.nodes, platter.nodes.get(root) as Node, "", directory),
  };
}

/** Runs before every change. */
function step(machine: Machine, what: string): void {
  if (machine.isCut) throw new PowerCut();
  const now = machine.count++;
  const { cutAt, refuse, before } = machine.trouble;
  before?.(now, what);
  if (now === cutAt) {
    machine.isCut = true;
    throw new PowerCut();
  }
  if (refuse !== undefined && now >= refuse.from && now < refuse.to) throw systemError(refuse.code, what);
}

/** The names that make up a path, cached because most paths are used repeatedly. */
function namesOf(path: string): readonly string[] {
  const known = paths.get(path);
  if (known !== undefined) return known;
  if (paths.size > 1_000) paths.clear();
  const names = path.split("/").filter((part) => part !== "");
  paths.set(path, names);
  return names;
}

const paths = new Map<string, readonly string[]>();

function find({ platter: { nodes }, isCut }: Machine, path: string): Node | undefined {
  if (isCut) throw new PowerCut();
  let node = nodes.get(root);
  for (const name of namesOf(path)) {
    if (node !== undefined && !node.isDirectory) return undefined;
    if (node !== undefined && Buffer.byteLength(name) > 255) throw systemError("ENAMETOOLONG", path);
    node = nodes.get(node?.names.get(name) ?? 0);
  }
  return node;
}

function get(machine: Machine, path: string): Node {
  const node = find(machine, path);
  if (node === undefined) throw systemError("ENOENT", path);
  return node;
}

function fileAt(machine: Machine, path: string): Node {
  const node = get(machine, path);
  if (node.isDirectory) throw systemError("EISDIR", path);
  return node;
}

function checkFree(machine: Machine, path: string): void {
  if (find(machine, path) !== undefined) throw systemError("EEXIST", path);
}

/**
 * Makes each path name a file or, if `to` is `undefined`, no file; on disk, either all of the changes survive or none
 * do.
 */
function setNames(machine: Machine, paths: readonly (readonly [path: string, to: number | undefined])[]): void {
  const changes = paths.map(([path, to]) => {
    const directory = get(machine, dirname(path));
    if (!directory.isDirectory) throw systemError("ENOTDIR", path);
    if (to === undefined) directory.names.delete(basename(path));
    else directory.names.set(basename(path), to);
    return { directory: directory.inode, name: basename(path), to };
  });
  machine.platter.pending.push(changes);
}

function readingCalls(machine: Machine) {
  const { nodes } = machine.platter;
  const linksOf = (inode: number): number => {
    let links = 0;
    for (const { names } of nodes.values()) for (const to of names.values()) if (to === inode) links++;
    return links;
  };
  return {
    look(path: string): FileStat | undefined {
      const node = find(machine, path);
      if (node === undefined) return undefined;
      const { inode, isDirectory, owner, mode, bytes } = node;
      const kind = isDirectory ? "directory" : "file";
      const numbers = { links: linksOf(inode), owner, group: 0, mode, size: bytes.length, modified: 0 };
      return { kind, inode: String(inode), device: "1", ...numbers };
    },
    list: (path: string) => [...get(machine, path).names.keys()],
    readLink(path: string): string {
      throw systemError("EINVAL", path);
    },
    read(path: string, most: number) {
      const { bytes } = fileAt(machine, path);
      if (bytes.length > most) throw systemError("EFBIG", path);
      return Buffer.from(bytes);
    },
    readStart: (path: string, length: number) => Buffer.from(fileAt(machine, path).bytes.subarray(0, length)),
    mayWrite: (path: string) => find(machine, path) !== undefined,
  };
}

function fileCalls(machine: Machine) {
  const { platter } = machine;
  return {
    make(path: string, bytes: Uint8Array, mode: number) {
      step(machine, `make ${path}`);
      checkFree(machine, path);
      const inode = freeInode(platter);
      const node = { ...directoryNode(inode, mode & ~mask), isDirectory: false };
      platter.nodes.set(inode, node);
      setNames(machine, [[path, inode]]);
      step(machine, `write ${path}`);
      node.bytes = Buffer.from(bytes.subarray(0, bytes.length >> 1));
      step(machine, `write ${path}`);
      node.bytes = Buffer.from(bytes);
    },
    fill(path: string, bytes: Uint8Array, before: Uint8Array): boolean {
      step(machine, `open ${path}`);
      const node = fileAt(machine, path);
      if (node.bytes.length !== before.length) return false;
      const put = (some: Uint8Array) => (node.bytes = Buffer.concat([some, node.bytes.subarray(some.length)]));
      const common = Math.min(bytes.length, before.length);
      step(machine, `write ${path}`);
      // Clears the set-user-ID and set-group-ID bits, as the system does for users other than the superuser.
      node.mode &= ~0o6000;
      put(bytes.subarray(0, common >> 1));
      step(machine, `write ${path}`);
      put(bytes.subarray(0, common));
      const hasGrown = node.bytes.length !== before.length;
      if (hasGrown) put(before.subarray(0, common));
      if (hasGrown) return false;
      step(machine, `truncate ${path}`);
      node.bytes = Buffer.from(bytes);
      return true;
    },
    setMode(path: string, mode: number) {
      step(machine, `chmod ${path}`);
      get(machine, path).mode = mode;
    },
    copyAttributes: (pairs: readonly AttributePair[]) =>
      pairs.map(({ from, to }) => {
        step(machine, `attributes ${to}`);
        const [source, target] = [fileAt(machine, from), fileAt(machine, to)];
        if (!platter.copiesAttributes) return false;
        target.mode = source.mode;
        target.owner = source.owner;
        return true;
      }),
    sync(path: string) {
      step(machine, `sync ${path}`);
      const node = get(machine, path);
      if (!node.isDirectory) {
        node.synced = node.bytes;
        return;
      }
      const touches = (changes: NameChange): boolean => changes.some(({ directory }) => directory === node.inode);
      for (const changes of platter.pending.filter(touches)) applySynced(platter.nodes, changes);
      platter.pending = platter.pending.filter((changes) => !touches(changes));
    },
  };
}

/**
 * The lowest number that no file has or could have after a power cut: new files often reuse the number of a deleted
 * one.
 */
function freeInode({ nodes, pending }: Platter): number {
  const used = new Set<number>([root]);
  for (const { names, syncedNames } of nodes.values()) {
    for (const inode of names.values()) used.add(inode);
    for (const inode of syncedNames.values()) used.add(inode);
  }
  for (const changes of pending) for (const { to } of changes) if (to !== undefined) used.add(to);
  let inode = root;
  while (used.has(inode)) inode++;
  return inode;
}

function nameCalls(machine: Machine) {
  return {
    link(from: string, to: string) {
      step(machine, `link ${to}`);
      const { inode } = fileAt(machine, from);
      checkFree(machine, to);
      setNames(machine, [[to, inode]]);
    },
    rename(from: string, to: string) {
      step(machine, `rename ${to}`);
      const { inode } = fileAt(machine, from);
      // If both names refer to the same file, POSIX keeps both.
      if (find(machine, to)?.inode === inode) return;
      setNames(machine, [
        [from, undefined],
        [to, inode],
      ]);
    },
    unlink(path: string) {
      if (find(machine, path) === undefined) throw systemError("ENOENT", path);
      step(machine, `unlink ${path}`);
      fileAt(machine, path);
      setNames(machine, [[path, undefined]]);
    },
    makeDirectory(path: string, mode: number) {
      step(machine, `mkdir ${path}`);
      checkFree(machine, path);
      const inode = freeInode(machine.platter);
      machine.platter.nodes.set(inode, directoryNode(inode, mode));
      setNames(machine, [[path, inode]]);
    },
    removeDirectory(path: string) {
      step(machine, `rmdir ${path}`);
      if (get(machine, path).names.size > 0) throw systemError("ENOTEMPTY", path);
      setNames(machine, [[path, undefined]]);
    },
  };
}

function applySynced(nodes: ReadonlyMap<number, Node>, changes: NameChange): void {
  for (const { directory, name, to } of changes) {
    const names = nodes.get(directory)?.syncedNames;
    if (to === undefined) names?.delete(name);
    else names?.set(name, to);
  }
}

/** Any subset of the unsynced name changes may survive, as may any sectors of unsynced bytes. */
function cut({ nodes, pending, copiesAttributes }: Platter, choose: Choose): Platter {
  const kept = new Map<number, Node>();
  for (const [inode, node] of nodes) {
    const bytes = node.isDirectory || node.bytes === node.synced ? node.bytes : sectors(node, choose);
    kept.set(inode, { ...node, bytes, synced: bytes, names: new Map(), syncedNames: new Map(node.syncedNames) });
  }
  // In half of the cases, a random part of the name changes survives; in a quarter each, all of them or none do.
  const mood = choose(4);
  for (const changes of pending) if (mood === 0 || (mood !== 1 && choose(2) === 0)) applySynced(kept, changes);
  for (const node of kept.values()) for (const [name, inode] of node.syncedNames) node.names.set(name, inode);
  return { nodes: kept, pending: [], copiesAttributes };
}

function copied({ nodes, pending, copiesAttributes }: Platter): Platter {
  const kept = new Map<number, Node>();
  for (const [inode, node] of nodes) {
    kept.set(inode, { ...node, names: new Map(node.names), syncedNames: new Map(node.syncedNames) });
  }
  return { nodes: kept, pending: [...pending], copiesAttributes };
}

function sectors({ bytes, synced = Buffer.alloc(0) }: Node, choose: Choose): Buffer {
  const mood = choose(4);
  if (mood < 2) return mood === 0 ? bytes : synced;
  const length = choose(2) === 0 ? bytes.length : Math.max(bytes.length, synced.length);
  const out = Buffer.alloc(length);
  for (let at = 0; at < length; at += 512) {
    const side = choose(2) === 0 ? bytes : synced;
    out.set(side.subarray(at, at + 512).subarray(0, length - at), at);
  }
  return out;
}
