/** The table of shapes: the calls of the known tools, told apart by their list field and their names for the texts. */
import type { Order } from "../plan/operation.js";
import type { ContainerName, EditFieldName } from "./fields.js";

/** Stable names, used in announcements and reports. */
export type ShapeName = "batch" | "pi" | "MultiEdit" | "edit_file" | "patch";

/** One row: the call of one tool. */
export interface Shape {
  readonly name: ShapeName;
  /** `false`: the shape is recognised, but this version does not serve it. */
  readonly announced: boolean;
  /** The purpose of the tool, for a model that reads the schema. */
  readonly description: string;
  /** The field that identifies the shape. */
  readonly container: ContainerName | "patch";
  /**
   * Whether one edit may be at the top level: `never`; `alone`, instead of the list; or also `beside` the list, as its
   * first edit.
   */
  readonly single: "never" | "alone" | "beside";
  /** `call`: one file per call; `either`: an edit may name its own file, and otherwise uses that of the call. */
  readonly path: "call" | "either";
  /** The order that the tool promises, used if the options name none. */
  readonly order: Order;
  /** The fields that the tool has for an edit, in its own spelling. The decoder accepts all others as well. */
  readonly spelling: Readonly<Partial<Record<EditFieldName, string>>>;
}

/** The only shape that contains a single text instead of edits. */
export const patchShape: Shape = {
  name: "patch",
  announced: true,
  description:
    "Adds, deletes, updates and renames any number of files with one patch: either all of it succeeds, or nothing changes.",
  container: "patch",
  single: "never",
  path: "call",
  order: "sequential",
  spelling: {},
};

/** Every shape. If several rows fit a call, the first is used. */
export const shapes: readonly Shape[] = [
  {
    name: "batch",
    announced: true,
    description: "Edits one or more files in one step: either all edits succeed, or nothing changes.",
    container: "edits",
    single: "never",
    path: "either",
    order: "sequential",
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
      "Edits one or more files in one step: either all edits succeed, or nothing changes. Send one edit at the top level, a list of edits, or both; the one at the top level is then the first.",
    container: "multi",
    single: "beside",
    path: "either",
    order: "original",
    spelling: { path: "path", oldText: "oldText", newText: "newText" },
  },
  {
    name: "MultiEdit",
    announced: true,
    description: "Makes several edits in one file, one after the other: either all succeed, or nothing changes.",
    container: "edits",
    single: "alone",
    path: "call",
    order: "sequential",
    spelling: { path: "file_path", oldText: "old_string", newText: "new_string", replaceAll: "replace_all" },
  },
  {
    name: "edit_file",
    announced: true,
    description: "Makes several edits in one file, one after the other: either all succeed, or nothing changes.",
    container: "edits",
    single: "alone",
    path: "call",
    order: "sequential",
    spelling: { path: "path", oldText: "oldString", newText: "newString", replaceAll: "replaceAll" },
  },
  patchShape,
];

/** The shapes that this version serves, by name. */
export const announcedShapes: readonly ShapeName[] = shapes.filter((row) => row.announced).map((row) => row.name);

/**
 * Returns the row that fits a call by its list and its spelling, else by its list alone, else the first row.
 * `container` is the list field of the call, `undefined` for a single edit at the top level. `oldText` is the call's
 * spelling of the old text, or the one that belongs to its spelling of the new text; `undefined` if it has neither.
 */
export function shapeOf(container: ContainerName | undefined, oldText: string | undefined): Shape {
  const fits = shapes.filter((row) => (container === undefined ? row.single !== "never" : row.container === container));
  return fits.find(({ spelling }) => spelling.oldText === oldText) ?? fits[0]!;
}
