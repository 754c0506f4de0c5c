/** The JSON Schema of each shape, for tools that announce it to a model: made from the tables that the decoder reads. */
import * as z from "zod";
import { callFields, type EditFieldName, editFieldNames, editFields } from "./fields.js";
import { type Shape, shapes } from "./shapes.js";

/**
 * By name, the schema (draft 2020-12) of every announced shape: a plain object at the root, strict objects, no
 * references, unions or lists of types, and a description on every property, which is what every model API takes. They
 * are narrower than the decoder, which also takes what a model sends instead.
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
  const item = z.strictObject(properties(shape, itemNames, ["oldText", "newText"], "Left out: the path of the call."));
  const list = z.array(item).min(1).describe(callFields[container].description);
  const callNames = names.filter((name) => name === "path" || shape.single === "beside");
  const aboutCallPath = "Edits in the list without a path of their own take this one.";
  const call = z
    .strictObject({
      ...properties(shape, callNames, shape.path === "call" ? ["path"] : [], aboutCallPath),
      // Where one edit may stand beside the list, it may also stand without it.
      [container]: shape.single === "beside" ? list.optional() : list,
    })
    .describe(description);
  return z.toJSONSchema(call, { io: "input", reused: "inline", override: dropSafeInteger });
}

/** The properties under the shape's own spelling. `aboutPath`: for the description of a path, if edits may have their own. */
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

/** Leaves out the largest safe integer as a maximum, which zod adds: it tells a model nothing. */
function dropSafeInteger({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
