/** Which document a caller's path means, and whether it may be touched: every path of every door goes through here. */

import { type Failed, type Failure, failed } from "../plan/failure.js";
import { type Canonical, canonicalise, indexOpenFiles, mapBounded, type OpenFile, type OpenText } from "./identity.js";
import { createSuggest, insidePath } from "./pathSuggestions.js";
import {
  decodeTolerantly,
  expandHome,
  foldName,
  isFileUri,
  isInside,
  namesDirectory,
  pathOfSyncedUri,
  pathOfUri,
  pathsOf,
  protectedNameIn,
  textProblem,
  uriOfPath,
  windowsProblem,
} from "./pathText.js";
import type { Area, Ground, Resolved, Resolver, Scope } from "./resolvedPath.js";
import { pathFailures, pathProblems } from "./sentences.js";
import { canonicalServerFolder, homeFolder } from "./serverFolder.js";

export type { Folder, Resolved, ResolvedPath, Resolver, Scope } from "./resolvedPath.js";

/**
 * Looks at the folders once and takes the open documents as they are now. The `expected` paths are looked at in the same
 * time, as each look at a disk is a wait; others may be resolved, too.
 */
export async function createResolver(scope: Scope, expected: readonly string[] = []): Promise<Resolver> {
  const ground = await layGround(scope, expected);
  const { relative } = pathsOf(ground.platform);
  let suggest: Resolver["suggest"] | undefined;
  const resolver: Resolver = {
    suggest: (missing) => {
      suggest ??= createSuggest(resolver, ground.platform);
      return suggest(missing);
    },
    resolve: async (sent) => {
      const resolved = await resolveSent(sent, ground);
      if (resolved.ok || resolved.failure.code !== "outsideWorkspace") return resolved;
      const inside = await insidePath(sent, (spelling) => resolveSent(spelling, ground));
      return inside === undefined ? resolved : failed(outsideFailure(sent, ground, inside));
    },
    bases: async () => {
      const root = ground.root === undefined ? undefined : rootOf(ground.root, ground);
      if (root === undefined) return ground.areas.filter(({ isFolder }) => isFolder).map(({ canonical }) => canonical);
      const canonical = root.ok ? await ground.look(root.path) : undefined;
      return canonical?.ok === true ? [canonical.path] : [];
    },
    isListable: (directory) => {
      const area = areaOf(directory, ground);
      const isOwn = ground.own !== undefined && isInside(ground.own, directory, ground.platform);
      if (area === undefined || isOwn) return false;
      return protectedNameIn(relative(area.canonical, directory), ground.protectedNames) === undefined;
    },
    openPaths: () =>
      ground.opens.all
        .map(({ path }) => path)
        .filter((path) => !ground.hasFolders || lexicalFolderOf(path, ground) !== undefined),
  };
  return resolver;
}

/** The directories in which files may be edited, absolute and canonical. */
export async function canonicalFolders(scope: Scope): Promise<string[]> {
  const { areas } = await layGround(scope, []);
  return areas.map(({ canonical }) => canonical);
}

async function layGround(scope: Scope, expected: readonly string[]): Promise<Ground> {
  const platform = scope.platform ?? process.platform;
  // Before anything is awaited, so that the texts are those of the moment of the call.
  const opens = indexOpenFiles(scope.openTexts, platform);
  const home = scope.home ?? homeFolder();
  const { isAbsolute, resolve } = pathsOf(platform);
  const directories = [
    ...scope.folders.map(({ path }) => ({ path, isFolder: true })),
    ...scope.additionalFolders.map((path) => ({ path: expandHome(path, home, platform), isFolder: false })),
  ].filter(({ path }) => isAbsolute(path));
  const looks = new Map<string, Promise<Canonical>>();
  const look: Ground["look"] = (path) => {
    const looked = looks.get(path) ?? canonicalise(path, platform);
    looks.set(path, looked);
    return looked;
  };
  const bases = scope.root === undefined ? scope.folders.map(({ path }) => path) : [scope.root];
  const likely = expected.flatMap((sent) =>
    isAbsolute(sent) ? [resolve(sent)] : bases.map((base) => resolve(base, sent)),
  );
  void mapBounded(likely, look);
  const [areas, own] = await Promise.all([
    mapBounded(directories, async ({ path, isFolder }): Promise<Area> => {
      const lexical = resolve(path);
      const canonical = await look(lexical);
      return { lexical, canonical: canonical.ok ? canonical.path : lexical, isFolder };
    }),
    canonicalServerFolder(platform),
  ]);
  return {
    platform,
    home,
    root: scope.root,
    areas,
    hasFolders: areas.some(({ isFolder }) => isFolder),
    protectedNames: new Set(scope.protectedNames.map(foldName)),
    own,
    opens,
    look,
  };
}

