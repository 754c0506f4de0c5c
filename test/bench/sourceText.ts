/**
 * Texts that resemble source code, generated from a seed: recurring words, lines of all lengths, `}` and empty lines.
 */
import { type Chance, chanceOf } from "../codex/random.js";

/** A text and the positions of its functions; the lines do not have line endings yet. */
export interface SourceText {
  readonly lines: readonly string[];
  /** All complete functions. */
  readonly functions: readonly SourceFunction[];
}

/**
 * A function in the generated text. `start` is its first line, which occurs only once in the text; `end` is the line
 * after its `}`. Both are 0-based.
 */
export interface SourceFunction {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/**
 * A text of `lineCount` lines of about 40 characters each, including line endings; the same seed gives the same text.
 */
export function sourceText(lineCount: number, seed: number): SourceText {
  const chance = chanceOf(seed);
  const lines: string[] = [];
  const functions: SourceFunction[] = [];
  while (lines.length < lineCount) {
    if (chance.percent(30)) lines.push(`/** ${comment(chance)}. */`);
    if (chance.percent(10)) lines.push(...table(chance));
    const name = `${chance.pick(verbs)}${chance.pick(nouns)}${functions.length}`;
    const start = lines.length;
    lines.push(head(chance, name), ...body(chance), "}", "");
    if (lines.length <= lineCount) functions.push({ start, end: lines.length - 1, name });
  }
  return { lines: lines.slice(0, lineCount), functions };
}

const verbs = "read write find make take split join open close count order check parse print merge apply load".split(
  " ",
);
const nouns = "Header Footer Order Item Total Price User Session Token Range Line Index Table Entry Result".split(" ");
const names =
  "item total orderEntry priceOfOrder userName currentText line indexOfLine firstEntry lastResult rangeOfLines count options sessionToken tableOfItems remaining".split(
    " ",
  );
const types = ["string", "number", "boolean", "Order", "readonly Item[]", "Map<string, Item>", "Result | undefined"];
const words =
  "the order of what was sent is kept until all of it has been read and nobody waits for more than one result".split(
    " ",
  );

const head = (chance: Chance, name: string): string =>
  `${chance.percent(60) ? "export " : ""}function ${name}(${chance.pick(names)}: ${chance.pick(types)}, ` +
  `${chance.pick(names)}: ${chance.pick(types)}): ${chance.pick(types)} {`;

/** The body of a function: at least three lines, none of them empty, so that every edit has the lines that it needs. */
function body(chance: Chance): string[] {
  const lines = [
    `  const ${chance.pick(names)} = ${call(chance)};`,
    `  let ${chance.pick(names)}Count = ${chance.below(10)};`,
  ];
  for (let i = chance.between(1, 5); i > 0; i--) lines.push(...statement(chance));
  lines.push(`  return ${chance.pick(names)};`);
  return lines;
}

function statement(chance: Chance): string[] {
  switch (chance.weighted({ call: 4, condition: 2, loop: 2, note: 2, long: 1 })) {
    case "call":
      return [`  const ${chance.pick(names)} = ${call(chance)};`];
    case "condition":
      return [
        `  if (${chance.pick(names)}.length > ${chance.below(4)}) {`,
        `    return ${chance.percent(40) ? "undefined" : call(chance)};`,
        "  }",
      ];
    case "loop":
      return [
        `  for (const ${chance.pick(names)} of ${chance.pick(names)}) {`,
        `    ${chance.pick(names)}Count += ${chance.below(3)};`,
        `    ${chance.pick(names)}.push(${call(chance)});`,
        "  }",
      ];
    case "note":
      return [`  // ${comment(chance)}.`];
    case "long":
      return [
        `  const message = \`${comment(chance)}: \${${chance.pick(names)}.${chance.pick(names)}}, ${comment(chance)}\`;`,
      ];
  }
}

const call = (chance: Chance): string =>
  `${chance.pick(verbs)}${chance.pick(nouns)}(${chance.pick(names)}, ${chance.percent(40) ? `"${chance.pick(words)} ${chance.pick(words)}"` : `${chance.pick(names)}.${chance.pick(names)}`})`;

const comment = (chance: Chance): string =>
  Array.from({ length: chance.between(7, 20) }, () => chance.pick(words)).join(" ");

const table = (chance: Chance): string[] => [
  `const ${chance.pick(names)}s = {`,
  ...Array.from({ length: chance.between(2, 6) }, () => `  ${chance.pick(names)}: ${call(chance)},`),
  "};",
  "",
];
