/**
 * What a person at a real Emacs sees of agents' edits, and how that person answers their questions: keys go into a
 * terminal, and its screen is read. The test speaks instead of the server, so that time, names and order are known.
 */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  askAbout,
  lines,
  oddNames,
  price,
  type Question,
  tellChange,
  withdraw,
  withFixedTimes,
} from "./agentScenes.js";
import { blockOf } from "./attach.js";
import { expectCapture } from "./captures.js";
import { type EmacsDriver, type EmacsKind, eglot, eglotWith, keys, lspMode, plainEmacs } from "./emacs.js";
import { countsUnseenChanges, editsBehindIndirect, editsNarrowed } from "./emacsBuffers.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

const page = new URL("../../client-samples/emacs/README.md", import.meta.url);

/** Emacs as it is in the captures: with the README's keys. */
const captured = eglotWith(["eglot", "confirm"], () => blockOf("client-samples/emacs/README.md", "elisp keys"));

const missing = absence(eglot);

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

if (missing !== undefined) {
  it("has no Emacs", () => {
    const leftOut = `left out: what the user of a real Emacs sees; ${missing}`;
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  for (const kind of [captured, plainEmacs, lspMode]) describe(kind.name, () => describeEmacs(kind));
}

interface View extends EmacsDriver {
  readonly stage: Stage;
  /** `true` if the screen is compared with the page. */
  readonly isCaptured: boolean;
}

function describeEmacs(kind: EmacsKind): void {
  let session: Session;
  const inEmacs = (run: (view: View) => Promise<void>) => () =>
    onStage(session, async (stage) => {
      // The editor that an `EmacsKind` starts has this type.
      const emacs = session.driver as EmacsDriver;
      stage.lay({ "price.ts": price, "old.ts": "export {};\n" });
      await emacs.evaluate(
        "(progn (multi-edit-clear-changes) (delete-other-windows) (setq suggest-key-bindings nil extended-command-suggest-shorter nil) t)",
      );
      await stage.open("price.ts");
      await run({ ...emacs, stage, isCaptured: kind === captured });
    });
  beforeAll(async () => {
    session = await startSession(kind);
  });
  afterAll(() => session?.stop());

  it("says what an agent has changed, marks it, lists it and jumps to it", inEmacs(showsChanges));
  it("keeps the mark until point has been there, also in a file that is visited later", inEmacs(keepsMarks));
  it("shows at most one message in five seconds, and sums up the others", inEmacs(sumsUp));
  it("lists files with odd names, jumps to them, and asks about them", inEmacs(showsOddNames));
  it("removes the marks of a call that is undone", inEmacs(forgetsUndone));
  it("edits a narrowed buffer", inEmacs(editsNarrowed));
  // lsp-mode does not see what is typed in an indirect buffer.
  if (kind !== lspMode)
    it("edits a buffer that was changed by way of an indirect buffer", inEmacs(editsBehindIndirect));
  if (kind !== lspMode) it("sends changes of which Emacs calls no hook", inEmacs(countsUnseenChanges));
  it("shows a diff of 240 lines to its end, and applies it", inEmacs(readsToTheEnd));
  it("rejects with a reason", inEmacs(rejects));
  it("takes no key and no answer from a person who types text", inEmacs(typesText));
  it("takes no key and no answer from a person in the minibuffer", inEmacs(typesInMinibuffer));
  it("withdraws a question, says so, and leaves nothing", inEmacs(withdraws));
  it("asks one question after the other, and withdraws the right one", inEmacs(asksInTurn));
  it("says that a question has expired", inEmacs(expires));
}

/** Compares the screen with the page, without most of its empty rows. */
function capture({ isCaptured }: View, name: string, screen: string): void {
  if (!isCaptured) return;
  const shown = withFixedTimes(screen)
    .replace(/\n{3,}/g, "\n\n")
    .replace(/\bc\d+\//g, "src/")
    .replace(/default-directory: .*?\/"/g, 'default-directory: "~/shop/"')
    .replace(/-{3,}$/gm, "---");
  expectCapture(page, name, shown);
}

const buffersOf = (view: View): Promise<unknown> =>
  view.evaluate(
    "(vconcat (sort (seq-remove (lambda (name) (string-prefix-p \" \" name)) (mapcar #'buffer-name (buffer-list))) #'string<))",
  );

/** Lines of the current buffer, from 1, that are highlighted, and lines before which text was removed. */
const marksOf = (view: View, name = "price.ts"): Promise<unknown> =>
  view.evaluate(`(with-current-buffer (find-buffer-visiting "${view.stage.path(name)}")
    (vconcat (mapcar (lambda (overlay)
                       (format "%d%s" (line-number-at-pos (overlay-start overlay))
                               (if (overlay-get overlay 'face) "" " removal")))
                     (sort (seq-filter (lambda (overlay)
                                         (and (overlay-get overlay 'multi-edit-change)
                                              (or (overlay-get overlay 'face) (overlay-get overlay 'before-string))))
                                       (overlays-in (point-min) (1+ (point-max))))
                           (lambda (a b) (< (overlay-start a) (overlay-start b)))))))`);

const pointOf = (view: View): Promise<unknown> =>
  view.evaluate(
    '(with-current-buffer (window-buffer (selected-window)) (format "%s:%d" (buffer-name) (line-number-at-pos)))',
  );

const untilPoint = (view: View, place: string): Promise<void> =>
  vi.waitFor(async () => expect(await pointOf(view)).toBe(place), { timeout: 5_000 });

/** Runs a command by its name, as a user does. */
const runCommand = (view: View, command: string): void => view.press(`\u001bx${command}\r`);

async function showsChanges(view: View): Promise<void> {
  const { stage } = view;
  stage.lay({ "tax.ts": "export const tax = 0.2;\n", "money.ts": "\n" });
  tellChange(view.stage, [
    { uri: "price.ts", kind: "update", added: 2, removed: 1, ranges: [lines(1, 1), lines(4, 4)] },
    { uri: "tax.ts", kind: "create", added: 1, ranges: [lines(1, 1)] },
    { uri: "gone.ts", kind: "delete", removed: 7 },
    { uri: "money.ts", oldUri: "coins.ts", kind: "rename" },
  ]);
  capture(view, "message", await view.shows("/price.ts +2 -1, ", "/tax.ts (new) +1 -0", "M-x multi-edit-undo"));
  expect(await marksOf(view)).toEqual(["1", "4"]);
  runCommand(view, "multi-edit-next-change");
  await untilPoint(view, "price.ts:4");
  runCommand(view, "multi-edit-next-change");
  await untilPoint(view, "tax.ts:1");
  capture(view, "jump", await view.shows("export const tax"));
  runCommand(view, "multi-edit-previous-change");
  await untilPoint(view, "price.ts:4");
  runCommand(view, "multi-edit-list-changes");
  const list = await view.shows("Changes by agents", "gone.ts: Claude Code");
  capture(view, "list", list);
  for (const line of [
    /^c\d+\/price\.ts:1: Claude Code \d\d:\d\d: \+2 -1 \| export const rate = 0\.19;$/m,
    /^c\d+\/price\.ts:4: Claude Code \d\d:\d\d \| return net \* \(1 \+ rate\);$/m,
    /^c\d+\/tax\.ts:1: Claude Code \d\d:\d\d: new \+1 -0$/m,
    /^c\d+\/gone\.ts: Claude Code \d\d:\d\d: deleted \+0 -7$/m,
    /^c\d+\/money\.ts:1: Claude Code \d\d:\d\d: was c\d+\/coins\.ts \+0 -0$/m,
  ])
    expect(list).toMatch(line);
  view.press("\u001bgn");
  await untilPoint(view, "price.ts:1");
  await view.settled();
  await view.evaluate('(progn (delete-other-windows) (kill-buffer "*multi-edit changes*") t)');
  runCommand(view, "multi-edit-clear-changes");
  await expect.poll(() => marksOf(view)).toEqual([]);
  runCommand(view, "multi-edit-next-change");
  await view.shows("No agent has changed anything");
}

/** A screen without the echo area, which may show an earlier test's message. */
const upToModeLine = (screen: string): string => screen.replace(/(?<=^-UU[^\n]*\n).*$/ms, "");

async function keepsMarks(view: View): Promise<void> {
  const { stage, press } = view;
  const nowhere = { start: lines(5, 5).start, end: lines(5, 5).start };
  tellChange(view.stage, [
    { uri: "price.ts", kind: "update", ranges: [lines(3, 3), nowhere] },
    { uri: "old.ts", kind: "update", ranges: [lines(1, 1)] },
  ]);
  await expect.poll(() => marksOf(view)).toEqual(["3", "5 removal"]);
  capture(view, "marks", upToModeLine(await view.shows("[text was removed here]")));
  // The marks move with the text.
  press("\u001b<above\r");
  await expect.poll(() => marksOf(view)).toEqual(["4", "6 removal"]);
  press("\u001bgg4\r");
  await untilPoint(view, "price.ts:4");
  expect(await marksOf(view)).toEqual(["4", "6 removal"]);
  press("\u001b<");
  await expect.poll(() => marksOf(view)).toEqual(["6 removal"]);
  await view.open(stage.path("old.ts"));
  expect(await marksOf(view, "old.ts")).toEqual(["1"]);
}

async function sumsUp(view: View): Promise<void> {
  const messages = async (): Promise<string[]> => {
    const all = await view.evaluate('(with-current-buffer "*Messages*" (buffer-string))');
    return String(all)
      .split("\n")
      .filter((line) => / changed .* [+]/.test(line));
  };
  // The five seconds of an earlier test's message must be over.
  await delay(5_100);
  const before = (await messages()).length;
  const update = (transaction: string, agent: string, uri: string) =>
    tellChange(view.stage, [{ uri, kind: "update", added: 1, removed: 2, ranges: [lines(1, 1)] }], {
      transaction,
      agent,
    });
  update("t1", "Claude Code", "price.ts");
  await view.shows("Claude Code changed ", "/price.ts +1 -2");
  update("t2", "Claude Code", "price.ts");
  update("t3", "Codex", "old.ts");
  update("t4", "Codex", "old.ts");
  await delay(1_000);
  expect(await messages()).toHaveLength(before + 1);
  await view.shows("Claude Code and Codex changed 2 files +3 -6, in 3 calls");
  expect(await messages()).toHaveLength(before + 2);
}

async function showsOddNames(view: View): Promise<void> {
  const { stage } = view;
  // eglot itself takes an encoded line feed for a space; the server refuses such names.
  const { "a%0Ab.ts": _, ...odd } = oddNames;
  const existing = Object.keys(odd).filter((name) => !name.includes("%00"));
  stage.lay(Object.fromEntries(existing.map((name) => [decodeURIComponent(name), "a\n"])));
  const agent = "one\ntwo\0three";
  // The last one is not UTF-8.
  const all = [...Object.keys(odd), "a%FFb.ts"].map((uri) => ({ uri, kind: "update", ranges: [lines(1, 1)] }));
  tellChange(stage, [...all, { uri: "gone.ts", kind: "delete" }], { agent });
  await expect.poll(() => view.evaluate("(length multi-edit-view--changes)")).toBe(all.length + 1);
  runCommand(view, "multi-edit-list-changes");
  await view.shows("Changes by agents", ": one␊two␀three");
  const inList = (form: string) => view.evaluate(`(with-current-buffer "*multi-edit changes*" ${form})`);
  const list = String(await inList(withoutBytes));
  for (const shown of Object.values(odd))
    expect(list).toMatch(new RegExp(`^c\\d+/${escaped(shown)}(?::1)?: one␊two␀three \\d\\d:\\d\\d: \\+0 -0`, "m"));
  // Only names that exist as they are shown are links.
  const isLink = (start: string) =>
    inList(`(progn (font-lock-ensure) (goto-char (point-min)) (search-forward "${start}")
    (and (get-text-property (pos-bol) 'compilation-message) t))`);
  expect([await isLink("[a].ts"), await isLink("a␛b.ts"), await isLink("gone.ts")]).toEqual([true, null, null]);
  await view.evaluate('(progn (delete-other-windows) (kill-buffer "*multi-edit changes*") t)');
  for (const name of existing) {
    runCommand(view, "multi-edit-next-change");
    await untilPoint(view, `${decodeURIComponent(name)}:1`);
  }
  await view.open(stage.path("price.ts"));
  for (const [name, shown] of Object.entries(odd)) {
    const { answer } = askAbout(stage, name, { agent, label: agent });
    await view.shows("one␊two␀three asks to apply: one two␀three", `/${shown} +237 -0`);
    runCommand(view, "multi-edit-apply-proposal");
    expect((await answer).result).toEqual({ answer: "apply" });
  }
}

/** The text of the current buffer, without bytes that are not text: JSON has no form for them. */
const withoutBytes =
  "(concat (seq-filter (lambda (char) (< char #x3fff80)) (buffer-substring-no-properties (point-min) (point-max))))";

const escaped = (text: string): string => text.replace(/[[\]|.*+?^$(){}\\]/g, "\\$&");

async function forgetsUndone(view: View): Promise<void> {
  const file = { uri: "price.ts", kind: "update", added: 1, removed: 1, ranges: [lines(1, 1)] };
  tellChange(view.stage, [file], { transaction: "t8" });
  tellChange(view.stage, [{ ...file, ranges: [lines(3, 3)] }], { transaction: "t9" });
  await expect.poll(() => marksOf(view)).toEqual(["1", "3"]);
  tellChange(view.stage, [file], { transaction: "t8", kind: "undone", agent: undefined });
  await expect.poll(() => marksOf(view)).toEqual(["3"]);
}

const ask = ({ stage }: View, more?: object): Question => askAbout(stage, "price.ts", more);

async function readsToTheEnd(view: View): Promise<void> {
  const before = await buffersOf(view);
  const { answer } = ask(view);
  const shown = await view.shows("Claude Code asks to change 1 file (+237 -0): M-x multi-edit-question", "+line 1");
  capture(view, "question", shown);
  // The selected window is still that of the file.
  expect(await pointOf(view)).toBe("price.ts:1");
  runCommand(view, "multi-edit-question");
  await untilPoint(view, "*multi-edit question*:1");
  view.press("\u0016");
  await view.shows("+line 20");
  view.press("\u001b>");
  await view.shows("+line 237");
  view.press("\u0003\u0003");
  expect((await answer).result).toEqual({ answer: "apply" });
  await leftNothing(view, before);
}

async function leftNothing(view: View, buffers: unknown): Promise<void> {
  await vi.waitFor(async () => expect(await buffersOf(view)).toEqual(buffers), { timeout: 5_000 });
  await untilPoint(view, "price.ts:1");
  expect(await view.evaluate("(length (window-list))")).toBe(1);
}

async function rejects(view: View): Promise<void> {
  const before = await buffersOf(view);
  const { answer } = ask(view);
  await view.shows("+line 1");
  runCommand(view, "multi-edit-question");
  await untilPoint(view, "*multi-edit question*:1");
  view.press("\u0003\u000b");
  await view.shows("Reason for the agent");
  view.press("use cents, not floats");
  capture(view, "reject", await view.shows("use cents, not floats"));
  view.press("\r");
  expect((await answer).result).toEqual({ answer: "reject", reason: "use cents, not floats" });
  await leftNothing(view, before);
}

/** Asks while keys are typed; none may be lost, and none may answer. */
async function typesOn(view: View, text: string): Promise<Question> {
  const asked = ask(view);
  for (const key of text) {
    view.press(key);
    await delay(40);
  }
  await view.settled();
  expect(asked.isAnswered()).toBe(false);
  return asked;
}

const rejectByHand = async (view: View, { answer }: Question): Promise<void> => {
  await view.shows("+line 1");
  runCommand(view, "multi-edit-reject-proposal");
  await view.shows("Reason for the agent");
  view.press("\r");
  expect((await answer).result).toEqual({ answer: "reject" });
};

async function typesText(view: View): Promise<void> {
  const typed = "y n a r q Apply Reject 1 2 3";
  const asked = await typesOn(view, typed);
  expect((await view.stage.held())["price.ts"]).toBe(`${typed}${price}`);
  expect(await pointOf(view)).toBe("price.ts:1");
  await rejectByHand(view, asked);
}

async function typesInMinibuffer(view: View): Promise<void> {
  view.press("\u001b:");
  await view.shows("Eval:");
  const asked = await typesOn(view, '(insert "y a r q Apply")');
  // Not even if the person pauses: the window opens once the minibuffer is left.
  await delay(1_500);
  expect(await view.evaluate('(null (get-buffer "*multi-edit question*"))')).toBe(true);
  view.press("\r");
  await expect.poll(async () => (await view.stage.held())["price.ts"]).toBe(`y a r q Apply${price}`);
  await rejectByHand(view, asked);
}

async function withdraws(view: View): Promise<void> {
  const before = await buffersOf(view);
  const question = ask(view);
  await view.shows("+line 1");
  withdraw(view.stage, question);
  expect((await question.answer).error).toMatchObject({ code: -32800 });
  await view.shows("The question of Claude Code about 1 file (+237 -0) was withdrawn. Nothing was changed.");
  await leftNothing(view, before);
  runCommand(view, "multi-edit-apply-proposal");
  await view.shows("No agent is asking");
}

async function asksInTurn(view: View): Promise<void> {
  const before = await buffersOf(view);
  const [one, two, three] = ["first", "second", "third"].map((agent) => ask(view, { agent })) as [
    Question,
    Question,
    Question,
  ];
  await view.shows("first asks to apply", "2 more waiting");
  withdraw(view.stage, two);
  expect((await two.answer).error).toMatchObject({ code: -32800 });
  runCommand(view, "multi-edit-apply-proposal");
  expect((await one.answer).result).toEqual({ answer: "apply" });
  await view.shows("third asks to apply");
  runCommand(view, "multi-edit-apply-proposal");
  expect((await three.answer).result).toEqual({ answer: "apply" });
  await leftNothing(view, before);
}

async function expires(view: View): Promise<void> {
  const before = await buffersOf(view);
  // Withdrawn while the person writes the reason.
  const question = ask(view, { expiresInMs: 3_000 });
  await view.shows("+line 1");
  runCommand(view, "multi-edit-question");
  await untilPoint(view, "*multi-edit question*:1");
  view.press("\u0003\u000b");
  await view.shows("Reason for the agent");
  view.press("too l");
  await delay(3_000);
  withdraw(view.stage, question);
  expect((await question.answer).error).toMatchObject({ code: -32800 });
  const shown = await view.shows("has expired. Nothing was changed.");
  capture(view, "expired", shown);
  view.press(`ate${keys.enter}`);
  await leftNothing(view, before);
}
