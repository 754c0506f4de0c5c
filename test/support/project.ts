/** The project's current files, including uncommitted ones. */
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Source } from "./source.js";

/** Path of the project's root. */
export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Paths of all files except those that Git ignores, relative to the project, with `/` as the separator. */
export const projectPaths: readonly string[] = execFileSync(
  "git",
  ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
  { cwd: projectRoot },
)
  .toString()
  .split("\0")
  .filter((path) => path !== "" && existsSync(join(projectRoot, path)));

/** All files with their texts; links are not files. */
export const projectSources: readonly Source[] = projectPaths
  .filter((path) => lstatSync(join(projectRoot, path)).isFile())
  .map((path) => ({ path, text: readFileSync(join(projectRoot, path), "utf8") }));

/** A source that consists of these lines and has this path in the project. */
export const sourceAt = (path: string, ...lines: string[]): Source[] => [{ path, text: `${lines.join("\n")}\n` }];
