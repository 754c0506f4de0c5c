/** Notes which agent is about to write a file with a tool of its own, for the editor that has the file open. */
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { limits } from "../text/limits.js";
import { hashOf } from "../workspace/files.js";
import { inServerFolder, makePrivate, privacyProblem, replacePrivate } from "../workspace/serverFolder.js";
import { callerSchema } from "./journal.js";

/** The forms of what is noted. */
const note = v.object({
  path: v.string(),
  /** Milliseconds since 1970. */
  at: v.number(),
  by: callerSchema,
});

/** An agent that writes a file, and when it said so. */
export type WriterNote = v.InferOutput<typeof note>;

const noteOf = (path: string): string => join(inServerFolder("writers"), `${hashOf(path).slice(0, 24)}.json`);

/** Notes that an agent is about to write files, given by their canonical paths. It does not matter if this fails. */
export function noteWriter(paths: readonly string[], by: WriterNote["by"]): void {
  const folder = inServerFolder("writers");
  if (makePrivate(folder) !== undefined) return;
  try {
    const oldest = Date.now() - limits.writerMs;
    for (const name of readdirSync(folder))
      if (statSync(join(folder, name)).mtimeMs < oldest) rmSync(join(folder, name), { force: true });
    for (const path of paths) replacePrivate(noteOf(path), JSON.stringify({ path, at: Date.now(), by }));
  } catch {
    // The editor then shows the change as that of another program.
  }
}

/** Returns the agent that has just said that it writes a file; `undefined` if there is none. */
export function writerOf(path: string): WriterNote | undefined {
  try {
    if (privacyProblem(inServerFolder("writers")) !== undefined) return undefined;
    const read = v.safeParse(note, JSON.parse(readFileSync(noteOf(path), "utf8")));
    const isValid = read.success && read.output.path === path && Date.now() - read.output.at <= limits.writerMs;
    return isValid ? read.output : undefined;
  } catch {
    return undefined;
  }
}
