/** Adds this program to the configuration of another program, or removes it there, and shows the difference. */

import { existsSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { diffArrays } from "diff";
import { stage } from "../../disk/commit.js";
import type { DiskChange } from "../../disk/diskChange.js";
import { userWorkspace } from "../../disk/diskWorkspace.js";
import { attempt, type FileStat, realFileSystem } from "../../disk/fileSystem.js";
import { addressedToUser } from "../../lsp/edit/forPeople.js";
import type { Failure } from "../../plan/failure.js";
import { limits } from "../../text/limits.js";
import { hashOf } from "../../workspace/files.js";
import { canonicalise, codeOf } from "../../workspace/identity.js";
import { isInside } from "../../workspace/pathText.js";
import { fileProblems } from "../../workspace/sentences.js";
import { inServerFolder } from "../../workspace/serverFolder.js";
import { inHome } from "../shared/inHome.js";
import { type Input, unreadable } from "../shared/input.js";
import type { ConfigFile, OurRange } from "./configFile.js";
import { configureSentences } from "./sentences.js";

/** A configuration file as it is now. */
interface Present {
  /** The canonical path. */
  readonly path: string;
  /** `undefined` if there is no file. */
  readonly text: string | undefined;
  /** SHA-256 of the bytes, in hex; `undefined` if there is no file. */
  readonly hash: string | undefined;
  readonly stat: FileStat | undefined;
}

/** One file that is to be changed; a text is `undefined` if there is no file. */
interface ConfigChange extends Present {
  readonly file: ConfigFile;
  readonly after: string | undefined;
}

/** Changes the files, all or none, and returns the difference. Starts again if another program changes one. */
export async function configure(files: readonly ConfigFile[], task: "add" | "remove"): Promise<Input<string>> {
  const end = performance.now() + limits.turnMs;
  for (;;) {
    const changes: ConfigChange[] = [];
    for (const file of files) {
      const change = await changeOf(file, task);
      if (!change.ok) return unreadable(configureSentences.refused(inHome(file.path), change.problem));
      if (change.value.text !== change.value.after) changes.push(change.value);
    }
    if (changes.length === 0) return { ok: true, value: configureSentences.nothing(task) };
    const failures = await write(changes);
    if (failures.length === 0) return { ok: true, value: changes.map(show).join("\n") };
    if (!failures.every(isPassing))
      return unreadable(failures.map(({ message }) => addressedToUser(message)).join("\n"));
    if (performance.now() > end)
      return unreadable(configureSentences.keepsChanging(files.map(({ path }) => inHome(path))));
    await delay(Math.random() * pauseMs);
  }
}

/** The longest pause before the next attempt, in milliseconds. */
const pauseMs = 50;

/** Reports whether a failure means that another program, or another of these commands, has just been quicker. */
const isPassing = ({ code, path }: Failure): boolean =>
  code === "contentModified" || (code === "locked" && path === undefined);

/** Reads a configuration file, following links. Never opens a pipe or a device, which might wait for ever. */
export async function readConfig(spelt: string): Promise<Input<Present>> {
  const canonical = canonicalise(spelt);
  if (!canonical.ok) return unreadable(configureSentences.unreadable(canonical.problem));
  const { path } = canonical;
  try {
    const stat = realFileSystem.look(path);
    if (stat === undefined) return { ok: true, value: { path, text: undefined, hash: undefined, stat } };
    if (stat.kind === "directory") return unreadable(fileProblems.system("EISDIR"));
    if (stat.kind !== "file") return unreadable(fileProblems.notRegular(stat.kind));
    const bytes = realFileSystem.read(path, limits.fileBytes);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ok: true, value: { path, text, hash: hashOf(bytes), stat } };
  } catch (error) {
    if (error instanceof TypeError) return unreadable(configureSentences.notUtf8);
    return unreadable(configureSentences.unreadable(fileProblems.system(codeOf(error))));
  }
}

async function changeOf(file: ConfigFile, task: "add" | "remove"): Promise<Input<ConfigChange>> {
  const present = await readConfig(file.path);
  if (!present.ok) return present;
  const { text, stat } = present.value;
  if (task === "remove" && text === undefined) return { ok: true, value: { ...present.value, file, after: undefined } };
  const after = task === "add" ? file.add(text) : file.remove(text ?? "");
  if (!after.ok) return after;
  // The superuser may write such a file, too, but its owner does not want it to be written.
  const isReadOnly = stat !== undefined && text !== after.value && (stat.mode & 0o200) === 0;
  if (isReadOnly) return unreadable(configureSentences.readOnly);
  return { ok: true, value: { ...present.value, file, after: after.value } };
}

