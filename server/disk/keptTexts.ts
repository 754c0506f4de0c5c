/** Keeps texts of files that a save has replaced before anybody could merge them. */
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { limits } from "../text/limits.js";
import { hashOf } from "../workspace/files.js";
import { inServerFolder, makePrivate } from "../workspace/serverFolder.js";

/** Keeps a private copy of a file's text for `limits.keptMs`, and returns its path; `undefined` if it can't. */
export function keepText(path: string, text: string): string | undefined {
  const folder = inServerFolder("replaced");
  if (makePrivate(folder) !== undefined) return undefined;
  // A name may have 255 bytes, of which a character can take 4.
  const copy = join(folder, `${hashOf(path + text).slice(0, 12)}-${basename(path).slice(-60)}`);
  try {
    writeFileSync(copy, text, { mode: 0o600 });
  } catch {
    return undefined;
  }
  removeOld(folder);
  return copy;
}

function removeOld(folder: string): void {
  const oldest = Date.now() - limits.keptMs;
  try {
    for (const name of readdirSync(folder)) {
      const copy = join(folder, name);
      if (statSync(copy).mtimeMs < oldest) rmSync(copy);
    }
  } catch {
    // Another server may have removed it just now. The rest is removed next time.
  }
}
