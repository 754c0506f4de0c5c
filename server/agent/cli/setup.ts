/** Prints the configuration that an editor or an agent needs; changes nothing itself. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { limits } from "../../text/limits.js";
import { homeFolder } from "../../workspace/serverFolder.js";
import type { Arguments } from "./arguments.js";
import { configure } from "./configure.js";
import { type Input, unreadable } from "./input.js";
import { exitCodes, print, say } from "./output.js";
import { setupSentences } from "./sentences.js";
import { ownCommand, setupFiles } from "./setupFiles.js";

/** Prints the configuration for one program, writes it, or removes it; returns the exit code. */
export function runSetup({ words: [name, ...words], write, remove }: Arguments): number {
  const files = name !== undefined && Object.hasOwn(setupFiles, name) ? setupFiles[name] : undefined;
  if (files !== undefined && (write || remove)) {
    const own = realpathSync(process.argv[1] ?? ".");
    const done = configure(files({ command: ownCommand(own), samples: samples() }), remove ? "remove" : "add");
    if (done.ok) print(done.value);
    else say(done.problem);
    return done.ok ? exitCodes.done : exitCodes.unresolved;
  }
  const setup = name === "helix" ? helixSetup(words) : fixedSetup(name, words);
  if (!setup.ok) {
    say(setup.problem);
    return exitCodes.usage;
  }
  print(setup.value);
  return exitCodes.done;
}

function fixedSetup(name: string | undefined, words: readonly string[]): Input<string> {
  const setup = name !== undefined && Object.hasOwn(setups, name) ? setups[name] : undefined;
  if (name === undefined || setup === undefined) {
    return unreadable(setupSentences.unknown(name, ["helix", ...Object.keys(setups)].sort()));
  }
  const [word] = words;
  if (word !== undefined) return unreadable(setupSentences.tooMany(name, word));
  return { ok: true, value: setup(samples()) };
}

/** Returns the path of the samples' folder, which is next to the program's folder in the package. */
function samples(): string {
  return join(dirname(dirname(realpathSync(process.argv[1] ?? "."))), "client-samples");
}

/** Quotes an argument for a shell, if it needs quotes. */
const quotedForShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The configurations of all programs except Helix, by name. Each is complete; its first line says where it belongs. */
const setups: Readonly<Record<string, (samples: string) => string>> = {
  neovim: (
    folder,
  ) => `-- Neovim 0.10 or later, in init.lua. Starts the server for every file, alongside the file's other servers.
vim.opt.runtimepath:append(${JSON.stringify(join(folder, "neovim"))})
require("multi_edit").setup()
`,
  emacs: (folder) => `;; Emacs 29.1 or later, in ~/.emacs.d/init.el or ~/.config/emacs/init.el.
;; Starts the server for every file, alongside eglot's other servers.
(add-to-list 'load-path ${JSON.stringify(join(folder, "emacs"))})
(require 'multi-edit)
(multi-edit-beside-mode)
;; With lsp-mode, instead of the last line: (multi-edit-use-lsp-mode)
`,
  claude: () => `# Claude Code, in a shell.
# alwaysLoad: the tools cost about 2,000 tokens in each request. Without it, the model has to search for three of the five tools.
claude mcp add-json --scope user multi-edit '{"type":"stdio","command":"multi-edit","args":["mcp"],"alwaysLoad":true}'

# Claude's own tools write to disk, not to the editor. To make Claude use the tools of multi-edit instead, add this to
# ~/.claude/settings.json:
# { "permissions": { "allow": ["mcp__multi-edit__*"], "deny": ["Edit", "Write", "NotebookEdit"] } }
# allow: outside plan mode, the tools change files without asking you. deny: Claude's own editing tools are disabled in
# every project.
`,
  codex: () => `# Codex, in ~/.codex/config.toml.
# In Codex's sandbox, commands may not open sockets; MCP servers run outside the sandbox.
# required: Codex waits for the server, and ends with an error if the server does not start.
# approve: the tools change files without asking you, even on disk and under --sandbox read-only. Without this
# setting, codex exec refuses every edit.
# omit_tools_from: the tools cost about 2,000 tokens in each request. Without this setting, most models do not see the tools.
# output_token_limit: reading one file may cost up to that many tokens. Models that call tools from a script get less of a long file.
[mcp_servers.multi-edit]
command = "multi-edit"
args = ["mcp"]
startup_timeout_sec = 20
tool_timeout_sec = 60
required = true
default_tools_approval_mode = "approve"
omit_tools_from = ["deferred"]

[mcp_servers.multi-edit.tools.read_document]
output_token_limit = 40000
`,
  opencode: () => `// opencode, in opencode.json.
// permission: your rules for opencode's own edit tool do not apply to these tools. With allow, they change files
// without asking you; with ask, opencode asks you first, and opencode run refuses their calls.
// agent: without these lines, the plan agent can edit files with these tools.
{
  "mcp": {
    "multi-edit": { "type": "local", "command": ["multi-edit", "mcp"], "enabled": true }
  },
  "permission": { "multi-edit_multi_edit": "allow", "multi-edit_apply_patch": "allow" },
  "agent": {
    "plan": { "permission": { "multi-edit_multi_edit": "deny", "multi-edit_apply_patch": "deny" } }
  }
}
`,
  gemini: () => `// Gemini CLI, in ~/.gemini/settings.json.
// The timeout is in milliseconds.
// trust: the tools change files without asking you. Without it, gemini -p can't use them.
// In folders that you have not trusted, Gemini disables the MCP servers in this file, even those with trust.
{
  "mcpServers": {
    "multi-edit": { "command": "multi-edit", "args": ["mcp"], "timeout": 60000, "trust": true }
  }
}
`,
  pi: (folder) => `# pi, in a shell.
# An extension that replaces pi's own edit tool in every project with one that goes through your editor. Like pi's own
# tool, it changes files without asking you.
mkdir -p ~/.pi/agent/extensions
cp ${quotedForShell(join(folder, "pi", "multiEdit.ts"))} ~/.pi/agent/extensions/
`,
};

