/** Sentences for a model over MCP: the instructions, the tools and their parameters, and additions to the answers of a session. */
import { count } from "../../plan/failure.js";

/** Instructions, and additions to the answers of a session. */
export const toolSentences = {
  instructions:
    "These tools edit files through the user's editor, where unsaved text is seen and kept and the user can undo. Prefer them to tools that write the disk. Put all edits of one change into one multi_edit call.",
  linesShown: (shown: LinesShown) => {
    const { first, last, total, from, isCut } = shown;
    const lines = last < first ? `No lines: there are ${total}` : `Lines ${first} to ${last} of ${total}`;
    return `${lines}${linesFrom[from]}.${isCut ? ` The rest is too long for one answer: go on with startLine ${last + 1}.` : ""}`;
  },
  moreFiles: (more: number) => `and ${count(more, "more file")}`,
} as const;

/** The part of a text that an answer shows. */
export interface LinesShown {
  readonly first: number;
  readonly last: number;
  readonly total: number;
  /** `unopened`: the disk, because no editor has the file open; `disk`: the disk, and not every editor was asked. */
  readonly from: "saved" | "unsaved" | "unopened" | "disk";
  /** More lines were asked for. */
  readonly isCut: boolean;
}

const linesFrom: Readonly<Record<LinesShown["from"], string>> = {
  saved: "",
  unsaved: ", as they are in the editor and not on disk",
  unopened: ", on disk: no editor has it open",
  disk: ", as they are on disk",
};

/** Titles and descriptions of the tools, by name. */
export const toolTexts = {
  multi_edit: {
    title: "Edit files in the editor",
    description: `Replaces texts in one or several files of the workspace, through the user's editor: text that is typed there and not saved is seen and kept, and the user can undo the change.

- Send all edits of one change in one call, also over several files: all of them succeed, or nothing changes, and then the answer says what to send instead.
- Edits are applied in the order of the list, each to the result of those before it.
- oldText is copied from the file as read_document shows it, and stands in it exactly once. Otherwise add neighbouring lines, or set line, occurrence or replaceAll. It is never guessed.
- Leave text that does not change as it is; newText is taken literally. An empty newText deletes.
- An empty oldText creates the file newText goes into.
- After a failure correct the edits that are named; all others go through as they are.`,
  },
  apply_patch: {
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
  },
  preview_edits: {
    title: "Preview edits",
    description:
      "Shows the diff that multi_edit (path, edits) or apply_patch (patch) would make, or why it would fail. Changes nothing. Send either edits or patch.",
  },
  read_document: {
    title: "Read a document as the editor has it",
    description:
      "Gives the text of a file as the user's editor has it now, with changes that are not saved: the text that edits are matched against. Use it in place of a tool that reads the disk. Give startLine and endLine for a part of a long file.",
  },
  editor_status: {
    title: "Which editors there are",
    description:
      "Lists the editors that can be reached, their folders, and which of their documents have text that is not on disk. Use it when a tool answers that there is no editor, or more than one.",
  },
} as const;

/** Descriptions of the parameters of read_document. */
export const readParameterTexts = {
  path: "Absolute, or relative to the workspace folder.",
  startLine: "First line, counted from 1.",
  endLine: "Last line, which is included.",
} as const;
