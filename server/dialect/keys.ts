/** Reads the keys of one object of a call: which known field each is, and what is odd about the others. */
import type { At } from "../plan/failure.js";
import { callFields, type FieldName, fieldsBySpelling, knownSpellings, type TextStyle } from "./fields.js";
import type { Findings } from "./findings.js";
import { callFailures } from "./sentences.js";
import { foldKey } from "./spelling.js";

/** A field as the caller sent it. */
export interface SentField {
  readonly spelling: string;
  /** Never `null` or `undefined`: those count as absent. */
  readonly value: unknown;
}

/** The keys of one object, told apart. */
export interface SentKeys {
  /** By canonical name; of two spellings of one field, the first that was sent. */
  readonly fields: Readonly<Partial<Record<FieldName, SentField>>>;
  /** Fields that stand here under several names, with these names. */
  readonly twice: readonly (readonly string[])[];
  /** Known fields that belong to the call but stand in one of its edits, as spelt. */
  readonly misplaced: readonly string[];
  /** Keys of other tools by which the caller asks only to see what the call would do. */
  readonly trials: readonly string[];
  /** Other keys that nothing knows. */
  readonly unknown: readonly string[];
}

/** The names that tools, and models that mix them up, give to a trial, folded. */
const trialNames: ReadonlySet<string> = new Set([
  ...["preview", "previewonly", "ispreview", "dryrun", "isdryrun", "dry", "simulate", "simulation"],
  ...["validateonly", "checkonly", "noapply"],
]);

/** The keys of an object that make the call a trial for whoever wrote it, however they are spelt; `false` and `null` do not. */
export function trialKeys(source: object): string[] {
  return Object.entries(source).flatMap(([key, value]) => (isTrial(key, value) ? [key] : []));
}

function isTrial(key: string, value: unknown): boolean {
  return value !== false && value !== null && value !== undefined && trialNames.has(foldKey(key));
}

/** Tells the keys of `source` apart. `place`: whether it is the call itself or one of the edits in its list. */
export function readKeys(source: object, place: "call" | "edit"): SentKeys {
  const fields: Partial<Record<FieldName, SentField>> = {};
  const spellings = new Map<FieldName, string[]>();
  const misplaced: string[] = [];
  const trials: string[] = [];
  const unknown: string[] = [];
  for (const [spelling, value] of Object.entries(source)) {
    const name = fieldsBySpelling.get(spelling);
    if (name === undefined) {
      (isTrial(spelling, value) ? trials : unknown).push(spelling);
    } else if (value === null || value === undefined) {
    } else if (place === "edit" && Object.hasOwn(callFields, name)) {
      misplaced.push(spelling);
    } else {
      fields[name] ??= { spelling, value };
      spellings.set(name, [...(spellings.get(name) ?? []), spelling]);
    }
  }
  const twice = [...spellings.values()].filter(({ length }) => length > 1);
  return { fields, twice, misplaced, trials, unknown };
}

/** Tells whether a value is a JSON object: no array, not null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reports what is wrong with the keys of one object, and returns the fields that its misspelt keys seem to mean. `style`: how
 * the call names its texts, so that no advice mixes two ways; `undefined`: it has none.
 */
export function reportKeys(
  keys: SentKeys,
  at: At,
  style: TextStyle | undefined,
  findings: Findings,
): ReadonlySet<FieldName> {
  for (const spellings of keys.twice) findings.fail(callFailures.twoNames(at, spellings));
  for (const spelling of keys.misplaced) findings.fail(callFailures.misplacedField(at, spelling));
  // Who asks only to see what a call would do must not have it done.
  for (const key of keys.trials) findings.fail(callFailures.trial(at, key, findings.previewer));
  const meantFields = new Set<FieldName>();
  for (const key of keys.unknown) {
    const meant = findings.meantBy(key, knownSpellings);
    if (meant === undefined) continue;
    const field = fieldsBySpelling.get(meant);
    if (field !== undefined) meantFields.add(field);
    const advice = field === "oldText" || field === "newText" ? style?.[field] : undefined;
    findings.fail(callFailures.unknownField(at, key, advice ?? meant));
  }
  return meantFields;
}
