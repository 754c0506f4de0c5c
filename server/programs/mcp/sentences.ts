/** Text for models, sent over MCP: instructions, tools with their parameters, and additions to a session's answers. */
import { clip, count, type Failure, quote } from "../../plan/failure.js";
import { limits } from "../../text/limits.js";

/** Instructions, and additions to a session's answers. */
export const toolSentences = {
  /**
   * At most 512 characters, the most important sentence first: this is the only text that every agent shows its model,
   * and one agent shows only its first line.
   */
  instructions: `Edit files with multi_edit {"edits":[{"path","oldText","newText"}]}: all edits of a change in one call, across files; either all succeed or nothing changes.
First call read_document: it returns the text that edits must match, with what the user has typed but not saved; tools that read the disk miss that. Copy oldText from it, enough to occur only once.
apply_patch takes a patch instead. Both go through the user's editor: unsaved text is kept, and the user can undo.
If a call fails, do what its message says.`,
  linesShown: (shown: LinesShown) => {
    const { first, last, total, from, isCut, longLine } = shown;
    const lines =
      last < first
        ? `No lines in this range: the file has ${count(total, "line")}`
        : `Lines ${first} to ${last} of ${total}`;
    const cut =
      longLine === undefined
        ? ""
        : ` Line ${first} is too long for one answer: only ${longLine.shown} of its ${longLine.length} characters are shown.`;
    return `${lines}${linesFrom[from]}.${cut}${isCut ? ` The rest is too long for one answer: continue with startLine ${last + 1}.` : ""}`;
  },
  /** Says why an edit can never be undone. `left`: the number of the agent's earlier edits that are left. */
  goneEdit: (failures: readonly Failure[], left: number) =>
    [
      ...failures.map(({ message, hint = "" }) => message.replace(hint, "").trim()),
      "Nothing was changed.",
      ...undoesEarlier(left),
    ].join(" "),
  /** Says that the editor that made an edit, perhaps on disk, has ended. `left`: as for `goneEdit`. */
  lostEdit: (files: readonly string[], left: number) =>
    [
      `Your last edit (${clip(files.join(", "), 200)}) was made through an editor that has been closed or restarted since, so undo_last_edit can't undo it. Nothing was changed.`,
      ...undoesEarlier(left),
      "To undo this one, read the files and change the text back.",
    ].join(" "),
  /** Refuses a call of a server that was started in a plugin's own folder. */
  relativePath: (path: string) =>
    `The path ${quote(path, 160)} is relative, but this server was started in a plugin's folder and does not know the project's. Nothing was changed. Send the call again with absolute paths.`,
  /** Says what such a server can't do, after the reason. */
  onlyInEditors:
    "This server was started in a plugin's folder, so it works only with files in an editor's folders. For other files, use your own tools.",
  waiting: (ticket: string) =>
    `Not applied: waiting for the user (ticket ${ticket}). editor_status {"ticket":"${ticket}"} waits for the decision.`,
  tooManyTickets: (ticket: string) =>
    `Not applied: ${limits.tickets} of your calls wait for the user, or their answers have not been fetched. Fetch the answer to the oldest with editor_status {"ticket":"${ticket}"}, then send this call again. Nothing was changed by this request.`,
  noTicket: (ticket: string) =>
    `There is no ticket ${quote(ticket)}: you have had its answer, it ended with the process that gave it, or it never existed. Nothing was changed by this request.`,
  /** Refuses a field that a tool does not have, because the model means something by it that the tool would not do. */
  unknownField: {
    undo_last_edit: (field: string) =>
      `undo_last_edit has no field ${quote(field)}: it undoes your last edit, in all of its files. Nothing was changed. Leave ${quote(field)} out, or change the text back with an edit.`,
    editor_status: (field: string) =>
      `editor_status has no field ${quote(field)}; its only field is ticket. Leave ${quote(field)} out; to wait for the user, send {"ticket":"q1"} with the ticket that you were given.`,
  },
  /** The line before the files of an edit that was undone. */
  undone: "Undone:",
  nothingToUndo: "There is no edit of yours that can be undone. Nothing was changed.",
} as const;

