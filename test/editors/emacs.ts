/** Emacs with eglot and with lsp-mode, in a terminal, with the sample of `client-samples/emacs/` as its configuration. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Driver, EditorKind, Held, Place, Traits } from "./editor.js";
import { type Remote, remoteOf } from "./link.js";
import { startTerminal, type Terminal } from "./terminal.js";

/** Emacs, and what only its own tests ask of it. */
export interface EmacsDriver extends Driver {
  /** Evaluates Lisp; the value must be one that JSON has. */
  evaluate(form: string): Promise<unknown>;
  /** Waits until the user is asked something new in which these words are. */
  asked(words: string): Promise<void>;
  /** Presses keys, as characters that a terminal sends. */
  press(keys: string): void;
  /** Waits until all keys so far are done. */
  settled(): Promise<void>;
}

const traits: Traits = {
  encodings: ["utf-8", "utf-16", "utf-32"],
  command: true,
  request: true,
  // Not when it is edited, but when it is saved, which the server asks for.
  restoresFinalNewline: true,
};

/** An `EditorKind` whose driver can do more. */
export type EmacsKind = EditorKind & { start(place: Place): Promise<EmacsDriver> };

/** Emacs with the eglot that it brings, with these blocks of the README, and Lisp of a test's own behind them. */
export const eglotWith = (blocks: readonly string[], more: (place: Place) => string = () => ""): EmacsKind => ({
  name: "Emacs, eglot",
  root: "current",
  traits,
  versionCommand: printing("(mapconcat #'number-to-string (alist-get 'eglot package--builtin-versions) \".\")"),
  version: /^(\S+)/,
  start: (place) =>
    start(place, { packages: "none", configuration: `${userConfiguration(place, blocks)}\n${more(place)}` }),
});

/** As a user has it who follows the README. */
export const eglot = eglotWith(["eglot", "confirm"]);

/** Emacs in which no other server runs, and files have no mode of their own. */
export const plainEmacs: EmacsKind = {
  ...eglotWith(["beside", "confirm"], () => "(setq-default major-mode 'fundamental-mode)"),
  name: "Emacs, no other server",
};

/** Emacs with lsp-mode, as its package is installed in the system. */
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

function printing(form: string): readonly [string, ...string[]] {
  return ["emacs", "--batch", "--eval", `(princ ${form})`];
}

/** The blocks of these names in the README of the sample: what it tells a user to write. */
function userConfiguration({ repository }: Place, names: readonly string[]): string {
  const readme = readFileSync(join(repository, "client-samples/emacs/README.md"), "utf8");
  const blocks = names.map((name) => new RegExp(`^\`\`\`elisp ${name}\\n([^]*?)^\`\`\``, "m").exec(readme)?.[1]);
  if (blocks.includes(undefined)) throw new Error(`the README lacks one of the blocks ${names.join(", ")}`);
  return blocks.join("\n");
}

/** What a test needs besides: the workspace folder is the project, nothing is asked at the start, no files lie about. */
const surroundings = ({ folder, repository }: Place): string => `
(add-to-list 'load-path "${repository}/client-samples/emacs")
(setq inhibit-startup-screen t
      make-backup-files nil
      create-lockfiles nil
      auto-save-default nil
      native-comp-jit-compilation nil
      native-comp-enable-subr-trampolines nil
      lsp-auto-guess-root t
      lsp-auto-touch-files nil
      lsp-enable-suggest-server-download nil)
(setq-default major-mode 'text-mode)
(add-hook 'project-find-functions (lambda (_directory) '(transient . "${folder}/")))
`;

/** `packages`: whether the packages of the system are there, or what Emacs brings and nothing else. */
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
  const terminal = startTerminal(place, ["env", socket, "emacs", "-nw", ...startup, "-l", driver]);
  const late = delay(20_000, undefined, { ref: false });
  const line = await Promise.race([place.link.next("editor"), late]);
  if (line === undefined) {
    await terminal.stop();
    throw new Error(`Emacs does not load the driver: ${terminal.said()}`);
  }
  return driverOf(remoteOf(line), terminal);
}

/** Keys as a terminal sends them. */
export const keys = { obey: "\x1e", undo: "\x1f", enter: "\r", clear: "\x01\x00\x05\x17", quit: "\x07" } as const;

function driverOf(remote: Remote, { write: press, stop, said }: Terminal): EmacsDriver {
  const presses = async (): Promise<number> => (await remote.call("presses")) as number;
  const settled = async (): Promise<void> => {
    const before = await presses();
    press(keys.obey);
    while ((await presses()) === before) await delay(5);
  };
  /** As a command of the user's, after which hooks run as they do then. */
  const byHand = async (method: string, params: unknown): Promise<void> => {
    await remote.call(method, params);
    await settled();
  };
  let last = 0;
  const asked = async (words: string): Promise<void> => {
    for (const end = performance.now() + 20_000; ; await delay(20)) {
      const question = (await remote.call("asked")) as { readonly number: number; readonly words: string } | null;
      // Until its answer has arrived, the one before is still there, and may be in the same words.
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
    // The driver answers with what these types say.
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
      // eglot has an answer ready in the line.
      press(`${keys.clear}${action}${keys.enter}`);
    },
    closeAll: async () => void (await remote.call("close-all")),
    stop,
    said,
    evaluate: (form) => remote.call("evaluate", form),
    asked,
    press,
    settled,
  };
}
