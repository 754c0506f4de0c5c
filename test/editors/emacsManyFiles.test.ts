/**
 * A real Emacs with 300 open files, of which a branch switch changes all but one at once. Emacs itself takes longer for each
 * file, the more are open: it opens 300 in ten seconds on a busy machine, and 1,000 in minutes.
 */
import { describe, expect, it, vi } from "vitest";
import { type EmacsDriver, eglot, lspMode } from "./emacs.js";
import { latest, layBranches, notices, textOf, names as thousand, whenAllOpen } from "./manyFiles.js";
import { absence, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

vi.setConfig({ testTimeout: 300_000 });

describe.each([eglot, lspMode])("$name with 300 open files", (kind) => {
  const missing = absence(kind);
  it("takes over a branch switch, tells of it once, keeps what is unsaved, and asks nothing at a save", async () => {
    if (missing === undefined) {
      const session = await startSession(kind);
      return onStage(session, changes).finally(session.stop);
    }
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(missing);
    console.log(`left out: 300 open files in ${kind.name}: ${missing}`);
  });
});

/** The open files. */
const names = thousand.slice(0, 300);

async function changes(stage: Stage): Promise<void> {
  // The editor that an `EmacsKind` starts has this type.
  const { evaluate } = stage.driver as EmacsDriver;
  const git = layBranches(stage, names.length - 1, names);
  // Otherwise Emacs runs Git for each file, and spends half of its time on collecting garbage.
  await evaluate("(progn (setq vc-handled-backends nil gc-cons-threshold 100000000) t)");
  const start = performance.now();
  // A few at a time, because the driver waits for an answer only so long.
  for (let from = 0; from < names.length; from += 10) {
    const paths = names.slice(from, from + 10).map((name) => `"${stage.path(name)}"`);
    await evaluate(`(progn (mapc #'find-file-noselect '(${paths.join(" ")})) t)`);
  }
  await whenAllOpen(stage, names);
  console.log(`${names.length} files were opened within ${Math.round(performance.now() - start)} ms`);

  /** Counts the buffers that have a line. */
  const countOf = (line: string): Promise<unknown> =>
    evaluate(`(seq-count (lambda (buffer)
                           (and (buffer-file-name buffer)
                                (with-current-buffer buffer
                                  (save-excursion (goto-char (point-min)) (search-forward "${line}\\n" nil t)))))
                         (buffer-list))`);
  const inFile = (name: string, form: string): Promise<unknown> =>
    evaluate(`(with-current-buffer (find-buffer-visiting "${stage.path(name)}") ${form} t)`);
  const [mine, conflicting] = [names[1]!, names[2]!];
  /** Switches the branch; returns how many messages the user can get meanwhile: none waits for longer than two seconds. */
  const switchTo = async (branch: string, rate: string, count: number): Promise<number> => {
    const since = performance.now();
    git("checkout", "-q", branch);
    await expect.poll(() => countOf(`rate = ${rate}`), { timeout: latest, interval: 500 }).toBe(count);
    const ms = Math.round(performance.now() - since);
    console.log(`${count} open files were changed on disk within ${ms} ms`);
    return 1 + Math.floor(ms / 2_000);
  };

  await inFile(conflicting, '(progn (goto-char (point-min)) (delete-line) (insert "rate = 0.07\\n"))');
  await stage.synced(conflicting);
  await evaluate(`(progn (defvar test-looks 0)
    (when (fboundp 'eglot--signal-textDocument/didChange)
      (advice-add 'eglot--signal-textDocument/didChange :before (lambda () (setq test-looks (1+ test-looks))))) t)`);
  const atMost = await switchTo("other", "0.20", names.length - 2);
  // A file that is loaded does not have eglot look for changes of all the others.
  expect(await evaluate("test-looks")).toBeLessThan(names.length ** 2 / 3);
  const conflicts = (): string[] => notices(stage).filter((notice) => notice.includes("not merged, you and the disk"));
  await expect.poll(conflicts).toHaveLength(1);
  // On a busy machine, what is loaded more than two seconds after the first file is not mentioned.
  expect(conflicts()[0]).toMatch(/^\d+ files? taken over from disk, 1 conflict\. "[^"]*f2\.txt": not merged, you and/);
  expect(notices(stage).length).toBeLessThanOrEqual(atMost);
  expect((await stage.driver.held(stage.path(conflicting)))?.text).toBe(textOf("0.07"));

  await inFile(mine, '(progn (goto-char (point-max)) (insert "mine\\n"))');
  await stage.synced(mine);
  const mark = notices(stage).length;
  const atMostAgain = await switchTo("first", "0.19", names.length - 1);
  const takenOver = /^(?:\d+ files? taken over from disk\.|"[^"]*f1\.txt" changed on disk: merged)/;
  await expect.poll(() => notices(stage).slice(mark)).toContainEqual(expect.stringMatching(takenOver));
  expect(notices(stage).length - mark).toBeLessThanOrEqual(atMostAgain);
  expect((await stage.driver.held(stage.path(mine)))?.text).toBe(`${textOf("0.19")}mine\n`);
  expect((await stage.driver.held(stage.path(conflicting)))?.text).toBe(textOf("0.07"));
  await stage.driver.save(stage.path(mine));
  expect(stage.disk()[mine]).toBe(`${textOf("0.19")}mine\n`);
  expect(conflicts()).toHaveLength(1);
}
