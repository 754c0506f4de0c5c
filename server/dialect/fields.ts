/** The table of fields: everything that a call may contain, under every name that a known tool gives it. */
import * as v from "valibot";
import { limits } from "../text/limits.js";
import { int } from "./schema.js";

/** Fields of one edit. At the top level, `path` is the default of all edits; the others form a single edit. */
export type EditFieldName =
  | "path"
  | "oldText"
  | "newText"
  | "replaceAll"
  | "occurrence"
  | "line"
  | "expectedCount"
  | "content"
  | "insertLine"
  | "startLine"
  | "endLine";

/** Fields that contain the list of edits. */
export type ContainerName = "edits" | "multi";

/** Fields that are allowed only at the top level. */
export type CallFieldName = ContainerName | "patch" | "options";

/** The canonical name of a field. */
export type FieldName = EditFieldName | CallFieldName;

/** A tool's names for the two texts of an edit. */
export interface TextStyle {
  readonly oldText: string;
  readonly newText: string;
}

/** The pairs of names for the two texts, the canonical first. A call with two pairs confuses two tools. */
export const textStyles: readonly TextStyle[] = [
  { oldText: "oldText", newText: "newText" },
  { oldText: "old_string", newText: "new_string" },
  { oldText: "oldString", newText: "newString" },
  { oldText: "old_str", newText: "new_str" },
  { oldText: "oldStr", newText: "newStr" },
  { oldText: "old_text", newText: "new_text" },
];

/** The names of a field and the requirements for its value. */
interface EditField {
  /** Every known name of the field. Different objects in one call may use different names, except for the two texts. */
  readonly spellings: readonly string[];
  /** The type, which the decoder checks, and the description. Both appear in the JSON Schemas. */
  readonly schema: v.GenericSchema;
  /** For strings: the maximum number of UTF-16 code units, and the name of the value in failures. */
  readonly length?: { readonly most: number; readonly what: string };
}

/** An edit's fields. */
export const editFields = {
  path: {
    spellings: ["path", "file_path", "filePath", "filepath", "uri"],
    schema: v.pipe(
      v.string(),
      v.minLength(1),
      v.description("The file to edit: an absolute path, a file: URI, or a path relative to the workspace folder."),
    ),
    length: { most: limits.pathLength, what: "the path" },
  },
  oldText: {
    spellings: textStyles.map((style) => style.oldText),
    schema: v.pipe(
      v.string(),
      v.description(
        "The text to replace, copied exactly from the file, with its whitespace and line breaks. It must occur exactly once unless the edit selects an occurrence. An empty string creates a new file.",
      ),
    ),
    length: { most: limits.textLength, what: "the old text" },
  },
  newText: {
    spellings: [
      ...textStyles.map((style) => style.newText),
      "insert_text",
      "insertText",
      "replacement_text",
      "replacementText",
    ],
    schema: v.pipe(
      v.string(),
      v.description("The replacement text, taken literally. An empty string deletes the old text."),
    ),
    length: { most: limits.textLength, what: "the new text" },
  },
  replaceAll: {
    spellings: ["replaceAll", "replace_all", "allow_multiple", "allowMultiple"],
    schema: v.pipe(
      v.boolean(),
      v.description("Replace every occurrence of the old text instead of exactly one. Default: false."),
    ),
  },
  occurrence: {
    spellings: ["occurrence"],
    schema: v.pipe(
      int(),
      v.minValue(1),
      v.description("Which occurrence of the old text to replace, counted from 1, if there are several."),
    ),
  },
  line: {
    spellings: ["line"],
    schema: v.pipe(
      int(),
      v.minValue(1),
      v.description(
        "Replace the occurrence that starts nearest to this line (counted from 1, in the file as it was before the call).",
      ),
    ),
  },
  expectedCount: {
    spellings: ["expectedCount", "expected_count", "expected_replacements", "expectedReplacements"],
    schema: v.pipe(
      int(),
      v.minValue(1),
      v.description("How many occurrences replaceAll must find. Any other number makes the call fail."),
    ),
  },
  content: {
    spellings: ["content", "contents", "file_text", "fileText"],
    schema: v.pipe(v.string(), v.description("The whole text of the file, instead of an old and a new text.")),
    length: { most: limits.textLength, what: "the content" },
  },
  insertLine: {
    spellings: ["insertLine", "insert_line"],
    schema: v.pipe(
      int(),
      v.minValue(0),
      v.description("Insert the new text after this line, instead of replacing an old text; 0: before the first line."),
    ),
  },
  startLine: {
    spellings: ["startLine", "start_line"],
    schema: v.pipe(
      int(),
      v.minValue(1),
      v.description("The first line that the new text replaces, counted from 1, instead of an old text."),
    ),
  },
  endLine: {
    spellings: ["endLine", "end_line"],
    schema: v.pipe(int(), v.minValue(1), v.description("The last line that the new text replaces.")),
  },
} as const satisfies Record<EditFieldName, EditField>;

