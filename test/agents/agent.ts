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
  /** Connects it with the scripted model; answers in advance what it asks when it is started for the first time. */
  prepare(place: Place): void;
  /** Variables of its environment. */
  env(place: Place): Readonly<Record<string, string>>;
  /** Command line that runs it with a prompt until it has answered. */
  command(place: Place, prompt: string): readonly string[];
  /** The call that the model makes for a tool of the server. */
  call(tool: ToolName, args: object): Call;
  /** The part of a result that the server wrote; throws if the agent answered instead of the server. */
  answerIn(result: string): string;
  /** The tools that it must describe to the model, in the order of the server's list. */
  readonly tools: readonly string[];
  /** Set if its mode forbids edits: matches what the model is told if it calls a tool for edits. */
  readonly refuses?: RegExp;
  /** Names of the server's tools that the request describes to the model with their parameters. */
  declared(heard: Heard): readonly string[];
}
