/**
 * Random texts and changes for the laws of the merge. Each side writes characters of its own, each of them only once, and
 * in some texts each character of a base text is there only once, too: then a text itself shows which characters are left.
 */
import fc from "fast-check";
import { type Change, ChangeSet } from "../../server/text/changeSet.js";
import { LineIndex } from "../../server/text/lines.js";
import { rule } from "./sides.js";

/** The kinds of changes. */
const kinds = [
  ...(["addLines", "addLines", "removeLines", "replaceLines", "addOnAndAbove"] as const),
  ...(["replaceWord", "replaceWord", "removeWord", "typeInWord", "addAtEnd", "addAtStart", "addBeforeWord"] as const),
  ...(["split", "join", "indent", "move", "turnLastEnd"] as const),
];

/** The kind of a change. */
export type Kind = (typeof kinds)[number];

/** Returns stories, each a text and what the two sides do to it, without some kinds of changes. */
export function storiesWithout(...left: readonly Kind[]) {
  /** One change. The numbers choose the line, the place in it, and how much is changed. */
  const deed = fc.record({
    kind: fc.constantFrom(...kinds.filter((kind) => !left.includes(kind))),
    ...{ line: fc.nat(), at: fc.nat(), count: fc.nat(2) },
  });
  const line = fc.record({ words: fc.integer({ min: 1, max: 5 }), indent: fc.constantFrom(0, 0, 2, 4) });
  return fc.record({
    lines: fc.array(line, { minLength: 1, maxLength: 9 }),
    hasLastEnd: fc.boolean(),
    typed: fc.array(deed, { minLength: 1, maxLength: 3 }),
    edit: fc.array(deed, { minLength: 1, maxLength: 2 }),
  });
}

export type Story = ReturnType<typeof storiesWithout> extends fc.Arbitrary<infer T> ? T : never;

type Deed = Story["typed"][number];

/** The blocks of Unicode from which the three texts have their letters and symbols; `\p{L}` holds for all letters. */
const blocks = { base: [0x4e00, 0x2200], typed: [0xac00, 0x2500], edit: [0xa000, 0x2900] } as const;

export type Writer = keyof typeof blocks;

/** Returns a function that writes a line of new words; no character but a space is ever written twice. */
function pen(writer: Writer): (words: number) => string {
  const [letters, symbols] = blocks[writer];
  let count = 0;
  return (words) =>
    Array.from({ length: words }, (_, i) => {
      const at = count++;
      const word = String.fromCodePoint(letters + 2 * at, letters + 2 * at + 1);
      const gap = [" ", String.fromCodePoint(symbols + at), `${String.fromCodePoint(symbols + at)} `][at % 3]!;
      return i === 0 ? word : gap + word;
    }).join("");
}

/** Lines that occur often; a line without letters is one of them. */
const few = ["a b", "c", "}", "  c", ""] as const;

/** Returns a story's base text, which is not empty. `isFew`: it has only a few different lines. */
export function baseOf({ lines, hasLastEnd }: Story, isFew = false): string {
  const write = pen("base");
  const all = lines.map(({ words, indent }) => (isFew ? few[words - 1]! : " ".repeat(indent) + write(words)));
  return (all.join("\n") || few[0]) + (hasLastEnd ? "\n" : "");
}

/** Returns the changes that deeds make to a text, one after another. `isFew`: some of the new lines occur often. */
export function played(base: string, deeds: readonly Deed[], writer: Writer, isFew = false): ChangeSet {
  const write = pen(writer);
  const line = (words: number): string => (isFew && words % 2 === 0 ? few[words % few.length]! : write(words));
  let set = ChangeSet.none(base.length);
  for (const one of deeds)
    for (const changeIn of changesOf(one, line)) {
      const text = set.apply(base);
      const change = changeIn(LineIndex.of(text, rule));
      if (change !== undefined) set = set.compose(ChangeSet.of(text.length, [change]));
    }
  return set;
}

type ChangeIn = (text: LineIndex) => Change | undefined;

