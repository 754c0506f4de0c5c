/** Suggests existing paths in place of a missing one, as hints for the caller; the server itself never follows them. */
import { opendir } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { editDistance } from "../text/editDistance.js";
import { limits } from "../text/limits.js";
import { mapBounded } from "./identity.js";
import { isInside, isShellPath } from "./pathText.js";
import type { ResolvedPath, Resolver } from "./resolvedPath.js";

/**
 * Returns a function that suggests replacements for the missing paths in one call. The function reads each directory at
 * most once. It returns at most `limits.similarShown` paths, most similar first, which the caller can send verbatim:
 * the same file, spelt differently; files in the same directory with nearly the same name; files with the same name
 * below the nearest existing directory or below its parent; open files in the workspace with a similar name. Every path
 * has been resolved like a caller's path, so none is outside the workspace, protected or missing.
 */
export function createSuggest(resolver: Resolver): Resolver["suggest"] {
  const left = { directories: limits.similarDirectories, entries: limits.similarEntries };
  const search: SuggestionSearch = { resolver, listings: new Map(), left };
  return (sent, searched) => findSimilar(sent, searched, search);
}

/** Suggests a path inside of the workspace for one outside: its longest suffix that exists, or a new file there. */
export async function insidePath(sent: string, resolve: Resolver["resolve"]): Promise<string | undefined> {
  for (const end of endsOf(sent)) {
    if (end !== sent && (await fileAt(end, resolve)) !== undefined) return end;
  }
  const names = sent.replace(/^\/+/, "").split("/");
  if (names.length > limits.comparedNames) return undefined;
  // A path with an empty, `.` or `..` component may refer to a directory, even to one that does not exist.
  if (!sent.startsWith("/") || names.some((name) => name === "" || name === "." || name === "..")) return undefined;
  const bare = names.join("/");
  if (!(await resolve(bare)).ok) return undefined;
  if (names.length === 1) return bare;
  const directory = await resolve(names.slice(0, -1).join("/"));
  return !directory.ok && directory.failure.code === "isDirectory" ? bare : undefined;
}

/** The entries read from a directory. */
interface Listing {
  readonly directory: string;
  /** The non-directory entries. `folded`: the name, folded for comparison. */
  readonly files: readonly { readonly name: string; readonly folded: string }[];
  /** The sorted names of the subdirectories; a link to a directory counts as a file. */
  readonly directories: readonly string[];
}

/** The state of the search, shared by all missing paths in one call. */
interface SuggestionSearch {
  readonly resolver: Resolver;
  /** Keyed by canonical directory; `undefined` if the directory can't be read or must not be shown. */
  readonly listings: Map<string, Promise<Listing | undefined>>;
  /** The numbers of directories and entries that may still be read below the starting directories. */
  readonly left: { directories: number; entries: number };
}

async function findSimilar(sent: string, searched: readonly string[], search: SuggestionSearch): Promise<string[]> {
  const { resolve } = search.resolver;
  const spellings = respelt(sent);
  for (const spelling of spellings) if ((await fileAt(spelling, resolve)) !== undefined) return [spelling];
  // Surrounding quotes and spaces are not part of the name to look for.
  const bare = spellings[0] === undefined ? undefined : await resolve(spellings[0]);
  const sought = bare?.ok === true ? bare.place.searched : searched;
  const costs = await candidatesFor(sought, search);
  for (const end of isAbsolute(sent) ? [] : endsOf(spellings[0] ?? sent)) {
    const file = (await fileAt(end, resolve))?.file;
    if (file === undefined) continue;
    costs.set(file, Math.min(...sought.map((path) => wayCost(path, file))));
    break;
  }
  const ranked = [...costs].sort(([a, costA], [b, costB]) => costA - costB || (a < b ? -1 : 1)).map(([path]) => path);
  const bases = isAbsolute(sent) || isShellPath(sent) ? [] : search.resolver.bases();
  return spellThem(ranked, bases, resolve);
}

