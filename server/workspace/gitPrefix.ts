/** Reads a path with Git's prefix `a/`, as it is in a diff, as the path without it, if there is no doubt. */
import { join } from "node:path";
import { type Operation, pathsOf } from "../plan/operation.js";
import type { Resolved, Resolver } from "./resolvedPath.js";
import { pathWarnings } from "./sentences.js";

/** The prefix that Git puts before a file's old path in a diff. */
const prefix = "a/";

/**
 * Replaces, in `resolved`, the result of each path with Git's prefix if no such file or folder exists, the call creates
 * neither, and the path without the prefix leads to an existing file. Returns a warning for each replaced path.
 */
export async function readGitPrefixes(
  operations: readonly Operation[],
  resolved: Map<string, Resolved>,
  resolver: Resolver,
): Promise<string[]> {
  const uses = operations.flatMap(pathsOf).filter(({ path }) => path.startsWith(prefix));
  if (uses.length === 0 || uses.some(({ need }) => need === "create" || need === "name")) return [];
  if (await hasFolder(resolver)) return [];
  const warnings: string[] = [];
  for (const path of new Set(uses.map((use) => use.path))) {
    const asSent = resolved.get(path);
    if (asSent?.ok !== true || isThere(asSent)) continue;
    const bare = await resolver.resolve(path.slice(prefix.length));
    if (!isThere(bare)) continue;
    resolved.set(path, bare);
    warnings.push(pathWarnings.gitPrefix(path, path.slice(prefix.length)));
  }
  return warnings;
}

const isThere = (resolved: Resolved): boolean =>
  resolved.ok && (resolved.place.open !== undefined || resolved.place.onDisk);

/** Reports whether the prefix is the name of a folder, or of anything else, where relative paths begin. */
async function hasFolder(resolver: Resolver): Promise<boolean> {
  for (const base of await resolver.bases()) {
    const resolved = await resolver.resolve(join(base, prefix.slice(0, -1)));
    if (resolved.ok ? isThere(resolved) : resolved.failure.code === "isDirectory") return true;
  }
  return false;
}
