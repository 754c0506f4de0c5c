/** Laws for hunks: where they are applied, what they write, and what the advice in their failures achieves. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lawRuns } from "./support/extent.js";
import { planPatch } from "./support/patching.js";

/** Lines of which many are alike, so that hunks often have several matches. */
const words = fc.constantFrom("a", "a", "b", "b", "  a", "}", "", "c", "d(e);");
const fileLines = fc.array(words, { minLength: 2, maxLength: 14 });

/** A hunk for lines of a file: an optional anchor, and old lines that are kept or replaced. */
const trial = fc
  .record({
    lines: fileLines,
    from: fc.nat(),
    length: fc.integer({ min: 0, max: 3 }),
    anchor: fc.option(fc.nat(), { nil: undefined }),
    kept: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  })
  .map(({ lines, from, length, anchor, kept }) => {
    const start = from % lines.length;
    const old = lines.slice(start, start + length);
    const above = anchor === undefined ? "" : (lines[anchor % lines.length] ?? "");
    const hunk = old.flatMap((text, i) => (kept[i] ? [` ${text}`] : [`-${text}`, `+${text}!`]));
    return { lines, start, old, anchor: above, hunk: [...hunk, "+new"] };
  });

type Trial = typeof trial extends fc.Arbitrary<infer T> ? T : never;

const patchOf = (...lines: readonly string[]): string =>
  ["*** Begin Patch", "*** Update File: f", ...lines, "*** End Patch"].join("\n");

const run = (text: string, patch: string, lenient = true) => {
  const { planned, failures, files } = planPatch(new Map([["f", text]]), patch, { lenient });
  return { planned, failures, text: files.get("f") };
};

describe("where a hunk is applied", () => {
  it("after an anchor, only if no other place after the anchor fits as well", () => {
    let refused = 0;
    fc.assert(
      fc.property(trial, ({ lines, old, anchor, hunk }) => {
        fc.pre(anchor !== "" && old.length > 0);
        const first = lines.indexOf(anchor);
        const places = lines.flatMap((_, i) =>
          i >= first && old.every((text, k) => lines[i + k] === text) ? [i] : [],
        );
        const { planned, failures } = run(`${lines.join("\n")}\n`, patchOf(`@@ ${anchor}`, ...hunk));
        if (places.length > 1) {
          refused++;
          expect(failures).toMatchObject([{ code: "ambiguousMatch" }]);
        } else if (places.length === 1) {
          const at = (places[0] ?? 0) + 1;
          expect(planned).toMatchObject({ ok: true, outcomes: [{ places: [{ startLine: at }] }] });
        }
      }),
      { numRuns: lawRuns(500) },
    );
    expect(refused).toBeGreaterThan(lawRuns(20));
  });

  it("without old lines, only if its anchor occurs once", () => {
    fc.assert(
      fc.property(trial, ({ lines, anchor }) => {
        fc.pre(anchor !== "");
        const at = lines.flatMap((line, i) => (line === anchor ? [i] : []));
        const { failures, text } = run(`${lines.join("\n")}\n`, patchOf(`@@ ${anchor}`, "+new"));
        if (at.length > 1) expect(failures).toMatchObject([{ code: "ambiguousMatch" }]);
        else
          expect(text).toBe(
            `${[...lines.slice(0, (at[0] ?? 0) + 1), "new", ...lines.slice((at[0] ?? 0) + 1)].join("\n")}\n`,
          );
      }),
    );
  });
});

/** The 0-based lines at which old lines start: exactly, and with any indentation. */
const startsIn = (lines: readonly string[], old: readonly string[]) => {
  const found = (isSame: (one: string, other: string) => boolean): number[] =>
    lines.flatMap((_, i) =>
      old.every((text, k) => lines[i + k] !== undefined && isSame(text, lines[i + k]!)) ? [i] : [],
    );
  return { exact: found((a, b) => a === b), loose: found((a, b) => a.trim() === b.trim()) };
};

