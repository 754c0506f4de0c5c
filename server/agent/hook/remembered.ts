/** The calls that were applied for an agent, so that its own tool never runs as well, even if the agent sends it again. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../../text/limits.js";
import { inServerFolder, makePrivate } from "../../workspace/serverFolder.js";
import { removeQuietly } from "../session/record.js";

/** The memory of one call. */
export interface CallMemory {
  /** The answer to the call; an empty text if the call was sent to an editor and its outcome is unknown. */
  recall(): string | undefined;
  /** Notes that the call is about to be sent; returns `false` if another process has done so. */
  claim(): boolean;
  /** Keeps the answer. */
  keep(answer: string): void;
  /** Forgets the call, because nothing was changed. */
  forget(): void;
}

/** Returns the memory of a call. `name`: the agent; `id`: `undefined` if calls have none, so that each is a new one. */
export function memoryOf(name: string, id: string | undefined): CallMemory {
  if (id === undefined) return { recall: () => undefined, claim: () => true, keep() {}, forget() {} };
  const folder = inServerFolder("hooks");
  const path = join(folder, `${createHash("sha256").update(`${name} ${id}`).digest("hex")}.txt`);
  return {
    recall() {
      try {
        if (!isOld(path)) return readFileSync(path, "utf8");
        removeQuietly(path);
        return undefined;
      } catch {
        return undefined;
      }
    },
    claim() {
      // Without a private folder, nothing can be remembered, but the call can be applied.
      if (makePrivate(folder) !== undefined) return true;
      removeOld(folder);
      try {
        writeFileSync(path, "", { mode: 0o600, flag: "wx" });
      } catch (error) {
        return !(error instanceof Error && "code" in error && error.code === "EEXIST");
      }
      return true;
    },
    keep(answer) {
      const temporary = `${path}.${process.pid}.tmp`;
      try {
        writeFileSync(temporary, answer, { mode: 0o600 });
        renameSync(temporary, path);
      } catch {
        // The empty file remains, and the outcome counts as unknown.
        removeQuietly(temporary);
      }
    },
    forget: () => removeQuietly(path),
  };
}

/** Reports whether a file is too old to count; throws if there is none. */
const isOld = (path: string): boolean => Date.now() - statSync(path).mtimeMs > limits.hookMemoryMs;

function removeOld(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (isOld(path)) removeQuietly(path);
    }
  } catch {
    // Another process may have removed the file already.
  }
}
