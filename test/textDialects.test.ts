/** Checks how the dialect of a text is recognised. */
import { describe, expect, it } from "vitest";
import { dialectOf, textDialects } from "../server/dialect/textDialects.js";

/** A text in each dialect, with the line (0-based) that shows it, if text precedes and follows. */
const samples: Readonly<Record<string, string>> = {
  "Codex patch": "*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n*** End Patch",
  "unified diff": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b",
  "SEARCH/REPLACE blocks": "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
};

describe("the table of text dialects", () => {
  it("has a sample of each", () => {
    expect(textDialects.map(({ name }) => name)).toEqual(Object.keys(samples));
  });

  for (const [name, text] of Object.entries(samples)) {
    it(`recognises a ${name} within a longer text`, () => {
      const around = `Here it is:\n\n${text}\n\nDone.\n`;
      expect(dialectOf(around)?.name).toBe(name);
      expect(dialectOf(around)?.recognise(around)).toBe(2);
    });
  }

  it("recognises nothing in prose", () => {
    expect(dialectOf("Nothing to change.\n")).toBeUndefined();
  });
});
