/** Checks what is written by hand on the protocol page: its links, its examples, and what it says about the doors. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decodeCall } from "../server/dialect/decode.js";
import { announcedShapes } from "../server/dialect/shapes.js";
import { commands, methods } from "../server/lsp/protocol.js";
import { indicesOf } from "../server/plan/operation.js";
import { readCaller } from "../server/session/handshake.js";
import { Trail } from "../server/workspace/trail.js";
import { headingsOf } from "./pages/markdown.js";
import { failureCodes, fieldsOf } from "./pages/protocol.js";
import { documentAt, planOn } from "./support/planning.js";
import { pagesOfSentences } from "./support/source.js";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const page = read("server/PROTOCOL.md");

/** Returns the text under the heading with this name, up to the next heading of the same or a higher level. */
function section(name: string): string {
  const found = new RegExp(`^(#+) ${name}\\n([\\s\\S]*)`, "m").exec(page);
  if (found === null) throw new Error(`the page has no heading ${name}`);
  const [, { length } = "", rest = ""] = found;
  return withoutFences(rest).split(new RegExp(`^#{1,${length}} `, "m"))[0] ?? "";
}

/**
 * Returns the rows of the only table in the section `name` whose first column is called `column`; the cells are
 * trimmed.
 */
function table(name: string, column: string): string[][] {
  const tables = section(name)
    .split(/\n(?!\|)/)
    .map((block) => block.split("\n").filter((line) => line.startsWith("|")))
    .filter(([head]) => head?.startsWith(`| ${column} |`));
  expect(tables, `tables under ${name} that start with ${column}`).toHaveLength(1);
  return (tables[0] ?? []).slice(2).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

function withoutFences(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, "");
}

/** Returns the code between backticks. */
const codes = (cell: string | undefined): string[] =>
  [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);

it("every failure code has a sentence", () => {
  const withSentence = [...pagesOfSentences().matchAll(/makeFailure\(\s*"(\w+)"/g)].map(([, code = ""]) => code);
  expect(failureCodes.length).toBeGreaterThan(30);
  expect([...new Set(withSentence)].sort()).toEqual([...failureCodes].sort());
});

describe("the links", () => {
  const anchors = headingsOf(page).map(({ anchor }) => anchor);
  const links = [...withoutFences(page).matchAll(/\[[^\]]+\]\(([^)\s]+)\)/g)].map(([, to = ""]) => to);

  it("lead somewhere, and no two headings have the same anchor", () => {
    expect(new Set(anchors).size).toBe(anchors.length);
    const lost = links.filter((to) =>
      to.startsWith("#") ? !anchors.includes(to.slice(1)) : !existsSync(new URL(`../server/${to}`, import.meta.url)),
    );
    expect(lost).toEqual([]);
  });

  it("of other pages lead to headings", () => {
    const linked = ["README.md", "server/README.md", "test/README.md"].flatMap((path) =>
      [...read(path).matchAll(/PROTOCOL\.md#([\w-]+)/g)].map(([, anchor]) => anchor),
    );
    expect(linked.length).toBeGreaterThan(0);
    expect(anchors).toEqual(expect.arrayContaining(linked));
  });
});

it("every method and command is among the doors", () => {
  const named = table("Requests and commands", "door").flatMap(([, method]) => codes(method));
  expect(named).toEqual(expect.arrayContaining([...Object.values(methods), ...Object.values(commands)]));
});

describe("the text typed since", () => {
  const textIn = (cell: string | undefined): string =>
    codes(cell)
      .flatMap((code) => code.split(" ⏎ "))
      .map((line) => `${line}\n`)
      .join("");

  it.each(table("Text typed since", "A"))("is merged as in the example: %s, %s, %s", (seen, now, made, result) => {
    const trail = new Trail(textIn(seen));
    trail.read("me", { startLine: 1, endLine: 2 });
    trail.changed(textIn(now), undefined);
    const document = documentAt("a", textIn(now), { views: trail.viewsOf("me") });
    const planned = planOn([document], [{ oldText: textIn(seen), newText: textIn(made) }]);
    const text = planned.ok ? planned.files[0]?.text : planned.failures.map(({ code }) => code).join();
    expect(text).toBe(result === "conflict" ? "contentModified" : textIn(result));
  });
});

describe("the examples", () => {
  const examples = [...page.matchAll(/^```json(.*)\n([\s\S]*?)^```$/gm)].map(([, info = "", text = ""], i) => {
    const [kind = "", name = ""] = info.trim().split(" ");
    return { title: `${i + 1}: json ${info.trim()}`, kind, name, text };
  });
  const calls = examples.filter(({ kind }) => kind === "call" || kind === "refused");

  it("are all of a known kind, and there are some of each shape", () => {
    const known = ["announced", "answer", "call", "capabilities", "client", "handshake", "read", "refused", "undo"];
    expect([...new Set(examples.map(({ kind }) => kind))].sort()).toEqual(known);
    const shown = examples.filter(({ kind }) => kind === "call").map(({ name }) => name);
    expect(shown).toEqual(expect.arrayContaining([...announcedShapes]));
  });

  it.each(examples)("$title is JSON", ({ text }) => {
    expect(() => JSON.parse(text)).not.toThrow();
  });

  it.each(calls)("$title is understood as the page says", ({ kind, name, text }) => {
    const decoded = decodeCall(JSON.parse(text), { optionsAllowed: true });
    if (kind === "refused") expect(decoded).toMatchObject({ ok: false, failures: [{ code: name }] });
    else expect(decoded).toMatchObject({ ok: true, shape: name });
  });

  it.each(examples.filter(({ kind }) => kind === "answer"))("$title has fields of that type", ({ name, text }) => {
    const fields = fieldsOf(name === "Failure" ? "plan/failure.ts" : "lsp/protocol.ts", name);
    expect(fields).toEqual(expect.arrayContaining(Object.keys(JSON.parse(text))));
  });

  it("count the edits of the patch as the page does", () => {
    const [, patch] = /^```patch\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const decoded = decodeCall({ patch }, { optionsAllowed: true });
    const operations = decoded.ok ? decoded.operations : [];
    expect(operations.map((operation) => [operation.kind, ...indicesOf(operation)])).toEqual([
      ["update", 0, 1],
      ["update", 2, 3],
      ["add", 4],
      ["delete", 5],
    ]);
    expect(operations[1]).toMatchObject({ move: { index: 2 }, hunks: [{ index: 3 }] });
  });

  it("show how an agent says who it is", () => {
    const clients = examples.filter(({ kind }) => kind === "client").map(({ text }) => JSON.parse(text));
    expect(clients).toHaveLength(1);
    expect(clients.map(readCaller)).toEqual(clients);
  });

  it("announce capabilities under known names", () => {
    const shown = examples.filter(({ kind }) => kind === "capabilities").map(({ text }) => JSON.parse(text));
    const names = shown.flatMap(({ experimental }) => Object.keys(experimental.multiEdit));
    expect(names.sort()).toEqual(fieldsOf("lsp/protocol.ts", "ClientMultiEdit").sort());
  });

  it("undo with fields of known names", () => {
    const asked = examples.filter(({ kind }) => kind === "undo").flatMap(({ text }) => Object.keys(JSON.parse(text)));
    expect([...new Set(asked)].sort()).toEqual(fieldsOf("lsp/protocol.ts", "ReviewSelector").sort());
  });

  it("ask to read with fields of known names", () => {
    const asked = examples.filter(({ kind }) => kind === "read").flatMap(({ text }) => Object.keys(JSON.parse(text)));
    expect(asked).toEqual(fieldsOf("lsp/protocol.ts", "ReadParams"));
  });
});
