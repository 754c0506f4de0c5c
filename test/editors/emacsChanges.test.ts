/** Random editing in Emacs: with `multi-edit-beside-mode`, the server's text always equals the buffer's. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { buildProgram } from "../support/build.js";
import { type EmacsDriver, type EmacsKind, eglotWith } from "./emacs.js";
import { absence, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

/** Emacs without an eglot server, so that each buffer syncs its own changes. */
const alone = eglotWith(["beside"], () => "(setq-default major-mode 'fundamental-mode)");

const missing = absence(alone);

/** Number of editing rounds per row of the table below. */
const rounds = Number(process.env.EDITOR_CHANGES ?? 120);

/**
 * A change to the current buffer, in Lisp, at positions given as fractions of the text; some changes fail, just as a
 * user's actions may.
 */
type Edit = (a: string, b: string, text: string) => string;

const edits: readonly Edit[] = [
  (a, _, text) => `(goto-char (at ${a})) (insert ${text})`,
  (a, _, text) => `(goto-char (at ${a})) (insert-before-markers ${text})`,
  (a, b) => `(delete-region (at ${a}) (near ${a} ${b}))`,
  (a) => `(goto-char (at ${a})) (kill-line) (forward-line 1) (yank)`,
  (a, b) => `(kill-region (at ${a}) (near ${a} ${b})) (goto-char (at ${b})) (yank)`,
  () => "(undo-boundary) (let ((last-command nil)) (undo 2))",
  () => "(undo-boundary) (let ((last-command nil)) (undo)) (insert (string #x1f600))",
  (a, _, text) => `(replace-regexp-in-region "e[^a]*?\\n+" ${text} (at ${a}))`,
  (a, b) => `(replace-string-in-region "o" "0😀" (at ${a}) (near ${a} ${b}))`,
  (a, b) => `(upcase-region (at ${a}) (near ${a} ${b}))`,
  () => "(downcase-region (point-min) (point-max))",
  (a) => `(goto-char (at ${a})) (transpose-lines 1)`,
  (a) => `(goto-char (at ${a})) (transpose-chars 1)`,
  (a, b) => `(let ((m (at 0.5))) (transpose-regions (near ${a} ${b}) m m (point-max)))`,
  (a, b) => `(subst-char-in-region (at ${a}) (near ${a} ${b}) ?e ?o)`,
  (a, b) => `(subst-char-in-region (at ${a}) (near ${a} ${b}) ?o ?é t)`,
  (a, b) =>
    `(translate-region (at ${a}) (near ${a} ${b}) (let ((m (make-char-table 'translation-table))) (aset m ?n ?😀) m))`,
  () => "(revert-buffer t t)",
  () => "(revert-buffer t t t)",
  (_, __, text) => `(let ((new (concat (replace-regexp-in-string "x" "yy" (buffer-string)) ${text})))
     (with-temp-buffer (insert new) (let ((from (current-buffer))) (with-current-buffer file (replace-buffer-contents from)))))`,
  (a, b, text) => `(combine-change-calls (at ${a}) (near ${a} ${b})
     (goto-char (near ${a} ${b})) (insert ${text}) (delete-region (at ${a}) (point)) (insert ${text}))`,
  (a, b, text) =>
    `(combine-after-change-calls (goto-char (at ${a})) (insert ${text}) (goto-char (at ${b})) (insert ${text}))`,
  (a, b) => `(put-text-property (at ${a}) (near ${a} ${b}) 'face 'bold)`,
  (a, b, text) => `(narrow-to-region (at ${a}) (near ${a} ${b})) (goto-char (at ${b})) (insert ${text})`,
  (a, b) => `(save-restriction (narrow-to-region (at ${a}) (near ${a} ${b})) (erase-buffer) (insert "erased"))`,
  () => "(sort-lines nil (point-min) (point-max))",
  (a, b) => `(indent-rigidly (at ${a}) (near ${a} ${b}) 2)`,
  (a, b) => `(fill-region (at ${a}) (near ${a} ${b}))`,
  () => "(delete-trailing-whitespace)",
  (a, b) => `(flush-lines "o" (at ${a}) (near ${a} ${b}))`,
  () => "(insert-file-contents buffer-file-name nil nil nil t)",
  (a) => `(goto-char (at ${a})) (insert-file-contents buffer-file-name)`,
  (a, b) => `(call-process-region (at ${a}) (near ${a} ${b}) "cat" t t)`,
  (a, b) => `(decode-coding-region (at ${a}) (near ${a} ${b}) 'utf-8)`,
  (a, b, text) => `(let ((group (prepare-change-group)))
     (activate-change-group group) (goto-char (at ${a})) (insert ${text}) (delete-region (at ${b}) (near ${b} ${a})) (cancel-change-group group))`,
  () => "(fundamental-mode)",
  () => "(multi-edit--send-own)",
];

