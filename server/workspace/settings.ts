/** The user's settings, with one schema that validates them, supplies the defaults and describes them to editors. */
import * as v from "valibot";
import { isObject } from "../dialect/keys.js";
import { int, list, toJsonSchema } from "../dialect/schema.js";
import { isUnknownKey } from "../dialect/sentences.js";
import { nearestName } from "../dialect/spelling.js";
import { limits } from "../text/limits.js";
import { folderPattern } from "./pathText.js";
import { defaultNames } from "./protectedNames.js";
import { settingForms, settingWarnings } from "./sentences.js";

const folder = v.pipe(v.string(), v.maxLength(limits.pathLength), v.regex(folderPattern, settingForms.folder));

const name = v.pipe(
  v.string(),
  v.maxLength(limits.pathLength),
  v.regex(/^[+-]?[^\\/!+-][^\\/]*(?:\/[^\\/]+)*$/, settingForms.name),
);

const askWord = v.picklist(["never", "protected", "always"]);

/** Matches a pattern that some path can match: relative or absolute, and without the signs of other kinds of patterns. */
const rulePattern = /^(?![!~])(?:\.[\\/]|[\\/]{1,2})?(?:(?!\.\.?(?:[\\/]|$))[^\\/{}]+(?:[\\/]|$))+$/;

const confirmRules = v.pipe(
  list(
    v.strictObject({
      files: v.pipe(v.string(), v.maxLength(limits.pathLength), v.regex(rulePattern, settingForms.pattern)),
      ask: askWord,
    }),
  ),
  v.maxLength(limits.settingItems),
);

const confirm = v.union([askWord, confirmRules], settingForms.confirm);

const fields = {
  lenient: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        "Whether old texts may differ from the file in indentation, trailing spaces, the style of quotes and dashes, or line numbers copied from a file view. If false, only line endings may differ.",
      ),
    ),
    true,
  ),
  atomic: v.optional(
    v.pipe(
      v.picklist(["all", "file", "none"]),
      v.description(
        "What to abandon if one edit in a call fails: the whole call (all), all edits to the same file (file), or only that edit (none).",
      ),
    ),
    "all",
  ),
  confirm: v.optional(
    v.pipe(
      confirm,
      v.description(
        'When the server asks you before it applies an agent\'s edits: always; for protected files that people edit every day, such as .npmrc (protected); or never, so that such files are refused. Or a list of rules, of which the first that matches a file decides: [{ "files": "infra/**", "ask": "always" }].',
      ),
    ),
    "protected",
  ),
  save: v.optional(
    v.pipe(
      v.picklist(["never", "ifWasClean", "always"]),
      v.description(
        "When to save files that the server has changed, if the editor supports it: never, always, or only if they had no unsaved changes before the call (ifWasClean).",
      ),
    ),
    "ifWasClean",
  ),
  diskChanges: v.optional(
    v.pipe(
      v.picklist(["merge", "ask", "off"]),
      v.description(
        "What happens when another program writes a file that you have open: its changes are merged into your unsaved text (merge), merged if you agree (ask), or left to the editor (off). A file without unsaved text is loaded again, unless this is off.",
      ),
    ),
    "merge",
  ),
  diagnostics: v.optional(
    v.pipe(
      v.picklist(["errors", "all", "off"]),
      v.description(
        "What an agent is told, after a call, of what your other language servers report and did not report before: new errors (errors), new warnings and hints as well (all), or nothing (off). The answer waits for these servers for up to two seconds, if the editor can tell.",
      ),
    ),
    "errors",
  ),
  review: v.optional(
    v.pipe(
      v.picklist(["off", "hints"]),
      v.description(
        "Whether the editor shows what agents have changed until you keep or undo it, hunk by hunk: as hints, with code actions (hints), or not (off). An editor that draws the changes itself shows them in any case.",
      ),
    ),
    "off",
  ),
  additionalFolders: v.optional(
    v.pipe(
      list(folder),
      v.maxLength(limits.settingItems),
      v.description(
        "Folders outside the workspace whose files may also be edited: absolute paths, or paths that start with ~/.",
      ),
    ),
    [],
  ),
  protectedNames: v.optional(
    v.pipe(
      list(name),
      v.maxLength(limits.settingItems),
      v.check(isOfOneForm, settingForms.names),
      v.description(
        'Names of files and folders that calls may neither read nor change; about a few of the defaults, you are asked instead. A name is protected anywhere in a path, regardless of case; * stands for any characters. If every item begins with + or -, the items change this list: ["+secrets", "-.npmrc"]. Otherwise, your own list replaces it.',
      ),
    ),
    [...defaultNames],
  ),
  schemes: v.optional(
    v.pipe(
      list(
        v.pipe(v.string(), v.maxLength(limits.pathLength), v.regex(/^[A-Za-z][A-Za-z0-9+.-]+$/, settingForms.scheme)),
      ),
      v.maxLength(limits.settingItems),
      v.description(
        'Schemes, besides file and untitled, of documents that the server may read and change, such as that of a chat plugin: ["chat"]. Applies to documents that are opened later. Documents of all other schemes, such as terminals, are left alone.',
      ),
    ),
    [],
  ),
  agent: v.optional(
    v.pipe(
      v.strictObject({
        enabled: v.optional(
          v.pipe(
            v.boolean(),
            v.description("Whether your agents may reach this editor, through a socket that only you can open."),
          ),
          true,
        ),
      }),
      v.description("Access for agents outside the editor. The server reads this setting only at startup."),
    ),
    { enabled: true },
  ),
  logLevel: v.optional(
    v.pipe(v.picklist(["error", "warn", "info", "debug"]), v.description("The lowest level of messages to log.")),
    "info",
  ),
  proofTimeout: v.optional(
    v.pipe(
      int(),
      v.minValue(100),
      v.maxValue(60_000),
      v.description("Milliseconds that the editor may take to send the changed text after applying an edit."),
    ),
    limits.proofMs,
  ),
};

