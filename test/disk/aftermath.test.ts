/**
 * After a crash, a refusal or an intervening clean-up program, a batch's leftovers are reported truthfully and never
 * reappear later.
 */
import { describe, expect, it } from "vitest";
import { stage } from "../../server/disk/commit.js";
import type { DiskChange } from "../../server/disk/diskChange.js";
import { type FileSystem, realFileSystem, systemError } from "../../server/disk/fileSystem.js";
import { type Journal, journalPath, writeJournal } from "../../server/disk/journal.js";
import { recover } from "../../server/disk/recover.js";
import { limits } from "../../server/text/limits.js";
import { type MemoryDisk, memoryDisk, PowerCut } from "./memoryDisk.js";
import { workspaceFolder } from "./plans.js";
import {
  at,
  type Before,
  create,
  forgetful,
  isCommitRecord,
  isStateSync,
  moveDirectory,
  nth,
  play,
  recovered,
  remove,
  state,
  textsOf,
  update,
} from "./scene.js";
import { workspaceOn } from "./simulation.js";

describe("a batch that was rolled back, but of which a temporary file could not be removed", () => {
  /** `full` and `stuck` select the steps to refuse; `note` is called right before the step that `full` selects. */
  const rolledBack = (
    [texts, changes]: readonly [Record<string, string>, readonly DiskChange[]],
    [full, stuck]: readonly ((what: string, isCommitting: boolean) => boolean)[],
    note: (disk: MemoryDisk) => void = () => undefined,
  ): MemoryDisk => {
    const { disk, told } = play(texts, changes, {
      before: (what, isCommitting, now) => {
        if (full?.(what, isCommitting)) {
          note(now);
          throw systemError("EACCES", what);
        }
        if (stuck?.(what, isCommitting)) throw systemError("EIO", what);
      },
    });
    expect(told?.[0]).toBe("rolledBack");
    expect(told?.[1]).toContain("will be removed later");
    expect(disk.list(state)).toHaveLength(1);
    return disk;
  };

  it.each(["deleted", "moved", "replaced"])("is not rolled back again if a file is %s afterwards", (what) => {
    const disk = rolledBack(
      [{ a: "old a", b: "old b" }, [remove("a"), update("b", "new b")]],
      [nth(2, isCommitRecord), nth(1, (step) => step.startsWith(`unlink ${at(".multi-edit-")}`))],
    );
    const expected: Record<string, string> = { b: "old b" };
    if (what === "deleted") disk.unlink(at("a"));
    if (what === "moved") {
      disk.rename(at("a"), at("c"));
      expected.c = "old a";
    }
    if (what === "replaced") {
      disk.make(at("theirs"), Buffer.from("theirs"), 0o644);
      disk.rename(at("theirs"), at("a"));
      expected.a = "theirs";
    }
    expect(recovered(disk).map(({ outcome, foreign }) => [outcome, foreign])).toEqual([["rolledBack", []]]);
    expect([textsOf(disk), disk.list(state)]).toEqual([expected, []]);
  });

  it("does not touch the file that the next call creates with the same inode number and the same bytes", () => {
    const made: (string | undefined)[] = [];
    const disk = rolledBack(
      [{ "lib/b": "old b" }, [create("x", "text"), update("lib/b", "new b")]],
      [
        nth(1, (step) => step === `rename ${at("lib/b")}`),
        nth(1, (step) => step.startsWith(`unlink ${at("lib/.multi-edit-")}`)),
      ],
      (now) => made.push(now.look(at("x"))?.inode),
    );
    disk.sync(workspaceFolder);
    // Other files use up the free inode numbers until `x` gets its previous number again.
    for (let count = 0; disk.look(at("x"))?.inode !== made[0]; count++) {
      expect(count).toBeLessThan(20);
      if (count > 0) disk.rename(at("x"), `/state/${count}`);
      disk.make(at("x"), Buffer.from("text"), 0o644);
    }
    recovered(disk);
    expect([textsOf(disk), disk.list(state)]).toEqual([{ "lib/b": "old b", x: "text" }, []]);
  });
});

