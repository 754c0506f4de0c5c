/** Headless Neovim, in its current and an older version, attached to the server as its page says. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { blockOf } from "./attach.js";
import type { Driver, EditorKind, Held, Place, Traits } from "./editor.js";
import { type Remote, remoteOf } from "./link.js";
import { type EditorProcess, startInside } from "./process.js";
import { createScreen, whenShown } from "./screen.js";
import { startTerminal } from "./terminal.js";

const traits: Traits = {
  encodings: ["utf-8", "utf-16", "utf-32"],
  command: true,
  request: true,
  restoresFinalNewline: true,
  insertsLfIntoMixed: true,
};

const common = {
  name: "Neovim",
  versionCommand: ["nvim", "--version"],
  version: /^NVIM v(\S+)/,
  start: (place: Place) => start(place, blockOf("client-samples/neovim/README.md", "lua neovim")),
} as const;

/** The current Neovim. */
export const neovim: EditorKind = { ...common, root: "current", traits };

/** A Neovim that many people still use; it offers only one encoding. */
export const olderNeovim: EditorKind = { ...common, root: "older", traits: { ...traits, encodings: ["utf-16"] } };

/** The current Neovim, with nothing configured but the server. */
export const bareNeovim: EditorKind = {
  ...common,
  name: "Neovim without the sample",
  root: "current",
  traits: { ...traits, request: false },
  start: (place) => start(place, blockOf("client-samples/neovim/README.md", "lua neovim alone")),
};

/** A Neovim whose user has this `init.lua`, which may depend on the place. */
export const neovimWith = (kind: EditorKind, configuration: string | ((place: Place) => string)): EditorKind => ({
  ...kind,
  start: (place) => start(place, typeof configuration === "string" ? configuration : configuration(place)),
});

/** Writes the user's `init.lua`; returns the path of the driver's script. */
function configure(place: Place, configuration: string): string {
  const config = join(place.home, ".config/nvim");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "init.lua"), configuration);
  return join(place.repository, "test/editors/neovim.lua");
}

/** `configuration` is the user's `init.lua`. */
async function start(place: Place, configuration: string): Promise<Driver> {
  const driver = configure(place, configuration);
  const editor = startInside(place, ["nvim", "--headless", "-n", "-S", driver], { EDITOR_SOCKET: place.link.path });
  return driverOf(remoteOf(await editor.whileItRuns(place.link.next("editor"))), editor);
}

/** A Neovim in a terminal, driven by keys. */
export interface ShownNeovim extends Driver {
  /** Presses keys, as the characters that a terminal sends. */
  press(keys: string): void;
  /** Waits until the screen shows all of these texts and has not changed for a while; returns the screen's text. */
  shows(...texts: readonly string[]): Promise<string>;
}

/** Size of the terminal. */
const terminalSize = { columns: 100, rows: 30 } as const;

/** A Neovim in a terminal, whose user has this `init.lua`. Its driver is a `ShownNeovim`. */
export const neovimOnScreen = (kind: EditorKind, configuration: string): EditorKind => ({
  ...kind,
  start: async (place): Promise<ShownNeovim> => {
    const driver = configure(place, configuration);
    const env = { ...place.env, EDITOR_SOCKET: place.link.path };
    const terminal = startTerminal({ ...place, env }, ["nvim", "-n", "-S", driver], terminalSize);
    const screen = createScreen(terminalSize.columns, terminalSize.rows);
    terminal.child.stdout?.on("data", (chunk: Buffer) => void screen.print(chunk.toString()));
    const remote = remoteOf(await terminal.whileItRuns(place.link.next("editor")));
    return {
      ...driverOf(remote, terminal),
      press: terminal.write,
      shows: (...texts) => whenShown(screen, texts),
    };
  },
});

function driverOf(remote: Remote, editor: Pick<EditorProcess, "stop" | "said">): Driver {
  const mode = () => remote.call("mode");
  return {
    open: async (path) => void (await remote.call("open", path)),
    retype: async (path, text) => void (await remote.call("retype", { path, text })),
    command: async (call) => void (await remote.call("command", call)),
    // The driver's answers have these types.
    request: async (call) => (await remote.call("request", call)) as { applied: boolean; message: string },
    held: async (path) => ((await remote.call("held", path)) as Held | null) ?? undefined,
    opened: async () => (await remote.call("opened")) as string[],
    undo: async (path) => void (await remote.call("undo", path)),
    save: async (path) => void (await remote.call("save", path)),
    lock: async (path) => void (await remote.call("lock", path)),
    startTyping: async (path, before) => {
      await remote.call("type_before", { path, before });
      while ((await mode()) !== "i") await delay(5);
    },
    key: (key) => remote.tell("key", key),
    stopTyping: async () => {
      remote.tell("key", "<Esc>");
      while ((await mode()) !== "n") await delay(5);
    },
    answer: async (_question, action, actions) => {
      // While Neovim waits for an answer, it handles only the calls that are allowed at any time.
      while ((await remote.call("mode_now")) === "n") await delay(10);
      remote.tell("key", `${actions.indexOf(action) + 1}<CR>`);
    },
    confirm: async (answer) => {
      const isShown = "return vim.api.nvim_buf_get_name(0):find('question', 1, true) ~= nil";
      do await remote.call("run", 'vim.cmd("MultiEditQuestion")');
      while ((await remote.call("run", isShown)) !== true);
      await remote.call("run", `vim.cmd("MultiEditQuestion ${answer}")`);
    },
    run: (lua) => remote.call("run", lua),
    closeAll: async () => void (await remote.call("close_all")),
    stop: editor.stop,
    said: editor.said,
  };
}
