/**
 * The table of `client-samples/README.md`: the outcome of each scene in each editor, written or checked column by
 * column.
 */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const page = new URL("../../client-samples/README.md", import.meta.url);
const lock = new URL("../../node_modules/.editor-table/", import.meta.url);
const [begin, end] = ["<!-- The tests write this table: UPDATE_EDITORS=1. -->", "<!-- End of the table. -->"];
const corner = "what happens";

/** The cell of a scene that has no result yet. */
const unknown = "–";

/** One editor's cells by row. */
export type Column = ReadonlyMap<string, string>;

/** The rows in order, and each editor's cells. */
interface Table {
  readonly rows: readonly string[];
  readonly columns: ReadonlyMap<string, Column>;
}

/** The column on the page; `undefined` if the page has no such editor. */
export function columnOf(editor: string): Column | undefined {
  return parse(readFileSync(page, "utf8")).columns.get(editor);
}

/**
 * Writes a column; other processes may write theirs at the same time. Each version has a column of its own; a person
 * removes the column of an old version.
 */
export async function writeColumn(editor: string, column: Column): Promise<void> {
  await withLock(() => {
    const text = readFileSync(page, "utf8");
    const { rows, columns } = parse(text);
    const kept = [...columns].filter(([name]) => name !== editor);
    const used = new Map([...kept, [editor, column] as const]);
    const table = { rows: orderOf([...column.keys()], rows, used), columns: used };
    const [head, tail] = [text.slice(0, text.indexOf(begin)), text.slice(text.indexOf(end))];
    writeFileSync(page, `${head}${begin}\n\n${format(table)}\n${tail}`);
  });
}

/**
 * The order of the rows. A new row follows the one that precedes it in this editor's column; rows that no editor has
 * any more are removed.
 */
function orderOf(fresh: readonly string[], old: readonly string[], columns: ReadonlyMap<string, Column>): string[] {
  const rows = old.filter((row) => [...columns.values()].some((column) => column.has(row)));
  for (const [index, row] of fresh.entries()) {
    if (rows.includes(row)) continue;
    rows.splice(index === 0 ? 0 : rows.indexOf(fresh[index - 1]!) + 1, 0, row);
  }
  return rows;
}

function parse(text: string): Table {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to === -1) throw new Error("client-samples/README.md has no place for the table");
  const lines = text.slice(from, to).split("\n");
  const [head, , ...body] = lines.filter((line) => line.startsWith("|")).map(cellsOf);
  const names = head?.slice(1) ?? [];
  const columns = names.map((name, index) => {
    const cells = body.map((line) => [line[0]!, line[index + 1]!] as const);
    return [name, new Map(cells.filter(([, cell]) => cell !== unknown))] as const;
  });
  return { rows: body.map(([row]) => row!), columns: new Map(columns) };
}

const cellsOf = (line: string): string[] =>
  line
    .slice(1, line.lastIndexOf("|"))
    .split("|")
    .map((cell) => cell.trim());

function format({ rows, columns }: Table): string {
  const names = [...columns.keys()].sort();
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  const body = rows.map((row) => line([row, ...names.map((name) => columns.get(name)?.get(row) ?? unknown)]));
  return [line([corner, ...names]), line(["---", ...names.map(() => "---")]), ...body].join("");
}

async function withLock(change: () => void): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (tries > 500) throw error;
      await delay(20);
    }
  }
  try {
    change();
  } finally {
    rmdirSync(lock);
  }
}
