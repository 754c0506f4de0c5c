/**
 * The calls that were applied for an agent, so that its own tool never runs as well, even if the agent sends it again; and
 * those that one of an agent's two hooks is applying.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { removeQuietly } from "../../session/record.js";
import { limits } from "../../text/limits.js";
import { codeOf } from "../../workspace/identity.js";
import { inServerFolder, makePrivate, replacePrivate } from "../../workspace/serverFolder.js";

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
  const path = noteAt(name, id, "txt");
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
    // Without a private folder, nothing can be remembered, but the call can be applied.
    claim: () => write(path, "", "wx") !== "exists",
    keep(answer) {
      try {
        if (makePrivate(dirname(path)) === undefined) replacePrivate(path, answer);
      } catch {
        // The empty file remains, and the outcome counts as unknown.
      }
    },
    forget: () => removeQuietly(path),
  };
}

/** The stamps of files, by path, as they were at an agent's last command. */
export interface StampMemory {
  recall(): Readonly<Record<string, string>>;
  keep(stamps: Readonly<Record<string, string>>): void;
}

/** Returns the memory of an agent's conversation. Without a private folder, nothing is remembered. */
export function stampMemoryOf(name: string, conversation: string): StampMemory {
  const path = noteAt(name, conversation, "stamps");
  return {
    recall() {
      try {
        return Object(JSON.parse(readFileSync(path, "utf8")));
      } catch {
        return {};
      }
    },
    // If that fails, the agent may be told twice.
    keep: (stamps) => void write(path, JSON.stringify(stamps)),
  };
}

/** Two hooks of one agent, of which one applies a call and the other one would turn it away. */
export interface HookPair {
  /** Called by the hook that applies calls: it has got this one. */
  note(): void;
  /** Waits for a short time until the other hook has noted the call; resolves with `false` if it has not. */
  isNoted(): Promise<boolean>;
}

/** Returns what the hooks of an agent need to share a call. `key`: the same for both. */
export function hookPairOf(name: string, key: string): HookPair {
  const path = noteAt(name, key, "noted");
  const isNew = (): boolean => {
    try {
      // An equal call that was noted earlier, before this hook started, is another one.
      return statSync(path).mtimeMs > performance.timeOrigin - limits.hookPairMs;
    } catch {
      return false;
    }
  };
  return {
    // If that fails, the other hook turns the call away as well, which is safe.
    note: () => void write(path, "noted"),
    async isNoted() {
      const until = performance.now() + limits.hookPairMs;
      while (!isNew() && performance.now() < until) await delay(20);
      return isNew();
    },
  };
}

/** Returns the path of a file that an agent's hooks share. */
const noteAt = (name: string, key: string, ending: "txt" | "stamps" | "noted"): string =>
  join(inServerFolder("hooks"), `${createHash("sha256").update(`${name} ${key}`).digest("hex")}.${ending}`);

/** Writes such a file, and removes old ones. `exists`: it was there already, and the flag is `wx`. */
function write(path: string, text: string, flag: "w" | "wx" = "w"): "done" | "exists" | "failed" {
  const folder = dirname(path);
  if (makePrivate(folder) !== undefined) return "failed";
  removeOld(folder);
  try {
    writeFileSync(path, text, { mode: 0o600, flag });
    return "done";
  } catch (error) {
    return codeOf(error) === "EEXIST" ? "exists" : "failed";
  }
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
