/** Another program writes a file that the editor has open: its changes reach the editor, and nothing typed is lost. */
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { limits } from "../server/text/limits.js";
import { serverForDesks } from "./support/desk.js";
import { loadingDesks } from "./support/loadingDesk.js";

const program = serverForDesks();

const start = loadingDesks(program);

const text = "one\ntwo\nthree\nfour\nfive\n";

describe("a document without unsaved text", () => {
  it("is loaded again, and nobody is asked or told", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => desk.texts()["a.txt"]).toBe(text.replace("two", "TWO"));
    await delay(500);
    expect(desk.loaded).toEqual(["a.txt"]);
    expect(desk.notices()).toEqual([]);
    expect(desk.editor.asked).toEqual([]);
  });

  it("is loaded before an agent reads it", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.write("a.txt", "other\n");
    expect(await desk.read({ path: "a.txt" })).toMatchObject({ text: "other\n", onDisk: "same" });
  });

  it("that was loaded, and in which the user then types, has not changed under the user's text", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => desk.texts()["a.txt"]).toBe(text.replace("two", "TWO"));
    await desk.typeBefore("a.txt", "five", "typed ");
    const read = await desk.read({ path: "a.txt" });
    expect(read).toMatchObject({ onDisk: "differs" });
    expect(read).not.toHaveProperty("changedOnDisk");
  });

  it("is loaded again if its file stays empty, and kept if it stays away, with one message", async () => {
    const desk = await start({ open: { "a.txt": text, "b.txt": text } });
    await desk.write("a.txt", "");
    rmSync(join(desk.root, "b.txt"));
    await delay(1_000);
    expect(desk.loaded).toEqual([]);
    await expect.poll(() => desk.texts(), { timeout: 5_000 }).toEqual({ "a.txt": "", "b.txt": text });
    await expect.poll(desk.notices, { timeout: 5_000 }).toHaveLength(1);
    expect(desk.notices()[0]).toContain('"b.txt" is gone from the disk.');
  });

  it("that the editor does not load is changed by an edit", async () => {
    const desk = await start({ open: { "a.txt": text } }, { loads: false });
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => desk.texts()["a.txt"]).toBe(text.replace("two", "TWO"));
    await expect.poll(() => desk.adopted).toHaveLength(1);
  });

  it("that the user of such an editor has loaded, or has replaced, is known when the next one comes", async () => {
    const desk = await start({ open: { "a.txt": text } }, { knows: false });
    const stale = /^"a\.txt" changed on disk; the editor shows the old text\./;
    await desk.write("a.txt", "other\n");
    await expect.poll(desk.notices).toEqual([expect.stringMatching(stale)]);
    await desk.typeOver("a.txt", text, "other\n");
    await desk.write("a.txt", text);
    await expect.poll(desk.notices).toEqual([expect.stringMatching(stale), expect.stringMatching(stale)]);
    await desk.typeOver("a.txt", "other", "mine");
    await desk.save("a.txt");
    await expect.poll(desk.notices).toHaveLength(3);
    expect(desk.notices()[2]).toMatch(/^Your save of "a\.txt" has replaced what another program wrote/);
  });

  it("is left to an editor that does not know the notification, whose user is told after two seconds", async () => {
    const desk = await start({ open: { "a.txt": text } }, { knows: false });
    await desk.write("a.txt", "other\n");
    await expect.poll(desk.notices).toHaveLength(1);
    expect(desk.notices()[0]).toMatch(/^"a\.txt" changed on disk; the editor shows the old text\./);
    expect(desk.texts()["a.txt"]).toBe(text);
  });

  it("that such an editor loads by itself is not mentioned", async () => {
    const desk = await start({ open: { "a.txt": text } }, { knows: false });
    await desk.write("a.txt", "other\n");
    await delay(500);
    await desk.editor.type({ uri: desk.uri("a.txt"), from: 0, to: text.length, insert: "other\n" });
    await delay(3_000);
    expect(desk.notices()).toEqual([]);
  });

  it("gets only the last of several texts, also of a program that truncates the file first", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.write("a.txt", "");
    await delay(500);
    // At once: on a busy machine, a delay of 40 ms may take longer than a text must stand still.
    for (const written of ["half\n", "whole\ntext\n"]) writeFileSync(join(desk.root, "a.txt"), written);
    await expect.poll(() => desk.texts()["a.txt"]).toBe("whole\ntext\n");
    expect(desk.loaded).toEqual(["a.txt"]);
  });

  it("is not loaded if its file gets the same text again, or another time only", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.write("a.txt", text);
    await delay(600);
    expect(desk.loaded).toEqual([]);
  });
});

