/** A folder for diffs that are shown to the user: only the user can read it, and it is taken away in the end. */
import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Files that are there for a question. */
export interface DiffFolder {
  /** Writes a diff into a file of its own, as editors do not like a file to change under them; gives its absolute path. */
  write(diff: string): Promise<string>;
  /** Deletes all that was written. */
  remove(): Promise<void>;
}

/** Folders that are there now, so that they go when the process ends in the middle of a question. */
const open = new Set<string>();

process.on("exit", () => {
  for (const path of open) rmSync(path, { recursive: true, force: true });
});

/** A folder that comes into being with the first diff. */
export function createDiffFolder(): DiffFolder {
  let folder: string | undefined;
  let written = 0;
  return {
    async write(diff) {
      // Made with the mode 0700.
      folder ??= await mkdtemp(join(tmpdir(), "multi-edit-"));
      open.add(folder);
      const path = join(folder, `proposed${written++ === 0 ? "" : `-${written}`}.diff`);
      await writeFile(path, diff, { mode: 0o600, flag: "wx" });
      return path;
    },
    async remove() {
      if (folder === undefined) return;
      await rm(folder, { recursive: true, force: true });
      open.delete(folder);
    },
  };
}
