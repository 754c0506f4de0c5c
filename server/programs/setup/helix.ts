/** The configuration of Helix, whose list of servers for a language replaces Helix's own list. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { attempt } from "../../disk/fileSystem.js";
import { limits } from "../../text/limits.js";
import { homeFolder } from "../../workspace/serverFolder.js";
import { inHome } from "../shared/inHome.js";
import { type Input, readable, unreadable } from "../shared/input.js";
import { say } from "../shared/output.js";
import { blockFile, blockIn } from "./configFile.js";
import { readConfig } from "./configure.js";
import { serverCommand } from "./installation.js";
import type { SetUpProgram } from "./program.js";
import { projectLanguages } from "./projectLanguages.js";
import { configureSentences, setupSentences } from "./sentences.js";

/** Helix, which has a list of servers for each language. */
export const helix: SetUpProgram = {
  editor: "Helix",
  aliases: ["hx"],
  takesLanguages: true,
  forms: {
    async plain(installation, { words }) {
      const setup = await helixSetup(words, serverCommand(installation), "add");
      return setup.ok ? readable(`${heading(setup.value.file)}\n${setup.value.block}`) : setup;
    },
  },
  async files(installation, task, { words }) {
    if (task === "remove") return readable([blockFile(userFile(), { comment: "#", block: "", byHand: /(?!)/ })]);
    const setup = await helixSetup(words, serverCommand(installation), "replace");
    if (!setup.ok) return setup;
    const { file, before, block } = setup.value;
    const entries = blockFile(file, { comment: "#", block, byHand: /(?!)/ });
    // The entries repeat the user's lists, which must not have changed since.
    const add = (text = "") => (text === before ? entries.add(text) : unreadable(configureSentences.justChanged));
    return readable([{ ...entries, add }]);
  },
};

/**
 * Builds entries with all servers of each language, which only Helix knows, for languages named or found. With `replace`, they
 * replace those that this program has written, and so include their languages. `before`: the text of the user's file for
 * which they were built; an empty string if there is no file.
 */
async function helixSetup(
  named: readonly string[],
  command: readonly string[],
  task: "add" | "replace",
): Promise<Input<{ readonly file: string; readonly before: string; readonly block: string }>> {
  const found = named.length > 0 ? [] : projectLanguages(process.cwd());
  const file = userFile();
  const present = await readConfig(file);
  if (!present.ok) return unreadable(configureSentences.refused(inHome(file), present.problem));
  const before = present.value.text ?? "";
  const own = withoutBlock(before);
  const earlier = task === "replace" ? languagesIn(before.slice(...(blockIn(before, "#") ?? [0, 0]))) : [];
  if (named.length + found.length + earlier.length === 0) return unreadable(setupSentences.noLanguages());
  const helix = findHelix();
  if (helix === undefined) return unreadable(setupSentences.noHelix());
  const lists = listsIn(own);
  if (lists === undefined) return unreadable(setupSentences.unreadLists(inHome(file)));
  const isDefined = hasOurServer.test(own);
  const server = isDefined ? "" : serverTable(command);
  // Up to version 25.07, Helix shows a server's command instead of its name.
  const ours = [serverName, programName, ...(isDefined ? command.slice(0, 1) : [])];
  const examine: ExamineLanguage = (more, language) => askHelix(helix, `${own}\n${more}`, language);
  const languages = [...new Set([...earlier, ...named, ...found])];
  // A language that was found by the names of files, and that this Helix does not know, is left out.
  const entries = languages
    .map((language) => {
      const list = lists.get(language);
      return { isNamed: !found.includes(language), entry: entryOf(examine, { server, ours, list }, language) };
    })
    .filter(({ isNamed, entry }) => isNamed || entry.ok || entry.isUnknown !== true)
    .map(({ entry }) => entry);
  const problems = entries.flatMap((entry) => (entry.ok ? [] : [entry.problem]));
  if (problems.length > 0) return unreadable([...new Set(problems)].join("\n"));
  const texts = entries.flatMap((entry) => (entry.ok ? [entry.value] : []));
  if (texts.length === 0) return unreadable(setupSentences.noLanguages());
  await sayProjectLists(languages);
  return readable({ file, before, block: [...(server === "" ? [] : [server]), ...texts].join("\n") });
}

