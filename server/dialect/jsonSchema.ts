/** The shapes' JSON Schemas, for tools that announce them to a model; generated from the decoder's own tables. */
import * as v from "valibot";
import { callFields, type EditFieldName, editFieldNames, editFields } from "./fields.js";
import { list, toJsonSchema } from "./schema.js";
import { type Shape, shapes } from "./shapes.js";

/** Returns the announced shapes' schemas by name, as strict objects in a form that all model APIs accept. */
export function shapeJsonSchemas(): Record<string, object> {
  return Object.fromEntries(shapes.filter((row) => row.announced).map((row) => [row.name, jsonSchemaOf(row)]));
}

/** A JSON Schema, or a part of one, as far as the schemas of the shapes use the language. */
interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly [keyword: string]: unknown;
}

/** Returns a shape's schema with every property required but perhaps `null`, for APIs that want that. */
export function strictSchema(schema: object): object {
  const { $schema: _, ...root } = schema as SchemaNode;
  return strict(root);
}

function strict({ minLength: _, ...node }: SchemaNode): SchemaNode {
  const { properties, required = [], items } = node;
  if (items !== undefined) return { ...node, items: strict(items) };
  if (properties === undefined) return node;
  const all = Object.entries(properties).map(([name, property]): [string, SchemaNode] => {
    const own = strict(property);
    return [name, required.includes(name) ? own : { ...own, type: [own.type, "null"].flat() as string[] }];
  });
  return { ...node, properties: Object.fromEntries(all), required: Object.keys(properties) };
}

/** Returns a shape's schema without `$schema` and `additionalProperties`, for APIs that refuse unknown keywords. */
export function plainSchema(schema: object): object {
  const { $schema: _, additionalProperties: __, properties, items, ...node } = schema as SchemaNode;
  const all = Object.entries(properties ?? {}).map(([name, property]) => [name, plainSchema(property)] as const);
  return {
    ...node,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(all) }),
    ...(items === undefined ? {} : { items: plainSchema(items) }),
  };
}

function jsonSchemaOf(shape: Shape): object {
  const { container, description } = shape;
  if (container === "patch") {
    const patch = v.pipe(v.string(), v.minLength(1), v.description(callFields.patch.description));
    return toJsonSchema(v.pipe(v.strictObject({ patch }), v.description(description)));
  }
  const names = editFieldNames.filter((name) => shape.spelling[name] !== undefined);
  const itemNames = names.filter((name) => name !== "path" || shape.path === "either");
  const item = v.strictObject(properties(shape, itemNames, ["oldText", "newText"], "Default: the call's path."));
  const items = v.pipe(list(item), v.minLength(1), v.description(callFields[container].description));
  const callNames = names.filter((name) => name === "path" || shape.single === "beside");
  const aboutCallPath = "Used by edits in the list that have no path of their own.";
  const call = v.strictObject({
    ...properties(shape, callNames, shape.path === "call" ? ["path"] : [], aboutCallPath),
    // An edit that may accompany the list may also be sent without it.
    [container]: shape.single === "beside" ? v.optional(items) : items,
  });
  return toJsonSchema(v.pipe(call, v.description(description)));
}

/** Returns the properties, named as the shape names them. `aboutPath`: more about an optional path. */
function properties(
  shape: Shape,
  names: readonly EditFieldName[],
  required: readonly EditFieldName[],
  aboutPath: string,
): Record<string, v.GenericSchema> {
  return Object.fromEntries(
    names.map((name): [string, v.GenericSchema] => {
      const schema: v.GenericSchema = editFields[name].schema;
      const more = name === "path" && shape.path === "either" ? ` ${aboutPath}` : "";
      const described = v.pipe(schema, v.description(`${v.getDescription(schema)}${more}`));
      return [shape.spelling[name] ?? name, required.includes(name) ? described : v.optional(described)];
    }),
  );
}