async function resolveSent(sent: string, ground: Ground): Promise<Resolved> {
  const open = ground.opens.byUri.get(sent);
  if (open !== undefined) return resolveOpen(sent, open, ground);
  const problem = textProblem(sent);
  if (problem !== undefined) return failed(pathFailures.badPath(sent, problem));
  const asSent = await resolveSpelling({ sent, spelling: sent }, ground);
  if (!/^@./.test(sent) || (await keepsAt(sent, asSent, ground))) return asSent;
  return resolveSpelling({ sent, spelling: sent.slice(1) }, ground);
}

/** Tells whether a leading `@` belongs to the name: the file, or the directory in which it would be created, has one. */
async function keepsAt(sent: string, asSent: Resolved, ground: Ground): Promise<boolean> {
  if (!asSent.ok) return asSent.failure.code !== "outsideWorkspace" && asSent.failure.code !== "fileNotFound";
  if (asSent.place.open !== undefined || asSent.place.onDisk) return true;
  const first = /^([^\\/]+)[\\/]/.exec(sent)?.[1];
  if (first === undefined) return false;
  const directory = await resolveSpelling({ sent, spelling: first }, ground);
  return directory.ok ? directory.place.onDisk : directory.failure.code === "isDirectory";
}

/** A path without its `@`, and how the caller knows it. */
interface Spelt {
  readonly sent: string;
  readonly spelling: string;
}

async function resolveSpelling({ sent, spelling }: Spelt, ground: Ground): Promise<Resolved> {
  const { platform, home } = ground;
  const { isAbsolute, resolve } = pathsOf(platform);
  if (!isFileUri(spelling) && /^(?:untitled:|[a-z][a-z0-9+.-]+:\/\/)/i.test(spelling)) {
    return failed(pathFailures.notOpen(sent));
  }
  const named = isFileUri(spelling)
    ? pathOfUri(spelling, platform)
    : { ok: true as const, path: expandHome(spelling, home, platform) };
  if (!named.ok) return failed(pathFailures.badPath(sent, named.problem));
  const problem = platform === "win32" ? windowsProblem(named.path) : undefined;
  if (problem !== undefined) return failed(pathFailures.badPath(sent, problem));
  const asDirectory = namesDirectory(named.path, platform);
  if (isAbsolute(named.path)) return placeAt({ sent, lexical: resolve(named.path), asDirectory }, ground);
  return resolveRelative({ sent, relative: named.path, asDirectory }, ground);
}

/** A relative path, without `~` and `@`. */
interface RelativePath {
  readonly sent: string;
  readonly relative: string;
  readonly asDirectory: boolean;
}

async function resolveRelative({ sent, relative, asDirectory }: RelativePath, ground: Ground): Promise<Resolved> {
  const { resolve } = pathsOf(ground.platform);
  if (ground.root !== undefined) {
    const root = rootOf(ground.root, ground);
    return root.ok ? placeAt({ sent, lexical: resolve(root.path, relative), asDirectory }, ground) : root;
  }
  const folders = ground.areas.filter(({ isFolder }) => isFolder);
  if (folders.length === 0) return failed(pathFailures.noFolder(sent));
  const results = await mapBounded(folders, ({ lexical }) =>
    placeAt({ sent, lexical: resolve(lexical, relative), asDirectory }, ground),
  );
  return chooseFolder(sent, results);
}

