/** The types that describe a program that can be set up. */
import type { HookForm } from "../../agents/agent.js";
import type { Input } from "../shared/input.js";
import type { ConfigFile } from "./configFile.js";
import type { Installation } from "./installation.js";

/** The arguments of `multi-edit setup`, besides the name of the program. */
export interface SetupOptions {
  /** The arguments after the name: the form of an editor's text, or languages for Helix. */
  readonly words: readonly string[];
  readonly hook: HookForm;
}

/** A program that can be set up. */
export interface SetUpProgram {
  /** The name of an editor, as its makers write it; `undefined` for an agent. */
  readonly editor?: string;
  /** Other names that users may type. */
  readonly aliases?: readonly string[];
  /** Forms of the configuration as text to paste, with `plain`, the default. Each says first where it goes. */
  readonly forms: Readonly<Record<string, TextOf>>;
  /** Set if the arguments after the name are no form, but languages. */
  readonly takesLanguages?: true;
  /** `true` if the configuration can have a hook. */
  readonly hasHook?: boolean;
  /** Returns the configuration files that have our part. */
  files(
    installation: Installation,
    task: "add" | "remove",
    options: SetupOptions,
  ): Input<readonly ConfigFile[]> | Promise<Input<readonly ConfigFile[]>>;
  /** Has the program itself add or remove our part, and returns what it says; absent if the files are all. */
  install?(installation: Installation, task: "add" | "remove"): Input<string>;
}

/** Returns one form of a configuration. */
export type TextOf = (installation: Installation, options: SetupOptions) => Input<string> | Promise<Input<string>>;
