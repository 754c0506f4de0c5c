/**
 * Finds out, after one of an agent's own tools has run, what the agent can't know of unsaved text: which files with such
 * text have changed on disk, without reading any command, and which ones a search has not seen as they are.
 */
import { statSync } from "node:fs";
import type { OwnWritesResult } from "../../lsp/diagnostics/protocol.js";
import type { Caller, PlaceLines, ReadResult } from "../../lsp/protocol.js";
import type { RequestResult } from "../../session/awaitAnswer.js";
import { connect, type SessionConnection } from "../../session/connect.js";
import { canonicalPaths } from "../../session/holders.js";
import { holds, readRecords, type SessionRecord } from "../../session/record.js";
import type { LiveSession } from "../../session/sessions.js";
import { limits } from "../../text/limits.js";
import { mapBounded } from "../../workspace/identity.js";
import { isInside } from "../../workspace/pathText.js";
import type { StampMemory } from "./remembered.js";
import { fileStates } from "./unsaved.js";

/** Sends a request for lines of a text, 1-based; by default, for none, so that the agent is shown none. */
type Asker = (session: LiveSession, path: string, lines?: PlaceLines) => Promise<RequestResult>;

/** A file that has changed on disk while an editor had unsaved text in it. */
export interface ChangedUnder {
  readonly path: string;
  /** Where the change was merged into the unsaved text, and the first of these lines; `undefined` if it was not merged. */
  readonly merged: { readonly lines: readonly PlaceLines[]; readonly first: string } | undefined;
}

/**
 * Returns the files that the agent must be told about: their stamps differ from those at the agent's tool before, and
 * their editor says that the disk has changed under its unsaved text, or that the change was merged into it. `sessions`:
 * where sessions are announced.
 */
export async function changedUnder(
  sessions: string,
  caller: Caller,
  memory: StampMemory,
  ask: Asker,
): Promise<readonly ChangedUnder[]> {
  const stamps = stampsOf(announcedIn(sessions));
  const before = memory.recall();
  const suspects = Object.keys(stamps).filter((path) => stamps[path] !== before[path]);
  if (suspects.length === 0) return [];
  const { states, close } = await fileStates({ paths: suspects, mayTouch: undefined }, sessions, caller);
  try {
    const changed: ChangedUnder[] = [];
    for (const [path, state] of states) {
      if (state.kind !== "unsaved") continue;
      const read = await ask(state.session, path);
      // Its editor may be asked again after the next tool.
      if (!read.ok) delete stamps[path];
      const { changedOnDisk, mergedFromDisk: lines } = (read.ok ? read.result : {}) as Partial<ReadResult>;
      const [place] = lines ?? [];
      const shown = place && (await ask(state.session, path, { startLine: place.startLine, endLine: place.startLine }));
      const first = shown?.ok === true ? (shown.result as ReadResult).text.trim() : "";
      if (lines !== undefined) changed.push({ path, merged: { lines, first } });
      else if (changedOnDisk === true) changed.push({ path, merged: undefined });
    }
    memory.keep(stamps);
    return changed;
  } finally {
    close();
  }
}

/**
 * Returns the files with unsaved text in a folder that was searched; the folder may also be a file. `folder`: the canonical
 * path.
 */
export const unseenBySearch = (sessions: string, folder: string): readonly string[] =>
  announcedIn(sessions).filter((path) => isInside(folder, path));

/**
 * Returns what the user says of the agent's changes and what other language servers report since a tool has written files, as
 * sentences. Only editors that can say so and that have one of the files, or its folder, are asked. `files`: absolute paths.
 */
export async function newsAfter(
  sessions: string,
  caller: Caller,
  files: readonly string[],
  ask: (session: SessionConnection, files: readonly string[]) => Promise<RequestResult>,
): Promise<readonly string[]> {
  const telling = files.length === 0 ? [] : recordsIn(sessions).filter(({ tellsWriters }) => tellsWriters === true);
  if (telling.length === 0) return [];
  const names = await canonicalPaths(files);
  const answers = await mapBounded(
    telling.filter((record) => holds(record, names)),
    async (record) => {
      const connection = await connect(record, caller, limits.strangerMs);
      if (!connection.ok) return [];
      const answer = await ask(connection.session, [...new Set([...files, ...names])]);
      connection.session.close();
      return answer.ok ? (answer.result as OwnWritesResult).sentences : [];
    },
  );
  return [...new Set(answers.flat())];
}

/** Returns the files in which sessions have announced unsaved text. */
const announcedIn = (sessions: string): readonly string[] =>
  [...new Set(recordsIn(sessions).flatMap(({ unsaved = [] }) => unsaved))].slice(0, limits.commandStamps);

function recordsIn(sessions: string): readonly SessionRecord[] {
  try {
    return readRecords(sessions).records;
  } catch {
    // Without records that can be read, nobody can be asked.
    return [];
  }
}

/** Returns what changes if a file is written, by path; a file that can't be looked at has an empty text. */
function stampsOf(paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, stampOf(path)]));
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return "";
  }
}
