/**
 * A person at a real Emacs reviews what agents have changed: keys go into a terminal, and its screen is read. What the
 * server would send comes from the test, so that names, texts and order are known.
 */
import { expect, it } from "vitest";
import { oddNames, price, tellReview, wholeLines } from "./agentScenes.js";
import { keys } from "./emacs.js";
import { capture, describeEmacs, pointOf, runCommand, untilPoint, type View } from "./emacsView.js";
import { hears, others, reviewedCall } from "./reviewedCall.js";

describeEmacs("the review of changes", (inEmacs) => {
  it("marks changes, jumps to them, shows the former text there, and lists them", inEmacs(showsChanges));
  it("highlights a change until point has been there, also in a file that is visited later", inEmacs(fades));
  it("highlights only the agent's parts of a change in which the user has typed", inEmacs(leavesTyped));
  it("lists files with odd names and jumps to them", inEmacs(showsOddNames));
  it("reviews a call over three files, and the agent hears of it", inEmacs(reviews));
  it("follows Emacs's own undo and redo", inEmacs(followsUndo));
});

const changed = { message: "Claude Code: 1 line changed", newText: "new\n" };
const removed = { message: "Claude Code: 1 line removed", oldText: "gone\n" };

/** Lines of the current buffer, from 1, that are highlighted, and lines before which text was removed. */
const marksOf = (view: View, name = "price.ts"): Promise<unknown> =>
  view.evaluate(`(with-current-buffer (find-buffer-visiting "${view.stage.path(name)}")
    (vconcat (mapcar (lambda (overlay)
                       (let ((first (line-number-at-pos (overlay-start overlay))))
                         (if (overlay-get overlay 'face)
                             (format "%d-%d" first (1- (line-number-at-pos (overlay-end overlay))))
                           (format "%d removal" first))))
                     (sort (seq-filter (lambda (overlay)
                                         (and (overlay-get overlay 'multi-edit-hunk)
                                              (or (overlay-get overlay 'face) (overlay-get overlay 'before-string))))
                                       (overlays-in (point-min) (1+ (point-max))))
                           (lambda (a b) (< (overlay-start a) (overlay-start b)))))))`);

async function showsChanges(view: View): Promise<void> {
  const { stage, shows } = view;
  stage.lay({ "tax.ts": "export const tax = 0.2;\n" });
  tellReview(stage, "price.ts", [
    { ...changed, range: wholeLines(1, 1), oldText: "first\n" },
    { ...changed, range: wholeLines(3, 4), oldText: "older\nold\n" },
    { ...removed, range: wholeLines(5, 4) },
  ]);
  tellReview(stage, "tax.ts", [{ kind: "create", message: "Claude Code: created", range: wholeLines(1, 0) }]);
  tellReview(stage, "gone.ts", [{ kind: "delete", message: "Claude Code: deleted", range: wholeLines(1, 0) }]);
  await expect.poll(() => marksOf(view)).toEqual(["1-1", "3-4", "5 removal"]);
  const gap = (await shows("[text was removed here] }")).includes("▔[") ? "" : " ";
  const rows = (...some: string[]): string => some.map((row) => `\n${row[0]}${gap}${row.slice(1)}`).join("");
  await shows(rows("▎export const rate"), rows("▎export function gross(net: number): number {", "▎  return"));
  runCommand(view, "multi-edit-next-change");
  await untilPoint(view, "price.ts:3");
  await shows(rows("▎Claude Code: 1 line changed", "-older", "-old", "▎export function"));
  runCommand(view, "multi-edit-next-change");
  await untilPoint(view, "price.ts:5");
  expect(await shows(rows("▔Claude Code: 1 line removed", "-gone", "▔}"))).not.toContain("older");
  runCommand(view, "multi-edit-next-change");
  await untilPoint(view, "tax.ts:1");
  await shows(rows("+Claude Code: created", "+export const tax"));
  runCommand(view, "multi-edit-next-change");
  await untilPoint(view, "price.ts:1");
  await shows(rows("-first", "▎export const rate"), "This is the first change again.");
  runCommand(view, "multi-edit-previous-change");
  await untilPoint(view, "tax.ts:1");
  runCommand(view, "multi-edit-list-changes");
  const list = await shows("Changes by agents");
  for (const line of [
    /^c\d+\/gone\.ts: \d\d:30 Claude Code: deleted$/m,
    /^c\d+\/price\.ts:1: \d\d:30 Claude Code: 1 line changed \| new$/m,
    /^c\d+\/price\.ts:3: \d\d:30 Claude Code: 1 line changed \| new$/m,
    /^c\d+\/price\.ts:5: \d\d:30 Claude Code: 1 line removed$/m,
    /^c\d+\/tax\.ts:1: \d\d:30 Claude Code: created$/m,
  ])
    expect(list).toMatch(line);
  view.press("\u001bgn");
  await untilPoint(view, "price.ts:1");
  await view.settled();
  // The list follows the review, and so does the margin.
  tellReview(stage, "price.ts", []);
  await view.shows("gone.ts: ", "\nexport const rate".replace("\n", gap === "" ? "\n" : "\n  "));
  await expect.poll(() => listed(view)).toBe(2);
  for (const name of ["tax.ts", "gone.ts"]) tellReview(stage, name, []);
  await expect.poll(() => listed(view)).toBe(0);
  await view.evaluate('(progn (delete-other-windows) (kill-buffer "*multi-edit changes*") t)');
  runCommand(view, "multi-edit-next-change");
  await shows("No change of an agent waits for review");
}

