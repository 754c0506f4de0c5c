/** The parts of the protocol page that are made from the code. */
import { readFileSync } from "node:fs";
import { callFields, editFields } from "../../server/dialect/fields.js";
import { announcedShapes, shapes } from "../../server/dialect/shapes.js";
import { commands, protocolVersion } from "../../server/lsp/protocol.js";
import { reviewCommands } from "../../server/lsp/review/protocol.js";
import { rungs } from "../../server/match/rungs.js";
import { verdicts } from "../../server/plan/views/table.js";
import { commandRows, exitCodeRows } from "../../server/programs/cli/table.js";
import { tools } from "../../server/programs/mcp/tools.js";
import { limits } from "../../server/text/limits.js";
import { codeList, headingsOf, type Maker, table, wrapped } from "./markdown.js";

const sourceOf = (path: string): string => readFileSync(new URL(`../../server/${path}`, import.meta.url), "utf8");

/** A file's source, with that of the file from which the protocol takes a part of its types. */
const sourcesOf = (path: string): string => [path, ...(alsoIn[path] ?? [])].map(sourceOf).join("");

/** The files whose types a file exports as well. */
const alsoIn: Readonly<Record<string, readonly string[]>> = {
  "lsp/protocol.ts": [
    "lsp/capabilities.ts",
    "lsp/onDisk/protocol.ts",
    "lsp/diagnostics/protocol.ts",
    "lsp/review/protocol.ts",
  ],
};

/** Returns the names of an interface's fields, in the order of its source. */
export function fieldsOf(path: string, name: string): string[] {
  const body = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(sourcesOf(path))?.[1] ?? "";
  const fields = [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, field = ""]) => field);
  if (fields.length === 0) throw new Error(`${path} has no interface ${name} with fields`);
  return fields;
}

/** The members of the type `FailureCode`, in the order of the source. */
export const failureCodes: readonly string[] = [
  ...(/export type FailureCode =([^;]*);/.exec(sourceOf("plan/failure.ts"))?.[1] ?? "").matchAll(/"(\w+)"/g),
].map(([, code = ""]) => code);

/** Makes a table with a row for each name; the second column is written by hand. */
const named =
  (column: string, about: string, names: readonly string[]): Maker =>
  (old) =>
    table(
      [column, about],
      names.map((name) => ({ [column]: `\`${name}\`` })),
      old,
    );

const fieldsTable = (name: string, path = "lsp/protocol.ts"): Maker => named("field", "content", fieldsOf(path, name));

type Row = keyof typeof verdicts;
type Column = keyof (typeof verdicts)[Row];

/** The table that decides where an edit is made. */
function verdictTable(): string {
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
  const present = "the present text";
  const cellsOf = (row: Row): [string, string][] =>
    Object.entries(columns).map(([column, title]) => [title, cells[verdicts[row][column as Column]]]);
  return table(
    [present, ...Object.values(columns)],
    Object.entries(rows).map(([row, name]) => ({ [present]: name, ...Object.fromEntries(cellsOf(row as Row)) })),
  );
}

const numberOf = (limit: string): string => limits[limit as keyof typeof limits].toLocaleString("en");

/** Names that the page uses for something else, too. */
const ambiguous: readonly string[] = [...Object.keys(editFields), ...Object.keys(callFields), "hint", "label"];

/** Returns the limits that callers read about, because the table has them already or the page names them, or the others. */
function limitNames(page: string, { shown }: { readonly shown: boolean }): string[] {
  const before = page.slice(0, page.indexOf("\n## Limits\n"));
  return Object.keys(limits).filter((limit) => {
    const isInTable = new RegExp(`^\\| \`${limit}\` \\| [\\d,]+ \\|`, "m").test(page);
    return (isInTable || (before.includes(`\`${limit}\``) && !ambiguous.includes(limit))) === shown;
  });
}

