/**
 * Notes by which an agent's hook says that the agent is about to write a file, so that the session of an editor that has the
 * file open knows who has written it.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { oneLine } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { inServerFolder, privacyProblem } from "./serverFolder.js";

/** A note about a file. */
export interface WriteNote {
  /** Name of the agent. */
  readonly writer: string;
  /** Time of the note, in milliseconds since 1970. */
  readonly at: number;
}

/** Returns the path of the note about a file, which is given by its canonical path. */
export const writeNoteAt = (file: string): string =>
  join(inServerFolder("hooks"), `${createHash("sha256").update(file).digest("hex")}.writer`);

/** Returns the latest note about a file; `undefined` if there is none that can be trusted. */
export function readWriteNote(file: string): WriteNote | undefined {
  try {
    if (privacyProblem(inServerFolder("hooks")) !== undefined) return undefined;
    const path = writeNoteAt(file);
    const writer = oneLine(readFileSync(path, "utf8"), limits.agentName);
    return writer === undefined ? undefined : { writer, at: statSync(path).mtimeMs };
  } catch {
    return undefined;
  }
}
