/**
 * Recovery when people and programs have carried on working since the crash: it rolls back our own changes and nothing
 * else.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stage } from "../../server/disk/commit.js";
import type { DiskChange } from "../../server/disk/diskChange.js";
import { type DiskWorkspace, diskWorkspace } from "../../server/disk/diskWorkspace.js";
import { type FileSystem, realFileSystem, systemError } from "../../server/disk/fileSystem.js";
import { journalProblems, recover } from "../../server/disk/recover.js";
import { makeDirectory } from "../support/directory.js";
import { type MemoryDisk, memoryDisk, PowerCut } from "./memoryDisk.js";
import { workspaceFolder } from "./plans.js";
import { at, create, isCommitRecord, move, overwrite, remove, textsOf, update } from "./scene.js";
import { workspaceOn } from "./simulation.js";

/** A disk on which a batch was killed during its commit, before the first step accepted by `isIt`. */
function killed(
  texts: Readonly<Record<string, string>>,
  changes: readonly DiskChange[],
  isIt: (what: string) => boolean,
): MemoryDisk {
  const files = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [at(name), { bytes: Buffer.from(text) }]),
  );
  let [isCommitting, isCut] = [false, false];
  const before = (_: number, what: string): void => {
    isCut ||= isCommitting && isIt(what);
    if (isCut) throw new PowerCut();
  };
  const disk = memoryDisk({ files, directories: [] }, { copiesAttributes: true }, { before });
  const staged = stage(workspaceOn(disk), changes, "a batch");
  if (!staged.ok) throw new Error(staged.failures.map(({ message }) => message).join("\n"));
  isCommitting = true;
  expect(() => staged.commit()).toThrow(PowerCut);
  return disk.afterKill();
}

/** Another program writes a new file and renames it into place. */
function put(disk: MemoryDisk, name: string, text: string): void {
  disk.make(at("theirs"), Buffer.from(text), 0o644);
  disk.rename(at("theirs"), at(name));
}

const isWriting = (name: string) => (what: string) => what === `rename ${at(name)}` || what === `link ${at(name)}`;
const notFirst = (isIt: (what: string) => boolean): ((what: string) => boolean) => {
  let count = 0;
  return (what) => isIt(what) && ++count > 1;
};

describe("a file that another program has written with the bytes of the batch", () => {
  const old = { a: "old a", b: "old b" };
  const changes = [update("a", "new a"), create("pkg.py", "x = 1\n"), update("b", "new b")];
  const theirs = { a: "new a", b: "new b", "pkg.py": "x = 1\n" };
  const putAll = (disk: MemoryDisk): void => {
    for (const [name, text] of Object.entries(theirs)) put(disk, name, text);
  };

  it("before the batch had changed a name stays, and is reported", () => {
    const disk = killed(old, changes, isWriting("a"));
    expect(textsOf(disk)).toMatchObject(old);
    putAll(disk);
    const { batches } = recover(workspaceOn(disk));
    expect(textsOf(disk)).toEqual(theirs);
    expect(batches[0]?.foreign.map(({ path }) => path).sort()).toEqual([at("a"), at("b"), at("pkg.py")]);
    expect(disk.list("/state/multi-edit")).toEqual([]);
  });

  it("after the batch had changed every name stays, and the old files are kept", () => {
    const disk = killed(old, changes, notFirst(isCommitRecord));
    expect(textsOf(disk)).toMatchObject(theirs);
    putAll(disk);
    const { batches } = recover(workspaceOn(disk));
    const { foreign = [] } = batches[0] ?? {};
    expect(textsOf(disk)).toMatchObject(theirs);
    expect(foreign.map(({ path }) => path).sort()).toEqual([at("a"), at("b"), at("pkg.py")]);
    expect(
      foreign
        .flatMap(({ kept }) => kept ?? [])
        .map((kept) => disk.read(kept, 100).toString())
        .sort(),
    ).toEqual(["old a", "old b"]);
  });

  it("right before the batch takes the name stays when the batch is rolled back", () => {
    const disk: MemoryDisk = memoryDisk(
      { files: {}, directories: [workspaceFolder] },
      { copiesAttributes: true },
      {
        before: (_, what) =>
          void (what === `link ${at("__init__.py")}` && put(disk.outside() as MemoryDisk, "__init__.py", "")),
      },
    );
    const staged = stage(workspaceOn(disk), [create("__init__.py", "")], "a batch");
    const { outcome } = staged.ok ? staged.commit() : { outcome: undefined };
    expect([outcome, textsOf(disk)]).toEqual(["rolledBack", { "__init__.py": "" }]);
  });

  it("is still rolled back if it is the batch's own file", () => {
    const disk = killed(old, changes, notFirst(isCommitRecord));
    expect(recover(workspaceOn(disk)).batches[0]?.foreign).toEqual([]);
    expect(textsOf(disk)).toEqual(old);
  });
});