const schema = v.strictObject(fields);

/** Reports whether all items of a list begin with `+` or `-`, or none does. */
function isOfOneForm(items: readonly string[]): boolean {
  const changes = items.filter((item) => /^[+-]/.test(item)).length;
  return changes === 0 || changes === items.length;
}

/** The settings that hold for a file at every door. In a record, names that are absent are the default ones. */
export const gateSettings = {
  confirm: v.union([askWord, list(v.object({ files: v.string(), ask: askWord }))]),
  protectedNames: v.optional(list(v.string())),
};

/** The user's complete settings, with default values for those that the user has not set. */
export type Settings = v.InferOutput<typeof schema>;

/** The default settings. */
export const defaultSettings: Settings = v.parse(schema, {});

/** Returns the settings' JSON Schema, with descriptions and defaults, for editors that complete and check settings. */
export function settingsJsonSchema(): object {
  return { title: "multi-edit-language-server", ...toJsonSchema(schema) };
}

/**
 * Merges the settings sources that the client has sent, oldest first. A later source overrides the earlier ones key by
 * key and replaces lists as a whole. A source is either a settings object, or an object that has one under `multiEdit`
 * alongside other programs' settings. A source or value that is `undefined` or null sets nothing. Anything unusable is
 * skipped with a warning, so the result is always usable. One warning names all unknown keys. `failsClosed`: if the
 * values for `confirm` or `protectedNames` can't be used, or may have been given under a wrong key, the user's wishes are
 * not known, so `confirm` is `always`.
 */
