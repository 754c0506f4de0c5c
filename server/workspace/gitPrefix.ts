/** Reads a path with Git's prefix `a/`, as it is in a diff, as the path without it, if there is no doubt. */
import { join } from "node:path";
import { type Operation, pathsOf } from "../plan/operation.js";
import type { Resolved, Resolver } from "./resolvedPath.js";

/** The prefix that Git puts before a file's old path in a diff. */
export const gitPrefix = "a/";

/** Resolves a path without Git's prefix, if that alone exists and nothing else can be meant; else `undefined`. */
export async function withoutGitPrefix(
  path: string,
  asSent: Resolved | undefined,
  { operations, resolver }: { readonly operations: readonly Operation[]; readonly resolver: Resolver },
): Promise<Resolved | undefined> {
  if (asSent?.ok !== true || isThere(asSent)) return undefined;
  const isMade = operations
    .flatMap(pathsOf)
    .some((use) => (use.need === "create" || use.need === "name") && use.path.startsWith(gitPrefix));
  if (isMade) return undefined;
  for (const base of resolver.bases()) {
    const folder = await resolver.resolve(join(base, gitPrefix.slice(0, -1)));
    if (folder.ok ? isThere(folder) : folder.failure.code === "isDirectory") return undefined;
  }
  const bare = await resolver.resolve(path.slice(gitPrefix.length));
  if (!isThere(bare)) return undefined;
  const similar = await resolver.suggest(path, asSent.place.searched);
  return similar.some((other) => other.endsWith(`/${path}`)) ? undefined : bare;
}

const isThere = (resolved: Resolved): boolean =>
  resolved.ok && (resolved.place.open !== undefined || resolved.place.onDisk);
