/** The tools that a model sees over MCP: their names, descriptions and schemas. */

import { mostTextFor } from "../../agents/agents.js";
import { shapeJsonSchemas } from "../../dialect/jsonSchema.js";
import { readParameterTexts, toolTexts } from "./sentences.js";

/** The name of a tool. */
export type ToolName =
  | "multi_edit"
  | "apply_patch"
  | "preview_edits"
  | "read_document"
  | "undo_last_edit"
  | "editor_status";

/** One tool. */
export interface ToolRow {
  readonly name: ToolName;
  readonly title: string;
  /** Shorter than 2 KB, because agents truncate longer descriptions. */
  readonly description: string;
  /** A plain object with plain properties, because some model APIs reject unions, references and lists of types. */
  readonly inputSchema: object;
  readonly readOnly: boolean;
  /** Hints for particular agents, under keys that those agents define. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

const { batch, patch } = shapeJsonSchemas() as Record<
  "batch" | "patch",
  { properties: Readonly<Record<string, object>> }
>;

const lineNumber = (description: string): object => ({ type: "integer", minimum: 1, description });

/**
 * Marks a tool so that Claude Code always shows its description to the model, which sees only the names of other tools
 * until it searches for them. Only the two tools that every edit needs are marked: the others are rarely needed (to
 * move or delete a file, to preview a call, or to list the editors), and their descriptions would cost tokens in every
 * request.
 */
const declared = { "anthropic/alwaysLoad": true } as const;

/** Returns the bare form of a schema, at every depth: types, properties and items, without descriptions and limits. */
function bareSchema(schema: object): object {
  const { type, properties, items, required, additionalProperties } = schema as Record<string, object | undefined>;
  return {
    type,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, bareSchema(value)])),
        }),
    ...(items === undefined ? {} : { items: bareSchema(items) }),
    ...(required === undefined ? {} : { required, additionalProperties }),
  };
}

/** All tools. They are announced in this order. */
export const tools: readonly ToolRow[] = [
  {
    name: "multi_edit",
    ...toolTexts.multi_edit,
    inputSchema: inputSchema(batch.properties, ["edits"]),
    readOnly: false,
    meta: declared,
  },
  {
    name: "apply_patch",
    ...toolTexts.apply_patch,
    inputSchema: inputSchema(patch.properties, ["patch"]),
    readOnly: false,
  },
  {
    name: "preview_edits",
    // The other tools describe the fields, so that nothing is announced twice.
    ...toolTexts.preview_edits,
    inputSchema: inputSchema({ edits: bareSchema(batch.properties.edits ?? {}), patch: { type: "string" } }, []),
    readOnly: true,
  },
  {
    name: "read_document",
    ...toolTexts.read_document,
    inputSchema: inputSchema(
      {
        path: { type: "string", minLength: 1, description: readParameterTexts.path },
        startLine: lineNumber(readParameterTexts.startLine),
        endLine: lineNumber(readParameterTexts.endLine),
      },
      ["path"],
    ),
    readOnly: true,
    meta: { ...declared, "anthropic/maxResultSizeChars": mostTextFor("claude-code") + 1_000 },
  },
  {
    name: "undo_last_edit",
    ...toolTexts.undo_last_edit,
    inputSchema: inputSchema({}, []),
    readOnly: false,
  },
  {
    name: "editor_status",
    ...toolTexts.editor_status,
    inputSchema: inputSchema({ ticket: { type: "string" } }, []),
    readOnly: true,
  },
];

function inputSchema(properties: Readonly<Record<string, object>>, required: readonly string[]): object {
  return { type: "object", properties, required, additionalProperties: false };
}
