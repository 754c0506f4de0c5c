/** Batches for the law of regions: texts whose lines mostly differ, and edits that interfere with each other. */
import { type Draft, draftOf, edited } from "../../server/plan/draft.js";
import type { EditOperation } from "../../server/plan/operation.js";
import { type Chance, chanceOf } from "../codex/random.js";
import { documentAt, type SentEdit } from "./planning.js";

/** A draft as it is before the edits, and the requested edits. */
export interface RegionBatch {
  readonly start: Draft;
  readonly edits: readonly EditOperation[];
  readonly lenient: boolean;
}

/** Lines that each contain a unique number; most also contain characters in which some rung ignores differences. */
const contents: readonly ((id: number) => string)[] = [
  (id) => `const value${id} = compute(one, two);`,
  (id) => `    const value${id} = compute(one, three);  `,
  (id) => `\treturn value${id};`,
  (id) => `  if (value${id}) { return other; }`,
  (id) => `say(“hello ${id}” – there)`,
  (id) => `wait… for it${id}\u00a0now`,
  (id) => `  "😀${id}": { e\u0301 }`,
  (id) => `${id}: numbered`,
  (id) => `${id}\ttabbed${id}`,
  (id) => `x${id}`,
];
const common = ["}", "", "  ", "end", "12: numbered", "😀"];

/** Ways that a caller's text may differ from the document's; each is ignored by one rung or by none. */
const disturbances: readonly ((text: string, line: number) => string)[] = [
  (text) => text.replaceAll("\r\n", "\n"),
  (text) => text.replace(/\r?\n/g, "\r\n"),
  (text) => text.replace(/[ \t]+$/gm, ""),
  (text) => text.replace(/$/gm, "  "),
  (text) => text.replaceAll(/[“”]/g, '"').replaceAll("–", "-").replaceAll("…", "...").replaceAll("\u00a0", " "),
  (text) => text.replace(/^[ \t]+/gm, ""),
  (text) => text.replace(/^(?=.)/gm, "    "),
  (text) => text.replace(/^ {4}/gm, "\t"),
  (text, line) =>
    text
      .split("\n")
      .map((each, i) => `${line + i + 1}\t${each}`)
      .join("\n"),
  (text, line) => `${line + 1}: ${text}`,
  (text, line) => `${line + 1}| ${text}`,
  (text) => text.replace("value", "valve"),
  (text) => text.replace(/(?<=\S) (?=\S)/g, "  "),
  (text) => `\n${text}\n\n`,
  (text) => `${text}\n`,
  (text) => text.replace(/^ +/m, ""),
  (text) => text.replace("value", "ｖａｌｕｅ").replace("(", "（"),
  (text) => `\uFEFF${text}`,
];

/** The batch for a 32-bit seed; the same seed always gives the same batch. */
export function regionBatch(seed: number): RegionBatch {
  const chance = chanceOf(seed);
  const start = startOf(chance);
  // Most batches are tame, because few others can be planned in regions.
  const mood = chance.weighted<Mood>({ tame: 5, failing: 3, wild: 2 });
  const count = chance.between(2, 9);
  const focus = chance.below(60);
  const sent: SentEdit[] = [];
  while (sent.length < count) sent.push(...editOf(chance, { text: start.index.text, sent, mood, focus }));
  if (chance.percent(20)) foretell(chance, sent);
  if (start.document.bom && chance.percent(20)) sent.push(atMark(chance, start.index.text));
  return {
    start,
    edits: sent.map((edit, index) => ({ kind: "edit", path: "a", replaceAll: false, ...edit, index })),
    lenient: !chance.percent(10),
  };
}

function startOf(chance: Chance): Draft {
  const end = chance.weighted({ lf: 6, crlf: 3, mixed: 3, cr: 1 });
  const lineEnd = (): string =>
    end === "mixed" ? chance.pick(["\n", "\r\n"]) : end === "cr" ? chance.pick(["\n", "\n", "\n", "\r"]) : ends[end];
  const ends = { lf: "\n", crlf: "\r\n" } as const;
  const lines: string[] = [];
  while (lines.length < 20 || chance.percent(97)) {
    const kind = chance.weighted({ own: 82, common: 12, twin: 6 });
    const own = chance.pick(contents)(chance.percent(97) ? lines.length : 1);
    // A line that a looser rung treats as equal to an existing line.
    const twin = lines.length === 0 ? own : disturbed(chance, chance.pick(lines), { line: 0, percent: 100 });
    lines.push(...{ own, common: chance.pick(common), twin }[kind].split("\n"));
  }
  const text = lines.map((line) => line + lineEnd()).join("") + (chance.percent(30) ? "last line" : "");
  const more = { bom: chance.percent(15), loneCrEndsLine: chance.percent(70) };
  if (!chance.percent(8)) return draftOf(documentAt("a", text, more));
  const empty = draftOf(documentAt("a", "", { ...more, exists: false }));
  return { ...edited(empty, [{ from: 0, to: 0, insert: text }]).draft, created: true };
}

