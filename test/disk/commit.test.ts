import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type NotCommitted, stage } from "../../server/disk/commit.js";
import type { DiskChange } from "../../server/disk/diskChange.js";
import type { DiskWorkspace } from "../../server/disk/diskWorkspace.js";
import { type FileSystem, realFileSystem, systemError } from "../../server/disk/fileSystem.js";
import { recover } from "../../server/disk/recover.js";
import { committed, hashOf, refused, type Site, site, staged, update } from "./site.js";

/**
 * A batch whose record is refused once everything else is done, so the batch is rolled back; `meddle` runs just before
 * the refusal.
 */
function takenBack(at: Site, changes: readonly DiskChange[], meddle: () => void = () => undefined): NotCommitted {
  let records = 0;
  const make: FileSystem["make"] = (path, bytes, mode) => {
    if (path.endsWith(".journal.new") && ++records === 3) {
      meddle();
      throw systemError("ENOSPC", path);
    }
    realFileSystem.make(path, bytes, mode);
  };
  const workspace = { ...at.workspace, files: { ...realFileSystem, make } };
  const result = staged({ ...at, workspace }, changes).commit();
  if (result.outcome === "applied") throw new Error("the batch was not rolled back");
  return result;
}

/** The same workspace as seen by the next process after the previous one has died. */
function next({ workspace }: Site): DiskWorkspace {
  const { owners } = workspace;
  return { ...workspace, owners: { ...owners, self: "00000000-00000000-1-1", isAlive: () => false } };
}

