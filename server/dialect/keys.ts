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
  /** Keys that ask for what no call does. */
  readonly refused: readonly { readonly kind: keyof typeof refusedNames; readonly key: string }[];
  /** The command of Anthropic's text editor tool; the other fields of the call tell those apart that edit something. */
  readonly command: (typeof editorCommands)[number] | undefined;
  /** Other unknown keys. */
  readonly unknown: readonly string[];
}

const patternNames = ["regex", "regexp", "regularexpression"];

/**
 * The folded names of keys with which other tools, or a model, ask for what no call does. `trial`: a dry run, which shows what
 * a call would do but changes nothing. `pattern`: to take an old text for a regular expression. `append`: to add a text at
 * the end of a file.
 */
const refusedNames = {
  trial: [
    ...["preview", "previewonly", "ispreview", "dryrun", "isdryrun", "dry", "simulate", "simulation"],
    ...["validateonly", "checkonly", "noapply"],
  ],
  pattern: patternNames.flatMap((name) => [name, `is${name}`, `use${name}`]),
  append: ["append", "isappend", "appendmode"],
} as const;

const refusedKinds = Object.keys(refusedNames) as (keyof typeof refusedNames)[];

const editorCommands = ["view", "create", "str_replace", "insert", "undo_edit"] as const;

/**
 * The fields of the text editor's commands that edit. `own`: the field that says what is replaced. `idle`: those that the
 * command does not use. `lacks`: the tool's names for the fields without which a text has no place in the file.
 */
export const commandFields: Readonly<
  Partial<
    Record<
      (typeof editorCommands)[number],
      {
        readonly own: "content" | "oldText" | "insertLine";
        readonly idle: readonly FieldName[];
        readonly lacks: readonly string[];
      }
    >
  >
> = {
  create: { own: "content", idle: ["oldText", "newText", "insertLine"], lacks: [] },
  str_replace: { own: "oldText", idle: ["content", "insertLine"], lacks: ["old_str", "new_str"] },
  insert: { own: "insertLine", idle: ["oldText", "content"], lacks: ["insert_line", "insert_text"] },
};

/**
 * Fields of the agents' own, ignored without a warning in a call of any tool: `wait_for_previous` of Gemini CLI forbids
 * parallel calls, and `task_progress` of Cline is a list for the user.
 */
export const agentFields: ReadonlySet<string> = new Set(["wait_for_previous", "task_progress"]);

/** Fields of the text editor's command `view`, which some models send with its other commands; ignored there. */
const viewFields: ReadonlySet<string> = new Set(["view_range"]);

/** Returns the keys that ask for a dry run, in any spelling. Keys whose value is `false` or `null` do not count. */
export function trialKeys(source: object): string[] {
  return Object.entries(source).flatMap(([key, value]) => (refusedKind(key, value) === "trial" ? [key] : []));
}

/** Returns what a key asks for that no call does; `undefined` if it asks for nothing of that kind. */
function refusedKind(key: string, value: unknown): keyof typeof refusedNames | undefined {
  if (value === false || value === null || value === undefined) return undefined;
  const name = foldKey(key);
  if (value === "append" && ["mode", "command", "operation"].includes(name)) return "append";
  return refusedKinds.find((kind) => (refusedNames[kind] as readonly string[]).includes(name));
}

/** Sorts the keys of `source`. `place` says whether `source` is the call itself or one of the edits in its list. */
export function readKeys(source: object, place: "call" | "edit"): SentKeys {
  const fields: Partial<Record<FieldName, SentField>> = {};
  const spellings = new Map<FieldName, string[]>();
  const misplaced: string[] = [];
  const refused: SentKeys["refused"][number][] = [];
  const unknown: string[] = [];
  let command: SentKeys["command"];
  const hasCommand = editorCommands.some((one) => one === (source as { command?: unknown }).command);
  for (const [spelling, value] of Object.entries(source)) {
    const name = fieldsBySpelling.get(spelling);
    const own = spelling === "command" ? editorCommands.find((one) => one === value) : undefined;
    if (own !== undefined) command = own;
    else if (agentFields.has(spelling) || (hasCommand && viewFields.has(spelling))) {
    } else if (name === undefined) {
      const kind = refusedKind(spelling, value);
      if (kind === undefined) unknown.push(spelling);
      else refused.push({ kind, key: spelling });
    } else if (value === null || value === undefined) {
    } else if (place === "edit" && Object.hasOwn(callFields, name)) {
      misplaced.push(spelling);
    } else {
      fields[name] ??= { spelling, value };
      spellings.set(name, [...(spellings.get(name) ?? []), spelling]);
    }
  }
  // Programs that call the text editor for a model send every field, some of them empty.
  const { own: used, idle = [] } = (command && commandFields[command]) ?? {};
  for (const name of used !== undefined && fields[used] !== undefined ? idle : []) {
    const value = fields[name]?.value;
    if (value === "" || value === 0) delete fields[name];
  }
  const twice = [...spellings.values()].filter(({ length }) => length > 1);
  return { fields, twice, misplaced, refused, command, unknown };
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
  // A call is not carried out if, for example, the caller only wants to see what it would do.
  for (const kind of refusedKinds)
    for (const { key } of keys.refused.filter((one) => one.kind === kind))
      findings.fail(callFailures[kind](at, key, findings.previewer));
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
