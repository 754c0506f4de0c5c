/**
 * The user types while the server's edits are being applied: no keystroke is lost, and no edit is misplaced or applied
 * twice.
 */
import { describe, expect, it } from "vitest";
import { limits } from "../server/text/limits.js";
import { batch, type Desk, type DeskOptions, failed, layDesk, serverForDesks, told } from "./support/desk.js";
import { rolledBack, rolledBackBegin } from "./support/rolledBack.js";

const program = serverForDesks();

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, { proofTimeout: 300, ...options });

/** Calls `type` just before the editor handles the server's `n`-th edit, counted from 1. */
function typeBeforeEdit(desk: Desk, n: number, type: () => Promise<void>): void {
  desk.editor.beforeEdits(async () => {
    if (desk.editor.asked.length === n) await type();
  });
}

describe("an edit that the editor applies to a later text, in the wrong place, because the user typed", () => {
  it("into the old text: it is rolled back, and nothing changes because the user has changed the old text", async () => {
    const desk = await start({ open: { "a.txt": "old a\n", "b.txt": "first\nold b\n" } });
    desk.editor.behave("ignoresVersions");
    typeBeforeEdit(desk, 2, () => desk.typeBefore("b.txt", "ld b", "x"));
    const failure = await failed(desk.apply(batch(["a.txt", "old a", "new a"], ["b.txt", "old b", "new b"])));
    expect(failure.codes).toEqual(["contentModified"]);
    expect(desk.texts()).toEqual({ "a.txt": "old a\n", "b.txt": "first\noxld b\n" });
  });

  it.each([
    ["right before it", "old", "x "],
    ["on a line above", "first", "typed\n"],
  ])("%s: it is rolled back and applied in the right place", async (_where, before, insert) => {
    const text = "first\none old b\nlast\n";
    const desk = await start({ open: { "a.txt": text } });
    desk.editor.behave("ignoresVersions");
    typeBeforeEdit(desk, 1, () => desk.typeBefore("a.txt", before, insert));
    expect(await desk.apply(batch(["a.txt", "old b", "new b"]))).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": text.replace(before, insert + before).replace("old b", "new b") });
  });

  it("on a line above, so that the edit hits an equal line: it is rolled back and applied to the right one", async () => {
    const desk = await start({ open: { "a.txt": "top\nx\nsame\nsame\nend\n" } });
    desk.editor.behave("ignoresVersions");
    typeBeforeEdit(desk, 1, () => desk.typeBefore("a.txt", "top", "typed\n"));
    const call = { edits: [{ path: "a.txt", oldText: "same", newText: "new", line: 4 }] };
    expect(await desk.apply(call)).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": "typed\ntop\nx\nsame\nnew\nend\n" });
    // The edit, its removal, and the edit in the right place.
    expect(desk.editor.asked).toHaveLength(3);
  });

  it("before each request, even the one that rolls back: the server stops, and the answer says that the outcome is unknown", async () => {
    const desk = await start({ open: { "a.txt": "aaaa\nbbbb\ncccc\ndddd\neeee\n" } });
    desk.editor.behave("ignoresVersions");
    desk.editor.beforeEdits(() => desk.typeBefore("a.txt", "aaaa", "type\n"));
    const answer = await desk.apply(batch(["a.txt", "cccc", "CCCC"]));
    expect(answer.outcome).toBe("unknown");
    expect(desk.editor.asked).toHaveLength(2);
  });

  it("after it: this does no harm", async () => {
    const desk = await start({ open: { "a.txt": "one old b\nlast\n" } });
    desk.editor.behave("ignoresVersions");
    typeBeforeEdit(desk, 1, () => desk.typeBefore("a.txt", "last", "typed "));
    expect(await desk.apply(batch(["a.txt", "old", "new"]))).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": "one new b\ntyped last\n" });
    expect(desk.editor.asked).toHaveLength(1);
  });
});

