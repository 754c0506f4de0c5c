/** Emacs in a terminal, with eglot or lsp-mode, configured with the sample from `client-samples/emacs/`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Driver, EditorKind, Held, Place, Traits } from "./editor.js";
import { type Remote, remoteOf } from "./link.js";
import { createScreen, type Screen, whenShown } from "./screen.js";
import { startTerminal, type Terminal } from "./terminal.js";

/** A driver for Emacs, with additional functions for tests that run only in Emacs. */
export interface EmacsDriver extends Driver {
  /** Evaluates Lisp; the value must be representable as JSON. */
  evaluate(form: string): Promise<unknown>;
  /** Waits until the user is asked a new question containing these words. */
  asked(words: string): Promise<void>;
  /** Presses keys, given as the characters that a terminal sends. */
  press(keys: string): void;
  /** Waits until all pressed keys have been processed. */
  settled(): Promise<void>;
  /** Waits until the screen shows all of these texts and has not changed for a while; returns the screen's text. */
  shows(...texts: readonly string[]): Promise<string>;
}

const traits: Traits = {
  encodings: ["utf-8", "utf-16", "utf-32"],
  command: true,
  request: true,
  // Emacs adds the newline when it saves the file at the server's request, not when it applies an edit.
  restoresFinalNewline: true,
};

/** An `EditorKind` whose driver is an `EmacsDriver`. */
export type EmacsKind = EditorKind & { start(place: Place): Promise<EmacsDriver> };

/** Emacs with its built-in eglot, configured with these blocks of the README followed by a test's own Lisp. */
export const eglotWith = (blocks: readonly string[], more: (place: Place) => string = () => ""): EmacsKind => ({
  name: "Emacs, eglot",
  root: "current",
  traits,
  versionCommand: printing("(mapconcat #'number-to-string (alist-get 'eglot package--builtin-versions) \".\")"),
  version: /^(\S+)/,
  start: (place) =>
    start(place, { packages: "none", configuration: `${userConfiguration(place, blocks)}\n${more(place)}` }),
});

/** The configuration of a user who follows the README. */
export const eglot = eglotWith(["eglot", "confirm"]);

/** Emacs without any other server, for files without a mode of their own. */
export const plainEmacs: EmacsKind = {
  ...eglotWith(["beside", "confirm"], () => "(setq-default major-mode 'fundamental-mode)"),
  name: "Emacs, no other server",
};

/** Emacs with the system's lsp-mode package. */
export const lspMode: EmacsKind = {
  name: "Emacs, lsp-mode",
  root: "current",
  traits,
  versionCommand: printing(
    "(progn (require 'lisp-mnt) (require 'find-func) (lm-version (find-library-name \"lsp-mode\")))",
  ),
  version: /^(\S+)/,
  start: (place) => start(place, { packages: "system", configuration: userConfiguration(place, ["lsp-mode"]) }),
};

/** Emacs with lsp-mode, with this configuration. */
export const lspModeWith = (configuration: (place: Place) => string): EmacsKind => ({
  ...lspMode,
  start: (place) => start(place, { packages: "system", configuration: configuration(place) }),
});

function printing(form: string): readonly [string, ...string[]] {
  return ["emacs", "--batch", "--eval", `(princ ${form})`];
}

/** The blocks with these names from the sample's README, as users are told to write them, and the sample's folder. */
function userConfiguration({ repository }: Place, names: readonly string[]): string {
  if (names.length === 0) return "";
  const readme = readFileSync(join(repository, "client-samples/emacs/README.md"), "utf8");
  const blocks = names.map((name) => new RegExp(`^\`\`\`elisp ${name}\\n([^]*?)^\`\`\``, "m").exec(readme)?.[1]);
  if (blocks.includes(undefined)) throw new Error(`the README lacks one of the blocks ${names.join(", ")}`);
  return [`(add-to-list 'load-path "${repository}/client-samples/emacs")`, ...blocks].join("\n");
}

/** Keeps a new Emacs from compiling its packages in the background, as it does once for a user. */
export const interpreted = "(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil)";

/**
 * Additional configuration for tests: makes the workspace folder the project, and keeps Emacs from asking anything at
 * startup and from leaving files behind.
 */
const surroundings = ({ folder }: Place): string => `
${interpreted}
(setq inhibit-startup-screen t
      make-backup-files nil
      create-lockfiles nil
      auto-save-default nil
      lsp-auto-guess-root t
      lsp-auto-touch-files nil
      lsp-enable-suggest-server-download nil)
(setq-default major-mode 'text-mode)
(add-hook 'project-find-functions (lambda (_directory) '(transient . "${folder}/")))
`;

