/** The user's settings, with one schema that validates them, supplies the defaults and describes them to editors. */
import * as z from "zod";
import { isObject } from "../dialect/keys.js";
import { nearestName } from "../dialect/spelling.js";
import { limits } from "../text/limits.js";
import { folderPattern } from "./pathText.js";
import { defaultNames } from "./protectedNames.js";
import { settingForms, settingWarnings } from "./sentences.js";

const folder = z.string().max(limits.pathLength).regex(folderPattern, settingForms.folder);

const name = z
  .string()
  .max(limits.pathLength)
  .regex(/^[+-]?[^\\/!+-][^\\/]*(?:\/[^\\/]+)*$/, settingForms.name);

const askWord = z.enum(["never", "protected", "always"]);

const confirmRule = z.strictObject({ files: z.string().min(1).max(limits.pathLength), ask: askWord });

const schema = z.strictObject({
  lenient: z
    .boolean()
    .default(true)
    .describe(
      "Whether old texts may differ from the file in indentation, trailing spaces, the style of quotes and dashes, or line numbers copied from a file view. If false, only line endings may differ.",
    ),
  atomic: z
    .enum(["all", "file", "none"])
    .default("all")
    .describe(
      "What to abandon if one edit in a call fails: the whole call (all), all edits to the same file (file), or only that edit (none).",
    ),
  confirm: z
    .union([askWord, z.array(confirmRule).max(limits.settingItems)], {
      error: settingForms.confirm,
    })
    .default("protected")
    .describe(
      'When the server asks you before it applies an agent\'s edits: always; for protected files that people edit every day, such as .npmrc (protected); or never, so that such files are refused. Or a list of rules, of which the first that matches a file decides: [{ "files": "infra/**", "ask": "always" }].',
    ),
  save: z
    .enum(["never", "ifWasClean", "always"])
    .default("ifWasClean")
    .describe(
      "When to save files that the server has changed, if the editor supports it: never, always, or only if they had no unsaved changes before the call (ifWasClean).",
    ),
  additionalFolders: z
    .array(folder)
    .max(limits.settingItems)
    .default([])
    .describe(
      "Folders outside the workspace whose files may also be edited: absolute paths, or paths that start with ~/.",
    ),
  protectedNames: z
    .array(name)
    .max(limits.settingItems)
    .refine(isOfOneForm, settingForms.names)
    .default([...defaultNames])
    .describe(
      'Names of files and folders that calls may neither read nor change; about a few of the defaults, you are asked instead. A name is protected anywhere in a path, regardless of case; * stands for any characters. If every item begins with + or -, the items change this list: ["+secrets", "-.npmrc"]. Otherwise, your own list replaces it.',
    ),
  agent: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe("Whether your agents may reach this editor, through a socket that only you can open."),
    })
    .default({ enabled: true })
    .describe("Access for agents outside the editor. The server reads this setting only at startup."),
  logLevel: z.enum(["error", "warn", "info", "debug"]).default("info").describe("The lowest level of messages to log."),
  proofTimeout: z
    .int()
    .min(100)
    .max(60_000)
    .default(limits.proofMs)
    .describe("Milliseconds that the editor may take to send the changed text after applying an edit."),
});

/** Reports whether all items of a list begin with `+` or `-`, or none does. */
function isOfOneForm(items: readonly string[]): boolean {
  const changes = items.filter((item) => /^[+-]/.test(item)).length;
  return changes === 0 || changes === items.length;
}

/** The settings that hold for a file at every door. In a record, names that are absent are the default ones. */
export const gateSettings = z.object({
  confirm: schema.shape.confirm.unwrap(),
  protectedNames: z.array(z.string()).readonly().optional(),
});

/** The user's complete settings, with default values for those that the user has not set. */
export type Settings = {
  readonly [K in keyof z.output<typeof schema>]: Readonly<z.output<typeof schema>[K]>;
};

/** The default settings. */
export const defaultSettings: Settings = schema.parse({});

/** Returns the settings' JSON Schema, with descriptions and defaults, for editors that complete and check settings. */
export function settingsJsonSchema(): object {
  return { title: "multi-edit-language-server", ...z.toJSONSchema(schema, { io: "input" }) };
}

/**
 * Merges the settings sources that the client has sent, oldest first. A later source overrides the earlier ones key by
 * key and replaces lists as a whole. A source is either a settings object, or an object that has one under `multiEdit`
 * alongside other programs' settings. A source or value that is `undefined` or null sets nothing. Anything unusable is
 * skipped with a warning, so the result is always usable. One warning names all unknown keys.
 */
export function readSettings(values: readonly unknown[]): { settings: Settings; warnings: string[] } {
  const warnings = new Set<string>();
  const warn = (warning: string): void => {
    if (warnings.size < limits.settingWarnings) warnings.add(warning);
  };
  const merged = new Map<string, unknown>();
  const unknown = new Set<string>();
  for (const value of values) readSource(value, merged, { warn, unknown: (key) => unknown.add(key) });
  const [first, ...others] = unknown;
  if (first !== undefined) {
    const known = Object.keys(schema.shape);
    warn(settingWarnings.unknown([first, ...others], nearestName(first, known), known));
  }
  return { settings: schema.parse(Object.fromEntries(merged)), warnings: [...warnings] };
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
}

function readSource(sent: unknown, merged: Map<string, unknown>, { warn, unknown }: ProblemSink): void {
  const isNested = isObject(sent) && Object.hasOwn(sent, "multiEdit");
  const source = isNested ? sent.multiEdit : sent;
  if (source === undefined || source === null) return;
  if (!isObject(source)) {
    warn(settingWarnings.notAnObject(isNested ? "multiEdit" : undefined, source));
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
    const parsed = schema.shape[key].safeParse(strange.length === 0 ? value : without(value, strange));
    if (parsed.success) merged.set(key, parsed.data);
    else warn(settingWarnings.unusable(key, parsed.error.issues, merged.get(key) ?? defaultSettings[key]));
  }
}

/** Returns the keys of a value that is an object and would be valid without them. */
function strangeKeys(key: keyof Settings, value: unknown): readonly string[] {
  const issues = schema.shape[key].safeParse(value).error?.issues ?? [];
  return issues.flatMap((issue) => (issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : []));
}

function without(value: unknown, keys: readonly string[]): unknown {
  return Object.fromEntries(Object.entries(value as object).filter(([key]) => !keys.includes(key)));
}

function isKey(key: string): key is keyof Settings {
  return Object.hasOwn(schema.shape, key);
}
