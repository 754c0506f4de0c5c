/**
 * The project's own rules, as functions from sources to problems; each problem names the file and line that breaks the
 * rule.
 */
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { posix } from "node:path";
import { findInCode, importsOf, isServerFile, maskSource, type Source } from "./source.js";

/**
 * The layers, lowest first: an import points down or stays within its layer. `main` is `server/main.ts`, its sentences
 * and its starter.
 */
const layers = [
  "text",
  "match",
  "plan",
  "dialect",
  "workspace",
  "disk",
  "lsp",
  "session",
  "agents",
  "programs",
  "main",
] as const;

type Layer = (typeof layers)[number];

/** Pure layers, which only compute values from values: no input or output, no waiting, no clock. */
const pureLayers: readonly (Layer | undefined)[] = ["text", "match", "plan", "dialect"];

/**
 * The packages that connect to the editor; `vscode-languageserver-textdocument`, which only holds texts, is not one of
 * them.
 */
const connectionPackages = [
  "vscode-languageserver",
  "vscode-languageserver-protocol",
  "vscode-languageserver-types",
  "vscode-jsonrpc",
];

const maxFileLines = 400;

/** The most lines of a function: fewer in the language server, apart from the folders where some are still longer. */
const maxFunctionLines = (path: string): number =>
  /^server\/(?:text|match|plan\/(?!views\/)|workspace|disk|lsp)\b/.test(path) ? 50 : 70;

/** Imports that point up, leave `server/` or cannot be resolved, and files that belong to no layer. */
export function layerProblems(sources: readonly Source[]): string[] {
  return sources.filter(isServerFile).flatMap((source) => {
    const own = layerOf(source.path);
    if (own === undefined) return [`${source.path}:1 is in no layer; there are ${layers.join(" < ")}`];
    return importsOf(source).flatMap(({ line, specifier }) => {
      const problem = importProblem(source.path, own, specifier);
      return problem === undefined ? [] : [`${source.path}:${line} ${problem}`];
    });
  });
}

function importProblem(path: string, own: Layer, specifier: string | undefined): string | undefined {
  if (specifier === undefined) return "imports something that is not written as a plain string";
  if (!specifier.startsWith(".")) return undefined;
  const target = posix.join(posix.dirname(path), specifier);
  // The program imports `package.json` because it reports the package's version.
  if (target === "package.json" && own === "main") return undefined;
  const layer = layerOf(target.replace(/\.js$/, ".ts"));
  if (layer === undefined) return `imports ${specifier}, which is in no layer`;
  const runsUp = layers.indexOf(layer) > layers.indexOf(own);
  return runsUp ? `imports ${specifier}: ${own} is below ${layer}` : undefined;
}

/** Import cycles, including those through type imports. No file in a cycle can be understood without all the others. */
export function circleProblems(sources: readonly Source[]): string[] {
  return circlesIn(new Map(sources.filter(isServerFile).map((source) => [source.path, importedBy(source)])));
}

function circlesIn(imported: ReadonlyMap<string, readonly string[]>): string[] {
  const reached = new Map([...imported.keys()].map((path) => [path, reachedFrom(path, imported)]));
  const paths = [...imported.keys()].filter((path) => reached.get(path)?.has(path)).sort();
  const circles = paths.map((path) => paths.filter((other) => isMutual(path, other, reached)));
  // Every file in a cycle finds the same cycle, so only the first one reports it.
  return circles
    .filter((circle, index) => circle[0] === paths[index])
    .map((circle) => `${circle.join(", ")} import${circle.length === 1 ? "s itself" : " each other in a circle"}`);
}

/**
 * Import circles between folders: the layers and, in place of `programs`, its folders. Two programs share what is below
 * them. Within another layer, folders only group files.
 */
export function folderCircleProblems(sources: readonly Source[]): string[] {
  const imported = new Map<string, string[]>();
  for (const source of sources.filter(isServerFile)) {
    const from = folderOf(source.path);
    const others = importedBy(source).map(folderOf);
    imported.set(from, [...(imported.get(from) ?? []), ...others.filter((folder) => folder !== from)]);
  }
  return circlesIn(imported);
}