/**
 * Edits that only this sample handles: without the sample, eglot misses such a change, fails an assertion, or never
 * syncs the text again.
 */
const ownEdits: readonly Edit[] = [
  (a, _, text) => `(let ((inhibit-modification-hooks t)) (goto-char (at ${a})) (insert ${text}))`,
  (a, b, text) =>
    `(with-silent-modifications (put-text-property (at ${a}) (near ${a} ${b}) 'face 'bold) (goto-char (at ${b})) (insert ${text}))`,
  (a, _, text) => `(with-current-buffer (clone-indirect-buffer "clone" nil)
     (unwind-protect (progn (goto-char (at ${a})) (insert ${text}) (narrow-to-region (at 0.3) (at 0.6)) (erase-buffer)) (kill-buffer)))`,
  (a, _, text) => `(with-current-buffer (make-indirect-buffer file "bare")
     (unwind-protect (progn (goto-char (at ${a})) (insert ${text})) (kill-buffer)))`,
  (a, _, text) => `(let ((sly (lambda (&rest _) (save-excursion (goto-char (point-max)) (insert ${text})))))
     (add-hook 'before-change-functions sly nil t)
     (unwind-protect (progn (goto-char (at ${a})) (insert ${text})) (remove-hook 'before-change-functions sly t)))`,
  (a, _, text) => `(let ((sly (lambda (&rest _) (save-excursion (goto-char (point-min)) (insert ${text})))))
     (add-hook 'after-change-functions sly nil t)
     (unwind-protect (progn (goto-char (at ${a})) (insert ${text})) (remove-hook 'after-change-functions sly t)))`,
  (a, _, text) => `(let ((bad (lambda (&rest _) (error "Bad"))))
     (add-hook 'after-change-functions bad nil t)
     (unwind-protect (progn (goto-char (at ${a})) (insert ${text})) (remove-hook 'after-change-functions bad t)))`,
  (
    a,
    _,
    text,
  ) => `(run-hook-with-args 'before-change-functions (point-min) (point-max)) (goto-char (at ${a})) (insert ${text})
     (run-hook-with-args 'after-change-functions (point-min) (point-max) 3)`,
  (a) =>
    `(goto-char (at ${a})) (insert (unibyte-char-to-multibyte 159)) (multi-edit--flush (multi-edit--session)) (delete-char -1)`,
  (a, _, text) =>
    `(let ((sly (lambda (&rest _) (save-excursion (goto-char (point-min)) (delete-char 1) (insert (seq-random-elt "XYZ"))))))
     (add-hook 'before-change-functions sly nil t)
     (unwind-protect (progn (goto-char (at ${a})) (insert ${text})) (remove-hook 'before-change-functions sly t)))`,
  (a, _, text) =>
    `(let ((sly (lambda (&rest _) (save-excursion (goto-char (point-min)) (delete-char 1) (insert (seq-random-elt "XYZ"))))))
     (add-hook 'after-change-functions sly nil t)
     (unwind-protect (progn (goto-char (at ${a})) (insert ${text})) (remove-hook 'after-change-functions sly t)))`,
];

/** Texts to insert: characters of every width, line endings of every kind, and the empty text. */
const texts = [
  "x",
  "one\n",
  "é",
  "😀",
  "𝒳\n𝒳",
  "e\u0301",
  "日本\n\n",
  "\t ",
  "\r",
  "a\r\nb",
  "\n",
  "",
  "one\ntwo 😀 three\n",
];

const share = fc.integer({ min: 0, max: 1000 }).map((n) => (n / 1000).toFixed(3));
/** The edits made between two comparisons of the texts. */
const roundOf = (some: readonly Edit[]) =>
  fc.record({
    name: fc.constantFrom("lf.txt", "crlf.txt", "long.txt"),
    steps: fc.array(
      fc
        .tuple(fc.constantFrom(...some), share, share, fc.constantFrom(...texts))
        .map(([edit, a, b, text]) => edit(a, b, JSON.stringify(text))),
      { minLength: 1, maxLength: 5 },
    ),
  });

const helpers = `(progn
  (setq kill-ring '("killed") undo-inhibit-record-point t)
  (defun at (share) (+ (point-min) (floor (* share (- (point-max) (point-min))))))
  (defun near (a b) (min (point-max) (+ (at a) (floor (* 60 b)))))
  t)`;

