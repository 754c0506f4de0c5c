/**
 * Laws for edits without an old text, against arrays of lines: a whole file is its content, an insertion and a line range are
 * splices, and what the user has typed apart from them is there as well.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCall } from "../server/dialect/decode.js";
import { planBatch } from "../server/plan/plan.js";
import type { Document } from "../server/plan/snapshot.js";
import { toEnd } from "../server/text/lines.js";
import { Trail } from "../server/workspace/trail.js";
import { documentAt, snapshotOf, textAfter } from "./support/planning.js";

const options = { atomic: "all", lenient: true, overwrite: false } as const;

/** Returns a document's text after a call, or the codes of its failures. */
function textBy(document: Document, call: object): string {
  const decoded = decodeCall({ path: document.path, ...call }, { optionsAllowed: false });
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.failures));
  const { operations, defaultOrder: order } = decoded;
  const planned = toEnd(planBatch(operations, snapshotOf([document]), { ...options, order }));
  return planned.ok ? textAfter(planned, document) : planned.failures.map(({ code }) => code).join();
}

/** A document as it is now, of which the caller has read all of an earlier text. */
function readAs(seen: string, now = seen): Document {
  const trail = new Trail(seen);
  const { length } = seen.split("\n");
  trail.read("me", { startLine: 1, endLine: Math.max(1, seen.endsWith("\n") ? length - 1 : length) });
  if (now !== seen) trail.changed(now, undefined);
  return documentAt("a", now, { onDisk: "differs", views: trail.viewsOf("me") });
}

const line = fc.oneof(fc.constantFrom("", "x", "  x", "}", "\tx = 1;"), fc.string({ unit: "grapheme", maxLength: 6 }));
const lines = fc.array(
  line.map((text) => text.replaceAll(/[\r\n]/g, "")),
  { maxLength: 8 },
);
const isEnded = fc.boolean();
const textOf = (all: readonly string[], ended: boolean, end = "\n"): string =>
  all.map((text, i) => text + (ended || i < all.length - 1 ? end : "")).join("");

describe("a whole file", () => {
  it("is the content, exactly, if nothing was typed", () => {
    fc.assert(
      fc.property(lines, isEnded, lines, isEnded, (old, oldEnded, next, nextEnded) => {
        const [before, content] = [textOf(old, oldEnded), textOf(next, nextEnded)];
        expect(textBy(documentAt("a", before, { onDisk: "same" }), { content })).toBe(content);
        expect(textBy(documentAt("a", before, { version: null }), { content })).toBe(content);
        if (before !== "") expect(textBy(readAs(before), { content })).toBe(content);
        expect(textBy(documentAt("a", "", { exists: false, version: null }), { content })).toBe(content);
      }),
    );
  });

  it("has the lines of the content in a file with CRLF", () => {
    fc.assert(
      fc.property(lines, lines, isEnded, (old, next, ended) => {
        const before = textOf(["first", ...old], true, "\r\n");
        const content = textOf(next, ended);
        const written = textBy(documentAt("a", before, { onDisk: "same" }), { content });
        expect(written).toBe(content.replaceAll("\n", "\r\n"));
      }),
    );
  });
});

describe("an insertion", () => {
  it("is a splice of lines", () => {
    fc.assert(
      fc.property(lines, isEnded, fc.nat(), lines, isEnded, (old, ended, where, added, addedEnded) => {
        const before = textOf(["first", ...old, "last"], ended);
        const all = ["first", ...old, "last"];
        const insert_line = where % (all.length + 1);
        const own = ["new", ...added, "end"];
        const call = { command: "insert", insert_line, insert_text: textOf(own, addedEnded) };
        expect(textBy(readAs(before), call)).toBe(textOf(all.toSpliced(insert_line, 0, ...own), ended));
      }),
    );
  });

  it("counts in the text before the call, beside others", () => {
    const own = fc.array(fc.nat(5), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(isEnded, own, (ended, places) => {
        const all = ["a", "b", "c", "d", "e"];
        const edits = places.map((at, i) => ({ insert_line: at, new_str: `new ${i}` }));
        const at = (n: number): string[] => edits.flatMap((edit) => (edit.insert_line === n ? [edit.new_str] : []));
        const expected = [...at(0), ...all.flatMap((text, i) => [text, ...at(i + 1)])];
        expect(textBy(readAs(textOf(all, ended)), { edits })).toBe(textOf(expected, ended));
      }),
    );
  });

  it("is refused beyond the end, and in a text that was not read", () => {
    fc.assert(
      fc.property(lines, isEnded, fc.integer({ min: 1, max: 9 }), (old, ended, more) => {
        const all = ["first", ...old];
        const text = textOf(["first", ...old, "last"], ended);
        const insert_text = "new\n";
        expect(textBy(readAs(text), { insert_line: all.length + 1 + more, insert_text })).toBe("noMatch");
        expect(textBy(documentAt("a", text, { onDisk: "same" }), { insert_line: 1, insert_text })).toBe("noMatch");
      }),
    );
  });
});