describe("a file that the batch should move", () => {
  it("and that the user has moved there instead is not removed", () => {
    const disk = killed({ a: "a" }, [move("a", "b")], isWriting("b"));
    disk.rename(at("a"), at("b"));
    expect(recover(workspaceOn(disk)).batches[0]?.foreign).toEqual([{ path: at("b") }, { path: at("a") }]);
    expect(textsOf(disk)).toEqual({ b: "a" });
  });

  it("onto another one, and that the user has moved there meanwhile, is not removed, either", () => {
    const disk = killed({ a: "a", b: "b" }, [move("a", "b"), move("b", "a")], (what) =>
      /^rename \/ws\/[ab]$/.test(what),
    );
    disk.rename(at("a"), at("b"));
    recover(workspaceOn(disk));
    expect(textsOf(disk)).toEqual({ b: "a" });
  });

  it("and that the batch has moved half of the way is moved back", () => {
    const disk = killed(
      { a: "a", b: "b" },
      [move("a", "b"), move("b", "a")],
      notFirst((what) => /^rename \/ws\/[ab]$/.test(what)),
    );
    expect(recover(workspaceOn(disk)).batches[0]?.foreign).toEqual([]);
    expect(textsOf(disk)).toEqual({ a: "a", b: "b" });
  });
});

describe("a name that is too long for the disk", () => {
  // This name has 264 bytes, but fewer than 255 characters.
  const long = `${"文".repeat(87)}.md`;

  it.each([`docs/${long}`, `docs/deep/${long}/x`, long])("is refused before anything is written: %s", (name) => {
    const disk = memoryDisk({ files: {}, directories: [workspaceFolder] }, { copiesAttributes: true });
    const staged = stage(workspaceOn(disk), [create(name, "c")], "a batch");
    expect(staged.ok ? [] : staged.failures.map(({ code, path }) => [code, path])).toEqual([["ioError", name]]);
    expect([...disk.tree(workspaceFolder)]).toEqual([]);
    expect(disk.list("/state/multi-edit")).toEqual([]);
  });

  it("and that a journal still contains does not keep the journal forever", () => {
    const disk = killed({}, [create("docs/x", "c")], isWriting("docs/x"));
    const [journal = ""] = disk.list("/state/multi-edit").filter((name) => name.endsWith(".journal"));
    const [, body = ""] = disk.read(`/state/multi-edit/${journal}`, 10_000).toString().split("\n");
    const other = body.replace(at("docs/x"), at(`docs/${long}`));
    const sum = createHash("sha256").update(other).digest("hex");
    overwrite(disk, `/state/multi-edit/${journal}`, Buffer.from(`${sum}\n${other}\n`));
    expect(recover(workspaceOn(disk)).batches.map(({ outcome }) => outcome)).toEqual(["rolledBack"]);
    expect([disk.list("/state/multi-edit"), [...disk.tree(workspaceFolder)]]).toEqual([[], []]);
  });
});