describe("where a hunk is applied after another one", () => {
  /** The 0-based line where the hunk belongs; `undefined` if nobody can say. `cursor`: the line after the other hunk. */
  const due = (
    lines: readonly string[],
    old: readonly string[],
    cursor: number,
    number?: number,
  ): number | undefined => {
    const { exact, loose } = startsIn(lines, old);
    const best = exact.length > 0 ? exact : loose;
    if (number !== undefined && best.includes(number - 1)) return number - 1;
    const [after, looseAfter] = [best, loose].map((all) => all.filter((start) => start >= cursor));
    if (after!.length === 0 && looseAfter!.length > 0) return undefined;
    const left = after!.length > 0 && number === undefined ? after! : best;
    return left.length === 1 ? left[0] : undefined;
  };

  it("by the strictest match, its number and the order, and only if these agree", () => {
    const seen = { placed: 0, refused: 0, warned: 0 };
    const numbered = fc.record({
      trial,
      mark: fc.nat(),
      number: fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(numbered, ({ trial: { lines: own, old, hunk }, mark, number }) => {
        fc.pre(old.length > 0 && old.at(-1) !== "");
        const at = mark % (own.length + 1);
        const lines: string[] = [...own.slice(0, at), "mark", ...own.slice(at)];
        const header = number === undefined ? "@@" : `@@ -${number} +${number} @@`;
        // Between the mark's neighbours, the old lines may not be there any more.
        const { exact } = startsIn(lines, old);
        fc.pre(startsIn(lines, old).loose.length > 0);
        const expected = due(lines, old, at + 1, number);
        const { planned, failures } = run(`${lines.join("\n")}\n`, patchOf("@@", "-mark", "+MARK", header, ...hunk));
        const isUneven = failures[0]?.message.includes("indentation in the file") === true;
        fc.pre(!isUneven);
        if (expected === undefined) {
          seen.refused++;
          expect(failures).toMatchObject([{ code: "ambiguousMatch", index: 1 }]);
          return;
        }
        seen.placed++;
        if (!planned?.ok) throw new Error(JSON.stringify(failures));
        expect(planned.outcomes[1]!.places[0]!.startLine).toBe(expected + 1);
        const twins = (exact.length > 0 ? exact : startsIn(lines, old).loose).filter((start) => start <= at);
        const isByOrder = number === undefined && expected > at && twins.length > 0;
        expect(planned.warnings.some((warning) => warning.includes("by the order"))).toBe(isByOrder);
        if (isByOrder) seen.warned++;
      }),
      { numRuns: 1_000 },
    );
    expect(Math.min(seen.placed, seen.refused, seen.warned)).toBeGreaterThan(3);
  });
});

describe("the advice for a hunk with several matches", () => {
  it("names a line number that selects the first match", () => {
    const examples: [Trial][] = [
      // Without the anchor, all removed lines match at line 1; after the anchor, they match without the empty line.
      [{ lines: ["a", "", "}", "a", "a"], start: 0, old: ["a", ""], anchor: "}", hunk: ["-a", "-", "+new"] }],
      // Without the anchor, the removed line matches exactly at line 1; after the anchor, it is indented otherwise.
      [{ lines: ["a", "}", "  a", "  a"], start: 0, old: ["a"], anchor: "}", hunk: ["-a", "+new"] }],
    ];
    fc.assert(
      fc.property(trial, ({ lines, hunk, anchor }) => {
        const text = `${lines.join("\n")}\n`;
        const [failure] = run(text, patchOf(`@@ ${anchor}`.trimEnd(), ...hunk)).failures;
        fc.pre(failure?.code === "ambiguousMatch");
        const number = /"(@@ .* @@)" (?:selects|adds)/.exec(failure?.message ?? "")?.[1] ?? "";
        const kept = failure?.message.includes("keep the anchor") ? [`@@ ${anchor}`] : [];
        const again = run(text, patchOf(...kept, number, ...hunk));
        // If the lines are indented otherwise, the indentation of the added lines may be unknown.
        const isUneven = failure.message.includes("(rung ") && again.failures[0] !== undefined;
        if (isUneven) expect(again.failures[0]?.message).toContain("have a different indentation in the file");
        else expect(again.planned).toMatchObject({ outcomes: [{ places: [{ startLine: failure.line }] }] });
      }),
      { examples },
    );
  });

  it("names lines of context, each of which selects its match", () => {
    let told = 0;
    fc.assert(
      fc.property(trial, ({ lines, old, hunk, anchor }) => {
        fc.pre(old.length > 0);
        const text = `${lines.join("\n")}\n`;
        const [failure] = run(text, patchOf(`@@ ${anchor}`.trimEnd(), ...hunk)).failures;
        // On another rung, the lines must first be copied from the file, because without the anchor an exact match decides.
        fc.pre(failure?.code === "ambiguousMatch" && !failure.message.includes("(rung "));
        const advice = /For the match at line (\d+), (start|extend) the context (?:at|to) line (\d+): "/g;
        for (const [, match, kind, line] of (failure?.message ?? "").matchAll(advice)) {
          told++;
          const [start, to] = [Number(match) - 1, Number(line) - 1];
          const context = (from: number, end: number): string[] => lines.slice(from, end).map((one) => ` ${one}`);
          const added =
            kind === "start"
              ? [...context(to, start), ...hunk]
              : [...hunk.slice(0, -1), ...context(start + old.length, to + 1), "+new"];
          const again = run(text, patchOf("@@", ...added));
          expect(again.planned).toMatchObject({ outcomes: [{ places: [{ startLine: Math.min(start, to) + 1 }] }] });
        }
      }),
      { numRuns: lawRuns(500) },
    );
    expect(told).toBeGreaterThan(lawRuns(20));
  });
});

describe("what a hunk writes", () => {
  it("does not depend on the final line ending, and leaves it as it is", () => {
    fc.assert(
      fc.property(trial, fc.constantFrom("\n", "\r\n"), ({ lines, hunk, anchor }, end) => {
        fc.pre(lines.at(-1) !== "");
        const text = lines.join(end);
        const patch = patchOf(`@@ ${anchor}`.trimEnd(), ...hunk);
        const [bare, ended] = [run(text, patch), run(text + end, patch)];
        expect(bare.failures.map(({ code }) => code)).toEqual(ended.failures.map(({ code }) => code));
        expect(`${String(bare.text)}${end}`).toBe(ended.text);
      }),
    );
  });

  it("gives a file without a final line ending one with lenient: false", () => {
    fc.assert(
      fc.property(fileLines, (lines) => {
        fc.pre(lines.at(-1) !== "" && lines.indexOf("c") !== -1 && lines.indexOf("c") === lines.lastIndexOf("c"));
        const patch = patchOf("@@", "-c", "+C");
        expect(run(lines.join("\n"), patch, false).text).toMatch(/\n$/);
      }),
    );
  });

  it("is the same if the removed and added lines of a block lack some of their indentation", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("    x1", "      x2", "    x3"), { minLength: 1, maxLength: 3 }),
        fc.array(fc.constantFrom("    y1", "        y2", "      y3"), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        (removed, added, by, isContextShifted) => {
          // If the first or the least indented line is deeper by what is missing, all may have the file's indentation.
          const depths = (lines: readonly string[]): number[] => lines.map((line) => line.search(/\S/));
          fc.pre(depths(added)[0] !== (depths(removed)[0] ?? 0) + by);
          fc.pre(Math.min(...depths(added)) !== Math.min(...depths(removed)) + by);
          const text = ["top", "  context", ...removed, "end", ""].join("\n");
          const cut = (line: string): string => line.slice(by);
          const signed = (shift: (line: string) => string): string[] => [
            ...removed.map((line) => `-${shift(line)}`),
            ...added.map((line) => `+${shift(line)}`),
          ];
          const exact = run(text, patchOf("@@", "   context", ...signed((line) => line)));
          const context = isContextShifted ? "     context" : "   context";
          const shifted = run(text, patchOf("@@", context, ...signed(cut)));
          expect(exact.failures).toEqual([]);
          expect(shifted.text).toBe(exact.text);
        },
      ),
    );
  });
});
