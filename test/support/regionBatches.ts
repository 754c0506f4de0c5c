/** Batches for the law of regions: texts whose lines are mostly different, and edits that come into each other's way. */
import { type Draft, draftOf, edited } from "../../server/plan/draft.js";
import type { EditOperation } from "../../server/plan/operation.js";
import { type Chance, chanceOf } from "../codex/random.js";
import { documentAt, type SentEdit } from "./planning.js";

/** A draft before its edits, and what is asked of it. */
export interface RegionBatch {
  readonly start: Draft;
  readonly edits: readonly EditOperation[];
  readonly lenient: boolean;
}

/** Lines with a number of their own, and with what the rungs fold. */
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

/** Ways in which a caller's text differs from the document's, each folded by a rung, or by none. */
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
  (text) => text.replace("value", "valve"),
  (text) => `\uFEFF${text}`,
];

/** The batch of a seed, a 32-bit number: the same each time. */
export function regionBatch(seed: number): RegionBatch {
  const chance = chanceOf(seed);
  const start = startOf(chance);
  // Most batches are tame, or few of them could be planned in regions.
  const mood = chance.weighted<Mood>({ tame: 5, failing: 3, wild: 2 });
  const count = chance.between(2, 9);
  const sent: SentEdit[] = [];
  while (sent.length < count) sent.push(...editOf(chance, { text: start.index.text, sent, mood }));
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
  const lines = Array.from({ length: chance.between(20, 60) }, (_, i) =>
    chance.percent(12) ? chance.pick(common) : chance.pick(contents)(chance.percent(97) ? i : 1),
  );
  const text = lines.map((line) => line + lineEnd()).join("") + (chance.percent(30) ? "last line" : "");
  const more = { bom: chance.percent(10), loneCrEndsLine: chance.percent(70) };
  if (!chance.percent(8)) return draftOf(documentAt("a", text, more));
  const empty = draftOf(documentAt("a", "", { ...more, exists: false }));
  return { ...edited(empty, [{ from: 0, to: 0, insert: text }]).draft, created: true };
}

type Mood = "tame" | "failing" | "wild";
type Kind =
  | "plain"
  | "again"
  | "back"
  | "onto"
  | "overlap"
  | "absent"
  | "ambiguous"
  | "noChange"
  | "empty"
  | "chosen"
  | "copies";

/** Kinds of edits, each as often as it is named. */
const kinds: Readonly<Record<Mood, readonly Kind[]>> = {
  tame: [...times<Kind>(16, "plain"), "again", "again", "back", "onto", "onto", "overlap", "absent"],
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
}

/** One edit, or a few that belong together. */
function editOf(chance: Chance, { text, sent, mood }: Around): SentEdit[] {
  const starts = lineStarts(text);
  const line = chance.below(starts.length);
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
    case "overlap":
      return [plain, { oldText: excerpt(chance, text, starts, line), newText: `over${chance.below(9)}` }];
    case "absent":
      return [{ oldText: `${oldText}${chance.pick(["nowhere", "\nnowhere", " "])}`, newText: "found" }];
    case "ambiguous":
      return [{ oldText: chance.pick(["}", "value", "compute(one", "\n", "return"]), newText: "many" }];
    case "noChange":
      return [{ oldText, newText: oldText }];
    case "empty":
      return [{ oldText: "", newText: "empty" }];
    case "chosen":
      return [
        { ...plain, ...chance.pick<Partial<SentEdit>>([{ replaceAll: true }, { occurrence: 2 }, { line: line + 1 }]) },
      ];
    case "copies":
      return [{ oldText: chance.pick(["}", "return"]), newText: "all", replaceAll: true }];
    default:
      return [chance.percent(5) ? { ...plain, replaceAll: true, expectedCount: chance.between(1, 2) } : plain];
  }
}

/** An edit of what an earlier one writes, alone or with the text of another. */
function onto(chance: Chance, { newText }: SentEdit, plain: SentEdit): SentEdit {
  const from = chance.below(Math.max(1, newText.length));
  const part = chance.percent(50) ? newText : newText.slice(from, from + chance.between(1, 12));
  return { oldText: chance.percent(80) ? part : part + plain.oldText, newText: plain.newText };
}

/** Some lines of a text, with or without the last line's end, or a part of a line. */
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