/** Says which languages have a list in the project's own file, which Helix uses instead of the user's list. */
async function sayProjectLists(languages: readonly string[]): Promise<void> {
  let folder = process.cwd();
  const isProject = (): boolean => [".git", ".svn", ".jj", ".helix"].some((name) => existsSync(join(folder, name)));
  while (!isProject() && folder !== dirname(folder)) folder = dirname(folder);
  const file = join(folder, ".helix", "languages.toml");
  const present = await readConfig(file);
  const lists = listsIn(present.ok ? (present.value.text ?? "") : "");
  const replaced = languages.filter((one) => lists?.get(one)?.every((server) => !server.includes(serverName)));
  if (replaced.length > 0) say(setupSentences.projectLists(inHome(file), replaced));
}

/** Returns the lists of servers, as TOML, by language; `undefined` if an unreadable text may have limits of servers. */
function listsIn(text: string): ReadonlyMap<string, readonly string[]> | undefined {
  const lists = new Map<string, readonly string[]>();
  let entries: unknown;
  try {
    entries = parse(text).language;
  } catch {
    return text.includes("-features") ? undefined : lists;
  }
  for (const entry of Array.isArray(entries) ? entries : []) {
    const { name, "language-servers": servers }: Readonly<Record<string, unknown>> = Object(entry);
    // Helix, too, uses the last list of a language.
    if (typeof name === "string" && Array.isArray(servers)) lists.set(name, servers.map(toToml));
  }
  return lists;
}

/** Writes a value on one line. */
function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).map(
    ([key, one]) => `${/^[\w-]+$/.test(key) ? key : toToml(key)} = ${toToml(one)}`,
  );
  return `{ ${pairs.join(", ")} }`;
}

const serverName = "multi-edit";
const programName = "multi-edit-language-server";

/** Returns the languages in the entries that this program has written. */
const languagesIn = (block: string): readonly string[] =>
  [...block.matchAll(/^name = "(.*)"\r?$/gm)].map(([, name = ""]) => name);

function serverTable([command = "", ...args]: readonly string[]): string {
  return `[language-server.${serverName}]
command = ${JSON.stringify(command)}
args = [${args.map((arg) => JSON.stringify(arg)).join(", ")}]
`;
}

