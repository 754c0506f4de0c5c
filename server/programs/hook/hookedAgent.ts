/** The types that describe an agent which has hooks: its events, its own tools, and the answers that it accepts. */

/** One of an agent's own tools for files. */
export interface OwnTool {
  /**
   * `edit` replaces parts of a text, `write` the whole text; `patch` takes a patch in Codex's format. `cell` changes
   * notebooks, and `command` runs one in a shell. A read and a command are answered after the tool has run, all others
   * before.
   */
  readonly kind: "read" | "edit" | "write" | "patch" | "cell" | "command";
  /** The field that has the file's path or, for `patch`, the text with the patch. */
  readonly field: string;
  /** For `patch`: set if the text is a command for a shell, which may do more than apply the patch. */
  readonly isCommand?: true;
  /** Set if an input that is a text, and has no fields, is a patch. */
  readonly mayBePatch?: true;
}

/** The names of the fields of an edit. */
export interface EditFields {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: string;
  /** The list of edits in a call with several; `undefined` if no tool takes several. */
  readonly list?: string;
  /** The field of a write that has the whole text; by default, `content`. */
  readonly content?: string;
}

/** The names of an event's fields. */
export interface EventFields {
  readonly tool: string;
  readonly input: string;
  readonly directory: string;
  /** The id of the call. */
  readonly id: string;
  /** The id of the conversation. */
  readonly session: string;
  /** The id of a subagent, which has not seen what the main agent has; absent for the main agent. */
  readonly subagent: string;
}

/** Lines of a text in the editor that replace what the agent's own tool has read from disk. */
export interface EditorLines {
  readonly path: string;
  /** The directory in which the agent works. */
  readonly directory: string;
  /** The lines, each with its line ending. */
  readonly text: string;
  /** Number of the first line, counted from 1. */
  readonly first: number;
  /** Number of the last line; less than `first` if there are no such lines. */
  readonly last: number;
  /** Number of the lines of the whole text. */
  readonly total: number;
  /** `true` if the last line of the whole text has a line ending. */
  readonly endsInLineEnding: boolean;
  readonly note: string;
}

/** One agent. */
export interface HookedAgent {
  /** The name that sessions show. */
  readonly name: string;
  readonly fields: EventFields;
  readonly tools: Readonly<Record<string, OwnTool>>;
  readonly edit: EditFields;
  /** The agent's names for our tools. */
  readonly ours: { readonly edit: string; readonly read: string; readonly patch: string };
  /** Reports whether an event is sent before or after a tool runs; `undefined` for other events. */
  when(event: Readonly<Record<string, unknown>>): "before" | "after" | undefined;
  /**
   * The user's consent to a call that has not been asked for yet. `none`: the agent must not edit now; `needed`: the agent
   * would ask the user after the event.
   */
  consent(event: Readonly<Record<string, unknown>>): "given" | "needed" | "none";
  /** The answer that keeps the tool from running; the model gets the reason. */
  deny(reason: string): object;
  /**
   * The fields of a read that select lines. `last`: set if the second field is a line and not a number of lines; `range`:
   * the field that has the first and the last line as a list; `isFromZero`: set if the number of the first line is 0.
   */
  readonly lines: {
    readonly first: string;
    readonly count?: string;
    readonly last?: string;
    readonly range?: string;
    readonly isFromZero?: true;
  };
  /** The number of lines that a read shows by default. */
  readonly linesShown: number;
  /** Maximum number of UTF-16 code units that a read shows. */
  readonly mostText: number;
  /** The answer that replaces the result of a read; `undefined` if the agent has no tool that reads files. */
  show?(lines: EditorLines): object;
  /** The answer that adds a note to the result of a command; `undefined` if no tool has the kind `command`. */
  tell?(note: string, event: Readonly<Record<string, unknown>>): object;
}