/** The number of changes in the list. */
const listed = (view: View): Promise<unknown> =>
  view.evaluate('(with-current-buffer "*multi-edit changes*" (- (count-lines (point-min) (point-max)) 2))');

async function fades(view: View): Promise<void> {
  const { stage, press } = view;
  const hunks = [
    { ...changed, range: wholeLines(3, 3) },
    { ...removed, range: wholeLines(5, 4) },
  ];
  tellReview(stage, "price.ts", hunks);
  await expect.poll(() => marksOf(view)).toEqual(["3-3", "5 removal"]);
  // The marks move with the text.
  press("\u001b<above\r");
  await expect.poll(() => marksOf(view)).toEqual(["4-4", "6 removal"]);
  press("\u001bgg4\r");
  await untilPoint(view, "price.ts:4");
  expect(await marksOf(view)).toEqual(["4-4", "6 removal"]);
  press("\u001b<");
  await expect.poll(() => marksOf(view)).toEqual(["6 removal"]);
  // What point has seen stays seen, until an agent changes it again.
  const moved = hunks.map((hunk, index) => ({ ...hunk, range: wholeLines(4 + 2 * index, 4 + index) }));
  tellReview(stage, "price.ts", moved);
  await expect.poll(() => marksOf(view)).toEqual(["6 removal"]);
  tellReview(stage, "price.ts", [{ ...moved[0], newText: "newer\n" }, moved[1]!]);
  await expect.poll(() => marksOf(view)).toEqual(["4-4", "6 removal"]);
  tellReview(stage, "old.ts", [{ ...changed, range: wholeLines(1, 1) }]);
  await expect.poll(() => view.evaluate("(length multi-edit-review--hunks)")).toBe(3);
  await view.open(stage.path("old.ts"));
  expect(await marksOf(view, "old.ts")).toEqual(["1-1"]);
}

async function leavesTyped(view: View): Promise<void> {
  const ranges = [wholeLines(1, 1), wholeLines(3, 4)];
  tellReview(view.stage, "price.ts", [{ ...changed, state: "changed", range: wholeLines(1, 4), ranges }]);
  await expect.poll(() => marksOf(view)).toEqual(["1-1", "3-4"]);
  view.press("\u000e");
  await expect.poll(() => marksOf(view)).toEqual([]);
  runCommand(view, "multi-edit-next-change");
  await view.shows("This is the first change again.");
}

async function showsOddNames(view: View): Promise<void> {
  const { stage } = view;
  // eglot itself takes an encoded line feed for a space; the server refuses such names.
  const { "a%0Ab.ts": _, ...odd } = oddNames;
  const existing = Object.keys(odd).filter((name) => !name.includes("%00"));
  stage.lay(Object.fromEntries(existing.map((name) => [decodeURIComponent(name), "a\n"])));
  // The last one is not UTF-8.
  const all = [...Object.keys(odd), "a%FFb.ts"];
  const hunk = { range: wholeLines(1, 1), message: "one\ntwo\0three: 1 line changed", newText: "a\tb\n" };
  for (const name of all) tellReview(stage, name, [hunk]);
  await expect.poll(() => view.evaluate("(length multi-edit-review--hunks)")).toBe(all.length);
  runCommand(view, "multi-edit-list-changes");
  await view.shows("Changes by agents", "one␊two␀three");
  const inList = (form: string) => view.evaluate(`(with-current-buffer "*multi-edit changes*" ${form})`);
  const list = String(await inList(withoutBytes));
  for (const shown of Object.values(odd))
    expect(list).toMatch(
      new RegExp(`^c\\d+/${escaped(shown)}(?::1)?: \\d\\d:30 one␊two␀three: 1 line changed | a␉b`, "m"),
    );
  // Only names that exist as they are shown are links.
  const isLink = (start: string) =>
    inList(`(progn (font-lock-ensure) (goto-char (point-min)) (search-forward "${start}")
    (and (get-text-property (pos-bol) 'compilation-message) t))`);
  expect([await isLink("[a].ts"), await isLink("a␛b.ts")]).toEqual([true, null]);
  await view.evaluate('(progn (delete-other-windows) (kill-buffer "*multi-edit changes*") t)');
  // The driver can't name a buffer whose name is not text.
  tellReview(stage, "a%FFb.ts", []);
  await expect.poll(() => view.evaluate("(length multi-edit-review--hunks)")).toBe(all.length - 1);
  const visited = new Set<unknown>();
  for (let count = 0; count <= existing.length; count++) {
    runCommand(view, "multi-edit-next-change");
    await view.shows("one two␀three: 1 line changed\n");
    visited.add(await pointOf(view));
  }
  for (const name of existing) expect(visited).toContain(`${decodeURIComponent(name)}:1`);
}

