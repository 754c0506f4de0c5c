/** The command `try`: makes a folder in which a newcomer can watch an edit reach unsaved text. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { codeOf } from "../../workspace/identity.js";
import { exitCodes, misused, print } from "../shared/output.js";
import { trySentences } from "./sentences.js";

/** Makes a folder with a file and a call, and prints what to do with them; returns the exit code. */
export function runTry(name: string | undefined, directory: string): number {
  const folder = resolve(directory, name ?? "multi-edit-try");
  const call = { path: "price.ts", oldText: "rate = 0.19", newText: "rate = 0.2" };
  // What is in a folder that exists may be the user's own.
  if (existsSync(folder)) return misused(trySentences.exists(folder), { json: false });
  try {
    makeFolder(folder);
  } catch (error) {
    return misused(trySentences.unwritable(folder, codeOf(error)), { json: false });
  }
  try {
    writeFileSync(join(folder, call.path), trySentences.file);
    writeFileSync(join(folder, "call.json"), `${JSON.stringify(call, undefined, 2)}\n`);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return misused(trySentences.unwritable(folder, codeOf(error)), { json: false });
  }
  print(trySentences.steps(folder));
  return exitCodes.done;
}

/** Makes a folder and those around it, one by one: Node's own way never ends in a file system like /proc. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || existsSync(dirname(folder))) throw error;
    makeFolder(dirname(folder));
    mkdirSync(folder);
  }
}