type Mood = "tame" | "failing" | "wild";
type Kind =
  | "plain"
  | "onward"
  | "refolded"
  | "again"
  | "back"
  | "onto"
  | "overlap"
  | "absent"
  | "ambiguous"
  | "noChange"
  | "empty"
  | "chosen"
  | "copies"
  | "twins";

/** Kinds of edits; listing a kind several times makes it that much more likely. */
const kinds: Readonly<Record<Mood, readonly Kind[]>> = {
  tame: [
    ...times<Kind>(16, "plain"),
    "again",
    "again",
    "back",
    "onto",
    "onto",
    "onward",
    "overlap",
    "refolded",
    "absent",
    "twins",
  ],
  failing: [
    ...times<Kind>(8, "plain"),
    "again",
    "onto",
    "overlap",
    "absent",
    "absent",
    "ambiguous",
    "ambiguous",
    "noChange",
    "empty",
  ],
  wild: [
    ...times<Kind>(4, "plain"),
    "again",
    "again",
    "back",
    "onto",
    "onto",
    "overlap",
    "overlap",
    "absent",
    "chosen",
    "copies",
  ],
};

interface Around {
  readonly text: string;
  readonly sent: readonly SentEdit[];
  readonly mood: Mood;
  /** The line near which half of the edits are placed. */
  readonly focus: number;
}

/** One edit, or several that belong together. */
function editOf(chance: Chance, { text, sent, mood, focus }: Around): SentEdit[] {
  const starts = lineStarts(text);
  // About half of the edits are near each other.
  const line = chance.percent(50) ? (focus + chance.below(8)) % starts.length : chance.below(starts.length);
  const other = chance.below(starts.length);
  const oldText = disturbed(chance, excerpt(chance, text, starts, line), { line, percent: mood === "wild" ? 50 : 25 });
  const earlier = sent.length === 0 ? undefined : chance.pick(sent);
  const plain = { oldText, newText: newTextOf(chance, oldText, excerpt(chance, text, starts, other)) };
  const kind = chance.pick(kinds[mood]);
  switch (kind) {
    case "again":
      return earlier === undefined
        ? []
        : [{ ...earlier, oldText: disturbed(chance, earlier.oldText, { line, percent: 10 }) }];
    case "back":
      return earlier === undefined ? [] : [{ oldText: earlier.newText, newText: earlier.oldText }];
    case "onto":
      return earlier === undefined ? [] : [onto(chance, earlier, plain)];
    case "onward":
      return earlier === undefined ? [] : onward(chance, text, earlier);
    case "overlap":
      return [plain, { oldText: excerpt(chance, text, starts, line), newText: `over${chance.below(9)}` }];
    case "absent":
      return [{ oldText: `${oldText}${chance.pick(["nowhere", "\nnowhere", " "])}`, newText: "found" }];
    case "ambiguous":
      return [{ oldText: chance.pick(["}", "value", "compute(one", "\n", "return"]), newText: "many" }];
    case "refolded":
      return [
        { oldText, newText: disturbed(chance, oldText, { line, percent: 100 }) },
        { oldText, newText: "refolded" },
      ];
    case "noChange":
      return [{ oldText, newText: oldText }];
    case "empty":
      return [{ oldText: "", newText: "empty" }];
    case "chosen":
      return [
        { ...plain, ...chance.pick<Partial<SentEdit>>([{ replaceAll: true }, { occurrence: 2 }, { line: line + 1 }]) },
      ];
    case "twins":
      return twins(chance, text, starts, line);
    case "copies":
      return [{ oldText: chance.pick(["}", "return"]), newText: "all", replaceAll: true }];
    default:
      return [chance.percent(5) ? { ...plain, replaceAll: true, expectedCount: chance.between(1, 2) } : plain];
  }
}

