/** Helix, today's and an older one, on a terminal, attached as the README says. */
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

/** Today's Helix. */
export const helix: EditorKind = { ...common, root: "current", traits };

/** A Helix whose command takes no arguments yet. */
export const olderHelix: EditorKind = {
  ...common,
  root: "older",
  traits: { ...traits, command: false, reordersChanges: true },
};

/** A Helix whose user has named these languages. */
export const helixFor = (kind: EditorKind, named: readonly string[]): EditorKind => ({
  ...kind,
  start: (place) => start(place, named),
});

/** Languages of the files in the tests, in place of those of the README. */
const languages = [
  "text",
  "markdown",
  "typescript",
  "rust",
  "python",
  "javascript",
  "jsx",
  "go",
  "json",
  "yaml",
  "sql",
  "bash",
  "css",
  "c",
];

async function start(place: Place, named: readonly string[]): Promise<Driver> {
  configure(place, named);
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
  /** What was on the screen before, a question shown once may be. */
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
      // The first one is chosen from the beginning; Ctrl-N goes on to the next.
      terminal.write(`${"\u000e".repeat(actions.indexOf(action))}\r`);
    },
    // The command's end takes away a command line that has been opened meanwhile.
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

/** What a user's hands do in Helix. */
interface Hands {
  readonly typed: (command: string) => void;
  /** Sends a call; one that is long by a key, because Helix looks for completions at each key that is typed. */
  readonly sent: (call: unknown) => void;
  /** Has text written to a file by one of the `keys`, by which it is known that all keys before have had their effect. */
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

/** Ctrl-G, Ctrl-T and Ctrl-K, which the tests' configuration gives a meaning. */
const keys = { writeSelection: "\u0007", writeAll: "\u0014", apply: "\u000b" } as const;

/** A call that is too long to be typed. */
const callPath = ({ home }: Pick<Place, "home">): string => join(home, "call.json");

const selectionPath = ({ home }: Pick<Place, "home">): string => join(home, "selection");

/** Helix expands what stands behind a percent sign. */
const argument = (call: unknown): string => JSON.stringify(call).replaceAll("%", "\\u0025");

/** What the README says, but for other languages, and keys that are taken as they are. */
function configure({ home, inside: [program, ...args], env }: Place, named: readonly string[]): void {
  const folder = join(home, ".config/helix");
  mkdirSync(folder, { recursive: true });
  const attach = blockOf("README.md", "sh helix").replace(/(setup helix) .* (>>)/, `$1 ${named.join(" ")} $2`);
  const ran = spawnSync(program, [...args, "sh", "-euc", attach], { env, encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`the README's commands fail: ${ran.stderr}`);
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
    // Escape, if the next key comes at once, is taken for Alt and that key.
    ...["[keys.insert]", `C-g = ["normal_mode", "${write}"]`, ""],
  ];
  writeFileSync(join(folder, "config.toml"), config.join("\n"));
}
