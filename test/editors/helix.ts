/** Helix in a terminal, in its current and an older version, attached to the server as its page says. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { decodeFile } from "../support/editorFiles.js";
import { blockOf } from "./attach.js";
import type { Driver, EditorKind, Place, Traits } from "./editor.js";
import { startTerminal, type Terminal } from "./terminal.js";

const traits: Traits = {
  encodings: ["utf-8", "utf-32", "utf-16"],
  command: true,
  request: false,
  restoresFinalNewline: false,
};

const common = {
  name: "Helix",
  versionCommand: ["hx", "--version"],
  version: /^helix (\S+)/,
  start: (place: Place) => start(place, languages),
} as const;

/** The current Helix. */
export const helix: EditorKind = { ...common, root: "current", traits };

/** An older Helix, whose `:lsp-workspace-command` does not take arguments yet. */
export const olderHelix: EditorKind = {
  ...common,
  root: "older",
  traits: { ...traits, command: false, reordersChanges: true },
};

/** A Helix configured by its user for these languages, with its page's commands or with `setup helix --write`. */
export const helixFor = (
  kind: EditorKind,
  named: readonly string[],
  attach: (named: readonly string[]) => string = pageCommands,
): EditorKind => ({
  ...kind,
  start: (place) => start(place, named, attach),
});

/** The languages of the test files, which replace those on the page. */
const languages = [
  "text",
  "markdown",
  "typescript",
  "ruby",
  "rust",
  "python",
  "javascript",
  "jsx",
  "go",
  "latex",
  "lua",
  "make",
  "json",
  "yaml",
  "sql",
  "bash",
  "css",
  "c",
  "html",
  // The server's question comes back once the diff has been closed.
  "diff",
];

async function start(place: Place, named: readonly string[], attach = pageCommands): Promise<Driver> {
  configure(place, attach(named));
  const terminal = startTerminal(place, ["hx"]);
  try {
    await terminal.whenShown("scratch", 0);
  } catch (error) {
    await terminal.stop();
    throw error;
  }
  return driverOf(terminal, place);
}

function driverOf(terminal: Terminal, place: Place): Driver {
  const { typed, sent, written, done, show } = handsOn(terminal, place);
  /** Position in the output up to which all questions have been handled. */
  let shown = 0;
  return {
    open: async (path) => {
      show(path);
      await done();
    },
    retype: async (path, text) => {
      show(path);
      terminal.write("%d");
      terminal.write("i");
      await delay(30);
      terminal.paste(text);
      await delay(30);
      await done();
    },
    command: async (call) => sent(call),
    held: async (path) => {
      show(path);
      const { text } = decodeFile(await written(keys.writeAll));
      return { text, modified: undefined, bom: undefined };
    },
    undo: async (path) => {
      show(path);
      terminal.write("u");
      await done();
    },
    save: async (path) => {
      show(path);
      typed("w!");
      await done();
    },
    startTyping: async (path, before) => {
      show(path);
      terminal.write("gg");
      terminal.write(`/${before.replace(/[^\w ]/g, "\\$&")}\r`);
      await done();
      terminal.write("i");
    },
    key: (key) => terminal.write(key),
    stopTyping: done,
    answer: async (question, action, actions) => {
      await terminal.whenShown(question.split("\n", 1)[0]!, shown);
      shown = terminal.mark();
      // The first action is selected initially; Ctrl-N moves to the next one.
      terminal.write(`${"\u000e".repeat(actions.indexOf(action))}\r`);
      if (action !== "Show diff") return;
      await terminal.whenShown("multi-edit answer", shown);
      typed("bc");
    },
    // When the command ends, Helix closes any command line that was opened in the meantime.
    settle: () => delay(60),
    run: async (typedKeys) => {
      terminal.write(typedKeys);
      await done();
      return undefined;
    },
    closeAll: async () => {
      typed("bca!");
      await done();
    },
    stop: terminal.stop,
    said: terminal.said,
  };
}

