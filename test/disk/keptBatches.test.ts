/** Kept batches: their bytes are those before and after, whenever the process is killed; what is read is not trusted. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stage } from "../../server/disk/commit.js";
import type { DiskChange } from "../../server/disk/diskChange.js";
import type { DiskWorkspace } from "../../server/disk/diskWorkspace.js";
import { clearKept, type KeptBatch, markUndone, readKept } from "../../server/disk/keptBatches.js";
import { newId, recover } from "../../server/disk/recover.js";
import { limits } from "../../server/text/limits.js";
import { lawRuns } from "../support/extent.js";
import { type MemoryDisk, memoryDisk, PowerCut, type Trouble } from "./memoryDisk.js";
import { chooser, randomPlan, type Tree, workspaceFolder } from "./plans.js";
import { at, create, move, remove, update } from "./scene.js";
import { workspaceOn } from "./simulation.js";
import { unlike } from "./verdict.js";

const batches = "/state/batches";

/** A disk with these texts in the folder. */
function diskWith(texts: Readonly<Record<string, string | Buffer>>, trouble: Trouble = {}): MemoryDisk {
  const files = Object.entries(texts).map(([name, text]) => [at(name), { bytes: Buffer.from(text) }] as const);
  const layout = { files: Object.fromEntries(files), directories: [workspaceFolder] };
  return memoryDisk(layout, { copiesAttributes: true }, trouble);
}

/** Applies and keeps a batch; returns its id. */
function keep(workspace: DiskWorkspace, changes: readonly DiskChange[]): string {
  const id = newId();
  const staged = stage(workspace, changes, "a batch", { onCommit: { kind: "keep", id, by: { name: "agent" } } });
  if (!staged.ok) throw new Error(staged.failures[0]?.message);
  const committed = staged.commit();
  if (committed.outcome !== "applied") throw new Error(committed.failure.message);
  committed.finish();
  return id;
}

const idsOn = (disk: MemoryDisk): string[] => readKept(workspaceOn(disk)).batches.map(({ id }) => id);

/** The workspace at another time, or for another folder. */
const later = (disk: MemoryDisk, now: number, folder = workspaceFolder): DiskWorkspace => {
  const workspace = workspaceOn(disk);
  return { ...workspace, folders: [folder], owners: { ...workspace.owners, now: () => now } };
};

describe("a kept batch", () => {
  it("has the bytes and modes of all its files before and after", () => {
    const disk = diskWith({ a: "one\ntwo\n", b: "gone\n", c: "moved\n", d: Buffer.from([0xff, 0, 1]) });
    disk.setMode(at("b"), 0o640);
    const changes = [update("a", "one\nzwei\n"), remove("b"), move("c", "sub/c"), create("e", "new\n"), remove("d")];
    const id = keep(workspaceOn(disk), changes);
    const { batches: kept, problems } = readKept(workspaceOn(disk));
    expect([kept.map((batch) => batch.id), problems]).toEqual([[id], []]);
    const [batch] = kept;
    expect(batch).toMatchObject({
      label: "a batch",
      by: { name: "agent" },
      folder: workspaceFolder,
      isInside: true,
      directories: [at("sub")],
    });
    expect([...(batch?.changed ?? [])].sort()).toEqual(["a", "b", "d", "e", "sub/c"].map(at));
    const shown = batch?.files?.map(({ path, before, after, movedFrom }) => [
      path.slice(at("").length),
      before && [before.bytes.toString("latin1"), before.mode.toString(8)],
      after?.bytes.toString("latin1"),
      movedFrom,
    ]);
    expect(shown?.sort()).toEqual([
      ["a", ["one\ntwo\n", "644"], "one\nzwei\n", undefined],
      ["b", ["gone\n", "640"], undefined, undefined],
      ["c", ["moved\n", "644"], undefined, undefined],
      ["d", ["\xff\0\x01", "644"], undefined, undefined],
      ["e", undefined, "new\n", undefined],
      ["sub/c", undefined, "moved\n", at("c")],
    ]);
  });

  it("is private to the user, and leaves nothing next to the files or the journals", () => {
    const disk = diskWith({ a: "one\n" });
    keep(workspaceOn(disk), [update("a", "two\n")]);
    expect(disk.look(batches)?.mode).toBe(0o700);
    expect(disk.list(batches).map((name) => disk.look(`${batches}/${name}`)?.mode)).toEqual([0o600]);
    expect([disk.list(workspaceFolder), disk.list("/state/multi-edit")]).toEqual([["a"], []]);
  });

  it("is not made if nobody asks for it", () => {
    const disk = diskWith({ a: "one\n" });
    const staged = stage(workspaceOn(disk), [update("a", "two\n")], "a batch");
    const committed = staged.ok ? staged.commit() : undefined;
    if (committed?.outcome === "applied") committed.finish();
    expect(disk.look(batches)).toBeUndefined();
  });

  it("has no copies any more once it has been undone", () => {
    const disk = diskWith({ a: "secret\n" });
    const workspace = workspaceOn(disk);
    const id = keep(workspace, [update("a", "two\n")]);
    markUndone(workspace, id);
    markUndone(workspace, id);
    expect(readKept(workspace).batches).toMatchObject([{ id, files: undefined, changed: [at("a")] }]);
    const [name = ""] = disk.list(batches);
    expect(disk.read(`${batches}/${name}`, 10_000).toString()).not.toContain(Buffer.from("secret").toString("base64"));
  });

  it("is marked as undone by the journal of the batch that undoes it", () => {
    const disk = diskWith({ a: "one\n" });
    const id = keep(workspaceOn(disk), [update("a", "two\n")]);
    const staged = stage(workspaceOn(disk), [update("a", "one\n")], "undo", { onCommit: { kind: "markUndone", id } });
    if (!staged.ok) throw new Error("not staged");
    staged.commit();
    // Killed before `finish`: the next process finds the journal.
    const found = disk.afterKill();
    expect(readKept(workspaceOn(found)).batches[0]?.files).toBeDefined();
    recover(workspaceOn(found));
    expect(readKept(workspaceOn(found)).batches[0]?.files).toBeUndefined();
  });
});