/** The text of the current buffer, without bytes that are not text: JSON has no form for them. */
const withoutBytes =
  "(concat (seq-filter (lambda (char) (< char #x3fff80)) (buffer-substring-no-properties (point-min) (point-max))))";

const escaped = (text: string): string => text.replace(/[[\]|.*+?^$(){}\\]/g, "\\$&");

/** The first and last lines of the signs in the current buffer, from 1. */
const signsOf = (view: View, name = "price.ts"): Promise<unknown> =>
  view.evaluate(`(with-current-buffer (find-buffer-visiting "${view.stage.path(name)}")
    (vconcat (mapcar (lambda (overlay)
                       (format "%d-%d" (line-number-at-pos (overlay-start overlay))
                               (1- (line-number-at-pos (overlay-end overlay)))))
                     (sort (seq-filter (lambda (overlay) (overlay-get overlay 'multi-edit-hunk))
                                       (overlays-in (point-min) (1+ (point-max))))
                           (lambda (a b) (< (overlay-start a) (overlay-start b)))))))`);

async function followsUndo(view: View): Promise<void> {
  view.stage.lay(others);
  const agent = await reviewedCall(view.stage, "");
  agent.stop();
  await expect.poll(() => signsOf(view)).toEqual(["1-1", "4-5"]);
  view.press(keys.undo);
  await expect.poll(() => signsOf(view)).toEqual([]);
  runCommand(view, "undo-redo");
  await expect.poll(() => signsOf(view)).toEqual(["1-1", "4-5"]);
}

async function reviews(view: View): Promise<void> {
  const { stage, press, shows } = view;
  stage.lay(others);
  const agent = await reviewedCall(stage, "");
  await expect.poll(() => signsOf(view)).toEqual(["1-1", "4-5"]);
  press("\u0003al");
  capture(view, "list", aboveMessage(await shows("Changes by agents", "cents.ts")));
  await view.evaluate('(progn (delete-other-windows) (kill-buffer "*multi-edit changes*") t)');
  press("\u001b<\u0003an");
  await untilPoint(view, "price.ts:4");
  capture(view, "former", upToModeLine(await shows("return net * (1 + rate);", "const sum")));
  // Text that is typed above the change is no part of it.
  press("\u001b<\r\u0010typed\u001bgg6\r\u0003au");
  await expect.poll(async () => (await stage.held())["price.ts"]).toBe(`typed\n${price.replace("0.19", "0.2")}`);
  await expect.poll(() => signsOf(view)).toEqual(["2-2"]);
  press("\u001bgg2\r\u0003ak");
  await shows("Kept 1 change");
  await expect.poll(() => signsOf(view)).toEqual([]);
  press("\u0003an");
  await untilPoint(view, "tax.ts:1");
  press("\u0003ac");
  await shows("Comment for the agent:");
  press("use cents\r");
  await shows("The agent will read this about ", "tax.ts:1");
  expect(await agent.apply({ edits: [{ path: "old.ts", oldText: "{}", newText: "{ a }" }] })).toContain(hears(""));
  press("\u0003ah");
  capture(view, "log", aboveMessage(await shows("partly undone")));
  press("\u001b>\u0010u");
  await expect.poll(() => stage.disk()["tax.ts"]).toBe(others["tax.ts"]);
  await shows(" undone ");
  expect(stage.disk()["cents.ts"]).toBe(undefined);
  press("r");
  await expect.poll(() => stage.disk()["tax.ts"]).toContain("0.21");
  await view.evaluate('(progn (delete-other-windows) (kill-buffer "*multi-edit log*") t)');
  await view.open(stage.path("tax.ts"));
  // The buffer is attached to the server a moment later.
  await expect.poll(() => signsOf(view, "tax.ts")).toEqual(["1-1"]);
  press("\u0015\u0003auall\r");
  await expect.poll(() => stage.disk()["tax.ts"]).toBe(others["tax.ts"]);
  agent.stop();
}

/** A screen without its last row, where a message may appear. */
const aboveMessage = (screen: string): string => screen.replace(/\n[^\n]*$/, "");

/** A screen without the echo area, which may show an earlier message. */
const upToModeLine = (screen: string): string => screen.replace(/(?<=^-UU[^\n]*\n).*$/ms, "");