describe("a text that changes before the editor applies the edit", () => {
  it("is matched again, and the typed text stays", async () => {
    const desk = await start({ open: { "a.txt": "1\n2\nold\n", "b.txt": "old\n" } });
    typeBeforeEdit(desk, 1, () => desk.typeBefore("a.txt", "1", "typed\n"));
    const answer = await desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"]));
    expect(answer).toMatchObject({ applied: true, outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": "typed\n1\n2\nnew\n", "b.txt": "new\n" });
    // The answer describes the text to which the edit was finally applied.
    expect(answer.files[0]).toMatchObject({ path: "a.txt", version: 2, firstChangedLine: 4 });
    expect(answer.edits[0]!.places).toEqual([{ startLine: 4, endLine: 4 }]);
    expect(answer.edit?.documentChanges?.[0]).toMatchObject({
      textDocument: { uri: desk.uri("a.txt"), version: 2 },
      edits: [{ range: { start: { line: 3, character: 0 } } }],
    });
    expect(answer.diff).toContain("@@ -1,4 +1,4 @@\n typed\n 1\n 2\n-old\n+new\n");
  });

  it("and no longer contains the old text: the call fails, and the other document is rolled back", async () => {
    const desk = await start({ open: { "a.txt": "old\n", "b.txt": "an old text\n" } });
    typeBeforeEdit(desk, 2, () => desk.typeBefore("b.txt", "ld", "u"));
    const failure = await failed(desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"])));
    expect(failure.codes).toEqual(["contentModified"]);
    expect(failure.failures[0]).toMatchObject({ index: 1, path: "b.txt" });
    expect(failure.message).toContain(rolledBack("a.txt"));
    expect(failure.edits.map(({ index, status }) => [index, status])).toEqual([
      [0, "notAttempted"],
      [1, "failed"],
    ]);
    expect(desk.texts()).toEqual({ "a.txt": "old\n", "b.txt": "an ould text\n" });
  });

  it("and now contains the old text twice: the call fails, and the server does not guess", async () => {
    const desk = await start({ open: { "a.txt": "old\n" } });
    typeBeforeEdit(desk, 1, () => desk.typeBefore("a.txt", "old", "old\n"));
    const failure = await failed(desk.apply(batch(["a.txt", "old", "new"])));
    expect(failure.codes).toEqual(["ambiguousMatch"]);
    expect(desk.texts()).toEqual({ "a.txt": "old\nold\n" });
  });

  it("at every attempt: the call fails with contentModified", async () => {
    const desk = await start({ open: { "a.txt": "old\n", "b.txt": "old\n" } });
    desk.editor.beforeEdits(async () => {
      if (desk.editor.asked.length > 1 && desk.editor.asked.length <= limits.rematches + 2)
        await desk.typeBefore("b.txt", "old", "x\n");
    });
    const failure = await failed(desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"])));
    expect([failure.rpcCode, failure.codes]).toEqual([-32803, ["contentModified"]]);
    expect(failure.message).toContain(rolledBack("a.txt"));
    expect(desk.texts()).toEqual({ "a.txt": "old\n", "b.txt": `${"x\n".repeat(limits.rematches + 1)}old\n` });
  });

  it("so that it contains the new text: the edit is not applied twice", async () => {
    const desk = await start({ open: { "a.txt": "1\nfoo\n" } });
    typeBeforeEdit(desk, 1, () => desk.typeBefore("a.txt", "1", "typed\n"));
    await desk.apply(batch(["a.txt", "foo", "foo foo"]));
    expect(desk.texts()).toEqual({ "a.txt": "typed\n1\nfoo foo\n" });
  });

  it("in a document that already has its edit: the edit stays applied", async () => {
    const desk = await start({ open: { "a.txt": "old\n", "b.txt": "old\n" } });
    typeBeforeEdit(desk, 2, () => desk.typeBefore("a.txt", "new", "typed\n"));
    const answer = await desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"]));
    expect(answer).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": "typed\nnew\n", "b.txt": "new\n" });
  });

  it("in a document that must be rolled back: no typed text is lost, and the answer says which document contains what", async () => {
    const desk = await start({ open: { "a.txt": "1\nold\n", "b.txt": "old\n" } });
    desk.editor.behave("honest", "refuses", "honest");
    typeBeforeEdit(desk, 2, () => desk.typeBefore("a.txt", "1", "typed\n"));
    const answer = await told(desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"])));
    const isBack = answer.outcome === "failed";
    expect(answer.text).toMatch(isBack ? `${rolledBackBegin}a.txt` : /still contain the edit.*: a\.txt/);
    expect(answer.edits.map(({ status }) => status)).toEqual([isBack ? "notAttempted" : "applied", "failed"]);
    expect(desk.texts()).toEqual({ "a.txt": `typed\n1\n${isBack ? "old" : "new"}\n`, "b.txt": "old\n" });
  });
});

describe("typing that reaches the server in one change with the edit", () => {
  const text = "first\nold\nlast\n";
  const edits = batch(["a.txt", "old", "old and new"], ["b.txt", "old", "new"]);

  it.each<["changes" | "wholeText", string, number, string]>([
    ["changes", "above it", 0, "Xfirst\nold and new\nlast\n"],
    ["changes", "below it", "first\nold and new\nl".length, "first\nold and new\nlXast\n"],
    ["wholeText", "above it", 0, "Xfirst\nold and new\nlast\n"],
    ["wholeText", "below it", "first\nold and new\nl".length, "first\nold and new\nlXast\n"],
  ])("synced as %s, typed %s: the edit is recognised and not applied again", async (tells, _where, from, expected) => {
    const desk = await start({ open: { "a.txt": text, "b.txt": "old\n" }, tells });
    desk.editor.typeWithNextEdit({ uri: desk.uri("a.txt"), from, to: from, insert: "X" });
    expect(await desk.apply(edits)).toMatchObject({ applied: true, outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": expected, "b.txt": "new\n" });
    expect(desk.editor.asked).toHaveLength(2);
  });

  it.each<["changes" | "wholeText", number, string]>([
    ["changes", "first\nold and new".length, "first\nold and newX\nlast\n"],
    ["wholeText", "first\nold and new".length, "first\nold and newX\nlast\n"],
    ["changes", "first\nold and".length, "first\nold andX new\nlast\n"],
    ["wholeText", "first\nold ".length, "first\nold Xand new\nlast\n"],
  ])(
    "synced as %s, typed into the new text at %i: the edit is not applied again, and the answer is true",
    async (tells, from, expected) => {
      const desk = await start({ open: { "a.txt": text, "b.txt": "old\n" }, tells });
      desk.editor.typeWithNextEdit({ uri: desk.uri("a.txt"), from, to: from, insert: "X" });
      const { outcome, text: said } = await told(desk.apply(edits));
      expect(desk.texts()["a.txt"]).toBe(expected);
      if (outcome === "applied") expect(desk.texts()["b.txt"]).toBe("new\n");
      else {
        expect(said).toContain("neither the old nor the planned text");
        expect(desk.texts()["b.txt"]).toBe("old\n");
      }
    },
  );

  it("and undoes the edit: the answer describes the text correctly", async () => {
    const desk = await start({ open: { "a.txt": text } });
    const [from, to] = ["first\nold".length, "first\nold and new".length];
    desk.editor.typeWithNextEdit({ uri: desk.uri("a.txt"), from, to, insert: "" });
    const outcome = await desk.apply(batch(["a.txt", "old", "old and new"])).then(
      (answer) => answer.outcome,
      () => "failed",
    );
    const expected = outcome === "applied" ? text.replace("old", "old and new") : text;
    expect(desk.texts()).toEqual({ "a.txt": expected });
  });

  it("on both sides of it: the edit is not applied again", async () => {
    const desk = await start({ open: { "a.txt": text }, tells: "wholeText" });
    await desk.typeBefore("a.txt", "last", "X");
    typeBeforeEdit(desk, 1, () => desk.typeBefore("a.txt", "first", "Y"));
    desk.editor.behave("ignoresVersions");
    desk.editor.typeWithNextEdit({ uri: desk.uri("a.txt"), from: 0, to: 0, insert: "Z" });
    await desk.apply(batch(["a.txt", "old", "old and new"])).catch(() => undefined);
    expect(desk.texts()).toEqual({ "a.txt": "ZYfirst\nold and new\nXlast\n" });
  });
});

describe("an editor that ignores versions while the user types", () => {
  it("so that the edit lands in the wrong place: it is rolled back, and applied where it belongs", async () => {
    const desk = await start({ open: { "a.txt": "old\n", "b.txt": "an old text\n", "c.txt": "old\n" } });
    desk.editor.behave("ignoresVersions");
    typeBeforeEdit(desk, 2, () => desk.typeBefore("b.txt", "an", "<<"));
    const edits = batch(["a.txt", "old", "new"], ["b.txt", "old", "new"], ["c.txt", "old", "new"]);
    expect(await desk.apply(edits)).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": "new\n", "b.txt": "<<an new text\n", "c.txt": "new\n" });
  });

  it("below the edit: it is proved to be where it belongs", async () => {
    const desk = await start({ open: { "a.txt": "old\nlast\n", "b.txt": "old\n" } });
    desk.editor.behave("ignoresVersions");
    typeBeforeEdit(desk, 1, () => desk.typeBefore("a.txt", "last", "typed "));
    const answer = await desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"]));
    expect(answer).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": "new\ntyped last\n", "b.txt": "new\n" });
  });
});

describe("a user who keeps typing", () => {
  /** A mark that no edit touches; the keys are typed before it. */
  const cursor = "|cursor|";
  const batches = 30;
  const lines = (name: string): string =>
    Array.from({ length: batches }, (_, i) => `${name} line ${i} of old text`).join("\n");
  const page = (name: string): string => `${lines(name).replace("\n", `\n${cursor}\n`)}\nlast\n`;

  it.each<["beforeAnswer" | "afterAnswer", "changes" | "wholeText"]>([
    ["afterAnswer", "changes"],
    ["beforeAnswer", "wholeText"],
  ])("synced %s, as %s: thirty batches over two documents lose nothing and misplace nothing", async (syncs, tells) => {
    const desk = await start({ open: { "a.txt": page("a"), "b.txt": page("b") }, syncs, tells, proofTimeout: 1_000 });
    const typed: Record<string, string> = { "a.txt": "", "b.txt": "" };
    const type = async (path: string): Promise<void> => {
      const key = String.fromCharCode(0x61 + (typed[path]!.length % 26));
      typed[path] += key;
      await desk.typeBefore(path, cursor, key);
    };
    // Types twenty keys a second, and one more just before every fourth edit is applied.
    const typist = setInterval(() => void type(Math.random() < 0.5 ? "a.txt" : "b.txt"), 50);
    desk.editor.beforeEdits(async () => {
      const { length } = desk.editor.asked;
      if (length % 4 === 0) await type(length % 8 === 0 ? "a.txt" : "b.txt");
    });
    try {
      for (let i = 0; i < batches; i++) {
        const edits = ["a", "b"].map((name) => {
          const line = `${name} line ${i} of`;
          return [`${name}.txt`, `${line} old text\n`, `${line} new text\nand of old text\n`] as const;
        });
        expect(await untilApplied(desk, batch(...edits))).toMatchObject({ outcome: "applied" });
      }
    } finally {
      clearInterval(typist);
    }
    const model = (name: string): string =>
      page(name)
        .replaceAll("of old text\n", "of new text\nand of old text\n")
        .replace(cursor, `${typed[`${name}.txt`]}${cursor}`);
    expect(desk.texts()).toEqual({ "a.txt": model("a"), "b.txt": model("b") });
    expect((await desk.read({ path: "a.txt" })).text).toBe(model("a"));
    expect((await desk.read({ path: "b.txt" })).text).toBe(model("b"));
    expect(Object.values(typed).join("").length).toBeGreaterThan(12);
  });
});

/** Acts as an agent: retries a call only if it failed because the user typed in the same place too often. */
async function untilApplied(desk: Desk, call: ReturnType<typeof batch>, tries = 10): Promise<unknown> {
  try {
    return await desk.apply(call);
  } catch (error) {
    const { codes } = await failed(Promise.reject(error));
    expect(new Set(codes)).toEqual(new Set(["contentModified"]));
    if (tries === 1) throw error;
    return untilApplied(desk, call, tries - 1);
  }
}

describe("an edit whose place changes again before the answer", () => {
  const changedAgain = (lines: string): string =>
    `a.txt has changed again at ${lines} since the edit was applied: the diff no longer shows the text that is there`;

  it.each([
    ["in the middle of it", "ew a", "x", "line 2"],
    ["over several lines", "ew a", "x\ny\nz", "lines 2-4"],
  ])("%s: the answer says where", async (_where, before, typed, lines) => {
    const desk = await start({ open: { "a.txt": "first\nold a\n", "b.txt": "old b\n" } });
    typeBeforeEdit(desk, 2, () => desk.typeBefore("a.txt", before, typed));
    const answer = await desk.apply(batch(["a.txt", "old a", "new a"], ["b.txt", "old b", "new b"]));
    expect(answer).toMatchObject({ outcome: "applied" });
    expect(answer.warnings).toContain(changedAgain(lines));
  });

  it("elsewhere: there is no warning", async () => {
    const desk = await start({ open: { "a.txt": "first\nold a\n", "b.txt": "old b\n" } });
    typeBeforeEdit(desk, 2, () => desk.typeBefore("a.txt", "first", "x"));
    const answer = await desk.apply(batch(["a.txt", "old a", "new a"], ["b.txt", "old b", "new b"]));
    expect(answer.warnings.filter((warning) => warning.includes("again"))).toEqual([]);
  });

  it("because the editor reverts the document: the answer says so", async () => {
    const desk = await start({ open: { "a.txt": "first\nold a\n", "b.txt": "old b\n" } });
    typeBeforeEdit(desk, 2, async () => {
      await desk.editor.type({ uri: desk.uri("a.txt"), from: 6, to: 9, insert: "old" });
    });
    const answer = await desk.apply(batch(["a.txt", "old a", "new a"], ["b.txt", "old b", "new b"]));
    expect(answer.warnings).toContain(changedAgain("line 2"));
  });
});
