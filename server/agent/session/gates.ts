/** The user's gates outside of the editor that they are set in: those of other sessions, and those of the settings file. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../../text/limits.js";
import { codeOf } from "../../workspace/identity.js";
import { isInside } from "../../workspace/pathText.js";
import { type FileGate, toGate } from "../../workspace/protection.js";
import { configFolder } from "../../workspace/serverFolder.js";
import { defaultSettings, type Settings } from "../../workspace/settings.js";
import { sessionProblems, settingsFileProblems } from "../sentences.js";
import { type ClosedRecord, readRecords, type SessionRecord } from "./record.js";

/**
 * Returns the gates of all announced sessions but one. They are in the sessions' records, so they hold even while a
 * session does not answer. `except`: the id of the session that is asking.
 */
export function announcedGates(directory: string, except?: string): FileGate[] {
  try {
    const { records, closed } = readRecords(directory);
    return [...records, ...closed].filter(({ id }) => id !== except).map(toAnnouncedGate);
  } catch {
    // If the records can't be read, no other session can be found either, and calls say so.
    return [];
  }
}

function toAnnouncedGate(record: SessionRecord | ClosedRecord): FileGate {
  const { confirm = defaultSettings.confirm, protectedNames = defaultSettings.protectedNames } = record.gates ?? {};
  // Nobody else may change the files of a closed session, so there is nothing to ask about.
  return { ...toGate({ confirm: "closed" in record ? [] : confirm, protectedNames }), holds: heldBy(record) };
}

/**
 * Returns the absolute, canonical paths of the folders and files that a session has; `undefined` if its record was too
 * large to list them.
 */
function heldBy({ folders, outside = [], gates }: SessionRecord | ClosedRecord): string[] | undefined {
  if (gates?.everywhere === true) return undefined;
  return [...folders.map(({ path }) => path), ...outside].filter((path) => path !== "").map(canonical);
}

/** Returns the warnings about sessions that have one of the files but count as gone, because nobody renews their records. */
export function warningsAbout(directory: string, files: readonly string[]): string[] {
  try {
    return readRecords(directory).stale.flatMap(({ record, problem }) => (holds(record, files) ? [problem] : []));
  } catch {
    return [];
  }
}

/** Reports whether a session has one of the files, given as absolute, canonical paths. */
export function holds(record: SessionRecord | ClosedRecord, files: readonly string[]): boolean {
  const held = heldBy(record);
  return held === undefined || files.some((file) => held.some((path) => isInside(path, file)));
}

function canonical(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // The path does not exist any more.
    return path;
  }
}

/** Returns the part of a session's settings that its record announces; `undefined` if it has the defaults. */
export function gatesToAnnounce({ confirm, protectedNames }: Settings): SessionRecord["gates"] {
  const isDefault = JSON.stringify(protectedNames) === JSON.stringify(defaultSettings.protectedNames);
  if (isDefault && confirm === defaultSettings.confirm) return undefined;
  const asked = typeof confirm === "string" ? confirm : [...confirm];
  return isDefault ? { confirm: asked } : { confirm: asked, protectedNames };
}

/** The user's settings file. */
export interface UserSettings {
  /** The path of the file, which may not exist. */
  readonly path: string;
  /** The file's content, which may be any JSON value; `undefined` if there is no file, or if it does not count. */
  readonly value: unknown;
  /** A sentence that says why the file is not used as it is; `undefined` if it is, or if there is none. */
  readonly problem: string | undefined;
}

/**
 * Reads the settings that hold for files that no editor has in a folder. A file in the workspace does not count, because
 * a repository or an agent could have put it there. If the file can't be used, the user's wishes are not known, so the
 * user must agree to every change.
 */
export function readUserSettings(workspace: string): UserSettings {
  const path = join(configFolder(), "settings.json");
  try {
    const real = realpathSync.native(path);
    if (isInside(canonical(workspace), real)) {
      return { path, value: undefined, problem: sessionProblems.settingsInWorkspace(path, workspace) };
    }
    const stats = statSync(real);
    const isTheirs = process.platform !== "win32" && (stats.uid !== process.getuid?.() || (stats.mode & 0o022) !== 0);
    if (isTheirs) return unusable(path, settingsFileProblems.foreign);
    const most = limits.settingsFileBytes;
    if (stats.size > most) return unusable(path, settingsFileProblems.tooLarge(most));
    const value: unknown = JSON.parse(readFileSync(real, "utf8"));
    return { path, value, problem: undefined };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { path, value: undefined, problem: undefined };
    return unusable(path, code);
  }
}

function unusable(path: string, problem: string): UserSettings {
  return { path, value: { confirm: "always" }, problem: sessionProblems.badSettings(path, problem) };
}