/** Edits that insert the same line at the same point, each next to one of its neighbours. */
function twins(chance: Chance, text: string, starts: readonly number[], line: number): SentEdit[] {
  const [above = "", below = ""] = text.slice(starts[line], starts[line + 2]).split(/\r\n|\n|\r/);
  const both = { oldText: `${above}\n${below}`, newText: `${above}\nsame();\n${below}` };
  const sent = [
    { oldText: above, newText: `${above}\nsame();` },
    { oldText: below, newText: `same();\n${below}` },
    both,
    { oldText: `${above}\n`, newText: `${above}\nsame();\n` },
  ];
  return [chance.pick(sent), chance.pick(sent)].filter(({ oldText }) => oldText.trim() !== "");
}

/** An edit to text that an earlier edit writes, alone or combined with the old text of another. */
function onto(chance: Chance, { newText }: SentEdit, plain: SentEdit): SentEdit {
  const from = chance.below(Math.max(1, newText.length));
  const part = chance.percent(50) ? newText : newText.slice(from, from + chance.between(1, 12));
  return { oldText: chance.percent(80) ? part : part + plain.oldText, newText: plain.newText };
}

/** An edit to text that an earlier edit writes, together with neighbouring lines, some of which it changes. */
function onward(chance: Chance, text: string, earlier: SentEdit): SentEdit[] {
  const at = text.indexOf(earlier.oldText);
  if (at === -1 || earlier.oldText === "") return [];
  const count = chance.between(1, 3);
  const after =
    new RegExp(`^[^]*?\\n(?:[^\\n]*\\n?){${count}}`).exec(text.slice(at + earlier.oldText.length))?.[0] ?? "";
  const before = new RegExp(`(?:[^\\n]*\\n){0,${count}}[^\\n]*$`).exec(text.slice(0, at))?.[0] ?? "";
  const oldText = chance.percent(70) ? earlier.newText + after : before + earlier.newText;
  const newText = chance.pick([`${oldText}more\n`, oldText.replace(/\n.*\n?$/, "\nend"), oldText.replace(/^.*\n/, "")]);
  return [{ oldText, newText }];
}

/** Makes one edit write the old text of another edit, or a line of that text. */
function foretell(chance: Chance, sent: SentEdit[]): void {
  const [at, other] = [chance.below(sent.length), chance.pick(sent)];
  const foretold = chance.percent(50) ? other.oldText : chance.pick(other.oldText.split("\n"));
  const own = sent[at];
  if (own !== undefined) sent[at] = { ...own, newText: chance.percent(50) ? foretold : `${own.oldText}\n${foretold}` };
}

/** An edit at the start of a text that was copied with its byte order mark. */
function atMark(chance: Chance, text: string): SentEdit {
  const start = text.slice(0, chance.between(1, 60));
  return {
    oldText: chance.percent(70) ? `\uFEFF${start}` : start,
    newText: chance.pick(["\uFEFFnew", "new", `\uFEFF${start}x`]),
  };
}

/** Some lines of a text, with or without the line ending of the last one, or a part of a line. */
function excerpt(chance: Chance, text: string, starts: readonly number[], line: number): string {
  const from = starts[line] ?? 0;
  const last =
    line + chance.weighted({ "0": 12, "1": 3, "2": 2, "7": 1 }).length - 1 + chance.below(3) * chance.below(2);
  const to = starts[last + 1] ?? text.length;
  const whole = text.slice(from, to);
  if (chance.percent(40)) return whole.replace(/\r?\n$/, "");
  if (chance.percent(40)) return whole;
  const skipped = chance.below(Math.max(1, whole.length - 8));
  return whole.slice(skipped, skipped + chance.between(6, 40));
}

function newTextOf(chance: Chance, oldText: string, another: string): string {
  const fresh = chance.pick(["new();", "let a;\nlet b;", "", "“q”", "😀", "end\n", "  }", "a\r\nb", "\n", "value1"]);
  switch (chance.weighted({ fresh: 4, changed: 6, behind: 2, before: 2, another: 1, beside: 1 })) {
    case "fresh":
      return fresh;
    case "changed":
      return oldText.replace(/[a-z]+/, () => `changed${chance.below(3)}`);
    case "behind":
      return oldText + fresh;
    case "before":
      return fresh + oldText;
    case "another":
      return another;
    default:
      return `${oldText}\n${another}`;
  }
}

function disturbed(chance: Chance, text: string, { line, percent }: { line: number; percent: number }): string {
  return chance.percent(percent) ? chance.pick(disturbances)(text, line) : text;
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map(({ 0: end, index }) => index + end.length)];
}

function times<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}