/** Writes the files as one batch on disk, with their owners and modes. Fails if one is not as it was read. */
async function write(changes: readonly ConfigChange[]): Promise<readonly Failure[]> {
  const workspace = userWorkspace(changes.map(({ path }) => dirname(path)));
  const batch = changes.map(({ path, hash, after }): DiskChange => {
    const at = { path, name: inHome(path) };
    if (after === undefined) return { kind: "delete", ...at, hash };
    const content = { bytes: Buffer.from(after) };
    // A new file is private, because it may hold secrets later.
    return hash === undefined
      ? { kind: "create", ...at, content, mode: 0o600 }
      : { kind: "update", ...at, hash, content };
  });
  const staged = stage(workspace, batch, configureSentences.label);
  if (!staged.ok) {
    return staged.failures.map((one) => ({ ...one, message: configureSentences.unchanged(one.message) }));
  }
  const done = staged.commit();
  if (done.outcome !== "applied") return [done.failure];
  done.finish();
  noteMade(staged.directories);
  removeMade(changes.flatMap(({ path, after }) => (after === undefined ? [path] : [])));
  return [];
}

/** The number of lines of a whole file that are shown. */
const mostLinesShown = 60;

/** A line of our part of a file. `number` is 1-based. */
interface OurLine {
  readonly text: string;
  readonly number: number;
}

/** Returns our part's diff only: other settings may be secret. Of a long whole file, returns path and length. */
function show({ file, text, after }: ConfigChange): string {
  const path = inHome(file.path);
  const whole = text === undefined ? after : after === undefined ? text : undefined;
  const lines = whole?.trimEnd().split("\n").length ?? 0;
  if (lines > mostLinesShown) return configureSentences.wholeFile(path, lines, text === undefined ? "add" : "remove");
  const linesOf = (one: string | undefined): OurLine[] =>
    one === undefined
      ? []
      : whole === undefined
        ? file.ours(one).flatMap((range) => linesIn(one, range))
        : linesIn(one);
  const parts = diffArrays(linesOf(text), linesOf(after), { comparator: (one, other) => one.text === other.text });
  let last: { readonly sign: string; readonly number: number } | undefined;
  const shown: string[] = [];
  for (const { value, added, removed } of parts) {
    const sign = added ? "+" : "-";
    if (!added && !removed) last = undefined;
    else {
      for (const { text: line, number } of value) {
        const isNext = last !== undefined && (last.sign !== sign ? last.sign === "-" : last.number + 1 === number);
        if (!isNext) shown.push(`@@ line ${number} @@`);
        shown.push(sign + line);
        last = { sign, number };
      }
    }
  }
  return [`--- ${path}`, `+++ ${path}`, ...shown, ""].join("\n");
}

/** Returns the lines of a range, by default of the whole text; the first one has the spaces before it. */
function linesIn(text: string, [from, to]: OurRange = [0, text.trimEnd().length]): OurLine[] {
  const indent = /(?<=^|\n)[ \t]*$/.exec(text.slice(0, from))?.[0] ?? "";
  const first = text.slice(0, from).split("\n").length;
  return `${indent}${text.slice(from, to)}`
    .trimEnd()
    .split(/\r?\n/)
    .map((line, index) => ({ text: line, number: first + index }));
}

/** The list of the folders that setup has made for configuration files, to be removed with these. */
const listPath = (): string => join(inServerFolder(), "madeFolders.txt");

/** Returns the canonical paths, one a line in the list; none if there is no list. */
function readMade(): readonly string[] {
  const text = attempt(() => readFileSync(listPath(), "utf8")).value ?? "";
  return text.split("\n").filter((path) => path !== "" && existsSync(path));
}

/** Notes that setup has made these folders. If it can't, they stay when the files are removed. */
function noteMade(folders: readonly string[]): void {
  if (folders.length === 0) return;
  const all = [...new Set([...readMade(), ...folders])];
  attempt(() => writeFileSync(listPath(), `${all.join("\n")}\n`, { mode: 0o600 }));
}

/** Removes the folders around removed files that setup has made and that are empty, the innermost first. */
function removeMade(files: readonly string[]): void {
  const made = readMade().filter((folder) => files.some((file) => isInside(folder, file)));
  for (const folder of [...made].sort((one, other) => other.length - one.length)) attempt(() => rmdirSync(folder));
}
