/** Damage that a rung of the ladder tolerates: differences between the file and the model's copy of it. */
import type { Chance } from "../../codex/random.js";
import { addedLines, isBlankLine, newLines, oldLines, type RealEdit } from "./realEdit.js";
import { type Door, type Sent, type Spelling, toSent } from "./sent.js";
import type { Version } from "./sources.js";

/** Damage to a file and to a model's copy of it. */
export interface Damage {
  /** Turns a line of the package into the corresponding line of the file; equal lines get the same damage. */
  readonly fileLine?: (line: string) => string;
  /** `undefined` for LF. */
  readonly fileEnd?: "\n" | "\r\n";
  /** Turns an added line into its expected form in the file; if absent, the line stays as its author wrote it. */
  readonly written?: (line: string) => string;
  /** Returns the edit as the model sends it; `undefined` if the damage does not apply to this edit. */
  readonly send: (edit: RealEdit) => Sent | undefined;
}

/** Draws damage for a file; returns `undefined` if the file is unsuitable. */
export type DamageMaker = (chance: Chance, version: Version, door: Door) => Damage | undefined;

/** No damage. */
export const exact: DamageMaker = (chance) => ({ send: (edit) => toSent(edit, { ended: chance.percent(40) }) });

/**
 * Trailing whitespace in the old text; in the new text, kept lines either have the same whitespace or match the file.
 */
export const blanksByModel: DamageMaker = (chance) => ({
  send: (edit) => {
    const blanks = oldLines(edit).map(() => chance.pick(["", " ", "  ", "\t"]));
    const copied = (line: string, at: number): string => line + (blanks[at] ?? "");
    return toSent(edit, { copied, cleanNew: chance.percent(50), ended: chance.percent(40) });
  },
});

/** Trailing whitespace in the file, sometimes in empty lines, too. */
export const blanksInFile: DamageMaker = (chance) => {
  const salt = chance.below(1_000_000);
  const withBlankLines = chance.percent(50);
  const fileLine = (line: string): string => {
    const isLeft = line === "" ? !withBlankLines : hash(line, salt) % 2 === 0;
    return isLeft ? line : line + (["  ", " ", "\t", "    "][hash(line, salt + 1) % 4] ?? "");
  };
  return inFile(fileLine, { ended: chance.percent(40) });
};

/**
 * Quotes, dashes, dots and spaces that an editor or a web page has replaced with typographic ones, but only in the
 * file.
 */
export const typographyInFile: DamageMaker = (chance, _version, door) => {
  const salt = chance.below(1_000_000);
  const withDots = door !== "patch";
  return inFile((line) => (hash(line, salt) % 3 === 0 ? line : prettified(line, withDots)), {
    ended: chance.percent(40),
  });
};

/**
 * Typographic characters as in `typographyInFile`, but in the lines that the model copied; added lines are as their
 * author wrote them.
 */
export const typographyByModel: DamageMaker = (chance, _version, door) => ({
  send: (edit) => {
    const copied = (line: string): string => prettified(line, door !== "patch");
    return toSent(edit, { copied, cleanNew: false, ended: chance.percent(40) });
  },
});

/** Commas, colons and brackets of the file are full-width, as in Chinese and Japanese; the model writes ASCII. */
export const fullWidthInFile: DamageMaker = (chance) => {
  const salt = chance.below(1_000_000);
  const wide = (sign: string): string => String.fromCharCode(sign.charCodeAt(0) + 0xfee0);
  return inFile((line) => (hash(line, salt) % 3 === 0 ? line : line.replace(/(?<=\w)[,:;!?()]/g, wide)), {
    ended: chance.percent(40),
  });
};

/** All lines indented less than in the file. */
export const dedented: DamageMaker = (chance, version) => ({
  send: (edit) => {
    const lines = [...oldLines(edit), ...addedLines(edit)].filter((line) => !isBlankLine(line));
    const common = Math.min(...lines.map((line) => /^ */.exec(line)?.[0].length ?? 0));
    // Without its indentation, a single line would still match part of a line of the file.
    const isBlock = oldLines(edit).filter((line) => !isBlankLine(line)).length > 1;
    if (common === 0 || !isBlock) return undefined;
    const cut = chance.pick([common, Math.min(common, version.indent ?? 1)]);
    const less = (line: string): string => (isBlankLine(line) ? line : line.slice(cut));
    return toSent(edit, { copied: less, typed: less, ended: chance.percent(40) });
  },
});

/** Returns a function that takes away the indentation that all lines share; `undefined` if they share none. */
export function dedentedBy(lines: readonly string[]): ((some: readonly string[]) => string[]) | undefined {
  const indents = lines.filter((line) => !isBlankLine(line)).map((line) => /^\s*/.exec(line)?.[0] ?? "");
  const least = indents.reduce((a, b) => (b.length < a.length ? b : a), indents[0] ?? "");
  // Without its indentation, a single line would still match part of a line of the file.
  if (least === "" || indents.length < 2 || indents.some((indent) => !indent.startsWith(least))) return undefined;
  return (some) => some.map((line) => (line.startsWith(least) ? line.slice(least.length) : line));
}

