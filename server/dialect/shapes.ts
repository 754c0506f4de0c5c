/** The table of the forms of known tools' calls, told apart by the field with the edits and the texts' names. */
import type { Order } from "../plan/operation.js";
import type { ContainerName, EditFieldName } from "./fields.js";

/** The names under which shapes are announced and reported. They must never change. */
export type ShapeName = "batch" | "pi" | "MultiEdit" | "edit_file" | "write" | "edit_lines" | "text_editor" | "patch";

/** One row of the table: the form of a tool's calls. */
export interface Shape {
  readonly name: ShapeName;
  /** `false` if the server recognises the shape but does not announce it. */
  readonly announced: boolean;
  /** The purpose of the tool, for a model that reads the schema. */
  readonly description: string;
  /** The field that identifies the shape. */
  readonly container: ContainerName | "patch";
  /** One edit at the top level: `never`, `alone` in place of the list, or `beside` it as the first edit. */
  readonly single: "never" | "alone" | "beside";
  /** `call`: one file per call. `either`: an edit may name its own file; if it does not, the call's file is used. */
  readonly path: "call" | "either";
  /** The order that the tool promises. It applies if the options set no order. */
  readonly order: Order;
  /** The tool's own names for the fields of an edit. The decoder also accepts all other known fields. */
  readonly spelling: Readonly<Partial<Record<EditFieldName, string>>>;
}

/** The only shape whose content is a single string rather than edits. */
export const patchShape: Shape = {
  name: "patch",
  announced: true,
  description:
    "Adds, deletes, updates and renames any number of files with one patch: either all of it succeeds, or nothing changes. A unified diff and SEARCH/REPLACE blocks are read, too.",
  container: "patch",
  single: "never",
  path: "call",
  order: "sequential",
  spelling: {},
};

/** What most shapes have in common: a list `edits`, or one edit in place of it, for one file. */
const editing = { announced: true, container: "edits", single: "alone", path: "call", order: "sequential" } as const;

const severalInOne = "Makes several edits in one file, one after the other: either all succeed, or nothing changes.";

/** Every shape. If several rows fit a call equally well, the first one is used. */
export const shapes: readonly Shape[] = [
  {
    ...editing,
    name: "batch",
    description: "Edits one or more files in one step: either all edits succeed, or nothing changes.",
    single: "never",
    path: "either",
    spelling: {
      path: "path",
      oldText: "oldText",
      newText: "newText",
      replaceAll: "replaceAll",
      occurrence: "occurrence",
      line: "line",
      expectedCount: "expectedCount",
    },
  },
  {
    name: "pi",
    announced: true,
    description:
      "Edits one or more files in one step: either all edits succeed, or nothing changes. Send one edit at the top level, a list of edits, or both; if both, the edit at the top level comes first.",
    container: "multi",
    single: "beside",
    path: "either",
    order: "original",
    spelling: { path: "path", oldText: "oldText", newText: "newText" },
  },
  {
    ...editing,
    name: "MultiEdit",
    description: severalInOne,
    spelling: { path: "file_path", oldText: "old_string", newText: "new_string", replaceAll: "replace_all" },
  },
  {
    ...editing,
    name: "edit_file",
    description: severalInOne,
    spelling: { path: "path", oldText: "oldString", newText: "newString", replaceAll: "replaceAll" },
  },
  {
    ...editing,
    name: "write",
    announced: false,
    description: "Gives files their whole text: either all files are written, or nothing changes.",
    path: "either",
    spelling: { path: "path", content: "content" },
  },
  {
    ...editing,
    name: "edit_lines",
    announced: false,
    description: "Replaces lines of a text that was read, by their numbers.",
    spelling: { path: "path", startLine: "start_line", endLine: "end_line", newText: "replacement_text" },
  },
  {
    ...editing,
    name: "text_editor",
    announced: false,
    description: "Replaces a text, inserts lines after a line, or gives a file its whole text.",
    spelling: { path: "path", oldText: "old_str", newText: "new_str", content: "file_text", insertLine: "insert_line" },
  },
  patchShape,
];

/** The names of the shapes that this version announces. */
export const announcedShapes: readonly ShapeName[] = shapes.filter((row) => row.announced).map((row) => row.name);

/**
 * Returns the first row that fits both the list and the spelling of a call, or else the first that fits only the list.
 * `container`: the field with the call's list; `undefined` for a single edit at the top level. `oldText`: the call's
 * spelling of the old text, or the one paired with its spelling of the new text; `undefined` if it has neither text.
 * `byLine`: the field with the number of a line, if the call has it in place of an old text.
 */
export function shapeOf(
  container: ContainerName | undefined,
  oldText: string | undefined,
  byLine: "insertLine" | "startLine" | undefined,
): Shape {
  const fits = shapes.filter((row) => (container === undefined ? row.single !== "never" : row.container === container));
  const found = fits.find(({ spelling }) =>
    byLine === undefined ? spelling.oldText === oldText : spelling[byLine] !== undefined,
  );
  return found ?? fits[0]!;
}
