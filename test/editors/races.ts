/** Scenes in which the user types, or the editor refuses an edit, while the server has the editor apply a batch. */
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { batch } from "../support/desk.js";
import type { Traits } from "./editor.js";
import { applied, changedNothing, done, expectTexts, type Scene } from "./scenes.js";
import type { Door, Stage, Told } from "./stage.js";
import type { Packet } from "./tapProtocol.js";
import { pathOf } from "./wire.js";

const three = { "a.txt": "first\nold a\n", "b.txt": "first\nold b\n", "c.txt": "first\nold c\n" };
const threeEdits = batch(["a.txt", "old a", "new a"], ["b.txt", "old b", "new b"], ["c.txt", "old c", "new c"]);

/** Only agents send calls in these scenes, because a user who sends a call can't type at the same time. */
export const races: readonly Scene[] = [
  {
    name: "the user types into the second of three files before its edit arrives",
    doors: ["agent"],
    run: async (stage, _door, traits) => {
      const told = await withThree(stage, () => stage.type("b.txt", "first", "typed "));
      expect(told, told.text).toMatchObject({ outcome: "applied" });
      const texts = { "a.txt": "first\nnew a\n", "b.txt": "typed first\nnew b\n", "c.txt": "first\nnew c\n" };
      await expectTexts(stage, texts, traits);
      return "matched again, done";
    },
  },
  {
    name: "the user changes the old text in the second of three files before its edit arrives",
    doors: ["agent"],
    run: async (stage, _door, traits) => {
      const told = await withThree(stage, () => stage.type("b.txt", "ld b", "x"));
      expect([told.outcome, told.codes], told.text).toEqual(["failed", ["contentModified"]]);
      await expectTexts(stage, { ...three, "b.txt": "first\noxld b\n" }, traits);
      return "rolled back, nothing changed";
    },
  },
  {
    name: "the editor refuses the edit to the second file",
    doors: ["agent"],
    run: async (stage, _door, traits) => {
      stage.lay(three);
      await stage.open("a.txt", "b.txt", "c.txt");
      const { lock } = stage.driver;
      if (lock !== undefined) await lock(stage.path("b.txt"));
      // If the editor cannot lock a document, the tap refuses the edit.
      else refuse(stage, "b.txt");
      const outcome = await changedNothing(stage, traits, () => stage.apply("agent", threeEdits), ["clientRefused"]);
      return `rolled back, ${outcome}`;
    },
  },
  { ...typing({ keysPerSecond: 20, batches: 200 }), isLong: true },
];

interface Typing {
  readonly keysPerSecond: number;
  readonly batches: number;
  /**
   * Set if the agent sends a call that was refused as `contentModified` again only when the user pauses: an editor may check each
   * edit against its text so late that a key always comes before it.
   */
  readonly sendsLater?: true;
}

/** A scene in which the user types at this speed during this number of batches; `EDITOR_TYPING` is another number. */
export function typing(options: Typing): Scene {
  const batches = Number(process.env.EDITOR_TYPING ?? options.batches);
  return {
    name: `${options.keysPerSecond} keys per second during ${options.batches} batches`,
    doors: ["agent"],
    isFresh: true,
    run: (stage, door, traits) => typeThrough(stage, door, traits, { ...options, batches }),
  };
}

/** Applies a call that edits three open files; calls `meanwhile` before the edit to `b.txt` reaches the editor. */
async function withThree(stage: Stage, meanwhile: () => Promise<void>): Promise<Told> {
  stage.lay(three);
  await stage.open("a.txt", "b.txt", "c.txt");
  let isDone = false;
  const problems: unknown[] = [];
  stage.wire.gate(["workspace/applyEdit"], ({ message, release }) => {
    if (isDone || !hasEditTo(message, stage.path("b.txt"))) return release();
    isDone = true;
    void meanwhile()
      .catch((error: unknown) => problems.push(error))
      .finally(() => release());
  });
  const told = await stage.apply("agent", threeEdits);
  stage.wire.ungate();
  expect(problems).toEqual([]);
  expect(isDone).toBe(true);
  return told;
}

function refuse(stage: Stage, path: string): void {
  stage.wire.gate(["workspace/applyEdit"], ({ message, release }) => {
    const isMeant = hasEditTo(message, stage.path(path));
    release(isMeant ? { applied: false, failureReason: "refused by the test" } : undefined);
  });
}

/** Some editors get the edits to all files in one request, others one request for each file. */
function hasEditTo({ params }: Packet, path: string): boolean {
  const changes: readonly { readonly textDocument?: { readonly uri: string } }[] = params.edit.documentChanges ?? [];
  return changes.some(({ textDocument }) => textDocument !== undefined && pathOf(textDocument.uri) === path);
}

/** Types at a mark while batches keep arriving above it, below it and in another file. */
async function typeThrough(
  stage: Stage,
  door: Door,
  traits: Traits,
  { keysPerSecond, batches, sendsLater }: Typing,
): Promise<string> {
  const mark = "|cursor|";
  const line = (name: string, i: number, word: string): string => `${name} line ${i} of ${word} text`;
  const lines = (name: string, word: string): string[] =>
    Array.from({ length: batches }, (_, i) => line(name, i, word));
  const half = Math.floor(batches / 2);
  const page = (name: string, word: string, typed: string): string => {
    const all = lines(name, word);
    return [...all.slice(0, half), `${typed}${mark}`, ...all.slice(half), "last", ""].join("\n");
  };
  stage.lay({ "a.txt": page("a", "old", ""), "b.txt": page("b", "old", "") });
  await stage.open("b.txt", "a.txt");
  await stage.driver.startTyping(stage.path("a.txt"), mark);
  let typed = "";
  const later: unknown[] = [];
  const typist = setInterval(() => {
    const key = String.fromCharCode(0x61 + (typed.length % 26));
    typed += key;
    stage.driver.key(key);
  }, 1_000 / keysPerSecond);
  try {
    for (let i = 0; i < batches; i++) {
      const edits = ["a", "b"].map(
        (name) => [`${name}.txt`, line(name, i, "old"), line(name, i, "new 😀\nnew")] as const,
      );
      const call = batch(...edits);
      if (!(await isApplied(stage, door, call, sendsLater ? 1 : 6))) later.push(call);
    }
    expect(sendsLater ? [] : later).toEqual([]);
    // Waits until at least 20 keys have been typed, even if the batches finish earlier.
    while (typed.length < 20) await delay(50);
  } finally {
    clearInterval(typist);
  }
  await stage.driver.stopTyping();
  for (const call of later) await applied(stage, door, call);
  await expectTexts(stage, { "a.txt": page("a", "new 😀\nnew", typed), "b.txt": page("b", "new 😀\nnew", "") }, traits);
  return done;
}

/** Acts as an agent would: sends a call that failed because the text to edit kept changing again, so many times in all. */
async function isApplied(stage: Stage, door: Door, call: unknown, most: number): Promise<boolean> {
  for (let tries = 0; tries < most; tries++) {
    const told = await stage.apply(door, call);
    if (told.outcome === "applied") return true;
    expect([told.outcome, told.codes], told.text).toEqual(["failed", ["contentModified"]]);
  }
  return false;
}
