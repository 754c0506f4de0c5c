/** What a model reads over MCP: instructions, tools with their parameters, and additions to a session's answers. */
import { count } from "../../plan/failure.js";

/** Instructions, and additions to the answers of a session. */
export const toolSentences = {
  instructions:
    "These tools edit files through the user's editor: unsaved text is seen and kept, and the user can undo. Prefer them to tools that write to disk. Put all edits of one change into one multi_edit call.",
  linesShown: (shown: LinesShown) => {
    const { first, last, total, from, isCut } = shown;
    const lines =
      last < first ? `No lines: the file has ${count(total, "line")}` : `Lines ${first} to ${last} of ${total}`;
    return `${lines}${linesFrom[from]}.${isCut ? ` The rest is too long for one answer: continue with startLine ${last + 1}.` : ""}`;
  },
  moreFiles: (more: number) => `and ${count(more, "more file")}`,
} as const;

/** The part of a file's text that an answer shows. */
export interface LinesShown {
  readonly first: number;
  readonly last: number;
  readonly total: number;
  /** `unopened`: from disk, because no editor has the file open; `disk`: from disk, but not every editor was asked. */
  readonly from: "saved" | "unsaved" | "unopened" | "disk";
  /** `true` if the caller asked for more lines than are shown. */
  readonly isCut: boolean;
}

const linesFrom: Readonly<Record<LinesShown["from"], string>> = {
  saved: "",
  unsaved: ", from the editor, with unsaved text",
  unopened: ", from disk: no editor has the file open",
  disk: ", from disk",
};

/** Titles and descriptions of the tools, by name. */
export const toolTexts = {
  multi_edit: {
    title: "Edit files in the editor",
    description: `Replaces text in one or more files of the workspace, through the user's editor: unsaved text is seen and kept, and the user can undo the change.

- Send all edits of one change in one call, even across files: either all succeed, or nothing changes and the answer says what to send instead.
- Edits are applied in list order, each to the result of those before it.
- Copy oldText from the file as read_document shows it. It must occur there exactly once; otherwise add neighbouring lines, or set line, occurrence or replaceAll. The server never guesses.
- newText is written literally, so reproduce unchanged text exactly. An empty newText deletes oldText.
- An empty oldText creates the file, with newText as its content.
- After a failure, correct the edits that the answer names and send the others again unchanged.`,
  },
  apply_patch: {
    title: "Apply a patch in the editor",
    description: `Adds, updates, moves and deletes files of the workspace with one patch in the apply_patch format, through the user's editor: unsaved text is seen and kept, and the user can undo the change. Either all of it succeeds, or nothing changes.

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

Each line of a hunk starts with a space (kept), - (removed) or + (added). Give enough kept lines, or an @@ line above them, to make each hunk match only once. "*** Move to: path" after an Update File line renames the file.`,
  },
  preview_edits: {
    title: "Preview edits",
    description:
      "Shows the diff that multi_edit (path, edits) or apply_patch (patch) would produce, or says why it would fail. Changes nothing. Send either edits or patch.",
  },
  read_document: {
    title: "Read a document as the editor has it",
    description:
      "Returns the text of a file as the user's editor has it now, including unsaved changes. Edits are matched against this text. Use this tool instead of one that reads from disk. Set startLine and endLine to read part of a long file.",
  },
  editor_status: {
    title: "List the editors",
    description:
      "Lists the editors that can be reached, their folders, and their documents with unsaved text. Use it when a tool reports that there is no editor, or more than one.",
  },
} as const;

/** Descriptions of the parameters of read_document. */
export const readParameterTexts = {
  path: "Absolute, or relative to the workspace folder.",
  startLine: "First line, counted from 1.",
  endLine: "Last line, inclusive.",
} as const;
