/** A real Emacs and a file that another program changes: what stays in its place, and a conflict that is merged by hand. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type EmacsDriver, type EmacsKind, eglot, lspMode } from "./emacs.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Emacs on a stage. */
type View = EmacsDriver & { readonly stage: Stage };

const missing = absence(eglot);
if (missing === undefined) for (const kind of [eglot, lspMode]) describe(kind.name, () => scenes(kind));
else
  it("has no Emacs", () => {
    const leftOut = `left out: files that change on disk under a real Emacs; ${missing}`;
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
    console.log(leftOut);
  });

function scenes(kind: EmacsKind): void {
  let session: Session;
  beforeAll(async () => {
    session = await startSession(kind);
  });
  afterAll(() => session?.stop());
  const inEmacs = (run: (view: View) => Promise<void>) => () =>
    // The editor that an `EmacsKind` starts has this type.
    onStage(session, (stage) => run({ ...(session.driver as EmacsDriver), stage }));
  it("keeps point, markers, overlays and what each window shows of a buffer that it loads again", inEmacs(keepsPlaces));
  it("keeps them of a buffer with unsaved text, too, into which the change is merged", inEmacs(keepsPlacesInMerge));
  it("keeps lines of point and windows, too, if a formatter has changed thousands of lines", inEmacs(keepsLines));
  it("shows both texts of a conflict, and merges them change by change", inEmacs(mergesByHand));
}

const lines = Array.from({ length: 60 }, (_, i) => `line ${i + 1}`);
const before = `${lines.join("\n")}\n`;
const change = (text: string): string =>
  `new\nnew too\n${text.replace("line 10\n", "line ten\n").replace("line 30\n", "")}`;

/** Evaluates Lisp in the buffer of a file. */
const inFile = ({ evaluate, stage }: View, form: string): Promise<unknown> =>
  evaluate(`(with-current-buffer (find-buffer-visiting "${stage.path("a.txt")}") ${form})`);

/** Opens the file and waits until the server has compared it. */
async function open({ stage }: View, text: string): Promise<void> {
  stage.lay({ "a.txt": text });
  await stage.open("a.txt");
  await stage.wire.read(stage.path("a.txt"));
}

/** Shows the file in two windows, with a place of its own for each thing that can move. */
const laysPlaces = `
  (let ((at (lambda (line) (goto-char (point-min)) (search-forward (concat line "\\n")) (line-beginning-position 0))))
    (delete-other-windows)
    (switch-to-buffer (current-buffer))
    (let ((other (split-window)))
      (set-window-start other (funcall at "line 4"))
      (set-window-point other (funcall at "line 6")))
    (set-window-start nil (funcall at "line 25"))
    (setq-local test-marker (copy-marker (+ 3 (funcall at "line 50"))))
    (setq-local test-overlay (make-overlay (funcall at "line 20") (1- (funcall at "line 24"))))
    (push-mark (funcall at "line 40") t)
    (goto-char (+ 2 (funcall at "line 28")))
    (set-window-point nil (point))
    t)`;

/** The text before and after each place in its line. */
const places = `
  (let* ((around (lambda (place)
                   (save-excursion
                     (goto-char place)
                     (concat (buffer-substring (line-beginning-position) place) "|"
                             (buffer-substring place (line-end-position))))))
         (window (selected-window))
         (other (next-window)))
    (vconcat (mapcar around (list (point) (mark t) test-marker (overlay-start test-overlay) (overlay-end test-overlay)
                                  (window-start window) (window-point window)
                                  (window-start other) (window-point other)))))`;

const kept = [
  ...["li|ne 28", "|line 40", "lin|e 50", "|line 20", "line 23|"],
  ...["|line 25", "li|ne 28", "|line 4", "|line 6"],
];

/** What the places are, as a person sees them: after Emacs has drawn its windows. */
async function placesOf(view: View): Promise<unknown> {
  await view.settled();
  await inFile(view, "(redisplay t)");
  return inFile(view, places);
}

async function keepsPlaces(view: View): Promise<void> {
  const { stage } = view;
  await open(view, before);
  await inFile(view, laysPlaces);
  expect(await placesOf(view)).toEqual(kept);
  stage.lay({ "a.txt": change(before) });
  await expect.poll(async () => (await stage.held())["a.txt"]).toBe(change(before));
  expect(await placesOf(view)).toEqual(kept);
  expect(await stage.driver.held(stage.path("a.txt"))).toMatchObject({ modified: false });
  await stage.driver.undo(stage.path("a.txt"));
  expect((await stage.held())["a.txt"]).toBe(before);
}

