/** Changes to random programs, sent with other indentation than the file's: each lands as it was made, or is refused. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lawRuns } from "./support/extent.js";
import { planPatch } from "./support/patching.js";
import { documentAt, planOn, textAfter } from "./support/planning.js";

/** INDENTATION_RUNS=100000 sets the number of programs of each law. */
const numRuns = Number(process.env.INDENTATION_RUNS ?? lawRuns(3000));

/** A statement or, with children, a block. */
interface Node {
  readonly name: string;
  readonly children?: readonly Node[];
}

/** The lines in which a language writes a block's first and last line. */
const languages = {
  braces: (name: string) => [`${name} {`, "}"],
  words: (name: string) => [`def ${name}`, "end"],
  colons: (name: string) => [`${name}:`],
} as const;

interface Line {
  readonly depth: number;
  readonly text: string;
}

const isBlock = ({ children = [] }: Node): boolean => children.length > 0;

function linesOf(nodes: readonly Node[], language: keyof typeof languages, depth = 0): Line[] {
  return nodes.flatMap((node) => {
    if (!isBlock(node)) return [{ depth, text: `${node.name};` }];
    const [open = "", close] = languages[language](node.name);
    const inside = linesOf(node.children ?? [], language, depth + 1);
    return [{ depth, text: open }, ...inside, ...(close === undefined ? [] : [{ depth, text: close }])];
  });
}

let names = 0;
const name = fc.constantFrom("if", "for", "run", "x").map((word) => `${word} n${++names}`);
const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ name }),
    fc.record({ name, children: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }),
  ),
}));

/** A way to change the children of one block: new ones before a child, instead of it, around it, or its own in its place. */
const changes = {
  added: (all: readonly Node[], at: number, made: Node) => all.toSpliced(at, 0, made),
  appended: (all: readonly Node[], at: number, made: Node) => all.toSpliced(at + 1, 0, made),
  replaced: (all: readonly Node[], at: number, made: Node) => all.with(at, made),
  wrapped: (all: readonly Node[], at: number, made: Node) =>
    all.with(at, { ...made, children: [...all.slice(at, at + 1), ...(made.children ?? [])] }),
  unwrapped: (all: readonly Node[], at: number) => all.toSpliced(at, 1, ...(all[at]?.children ?? [])),
} as const;

function changed(
  nodes: readonly Node[],
  path: readonly number[],
  change: (all: readonly Node[], at: number) => Node[],
): Node[] {
  const [first = 0, ...rest] = path;
  const at = first % nodes.length;
  const own = nodes[at];
  if (rest.length === 0 || own === undefined || !isBlock(own)) return change(nodes, at);
  const children = changed(own.children ?? [], rest, change);
  return nodes.map((one, i) => (i === at ? { ...one, children } : one));
}

/** A file, the same file after the change, and the lines before and after as an excerpt with some context. */
const programs = fc
  .record({
    nodes: fc.array(node, { minLength: 1, maxLength: 3 }),
    path: fc.array(fc.nat(5), { minLength: 1, maxLength: 4 }),
    change: fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[])),
    made: node,
    language: fc.constantFrom(...(Object.keys(languages) as (keyof typeof languages)[])),
    context: fc.tuple(fc.nat(3), fc.nat(3)),
    width: fc.constantFrom(2, 4),
  })
  .map(({ nodes, path, change, made, language, context: [above, below], width }) => {
    const wrapped = [{ name: "class top", children: nodes }];
    const after = linesOf(
      changed(wrapped, [0, ...path], (all, at) => changes[change](all, at, made)),
      language,
    );
    const before = linesOf(wrapped, language);
    const isSame = (one: Line | undefined, other: Line | undefined): boolean =>
      one !== undefined && one.depth === other?.depth && one.text === other.text;
    let head = 0;
    while (isSame(before[head], after[head])) head++;
    let tail = 0;
    while (tail < Math.min(before.length, after.length) - head && isSame(before.at(-1 - tail), after.at(-1 - tail)))
      tail++;
    const [from, to] = [Math.max(0, head - above), Math.max(0, tail - below)];
    const part = (lines: readonly Line[]): readonly Line[] => lines.slice(from, lines.length - to);
    return { before, after, old: part(before), next: part(after), head: head - from, tail: tail - to, width };
  })
  // The old lines must be certain, whatever their indentation is.
  .filter(({ old, before }) => {
    const [run, all] = [old, before].map((lines) => `\n${lines.map((line) => line.text).join("\n")}\n`);
    return old.length > 1 && /n\d/.test(run ?? "") && all?.split(run ?? "").length === 2;
  });