/** Returns the changes of one deed; each is made to the text as the one before leaves it. */
function changesOf({ kind, line: chosen, at, count }: Deed, write: (words: number) => string): readonly ChangeIn[] {
  const lineIn = (text: LineIndex): number => chosen % Math.max(1, text.filledCount);
  const words = 1 + (at % 4);
  const added = (most: number): string => Array.from({ length: most }, () => `${write(words)}\n`).join("");
  const onWord =
    (change: (text: string, from: number, to: number) => Change): ChangeIn =>
    (text) => {
      const found = [...text.content(lineIn(text)).matchAll(/[\p{L}\p{N}]+/gu)];
      const word = found[at % Math.max(1, found.length)];
      const from = text.start(lineIn(text)) + (word?.index ?? 0);
      return word && change(text.text, from, from + word[0].length);
    };
  const all: Readonly<Record<Kind, () => readonly ChangeIn[]>> = {
    addLines: () => [(text) => insertion(text, at % (text.filledCount + 1), added(1 + (count % 2)))],
    removeLines: () => [(text) => ({ ...linesOf(text, lineIn(text), 1 + count), insert: "" })],
    replaceLines: () => [(text) => replaced(text, lineIn(text), 1 + count, added(1 + (at % 3)))],
    addOnAndAbove: () => [
      (text) => inserted(text.contentEnd(lineIn(text)), ` ${write(1)}`),
      (text) => inserted(text.start(lineIn(text)), `${write(words)}\n`),
    ],
    replaceWord: () => [onWord((_, from, to) => ({ from, to, insert: write(1) }))],
    removeWord: () => [onWord((text, from, to) => ({ from, to: text[to] === " " ? to + 1 : to, insert: "" }))],
    typeInWord: () => [onWord((_, from) => ({ from: from + 1, to: from + 1, insert: write(1) }))],
    addBeforeWord: () => [onWord((_, from) => ({ from, to: from, insert: `${write(1)} ` }))],
    addAtEnd: () => [(text) => inserted(text.contentEnd(lineIn(text)), ` ${write(words)}`)],
    addAtStart: () => [(text) => inserted(text.start(lineIn(text)), `${write(1)} `)],
    split: () => [onWord((_, from) => inserted(from, "\n"))],
    join: () => [(text) => joined(text, lineIn(text))],
    indent: () => Array.from({ length: 1 + count }, (_, i) => (text) => inserted(text.start(lineIn(text) + i), "  ")),
    move: () => movedLine(lineIn, at),
    turnLastEnd: () => [
      ({ text }) =>
        text.endsWith("\n") ? { from: text.length - 1, to: text.length, insert: "" } : inserted(text.length, "\n"),
    ],
  };
  return all[kind]();
}

const inserted = (at: number, insert: string): Change => ({ from: at, to: at, insert });

/** Returns the span of lines, each with its ending. */
function linesOf(text: LineIndex, line: number, count: number): { readonly from: number; readonly to: number } {
  const [from, to] = [text.start(line), text.start(Math.min(line + count, text.filledCount))];
  // Together with the last line goes the line ending before it.
  return to === text.text.length && !text.text.endsWith("\n") && from > 0 ? { from: from - 1, to } : { from, to };
}

function replaced(text: LineIndex, line: number, count: number, insert: string): Change {
  const [from, to] = [text.start(line), text.start(Math.min(line + count, text.filledCount))];
  return { from, to, insert: text.text.slice(from, to).endsWith("\n") ? insert : insert.slice(0, -1) };
}

/** Inserts lines, which each have an ending, before a line or at the end of a text. */
function insertion(text: LineIndex, line: number, insert: string): Change {
  const isAtEnd = line >= text.filledCount && text.filledCount === text.lineCount && text.text !== "";
  return inserted(text.start(line), isAtEnd ? `\n${insert.slice(0, -1)}` : insert);
}

function joined(text: LineIndex, line: number): Change | undefined {
  if (line + 1 >= text.filledCount) return undefined;
  const next = text.content(line + 1);
  return { from: text.contentEnd(line), to: text.start(line + 1) + next.length - next.trimStart().length, insert: " " };
}

/** Cuts a line and pastes it. */
function movedLine(lineIn: (text: LineIndex) => number, to: number): readonly ChangeIn[] {
  let cut = "";
  return [
    (text) => {
      cut = `${text.content(lineIn(text))}\n`;
      return { ...linesOf(text, lineIn(text), 1), insert: "" };
    },
    (text) => insertion(text, to % (text.filledCount + 1), cut),
  ];
}