describe("a line range", () => {
  const range = fc.record({ from: fc.nat(), length: fc.nat(), added: lines, addedEnded: isEnded });

  it("is a splice of lines", () => {
    fc.assert(
      fc.property(lines, isEnded, range, (old, ended, { from, length, added, addedEnded }) => {
        const all = ["first", ...old, "last"];
        const start = from % all.length;
        const count = 1 + (length % (all.length - start));
        const own = ["new", ...added, "end"];
        const call = { start_line: start + 1, end_line: start + count, replacement_text: textOf(own, addedEnded) };
        expect(textBy(readAs(textOf(all, ended)), call)).toBe(textOf(all.toSpliced(start, count, ...own), ended));
      }),
    );
  });

  it("counts in the text before the call, beside others that touch it, and may not overlap them", () => {
    const own = fc.array(fc.record({ start_line: fc.integer({ min: 1, max: 6 }), more: fc.nat(2) }), {
      minLength: 2,
      maxLength: 3,
    });
    fc.assert(
      fc.property(own, (places) => {
        const all = ["a", "b", "c", "d", "e", "f", "g", "h"];
        const edits = places.map(({ start_line, more }, i) => ({
          start_line,
          end_line: start_line + more,
          new_str: `new ${i}`,
        }));
        const isIn = (n: number) => edits.filter(({ start_line, end_line }) => start_line <= n && n <= end_line);
        const expected = all.flatMap((text, i) => {
          const [edit] = isIn(i + 1);
          return edit === undefined ? [text] : edit.start_line === i + 1 ? [edit.new_str] : [];
        });
        const overlaps = all.some((_, i) => isIn(i + 1).length > 1);
        const failed = edits.filter((edit, i) =>
          edits.slice(0, i).some((one) => one.start_line <= edit.end_line && edit.start_line <= one.end_line),
        );
        const seen = textBy(readAs(textOf(all, true)), { edits });
        expect(overlaps ? seen.split(",")[0] : seen).toBe(failed.length > 0 ? "overlap" : textOf(expected, true));
      }),
    );
  });
});

/** What one side does to a block of three lines: it changes, removes or follows the middle one. */
const deeds = fc.record({
  side: fc.constantFrom("user", "agent", "nobody"),
  kind: fc.constantFrom("change", "remove", "insert"),
});
interface Deed {
  readonly side: string;
  readonly kind: string;
}

/** Returns the lines of all blocks after the deeds of some sides. */
function linesOf(blocks: readonly Deed[], sides: readonly string[]): string[] {
  return blocks.flatMap(({ side, kind }, i) => {
    const own = [`above ${i} {`, `  value${i} = load(${i});`, `} below ${i}`];
    if (!sides.includes(side)) return own;
    const middle: Readonly<Record<string, string[]>> = {
      change: [`  value${i} = load(${i}, ${side});`],
      remove: [],
      insert: [own[1]!, `  ${side}Adds(${i});`],
    };
    return [own[0]!, ...middle[kind]!, own[2]!];
  });
}

describe("what the user has typed apart from it", () => {
  const blocks = fc.array(deeds, { minLength: 1, maxLength: 8 });
  const text = (all: readonly string[]): string => textOf(all, true);

  it("is in a whole file beside the changes of the content", () => {
    fc.assert(
      fc.property(blocks, (all) => {
        const document = readAs(text(linesOf(all, [])), text(linesOf(all, ["user"])));
        const content = text(linesOf(all, ["agent"]));
        expect(textBy(document, { content })).toBe(text(linesOf(all, ["user", "agent"])));
      }),
    );
  });

  it("moves an insertion", () => {
    fc.assert(
      fc.property(blocks, fc.nat(), (all, at) => {
        const typed: Deed[] = all.map((deed) => ({ ...deed, side: deed.side === "agent" ? "nobody" : deed.side }));
        const block = at % all.length;
        const made = [...typed];
        made[block] = { side: "agent", kind: "insert" };
        const none = typed.map((deed, i) => (i === block ? { ...deed, side: "nobody" } : deed));
        const document = readAs(text(linesOf(none, [])), text(linesOf(none, ["user"])));
        const call = { insert_line: 3 * block + 2, insert_text: `  agentAdds(${block});\n` };
        expect(textBy(document, call)).toBe(text(linesOf(made, ["user", "agent"])));
      }),
    );
  });

  it("moves a line range", () => {
    fc.assert(
      fc.property(blocks, fc.nat(), (all, at) => {
        const block = at % all.length;
        const typed: Deed[] = all.map((deed, i) =>
          i === block || deed.side === "agent" ? { ...deed, side: "nobody" } : deed,
        );
        const made = typed.map((deed, i) => (i === block ? { side: "agent", kind: "change" } : deed));
        const document = readAs(text(linesOf(typed, [])), text(linesOf(typed, ["user"])));
        const line = 3 * block + 2;
        const call = { start_line: line, end_line: line, new_text: linesOf(made, ["agent"])[line - 1] };
        expect(textBy(document, call)).toBe(text(linesOf(made, ["user", "agent"])));
      }),
    );
  });

  it("is never replaced by a caller that has not read it", () => {
    fc.assert(
      fc.property(blocks, (all) => {
        const [seen, now] = [text(linesOf(all, [])), text(linesOf(all, ["user"]))];
        const trail = new Trail(seen);
        trail.onDisk(seen, (one) => one === seen, 0);
        if (now !== seen) trail.changed(now, undefined);
        const content = text(linesOf(all, ["agent"]));
        const unsaved = documentAt("a", now, { onDisk: now === seen ? "same" : "differs", views: trail.viewsOf("me") });
        expect(textBy(unsaved, { content })).toBe(now === seen ? content : "dirty");
        trail.saved(1);
        const saved = documentAt("a", now, { onDisk: "same", views: trail.viewsOf("me") });
        expect(textBy(saved, { content })).toBe(now === seen ? content : "dirty");
      }),
    );
  });
});