/** A user's actions in Helix. */
interface Hands {
  readonly typed: (command: string) => void;
  /**
   * Sends a call: types it or, if it is long, presses a key that sends it, because Helix looks for completions after
   * every typed key.
   */
  readonly sent: (call: unknown) => void;
  /**
   * Presses one of `keys` and returns the text that Helix writes in response; by then, all earlier keys have taken
   * effect.
   */
  readonly written: (key: string) => Promise<Buffer>;
  readonly done: () => Promise<void>;
  readonly show: (path: string) => void;
}

function handsOn(terminal: Terminal, place: Place): Hands {
  const typed = (command: string): void => terminal.write(`:${command}\r`);
  const written = async (key: string): Promise<Buffer> => {
    terminal.write(key);
    const path = selectionPath(place);
    for (const end = performance.now() + 10_000; !existsSync(path); await delay(3))
      if (performance.now() > end) throw new Error(`Helix does not do what is typed: ${terminal.said()}`);
    const bytes = readFileSync(path);
    rmSync(path);
    return bytes;
  };
  return {
    typed,
    sent: (call) => {
      const command = `lsp-workspace-command multiEdit.apply ${argument(call)}`;
      if (command.length < 300) return typed(command);
      writeFileSync(callPath(place), argument(call));
      terminal.write(keys.apply);
    },
    written,
    done: async () => void (await written(keys.writeSelection)),
    show: (path) => {
      const short = relative(place.folder, path);
      typed(`o ${/^[\w./-]+$/.test(short) ? short : `'${short}'`}`);
    },
  };
}

/** Ctrl-G, Ctrl-T and Ctrl-K, which are bound in the tests' configuration. */
const keys = { writeSelection: "\u0007", writeAll: "\u0014", apply: "\u000b" } as const;

/** The path of the file for a call that is too long to type. */
const callPath = ({ home }: Pick<Place, "home">): string => join(home, "call.json");

const selectionPath = ({ home }: Pick<Place, "home">): string => join(home, "selection");

/** Escapes percent signs, because Helix expands the text after them. */
const argument = (call: unknown): string => JSON.stringify(call).replaceAll("%", "\\u0025");

/** The page's commands, but for other languages. */
function pageCommands(named: readonly string[]): string {
  return blockOf("client-samples/helix/README.md", "sh helix").replace(
    /(setup helix) .* (--write)/,
    `$1 ${named.join(" ")} $2`,
  );
}

/** Runs the commands that attach the server, then adds key bindings. */
function configure({ home, inside: [program, ...args], env }: Place, attach: string): void {
  const folder = join(home, ".config/helix");
  mkdirSync(folder, { recursive: true });
  const ran = spawnSync(program, [...args, "sh", "-euc", attach], { env, encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`the commands that attach the server fail: ${ran.stderr}`);
  const path = selectionPath({ home });
  const write = `:pipe-to cat >${path}.part && mv ${path}.part ${path}`;
  const config = [
    ...["[editor]", "auto-completion = false", "auto-pairs = false"],
    ...[
      blockOf("client-samples/helix/README.md", "toml").trimEnd(),
      `C-g = "${write}"`,
      `C-t = ["select_all", "${write}"]`,
    ],
    ...[`C-k = ":lsp-workspace-command multiEdit.apply %sh{cat ${callPath({ home })}}"`],
    // Escape immediately followed by another key would be read as Alt plus that key.
    ...["[keys.insert]", `C-g = ["normal_mode", "${write}"]`, ""],
  ];
  writeFileSync(join(folder, "config.toml"), config.join("\n"));
}

/** Configures Helix as its page says, with plain text as a further language. `settings`: takes the place of the page's setting. */
export function attachPlainText(settings: string): string {
  const page = blockOf("client-samples/helix/README.md", "toml languages").replace('confirm = "always"', settings);
  const plain = `[[language]]
name = "text"
scope = "text.plain"
file-types = ["txt"]
language-servers = ["multi-edit"]
`;
  return `mkdir -p ~/.config/helix && cat > ~/.config/helix/languages.toml <<'END'\n${page}\n${plain}END\n`;
}
