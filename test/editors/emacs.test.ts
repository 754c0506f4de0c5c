/**
 * Features that only Emacs has: eglot's own questions, a second server, saving at the server's request, and the
 * sample's commands.
 */
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { buildProgram } from "../support/build.js";
import { batch } from "../support/desk.js";
import type { Place } from "./editor.js";
import { type EmacsDriver, type EmacsKind, eglot, eglotWith, keys, lspMode } from "./emacs.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

const missing = absence(eglot);

if (missing !== undefined) {
  it("has no Emacs", () => {
    const leftOut = `left out: the features that only a real Emacs has; ${missing}`;
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  // The first test of each block starts Emacs, which takes a long time on a slow machine.
  vi.setConfig({ testTimeout: 120_000 });
  describe.each([eglot, lspMode])("the sample in $name", (kind) => {
    const stage = useEmacs(kind);
    commands(stage);
    saving(stage);
    formatting(stage);
    quitting(stage);
  });
  describe("eglot's own question", questions);
  describe.each([
    { encoding: "utf-8", sync: 1 },
    { encoding: "utf-16", sync: 2 },
    { encoding: "utf-32", sync: 2 },
  ])("beside a server that counts in $encoding", beside);
}

const threeFiles = { "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n" };
const threeEdits = batch(["a.txt", "one", "1"], ["b.txt", "two", "2"], ["c.txt", "three", "3"]);

/** The Emacs driver in a stage's session. */
const emacsOf = ({ session }: Stage): EmacsDriver => session.driver as EmacsDriver;

/** Runs a test on a stage in an Emacs that several tests share. */
type OnStage = <T>(run: (stage: Stage) => Promise<T>, folders?: readonly string[]) => Promise<T>;

/** Starts an Emacs for the first test of a block, and again after each failed test. */
function useEmacs(kind: EmacsKind): OnStage {
  let session: Session | undefined;
  const stop = async (): Promise<void> => {
    await session?.stop();
    session = undefined;
  };
  afterAll(stop);
  return async (run, folders) => {
    session ??= await startSession(kind);
    try {
      return await onStage(session, run, folders);
    } catch (error) {
      await stop();
      throw error;
    }
  };
}

function commands(stage: OnStage): void {
  it("undoes the last batch in all of its files with multi-edit-undo", () =>
    stage(async (one) => {
      one.lay(threeFiles);
      await one.open(...Object.keys(threeFiles));
      expect(await one.apply("agent", threeEdits)).toMatchObject({ outcome: "applied" });
      expect(await one.held()).toEqual({ "a.txt": "1\n", "b.txt": "2\n", "c.txt": "3\n" });
      const mark = one.wire.messages.length;
      await emacsOf(one).evaluate("(progn (multi-edit-undo) t)");
      expect(await one.wire.answerOfCommand(mark)).toMatchObject({ ok: true, result: { outcome: "applied" } });
      expect(await one.held()).toEqual(threeFiles);
    }));

  it("visits the locations of a failure with next-error", () =>
    stage(
      async (one) => {
        one.lay({ "a.txt": "x\nsame\ny\nsame\n" });
        await one.open("a.txt");
        await one.apply("command", { path: one.path("a.txt"), edits: [{ oldText: "same", newText: "other" }] });
        const next = () =>
          emacsOf(one).evaluate(`
            (progn (next-error)
                   (with-current-buffer (window-buffer) (vector (buffer-name) (line-number-at-pos (window-point)))))`);
        // The answer is on the wire before Emacs has displayed it.
        const listed = () => emacsOf(one).evaluate('(with-current-buffer "*multi-edit*" (buffer-string))');
        await expect.poll(listed).toMatch(/a\.txt:4: ambiguousMatch: The old text of edit 1 .*occurs 2 times \| same/);
        expect([await next(), await next()]).toEqual([
          ["a.txt", 2],
          ["a.txt", 4],
        ]);
        // Paths are relative to the workspace folder, in which Emacs was started.
      },
      [".."],
    ));

  it("treats any text that is not JSON as a patch", () =>
    stage(async (one) => {
      one.lay({ "a.txt": "one\n" });
      await one.open("a.txt");
      const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch\n";
      expect(await one.apply("command", patch)).toMatchObject({ outcome: "applied" });
      expect(await one.held()).toEqual({ "a.txt": "1\n" });
    }));

  it("changes no text if one of several has changed since the answer, or can't be changed", () =>
    stage(async (one) => {
      one.lay(threeFiles);
      await one.open(...Object.keys(threeFiles));
      await one.driver.lock?.(one.path("b.txt"));
      expect(await one.apply("request", threeEdits)).toMatchObject({
        outcome: "failed",
        text: expect.stringContaining("b.txt is read-only"),
      });
      expect(await one.held()).toEqual(threeFiles);
    }));
}

function saving(stage: OnStage): void {
  it("saves if the call asks for it, and is notified of the applied changes", () =>
    stage(async (one) => {
      one.lay({ "a.txt": "one\n", "b.txt": "two\n" });
      await one.open("a.txt", "b.txt");
      await one.retype("b.txt", "typed two\n");
      await emacsOf(one).evaluate(
        "(progn (defvar told nil) (setq told nil) (add-hook 'multi-edit-did-apply-functions (lambda (params) (push params told))) t)",
      );
      const told = await one.apply("agent", {
        ...batch(["a.txt", "one", "1"], ["b.txt", "two", "2"]),
        options: { save: "always" },
      });
      expect(told, told.text).toMatchObject({ outcome: "applied", text: "" });
      expect(one.disk()).toEqual({ "a.txt": "1\n", "b.txt": "typed 2\n" });
      await expect
        .poll(() => emacsOf(one).evaluate("(vconcat (mapcar (lambda (params) (plist-get params :label)) told))"))
        .toEqual(["2 files (2 edits)"]);
    }));

  it("saves at the server's request, and says why it does not save some files", () =>
    stage(async (one) => {
      one.lay({ ...threeFiles, "d.txt": "four\n" });
      await one.open("a.txt", "b.txt", "c.txt");
      for (const name of ["a.txt", "b.txt", "c.txt"]) await one.retype(name, `new ${name}\n`);
      // The new text has a different length, so Emacs notices the change even if timestamps are coarse.
      one.lay({ "b.txt": "somebody else's, which is longer\n" });
      await one.driver.lock?.(one.path("c.txt"));
      const uris = ["a.txt", "b.txt", "c.txt", "d.txt"].map((name) => pathToFileURL(one.path(name)).href);
      const list = uris.map((uri) => `"${uri}"`).join(" ");
      expect(await emacsOf(one).evaluate(`(multi-edit--save (car (multi-edit--sessions)) '(${list}))`)).toEqual({
        saved: [uris[0], uris[2]],
        // Nothing changed the texts while they were saved.
        versions: [uris[0], uris[2]].map((uri) => ({ uri, before: expect.any(Number), after: expect.any(Number) })),
        failed: [
          { uri: uris[1], message: "The file has changed on disk" },
          { uri: uris[3], message: "No buffer visits the file" },
        ],
      });
      expect(one.disk()).toEqual({
        "a.txt": "new a.txt\n",
        "b.txt": "somebody else's, which is longer\n",
        "c.txt": "new c.txt\n",
        "d.txt": "four\n",
      });
    }));
}

/** The formatter changes lines far from the call's; only the versions show that the user did not type them. */
function formatting(stage: OnStage): void {
  it("undoes what a formatter has changed on save", () =>
    stage(async (one) => {
      const lines = Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join("");
      one.lay({ "a.txt": `old  \n${lines}` });
      await one.open("a.txt");
      const hook = `(add-hook 'before-save-hook
        (lambda () (delete-trailing-whitespace) (goto-char (point-max)) (insert "formatted\\n")) nil t)`;
      await emacsOf(one).evaluate(`(with-current-buffer (get-file-buffer "${one.path("a.txt")}") ${hook} t)`);
      expect(await one.apply("agent", batch(["a.txt", "old", "new"]))).toMatchObject({ outcome: "applied" });
      await expect.poll(() => one.disk()["a.txt"]).toBe(`new\n${lines}formatted\n`);
      await emacsOf(one).evaluate(`(with-current-buffer (get-file-buffer "${one.path("a.txt")}")
        (setq before-save-hook nil) (multi-edit-undo) t)`);
      await expect.poll(() => one.disk()["a.txt"]).toBe(`old  \n${lines}`);
    }));
}

function quitting(stage: OnStage): void {
  it("answers a question of the kind that every editor has on C-g, too", () =>
    stage(async (one) => {
      one.lay(threeFiles);
      await one.open(...Object.keys(threeFiles));
      const actions = [{ title: "Apply" }, { title: "Reject" }];
      const { answer } = one.wire.ask("window/showMessageRequest", { type: 3, message: "Three files?", actions });
      await emacsOf(one).asked("Three files?");
      emacsOf(one).press(keys.quit);
      expect((await answer).result).toBe(null);
    }));
}

/** Configures the eglot variable that decides whether eglot asks before it applies this server's edits. */
const asking = (value: string) =>
  eglotWith(
    ["eglot"],
    () => `(with-eval-after-load 'eglot (add-to-list 'eglot-confirm-server-edits '(multi-edit . ${value})))`,
  );

/** Waits for a question about each file, in order, and answers it by pressing the given key. */
async function pressed(one: Stage, ...answers: readonly (readonly [name: string, key: string])[]): Promise<void> {
  for (const [name, key] of answers) {
    await emacsOf(one).asked(name);
    emacsOf(one).press(key);
  }
}

function aboutEveryFile(): void {
  const stage = useEmacs(asking("summary"));

  it.each([
    ["n", "n"],
    ["C-g", keys.quit],
  ])("answered with %s at the second of three: the first is rolled back", (_, no) =>
    stage(async (one) => {
      one.lay(threeFiles);
      await one.open(...Object.keys(threeFiles));
      const told = one.apply("agent", threeEdits);
      await pressed(one, ["a.txt", "y"], ["b.txt", no], ["a.txt", "y"]);
      expect(await told).toMatchObject({ outcome: "failed", codes: ["clientRefused"] });
      expect(await one.held()).toEqual(threeFiles);
    }),
  );

  it("declined for the rollback, too: the answer names the file that stays changed", () =>
    stage(async (one) => {
      one.lay(threeFiles);
      await one.open(...Object.keys(threeFiles));
      const told = one.apply("agent", threeEdits);
      await pressed(one, ["a.txt", "y"], ["b.txt", "n"], ["a.txt", "n"]);
      expect(await told).toMatchObject({
        outcome: "unknown",
        answer: {
          result: {
            applied: false,
            edits: [{ status: "applied" }, { status: "failed" }, { status: "notAttempted" }],
          },
        },
        text: expect.stringContaining("a.txt"),
      });
      expect(await one.held()).toEqual({ ...threeFiles, "a.txt": "1\n" });
    }));
}

function questions(): void {
  describe("about every file", aboutEveryFile);

  describe("about files that are not open", () => {
    const stage = useEmacs(eglotWith(["eglot"]));

    it("answered with n: nothing is changed, and no file is opened", () =>
      stage(async (one) => {
        one.lay(threeFiles);
        await one.open("a.txt", "b.txt");
        const told = one.apply("agent", { ...threeEdits, options: { unopened: "editor" } });
        await emacsOf(one).asked("c.txt");
        emacsOf(one).press("n");
        expect(await told).toMatchObject({ outcome: "failed", codes: ["clientRefused"] });
        expect(await one.held()).toEqual({ "a.txt": "one\n", "b.txt": "two\n" });
        expect(one.disk()).toEqual(threeFiles);
      }));
  });

  describe("as a diff", () => {
    const stage = useEmacs(asking("diff"));

    it("is shown and changes nothing, and the answer says so", () =>
      stage(async (one) => {
        one.lay({ "a.txt": "one\n" });
        await one.open("a.txt");
        const told = await one.apply("agent", { path: "a.txt", edits: [{ oldText: "one", newText: "1" }] });
        expect(told).toMatchObject({ outcome: "failed", codes: ["clientRefused"] });
        expect(await one.held()).toEqual({ "a.txt": "one\n" });
        const shown = await emacsOf(one).evaluate(
          '(with-current-buffer "*EGLOT proposed server changes*" (buffer-string))',
        );
        expect(shown).toContain("-one\n+1\n");
      }));
  });
}

function beside({ encoding, sync }: { readonly encoding: string; readonly sync: number }): void {
  let kept = "";
  const kind = eglotWith(["beside"], ({ home }: Place) => {
    const program = join(home, "other.cjs");
    copyFileSync(other, program);
    kept = join(home, "texts.json");
    return `
(require 'eglot)
(add-to-list 'eglot-server-programs '((text-mode prog-mode) "node" "${program}" "${encoding}" "${sync}" "${kept}"))
(add-hook 'text-mode-hook #'eglot-ensure)`;
  });
  let other = "";
  let remove = (): void => undefined;
  beforeAll(async () => {
    const built = await buildProgram(new URL("otherServer.ts", import.meta.url));
    other = built.path;
    remove = built.remove;
  });
  afterAll(() => remove());
  const stage = useEmacs(kind);

  it.each(["agent", "command", "request"] as const)(
    "has every text, and changes all or none, asked by the %s",
    (door) =>
      stage(async (one) => {
        one.lay({ "a.txt": "😀 one\n", "b.txt": "e\u0301😀 two\n" });
        await one.open("a.txt", "b.txt");
        await one.retype("a.txt", "😀😀 typed, one\nand more\n");
        const edits = [
          { path: "a.txt", oldText: "typed, one", newText: "𝒳 1" },
          { path: "b.txt", oldText: "two", newText: "2😀" },
        ];
        expect(
          await one.apply(door, { edits: [...edits, { path: "b.txt", oldText: "nowhere", newText: "" }] }),
        ).toMatchObject({
          outcome: "failed",
        });
        expect(await one.held()).toEqual({ "a.txt": "😀😀 typed, one\nand more\n", "b.txt": "e\u0301😀 two\n" });
        expect(await one.apply(door, { edits })).toMatchObject({ outcome: "applied" });
        const texts = { "a.txt": "😀😀 𝒳 1\nand more\n", "b.txt": "e\u0301😀 2😀\n" };
        expect(await one.held()).toEqual(texts);
        await one.type("b.txt", "2😀", "key ");
        const typed = { ...texts, "b.txt": "e\u0301😀 key 2😀\n" };
        for (const [name, text] of Object.entries(typed)) {
          await expect.poll(async () => (await one.wire.read(one.path(name)))?.text).toBe(text);
          // If the other server counts in different units than the test, its changes can't be compared.
          if (sync === 1 || encoding === "utf-16") {
            const uri = pathToFileURL(one.path(name)).href;
            await expect.poll(() => JSON.parse(readFileSync(kept, "utf8"))[uri]).toBe(text);
          }
        }
      }),
  );

  it("has the text of a buffer that eglot no longer manages, or manages again", () => stage(managedAnew));
}

async function managedAnew(one: Stage): Promise<void> {
  const text = async () => (await one.wire.read(one.path("a.txt")))?.text;
  const inBuffer = (form: string) =>
    emacsOf(one).evaluate(`(with-current-buffer (find-buffer-visiting "${one.path("a.txt")}") ${form} t)`);
  one.lay({ "a.txt": "one\n" });
  await one.open("a.txt");
  await one.retype("a.txt", "unsaved\n");
  await inBuffer("(eglot--managed-mode-off)");
  await one.type("a.txt", "unsaved", "still ");
  await expect.poll(text).toBe("still unsaved\n");
  await inBuffer("(eglot--maybe-activate-editing-mode)");
  await one.type("a.txt", "still", "and ");
  await expect.poll(text).toBe("and still unsaved\n");
  expect(await one.apply("agent", batch(["a.txt", "still", "again"]))).toMatchObject({ outcome: "applied" });
  expect(await one.held()).toEqual({ "a.txt": "and again unsaved\n" });
}