/** The tree before or after a kept batch, worked out from its other side. */
function rebuilt(tree: Tree, batch: KeptBatch, side: "before" | "after"): Map<string, string | undefined> {
  const files = new Map([...tree].filter(([, text]) => text !== undefined));
  for (const { path } of batch.files ?? []) files.delete(path);
  for (const { path, before, after } of batch.files ?? []) {
    const bytes = side === "before" ? before?.bytes : after?.bytes;
    if (bytes !== undefined) files.set(path, bytes.toString());
  }
  return files;
}

/**
 * The files of a tree without their modes. Leaves out the further names of files with several names: a write in place
 * changes all of them, although the batch has only one.
 */
const textsIn = (tree: Tree): Map<string, string> =>
  new Map(
    [...tree].flatMap(([path, text]) =>
      text === undefined || path.includes("/other/link") ? [] : [[path, text.replace(/^\d+ /, "")]],
    ),
  );

describe("whatever the batch is", () => {
  it("its copies give back the tree as it was before, and the one after", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const plan = randomPlan(chooser(seed));
        const disk = memoryDisk(plan.layout, { copiesAttributes: seed % 4 > 0 }, {});
        const id = newId();
        const staged = stage(workspaceOn(disk), plan.changes, "a batch", { onCommit: { kind: "keep", id } });
        if (!staged.ok) return;
        const committed = staged.commit();
        if (committed.outcome === "applied") committed.finish();
        const { batches: kept, problems } = readKept(workspaceOn(disk));
        expect(problems).toEqual([]);
        // A batch that changes nothing has no files.
        const [batch] = kept;
        if (batch === undefined) throw new Error("the batch was not kept");
        expect(rebuilt(textsIn(plan.new), batch, "before")).toEqual(textsIn(plan.old));
        expect(rebuilt(textsIn(plan.old), batch, "after")).toEqual(textsIn(plan.new));
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it("and wherever it is killed, it is kept completely or not at all, and its files are all old or all new", () => {
    let [kept, states] = [0, 0];
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const plan = randomPlan(chooser(seed));
      const run = (trouble: Trouble) => {
        const disk = memoryDisk(plan.layout, { copiesAttributes: true }, trouble);
        let isFinished = false;
        try {
          const staged = stage(workspaceOn(disk), plan.changes, "a batch", { onCommit: { kind: "keep", id: newId() } });
          const committed = staged.ok ? staged.commit() : undefined;
          if (committed?.outcome === "applied") committed.finish();
          isFinished = true;
        } catch (error) {
          if (!(error instanceof PowerCut)) throw error;
        }
        return { disk, isFinished };
      };
      const steps = run({}).disk.steps();
      const choose = chooser(seed);
      for (let cutAt = 0; cutAt <= steps; cutAt++) {
        const { disk, isFinished } = run({ cutAt });
        for (const found of [disk.afterKill(), disk.afterCut(choose), disk.afterCut(choose)]) {
          states++;
          recover(workspaceOn(found));
          const { batches: read, problems } = readKept(workspaceOn(found));
          const tree = found.tree(workspaceFolder);
          const isNew = unlike(tree, plan, ["new"]) === undefined;
          expect(unlike(tree, plan, ["old", "new"])).toBeUndefined();
          expect(problems).toEqual([]);
          const state = found.look("/state/multi-edit") === undefined ? [] : found.list("/state/multi-edit");
          expect(state.filter((name) => name.endsWith(".journal"))).toEqual([]);
          const isSame = unlike(tree, plan, ["old"]) === undefined;
          if (!isSame) expect(read).toHaveLength(1);
          if (!isNew) expect(read).toEqual([]);
          if (isFinished && !isSame) expect(read).toHaveLength(1);
          for (const batch of read) expect(rebuilt(textsIn(plan.new), batch, "before")).toEqual(textsIn(plan.old));
          kept += read.length;
        }
      }
    }
    expect([kept > 100, states > 1_000]).toEqual([true, true]);
  });

  it("and if the disk refuses a step of keeping it, the batch is applied all the same", () => {
    for (let at = 0; ; at++) {
      let seen = 0;
      const disk = diskWith(
        { a: "one\n" },
        {
          before: (_, what) => {
            if (what.includes(batches) && seen++ === at) throw Object.assign(new Error(what), { code: "ENOSPC" });
          },
        },
      );
      keep(workspaceOn(disk), [update("a", "two\n")]);
      expect(disk.read(`${workspaceFolder}/a`, 100).toString()).toBe("two\n");
      expect(readKept(workspaceOn(disk.afterKill())).problems).toEqual([]);
      if (seen <= at) break;
      expect(at).toBeLessThan(50);
    }
  });
});

