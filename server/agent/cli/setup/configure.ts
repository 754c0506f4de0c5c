/** Adds this program to the configuration of another program, or removes it there, and shows the difference. */
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createTwoFilesPatch } from "diff";
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
    path = realpathSync(file.path);
    before = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (codeOf(error) !== "ENOENT") return unreadable(configureSentences.unreadable(codeOf(error)));
  }
  if (task === "remove" && before === undefined) return { ok: true, value: { path, before, after: undefined } };
  const after = task === "add" ? file.add(before) : file.remove(before ?? "");
  return after.ok ? { ok: true, value: { path, before, after: after.value } } : after;
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

/** The difference without context, because other settings in the file may be secret. */
function show({ path, before = "", after = "" }: ConfigChange): string {
  const patch = createTwoFilesPatch(path, path, before, after, "", "", { context: 0 });
  return patch.slice(patch.indexOf("\n") + 1);
}
