/** Finds the document that a caller's path refers to, and decides whether it may be accessed. */
import { isAbsolute, relative, resolve } from "node:path";
import { type Failed, type Failure, failed } from "../plan/failure.js";
import { type Canonical, canonicalise, indexOpenFiles, mapBounded, type OpenText } from "./identity.js";
import { createSuggest, insidePath } from "./pathSuggestions.js";
import {
  decodeTolerantly,
  expandShellPath,
  isFileUri,
  isInside,
  namesDirectory,
  pathOfSyncedUri,
  pathOfUri,
  refusedScheme,
  shareOf,
  textProblem,
  type UriPath,
  uriOfPath,
  windowsProblem,
} from "./pathText.js";
import { type Asks, gitDirectoryAbove, judge } from "./protection.js";
import type { Area, Ground, Resolved, Resolver, Scope } from "./resolvedPath.js";
import { pathFailures, pathProblems, type Refused } from "./sentences.js";
import { canonicalServerFiles, homeFolder } from "./serverFolder.js";

export type { Folder, Resolved, ResolvedPath, Resolver, Scope } from "./resolvedPath.js";

/** Creates a resolver, which examines the folders once and uses a snapshot of the open documents. */
export function createResolver(scope: Scope): Resolver {
  const ground = layGround(scope);
  let suggest: Resolver["suggest"] | undefined;
  const resolver: Resolver = {
    suggest: (sent, searched) => {
      suggest ??= createSuggest(resolver);
      return suggest(sent, searched);
    },
    resolve: async (sent) => {
      const resolved = await resolveSent(sent, ground);
      if (resolved.ok || resolved.failure.code !== "outsideWorkspace") return resolved;
      const inside = await insidePath(sent, (spelling) => resolveSent(spelling, ground));
      return inside === undefined ? resolved : failed(outsideFailure(sent, ground, inside));
    },
    bases: () => {
      const looks = ground.starts.ok ? ground.starts.paths.map(ground.look) : [];
      return looks.flatMap((look) => (look.ok ? [look.path] : []));
    },
    isListable: (directory) => {
      const area = areaOf(directory, ground);
      if (area === undefined || ground.own.some((folder) => isInside(folder, directory))) return false;
      return judge(ground.gates, directory, relative(area.canonical, directory))?.kind !== "refused";
    },
    openPaths: () =>
      [...ground.opens.urisByPath.keys()].filter(
        (path) => !ground.hasFolders || lexicalFolderOf(path, ground) !== undefined,
      ),
  };
  return resolver;
}

/** Returns the absolute, canonical paths of the directories where files may be edited. */
export function canonicalFolders(scope: Scope): string[] {
  const { areas } = layGround(scope);
  return areas.map(({ canonical }) => canonical);
}

function layGround(scope: Scope): Ground {
  const opens = indexOpenFiles(scope.openTexts, scope.unsynced);
  const home = scope.home ?? homeFolder();
  const folders = scope.folders.map(({ path }) => path).filter(isAbsolute);
  const directories = [
    ...folders.map((path) => ({ lexical: resolve(path), isFolder: true })),
    ...scope.additionalFolders
      .map((path) => expandShellPath(path, home))
      .filter(isAbsolute)
      .map((path) => ({ lexical: resolve(path), isFolder: false })),
  ];
  const looks = new Map<string, Canonical>();
  const look: Ground["look"] = (path) => {
    const looked = looks.get(path) ?? canonicalise(path);
    looks.set(path, looked);
    return looked;
  };
  const areas = directories.map(({ lexical, isFolder }): Area => {
    const canonical = look(lexical);
    return { lexical, canonical: canonical.ok ? canonical.path : lexical, isFolder };
  });
  const starts = scope.root === undefined ? { ok: true as const, paths: folders } : startAt(scope.root, areas);
  const own = canonicalServerFiles();
  const root = scope.root !== undefined && starts.ok ? look(starts.paths[0] ?? "") : undefined;
  const shownFrom = root?.ok === true ? root.path : undefined;
  const { gates } = scope;
  const gitDirectories = new Map<string, boolean>();
  const hasFolders = folders.length > 0;
  const protectsGit = gates.some(({ names }) => names.byLast.has(".git"));
  const { schemes = [] } = scope;
  return { home, schemes, starts, areas, hasFolders, gates, protectsGit, gitDirectories, own, opens, shownFrom, look };
}

/** Checks the root, which may be any directory, because every file below it is checked itself. */
function startAt(root: string, areas: readonly Area[]): Ground["starts"] {
  const named = pathNamed(root, root, areas);
  if (!named.ok) return failed(pathFailures.badPath(root, textProblem(root) ?? named.problem));
  const problem = textProblem(named.path) ?? (isAbsolute(named.path) ? undefined : pathProblems.relativeRoot());
  return problem === undefined ? { ok: true, paths: [named.path] } : failed(pathFailures.badPath(root, problem));
}