describe("the limits", () => {
  it("are 20 batches for each folder, of which the latest stay", () => {
    const disk = diskWith({ a: "0", "sub/b": "0" });
    const ids = Array.from({ length: 23 }, (_, index) => keep(workspaceOn(disk), [update("a", `${index + 1}`)]));
    const other = keep(later(disk, 0, at("sub")), [update("sub/b", "1")]);
    expect(limits.keptBatches).toBe(20);
    expect(idsOn(disk).filter((id) => id !== other)).toEqual(ids.slice(3));
    expect(idsOn(disk)).toContain(other);
  });

  it("are 7 days", () => {
    const disk = diskWith({ a: "0", b: "0" });
    const week = 7 * 24 * 60 * 60 * 1_000;
    const first = keep(later(disk, 1_000), [update("a", "1")]);
    const second = keep(later(disk, 5_000), [update("b", "1")]);
    expect(readKept(later(disk, 1_000 + week)).batches.map(({ id }) => id)).toEqual([first, second]);
    expect(readKept(later(disk, 1_001 + week)).batches.map(({ id }) => id)).toEqual([second]);
    expect(disk.list(batches)).toHaveLength(1);
  });

  it("are 64 MB in all, of which the latest batches stay", () => {
    // Base64 takes a third more.
    const size = 26 * 1024 * 1024;
    const disk = diskWith({ a: Buffer.alloc(size, "a"), b: Buffer.alloc(size, "b"), c: Buffer.alloc(2 * size, "c") });
    const ids = ["a", "b"].map((name) => keep(workspaceOn(disk), [remove(name)]));
    expect(idsOn(disk)).toEqual(ids.slice(1));
    keep(workspaceOn(disk), [remove("c")]);
    expect(idsOn(disk)).toEqual(ids.slice(1));
  });

  it("keep the order of the batches when the clock is set back", () => {
    const disk = diskWith({ a: "0" });
    const first = keep(later(disk, 100_000), [update("a", "1")]);
    const second = keep(later(disk, 50_000), [update("a", "2")]);
    expect(readKept(later(disk, 50_000)).batches.map(({ id }) => id)).toEqual([first, second]);
  });
});

