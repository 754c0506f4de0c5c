/** The texts with which stories begin, and what people and agents write. */
import type { Chance } from "../codex/random.js";

/** How many of a text's lines are equal. */
export type Twins = "none" | "some" | "many";

const names = ["total", "value", "items", "count", "price", "user", "rows", "name"];
const calls = ["load", "save", "check", "compute", "render", "send"];
const pool = ["return x", "x = load()", "check(x)", "done()", "}", "else:", "log(x);", "x += 1"];

/** A line of code that occurs nowhere else. `n` makes it unique. */
function uniqueLine(chance: Chance, n: number): string {
  const [name, call] = [chance.pick(names), chance.pick(calls)];
  return chance.pick([
    `${name} = ${call}(${n}, 2)`,
    `${call}(${name}${n});`,
    `${name}${n} = 0.${n}`,
    `if ${name} > ${n}: ${call}()`,
    `const ${name}${n} = "${call} it";`,
    `${name}[${n}].${call}(x)`,
  ]);
}

/** The lines of a function; the last one is empty if the text may have equal lines. */
function block(chance: Chance, twins: Twins, next: () => number): string[] {
  const n = next();
  const head = chance.pick([`def f${n}():`, `function f${n}(a, b) {`, `class Row${n}:`]);
  const share = { none: 0, some: 25, many: 70 }[twins];
  const body = Array.from({ length: chance.between(1, 5) }, () => {
    const own = chance.percent(share) ? chance.pick(pool) : uniqueLine(chance, next());
    return `${chance.percent(85) ? "    " : "        "}${own}`;
  });
  return [head, ...body, ...(twins === "none" ? [] : [""])];
}

/** The lines of a text, without their endings. */
export function drawLines(chance: Chance): string[] {
  const twins = chance.weighted({ none: 4, some: 4, many: 2 });
  const count = chance.percent(0.15) ? 2000 : chance.percent(20) ? chance.between(2, 9) : chance.between(10, 40);
  let n = 0;
  const lines: string[] = [];
  while (lines.length < count) {
    if (chance.percent(30)) lines.push(uniqueLine(chance, ++n));
    else lines.push(...block(chance, twins, () => ++n));
  }
  return lines.slice(0, count);
}

/** What a person types at the end of a line, or directly after a word. */
export const tails = [" + b", "  # ask Ann", ";", " // why?", ", c", " + 1", "  # later", "()", "x"];

/** What a person types at the start of a line. */
export const heads = ["// ", "# ", "await ", "return ", "-"];

/** New lines that a person or an agent writes; most are unique. */
export function newLine(chance: Chance, mark: string): string {
  const indent = chance.pick(["", "    ", "    ", "        "]);
  const text = chance.percent(75)
    ? chance.pick([`log(${mark});`, `${mark} = 1`, `# ${mark} here`, `${chance.pick(names)} = ${mark}(0)`])
    : chance.pick([...pool, "log(list);", "total = sum(list);"]);
  return `${indent}${text}`;
}

/** A word that replaces another one. */
export const newWord = (chance: Chance, mark: string): string =>
  chance.pick([mark, mark, "other", "x", "0.2", chance.pick(names), chance.pick(calls)]);
