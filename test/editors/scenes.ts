/** Scenes that every real editor goes through; each compares the user's final texts with the expected ones. */
import { expect } from "vitest";
import { batch, patchOf } from "../support/desk.js";
import type { Traits } from "./editor.js";
import { difference } from "./pages.js";
import { type Door, type Stage, type Texts, type Told, textsAfter } from "./stage.js";

/** A row of the table. */
export interface Scene {
  /** The scene's name in the table. */
  readonly name: string;
  /** The doors to try if the editor has them; default: all. */
  readonly doors?: readonly Door[];
  /** Set if the scene needs a freshly started editor. */
  readonly isFresh?: true;
  /** Set if the scene takes too long for a slow editor. */
  readonly isLong?: true;
  /** Runs the scene on a stage of its own; throws if something is wrong, and returns the outcome in a few words. */
  run(stage: Stage, door: Door, traits: Traits): Promise<string>;
}

/** The text in the table for a call that was carried out in full. */
export const done = "done";
/** The text in the table for a call that changed nothing in the end and whose answer says so. */
export const nothing = "nothing changed";

/** Scenes that involve only texts and answers. */
export const scenes: readonly Scene[] = [
  {
    name: "unsaved text",
    run: async (stage, door, traits) => {
      stage.lay({ "a.txt": "saved\nsecond\n" });
      await stage.open("a.txt");
      await stage.retype("a.txt", "typed just now\nsecond\n");
      await applied(stage, door, batch(["a.txt", "just now", "before"], ["a.txt", "second", "2nd"]));
      await expectTexts(stage, { "a.txt": "typed before\n2nd\n" }, traits);
      expect(stage.disk()).toEqual({ "a.txt": "saved\nsecond\n" });
      return done;
    },
  },
  {
    name: "CRLF, with new lines",
    run: (stage, door, traits) =>
      saved(stage, door, traits, {
        before: "one\r\ntwo\r\nthree\r\n",
        edits: [
          ["two", "2\n2a\n2b"],
          ["three\n", "3\n4\n"],
        ],
        after: "one\r\n2\r\n2a\r\n2b\r\n3\r\n4\r\n",
      }),
  },
  {
    name: "byte order mark",
    run: (stage, door, traits) =>
      saved(stage, door, traits, {
        before: "\ufefffirst 😀\nlast\n",
        edits: [
          ["first", "1st"],
          ["last", "the last"],
        ],
        after: "\ufeff1st 😀\nthe last\n",
      }),
  },
  {
    name: "no final newline",
    run: async (stage, door, traits) => {
      stage.lay({ "a.txt": "first\nlast", "b.txt": "first\nlast", "c.txt": "first\nlast\n" });
      await stage.open("a.txt", "b.txt", "c.txt");
      const edits = batch(["a.txt", "first", "1st"], ["b.txt", "last", "end 😀"], ["c.txt", "last\n", "end"]);
      await applied(stage, door, edits);
      await expectTexts(stage, { "a.txt": "1st\nlast", "b.txt": "first\nend 😀", "c.txt": "first\nend\n" }, traits);
      return done;
    },
  },
  {
    name: "lone CR and other odd line endings",
    run: async (stage, door, traits) => {
      const text = "a\rb 😀 c\u2028d\u000be\nnext\n";
      stage.lay({ "a.txt": text });
      await stage.open("a.txt");
      await applied(stage, door, batch(["a.txt", "😀 c", "😀😀 C"], ["a.txt", "next", "after"]));
      const wanted = "a\rb 😀😀 C\u2028d\u000be\nafter\n";
      if (traits.makesLineEndingsAlike !== true) {
        await expectTexts(stage, { "a.txt": wanted }, traits);
        return done;
      }
      await expectTexts(stage, { "a.txt": wanted.replace("\r", "\n") }, traits);
      return `${done}; on opening, the editor itself makes a line ending of the CR`;
    },
  },
  {
    name: "500 edits in one file",
    run: async (stage, door, traits) => {
      const lines = (word: string): string =>
        Array.from({ length: 500 }, (_, i) => `${word} ${i};\nkept 😀\n`).join("");
      stage.lay({ "a.txt": lines("old") });
      await stage.open("a.txt");
      const edits = Array.from({ length: 500 }, (_, i) => ["a.txt", `old ${i};`, `new ${i};`] as const);
      await applied(stage, door, batch(...edits));
      await expectTexts(stage, { "a.txt": lines("new") }, traits);
      return done;
    },
  },
  {
    name: "an edit in one of three files fails",
    run: async (stage, door, traits) => {
      stage.lay({ "a.txt": "old\n", "b.txt": "old\n", "c.txt": "old\n" });
      await stage.open("a.txt", "b.txt", "c.txt");
      const edits = batch(["a.txt", "old", "new"], ["b.txt", "nowhere", "new"], ["c.txt", "old", "new"]);
      return changedNothing(stage, traits, () => stage.apply(door, edits), ["noMatch"]);
    },
  },
  {
    name: "undo by the editor's key: one step per file",
    isFresh: true,
    run: async (stage, door, traits) => {
      stage.lay({ "a.txt": "1\n2\n3\n4\n", "b.txt": "1\n2\n3\n4\n" });
      await stage.open("a.txt", "b.txt");
      await stage.retype("a.txt", "typed\n1\n2\n3\n4\n");
      const before = await stage.texts();
      const edits = ["a.txt", "b.txt"].flatMap((path) =>
        ["1", "3", "4"].map((line) => [path, line, `${line}${line}\nmore`] as const),
      );
      await applied(stage, door, batch(...edits));
      const line = (text: string): string => `${text}${text}\nmore\n`;
      const after = `${line("1")}2\n${line("3")}${line("4")}`;
      await expectTexts(stage, { "a.txt": `typed\n${after}`, "b.txt": after }, traits);
      await stage.driver.undo(stage.path("a.txt"));
      await stage.driver.undo(stage.path("b.txt"));
      await expectTexts(stage, before, traits);
      return done;
    },
  },
  {
    name: "files created, renamed and deleted, open and closed",
    isFresh: true,
    run: async (stage, door, traits) => {
      stage.lay({ "open.txt": "one\nold\n", "same.txt": "same\n", "shown.txt": "shown\n", "shut.txt": "shut\nold\n" });
      stage.lay({ "moved.txt": "moved\n", "gone.txt": "gone\n", "dir/": "" });
      await stage.open("open.txt", "same.txt", "shown.txt");
      const told = await applied(stage, door, everyOperation);
      const texts = {
        "dir/open.txt": "one\nnew\n",
        "dir/same.txt": "same\n",
        "shut.txt": "shut\nnew\n",
        "dir/moved.txt": "moved\n",
        "new/made.txt": "first 😀\nsecond\n",
      };
      expect(difference(texts, await textsAfter(stage, told), traits)).toBeUndefined();
      return "shown.txt" in (await stage.held()) ? "done; a deleted file stays open, and the answer says so" : done;
    },
  },
  {
    name: "renaming and deleting files with unsaved changes",
    isFresh: true,
    run: async (stage, door, traits) => {
      stage.lay({ "a.txt": "one\nold\n", "b.txt": "saved\n" });
      await stage.open("a.txt", "b.txt");
      await stage.retype("b.txt", "typed\n");
      const patch = patchOf("*** Delete File: b.txt", "*** Update File: a.txt", "@@", "-old", "+new");
      return changedNothing(stage, traits, () => stage.apply(door, patch), ["dirty"]);
    },
  },
];

