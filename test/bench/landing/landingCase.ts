/** What one case of the benchmark is, and the parts that kinds of cases are built from. */
import type { Chance } from "../../codex/random.js";
import type { Reason } from "./breakages.js";
import { type Damage, type DamageMaker, exact, isTouched } from "./damages.js";
import { drawEdits, endOf, oldLines, placesOf, type RealEdit, withEdits } from "./realEdit.js";
import { type Door, type Sent, toCall } from "./sent.js";
import type { SourceFile, Version } from "./sources.js";

/** A stretch of a file: 1-based lines, both included. */
export interface LineSpan {
  readonly startLine: number;
  readonly endLine: number;
}

/** What must come of a call. */
export type Expected =
  /** The file's text afterwards. */
  | { readonly text: string }
  | {
      readonly reason: Reason;
      /** 0-based edit of the call that is at fault. */
      readonly index: number;
      readonly differsAt?: { readonly line: number; readonly column: number };
    };

/** A file, a call, and what must come of it. */
export interface LandingCase {
  readonly path: string;
  readonly door: Door;
  readonly before: string;
  readonly call: unknown;
  /** By edit of the call: where it belongs; `undefined`: nowhere. */
  readonly places: readonly (LineSpan | undefined)[];
  /** By edit of the call: the lines of its old text. */
  readonly sentLines: readonly number[];
  readonly expected: Expected;
}

/** What a case is drawn from. */
export interface Ground {
  readonly chance: Chance;
  readonly version: Version;
  /** All files, for edits that belong elsewhere. */
  readonly files: readonly SourceFile[];
  readonly door: Door;
}

/** Draws a case; `undefined`: this file or these edits do not suit. */
export type CaseMaker = (ground: Ground) => LandingCase | undefined;

/** A call's edit, and the real edit that it stands for. */
export interface Planned {
  readonly sent: Sent;
  /** `undefined`: it belongs to another file. */
  readonly edit: RealEdit | undefined;
  /** The lines that are looked for, as the file has them but for damages; empty where they must not be found. */
  readonly sought: readonly string[];
}

/** Edits that land although all of them are damaged, or the file is; those that the damage does not reach are left out. */
export function damaged(make: DamageMaker): CaseMaker {
  return (ground) => {
    const { chance, version, door } = ground;
    const damage = make(chance, version, door);
    if (damage === undefined) return undefined;
    const planned = drawEdits(chance, version, chance.between(1, 4)).flatMap((edit): Planned[] => {
      const sent = damage.send(edit);
      if (sent === undefined || (door === "patch" && sent.hunk === undefined)) return [];
      return make === exact || isTouched(edit, sent, damage) ? [{ sent, edit, sought: oldLines(edit) }] : [];
    });
    if (planned.length === 0 || !isCertain(version, planned)) return undefined;
    return landing(ground, planned, damage);
  };
}

/** The case of edits that land; `damage` says what the file has otherwise than the package. */
export function landing(
  { version, door }: Ground,
  planned: readonly Planned[],
  { fileLine = (line) => line, fileEnd = "\n", written }: Omit<Damage, "send"> = {},
  edits: readonly RealEdit[] = planned.flatMap(({ edit }) => edit ?? []),
): LandingCase {
  const lines = version.lines.map(fileLine);
  const text = (some: readonly string[]): string => some.map((line) => line + fileEnd).join("");
  return {
    ...callOf(version, door, planned),
    before: text(lines),
    expected: { text: text(withEdits(lines, edits, written)) },
  };
}

/** The case of a call that is refused for one of its edits. */
export function refusal(
  { version, door }: Ground,
  planned: readonly Planned[],
  expected: Extract<Expected, { reason: Reason }>,
): LandingCase {
  const before = version.lines.map((line) => `${line}\n`).join("");
  return { ...callOf(version, door, planned), before, expected };
}

function callOf(version: Version, door: Door, planned: readonly Planned[]): Omit<LandingCase, "before" | "expected"> {
  const sent = planned.map((one) => one.sent);
  return {
    path: version.path,
    door,
    call: toCall(door, version.path, sent),
    places: planned.map(({ edit }) => edit && { startLine: edit.start + 1, endLine: endOf(edit) }),
    sentLines: sent.map(({ oldText }) => oldText.split("\n").length),
  };
}

/** Whether what each edit looks for stands once, in the text before the call and in each text on the way. */
export function isCertain({ lines }: Version, planned: readonly Planned[]): boolean {
  return planned.every(({ sought }, i) => {
    const wanted = sought.length === 0 ? [planned[i]?.sent.oldText ?? ""] : sought;
    const count = sought.length === 0 ? 0 : 1;
    const done = planned.slice(0, i).flatMap(({ edit, sought: own }) => (edit && own.length > 0 ? [edit] : []));
    return [lines, withEdits(lines, done)].every((text) => placesOf(wanted.flatMap(cut), text) === count);
  });
}

const cut = (text: string): string[] => text.split("\n");
