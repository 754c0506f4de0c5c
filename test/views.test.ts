/** Edits that are placed by an earlier text, because the user has typed since the caller saw it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareTexts } from "../server/match/compareTexts.js";
import { announced, friend, ownStateHome } from "./support/agentPeer.js";
import { batch, type Desk, type DeskOptions, failed, layDesk, patchOf, serverForDesks } from "./support/desk.js";
import { lawRuns } from "./support/extent.js";

const program = serverForDesks();

const twins = ["def a():", "    x = load()", "    return x", "", "def b():", "    x = load()", "    return x", ""].join(
  "\n",
);

const start = (options: DeskOptions = {}): Promise<Desk> =>
  layDesk(program, { files: { "f.py": twins }, open: { "f.py": twins }, ...options });

const inA = patchOf("*** Update File: f.py", "@@ -2,2 +2,2 @@", "     x = load()", "-    return x", "+    return y");

describe("a hunk for a place at which the user has typed, with the same lines below", () => {
  it("is applied to the place that the caller read, between whose lines the user has typed", async () => {
    const desk = await start();
    await desk.read({ path: "f.py" });
    await desk.typeBefore("f.py", "    return x", "    # ask Ann\n");
    const answer = await desk.apply(inA);
    expect(desk.texts()["f.py"]).toBe(twins.replace("    return x", "    # ask Ann\n    return y"));
    expect(answer.edits[0]).toMatchObject({ status: "applied", base: "read", places: [{ startLine: 2, endLine: 4 }] });
    expect(answer.warnings.join("\n")).toContain("# ask Ann");
  });

  it("is applied there, too, if the editor syncs a byte order mark", async () => {
    const text = `\ufeff${twins}`;
    const desk = await start({ files: { "f.py": text }, open: { "f.py": text } });
    await desk.read({ path: "f.py" });
    await desk.typeBefore("f.py", "    return x", "    # ask Ann\n");
    expect((await desk.apply(inA)).edits[0]).toMatchObject({ status: "applied", base: "read" });
    expect(desk.texts()["f.py"]).toBe(text.replace("    return x", "    # ask Ann\n    return y"));
  });

  it("keeps a comment that was typed on the line that it changes", async () => {
    const desk = await start();
    await desk.read({ path: "f.py" });
    await desk.typeBefore("f.py", "\n\ndef b", "  # ask Ann");
    expect((await desk.apply(inA)).edits[0]).toMatchObject({ status: "applied", base: "read" });
    expect(desk.texts()["f.py"]).toBe(twins.replace("    return x", "    return y  # ask Ann"));
  });

  it("is refused if the word that it changes was changed", async () => {
    const desk = await start();
    await desk.read({ path: "f.py" });
    await desk.typeBefore("f.py", "\n\ndef b", "z");
    const before = desk.texts();
    for (let i = 0; i < 2; i++) expect((await failed(desk.apply(inA))).codes).toEqual(["contentModified"]);
    expect(desk.texts()).toEqual(before);
  });

  it("is applied to the place that its number names in the file on disk, if the caller has read nothing", async () => {
    const desk = await start();
    await desk.typeBefore("f.py", "    return x", "    # ask Ann\n");
    expect((await desk.apply(inA)).edits[0]).toMatchObject({ status: "applied", base: "saved" });
    expect(desk.texts()["f.py"]).toBe(twins.replace("    return x", "    # ask Ann\n    return y"));
  });

  it("is refused if it has no number, and the caller can have seen the file on disk or the present text", async () => {
    const desk = await start();
    await desk.typeBefore("f.py", "    return x", "    # ask Ann\n");
    const hunk = patchOf("*** Update File: f.py", "@@", "     x = load()", "-    return x", "+    return y");
    const refusal = await failed(desk.apply(hunk));
    expect(refusal.codes).toEqual(["ambiguousMatch"]);
    expect(refusal.failures[0]!.matches?.map(({ line }) => line)).toEqual([2, 7]);
  });
});

describe("an edit for a place at which the user has typed", () => {
  const request = batch(["f.py", "def a():\n    x = load()\n    return x", "def a():\n    x = load()\n    return y"]);

  it("is merged there by the file on disk", async () => {
    const desk = await start();
    await desk.typeBefore("f.py", "    return x", "    # ask Ann\n");
    expect((await desk.apply(request)).edits[0]).toMatchObject({ status: "applied", base: "saved" });
    expect(desk.texts()["f.py"]).toBe(twins.replace("    return x", "    # ask Ann\n    return y"));
  });
});

describe("a file whose line endings the editor syncs as LF", () => {
  it.each(["\r\n", "\r"])("is the same text to the caller, with %j on disk", async (ending) => {
    const lines = ["one", "two", "three", ""];
    const files = { "f.py": lines.join(ending) };
    const desk = await start({ files, open: { "f.py": lines.join("\n") } });
    expect(await desk.apply(batch(["f.py", "one\ntwo", "one\n2"]))).toMatchObject({ outcome: "applied" });
    expect(desk.texts()["f.py"]).toBe("one\n2\nthree\n");
  });
});

describe("an edit for a part of a line that the user has typed on", () => {
  it("is applied there, if the line has the old text once", async () => {
    const desk = await start({ files: { "f.py": "two\n" }, open: { "f.py": "typed two\n" } });
    expect(await desk.apply(batch(["f.py", "two", "2"]))).toMatchObject({ outcome: "applied" });
    expect(desk.texts()["f.py"]).toBe("typed 2\n");
  });

  it("is applied there, if lines were typed above it, too", async () => {
    const desk = await start({ files: { "f.py": "one()\n" }, open: { "f.py": "mine\none()\n" } });
    await desk.typeBefore("f.py", "one", "x=");
    expect(await desk.apply(batch(["f.py", "one", "two"]))).toMatchObject({ outcome: "applied" });
    expect(desk.texts()["f.py"]).toBe("mine\nx=two()\n");
  });

  it("is refused if a letter was typed at the word that it changes", async () => {
    const desk = await start({ files: { "f.py": "one()\n" }, open: { "f.py": "mine\none()\n" } });
    await desk.typeBefore("f.py", "one", "x");
    expect((await failed(desk.apply(batch(["f.py", "one", "two"])))).codes).toEqual(["contentModified"]);
    expect(desk.texts()["f.py"]).toBe("mine\nxone()\n");
  });

  it("is not applied to what the user has typed elsewhere on the line", async () => {
    const desk = await start({ files: { "f.py": "a(); two\n" }, open: { "f.py": "two; two\n" } });
    expect((await failed(desk.apply(batch(["f.py", "two", "2"])))).codes).toEqual(["ambiguousMatch"]);
    expect(desk.texts()["f.py"]).toBe("two; two\n");
  });
});

describe("a caller's own edit", () => {
  it.each(["", "0", "a\n"])(
    "of a text that the file on disk lacks can be followed by others there: %j",
    async (disk) => {
      const desk = await layDesk(program, { files: { "f.ts": disk }, open: { "f.ts": "0\n" } });
      for (let i = 0; i < 6; i++) {
        expect(await desk.apply(batch(["f.ts", String(i), String(i + 1)]))).toMatchObject({ outcome: "applied" });
      }
      expect(desk.texts()["f.ts"]).toBe("6\n");
    },
  );

  const lines = "one();\nuse(a);\ntwo();\nuse(b);\nthree();\n";
  const open = { "f.ts": lines };

  it("belongs to what it has seen: the next edit builds on it, although the file has the same text below", async () => {
    const desk = await layDesk(program, { files: open, open });
    await desk.read({ path: "f.ts" });
    await desk.apply(batch(["f.ts", "one();\nuse(a);", "one();\nuse(b);"]));
    await desk.typeBefore("f.ts", "two();", "// typed\n");
    const next = { path: "f.ts", oldText: "use(b);\ntwo();", newText: "use(c);\ntwo();" };
    const answer = await desk.apply(next);
    expect(answer.edits[0]).toMatchObject({ status: "applied", base: "read" });
    expect(desk.texts()["f.ts"]).toBe("one();\nuse(c);\n// typed\ntwo();\nuse(b);\nthree();\n");
  });

  it("is not made at the other place if the user has undone it", async () => {
    const desk = await layDesk(program, { files: open, open });
    await desk.read({ path: "f.ts" });
    await desk.apply(batch(["f.ts", "use(a);", "use(b);"]));
    const from = lines.indexOf("use(a)");
    await desk.editor.type({ uri: desk.uri("f.ts"), from, to: from + 7, insert: "use(a);" });
    const refusal = await failed(desk.apply({ path: "f.ts", oldText: "use(b);", newText: "use(c);", line: 2 }));
    expect(refusal.codes).toEqual(["contentModified"]);
    expect(desk.texts()["f.ts"]).toBe(lines);
  });

  it("of several hunks that the user has undone is not made elsewhere, and can be made again", async () => {
    const text = ["use(a);", "one();", "use(b);", "two();", "", "use(c);", "one();", "use(d);", "two();", ""].join(
      "\n",
    );
    const desk = await layDesk(program, { files: { "f.ts": text }, open: { "f.ts": text } });
    await desk.read({ path: "f.ts" });
    const patch = patchOf("*** Update File: f.ts", "@@", "-use(a);", "+use(c);", "@@", "-use(b);", "+use(d);");
    await desk.apply(patch);
    for (const [now, before] of [
      ["d", "b"],
      ["c", "a"],
    ] as const) {
      const from = desk.texts()["f.ts"]!.indexOf(`use(${now})`);
      await desk.editor.type({ uri: desk.uri("f.ts"), from: from + 4, to: from + 5, insert: before });
    }
    expect(desk.texts()["f.ts"]).toBe(text);
    const next = patchOf(
      ...["*** Update File: f.ts", "@@ -1 +1 @@", "-use(c);", "+use(e);"],
      ...["@@ -3 +3 @@", "-use(d);", "+use(f);"],
    );
    const refusal = await failed(desk.apply(next));
    expect(refusal.codes).toEqual(["contentModified", "contentModified"]);
    expect(desk.texts()["f.ts"]).toBe(text);
    await desk.apply(patch);
    expect(desk.texts()["f.ts"]).toBe(text.replace("use(a)", "use(c)").replace("use(b)", "use(d)"));
  });

  it("is made as usual after the caller has undone it itself", async () => {
    const desk = await layDesk(program, { files: open, open });
    await desk.read({ path: "f.ts" });
    await desk.apply(batch(["f.ts", "use(a);", "use(b);"]));
    await desk.undo();
    await desk.typeBefore("f.ts", "two();", "// typed\n");
    await desk.apply(batch(["f.ts", "use(a);\ntwo();", "use(d);\ntwo();"]));
    expect(desk.texts()["f.ts"]).toBe("one();\nuse(d);\n// typed\ntwo();\nuse(b);\nthree();\n");
  });

  it("belongs to what it has seen if the client applies it itself", async () => {
    const desk = await layDesk(program, { files: open, open });
    await desk.read({ path: "f.ts" });
    const { edit } = await desk.propose(batch(["f.ts", "one();\nuse(a);", "one();\nuse(b);"]));
    await desk.editor.apply(edit!);
    await desk.typeBefore("f.ts", "two();", "// typed\n");
    await desk.apply({ path: "f.ts", oldText: "use(b);\ntwo();", newText: "use(c);\ntwo();" });
    expect(desk.texts()["f.ts"]).toBe("one();\nuse(c);\n// typed\ntwo();\nuse(b);\nthree();\n");
  });
});

describe("lines that a caller has read, after its own edit above them", () => {
  it("are still the lines that it has read", async () => {
    const desk = await start();
    await desk.read({ path: "f.py", startLine: 5, endLine: 7 });
    const lines = "# 1\n# 2\n# 3\n# 4\n# 5\n# 6\n# 7\n# 8\n";
    await desk.apply(batch(["f.py", "def a():", `${lines}def a():`]));
    const before = desk.texts()["f.py"]!;
    const from = before.lastIndexOf("    return x");
    await desk.editor.type({ uri: desk.uri("f.py"), from, to: from, insert: "    # ask Ann\n" });
    const answer = await desk.apply({
      path: "f.py",
      oldText: "    x = load()\n    return x",
      newText: "    x = load()\n    return y",
      line: 14,
    });
    expect(answer.edits[0]).toMatchObject({ status: "applied", base: "read" });
    expect(desk.texts()["f.py"]).toBe(`${before.slice(0, from)}    # ask Ann\n    return y\n`);
  });
});

describe("an editor that syncs whole texts", () => {
  it("has an edit merged at a place that is certain", async () => {
    const desk = await start({ tells: "wholeText" });
    await desk.read({ path: "f.py" });
    await desk.typeBefore("f.py", "    return x", "    # ask Ann\n");
    await desk.apply({ path: "f.py", oldText: "def a():\n    x = load()", newText: "def a():\n    x = read()" });
    const request = batch(["f.py", "x = read()\n    return x", "x = read()\n    return y"]);
    await desk.apply(request);
    expect(desk.texts()["f.py"]).toBe(
      twins.replace("    x = load()\n    return x", "    x = read()\n    # ask Ann\n    return y"),
    );
  });

  it("has an edit merged if the text differs in one place, although the same lines occur elsewhere", async () => {
    const desk = await start({ tells: "wholeText" });
    await desk.read({ path: "f.py" });
    await desk.typeBefore("f.py", "    return x", "    # ask Ann\n");
    await desk.apply(inA);
    expect(desk.texts()["f.py"]).toBe(twins.replace("    return x", "    # ask Ann\n    return y"));
  });

  it("does not have an edit merged if the text differs in several places, and the same lines occur elsewhere", async () => {
    const desk = await start({ tells: "wholeText" });
    await desk.read({ path: "f.py" });
    const now = `# ask Ann\n${twins}# typed\n`;
    await desk.editor.type({ uri: desk.uri("f.py"), from: 0, to: twins.length, insert: now });
    expect((await failed(desk.apply(inA))).codes).toEqual(["contentModified"]);
    expect(desk.texts()["f.py"]).toBe(now);
  });

  it("does not have an edit merged if other lines of its place may have been moved", async () => {
    const lines = (order: string): string => [...order].map((name) => `the_line_${name}()\n`).join("");
    const [before, now] = [lines("abcdefghi"), lines("efadghi")];
    const desk = await layDesk(program, { files: { "f.py": before }, open: { "f.py": before }, tells: "wholeText" });
    await desk.read({ path: "f.py" });
    await desk.editor.type({ uri: desk.uri("f.py"), from: 0, to: before.length, insert: now });
    const refusal = await failed(desk.apply(batch(["f.py", lines("def"), lines("xef")])));
    expect(refusal.codes).toEqual(["contentModified"]);
    expect(desk.texts()["f.py"]).toBe(now);
  });

  it("has an edit placed by the last read, not by an earlier one that has the present text", async () => {
    const text = "if a:\n    return x\n  return\n\ndef b():\n  return x\n\nend\n";
    const desk = await layDesk(program, { files: { "f.py": text }, open: { "f.py": text }, tells: "wholeText" });
    const [from, gone] = [text.indexOf("  return\n"), "  return\n"];
    await desk.read({ path: "f.py" });
    await desk.editor.type({ uri: desk.uri("f.py"), from, to: from + gone.length, insert: "" });
    await desk.read({ path: "f.py" });
    await desk.editor.type({ uri: desk.uri("f.py"), from, to: from, insert: gone });
    const hunk = patchOf("*** Update File: f.py", "@@ -2,2 +2,3 @@", "+    y()", "     return x", " ");
    expect((await desk.apply(hunk)).edits[0]).toMatchObject({ status: "applied", base: "read" });
    expect(desk.texts()["f.py"]).toBe(text.replace("    return x", "    y()\n    return x"));
  });
});

describe("an editor that inserts the new lines of a text before it removes the old ones, as Neovim does", () => {
  it.each([false, true])("does not have an edit merged into another function; read in between: %j", async (isRead) => {
    const desk = await start();
    await desk.read({ path: "f.py" });
    // A program has sorted the functions and added a line.
    const uri = desk.uri("f.py");
    const [a, b] = [twins.slice(0, twins.indexOf("def b")).trimEnd(), twins.slice(twins.indexOf("def b"))];
    const sorted = `${b.replace("    return", "    # note\n    return")}\n${a}\n`;
    await desk.editor.type({ uri, from: twins.length, to: twins.length, insert: sorted });
    if (isRead) await desk.read({ path: "f.py", endLine: 1 });
    await desk.editor.type({ uri, from: 0, to: twins.length, insert: "" });
    expect(desk.texts()["f.py"]).toBe(sorted);
    expect((await failed(desk.apply(inA))).codes).toEqual(["contentModified"]);
    expect(desk.texts()["f.py"]).toBe(sorted);
  });
});

describe("two agents", () => {
  it("each have their edits placed by what they have read themselves", async () => {
    const home = ownStateHome();
    const desk = await start({ clientInfo: { name: "Tester" } });
    const [session] = await announced(home);
    const [one, two] = [
      await friend(session, { name: "one", agent: "1" }),
      await friend(session, { name: "two", agent: "2" }),
    ];
    await one.ask(1, "multiEdit/read", { path: "f.py" });
    await desk.typeBefore("f.py", "    return x", "    # ask Ann\n");
    await two.ask(1, "multiEdit/read", { path: "f.py" });
    const second = { path: "f.py", oldText: "    x = load()\n    return x", newText: "    return load()", line: 7 };
    // For the second agent, only the lines below are left.
    await two.ask(2, "multiEdit/preview", second);
    expect(desk.texts()["f.py"]).toBe(twins.replace("    return x", "    # ask Ann\n    return x"));
    await one.ask(2, "multiEdit/apply", inA);
    const typed = twins.replace("    return x", "    # ask Ann\n    return y");
    expect(desk.texts()["f.py"]).toBe(typed);
    await two.ask(3, "multiEdit/apply", second);
    expect(desk.texts()["f.py"]).toBe(typed.replace("    x = load()\n    return x", "    return load()"));
  });
});

describe("a file that no editor had open when the caller read it", () => {
  it("is edited by what the caller read", async () => {
    const desk = await layDesk(program, { files: { "f.py": twins }, open: { "other.py": "" } });
    await desk.read({ path: "f.py" });
    await desk.editor.open({ uri: desk.uri("f.py"), text: twins });
    await desk.typeBefore("f.py", "    return x", "    # ask Ann\n");
    const edit = { path: "f.py", oldText: "    x = load()\n    return x", newText: "    pass", line: 2 };
    const refusal = await failed(desk.apply(edit));
    expect(refusal.codes).toEqual(["contentModified"]);
    expect(refusal.message).toContain("the text that you read");
  });
});

describe("a document that was opened with unsaved lines", () => {
  const saved = "const rate = 1;\nlet x = 2;\n";
  const edited = async (typed: string, edits: readonly [oldText: string, newText: string][]): Promise<string> => {
    const desk = await layDesk(program, { files: { "a.ts": saved }, open: { "a.ts": typed + saved } });
    await desk.apply(batch(...edits.map(([oldText, newText]) => ["a.ts", oldText, newText] as const)));
    return desk.texts()["a.ts"]!;
  };

  it("has the next line edited, although it starts like the unsaved one", async () => {
    const typed = "const typed = 2;\n";
    expect(await edited(typed, [["rate = 1", "vat = 1"]])).toBe(typed + saved.replace("rate", "vat"));
  });

  it.each([
    ["const typed = 2;\n", "typed"],
    ["typed();\n", "typed();"],
  ])("has the unsaved line and the next one edited in one call: %j", async (typed, name) => {
    const edits = [
      [name, "other"],
      ["const rate = 1", "let vat = 1"],
    ] as const satisfies readonly [string, string][];
    expect(await edited(typed, [...edits])).toBe(typed.replace(name, "other") + saved.replace("const rate", "let vat"));
  });
});

describe("comparing texts", () => {
  const text = fc
    .array(fc.constantFrom("a b\n", "a c\n", "a \n", "b\r\n", "\n", "a"), { maxLength: 6 })
    .map((all) => all.join(""));

  it("gives changes that turn one text into the other", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(compareTexts(one, other).apply(one)).toBe(other);
      }),
      { numRuns: lawRuns(2_000) },
    );
  });

  it("gives inserted and removed lines as whole lines, although the last of them ends like the line before them", () => {
    const [short, long] = ["one\nstore(x)\nlast\n", "two\nstore(x)\nmore\nload(x)\nlast\n"];
    const typed = [
      { from: 0, to: 3, insert: "two" },
      { from: 13, to: 13, insert: "more\nload(x)\n" },
    ];
    expect(compareTexts(short, long).changes).toEqual(typed);
    expect(compareTexts(long, short).changes).toEqual([
      { from: 0, to: 3, insert: "one" },
      { from: 13, to: 26, insert: "" },
    ]);
  });

  it("gives inserted and removed lines as whole lines, although the next line starts like them", () => {
    const [short, long] = ["a\nconst rate;\n", "a\nconst typed;\nconst rate;\n"];
    expect(compareTexts(short, long).changes).toEqual([{ from: 2, to: 2, insert: "const typed;\n" }]);
    expect(compareTexts(long, short).changes).toEqual([{ from: 2, to: 15, insert: "" }]);
  });
});