describe("a document with unsaved text", () => {
  it("is merged by one edit, and the editor treats the file as read", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeBefore("a.txt", "five", "typed ");
    await desk.write("a.txt", text.replace("two", "TWO"));
    const merged = text.replace("two", "TWO").replace("five", "typed five");
    await expect.poll(() => desk.texts()["a.txt"]).toBe(merged);
    await expect.poll(() => desk.adopted).toHaveLength(1);
    expect(desk.editor.asked).toHaveLength(1);
    expect(desk.loaded).toEqual([]);
    await expect
      .poll(desk.notices)
      .toEqual(['"a.txt" changed on disk: merged into your unsaved text. Undo takes it out.']);
    expect(desk.disk()["a.txt"]).toBe(text.replace("two", "TWO"));
  });

  it("has the file treated as read, too, if a program puts the same text there again, as git stash and pop do", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeBefore("a.txt", "five", "typed ");
    await desk.write("a.txt", text);
    await expect.poll(() => desk.adopted).toHaveLength(1);
    expect(desk.adopted[0]?.hash).toBe(createHash("sha256").update(text).digest("hex"));
    expect(desk.texts()["a.txt"]).toBe(text.replace("five", "typed five"));
    expect(desk.notices()).toEqual([]);
  });

  it("is merged before an agent reads it, and the answer says where", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeBefore("a.txt", "five", "typed ");
    await desk.write("a.txt", `new\n${text.replace("two", "TWO\nmore")}`);
    expect(await desk.read({ path: "a.txt" })).toMatchObject({
      text: "new\none\nTWO\nmore\nthree\nfour\ntyped five\n",
      onDisk: "differs",
      mergedFromDisk: [
        { startLine: 1, endLine: 1 },
        { startLine: 3, endLine: 4 },
      ],
    });
    await desk.save("a.txt");
    expect(await desk.read({ path: "a.txt" })).not.toHaveProperty("mergedFromDisk");
  });

  it("is merged with what was written since the last merge", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeBefore("a.txt", "five", "typed ");
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => desk.adopted).toHaveLength(1);
    await desk.write("a.txt", text.replace("two", "2"));
    await expect.poll(() => desk.texts()["a.txt"]).toBe(text.replace("two", "2").replace("five", "typed five"));
  });

  it("keeps its text where both sides have changed a line, and the user reads which", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeOver("a.txt", "two", "my");
    await desk.write("a.txt", text.replace("two", "their"));
    await expect.poll(desk.notices).toEqual(['"a.txt": not merged, you and the disk changed line 2.']);
    expect(desk.texts()["a.txt"]).toBe(text.replace("two", "my"));
    expect(desk.editor.asked).toEqual([]);
  });

  it("and a conflict: a save that replaces the other text says so, and the text is kept", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeOver("a.txt", "two", "my");
    await desk.write("a.txt", text.replace("two", "their"));
    await expect.poll(desk.notices).toHaveLength(1);
    await desk.save("a.txt");
    await expect.poll(desk.notices).toHaveLength(2);
    expect(desk.notices()[1]).toMatch(
      /^Your save of "a\.txt" has replaced what another program wrote, .* kept for 7 days: "/,
    );
  });

  it("loses what was merged if the user undoes it, and one message says what the next save does", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeBefore("a.txt", "five", "typed ");
    const typed = desk.texts()["a.txt"]!;
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => desk.adopted).toHaveLength(1);
    const merged = desk.texts()["a.txt"]!;
    await desk.editor.type({ uri: desk.uri("a.txt"), from: 0, to: merged.length, insert: typed });
    await expect
      .poll(desk.notices)
      .toContain('"a.txt": you have undone what was merged; your next save takes it out of the file.');
    expect(desk.texts()["a.txt"]).toBe(typed);
  });

  it("is never merged if the editor and the disk had no text in common since it was opened", async () => {
    const desk = await start({ open: { "a.txt": text }, files: { "a.txt": "one\ntwo\n" } }, { loads: false });
    await desk.write("a.txt", "one\nTWO\n");
    await expect.poll(desk.notices).toHaveLength(1);
    expect(desk.texts()["a.txt"]).toBe(text);
  });

  it("is kept if the file becomes empty, or is removed", async () => {
    const desk = await start({ open: { "a.txt": text, "b.txt": text } });
    await desk.typeBefore("a.txt", "two", "my ");
    await desk.typeBefore("b.txt", "two", "my ");
    await desk.write("a.txt", "");
    rmSync(join(desk.root, "b.txt"));
    await expect.poll(() => desk.notices().join("\n")).toMatch(/"a\.txt" is now empty on disk.*|2 other/);
    expect(desk.texts()).toEqual({ "a.txt": text.replace("two", "my two"), "b.txt": text.replace("two", "my two") });
  });
});

describe("a document that is out of sync", () => {
  it("is left alone, and the user is told", async () => {
    const desk = await start({ open: { "a.txt": text } });
    const textDocument = { uri: desk.uri("a.txt"), version: 9 };
    const range = { start: { line: 90, character: 0 }, end: { line: 90, character: 0 } };
    await desk.editor.notify("textDocument/didChange", { textDocument, contentChanges: [{ range, text: "x" }] });
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(desk.notices).toHaveLength(1);
    expect(desk.notices()[0]).toMatch(/^"a\.txt" changed on disk, and has unsaved text here/);
    expect(desk.loaded).toEqual([]);
    expect(desk.editor.asked).toEqual([]);
  });
});