/** The parts of the page. */
export const protocolParts: Readonly<Record<string, Maker>> = {
  contents: (_, page) => contentsOf(page),
  shapes: (old) =>
    table(
      ["shape", "list", "single edit without a list", "order"],
      shapes
        .filter(({ announced }) => announced)
        .map(({ name, container, order }) => ({
          shape: `\`${name}\``,
          list:
            container === "patch"
              ? `none: ${codeList(callFields.patch.spellings)}, or a bare string`
              : `\`${container}\``,
          order: `\`${order}\``,
        })),
      old,
    ),
  announced: () =>
    `\`\`\`json announced
{
  "version": ${protocolVersion},
  "shapes": ${jsonList(announcedShapes)},
  "commands": ${wrappedList([...Object.values(commands), ...Object.values(reviewCommands)])},
  "review": true
}
\`\`\``,
  fields: (old) =>
    table(
      ["field", "spellings", "value"],
      Object.entries({ ...editFields, ...callFields }).map(([field, { spellings }]) => ({
        field,
        spellings: codeList(spellings),
      })),
      old,
    ),
  options: (old) =>
    table(
      ["option", "values", "default", "effect"],
      fieldsOf("dialect/options.ts", "CallOptions").map((option) => ({ option: `\`${option}\`` })),
      old,
    ),
  rungs: (old) =>
    table(
      ["rung", "ignores", "match", "strict", "for whitespace alone", "example: text in the file → old text", "for"],
      rungs.map(({ name, strict, find, hunkLines }) => ({
        rung: `\`${name}\``,
        strict: strict ? "yes" : "no",
        "for whitespace alone": strict ? "yes" : "no",
        for: [...(find === undefined ? [] : ["edits"]), ...(hunkLines === undefined ? [] : ["hunks"])].join(", "),
      })),
      old,
    ),
  verdicts: verdictTable,
  commands: named(
    "command",
    "effect",
    Object.entries(commandRows).map(([name, { takes }]) => `${name} ${takes.replaceAll("|", "\\|")}`.trimEnd()),
  ),
  "exit-codes": (old) =>
    table(
      ["code", "meaning"],
      // The last one is not one of the commands': the system's convention decides it.
      [...exitCodeRows.map(([code]) => code), 130].map((code) => ({ code: String(code) })),
      old,
    ),
  tools: (old) =>
    table(
      ["tool", "arguments", "answer"],
      tools.map(({ name }) => ({ tool: `\`${name}\`` })),
      old,
    ),
  MultiEditResult: fieldsTable("MultiEditResult"),
  FileResult: fieldsTable("FileResult"),
  EditResult: fieldsTable("EditResult"),
  Failure: fieldsTable("Failure", "plan/failure.ts"),
  ReadResult: fieldsTable("ReadResult"),
  StatusResult: fieldsTable("StatusResult"),
  codes: named("code", "when", failureCodes),
  limits: (old, page) =>
    table(
      ["limit", "value", "meaning"],
      limitNames(page, { shown: true }).map((limit) => ({ limit: `\`${limit}\``, value: numberOf(limit) })),
      old,
    ),
  "inner-limits": (_, page) => {
    const inner = limitNames(page, { shown: false }).map((limit) => `\`${limit}\` ${numberOf(limit)}`);
    return `${wrapped(inner.map((limit, index) => limit + (index < inner.length - 1 ? "," : "")))}.`;
  },
};

const jsonList = (names: readonly string[]): string => `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;

/** Returns a list of names in JSON, three on a line. */
function wrappedList(names: readonly string[]): string {
  const lines = names.flatMap((_, i) =>
    i % 3 === 0
      ? [
          names
            .slice(i, i + 3)
            .map((name) => JSON.stringify(name))
            .join(", "),
        ]
      : [],
  );
  return `[\n    ${lines.join(",\n    ")}\n  ]`;
}

/** Returns a list of the headings with links to them. */
function contentsOf(page: string): string {
  const items: string[][] = [];
  for (const { level, name, anchor } of headingsOf(page)) {
    const link = `[${name}](#${anchor})`;
    if (level === 2) items.push([link]);
    else items.at(-1)?.push(link);
  }
  return items
    .map(([head, ...rest]) =>
      wrapped(
        [`- ${head}${rest.length > 0 ? ":" : ""}`, ...rest.map((link, i) => link + (rest[i + 1] ? "," : ""))],
        "  ",
      ),
    )
    .join("\n");
}
