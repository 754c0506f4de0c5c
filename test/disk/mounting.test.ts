/**
 * Recovery waits for a disk that is not mounted when the server looks for the leftovers of a crash, but not for one
 * whose device number has merely changed.
 */
import { describe, expect, it } from "vitest";
import { type FileSystem, systemError } from "../../server/disk/fileSystem.js";
import { recover } from "../../server/disk/recover.js";
import { type MemoryDisk, PowerCut } from "./memoryDisk.js";
import { at, moveDirectory, nth, play, recovered, state, textsOf, update } from "./scene.js";
import { workspaceOn } from "./simulation.js";

describe("a disk that is not mounted when the server looks", () => {
  const killed = (): MemoryDisk => {
    const kills = nth(1, (what) => what === `rename ${at("far/b")}`);
    const { disk } = play(
      { "far/a": "old a", "far/b": "old b" },
      [update("far/a", "new a"), update("far/b", "new b")],
      {
        before: (what, isCommitting) => {
          if (kills(what, isCommitting)) throw new PowerCut();
        },
      },
    );
    return disk;
  };
  /**
   * The disk, with another disk mounted at `far`; the mounted disk has a different device number and, if `isEmpty` is
   * `true`, no files.
   */
  const with2 = (disk: MemoryDisk, isEmpty: boolean): FileSystem => ({
    ...disk,
    look: (path) => {
      const found = disk.look(path);
      if (!path.startsWith(at("far"))) return found;
      if (isEmpty && path !== at("far")) return undefined;
      return found === undefined ? undefined : { ...found, device: "2" };
    },
  });

  it("is waited for", () => {
    const disk = killed();
    const { batches, failure } = recover({ ...workspaceOn(disk), files: with2(disk, true) });
    expect(batches.map(({ outcome }) => outcome)).toEqual(["pending"]);
    expect(failure?.message).toContain("not mounted");
    expect(disk.list(state)).toHaveLength(1);
    expect(recovered(disk).map(({ outcome, foreign }) => [outcome, foreign])).toEqual([["rolledBack", []]]);
    expect([textsOf(disk), disk.list(state)]).toEqual([{ "far/a": "old a", "far/b": "old b" }, []]);
  });

  it("is not reported as missing if only its files differ, as after a checkout, and it has another number", () => {
    const disk = killed();
    for (const name of disk.list(at("far"))) disk.unlink(at(`far/${name}`));
    for (const name of ["a", "b"]) disk.make(at(`far/${name}`), Buffer.from("checked out"), 0o644);
    const { batches, failure } = recover({ ...workspaceOn(disk), files: with2(disk, false) });
    expect([batches.map(({ outcome }) => outcome), failure]).toEqual([["rolledBack"], undefined]);
    expect(textsOf(disk)).toEqual({ "far/a": "checked out", "far/b": "checked out" });
    expect(disk.list(state)).toEqual([]);
  });

  it("is not waited for if a look-up fails temporarily, so that nothing is rolled back twice", () => {
    const disk = killed();
    let looks = 0;
    const look = (path: string) => {
      if (path === at("far/a") && ++looks === 1) throw systemError("EMFILE", path);
      return disk.look(path);
    };
    const { batches } = recover({ ...workspaceOn(disk), files: { ...disk, look } });
    expect(batches.map(({ outcome }) => outcome)).toEqual(["rolledBack"]);
    expect([textsOf(disk), disk.list(state)]).toEqual([{ "far/a": "old a", "far/b": "old b" }, []]);
  });

  it("is waited for even if the first look-up fails for another reason", () => {
    const disk = killed();
    const away = with2(disk, true);
    let looks = 0;
    const look = (path: string) => {
      if (path === at("far/a") && ++looks === 1) throw systemError("EMFILE", path);
      return away.look(path);
    };
    const { batches } = recover({ ...workspaceOn(disk), files: { ...away, look } });
    expect(batches.map(({ outcome, code }) => [outcome, code])).toEqual([["pending", "ENOMEDIUM"]]);
    expect(recovered(disk).map(({ outcome }) => outcome)).toEqual(["rolledBack"]);
    expect(textsOf(disk)).toEqual({ "far/a": "old a", "far/b": "old b" });
  });

  it("is recognised by its files, whatever number it has by then", () => {
    const disk = killed();
    const { batches } = recover({ ...workspaceOn(disk), files: with2(disk, false) });
    expect(batches.map(({ outcome, foreign }) => [outcome, foreign])).toEqual([["rolledBack", []]]);
    expect([textsOf(disk), disk.list(state)]).toEqual([{ "far/a": "old a", "far/b": "old b" }, []]);
  });

  it("is not waited for if the directory was removed from the same disk", () => {
    const disk = killed();
    moveDirectory(disk, "far", "farther");
    expect(recovered(disk).map(({ outcome }) => outcome)).toEqual(["rolledBack"]);
    expect(disk.list(state)).toEqual([]);
  });
});