/** The one folder in which the path exists; if it exists in none, the first folder where it might. */
function chooseFolder(sent: string, results: readonly Resolved[]): Resolved {
  const places = results.flatMap((result) => (result.ok ? [result.place] : []));
  const inExistence = places.filter(({ open, onDisk }) => open !== undefined || onDisk);
  // Folders may lie in each other, so that two of them lead to one document.
  const existing = [...new Map(inExistence.map((place) => [place.identity, place])).values()];
  const names = existing.map(({ file, uri }) => file ?? uri);
  if (names.length > 1) return failed(pathFailures.ambiguousPath(sent, names));
  if (existing[0] !== undefined) return { ok: true, place: existing[0] };
  const first = results.find((result) => result.ok || result.failure.code !== "outsideWorkspace") ?? results[0]!;
  const searched = places.flatMap((place) => place.searched);
  return first.ok ? { ok: true, place: { ...first.place, searched } } : first;
}

/** The root is only where to start: it may be anything, because what is found from there must itself be inside. */
function rootOf(root: string, { platform }: Ground): { readonly ok: true; readonly path: string } | Failed {
  const named = isFileUri(root) ? pathOfUri(root, platform) : { ok: true as const, path: root };
  if (!named.ok) return failed(pathFailures.badPath(root, named.problem));
  const problem =
    textProblem(named.path) ??
    (platform === "win32" ? windowsProblem(named.path) : undefined) ??
    (pathsOf(platform).isAbsolute(named.path) ? undefined : pathProblems.relativeRoot());
  return problem === undefined ? { ok: true, path: named.path } : failed(pathFailures.badPath(root, problem));
}

async function resolveOpen(sent: string, open: OpenText, ground: Ground): Promise<Resolved> {
  const path = pathOfSyncedUri(open.uri, ground.platform);
  if (path !== undefined) {
    const lexical = pathsOf(ground.platform).resolve(path);
    return placeAt({ sent, lexical, asDirectory: false, exactly: open }, ground);
  }
  const name = protectedNameIn(decodeTolerantly(open.uri), ground.protectedNames);
  if (name !== undefined) return failed(pathFailures.protectedPath(sent, name));
  const { uri } = open;
  return {
    ok: true,
    place: {
      uri,
      path: uri,
      file: undefined,
      identity: uri,
      open,
      onDisk: false,
      isRegular: false,
      spelt: undefined,
      reached: undefined,
      searched: [],
    },
  };
}

/** One absolute path that the caller's may stand for. */
interface Candidate {
  readonly sent: string;
  /** Normal, with links as they are. */
  readonly lexical: string;
  readonly asDirectory: boolean;
  /** The open document whose URI was sent; `undefined`: it has to be openFiles. */
  readonly exactly?: OpenText;
}

async function placeAt(candidate: Candidate, ground: Ground): Promise<Resolved> {
  const { sent, lexical, asDirectory, exactly } = candidate;
  const { platform, look } = ground;
  const reached = await look(lexical);
  if (!reached.ok) {
    return lexicalFolderOf(lexical, ground) === undefined
      ? failed(outsideFailure(sent, ground))
      : failed(pathFailures.ioError(sent, reached.problem));
  }
  const openFiles = exactly === undefined ? await findOpen(lexical, reached, ground) : [];
  const uris = openFiles.map(({ open }) => open.uri);
  if (uris.length > 1) return failed(pathFailures.ambiguousPath(sent, uris));
  const open = exactly ?? openFiles[0]?.open;
  // Through a hard link the document that is open has another canonical path than the one that was sent.
  const ofOpen = openFiles[0] === undefined ? reached : await look(openFiles[0].path);
  const target = ofOpen.ok ? ofOpen : reached;
  const refusal = refuseAccess({ candidate, isOpen: open !== undefined, files: [target.path, reached.path] }, ground);
  if (refusal !== undefined) return failed(refusal);
  if (asDirectory || target.isDirectory) return failed(pathFailures.isDirectory(sent));
  return {
    ok: true,
    place: {
      uri: open?.uri ?? uriOfPath(target.path, platform),
      path: displayPath(target.path, ground),
      file: target.path,
      identity: open?.uri ?? target.identity,
      open,
      onDisk: target.onDisk,
      isRegular: target.isRegular,
      spelt: lexical,
      reached: reached.path,
      searched: [target.path],
    },
  };
}

