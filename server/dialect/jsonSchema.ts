/** The JSON Schema of each shape, for tools that announce it to a model; made from the tables of the decoder. */
import * as z from "zod";
import { callFields, type EditFieldName, editFieldNames, editFields } from "./fields.js";
import { type Shape, shapes } from "./shapes.js";

/**
 * Returns, by name, the schema (draft 2020-12) of every announced shape: a plain object at the root, strict objects, no
 * references, unions or lists of types, and a description on every property. Every model API accepts this form. The
 * decoder also accepts calls that these schemas do not allow.
 */
export function shapeJsonSchemas(): Record<string, object> {
  return Object.fromEntries(shapes.filter((row) => row.announced).map((row) => [row.name, jsonSchemaOf(row)]));
}

function jsonSchemaOf(shape: Shape): object {
  const { container, description } = shape;
  if (container === "patch") {
    const patch = z.string().min(1).describe(callFields.patch.description);
    return z.toJSONSchema(z.strictObject({ patch }).describe(description), { io: "input" });
  }
  const names = editFieldNames.filter((name) => shape.spelling[name] !== undefined);
  const itemNames = names.filter((name) => name !== "path" || shape.path === "either");
  const item = z.strictObject(properties(shape, itemNames, ["oldText", "newText"], "Default: the path of the call."));
  const list = z.array(item).min(1).describe(callFields[container].description);
  const callNames = names.filter((name) => name === "path" || shape.single === "beside");
  const aboutCallPath = "Edits in the list without a path of their own use this one.";
  const call = z
    .strictObject({
      ...properties(shape, callNames, shape.path === "call" ? ["path"] : [], aboutCallPath),
      // If one edit may be beside the list, it may also be there without the list.
      [container]: shape.single === "beside" ? list.optional() : list,
    })
    .describe(description);
  return z.toJSONSchema(call, { io: "input", reused: "inline", override: dropSafeInteger });
}

/** Returns the properties in the shape's own spelling. `aboutPath` is added to a path that edits may override. */
function properties(
  shape: Shape,
  names: readonly EditFieldName[],
  required: readonly EditFieldName[],
  aboutPath: string,
): Record<string, z.ZodType> {
  return Object.fromEntries(
    names.map((name): [string, z.ZodType] => {
      const { schema } = editFields[name];
      const more = name === "path" && shape.path === "either" ? ` ${aboutPath}` : "";
      const described = schema.describe(`${schema.description}${more}`);
      return [shape.spelling[name] ?? name, required.includes(name) ? described : described.optional()];
    }),
  );
}

/** Leaves out the maximum that zod adds, the largest safe integer: it tells a model nothing. */
function dropSafeInteger({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
