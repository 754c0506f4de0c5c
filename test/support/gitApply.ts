/** Applies the pages' diffs with git, so that none of the project's own code interprets them. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { filesBelow } from "./directory.js";
import { decodeFile, encodeFile } from "./editorFiles.js";

/** The bytes of files, keyed by their paths in the diff. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** The files after a diff is applied. UTF-16 is converted to UTF-8 for git and back. Throws if git refuses the diff. */
export function applyDiff(files: Files, diff: string): Map<string, Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "multi-edit-git-"));
  try {
    const { rest, deleted } = withoutBinaries(diff);
    for (const [path, bytes] of files) {
      if (deleted.includes(path)) continue;
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, isUtf16(bytes) ? encodeFile({ ...decodeFile(bytes), encoding: "utf8" }) : bytes);
    }
    const args = ["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "--unidiff-zero", "-"];
    const env = { ...process.env, GIT_CONFIG_NOSYSTEM: "1", GIT_CEILING_DIRECTORIES: tmpdir(), LC_ALL: "C" };
    if (rest === "") return readBack(folder, files);
    const git = spawnSync("git", args, { cwd: folder, input: rest, encoding: "utf8", env });
    if (git.status !== 0) throw new Error(`git apply refuses the diff: ${git.stderr}${git.error ?? ""}`);
    return readBack(folder, files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Git cannot verify a deletion whose bytes the diff does not show; such a deletion is assumed to be correct. */
function withoutBinaries(diff: string): { rest: string; deleted: string[] } {
  const deleted: string[] = [];
  const section = /^diff --git a\/(.*) b\/\1\ndeleted file mode \d+\nBinary files .* and \/dev\/null differ\n/gm;
  const rest = diff.replace(section, (_, path: string) => {
    deleted.push(path);
    return "";
  });
  return { rest, deleted };
}

function readBack(folder: string, files: Files): Map<string, Buffer> {
  const after = new Map<string, Buffer>();
  for (const [name, bytes] of filesBelow(folder)) {
    const before = files.get(name);
    const utf16 = before !== undefined && isUtf16(before);
    after.set(name, utf16 ? encodeFile({ ...decodeFile(bytes), encoding: "utf16le" }) : bytes);
  }
  return after;
}

const isUtf16 = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xfe;
