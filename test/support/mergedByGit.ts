/** Merges texts with `git merge-file`, so that none of the project's own code does it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The text that git makes of two changed versions of a text; `undefined` if they conflict. */
export function mergedByGit(
  texts: { readonly base: string; readonly ours: string; readonly theirs: string },
  folder: string,
): string | undefined {
  const own = mkdtempSync(join(folder, ".merge-"));
  try {
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(own, name), text);
    const { status, stdout } = spawnSync("git", ["merge-file", "-p", "ours", "base", "theirs"], {
      cwd: own,
      encoding: "utf8",
    });
    return status === 0 ? stdout : undefined;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
