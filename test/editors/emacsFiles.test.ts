/**
 * Files in Emacs that no eglot server handles: what `multi-edit-beside-mode` tells the server about them, and what it
 * leaves out.
 */
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { batch } from "../support/desk.js";
import { type EmacsDriver, eglotWith } from "./emacs.js";
import { absence, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

/** Emacs configured as the README says, with no mode for the files. */
const kind = eglotWith(["beside"], () => "(setq-default major-mode 'fundamental-mode)");

const missing = absence(kind);

vi.setConfig({ testTimeout: 60_000 });

if (missing !== undefined) {
  it("has no Emacs", () => {
    const leftOut = `left out: files without an eglot server in a real Emacs; ${missing}`;
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  describe("the server is notified", changes);
  describe("the server is not notified", exceptions);
}

async function inEmacs(run: (stage: Stage, evaluate: EmacsDriver["evaluate"]) => Promise<void>): Promise<void> {
  const session = await startSession(kind);
  try {
    await onStage(session, (stage) => run(stage, (form) => (session.driver as EmacsDriver).evaluate(form)));
  } finally {
    await session.stop();
  }
}

/** Lisp that evaluates an expression in a file's buffer. */
const inBuffer = (stage: Stage, name: string, form: string): string =>
  `(with-current-buffer (find-buffer-visiting "${stage.path(name)}") ${form} t)`;

/** The server's text of a file. */
const known = async ({ wire, path }: Stage, name: string): Promise<string | undefined> =>
  (await wire.read(path(name)))?.text;

function changes(): void {
  it("of changes that no command makes, and of those in a clone of the buffer", () =>
    inEmacs(async (stage, evaluate) => {
      stage.lay({ "a.ts": "one\n" });
      await stage.open("a.ts");
      await evaluate(inBuffer(stage, "a.ts", '(insert "by Lisp, ")'));
      await expect.poll(() => known(stage, "a.ts")).toBe("by Lisp, one\n");
      await evaluate(
        inBuffer(stage, "a.ts", '(with-current-buffer (clone-indirect-buffer "clone" nil) (insert "by its twin, "))'),
      );
      await stage.type("a.ts", "one", "typed, ");
      await expect.poll(() => known(stage, "a.ts")).toMatch(/^by .*by its twin, .*typed, one\n$/);
      await evaluate('(progn (kill-buffer "clone") t)');
      await stage.type("a.ts", "one", "more, ");
      await expect.poll(() => known(stage, "a.ts")).toMatch(/typed, more, one\n$/);
    }));

  it("when the mode is turned on or off, and when a file is read again or gets another name", () =>
    inEmacs(async (stage, evaluate) => {
      stage.lay({ "a.ts": "one\n" });
      await stage.open("a.ts");
      await stage.retype("a.ts", "typed\n");
      await evaluate(inBuffer(stage, "a.ts", "(prog-mode)"));
      await stage.retype("a.ts", "typed on\n");
      await evaluate(inBuffer(stage, "a.ts", "(revert-buffer t t)"));
      await expect.poll(() => known(stage, "a.ts")).toBe("one\n");
      await evaluate(inBuffer(stage, "a.ts", `(write-file "${stage.path("b.ts")}")`));
      await stage.wire.whenOpen(stage.path("b.ts"));
      await stage.retype("b.ts", "unsaved\n");
      expect([...stage.wire.open().keys()].filter((uri) => uri.endsWith("/a.ts"))).toEqual([]);
      expect(await stage.apply("agent", batch(["b.ts", "unsaved", "edited"]))).toMatchObject({ outcome: "applied" });
      expect(await stage.held()).toEqual({ "b.ts": "edited\n" });
      expect(stage.disk()).toEqual({ "a.ts": "one\n", "b.ts": "one\n" });
      await evaluate(`(progn ${inBuffer(stage, "b.ts", "(set-buffer-modified-p nil) (kill-buffer)")} t)`);
      await stage.wire.whenClosed();
      expect(await known(stage, "b.ts")).toBe("one\n");
    }));

  it("of each project separately, and again when the mode is turned on again", () =>
    inEmacs(async (stage, evaluate) => {
      stage.lay({ "a.ts": "one\n", "other/b.ts": "two\n" });
      await stage.open("a.ts");
      await evaluate("(progn (multi-edit-beside-mode -1) t)");
      await stage.wire.whenClosed();
      await stage.driver.retype(stage.path("a.ts"), "typed\n");
      await evaluate("(progn (multi-edit-beside-mode) t)");
      await expect.poll(() => known(stage, "a.ts")).toBe("typed\n");
      await evaluate("(progn (setq project-find-functions nil) t)");
      await stage.driver.open(stage.path("other/b.ts"));
      const roots = "(vconcat (sort (mapcar #'multi-edit--root (multi-edit--sessions)) #'string<))";
      await expect.poll(() => evaluate(roots)).toEqual([`${stage.session.folder}/`, `${stage.path("other")}/`]);
    }));
}

function exceptions(): void {
  it("of files whose text differs from the bytes on disk", () =>
    inEmacs(async (stage, evaluate) => {
      stage.lay({ "a.ts": "one\n", "b.ts.gz": gzipSync("two\n"), "c.bin": new Uint8Array([0, 1, 2, 255, 254, 10]) });
      for (const name of ["b.ts.gz", "c.bin"]) await stage.driver.open(stage.path(name));
      await stage.open("a.ts");
      expect([...stage.wire.open().keys()].map((uri) => uri.slice(uri.lastIndexOf("/") + 1))).toEqual(["a.ts"]);
      expect(await evaluate('(with-current-buffer "b.ts.gz" (buffer-string))')).toBe("two\n");
    }));

  it("of anything if it can't be started, but the user is warned once", () =>
    inEmacs(async (stage, evaluate) => {
      stage.lay({ "other/a.ts": "one\n", "other/b.ts": "two\n" });
      await evaluate(`(progn (setq project-find-functions nil multi-edit-command '("no-such-program")) t)`);
      for (const name of ["other/a.ts", "other/b.ts"]) await stage.driver.open(stage.path(name));
      const warnings = await evaluate('(with-current-buffer "*Warnings*" (buffer-string))');
      expect(String(warnings).match(/multi-edit.*can't be started for .*\/other\/: .*no-such-program/gi)).toHaveLength(
        1,
      );
      expect(await stage.held()).toEqual({ "other/a.ts": "one\n", "other/b.ts": "two\n" });
    }));

  it.each([
    ["is not found", `'("no-such-program")`, "no-such-program"],
    ["ends before it answers", `'("false")`, "exited abnormally"],
  ])("after its program %s, until a saved or visited file starts it again", (_, command, problem) =>
    inEmacs(async (stage, evaluate) => {
      stage.lay({ "other/a.ts": "one\n", "other/b.ts": "two\n" });
      await evaluate("(setq project-find-functions nil right-command multi-edit-command multi-edit--pause 1000)");
      await evaluate(`(progn (setq multi-edit-command ${command}) t)`);
      const warnings = async () => {
        const text = await evaluate(
          '(if (get-buffer "*Warnings*") (with-current-buffer "*Warnings*" (buffer-string)) "")',
        );
        return String(text).split(problem).length - 1;
      };
      await stage.driver.open(stage.path("other/a.ts"));
      await expect.poll(warnings).toBe(1);
      const save = () => evaluate(inBuffer(stage, "other/a.ts", '(insert "x") (save-buffer)'));
      await save();
      expect(await warnings()).toBe(1);
      await evaluate("(setq multi-edit--pause 0)");
      await save();
      await expect.poll(warnings).toBe(2);
      await evaluate("(progn (setq multi-edit-command right-command) t)");
      await stage.driver.open(stage.path("other/b.ts"));
      const known = '(length (multi-edit--buffers (with-current-buffer "b.ts" (multi-edit--session))))';
      await expect.poll(() => evaluate(`(condition-case nil ${known} (error 0))`)).toBe(2);
      expect(await warnings()).toBe(2);
    }),
  );
}
