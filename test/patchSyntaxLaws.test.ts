/**
 * Laws for parsing patches: a printed patch parses back to the same sections, and any text is either parsed or
 * refused with a usable reason.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Section } from "../server/plan/operation.js";
import { limits } from "../server/text/limits.js";
import { lawRuns } from "./support/extent.js";
import {
  add,
  begin,
  change,
  cutOff,
  end,
  endOfFile,
  hunk,
  lenient,
  parsePatch,
  remove,
  strict,
  update,
} from "./support/patchSections.js";

/** One line of text with no trailing whitespace, for use where trailing whitespace is dropped. */
const word = fc.stringMatching(/^[-+*@ a-z.'"\\é😀\t]{0,8}[a-z}é😀]$/u);
const lineText = fc.oneof(
  word,
  fc.string({ unit: "grapheme" }).filter((text) => !/[\n\r]/.test(text)),
);
const line = fc.tuple(fc.constantFrom(" ", "-", "+"), lineText).map(([sign, text]) => `${sign}${text}`);
/** Excludes hunks that consist only of empty context lines, which mean something else before an `@@`. */
const lines = fc.array(line, { minLength: 1, maxLength: 5 }).filter((all) => all.some((each) => each !== " "));
const anchor = word.filter((text) => !/^(?:-\d|@@$)/.test(text));

/** A section without its index or line numbers. */
type Draft =
  | { readonly kind: "add"; readonly path: string; readonly texts: readonly string[] }
  | { readonly kind: "delete"; readonly path: string }
  | {
      readonly kind: "update";
      readonly path: string;
      readonly move: string | undefined;
      readonly hunks: readonly { anchors: readonly string[]; lines: readonly string[]; atEnd: boolean }[];
    };

const drafts = (mostAnchors: number): fc.Arbitrary<readonly Draft[]> =>
  fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant("add" as const), path: word, texts: fc.array(lineText, { maxLength: 4 }) }),
      fc.record({ kind: fc.constant("delete" as const), path: word }),
      fc.record({
        kind: fc.constant("update" as const),
        path: word,
        move: fc.option(word, { nil: undefined }),
        hunks: fc.array(
          fc.record({ anchors: fc.array(anchor, { maxLength: mostAnchors }), lines, atEnd: fc.boolean() }),
          { minLength: 1, maxLength: 4 },
        ),
      }),
    ),
    { minLength: 1, maxLength: 5 },
  );

/**
 * Prints sections as a patch that starts at line `firstLine`, and adds their indices and line numbers.
 */
function print(all: readonly Draft[], firstLine: number): { lines: string[]; sections: Section[] } {
  const written: string[] = [];
  let next = 0;
  const write = (...more: readonly string[]): number => {
    const at = firstLine + written.length;
    written.push(...more);
    return at;
  };
  const sections = all.map((draft): Section => {
    const { path } = draft;
    if (draft.kind === "delete") return remove(next++, write(`*** Delete File: ${path}`), path);
    if (draft.kind === "add") {
      const text = draft.texts.map((each) => `${each}\n`).join("");
      return add(next++, write(`*** Add File: ${path}`, ...draft.texts.map((each) => `+${each}`)), path, text);
    }
    const patchLine = write(`*** Update File: ${path}`);
    const move =
      draft.move === undefined
        ? {}
        : { move: { index: next++, path: draft.move, patchLine: write(`*** Move to: ${draft.move}`) } };
    const hunks = draft.hunks.map((each) => {
      const heads = each.anchors.length === 0 ? ["@@"] : each.anchors.map((text) => `@@ ${text}`);
      const at = write(...heads, ...each.lines, ...(each.atEnd ? [endOfFile] : []));
      return hunk(next++, at, each.lines, each);
    });
    return change(patchLine, hunks, { path, ...move });
  });
  return { lines: written, sections };
}

