/** The file attributes that survive a change, for each method of writing: a matrix of methods and attributes. */
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, lstatSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { stage } from "../../server/disk/commit.js";
import type { DiskChange } from "../../server/disk/diskChange.js";
import { diskWorkspace } from "../../server/disk/diskWorkspace.js";
import { makeDirectory } from "../support/directory.js";

const isRoot = process.getuid?.() === 0;

/**
 * A method of writing a new text, and the attributes that it preserves. Python 3 makes the system calls for which Node
 * has no function.
 */
interface Row {
  readonly links?: readonly string[];
  /**
   * The change to `a.txt`; `undefined` for the method that most programs use, which shows that this test can detect a
   * loss.
   */
  readonly change: ((path: (name: string) => string) => DiskChange) | undefined;
  readonly name: string;
  readonly lacksCp?: true;
  readonly warning?: string;
  readonly stays: Readonly<Record<"mode" | "group" | "attributes" | "inode", boolean>>;
}

const all = { mode: true, group: true, attributes: true, inode: true };
const content = { text: "new\n" };

const rows: Readonly<Record<string, Row>> = {
  "an update": {
    change: (path) => ({ kind: "update", path: path("a.txt"), name: "a.txt", content }),
    name: "a.txt",
    stays: { ...all, inode: false },
  },
  "an update of a file with two names": {
    links: ["b.txt"],
    change: (path) => ({ kind: "update", path: path("a.txt"), name: "a.txt", content }),
    name: "b.txt",
    stays: all,
  },
  "a move": {
    change: (path) => ({ kind: "rename", path: path("a.txt"), target: path("new/c.txt"), name: "a.txt" }),
    name: "new/c.txt",
    stays: all,
  },
  "a move with an edit": {
    change: (path) => ({ kind: "rename", path: path("a.txt"), target: path("c.txt"), name: "a.txt", content }),
    name: "c.txt",
    stays: { ...all, inode: false },
  },
  "an update without the program cp": {
    change: (path) => ({ kind: "update", path: path("a.txt"), name: "a.txt", content }),
    name: "a.txt",
    stays: all,
    lacksCp: true,
  },
  "a move with an edit without the program cp": {
    change: (path) => ({
      kind: "rename",
      path: path("a.txt"),
      target: path("c.txt"),
      name: "a.txt",
      targetName: "c.txt",
      content,
    }),
    name: "c.txt",
    stays: { mode: true, group: !isRoot, attributes: false, inode: false },
    lacksCp: true,
    warning:
      "c.txt was moved and edited: its extended attributes and access control list, if it had any, could not be copied",
  },
  "writing a new file and renaming it": {
    change: undefined,
    name: "a.txt",
    stays: { mode: false, group: !isRoot, attributes: false, inode: false },
  },
};

/** Sets an extended attribute, and an access control list that gives one more user read access. */
const setAttributes = [
  "import os, struct, sys",
  "os.setxattr(sys.argv[1], 'user.multi-edit', b'kept')",
  "entries = [(1, 6, -1), (2, 4, 65534), (4, 4, -1), (16, 4, -1), (32, 0, -1)]",
  "acl = struct.pack('<I', 2) + b''.join(struct.pack('<HHi', *entry) for entry in entries)",
  "os.setxattr(sys.argv[1], 'system.posix_acl_access', acl)",
].join("\n");

const getAttributes = [
  "import os, sys",
  "path = sys.argv[1]",
  "print([(name, os.getxattr(path, name)) for name in sorted(os.listxattr(path))])",
].join("\n");

const python = (script: string, path: string): string => execFileSync("python3", ["-c", script, path]).toString();

/** The reason why attributes can't be set here; `undefined` if they can. */
function missing(): string | undefined {
  if (process.platform !== "linux") return "the system is not Linux";
  const folder = mkdtempSync(join(tmpdir(), "multi-edit-"));
  try {
    writeFileSync(join(folder, "probe"), "");
    python(setAttributes, join(folder, "probe"));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const reason = missing();

describe("of a file's attributes", () => {
  it.each(Object.entries(rows))("%s keeps those that it must keep", (_, row) => {
    const { links = [], change, name, stays, lacksCp, warning } = row;
    if (reason !== undefined) {
      if (process.env.REQUIRE_FAULTS === "1") throw new Error(reason);
      console.log(`left out: extended attributes and access lists, because ${reason}`);
    }
    const others = Object.fromEntries(links.map((link) => [`ws/${link}`, { hardLink: "ws/a.txt" }]));
    const root = makeDirectory({ "ws/a.txt": "old\n", ...others });
    const path = (one: string): string => join(root, "ws", one);
    chmodSync(path("a.txt"), 0o640);
    if (isRoot) chownSync(path("a.txt"), 0, 12_345);
    if (reason === undefined) python(setAttributes, path("a.txt"));
    const look = (file: string) => {
      const { mode, uid, gid, ino } = lstatSync(file);
      const attributes = reason === undefined ? python(getAttributes, file) : "";
      return { mode, group: [uid, gid].join(), attributes, inode: ino };
    };
    const before = look(path("a.txt"));
    if (reason === undefined) expect(before.attributes).toMatch(/posix_acl_access.*user\.multi-edit.*kept/);
    if (change === undefined) {
      writeFileSync(path("temporary"), "new\n");
      renameSync(path("temporary"), path("a.txt"));
    } else {
      const workspace = diskWorkspace([join(root, "ws")], { state: join(root, "state") });
      if (lacksCp) vi.stubEnv("PATH", root);
      const staged = stage(workspace, [change(path)], "a.txt");
      vi.unstubAllEnvs();
      if (!staged.ok) throw new Error(staged.failures[0]?.message);
      expect(staged.warnings).toEqual(warning === undefined ? [] : [warning]);
      const committed = staged.commit();
      expect(committed.outcome).toBe("applied");
      if (committed.outcome === "applied") committed.finish();
    }
    const after = look(path(name));
    const made = change?.(path);
    const isMovedOnly = made?.kind === "rename" && made.content === undefined;
    expect(readFileSync(path(name), "utf8")).toBe(isMovedOnly ? "old\n" : "new\n");
    const kept = Object.fromEntries(
      (["mode", "group", "attributes", "inode"] as const).map((key) => [key, before[key] === after[key]]),
    );
    expect(kept).toEqual(reason === undefined ? stays : { ...stays, attributes: true });
  });
});
