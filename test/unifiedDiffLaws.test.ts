/** Laws for unified diffs: what Git and `diff` write is read as `git apply` and `patch` read it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textsBelow } from "./support/directory.js";
import { lawRuns } from "./support/extent.js";
import { applyDiff } from "./support/gitApply.js";
import { planPatch } from "./support/patching.js";

type Tree = ReadonlyMap<string, string>;

const names = ["a.txt", "b/c.txt", "d e.txt", 'ü"x.txt'] as const;
// Some lines look like a diff's own when a sign is before them.
const line = fc.constantFrom("one", "two", "  two", "", "-- a.txt", "++ a.txt", "@@ -1 +1 @@", "\\ No newline", "ü“x”");
const text = fc.tuple(fc.array(line, { maxLength: 14 }), fc.boolean()).map(([lines, isOpen]) =>
  lines
    .map((one) => `${one}\n`)
    .join("")
    .replace(isOpen ? /(?<=.)\n$/ : /$^/, ""),
);

/** A text before and after some of its lines were replaced. */
const change = fc
  .tuple(
    text,
    fc.array(fc.tuple(fc.nat(14), fc.nat(2), fc.array(line, { maxLength: 3 })), { maxLength: 3 }),
    fc.boolean(),
  )
  .map(([before, edits, isEnded]) => {
    const lines = before.split("\n");
    for (const [at, gone, added] of edits) lines.splice(Math.min(at, lines.length - 1), gone, ...added);
    return { before, after: lines.join("\n").replace(isEnded ? /(?<=[^\n])$/ : /$^/, "\n") };
  });

/** Two trees: some files are changed, and some are in one of the trees only, or under another name there. */
const trees = fc
  .tuple(
    fc.array(fc.record({ change, kind: fc.constantFrom("update", "update", "create", "delete", "rename") }), {
      minLength: 1,
      maxLength: names.length,
    }),
    fc.boolean(),
  )
  .map(([files, crlf]) => {
    const [before, after] = [new Map<string, string>(), new Map<string, string>()];
    // New lines get the line ending of the first one: of the file or, if it is new, of the diff.
    const isUpdated = crlf && files.every(({ kind, change }) => kind === "update" && change.before.includes("\n"));
    const ended = (content: string): string => (isUpdated ? content.replaceAll("\n", "\r\n") : content);
    for (const [i, { kind, change: texts }] of files.entries()) {
      const name = names[i]!;
      if (kind !== "create") before.set(name, ended(texts.before));
      if (kind !== "delete") after.set(kind === "rename" ? `new/${name}` : name, ended(texts.after));
    }
    return { before, after };
  });

/** Runs a program in a folder that has two trees, `a` and `b`, and returns what it prints. */
function inFolder<T>(roots: Readonly<Record<string, Tree>>, use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "multi-edit-diff-"));
  try {
    for (const [root, tree] of Object.entries(roots)) {
      mkdirSync(join(folder, root));
      for (const [path, content] of tree) {
        mkdirSync(dirname(join(folder, root, path)), { recursive: true });
        writeFileSync(join(folder, root, path), content);
      }
    }
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[], cwd: string, input = ""): string | undefined {
  const done = spawnSync(program, args, {
    cwd,
    input,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1" },
  });
  if (done.error !== undefined) throw done.error;
  // Both `git diff` and `diff` end with 1 if there are differences.
  return program === "patch" && done.status !== 0 ? undefined : done.stdout;
}

/** Returns the diff that Git makes of two trees. */
function gitDiff(roots: Readonly<Record<"a" | "b", Tree>>, context: number): string {
  return inFolder(roots, (folder) => {
    const git = (...args: readonly string[]): string => run("git", args, folder)?.trimEnd() ?? "";
    git("init", "-q", "--bare", "repository");
    const [before, after] = ["a", "b"].map((root) => {
      const at = ["--git-dir=repository", `--work-tree=${root}`, "-c", "core.autocrlf=false"];
      git(...at, "add", "-A");
      return git(...at, "write-tree");
    });
    return run("git", ["--git-dir=repository", "diff", "-M", `-U${context}`, before!, after!], folder) ?? "";
  });
}