describe("laws", () => {
  test("sections that are written as a patch are read back, in both grammars", () => {
    fc.assert(
      fc.property(drafts(1), fc.constantFrom("\n", "\r\n"), (all, lineEnd) => {
        const { lines: written, sections } = print(all, 2);
        const text = [begin, ...written, end].join(lineEnd);
        for (const how of [strict, lenient])
          expect(parsePatch(text, how)).toEqual({ ok: true, operations: sections, warnings: [] });
      }),
    );
  });

  test("leniently also with anything around them, and without their end marker", () => {
    const before = fc.constantFrom(
      [],
      ["I will now change it.", ""],
      ["```patch"],
      ["$ apply_patch <<'END_1'"],
      ["~~~", "apply_patch <<EOF"],
    );
    const after = fc.constantFrom<readonly string[]>(
      [end],
      [end, "", end, "Done."],
      [end, "```", "- bullet", "+ plus"],
      [end, "EOF", "*** so it is"],
      [],
    );
    fc.assert(
      fc.property(drafts(3), before, after, (all, head, tail) => {
        const { lines: written, sections } = print(all, head.length + 2);
        const parsed = parsePatch([...head, begin, ...written, ...tail].join("\n"), lenient);
        if (tail.length > 0) expect(parsed).toEqual({ ok: true, operations: sections, warnings: [] });
        else {
          // Without an end marker, the empty lines at the very end of a text are not part of the patch.
          const last = written.findLast((each) => /[^\s\u0085]/u.test(each)) ?? "";
          if (/^[+-]|^\*\*\* Add/.test(last)) expect(parsed).toMatchObject({ failures: [{ code: "patchSyntax" }] });
          if (/^ |^\*\*\* (?:Delete|End of)/.test(last)) expect(parsed).toMatchObject({ ok: true, warnings: cutOff });
        }
      }),
    );
  });

  test("leniently also without their begin marker", () => {
    fc.assert(
      fc.property(drafts(3), (all) => {
        const { lines: written, sections } = print(all, 1);
        const warnings = [expect.stringContaining(begin)];
        expect(parsePatch([...written, end].join("\n"), lenient)).toEqual({ ok: true, operations: sections, warnings });
        expect(parsePatch([...written, end].join("\n"), strict).ok).toBe(false);
      }),
    );
  });

  test("any text is read or refused, always in the same way, and a refusal names a line that exists", () => {
    const piece = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          begin,
          end,
          update,
          endOfFile,
          "*** Add File: x",
          "*** Delete File: y",
          "*** Move to: g",
        ),
      },
      {
        weight: 4,
        arbitrary: fc.constantFrom("@@", "@@ a", "@@b", "@@ -1,2 +1 @@", " a", "-a", "+a", "", " ", "a", "\ta"),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          "*** update file: f",
          "***",
          "*** Environment ID: e",
          "<<EOF",
          "EOF",
          "```",
          "{",
          "--- a",
          "\\ No newline at end of file",
        ),
      },
      { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
    );
    const indent = fc.constantFrom("", "", "", "", " ", "\t", "\u00a0", "\ufeff");
    const text = fc
      .array(fc.tuple(indent, piece, fc.constantFrom("", "", "", " ", "\r", "\r\r\r")), { maxLength: 14 })
      .map((all) => all.map((each) => each.join("")));
    fc.assert(
      fc.property(text, fc.boolean(), (some, framed) => {
        const sent = (framed ? [begin, ...some, end] : some).join("\n");
        for (const how of [strict, lenient]) {
          const parsed = parsePatch(sent, how);
          expect(parsePatch(sent, how)).toEqual(parsed);
          if (parsed.ok) expectSound(parsed.operations, sent);
          else expectUsable(parsed.failures, sent);
        }
      }),
      { numRuns: lawRuns(3_000) },
    );
  });
});

/** Checks the invariants of parsed sections, whatever text they came from. */
function expectSound(sections: readonly Section[], text: string): void {
  expect(sections.length).toBeGreaterThan(0);
  const sent = text.split("\n");
  for (const section of sections) {
    expect(section.path).not.toBe("");
    expect(sent[section.patchLine - 1]).toContain(`File: ${section.path}`);
    if (section.kind !== "update") continue;
    if (section.move !== undefined)
      expect(sent[section.move.patchLine - 1]).toContain(`*** Move to: ${section.move.path}`);
    expect(section.hunks.length + (section.move === undefined ? 0 : 1)).toBeGreaterThan(0);
    for (const { lines: found, anchors } of section.hunks) {
      expect(found.length).toBeGreaterThan(0);
      for (const { text: sought } of anchors) expect(sought.trim()).not.toBe("");
    }
  }
}

function expectUsable(failures: readonly { line?: number; message: string }[], text: string): void {
  expect(failures.length).toBeGreaterThan(0);
  expect(failures.length).toBeLessThanOrEqual(limits.failuresPerCall);
  const count = text.split("\n").length;
  for (const { line: at = 0, message } of failures) {
    expect(at).toBeGreaterThan(0);
    expect(at).toBeLessThanOrEqual(count);
    // What is no patch at all is called a text.
    expect(message).toMatch(new RegExp(`^Line ${at} of the (?:patch|text)\\b`));
    expect(message.length).toBeLessThanOrEqual(limits.failureMessage);
  }
}
