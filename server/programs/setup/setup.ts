/** The command `setup`: prints the configuration that an editor or an agent needs, writes it, or removes it. */
import { accessSync, constants, statSync } from "node:fs";
import { hookNames } from "../../agents/agents.js";
import { nearestName } from "../../dialect/spelling.js";
import { attempt } from "../../disk/fileSystem.js";
import { homeFolder } from "../../workspace/serverFolder.js";
import { inHome } from "../shared/inHome.js";
import { type Input, unreadable } from "../shared/input.js";
import { exitCodes, print, say } from "../shared/output.js";
import { configure } from "./configure.js";
import { isNodeBelowHome, thisInstallation } from "./installation.js";
import type { SetUpProgram, SetupOptions } from "./program.js";
import { programs } from "./programs.js";
import { setupSentences } from "./sentences.js";

export { findSetUp } from "./findSetUp.js";

/** The names of the programs that can be set up, in alphabetical order. */
export const setupNames: readonly string[] = Object.keys(programs).sort();

/** The command's arguments; `words` has the name of the program, too. */
interface SetupArguments extends SetupOptions {
  readonly write: boolean;
  readonly remove: boolean;
}

/** Prints the configuration for one program, writes it, or removes it; returns the exit code. */
export async function runSetup({ words, write, remove, hook }: SetupArguments): Promise<number> {
  const [name, ...rest] = words;
  const program = name !== undefined && Object.hasOwn(programs, name) ? programs[name] : undefined;
  const options = { words: rest, hook };
  // The superuser may go on as a user who can't look it up.
  const [{ isTemporary }, isBelowHome] = [thisInstallation(), isNodeBelowHome()];
  let setup: Input<string>;
  if (name === undefined || program === undefined) setup = unknown(name);
  else if (hook !== "none" && program.hasHook !== true) setup = unreadable(setupSentences.noHook(name, hookNames));
  else if (write || remove) setup = await changeFiles(name, program, remove ? "remove" : "add", options);
  else setup = await textOf(name, program, options);
  if (!setup.ok) {
    say(setup.problem);
    return exitCodes.usage;
  }
  print(setup.value);
  if (!remove && isTemporary) say(setupSentences.temporary);
  if (!remove && isBelowHome) say(setupSentences.nodeBelowHome(inHome(process.execPath)));
  return exitCodes.done;
}

async function changeFiles(
  name: string,
  program: SetUpProgram,
  task: "add" | "remove",
  options: SetupOptions,
): Promise<Input<string>> {
  const [word] = options.words;
  if (word !== undefined && program.takesLanguages !== true) return unreadable(setupSentences.notWritten(name, word));
  const installation = thisInstallation();
  const files = await program.files(installation, task, options);
  becomeUser();
  const hidden = hiddenPart();
  if (hidden !== undefined && task === "add") return unreadable(setupSentences.hidden(hidden));
  if (program.install !== undefined) return program.install(installation, task);
  return files.ok ? configure(files.value, task) : files;
}

async function textOf(
  name: string,
  { forms, takesLanguages }: SetUpProgram,
  options: SetupOptions,
): Promise<Input<string>> {
  const [form = "plain", word] = takesLanguages ? [] : options.words;
  if (word !== undefined) return unreadable(setupSentences.tooMany(`${name} ${form}`, word));
  const build = Object.hasOwn(forms, form) ? forms[form] : undefined;
  if (build !== undefined) return build(thisInstallation(), options);
  const known = Object.keys(forms);
  if (known.length === 1) return unreadable(setupSentences.tooMany(name, form));
  return unreadable(setupSentences.unknownForm(name, form, known));
}

/** If the superuser sets up another user's home, goes on as that user, who could not use the files otherwise. */
function becomeUser(): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = attempt(() => statSync(homeFolder())).value ?? { uid: 0, gid: 0 };
  if (uid === 0) return;
  // In a container, the owner may be a user that does not exist there.
  attempt(() => {
    process.setgroups?.([gid]);
    process.setgid?.(gid);
    process.setuid?.(uid);
  });
}

/** Returns the part of this installation that the present user can't run; `undefined` if there is none. */
function hiddenPart(): string | undefined {
  const parts = [[process.execPath, constants.X_OK] as const, [process.argv[1] ?? ".", constants.R_OK] as const];
  const hidden = parts.find(([path, mode]) => attempt(() => accessSync(path, mode)).code !== undefined);
  return hidden?.[0];
}

/** Programs that are set up by hand, by the part of README.md that says how. */
const byHand: Readonly<Record<string, readonly string[]>> = {
  "Other editors": ["jetbrains", "kakoune", "kate", "lapce", "sublime", "zed"],
};

function unknown(name: string | undefined): Input<never> {
  const folded = name?.toLowerCase() ?? "";
  const [section] = Object.entries(byHand).find(([, names]) => names.includes(folded)) ?? [];
  if (name !== undefined && section !== undefined) {
    return unreadable(setupSentences.byHand(name, section, setupNames));
  }
  const [aliased] = Object.entries(programs).find(([, { aliases = [] }]) => aliases.includes(folded)) ?? [];
  const meant = aliased ?? nearestName(folded, setupNames);
  const known = setupSentences.unknown(name, name && meant, setupNames);
  if (name === undefined || meant !== undefined) return unreadable(known);
  const [command, ...args] = thisInstallation().command;
  return unreadable(`${known}\n${setupSentences.anyClient(JSON.stringify({ command, args: [...args, "mcp"] }))}`);
}
