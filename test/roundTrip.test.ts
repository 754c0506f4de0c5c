/**
 * Batches that the server applies through misbehaving editors: whatever they do, the answer is true and no batch is
 * left half applied.
 */
import { describe, expect, it } from "vitest";
import {
  batch,
  type Desk,
  type DeskOptions,
  type Failed,
  failed,
  layDesk,
  serverForDesks,
  throughEditor,
  told,
} from "./support/desk.js";
import type { Behaviour } from "./support/editorAnswers.js";
import { rolledBack } from "./support/rolledBack.js";
import { three, threeAfter, threeEdits } from "./support/threeDocuments.js";

const program = serverForDesks();

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, options);

/** Checks that a failed call reports none of its edits as applied. */
function expectNothingDone({ edits, rpcCode }: Failed): void {
  expect(rpcCode).toBe(-32803);
  expect(edits.map(({ status }) => status)).not.toContain("applied");
}

describe("an editor that makes every edit, whatever it answers and when", () => {
  it.each<[Behaviour, "beforeAnswer" | "afterAnswer"]>([
    ["honest", "afterAnswer"],
    ["honest", "beforeAnswer"],
    ["doesButDenies", "afterAnswer"],
    ["doesButDenies", "beforeAnswer"],
    ["doesButAnswersNull", "afterAnswer"],
    ["doesButAnswersNull", "beforeAnswer"],
    ["doesButAnswersErrors", "afterAnswer"],
    ["doesButAnswersErrors", "beforeAnswer"],
    ["doesButNeverAnswers", "beforeAnswer"],
    ["answersLate", "beforeAnswer"],
  ])("%s, its texts synced %s: the texts are the proof", async (behaviour, syncs) => {
    const { editor, apply, texts, uri } = await start({ open: three, syncs });
    editor.behave(behaviour);
    const answer = await apply(threeEdits);
    editor.answerNow();
    expect(answer).toMatchObject({ applied: true, outcome: "applied", label: "3 files (3 edits)", warnings: [] });
    expect(answer.edits.map(({ status }) => status)).toEqual(["applied", "applied", "applied"]);
    expect(texts()).toEqual(threeAfter);
    // One request per document, each with the matched version and a label that an undo list can show.
    expect(editor.asked.map(({ label }) => label)).toEqual(["a.txt (1 edit)", "b.txt (1 edit)", "c.txt (1 edit)"]);
    expect(editor.asked.map(({ edit }) => edit.documentChanges)).toMatchObject(
      Object.keys(three).map((path) => [{ textDocument: { uri: uri(path), version: 1 } }]),
    );
  });

  it("may sync the whole text instead of the change", async () => {
    const { apply, texts } = await start({ open: three, tells: "wholeText" });
    expect(await apply(threeEdits)).toMatchObject({ outcome: "applied" });
    expect(texts()).toEqual(threeAfter);
  });
});

describe("an editor that does nothing", () => {
  it.each<[Behaviour, string]>([
    ["refuses", "clientRefused"],
    ["answersNull", "clientRefused"],
    ["answersErrors", "clientRefused"],
  ])("and %s: the call fails and says that the text is as it was", async (behaviour, code) => {
    const { editor, apply, texts } = await start({ open: { "a.txt": "old\n" }, proofTimeout: 200 });
    editor.behave(behaviour);
    const failure = await failed(apply(batch(["a.txt", "old", "new"])));
    expectNothingDone(failure);
    expect(failure.codes).toEqual([code]);
    expect(failure.failures[0]!.path).toBe("a.txt");
    expect(failure.message).toContain("its text is unchanged");
    if (behaviour === "refuses") expect(failure.message).toContain("the editor rejected the edit");
    if (behaviour === "answersErrors") expect(failure.message).toContain("the editor broke");
    expect(texts()).toEqual({ "a.txt": "old\n" });
  });

  it.each<Behaviour>(["refuses", "answersNull", "answersErrors"])(
    "to the last of three documents, and %s: the others are rolled back, byte for byte",
    async (behaviour) => {
      const { editor, apply, texts, uri } = await start({ open: three, proofTimeout: 400 });
      editor.behave("honest", "honest", behaviour, "honest");
      const failure = await failed(apply(threeEdits));
      expectNothingDone(failure);
      expect(failure.codes).toEqual(["clientRefused"]);
      expect(failure.message).toContain('"c.txt"');
      expect(failure.message).toMatch(new RegExp(rolledBack("(a\\.txt, b\\.txt|b\\.txt, a\\.txt)")));
      expect(texts()).toEqual(three);
      expect(editor.asked.map(({ edit }) => edit.documentChanges?.[0])).toMatchObject(
        ["a.txt", "b.txt", "c.txt", "b.txt", "a.txt"].map((path) => ({ textDocument: { uri: uri(path) } })),
      );
      expect(editor.refusals).toEqual([]);
    },
  );

  it("and says yes: the edit may still come, and the others are rolled back", async () => {
    const { editor, apply, texts } = await start({ open: three, proofTimeout: 400 });
    editor.behave("honest", "honest", "lies", "honest");
    const answer = await apply(threeEdits);
    expect(answer).toMatchObject({ applied: false, outcome: "unknown" });
    expect(answer.warnings[0]).toContain("its text is unchanged; the edit may still take effect");
    expect(answer.warnings[0]).toMatch(new RegExp(rolledBack("(a\\.txt, b\\.txt|b\\.txt, a\\.txt)")));
    expect(answer.edits.map(({ status }) => status)).toEqual(["notAttempted", "notAttempted", "failed"]);
    expect(answer.files.map(({ path }) => path)).toEqual(["c.txt"]);
    expect(texts()).toEqual(three);
  });

  it("to the second of three: the server does not send the third edit", async () => {
    const { editor, apply, texts } = await start({ open: three, proofTimeout: 400 });
    editor.behave("honest", "refuses", "honest");
    const failure = await failed(apply(threeEdits));
    expectNothingDone(failure);
    expect(failure.message).toContain(rolledBack("a.txt"));
    expect(texts()).toEqual(three);
    expect(editor.asked).toHaveLength(3);
  });

  it("when the server rolls back: the answer names the documents that still contain the edit", async () => {
    const { editor, apply, texts } = await start({ open: three, proofTimeout: 200 });
    editor.behave("honest", "honest", "refuses", "honest", "refuses");
    const { outcome, text, edits } = await told(apply(threeEdits));
    expect(outcome).toBe("unknown");
    expect(text).toContain(rolledBack("b.txt"));
    expect(text).toMatch(/still contain the edit.*: a\.txt\./);
    expect(text).not.toMatch(/Nothing (?:else )?was changed/);
    expect(edits.map(({ status }) => status)).toEqual(["applied", "notAttempted", "failed"]);
    expect(texts()).toEqual({ ...three, "a.txt": threeAfter["a.txt"] });
  });

  it("does not affect the next call", async () => {
    const { editor, apply, texts } = await start({ open: three, proofTimeout: 200 });
    editor.behave("refuses", "honest");
    await failed(apply(threeEdits));
    expect(await apply(threeEdits)).toMatchObject({ outcome: "applied" });
    expect(texts()).toEqual(threeAfter);
  });
});

