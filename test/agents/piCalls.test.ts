/**
 * Makes the same calls of `edit` with pi's own tool and with the extension, each in a folder of its own without an editor:
 * the files must then have the same texts, apart from the differences that are named here.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildProgram, type Program } from "../support/build.js";
import { makeDirectory } from "../support/directory.js";
import { builtServer } from "../support/wireServer.js";
import { pi } from "./kinds.js";
import type { PiCall, PiOutcome } from "./piPeer.js";
import { absence, alone, versionOf } from "./stage.js";

const reason = absence(pi);
const modules = join(process.env.AGENTS_ROOT ?? "", "pi/node_modules");
const extension = fileURLToPath(new URL("../../client-samples/pi/multiEdit.ts", import.meta.url));

if (reason === undefined) describe(`the extension, beside the own edit of pi ${versionOf(pi)}`, describeCalls);
else it("pi's own edit: not available", () => expect(process.env.REQUIRE_AGENTS, reason).not.toBe("1"));

interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

/** A call for the file `sub/a b.ts` with this text. */
interface Try {
  readonly text: string;
  /** The edits in one of the shapes that pi's own tool takes. */
  readonly shaped: object;
  /** A way to write the file's path. */
  readonly path: keyof typeof paths;
}

/** The outcome for one of the two tools. */
interface Tried extends PiOutcome {
  readonly file: string;
  /** The text of `sub/c.ts`, which is not there before the call. */
  readonly other: string | undefined;
}

/** A call that the two tools take differently, as they should. */
interface Difference extends Partial<Pick<Try, "path">> {
  readonly name: string;
  readonly text: string;
  readonly call: object;
  /** The file's text after the call of pi's own tool; `undefined` if the call fails. */
  readonly own: string | undefined;
  /** The same for the extension. */
  readonly ours: string | undefined;
}

const differences: readonly Difference[] = [
  {
    name: "lines are replaced by a text without a line break at its end: pi joins the next line to it",
    text: "a\nb\nc\n",
    call: { oldText: "b\n", newText: "B" },
    own: "a\nBc\n",
    ours: "a\nB\nc\n",
  },
  {
    name: "the indentation is different: pi does not find the lines",
    text: "if (a) {\n\tb();\n\tc();\n}\n",
    call: { oldText: "b();\nc();", newText: "b();\nd();" },
    own: undefined,
    ours: "if (a) {\n\tb();\n\td();\n}\n",
  },
  {
    name: "the file has two kinds of line breaks: pi makes all of them one kind",
    text: "a\r\nb\nc\n",
    call: { oldText: "c", newText: "C" },
    own: "a\r\nb\r\nC\r\n",
    ours: "a\r\nb\nC\n",
  },
  {
    name: "a quote is written differently: pi also replaces the others in the line",
    text: "f(“a”); g(“b”);\n",
    call: { oldText: 'f("a")', newText: "f(1)" },
    own: 'f(1); g("b");\n',
    ours: "f(1); g(“b”);\n",
  },
  {
    name: "one place has the text, another one has it with other quotes: pi counts both",
    text: "it's\nit’s\n",
    call: { oldText: "it's", newText: "new" },
    own: undefined,
    ours: "new\nit’s\n",
  },
  {
    name: "two matches overlap: pi takes the first one",
    text: "xxx\n",
    call: { oldText: "xx", newText: "y" },
    own: "yx\n",
    ours: undefined,
  },
  {
    name: "an edit beside the list has no new text: pi leaves it out",
    text: "a\nb\n",
    call: { oldText: "a", edits: [{ oldText: "b", newText: "B" }] },
    own: "a\nB\n",
    ours: undefined,
  },
  {
    name: "all matches should be replaced: pi does not know the field",
    text: "a\na\n",
    call: { edits: [{ oldText: "a", newText: "b", replaceAll: true }] },
    own: undefined,
    ours: "b\nb\n",
  },
  {
    name: "the old text is empty: pi creates no file",
    text: "a\n",
    path: "missing",
    call: { oldText: "", newText: "a\n" },
    own: undefined,
    ours: "a\n",
  },
];

const file = "sub/a b.ts";
const paths = {
  relative: () => file,
  dots: () => "./sub/../sub/a b.ts",
  mark: () => `@${file}`,
  absolute: (root: string) => join(root, file),
  markAbsolute: (root: string) => `@${join(root, file)}`,
  home: (root: string, home: string) => `~${root.slice(home.length)}/${file}`,
  uri: (root: string) => pathToFileURL(join(root, file)).href,
  otherSpace: () => file.replace(" ", "\u00a0"),
  missing: () => "sub/c.ts",
} satisfies Record<string, (root: string, home: string) => string>;

/** The shapes that pi's own tool takes. */
const shapes: ((edits: readonly Edit[]) => object)[] = [
  (edits) => ({ edits }),
  (edits) => ({ edits: JSON.stringify(edits) }),
  ([edit]) => ({ edits: edit }),
  ([edit]) => ({ edits: JSON.stringify(edit) }),
  ([edit]) => ({ ...edit }),
  ([edit, ...others]) => ({ ...edit, edits: others }),
  ([edit, ...others]) => ({ ...edit, edits: JSON.stringify(others) }),
  (edits) => ({ edits, oldText: null, newText: null }),
  (edits) => ({ edits, description: "more" }),
  (edits) => ({ edits: edits.map((edit) => ({ ...edit, reason: "more" })) }),
  () => ({ edits: [] }),
  () => ({}),
];

