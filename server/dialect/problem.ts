/** Says in words what is wrong with a value of the call. */
import type { z } from "zod";
import { quote } from "../plan/failure.js";

/** A value as a sentence names it: `null`, `the number 3`, `an array`. */
export function nameOfValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "string") return `the string ${quote(value, 40)}`;
  return Array.isArray(value) ? "an array" : "an object";
}

/** The clause for a value of the wrong type: `it is the string "1", but must be an integer`. */
export function wrongValue(value: unknown, expected: string): string {
  return `it is ${nameOfValue(value)}, but must be ${expected}`;
}

/** The clause for what a schema found wrong with `value`, the whole that the issue's path starts from. */
export function problemOf(issue: z.core.$ZodIssue, value: unknown): string {
  let found = value;
  for (const key of issue.path) found = isObject(found) ? Reflect.get(found, key) : undefined;
  return wrongValue(found, expectation(issue));
}

/** Whether a value is a JSON object: no array, not null. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const typeWords: ReadonlyMap<string, string> = new Map([
  ["string", "a string"],
  ["boolean", "true or false"],
  ["int", "an integer"],
  ["number", "an integer"],
  ["record", "an object of numbers"],
  ["object", "an object"],
]);

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeWords.get(issue.expected) ?? issue.expected;
    case "invalid_value":
      return `one of ${issue.values.map((value) => `"${String(value)}"`).join(", ")}`;
    case "too_small":
      return issue.origin === "string" ? "longer" : `${issue.minimum} or more`;
    case "too_big":
      return issue.origin === "string" ? "shorter" : `${issue.maximum} or less`;
    default:
      return "of another form";
  }
}