const text = (lines: readonly Line[], width: number, by = 0): string[] =>
  lines.map(({ depth, text }) => " ".repeat(Math.max(0, depth * width + by)) + text);
const whole = (lines: readonly Line[], width: number): string => `${text(lines, width).join("\n")}\n`;

/** Sends a change as texts, or as a hunk; returns the resulting text, or `undefined` if the change was refused. */
function sentAs(
  form: "texts" | "hunk",
  file: string,
  sent: { old: string[]; next: string[]; head: number; tail: number },
) {
  const { old, next, head, tail } = sent;
  if (form === "texts") {
    const document = documentAt("a", file);
    const planned = planOn([document], [{ oldText: old.join("\n"), newText: next.join("\n") }]);
    return planned.ok ? textAfter(planned, document) : undefined;
  }
  const signed = [
    ...old.slice(0, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...next.slice(head, next.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail).map((line) => ` ${line}`),
  ];
  const patch = ["*** Begin Patch", "*** Update File: a", "@@", ...signed, "*** End Patch"].join("\n");
  const { failures, files } = planPatch(new Map([["a", file]]), patch, { lenient: true });
  return failures.length > 0 ? undefined : files.get("a");
}

/** Checks that changes land as they were made, or are refused; at least `least` percent must land. */
function check(
  least: number,
  forms: readonly ("texts" | "hunk")[],
  send: (one: Program, by: number) => Sent | undefined,
): void {
  const counts = { landed: 0, refused: 0 };
  fc.assert(
    fc.property(programs, fc.constantFrom(...forms), fc.integer({ min: 2, max: 8 }), (one, form, by) => {
      const sent = send(one, by);
      fc.pre(sent !== undefined && sent.old.join("\n") !== sent.next.join("\n"));
      // Without a part of its indentation, a first line is a part of the file's line.
      fc.pre(!whole(one.before, one.width).includes(sent.old.join("\n")));
      const { before, after, head, tail, width } = one;
      const result = sentAs(form, whole(before, width), { ...sent, head, tail });
      counts[result === undefined ? "refused" : "landed"]++;
      if (result !== undefined) expect(result).toBe(whole(after, width));
    }),
    { numRuns },
  );
  expect((100 * counts.landed) / (counts.landed + counts.refused)).toBeGreaterThan(least);
}

type Program = typeof programs extends fc.Arbitrary<infer P> ? P : never;
interface Sent {
  readonly old: string[];
  readonly next: string[];
}

/** The spaces that all lines of a change have in front. */
const common = ({ old, next, width }: Program): number =>
  Math.min(...[...old, ...next].map(({ depth }) => depth)) * width;

describe("a change to a program", { timeout: 5_000 + 10 * numRuns }, () => {
  it("lands as it was made if all of its lines have lost some indentation, or is refused", () => {
    check(80, ["texts", "hunk"], (one, by) => {
      const less = Math.min(by, common(one));
      return less < 2 ? undefined : { old: text(one.old, one.width, -less), next: text(one.next, one.width, -less) };
    });
  });

  it("lands as it was made if all of its lines have too much indentation, or is refused", () => {
    check(80, ["texts", "hunk"], (one, by) => ({
      old: text(one.old, one.width, by),
      next: text(one.next, one.width, by),
    }));
  });

  it("lands as it was made if only the old text has lost its indentation, or is refused", () => {
    check(80, ["texts"], ({ old, next, width }) => {
      const least = Math.min(...old.map(({ depth }) => depth)) * width;
      return least === 0 ? undefined : { old: text(old, width, -least), next: text(next, width) };
    });
  });

  it("lands as it was made if its levels have another width, or is refused", () => {
    check(60, ["texts", "hunk"], ({ old, next, width }) => {
      // Lines of one depth may as well have lost indentation or have too much of it.
      const isTold = new Set(old.map(({ depth }) => depth)).size > 1;
      return isTold ? { old: text(old, 6 - width), next: text(next, 6 - width) } : undefined;
    });
  });
});
