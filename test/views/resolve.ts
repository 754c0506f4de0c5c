/** Finds a call's places in one text alone, as every call was resolved before there were views. */
import { decodeCall } from "../../server/dialect/decode.js";
import { planBatch } from "../../server/plan/plan.js";
import { toEnd } from "../../server/text/lines.js";
import { documentAt, snapshotOf } from "../support/planning.js";
import { effectBetween } from "./alike.js";
import { type Call, type Meant, oldLines, toCall } from "./calls.js";
import { carry, type Effect, type Present } from "./carry.js";
import { type Lines, textOf } from "./lines.js";

/** Where one text alone finds an edit. */
export type Found =
  /** At one place: the lines from `at` (0-based) on. `isExact`: nothing was ignored. */
  | { readonly kind: "one"; readonly at: number; readonly lines: Lines; readonly isExact: boolean }
  | { readonly kind: "several"; readonly code: string }
  | { readonly kind: "none"; readonly code: string };

/** The outcome of a call on one text alone. */
export interface Alone {
  readonly found: readonly Found[];
  /** The text afterwards, if every edit has a place; otherwise the codes of the failures. */
  readonly text: string | undefined;
  readonly codes: readonly string[];
}

const path = "a";

/** Plans a call on a text that nobody has looked at before. */
export function resolve(lines: Lines, call: Call): Alone {
  const decoded = decodeCall(toCall(path, call), { optionsAllowed: false });
  if (!decoded.ok) throw new Error(`the model made a bad call: ${JSON.stringify(decoded.failures)}`);
  const plan = (atomic: "none" | "all") =>
    toEnd(
      planBatch(decoded.operations, snapshotOf([documentAt(path, textOf(lines))]), {
        atomic,
        order: decoded.defaultOrder,
        lenient: true,
        overwrite: false,
      }),
    );
  const each = plan("none");
  const whole = plan("all");
  const found = each.outcomes.map(({ failure, places, rung }): Found => {
    if (failure !== undefined) {
      const kind = failure.code === "ambiguousMatch" ? "several" : "none";
      return { kind, code: failure.code };
    }
    const [place] = places;
    // Without a place, the edit was done already by another edit of the call.
    if (place === undefined) return { kind: "none", code: "skipped" };
    const at = place.startLine - 1;
    return { kind: "one", at, lines: lines.slice(at, place.endLine), isExact: rung === "exact" };
  });
  return {
    found,
    text: whole.ok ? (whole.files[0]?.text ?? textOf(lines)) : undefined,
    codes: whole.ok ? [] : whole.failures.map(({ code }) => code),
  };
}

/** The effects that an edit may have at the place where the present text has it. */
export function effectsHere(
  own: Extract<Found, { kind: "one" }>,
  { edit, form }: { readonly edit: Meant; readonly form: Call["form"] },
  present: Present,
): readonly Effect[] {
  const now = { lines: present.lines, time: Number.MAX_SAFE_INTEGER };
  const old = oldLines(edit);
  const isWhole = own.lines.length === old.length && own.lines.every(({ text }, n) => text === old[n]!.text);
  if (isWhole || edit.word !== undefined) return carry(edit, own.at, now, present).effects;
  const { text } = resolve(present.lines, { form, edits: [edit] });
  return text === undefined ? [] : [effectBetween(present.lines, text)];
}

/** The same edit with a hint that selects the line `at` (0-based). */
export function pointed(edit: Meant, form: Call["form"], at: number): Meant {
  const { occurrence: _, anchor: __, ...rest } = edit;
  if (form === "edits") return { ...rest, line: at + 1 };
  const count = edit.parts.filter(({ kind }) => kind !== "add").length;
  return { ...rest, anchor: `-${at + 1},${count} +${at + 1},${count} @@` };
}
