/** The placement of hunks as observed in Codex, plus each deviation that is switched on. */
import { trimBlanks, trimBlanksEnd } from "./blanks.js";
import type { Rules } from "./deviations.js";
import { type Found, linesOf, type Replacement, replaced, runsOf, seek } from "./fileLines.js";
import type { Chunk, PatchAnchor, PatchLine } from "./grammar.js";
import { type FileHistory, insertedBy, isInsertedBefore, isRepeated } from "./inserted.js";
import { shiftedLines } from "./shift.js";

/** The reason why a hunk cannot be placed. */
export type Refusal = "contextNotFound" | "ambiguousMatch" | "alreadyApplied" | "overlap" | "noChange";

/** A text with all hunks applied, or the reason why one of them cannot be placed. */
export type Placed =
  | { readonly ok: true; readonly text: string; readonly isChanged: boolean; readonly history: FileHistory }
  | { readonly ok: false; readonly why: Refusal };

type Search = Replacement | Refusal;

/** State shared by all hunks of a section. */
interface Ground {
  readonly texts: readonly string[];
  readonly rules: Rules;
}

/** Places hunks in a text. All of them are searched for in the original text. */
export function place(
  text: string,
  chunks: readonly Chunk[],
  {
    rules,
    history,
    isAdded = false,
  }: { readonly rules: Rules; readonly history?: FileHistory | undefined; readonly isAdded?: boolean },
): Placed {
  const lines = history?.lines ?? linesOf(text).map((line, origin) => ({ ...line, origin }));
  const earlier = { lines, inserted: history?.inserted ?? [] };
  const ground: Ground = { texts: lines.map((line) => line.text), rules };
  const replacements: Replacement[] = [];
  let cursor = 0;
  let endless = rules.has("noFinalLineEnd") && lines.at(-1)?.end === "";
  const idle = chunks.filter((chunk) => rules.has("idle") && isIdle(chunk));
  let isChanged = idle.length < chunks.length;
  let skipped = 0;
  for (const sent of chunks) {
    const chunk = idle.includes(sent) ? unsigned(sent) : sent;
    const found = placeOf(ground, chunk, cursor);
    const endsFile =
      endless && sent.addsLineEnd && typeof found !== "string" && found.at + found.count === lines.length;
    if (idle.includes(sent) && !endsFile) {
      // Wherever an idle hunk is placed, it changes nothing; it is an error only if its lines occur nowhere.
      if (typeof found === "string" && found !== "ambiguousMatch") return { ok: false, why: "noChange" };
      if (typeof found !== "string") cursor = cursorBehind(ground, chunk, found, cursor);
      continue;
    }
    if (typeof found === "string") return { ok: false, why: found };
    if (rules.has("insertedOnce") && isRepeated(earlier, found)) {
      skipped++;
      cursor = cursorBehind(ground, chunk, found, cursor);
      continue;
    }
    if (replacements.some((other) => disturbs(found, other) || disturbs(other, found))) {
      return { ok: false, why: "overlap" };
    }
    if (!isAdded && rules.has("insertedBefore") && isInsertedBefore(lines, found))
      return { ok: false, why: "alreadyApplied" };
    replacements.push(found);
    if (endsFile) [endless, isChanged] = [false, true];
    // An insertion leaves the cursor after its anchors, no matter where the lines go.
    cursor = cursorBehind(ground, chunk, found, cursor);
  }
  const inserted = replacements.flatMap((found) => insertedBy(lines, found) ?? []);
  isChanged &&= idle.length + skipped < chunks.length || !endless;
  if (!isChanged) return { ok: true, text, isChanged, history: earlier };
  // A line that a patch adds may contain line endings.
  const after = replaced(lines, replacements, { endless }).flatMap((line) =>
    line.origin === undefined ? linesOf(line.text + line.end) : line,
  );
  const now = after.map((line) => line.text + line.end).join("");
  return { ok: true, text: now, isChanged, history: { lines: after, inserted: [...earlier.inserted, ...inserted] } };
}

/** The line where the search for the next hunk begins. */
function cursorBehind(ground: Ground, chunk: Chunk, found: Replacement, cursor: number): number {
  const passed = found.count > 0 ? undefined : follow(ground, chunk.anchors, cursor)?.line;
  return Math.max(cursor, passed ?? found.at + found.count);
}

