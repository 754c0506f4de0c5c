/** Random batches that are valid by construction, with their expected texts. */
import fc from "fast-check";
import type { Texts } from "./stage.js";

/** A batch: the files, the text typed into some of them, the edits, and the expected texts. */
export interface RandomBatch {
  readonly files: Texts;
  /** Unsaved texts in the editor. */
  readonly typed: Texts;
  /** Names of the open files. */
  readonly open: readonly string[];
  readonly call: { readonly edits: readonly { path: string; oldText: string; newText: string }[] };
  readonly expected: Texts;
}

/** Parts of lines, including characters of every width. */
const piece = fc.constantFrom(
  "x",
  "value",
  "é",
  "e\u0301",
  "😀",
  "👩\u200d💻",
  "𝒳",
  "“q”",
  "\t",
  "  ",
  "…",
  "日本",
  "{",
  // A semicolon and an ellipsis would be a comment that stands for left-out code.
  ":",
);
const words = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));

/** A run of lines that an edit keeps or replaces. */
const section = fc.record({
  lines: fc.array(words, { minLength: 1, maxLength: 4 }),
  replacement: fc.option(fc.array(words, { maxLength: 4 }), { nil: undefined }),
});

const file = fc.record({
  sections: fc.array(section, { minLength: 1, maxLength: 6 }),
  end: fc.constantFrom("\n", "\n", "\r\n"),
  isTyped: fc.boolean(),
  isOpen: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
});

/** Batches over one to three files. */
export const randomBatches: fc.Arbitrary<RandomBatch> = fc.array(file, { minLength: 1, maxLength: 3 }).map(toBatch);

type File = typeof file extends fc.Arbitrary<infer T> ? T : never;

function toBatch(files: readonly File[]): RandomBatch {
  const batch = { files: {}, typed: {}, open: [], call: { edits: [] }, expected: {} } as {
    files: Record<string, string>;
    typed: Record<string, string>;
    open: string[];
    call: { edits: { path: string; oldText: string; newText: string }[] };
    expected: Record<string, string>;
  };
  for (const [index, { sections, end, isTyped, isOpen }] of files.entries()) {
    const path = `f${index}.txt`;
    // A unique number ensures that each line occurs only once, whatever else it contains.
    let count = 0;
    const parts = sections.map(({ lines, replacement }) => ({
      old: lines.map((line) => `${line}<${++count}>`),
      fresh: replacement?.map((line) => `${line}<${++count}>`),
    }));
    const text = [...parts.flatMap(({ old }) => old), "last", ""].join(end);
    batch.files[path] = isTyped && isOpen ? `saved${end}` : text;
    if (isOpen) batch.open.push(path);
    if (isTyped && isOpen) batch.typed[path] = text;
    batch.expected[path] = [...parts.flatMap(({ old, fresh }) => fresh ?? old), "last", ""].join(end);
    for (const { old, fresh } of parts) {
      if (fresh === undefined) continue;
      const whole = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
      batch.call.edits.push({ path, oldText: whole(old), newText: whole(fresh) });
    }
  }
  if (batch.call.edits.length === 0) {
    const path = "f0.txt";
    batch.call.edits.push({ path, oldText: "last", newText: "the end" });
    batch.expected[path] = batch.expected[path]!.replace(/last(\r?\n)$/, "the end$1");
  }
  return batch;
}