/** Returns the paths that the caller may have meant, each with its distance from the nearest path in `searched`. */
async function candidatesFor(searched: readonly string[], search: SuggestionSearch): Promise<Map<string, number>> {
  const costs = new Map<string, number>();
  const note = (path: string, cost: number): void => {
    costs.set(path, Math.min(cost, costs.get(path) ?? cost));
  };
  for (const sought of searched) {
    const wanted = foldFileName(basename(sought));
    for (const path of search.resolver.openPaths()) {
      const cost = nameCost(wanted, foldFileName(basename(path)));
      if (cost !== undefined) note(path, cost + wayCost(sought, path));
    }
    for (const { directory, files } of await listAround(dirname(sought), search)) {
      const costOf = directory === dirname(sought) ? nameCost : sameNameCost;
      for (const { name, folded } of files) {
        const cost = costOf(wanted, folded);
        if (cost === undefined) continue;
        const path = join(directory, name);
        note(path, cost + wayCost(sought, path));
      }
    }
  }
  return costs;
}

/** Returns the first paths that lead to distinct, editable files, each relative to one of `bases` if possible. */
async function spellThem(
  paths: readonly string[],
  bases: readonly string[],
  resolve: Resolver["resolve"],
): Promise<string[]> {
  const byIdentity = new Map<string, string>();
  // More paths are tried than will be shown, because some may be links that lead out of the workspace.
  for (const path of paths.slice(0, 4 * limits.similarShown)) {
    const place = await fileAt(path, resolve);
    if (place?.file === undefined || byIdentity.has(place.identity)) continue;
    byIdentity.set(place.identity, place.file);
    for (const base of bases) {
      if (!isInside(base, place.file)) continue;
      const way = relative(base, place.file);
      const spelling = process.platform === "win32" ? way.replaceAll("\\", "/") : way;
      const again = await fileAt(spelling, resolve);
      if (again?.identity === place.identity) byIdentity.set(place.identity, spelling);
    }
    if (byIdentity.size === limits.similarShown) break;
  }
  return [...byIdentity.values()];
}

/** Returns the file that a path refers to; `undefined` if the file does not exist or must not be edited. */
async function fileAt(spelling: string, resolve: Resolver["resolve"]): Promise<ResolvedPath | undefined> {
  const resolved = await resolve(spelling);
  return resolved.ok && (resolved.place.open !== undefined || resolved.place.onDisk) ? resolved.place : undefined;
}

/** Returns other spellings of a path: with `/`, without quotes or spaces, then without a trailing line number. */
function respelt(sent: string): string[] {
  const isAround = (unit: string | undefined): boolean => unit !== undefined && " \t\"'`“”‘’".includes(unit);
  let [start, end] = [0, sent.length];
  while (start < end && isAround(sent[start])) start += 1;
  while (start < end && isAround(sent[end - 1])) end -= 1;
  const bare = sent.slice(start, end).replaceAll("\\", "/");
  const forms = [bare, bare.replace(/:\d+(?::\d+)?$/, "")];
  return [...new Set(forms)].filter((spelling) => spelling !== sent && spelling !== "");
}

/** Returns a path's suffixes, longest first, without slashes or dots; none if it has too many components. */
function endsOf(sent: string): string[] {
  const names = sent.split(/[\\/]/);
  const first = names.findIndex((name) => name !== "" && name !== "." && name !== "..");
  const isTried = first >= 0 && names.length - first <= limits.comparedNames;
  const count = !isTried ? 0 : Math.min(names.length - first, limits.leadingNames + 1);
  return Array.from({ length: count }, (_, i) => names.slice(first + i).join("/"));
}

/** Lists the nearest listable directory at or above `directory`, and its parent, each with everything below it. */
async function listAround(directory: string, search: SuggestionSearch): Promise<Listing[]> {
  let nearest = directory;
  let listing = await listOnce(nearest, limits.directoryEntries, search);
  for (let up = 0; up < limits.comparedNames && listing === undefined && dirname(nearest) !== nearest; up++) {
    nearest = dirname(nearest);
    listing = await listOnce(nearest, limits.directoryEntries, search);
  }
  if (listing === undefined) return [];
  const parent = await listOnce(dirname(nearest), limits.directoryEntries, search);
  const below = await listBelow(listing, search);
  return parent === undefined ? below : [...new Set([...below, ...(await listBelow(parent, search))])];
}

