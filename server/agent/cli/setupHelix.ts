/** Entries for Helix' languages.toml, in which a language names all of its servers: those that it has, and ours. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeFolder } from "../../workspace/serverFolder.js";
import { type Input, unreadable } from "./input.js";
import { setupSentences } from "./sentences.js";

/** Makes the configuration for these languages. Only Helix knows their servers, so it is asked, and shown the result. */
export function helixSetup(languages: readonly string[]): Input<string> {
  if (languages.length === 0) return unreadable(setupSentences.noLanguages());
  const helix = findHelix();
  if (helix === undefined) return unreadable(setupSentences.noHelix());
  const file = userFile();
  const own = readOwn(file);
  const server = hasOurServer.test(own) ? "" : ourServer;
  const examine: ExamineLanguage = (more, language) => askHelix(helix, `${own}\n${more}`, language);
  const entries = [...new Set(languages)].map((language) => entryOf(examine, server, language));
  const problems = entries.flatMap((entry) => (entry.ok ? [] : [entry.problem]));
  if (problems.length > 0) return unreadable([...new Set(problems)].join("\n"));
  const texts = entries.flatMap((entry) => (entry.ok ? [entry.value] : []));
  return { ok: true, value: [heading(file), ...(server === "" ? [] : [server]), ...texts].join("\n") };
}

const name = "multi-edit";
const command = "multi-edit-language-server";

const ourServer = `[language-server.${name}]
command = "${command}"
args = ["--stdio"]
`;

/** The server's table may be in a file once: whoever appends to the file again must not get another one. */
const hasOurServer = /^\s*(?:\[\s*language-server\s*\.\s*)?["']?multi-edit["']?\s*[\].=]/m;

const heading = (file: string): string => `# Helix 25.01 or later: to be appended to ${file}.
# The list of a language takes the place of the one that it has, so it names the servers of that one, too.`;

/** Helix knows no plain text: this makes a language of it. */
const plainText = `[[language]]
name = "text"
scope = "text.plain"
file-types = ["txt"]
language-servers = ["${name}"]
`;

/** Answers with what Helix says of a language, if its configuration had some text more. */
type ExamineLanguage = (more: string, language: string) => Health;

type Health =
  | { readonly kind: "servers"; readonly shown: readonly string[] }
  | { readonly kind: "unknown"; readonly near: string }
  | { readonly kind: "broken"; readonly problem: string }
  /** It has crashed, or did not end. */
  | { readonly kind: "silent" };

/** Milliseconds that Helix may take to examine a language. */
const helixMs = 20_000;

function entryOf(examine: ExamineLanguage, server: string, language: string): Input<string> {
  const before = examine("", language);
  if (before.kind === "silent") return unreadable(setupSentences.silentHelix());
  if (before.kind === "broken") return unreadable(setupSentences.brokenHelix(before.problem));
  if (before.kind === "unknown") {
    if (language === "text") return { ok: true, value: plainText };
    return unreadable(setupSentences.unknownLanguage(language, before.near));
  }
  const { shown } = before;
  if (shown.includes(name) || shown.includes(command)) {
    return { ok: true, value: `# ${language} has ${name} already.\n` };
  }
  // A list with a name that Helix does not know loses a server without a word. So Helix has to show the same ones, and ours.
  for (const servers of [shown, shown.map((one) => names[one] ?? one)]) {
    const list = [...servers, name].map((one) => JSON.stringify(one)).join(", ");
    const entry = `[[language]]\nname = ${JSON.stringify(language)}\nlanguage-servers = [${list}]\n`;
    const after = examine(`${server}\n${entry}`, language);
    if (after.kind !== "servers" || after.shown.length !== shown.length + 1) continue;
    if (shown.every((one, index) => one === after.shown[index])) return { ok: true, value: entry };
  }
  return unreadable(setupSentences.namelessServers(language, shown));
}

/** Up to 25.07 Helix shows the commands of servers. By command: the names that its own configuration gives those, if they differ. */
const names: Readonly<Record<string, string>> = {
  OmniSharp: "omnisharp",
  R: "r",
  "actions-languageserver": "actions-language-server",
  "basedpyright-langserver": "basedpyright",
  biome: "biome-lsp-proxy",
  cue: "cuelsp",
  erlang_ls: "erlang-ls",
  fsautocomplete: "fsharp-ls",
  "golangci-lint-langserver": "golangci-lint-lsp",
  "graphql-lsp": "graphql-language-service",
  "haskell-language-server-wrapper": "haskell-language-server",
  "jedi-language-server": "jedi",
  "kcl-language-server": "kcl-lsp",
  lake: "lean",
  "luau-lsp": "luau",
  magic: "mojo-lsp",
  "millet-ls": "millet",
  ngserver: "angular",
  nu: "nu-lsp",
  oxfmt: "oxfmt-language-server",
  oxlint: "oxlint-language-server",
  pb: "pbkit",
  pixi: "mojo-lsp-server",
  "pyright-langserver": "pyright",
  "ripple-language-server": "ripple-lsp",
  "tailwindcss-language-server": "tailwindcss-ls",
  "tsp-server": "typespec",
  "v-analyzer": "vlang-language-server",
  "vue-language-server": "vuels",
  wat_server: "wasm-language-tools",
};

/** The user's languages.toml, where Helix looks for it. */
function userFile(): string {
  const { APPDATA, XDG_CONFIG_HOME } = process.env;
  const config = process.platform === "win32" ? APPDATA : XDG_CONFIG_HOME;
  return join(config || join(homeFolder(), ".config"), "helix", "languages.toml");
}

function readOwn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Nothing is there yet, or nothing that Helix could read either.
    return "";
  }
}

/** The program under one of the names that systems give it; `undefined`: it is not on the PATH. */
function findHelix(): string | undefined {
  return ["hx", "helix"].find(
    (one) => spawnSync(one, ["--version"], { stdio: "ignore", timeout: helixMs }).error === undefined,
  );
}

/** Has Helix examine a language with this text as the user's languages.toml, and nothing else of the user's. */
function askHelix(helix: string, languages: string, language: string): Health {
  const config = mkdtempSync(join(tmpdir(), "multi-edit-helix-"));
  try {
    mkdirSync(join(config, "helix"));
    writeFileSync(join(config, "helix", "languages.toml"), languages);
    const env = { ...process.env, XDG_CONFIG_HOME: config, APPDATA: config };
    const options = { cwd: config, env, encoding: "utf8", timeout: helixMs } as const;
    const { stdout, stderr, error, signal } = spawnSync(helix, ["--health", language], options);
    if (error !== undefined || signal !== null) return { kind: "silent" };
    return healthIn(withoutColours(stdout), withoutColours(stderr));
  } finally {
    rmSync(config, { recursive: true, force: true });
  }
}

function healthIn(stdout: string, stderr: string): Health {
  if (stderr.includes("Error parsing")) return { kind: "broken", problem: stderr.trim() };
  // Below the heading each server has a line with a mark, its name and a colon; "None" follows the heading in its line.
  const list = /^Configured language servers?:.*\n((?: .*\n)*)/m.exec(stdout)?.[1];
  if (list === undefined) return { kind: "unknown", near: /^Did you mean .*?: (.*?) ?\?$/m.exec(stdout)?.[1] ?? "" };
  return { kind: "servers", shown: [...list.matchAll(/^ +\S+ (.+?): /gm)].map(([, one = ""]) => one) };
}

/** Text without the colours that Helix also gives it in a pipe. */
function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with one
  return text.replace(/\u001b\[[0-9;]*m/g, "");
}
