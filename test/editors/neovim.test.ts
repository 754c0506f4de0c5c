/** An LSP client that is not ours: a real Neovim applies what the server answers, in each position encoding. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patchOf } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { neovimVersion, runNeovim, type Scenario } from "../support/neovim.js";
import { encodings } from "../support/positionModel.js";

const version = neovimVersion();

/** On disk, as Neovim opens or does not open them. */
const files = {
  "unsaved.txt": "one\ntwo\nthree\n",
  "crlf.txt": "α😀β one\r\nsecond e\u0301 line\r\nthird 𝒳 y\r\n",
  "bom.txt": "\ufeffbom 😀 here\nnext\n",
  "lone.txt": "a\rb 😀 c d\nnext\n",
  "noeol.txt": "first\nlast 👩\u200d💻 line",
  "closed.txt": "closed 👩\u200d💻 file\nend\n",
  "blank.txt": "",
  "empty/": "",
};

const open = ["unsaved.txt", "crlf.txt", "bom.txt", "lone.txt", "noeol.txt"];

/** What nobody has saved when the call comes. */
const typed = [
  { path: "unsaved.txt", line: 2, lines: ["two 😀 e\u0301 unsaved 𝒳 tail", "and “more”"] },
  { path: "crlf.txt", line: 1, lines: ["😀😀 new first 😀 line"] },
];

const editsOfOpenFiles = [
  { path: "unsaved.txt", oldText: "unsaved", newText: "saved 😀" },
  { path: "unsaved.txt", oldText: "tail\nand “more”", newText: "head\n𝒳 between\nand “less”" },
  { path: "unsaved.txt", oldText: "one\n", newText: "" },
  { path: "crlf.txt", oldText: "first 😀", newText: "1st 😀😀" },
  { path: "crlf.txt", oldText: "second e\u0301 line\nthird 𝒳", newText: "second é line\n😀 added\nthird 𝒳𝒳" },
  { path: "bom.txt", oldText: "here", newText: "there" },
  { path: "lone.txt", oldText: "😀 c", newText: "😀😀 C" },
  { path: "lone.txt", oldText: "next", newText: "after" },
  { path: "noeol.txt", oldText: "👩\u200d💻 line", newText: "👩\u200d💻😀 row" },
];

/** Written by hand from the texts above. */
const expectedOfOpenFiles = {
  "unsaved.txt": "two 😀 e\u0301 saved 😀 𝒳 head\n𝒳 between\nand “less”\nthree\n",
  "crlf.txt": "😀😀 new 1st 😀😀 line\r\nsecond é line\r\n😀 added\r\nthird 𝒳𝒳 y\r\n",
  "bom.txt": "bom 😀 there\nnext\n",
  "lone.txt": "a\rb 😀😀 C d\nafter\n",
  "noeol.txt": "first\nlast 👩\u200d💻😀 row",
};

/** A patch that renames and deletes files that are open with unsaved text, open and saved, and not open. */
const movedFiles = {
  "unsaved.txt": "one\nold\n",
  "saved.txt": "same\n",
  "closed.txt": "closed\n",
  "shown.txt": "shown\n",
  "gone.txt": "gone\n",
  "dir/": "",
};
const moves = [
  ...["*** Update File: unsaved.txt", "*** Move to: dir/moved.txt", "@@", "-old", "+new"],
  ...["*** Update File: saved.txt", "*** Move to: dir/saved.txt"],
  ...["*** Update File: closed.txt", "*** Move to: dir/closed.txt"],
  ...["*** Delete File: shown.txt", "*** Delete File: gone.txt"],
];
const additions = ["*** Add File: dir/added.txt", "+added", "*** Add File: saved.txt", "+second"];

/** What the person sees: the buffers, and the files that no buffer holds. */
function seen(root: string, buffers: Readonly<Record<string, string>>): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  const texts = paths.map((path) => [path.slice(root.length + 1), readFileSync(path, "utf8")]);
  return { ...Object.fromEntries(texts), ...buffers };
}