export function readSettings(
  values: readonly unknown[],
  { failsClosed = false } = {},
): { settings: Settings; warnings: string[] } {
  const warnings = new Set<string>();
  const warn = (warning: string): void => {
    if (warnings.size < limits.settingWarnings) warnings.add(warning);
  };
  const merged = new Map<string, unknown>();
  const unknown = new Set<string>();
  const unusable = new Set<string>();
  const sink = { warn, unknown: (key: string) => unknown.add(key), unusable: (key: string) => unusable.add(key) };
  for (const value of values) readSource(value, merged, sink);
  const known = Object.keys(fields);
  const meant = [...unknown].map((key) => nearestName(key.replace(/^multiEdit\./, ""), known));
  if (unknown.size > 0) warn(settingWarnings.unknown([...unknown], meant[0], known));
  const isClosed =
    failsClosed && ["confirm", "protectedNames", ""].some((key) => unusable.has(key) || meant.includes(key));
  if (isClosed) {
    merged.set("confirm", "always");
    warnings.add(settingWarnings.closed);
  }
  return { settings: v.parse(schema, Object.fromEntries(merged)), warnings: [...warnings] };
}

/** Returns a filter that passes on each warning only once, and at most `limits.settingWarnings` warnings in all. */
export function createWarnOnce(): (warnings: readonly string[]) => string[] {
  const warned = new Set<string>();
  return (warnings) =>
    warnings.filter((warning) => {
      if (warned.has(warning) || warned.size >= limits.settingWarnings) return false;
      warned.add(warning);
      return true;
    });
}

/** Receives the problems with a source. */
interface ProblemSink {
  warn(warning: string): void;
  /** `key`: a key that no setting has, with the keys around it. */
  unknown(key: string): void;
  /** `key`: that of a value that can't be used; empty for the source itself. */
  unusable(key: string): void;
}

function readSource(sent: unknown, merged: Map<string, unknown>, { warn, unknown, unusable }: ProblemSink): void {
  const isNested = isObject(sent) && Object.hasOwn(sent, "multiEdit");
  const source = isNested ? sent.multiEdit : sent;
  if (source === undefined || source === null) return;
  if (!isObject(source)) {
    warn(settingWarnings.notAnObject(isNested ? "multiEdit" : undefined, source));
    unusable("");
    return;
  }
  for (const [key, value] of Object.entries(source)) {
    if (!isKey(key)) {
      unknown(key);
      continue;
    }
    if (value === undefined || value === null) continue;
    const strange = strangeKeys(key, value);
    for (const one of strange) unknown(`${key}.${one}`);
    const known = strange.length === 0 ? value : without(value, strange);
    const checked = v.safeParse(fields[key], known);
    if (checked.success) {
      merged.set(key, checked.output);
      if (key === "protectedNames") for (const name of namesWithoutEffect(checked.output as string[])) warn(name);
      continue;
    }
    // The issue of the whole setting does not say which rule is wrong.
    const { issues = checked.issues } =
      key === "confirm" && Array.isArray(known) ? v.safeParse(confirmRules, known) : {};
    warn(settingWarnings.unusable(key, known, issues, merged.get(key) ?? defaultSettings[key]));
    unusable(key);
  }
}

/** Returns a warning for each item that removes a name that the default list does not have. */
function namesWithoutEffect(items: readonly string[]): string[] {
  const removed = items.filter((item) => item.startsWith("-")).map((item) => item.slice(1));
  return removed
    .filter((name) => !defaultNames.includes(name))
    .map((name) => settingWarnings.removesNothing(name, nearestName(name, defaultNames)));
}

/** Returns the unknown keys of a value that is an object. */
function strangeKeys(key: keyof Settings, value: unknown): readonly string[] {
  const found: string[] = [];
  for (;;) {
    const { issues = [] } = v.safeParse(fields[key], found.length === 0 ? value : without(value, found));
    // The library names only the first one.
    const strange = issues.find((issue) => isUnknownKey(issue) && issue.path?.length === 1);
    if (strange === undefined) return found;
    found.push(String(strange.path?.[0].key));
  }
}

function without(value: unknown, keys: readonly string[]): unknown {
  return Object.fromEntries(Object.entries(value as object).filter(([key]) => !keys.includes(key)));
}

function isKey(key: string): key is keyof Settings {
  return Object.hasOwn(fields, key);
}