/** `packages`: `system` for the system's packages, `none` for only what comes with Emacs. */
async function start(
  place: Place,
  { packages, configuration }: { readonly packages: "none" | "system"; readonly configuration: string },
): Promise<EmacsDriver> {
  const config = join(place.home, ".emacs.d");
  mkdirSync(config, { recursive: true });
  const [early, init] = [join(config, "early-init.el"), join(config, "init.el")];
  writeFileSync(early, surroundings(place));
  writeFileSync(init, configuration);
  const driver = join(place.repository, "test/editors/emacs.el");
  const startup = packages === "none" ? ["-Q", "-l", early, "-l", init] : [];
  const socket = `EDITOR_SOCKET=${place.link.path}`;
  const terminal = startTerminal(place, ["env", socket, "emacs", "-nw", ...startup, "-l", driver], terminalSize);
  const screen = createScreen(terminalSize.columns, terminalSize.rows);
  terminal.child.stdout?.on("data", (chunk: Buffer) => void screen.print(chunk.toString()));
  const late = delay(20_000, undefined, { ref: false });
  const line = await Promise.race([place.link.next("editor"), late]);
  if (line === undefined) {
    await terminal.stop();
    throw new Error(`Emacs does not load the driver: ${terminal.said()}`);
  }
  return driverOf(remoteOf(line), terminal, screen);
}

/** Keys as a terminal sends them. */
export const keys = { obey: "\x1e", undo: "\x1f", enter: "\r", clear: "\x01\x00\x05\x17", quit: "\x07" } as const;

/** Size of the terminal. */
const terminalSize = { columns: 150, rows: 45 } as const;

function driverOf(remote: Remote, { write: press, stop, said }: Terminal, screen: Screen): EmacsDriver {
  const presses = async (): Promise<number> => (await remote.call("presses")) as number;
  const settled = async (): Promise<void> => {
    const before = await presses();
    press(keys.obey);
    while ((await presses()) === before) await delay(5);
  };
  /** Runs a driver method the way Emacs runs a user's command, including the hooks afterwards. */
  const byHand = async (method: string, params: unknown): Promise<void> => {
    await remote.call(method, params);
    await settled();
  };
  let last = 0;
  const asked = async (words: string): Promise<void> => {
    for (const end = performance.now() + 20_000; ; await delay(20)) {
      const question = (await remote.call("asked")) as { readonly number: number; readonly words: string } | null;
      // Until the answer to a question has arrived, that question is still shown, and the next one may have the same
      // words.
      if (question !== null && question.number > last && question.words.includes(words)) {
        last = question.number;
        return;
      }
      if (performance.now() > end) throw new Error(`not asked: ${words}, but ${JSON.stringify(question)}`);
    }
  };
  return {
    open: (path) => byHand("ready-open", path),
    retype: (path, text) => byHand("ready-retype", { path, text }),
    command: (call) => byHand("ready-command", typeof call === "string" ? call : JSON.stringify(call)),
    // The driver's answers have these types.
    request: async (call) => (await remote.call("request", call)) as { applied: boolean; message: string },
    held: async (path) => ((await remote.call("held", path)) as Held | null) ?? undefined,
    opened: async () => (await remote.call("opened")) as string[],
    undo: async (path) => {
      await remote.call("focus", path);
      press(keys.undo);
      await settled();
    },
    save: (path) => byHand("ready-save", path),
    lock: async (path) => void (await remote.call("lock", path)),
    startTyping: async (path, before) => void (await remote.call("find", { path, before })),
    key: press,
    stopTyping: settled,
    answer: async (question, action) => {
      await asked(question);
      // eglot has already filled in an answer, which the first keys clear.
      press(`${keys.clear}${action}${keys.enter}`);
    },
    confirm: async (answer) => {
      const isAsked = "(and (bound-and-true-p multi-edit-question--all) t)";
      while ((await remote.call("evaluate", isAsked)) !== true) await delay(20);
      const command = answer === "apply" ? "(multi-edit-apply-proposal)" : '(multi-edit-reject-proposal "")';
      await remote.call("evaluate", `(progn (save-window-excursion (multi-edit-question) ${command}) t)`);
    },
    closeAll: async () => void (await remote.call("close-all")),
    stop,
    said,
    evaluate: (form) => remote.call("evaluate", form),
    asked,
    press,
    settled,
    shows: (...texts) => whenShown(screen, texts),
  };
}
