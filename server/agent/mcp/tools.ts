/** The tools that a model sees over MCP: names, descriptions, schemas, and what each asks of a session. */
import { resolve } from "node:path";
import { shapeJsonSchemas } from "../../dialect/jsonSchema.js";
import { limits } from "../../text/limits.js";
import { isFileUri } from "../../workspace/pathText.js";
import { paramsOf, readCall } from "../session/callInput.js";
import type { Question } from "../session/request.js";

/** What a tool call asks of a session, or what is wrong with it, in words for the model. */
export type Asked =
  | { readonly ok: true; readonly question: Question }
  | { readonly ok: false; readonly message: string };

/** One tool. */
export interface ToolRow {
  readonly name: "multi_edit" | "apply_patch" | "preview_edits" | "read_document" | "editor_status";
  readonly title: string;
  /** Less than 2 KB: agents cut longer ones off. */
  readonly description: string;
  /** A plain object with plain properties: some models refuse unions, references and lists of types. */
  readonly inputSchema: object;
  readonly readOnly: boolean;
  /** Hints for single agents, under the names that those give them. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** `undefined`: it asks no session in particular. */
  readonly ask: ((args: unknown, directory: string) => Asked) | undefined;
}

const { batch, patch } = shapeJsonSchemas() as { batch: ObjectSchema; patch: ObjectSchema };

interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>;
}

const lineNumber = (description: string): object => ({ type: "integer", minimum: 1, description });

/**
 * Claude Code shows the model only the names of other tools, until it searches for them. An edit takes two, which say so; each of
 * the others would cost its description in every request, and is searched for when a file is to be moved or a call is in doubt.
 */
const declared = { "anthropic/alwaysLoad": true } as const;

/** All tools, in the order in which they are announced. */
export const tools: readonly ToolRow[] = [
  {
    name: "multi_edit",
    title: "Edit files in the editor",
    description: `Replaces texts in one or several files of the workspace, through the user's editor: text that is typed there and not saved is seen and kept, and the user can undo the change.

- Send all edits of one change in one call, also over several files: all of them succeed, or nothing changes, and then the answer says what to send instead.
- Edits are applied in the order of the list, each to the result of those before it.
- oldText is copied from the file as read_document shows it, and stands in it exactly once. Otherwise add neighbouring lines, or set line, occurrence or replaceAll. It is never guessed.
- Leave text that does not change as it is; newText is taken literally. An empty newText deletes.
- An empty oldText creates the file newText goes into.
- After a failure correct the edits that are named; all others go through as they are.`,
    inputSchema: inputSchema(batch.properties, ["edits"]),
    readOnly: false,
    meta: declared,
    ask: (args, directory) => edits("multiEdit/apply", args, directory),
  },
  {
    name: "apply_patch",
    title: "Apply a patch in the editor",
    description: `Adds, updates, moves and deletes files of the workspace by one patch in the format of apply_patch, through the user's editor: text that is not saved is seen and kept, and the user can undo the change. All of it succeeds, or nothing changes.

*** Begin Patch
*** Update File: src/a.ts
@@ function total() {
   const kept = 1;
-  return old;
+  return new;
*** Add File: src/b.ts
+its first line
*** Delete File: src/c.ts
*** End Patch

Each hunk has lines that start with a blank (kept), - or +. Give enough kept lines, or an @@ line that stands in front, for a hunk to have one place only. "*** Move to: path" behind an Update File line renames it.`,
    inputSchema: inputSchema(patch.properties, ["patch"]),
    readOnly: false,
    ask: (args, directory) => edits("multiEdit/apply", isEmpty(args) ? { patch: "" } : args, directory),
  },
  {
    name: "preview_edits",
    title: "Preview edits",
    description:
      "Shows the diff that multi_edit (path, edits) or apply_patch (patch) would make, or why it would fail. Changes nothing. Send either edits or patch.",
    inputSchema: inputSchema({ ...batch.properties, ...patch.properties }, []),
    readOnly: true,
    ask: (args, directory) => edits("multiEdit/preview", args, directory),
  },
  {
    name: "read_document",
    title: "Read a document as the editor has it",
    description:
      "Gives the text of a file as the user's editor has it now, with changes that are not saved: the text that edits are matched against. Use it in place of a tool that reads the disk. Give startLine and endLine for a part of a long file.",
    inputSchema: inputSchema(
      {
        path: { type: "string", minLength: 1, description: "Absolute, or relative to the workspace folder." },
        startLine: lineNumber("First line, counted from 1."),
        endLine: lineNumber("Last line, which is included."),
      },
      ["path"],
    ),
    readOnly: true,
    meta: { ...declared, "anthropic/maxResultSizeChars": limits.toolText + 1_000 },
    ask: read,
  },
  {
    name: "editor_status",
    title: "Which editors there are",
    description:
      "Lists the editors that can be reached, their folders, and which of their documents have text that is not on disk. Use it when a tool answers that there is no editor, or more than one.",
    inputSchema: inputSchema({}, []),
    readOnly: true,
    ask: undefined,
  },
];

function inputSchema(properties: Readonly<Record<string, object>>, required: readonly string[]): object {
  return { type: "object", properties, required, additionalProperties: false };
}

function edits(method: string, args: unknown, directory: string): Asked {
  const call = readCall(args, "tool");
  if (!call.ok) return { ok: false, message: call.message };
  const params = paramsOf(call, { root: directory, result: "summary" });
  return { ok: true, question: { method, params, targets: call.targets } };
}

/** Whether a call holds nothing that could be done: whoever was to send a patch is then told of patches. */
function isEmpty(args: unknown): boolean {
  const call = readCall(args, "tool");
  return !call.ok && call.failures.every(({ code, index }) => code === "missingField" && index === undefined);
}

/** What is wrong with it, the session says. */
function read(args: unknown, directory: string): Asked {
  const { path, ...lines } = (args ?? {}) as { path?: unknown };
  if (typeof path !== "string") return { ok: true, question: { method: "multiEdit/read", params: args, targets: [] } };
  const isSpelt = isFileUri(path) || /^(?:~\/|[a-z][a-z0-9+.-]+:)/i.test(path);
  const target = isSpelt ? path : resolve(directory, path);
  return { ok: true, question: { method: "multiEdit/read", params: { ...lines, path: target }, targets: [target] } };
}