if (missing !== undefined) {
  it("has no Emacs", () => {
    const leftOut = `left out: random editing in a real Emacs; ${missing}`;
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  vi.setConfig({ testTimeout: 60_000 + 2000 * rounds });
  let other = { path: "", remove: (): void => undefined };
  beforeAll(async () => {
    other = await buildProgram(new URL("otherServer.ts", import.meta.url));
  });
  afterAll(() => other.remove());
  const besideOther = (): EmacsKind =>
    eglotWith(["beside"], ({ home }) => {
      const program = join(home, "other.cjs");
      copyFileSync(other.path, program);
      return `
(require 'eglot)
(add-to-list 'eglot-server-programs '((text-mode prog-mode) "node" "${program}" "utf-16" "2" "${join(home, "texts.json")}"))
(add-hook 'text-mode-hook #'eglot-ensure)`;
    });

  describe.each([
    { what: "alone", encoding: "utf-8", kind: () => alone, some: [...edits, ...ownEdits] },
    { what: "alone", encoding: "utf-16", kind: () => alone, some: [...edits, ...ownEdits] },
    { what: "alone", encoding: "utf-32", kind: () => alone, some: [...edits, ...ownEdits] },
    { what: "beside another server", encoding: "utf-16", kind: besideOther, some: edits },
  ])("$what, counting in $encoding", ({ encoding, kind, some }) => {
    it("the server always has the text of the buffer", () =>
      inEmacs(kind(), encoding, (stage, evaluate) => editAtRandom(stage, evaluate, some)));

    it("a key in a large file sends what was typed, not the file", () =>
      inEmacs(kind(), encoding, (stage) => typeIntoLargeFile(stage)));
  });
}

async function inEmacs(
  kind: EmacsKind,
  encoding: string,
  run: (stage: Stage, evaluate: EmacsDriver["evaluate"]) => Promise<void>,
): Promise<void> {
  const session = await startSession(kind, { encodings: [encoding] });
  try {
    await onStage(session, (stage) => run(stage, (form) => (session.driver as EmacsDriver).evaluate(form)));
  } finally {
    await session.stop();
  }
}

async function editAtRandom(stage: Stage, evaluate: EmacsDriver["evaluate"], some: readonly Edit[]): Promise<void> {
  const lines = Array.from({ length: 40 }, (_, n) => `line ${n} 😀 of some text e\u0301 and 𝒳 more`);
  stage.lay({
    "lf.txt": `${lines.join("\n")}\n`,
    "crlf.txt": `${lines.join("\r\n")}\r\n`,
    "long.txt": lines.join(" "),
  });
  await stage.open("lf.txt", "crlf.txt", "long.txt");
  await evaluate(helpers);
  const seed = Number(process.env.EDITOR_SEED ?? 1);
  for (const [round, { name, steps }] of fc.sample(roundOf(some), { seed, numRuns: rounds }).entries()) {
    const forms = steps.map((one) => `(condition-case nil (progn ${one}) (error nil))`).join("\n");
    const held = await evaluate(`(with-current-buffer (find-buffer-visiting "${stage.path(name)}")
      (let ((file (current-buffer)))
        ${forms}
        (widen)
        (multi-edit--flush (multi-edit--session))
        (buffer-substring-no-properties (point-min) (point-max))))`);
    // Through the tap, Emacs and the test reach the server over two connections, so one message may overtake another.
    const known = async () => {
      const { result, error } = await stage.wire.request("multiEdit/read", { path: stage.path(name) });
      return result?.text ?? error;
    };
    const message = `EDITOR_SEED=${seed}, round ${round}: ${name} after\n${forms}`;
    await expect.poll(known, { timeout: 5000, message }).toBe(held);
  }
  // Some later change may have given the server a whole text, and with it hidden a change that did not fit.
  expect(logged(stage).filter((line) => line.includes("out of sync"))).toEqual([]);
  expect(changesOf(stage).some(({ range }) => range !== undefined)).toBe(true);
}

/** Every change that the server received, in order. */
function changesOf({ wire }: Stage): { readonly range?: unknown; readonly text: string }[] {
  return wire.messages
    .filter(({ from, message }) => from === "editor" && message.method === "textDocument/didChange")
    .flatMap(({ message }) => message.params.contentChanges);
}

/** Every line that the server wrote to the editor's log. */
function logged({ wire }: Stage): string[] {
  return wire.messages
    .filter(({ message }) => message.method === "window/logMessage")
    .map(({ message }) => message.params.message);
}

async function typeIntoLargeFile(stage: Stage): Promise<void> {
  const lines = Array.from({ length: 8000 }, (_, n) => `line ${n} 😀 of a text that is not short\n`);
  stage.lay({ "large.txt": lines.join("") });
  await stage.open("large.txt");
  const known = changesOf(stage).length;
  await stage.type("large.txt", "😀 of a text", "typed");
  const typed = lines.join("").replace("😀", "typed😀");
  await expect.poll(async () => (await stage.wire.read(stage.path("large.txt")))?.text === typed).toBe(true);
  const sizes = changesOf(stage)
    .slice(known)
    .map(({ text }) => text.length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe("typed".length);
}