describe("a batch is refused", () => {
  it("with all obstacles, and leaves no traces", () => {
    const at = site({
      "a.txt": "a",
      "b.txt": "b",
      "dir/c.txt": "c",
      "there.txt": "",
      "latin.txt": Buffer.from([0xe9]),
    });
    const codes = refused(at, [
      update(at, "a.txt", "something else", "new"),
      { kind: "update", path: at.path("gone.txt"), name: "gone.txt", content: { text: "" } },
      { kind: "create", path: at.path("there.txt"), name: "there.txt", content: { text: "new" } },
      { kind: "delete", path: at.path("dir"), name: "dir" },
      { kind: "create", path: join(at.root, "outside.txt"), name: "../outside.txt", content: { text: "" } },
      update(at, "b.txt", "b", "bb"),
    ]);
    expect(codes).toEqual([
      ["contentModified", "a.txt"],
      ["contentModified", "gone.txt"],
      ["contentModified", "there.txt"],
      ["isDirectory", "dir"],
      ["outsideWorkspace", "../outside.txt"],
    ]);
    expect(at.names()).toEqual(["a.txt", "b.txt", "dir", "dir/c.txt", "latin.txt", "there.txt"]);
    expect(readdirSync(at.workspace.state)).toEqual([]);
  });

  it("for a text that can't be written in the encoding of its file", () => {
    const at = site({ "latin.txt": Buffer.from([0xe9]) });
    const change = { kind: "update", path: at.path("latin.txt"), name: "latin.txt", content: { text: "é" } } as const;
    expect(refused(at, [change])).toEqual([["unsupportedEncoding", "latin.txt"]]);
  });

  it("below a file, through a link, and in the directory of the journals", () => {
    const at = site({ file: "", link: { link: "file" } }, {});
    const inside = { ...at.workspace, folders: [at.root] };
    const create = (path: string): DiskChange => ({ kind: "create", path, name: path, content: { text: "" } });
    expect(refused(at, [create(at.path("file/below"))])).toEqual([["ioError", at.path("file/below")]]);
    expect(refused(at, [{ kind: "delete", path: at.path("link"), name: "link" }])).toEqual([["ioError", "link"]]);
    const own = create(join(at.root, "state", "0123456789abcdef.journal"));
    expect(refused({ ...at, workspace: inside }, [own])).toEqual([["protectedPath", own.path]]);
  });

  it("if other users could write the journals", () => {
    const at = site({ "a.txt": "a" });
    const { state } = at.workspace;
    mkdirSync(state, { mode: 0o755 });
    expect(refused(at, [update(at, "a.txt", "a", "b")])).toEqual([["ioError", undefined]]);
    chmodSync(state, 0o700);
    renameSync(state, `${state}-elsewhere`);
    symlinkSync(`${state}-elsewhere`, state);
    expect(refused(at, [update(at, "a.txt", "a", "b")])).toEqual([["ioError", undefined]]);
    expect(at.text("a.txt")).toBe("a");
  });

  it("while another batch with one of its files is staged, whatever the folders, and no other batch is", () => {
    const at = site({ "a.txt": "a", "sub/b.txt": "b", "linked.txt": "c", "other.txt": { hardLink: "ws/linked.txt" } });
    const below = (name: string): Site => ({ ...at, workspace: { ...at.workspace, folders: [at.path(name)] } });
    const create = (path: string): DiskChange => ({
      kind: "create",
      path: at.path(path),
      name: path,
      content: { text: "" },
    });
    const first = staged(below("sub"), [update(at, "sub/b.txt", "b", "bb")]);
    expect(refused(at, [update(at, "a.txt", "a", "aa"), update(at, "sub/b.txt", "b", "x")])).toEqual([
      ["locked", undefined],
    ]);
    expect(refused(below("sub"), [update(at, "sub/b.txt", "b", "bb")])).toEqual([["locked", undefined]]);
    committed(at, [update(at, "a.txt", "a", "aa"), create("sub/c.txt")]).finish();
    first.abandon();
    committed(at, [update(at, "sub/b.txt", "b", "bb")]).finish();
    expect([at.text("a.txt"), at.text("sub/b.txt"), at.text("sub/c.txt")]).toEqual(["aa", "bb", ""]);
    // Another name of the same file, and a name in a directory that the other batch creates.
    const second = staged(at, [update(at, "linked.txt", "c", "cc"), create("new/a.txt"), create("Sub.txt")]);
    for (const change of [update(at, "other.txt", "c", "x"), create("new/b.txt"), create("new/below/c.txt")]) {
      expect(refused(at, [change])).toEqual([["locked", undefined]]);
    }
    // On some disks, this is the same name.
    expect(refused(at, [create("sub.TXT")])).toEqual([["locked", undefined]]);
    second.abandon();
    committed(at, [create("new/b.txt")]).finish();
    expect(readdirSync(at.workspace.state)).toEqual([]);
  });

  it("if a directory is replaced by a link after it was inspected, and nothing outside is touched", () => {
    const at = site({ "dir/a.txt": "a" });
    const outside = join(at.root, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a.txt"), "a");
    const batch = staged(at, [update(at, "dir/a.txt", "a", "b")]);
    renameSync(at.path("dir"), at.path("moved"));
    symlinkSync(outside, at.path("dir"));
    const result = batch.commit();
    expect(readdirSync(outside)).toEqual(["a.txt"]);
    expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe("a");
    // The link's target is unknown, so nothing more is written until the directory is back.
    expect(result.outcome).toBe("recoveryPending");
    expect(refused(at, [])).toEqual([["ioError", undefined]]);
    rmSync(at.path("dir"));
    renameSync(at.path("moved"), at.path("dir"));
    expect(recover(at.workspace).batches.map(({ outcome }) => outcome)).toEqual(["rolledBack"]);
    expect(at.names()).toEqual(["dir", "dir/a.txt"]);
  });
});

describe("a committed batch", () => {
  it("is rolled back as a whole if it can't be recorded", () => {
    const at = site({ "a.txt": "a", "b.txt": "b", "linked.txt": "c", "other.txt": { hardLink: "ws/linked.txt" } });
    const before = at.names();
    const changes: DiskChange[] = [
      { kind: "rename", path: at.path("a.txt"), target: at.path("b.txt"), name: "a.txt", hash: hashOf("a") },
      { kind: "rename", path: at.path("b.txt"), target: at.path("new/b.txt"), name: "b.txt", hash: hashOf("b") },
      update(at, "linked.txt", "c", "changed"),
    ];
    const { outcome, failure } = takenBack(at, changes, () =>
      expect([at.text("b.txt"), at.text("new/b.txt"), at.text("other.txt")]).toEqual(["a", "b", "changed"]),
    );
    expect(outcome).toBe("rolledBack");
    expect(failure.message).toMatch(/no space is left on the disk\..* Everything was rolled back\.$/);
    expect(at.names()).toEqual(before);
    expect([at.text("a.txt"), at.text("b.txt"), at.text("other.txt")]).toEqual(["a", "b", "c"]);
  });

  it("can be undone later by another batch, with the original bytes of a deleted file", () => {
    const at = site({ "a.txt": "a", "b.txt": "b", "gone.txt": Buffer.from([0xff, 0]), "edited.txt": "one" });
    chmodSync(at.path("gone.txt"), 0o640);
    const batch = staged(at, [
      { kind: "rename", path: at.path("a.txt"), target: at.path("b.txt"), name: "a.txt", content: { text: "aa" } },
      { kind: "rename", path: at.path("b.txt"), target: at.path("a.txt"), name: "b.txt" },
      { kind: "delete", path: at.path("gone.txt"), name: "gone.txt" },
      { kind: "create", path: at.path("new.txt"), name: "new.txt", content: { text: "new" } },
      update(at, "edited.txt", "one", "two"),
    ]);
    const done = batch.commit();
    if (done.outcome !== "applied") throw new Error(done.failure.message);
    done.finish();
    expect([at.names(), at.text("b.txt")]).toEqual([["a.txt", "b.txt", "edited.txt", "new.txt"], "aa"]);
    const gone = batch.targets.find(({ slot }) => slot.name === "gone.txt")?.before;
    if (gone === undefined) throw new Error("the deleted file is not known");
    const inverse: DiskChange[] = [
      {
        kind: "rename",
        path: at.path("b.txt"),
        target: at.path("a.txt"),
        name: "b.txt",
        hash: hashOf("aa"),
        content: { text: "a" },
      },
      { kind: "rename", path: at.path("a.txt"), target: at.path("b.txt"), name: "a.txt", hash: hashOf("b") },
      {
        kind: "create",
        path: at.path("gone.txt"),
        name: "gone.txt",
        content: { bytes: gone.bytes },
        mode: gone.stat.mode,
      },
      { kind: "delete", path: at.path("new.txt"), name: "new.txt", hash: hashOf("new") },
      update(at, "edited.txt", "two", "one"),
    ];
    committed(at, inverse).finish();
    expect(at.names()).toEqual(["a.txt", "b.txt", "edited.txt", "gone.txt"]);
    expect([at.text("a.txt"), at.text("b.txt"), at.text("edited.txt")]).toEqual(["a", "b", "one"]);
    expect(readFileSync(at.path("gone.txt"))).toEqual(Buffer.from([0xff, 0]));
    expect(lstatSync(at.path("gone.txt")).mode & 0o777).toBe(0o640);
    // The new file that `inverse` deletes no longer exists, so `inverse` cannot be applied again.
    expect(refused(at, inverse).map(([code]) => code)).toContain("contentModified");
  });

  it("may be in a folder that is reached through a link", () => {
    const at = site({ "real/a.txt": "a", "a-link": { link: "real/a.txt" } });
    committed(at, [update(at, "real/a.txt", "a", "b")]).finish();
    expect([readlinkSync(at.path("a-link")), at.text("a-link")]).toEqual(["real/a.txt", "b"]);
  });
});

describe("text that another program writes meanwhile", () => {
  it("makes the batch roll back, and stays", () => {
    const at = site({ "a.txt": "a", "b.txt": "b" });
    const batch = staged(at, [update(at, "a.txt", "a", "aa"), update(at, "b.txt", "b", "bb")]);
    writeFileSync(at.path("b.txt"), "theirs");
    const result = batch.commit();
    expect(result.outcome).toBe("rolledBack");
    expect(result.outcome === "rolledBack" && [result.failure.code, result.failure.message]).toEqual([
      "contentModified",
      "b.txt has changed: it is no longer the file that the call was planned for. Read it again and send the call again. Everything was rolled back.",
    ]);
    expect([at.text("a.txt"), at.text("b.txt"), at.names()]).toEqual(["a", "theirs", ["a.txt", "b.txt"]]);
  });

  it("is noticed even if it is the same text in another file", () => {
    const at = site({ "a.txt": "a" });
    const batch = staged(at, [update(at, "a.txt", "a", "aa")]);
    writeFileSync(at.path("theirs"), "a", { mode: 0o600 });
    renameSync(at.path("theirs"), at.path("a.txt"));
    expect(batch.commit().outcome).toBe("rolledBack");
    expect([at.text("a.txt"), lstatSync(at.path("a.txt")).mode & 0o777, at.names()]).toEqual(["a", 0o600, ["a.txt"]]);
  });

  it("stays in a file that the batch has created, when the batch is rolled back", () => {
    const at = site({});
    const create = (name: string): DiskChange => ({
      kind: "create",
      path: at.path(name),
      name,
      content: { text: "a" },
    });
    const changes = [create("new/a.txt"), create("new/b.txt"), create("other/c.txt")];
    const { outcome, failure } = takenBack(at, changes, () => writeFileSync(at.path("new/b.txt"), "theirs"));
    expect([outcome, at.names(), at.text("new/b.txt")]).toEqual(["rolledBack", ["new", "new/b.txt"], "theirs"]);
    expect(failure.message).toContain(`left them alone: ${at.path("new/b.txt")}.`);
  });

  it("is not touched when the batch is rolled back, and the old file is kept beside it", () => {
    const at = site({ "a.txt": "a", "b.txt": "b" });
    const changes = [update(at, "a.txt", "a", "aa"), update(at, "b.txt", "b", "bb")];
    const { outcome, failure } = takenBack(at, changes, () => writeFileSync(at.path("b.txt"), "theirs"));
    const kept = at.names().find((name) => name.endsWith(".old")) ?? "";
    expect(outcome).toBe("rolledBack");
    expect(failure.message).toContain(
      `The other changes were rolled back. In the meantime, another program changed these files or removed the copies of their old text, so the rollback left them alone: ${at.path("b.txt")} (its old text: ${at.path(kept)}).`,
    );
    expect([at.text("a.txt"), at.text("b.txt"), at.text(kept)]).toEqual(["a", "theirs", "b"]);
    expect(recover(at.workspace).batches).toEqual([]);
  });
});

describe("after a crash", () => {
  it("a batch that was only staged is cleaned up, and reported", () => {
    const at = site({ "a.txt": "a" });
    staged(at, [update(at, "a.txt", "a", "aa")]);
    expect(at.names()).toHaveLength(3);
    const { batches, problems, failure } = recover(next(at));
    expect([problems, failure]).toEqual([[], undefined]);
    expect(batches.map(({ outcome, label, names }) => [outcome, label, names])).toEqual([
      ["untouched", "a batch", ["a.txt"]],
    ]);
    expect(batches[0]?.message).toMatch(
      /^A call to change a\.txt, begun at [\dT:.-]+Z, was interrupted\. Nothing was changed\.$/,
    );
    expect([at.names(), at.text("a.txt")]).toEqual([["a.txt"], "a"]);
    expect(readdirSync(at.workspace.state)).toEqual([]);
    expect(recover(next(at))).toEqual({ batches: [], problems: [] });
  });

  it("a batch that was complete is cleaned up, also by the next batch", () => {
    const at = site({ "a.txt": "a" });
    committed(at, [update(at, "a.txt", "a", "aa")]);
    const later = stage(next(at), [update(at, "a.txt", "aa", "aaa")], "the next one");
    expect(later.recovered.map(({ outcome }) => outcome)).toEqual(["applied"]);
    if (later.ok) later.abandon();
    expect([at.names(), at.text("a.txt")]).toEqual([["a.txt"], "aa"]);
  });

  it("the batch of a running process or of another workspace is not touched", () => {
    const at = site({ "a.txt": "a", "sub/b.txt": "b" });
    staged(at, [update(at, "a.txt", "a", "aa")]);
    const names = at.names();
    expect(recover(at.workspace)).toEqual({ batches: [], problems: [] });
    expect(recover({ ...next(at), folders: [at.path("sub")] })).toEqual({ batches: [], problems: [] });
    expect(at.names()).toEqual(names);
  });
});
