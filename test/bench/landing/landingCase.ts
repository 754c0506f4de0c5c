/** A case of the benchmark, and the building blocks for kinds of cases. */
import type { Chance } from "../../codex/random.js";
import type { Reason } from "./breakages.js";
import { type Damage, type DamageMaker, exact, isTouched } from "./damages.js";
import { drawEdits, endOf, isOnlyBlanks, oldLines, placesOf, type RealEdit, withEdits } from "./realEdit.js";
import { type Door, type Sent, toCall } from "./sent.js";
import { type SourceFile, textWith, type Version } from "./sources.js";

/** A range of lines in a file, 1-based and inclusive. */
export interface LineSpan {
  readonly startLine: number;
  readonly endLine: number;
}

/** The expected outcome of a call. */
export type Expected =
  /** The file's resulting text. */
  | { readonly text: string }
  | {
      readonly reason: Reason;
      /** 0-based index of the faulty edit. */
      readonly index: number;
      readonly differsAt?: { readonly line: number; readonly column: number };
    };

/** A file, a call, and its expected outcome. */
export interface LandingCase {
  readonly path: string;
  readonly door: Door;
  readonly before: string;
  readonly call: unknown;
  /** Other files of the call, and their expected texts; a call that lands must change all of them rightly. */
  readonly besides?: readonly { readonly path: string; readonly before: string; readonly after: string }[];
  /** `true` if the call names the file in another way than `path`, so that the workspace must resolve the name. */
  readonly isRenamed?: boolean;
  /** 0-based index of the edit that a refusal must be about, if the case has one; otherwise that of the first failure. */
  readonly faulty?: number;
  /** For each edit of the call, the location where it belongs; `undefined` if it belongs nowhere. */
  readonly places: readonly (LineSpan | undefined)[];
  /** For each edit of the call, the lines of its old text. */
  readonly sentLines: readonly (readonly string[])[];
  readonly expected: Expected;
}

/** The source material for a case. */
export interface Ground {
  readonly chance: Chance;
  readonly version: Version;
  /** All files, as a source of edits that belong in a different file. */
  readonly files: readonly SourceFile[];
  readonly door: Door;
}

/** Draws a case; returns `undefined` if the file or its edits are unsuitable. */
export type CaseMaker = (ground: Ground) => LandingCase | undefined;

/** One of a call's edits, and the real edit on which it is based. */
export interface Planned {
  readonly sent: Sent;
  /** The real edit; `undefined` if it belongs in another file. */
  readonly edit: RealEdit | undefined;
  /** The lines that the edit must match, as they are in the undamaged file; empty if it must match none. */
  readonly sought: readonly string[];
}

/** Makes cases whose edits land despite damage to them or to the file; skips edits that the damage does not affect. */
export function damaged(make: DamageMaker): CaseMaker {
  return (ground) => {
    const { chance, version, door } = ground;
    const damage = make(chance, version, door);
    if (damage === undefined) return undefined;
    const planned = drawEdits(chance, version, chance.between(1, 4)).flatMap((edit): Planned[] => {
      const sent = make !== exact && isOnlyBlanks(edit) ? undefined : damage.send(edit);
      if (sent === undefined || (door === "patch" && sent.hunk === undefined)) return [];
      return make === exact || isTouched(edit, sent, damage) ? [{ sent, edit, sought: oldLines(edit) }] : [];
    });
    if (planned.length === 0 || !isCertain(version, planned)) return undefined;
    return landing(ground, planned, damage);
  };
}

/** Builds a case whose edits land. The damage determines how the file differs from the one in the package. */
export function landing(
  { version, door }: Pick<Ground, "version" | "door">,
  planned: readonly Planned[],
  { fileLine = (line) => line, fileEnd = version.lineEnd, written }: Omit<Damage, "send"> = {},
  edits: readonly RealEdit[] = planned.flatMap(({ edit }) => edit ?? []),
): LandingCase {
  const lines = version.lines.map(fileLine);
  const text = (some: readonly string[]): string => textWith({ ...version, lineEnd: fileEnd }, some);
  return {
    ...callOf(version, door, planned),
    before: text(lines),
    expected: { text: text(withEdits(lines, edits, written)) },
  };
}

/** Builds a case whose call is refused because of one of its edits. */
export function refusal(
  { version, door }: Ground,
  planned: readonly Planned[],
  expected: Extract<Expected, { reason: Reason }>,
): LandingCase {
  const before = textWith(version, version.lines);
  return { ...callOf(version, door, planned), before, expected };
}

function callOf(version: Version, door: Door, planned: readonly Planned[]): Omit<LandingCase, "before" | "expected"> {
  const sent = planned.map((one) => one.sent);
  return {
    path: version.path,
    door,
    call: toCall(door, version.path, sent),
    places: planned.map(({ edit }) => edit && { startLine: edit.start + 1, endLine: endOf(edit) }),
    sentLines: sent.map(({ oldText }) => oldText.replace(/\n$/, "").split("\n")),
  };
}

/**
 * Reports whether each edit's lines occur exactly once (or not at all, if the edit must match none) in the text before
 * the call and in every intermediate text.
 */
export function isCertain({ lines }: Version, planned: readonly Planned[]): boolean {
  return planned.every(({ sought }, i) => {
    const wanted = sought.length === 0 ? [planned[i]?.sent.oldText ?? ""] : sought;
    const count = sought.length === 0 ? 0 : 1;
    const done = planned.slice(0, i).flatMap(({ edit, sought: own }) => (edit && own.length > 0 ? [edit] : []));
    return [lines, withEdits(lines, done)].every((text) => placesOf(wanted.flatMap(cut), text) === count);
  });
}

const cut = (text: string): string[] => text.split("\n");