async function keepsPlacesInMerge(view: View): Promise<void> {
  const { stage } = view;
  const typed = `${before}typed\n`;
  await open(view, before);
  await inFile(view, `(progn (goto-char (point-max)) (insert "typed\\n") t)`);
  await stage.synced("a.txt");
  await inFile(view, laysPlaces);
  expect(await placesOf(view)).toEqual(kept);
  stage.lay({ "a.txt": change(before) });
  await expect.poll(async () => (await stage.held())["a.txt"]).toBe(change(typed));
  expect(await placesOf(view)).toEqual(kept);
  expect(stage.disk()["a.txt"]).toBe(change(before));
}

async function keepsLines(view: View): Promise<void> {
  const { stage } = view;
  const text = Array.from({ length: 8_000 }, (_, i) => `    ${i + 1}: compute(${i * 7}, ${(i * 31) % 97})\n`).join("");
  const formatted = text.replaceAll(/^ {4}/gm, "\t");
  await open(view, text);
  const at = (line: number): string => `(progn (goto-char (point-min)) (forward-line ${line - 1}) (point))`;
  await inFile(
    view,
    `(progn (delete-other-windows)
            (switch-to-buffer (current-buffer))
            (let ((other (split-window)))
              (set-window-start other ${at(2_000)})
              (set-window-point other ${at(2_005)}))
            (set-window-start nil ${at(6_000)})
            (goto-char (+ 4 ${at(6_007)}))
            t)`,
  );
  await view.settled();
  stage.lay({ "a.txt": formatted });
  // To ask for the whole text again and again would keep Emacs from loading it.
  const size = formatted.length;
  await expect.poll(() => inFile(view, "(buffer-size)"), { timeout: 20_000, interval: 500 }).toBe(size);
  await stage.synced("a.txt");
  expect((await stage.held())["a.txt"] === formatted).toBe(true);
  await view.settled();
  await inFile(view, "(redisplay t)");
  const number = (place: string): string =>
    `(save-excursion (goto-char ${place}) (buffer-substring (line-beginning-position) (search-forward ":")))`;
  const [here, there] = ["nil", "(next-window)"];
  const seen = [
    `(window-start ${here})`,
    `(window-point ${here})`,
    `(window-start ${there})`,
    `(window-point ${there})`,
  ];
  expect(await inFile(view, `(vector ${["(point)", ...seen].map(number).join(" ")})`)).toEqual([
    ...["\t6007:", "\t6000:", "\t6007:", "\t2000:", "\t2005:"],
  ]);
}

/** Presses keys in the window that has them, and waits until Emacs has obeyed. */
async function press(view: View, typed: string): Promise<void> {
  view.press(typed);
  await view.settled();
}

async function mergesByHand(view: View): Promise<void> {
  const { stage, shows } = view;
  const mine = before.replace("line 2\n", "my 2\n").replace("line 8\n", "my 8\n");
  const theirs = before
    .replace("line 2\n", "their 2\n")
    .replace("line 8\n", "their 8\n")
    .replace("line 14\n", "their 14\n");
  const merged = theirs.replace("their 8", "my 8");
  await open(view, before);
  await stage.retype("a.txt", mine);
  stage.lay({ "a.txt": theirs });
  await shows("not merged, you and the disk changed lines 2, 8.", "edit-merge shows both.");
  expect((await stage.held())["a.txt"]).toBe(mine);

  view.press("\u001bxmulti-edit-merge\r");
  await shows("on disk: a.txt", "their 2", "my 2", "At start of 3 diffs");
  // The first change and the third one come from the disk, the second one stays.
  await press(view, "na");
  await shows("diff 1 of 3");
  await press(view, "nna");
  await shows("diff 3 of 3");
  view.press("q");
  await shows("Quit this Ediff session? (y or n)");
  await press(view, "y");
  await expect.poll(async () => (await stage.held())["a.txt"]).toBe(merged);
  expect(stage.disk()["a.txt"]).toBe(theirs);
  expect(
    await view.evaluate(`(vconcat (seq-filter (lambda (name) (string-search "on disk: " name))
                                                   (mapcar #'buffer-name (buffer-list))))`),
  ).toEqual([]);

  // The text on disk that was merged is the base now: the next one has no conflict, and a save asks nothing.
  await stage.synced("a.txt");
  await view.stage.wire.until("what is merged", () =>
    stage.wire.messages.find(({ message }) => message.method === "multiEdit/didMerge"),
  );
  // The server reads the file to know which text was merged, before it answers this.
  await stage.wire.read(stage.path("a.txt"));
  stage.lay({ "a.txt": theirs.replace("line 5\n", "their 5\n") });
  await expect.poll(async () => (await stage.held())["a.txt"]).toBe(merged.replace("line 5\n", "their 5\n"));
  await shows("a.txt", "changed on disk: merged into your unsaved text.");
  await stage.driver.save(stage.path("a.txt"));
  expect(stage.disk()["a.txt"]).toBe(merged.replace("line 5\n", "their 5\n"));
  expect(await stage.driver.held(stage.path("a.txt"))).toMatchObject({ modified: false });
}