async function resolveSent(sent: string, ground: Ground): Promise<Resolved> {
  const open = ground.opens.byUri.get(sent);
  if (open !== undefined) return resolveOpen(sent, open, ground);
  const problem = textProblem(sent);
  if (problem !== undefined) return failed(pathFailures.badPath(sent, problem));
  const asSent = await resolveSpelling(sent, sent, ground);
  if (!/^@./.test(sent) || (await keepsAt(sent, asSent, ground))) return asSent;
  return resolveSpelling(sent, sent.slice(1), ground);
}

/** Reports whether a leading `@` is part of the file's name, or of the name of the path's first directory. */
async function keepsAt(sent: string, asSent: Resolved, ground: Ground): Promise<boolean> {
  if (!asSent.ok) return asSent.failure.code !== "outsideWorkspace" && asSent.failure.code !== "fileNotFound";
  if (asSent.place.open !== undefined || asSent.place.onDisk) return true;
  const first = /^([^\\/]+)[\\/]/.exec(sent)?.[1];
  if (first === undefined) return false;
  const directory = await resolveSpelling(sent, first, ground);
  return directory.ok ? directory.place.onDisk : directory.failure.code === "isDirectory";
}

/** Resolves `spelling`, which is the caller's path (`sent`), possibly without its leading `@`. */
async function resolveSpelling(sent: string, spelling: string, ground: Ground): Promise<Resolved> {
  if (!isFileUri(spelling) && /^(?:untitled:|[a-z][a-z0-9+.-]+:\/)/i.test(spelling)) {
    const scheme = refusedScheme(spelling, ground.schemes);
    return failed(scheme === undefined ? pathFailures.notOpen(sent) : pathFailures.otherScheme(sent, scheme));
  }
  const named = pathNamed(spelling, expandShellPath(spelling, ground.home), ground.areas);
  if (!named.ok) return failed(pathFailures.badPath(sent, named.problem));
  const { path } = named;
  const asDirectory = namesDirectory(path);
  if (isAbsolute(path)) return placeAt({ sent, lexical: resolve(path), asDirectory }, ground);
  const { starts } = ground;
  if (!starts.ok) return starts;
  if (starts.paths.length === 0) return failed(pathFailures.noFolder(sent));
  const results = await mapBounded(starts.paths, (start) =>
    placeAt({ sent, lexical: resolve(start, path), asDirectory }, ground),
  );
  return chooseFolder(sent, results);
}

/**
 * Returns the path of a `file:` URI, or `path` for any other spelling; or the problem, as a clause. A network share is
 * named by a path only if it has one of the areas.
 */
function pathNamed(spelling: string, path: string, areas: readonly Area[]): UriPath {
  const named: UriPath = isFileUri(spelling) ? pathOfUri(spelling) : { ok: true, path };
  if (!named.ok || process.platform !== "win32") return named;
  const shares = areas.flatMap(({ lexical, canonical }) => [shareOf(lexical), shareOf(canonical)]);
  const problem = windowsProblem(named.path, shares);
  return problem === undefined ? named : { ok: false, problem };
}

/** Chooses the folder in which the path exists or else could exist. Fails if it exists in several. */
function chooseFolder(sent: string, results: readonly Resolved[]): Resolved {
  const places = results.flatMap((result) => (result.ok ? [result.place] : []));
  const inExistence = places.filter(({ open, onDisk }) => open !== undefined || onDisk);
  // Folders may be nested, so the path may lead to the same document from two of them.
  const existing = [...new Map(inExistence.map((place) => [place.identity, place])).values()];
  const names = existing.map(({ file, uri }) => file ?? uri);
  if (names.length > 1) return failed(pathFailures.ambiguousPath(sent, names));
  if (existing[0] !== undefined) return { ok: true, place: existing[0] };
  const first = results.find((result) => result.ok || result.failure.code !== "outsideWorkspace") ?? results[0]!;
  const searched = places.flatMap((place) => place.searched);
  return first.ok ? { ok: true, place: { ...first.place, searched } } : first;
}

async function resolveOpen(sent: string, open: OpenText, ground: Ground): Promise<Resolved> {
  const path = pathOfSyncedUri(open.uri);
  if (path !== undefined) {
    return placeAt({ sent, lexical: resolve(path), asDirectory: false, exactly: open }, ground);
  }
  const { uri } = open;
  const verdict = judge(ground.gates, uri, decodeTolerantly(uri));
  if (verdict?.kind === "refused") return failed(pathFailures.protectedPath(sent, verdict));
  const asks = verdict;
  return {
    ok: true,
    place: { uri, path: uri, identity: uri, open, onDisk: false, isRegular: false, asks, searched: [] },
  };
}

/** An absolute path that the caller's path may stand for. */
interface Candidate {
  readonly sent: string;
  /** The path, normalised without following links. */
  readonly lexical: string;
  readonly asDirectory: boolean;
  /** The open document whose URI was sent; `undefined` if the open files must be searched. */
  readonly exactly?: OpenText;
}

