/** The types that describe an agent: how it is set up, what its hooks send and accept, and what its MCP client does. */

/** One agent. A new one is a file with such an object, and a line in `agents.ts`. */
export interface Agent {
  /** The name that its makers use, as the pages have it. */
  readonly title: string;
  /** Variables that it sets for what it starts. */
  readonly variables: AgentVariables;
  /** Its MCP client; `undefined` if the client passes on all that a tool may return, or if the agent has none. */
  readonly client?: AgentClient;
  /** Comments above the printed configuration; they begin with the characters of a comment and end with a line ending. */
  readonly about: string;
  /** The configuration as text, if it is not printed as the first of the files. */
  lines?(program: InstalledProgram): string;
  /** Our part in its configuration files, without the hook. */
  files(program: InstalledProgram): readonly AgentFile[];
  /** `undefined` if it has no hooks. */
  readonly hook?: AgentHook;
}

/** The names of variables. */
export interface AgentVariables {
  /** For commands. */
  readonly commands: readonly string[];
  /** For MCP servers: the folder of the project. */
  readonly project?: string;
  /** For what belongs to a plugin: the plugin's folder, in which some agents start its server, wherever the project is. */
  readonly plugin?: string;
  /** For hooks. Set only if the agent also runs the hooks of Claude Code's plugins. */
  readonly hooks?: string;
}

/** The MCP client of an agent. */
export interface AgentClient {
  /** The name that it gives. */
  readonly name: string;
  /** Length of the longest result that it passes on to its model, in UTF-16 code units; it cuts off what is longer. */
  readonly mostText: number;
}

/** This program, as an agent's configuration names it. */
export interface InstalledProgram {
  /** The command that starts it, and its first arguments. */
  readonly command: readonly [string, ...string[]];
  /** Path of the folder with the samples. */
  readonly samples: string;
}

/** Our part in one configuration file. `path` is absolute; the file may not exist yet. */
export type AgentFile =
  | { readonly kind: "json"; readonly path: string; readonly entries: readonly JsonEntry[] }
  /** A block of lines in a file of another format. */
  | ({ readonly kind: "block"; readonly path: string } & BlockOptions)
  /** A file that consists of our part only. `text`: `undefined` if there is to be none. */
  | {
      readonly kind: "whole";
      readonly path: string;
      readonly text: string | undefined;
      isOurs(present: string): boolean;
    };

/** One property of a JSON file. */
export interface JsonEntry {
  /** Names of the properties that lead to it. */
  readonly path: readonly string[];
  /** The value; of an `item`, an element of the array, or `undefined` if there is to be none. */
  readonly value: unknown;
  /** `own`: ours, and any other value is refused; `default`: the user's is kept; `item`: an element that `isOurs`. */
  readonly kind: "own" | "default" | "item";
  /** By default, an element that is equal to the value. */
  readonly isOurs?: (element: unknown) => boolean;
}

/** A block of ours between two comments. */
export interface BlockOptions {
  /** The characters that begin a comment. */
  readonly comment: string;
  /** Lines of the block, with their line ends. */
  readonly block: string;
  /** Matches our part if the user has put it into the file by hand, outside the block. */
  readonly byHand: RegExp;
}

/** The form of a hook: it turns calls away, or applies them; `none`: no hook. */
export type HookForm = "deny" | "apply" | "none";

/** The hook in an agent's configuration. */
export interface InstalledHook {
  /** Path of the file that has it. */
  path(): string;
  file(program: InstalledProgram, form: HookForm): AgentFile;
  /** Matches the text of that file if the hook applies calls. */
  readonly applies: RegExp;
  /** Set if the agent starts its hooks one after the other; otherwise, all that it has switched on run at the same time. */
  readonly runsInTurn?: true;
}

/** One of an agent's own tools for files. */
export interface OwnTool {
  /**
   * `edit` replaces parts of a text, `write` the whole text; `patch` takes a patch in Codex's format. `cell` changes
   * notebooks, `command` runs one in a shell, and `search` looks for text in files. All are answered after the tool has
   * run; those that change files by themselves are answered before, too.
   */
  readonly kind: "read" | "edit" | "write" | "patch" | "cell" | "command" | "search";
  /** The field with the file's path or, for `patch`, the patch; of a search, the folder's path, if any. */
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
  /** The milliseconds that a tool ran, without what came before, such as a question to the user; not every agent says it. */
  readonly duration: string;
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

/** What `multi-edit hook` needs to know about an agent: its events, its own tools, and the answers that it accepts. */
export interface AgentHook {
  /** The name that sessions show. */
  readonly name: string;
  readonly fields: EventFields;
  readonly tools: Readonly<Record<string, OwnTool>>;
  readonly edit: EditFields;
  /** The agent's names for our tools. */
  readonly ours: { readonly edit: string; readonly read: string; readonly patch: string };
  /** Reports whether an event is sent before or after a tool runs; `undefined` for other events. */
  when(event: Readonly<Record<string, unknown>>): "before" | "after" | undefined;
  /** Consent to a call not asked for yet. `none`: the agent must not edit now; `needed`: it would ask afterwards. */
  consent(event: Readonly<Record<string, unknown>>): "given" | "needed" | "none";
  /** Set if the agent does not refuse its next edit of a file that was edited and saved for it. */
  readonly goesOn?: true;
  /** The answer that keeps the tool from running; the model gets the reason. */
  deny(reason: string): object;
  /** What replaces the result of a read; `undefined` if the agent has no tool that reads files. */
  readonly read?: ReadHook;
  /** The answer that adds a note to the result of a tool that has run; `undefined` if the agent only asks before its tools. */
  tell?(note: string, event: Readonly<Record<string, unknown>>): object;
  /** The hook in the agent's configuration; `undefined` if our extension for the agent runs the command. */
  readonly installed?: InstalledHook;
}

/** The reads of an agent's own tool. */
export interface ReadHook {
  /**
   * The fields that select lines. `last`: set if the second field is a line and not a number of lines; `range`: the field
   * that has the first and the last line as a list; `isFromZero`: set if the number of the first line is 0.
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
  /** The answer that replaces the result. */
  show(lines: EditorLines): object;
}
