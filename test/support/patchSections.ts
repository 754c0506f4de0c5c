/** Patches and the sections that they must parse to, for the tests of the grammar. */
import { expect } from "vitest";
import { parsePatch as parse } from "../../server/dialect/codexPatch.js";
import type { Leniency } from "../../server/dialect/patchMarkers.js";
import type { AddSection, Anchor, DeleteSection, Hunk, HunkLine, UpdateSection } from "../../server/plan/operation.js";

/** Parses a patch; leaves out the lines that are no part of it. */
export function parsePatch(text: string, how: Leniency) {
  const read = parse(text, how);
  return read.ok ? { ok: true as const, operations: read.operations, warnings: read.warnings } : read;
}

/** The line that begins a patch. */
export const begin = "*** Begin Patch";
/** The line that ends a patch. */
export const end = "*** End Patch";
/** The header that updates the file `f`. */
export const update = "*** Update File: f";
/** The marker for the end of the file. */
export const endOfFile = "*** End of File";

/** A patch with these lines between its markers; the first of them is line 2. */
export const patch = (...lines: readonly string[]): string => [begin, ...lines, end].join("\n");

/** The Add section expected from the parser. `patchLine` is 1-based. */
export const add = (index: number, patchLine: number, path: string, text: string): AddSection => ({
  kind: "add",
  index,
  path,
  patchLine,
  text,
});
/** The Delete section expected from the parser. `patchLine` is 1-based. */
export const remove = (index: number, patchLine: number, path: string): DeleteSection => ({
  kind: "delete",
  index,
  path,
  patchLine,
});
/** The Update section of the file `f` expected from the parser. `patchLine` is 1-based. */
export const change = (
  patchLine: number,
  hunks: readonly Hunk[],
  more: Partial<Pick<UpdateSection, "path" | "move">> = {},
): UpdateSection => ({ kind: "update", path: "f", patchLine, hunks, ...more });

const kinds = { " ": "context", "-": "remove", "+": "add" } as const;

/** A context line without a sign, at a 1-based line of the patch. */
export const unsigned = (unsignedAt: number, text: string): HunkLine => ({ kind: "context", text, unsignedAt });

/** A hunk, given as lines with their leading signs, or as lines without. */
export const hunk = (
  index: number,
  patchLine: number,
  lines: readonly (string | HunkLine)[],
  more: { anchors?: readonly (string | Anchor)[]; atEnd?: boolean; addsLineEnd?: boolean } = {},
): Hunk => ({
  index,
  patchLine,
  anchors: (more.anchors ?? []).map((anchor) => (typeof anchor === "string" ? { text: anchor } : anchor)),
  lines: lines.map((line) => {
    if (typeof line !== "string") return line;
    const sign = line[0];
    if (sign !== " " && sign !== "-" && sign !== "+") throw new Error(`${line} has no sign`);
    return { kind: kinds[sign], text: line.slice(1) };
  }),
  atEnd: more.atEnd ?? false,
  ...(more.addsLineEnd === undefined ? {} : { addsLineEnd: more.addsLineEnd }),
});

/** The option for Codex's own grammar. */
export const strict = { lenient: false };
/** The option for the server's lenient grammar. */
export const lenient = { lenient: true };
/** The warning for a patch without an end marker. */
export const cutOff = [expect.stringContaining("cut off")];
