/** The command `setup`: prints the configuration that an editor or an agent needs, writes it, or removes it. */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Arguments } from "../arguments.js";
import { type Input, unreadable } from "../input.js";
import { exitCodes, print, say } from "../output.js";
import { setupSentences } from "../sentences.js";
import { configure } from "./configure.js";
import { helixSetup } from "./helix.js";
import { type Installation, ownCommand, setupFiles } from "./setupFiles.js";
import { setupTexts } from "./setupTexts.js";

/** The programs that can be set up, in alphabetical order. */
export const setupNames: readonly string[] = Object.keys(setupFiles).sort();

/** Prints the configuration for one program, writes it, or removes it; returns the exit code. */
export function runSetup({ words: [name, ...words], write, remove }: Arguments): number {
  const setup = write || remove ? changeFiles(name, words, remove ? "remove" : "add") : textOf(name, words);
  if (!setup.ok) {
    say(setup.problem);
    return exitCodes.usage;
  }
  print(setup.value);
  return exitCodes.done;
}

function changeFiles(name: string | undefined, words: readonly string[], task: "add" | "remove"): Input<string> {
  if (name === undefined || !Object.hasOwn(setupFiles, name)) return unknown(name);
  const files = setupFiles[name]?.(installation(), words, task);
  if (files === undefined) return unknown(name);
  return files.ok ? configure(files.value, task) : files;
}

function textOf(name: string | undefined, words: readonly string[]): Input<string> {
  if (name === "helix") {
    const helix = helixSetup(words);
    return helix.ok ? { ok: true, value: helix.value.text } : helix;
  }
  const text = name !== undefined && Object.hasOwn(setupTexts, name) ? setupTexts[name] : undefined;
  if (name === undefined || text === undefined) return unknown(name);
  const [word] = words;
  if (word !== undefined) return unreadable(setupSentences.tooMany(name, word));
  return { ok: true, value: text(installation().samples) };
}

const unknown = (name: string | undefined): Input<never> => unreadable(setupSentences.unknown(name, setupNames));

/** Finds this program, and the samples' folder, which is next to the program's folder in the package. */
function installation(): Installation {
  const program = realpathSync(process.argv[1] ?? ".");
  return { command: ownCommand(program), samples: join(dirname(dirname(program)), "client-samples") };
}
