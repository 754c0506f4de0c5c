/** The parts of schemas that the library does not have, and its way to JSON Schema. */
import { type ConversionConfig, toJsonSchema as convert } from "@valibot/to-json-schema";
import * as v from "valibot";

/** Returns a schema for lists that nobody changes. */
export function list<const S extends v.GenericSchema>(item: S) {
  return v.pipe(v.array(item), v.readonly());
}

/** Returns a schema for integers that a number holds exactly. */
export function int() {
  return v.pipe(v.number(), v.safeInteger());
}

/** Returns a complete JSON Schema, draft 2020-12, of the values that may be sent: those with a default may be missing. */
export function toJsonSchema(schema: v.GenericSchema): object {
  return convert(schema, conversion);
}

const conversion: ConversionConfig = {
  target: "draft-2020-12",
  // These have no form in JSON Schema.
  ignoreActions: ["check", "readonly"],
  // The library would name the range of such integers, too, which is of no use to anybody.
  overrideAction({ valibotAction, jsonSchema }) {
    const { minimum: _, maximum: __, ...rest } = jsonSchema;
    return valibotAction.type === "safe_integer" ? { ...rest, type: "integer" } : undefined;
  },
};
