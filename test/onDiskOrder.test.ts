/** What the base of a merge is, and what happens if the user or another program writes while a merge is made. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { judgeDisk } from "../server/lsp/onDisk/judge.js";
import { createDocuments } from "../server/workspace/documents.js";
import { serverForDesks } from "./support/desk.js";
import { type LoadingDesk, loadingDesks } from "./support/loadingDesk.js";

const program = serverForDesks();
const start = loadingDesks(program);

const text = "one\ntwo\nthree\nfour\nfive\n";
const typed = text.replace("five", "typed five");
const sha256 = (bytes: string): string => createHash("sha256").update(bytes).digest("hex");

/** Brings a desk into a conflict: the user has written `my`, and the disk has `their`. */
async function inConflict(): Promise<LoadingDesk> {
  const desk = await start({ open: { "a.txt": text } });
  await desk.typeOver("a.txt", "two", "my");
  await desk.write("a.txt", text.replace("two", "their"));
  await expect.poll(desk.notices, { timeout: 5_000 }).toHaveLength(1);
  return desk;
}

describe("after a conflict", () => {
  it("the base stays as it was, so that the next text on disk conflicts, too", async () => {
    const desk = await inConflict();
    await desk.write("a.txt", text.replace("two", "their").replace("four", "4"));
    await expect.poll(desk.notices, { timeout: 5_000 }).toHaveLength(2);
    expect(desk.texts()["a.txt"]).toBe(text.replace("two", "my"));
  });

  it.each([
    ["that is on disk", text.replace("two", "their"), text.replace("two", "my").replace("four", "4")],
    ["that is no longer on disk", "another\n", text.replace("two", "my")],
  ])("that the user has merged by hand with a text %s, the base is that text", async (_, seen, after) => {
    const desk = await inConflict();
    await desk.editor.notify("multiEdit/didMerge", { uri: desk.uri("a.txt"), hash: sha256(seen) });
    await delay(600);
    await desk.write("a.txt", text.replace("two", "their").replace("four", "4"));
    await delay(900);
    expect(desk.texts()["a.txt"]).toBe(after);
  });
});

describe("a merge", () => {
  it("during which another program writes the file: only the last text is treated as read", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeBefore("a.txt", "five", "typed ");
    const last = text.replace("two", "TWO").replace("three", "3");
    let edits = 0;
    desk.editor.beforeEdits(() => edits++ === 0 && writeFileSync(join(desk.root, "a.txt"), last));
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => desk.adopted.length, { timeout: 5_000 }).toBeGreaterThan(0);
    expect(desk.adopted.map(({ hash }) => hash)).toEqual([sha256(last)]);
    expect(desk.texts()["a.txt"]).toBe(typed.replace("two", "TWO").replace("three", "3"));
  });

  it("during which the user types is made again until it fits", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeBefore("a.txt", "five", "typed ");
    let edits = 0;
    desk.editor.beforeEdits(() => (edits++ < 9 ? desk.typeBefore("a.txt", "five", "x") : undefined));
    await desk.write("a.txt", text.replace("two", "TWO"));
    const merged = `one\nTWO\nthree\nfour\ntyped ${"x".repeat(9)}five\n`;
    await expect.poll(() => desk.texts()["a.txt"], { timeout: 8_000 }).toBe(merged);
  });
});

describe("the lines that an agent reads of a merge", () => {
  it("are there once the merge that is under way has ended", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeBefore("a.txt", "five", "typed ");
    let goOn = (): void => undefined;
    desk.editor.beforeEdits(() => new Promise<void>((resolve) => (goOn = resolve)));
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => desk.editor.asked.length).toBe(1);
    const reading = desk.read({ path: "a.txt" });
    await delay(100);
    goOn();
    expect(await reading).toMatchObject({ text: typed.replace("two", "TWO"), mergedFromDisk: [{ startLine: 2 }] });
  });

  it("are those that have the change by now", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeBefore("a.txt", "five", "typed ");
    await desk.write("a.txt", text.replace("two", "TWO\nmore"));
    await expect.poll(() => desk.adopted.length, { timeout: 5_000 }).toBe(1);
    const lines = { startLine: 2, endLine: 3 };
    expect(await desk.read({ path: "a.txt" })).toMatchObject({ mergedFromDisk: [lines] });
    const merged = desk.texts()["a.txt"]!;
    await desk.typeBefore("a.txt", "one", "new\nlines\n");
    const moved = { startLine: 4, endLine: 5 };
    expect(await desk.read({ path: "a.txt" })).toMatchObject({ mergedFromDisk: [moved] });
    await desk.typeOver("a.txt", `new\nlines\n${merged}`, typed);
    expect(await desk.read({ path: "a.txt" })).not.toHaveProperty("mergedFromDisk");
  });
});

describe("the base", () => {
  it("is still known if the editor closes and opens a document with unsaved text", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.editor.close(desk.uri("a.txt"));
    await desk.editor.open({ uri: desk.uri("a.txt"), text: typed });
    await delay(300);
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => desk.texts()["a.txt"], { timeout: 5_000 }).toBe(typed.replace("two", "TWO"));
  });
});

describe("a file with other line endings than the editor syncs", () => {
  const disk = text.replace("two", "TWO");
  const habits = { syncsLf: true, endsLastLine: true };

  function judged(editor: string) {
    const documents = createDocuments();
    documents.open("file:///a", 1, editor, { loneCrEndsLine: false });
    const read = { kind: "text", text: disk.replaceAll("\n", "\r\n"), bom: false, encoding: "utf-8", size: 1 } as const;
    return judgeDisk(documents.get("file:///a")!, text, read, habits);
  }

  it("is loaded and merged with the editor's", () => {
    expect(judged(text)).toEqual({ kind: "clean", disk });
    const merged = judged(typed);
    expect(merged).toMatchObject({ kind: "merged", disk });
    expect(merged.kind === "merged" && merged.change.apply(typed)).toBe(typed.replace("two", "TWO"));
  });
});
