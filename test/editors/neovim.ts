/** Headless Neovim, in its current and an older version, attached to the server as its page says. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { blockOf } from "./attach.js";
import type { Driver, EditorKind, Held, Place, Traits } from "./editor.js";
import { remoteOf } from "./link.js";
import { startInside } from "./process.js";

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

/** `configuration` is the user's `init.lua`. */
async function start(place: Place, configuration: string): Promise<Driver> {
  const config = join(place.home, ".config/nvim");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "init.lua"), configuration);
  const driver = join(place.repository, "test/editors/neovim.lua");
  const editor = startInside(place, ["nvim", "--headless", "-n", "-S", driver], { EDITOR_SOCKET: place.link.path });
  const remote = remoteOf(await editor.whileItRuns(place.link.next("editor")));
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
    run: (lua) => remote.call("run", lua),
    closeAll: async () => void (await remote.call("close_all")),
    stop: editor.stop,
    said: editor.said,
  };
}