/** Reports whether a hunk removes exactly the lines that it adds, or changes nothing at all. */
export function isIdle({ lines }: Chunk): boolean {
  const side = (other: "-" | "+"): string =>
    JSON.stringify(lines.flatMap(({ sign, text }) => (sign === other ? [] : text)));
  return side("-") === side("+");
}

const unsigned = (chunk: Chunk): Chunk => ({
  ...chunk,
  lines: oldLines(chunk.lines).map((text) => ({ sign: " ", text })),
});

/** The lines that a hunk expects in the file. */
const oldLines = (lines: readonly PatchLine[]): string[] =>
  lines.filter(({ sign }) => sign !== "+").map(({ text }) => text);

function placeOf(ground: Ground, chunk: Chunk, cursor: number): Search {
  const { rules } = ground;
  const anchored = follow(ground, chunk.anchors, cursor);
  if (oldLines(chunk.lines).length === 0) return insertion(ground, chunk, anchored);
  const again = rules.has("strictestFirst") ? follow(ground, chunk.anchors, 0) : undefined;
  if (again !== undefined) return best(ground, chunk, { cursor, anchored, again });
  const mayTakeFirst = anchored?.isNarrowed === true || !rules.has("ambiguous");
  const found = anchored && findOld(ground, chunk, anchored.line);
  if (found !== undefined) return choose(ground, found, mayTakeFirst ? found.places.slice(0, 1) : found.places);
  const isMissing = rules.has("anchorNotInFile") && follow(ground, chunk.anchors, 0) === undefined;
  return (isMissing ? despiteAnchors(ground, chunk) : undefined) ?? "contextNotFound";
}

/**
 * The place of a hunk if the first pass that finds its lines anywhere decides: the match that a line number names, or the
 * only one after the anchors, or the only one that is also after the hunk before. A hunk is refused if that pass has matches
 * only where its anchors or the order of the hunks rule them out, and a looser pass has others.
 */
function best(ground: Ground, chunk: Chunk, { cursor, anchored, again }: Reach): Search {
  const { rules } = ground;
  const hint = rules.has("lineHint") ? chunk.anchors.find(({ range }) => range)?.range?.line : undefined;
  // The first old line may repeat the anchor, and an anchor may also be one before the hunk before.
  const reach = again.isNarrowed ? again.line - 1 : 0;
  const from = Math.max(cursor, reach);
  const inOrder = anchored && findOld(ground, chunk, from);
  const isPlaced = again.isNarrowed || hint !== undefined || chunk.atEnd;
  const gap = rules.has("gapAtEnd") && anchored && isPlaced ? withoutGap(chunk) : undefined;
  if (gap !== undefined && inOrder?.places.length !== 1) return insertion(ground, gap, anchored);
  const inReach = chunk.atEnd ? inOrder : findOld(ground, chunk, reach);
  if (inReach === undefined) return "contextNotFound";
  const anywhere = chunk.atEnd ? inReach : findOld(ground, chunk, 0);
  const isAlike = (one: OldFound): boolean => one.pass === inReach.pass && one.lines.length === inReach.lines.length;
  if (anywhere !== undefined && !isAlike(anywhere)) return "ambiguousMatch";
  const isInOrder = inOrder !== undefined && isAlike(inOrder);
  const places = isInOrder ? inReach.places.filter((at) => at < from || inOrder.places.includes(at)) : inReach.places;
  if (hint !== undefined && places.includes(hint - 1)) return choose(ground, inReach, [hint - 1]);
  if (inOrder !== undefined && !isInOrder) return "ambiguousMatch";
  return choose(ground, inReach, isInOrder && hint === undefined ? inOrder.places : places);
}

/** What follows a hunk's anchors: after the hunk before, if they are there, and in the whole file. */
interface Reach {
  readonly cursor: number;
  readonly anchored: ReturnType<typeof follow>;
  readonly again: NonNullable<ReturnType<typeof follow>>;
}

/**
 * The only match of a hunk with an anchor that is not in the file. It must be the only one after the line that begins
 * with the anchor or, if there is no such line or several, the only one in the file.
 */
