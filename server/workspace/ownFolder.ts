/** Where the server's own folder is once every symbolic link is followed, so that no caller's path leads into it. */
import { canonicalise } from "./identity.js";
import { pathsOf } from "./pathRules.js";
import { stateFolder } from "./stateFolder.js";

/** Canonical path; it need not exist yet. `undefined`: nobody knows where it is. */
export async function ownFolder(platform: NodeJS.Platform): Promise<string | undefined> {
  const spelt = stateFolder(process.env, platform);
  if (!pathsOf(platform).isAbsolute(spelt)) return undefined;
  const known = seen.get(spelt);
  if (known !== undefined) return known;
  const canonical = await canonicalise(spelt, platform);
  if (!canonical.ok) return spelt;
  // Once it is there it stays there: every call would have to wait for the same answer.
  if (canonical.onDisk) seen.set(spelt, canonical.path);
  return canonical.path;
}

/** By its path as it is spelt. */
const seen = new Map<string, string>();
