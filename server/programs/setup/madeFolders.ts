/** The folders that setup has made for configuration files, so that it removes them with the files. */
import { existsSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../disk/fileSystem.js";
import { isInside } from "../../workspace/pathText.js";
import { inServerFolder } from "../../workspace/serverFolder.js";

const listPath = (): string => join(inServerFolder(), "madeFolders.txt");

/** Returns the canonical paths, one a line in the list; none if there is no list. */
function readMade(): readonly string[] {
  const text = attempt(() => readFileSync(listPath(), "utf8")).value ?? "";
  return text.split("\n").filter((path) => path !== "" && existsSync(path));
}

/** Notes that setup has made these folders. If it can't, they stay when the files are removed. */
export function noteMade(folders: readonly string[]): void {
  if (folders.length === 0) return;
  const all = [...new Set([...readMade(), ...folders])];
  attempt(() => writeFileSync(listPath(), `${all.join("\n")}\n`, { mode: 0o600 }));
}

/** Removes the folders around removed files that setup has made and that are empty, the innermost first. */
export function removeMade(files: readonly string[]): void {
  const made = readMade().filter((folder) => files.some((file) => isInside(folder, file)));
  for (const folder of [...made].sort((one, other) => other.length - one.length)) attempt(() => rmdirSync(folder));
}
