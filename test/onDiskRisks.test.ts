/** Scenes in which text could be lost, or the user told what is not so, while other programs write the open files. */
import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { serverForDesks } from "./support/desk.js";
import { type LoadingDesk, loadingDesks } from "./support/loadingDesk.js";

const program = serverForDesks();
const start = loadingDesks(program);

const text = "one\ntwo\nthree\nfour\nfive\n";
const typed = text.replace("five", "typed five");

const tellSaved = (desk: LoadingDesk, path: string): Promise<void> =>
  desk.editor.notify("textDocument/didSave", { textDocument: { uri: desk.uri(path) } });

describe("a save under another name", () => {
  it("leaves the text unsaved, so that the next change on disk is merged", async () => {
    const desk = await start({ open: { "a.txt": text } }, { loads: false });
    await desk.typeBefore("a.txt", "five", "typed ");
    await tellSaved(desk, "a.txt");
    await delay(100);
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => desk.texts()["a.txt"]).toBe(typed.replace("two", "TWO"));
    expect(desk.loaded).toEqual([]);
  });

  it("leaves the text unsaved, also if there is no file yet", async () => {
    const desk = await start({ open: { "a.txt": text }, files: { "b.txt": "" } }, { loads: false });
    rmSync(join(desk.root, "a.txt"), { force: true });
    await delay(2_500);
    await desk.typeBefore("a.txt", "five", "typed ");
    await tellSaved(desk, "a.txt");
    await delay(100);
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => desk.texts()["a.txt"]).toBe(typed.replace("two", "TWO"));
  });

  it("replaces nothing, so that nobody is told of it after a conflict", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.typeOver("a.txt", "two", "my");
    await desk.write("a.txt", text.replace("two", "their"));
    await expect.poll(desk.notices).toHaveLength(1);
    await tellSaved(desk, "a.txt");
    await delay(600);
    expect(desk.notices()).toHaveLength(1);
    await desk.save("a.txt");
    await expect.poll(() => desk.notices()[1]).toContain("has replaced what another program wrote");
  });
});

describe("a text on disk that was not merged", () => {
  it("is kept if a save replaces it of which the editor tells late", async () => {
    const desk = await start({ open: { "a.txt": text } }, { knows: false });
    await desk.typeBefore("a.txt", "five", "typed ");
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(desk.notices).toHaveLength(1);
    await desk.write("a.txt", typed);
    await delay(600);
    await tellSaved(desk, "a.txt");
    await expect.poll(() => desk.notices()[1]).toContain("has replaced what another program wrote");
  });

  it("is not replaced by a save if the program has taken it back before", async () => {
    const desk = await start({ open: { "a.txt": text } }, { knows: false });
    await desk.typeBefore("a.txt", "five", "typed ");
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(desk.notices).toHaveLength(1);
    await desk.write("a.txt", text);
    await delay(600);
    await desk.save("a.txt");
    await delay(600);
    expect(desk.notices()).toHaveLength(1);
  });

  it("is kept if a save replaces it, also in an editor that does not know the notification", async () => {
    const desk = await start({ open: { "a.txt": text } }, { knows: false });
    await desk.typeBefore("a.txt", "five", "typed ");
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(desk.notices).toHaveLength(1);
    await desk.save("a.txt");
    await expect.poll(() => desk.notices()[1]).toContain("has replaced what another program wrote");
  });

  it("is the newer one if it has all that the user has typed, in an editor that tells late that it has saved", async () => {
    const desk = await start({ open: { "a.txt": text } }, { knows: false });
    await desk.typeBefore("a.txt", "five", "typed ");
    await desk.write("a.txt", typed.replace("two", "TWO"));
    await delay(600);
    await tellSaved(desk, "a.txt");
    await expect.poll(desk.notices, { timeout: 5_000 }).toHaveLength(1);
    expect(desk.notices()[0]).toContain("the editor shows the old text");
    await desk.write("a.txt", typed.replace("two", "2"));
    await expect.poll(desk.notices, { timeout: 5_000 }).toHaveLength(2);
    expect(desk.notices()[1]).toContain("the editor shows the old text");
  });

  it("is the newer one, also if the server has seen it before the last letter that was saved", async () => {
    const desk = await start({ open: { "a.txt": text } }, { knows: false });
    await desk.typeBefore("a.txt", "five", "type");
    await desk.write("a.txt", typed.replace("two", "TWO"));
    await expect.poll(desk.notices).toEqual([expect.stringContaining("has unsaved text here")]);
    await desk.typeOver("a.txt", "typefive", "typed five");
    await tellSaved(desk, "a.txt");
    await expect.poll(desk.notices, { timeout: 5_000 }).toHaveLength(2);
    expect(desk.notices()[1]).toContain("the editor shows the old text");
  });

  it("is not replaced by the save of a user who has loaded it", async () => {
    const desk = await start({ open: { "a.txt": text } }, { knows: false });
    await desk.typeBefore("a.txt", "five", "typed ");
    await desk.write("a.txt", "other\n");
    await expect.poll(desk.notices).toHaveLength(1);
    await desk.editor.type({ uri: desk.uri("a.txt"), from: 0, to: typed.length, insert: "other\n" });
    await desk.typeBefore("a.txt", "other", "an");
    await desk.save("a.txt");
    await delay(600);
    expect(desk.notices()).toHaveLength(1);
  });
});

