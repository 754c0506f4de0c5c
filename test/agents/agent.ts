/** The capabilities that the tests need from every real agent; each agent implements this interface. */
import type { Call, Heard } from "./protocols.js";

/** The surroundings in which an agent runs. */
export interface Place {
  /** The home of the agent's user, which contains nothing but what the tests put there. */
  readonly home: string;
  /** The folder in the cache into which `.ci/agents` installs the agents. */
  readonly installed: string;
  /** URL of the scripted model, without a slash at the end. */
  readonly url: string;
  /** Writes a file below the home; the path is relative to it. */
  put(path: string, text: string): void;
}

/** A tool of the server, by the name that the server gives it. */
export type ToolName =
  | "multi_edit"
  | "apply_patch"
  | "preview_edits"
  | "read_document"
  | "undo_last_edit"
  | "editor_status";

/** An agent's own tools for files, and what they answer. */
export interface OwnTools {
  /** The call that replaces a text; the path is absolute. */
  edit(path: string, edit: { readonly oldText: string; readonly newText: string }): Call;
  /** The call that reads a file; `undefined` if the agent reads files with commands. */
  read?(path: string): Call;
  /** The call that searches a folder for a text; `undefined` if the agent searches with commands. */
  search?(folder: string, text: string): Call;
  /** The agent's name of the tool to which a call is turned away. */
  readonly named: string;
  /** Set if our tool for reading takes the place of the agent's own where the text is unsaved. */
  readonly isReplaced?: true;
  /** Matches the answer to an edit that was made. */
  readonly done: RegExp;
  /** Part of the answer to an edit whose old text is not on disk, if the agent compares before it asks the hook. */
  readonly missing?: string;
  /** Arguments with which the agent edits files without asking, and trusts its hooks. */
  readonly args: readonly string[];
}

/** An agent in one of its modes. */
export interface AgentKind {
  /** Name in the table. */
  readonly name: string;
  /** Folder of its installation. */
  readonly folder: string;
  /** Name of its package. */
  readonly packageName: string;
  /** Its name for `multi-edit setup`. */
  readonly setup: string;
  /** Command lines that install the server in another way than `multi-edit setup`; the commands may not use a network. */
  install?(place: Place): readonly (readonly string[])[];
  /** The file of a project in which it looks for lines for the model. */
  readonly projectFile: "AGENTS.md" | "CLAUDE.md" | "GEMINI.md";
  /** Connects it with the scripted model; answers in advance what it asks when it is started for the first time. */
  prepare(place: Place): void;
  /** Variables of its environment. */
  env(place: Place): Readonly<Record<string, string>>;
  /** Command line that runs it with a prompt until it has answered. */
  command(place: Place, prompt: string): readonly string[];
  /** Command line that goes on with the last conversation; `undefined` if the server can't tell which one that was. */
  resumed?(place: Place, prompt: string): readonly string[];
  /** The call that the model makes for a tool of the server. */
  call(tool: ToolName, args: object): Call;
  /** The call that the model makes to run a command, and the flags by which the user allows that. */
  readonly shell: { readonly flags?: readonly string[]; call(command: string): Call };
  /**
   * The call with which the model waits on if the result says that the call is still running; `undefined` if it does
   * not, or if the agent never hands a running call back to its model.
   */
  waitOn?(result: string): Call | undefined;
  /** The part of a result that the server wrote; throws if the agent answered instead of the server. */
  answerIn(result: string): string;
  /** The tools that it must describe to the model, in the order of the server's list. */
  readonly tools: readonly string[];
  /** Set if its mode forbids edits: matches what the model is told if it calls a tool for edits. */
  readonly refuses?: RegExp;
  /** Its own tools; `undefined` if it has no hooks, or may not edit. */
  readonly ownTools?: OwnTools;
  /** Names of the server's tools that the request describes to the model with their parameters. */
  declared(heard: Heard): readonly string[];
}