/** Returns the folder of a file, as far as circles count. */
const folderOf = (path: string): string => /^server\/(?:programs\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? posix.dirname(path);

const isMutual = (path: string, other: string, reached: ReadonlyMap<string, ReadonlySet<string>>): boolean =>
  reached.get(path)?.has(other) === true && reached.get(other)?.has(path) === true;

/** Paths of the project files that a file imports. */
function importedBy(source: Source): string[] {
  return importsOf(source).flatMap(({ specifier }) =>
    specifier?.startsWith(".") ? [posix.join(posix.dirname(source.path), specifier).replace(/\.js$/, ".ts")] : [],
  );
}

/** A file's transitive imports; the file itself is included only if it is in a cycle. */
function reachedFrom(path: string, imported: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [...(imported.get(path) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    waiting.push(...(imported.get(next) ?? []));
  }
  return reached;
}

/** Uses of anything that pure layers must not depend on: Node, the editor's packages, waiting, and the clock. */
export function purityProblems(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => isServerFile(source) && pureLayers.includes(layerOf(source.path)))
    .flatMap((source) => [
      ...importsOf(source)
        .filter(({ specifier }) => isImpure(specifier ?? ""))
        .map(({ line, specifier }) => `${source.path}:${line} imports ${specifier} in a pure layer`),
      ...findInCode(source, /\b(?:async|await)\b/g).map(
        ({ line, found }) => `${source.path}:${line} has ${found} in a pure layer`,
      ),
      ...findInCode(
        source,
        /(?<![.\w])(?:process|Buffer|performance|Date|fetch|set(?:Timeout|Interval|Immediate))(?=\s*[.(])/g,
      ).map(({ line, found }) => `${source.path}:${line} uses ${found} in a pure layer`),
    ]);
}

function isImpure(specifier: string): boolean {
  return specifier.startsWith("node:") || specifier.startsWith("vscode-") || builtinModules.includes(specifier);
}

/**
 * Finds files outside `lsp/` that import packages for the connection to the editor. The code that connects to agents
 * may import one of these: the JSON-RPC library.
 */
export function connectionProblems(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => isServerFile(source) && layerOf(source.path) !== "lsp")
    .flatMap((source) =>
      importsOf(source)
        .filter(({ specifier = "" }) =>
          connectionPackages
            .filter(
              (name) => name !== "vscode-jsonrpc" || !["session", "programs"].includes(layerOf(source.path) ?? ""),
            )
            .some((name) => specifier === name || specifier.startsWith(`${name}/`)),
        )
        .map(({ line, specifier }) => `${source.path}:${line} imports ${specifier} outside lsp/`),
    );
}

/** Files, functions and methods that exceed the project's limits on lines. */
export function lengthProblems(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => path.endsWith(".ts"))
    .flatMap((source) => {
      const lines = source.text.trimEnd().split("\n").length;
      const most = maxFunctionLines(source.path);
      const functions = functionsOf(source).filter((one) => one.lines > most);
      return [
        ...(lines > maxFileLines
          ? [`${source.path}:${maxFileLines} has ${lines} lines, more than ${maxFileLines}`]
          : []),
        ...functions.map((one) => `${source.path}:${one.line} is a function of ${one.lines} lines, more than ${most}`),
      ];
    });
}

/**
 * Finds functions by indentation, which the formatter guarantees: column 0 for functions, column 2 for class members.
 */
