/** Indents added lines if the old lines matched only because indentation was ignored. */
import { trimBlanks, trimBlanksEnd } from "./blanks.js";
import type { Rules } from "./deviations.js";
import type { PatchLine } from "./grammar.js";

/** A way to turn indentation in a patch into indentation in a file; `to` returns `undefined` if it does not apply. */
interface Way {
  readonly to: (indent: string) => string | undefined;
  readonly kind: "none" | "space" | "depth" | "tabs" | "width";
}

/**
 * Returns a hunk's lines, with the added lines indented to suit the file; `undefined` if it is unknown how. In a block
 * of removed and added lines, a single function must turn each removed line's indentation into that of the matching
 * line in the file, and must apply to each added line. In a block of added lines alone, the function is that of all old
 * lines of the hunk; if there is none, or it does not apply, the block stays unchanged.
 */
export function shiftedLines(
  lines: readonly PatchLine[],
  at: number,
  { texts, rules }: { readonly texts: readonly string[]; readonly rules: Rules },
): readonly PatchLine[] | undefined {
  const fileLines = texts.slice(at);
  let next = 0;
  const marked = lines.map((line): Marked => ({ ...line, file: line.sign === "+" ? undefined : fileLines[next++] }));
  const hunk: WholeHunk = {
    whole: wayOf(marked),
    mayHaveWidth: widthsFor(pairsOf(marked)).some((way) =>
      pairsOf(marked).every(({ old, file }) => way.to(old) === file),
    ),
    isBare: pairsOf(marked).every(({ old }) => old === ""),
    hasSigns: marked.some(({ sign, text }) => sign === "-" && trimBlanks(text) !== ""),
    known: new Set(texts.filter((text) => trimBlanks(text) !== "").map(indentOf)),
    isCareful: rules.has("notIndentedTwice"),
    all: marked,
  };
  const blocks = inBlocks(marked).map((block, i, all) => {
    const hasText = ({ sign, text }: Marked): boolean => sign !== "+" && trimBlanks(text) !== "";
    const above = all.slice(0, i).flat().findLast(hasText);
    return blockOf(block, hunk, { above, below: [...block, ...all.slice(i + 1).flat()].find(hasText) });
  });
  return blocks.every((block) => block !== undefined) ? blocks.flat() : undefined;
}

interface WholeHunk {
  /** The way that turns all old lines into the file's. */
  readonly whole: Way | undefined;
  /** `true` if the levels may have another width. */
  readonly mayHaveWidth: boolean;
  readonly isBare: boolean;
  readonly hasSigns: boolean;
  readonly known: ReadonlySet<string>;
  readonly isCareful: boolean;
  readonly all: readonly Marked[];
}

interface Neighbours {
  readonly above: Marked | undefined;
  readonly below: Marked | undefined;
}

function blockOf(
  block: readonly Marked[],
  { whole, mayHaveWidth, isBare, hasSigns, known, isCareful, all }: WholeHunk,
  beside: Neighbours,
): readonly PatchLine[] | undefined {
  const plain = block.map(({ sign, text }) => ({ sign, text }));
  const removed = block.filter(({ sign, text }) => sign === "-" && trimBlanks(text) !== "");
  const added = block.filter(({ sign, text }) => sign === "+" && trimBlanks(text) !== "");
  const [first] = added;
  if (first === undefined) return plain;
  const way = whole ?? (removed.length > 0 ? wayOf(removed) : undefined);
  if (isCareful && isBare && whole === undefined && added.every(({ text }) => indentOf(text) !== "")) return plain;
  const level = levelsOf(first, beside);
  if (way === undefined) {
    const isSame = level.same && !level.patch;
    const isOpen = mayHaveWidth && added.some(({ text }) => indentOf(text) !== "");
    return removed.length === 0 && (!isCareful || (!isOpen && (level.file || isSame))) ? plain : undefined;
  }
  const moved = plain.map((line) => (line.sign === "+" ? indented(line, way) : line));
  if (!moved.every((line) => line !== undefined)) {
    const isClear = !isCareful || (way.kind !== "width" && (level.file || way.kind === "space"));
    return removed.length === 0 && isClear ? plain : undefined;
  }
  const depths = new Set(removed.map(({ text }) => indentOf(text)));
  if (isCareful && whole === undefined && mayHaveWidth && !added.every(({ text }) => depths.has(indentOf(text))))
    return undefined;
  const isAsked = isCareful && !(way.kind === "space" && removed.length === 0);
  const whose = isAsked ? indentedLike({ added, removed }, way, beside) : "patch";
  if (whose !== "patch") return whose === "file" ? plain : undefined;
  const isAlone = removed.length === 0 && !hasSigns;
  return !isAlone || isMeant(all, added, known, isCareful && level.patch) ? moved : plain;
}

