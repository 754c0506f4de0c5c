/** Laws for the advice in failures: a caller who follows it to the letter gets the promised result. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureMessage } from "../server/lsp/edit/failureMessage.js";
import type { Failure } from "../server/plan/failure.js";
import { lawRuns } from "./support/extent.js";
import { documentAt, planOn } from "./support/planning.js";

const line = fc
  .tuple(
    fc.constantFrom("", "", "  ", "    ", "\t"),
    fc.constantFrom("}", "}", "", "go();", "f(1) + f(1)", "say(“x”);", 'say("x");'),
  )
  .map(([indent, content]) => indent + content);
const longLine = fc
  .array(fc.constantFrom("f(1);", "go(x);", "a=b;", "}"), { minLength: 40, maxLength: 60 })
  .map((parts) => parts.join(""));

/**
 * A document, and an excerpt of it as a caller might send it: verbatim, or with different line endings, trailing spaces
 * or straight quotes.
 */
const sent = fc
  .record({
    lines: fc.array(fc.oneof({ weight: 12, arbitrary: line }, { weight: 1, arbitrary: longLine }), {
      minLength: 2,
      maxLength: 12,
    }),
    end: fc.constantFrom("\n", "\n", "\r\n"),
    from: fc.nat(),
    length: fc.integer({ min: 1, max: 24 }),
    disguise: fc.constantFrom("none", "none", "lf", "blanks", "quotes"),
  })
  .map(({ lines, end, from, length, disguise }) => {
    const text = lines.join(end);
    const start = from % text.length;
    const old = text.slice(start, start + length);
    return {
      text,
      end: disguise === "lf" ? "\n" : end,
      oldText:
        disguise === "lf"
          ? old.replaceAll("\r\n", "\n")
          : disguise === "blanks"
            ? old.replaceAll("\n", " \n")
            : disguise === "quotes"
              ? old.replaceAll(/[“”]/g, '"')
              : old,
    };
  })
  // An old text that begins or ends inside a CRLF is never found.
  .filter(
    ({ text, oldText }) =>
      !oldText.endsWith("\r") &&
      !(text.includes("\r") && oldText.startsWith("\n")) &&
      /[a-z}]/.test(oldText) &&
      text !== oldText,
  );

/**
 * The old text that results from following the hint, parsed from the hint as a caller would parse it; `undefined` if
 * the hint gives no advice.
 */
function advised({ hint = "", matches = [] }: Failure, oldText: string, end: string): string | undefined {
  const added =
    /^Adding line \d+, directly (above|below) the first match,( and the (?:start|rest) of the match's own line)? would make it unique: ("(?:[^"\\]|\\.)*")/.exec(
      hint,
    );
  if (added !== null) {
    const text = (JSON.parse(added[3] ?? "") as string).replaceAll("\n", end);
    const gap = added[2] === undefined ? end : "";
    if (added[1] === "above") return text + gap + oldText;
    return oldText + (oldText.endsWith("\n") ? "" : gap) + text;
  }
  const around = /^("(?:[^"\\]|\\.)*") occurs only at the first match/.exec(hint);
  if (around !== null) return JSON.parse(around[1] ?? "") as string;
  return /^Adding (?:the rest of the line|the line's indentation)/.test(hint) ? matches[0]?.text : undefined;
}

describe("the advice for an ambiguous old text", () => {
  it("quotes a text that occurs only once and that is found if it is sent as quoted", () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(sent, ({ text, oldText, end }) => {
        const document = documentAt("a", text);
        const planned = planOn([document], [{ oldText, newText: "new" }]);
        const [failure] = planned.ok ? [] : planned.failures;
        fc.pre(failure?.code === "ambiguousMatch");
        const better = advised(failure, oldText, end);
        kinds.add(failure.hint?.replaceAll(/"(?:[^"\\]|\\.)*"|\d+/g, "_") ?? "");
        if (better === undefined) return;
        const again = planOn([document], [{ oldText: better, newText: "new" }]);
        expect(again.ok ? [] : again.failures.map(({ message }) => message)).toEqual([]);
        expect(again.outcomes[0]?.places[0]?.startLine).toBeLessThanOrEqual(failure.line ?? 0);
        const places = text.split(better).length - 1;
        if (better.includes(oldText) && text.includes(better)) expect(places).toBe(1);
      }),
      {
        numRuns: lawRuns(3000),
        // Whitespace before an old text that begins with a line ending is trailing whitespace.
        examples: [[{ text: "go();\n}\n\t\n    go();\n}\n\n    go();", end: "\n", oldText: "\t \n    g" }]],
      },
    );
    // Every kind of advice occurs, and so do failures without advice.
    expect(kinds.size).toBeGreaterThan(6);
  });
});

describe("the message of a failed call", () => {
  it("does not ask the caller to resend an edit unchanged if another edit must be merged with it", () => {
    const edits = [
      { oldText: "a\nb", newText: "a\nB" },
      { oldText: "b\nc", newText: "b\nC" },
      { oldText: "d", newText: "D" },
    ];
    const planned = planOn([documentAt("a", "a\nb\nc\nd\n")], edits, { order: "original" });
    if (planned.ok) throw new Error("two edits that overlap were planned");
    const message = failureMessage(planned.failures, { sound: [0, 2], total: 3, isPatch: false });
    expect(message).toMatch(
      /Merge it and edit 0 into a single edit\.\nEdit 2 needs no correction: send it again unchanged/,
    );
  });
});