/** The open documents that a path may mean: one, unless the editor has one file open several times. */
async function findOpen(
  lexical: string,
  reached: Canonical & { ok: true },
  ground: Ground,
): Promise<readonly OpenFile[]> {
  const asSpelt = ground.opens.byPath.get(lexical);
  if (asSpelt?.length === 1) return asSpelt;
  const same = await ground.opens.byIdentity(reached.identity);
  const asCanonical = same.filter(({ path }) => path === reached.path);
  return asCanonical.length === 1 ? asCanonical : same;
}

/** A candidate, about which it must be decided whether it may be touched. */
interface AccessQuestion {
  readonly candidate: Candidate;
  readonly isOpen: boolean;
  /** Canonical paths; each must be inside and unprotected. */
  readonly files: readonly string[];
}

/** Why a document may not be touched; `undefined`: it may. */
function refuseAccess(
  { candidate: { sent, lexical }, isOpen, files }: AccessQuestion,
  ground: Ground,
): Failure | undefined {
  const { relative } = pathsOf(ground.platform);
  for (const file of files) {
    const area = areaOf(file, ground);
    if (area === undefined && (ground.hasFolders || !isOpen)) return outsideFailure(sent, ground);
    if (ground.own !== undefined && isInside(ground.own, file, ground.platform)) return pathFailures.ownFolder(sent);
    // An open document in no folder has no path below one, so all of its names count.
    const below = area === undefined ? file : relative(area.canonical, file);
    const name = protectedNameIn(below, ground.protectedNames);
    if (name !== undefined) return pathFailures.protectedPath(sent, name);
  }
  // A protected name may be a link to a directory of another name.
  const folder = lexicalFolderOf(lexical, ground);
  const name = folder === undefined ? undefined : protectedNameIn(relative(folder, lexical), ground.protectedNames);
  return name === undefined ? undefined : pathFailures.protectedPath(sent, name);
}

/** The innermost directory that holds a canonical path, a workspace folder first; `undefined`: it is outside. */
function areaOf(file: string, { areas, platform }: Ground): Area | undefined {
  let best: Area | undefined;
  for (const area of areas) {
    if (!isInside(area.canonical, file, platform)) continue;
    const isBetter =
      best === undefined ||
      (area.isFolder === best.isFolder ? area.canonical.length > best.canonical.length : area.isFolder);
    if (isBetter) best = area;
  }
  return best;
}

/** The innermost directory that a path is spelt below, where links lead not being asked; `undefined`: there is none. */
function lexicalFolderOf(path: string, { areas, platform }: Ground): string | undefined {
  return areas
    .flatMap(({ lexical, canonical }) => [lexical, canonical])
    .filter((folder) => isInside(folder, path, platform))
    .reduce<string | undefined>((best, folder) => (folder.length > (best?.length ?? -1) ? folder : best), undefined);
}

function displayPath(file: string, ground: Ground): string {
  const area = areaOf(file, ground);
  const shown = area?.isFolder === true ? pathsOf(ground.platform).relative(area.canonical, file) : file;
  return ground.platform === "win32" ? shown.replaceAll("\\", "/") : shown;
}

function outsideFailure(path: string, { areas }: Ground, inside?: string): Failure {
  const folders = areas.map(({ lexical }) => lexical);
  return pathFailures.outsideWorkspace(path, folders, inside);
}
