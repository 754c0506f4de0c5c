/** Text that a plan does not change keeps its bytes, in every encoding that can be edited. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stage } from "../../server/disk/commit.js";
import { toDiskChange } from "../../server/disk/diskChange.js";
import { texts } from "../support/arbitraries.js";
import { lawRuns } from "../support/extent.js";
import { documentAt, planOn } from "../support/planning.js";
import { memoryDisk } from "./memoryDisk.js";
import { workspaceFolder } from "./plans.js";
import { workspaceOn } from "./simulation.js";

/**
 * Each encoding, with its byte order mark and a function that encodes text character by character without using the
 * server.
 */
const spellings = [
  { name: "utf-8", mark: [], units: utf8 },
  { name: "utf-8 with a mark", mark: [0xef, 0xbb, 0xbf], units: utf8 },
  { name: "utf-16le", mark: [0xff, 0xfe], units: (text: string) => utf16(text, [0, 8]) },
  { name: "utf-16be", mark: [0xfe, 0xff], units: (text: string) => utf16(text, [8, 0]) },
] as const;

describe.each(spellings)("a file in $name", ({ mark, units }) => {
  it("gets the bytes of the new text between its old bytes", () => {
    fc.assert(
      fc.property(texts, texts, texts, texts, (before, oldText, after, newText) => {
        fc.pre(oldText !== "" && oldText !== newText);
        const text = `${before}${oldText}${after}`;
        const bytes = Buffer.from([...mark, ...units(text)]);
        const hash = createHash("sha256").update(bytes).digest("hex");
        const document = documentAt("a", text, { version: null, hash, bom: mark.length > 0 });
        const planned = planOn([document], [{ oldText, newText }]);
        fc.pre(planned.ok && planned.files[0]?.change.changes.length === 1);
        const file = planned.files[0]!;
        const { from, to, insert } = file.change.changes[0]!;
        const path = `${workspaceFolder}/a`;
        const disk = memoryDisk({ files: { [path]: { bytes } }, directories: [] }, { copiesAttributes: true });
        const staged = stage(workspaceOn(disk), [toDiskChange(file, () => path)], "a");
        expect(staged.ok && staged.commit().outcome).toBe("applied");
        const expected = [...mark, ...units(text.slice(0, from)), ...units(insert), ...units(text.slice(to))];
        expect(disk.read(path, 100_000)).toEqual(Buffer.from(expected));
      }),
      { numRuns: lawRuns(300) },
    );
  });
});

function utf8(text: string): number[] {
  return [...text].flatMap((character) => {
    const code = character.codePointAt(0)!;
    if (code < 0x80) return [code];
    const rest = (count: number): number[] =>
      Array.from({ length: count }, (_, i) => 0x80 | ((code >> (6 * (count - 1 - i))) & 0x3f));
    if (code < 0x800) return [0xc0 | (code >> 6), ...rest(1)];
    return code < 0x10000 ? [0xe0 | (code >> 12), ...rest(2)] : [0xf0 | (code >> 18), ...rest(3)];
  });
}

function utf16(text: string, shifts: readonly number[]): number[] {
  return text.split("").flatMap((unit) => shifts.map((shift) => (unit.charCodeAt(0) >> shift) & 0xff));
}
