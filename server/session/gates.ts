/** The user's gates outside of the editor that they are set in: those of other sessions, and those of the settings file. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { limits } from "../text/limits.js";
import { codeOf } from "../workspace/identity.js";
import { isInside } from "../workspace/pathText.js";
import { type FileGate, toGate } from "../workspace/protection.js";
import { configFolder } from "../workspace/serverFolder.js";
import { defaultSettings, readSettings, type Settings } from "../workspace/settings.js";
import { type ClosedRecord, canonical, heldBy, holds, readRecords, type SessionRecord } from "./record.js";
import { sessionProblems, settingsFileProblems } from "./sentences.js";

/** Returns the gates in all sessions' records but `except`, which hold even while a session does not answer. */
export function announcedGates(directory: string, except?: string): FileGate[] {
  try {
    const { records, closed } = readRecords(directory, except);
    return [...records, ...closed].map(toAnnouncedGate);
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

/** Returns the warnings about sessions that have one of the files but count as gone, because nobody renews their records. */
export function warningsAbout(directory: string, files: readonly string[]): string[] {
  try {
    return readRecords(directory).stale.flatMap(({ record, problem }) => (holds(record, files) ? [problem] : []));
  } catch {
    return [];
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
  /** The settings in the file; the default ones if there is no file. */
  readonly settings: Settings;
  /** `true` if only the file's gates count, and in addition to the default ones, so that the file can't loosen anything. */
  readonly isStricterOnly: boolean;
  /** Sentences that say why the file is not used as it is. */
  readonly problems: readonly string[];
}

/** Reads the settings for files of no editor, which only add to the default gates; if unusable, the user must agree. */
export function readUserSettings(workspace: string): UserSettings {
  const path = join(configFolder(), "settings.json");
  let file: number | undefined;
  try {
    // Whatever the path leads to, opening it must not wait, for example for somebody to write to a pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile()) return unusable(path, settingsFileProblems.notRegular);
    const isTheirs = process.platform !== "win32" && (stats.uid !== process.getuid?.() || (stats.mode & 0o022) !== 0);
    if (isTheirs) return unusable(path, settingsFileProblems.foreign);
    const most = limits.settingsFileBytes;
    if (stats.size > most) return unusable(path, settingsFileProblems.tooLarge(most));
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    const inside = canonical(workspace);
    const isStricterOnly = [canonical(path), canonical(dirname(path)), path].some((one) => isInside(inside, one));
    const { settings, warnings } = readSettings([value], { failsClosed: true });
    const wrong = warnings.length > 0 ? [sessionProblems.wrongSettings(path, warnings)] : [];
    const problems = [...(isStricterOnly ? [sessionProblems.settingsInWorkspace(path, workspace)] : []), ...wrong];
    return { path, settings, isStricterOnly, problems };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") {
      return { path, settings: defaultSettings, isStricterOnly: false, problems: [] };
    }
    return unusable(path, error instanceof SyntaxError ? settingsFileProblems.notJson : code);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function unusable(path: string, problem: string): UserSettings {
  const settings = { ...defaultSettings, confirm: "always" as const };
  return { path, settings, isStricterOnly: false, problems: [sessionProblems.badSettings(path, problem)] };
}
