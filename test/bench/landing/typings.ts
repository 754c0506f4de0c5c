/** Everything that a person types beside or in the lines of a real edit, and the lines that the edit then must leave. */
import { type Deed, type Line, type Lines, newLine, splice, typeWithin } from "./lines.js";
import { isBlankLine } from "./realEdit.js";

/** A change in a text: the lines `[at, at + removed)` become the added lines. */
export interface Site {
  readonly lines: Lines;
  /** 0-based. */
  readonly at: number;
  readonly removed: number;
  readonly added: Lines;
  /** A removed line and the added line that it becomes, both counted from the first of their kind. */
  readonly pair: { readonly old: number; readonly new: number };
}

/** The choices that a typing leaves. */
export interface Whim {
  /** The kept lines above or below the change. */
  readonly keeps: "above" | "below";
  /** The line at which the person adds one: at the end of the line above, or at the start of the line below. */
  readonly adds: "above" | "below";
  /** The comment that is typed at the end of a line. */
  readonly comment: string;
}

/** The typed text, and the lines that have both this and the edit; `undefined` if the edit must be refused. */
export interface Typing {
  readonly deed: Deed;
  readonly right: Lines | undefined;
  /** `true` if it was typed on the removed line of the pair. */
  readonly isOnLine?: boolean;
}

/** Everything that a person may type; `undefined` if a text has no place for it. */
export const typings: Readonly<Record<string, (site: Site, whim: Whim) => Typing | undefined>> = {
  nothing: (site) => typing(site, { lines: site.lines, typed: [] }),
  "a comment on a kept line": (site, { keeps, comment }) => {
    const { lines, at, removed } = site;
    const near = keeps === "above" ? [at - 1, at - 2] : [at + removed, at + removed + 1];
    const n = near.find((one) => !isBlankLine(lines[one]?.text ?? ""));
    return n === undefined ? undefined : typing(site, atEndOf(lines, n, comment));
  },
  "a line between kept lines": (site, { keeps, adds }) =>
    typing(site, lineAt(site.lines, keeps === "above" ? site.at - 1 : site.at + site.removed + 1, adds)),
  "a line before the changed line": (site, { adds }) => typing(site, lineAt(site.lines, site.at, adds)),
  "a comment on the changed line": (site, { comment }) => {
    const { lines, at, pair, added } = site;
    const line = added[pair.new]!;
    const commented = added.with(pair.new, { ...line, text: line.text + comment });
    return { ...typing({ ...site, added: commented }, atEndOf(lines, at + pair.old, comment)), isOnLine: true };
  },
  "the changed line by hand": ({ lines, at, pair }) => {
    const { text } = lines[at + pair.old]!;
    const from = indentOf(text).length;
    const insert = "written_by_hand();";
    return { deed: typeWithin(lines, at + pair.old, { from, to: text.length, insert }), right: undefined };
  },
};

const indentOf = (text: string): string => /^\s*/.exec(text)![0];

function typing({ lines, at, removed, added }: Site, deed: Deed): Typing {
  const [first, ...others] = lines.slice(at, at + removed).map(({ id }) => id);
  const right = deed.lines.flatMap((line): readonly Line[] => {
    if (line.id === first) return added;
    return others.includes(line.id) ? [] : [line];
  });
  return { deed, right };
}

function atEndOf(lines: Lines, at: number, insert: string): Deed {
  const { length } = lines[at]!.text;
  return typeWithin(lines, at, { from: length, to: length, insert });
}

const lineAt = (lines: Lines, at: number, side: "above" | "below"): Deed =>
  splice(lines, at, 0, [newLine(`${indentOf(lines[at]!.text)}# ask Ann`)], side);
