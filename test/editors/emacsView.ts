/** A real Emacs in a terminal, with the functions that the tests of the package's views need. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { price, withFixedTimes } from "./agentScenes.js";
import { blockOf } from "./attach.js";
import { expectCapture } from "./captures.js";
import { type EmacsDriver, type EmacsKind, eglot, lspMode, plainEmacs } from "./emacs.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

const page = new URL("../../client-samples/emacs/README.md", import.meta.url);

/** The README's keys. */
const keymap = blockOf("client-samples/emacs/README.md", "elisp keys");

/** An Emacs on a stage. */
export interface View extends EmacsDriver {
  readonly stage: Stage;
  /** `true` if the screen is compared with the page. */
  readonly isCaptured: boolean;
}

/** Makes a test from a function that gets an Emacs in which the file `price.ts` is open. */
export type InEmacs = (run: (view: View) => Promise<void>) => () => Promise<void>;

/** Defines tests for Emacs with eglot, without another server, and with lsp-mode. */
export function describeEmacs(what: string, define: (inEmacs: InEmacs, kind: EmacsKind) => void): void {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
  const missing = absence(eglot);
  if (missing === undefined)
    for (const kind of [eglot, plainEmacs, lspMode]) describe(kind.name, () => define(useEmacs(kind), kind));
  else
    it("has no Emacs", () => {
      const leftOut = `left out: ${what} in a real Emacs; ${missing}`;
      if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
      console.log(leftOut);
    });
}

function useEmacs(kind: EmacsKind): InEmacs {
  let session: Session;
  beforeAll(async () => {
    session = await startSession(kind);
  });
  afterAll(() => session?.stop());
  return (run) => () =>
    onStage(session, async (stage) => {
      // The editor that an `EmacsKind` starts has this type.
      const emacs = session.driver as EmacsDriver;
      stage.lay({ "price.ts": price, "old.ts": "export {};\n" });
      await emacs.evaluate(
        `(progn ${keymap} ${forgetReview} (delete-other-windows) (setq suggest-key-bindings nil extended-command-suggest-shorter nil) t)`,
      );
      await stage.open("price.ts");
      await run({ ...emacs, stage, isCaptured: kind === eglot });
    });
}

/** Removes what an earlier test has told instead of the server. */
const forgetReview =
  "(progn (mapc #'multi-edit-review--unmark multi-edit-review--hunks) (setq multi-edit-review--hunks nil))";

/** Compares the screen with the page, without most of its empty rows. */
export function capture({ isCaptured }: View, name: string, screen: string): void {
  if (!isCaptured) return;
  const shown = withFixedTimes(screen)
    .replace(/\n{3,}/g, "\n\n")
    .replace(/\bc\d+\//g, "src/")
    .replace(/\[eglot:w\/\d+\]/g, "[eglot:w]")
    .replace(/default-directory: .*?\/"/g, 'default-directory: "~/shop/"')
    .replace(/-{3,}$/gm, "---");
  expectCapture(page, name, shown);
}

/** The names of all buffers that a person sees. */
export const buffersOf = (view: View): Promise<unknown> =>
  view.evaluate(
    "(vconcat (sort (seq-remove (lambda (name) (string-prefix-p \" \" name)) (mapcar #'buffer-name (buffer-list))) #'string<))",
  );

/** The current buffer and the line of point. */
export const pointOf = (view: View): Promise<unknown> =>
  view.evaluate(
    '(with-current-buffer (window-buffer (selected-window)) (format "%s:%d" (buffer-name) (line-number-at-pos)))',
  );

/** Waits until point is in this buffer and line, as in `price.ts:4`. */
export const untilPoint = (view: View, place: string): Promise<void> =>
  vi.waitFor(async () => expect(await pointOf(view)).toBe(place), { timeout: 5_000 });

/** Runs a command by its name, as a user does. */
export const runCommand = (view: View, command: string): void => view.press(`\u001bx${command}\r`);