describe("an editor that does something else", () => {
  it("makes only part of an edit: the answer says so, and the other documents are rolled back", async () => {
    const open = { ...three, "b.txt": "old one\nold two\n" };
    const { editor, apply, texts } = await start({ open, proofTimeout: 200 });
    editor.behave("honest", "appliesPartly", "honest");
    const edits = batch(["a.txt", "old a", "new a"], ["b.txt", "one", "ONE"], ["b.txt", "two", "TWO"]);
    const { outcome, codes, text, edits: seen } = await told(apply(edits));
    expect([outcome, codes]).toEqual(["unknown", ["clientDiverged"]]);
    expect(text).toContain('"b.txt"');
    expect(text).toContain(rolledBack("a.txt"));
    expect(text).not.toMatch(/Nothing (?:else )?was changed/);
    expect(seen.map(({ status }) => status)).toEqual(["notAttempted", "failed", "failed"]);
    expect(texts()).toEqual({ ...open, "b.txt": "old ONE\nold two\n" });
  });

  it("writes its own line endings: the answer says so, and the other documents are rolled back", async () => {
    const open = { ...three, "b.txt": "one\r\nold b\r\n" };
    const { editor, apply, texts } = await start({ open, proofTimeout: 200 });
    editor.behave("honest", "normalisesLineEnds", "honest");
    const answer = await told(apply(batch(["a.txt", "old a", "new a"], ["b.txt", "old b", "new\nb"])));
    expect(answer).toMatchObject({ outcome: "unknown", codes: ["clientDiverged"] });
    expect(answer.text).toContain(rolledBack("a.txt"));
    expect(texts()).toEqual({ ...open, "b.txt": "one\r\nnew\nb\r\n" });
  });

  it("keeps LF in the text while the file has CRLF: new lines get LF, too", async () => {
    const files = { "a.txt": "one\r\nold\r\n" };
    const { editor, apply, texts } = await start({ files, open: { "a.txt": "one\nold\n" } });
    editor.behave("normalisesLineEnds");
    expect(await apply(batch(["a.txt", "one\r\nold", "one\r\nnew\r\nnewer"]))).toMatchObject({ outcome: "applied" });
    expect(JSON.stringify(editor.asked)).not.toContain("\\r");
    expect(texts()).toEqual({ "a.txt": "one\nnew\nnewer\n" });
  });

  it("closes the document instead: the answer says so, and the other documents are rolled back", async () => {
    const { editor, apply, texts, uri } = await start({ open: three, proofTimeout: 200 });
    editor.behave("honest", "lies", "honest");
    editor.beforeEdits(async () => {
      if (editor.asked.length === 2) await editor.close(uri("b.txt"));
    });
    const answer = await told(apply(threeEdits));
    expect(answer).toMatchObject({ outcome: "unknown", codes: ["clientDiverged"] });
    expect(answer.text).toContain(rolledBack("a.txt"));
    expect(texts()).toEqual({ "a.txt": three["a.txt"], "c.txt": three["c.txt"] });
  });

  it("syncs an invalid change: the document is out of sync, and the other documents are rolled back", async () => {
    const { editor, apply, texts, uri } = await start({ open: three, proofTimeout: 200 });
    editor.behave("honest", "lies", "honest");
    const range = { start: { line: 90, character: 0 }, end: { line: 90, character: 0 } };
    editor.beforeEdits(async () => {
      if (editor.asked.length !== 2) return;
      const textDocument = { uri: uri("b.txt"), version: 2 };
      await editor.notify("textDocument/didChange", { textDocument, contentChanges: [{ range, text: "?" }] });
    });
    const answer = await told(apply(threeEdits));
    expect(answer).toMatchObject({ outcome: "unknown", codes: ["clientDiverged"] });
    expect(answer.text).toContain(rolledBack("a.txt"));
    expect(texts()).toEqual(three);
  });
});