describe("a kept batch that is read", () => {
  /** A disk with one kept batch, its file, and a function that replaces the body of the file. */
  function keptOn() {
    const disk = diskWith({ a: "one\n" });
    keep(workspaceOn(disk), [update("a", "two\n")]);
    const path = `${batches}/${disk.list(batches)[0]}`;
    const [, body = ""] = disk.read(path, 10_000).toString().split("\n");
    const fill = (bytes: Buffer): boolean => disk.fill(path, bytes, disk.read(path, 10_000));
    const rewrite = (text: string): void => {
      fill(Buffer.from(`${createHash("sha256").update(text).digest("hex")}\n${text}\n`));
    };
    return { disk, path, body, fill, rewrite };
  }
  const readOn = (disk: MemoryDisk) => {
    const { batches: read, problems } = readKept(workspaceOn(disk));
    return [read.length, problems.length];
  };

  it("is refused if a byte of it is damaged", () => {
    const { disk, path, fill } = keptOn();
    const bytes = disk.read(path, 10_000);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (index, flip) => {
        const damaged = Buffer.from(bytes);
        damaged[index] = damaged[index]! ^ flip;
        fill(damaged);
        expect(readOn(disk)).toEqual([0, 1]);
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it.each<[string, (body: string) => string]>([
    ["a field that does not exist", (body) => body.replace('"version":1', '"version":1,"more":1')],
    ["another id", (body) => body.replace(/"id":"[0-9a-f]{16}"/, '"id":"0000000000000000"')],
    ["another folder", (body) => body.replace('"folder":"/ws"', '"folder":"/home"')],
    ["old bytes that have another hash", (body) => body.replace(/"bytes":"[^"]+"/, '"bytes":"AAAA"')],
    ["new bytes that have another hash", (body) => body.replace(/"middle":"[^"]+"/, '"middle":"AAAA"')],
    ["more bytes at the start than there are", (body) => body.replace(/"head":\d+/, '"head":4000')],
    ["a relative path", (body) => body.replace('"path":"/ws/a"', '"path":"a"')],
    ["a path with dots", (body) => body.replace('"path":"/ws/a"', '"path":"/ws/../a"')],
    ["a path in the directory of journals", (body) => body.replaceAll("/ws/a", "/state/multi-edit/a")],
    ["a path in its own directory", (body) => body.replaceAll("/ws/a", "/state/batches/a")],
    ["no object", () => "[]"],
  ])("is refused if it has %s", (_, change) => {
    const { disk, body, rewrite } = keptOn();
    rewrite(body);
    expect(readOn(disk)).toEqual([1, 0]);
    expect(change(body)).not.toBe(body);
    rewrite(change(body));
    expect(readOn(disk)).toEqual([0, 1]);
  });

  it("is refused if another user could have written or read it", () => {
    const { disk, path } = keptOn();
    disk.setMode(path, 0o644);
    expect(readOn(disk)).toEqual([0, 1]);
    disk.setMode(path, 0o600);
    disk.setOwner(path, 7);
    expect(readOn(disk)).toEqual([0, 1]);
  });

  it("can't be undone in a workspace that has only some of its files", () => {
    const disk = diskWith({ a: "one\n", "sub/b": "one\n" });
    keep(workspaceOn(disk), [update("a", "two\n"), update("sub/b", "two\n")]);
    expect(readKept(later(disk, 0, at("sub"))).batches).toMatchObject([{ isInside: false, folder: workspaceFolder }]);
  });

  it("is removed by a clearing in its folder only", () => {
    const disk = diskWith({ a: "0", "sub/b": "0", "other/c": "0" });
    keep(workspaceOn(disk), [update("a", "1")]);
    keep(later(disk, 0, at("sub")), [update("sub/b", "1")]);
    keep(later(disk, 0, at("other")), [update("other/c", "1")]);
    expect(clearKept(later(disk, 0, at("sub")))).toBe(1);
    expect(disk.list(batches)).toHaveLength(2);
    expect(clearKept(workspaceOn(disk))).toBe(2);
    expect(disk.list(batches)).toEqual([]);
  });
});