describe("a commit record that may not last", () => {
  const changes = [update("a", "new a"), create("b", "new b")];
  const old = { a: "old a" };
  const all = { a: "new a", b: "new b" };

  it("is written again, so that a batch that was reported as applied survives a power cut", () => {
    const fails = nth(2, isStateSync);
    const cuts = nth(1, (what) => what.startsWith(`unlink ${state}`) && what.endsWith(".journal"));
    const { disk, told } = play(old, changes, {
      before: (what, isCommitting) => {
        if (fails(what, isCommitting)) throw systemError("EIO", what);
        if (cuts(what, isCommitting)) throw new PowerCut();
      },
    });
    expect(told).toBeUndefined();
    const later = disk.afterCut(forgetful);
    expect(recovered(later).map(({ outcome }) => outcome)).toEqual(["applied"]);
    expect(textsOf(later)).toEqual(all);
  });

  it("and can't be written again is not reported as success, and the batch is complete as soon as the disk allows", () => {
    let syncs = 0;
    const { disk, told } = play(old, changes, {
      before: (what, isCommitting) => {
        if (isCommitting && isStateSync(what) && ++syncs > 1) throw systemError("EIO", what);
      },
    });
    expect(told?.[0]).toBe("recoveryPending");
    expect(told?.[1]).toContain("did not confirm that the changes will last");
    const later = disk.afterKill();
    expect(recovered(later).map(({ outcome }) => outcome)).toEqual(["applied"]);
    expect([textsOf(later), later.list(state)]).toEqual([all, []]);
    // The power may also fail earlier.
    const lost = disk.afterCut(forgetful);
    expect(recovered(lost).map(({ outcome }) => outcome)).toEqual(["rolledBack"]);
    expect([textsOf(lost), lost.list(state)]).toEqual([old, []]);
  });

  it("is not trusted because of a second sync after one that was refused", () => {
    let syncs = 0;
    const { disk } = play(old, changes, {
      before: (what, isCommitting) => {
        if (isCommitting && isStateSync(what) && ++syncs > 1) throw systemError("EIO", what);
      },
    });
    // As on Linux, the system forgets the refusal, so the next sync succeeds.
    let [refusals, isCut] = [0, false];
    const second: MemoryDisk = disk.afterKill({
      before: (_, what) => {
        isCut ||= what.startsWith(`unlink ${state}`) && what.endsWith(".journal");
        if (isCut) throw new PowerCut();
      },
    });
    const sync = (path: string): void => {
      if (path !== state) second.sync(path);
      else if (++refusals === 1) throw systemError("EIO", path);
    };
    const { batches } = recover({ ...workspaceOn(second), files: { ...second, sync } });
    expect(batches.map(({ outcome }) => outcome)).toEqual(["pending"]);
    const third = second.afterCut(forgetful);
    recovered(third);
    expect([old, all]).toContainEqual(textsOf(third));
  });

  it("is synced by a recovery before it removes the temporary files", () => {
    const kills = nth(2, isStateSync);
    const { disk } = play(old, changes, {
      before: (what, isCommitting) => {
        if (kills(what, isCommitting)) throw new PowerCut();
      },
    });
    for (let cutAt = 0, isCut = true; isCut; cutAt++) {
      const second = disk.afterKill({ cutAt });
      try {
        recovered(second);
        isCut = false;
      } catch (error) {
        if (!(error instanceof PowerCut)) throw error;
      }
      const third = second.afterCut(forgetful);
      recovered(third);
      expect([old, all], `cut off at ${cutAt}`).toContainEqual(textsOf(third));
      expect(third.list(state)).toEqual([]);
    }
  });
});