const treeOf = (folder: string): Map<string, string> => new Map(Object.entries(textsBelow(folder)));

const sorted = (tree: ReadonlyMap<string, unknown>): [string, unknown][] =>
  [...tree].sort(([a], [b]) => (a < b ? -1 : 1));

/** Puts lines into a text, as somebody may have done since the diff was made. */
const moved = (tree: Tree): Tree =>
  new Map(
    [...tree].map(([path, content]) => [
      path,
      content.replace(/^.*?(\r?\n|$)/, (first, end) => (end === "" ? first : `more${end}lines${end}${first}`)),
    ]),
  );

const context = fc.nat(3);

/** Trees whose files have no line twice, so that it does not matter how the nearest of several matches is chosen. */
const distinct = trees.filter(({ before }) =>
  [...before.values()].every((content) => {
    const lines = content.replace(/\r?\n$/, "").split(/\r?\n/);
    return new Set(lines).size === lines.length;
  }),
);

describe("a unified diff", () => {
  it("that Git wrote leads from one tree to the other", () => {
    fc.assert(
      fc.property(trees, context, ({ before, after }, lines) => {
        const diff = gitDiff({ a: before, b: after }, lines);
        fc.pre(diff !== "");
        const run = planPatch(before, diff);
        expect(
          run.failures.map(({ message }) => message),
          diff,
        ).toEqual([]);
        expect(sorted(run.files), diff).toEqual(sorted(after));
      }),
      { numRuns: lawRuns(40) },
    );
  });

  it("is applied to a text with more lines as `git apply` does, or refused", () => {
    fc.assert(
      fc.property(distinct, ({ before, after }) => {
        const diff = gitDiff({ a: before, b: after }, 3);
        const base = moved(before);
        const ours = planPatch(base, diff);
        fc.pre(diff !== "" && ours.failures.length === 0);
        const theirs = applyDiff(new Map([...base].map(([path, content]) => [path, Buffer.from(content)])), diff);
        expect(sorted(ours.files), diff).toEqual(sorted(theirs).map(([path, bytes]) => [path, String(bytes)]));
      }),
      { numRuns: lawRuns(40) },
    );
  });

  it("of `diff` is applied to a text with more lines as `patch` does, or refused", () => {
    fc.assert(
      fc.property(distinct, fc.integer({ min: 1, max: 3 }), ({ before, after }, lines) => {
        // `diff` quotes names as Git does not.
        const [a, b] = [before, after].map((tree) => new Map([...tree].filter(([path]) => !path.includes('"'))));
        const base = moved(a!);
        const { diff, theirs } = inFolder({ a: a!, b: b!, base }, (folder) => {
          const made = run("diff", ["-rN", `-U${lines}`, "a", "b"], folder) ?? "";
          const done = run("patch", ["-p1", "-F0", "--no-backup-if-mismatch", "--quiet"], join(folder, "base"), made);
          return { diff: made, theirs: done === undefined ? undefined : treeOf(join(folder, "base")) };
        });
        const ours = planPatch(base, diff);
        fc.pre(diff !== "" && ours.failures.length === 0 && theirs !== undefined);
        expect(sorted(ours.files), diff).toEqual(sorted(theirs!));
      }),
      { numRuns: lawRuns(40) },
    );
  });

  it("with wrong counts means the same, or is refused", () => {
    const off = fc.array(fc.constantFrom(-1, 0, 0, 1, 2), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(trees, off, ({ before, after }, by) => {
        const diff = gitDiff({ a: before, b: after }, 3);
        let at = 0;
        const wrong = diff.replace(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm, (_, old, n = 1, next, m = 1) => {
          const [one = 0, other = 0] = [by[at++ % 20], by[at++ % 20]];
          return `@@ -${old},${Math.max(0, Number(n) + one)} +${next},${Math.max(0, Number(m) + other)} @@`;
        });
        const run = planPatch(before, wrong);
        fc.pre(diff !== "" && run.failures.length === 0);
        expect(sorted(run.files), wrong).toEqual(sorted(after));
      }),
      { numRuns: lawRuns(40) },
    );
  });
});
