/** The command `try`: makes a folder in which a newcomer can watch an edit reach unsaved text. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { codeOf } from "../../workspace/identity.js";
import { exitCodes, misused, print } from "./output.js";
import { trySentences } from "./sentences.js";

/** Makes a folder with a file and a call, and prints what to do with them; returns the exit code. */
export function runTry(name: string | undefined, directory: string): number {
  const folder = resolve(directory, name ?? "multi-edit-try");
  const call = { path: "price.ts", oldText: "rate = 0.19", newText: "rate = 0.2" };
  // What is in a folder that exists may be the user's own.
  if (existsSync(folder)) return misused(trySentences.exists(folder), { json: false });
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, call.path), trySentences.file);
    writeFileSync(join(folder, "call.json"), `${JSON.stringify(call, undefined, 2)}\n`);
  } catch (error) {
    return misused(trySentences.unwritable(folder, codeOf(error)), { json: false });
  }
  print(trySentences.steps(folder));
  return exitCodes.done;
}