async function placeAt(candidate: Candidate, ground: Ground): Promise<Resolved> {
  const { sent, lexical, asDirectory, exactly } = candidate;
  const { look } = ground;
  const reached = look(lexical);
  if (!reached.ok) {
    return lexicalFolderOf(lexical, ground) === undefined
      ? failed(outsideFailure(sent, ground))
      : failed(pathFailures.ioError(sent, reached.problem));
  }
  const same = exactly === undefined ? await ground.opens.at(lexical, reached) : [];
  const asCanonical = same.filter(({ path }) => path === reached.path);
  // There are several only if the editor has a file open twice.
  const openFiles = asCanonical.length === 1 ? asCanonical : same;
  const uris = openFiles.map(({ open }) => open.uri);
  if (uris.length > 1) return failed(pathFailures.ambiguousPath(sent, uris));
  const open = exactly ?? openFiles[0]?.open;
  // If the editor opened the file through another hard link, that link and the path that was sent have different
  // canonical paths.
  const ofOpen = openFiles[0] === undefined ? reached : look(openFiles[0].path);
  const target = ofOpen.ok ? ofOpen : reached;
  const access = judgeAccess(candidate, open, new Set([target.path, reached.path]), ground);
  if (!access.ok) return access;
  if (asDirectory || target.isDirectory) return failed(pathFailures.isDirectory(sent));
  return {
    ok: true,
    place: {
      uri: open?.uri ?? uriOfPath(target.path),
      path: displayPath(target.path, ground),
      file: target.path,
      identity: open?.uri ?? target.identity,
      open,
      onDisk: target.onDisk,
      isRegular: target.isRegular,
      spelt: lexical,
      reached: reached.path,
      asks: access.asks,
      unseen:
        open === undefined ? (ground.opens.unseen.get(lexical) ?? ground.opens.unseen.get(target.path)) : undefined,
      searched: [target.path],
    },
  };
}

/** Returns why the user must agree to a change, if so, or the failure. `files`: the file's canonical paths. */
function judgeAccess(
  { sent, lexical }: Candidate,
  open: OpenText | undefined,
  files: ReadonlySet<string>,
  ground: Ground,
): { readonly ok: true; readonly asks: Asks | undefined } | Failed {
  let asks: Asks | undefined;
  const refuse = (why: Refused): Failed => failed(pathFailures.protectedPath(sent, why));
  for (const file of files) {
    const area = areaOf(file, ground);
    if (area === undefined && (ground.hasFolders || open === undefined)) return failed(outsideFailure(sent, ground));
    if (ground.own.some((folder) => isInside(folder, file))) return failed(pathFailures.ownFolder(sent));
    // If an open document is outside all folders, every component of its path is checked.
    const verdict = judge(ground.gates, file, area === undefined ? file : relative(area.canonical, file));
    if (verdict?.kind === "refused") return refuse(verdict);
    asks ??= verdict;
    const git = ground.protectsGit ? gitDirectoryAbove(file, ground.gitDirectories) : undefined;
    if (git !== undefined) return refuse({ kind: "refused", why: "git", by: git });
  }
  // A protected name may be a link to a directory with a different name.
  const folder = lexicalFolderOf(lexical, ground);
  const [file = lexical] = files;
  const verdict = folder === undefined ? undefined : judge(ground.gates, file, relative(folder, lexical));
  return verdict?.kind === "refused" ? refuse(verdict) : { ok: true, asks: asks ?? verdict };
}

/** Returns the innermost area with a canonical path, workspace folders first; `undefined` if there is none. */
function areaOf(file: string, { areas }: Ground): Area | undefined {
  const around = areas.filter(({ canonical }) => isInside(canonical, file));
  const [best] = around.sort(
    (a, b) => Number(b.isFolder) - Number(a.isFolder) || b.canonical.length - a.canonical.length,
  );
  return best;
}

/** Returns the innermost folder that contains a path as spelt, without following links; `undefined` if none does. */
function lexicalFolderOf(path: string, { areas }: Ground): string | undefined {
  const folders = areas.flatMap(({ lexical, canonical }) => [lexical, canonical]);
  const [longest] = folders.filter((folder) => isInside(folder, path)).sort((a, b) => b.length - a.length);
  return longest;
}

/** Returns the path for answers, to be sent back: relative to the root or the workspace folder, else absolute. */
function displayPath(file: string, ground: Ground): string {
  const area = areaOf(file, ground);
  const start = ground.shownFrom ?? (area?.isFolder === true ? area.canonical : undefined);
  const shown = start !== undefined && isInside(start, file) ? relative(start, file) : file;
  return process.platform === "win32" ? shown.replaceAll("\\", "/") : shown;
}

function outsideFailure(path: string, { areas }: Ground, inside?: string): Failure {
  const folders = areas.map(({ lexical }) => lexical);
  return pathFailures.outsideWorkspace(path, folders, inside);
}
