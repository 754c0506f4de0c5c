/** Reads a call's options and reports everything that is wrong with them. */
import * as z from "zod";
import { limits } from "../text/limits.js";
import type { Findings } from "./findings.js";
import { isObject } from "./keys.js";
import type { CallOptions } from "./options.js";
import { callFailures, callSizeFailures, schemaProblem, wrongValue } from "./sentences.js";

/** The types of the options; a key that is not listed here is unknown. */
const optionsSchema = z.strictObject({
  root: z.string().min(1).optional(),
  atomic: z.enum(["all", "file", "none"]).optional(),
  order: z.enum(["sequential", "original"]).optional(),
  lenient: z.boolean().optional(),
  confirm: z.boolean().optional(),
  label: z.string().optional(),
  result: z.enum(["full", "summary"]).optional(),
  save: z.enum(["never", "ifWasClean", "always"]).optional(),
  unopened: z.enum(["disk", "editor"]).optional(),
  overwrite: z.literal([true, false, "ask"]).optional(),
  allowOmissions: z.boolean().optional(),
  versions: z.record(z.string(), z.int()).optional(),
}) satisfies z.ZodObject<{ readonly [Name in keyof Required<CallOptions>]: z.ZodType<CallOptions[Name]> }>;

const optionNames: readonly string[] = Object.keys(optionsSchema.shape);

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
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success) {
    const reported = new Set<PropertyKey | undefined>();
    for (const issue of parsed.error.issues) {
      const name = issue.path[0];
      if (!reported.has(name)) {
        findings.fail(callFailures.wrongType({}, `options.${String(name)}`, schemaProblem(issue, options)));
      }
      reported.add(name);
    }
    return {};
  }
  const named = Object.keys(parsed.data.versions ?? {}).length;
  if (named > limits.filesPerCall) findings.fail(callSizeFailures.versions(named));
  for (const name of ["root", "label"] as const) {
    const most = optionLengths[name];
    const { length } = parsed.data[name] ?? "";
    if (length > most) findings.fail(callFailures.tooLong({}, `options.${name}`, length, most));
  }
  return parsed.data;
}
