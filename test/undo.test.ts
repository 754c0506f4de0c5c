/**
 * Undoing applied changes over the wire: a change is undone completely or not at all, and only if its text has not been
 * edited since.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limits } from "../server/text/limits.js";
import { batch, type Desk, type DeskOptions, failed, layDesk, serverForDesks, told } from "./support/desk.js";
import type { Behaviour } from "./support/editorAnswers.js";
import { rolledBackBegin } from "./support/rolledBack.js";
import { three, threeAfter, threeEdits } from "./support/threeDocuments.js";

const program = serverForDesks();

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, options);

describe("undo", () => {
  it.each(["multiEdit/undo", "multiEdit.undo"])("%s restores every text, byte for byte", async (name) => {
    const desk = await start({ open: three });
    const applied = await desk.apply(threeEdits);
    expect(desk.texts()).toEqual(threeAfter);
    const answer = name.includes("/")
      ? await desk.undo()
      : await desk.editor.request("workspace/executeCommand", { command: name });
    expect(answer).toMatchObject({
      applied: true,
      outcome: "applied",
      label: "Undo 3 files (3 edits)",
      text: "Undo 3 files (3 edits)\nM a.txt\nM b.txt\nM c.txt",
      transaction: applied.transaction,
      edits: [],
    });
    expect(desk.texts()).toEqual(three);
  });

  it("answers with the diff of its own change, and with its edit", async () => {
    const { apply, undo, uri } = await start({ open: { "a.txt": "one\nold\n" } });
    await apply(batch(["a.txt", "old", "new"]));
    const { diff, edit, files } = await undo();
    expect(diff).toBe("diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-new\n+old\n");
    const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
    const textDocument = { uri: uri("a.txt"), version: 2 };
    expect(edit).toEqual({ documentChanges: [{ textDocument, edits: [{ range, newText: "old" }] }] });
    expect(files).toMatchObject([{ path: "a.txt", version: 2, added: 1, removed: 1, onDisk: "same" }]);
  });

  it("undoes the last transaction first, or the one that is named", async () => {
    const { apply, undo, texts } = await start({ open: { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n" } });
    const { transaction: first } = await apply(batch(["a.txt", "2", "two"]));
    const { transaction: second } = await apply(batch(["a.txt", "5", "five"]));
    const { transaction: third } = await apply(batch(["a.txt", "8", "eight"]));
    expect(new Set([first, second, third]).size).toBe(3);
    expect((await undo(first)).transaction).toBe(first);
    expect(texts()["a.txt"]).toBe("1\n2\n3\n4\nfive\n6\n7\neight\n9\n");
    expect((await undo()).transaction).toBe(third);
    expect((await undo()).transaction).toBe(second);
    expect(texts()["a.txt"]).toBe("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  });

  it.each(["one", "\ttwo"])(
    "removes a line that the call inserted, although the user has typed before %j",
    async (at) => {
      const { apply, undo, texts, typeBefore } = await start({ open: { "a.txt": "one\n\tlast\n\ttwo\nend\n" } });
      await apply(batch(["a.txt", "\tlast\n", "\tnew\n\tlast\n"]));
      await typeBefore("a.txt", at, "typed ");
      await undo();
      expect(texts()["a.txt"]).toBe("one\n\tlast\n\ttwo\nend\n".replace(at, `typed ${at}`));
    },
  );

  it("is refused if the user has undone the call and then typed, although the inserted line is like another", async () => {
    const desk = await start({ open: { "a.txt": "one\nsame\nend\n" } });
    await desk.apply(batch(["a.txt", "one\n", "one\nsame\n"]));
    const from = "one\n".length;
    await desk.editor.type({ uri: desk.uri("a.txt"), from, to: from + "same\n".length, insert: "" });
    await desk.typeBefore("a.txt", "one", "typed ");
    expect((await failed(desk.undo())).codes).toEqual(["undoConflict"]);
    expect(desk.texts()["a.txt"]).toBe("typed one\nsame\nend\n");
  });

  it("says that the user has undone the call, and changes nothing", async () => {
    const desk = await start({ open: { "a.txt": "old\n" }, settings: { atomic: "all" } });
    await desk.apply(batch(["a.txt", "old", "new"]));
    await desk.editor.type({ uri: desk.uri("a.txt"), from: 0, to: 3, insert: "old" });
    expect(await desk.undo()).toMatchObject({
      files: [],
      text: "a.txt (1 edit) has already been undone in the editor.",
    });
    expect(desk.texts()).toEqual({ "a.txt": "old\n" });
    expect((await failed(desk.undo())).codes).toEqual(["undoConflict"]);
  });

  it("is refused with a message if the transaction has been undone or is unknown, or if there is none", async () => {
    const desk = await start({ open: { "a.txt": "old\n" }, settings: { atomic: "all" } });
    const refusal = async (params: unknown) => failed(desk.editor.request("multiEdit/undo", params));
    expect(await refusal(null)).toMatchObject({ rpcCode: -32803, codes: ["undoConflict"] });
    expect(await refusal({ transaction: "0-1" })).toMatchObject({ codes: ["undoConflict"] });
    const { transaction } = await desk.apply(batch(["a.txt", "old", "new"]));
    await desk.undo();
    const again = await refusal({ transaction });
    expect([again.codes, again.message]).toEqual([["undoConflict"], expect.stringContaining("already")]);
    expect(await refusal({})).toMatchObject({ codes: ["undoConflict"] });
    expect(desk.texts()).toEqual({ "a.txt": "old\n" });
  });

  it("is refused for invalid params, and then nothing is undone", async () => {
    const desk = await start({ open: { "a.txt": "old\n" } });
    await desk.apply(batch(["a.txt", "old", "new"]));
    const wrong: readonly (readonly [unknown, string])[] = [
      [{ transaktion: "x" }, "unknownField"],
      [{ id: "x" }, "unknownField"],
      [{ dryRun: true }, "unknownField"],
      [{ transaction: "x", preview: true }, "unknownField"],
      [{ transaction: 7 }, "invalidParams"],
      ["x", "invalidParams"],
      [[{}, {}], "invalidParams"],
    ];
    for (const [params, code] of wrong) {
      const { codes, rpcCode } = await failed(desk.editor.request("multiEdit/undo", params));
      expect([codes, rpcCode], JSON.stringify(params)).toEqual([[code], -32602]);
    }
    expect(desk.texts()).toEqual({ "a.txt": "new\n" });
  });

  it("ignores proposals that nobody applied, previews, and calls without an effect", async () => {
    const { editor, apply, propose, undo, texts } = await start({ open: { "a.txt": "old\nmore\n" } });
    const { transaction } = await apply(batch(["a.txt", "old", "new"]));
    await propose(batch(["a.txt", "more", "less"]));
    const preview = (await editor.request("multiEdit/preview", batch(["a.txt", "more", "less"]))) as object;
    expect("transaction" in preview).toBe(false);
    expect("transaction" in (await apply(batch(["a.txt", "more", "x"], ["a.txt", "x", "more"])))).toBe(false);
    expect((await undo()).transaction).toBe(transaction);
    expect(texts()).toEqual({ "a.txt": "old\nmore\n" });
  });

  it("covers a limited number of the latest transactions, and the status lists them", async () => {
    const { editor, apply, undo } = await start({ open: { "a.txt": "0\n" }, settings: {} });
    const ids: (string | undefined)[] = [];
    for (let i = 0; i <= limits.transactions; i++) {
      ids.push((await apply(batch(["a.txt", `${i}`, `${i + 1}`]))).transaction);
    }
    await undo();
    expect((await failed(undo(ids[0]))).codes).toEqual(["undoConflict"]);
    const { transactions } = (await editor.request("multiEdit/status", undefined)) as { transactions: object[] };
    expect(transactions).toEqual(
      ids.slice(1).map((transaction, i) => ({
        transaction,
        label: "a.txt (1 edit)",
        state: i === limits.transactions - 1 ? "undone" : "applied",
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        files: ["a.txt"],
      })),
    );
  });

  it("needs confirmation if the user wants to be asked", async () => {
    const { editor, apply, undo, texts } = await start({
      open: { "a.txt": "old\n" },
      settings: { confirm: "always" },
    });
    editor.answerQuestionsWith("Apply", "Reject");
    await apply(batch(["a.txt", "old", "new"]));
    const failure = await failed(undo());
    expect([failure.codes, failure.diff]).toEqual([["userRejected"], expect.stringContaining("-new\n+old\n")]);
    expect(editor.questions[1]!.message).toContain("Undo a.txt (1 edit)");
    expect(texts()).toEqual({ "a.txt": "new\n" });
  });
});

describe("a text into which the user has typed", () => {
  const text = "1\n2\n3\nold\n5\n6\n7\n";

  it.each([
    ["before the change", "1", "typed 1"],
    ["after the change", "6", "typed 6"],
  ])("%s: the typed text stays", async (_where, before, typed) => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.apply(batch(["a.txt", "old", "new"]));
    await desk.typeBefore("a.txt", before, "typed ");
    expect(await desk.undo()).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": text.replace(before, typed) });
  });

  it.each([
    ["inside the change", "ew"],
    ["right before it", "new"],
    ["right after it", "\n5"],
  ])("%s: nothing is undone in any file, and the line is named", async (_where, before) => {
    const desk = await start({ open: { "a.txt": text, "b.txt": "old\n" } });
    await desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"]));
    await desk.typeBefore("a.txt", before, "x");
    const typed = desk.texts();
    const failure = await failed(desk.undo());
    expect(failure.failures).toMatchObject([{ code: "undoConflict", path: "a.txt", line: 4 }]);
    expect(failure.message).toContain("line 4");
    expect(desk.texts()).toEqual(typed);
    // Once the typed text is deleted again, the change can be undone.
    const { editor, uri } = desk;
    const at = typed["a.txt"]!.indexOf("x");
    await editor.type({ uri: uri("a.txt"), from: at, to: at + 1, insert: "" });
    expect(await desk.undo()).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": text, "b.txt": "old\n" });
  });

  it("is named, along with every other file that prevents the undo", async () => {
    const desk = await start({ open: { "a.txt": "old\n", "b.txt": "old\n", "c.txt": "old\n" } });
    await desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"], ["c.txt", "old", "new"]));
    await desk.typeBefore("a.txt", "new", "x");
    // Closing the file without saving has discarded the edit, so there is nothing left to undo in it.
    await desk.editor.close(desk.uri("b.txt"));
    await desk.typeBefore("c.txt", "ew", "x");
    const { failures } = await failed(desk.undo());
    expect(failures.map(({ code, path }) => [code, path])).toEqual([
      ["undoConflict", "a.txt"],
      ["undoConflict", "c.txt"],
    ]);
  });

  it("during the undo: the typed text is kept", async () => {
    const desk = await start({ open: { "a.txt": text }, proofTimeout: 400 });
    await desk.apply(batch(["a.txt", "old", "new"]));
    desk.editor.beforeEdits(async () => {
      if (desk.editor.asked.length === 2) await desk.typeBefore("a.txt", "7", "typed ");
    });
    expect(await desk.undo()).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": text.replace("7", "typed 7") });
  });

  it("only before it was saved and closed: the file gets its old text back", async () => {
    const desk = await start({ open: { "a.txt": text } });
    await desk.apply(batch(["a.txt", "old", "new"]));
    writeFileSync(join(desk.root, "a.txt"), text.replace("old", "new"));
    await desk.editor.close(desk.uri("a.txt"));
    expect(await desk.undo()).toMatchObject({ outcome: "applied" });
    expect(desk.disk()).toEqual({ "a.txt": text });
  });
});

describe("an editor that does not cooperate", () => {
  it.each<[Behaviour, string]>([
    ["refuses", "clientRefused"],
    ["answersErrors", "clientRefused"],
  ])(
    "and %s the second text: the first one has its edit again, and everything can be undone later",
    async (behaviour, code) => {
      const { editor, apply, undo, texts } = await start({ open: three, proofTimeout: 200 });
      await apply(threeEdits);
      editor.behave("honest", behaviour, "honest");
      const answer = await told(undo());
      expect([answer.outcome, answer.codes]).toEqual(["failed", [code]]);
      expect(texts()).toEqual(threeAfter);
      expect(await undo()).toMatchObject({ outcome: "applied" });
      expect(texts()).toEqual(three);
    },
  );

  it("and lies: the answer names what is uncertain", async () => {
    const { editor, apply, undo, texts } = await start({ open: three, proofTimeout: 200 });
    await apply(threeEdits);
    editor.behave("honest", "lies", "honest");
    const answer = await told(undo());
    expect([answer.outcome, answer.text]).toEqual(["unknown", expect.stringContaining(rolledBackBegin)]);
    expect(texts()).toEqual(threeAfter);
  });
});

describe("any batch", () => {
  const texts = fc.array(fc.constantFrom("a", "b\n", "\r\n", "\r", "\n", "é", "😀", "word ", "x"), { maxLength: 30 });
  const edit = fc.record({
    oldText: fc.constantFrom("a", "b\n", "\r\n", "\r", "\n", "é", "😀", "word ", "x", "xa", "a\r"),
    newText: fc.constantFrom("", "a", "B\n", "\r\n", "\r", "\n", "é!", "😀😀", "words", "y"),
    replaceAll: fc.boolean(),
  });

  it("that was applied can be undone, byte for byte, in every encoding", async () => {
    for (const encoding of ["utf-8", "utf-16", "utf-32"]) {
      const { editor, apply, undo, uri } = await start({ open: {}, encodings: [encoding] });
      let version = 1;
      let wentThrough = 0;
      await fc.assert(
        fc.asyncProperty(texts, fc.array(edit, { minLength: 1, maxLength: 4 }), async (parts, edits) => {
          const text = parts.join("");
          await editor.open({ uri: uri("a.txt"), text, version: version++ });
          const call = { path: uri("a.txt"), edits, options: { atomic: "none" } };
          const answer = await told(apply(call));
          if (answer.outcome === "failed" || editor.documents.get(uri("a.txt"))!.text === text) return;
          expect(answer.outcome).toBe("applied");
          wentThrough++;
          expect((await undo()).outcome).toBe("applied");
          expect(editor.documents.get(uri("a.txt"))!.text).toBe(text);
        }),
        { numRuns: 150 },
      );
      expect(wentThrough).toBeGreaterThan(30);
    }
  });
});
