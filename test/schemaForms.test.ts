/** The schemas in the forms that models' APIs want, and the types that go with them. */
import { describe, expect, it } from "vitest";
import type {
  BatchCall,
  BatchEdit,
  EditFileEdit,
  MultiEditEdit,
  PatchCall,
  PiEdit,
  PiListCall,
} from "../server/dialect/calls.js";
import { decodeCall } from "../server/dialect/decode.js";
import { plainSchema, shapeJsonSchemas, strictSchema } from "../server/dialect/jsonSchema.js";

/** A schema, or a part of one. */
interface Node {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly [keyword: string]: unknown;
}

const schemas = Object.entries(shapeJsonSchemas()) as [string, Node][];

/** The node and all nodes in it. */
function nodesIn(node: Node): Node[] {
  const inner = [...Object.values(node.properties ?? {}), ...(node.items === undefined ? [] : [node.items])];
  return [node, ...inner.flatMap(nodesIn)];
}

/** A value that the schema allows; in a strict schema, every property that may be `null` is. */
function example(node: Node): unknown {
  if (Array.isArray(node.type)) return null;
  if (node.type === "array") return [example(node.items ?? {})];
  if (node.type === "object") {
    return Object.fromEntries((node.required ?? []).map((name) => [name, example(node.properties?.[name] ?? {})]));
  }
  return "a";
}

const withoutNulls = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (_, one) => one ?? undefined));

describe.each(schemas)("the schema of %s", (_, schema) => {
  const strict = strictSchema(schema) as Node;
  const plain = plainSchema(schema) as Node;

  it("in strict form requires every property, and takes null for those that may be left out", () => {
    const objects = nodesIn(strict).filter(({ properties }) => properties !== undefined);
    expect(objects.length).toBeGreaterThan(0);
    for (const { properties = {}, required, additionalProperties } of objects) {
      expect([required, additionalProperties]).toEqual([Object.keys(properties), false]);
    }
    for (const node of nodesIn(strict)) {
      expect(node).not.toHaveProperty("$schema");
      expect(node).not.toHaveProperty("minLength");
    }
    const optional = nodesIn(schema).flatMap(({ properties = {}, required = [] }) =>
      Object.keys(properties).filter((name) => !required.includes(name)),
    );
    const nullable = nodesIn(strict).filter(({ type }) => Array.isArray(type) && type[1] === "null");
    expect(nullable).toHaveLength(optional.length);
  });

  it("in strict form describes calls that are read as if what is null were absent", () => {
    const call = example(strict) as object;
    const bare = withoutNulls(call) as object;
    // A call of one edit needs the edit, which the schema of `pi` lets the model leave out.
    const filled = "multi" in call ? { ...call, path: "a", oldText: "a", newText: "b" } : { path: "a", ...call };
    const least = "multi" in call ? { path: "a", oldText: "a", newText: "b" } : { path: "a", ...bare };
    const sent = "patch" in call ? call : { ...filled, path: "a" };
    const expected = "patch" in call ? bare : "file_path" in bare ? bare : { ...least, path: "a" };
    const read = (value: object) =>
      decodeCall("file_path" in value ? withoutPath(value) : value, { optionsAllowed: false });
    expect(read(sent)).toEqual(read(expected));
  });

  it("in plain form has neither $schema nor additionalProperties, and is the same otherwise", () => {
    const dropped = JSON.stringify(schema, (key, value) =>
      key === "$schema" || key === "additionalProperties" ? undefined : value,
    );
    expect(plain).toEqual(JSON.parse(dropped));
    expect(JSON.stringify(schema)).toContain("additionalProperties");
  });
});

function withoutPath(value: object): object {
  const { path: _, ...rest } = value as { path?: unknown };
  return rest;
}

describe("the type of each shape has the properties of its schema", () => {
  type Keys<T> = Readonly<Record<keyof Required<T>, true>>;
  const edits: Readonly<Record<string, object>> = {
    batch: {
      path: true,
      oldText: true,
      newText: true,
      replaceAll: true,
      occurrence: true,
      line: true,
      expectedCount: true,
    } satisfies Keys<BatchEdit>,
    pi: { path: true, oldText: true, newText: true } satisfies Keys<PiEdit>,
    MultiEdit: { old_string: true, new_string: true, replace_all: true } satisfies Keys<MultiEditEdit>,
    edit_file: { oldString: true, newString: true, replaceAll: true } satisfies Keys<EditFileEdit>,
  };
  const calls: Readonly<Record<string, object>> = {
    batch: { path: true, edits: true, options: true } satisfies Keys<BatchCall>,
    pi: { path: true, oldText: true, newText: true, multi: true, options: true } satisfies Keys<PiListCall>,
    patch: { patch: true, options: true } satisfies Keys<PatchCall>,
  };

  it.each(schemas)("%s", (name, { properties = {} }) => {
    const { items } = properties.edits ?? properties.multi ?? {};
    if (items !== undefined) expect(Object.keys(items.properties ?? {})).toEqual(Object.keys(edits[name] ?? {}));
    const own = calls[name];
    if (own === undefined)
      expect(Object.keys(properties).sort()).toEqual([name === "MultiEdit" ? "file_path" : "path", "edits"].sort());
    else expect([...Object.keys(properties), "options"].sort()).toEqual(Object.keys(own).sort());
  });
});