/** Lists a directory and all below it, level by level, hidden directories last, because they are rarely meant. */
async function listBelow(start: Listing, search: SuggestionSearch): Promise<Listing[]> {
  const below: Listing[] = [];
  const plain: string[] = [];
  const hidden: string[] = [];
  const take = (listing: Listing): void => {
    below.push(listing);
    for (const name of listing.directories) {
      (name.startsWith(".") ? hidden : plain).push(join(listing.directory, name));
    }
  };
  take(start);
  while (plain.length + hidden.length > 0) {
    const level = plain.length > 0 ? plain.splice(0) : hidden.splice(0);
    for (const listing of await mapBounded(level, (directory) => listWithinLimits(directory, search))) {
      if (listing !== undefined) take(listing);
    }
  }
  return below;
}

async function listWithinLimits(directory: string, search: SuggestionSearch): Promise<Listing | undefined> {
  const { left, listings } = search;
  if (listings.has(directory)) return listings.get(directory);
  if (left.directories === 0 || left.entries <= 0) return undefined;
  left.directories -= 1;
  const listing = await listOnce(directory, Math.min(limits.directoryEntries, left.entries), search);
  left.entries -= listing === undefined ? 0 : listing.files.length + listing.directories.length;
  return listing;
}

function listOnce(directory: string, most: number, search: SuggestionSearch): Promise<Listing | undefined> {
  const listing = search.listings.get(directory) ?? readListing(directory, most, search);
  search.listings.set(directory, listing);
  return listing;
}

/** The names of directories whose files are generated by programs rather than edited by hand. */
const notLookedInto: ReadonlySet<string> = new Set(["node_modules", ".git"]);

async function readListing(
  directory: string,
  most: number,
  { resolver }: SuggestionSearch,
): Promise<Listing | undefined> {
  if (!resolver.isListable(directory)) return undefined;
  const files: string[] = [];
  const directories: string[] = [];
  try {
    let count = 0;
    for await (const entry of await opendir(directory, { bufferSize: most })) {
      if (!entry.isDirectory()) files.push(entry.name);
      else if (!notLookedInto.has(entry.name)) directories.push(entry.name);
      count += 1;
      if (count === most) break;
    }
  } catch {
    // A directory that can't be read yields no hints, but no failure either.
    return undefined;
  }
  return {
    directory,
    files: files.map((name) => ({ name, folded: foldFileName(name) })),
    directories: directories.sort(),
  };
}

const foldFileName = (name: string): string => name.normalize("NFC").toLowerCase();

/** Returns the number of trailing extensions of `name` that `wanted` lacks; `undefined` if more differs. */
function sameNameCost(wanted: string, name: string): number | undefined {
  if (wanted === name) return 0;
  return name.startsWith(`${wanted}.`) ? name.slice(wanted.length).split(".").length - 1 : undefined;
}

/** Returns `sameNameCost` or else the edit distance of two folded names; `undefined` if they are not similar. */
function nameCost(wanted: string, name: string): number | undefined {
  const same = sameNameCost(wanted, name);
  if (same !== undefined) return same;
  const most = Math.min(3, Math.floor(wanted.length / 3));
  if (Math.abs(wanted.length - name.length) > most) return undefined;
  const distance = editDistance(wanted, name, { other: 1, extra: 1 });
  return distance <= most ? distance : undefined;
}

/** Returns the distance between the directories of two files, in the units of `nameCost`. */
function wayCost(from: string, to: string): number {
  const [a, b] = [from, to].map((path) => foldFileName(dirname(path)).split(/[\\/]/)) as [string[], string[]];
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  const rest = (names: string[]): string[] => names.slice(same, same + limits.comparedNames);
  // For example, "util" and "utils" are alike.
  const areAlike = (x: string, y: string): boolean => x.startsWith(y) || y.startsWith(x);
  return editDistance(rest(a), rest(b), { other: 3, extra: 2, areAlike });
}