function functionsOf(source: Source): { line: number; lines: number }[] {
  const code = maskSource(source.text).code.split("\n");
  return blocks(code, 0, /^[A-Za-z@]/).flatMap((block) => {
    const text = code.slice(block.line - 1, block.line - 1 + block.lines).join("\n");
    if (/^(?:export )?(?:async )?function\b/.test(text)) return [block];
    if (/^(?:export )?const \w+[^=]*=\s*(?:async\s*)?(?:<[^(]*>\s*)?(?:\([^;]*?\)[^=;]*|\w+\s*)=>/.test(text))
      return [block];
    if (!/^(?:export )?(?:abstract )?class\b/.test(text)) return [];
    return blocks(code.slice(0, block.line - 1 + block.lines), block.line, /^ {2}[\w#@*[]|^\}/);
  });
}

/** Runs of lines, each from a match of `starts` to the last line with code before the next match; `line` is 1-based. */
function blocks(code: readonly string[], from: number, starts: RegExp): { line: number; lines: number }[] {
  const found: { line: number; lines: number }[] = [];
  code.forEach((line, index) => {
    const last = found.at(-1);
    if (index >= from && starts.test(line)) found.push({ line: index + 1, lines: 1 });
    else if (last !== undefined && line.trim() !== "") last.lines = index + 2 - last.line;
  });
  return found;
}

/** Nonexistent files that the architecture page names. */
export function namedFileProblems(readme: string, paths: readonly string[]): string[] {
  const files = new Set(paths);
  return readme.split("\n").flatMap((line, index) =>
    [...line.matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)]
      .map(([, path = ""]) => path)
      .filter((path) => !files.has(path) && !files.has(`server/${path}`))
      .map((path) => `server/README.md:${index + 1} names ${path}, which does not exist`),
  );
}

/**
 * Notes to oneself, machine-specific paths, and skipped tests. `home` is the folder that contains the checkout. Its
 * path must not occur anywhere, unless it is the folder for temporary files or the root.
 */
export function leftoverProblems(sources: readonly Source[], { home }: { readonly home: string }): string[] {
  const here = home.length > 1 && home !== tmpdir() ? `|${home.replace(/[^\w/]/g, "\\$&")}` : "";
  const rules = [
    {
      what: "a note to oneself",
      pattern: /\b(?:TO(?:DO)|FIX(?:ME)|XX(?:X))\b/,
      applies: (path: string) => !path.startsWith("test/cases/"),
    },
    {
      what: "a path of one machine",
      pattern: new RegExp(`(?<![\\w.~-])(?:/root${here})/`),
      applies: () => true,
    },
  ];
  return sources.flatMap((source) => {
    const skips = /^test\/.*\.ts$/.test(source.path) ? findInCode(source, /\.(?:skip|only|todo|fails)\b/g) : [];
    const texts = source.text
      .split("\n")
      .flatMap((line, index) =>
        rules
          .filter(({ pattern, applies }) => applies(source.path) && pattern.test(line))
          .map(({ what }) => `${source.path}:${index + 1} has ${what}`),
      );
    return [...texts, ...skips.map(({ line, found }) => `${source.path}:${line} leaves a test out with ${found}`)];
  });
}

/** Code that decides by the words of a message, rather than by a code or a field. */
export function wordedDecisions(sources: readonly Source[]): string[] {
  const pattern =
    /\bmessage(?:\.|\?\.)(?:includes|startsWith|endsWith|indexOf|match|matchAll|search)\(|\.(?:test|exec)\([^()\n]*\bmessage\b/g;
  return sources
    .filter(({ path }) => path.startsWith("server/"))
    .flatMap((source) => findInCode(source, pattern).map(({ line }) => `${source.path}:${line} decides by a message`));
}

/**
 * Links at the top level, by name, to the folders in which Neovim looks for a plugin's files. Plugin managers put a
 * repository's root on Neovim's path, and a link can't differ from what it points to, as a copy could.
 */
export const pluginLinks: Readonly<Record<string, string>> = Object.fromEntries(
  ["doc", "lsp", "lua", "plugin"].map((name) => [name, `client-samples/neovim/${name}`]),
);

/** Top-level entries other than the few that belong there. */
export function topLevelProblems(paths: readonly string[]): string[] {
  const folders = ["server", "client-samples", "test"];
  const files = [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "biome.json",
    "knip.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    // Gemini CLI looks for the manifest of an extension at the root of a repository.
    "gemini-extension.json",
  ];
  const top = new Set(paths.map((path) => path.replace(/\/.*/s, "/")));
  return [...top]
    .filter(
      (name) => !folders.some((folder) => name === `${folder}/`) && !files.includes(name) && !(name in pluginLinks),
    )
    .filter((name) => !name.startsWith(".") && !/^[^/]+\.config\.[^/]+$/.test(name))
    .map((name) => `${name} does not belong at the top level`);
}

/**
 * Reports a problem unless there is exactly one copy of a package; `places` are the folders or entry files that were
 * found.
 */
export function copyProblems(name: string, places: readonly string[]): string[] {
  const distinct = [...new Set(places)];
  return distinct.length === 1 ? [] : [`there are ${distinct.length} copies of ${name}: ${distinct.join(", ")}`];
}

/** The part of a lock file that lists the packages and their optional dependencies. */
export interface LockFile {
  readonly packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>;
}

/** Optional packages, mainly for other platforms, that the lock file lacks; `npm ci` fails at the first one. */
export function lockProblems(lock: LockFile): string[] {
  return Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter(
        (name) => !(`node_modules/${name}` in lock.packages) && !(`${path}/node_modules/${name}` in lock.packages),
      )
      .map((name) => `package-lock.json lacks ${name}, which ${path} has for some platform`),
  );
}

/** The layer of a path; `undefined` if it belongs to none. */
function layerOf(path: string): Layer | undefined {
  if (/^server\/(?:main|serve|start|sentences)\.ts$/.test(path)) return "main";
  const folder = /^server\/([^/]+)\//.exec(path)?.[1];
  return folder === "main" ? undefined : layers.find((layer) => layer === folder);
}
