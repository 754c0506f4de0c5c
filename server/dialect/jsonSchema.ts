/** The JSON Schema of each shape, for tools that announce it to a model: made from the tables that the decoder reads. */
import * as z from "zod";
import type { ContainerName, EditFieldName } from "./fields.js";
import { callFields, editFieldNames, editFields } from "./fields.js";
import type { Shape } from "./shapes.js";
import { shapes } from "./shapes.js";

/**
 * By name, the schema (draft 2020-12) of every announced shape: a plain object at the root, strict objects, no
 * references, unions or lists of types, and a description on every property, which is what every model API takes. They
 * are narrower than the decoder, which also takes what a model sends instead.
 */
export function shapeJsonSchemas(): Record<string, object> {
  return Object.fromEntries(shapes.filter((row) => row.announced).map((row) => [row.name, jsonSchemaOf(row)]));
}

function jsonSchemaOf(shape: Shape): object {
  return shape.container === "patch"
    ? patchJsonSchema(shape)
    : editsJsonSchema({ ...shape, container: shape.container });
}

/** The schema of a call that is one text. */
function patchJsonSchema({ description }: Shape): object {
  const patch = z.string().min(1).describe(callFields.patch.description);
  return z.toJSONSchema(z.strictObject({ patch }).describe(description), { io: "input" });
}

/** The schema of a call with a list of edits. */
function editsJsonSchema(shape: Shape & { readonly container: ContainerName }): object {
  const names = editFieldNames.filter((name) => shape.spelling[name] !== undefined);
  const item = z.strictObject(
    properties(shape, {
      names: names.filter((name) => name !== "path" || shape.path === "either"),
      required: ["oldText", "newText"],
      aboutPath: "Left out: the path of the call.",
    }),
  );
  const list = z.array(item).min(1).describe(callFields[shape.container].description);
  const call = z
    .strictObject({
      ...properties(shape, {
        names: names.filter((name) => name === "path" || shape.single === "beside"),
        required: shape.path === "call" ? ["path"] : [],
        aboutPath: "Edits in the list without a path of their own take this one.",
      }),
      // Where one edit may stand beside the list, it may also stand without it.
      [shape.container]: shape.single === "beside" ? list.optional() : list,
    })
    .describe(shape.description);
  return z.toJSONSchema(call, { io: "input", reused: "inline", override: dropSafeInteger });
}

/** Which properties one object of a schema has. */
interface Properties {
  readonly names: readonly EditFieldName[];
  readonly required: readonly EditFieldName[];
  /** What the description of a path adds where edits may have their own. */
  readonly aboutPath: string;
}

/** The properties under the shape's own spelling. */
function properties(shape: Shape, { names, required, aboutPath }: Properties): Record<string, z.ZodType> {
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