describe("Neovim, whose texts always end with a line ending", () => {
  const neovim: DeskOptions = { clientInfo: { name: "Neovim" }, finalLineEnd: "returns", proofTimeout: 400 };

  it("restores the line ending that an edit removes: the edit still counts as applied", async () => {
    const { editor, apply, texts } = await start({ ...neovim, open: { ...three, "b.txt": "one\nold\n" } });
    const answer = await apply(batch(["b.txt", "old\n", "new"], ["c.txt", "old c", "new c"]));
    expect(answer).toMatchObject({ applied: true, outcome: "applied" });
    expect(texts()).toMatchObject({ "b.txt": "one\nnew\n", "c.txt": threeAfter["c.txt"] });
    expect(editor.refusals).toEqual([]);
  });

  it("restores the line ending, and a later document fails: the batch is rolled back all the same", async () => {
    const open = { ...three, "b.txt": "one\nold\n" };
    const { editor, apply, texts } = await start({ ...neovim, open });
    editor.behave("honest", "refuses", "honest");
    const failure = await failed(apply(batch(["b.txt", "old\n", "new"], ["c.txt", "old c", "new c"])));
    expect(failure.message).toContain(rolledBack("b.txt"));
    expect(texts()).toEqual(open);
  });

  it("keeps one line ending in an emptied text", async () => {
    const { apply, texts } = await start({ ...neovim, open: { "a.txt": "old\n" } });
    expect(await apply(batch(["a.txt", "old\n", ""]))).toMatchObject({ outcome: "applied" });
    expect(texts()).toEqual({ "a.txt": "\n" });
  });

  it("opens a new file with one empty line, which the text replaces", async () => {
    const { apply, texts, editor } = await start({ ...neovim, open: { "a.txt": "old\n" } });
    const answer = await apply(throughEditor(batch(["a.txt", "old", "new"], ["dir/new.txt", "", "text\nmore\n"])));
    expect(answer).toMatchObject({ outcome: "applied" });
    expect(texts()).toEqual({ "a.txt": "new\n", "dir/new.txt": "text\nmore\n" });
    expect(editor.refusals).toEqual([]);
  });
});

describe("consecutive batches", () => {
  it("are applied in the order of their arrival, each to the texts that the one before it left", async () => {
    const { apply, texts, editor, uri } = await start({ open: { "a.txt": "1\n", "b.txt": "1\n" } });
    const step = (from: number) =>
      apply(batch(["a.txt", `${from}`, `${from + 1}`], ["b.txt", `${from}`, `${from + 1}`]));
    const answers = await Promise.all([step(1), step(2), step(3), step(4)]);
    expect(answers.map(({ outcome }) => outcome)).toEqual(["applied", "applied", "applied", "applied"]);
    expect(texts()).toEqual({ "a.txt": "5\n", "b.txt": "5\n" });
    const order = editor.asked.map(({ edit }) => edit.documentChanges?.[0]);
    expect(order).toMatchObject(
      [1, 2, 3, 4].flatMap((version) =>
        ["a.txt", "b.txt"].map((path) => ({ textDocument: { uri: uri(path), version } })),
      ),
    );
  });

  it("do not wait forever after one that failed", async () => {
    const { apply, texts, editor } = await start({ open: { "a.txt": "1\n" }, proofTimeout: 200 });
    editor.behave("refuses", "honest");
    const answers = await Promise.allSettled([
      apply(batch(["a.txt", "1", "one"])),
      apply(batch(["a.txt", "gone", "x"])),
      apply(batch(["a.txt", "1", "2"])),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
    expect(texts()).toEqual({ "a.txt": "2\n" });
  });

  it("a call whose edits undo each other asks the editor for nothing", async () => {
    const { apply, texts, editor } = await start({ open: { "a.txt": "1\n" } });
    const answer = await apply(batch(["a.txt", "1", "2"], ["a.txt", "2", "1"]));
    expect(answer).toMatchObject({ applied: true, outcome: "applied", diff: "" });
    expect(texts()).toEqual({ "a.txt": "1\n" });
    expect(editor.asked).toEqual([]);
  });
});
