/** The table "Where each behaviour is implemented", and the test files that run what its rows name. */

/** A row of the table. */
export interface Row {
  readonly behaviour: string;
  /** The server's files that the row names, relative to the project. */
  readonly files: readonly string[];
}

/** For each file of the server, the test files that run most of it, the most telling one first. */
export type Holders = Readonly<Record<string, readonly string[]>>;

/** The rows of the architecture page. `paths`: the files of the project. */
export function rowsOf(readme: string, paths: readonly string[]): Row[] {
  const start = readme.indexOf("## Where each behaviour is implemented");
  const table = readme.slice(start, readme.indexOf("\n## ", start));
  const rows = table.split("\n").filter((line) => /^\| (?!---|behaviour |\*\*)/.test(line));
  const server = paths.filter((path) => path.startsWith("server/") && path.endsWith(".ts"));
  return rows.map((line) => {
    const [, behaviour = "", ...rest] = line.split(/(?<!\\)\|/);
    const named = [...rest.join("|").matchAll(/`([\w./-]+)`/g)].map(([, name = ""]) => name);
    // A folder stands for its files.
    const files = named.flatMap((name) =>
      server.filter((path) => (name.endsWith("/") ? path.startsWith(`server/${name}`) : path === `server/${name}`)),
    );
    return { behaviour: behaviour.trim(), files: [...new Set(files)] };
  });
}

/**
 * What is wrong with the tests of the rows: each file that they name needs a test file that runs it, and one in the small
 * suite, unless a reason says why not. `onlyInAll`: the test files outside the small suite. `reasons`: for some files of
 * the server, why no test of the small suite runs them.
 */
export function rowProblems(
  rows: readonly Row[],
  holders: Holders,
  {
    paths,
    onlyInAll,
    reasons,
  }: {
    readonly paths: readonly string[];
    readonly onlyInAll: readonly string[];
    readonly reasons: Readonly<Record<string, string>>;
  },
): string[] {
  const there = new Set(paths);
  const files = new Set(rows.flatMap((row) => row.files));
  return [...files].flatMap((file) => {
    const tests = (holders[file] ?? []).filter((path) => there.has(path));
    const isSmall = tests.some((path) => !onlyInAll.includes(path));
    if (tests.length === 0 && reasons[file] === undefined)
      return [`no test file is known to run ${file}: npm run rows -- <its test file>`];
    if (!isSmall && reasons[file] === undefined) return [`only npm run test:all runs ${file}: ${tests.join(", ")}`];
    return isSmall && reasons[file] !== undefined ? [`${file} needs no reason: ${tests.join(", ")} runs it`] : [];
  });
}

/** Most test files that are listed for one file. */
const most = 3;

/**
 * Finds the holders of each file. `ran`: for each test file, the functions that it runs, each as the file, a space and the
 * name. A function that few test files run tells more than one that all of them run.
 */
export function holdersOf(ran: ReadonlyMap<string, ReadonlySet<string>>): Holders {
  const counts = new Map<string, number>();
  for (const functions of ran.values()) for (const name of functions) counts.set(name, (counts.get(name) ?? 0) + 1);
  const weights = new Map<string, Map<string, number>>();
  for (const [test, functions] of ran) {
    for (const name of functions) {
      const [file = ""] = name.split(" ");
      const of = weights.get(file) ?? new Map<string, number>();
      weights.set(file, of.set(test, (of.get(test) ?? 0) + 1 / (counts.get(name) ?? 1)));
    }
  }
  const sorted = [...weights].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([file, of]) => {
      const best = [...of].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
      return [file, best.slice(0, most).map(([test]) => test)];
    }),
  );
}

/** The table in Markdown: each row, the files that it names, and the test files that run most of these. */
export function toMarkdown(rows: readonly Row[], holders: Holders, onlyInAll: readonly string[]): string {
  const lines = rows.map(({ behaviour, files }) => {
    const tests = [...new Set(files.flatMap((file) => holders[file] ?? []))];
    const named = tests.map((path) => (onlyInAll.includes(path) ? `${path} (all)` : path));
    return `| ${behaviour} | ${named.join(", ")} |`;
  });
  return ["| behaviour | test files |", "| --- | --- |", ...lines, ""].join("\n");
}
