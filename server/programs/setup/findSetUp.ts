/** Finds what setup has written to the configurations of other programs, and what is wrong with it. */
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { attempt } from "../../disk/fileSystem.js";
import { readConfig } from "./configure.js";
import { thisInstallation } from "./installation.js";
import { programs } from "./programs.js";

/** A configuration file that has our part. */
export interface SetUpFile {
  /** The program's name for `multi-edit setup`. */
  readonly name: string;
  /** The name of the editor; `undefined` for an agent. */
  readonly editor: string | undefined;
  readonly path: string;
  /** Absolute paths in our part that do not exist. */
  readonly missing: readonly string[];
}

/** Returns the configuration files that have our part. Files that can't be read are left out. */
export async function findSetUp(): Promise<readonly SetUpFile[]> {
  const found: SetUpFile[] = [];
  for (const [name, program] of Object.entries(programs)) {
    // An installation may lack its samples, which some of the files are made of.
    const files = await attempt(() => program.files(thisInstallation(), "remove", { words: [], hook: "none" })).value;
    for (const file of files?.ok === true ? files.value : []) {
      const present = await readConfig(file.path);
      const { text = "" } = present.ok ? present.value : {};
      const ours = file.ours(text).map(([from, to]) => text.slice(from, to));
      if (ours.length > 0)
        found.push({ name, editor: program.editor, path: file.path, missing: missingIn(ours.join("\n")) });
    }
  }
  return found;
}

/** Returns the absolute paths that do not exist, among the strings of a configuration and the words of its hooks. */
function missingIn(text: string): readonly string[] {
  const strings = [...text.matchAll(/"(?:[^"\\\n]|\\.)*"/g)].map(([quoted]) => attemptParse(quoted));
  const paths = strings
    .flatMap((one) => (one.includes(" hook ") ? one.split(" ") : [one]))
    .filter((one) => isAbsolute(one));
  return [...new Set(paths)].filter((path) => !existsSync(path));
}

function attemptParse(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    // A string of another language, with an escape that JSON does not have.
    return "";
  }
}
