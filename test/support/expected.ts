/**
 * The result of applying a page's diff to its files with git: the texts that the core and the server must both produce.
 */
import type { Case, CaseFile } from "./cases.js";
import { decodeFile } from "./editorFiles.js";
import { applyDiff } from "./gitApply.js";

/** A file in the editor and on disk. */
export interface FileState {
  /** The text in the editor; `undefined` if the file is not open. */
  readonly synced?: string;
  /** The bytes on disk; `undefined` if the file does not exist. */
  readonly disk?: Buffer;
}

/**
 * The handling of files that are not open: a client that applies an answer writes them to disk, and an editor that
 * handles a request opens them.
 */
export type Unopened = "written" | "opened";

/** Every file of a case after its call. Throws if git refuses the page's diff. */
export function expectedFiles(one: Case, unopened: Unopened): Map<string, FileState> {
  const expected = new Map<string, FileState>(one.files.map(({ path, ...file }) => [path, stateOf(file)]));
  const { diff } = one.outcome;
  if (diff === undefined || diff === "nothing changes\n") return expected;
  const pathOf = new Map(one.files.map((file) => [pathInDiff(one, file.path), file.path]));
  const before = new Map(one.files.map((file) => [pathInDiff(one, file.path), bytesOf(file)]));
  const after = applyDiff(before, diff);
  const renamed = new Map(
    [...diff.matchAll(/^rename from (.*)\nrename to (.*)$/gm)].map(([, from, to]) => [to!, from!]),
  );
  const left = new Set(renamed.values());
  const states = new Map(expected);
  for (const name of before.keys()) if (!after.has(name)) expected.delete(pathOf.get(name) ?? name);
  for (const [name, bytes] of after) {
    const source = renamed.get(name) ?? name;
    // A file that now has a renamed file's old name is a different file.
    const isNew = source === name && left.has(name);
    if (source === name && !isNew && before.get(name)?.equals(bytes) === true) continue;
    const path = pathOf.get(source) ?? source;
    const state = isNew ? undefined : states.get(path);
    const isSame = !isNew && before.get(source)?.equals(bytes) === true;
    expected.set(pathOf.get(name) ?? name, state !== undefined && isSame ? state : changed(state, bytes, unopened));
  }
  return expected;
}

/** The authoritative text, without its byte order mark: the editor's if the file is open, otherwise the disk's. */
export function textOf({ synced, disk }: FileState): string {
  return synced?.replace(/^\ufeff/, "") ?? decodeFile(disk!).text;
}

function stateOf({ synced, disk }: FileState): FileState {
  return { ...(synced === undefined ? {} : { synced }), ...(disk === undefined ? {} : { disk }) };
}

function changed(before: FileState | undefined, bytes: Buffer, unopened: Unopened): FileState {
  const { text } = decodeFile(bytes);
  if (before?.synced !== undefined)
    return { ...before, synced: before.synced.startsWith("\ufeff") ? `\ufeff${text}` : text };
  if (unopened === "written" || (before === undefined && text === "")) return { disk: bytes };
  return { synced: text, disk: before?.disk ?? Buffer.of() };
}

/** The input for git: the authoritative text, with the byte order mark that the diff must show. */
function bytesOf({ synced, disk, bom }: CaseFile): Buffer {
  if (synced === undefined) return disk!;
  return Buffer.from(bom && !synced.startsWith("\ufeff") ? `\ufeff${synced}` : synced);
}

/** A diff names a file relative to its workspace folder or, if it is in none, relative to the root, as git does. */
function pathInDiff({ folders }: Case, path: string): string {
  if (folders.includes(".")) return path;
  const folder = folders.find((name) => path.startsWith(`${name}/`));
  return folder === undefined ? `project/${path}` : path.slice(folder.length + 1);
}