/** Tells whether an added line is level with a line beside it, in the patch or the file, and whether one line is so in both. */
function levelsOf(line: PatchLine, { above, below }: Neighbours): { patch: boolean; file: boolean; same: boolean } {
  const own = indentOf(line.text);
  const pairs = pairsOf([above, below].flatMap((one) => one ?? []));
  const [nearest] = pairs;
  return {
    patch: pairs.some(({ old }) => old === own),
    file: pairs.some(({ file }) => file === own),
    same: nearest !== undefined && nearest.old === nearest.file,
  };
}

/** A line of a hunk; an old line with the line of the file that it matches. */
type Marked = PatchLine & { readonly file: string | undefined };

/** Tells whose indentation the added lines of a block have; `unknown` if nothing decides. */
function indentedLike(
  { added, removed }: { readonly added: readonly Marked[]; readonly removed: readonly Marked[] },
  way: Way,
  { above, below }: Neighbours,
): "patch" | "file" | "unknown" {
  const next = added.map(({ text }) => ({ body: trimBlanks(text), own: indentOf(text) }));
  if (next.every(({ own }) => way.to(own) === own)) return "patch";
  const old = removed.map(({ text, file }) => ({
    body: trimBlanks(text),
    patch: indentOf(text),
    file: indentOf(file ?? ""),
  }));
  const votes = votesOf(old, next);
  const [start, lead] = [old[0], next[0] ?? { body: "", own: "" }];
  const isNew = !old.some(({ body }) => body === lead.body);
  const isAt = (side: "patch" | "file"): boolean =>
    start !== undefined && start.patch !== start.file && lead.own === start[side] && isNew;
  if (votes.size === 1 && !(votes.has("file") && isAt("patch"))) return votes.has("patch") ? "patch" : "file";
  if (way.kind === "width") {
    const steps = new Set(next.map(({ own }, i) => own.length - (next[i - 1]?.own.length ?? own.length)));
    const [from, to] = widthOf(removed, above, below);
    return !steps.has(to) ? "patch" : steps.has(from) ? "unknown" : "file";
  }
  if (start === undefined) return besides(lead.own, above, below);
  if (isAt("patch")) return "patch";
  const wordOf = (text: string): string => /^\S?[\p{L}\p{N}_]*/u.exec(text)?.[0] ?? "";
  const isLost = start.patch === "" && lead.own !== "" && wordOf(start.body) === wordOf(lead.body);
  const isReplaced =
    old.length === next.length &&
    old.every(({ body, file }, i) => wordOf(body) === wordOf(next[i]?.body ?? "") && file === next[i]?.own);
  if (isLost || isAt("file")) return isReplaced ? "file" : "unknown";
  const shallow = old.reduce((one, other) => (other.patch.length < one.patch.length ? other : one));
  const least = next.reduce((one, other) => (other.own.length < one.own.length ? other : one));
  return shallow.patch !== shallow.file && least.own === shallow.file ? "unknown" : "patch";
}