function despiteAnchors(ground: Ground, chunk: Chunk): Search | undefined {
  const { texts } = ground;
  const isTelling = chunk.lines.some(
    ({ sign, text }) => (sign === "-" && trimBlanks(text) !== "") || (sign === " " && /[\p{L}\p{N}]/u.test(text)),
  );
  if (!isTelling) return undefined;
  let [line, isAnywhere] = [0, false];
  for (const anchor of chunk.anchors) {
    const [there, ahead] = [follow(ground, [anchor], 0), follow(ground, [anchor], line)];
    if (ahead !== undefined) {
      line = ahead.line;
      continue;
    }
    if (there !== undefined) return undefined;
    const word = trimBlanks(anchor.text.replace(/ @@$/, ""));
    const begun = texts.flatMap((text, i) => (i >= line && beginsWith(text, word) ? [i] : []));
    if (begun.length === 1 && begun[0] !== undefined) line = begun[0] + 1;
    else isAnywhere = true;
  }
  const loose = { ...chunk, atEnd: false };
  const found = findOld(ground, loose, Math.max(0, line - 1));
  const inFile = isAnywhere ? findOld(ground, loose, 0) : found;
  if (found === undefined || found.places.length !== 1 || inFile?.places.length !== 1) return undefined;
  const isAtEnd = found.places[0] + oldLines(found.lines).length === texts.length;
  return chunk.atEnd && !isAtEnd ? undefined : choose(ground, found, found.places);
}

/** Reports whether a line begins, apart from its indentation, with these whole words. */
function beginsWith(text: string, words: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(words)) return false;
  const rest = text.slice(trimBlanksEnd(text).length - trimBlanks(text).length);
  const isWithin = /[\p{L}\p{N}_]$/u.test(words) && /^[\p{L}\p{N}_]/u.test(rest.slice(words.length));
  return rest.startsWith(words) && !isWithin;
}

/**
 * The line where the search for a hunk begins, and a flag that is set if an anchor determines that line; `undefined` if
 * an anchor is missing.
 */
function follow(
  { texts, rules }: Ground,
  anchors: readonly PatchAnchor[],
  cursor: number,
): { readonly line: number; readonly isNarrowed: boolean; readonly sameAnchors: readonly number[] } | undefined {
  let line = cursor;
  let sameAnchors: readonly number[] = [];
  for (const { text, range } of anchors) {
    const closed = rules.has("closedAnchor") && text.endsWith(" @@") ? [text.slice(0, -3)] : undefined;
    const found = seek(texts, [text], { from: line }) ?? (closed && seek(texts, closed, { from: line }));
    if (found === undefined && range !== undefined && rules.has("lineHint")) continue;
    if (found === undefined) return undefined;
    line = found.places[0] + 1;
    sameAnchors = found.places;
  }
  return { line, isNarrowed: sameAnchors.length > 0, sameAnchors };
}

/** The locations of a hunk, and its lines without those trailing empty lines that the file does not have. */
type OldFound = Found & { readonly lines: readonly PatchLine[] };

function findOld({ texts, rules }: Ground, { lines, atEnd }: Chunk, from: number): OldFound | undefined {
  const found = seek(texts, oldLines(lines), { from, atEnd });
  if (found !== undefined) return { ...found, lines };
  if (oldLines(lines).at(-1) !== "") return undefined;
  if (rules.has("noStrayBlank") && isStray(lines)) return undefined;
  const fewer = withoutLastBlank(lines);
  if (oldLines(fewer).length === 0) {
    return rules.has("noStrayBlank") ? undefined : { pass: 0, places: [from], lines: fewer };
  }
  const isDone = (found: Found | undefined, left: readonly PatchLine[]): boolean =>
    rules.has("doneExceptGap") && found?.places.some((at) => hasResult(texts, at, left)) === true;
  const again = seek(texts, oldLines(fewer), { from, atEnd });
  if (again !== undefined && !isDone(again, fewer)) return { ...again, lines: fewer };
  const bare = rules.has("gapAtEnd") ? withoutBlanksAtEnd(lines) : [];
  const last = oldLines(bare).length > 0 ? seek(texts, oldLines(bare), { from, atEnd }) : undefined;
  return last && !isDone(last, bare) ? { ...last, lines: bare } : undefined;
}

/** Reports whether a file has a hunk's new lines at a location, and they are more than its old lines. */
function hasResult(texts: readonly string[], at: number, lines: readonly PatchLine[]): boolean {
  const wanted = lines.filter(({ sign }) => sign !== "-").map(({ text }) => text);
  const isTelling = lines.some(({ sign, text }) => sign === "+" && /[\p{L}\p{N}]/u.test(text));
  if (!isTelling || wanted.length <= oldLines(lines).length) return false;
  // The line after the last line ending is an empty one.
  const have = [...texts, ""];
  return wanted.every((text, i) => text.trim() === have[at + i]?.trim());
}