describe("a document without unsaved text", () => {
  it("that was opened with an old text, and then loaded, is loaded again after the next change", async () => {
    const desk = await start({ open: { "a.txt": text }, files: { "a.txt": "one\ntwo\n" } });
    await expect.poll(() => desk.texts()["a.txt"]).toBe("one\ntwo\n");
    await desk.write("a.txt", "one\nTWO\n");
    await expect.poll(() => desk.texts()["a.txt"]).toBe("one\nTWO\n");
    expect(desk.notices()).toEqual([]);
  });

  it("that the editor does not load: nobody is asked about a merge, or told of one", async () => {
    const desk = await start({ open: { "a.txt": text }, settings: { diskChanges: "ask" } }, { loads: false });
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => desk.texts()["a.txt"], { timeout: 5_000 }).toBe(text.replace("two", "TWO"));
    await delay(600);
    expect(desk.editor.questions).toEqual([]);
    expect(desk.notices()).toEqual([]);
  });

  it("and not in Unicode: its save is no change on disk", async () => {
    const desk = await start({ open: { "a.txt": "ä\n" } });
    writeFileSync(join(desk.root, "a.txt"), Buffer.from("äö\n", "latin1"));
    await desk.typeOver("a.txt", "ä", "äö");
    await tellSaved(desk, "a.txt");
    await delay(700);
    expect(desk.notices()).toEqual([]);
    writeFileSync(join(desk.root, "a.txt"), Buffer.from("ö\n", "latin1"));
    await expect.poll(desk.notices).toHaveLength(1);
  });

  it("and written all the time: an agent that reads it waits two seconds at most", async () => {
    const desk = await start({ open: { "a.txt": text } });
    let isOver = false;
    const writing = (async () => {
      for (let i = 0; !isOver; i++) {
        writeFileSync(join(desk.root, "a.txt"), `${text}${i}\n`);
        await delay(2);
      }
    })();
    await delay(100);
    const since = performance.now();
    await desk.read({ path: "a.txt" });
    expect(performance.now() - since).toBeLessThan(4_500);
    isOver = true;
    await writing;
  });
});

describe("a file that is written all the time", () => {
  it("is loaded again and again, although the editor loads newer texts than the server has seen", async () => {
    const desk = await start({ open: { "a.txt": text } }, { loads: false });
    const end = performance.now() + 7_000;
    for (let i = 0, loads = 0; performance.now() < end || loads < desk.loaded.length; i++) {
      const written = `${text}${i}\n`;
      writeFileSync(join(desk.root, "a.txt"), written);
      if (loads < desk.loaded.length) {
        loads++;
        await desk.editor.type({ uri: desk.uri("a.txt"), from: 0, to: desk.texts()["a.txt"]!.length, insert: written });
      }
      await delay(40);
    }
    await expect.poll(() => desk.loaded.length, { timeout: 4_000 }).toBeGreaterThan(3);
    expect(desk.notices()).toEqual([]);
  });
});

describe("the question about a merge", () => {
  it("is asked once for each text, and never while it is open", async () => {
    const desk = await start({ open: { "a.txt": text }, settings: { diskChanges: "ask" } });
    const answers: ((answer: { title: string }) => void)[] = [];
    let asked = 0;
    desk.editor.connection.onRequest("window/showMessageRequest", () => {
      asked++;
      return new Promise((settle) => answers.push(settle));
    });
    await desk.typeBefore("a.txt", "five", "typed ");
    await desk.write("a.txt", text.replace("two", "TWO"));
    await expect.poll(() => asked).toBe(1);
    await desk.write("a.txt", text.replace("two", "2"));
    await delay(600);
    answers[0]?.({ title: "Apply" });
    // What the user has agreed to is no longer on disk.
    await expect.poll(() => asked).toBe(2);
    expect(desk.texts()["a.txt"]).toBe(typed);
    answers[1]?.({ title: "Apply" });
    await expect.poll(() => desk.texts()["a.txt"]).toBe(typed.replace("two", "2"));
    await delay(300);
    expect(asked).toBe(2);
  });
});

describe("a document whose path leads through a link", () => {
  it.each([
    ["in its folder", "current/a.txt", "current", ["first", "second"]],
    ["as the file itself", "a.txt", "a.txt", ["first/a.txt", "second/a.txt"]],
  ])("%s, gets the text of the link's new target, and later changes of that", async (_, path, link, targets) => {
    const other = text.replace("two", "TWO");
    const desk = await start({ files: { "first/a.txt": text, "second/a.txt": other } });
    symlinkSync(targets[0]!, join(desk.root, link));
    await desk.editor.open({ uri: desk.uri(path), text });
    // Answered once the text was compared with its file.
    await desk.read({ path });
    await desk.typeBefore(path, "five", "typed ");
    symlinkSync(targets[1]!, join(desk.root, "new"));
    renameSync(join(desk.root, "new"), join(desk.root, link));
    await expect.poll(() => desk.texts()[path], { timeout: 5_000 }).toBe(typed.replace("two", "TWO"));
    await desk.write("second/a.txt", other.replace("one", "ONE"));
    await expect.poll(() => desk.texts()[path]).toBe(typed.replace("two", "TWO").replace("one", "ONE"));
    await desk.write("first/a.txt", "gone");
    await delay(500);
    expect(desk.texts()[path]).toBe(typed.replace("two", "TWO").replace("one", "ONE"));
  });
});