/** Decides by the lines beside a block of added lines, the first of which has the indentation `own`. */
function besides(own: string, above: Marked | undefined, below: Marked | undefined): "patch" | "unknown" {
  const [over, under] = [above, below].map((line) => (line === undefined ? undefined : indentOf(line.text)));
  const isDeeper = over !== undefined && under !== undefined && under.length > over.length;
  const opens = above !== undefined && (isDeeper || /[{([:>]$/.test(trimBlanks(above.text)));
  if (own === under || (own === over && !opens) || (opens && own.length > (over?.length ?? 0))) return "patch";
  return [above, below].some((line) => line !== undefined && indentOf(line.file ?? "") === own) ? "unknown" : "patch";
}

interface OldOne {
  readonly body: string;
  readonly patch: string;
  readonly file: string;
}
interface NewOne {
  readonly body: string;
  readonly own: string;
}

/** What the lines say that are removed and added again. */
function votesOf(old: readonly OldOne[], next: readonly NewOne[]): ReadonlySet<"patch" | "file"> {
  const isOld = (body: string): boolean => old.some((one) => one.body === body);
  const isNext = (body: string): boolean => next.some((one) => one.body === body);
  /** The lines that enclose line `at`, from the inside out. */
  const around = <T>(all: readonly T[], at: number, depth: (one: T) => number): T[] => {
    const found: T[] = [];
    for (let i = at - 1, left = depth(all[at]!); i >= 0; i--)
      if (depth(all[i]!) < left) {
        found.push(all[i]!);
        left = depth(all[i]!);
      }
    return found;
  };
  const fits = (side: "patch" | "file", new1: NewOne, old1: OldOne): boolean => {
    const outerNew = around(next, next.indexOf(new1), ({ own }) => own.length);
    const outerOld = around(old, old.indexOf(old1), ({ patch }) => patch.length);
    if (new1.own === old1[side]) return true;
    if (outerNew.some(({ body, own }) => !isOld(body) && own === old1[side])) return true;
    if (outerOld.some((one) => !isNext(one.body) && one[side] === new1.own)) return true;
    const [a, b] = [outerNew[0], outerOld[0]];
    return a !== undefined && b !== undefined && a.body === b.body && fits(side, a, b);
  };
  const say = (isMeant: (body: string) => boolean): ReadonlySet<"patch" | "file"> => {
    const bodies = [...new Set(next.map(({ body }) => body))].filter((body) => isOld(body) && isMeant(body));
    return new Set(
      bodies.flatMap((body): ("patch" | "file")[] => {
        const [news, olds] = [next.filter((one) => one.body === body), old.filter((one) => one.body === body)];
        const most = Math.min(news.length, olds.length);
        const isAs = (side: "patch" | "file"): boolean =>
          news.filter((one) => olds.some((other) => fits(side, one, other))).length >= most &&
          olds.filter((other) => news.some((one) => fits(side, one, other))).length >= most;
        return isAs("patch") === isAs("file") ? [] : [isAs("patch") ? "patch" : "file"];
      }),
    );
  };
  const isTelling = (body: string): boolean => /[\p{L}\p{N}]/u.test(body);
  const telling = say(isTelling);
  return telling.size > 0 ? telling : say((body) => !isTelling(body));
}

/** Puts neighbouring removed and added lines together. */
function inBlocks(lines: readonly Marked[]): Marked[][] {
  const blocks: Marked[][] = [];
  for (const [i, line] of lines.entries()) {
    const isNext = i > 0 && line.sign !== " " && lines[i - 1]?.sign !== " ";
    if (isNext) blocks.at(-1)?.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

/** Reports whether lines added to context alone are to be shifted although the context may be off by one space. */
function isMeant(
  all: readonly Marked[],
  added: readonly PatchLine[],
  known: ReadonlySet<string>,
  isLevel: boolean,
): boolean {
  const { old = "", file = "" } = pairsOf(all)[0] ?? {};
  if (file === ` ${old}`) return false;
  if (old !== ` ${file}` || isLevel) return true;
  const before = added.map(({ text }) => known.has(indentOf(text)));
  const after = added.map(({ text }) => known.has(indentOf(text).slice(1)));
  return after.some((isKnown, i) => isKnown && !before[i]) && before.every((isKnown, i) => !isKnown || after[i]);
}

interface Pair {
  readonly old: string;
  readonly file: string;
}

const pairsOf = (lines: readonly Marked[]): Pair[] =>
  lines.flatMap(({ text, file }) =>
    file === undefined || trimBlanks(text) === "" ? [] : [{ old: indentOf(text), file: indentOf(file) }],
  );

/** The way that turns each old line's indentation into the file's; `undefined` if there is none. */
function wayOf(lines: readonly Marked[]): Way | undefined {
  const pairs = pairsOf(lines);
  const indentedOld = pairs.filter(({ old }) => old !== "");
  // A single line that is deeper than the file's may be indented by mistake.
  const isSingle = indentedOld.length === 1 && indentedOld.every(({ old, file }) => old.length > file.length);
  const ways = [...waysFor(pairs), ...(isSingle ? [] : widthsFor(pairs))];
  return ways.find((way) => pairs.every(({ old, file }) => way.to(old) === file));
}

function waysFor(pairs: readonly Pair[]): Way[] {
  const [first] = pairs;
  const ways: Way[] = [{ kind: "none", to: (indent) => indent }];
  if (first === undefined) return ways;
  const more = first.file.slice(0, first.file.length - first.old.length);
  const less = first.old.slice(0, first.old.length - first.file.length);
  const kindOf = (by: string): Way["kind"] => (by === " " ? "space" : "depth");
  if (more !== "") ways.push({ kind: kindOf(more), to: (indent) => more + indent });
  if (less !== "")
    ways.push({
      kind: kindOf(less),
      to: (indent) => (indent.startsWith(less) ? indent.slice(less.length) : undefined),
    });
  for (let width = 1; width <= 16; width++) {
    if (pairs.some(({ old }) => old.includes("\t")))
      ways.push({ kind: "tabs", to: (indent) => indent.replaceAll("\t", " ".repeat(width)) });
    if (pairs.some(({ file }) => file.includes("\t")))
      ways.push({ kind: "tabs", to: (indent) => inTabs(indent, width, pairs) });
  }
  return ways;
}

/** The numbers of spaces that a level has in the patch and in the file, one of which is a multiple of the other. */
function widthFor(pairs: readonly Pair[]): readonly [number, number] | undefined {
  const some = pairs.filter(({ old }) => old !== "");
  if (some.length === 0 || some.some(({ old, file }) => /[^ ]/.test(old + file))) return undefined;
  for (let from = Math.min(...some.map(({ old }) => old.length)); from > 1; from--) {
    const levels = some.map(({ old }) => old.length / from);
    const to = (some[0]?.file.length ?? 0) / (levels[0] ?? 1);
    const isWhole = Number.isInteger(to) && to > 1 && to !== from && (to % from === 0 || from % to === 0);
    if (levels.every(Number.isInteger)) return isWhole ? [from, to] : undefined;
  }
  return undefined;
}

const widthOf = (removed: readonly Marked[], above: Marked | undefined, below: Marked | undefined) =>
  widthFor(pairsOf([...removed, ...[above, below].flatMap((one) => one ?? [])])) ?? [0, 0];

function widthsFor(pairs: readonly Pair[]): Way[] {
  const width = widthFor(pairs);
  if (width === undefined) return [];
  const [from, to] = width;
  const inLevels = (indent: string): string | undefined => {
    const levels = indent.length / from;
    return /^ *$/.test(indent) && Number.isInteger(levels) ? " ".repeat(levels * to) : undefined;
  };
  return [{ kind: "width", to: inLevels }];
}

/**
 * Replaces each full width of spaces with a tab. Any remaining spaces are alignment, which some old line must also
 * have.
 */
function inTabs(indent: string, width: number, pairs: readonly Pair[]): string | undefined {
  const restOf = (text: string): number => (/^ */.exec(text)?.[0].length ?? 0) % width;
  const rest = restOf(indent);
  if (rest !== 0 && !pairs.some(({ old }) => restOf(old) === rest)) return undefined;
  const tabs = Math.floor((/^ */.exec(indent)?.[0].length ?? 0) / width);
  return "\t".repeat(tabs) + indent.slice(tabs * width);
}

function indented(line: PatchLine, way: Way | undefined): PatchLine | undefined {
  if (trimBlanks(line.text) === "") return line;
  const indent = indentOf(line.text);
  const moved = way?.to(indent);
  return moved === undefined ? undefined : { ...line, text: moved + line.text.slice(indent.length) };
}

function indentOf(line: string): string {
  const text = trimBlanksEnd(line);
  return text.slice(0, text.length - trimBlanks(text).length);
}
