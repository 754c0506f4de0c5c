/** The table of shapes: the calls of the tools that are known, told apart by their list and by how they name the texts. */
import type { Order } from "../plan/operation.js";
import type { ContainerName, EditFieldName } from "./fields.js";

/** Stable names, as announced and as reported. */
export type ShapeName = "batch" | "pi" | "MultiEdit" | "edit_file" | "patch";

/** One row: the call of one tool. */
export interface Shape {
  readonly name: ShapeName;
  /** `false`: the shape is recognised, but this version does not serve it. */
  readonly announced: boolean;
  /** What the tool is for, for a model that reads the schema. */
  readonly description: string;
  /** The field that tells the shape. */
  readonly container: ContainerName | "patch";
  /**
   * Whether one edit may stand at the top level: never; `alone`, in place of the list; or also `beside` the list, whose
   * first edit it then is.
   */
  readonly single: "never" | "alone" | "beside";
  /** `call`: one file a call; `either`: an edit may name its own file, and takes the call's where it does not. */
  readonly path: "call" | "either";
  /** The order that the tool promises, taken where the options name none. */
  readonly order: Order;
  /** The fields that the tool has for an edit, as it spells them. The decoder accepts all others as well. */
  readonly spelling: Readonly<Partial<Record<EditFieldName, string>>>;
}

/** The only shape that holds no edits but one text. */
export const patchShape: Shape = {
  name: "patch",
  announced: true,
  description:
    "Adds, deletes, updates and renames any number of files by one patch: all of it succeeds, or nothing changes.",
  container: "patch",
  single: "never",
  path: "call",
  order: "sequential",
  spelling: {},
};

/** Every shape. Of two rows that both fit a call, the first is taken. */
export const shapes: readonly Shape[] = [
  {
    name: "batch",
    announced: true,
    description: "Edits one or several files in one step: all edits succeed, or nothing changes.",
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
      "Edits one or several files in one step: all edits succeed, or nothing changes. Send one edit at the top level, or a list of them, or both; the one at the top level is then the first.",
    container: "multi",
    single: "beside",
    path: "either",
    order: "original",
    spelling: { path: "path", oldText: "oldText", newText: "newText" },
  },
  {
    name: "MultiEdit",
    announced: true,
    description: "Makes several edits in one file, one after the other: all succeed, or nothing changes.",
    container: "edits",
    single: "alone",
    path: "call",
    order: "sequential",
    spelling: { path: "file_path", oldText: "old_string", newText: "new_string", replaceAll: "replace_all" },
  },
  {
    name: "edit_file",
    announced: true,
    description: "Makes several edits in one file, one after the other: all succeed, or nothing changes.",
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
 * The row of a call: by its list and its spelling, else by its list alone, else the first.
 * `container` is the list that the call has, `undefined` for a single edit at the top level; `oldText` how the call spells the
 * old text, or would by how it spells the new one, `undefined` if it has neither.
 */
export function shapeOf(container: ContainerName | undefined, oldText: string | undefined): Shape {
  const fits = shapes.filter((row) => (container === undefined ? row.single !== "never" : row.container === container));
  return fits.find(({ spelling }) => spelling.oldText === oldText) ?? fits[0]!;
}
