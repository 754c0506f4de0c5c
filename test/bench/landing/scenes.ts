/**
 * Scenes in which a person types, without saving or with it, where an edit belongs that an agent has in mind: the edit
 * is a real one, and the text is the older version of a real file.
 */
import type { Chance } from "../../codex/random.js";
import { type Call, type Meant, oldLines, type Part, toCall } from "./calls.js";
import { carry } from "./carry.js";
import { type Deed, type Lines, newLine, splice, textOf, typeWithin } from "./lines.js";
import { endOf, type RealEdit } from "./realEdit.js";
import { resolve } from "./resolve.js";
import { canBeDamaged, type SourceFile, type Version } from "./sources.js";
import type { Staged } from "./staged.js";
import { withGitContext } from "./undamaged.js";

/** Where the person types, seen from the edit. */
export const spots = [
  "above the edit's lines",
  "between two kept lines",
  "on a kept line",
  "beside a changed line",
  "where the edit inserts",
] as const;

type Spot = (typeof spots)[number];

/** The circumstances of a scene. */
export interface Circumstances extends Pick<Staged, "isRead" | "isSaved" | "syncsWhole"> {
  readonly spot: Spot;
  /** `true` if the edit's lines occur once more further down, so that only a line number says which are meant. */
  readonly hasTwin: boolean;
}

/** A scene on a real edit. It is right if the edit is made at the lines that it is meant for. */
export interface Scene extends Circumstances, Staged {}

/** All circumstances that differ. */
export function allCircumstances(): Circumstances[] {
  const either = [false, true];
  return spots.flatMap((spot) =>
    either.flatMap((hasTwin) =>
      either.flatMap((isRead) =>
        either.flatMap((isSaved) => either.map((syncsWhole) => ({ spot, hasTwin, isRead, isSaved, syncsWhole }))),
      ),
    ),
  );
}

/** Draws a scene; `undefined` if no file has an edit for it. */
export function drawScene(
  chance: Chance,
  files: readonly SourceFile[],
  circumstances: Circumstances,
): Scene | undefined {
  for (let draw = 0; draw < 500; draw++) {
    const version = chance.pick(files).version();
    if (version === undefined || !canBeDamaged(version) || version.lines.length > mostLines) continue;
    const scene = sceneOf(chance, version, circumstances);
    if (scene !== undefined) return scene;
  }
  return undefined;
}

/** Larger files would make the benchmark slow and say nothing more. */
const mostLines = 3_000;

function sceneOf(chance: Chance, version: Version, circumstances: Circumstances): Scene | undefined {
  const [edit] = withGitContext(version, [chance.pick(version.hunks)], chance.pick([1, 2, 3, 3]));
  if (edit === undefined) return undefined;
  const own = version.lines.map(newLine);
  const before = circumstances.hasTwin ? withTwin(chance, own, edit) : own;
  const call = callOf(chance, edit, before);
  const meant = call.edits[0]!;
  const found = resolve(before, call);
  const isClear = found?.isExact && found.at === edit.start;
  if (!isClear || meant.parts.every(({ kind }) => kind === "keep")) return undefined;
  const isUnique = resolve(before, { form: call.form, edits: [unhinted(meant)] }) !== undefined;
  if (isUnique === circumstances.hasTwin) return undefined;
  const deed = typedAt(chance, before, meant, circumstances.spot);
  if (deed === undefined) return undefined;
  return {
    ...circumstances,
    before: textOf(before),
    typed: deed.typed,
    present: textOf(deed.lines),
    call: (path) => toCall(path, call),
    right: rightTexts(call, before, deed.lines),
  };
}

const unhinted = ({ line: _, anchor: __, ...rest }: Meant): Meant => rest;

/** The text with a copy of the edit's old lines further down. */
function withTwin(chance: Chance, lines: Lines, edit: RealEdit): Lines {
  const end = endOf(edit);
  const at = chance.between(Math.min(lines.length, end + 3), lines.length);
  const twin = lines.slice(edit.start, end).map(({ text }) => newLine(text));
  return [...lines.slice(0, at), ...twin, ...lines.slice(at)];
}

function callOf(chance: Chance, edit: RealEdit, lines: Lines): Call {
  let at = edit.start;
  const parts = edit.lines.map(
    ({ kind, text }): Part => ({ kind, line: kind === "add" ? newLine(text) : lines[at++]! }),
  );
  const meant: Meant = { at: edit.start, parts, isEnded: chance.percent(40) };
  const old = parts.filter(({ kind }) => kind !== "add").length;
  const range = `-${edit.start + 1},${old} +${edit.start + 1},${old} @@`;
  const heading = lines.slice(0, edit.start).findLast(({ text }) => /^[A-Za-z_$]/.test(text))?.text;
  if (chance.percent(50))
    return { form: "edits", edits: [chance.percent(60) ? { ...meant, line: edit.start + 1 } : meant] };
  return { form: "patch", edits: [{ ...meant, anchor: chance.percent(50) ? (heading ?? range) : range }] };
}

/** The person's comment, typed at a spot of the edit; `undefined` if the edit has no such spot. */
function typedAt(chance: Chance, lines: Lines, { at, parts }: Meant, spot: Spot): Deed | undefined {
  const side = chance.percent(50) ? ("above" as const) : ("below" as const);
  const olds = parts.flatMap(({ kind }, i) => (kind === "add" ? [] : [{ kind, i }]));
  const insertsAfter = (n: number): boolean => parts[(olds[n]?.i ?? -1) + 1]?.kind === "add";
  const pairs = olds
    .slice(1)
    .map((below, n) => ({ n: n + 1, kinds: `${olds[n]!.kind} ${below.kind}`, isGap: insertsAfter(n) }));
  const typeLine = (n: number): Deed => {
    const indent = /^\s*/.exec(lines[at + n]?.text ?? "")![0];
    return splice(lines, at + n, 0, [newLine(`${indent}# ask Ann`)], side);
  };
  const typeOn = (n: number): Deed => {
    const { length } = lines[at + n]!.text;
    return typeWithin(lines, at + n, { from: length, to: length, insert: "  # ask Bob" });
  };
  const one = <T>(list: readonly T[]): T | undefined => (list.length === 0 ? undefined : chance.pick(list));
  const between = (test: (pair: (typeof pairs)[number]) => boolean): Deed | undefined => {
    const pair = one(pairs.filter(test));
    return pair === undefined ? undefined : typeLine(pair.n);
  };
  if (spot === "above the edit's lines") return typeLine(0);
  if (spot === "between two kept lines") return between(({ kinds, isGap }) => kinds === "keep keep" && !isGap);
  if (spot === "where the edit inserts") return between(({ kinds, isGap }) => kinds === "keep keep" && isGap);
  if (spot === "beside a changed line")
    return between(({ kinds }) => kinds === "keep remove" || kinds === "remove keep");
  const n = one(olds.flatMap(({ kind }, i) => (kind === "keep" ? [i] : [])));
  return n === undefined ? undefined : typeOn(n);
}

function rightTexts(call: Call, before: Lines, now: Lines): string[] {
  const edit = call.edits[0]!;
  const texts = carry(edit, before, now).map(textOf);
  // An old text that ends within a line is found there whatever was typed after it.
  const place = before.slice(edit.at, edit.at + oldLines(edit).length);
  const alone = resolve(now, call);
  const isThere = alone?.lines.every(({ id }, i) => id === place[i]?.id);
  return alone !== undefined && isThere ? [...texts, alone.text] : texts;
}