/** All lines indented more than in the file. */
export const overIndented: DamageMaker = (chance) => {
  const more = chance.pick(["  ", "    ", "        ", "\t"]);
  const indented = (line: string): string => (isBlankLine(line) ? line : more + line);
  return { send: (edit) => toSent(edit, { copied: indented, typed: indented, ended: chance.percent(40) }) };
};

/** The file is indented with tabs, the model's text with spaces. */
export const spacesForTabs: DamageMaker = (chance, { indent }) => {
  if (indent === undefined) return undefined;
  return inFile(tabbed(indent), { ended: chance.percent(40) }, tabbed(indent));
};

/** The file is indented with spaces, the model's text with tabs. */
export const tabsForSpaces: DamageMaker = (chance, { indent }) => {
  if (indent === undefined) return undefined;
  const typed = tabbed(indent);
  return { send: (edit) => toSent(edit, { copied: typed, typed, ended: chance.percent(40) }) };
};

/** The file's lines end with CRLF, the model's with LF. */
export const crlfFile: DamageMaker = (chance) => ({
  fileEnd: "\r\n",
  send: (edit) => toSent(edit, { ended: chance.percent(40) }),
});

/** The model's lines end with CRLF, the file's with LF. */
export const crlfByModel: DamageMaker = (chance) => ({
  send: (edit) => toSent(edit, { lineEnd: "\r\n", ended: chance.percent(40) }),
});

/** Only the first line has lost its indentation. */
export const firstLineDedented: DamageMaker = (chance) => ({
  send: (edit) => {
    const copied = (line: string, at: number): string => (at === 0 ? line.trimStart() : line);
    return toSent(edit, { copied, ended: chance.percent(40) });
  },
});

/**
 * Each line of the old text is prefixed with its number from a file view; in the new text, either all lines are
 * prefixed or none are.
 */
export const viewNumbers: DamageMaker = (chance) => ({
  send: (edit) => {
    const style = chance.pick(viewStyles);
    const from = edit.start + 1;
    const numbered = (lines: readonly string[]): string[] => lines.map((line, i) => style(from + i) + line);
    const end = chance.percent(40) ? "\n" : "";
    const isNewNumbered = chance.percent(60);
    const next = newLines(edit);
    return {
      oldText: numbered(oldLines(edit)).join("\n") + end,
      newText: (isNewNumbered ? numbered(next) : next).join("\n") + end,
      hunk: undefined,
    };
  },
});

/** Different line endings and one other kind of damage. */
export const twoAtOnce: DamageMaker = (chance, version, door) => {
  const others = [blanksInFile, blanksByModel, typographyInFile, dedented, overIndented, spacesForTabs, tabsForSpaces];
  const other = chance.pick(door === "patch" ? others : [...others, viewNumbers])(chance, version, door);
  if (other === undefined) return undefined;
  const send = (edit: RealEdit): Sent | undefined => {
    const sent = other.send(edit);
    return sent !== undefined && isTouched(edit, sent, other) ? sent : undefined;
  };
  return { ...other, send, fileEnd: "\r\n" };
};

/** Reports whether damage changed an edit's old text. */
export function isTouched(edit: RealEdit, sent: Sent, { fileLine = (line) => line, fileEnd = "\n" }: Damage): boolean {
  const own = oldLines(edit).map(fileLine).join(fileEnd);
  return sent.oldText !== own && sent.oldText !== own + fileEnd;
}

/** The line prefixes of various file views, as functions of the line number. */
export const viewStyles: readonly ((lineNumber: number) => string)[] = [
  (n) => `${n}\t`,
  (n) => `${String(n).padStart(6)}\t`,
  (n) => `${String(n).padStart(6)}→`,
  (n) => `${n}: `,
  (n) => `${String(n).padStart(4)} | `,
];

/** Damage to the file alone. New lines are as the author wrote them, unless `written` says otherwise. */
function inFile(
  fileLine: (line: string) => string,
  spelling: Spelling,
  written: (line: string) => string = (line) => line,
): Damage {
  return {
    fileLine,
    written,
    send: (edit) => {
      // If an added line equals an old one, it is unclear which is kept and which is new.
      const old = new Set(oldLines(edit));
      const isClear = addedLines(edit).every((line) => !old.has(line) || fileLine(line) === written(line));
      return isClear ? toSent(edit, spelling) : undefined;
    },
  };
}

/** Converts a line's leading spaces to tabs, except those that do not make up a full level. */
const tabbed =
  (indent: number) =>
  (line: string): string => {
    const spaces = /^ */.exec(line)?.[0].length ?? 0;
    const levels = Math.floor(spaces / indent);
    return "\t".repeat(levels) + line.slice(levels * indent);
  };

function prettified(line: string, withDots: boolean): string {
  const start = line.length - line.trimStart().length;
  let isOpen = false;
  const text = line
    .slice(start)
    .replace(/"/g, () => {
      isOpen = !isOpen;
      return isOpen ? "“" : "”";
    })
    .replace(/'/g, "’")
    .replace(/(\w) - /g, "$1 – ")
    .replace(/(\w)-(\w)/g, "$1\u2011$2")
    .replace(/(\w) (?=[={(])/g, "$1\u00a0");
  return line.slice(0, start) + (withDots ? text.replace(/\.\.\./g, "…") : text);
}

/** FNV-1a over UTF-16 code units. */
function hash(text: string, salt: number): number {
  let value = (0x811c9dc5 ^ salt) >>> 0;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}
