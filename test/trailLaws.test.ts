/** Laws for the earlier texts of a document: whatever the editor does, they are the texts that were read or on disk. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editorPositions } from "../server/lsp/edit/positions.js";
import { ChangeSet } from "../server/text/changeSet.js";
import { createDocuments, type EditorPositions } from "../server/workspace/documents.js";
import { Trails } from "../server/workspace/trails.js";
import { lawRuns } from "./support/extent.js";

const uri = "file:///a.txt";
const rule = { loneCrEndsLine: false };
const habits = { syncsLf: false, endsLastLine: false };
const pieces = fc.array(fc.constantFrom("a", "b", "\n", "\n", "line\n", "x = 1;\n"), { maxLength: 8 });
const texts = pieces.map((all) => all.join(""));

/** Positions that all mean the same span. */
const spanning = (from: number, to: number): EditorPositions => ({
  ...editorPositions["utf-16"],
  toSpan: () => ({ from, to }),
});

const events = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("type" as const), from: fc.nat(), length: fc.nat(6), insert: texts }),
    fc.record({ kind: fc.constant("whole" as const), text: texts, isMarked: fc.boolean() }),
    fc.record({ kind: fc.constant("read" as const), by: fc.constantFrom("one", "two") }),
    fc.record({ kind: fc.constant("save" as const) }),
    fc.record({ kind: fc.constant("disk" as const), text: texts }),
    fc.record({ kind: fc.constant("ask" as const), by: fc.constantFrom("one", "two") }),
    fc.record({ kind: fc.constant("reopen" as const), text: texts }),
  ),
  { maxLength: 25 },
);

describe("the earlier texts of a document", () => {
  it("are texts that the caller has read or that were on disk, and the latest ones are among them", () => {
    let seen = 0;
    fc.assert(
      fc.property(texts, events, fc.boolean(), (first, all, isMarked) => {
        // Positions and changes count a byte order mark; the texts that callers see do not have it.
        let mark = isMarked ? "\ufeff" : "";
        let time = 0;
        const documents = createDocuments();
        const trails = new Trails(documents, () => time);
        let [version, onDisk] = [1, first];
        documents.open(uri, version, mark + first, rule);
        const read: Record<string, string[]> = { one: [], two: [] };
        const saved = [first];
        const text = (): string => documents.get(uri)!.text.slice(mark.length);
        const ask = (by: string): void => {
          saved.push(onDisk);
          const file = { kind: "text", text: onDisk, bom: false, encoding: "utf-8", size: 0 } as const;
          const views = trails.ofOpen(by, documents.get(uri)!, { file, habits, isSame: onDisk === text() }) ?? [];
          const earlier = views.map(({ base, back }) => ({ base, text: back.apply(text()) }));
          seen += earlier.length;
          for (const one of earlier) expect(one.base === "read" ? read[by] : saved).toContain(one.text);
          // No texts at all means that the present one decides alone.
          if (views.length === 0) return;
          expect(earlier.filter(({ base }) => base === "saved").map((one) => one.text)).toContain(onDisk);
          const last = read[by]!.at(-1);
          if (last !== undefined) expect(earlier.filter(({ base }) => base === "read")[0]?.text).toBe(last);
        };
        for (const event of all) {
          time += 30_000;
          if (event.kind === "type") {
            const from = event.from % (text().length + 1);
            const to = Math.min(text().length, from + event.length);
            const range = { start: { line: 0, character: from }, end: { line: 0, character: to } };
            const shift = mark.length;
            documents.change(uri, ++version, [{ range, text: event.insert }], spanning(from + shift, to + shift));
          } else if (event.kind === "whole") {
            mark = event.isMarked ? "\ufeff" : "";
            documents.change(uri, ++version, [{ text: mark + event.text }], spanning(0, 0));
          } else if (event.kind === "read") {
            const own = { uri, version, text: text() };
            trails.read(event.by, own, { startLine: 1, endLine: 1 });
            read[event.by]!.push(text());
          } else if (event.kind === "save") {
            onDisk = text();
            saved.push(onDisk);
            trails.saved(uri);
          } else if (event.kind === "disk") onDisk = event.text;
          else if (event.kind === "reopen") {
            documents.close(uri);
            documents.open(uri, ++version, mark + event.text, rule);
            saved.push(event.text);
          } else ask(event.by);
        }
        ask("one");
      }),
      { numRuns: Number(process.env.TRAIL_RUNS ?? lawRuns(2000)) },
    );
    expect(seen).toBeGreaterThan(lawRuns(1000));
  });

  it("include the caller's own batches, and what was typed is not in them", () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), texts, (head, typedAt, batchAt, insert) => {
        // The user types in the first half, and the batch changes the second.
        const [one, two] = [`${head}\nmiddle of it\n`, "tail of the text\nits end\n"];
        const before = one + two;
        const documents = createDocuments();
        const trails = new Trails(documents, () => 0);
        documents.open(uri, 1, before, rule);
        trails.read("me", { uri, version: 1, text: before }, { startLine: 1, endLine: 1 });
        const at = typedAt % one.length;
        const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
        documents.change(uri, 2, [{ range, text: insert }], spanning(at, at));
        const typed = documents.get(uri)!.text;
        const from = one.length + insert.length + 1 + (batchAt % (two.length - 2));
        const change = ChangeSet.of(typed.length, [{ from, to: from + 1, insert: "NEW" }]);
        documents.change(uri, 3, [{ range, text: "NEW" }], spanning(from, from + 1));
        expect(documents.get(uri)!.text).toBe(change.apply(typed));
        trails.applied(["me"], uri, { version: 2, text: typed }, { change, operations: [], edits: 1 });
        const file = { kind: "absent" } as const;
        const views = trails.ofOpen("me", documents.get(uri)!, { file, habits, isSame: false }) ?? [];
        const own = from - insert.length;
        const expected = `${before.slice(0, own)}NEW${before.slice(own + 1)}`;
        const reads = views.filter(({ base }) => base === "read").map(({ back }) => back.apply(change.apply(typed)));
        if (insert !== "") expect(reads[0]).toBe(expected);
      }),
      { numRuns: Number(process.env.TRAIL_RUNS ?? lawRuns(2000)) },
    );
  });
});