const everyOperation = patchOf(
  ...["*** Update File: open.txt", "*** Move to: dir/open.txt", "@@", "-old", "+new"],
  ...["*** Update File: same.txt", "*** Move to: dir/same.txt"],
  ...["*** Delete File: shown.txt"],
  ...["*** Update File: shut.txt", "@@", "-old", "+new"],
  ...["*** Update File: moved.txt", "*** Move to: dir/moved.txt"],
  ...["*** Delete File: gone.txt"],
  ...["*** Add File: new/made.txt", "+first 😀", "+second"],
);

/** Has a call applied and checks that the answer says so. */
export async function applied(stage: Stage, door: Door, call: unknown): Promise<Told> {
  const told = await stage.apply(door, call);
  expect(told, told.text).toMatchObject({ outcome: "applied" });
  return told;
}

/** Compares the user's texts byte for byte, but allows for the final newline that some editors add to every text. */
export async function expectTexts(
  stage: Stage,
  wanted: Texts,
  traits: Pick<Traits, "restoresFinalNewline">,
): Promise<void> {
  const problem = difference(wanted, await stage.texts(), traits);
  expect(problem, problem).toBeUndefined();
}

/** Checks that a call fails and leaves everything unchanged. */
export async function changedNothing(
  stage: Stage,
  traits: Traits,
  call: () => Promise<Told>,
  codes: readonly string[],
): Promise<string> {
  const [before, disk] = [await stage.texts(), stage.disk()];
  const told = await call();
  expect(told.outcome, told.text).toBe("failed");
  // The sample's user gets only the text of the answer, without codes.
  if (told.answer !== undefined) expect(told.codes).toEqual(codes);
  await expectTexts(stage, before, { ...traits, restoresFinalNewline: false });
  expect(stage.disk()).toEqual(disk);
  return nothing;
}

interface Saved {
  readonly before: string;
  readonly edits: readonly (readonly [oldText: string, newText: string])[];
  readonly after: string;
}

/**
 * Edits an open file and saves it; `after` is the text expected in the editor before saving and in the file after
 * saving.
 */
async function saved(stage: Stage, door: Door, traits: Traits, { before, edits, after }: Saved): Promise<string> {
  stage.lay({ "a.txt": before });
  await stage.open("a.txt");
  await applied(stage, door, batch(...edits.map(([oldText, newText]) => ["a.txt", oldText, newText] as const)));
  await expectTexts(stage, { "a.txt": after }, traits);
  await stage.driver.save(stage.path("a.txt"));
  await stage.wire.until("the saved file", () => (stage.disk()["a.txt"] === after ? true : undefined));
  return done;
}