/** A folder on the real disk in which a batch was killed before a step. */
function killedReally(changesIn: (folder: string) => readonly DiskChange[], isIt: (what: string) => boolean) {
  const root = makeDirectory({ "ws/": "" });
  const folder = join(root, "ws");
  const base = { state: join(root, "state"), swapFiles: [] };
  const files = cutBefore(isIt);
  const staged = stage(diskWorkspace([folder], { ...base, files }), changesIn(folder), "a batch");
  if (staged.ok) expect(() => staged.commit()).toThrow(PowerCut);
  const { owners } = diskWorkspace([folder], base);
  const workspace: DiskWorkspace = diskWorkspace([folder], {
    ...base,
    owners: { ...owners, self: "00000000-00000000-1-1", isAlive: () => false },
  });
  return { root, folder, workspace };
}

/** The real disk, for a process that is killed before the first step accepted by `isIt`. */
function cutBefore(isIt: (what: string) => boolean): FileSystem {
  let isCut = false;
  const step = (what: string): void => {
    isCut ||= isIt(what);
    if (isCut) throw new PowerCut();
  };
  return {
    ...realFileSystem,
    makeDirectory: (path, mode) => {
      step(`mkdir ${path}`);
      realFileSystem.makeDirectory(path, mode);
    },
    make: (path, bytes, mode) => {
      step(`make ${path}`);
      realFileSystem.make(path, bytes, mode);
    },
    link: (from, to) => {
      step(`link ${to}`);
      realFileSystem.link(from, to);
    },
    unlink: (path) => {
      step(`unlink ${path}`);
      realFileSystem.unlink(path);
    },
  };
}

describe("a directory that a batch should create", () => {
  const change = (folder: string): DiskChange[] => [
    { kind: "create", path: join(folder, "d/x"), name: "d/x", content: { text: "x" } },
  ];
  const moments: Readonly<Record<string, (what: string) => boolean>> = {
    "before it is committed": (what) => what.endsWith(".journal.new") && what.startsWith("make ") && ++journals > 1,
    "while it is committed": (what) => what.endsWith("/ws/d") && what.startsWith("mkdir "),
  };
  let journals = 0;
  const instead: Readonly<Record<string, (folder: string) => void>> = {
    "a file": (folder) => writeFileSync(join(folder, "d"), "theirs"),
    "a link": (folder) => {
      mkdirSync(join(folder, "real"));
      writeFileSync(join(folder, "real/x"), "x");
      symlinkSync("real", join(folder, "d"));
    },
  };
  const all = Object.keys(moments).flatMap((when) => Object.keys(instead).map((what) => [when, what] as const));

  it.each(all)("when it was cut off %s, and that is now %s, is reported once", (when, what) => {
    journals = 0;
    const { root, folder, workspace } = killedReally(change, moments[when]!);
    instead[what]!(folder);
    const before = readdirSync(folder).filter((name) => !name.startsWith(".multi-edit"));
    const { batches, failure } = recover(workspace);
    expect([batches.length, failure]).toEqual([1, undefined]);
    expect(recover(workspace)).toEqual({ batches: [], problems: [] });
    expect([readdirSync(folder), readdirSync(join(root, "state"))]).toEqual([before, []]);
    if (what === "a link") expect(readFileSync(join(folder, "real/x"), "utf8")).toBe("x");
  });

  it("and that the system temporarily fails to reach is waited for", () => {
    const disk = killed({}, [create("d/x", "x")], notFirst(isCommitRecord));
    const look: FileSystem["look"] = (path) => {
      if (path === at("d/x")) throw Object.assign(new Error("ESTALE"), { code: "ESTALE", errno: -116 });
      return disk.look(path);
    };
    const later = disk.afterKill();
    expect(recover({ ...workspaceOn(disk), files: { ...disk, look } }).batches[0]?.outcome).toBe("pending");
    expect(recover(workspaceOn(later)).batches[0]?.outcome).toBe("rolledBack");
    expect([...later.tree(workspaceFolder)]).toEqual([]);
  });
});

