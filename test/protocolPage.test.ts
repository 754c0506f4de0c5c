/** Checks the protocol page against the tables in the code: if a table gains or loses a row, so must the page. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decodeCall } from "../server/dialect/decode.js";
import { callFields, editFields } from "../server/dialect/fields.js";
import { announcedShapes, shapes } from "../server/dialect/shapes.js";
import { commands, methods, protocolVersion } from "../server/lsp/protocol.js";
import { rungs } from "../server/match/rungs.js";
import { indicesOf } from "../server/plan/operation.js";
import { verdicts } from "../server/plan/views/table.js";
import { readCaller } from "../server/session/handshake.js";
import { limits } from "../server/text/limits.js";
import { Trail } from "../server/workspace/trail.js";
import { documentAt, planOn } from "./support/planning.js";
import { pagesOfSentences } from "./support/source.js";

const urlOf = (path: string): URL => new URL(`../${path}`, import.meta.url);
const read = (path: string): string => readFileSync(urlOf(path), "utf8");
const page = withVerdicts(read("server/PROTOCOL.md"));

/** Returns the page; with `UPDATE_PAGES=1`, after writing the table that decides where an edit is made. */
function withVerdicts(text: string): string {
  if (process.env.UPDATE_PAGES !== "1") return text;
  const updated = text.replace(/^\| the present text \|.*\n(?:\|.*\n)*/m, () => verdictTable().join(""));
  writeFileSync(urlOf("server/PROTOCOL.md"), updated);
  return updated;
}

type Row = keyof typeof verdicts;
type Column = keyof (typeof verdicts)[Row];

/** The lines of the table that decides where an edit is made, as the page shows it. */
function verdictTable(): string[] {
  const columns: Record<Column, string> = {
    oneText: "one text",
    done: "done",
    conflict: "a conflict",
    several: "several matches",
    differentTexts: "different texts",
  };
  const rows: Record<Row, string> = {
    samePlace: "matches at the same lines",
    elsewhere: "matches at other lines",
    several: "matches several times",
    notFound: "does not match",
    noSay: "has no say",
  };
  const cells: Record<(typeof verdicts)[Row][Column], string> = {
    apply: "applied",
    skipped: "`skipped`",
    contentModified: "`contentModified`",
    ambiguousMatch: "`ambiguousMatch`",
  };
  const line = (texts: readonly string[]): string => `| ${texts.join(" | ")} |\n`;
  const earlier = Object.keys(columns) as Column[];
  return [
    line(["the present text", ...Object.values(columns)]),
    line(["---", ...earlier.map(() => "---")]),
    ...Object.entries(rows).map(([present, name]) =>
      line([name, ...earlier.map((one) => cells[verdicts[present as Row][one]])]),
    ),
  ];
}

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

/** Returns the anchor of a heading in rendered Markdown. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

function withoutFences(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, "");
}

/** Returns the code between backticks. */
const codes = (cell: string | undefined): string[] =>
  [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
const firstCodes = (rows: readonly string[][]): string[] => rows.flatMap(([first]) => codes(first));

/** Returns the names of an interface's fields in TypeScript source code. */
function fieldsOf(source: string, name: string): string[] {
  const body = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(source)?.[1] ?? "";
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, field = ""]) => field);
}

const failureSource = read("server/plan/failure.ts");
const protocolSource = read("server/lsp/protocol.ts");

/** The members of the type `FailureCode`, in the order of the source. */
const failureCodes = [...(/export type FailureCode =([^;]*);/.exec(failureSource)?.[1] ?? "").matchAll(/"(\w+)"/g)].map(
  ([, code = ""]) => code,
);