/** Matches this server's table in languages.toml. A second copy of the table would make the file invalid. */
const hasOurServer = /^\s*(?:\[\s*language-server\s*\.\s*)?["']?multi-edit["']?\s*[\].=]/m;

const heading = (file: string): string => `# Helix 25.01 or later: append this to ${file}.
# A language's list here replaces Helix's own list, so it also names the servers in that list.`;

/** Defines plain text as a language, because Helix does not define it. */
const plainText = `[[language]]
name = "text"
scope = "text.plain"
file-types = ["txt"]
language-servers = ["${serverName}"]
`;

/** Asks Helix about a language, as if the user's languages.toml also contained the text `more`. */
type ExamineLanguage = (more: string, language: string) => Health;

type Health =
  | { readonly kind: "servers"; readonly shown: readonly string[] }
  | { readonly kind: "unknown"; readonly near: string }
  | { readonly kind: "broken"; readonly problem: string }
  /** Helix crashed or did not finish in time. */
  | { readonly kind: "silent" }
  /** The temporary folder can't be written. `code`: the system's. */
  | { readonly kind: "unasked"; readonly code: string };

/** The text of a language's entry; if there is none, whether the reason is that Helix does not know the language. */
type Entry = Input<string> & { readonly isUnknown?: true };

interface EntryOptions {
  /** This server's table in languages.toml; an empty string if the file has one. */
  readonly server: string;
  /** The names that Helix shows for this server. */
  readonly ours: readonly string[];
  /** The user's own list for the language, as TOML; `undefined` if there is none. */
  readonly list: readonly string[] | undefined;
}

function entryOf(examine: ExamineLanguage, { server, ours, list }: EntryOptions, language: string): Entry {
  const before = examine("", language);
  if (before.kind === "silent") return unreadable(setupSentences.silentHelix());
  if (before.kind === "unasked") return unreadable(setupSentences.unaskedHelix(tmpdir(), before.code));
  if (before.kind === "broken") return unreadable(setupSentences.brokenHelix(before.problem));
  if (before.kind === "unknown") {
    if (language === "text") return { ok: true, value: plainText };
    return { ...unreadable(setupSentences.unknownLanguage(language, before.near)), isUnknown: true };
  }
  const { shown } = before;
  if (ours.some((one) => shown.includes(one))) {
    return { ok: true, value: `# ${language} already has ${serverName}.\n` };
  }
  // Helix silently drops a server whose name it does not know, so check that it lists the existing servers and ours.
  // Only the user's own list has the limits of its servers.
  const lists =
    list === undefined ? [shown, shown.map((one) => names.get(one) ?? one)].map((one) => one.map(toToml)) : [list];
  for (const servers of lists) {
    const all = [...servers, toToml(serverName)].join(", ");
    const entry = `[[language]]\nname = ${toToml(language)}\nlanguage-servers = [${all}]\n`;
    const after = examine(`${server}\n${entry}`, language);
    if (after.kind !== "servers" || after.shown.length !== shown.length + 1) continue;
    if (shown.every((one, index) => one === after.shown[index])) return { ok: true, value: entry };
  }
  return unreadable(setupSentences.namelessServers(language, shown));
}

/** Helix's names for servers by command: up to version 25.07, its health check shows commands, not names. */
const names: ReadonlyMap<string, string> = new Map(
  `
  OmniSharp omnisharp; R r; actions-languageserver actions-language-server; basedpyright-langserver basedpyright
  biome biome-lsp-proxy; cue cuelsp; erlang_ls erlang-ls; fsautocomplete fsharp-ls
  golangci-lint-langserver golangci-lint-lsp; graphql-lsp graphql-language-service
  haskell-language-server-wrapper haskell-language-server; jedi-language-server jedi; kcl-language-server kcl-lsp
  lake lean; luau-lsp luau; magic mojo-lsp; millet-ls millet; ngserver angular; nu nu-lsp
  oxfmt oxfmt-language-server; oxlint oxlint-language-server; pb pbkit; pixi mojo-lsp-server
  pyright-langserver pyright; ripple-language-server ripple-lsp; tailwindcss-language-server tailwindcss-ls
  tsp-server typespec; v-analyzer vlang-language-server; vue-language-server vuels; wat_server wasm-language-tools
`
    .trim()
    .split(/;? *\n *|; /)
    .map((row): [string, string] => row.split(" ") as [string, string]),
);

/** Returns the path where Helix looks for the user's languages.toml. */
function userFile(): string {
  const { APPDATA, XDG_CONFIG_HOME } = process.env;
  const config = process.platform === "win32" ? APPDATA : XDG_CONFIG_HOME;
  return join(config || join(homeFolder(), ".config"), "helix", "languages.toml");
}

/** Returns the configuration without what this command has written. */
function withoutBlock(text: string): string {
  const block = blockIn(text, "#");
  return block === undefined ? text : text.slice(0, block[0]) + text.slice(block[1]);
}

/** Returns the name of Helix's executable, which depends on the system; `undefined` if it is not on the PATH. */
function findHelix(): string | undefined {
  return ["hx", "helix"].find(
    (one) => spawnSync(one, ["--version"], { stdio: "ignore", timeout: limits.helixMs }).error === undefined,
  );
}

/** Runs Helix's health check for a language, with `languages` as the text of its only configuration file. */
function askHelix(helix: string, languages: string, language: string): Health {
  const asked = attempt((): Health => {
    const config = mkdtempSync(join(tmpdir(), "multi-edit-helix-"));
    try {
      mkdirSync(join(config, "helix"));
      writeFileSync(join(config, "helix", "languages.toml"), languages);
      const env = { ...process.env, XDG_CONFIG_HOME: config, APPDATA: config };
      const options = { cwd: config, env, encoding: "utf8", timeout: limits.helixMs } as const;
      const { stdout, stderr, error, signal } = spawnSync(helix, ["--health", language], options);
      if (error !== undefined || signal !== null) return { kind: "silent" };
      return healthIn(withoutColours(stdout), withoutColours(stderr));
    } finally {
      rmSync(config, { recursive: true, force: true });
    }
  });
  return asked.value ?? { kind: "unasked", code: asked.code ?? "" };
}

function healthIn(stdout: string, stderr: string): Health {
  if (stderr.includes("Error parsing")) return { kind: "broken", problem: stderr.trim() };
  // Below the heading, each server has a line with a mark, its name and a colon. If there are no servers, the heading's
  // own line says "None".
  const list = /^Configured language servers?:.*\n((?: .*\n)*)/m.exec(stdout)?.[1];
  if (list === undefined) return { kind: "unknown", near: /^Did you mean .*?: (.*?) ?\?$/m.exec(stdout)?.[1] ?? "" };
  return { kind: "servers", shown: [...list.matchAll(/^ +\S+ (.+?): /gm)].map(([, one = ""]) => one) };
}

/** Removes the colour codes, which Helix writes even to a pipe. */
function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with a control character
  return text.replace(/\u001b\[[0-9;]*m/g, "");
}