describe("what is no change by another program", () => {
  it("is the editor's own save, also if the user goes on typing at once", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeBefore("a.txt", "two", "my ");
    await desk.save("a.txt");
    await desk.typeBefore("a.txt", "five", "more ");
    await delay(700);
    expect(desk.editor.asked).toEqual([]);
    expect(desk.loaded).toEqual([]);
    expect(desk.notices()).toEqual([]);
    await desk.save("a.txt");
    await desk.write("a.txt", text.replace("two", "my two").replace("five", "more five").replace("four", "4"));
    await expect.poll(() => desk.texts()["a.txt"]).toBe("one\nmy two\nthree\n4\nmore five\n");
    expect(desk.editor.asked).toEqual([]);
  });

  it("is a save, after which the other program's text is merged with what was typed since", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeBefore("a.txt", "two", "my ");
    await desk.save("a.txt");
    await desk.typeBefore("a.txt", "five", "more ");
    // What is written after the save is merged with what was typed after it.
    await desk.write("a.txt", text.replace("two", "my two").replace("three", "3"));
    await expect.poll(() => desk.texts()["a.txt"]).toBe("one\nmy two\n3\nfour\nmore five\n");
  });
});

describe("a file that can't be read as text", () => {
  it.each([
    ["too large", (path: string) => writeFileSync(path, Buffer.alloc(limits.fileBytes + 1, "x"))],
    ["binary", (path: string) => writeFileSync(path, Buffer.from([1, 0, 2]))],
    ["no longer UTF-8", (path: string) => writeFileSync(path, Buffer.from([0xe4, 0xf6, 0x0a]))],
    ["a link", (path: string) => symlinkSync("/etc/hostname", path)],
    ["a folder", (path: string) => mkdirSync(path)],
  ])("because it is %s: the user is told, and the text is kept", async (_what, spoil) => {
    const desk = await start({ open: { "a.txt": text } });
    rmSync(join(desk.root, "a.txt"));
    spoil(join(desk.root, "a.txt"));
    await expect.poll(desk.notices).toHaveLength(1);
    expect(desk.notices()[0]).toMatch(/^"a\.txt" changed on disk and can't be loaded\./);
    expect(desk.texts()["a.txt"]).toBe(text);
    expect(desk.loaded).toEqual([]);
  });
});

describe("many files at once", () => {
  it("are each taken over, and one message tells of them", async () => {
    const names = Array.from({ length: 30 }, (_, i) => `f${i}.txt`);
    const desk = await start({ open: Object.fromEntries(names.map((name) => [name, text])) });
    await delay(300);
    await desk.typeOver("f0.txt", "two", "my");
    await desk.typeBefore("f1.txt", "five", "my ");
    for (const name of names) {
      await desk.write(`${name}.new`, text.replace("two", "TWO"));
      await rename(join(desk.root, `${name}.new`), join(desk.root, name));
    }
    await expect.poll(() => desk.loaded).toHaveLength(28);
    await expect.poll(desk.notices).toHaveLength(1);
    expect(desk.notices()[0]).toMatch(/^29 files taken over from disk, 1 conflict\. "f0\.txt": not merged, you and/);
    expect(desk.texts()["f1.txt"]).toBe(text.replace("two", "TWO").replace("five", "my five"));
  });
});

describe("an editor that takes seconds to load many files", () => {
  it("tells of them in one message, once it has loaded them", async () => {
    const names = Array.from({ length: 8 }, (_, i) => `f${i}.txt`);
    const desk = await start({ open: Object.fromEntries(names.map((name) => [name, text])) }, { loadMs: 500 });
    await desk.typeOver("f0.txt", "two", "my");
    for (const name of names) await desk.write(name, text.replace("two", "TWO"));
    await expect.poll(desk.notices).toHaveLength(1);
    expect(desk.notices()[0]).toMatch(/^7 files taken over from disk, 1 conflict\. "f0\.txt": not merged, you and/);
  });
});

describe("the setting diskChanges", () => {
  it.each([
    ["Apply", "one\nTWO\nthree\nfour\ntyped five\n"],
    ["Reject", "one\ntwo\nthree\nfour\ntyped five\n"],
  ])("ask merges only after the user's answer: %s", async (answer, after) => {
    const desk = await start({ open: { "a.txt": text }, settings: { diskChanges: "ask" } });
    desk.editor.answerQuestionsWith(answer);
    await desk.typeBefore("a.txt", "five", "typed ");
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => desk.editor.questions).toHaveLength(1);
    expect(desk.editor.questions[0]?.message).toContain(
      "Another program: Apply what was written to a.txt to your unsaved text? This adds 1 line and removes 1.",
    );
    await expect.poll(() => desk.texts()["a.txt"]).toBe(after);
    await delay(300);
    expect(desk.editor.questions).toHaveLength(1);
    expect(desk.texts()["a.txt"]).toBe(after);
  });

  it("off leaves all to the editor", async () => {
    const desk = await start({ open: { "a.txt": text }, settings: { diskChanges: "off" } });
    await desk.write("a.txt", "other\n");
    await delay(700);
    expect(desk.loaded).toEqual([]);
  });
});
