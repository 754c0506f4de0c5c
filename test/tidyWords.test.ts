/** The project's own rules on words, each held against the sources and against a small example that breaks it. */
import { describe, expect, it } from "vitest";
import { sourceAt as at, projectSources as sources } from "./support/project.js";
import { maskSource } from "./support/source.js";
import { clientNameProblems, commentProblems, failureProblems } from "./support/tidyWords.js";

describe("only lsp/clients.ts knows clients by their names", () => {
  it("in every source", () => expect(clientNameProblems(sources)).toEqual([]));

  it("and a name elsewhere is named, but not in comments and sentences", () => {
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

  it("and a call elsewhere is named", () => {
    expect(failureProblems(at("server/plan/plan.ts", "", 'makeFailure("ioError", {}, "Oh.");'))).toEqual([
      "server/plan/plan.ts:2 makes a failure outside a page sentences.ts",
    ]);
  });
});

describe("a file opens with a sentence, and every export is explained", () => {
  it("in every source", () => expect(commentProblems(sources)).toEqual([]));

  it("and a file that just begins is named", () => {
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
});
