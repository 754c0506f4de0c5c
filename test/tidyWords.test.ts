/**
 * The project's own rules on wording: each is checked against the sources and against a small example that breaks it.
 */
import { describe, expect, it } from "vitest";
import { sourceAt as at, projectSources as sources } from "./support/project.js";
import { maskSource } from "./support/source.js";
import {
  clientNameProblems,
  commentProblems,
  failureProblems,
  sentenceProblems,
  typeNameProblems,
} from "./support/tidyWords.js";

describe("only lsp/clients.ts knows clients by their names", () => {
  it("in every source", () => expect(clientNameProblems(sources)).toEqual([]));

  it("and a name anywhere else is reported, except in comments and sentences", () => {
    expect(
      clientNameProblems(
        at(
          "server/lsp/a.ts",
          '/** "neovim" */',
          'if (client === "Neovim") go();',
          'say("Neovim is an editor", ".emacs");',
        ),
      ),
    ).toEqual(['server/lsp/a.ts:2 names the client "Neovim"']);
  });
});

describe("only the pages of sentences make failures", () => {
  it("in every source", () => expect(failureProblems(sources)).toEqual([]));

  it("and a call anywhere else is reported", () => {
    expect(failureProblems(at("server/plan/plan.ts", "", 'makeFailure("ioError", {}, "Oh.");'))).toEqual([
      "server/plan/plan.ts:2 makes a failure outside a sentences.ts file",
    ]);
  });
});

describe("only the pages of sentences hold sentences for callers", () => {
  it("in every source", () => expect(sentenceProblems(sources)).toEqual([]));

  it.each([
    ['return "The file has moved on.";', "The file has moved on."],
    ["warn(`$" + "{path} is not saved`);", "… is not saved"],
    ["a = ['not one word of it'];", "not one word of it"],
    ['throw new ResponseError(1, "There is no request");', "There is no request"],
    ['throw new Error("a"); say("There is no request");', "There is no request"],
  ])("and `%s` is reported", (line, sentence) => {
    const problem = `server/lsp/a.ts:2 has a sentence outside a sentences.ts file: ${sentence}`;
    expect(sentenceProblems(at("server/lsp/a.ts", "", line))).toEqual([problem]);
    expect(sentenceProblems(at("server/lsp/sentences.ts", "", line))).toEqual([]);
    expect(sentenceProblems(at("test/a.ts", "", line))).toEqual([]);
  });

  it.each([
    '// "The file has moved on."',
    'const a = ["in three words", "multiEdit/apply", "no such-file here"];',
    "if (/the file has moved on/.test(a)) b();",
    'throw new Error("a rename must have a target");',
    "throw new RangeError(of(`line $" + "{line} is not there`));",
    'session.log("info", `the client did not tell: $' + "{reason}`);",
    'const a = "Usage: multi-edit COMMAND [options]";',
    "diff += `$" + "{line}\\n\\\\ No newline at end of file\\n`;",
    'const a = v.description("Whether the file is saved.");',
    'const a = { description: "Edits one or several files." };',
  ])("but `%s` is allowed", (line) => {
    expect(sentenceProblems(at("server/lsp/a.ts", line))).toEqual([]);
  });
});

describe("a type's name is declared once", () => {
  it("in every source", () => expect(typeNameProblems(sources)).toEqual([]));

  it.each([
    ["interface A {", "type A = B;"],
    ["export interface A<B> {", "  type A<B> = C;"],
    ["export abstract class A {", "export type A = B;"],
    ["enum A {", "class A extends B {"],
  ])("and `%s` next to `%s` is reported", (first, second) => {
    expect(typeNameProblems([...at("server/text/a.ts", first), ...at("server/lsp/b.ts", "", second)])).toEqual([
      "server/text/a.ts:1, server/lsp/b.ts:2 declare the type A",
    ]);
  });

  it("but imports, values, comments and two declarations in one file are allowed", () => {
    const one = at("server/text/a.ts", "export interface A {", "}", "class A {", "}");
    const other = at("server/lsp/b.ts", "import {", "  type A,", '} from "./a.js";', "// type A = B", "const A = 1;");
    const exported = at("server/lsp/c.ts", 'export type { A } from "./a.js";', "const b = { type: A };");
    expect(typeNameProblems([...one, ...other, ...exported, ...at("test/a.ts", "type A = B;")])).toEqual([]);
  });
});

describe("a file opens with a sentence, and every export is explained", () => {
  it("in every source", () => expect(commentProblems(sources)).toEqual([]));

  it("and a file without an opening sentence is reported", () => {
    const problem = "server/text/a.ts:1 does not open with a sentence in /** */";
    expect(commentProblems(at("server/text/a.ts", "const a = 1;"))).toEqual([problem]);
    expect(commentProblems(at("server/text/a.ts", "/** helpers */", "const a = 1;"))).toEqual([problem]);
  });

  it.each(["function a() {}", "const a = 1;", "class a {}", "interface a {}", "type a = 1;", "async function* a() {}"])(
    "and `export %s` has to be explained",
    (declaration) => {
      const opening = ["/** Says what it is for. */", ""];
      expect(commentProblems(at("server/text/a.ts", ...opening, `export ${declaration}`))).toEqual([
        "server/text/a.ts:3 exports a without a doc comment above it",
      ]);
      expect(commentProblems(at("server/text/a.ts", ...opening, "// A.", `export ${declaration}`))).toHaveLength(1);
      expect(commentProblems(at("server/text/a.ts", ...opening, "/** A. */", `export ${declaration}`))).toEqual([]);
      expect(
        commentProblems(at("server/text/a.ts", ...opening, "/**", " * A.", " */", `export ${declaration}`)),
      ).toEqual([]);
    },
  );
});

describe("the reader of sources", () => {
  it.each([
    ["a(); // b", "a();     "],
    ["a(/* b */ c);", "a(        c);"],
    ['a("b\\"c", d);', 'a("    ", d);'],
    ["a('b\\\\', d);", "a('   ', d);"],
    ["`a$" + "{b({ c: `d` })}e` + f", "`  {b({ c: ` ` })} ` + f"],
    ["a = /[/'\"]\\//.test(b) / c; // d", "a = /       /.test(b) / c;     "],
    ["a / b / c", "a / b / c"],
  ])("sees the code in `%s`", (text, code) => {
    expect(maskSource(text).code).toBe(code);
    expect(maskSource(text).uncommented).toHaveLength(text.length);
  });

  it("returns the texts in it, in which substitutions are ellipses", () => {
    const text = 'a("b\\"c", /d/, `e$' + "{f(`g$" + "{h}`)}i$" + '{j}`); // "k"';
    expect(maskSource(text).literals).toEqual([
      { at: 2, text: 'b\\"c' },
      { at: 21, text: "g…" },
      { at: 15, text: "e…i…" },
    ]);
  });
});