/**
 * Reports whether the last old line, which is empty, is a context line followed by added lines: removing it from the
 * old lines alone would turn it into an added line.
 */
function isStray(lines: readonly PatchLine[]): boolean {
  const at = lines.findLastIndex(({ sign }) => sign !== "+");
  return lines[at]?.sign === " " && at < lines.length - 1;
}

/**
 * Removes the empty line at the end of the old lines and the one at the end of the new lines; the two may be the same
 * line.
 */
function withoutLastBlank(lines: readonly PatchLine[]): PatchLine[] {
  const lastOld = lines.findLastIndex(({ sign }) => sign !== "+");
  const lastNew = lines.findLastIndex(({ sign }) => sign !== "-");
  const gone = { old: lastOld, new: lines[lastNew]?.text === "" ? lastNew : undefined };
  return lines.flatMap(({ sign, text }, i): PatchLine[] => {
    const isOld = sign !== "+" && i !== gone.old;
    const isNew = sign !== "-" && i !== gone.new;
    if (isOld && isNew) return [{ sign, text }];
    return isOld ? [{ sign: "-", text }] : isNew ? [{ sign: "+", text }] : [];
  });
}

/** Removes all trailing empty context lines. */
const withoutBlanksAtEnd = (lines: readonly PatchLine[]): PatchLine[] =>
  lines.slice(0, lines.findLastIndex(({ sign, text }) => sign !== " " || text !== "") + 1);

/**
 * The hunk without the empty context lines at its end, if all its other lines are added ones and there are such empty
 * lines; otherwise `undefined`.
 */
function withoutGap(chunk: Chunk): Chunk | undefined {
  const lines = withoutBlanksAtEnd(chunk.lines);
  const isInsertion = lines.length > 0 && lines.length < chunk.lines.length && lines.every(({ sign }) => sign === "+");
  return isInsertion ? { ...chunk, lines } : undefined;
}

/** The place of a hunk at the only one of some locations, with its lines indented as they are there. */
function choose(ground: Ground, { pass, lines }: OldFound, places: readonly number[]): Search {
  const [at, ...others] = places;
  if (at === undefined || others.length > 0) return "ambiguousMatch";
  const count = oldLines(lines).length;
  const isShifted = ground.rules.has("shifted") && pass >= 2;
  const shifted = isShifted ? shiftedLines(lines, at, ground) : lines;
  return shifted === undefined ? "contextNotFound" : { at, count, lines: shifted };
}

/**
 * Places added lines that have no context: after their anchor, else after the line that a unified diff's line numbers
 * name, else at the end.
 */
function insertion(ground: Ground, chunk: Chunk, anchored: ReturnType<typeof follow>): Search {
  const { texts, rules } = ground;
  const at = (line: number): Search => ({ at: line, count: 0, lines: chunk.lines });
  const range = rules.has("lineHint") ? chunk.anchors.find((anchor) => anchor.range)?.range : undefined;
  /** After the line that the line number names, or else after the only one of these lines. */
  const after = (lines: readonly number[]): Search => {
    const named = lines.filter((line) => line + 1 === range?.line);
    const [line, ...others] = named.length > 0 ? named : lines;
    return line === undefined || others.length > 0 ? "ambiguousMatch" : at(line + 1);
  };
  const again = rules.has("outOfOrder") ? follow(ground, chunk.anchors, 0) : undefined;
  if (anchored === undefined) return again === undefined ? "contextNotFound" : after(again.sameAnchors);
  if (chunk.atEnd || !rules.has("insertAtAnchor")) return at(texts.length);
  if (anchored.isNarrowed) {
    return rules.has("severalAnchors") ? after((again ?? anchored).sameAnchors) : at(anchored.line);
  }
  if (range === undefined) return at(texts.length);
  return range.count === 0 && range.line <= texts.length ? at(range.line) : "contextNotFound";
}

/**
 * Reports whether a hunk changes lines that another hunk needs. Adjacent hunks do not conflict, but adjacent changes in
 * overlapping hunks do.
 */
function disturbs(one: Replacement, other: Replacement): boolean {
  const [from, to] = [other.at, other.at + other.count];
  const overlaps = one.at < to && one.at + one.count > from;
  return runsOf(one).some(
    (run) =>
      (run.at < to && run.at + run.count > from) ||
      (overlaps &&
        runsOf(other).some((theirs) => run.at <= theirs.at + theirs.count && run.at + run.count >= theirs.at)),
  );
}
