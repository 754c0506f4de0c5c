/** Reads a call's options and reports everything that is wrong with them. */
import * as v from "valibot";
import { limits } from "../text/limits.js";
import type { Findings } from "./findings.js";
import { isObject } from "./keys.js";
import type { CallOptions } from "./options.js";
import { int } from "./schema.js";
import { callFailures, callForms, callSizeFailures, schemaProblem, wrongValue } from "./sentences.js";

/** The types of the options; a key that is not listed here is unknown. */
const optionFields = {
  root: v.optional(v.pipe(v.string(), v.minLength(1))),
  atomic: v.optional(v.picklist(["all", "file", "none"])),
  order: v.optional(v.picklist(["sequential", "original"])),
  lenient: v.optional(v.boolean()),
  confirm: v.optional(v.boolean()),
  label: v.optional(v.string()),
  result: v.optional(v.picklist(["full", "summary"])),
  reader: v.optional(v.picklist(["model", "person"])),
  save: v.optional(v.picklist(["never", "ifWasClean", "always"])),
  unopened: v.optional(v.picklist(["disk", "editor"])),
  overwrite: v.optional(v.union([v.boolean(), v.literal("ask")], callForms.overwrite)),
  allowOmissions: v.optional(v.boolean()),
  versions: v.optional(v.record(v.string(), int())),
} satisfies { readonly [Name in keyof Required<CallOptions>]: v.GenericSchema<unknown, CallOptions[Name]> };

const optionsSchema = v.strictObject(optionFields);

const optionNames: readonly string[] = Object.keys(optionFields);

/** The maximum lengths, in UTF-16 code units, of the free-text options. */
const optionLengths = { root: limits.pathLength, label: limits.label };

/** Reads the value of the `options` field and adds its failures to `findings`. A `null` option counts as absent. */
export function readOptions(value: unknown, findings: Findings): CallOptions {
  if (!isObject(value)) {
    findings.fail(callFailures.wrongType({}, "options", wrongValue(value, "an object")));
    return {};
  }
  const sent = new Map<string, unknown>();
  for (const [key, option] of Object.entries(value)) {
    if (optionNames.includes(key)) {
      if (option !== null && option !== undefined) sent.set(key, option);
      continue;
    }
    const meant = findings.meantBy(key, optionNames, "options.");
    if (meant !== undefined) findings.fail(callFailures.unknownField({}, `options.${key}`, `options.${meant}`));
  }
  const options: unknown = Object.fromEntries(sent);
  const checked = v.safeParse(optionsSchema, options);
  if (!checked.success) {
    const reported = new Set<unknown>();
    for (const issue of checked.issues) {
      const name = issue.path?.[0].key;
      if (!reported.has(name)) {
        findings.fail(callFailures.wrongType({}, `options.${String(name)}`, schemaProblem(issue, options)));
      }
      reported.add(name);
    }
    return {};
  }
  const named = Object.keys(checked.output.versions ?? {}).length;
  if (named > limits.filesPerCall) findings.fail(callSizeFailures.versions(named));
  for (const name of ["root", "label"] as const) {
    const most = optionLengths[name];
    const { length } = checked.output[name] ?? "";
    if (length > most) findings.fail(callFailures.tooLong({}, `options.${name}`, length, most));
  }
  return checked.output;
}