/**
 * Builds the entries that Helix's languages.toml needs for these languages. Each entry lists all servers of its
 * language: those that the language already has, and this one. Only Helix knows the existing ones, so Helix has to name
 * them and check each entry.
 */
function helixSetup(languages: readonly string[]): Input<string> {
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

const serverName = "multi-edit";
const command = "multi-edit-language-server";

const ourServer = `[language-server.${serverName}]
command = "${command}"
args = ["--stdio"]
`;

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
  | { readonly kind: "silent" };

function entryOf(examine: ExamineLanguage, server: string, language: string): Input<string> {
  const before = examine("", language);
  if (before.kind === "silent") return unreadable(setupSentences.silentHelix());
  if (before.kind === "broken") return unreadable(setupSentences.brokenHelix(before.problem));
  if (before.kind === "unknown") {
    if (language === "text") return { ok: true, value: plainText };
    return unreadable(setupSentences.unknownLanguage(language, before.near));
  }
  const { shown } = before;
  if (shown.includes(serverName) || shown.includes(command)) {
    return { ok: true, value: `# ${language} already has ${serverName}.\n` };
  }
  // Helix silently drops a server whose name it does not know, so check that it lists the earlier servers and ours.
  for (const servers of [shown, shown.map((one) => names[one] ?? one)]) {
    const list = [...servers, serverName].map((one) => JSON.stringify(one)).join(", ");
    const entry = `[[language]]\nname = ${JSON.stringify(language)}\nlanguage-servers = [${list}]\n`;
    const after = examine(`${server}\n${entry}`, language);
    if (after.kind !== "servers" || after.shown.length !== shown.length + 1) continue;
    if (shown.every((one, index) => one === after.shown[index])) return { ok: true, value: entry };
  }
  return unreadable(setupSentences.namelessServers(language, shown));
}

/** Helix's names for servers, by command, where the two differ. Up to version 25.07, Helix shows the commands. */
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

/** Returns the path at which Helix looks for the user's languages.toml. */
function userFile(): string {
  const { APPDATA, XDG_CONFIG_HOME } = process.env;
  const config = process.platform === "win32" ? APPDATA : XDG_CONFIG_HOME;
  return join(config || join(homeFolder(), ".config"), "helix", "languages.toml");
}

function readOwn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Either there is no file yet or Helix can't read it either.
    return "";
  }
}

/** Returns the name of Helix's program, which depends on the system; `undefined` if it is not on the PATH. */
function findHelix(): string | undefined {
  return ["hx", "helix"].find(
    (one) => spawnSync(one, ["--version"], { stdio: "ignore", timeout: limits.helixMs }).error === undefined,
  );
}

/** Has Helix examine a language, with `languages` as its languages.toml and without its other configuration files. */
function askHelix(helix: string, languages: string, language: string): Health {
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
}

function healthIn(stdout: string, stderr: string): Health {
  if (stderr.includes("Error parsing")) return { kind: "broken", problem: stderr.trim() };
  // Below the heading, each server has a line with a mark, its name and a colon. "None" is on the heading's own line.
  const list = /^Configured language servers?:.*\n((?: .*\n)*)/m.exec(stdout)?.[1];
  if (list === undefined) return { kind: "unknown", near: /^Did you mean .*?: (.*?) ?\?$/m.exec(stdout)?.[1] ?? "" };
  return { kind: "servers", shown: [...list.matchAll(/^ +\S+ (.+?): /gm)].map(([, one = ""]) => one) };
}

/** Removes the colour codes, which Helix writes even to a pipe. */
function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with a control character
  return text.replace(/\u001b\[[0-9;]*m/g, "");
}
