/** The table of fields: what a call may hold, under every name that a known tool gives it. */
import * as z from "zod";
import { limits } from "../text/limits.js";

/** Fields of one edit. Each may also stand at the top level of a call, which is then a single edit. */
export type EditFieldName = "path" | "oldText" | "newText" | "replaceAll" | "occurrence" | "line" | "expectedCount";

/** Fields that hold the list of edits. */
export type ContainerName = "edits" | "multi";

/** Fields that stand at the top level only. */
export type CallFieldName = ContainerName | "patch" | "options";

/** A field by its canonical name. */
export type FieldName = EditFieldName | CallFieldName;

/** How a tool names the two texts of an edit. */
export interface TextStyle {
  readonly oldText: string;
  readonly newText: string;
}

/**
 * The names that tools give to the two texts, pair by pair. One call keeps to one pair: two pairs in it mean that the
 * shapes of two tools were mixed up. The first is canonical.
 */
export const textStyles: readonly TextStyle[] = [
  { oldText: "oldText", newText: "newText" },
  { oldText: "old_string", newText: "new_string" },
  { oldText: "oldString", newText: "newString" },
  { oldText: "old_str", newText: "new_str" },
  { oldText: "oldStr", newText: "newStr" },
  { oldText: "old_text", newText: "new_text" },
];

/** One row: the names of a field and what its value must be. */
interface EditField {
  /** Every known name. Except for the texts, they may vary between the objects of one call. */
  readonly spellings: readonly string[];
  /** Type and meaning; the source of both the decoder's checks and the JSON Schemas. */
  readonly schema: z.ZodType;
  /** For strings: the most UTF-16 units, and how a failure calls the value. */
  readonly length?: { readonly most: number; readonly what: string };
}

/** The fields of one edit. */
export const editFields = {
  path: {
    spellings: ["path", "file_path", "filePath", "filepath", "uri"],
    schema: z
      .string()
      .min(1)
      .describe("The file to edit: an absolute path, a file: URI, or a path relative to the workspace folder."),
    length: { most: limits.pathLength, what: "the path" },
  },
  oldText: {
    spellings: textStyles.map((style) => style.oldText),
    schema: z
      .string()
      .describe(
        "The text to replace, copied from the file with its blanks and line breaks. It must stand in exactly one place unless the edit says which place is meant. Empty: the file does not exist yet and is created.",
      ),
    length: { most: limits.textLength, what: "the old text" },
  },
  newText: {
    spellings: textStyles.map((style) => style.newText),
    schema: z.string().describe("The text to put in its place, taken literally. Empty: the old text is deleted."),
    length: { most: limits.textLength, what: "the new text" },
  },
  replaceAll: {
    spellings: ["replaceAll", "replace_all", "allow_multiple", "allowMultiple"],
    schema: z.boolean().describe("Replace every place of the old text instead of exactly one. Default: false."),
  },
  occurrence: {
    spellings: ["occurrence"],
    schema: z
      .int()
      .min(1)
      .describe("Which place of the old text to replace, counted from 1, where it stands several times."),
  },
  line: {
    spellings: ["line"],
    schema: z
      .int()
      .min(1)
      .describe("Replace the place that starts nearest to this line (from 1, as the file was before the call)."),
  },
  expectedCount: {
    spellings: ["expectedCount", "expected_count", "expected_replacements", "expectedReplacements"],
    schema: z
      .int()
      .min(1)
      .describe("How many places there must be where every place is replaced. Any other number is a failure."),
  },
} as const satisfies Record<EditFieldName, EditField>;

/** The fields of the call itself. Their values are read by the decoder; what the items of a list hold is `editFields`. */
export const callFields = {
  edits: {
    spellings: ["edits", "replacements"],
    description:
      "The edits, in order: each is found in the result of those before it. All succeed, or nothing changes.",
  },
  multi: {
    spellings: ["multi"],
    description:
      "The edits: all are found in the text as it is before the call, in whatever order. All succeed, or nothing changes.",
  },
  patch: {
    spellings: ["patch", "input"],
    description: [
      'The patch. Its first line is "*** Begin Patch", its last one "*** End Patch". In between stand sections, each begun by one of these lines:',
      '"*** Add File: path", then all lines of the new file, each with "+" before it;',
      '"*** Delete File: path", then nothing;',
      '"*** Update File: path", then perhaps "*** Move to: new path", then hunks.',
      'A hunk is a line "@@", or "@@ " and a line of the file above the place, such as the head of its function, to say which of several places is meant; then the lines there: " " before a line that stays, "-" before one that goes, "+" before one that comes. Copy some unchanged lines before and after each change, blanks included. "*** End of File" behind a hunk says that it ends the file.',
    ].join("\n"),
  },
  options: { spellings: ["options"], description: "How to treat the call; only the integration sets it." },
} as const satisfies Record<CallFieldName, { readonly spellings: readonly string[]; readonly description: string }>;

/** Which pair of `textStyles` a spelling of the old or new text belongs to. */
export const styleBySpelling: ReadonlyMap<string, TextStyle> = new Map(
  textStyles.flatMap((style) => [style.oldText, style.newText].map((spelling) => [spelling, style] as const)),
);

/** The canonical names of the fields of one edit, in the order of the table. */
export const editFieldNames = Object.keys(editFields) as readonly EditFieldName[];

/** From every known spelling to the canonical name. A `Map`, because callers' keys may be `__proto__`. */
export const fieldsBySpelling: ReadonlyMap<string, FieldName> = new Map(
  Object.entries({ ...editFields, ...callFields }).flatMap(([name, { spellings }]) =>
    spellings.map((spelling) => [spelling, name as FieldName] as const),
  ),
);

/** Every known spelling, in the order of the tables. */
export const knownSpellings: readonly string[] = [...fieldsBySpelling.keys()];

/** Type check of one edit but for its path: fields by canonical name, all of them optional; an absent one has no key. */
export const editSchema = z.object({
  oldText: editFields.oldText.schema.optional(),
  newText: editFields.newText.schema.optional(),
  replaceAll: editFields.replaceAll.schema.optional(),
  occurrence: editFields.occurrence.schema.optional(),
  line: editFields.line.schema.optional(),
  expectedCount: editFields.expectedCount.schema.optional(),
});
