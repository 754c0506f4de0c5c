/**
 * The parts of pages that are made from the code and from results. Each lies between two comments that readers do not see;
 * `npm run pages` writes them.
 */

/** Makes the content of a part. `old`: its content so far, of which sentences written by hand are kept; `page`: all of the page. */
export type Maker = (old: string, page: string) => string;

/** Returns a page with its parts made anew. `makers`: the maker of each part, by the name in the comments. */
export function madeAnew(page: string, makers: Readonly<Record<string, Maker>>): string {
  const missing = new Set(Object.keys(makers));
  const made = page.replace(
    /(<!-- npm run pages: ([\w-]+) -->\s*)([\s\S]*?)(\s*<!-- end of \2 -->)/g,
    (_, begin: string, name: string, old: string, end: string) => {
      const make = makers[name];
      if (make === undefined) throw new Error(`nothing makes the part ${name}`);
      missing.delete(name);
      return `${begin}${make(old, page)}${end}`;
    },
  );
  if (missing.size > 0) throw new Error(`the page has no part ${[...missing].join(", ")}`);
  return made;
}

/** A row of a table: the cells that the code gives, by the names of their columns. */
export type MadeRow = Readonly<Record<string, string>>;

/** Returns the rows of a table, each as its cells. */
const rowsOf = (table: string): string[][] =>
  table
    .split("\n")
    .slice(2)
    .map((row) => row.slice(2, -2).split(/ ?(?<!\\)\| ?/));

/**
 * Returns a table. A row is known by its first cell; its cells in columns that the code does not give are kept as they were
 * written by hand, and empty in a new row.
 */
export function table(columns: readonly string[], rows: readonly MadeRow[], old = ""): string {
  const kept = new Map(rowsOf(old).map((cells) => [cells[0], cells]));
  const lineOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const body = rows.map((row) =>
    lineOf(columns.map((column, index) => row[column] ?? kept.get(row[columns[0] ?? ""])?.[index] ?? "")),
  );
  return [lineOf(columns), lineOf(columns.map(() => "---")), ...body].join("\n");
}

/** Names a row of a made table whose cells by hand are still empty; `undefined` if there is none. */
export const unfinishedRow = (text: string): string | undefined =>
  [...text.matchAll(/<!-- npm run pages: ([\w-]+) -->\s*([\s\S]*?)\s*<!-- end of \1 -->/g)]
    .flatMap(([, , content = ""]) => (content.startsWith("|") ? rowsOf(content) : []))
    .find((cells) => cells.includes(""))
    ?.join(" | ");

/** Breaks words into lines; a line that is not the first begins with `indent`. */
export function wrapped(words: readonly string[], indent = ""): string {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 120) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(lines.length === 0 ? word : indent + word);
  }
  return lines.join("\n");
}

/** Returns names as code, with commas between them. */
export const codeList = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

/** Returns the headings of levels 2 to 4 below the table of contents, with the anchors that pages link to. */
export function headingsOf(page: string): { level: number; name: string; anchor: string }[] {
  return [...page.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^(#{2,4}) (.+)$/gm)]
    .map(([, marks = "", name = ""]) => ({
      level: marks.length,
      name,
      anchor: name
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    }))
    .filter(({ name }) => name !== "Contents");
}