describe("a batch on files inside and outside the folder", () => {
  const old = { "src/a": "old a", b: "old b" };
  const changes = [update("src/a", "new a"), update("b", "new b")];
  const inside = (disk: MemoryDisk): DiskWorkspace => ({ ...workspaceOn(disk), folders: [at("src")] });
  const inner: DiskChange = { kind: "create", path: at("src/o"), name: "o", content: { text: "" } };

  it("that was cut off in the middle is waited for until a server for all of its files rolls it back", () => {
    const disk = killed(old, changes, isWriting("b"));
    expect(textsOf(disk)).toMatchObject({ "src/a": "new a", b: "old b" });
    const before = textsOf(disk);
    const refused = stage(inside(disk), [inner], "another one");
    const [failure] = refused.ok ? [] : refused.failures;
    expect(failure?.code).toBe("ioError");
    expect(failure?.message).toContain(`Any call in "${workspaceFolder}"`);
    expect(recover(inside(disk)).failure).toEqual(failure);
    expect(textsOf(disk)).toEqual(before);
    expect(journalProblems(inside(disk)).join()).toContain(`the next call in "${workspaceFolder}"`);
    expect(recover(workspaceOn(disk)).batches[0]?.outcome).toBe("rolledBack");
    expect([textsOf(disk), journalProblems(inside(disk))]).toEqual([old, []]);
    expect(stage(inside(disk), [inner], "another one").ok).toBe(true);
  });

  it("that had changed nothing or everything does not block other calls", () => {
    const staged = killed(old, changes, isCommitRecord);
    const committed = killed(
      old,
      changes,
      notFirst((what) => what === "sync /state/multi-edit"),
    );
    expect(textsOf(committed)).toMatchObject({ "src/a": "new a", b: "new b" });
    for (const disk of [staged, committed]) {
      // Only a batch that was cut off in the middle is a problem.
      expect(journalProblems(inside(disk))).toEqual([]);
      expect(recover(inside(disk))).toEqual({ batches: [], problems: [] });
      expect(stage(inside(disk), [inner], "another one").ok).toBe(true);
    }
  });

  it("that would change nothing is cleaned up by any next server", () => {
    const disk = memoryDisk(
      { files: { [at("b")]: { bytes: Buffer.from("b") } }, directories: [at("src")] },
      { copiesAttributes: true },
    );
    expect(stage(workspaceOn(disk), [update("b", "b")], "a batch").ok).toBe(true);
    expect(recover(inside(disk)).batches.map(({ outcome }) => outcome)).toEqual(["untouched"]);
  });

  it("does not concern a folder that contains none of them", () => {
    const disk = killed({ ...old, "other/c": "c" }, changes, isWriting("b"));
    expect(recover({ ...workspaceOn(disk), folders: [at("other")] })).toEqual({ batches: [], problems: [] });
  });
});

