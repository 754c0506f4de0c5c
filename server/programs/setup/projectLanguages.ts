/** Finds the languages of a project's files, by the names that Helix has for them. */
import { spawnSync } from "node:child_process";
import { type Dirent, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { limits } from "../../text/limits.js";

/** Returns the languages of the files in a directory, in alphabetical order. Git's ignored files do not count. */
export function projectLanguages(directory: string): readonly string[] {
  const found = new Set<string>();
  for (const path of filesOf(directory)) {
    const name = basename(path).toLowerCase();
    const ends = name.split(".").slice(1);
    const keys = [name, ...ends.map((_, index) => `.${ends.slice(index).join(".")}`)];
    const language = keys.map((key) => languageOf.get(key)).find((one) => one !== undefined);
    if (language !== undefined) found.add(language);
  }
  return [...found].sort();
}

/** Returns at most `limits.projectFiles` paths. */
function filesOf(directory: string): readonly string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const options = {
    cwd: directory,
    encoding: "utf8",
    timeout: limits.helixMs,
    maxBuffer: limits.projectBytes,
  } as const;
  const { status, stdout } = spawnSync("git", args, options);
  const paths = status === 0 ? stdout.split("\0") : walk(directory);
  return paths.slice(0, limits.projectFiles);
}

/** Lists the files in a directory that is in no Git repository, except those in hidden directories and packages. */
function walk(directory: string): readonly string[] {
  const files: string[] = [];
  const waiting = [directory];
  for (let looked = 0; waiting.length > 0 && looked < limits.projectFiles; looked++) {
    const here = waiting.shift() ?? directory;
    for (const entry of entriesOf(here)) {
      if (entry.isFile()) files.push(entry.name);
      else if (entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name)) waiting.push(join(here, entry.name));
    }
    if (files.length >= limits.projectFiles) break;
  }
  return files;
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // A directory that can't be read has no files that an editor could open.
    return [];
  }
}

/** The files of the languages that are in common use, by name or `.` and ending. Helix itself does not tell them. */
const filesByLanguage = `
  astro: .astro; awk: .awk; bash: .sh .bash .zsh .ksh .ebuild .bashrc .bash_profile .zshrc .profile; c: .c
  c-sharp: .cs .csx; clojure: .clj .cljs .cljc .edn; cmake: .cmake cmakelists.txt
  cpp: .cc .cpp .cxx .c++ .h .hh .hpp .hxx .ino .cu; crystal: .cr; css: .css; cue: .cue; d: .d; dart: .dart
  dockerfile: dockerfile containerfile .dockerfile; elixir: .ex .exs; elm: .elm; emacs-lisp: .el
  erlang: .erl .hrl; fish: .fish; fortran: .f90 .f95 .f03 .f .for; fsharp: .fs .fsx .fsi; gleam: .gleam; go: .go
  gomod: go.mod; graphql: .graphql .gql; groovy: .gradle .groovy jenkinsfile; haskell: .hs
  hcl: .hcl .tf .tfvars .nomad; html: .html .htm; ini: .ini .editorconfig .cfg; java: .java
  javascript: .js .mjs .cjs; json: .json .jsonl .webmanifest .geojson; jsonc: .jsonc .json5; jsx: .jsx; julia: .jl
  just: justfile .justfile; kotlin: .kt .kts; latex: .tex .sty .cls; lua: .lua; make: makefile gnumakefile .mk
  markdown: .md .markdown; meson: meson.build; nim: .nim .nims; nix: .nix; ocaml: .ml; ocaml-interface: .mli
  odin: .odin; perl: .pl .pm .t; php: .php; prisma: .prisma; protobuf: .proto; purescript: .purs
  python: .py .pyi .pyw; r: .r; rescript: .res; rst: .rst; ruby: .rb .rake .gemspec gemfile rakefile; rust: .rs
  scala: .scala .sbt .sc; scheme: .scm .ss; scss: .scss; sql: .sql; starlark: .bzl .bazel build workspace
  svelte: .svelte; swift: .swift; systemverilog: .sv .svh; text: .txt; toml: .toml cargo.lock; tsx: .tsx
  typescript: .ts .mts .cts; typst: .typ; vala: .vala; verilog: .v .vh; vhdl: .vhd .vhdl; vim: .vim .vimrc
  vue: .vue; xml: .xml .svg .xsd .xsl .plist; yaml: .yml .yaml; zig: .zig .zon
`;

const languageOf: ReadonlyMap<string, string> = new Map(
  filesByLanguage.split(/[;\n]/).flatMap((row) => {
    const [language = "", ...names] = row.trim().split(/:? /);
    return names.map((name) => [name, language] as const);
  }),
);