function scenario(encoding: Scenario["encoding"], door: Scenario["door"], edits: readonly object[]): Scenario {
  return { root: makeDirectory(files), encoding, open, typed, door, call: { edits } };
}

// Without the program there is nothing to hold; where it has to be there, its absence fails.
if (version === undefined) {
  it("Neovim is not on the path", () => {
    const leftOut = "left out: what a real Neovim does with the edits, because there is no nvim on the path";
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  describe.each(encodings)(`${version}, counting in %s`, (encoding) => {
    it("has the right texts after it applied the answer, in open files, others and new ones", () => {
      const edits = [
        ...editsOfOpenFiles,
        { path: "closed.txt", oldText: "👩\u200d💻 file", newText: "👩\u200d💻 and 😀 file" },
        { path: "empty/new.txt", oldText: "", newText: "first 😀\nsecond\n" },
        { path: "empty/new.txt", oldText: "second", newText: "2nd" },
        { path: "blank.txt", oldText: "", newText: "filled\n" },
      ];
      const outcome = runNeovim(scenario(encoding, "request", edits));
      expect(outcome.failure).toBeUndefined();
      expect(outcome.encoding).toBe(encoding);
      expect(outcome.before).toMatchObject({
        "unsaved.txt": "one\ntwo 😀 e\u0301 unsaved 𝒳 tail\nand “more”\nthree\n",
        "crlf.txt": "😀😀 new first 😀 line\r\nsecond e\u0301 line\r\nthird 𝒳 y\r\n",
      });
      expect(outcome.after).toEqual({
        ...expectedOfOpenFiles,
        "closed.txt": "closed 👩\u200d💻 and 😀 file\nend\n",
        "empty/new.txt": "first 😀\n2nd\n",
        "blank.txt": "filled\n",
      });
      expect(outcome.result).toMatchObject({ applied: false, outcome: "proposed" });
    });

    it("has the right texts after the server had it apply them, and the server has seen the proof", () => {
      const outcome = runNeovim(scenario(encoding, "command", editsOfOpenFiles));
      expect(outcome.failure).toBeUndefined();
      expect(outcome.after).toEqual(expectedOfOpenFiles);
      // Later versions of Neovim sync the line end that they will give the file when they write it.
      const withEnd = (text: string | undefined): string => `${text}\n`.replace(/\n\n$/, "\n");
      expect(withEnd(outcome.read["noeol.txt"])).toBe(withEnd(outcome.after["noeol.txt"]));
      expect({ ...outcome.read, "noeol.txt": "" }).toEqual({ ...outcome.after, "noeol.txt": "" });
      expect(outcome.result).toMatchObject({ applied: true, outcome: "applied" });
    });

    it("keeps every text when one edit of the command fails", () => {
      const edits = [...editsOfOpenFiles, { path: "bom.txt", oldText: "nowhere 😀", newText: "" }];
      const outcome = runNeovim(scenario(encoding, "command", edits));
      expect(outcome.failure).toMatchObject({ code: -32803 });
      expect(outcome.after).toEqual(outcome.before);
    });
  });

  describe(`${version}, renaming and deleting`, () => {
    const expected = {
      "dir/moved.txt": "typed\nnew\n",
      "dir/saved.txt": "same\n",
      "dir/closed.txt": "closed\n",
    };

    it.each([
      ["the answer", "request", [...moves, ...additions], { "dir/added.txt": "added\n", "saved.txt": "second\n" }],
      ["what the server asks for", "command", moves, {}],
    ] as const)("has the right files and texts after it applied %s", (_, door, patch, added) => {
      const root = makeDirectory(movedFiles);
      const outcome = runNeovim({
        root,
        encoding: "utf-16",
        open: ["unsaved.txt", "saved.txt", "shown.txt"],
        typed: [{ path: "unsaved.txt", line: 1, lines: ["typed"] }],
        door,
        call: patchOf(...patch),
      });
      expect(outcome.failure).toBeUndefined();
      expect(seen(root, outcome.after)).toEqual({ ...expected, ...added });
      if (door === "command") expect(outcome.result).toMatchObject({ applied: true, outcome: "applied" });
    });
  });
}
