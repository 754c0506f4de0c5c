/** Laws for decoding arbitrary calls, and a check that the JSON Schemas agree with the decoder. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCall } from "../server/dialect/decode.js";
import { fieldsBySpelling, knownSpellings } from "../server/dialect/fields.js";
import { shapeJsonSchemas } from "../server/dialect/jsonSchema.js";
import { announcedShapes } from "../server/dialect/shapes.js";
import { indicesOf, pathsOf } from "../server/plan/operation.js";
import { planBatch } from "../server/plan/plan.js";
import { limits } from "../server/text/limits.js";
import { toEnd } from "../server/text/lines.js";
import { texts } from "./support/arbitraries.js";
import { decode, integration, model } from "./support/decoding.js";
import { lawRuns } from "./support/extent.js";
import { documentAt, snapshotOf } from "./support/planning.js";
import { anyText } from "./support/positionModel.js";

const text = fc.string({ unit: "grapheme" });
const path = fc.string({ unit: "grapheme", minLength: 1 });
const word = fc.stringMatching(/^[a-z]*$/);

/** For each announced shape, handwritten calls that its schema allows, each with its number of edits. */
const callsByShape: Record<string, fc.Arbitrary<{ call: Record<string, unknown>; edits: number }>> = {
  batch: fc
    .record(
      {
        path,
        edits: fc.array(
          fc
            .tuple(
              fc.record({ oldText: text, newText: text, path }),
              fc.oneof(
                fc.constant({}),
                fc.record({ occurrence: fc.integer({ min: 1 }) }),
                fc.record({ line: fc.integer({ min: 1 }), expectedCount: fc.constant(1) }),
                fc.record({ replaceAll: fc.constant(true), expectedCount: fc.integer({ min: 1 }) }),
              ),
            )
            .map(([edit, choice]) => ({ ...edit, ...choice })),
          { minLength: 1, maxLength: 4 },
        ),
      },
      { requiredKeys: ["edits"] },
    )
    .map((call) => ({ call, edits: call.edits.length })),
  pi: fc
    .tuple(
      fc.record({ path, oldText: text, newText: text }),
      fc.array(fc.record({ path, oldText: text, newText: text }, { requiredKeys: ["oldText", "newText"] }), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.constantFrom("single", "list", "both"),
    )
    .map(([single, multi, what]) => {
      if (what === "single") return { call: single, edits: 1 };
      if (what === "list") return { call: { path: single.path, multi }, edits: multi.length };
      return { call: { ...single, multi }, edits: multi.length + 1 };
    }),
  MultiEdit: fc
    .record({
      file_path: path,
      edits: fc.array(
        fc.record(
          { old_string: text, new_string: text, replace_all: fc.boolean() },
          { requiredKeys: ["old_string", "new_string"] },
        ),
        { minLength: 1, maxLength: 4 },
      ),
    })
    .map((call) => ({ call, edits: call.edits.length })),
  edit_file: fc
    .record({
      path,
      edits: fc.array(
        fc.record(
          { oldString: text, newString: text, replaceAll: fc.boolean() },
          { requiredKeys: ["oldString", "newString"] },
        ),
        { minLength: 1, maxLength: 4 },
      ),
    })
    .map((call) => ({ call, edits: call.edits.length })),
  patch: fc
    .array(fc.tuple(fc.constantFrom("*** Delete File: p", "*** Add File: p\n+", "*** Update File: p\n@@\n-"), word), {
      minLength: 1,
      maxLength: 4,
    })
    .map((sections) => ({
      call: { patch: ["*** Begin Patch", ...sections.map((each) => each.join("")), "*** End Patch"].join("\n") },
      edits: sections.length,
    })),
};
const anyCall = fc.oneof(...Object.values(callsByShape));
/** Calls of every shape except `patch`, whose edits are text rather than objects. */
const anyEditCall = fc.oneof(
  ...Object.entries(callsByShape).flatMap(([name, call]) => (name === "patch" ? [] : [call])),
);

describe("laws", () => {
  /** Checks the properties that every decoded call must have. */
  const check = (params: unknown): void => {
    for (const door of [integration, model]) {
      const decoded = decodeCall(params, door);
      expect(decodeCall(structuredClone(params), door)).toEqual(decoded);
      if (decoded.ok) {
        expect(decoded.operations.length).toBeGreaterThan(0);
        const indices = decoded.operations.flatMap(indicesOf);
        expect(indices).toEqual(indices.map((_, i) => i));
        for (const operation of decoded.operations) {
          for (const { path } of pathsOf(operation)) expect(path).not.toBe("");
          if (operation.kind !== "edit") continue;
          expect([operation.oldText, operation.newText].every((each) => typeof each === "string")).toBe(true);
        }
      } else {
        expect(decoded.failures.length).toBeGreaterThan(0);
        expect(decoded.failures.length).toBeLessThanOrEqual(limits.failuresPerCall);
        for (const { message } of decoded.failures) expect(message.length).toBeLessThanOrEqual(limits.failureMessage);
      }
    }
  };
  const key = fc.oneof(
    fc.constantFrom(...knownSpellings, "__proto__", "constructor", "toString", "", "edit", "oldTxt", "explanation"),
    fc.string(),
  );
  const value: fc.Arbitrary<unknown> = fc.oneof(
    { depthSize: "small" },
    fc.jsonValue(),
    fc.constantFrom("\ud800", "[]", "{}", '[{"oldText":"a","newText":"b"}]', 0, -1, 1.5),
    anyCall.map(({ call }) => call),
    fc.array(
      anyCall.map(({ call }) => call),
      { maxLength: 2 },
    ),
  );

  test("any JSON value decodes to operations or failures, always the same, and nothing throws", () => {
    fc.assert(fc.property(fc.jsonValue(), check));
    fc.assert(fc.property(fc.array(fc.tuple(key, value)).map(fromEntries), check));
    fc.assert(
      fc.property(fc.array(fc.array(fc.tuple(key, value)).map(fromEntries)), (edits) => check({ path: "p", edits })),
    );
  });

  test("so does any damaged call", () => {
    const damage = fc.record({ at: fc.nat(), kind: fc.constantFrom("rename", "replace", "drop", "add"), key, value });
    fc.assert(
      fc.property(anyCall, fc.array(damage, { minLength: 1, maxLength: 3 }), ({ call }, damages) => {
        let damaged: unknown = call;
        for (const each of damages) damaged = spoil(damaged, each);
        check(damaged);
      }),
      { numRuns: lawRuns(1_000) },
    );
  });

  test.each(announcedShapes.map((name) => [name]))("every valid call of the shape %s is read as that shape", (name) => {
    fc.assert(
      fc.property(callsByShape[name]!, ({ call, edits }) => {
        expect(violations(shapeJsonSchemas()[name], call)).toEqual([]);
        const decoded = decodeCall(call, model);
        // The decoder refuses an edit without a path, a rule that a schema without unions cannot express.
        const lacksPath = name === "batch" && call.path === undefined && hasItemWithoutPath(call);
        if (lacksPath) return expect(decoded.ok).toBe(false);
        expect(decoded).toMatchObject({ ok: true, shape: name, warnings: [] });
        expect(decoded.ok && decoded.operations.length).toBe(edits);
      }),
    );
  });

  test("a list means the same as a JSON string", () => {
    fc.assert(
      fc.property(anyEditCall, ({ call }) => {
        const list = call.edits === undefined ? "multi" : "edits";
        if (call[list] === undefined) return;
        expect(decode({ ...call, [list]: JSON.stringify(call[list]) })).toEqual(decode(call));
      }),
    );
  });
});

describe("JSON Schemas", () => {
  test("one for each announced shape", () => {
    expect(Object.keys(shapeJsonSchemas())).toEqual(announcedShapes);
    expect(announcedShapes).toEqual(["batch", "pi", "MultiEdit", "edit_file", "patch"]);
  });

  test.each(Object.entries(shapeJsonSchemas()))("%s uses only keywords that every model API accepts", (_, schema) => {
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    const visit = (node: object): void => {
      for (const word of ["$ref", "$defs", "anyOf", "oneOf", "allOf", "not"])
        expect(Object.keys(node)).not.toContain(word);
      expect(typeof Reflect.get(node, "type")).toBe("string");
      const items: unknown = Reflect.get(node, "items");
      if (isRecord(items)) visit(items);
      const properties: unknown = Reflect.get(node, "properties");
      if (!isRecord(properties)) return;
      expect(Reflect.get(node, "additionalProperties")).toBe(false);
      for (const [name, property] of Object.entries(properties)) {
        expect(fieldsBySpelling.has(name)).toBe(true);
        if (!isRecord(property)) throw new Error(`${name} has no schema`);
        expect(typeof property.description).toBe("string");
        visit(property);
      }
    };
    visit(schema);
  });

  test("each requires the fields that its tool requires", () => {
    const required = Object.fromEntries(
      Object.entries(shapeJsonSchemas()).map(([name, schema]) => [name, Reflect.get(schema, "required") ?? []]),
    );
    expect(required).toEqual({
      batch: ["edits"],
      pi: [],
      MultiEdit: ["file_path", "edits"],
      edit_file: ["path", "edits"],
      patch: ["patch"],
    });
    const multiEdit = shapeJsonSchemas().MultiEdit;
    expect(multiEdit).toMatchObject({
      properties: {
        edits: {
          minItems: 1,
          items: {
            required: ["old_string", "new_string"],
            properties: {
              old_string: { type: "string" },
              new_string: { type: "string" },
              replace_all: { type: "boolean" },
            },
          },
        },
      },
    });
  });
});

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Object.fromEntries`, which makes even `__proto__` an ordinary key, as `JSON.parse` does. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}

function hasItemWithoutPath(call: Record<string, unknown>): boolean {
  return Array.isArray(call.edits) && call.edits.some((item) => isRecord(item) && item.path === undefined);
}

interface Damage {
  readonly at: number;
  readonly kind: string;
  readonly key: string;
  readonly value: unknown;
}

/** Changes one key of an object, or of one of the objects in its lists. */
function spoil(call: unknown, damage: Damage): unknown {
  if (Array.isArray(call)) return call.map((item, i) => (i === damage.at % call.length ? spoil(item, damage) : item));
  if (!isRecord(call)) return damage.value;
  const entries = Object.entries(call);
  if (entries.length === 0 || damage.kind === "add") return fromEntries([...entries, [damage.key, damage.value]]);
  const target = damage.at % entries.length;
  return fromEntries(
    entries.flatMap(([key, value], i): [string, unknown][] => {
      if (i !== target) return [[key, value]];
      if (Array.isArray(value)) return [[key, spoil(value, { ...damage, at: Math.floor(damage.at / entries.length) })]];
      if (damage.kind === "rename") return [[damage.key, value]];
      return damage.kind === "drop" ? [] : [[key, damage.value]];
    }),
  );
}

/** The schema rules that a value violates. Any keyword that our schemas do not use counts as violated. */
function violations(schema: unknown, value: unknown): string[] {
  if (!isRecord(schema)) return ["no schema"];
  const known = ["$schema", "type", "description", "properties", "required", "additionalProperties", "items"];
  const bounds = ["minItems", "minLength", "minimum"];
  const found = Object.keys(schema).filter((word) => ![...known, ...bounds].includes(word));
  const fits: Record<string, boolean> = {
    object: isRecord(value),
    array: Array.isArray(value),
    string: typeof value === "string",
    boolean: typeof value === "boolean",
    integer: Number.isInteger(value),
  };
  if (fits[String(schema.type)] !== true) return [...found, `not ${schema.type}`];
  const size = typeof value === "string" || Array.isArray(value) ? value.length : value;
  for (const bound of bounds)
    if (schema[bound] !== undefined && Number(size) < Number(schema[bound])) found.push(bound);
  if (Array.isArray(value)) found.push(...value.flatMap((item) => violations(schema.items, item)));
  if (isRecord(value) && isRecord(schema.properties)) {
    const required = Array.isArray(schema.required) ? schema.required : [];
    found.push(...required.filter((name) => !Object.hasOwn(value, String(name))).map((name) => `lacks ${name}`));
    for (const [name, each] of Object.entries(value)) found.push(...violations(schema.properties[name], each));
  }
  return found;
}

describe("whatever is sent", () => {
  const known = [
    ...["path", "file_path", "uri", "edits", "multi", "oldText", "old_string", "oldString", "newText", "new_string"],
    ...["newString", "replaceAll", "replace_all", "occurrence", "line", "expectedCount", "options", "patch", "input"],
    ...["__proto__", "constructor", "toString", "replaceALL", "explanation"],
  ];
  const { value: call } = fc.letrec<{ value: unknown; call: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom("a", "b", "", "x = 1;", "\ud83d", "[]", '{"oldText":"a"}', "*** Begin Patch"),
      fc.constantFrom(null, true, false, 0, 1, -1, 0.5, 1e300, 20_000),
      fc.array(tie("call"), { maxLength: 3 }),
      tie("call"),
    ),
    // The call is parsed from JSON, so that `__proto__` is an ordinary key, as on the wire.
    call: fc
      .array(fc.tuple(fc.constantFrom(...known), tie("value")), { maxLength: 5 })
      .map((entries) => JSON.parse(`{${entries.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join()}}`)),
  }));

  test("is answered with a result or failures, and nothing throws", () => {
    fc.assert(
      fc.property(
        fc.oneof(call, fc.jsonValue()),
        fc.oneof(texts, anyText),
        fc.boolean(),
        (params, text, optionsAllowed) => {
          const decoded = decodeCall(params, { optionsAllowed });
          if (!decoded.ok) {
            expect(decoded.failures.length).toBeGreaterThan(0);
            return;
          }
          const { operations, options, defaultOrder } = decoded;
          const all = [...new Set(operations.map(({ path }) => path))].map((path) => documentAt(path, text));
          const planned = toEnd(
            planBatch(operations, snapshotOf(all), {
              atomic: options.atomic ?? "all",
              order: options.order ?? defaultOrder,
              lenient: options.lenient ?? true,
              overwrite: false,
            }),
          );
          expect(planned.outcomes.map(({ index }) => index)).toEqual(operations.map((_, i) => i));
          expect(planned.ok || planned.failures.length > 0).toBe(true);
        },
      ),
      { numRuns: lawRuns(5000) },
    );
  });
});