describe("the failure codes", () => {
  const answered = firstCodes(table("Codes", "code"));

  it("are those of the type, each once", () => {
    expect(failureCodes.length).toBeGreaterThan(30);
    expect([...answered].sort()).toEqual([...failureCodes].sort());
  });

  it("are on the page if and only if there is a sentence for them", () => {
    const withSentence = new Set(
      [...pagesOfSentences().matchAll(/makeFailure\(\s*"(\w+)"/g)].map(([, code = ""]) => code),
    );
    expect([...answered].sort()).toEqual([...withSentence].sort());
  });
});

describe("the contents", () => {
  /** The headings of levels 2 and 3, except the one above the table of contents. */
  const headings = [...withoutFences(page).matchAll(/^#{2,3} (.+)$/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "Contents");
  const links = [...withoutFences(page).matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)].map(([, text = "", to = ""]) => ({
    text,
    to,
  }));

  it("list every heading once, in order", () => {
    const listed = [...section("Contents").matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text, to]) => [text, to]);
    expect(listed).toEqual(headings.map((name) => [name, `#${anchorOf(name)}`]));
    expect(new Set(headings.map(anchorOf)).size).toBe(headings.length);
  });

  it("and all other links lead somewhere", () => {
    const anchors = headings.map((name) => `#${anchorOf(name)}`);
    const lost = links.filter(({ to }) =>
      to.startsWith("#") ? !anchors.includes(to) : !existsSync(new URL(`../server/${to}`, import.meta.url)),
    );
    expect(lost).toEqual([]);
  });

  it("are what other pages link to", () => {
    const anchors = ["README.md", "server/README.md", "test/README.md"].flatMap((path) =>
      [...read(path).matchAll(/PROTOCOL\.md#([\w-]+)/g)].map(([, anchor]) => anchor),
    );
    expect(anchors.length).toBeGreaterThan(0);
    expect(headings.map(anchorOf)).toEqual(expect.arrayContaining(anchors));
  });
});

describe("the tables", () => {
  it("list every limit with its value, here or in the appendix, in the order of the source", () => {
    const main = table("Limits", "limit").map(([name, value]) => `${name} ${value}`);
    const inner =
      section("Inner limits")
        .replaceAll("\n", " ")
        .match(/`\w+` [\d,]*\d/g) ?? [];
    const sorted = Object.entries(limits).map(([name, value]) => `\`${name}\` ${value.toLocaleString("en")}`);
    expect(main).toEqual(sorted.filter((limit) => main.includes(limit)));
    expect(inner).toEqual(sorted.filter((limit) => !main.includes(limit)));
  });

  it("list every limit that the rest of the page names", () => {
    const rest = page.slice(0, page.indexOf("\n## Limits\n"));
    const named = Object.keys(limits).filter((name) => rest.includes(`\`${name}\``));
    const fields = ["hint", "label"];
    expect(firstCodes(table("Limits", "limit"))).toEqual(
      expect.arrayContaining(named.filter((name) => !fields.includes(name))),
    );
  });

  it("list every option", () => {
    const options = fieldsOf(read("server/dialect/options.ts"), "CallOptions");
    expect(options.length).toBeGreaterThan(5);
    expect(firstCodes(table("Options", "option"))).toEqual(options);
  });

  it("list every rung in its place on the ladder", () => {
    const rows = table("Finding the old text", "rung").map(([name, , , strict, blank, , uses]) => ({
      name: codes(name)[0],
      strict: strict === "yes",
      forBlankText: blank === "yes",
      uses: uses?.split(", "),
    }));
    expect(rows).toEqual(
      rungs.map(({ name, strict, find, hunkLines }) => ({
        name,
        strict,
        forBlankText: strict,
        uses: [...(find === undefined ? [] : ["edits"]), ...(hunkLines === undefined ? [] : ["hunks"])],
      })),
    );
  });

  it("list every spelling of every field", () => {
    const rows = table("Fields", "field").map(([name, spellings]) => [name, codes(spellings)]);
    const fields = Object.entries({ ...editFields, ...callFields });
    expect(rows).toEqual(fields.map(([name, { spellings }]) => [name, [...spellings]]));
  });

  it("list every shape that is served, with its list and its order", () => {
    const rows = table("Shapes", "shape").map(([name, list, , order]) => ({
      name: codes(name)[0],
      container: codes(list)[0],
      order: codes(order)[0],
    }));
    const served = shapes.filter(({ announced }) => announced);
    expect(rows).toEqual(served.map(({ name, container, order }) => ({ name, container, order })));
  });

  it("list every method and command among the doors", () => {
    const named = table("Requests and commands", "door").flatMap(([, method]) => codes(method));
    expect(named).toEqual(expect.arrayContaining([...Object.values(methods), ...Object.values(commands)]));
  });

  it.each(["MultiEditResult", "FileResult", "EditResult", "ReadResult", "StatusResult"])(
    "list every field of %s",
    (name) => {
      expect(fieldsOf(protocolSource, name)).not.toEqual([]);
      expect(firstCodes(table(name, "field"))).toEqual(fieldsOf(protocolSource, name));
    },
  );

  it("list every field of Failure", () => {
    expect(firstCodes(table("Failure", "field"))).toEqual(fieldsOf(failureSource, "Failure"));
  });
});

describe("the text typed since", () => {
  it("decides by the table of the code, which UPDATE_PAGES=1 writes", () => {
    expect(section("Text typed since")).toContain(verdictTable().join(""));
  });

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
    const fields = fieldsOf(name === "Failure" ? failureSource : protocolSource, name);
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

  it("show what the server announces", () => {
    const announced = examples.filter(({ kind }) => kind === "announced").map(({ text }) => JSON.parse(text));
    const multiEdit = { version: protocolVersion, shapes: announcedShapes, commands: Object.values(commands) };
    expect(announced).toEqual([multiEdit]);
  });

  it("announce capabilities under known names", () => {
    const shown = examples.filter(({ kind }) => kind === "capabilities").map(({ text }) => JSON.parse(text));
    const names = shown.flatMap(({ experimental }) => Object.keys(experimental.multiEdit));
    expect(names.sort()).toEqual(fieldsOf(protocolSource, "ClientMultiEdit").sort());
  });

  it("undo with fields of known names", () => {
    const asked = examples.filter(({ kind }) => kind === "undo").flatMap(({ text }) => Object.keys(JSON.parse(text)));
    expect(asked).toEqual(fieldsOf(protocolSource, "UndoParams"));
  });

  it("ask to read with fields of known names", () => {
    const asked = examples.filter(({ kind }) => kind === "read").flatMap(({ text }) => Object.keys(JSON.parse(text)));
    expect(asked).toEqual(fieldsOf(protocolSource, "ReadParams"));
  });
});
