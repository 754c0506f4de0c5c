/** Sorts the keys of one object in a call: picks out the known fields and reports everything wrong with the keys. */
import type { At } from "../plan/failure.js";
import { callFields, type FieldName, fieldsBySpelling, knownSpellings, type TextStyle } from "./fields.js";
import type { Findings } from "./findings.js";
import { callFailures } from "./sentences.js";
import { foldKey } from "./spelling.js";

/** A field as the caller sent it. */
export interface SentField {
  readonly spelling: string;
  /** Never `null` or `undefined`, which count as absent. */
  readonly value: unknown;
}

/** The keys of one object, sorted by kind. */
export interface SentKeys {
  /** By canonical name. If a field was sent under several names, the first counts. */
  readonly fields: Readonly<Partial<Record<FieldName, SentField>>>;
  /** For each field sent under more than one name, a list of those names. */
  readonly twice: readonly (readonly string[])[];
  /** The names, as the caller spelt them, of call-level fields that were sent inside an edit. */
  readonly misplaced: readonly string[];
  /** Keys that ask other tools for a dry run, which shows what a call would do but changes nothing. */
  readonly trials: readonly string[];
  /** Keys that ask other tools to take an old text for a regular expression. */
  readonly patterns: readonly string[];
  /** Keys that ask other tools to add a text at the end of a file. */
  readonly appends: readonly string[];
  /** The command of Anthropic's text editor tool; the other fields of the call tell those apart that edit something. */
  readonly command: (typeof editorCommands)[number] | undefined;
  /** Other unknown keys. */
  readonly unknown: readonly string[];
}

/** The folded names of keys that request a dry run in other tools, or that a model might expect to do so. */
const trialNames: ReadonlySet<string> = new Set([
  ...["preview", "previewonly", "ispreview", "dryrun", "isdryrun", "dry", "simulate", "simulation"],
  ...["validateonly", "checkonly", "noapply"],
]);

/** The folded names of keys with which other tools, or a model, say that an old text is a regular expression. */
const patternNames: ReadonlySet<string> = new Set(
  ["regex", "regexp", "regularexpression"].flatMap((name) => [name, `is${name}`, `use${name}`]),
);

/** The folded names of keys with which other tools are asked to add a text at the end of a file. */
const appendNames: ReadonlySet<string> = new Set(["append", "isappend", "appendmode"]);

const editorCommands = ["view", "create", "str_replace", "insert", "undo_edit"] as const;

/** Fields of the agents' own, ignored without a warning: `wait_for_previous` of Gemini CLI forbids parallel calls. */
export const agentFields: ReadonlySet<string> = new Set(["wait_for_previous"]);

/** Returns the keys that ask for a dry run, in any spelling. Keys whose value is `false` or `null` do not count. */
export function trialKeys(source: object): string[] {
  return Object.entries(source).flatMap(([key, value]) => (isTrial(key, value) ? [key] : []));
}

const isTrial = (key: string, value: unknown): boolean => isAmong(trialNames, key, value);

function isAmong(names: ReadonlySet<string>, key: string, value: unknown): boolean {
  return value !== false && value !== null && value !== undefined && names.has(foldKey(key));
}

/** Sorts the keys of `source`. `place` says whether `source` is the call itself or one of the edits in its list. */
export function readKeys(source: object, place: "call" | "edit"): SentKeys {
  const fields: Partial<Record<FieldName, SentField>> = {};
  const spellings = new Map<FieldName, string[]>();
  const misplaced: string[] = [];
  const trials: string[] = [];
  const patterns: string[] = [];
  const unknown: string[] = [];
  const appends: string[] = [];
  let command: SentKeys["command"];
  for (const [spelling, value] of Object.entries(source)) {
    const name = fieldsBySpelling.get(spelling);
    const own = spelling === "command" ? editorCommands.find((one) => one === value) : undefined;
    if (own !== undefined) command = own;
    else if (agentFields.has(spelling)) {
    } else if (name === undefined) {
      const isPattern = isAmong(patternNames, spelling, value);
      const isAppend = isAmong(appendNames, spelling, value) || (foldKey(spelling) === "mode" && value === "append");
      (isTrial(spelling, value) ? trials : isPattern ? patterns : isAppend ? appends : unknown).push(spelling);
    } else if (value === null || value === undefined) {
    } else if (place === "edit" && Object.hasOwn(callFields, name)) {
      misplaced.push(spelling);
    } else {
      fields[name] ??= { spelling, value };
      spellings.set(name, [...(spellings.get(name) ?? []), spelling]);
    }
  }
  const twice = [...spellings.values()].filter(({ length }) => length > 1);
  return { fields, twice, misplaced, trials, patterns, appends, command, unknown };
}

/** Reports whether a value is a JSON object, as opposed to an array or `null`. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports all that is wrong with an object's keys; returns what misspelt ones mean. `style`: the texts' names. */
export function reportKeys(
  keys: SentKeys,
  at: At,
  style: TextStyle | undefined,
  findings: Findings,
): ReadonlySet<FieldName> {
  for (const spellings of keys.twice) findings.fail(callFailures.twoNames(at, spellings));
  for (const spelling of keys.misplaced) findings.fail(callFailures.misplacedField(at, spelling));
  // Don't carry out a call if the caller only wants to see what it would do.
  for (const key of keys.trials) findings.fail(callFailures.trial(at, key, findings.previewer));
  for (const key of keys.patterns) findings.fail(callFailures.pattern(at, key));
  for (const key of keys.appends) findings.fail(callFailures.appends(at, key));
  if (keys.command === "view" || keys.command === "undo_edit") {
    findings.fail(callFailures.notAnEdit(at, keys.command, findings.previewer));
  }
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