/** The fields of the call itself. They have no schema here: other modules of the decoder check their values. */
export const callFields = {
  edits: {
    spellings: ["edits", "replacements", "files"],
    description:
      "The edits, in order: each is matched against the result of those before it. Either all succeed, or nothing changes.",
  },
  multi: {
    spellings: ["multi"],
    description:
      "The edits, in any order: all are matched against the text as it was before the call. Either all succeed, or nothing changes.",
  },
  patch: {
    spellings: ["patch", "input", "patchText", "diff"],
    description: [
      'The patch. Its first line is "*** Begin Patch", and its last line is "*** End Patch". Between them are sections, each beginning with one of these lines:',
      '"*** Add File: path", then all lines of the new file, each with "+" before it;',
      '"*** Delete File: path", then nothing;',
      '"*** Update File: path", then optionally "*** Move to: new path", then hunks.',
      'A hunk begins with a line "@@", or with "@@ " and a line of the file above the change, such as the head of its function, to select one of several matches. Then come its lines: " " before a kept line, "-" before a removed one, "+" before an added one. Copy some unchanged lines before and after each change, including whitespace. "*** End of File" after a hunk says that the hunk is at the end of the file.',
    ].join("\n"),
  },
  options: { spellings: ["options"], description: "Settings for the call, which only the integration may set." },
} as const satisfies Record<CallFieldName, { readonly spellings: readonly string[]; readonly description: string }>;

/** Maps each spelling of the old or new text to its pair in `textStyles`. */
export const styleBySpelling: ReadonlyMap<string, TextStyle> = new Map(
  textStyles.flatMap((style) => [style.oldText, style.newText].map((spelling) => [spelling, style] as const)),
);

/** The canonical names of an edit's fields, in table order. */
export const editFieldNames = Object.keys(editFields) as readonly EditFieldName[];

/** The canonical name for every known spelling. A `Map`, because a caller's key may be `__proto__`. */
export const fieldsBySpelling: ReadonlyMap<string, FieldName> = new Map(
  Object.entries({ ...editFields, ...callFields }).flatMap(([name, { spellings }]) =>
    spellings.map((spelling) => [spelling, name as FieldName] as const),
  ),
);

/** Spellings that are like words of their own: `context`, `comments`, `file`. */
const lookalikes: readonly string[] = ["content", "contents", "files"];

/** Every spelling that a misspelt key may mean, in table order. */
export const knownSpellings: readonly string[] = [...fieldsBySpelling.keys()].filter(
  (spelling) => !lookalikes.includes(spelling),
);

/** The type of each of an edit's fields. */
const schemas = Object.fromEntries(
  Object.entries(editFields).map(([name, { schema }]) => [name, schema]),
) as unknown as {
  readonly [Name in EditFieldName]: (typeof editFields)[Name]["schema"];
};

/** Checks the types of an edit's fields other than the path. All are optional and must have their canonical names. */
export const editSchema = v.partial(v.omit(v.object(schemas), ["path"]));
