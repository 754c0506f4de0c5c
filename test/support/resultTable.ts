/** A table of results on a page: the outcome of each scene in each program, written or checked column by column. */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const corner = "what happens";
const end = "<!-- End of the table. -->";

/** The cell for a scene that has no result yet. */
const unknown = "–";

/** One program's cells by row. */
export type Column = ReadonlyMap<string, string>;

/** The rows in order, and each program's cells. */
interface Table {
  readonly rows: readonly string[];
  readonly columns: ReadonlyMap<string, Column>;
}

/** A table on a page, which begins after a line that names the variable with which the tests write it. */
export interface ResultTable {
  readonly page: URL;
  /** Name of the variable. */
  readonly variable: string;
}

const beginOf = ({ variable }: ResultTable): string => `<!-- The tests write this table: ${variable}=1. -->`;

/** The column of a program; `undefined` if the page has no such column. */
export function columnOf(table: ResultTable, program: string): Column | undefined {
  return parse(table, readFileSync(table.page, "utf8")).columns.get(program);
}

/**
 * Writes a column, even while other processes write theirs. Each version has its own column; an old version's column
 * must be removed by hand.
 */
export async function writeColumn(table: ResultTable, program: string, column: Column): Promise<void> {
  await withLock(new URL(`../../node_modules/.${table.variable}/`, import.meta.url), () => {
    const text = readFileSync(table.page, "utf8");
    const { rows, columns } = parse(table, text);
    const kept = [...columns].filter(([name]) => name !== program);
    const used = new Map([...kept, [program, column] as const]);
    const shown = { rows: orderOf([...column.keys()], rows, used), columns: used };
    const [head, tail] = [text.slice(0, text.indexOf(beginOf(table))), text.slice(text.indexOf(end))];
    writeFileSync(table.page, `${head}${beginOf(table)}\n\n${format(shown)}\n${tail}`);
  });
}

/**
 * The order of the rows. A new row goes after the row that precedes it in this program's column; rows that no program has
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

function parse(table: ResultTable, text: string): Table {
  const [from, to] = [text.indexOf(beginOf(table)), text.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`${table.page.pathname} has no place for the table`);
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

async function withLock(lock: URL, change: () => void): Promise<void> {
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