describe("a file that is written in place", () => {
  const links = { "e/link": "d/a" };
  const texts = { "d/a": "the old text of a", b: "old b" };
  const changes = [update("d/a", "THE NEW TEXT"), update("b", "new b")];

  it.each(["killed", "refused"])("is durable after a rollback whose sync was %s once", (what) => {
    const [full, stops] = [nth(2, isCommitRecord), nth(2, (step) => step === `sync ${at("d/a")}`)];
    const { disk } = play(texts, changes, {
      links,
      before: (step, isCommitting) => {
        if (full(step, isCommitting)) throw systemError("ENOSPC", step);
        if (stops(step, isCommitting)) throw what === "killed" ? new PowerCut() : systemError("EIO", step);
      },
    });
    expect(recovered(disk).map(({ outcome }) => outcome)).toEqual(["rolledBack"]);
    const later = disk.afterCut(forgetful);
    expect(recovered(later)).toEqual([]);
    expect(textsOf(later)).toEqual({ ...texts, "e/link": texts["d/a"] });
  });

  it("is named if its copy is gone", () => {
    const kills = nth(2, (step) => step === `write ${at("d/a")}`);
    const { disk } = play(texts, changes, {
      links,
      before: (step, isCommitting) => {
        if (kills(step, isCommitting)) throw new PowerCut();
      },
    });
    for (const name of disk.list(state)) if (name.endsWith(".old")) disk.unlink(`${state}/${name}`);
    expect(recovered(disk)[0]?.foreign).toEqual([{ path: at("d/a"), isLost: true }]);
  });

  it("keeps its old text at the reported path if its directory has another name by then", () => {
    const kills = nth(2, (step) => step === `write ${at("d/a")}`);
    const { disk } = play(texts, changes, {
      links,
      before: (step, isCommitting) => {
        if (kills(step, isCommitting)) throw new PowerCut();
      },
    });
    moveDirectory(disk, "d", "d2");
    const [batch] = recovered(disk);
    const [{ path = "", kept = "" } = {}] = batch?.foreign ?? [];
    expect(path).toBe(at("d/a"));
    expect(disk.read(kept, 100).toString()).toBe(texts["d/a"]);
    expect(batch?.message).toContain(kept);
  });
});

it("a batch is rolled back even if the directory of the journals is no longer writable", () => {
  let isFull = false;
  const { disk, told } = play({ a: "old a", b: "old b" }, [update("a", "new a"), update("b", "new b")], {
    before: (what, isCommitting) => {
      isFull ||= isCommitting && what === `rename ${at("b")}`;
      if (isFull && (what === `rename ${at("b")}` || what.includes(state))) throw systemError("EIO", what);
    },
  });
  expect([told?.[0], textsOf(disk).a]).toEqual(["recoveryPending", "old a"]);
});

describe("a directory that can be entered, but neither listed nor written", () => {
  const texts = { "d/a": "old a", b: "old b" };
  const changes = [update("d/a", "new a"), update("b", "new b")];
  /** The same disk, except that its directory `d` cannot be opened, and therefore cannot be synced. */
  const closed = (disk: MemoryDisk): FileSystem => ({
    ...disk,
    mayWrite: (path) => path !== at("d") && disk.mayWrite(path),
    sync: (path) => {
      if (path === at("d")) throw systemError("EACCES", path);
      disk.sync(path);
    },
  });
  const staged = (before: Before = () => undefined) => {
    const files = Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [at(name), { bytes: Buffer.from(text) }]),
    );
    const step = (_: number, what: string): void => before(what, true, disk);
    const disk: MemoryDisk = memoryDisk({ files, directories: [] }, { copiesAttributes: true }, { before: step });
    const batch = stage({ ...workspaceOn(disk), files: closed(disk) }, changes, "a batch");
    if (!batch.ok) throw new Error(batch.failures.map(({ message }) => message).join("\n"));
    return { disk, batch };
  };

  it("has its files written in place", () => {
    const { disk, batch } = staged();
    const committed = batch.commit();
    if (committed.outcome === "applied") committed.finish();
    expect([textsOf(disk), disk.list(state)]).toEqual([{ "d/a": "new a", b: "new b" }, []]);
  });

  it("has its old files again if the batch fails", () => {
    const full = nth(3, isCommitRecord);
    const { disk, batch } = staged((what) => {
      if (full(what, true)) throw systemError("ENOSPC", what);
    });
    expect([batch.commit().outcome, textsOf(disk), disk.list(state)]).toEqual(["rolledBack", texts, []]);
  });

  it("is not a reason to keep the journal of a batch that was not committed", () => {
    const { disk, batch } = staged();
    batch.abandon();
    expect([textsOf(disk), disk.list(state)]).toEqual([texts, []]);
  });
});

