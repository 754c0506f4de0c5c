/** The project's own rules: each is checked against the sources and against a small example that breaks it. */
import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  sourceAt as at,
  projectPaths as paths,
  projectRoot as root,
  projectSources as sources,
} from "./support/project.js";
import {
  circleProblems,
  connectionProblems,
  copyProblems,
  folderCircleProblems,
  type LockFile,
  layerProblems,
  leftoverProblems,
  lengthProblems,
  lockProblems,
  namedFileProblems,
  pluginLinks,
  purityProblems,
  topLevelProblems,
  wordedDecisions,
} from "./support/tidy.js";

const code = sources.filter(({ path }) => /^(?:server|client-samples|test)\//.test(path));

const lock: LockFile = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

describe("imports point down only", () => {
  it("in every source", () => {
    expect(sources.filter(({ path }) => path.startsWith("server/")).length).toBeGreaterThan(10);
    expect(layerProblems(sources)).toEqual([]);
  });

  it("and a line that points up is reported", () => {
    const source = at("server/text/a.ts", "/** A. */", 'import type { B } from "../plan/b.js";');
    expect(layerProblems(source)).toEqual(["server/text/a.ts:2 imports ../plan/b.js: text is below plan"]);
  });

  it("and main.ts may import every layer, but no layer may import it", () => {
    expect(layerProblems(at("server/main.ts", 'import { a } from "./session/a.js";'))).toEqual([]);
    expect(layerProblems(at("server/session/a.ts", 'export { b } from "../main.js";'))).toEqual([
      "server/session/a.ts:1 imports ../main.js: session is below main",
    ]);
  });

  it("dynamic imports, and imports spread over several lines, count as well", () => {
    expect(layerProblems(at("server/lsp/a.ts", "const b = await import(", '  "../session/b.js"', ");"))).toEqual([
      "server/lsp/a.ts:1 imports ../session/b.js: lsp is below session",
    ]);
    expect(layerProblems(at("server/lsp/a.ts", "import {", "  b,", '} from "../session/b.js";'))).toEqual([
      "server/lsp/a.ts:3 imports ../session/b.js: lsp is below session",
    ]);
    expect(layerProblems(at("server/lsp/a.ts", "await import(name);"))).toEqual([
      "server/lsp/a.ts:1 imports something that is not written as a plain string",
    ]);
  });

  it("and nothing outside the layers can be imported or added", () => {
    expect(layerProblems(at("server/util/a.ts"))[0]).toMatch(/^server\/util\/a\.ts:1 is in no layer/);
    expect(layerProblems(at("server/helpers.ts"))[0]).toMatch(/^server\/helpers\.ts:1 is in no layer/);
    expect(layerProblems(at("server/lsp/a.ts", 'import "../../test/support/b.js";'))).toEqual([
      "server/lsp/a.ts:1 imports ../../test/support/b.js, which is in no layer",
    ]);
  });

  it("but imports in comments and strings don't count", () => {
    const source = at("server/text/a.ts", '// from "../plan/b.js"', "const a = `import '../plan/b.js'`;");
    expect(layerProblems(source)).toEqual([]);
  });
});

describe("imports between folders form no cycles", () => {
  it("in every source", () => expect(folderCircleProblems(sources)).toEqual([]));

  it("and two programs that import each other are reported, even by different files", () => {
    const circle = [
      ...at("server/programs/cli/a.ts", 'await import("../mcp/b.js");'),
      ...at("server/programs/mcp/b.ts", 'import type { C } from "../shared/c.js";'),
      ...at("server/programs/shared/c.ts", 'import type { D } from "../cli/deep/d.js";'),
    ];
    expect(folderCircleProblems(circle)).toEqual([
      "server/programs/cli, server/programs/mcp, server/programs/shared import each other in a circle",
    ]);
    expect(folderCircleProblems(circle.slice(0, 2))).toEqual([]);
  });

  it("and a layer counts as one folder", () => {
    const files = [
      ...at("server/lsp/a.ts", 'import "./wire/b.js";'),
      ...at("server/lsp/wire/b.ts", 'import "../c.js";'),
    ];
    expect(folderCircleProblems(files)).toEqual([]);
    const up = [
      ...at("server/lsp/a.ts", 'import "../session/b.js";'),
      ...at("server/session/b.ts", 'import "../lsp/c.js";'),
    ];
    expect(folderCircleProblems(up)).toEqual(["server/lsp, server/session import each other in a circle"]);
  });
});

describe("imports form no cycles, types included", () => {
  it("in every source", () => expect(circleProblems(sources)).toEqual([]));

  const importing = (path: string, ...specifiers: string[]) =>
    at(path, ...specifiers.map((specifier) => `import type { A } from "${specifier}";`));

  it("and the files of each cycle are reported, but not those that lead to it", () => {
    expect(
      circleProblems([
        ...importing("server/plan/a.ts", "./b.js", "../text/a.js"),
        ...importing("server/plan/b.ts", "./c/d.js"),
        ...importing("server/plan/c/d.ts", "../a.js"),
        ...importing("server/plan/e.ts", "./a.js"),
        ...importing("server/text/a.ts", "./b.js"),
        ...importing("server/text/b.ts", "./a.js", "./none.js", "zod"),
      ]),
    ).toEqual([
      "server/plan/a.ts, server/plan/b.ts, server/plan/c/d.ts import each other in a circle",
      "server/text/a.ts, server/text/b.ts import each other in a circle",
    ]);
    expect(circleProblems(importing("server/text/a.ts", "./a.js"))).toEqual(["server/text/a.ts imports itself"]);
  });

  it("but two ways to one file are not a cycle", () => {
    const sources = [...importing("server/text/a.ts", "./b.js", "./c.js"), ...importing("server/text/b.ts", "./c.js")];
    expect(circleProblems([...sources, ...at("server/text/c.ts", "a();")])).toEqual([]);
  });
});

describe("text, match, plan and dialect are pure", () => {
  it("in every source", () => expect(purityProblems(sources)).toEqual([]));

  it.each([
    ['import { join } from "node:path";', "imports node:path"],
    ['import { join } from "path";', "imports path"],
    ['import { URI } from "vscode-uri";', "imports vscode-uri"],
    ["const a = async () => 1;", "has async"],
    ["await 1;", "has await"],
    ["const now = Date.now();", "uses Date"],
    ["process.exit(1);", "uses process"],
  ])("and `%s` breaks it", (line, problem) => {
    expect(purityProblems(at("server/match/a.ts", "/** A. */", line))).toEqual([
      `server/match/a.ts:2 ${problem} in a pure layer`,
    ]);
    expect(purityProblems(at("server/workspace/a.ts", line))).toEqual([]);
  });

  it("but a comment may mention these things", () => {
    expect(purityProblems(at("server/plan/a.ts", "/** Nothing here may await; no Date.now(). */"))).toEqual([]);
  });
});

describe("only lsp/ knows the editor's connection", () => {
  it("in every source", () => expect(connectionProblems(sources)).toEqual([]));

  it.each(["vscode-languageserver/node", "vscode-jsonrpc", "vscode-languageserver-types"])(
    "and %s breaks it",
    (name) => {
      expect(connectionProblems(at("server/workspace/a.ts", `import type { A } from "${name}";`))).toEqual([
        `server/workspace/a.ts:1 imports ${name} outside lsp/`,
      ]);
      expect(connectionProblems(at("server/lsp/a.ts", `import type { A } from "${name}";`))).toEqual([]);
    },
  );

  it("but the connection to agents may use the same JSON-RPC library", () => {
    expect(connectionProblems(at("server/session/a.ts", 'import { A } from "vscode-jsonrpc/node";'))).toEqual([]);
    expect(
      connectionProblems(at("server/session/a.ts", 'import { A } from "vscode-languageserver/node";')),
    ).toHaveLength(1);
  });

  it("but other layers may hold the documents' texts", () => {
    const source = at("server/workspace/a.ts", 'import { TextDocument } from "vscode-languageserver-textdocument";');
    expect(connectionProblems(source)).toEqual([]);
  });
});

describe("files and functions are short enough to be read in one sitting", () => {
  it("in every source", () => expect(lengthProblems(code)).toEqual([]));

  const body = (count: number): string[] => Array.from({ length: count }, () => "  a();");

  it("and a long file is reported", () => {
    expect(lengthProblems(at("server/text/a.ts", ...Array.from({ length: 401 }, () => "a();")))).toEqual([
      "server/text/a.ts:400 has 401 lines, more than 400",
    ]);
    expect(lengthProblems(at("test/a.test.ts", ...Array.from({ length: 401 }, () => "a();")))).toHaveLength(1);
    expect(lengthProblems(at("test/a.test.ts", ...Array.from({ length: 400 }, () => "a();")))).toEqual([]);
  });

  it.each([
    ["function a() {", "}"],
    ["export async function a() {", "}"],
    ["export const a = (b: number): void => {", "};"],
    ["const a = async <T>(", "};"],
  ])("and a long function that begins with `%s` is reported", (opening, closing) => {
    const rest = opening.endsWith("(") ? ["  b: T,", ") => {"] : [];
    const long = ["/** A. */", opening, ...rest, ...body(50), closing, "", "const b = 1;"];
    expect(lengthProblems(at("server/text/a.ts", ...long))).toEqual([
      `server/text/a.ts:2 is a function of ${52 + rest.length} lines, more than 50`,
    ]);
    expect(lengthProblems(at("server/text/a.ts", opening, ...rest, ...body(45), closing))).toEqual([]);
    expect(lengthProblems(at("server/programs/a.ts", opening, ...rest, ...body(65), closing))).toEqual([]);
    expect(lengthProblems(at("server/programs/a.ts", opening, ...rest, ...body(70), closing))).toHaveLength(1);
  });

  it("and a long method is reported", () => {
    const source = at(
      "server/text/a.ts",
      "class A {",
      "  b() {",
      ...body(50).map((line) => `  ${line}`),
      "  }",
      "",
      "  c() {}",
      "}",
    );
    expect(lengthProblems(source)).toEqual(["server/text/a.ts:2 is a function of 52 lines, more than 50"]);
  });

  it("but a table may be as long as it needs to be", () => {
    expect(lengthProblems(at("server/text/a.ts", "const a = {", ...body(200), "};"))).toEqual([]);
  });
});

it("every file that the architecture page names exists", () => {
  const page = readFileSync(join(root, "server/README.md"), "utf8");
  expect(page.match(/`[\w/]+\.ts`/g)?.length).toBeGreaterThan(40);
  expect(namedFileProblems(page, paths)).toEqual([]);
  expect(namedFileProblems("| a | `text/a.ts`, `text/b.ts` |", ["server/text/a.ts"])).toEqual([
    "server/README.md:1 names text/b.ts, which does not exist",
  ]);
});

describe("nothing is left over", () => {
  const somewhere = { home: "/somewhere" };

  it("in any file", () => expect(leftoverProblems(sources, { home: dirname(root) })).toEqual([]));

  it.each([
    ["// TO" + "DO: later", "server/text/a.ts:1 has a note to oneself"],
    ["// FIX" + "ME", "server/text/a.ts:1 has a note to oneself"],
    ["// see /ro" + "ot/a", "server/text/a.ts:1 has a path of one machine"],
    ["// see /some" + "where/main/a", "server/text/a.ts:1 has a path of one machine"],
  ])("and `%s` is reported", (line, problem) => {
    expect(leftoverProblems(at("server/text/a.ts", line), somewhere)).toEqual([problem]);
  });

  it("and a skipped test is reported", () => {
    // Texts for the check to find: no test is skipped here, and `npm test` would report a skipped one.
    expect(leftoverProblems(at("test/a.test.ts", "", "it.skip('a', () => {});"), somewhere)).toEqual([
      "test/a.test.ts:2 leaves a test out with .skip",
    ]);
    expect(leftoverProblems(at("test/a.test.ts", "describe.only('a', () => {});"), somewhere)).toHaveLength(1);
  });

  it("but relative paths and longer names are fine", () => {
    expect(
      leftoverProblems(at("server/text/a.ts", "// ./somewhere/a, my/somewhere/b, /somewheres/c, TODOS"), somewhere),
    ).toEqual([]);
  });
});

describe("the server decides nothing by the words of a message", () => {
  it("in every source", () => expect(wordedDecisions(sources)).toEqual([]));

  it.each(['message.includes("a")', 'failure.message?.startsWith("a")', "/a/.test(failure.message)"])(
    "and `%s` is reported",
    (text) =>
      expect(wordedDecisions(at("server/text/a.ts", text))).toEqual(["server/text/a.ts:1 decides by a message"]),
  );

  it("but messages of protocols are no such messages", () =>
    expect(wordedDecisions(at("server/text/a.ts", "message.params === null"))).toEqual([]));
});

describe("the top level has the usual files of a repository, three folders, and links for Neovim", () => {
  it("in this repository", () => expect(topLevelProblems(paths)).toEqual([]));

  // On Windows, Git may write a link as a file.
  it.runIf(process.platform !== "win32")("and each link points to a folder of the sample", () => {
    const links = Object.keys(pluginLinks).map((name) => [name, readlinkSync(join(root, name))]);
    expect(Object.fromEntries(links)).toEqual(pluginLinks);
    expect(paths).toEqual(expect.arrayContaining(Object.keys(pluginLinks)));
  });

  it("and anything else is reported", () => {
    const top = [
      "src/a.ts",
      "notes.md",
      "lua/a.lua",
      "lua",
      "server/a.ts",
      ".ci/run",
      "biome.json",
      "vitest.config.ts",
      "package.json",
    ];
    expect(topLevelProblems(top)).toEqual([
      "src/ does not belong at the top level",
      "notes.md does not belong at the top level",
      "lua/ does not belong at the top level",
    ]);
  });
});

describe("there is only one copy of vscode-jsonrpc", () => {
  it("for every package that uses it, and in the lock file", () => {
    const own = createRequire(import.meta.url);
    const server = createRequire(own.resolve("vscode-languageserver/node"));
    const protocol = createRequire(server.resolve("vscode-languageserver-protocol/node"));
    const resolved = [own, protocol].map((from) => realpathSync(from.resolve("vscode-jsonrpc/node")));
    expect(copyProblems("vscode-jsonrpc", resolved)).toEqual([]);
    const locked = Object.keys(lock.packages).filter((path) => path.endsWith("node_modules/vscode-jsonrpc"));
    expect(copyProblems("vscode-jsonrpc", locked)).toEqual([]);
  });

  it("and a second copy is reported", () => {
    expect(copyProblems("a", ["node_modules/a", "node_modules/b/node_modules/a"])).toEqual([
      "there are 2 copies of a: node_modules/a, node_modules/b/node_modules/a",
    ]);
    expect(copyProblems("a", [])).toHaveLength(1);
  });
});

describe("the lock file serves every platform", () => {
  it("as it is", () => expect(lockProblems(lock)).toEqual([]));

  it("and what is missing from it is reported", () => {
    const parent = { optionalDependencies: { "a-linux": "1.0.0", "a-win32": "1.0.0" } };
    expect(lockProblems({ packages: { "node_modules/a": parent, "node_modules/a-linux": {} } })).toEqual([
      "package-lock.json lacks a-win32, which node_modules/a has for some platform",
    ]);
  });
});