describe("a journal that can't be opened", () => {
  const state = "/state/multi-edit";
  const path = `${state}/0000000000000002.journal`;
  const empty = (): MemoryDisk => {
    const disk = memoryDisk({ files: {}, directories: [workspaceFolder, state] }, { copiesAttributes: true });
    disk.setMode(state, 0o700);
    return disk;
  };
  const refusing = (disk: MemoryDisk, code: string): DiskWorkspace => {
    disk.make(path, Buffer.from("x"), 0o600);
    const read: FileSystem["read"] = (name, most) => {
      if (name === path) throw systemError(code, name);
      return disk.read(name, most);
    };
    return { ...workspaceOn(disk), files: { ...disk, read } };
  };

  it("because the user has no permission is not touched, but named", () => {
    const workspace = refusing(empty(), "EACCES");
    const { problems, failure } = recover(workspace);
    expect([problems.length, failure]).toEqual([1, undefined]);
    expect(problems[0]).toContain(path);
    expect(journalProblems(workspace)).toEqual(problems);
    expect(stage(workspace, [create("a", "a")], "a batch").ok).toBe(true);
  });

  it("temporarily is waited for, and named", () => {
    const { failure } = recover(refusing(empty(), "EIO"));
    expect([failure?.code, failure?.message.includes(path)]).toEqual(["ioError", true]);
  });

  it.each(["0000000000000006.journal.new", "0000000000000006.journal", "nobody.0000000000000006.claim"])(
    "because it is a directory is not touched: %s",
    (name) => {
      const disk = empty();
      disk.makeDirectory(`${state}/${name}`, 0o700);
      const { problems, failure } = recover(workspaceOn(disk));
      expect([failure, problems.every((problem) => problem.includes(name))]).toEqual([undefined, true]);
      expect(problems.length).toBe(name.endsWith(".claim") ? 0 : 1);
      expect(stage(workspaceOn(disk), [create("a", "a")], "a batch").ok).toBe(true);
    },
  );
});

describe("files that moved, on a disk that refuses links to the old ones", () => {
  const chains: Readonly<Record<string, readonly DiskChange[]>> = {
    "a circle": [move("a", "b"), move("b", "a")],
    "onto a name that becomes free": [remove("a"), move("b", "a"), create("b", "new")],
    "to a new name, and another file to the old one": [move("a", "new/a"), move("b", "a")],
    "to a new name that comes first": [move("b", "a0"), update("c", "new")],
  };

  const texts = { a: "one", b: "two", c: "three" };

  /**
   * A complete batch that is rolled back because its record is refused, on a disk that refuses one link to an old file
   * and one step of the rollback in the folder.
   */
  function takenBack(changes: readonly DiskChange[], refused: { readonly link: number; readonly step: number }) {
    const files = Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [at(name), { bytes: Buffer.from(text) }]),
    );
    let [links, steps, records, isTakingBack] = [0, 0, 0, false];
    const before = (_: number, what: string): void => {
      const isKeeping = what.startsWith("link ") && what.endsWith(".old");
      if (isKeeping && links++ === refused.link) throw systemError("EMLINK", what);
      if (isTakingBack && what.includes(workspaceFolder) && steps++ === refused.step) throw systemError("EIO", what);
      if (!isCommitRecord(what) || ++records !== 3) return;
      isTakingBack = true;
      throw systemError("ENOSPC", what);
    };
    const disk = memoryDisk({ files, directories: [] }, { copiesAttributes: true }, { before });
    const staged = stage(workspaceOn(disk), changes, "a batch");
    if (!staged.ok) throw new Error(staged.failures.map(({ message }) => message).join("\n"));
    const { outcome } = staged.commit();
    isTakingBack = false;
    const wasRefused = { link: links > refused.link, step: steps > refused.step };
    const { problems } = recover(workspaceOn(disk));
    return { outcome, wasRefused, problems, texts: textsOf(disk), state: disk.list("/state/multi-edit") };
  }

  it.each(Object.entries(chains))("are moved back, %s", (_, changes) => {
    let count = 0;
    for (let link = 0, isLink = true; isLink; link++) {
      for (let step = 0, isStep = true; isStep; step++) {
        const { outcome, wasRefused, ...found } = takenBack(changes, { link, step });
        [isLink, isStep] = [wasRefused.link, wasRefused.step];
        expect(found, `link ${link}, step ${step}`).toEqual({ problems: [], texts, state: [] });
        expect(isStep ? ["rolledBack", "recoveryPending"] : ["rolledBack"]).toContain(outcome);
        count += isLink && isStep ? 1 : 0;
      }
    }
    expect(count).toBeGreaterThan(5);
  });
});
