/** Laws about the changes that an editor makes while it saves a file: they belong to the call, and typing does not. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { withSave } from "../server/lsp/apply/savedText.js";
import type { FileUpdate } from "../server/plan/outcome.js";
import { ChangeSet } from "../server/text/changeSet.js";

const line = fc.stringMatching(/^[ab]{0,3}[ \t]{0,2}$/);
const lines = fc.array(line, { minLength: 1, maxLength: 12 });

/** A call that has replaced one line of a text. */
function edited(old: readonly string[], at: number, by: string): FileUpdate {
  const text = old.join("\n");
  const from = old.slice(0, at).join("\n").length + (at === 0 ? 0 : 1);
  const change = ChangeSet.of(text.length, [{ from, to: from + old[at]!.length, insert: by }]);
  // The law concerns no other field.
  return { kind: "update", document: { text }, change, text: change.apply(text) } as unknown as FileUpdate;
}

it("with the versions, everything belongs to the call, and its inverse restores the text before the call", () => {
  fc.assert(
    fc.property(lines, fc.nat(), fc.string(), lines, fc.constantFrom("\n", "\r\n"), (old, at, by, next, end) => {
      const file = edited(old, at % old.length, by);
      const after = next.join(end);
      const saved = withSave(file, { before: file.text, after, isAll: true });
      expect(saved.text).toBe(after);
      expect(saved.change.apply(file.document.text)).toBe(after);
      expect(saved.change.invert(file.document.text).apply(after)).toBe(file.document.text);
    }),
  );
});

it("with the versions, so do lines that are indented otherwise, with empty lines after them", () => {
  fc.assert(
    fc.property(lines, fc.nat(), fc.nat(2), fc.nat(2), (old, at, indent, empty) => {
      const file = edited(old, at % old.length, "new");
      const after = `${file.text.replace(/^/gm, " ".repeat(indent))}\n${" \n".repeat(empty)}`;
      expect(withSave(file, { before: file.text, after, isAll: true }).text).toBe(after);
    }),
  );
});

it("without them, removed trailing whitespace and an added final line ending belong to the call", () => {
  fc.assert(
    fc.property(lines, fc.nat(), line, (old, at, by) => {
      const file = edited(old, at % old.length, by);
      const trimmed = file.text.split("\n").map((one) => one.trimEnd());
      const after = trimmed.join("\n").replace(/[^\n]$/, "$&\n");
      expect(withSave(file, { before: file.text, after, isAll: false }).text).toBe(after);
    }),
  );
});

it("without them, lines that the user types elsewhere during the save do not", () => {
  fc.assert(
    fc.property(lines, fc.nat(), fc.stringMatching(/^[xyz]{1,3}$/), (old, at, typed) => {
      // The user types above an empty line that the call leaves alone.
      const file = edited(["", ...old], 1 + (at % old.length), "written");
      const after = `${typed}\n${file.text.replace("written", "Written")}`;
      const saved = withSave(file, { before: file.text, after, isAll: false });
      expect(saved.text).toBe(file.text.replace("written", "Written"));
    }),
  );
});
