/** Adds this program to the configuration of another program, or removes it there, and shows the difference. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { diffWordsWithSpace } from "diff";
import { codeOf } from "../../../workspace/identity.js";
import { type Input, unreadable } from "../input.js";
import { configureSentences } from "../sentences.js";
import type { ConfigFile } from "./configFile.js";

/** One file that is to be changed; a text is `undefined` if there is no file. */
interface ConfigChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Changes the files and returns the difference as text. Changes nothing if one of the files can't be read or parsed. */
export function configure(files: readonly ConfigFile[], task: "add" | "remove"): Input<string> {
  const changes: ConfigChange[] = [];
  for (const file of files) {
    const change = changeOf(file, task);
    if (!change.ok) return unreadable(configureSentences.refused(file.path, change.problem));
    if (change.value.before !== change.value.after) changes.push(change.value);
  }
  for (const change of changes) {
    try {
      write(change);
    } catch (error) {
      return unreadable(configureSentences.unwritable(change.path, codeOf(error)));
    }
  }
  return { ok: true, value: changes.length === 0 ? configureSentences.nothing(task) : changes.map(show).join("\n") };
}

function changeOf(file: ConfigFile, task: "add" | "remove"): Input<ConfigChange> {
  let path = file.path;
  let before: string | undefined;
  try {
    path = targetOf(file.path);
    before = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof TypeError) return unreadable(configureSentences.notUtf8);
    if (codeOf(error) !== "ENOENT") return unreadable(configureSentences.unreadable(codeOf(error)));
  }
  if (task === "remove" && before === undefined) return { ok: true, value: { path, before, after: undefined } };
  const after = task === "add" ? file.add(before) : file.remove(before ?? "");
  if (!after.ok) return after;
  // Renaming another file onto it would need no permission to write it.
  const isReadOnly = before !== undefined && before !== after.value && (modeOf(path) & 0o200) === 0;
  if (isReadOnly) return unreadable(configureSentences.readOnly);
  return { ok: true, value: { path, before, after: after.value } };
}

/** Follows links, also if the file at their end does not exist yet. */
function targetOf(path: string): string {
  let target = path;
  // A longer chain of links fails when the file is read.
  for (let links = 0; links < 40; links++) {
    const next = linkAt(target);
    if (next === undefined) break;
    target = resolve(realpathSync(dirname(target)), next);
  }
  return existsSync(target) ? realpathSync(target) : target;
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // It is no link, or does not exist.
    return undefined;
  }
}

/** Replaces the file at once, so that a program that reads it sees the old or the new text; keeps its mode. */
function write({ path, after }: ConfigChange): void {
  if (after === undefined) {
    rmSync(path);
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.multi-edit-${process.pid}`;
  writeFileSync(fresh, after, { flag: "wx", mode: 0o600 });
  chmodSync(fresh, modeOf(path));
  renameSync(fresh, path);
}

function modeOf(path: string): number {
  try {
    return statSync(path).mode & 0o7777;
  } catch {
    // There is no file yet. It may hold secrets later.
    return 0o600;
  }
}

/** The number of lines of a whole file that are shown. */
const mostLinesShown = 40;

/**
 * Returns the difference as lines of a diff, without the rest of these lines: other settings may be secret, and may be on
 * the same line. Of a long file that is created or deleted as a whole, returns only the path and the length.
 */
function show(change: ConfigChange): string {
  const { path, before = "", after = "" } = change;
  const isWhole = change.before === undefined || change.after === undefined;
  const lines = `${before}${after}`.trimEnd().split("\n").length;
  if (isWhole && lines > mostLinesShown) {
    return configureSentences.wholeFile(path, lines, before === "" ? "add" : "remove");
  }
  const start = sharedLength(before, after);
  const end = sharedLength(reversed(before.slice(start)), reversed(after.slice(start)));
  const changed = (text: string): string => text.slice(start, text.length - end);
  let line = before.slice(0, start).split("\n").length;
  const parts = diffWordsWithSpace(changed(before), changed(after)).flatMap(({ value, added, removed }) => {
    const lines = value.split(/\r?\n/);
    const shown = lines.filter((one) => /[^\s,]/.test(one)).map((one) => `${added ? "+" : "-"}${one}`);
    const at = line;
    if (!removed) line += lines.length - 1;
    if (!(added || removed) || shown.length === 0) return [];
    return [`@@ line ${at + (/^\s*,?\s*\n/.test(value) ? 1 : 0)} @@`, ...shown];
  });
  return [`--- ${path}`, `+++ ${path}`, ...parts, ""].join("\n");
}

/** Returns the number of characters that both texts start with. */
function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

const reversed = (text: string): string => text.split("").reverse().join("");