const lines = [
  "alpha",
  "const a = 1;",
  "  indented",
  "\ttab",
  "it’s",
  "a – b",
  "",
  "}",
  "ﬁ",
  "日本",
  "x(1)",
  "y(2)",
  "end",
];
const newTexts = ["new", "", "two\nlines", "$&", "“new”", "trail  ", "a\r\nb", "😀"];

/** Edits of a text that both tools find in the same place, or in none, and that end with a line break on both sides or on neither. */
const edits = (text: string): fc.Arbitrary<Edit[]> => {
  const one = fc
    .record({
      from: fc.nat(text.length),
      length: fc.integer({ min: 1, max: 25 }),
      newText: fc.constantFrom(...newTexts),
      change: fc.constantFrom("none", "none", "none", "none", "crlf", "missing"),
    })
    .map(({ from, length, newText, change }) => {
      const part = text.slice(from, from + length).trim();
      if (change === "missing" || part === "") return { oldText: `${part}zzz`, newText };
      return { oldText: change === "crlf" ? part.replaceAll("\n", "\r\n") : part, newText };
    })
    .filter(({ oldText, newText }) => oldText !== newText);
  return fc.array(one, { minLength: 1, maxLength: 3 });
};

const tries: fc.Arbitrary<Try> = fc
  .record({
    lines: fc.shuffledSubarray(lines, { minLength: 3 }),
    lineEnding: fc.constantFrom("\n", "\n", "\r\n"),
    end: fc.constantFrom("", "\n"),
    mark: fc.constantFrom("", "", "", "\ufeff"),
    shape: fc.constantFrom(...shapes),
    path: fc.constantFrom(...(Object.keys(paths) as (keyof typeof paths)[])),
  })
  .chain(({ mark, lineEnding, shape, path, ...parts }) => {
    const text = parts.lines.join("\n") + parts.end;
    return edits(text).map((list) => ({ text: mark + text.replaceAll("\n", lineEnding), shaped: shape(list), path }));
  });

function describeCalls(): void {
  let peer: Program;
  beforeAll(async () => {
    peer = await buildProgram(new URL("piPeer.ts", import.meta.url));
  });
  afterAll(() => peer.remove());

  /** Makes calls with both tools. */
  function make(calls: readonly Try[]): { readonly own: Tried; readonly ours: Tried }[] {
    const home = makeDirectory({});
    const program = join(home, "multi-edit");
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${builtServer}' "$@"\n`, { mode: 0o755 });
    const prepared = calls.flatMap(({ text, shaped, path }) =>
      (["own", "extension"] as const).map((tool): PiCall => {
        const cwd = mkdtempSync(join(home, "project-"));
        mkdirSync(join(cwd, "sub"));
        writeFileSync(join(cwd, file), text);
        return { tool, cwd, call: { path: paths[path](cwd, home), ...shaped } };
      }),
    );
    const node = join(modules, ".bin/node");
    const [command, args] = alone([node, peer.path, modules, extension]);
    const env = { PATH: process.env.PATH, HOME: home, MULTI_EDIT_PROGRAM: program };
    const printed = execFileSync(command, args, { input: JSON.stringify(prepared), encoding: "utf8", env });
    const tried = (JSON.parse(printed) as PiOutcome[]).map((outcome, index) => {
      const read = (path: string): string | undefined => {
        const absolute = join(prepared[index]!.cwd, path);
        return existsSync(absolute) ? readFileSync(absolute, "utf8") : undefined;
      };
      return { ...outcome, file: read(file) ?? "", other: read("sub/c.ts") };
    });
    return calls.map((_, index) => ({ own: tried[2 * index]!, ours: tried[2 * index + 1]! }));
  }

  it("changes the file as pi does, or changes nothing where pi does not, in 200 random calls", {
    timeout: 240_000,
  }, () => {
    const calls = fc.sample(tries, { numRuns: 200, seed: 1 });
    const results = make(calls);
    let applied = 0;
    for (const [index, { own, ours }] of results.entries()) {
      const told = JSON.stringify({ ...calls[index], own: own.text, ours: ours.text });
      expect({ ...ours, text: "" }, told).toEqual({ ...own, text: "" });
      if (!own.isError) applied++;
    }
    // The others are calls for no file, without edits, or with old texts that occur never or often.
    expect(applied).toBeGreaterThan(60);
  });

  it("differs from pi only where it is meant to", { timeout: 60_000 }, () => {
    const tried = make(differences.map(({ text, call, path = "relative" }) => ({ text, shaped: call, path })));
    const textOf = (difference: Difference, { isError, file, other, text }: Tried): string | undefined => {
      // A call that fails changes nothing.
      if (isError) expect({ file, other }, text).toEqual({ file: difference.text, other: undefined });
      return isError ? undefined : (other ?? file);
    };
    const found = differences.map((difference, index) => {
      const { own, ours } = tried[index]!;
      return { ...difference, own: textOf(difference, own), ours: textOf(difference, ours) };
    });
    expect(found).toEqual(differences);
  });
}
