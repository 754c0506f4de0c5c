/** The command `setup`: prints the configuration that an editor or an agent needs, writes it, or removes it. */
import { statSync } from "node:fs";
import { nearestName } from "../../dialect/spelling.js";
import { attempt } from "../../disk/fileSystem.js";
import { homeFolder } from "../../workspace/serverFolder.js";
import type { Arguments } from "../cli/arguments.js";
import { inHome } from "../cli/inHome.js";
import { type Input, unreadable } from "../cli/input.js";
import { exitCodes, print, say } from "../cli/output.js";
import { setupSentences } from "../cli/sentences.js";
import { hookNames } from "../cli/table.js";
import { configure } from "./configure.js";
import { helixSetup } from "./helix.js";
import { type HookForm, hookText } from "./hooks.js";
import { isNodeBelowHome, serverCommand, thisInstallation } from "./installation.js";

export { findSetUp } from "./findSetUp.js";

import { setupFiles } from "./setupFiles.js";
import { setupForms } from "./setupTexts.js";

/** The programs that can be set up, in alphabetical order. */
export const setupNames: readonly string[] = Object.keys(setupFiles).sort();

/** Prints the configuration for one program, writes it, or removes it; returns the exit code. */
export async function runSetup({ words: [name, ...words], write, remove, hook }: Arguments): Promise<number> {
  const task = remove ? "remove" : "add";
  const setup = await (write || remove ? changeFiles(name, words, task, hook) : textOf(name, words, hook));
  if (!setup.ok) {
    say(setup.problem);
    return exitCodes.usage;
  }
  print(setup.value);
  if (!remove && thisInstallation().isTemporary) say(setupSentences.temporary);
  if (!remove && isNodeBelowHome()) say(setupSentences.nodeBelowHome(inHome(process.execPath)));
  return exitCodes.done;
}

/**
 * If the superuser sets up another user's home, as sudo may do, goes on as that user: otherwise, new files and folders
 * would belong to the superuser, and the user's programs could not use them.
 */
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

async function changeFiles(
  name: string | undefined,
  words: readonly string[],
  task: "add" | "remove",
  hook: HookForm,
): Promise<Input<string>> {
  if (name === undefined || !Object.hasOwn(setupFiles, name)) return unknown(name);
  const [word] = words;
  if (word !== undefined && name !== "helix") return unreadable(setupSentences.notWritten(name, word));
  if (hook !== "none" && !hookNames.some((one) => one === name))
    return unreadable(setupSentences.noHook(name, hookNames));
  const files = await setupFiles[name]?.(thisInstallation(), words, task, hook);
  becomeUser();
  if (files === undefined) return unknown(name);
  return files.ok ? configure(files.value, task) : files;
}

async function textOf(name: string | undefined, words: readonly string[], hook: HookForm): Promise<Input<string>> {
  const installation = thisInstallation();
  if (hook !== "none" && name !== undefined && Object.hasOwn(setupFiles, name)) {
    const agent = hookNames.find((one) => one === name);
    if (agent === undefined) return unreadable(setupSentences.noHook(name, hookNames));
    const text = await textOf(name, words, "none");
    return text.ok ? { ok: true, value: text.value + hookText(agent, installation, hook) } : text;
  }
  if (name === "helix") {
    const helix = await helixSetup(words, { command: serverCommand(installation), keepsOthers: false });
    return helix.ok ? { ok: true, value: helix.value.text } : helix;
  }
  const forms = name !== undefined && Object.hasOwn(setupForms, name) ? setupForms[name] : undefined;
  if (name === undefined || forms === undefined) return unknown(name);
  const known = Object.keys(forms);
  const [form = "plain", word] = words;
  if (word !== undefined) return unreadable(setupSentences.tooMany(`${name} ${form}`, word));
  const text = Object.hasOwn(forms, form) ? forms[form] : undefined;
  if (text !== undefined) return text(installation);
  if (known.length === 1) return unreadable(setupSentences.tooMany(name, form));
  return unreadable(setupSentences.unknownForm(name, form, known));
}

/** Other names of programs that can be set up. */
const otherNames: Readonly<Record<string, string>> = { vi: "neovim", vim: "neovim", nvim: "neovim", hx: "helix" };

/** Programs that are set up by hand, by the part of README.md that says how. */
const byHand: Readonly<Record<string, readonly string[]>> = {
  "Other editors": ["code", "jetbrains", "kakoune", "kate", "lapce", "sublime", "vscode", "vscodium", "zed"],
};

function unknown(name: string | undefined): Input<never> {
  const folded = name?.toLowerCase() ?? "";
  const [section] = Object.entries(byHand).find(([, names]) => names.includes(folded)) ?? [];
  if (name !== undefined && section !== undefined) {
    return unreadable(setupSentences.byHand(name, section, setupNames));
  }
  const meant = Object.hasOwn(otherNames, folded) ? otherNames[folded] : nearestName(folded, setupNames);
  const known = setupSentences.unknown(name, name && meant, setupNames);
  if (name === undefined || meant !== undefined) return unreadable(known);
  const [command, ...args] = thisInstallation().command;
  return unreadable(`${known}\n${setupSentences.anyClient(JSON.stringify({ command, args: [...args, "mcp"] }))}`);
}