describe("temporary files that another program has removed", () => {
  const old = { a: "old a", b: "old b", c: "old c" };
  const clean = (disk: FileSystem): void => {
    for (const name of disk.list(workspaceFolder)) if (name.startsWith(".multi-edit-")) disk.unlink(at(name));
  };

  it("in the middle of a commit are reported, with the files that can't be restored", () => {
    const kills = nth(1, (what) => what === `rename ${at("b")}`);
    const { disk } = play(old, [update("a", "new a"), update("b", "new b"), create("n", "new n")], {
      before: (what, isCommitting) => {
        if (kills(what, isCommitting)) throw new PowerCut();
      },
    });
    clean(disk);
    const [batch] = recovered(disk);
    expect(batch?.foreign).toEqual([{ path: at("a"), isLost: true }]);
    expect(batch?.message).toContain(`${at("a")} (the copy of its old text is gone)`);
    expect([textsOf(disk), disk.list(state)]).toEqual([{ ...old, a: "new a" }, []]);
  });

  it("with a deleted file among them are reported, too", () => {
    const full = nth(2, isCommitRecord);
    const { disk, told } = play(old, [remove("a")], {
      before: (what, isCommitting) => {
        if (full(what, isCommitting)) throw new PowerCut();
      },
    });
    expect(told).toBeUndefined();
    clean(disk);
    expect(recovered(disk)[0]?.foreign).toEqual([{ path: at("a") }]);
  });

  it("before the commit stop it, and nothing is changed", () => {
    const { disk, told } = play(old, [update("a", "new a"), update("b", "new b")], {
      between: (later) => {
        for (const name of later.list(workspaceFolder)) if (name.endsWith(".old")) later.unlink(at(name));
      },
    });
    expect(told?.[0]).toBe("rolledBack");
    expect(told?.[1]).toContain("removed the copy that was kept");
    expect([textsOf(disk), disk.list(state)]).toEqual([old, []]);
  });
});

it("a journal that is too large to be read again is not written", () => {
  const disk = memoryDisk({ files: {}, directories: [workspaceFolder, state] }, { copiesAttributes: true });
  const id = "0123456789abcdef";
  const directories = Array.from({ length: 70_000 }, (_, i) => `/ws/${"x".repeat(1_000)}${i}`);
  const journal: Journal = { version: 1, id, state: "staged", label: "x", started: 0, entries: [], directories };
  expect(() => writeJournal(workspaceOn(disk), journal)).toThrow("EFBIG");
  expect(limits.journalBytes).toBeLessThan(70_000 * 1_000);
  expect(disk.look(journalPath(state, id))).toBeUndefined();
  expect(disk.list(state)).toEqual([]);
});

// On other systems, there is no known directory that can't be synced.
it.runIf(process.platform === "linux")("a disk that does not support the sync of directories causes no failure", () => {
  const directory = `/proc/${process.pid}`;
  realFileSystem.sync(directory);
  expect(() => realFileSystem.sync(`${directory}/status`)).toThrow("EINVAL");
});
