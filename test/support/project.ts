/** The project's files as they are now, including those that are not committed yet. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Source } from "./source.js";

/** Path of the project's root. */
export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Paths of all files, relative to the project, with `/` as the separator; files that Git ignores are left out. */
export const projectPaths: readonly string[] = execFileSync(
  "git",
  ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
  { cwd: projectRoot },
)
  .toString()
  .split("\0")
  .filter((path) => path !== "" && existsSync(join(projectRoot, path)));

/** All files with their texts. */
export const projectSources: readonly Source[] = projectPaths.map((path) => ({
  path,
  text: readFileSync(join(projectRoot, path), "utf8"),
}));

/** A source with this path in the project and these lines. */
export const sourceAt = (path: string, ...lines: string[]): Source[] => [{ path, text: `${lines.join("\n")}\n` }];