/** Messages of the errors that MCP itself defines, for programs. */
export const protocolErrors = {
  unknownRevision: (revision: unknown) => `Unsupported protocol version: ${String(revision)}`,
  unknownMethod: (method: string) => `Method not found: ${method}`,
  unknownTool: (name: unknown) => `There is no tool ${JSON.stringify(name)}`,
  noUri: "uri must be a string",
  tooMany: `There are ${limits.toolFiles} subscriptions already`,
  noTask: "There is no such task",
  taskIsOver: "The task is over",
  tooManyTasks: `There are ${limits.tickets} tasks already`,
} as const;

/** The texts about resources. */
export const resourceSentences = {
  unsaved: (editor: string) => `Unsaved text in ${editor}`,
  none: (uri: unknown) => `No file of the project has the URI ${quote(String(uri), 160)}`,
} as const;

/** The form in which a client asks its user about a change. */
export const decisionForm = { title: "Decision", answers: { apply: "Apply", reject: "Reject" } } as const;

const undoesEarlier = (left: number): readonly string[] =>
  left === 0 ? [] : ["The next undo_last_edit undoes your edit before it."];

/** The part of a file's text that an answer shows. */
export interface LinesShown {
  readonly first: number;
  readonly last: number;
  readonly total: number;
  /** `unopened`: from disk, because no editor has the file open; `disk`: from disk, but not every editor was asked. */
  readonly from: "saved" | "unsaved" | "outdated" | "unopened" | "disk";
  /** `true` if the caller asked for more lines than are shown. */
  readonly isCut: boolean;
  /** Set if the only line is cut off: its length and that of the part shown, in UTF-16 code units. */
  readonly longLine: { readonly length: number; readonly shown: number } | undefined;
}

const linesFrom: Readonly<Record<LinesShown["from"], string>> = {
  saved: "",
  unsaved: ", from the editor, including unsaved changes",
  outdated: ", from the editor, including unsaved changes; the file on disk has changed since",
  unopened: ", from disk: no editor has the file open",
  disk: ", from disk",
};

/** Titles and descriptions of the tools, by name. */
export const toolTexts = {
  multi_edit: {
    title: "Edit files",
    description: `Replaces text in one or more workspace files, through the user's editor: unsaved text is seen and kept, and the user can undo the change.

- Send all edits of one change in one call, even across files: either all succeed, or nothing changes and the answer says what to send instead.
- Edits are applied in list order, each to the result of those before it.
- Copy oldText from the file as read_document shows it. It must occur there exactly once; otherwise add surrounding lines, or set line, occurrence or replaceAll. The server never guesses.
- newText is written literally, so reproduce unchanged text exactly. An empty newText deletes oldText.
- An empty oldText creates the file, with newText as its content.
- After a failure, correct the edits that the answer names and send the others again unchanged.`,
  },
  apply_patch: {
    title: "Apply patch",
    description: `Adds, updates, moves and deletes workspace files with one patch in the apply_patch format, through the user's editor: unsaved text is seen and kept, and the user can undo the change. Either all of it succeeds, or nothing changes.

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
    description: "Shows the diff that a call of multi_edit (edits) or apply_patch (patch) would make. Changes nothing.",
  },
  read_document: {
    title: "Read file",
    description:
      "Returns the text of a file as the user's editor has it now, including unsaved changes. Edits are matched against this text. Use this tool instead of one that reads from disk. Set startLine and endLine to read part of a long file.",
  },
  undo_last_edit: {
    title: "Undo last edit",
    description:
      "Undoes the last multi_edit or apply_patch made over this connection, also by a subagent. The answer names its files and lines.",
  },
  editor_status: {
    title: "List editors",
    description:
      "Lists the editors that can be reached, with their folders and open documents, and says which documents differ from disk. Use it when a tool reports that there is no editor, or more than one. With a ticket, waits for the user to decide on your call.",
  },
} as const;

/** Descriptions of read_document's parameters. */
export const readParameterTexts = {
  path: "The path of the file, absolute or relative to the workspace folder.",
  startLine: "The first line to read, counted from 1.",
  endLine: "The last line to read, inclusive.",
} as const;
