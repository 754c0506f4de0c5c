/** The Emacs sample as a package: installed from its file and from the repository, and its settings. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { batch } from "../support/desk.js";
import { blockOf, cloneTo, runAsUser } from "./attach.js";
import { answerQuestion, questionSince } from "./dialogues.js";
import type { Place } from "./editor.js";
import { type EmacsDriver, type EmacsKind, eglotWith, lspModeWith } from "./emacs.js";
import { absence, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

const page = "client-samples/emacs/README.md";
const withoutModes = "(setq-default major-mode 'fundamental-mode)";

/** Installs the sample's directory as a package; returns what remains for the user's configuration. */
function installed(place: Place): string {
  const path = join(place.repository, "client-samples/emacs");
  const log = runAsUser(place, ["emacs", "--batch", "--eval", `(package-install-file "${path}")`, "--eval", warnings]);
  expect(log).not.toMatch(/multi-edit(?!-pkg)[a-z-]*\.el:/);
  return `(package-initialize) (multi-edit-beside-mode) ${withoutModes}`;
}

/** Prints what the compiler warned about. */
const warnings =
  '(with-current-buffer "*Compile-Log*" (when (search-forward "Warning" nil t) (princ (buffer-string))))';

/** The README's block for `use-package` and version control, with a repository that exists. */
function fromRepository(place: Place): string {
  const clone = join(place.home, "clone");
  cloneTo(clone);
  return `${blockOf(page, "elisp use-package vc").replace("URL of the repository", pathToFileURL(clone).href)}${withoutModes}`;
}

const kinds: readonly [string, EmacsKind][] = [
  ["its directory", eglotWith([], installed)],
  ["the repository, by use-package", eglotWith([], fromRepository)],
];

/** The sample, after some Lisp. */
const after =
  (before: string, mode: string) =>
  (place: Place): string =>
    `(add-to-list 'load-path "${place.repository}/client-samples/emacs") (require 'multi-edit) ${before} ${mode}`;

/** The README's line with settings, and others that do not exist. */
const settings = `${blockOf(page, "elisp settings")}
  (setq multi-edit-settings (append multi-edit-settings '(:confrim "always" :svae 1)))`;

/** The sample's three ways to run. */
const modes: readonly [string, (before: string) => EmacsKind][] = [
  ["beside eglot", (before) => eglotWith([], after(before, "(multi-edit-beside-mode)"))],
  [
    "in eglot",
    (before) =>
      eglotWith([], after(before, "(multi-edit-use-eglot 'text-mode) (add-hook 'text-mode-hook #'eglot-ensure)")),
  ],
  ["in lsp-mode", (before) => lspModeWith(after(before, "(multi-edit-use-lsp-mode) (add-hook 'text-mode-hook #'lsp)"))],
];

const [[, first]] = kinds as [[string, EmacsKind]];
const missing = absence(first);

if (missing !== undefined) {
  it("has no Emacs", () => {
    const leftOut = `left out: the package in a real Emacs; ${missing}`;
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  vi.setConfig({ testTimeout: 120_000 });

  it.each(kinds)("the package is installed from %s, and keeps unsaved text", (_, kind) =>
    inEmacs(kind, async (stage) => {
      stage.lay({ "a.txt": "old\n" });
      await stage.open("a.txt");
      await stage.retype("a.txt", "typed\nold\n");
      expect(await stage.apply("command", batch(["a.txt", "old", "new"]))).toMatchObject({ outcome: "applied" });
      expect(await stage.held()).toEqual({ "a.txt": "typed\nnew\n" });
      expect(stage.disk()).toEqual({ "a.txt": "old\n" });
      const shows = "(and (commandp 'multi-edit-list-changes) (commandp 'multi-edit-question) t)";
      expect(await evaluate(stage, shows)).toBe(true);
      const version = "(package-desc-version (cadr (assq 'multi-edit package-alist)))";
      expect(await evaluate(stage, `(package-version-join ${version})`)).toBe(packageJson.version);
    }),
  );

  describe.each(modes)("the settings %s", (_, kind) => {
    it("that do not exist are named in one message, and the others hold", () => inEmacs(kind(settings), namesSettings));
  });

  it.each(modes)("a file whose unsaved changes the server does not get, %s, is not written on disk", (_, kind) =>
    inEmacs(kind(""), reportsUnsynced),
  );
}

const evaluate = ({ session }: Stage, form: string): Promise<unknown> => (session.driver as EmacsDriver).evaluate(form);

async function inEmacs(kind: EmacsKind, run: (stage: Stage) => Promise<void>): Promise<void> {
  const session = await startSession(kind);
  try {
    await onStage(session, run);
  } finally {
    await session.stop();
  }
}

async function namesSettings(stage: Stage): Promise<void> {
  const about = /There is no setting "(confrim" \(did you mean "confirm"\?\) or "svae|svae" .*or "confrim)"/;
  const shownMessages = () => stage.wire.messages.filter(({ message }) => message.method === "window/showMessage");
  await stage.wire.until("a message", () => shownMessages()[0]);
  const messages = shownMessages();
  expect(messages.map(({ message }) => message.params)).toEqual([{ type: 2, message: expect.stringMatching(about) }]);
  const shown = '(with-current-buffer "*Messages*" (buffer-substring-no-properties (point-min) (point-max)))';
  await expect.poll(() => evaluate(stage, shown), { timeout: 10_000 }).toMatch(about);
  stage.lay({ "a.txt": "old\n" });
  await stage.open("a.txt");
  const told = stage.apply("agent", batch(["a.txt", "old", "new"]));
  const question = await stage.wire.until("a question", () => questionSince(stage, 0));
  await answerQuestion(stage, question, "Reject");
  expect(await told).toMatchObject({ outcome: "failed", codes: ["userRejected"] });
}

/** A buffer holds a file's text, but visiting the file has not made it, as with packages for notebooks. */
async function reportsUnsynced(stage: Stage): Promise<void> {
  stage.lay({ "a.txt": "old\n", "n.ipynb": "old\n" });
  await stage.open("a.txt");
  const reports = (): string[][] =>
    stage.wire.messages
      .filter(({ message }) => message.method === "multiEdit/didChangeUnsynced")
      .map(({ message }) => message.params.uris);
  const path = JSON.stringify(stage.path("n.ipynb"));
  await evaluate(
    stage,
    `(with-current-buffer (get-buffer-create "held") (setq buffer-file-name ${path}) (insert "x") t)`,
  );
  await expect.poll(() => reports().at(-1)).toEqual([pathToFileURL(stage.path("n.ipynb")).href]);
  expect(await stage.apply("agent", batch(["n.ipynb", "old", "new"]))).toMatchObject({ codes: ["locked"] });
  await evaluate(stage, '(progn (with-current-buffer "held" (set-buffer-modified-p nil)) (kill-buffer "held") t)');
  await expect.poll(() => reports().at(-1)).toEqual([]);
  expect(await stage.apply("agent", batch(["n.ipynb", "old", "new"]))).toMatchObject({ outcome: "applied" });
}
