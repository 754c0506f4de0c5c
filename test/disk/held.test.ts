/** Files that another program holds without sharing them, as is common on Windows; here, the system's code is injected. */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type FileSystem, realFileSystem, systemError } from "../../server/disk/fileSystem.js";
import { committed, refused, type Site, site, staged, update } from "./site.js";

describe("a file that another program holds without sharing it", () => {
  /** A folder with a file that is written in place, and the workspace while another program holds that file. */
  function hold() {
    const at = site({ "a.txt": "a", "b.txt": "b", "other.txt": "o", "link.txt": { hardLink: "ws/b.txt" } });
    const held = at.path("b.txt");
    let isHeld = false;
    const guard = (path: string): void => {
      if (isHeld && path === held) throw systemError("EBUSY", path);
    };
    const guarded = <A extends [path: string, ...rest: unknown[]], R>(act: (...given: A) => R) => {
      return (...given: A): R => {
        guard(given[0]);
        return act(...given);
      };
    };
    const { read, readStart, mayWrite, fill, sync, setMode } = realFileSystem;
    const files: FileSystem = {
      ...realFileSystem,
      read: guarded(read),
      readStart: guarded(readStart),
      mayWrite: guarded(mayWrite),
      fill: guarded(fill),
      sync: guarded(sync),
      setMode: guarded(setMode),
    };
    const workspace = { ...at.workspace, files };
    return { at: { ...at, workspace }, take: () => (isHeld = true), leave: () => (isHeld = false) };
  }

  const changes = (at: Site) => [update(at, "a.txt", "a", "aa"), update(at, "b.txt", "b", "bb")];

  it("is locked before anything is written, and other files are not", () => {
    const { at, take, leave } = hold();
    const names = at.names();
    take();
    expect(refused(at, changes(at))).toEqual([["locked", "b.txt"]]);
    expect([at.names(), readdirSync(at.workspace.state)]).toEqual([names, []]);
    committed(at, [update(at, "other.txt", "o", "oo")]).finish();
    leave();
    committed(at, changes(at)).finish();
    expect([at.text("a.txt"), at.text("b.txt"), at.text("link.txt")]).toEqual(["aa", "bb", "bb"]);
  });

  it("is locked, and everything is rolled back, if it is held only once the batch is staged", () => {
    const { at, take } = hold();
    const names = at.names();
    const batch = staged(at, changes(at));
    take();
    const result = batch.commit();
    expect(result).toMatchObject({ outcome: "rolledBack", failure: { code: "locked", path: "b.txt" } });
    expect([at.text("a.txt"), at.text("b.txt")]).toEqual(["a", "b"]);
    expect([at.names(), readdirSync(at.workspace.state)]).toEqual([names, []]);
    committed(at, [update(at, "other.txt", "o", "oo")]).finish();
  });

  it("is locked, too, if it is held only when it is about to be written", () => {
    const { at, take } = hold();
    const fill: FileSystem["fill"] = (...given) => {
      take();
      return at.workspace.files.fill(...given);
    };
    const names = at.names();
    const result = staged(
      { ...at, workspace: { ...at.workspace, files: { ...at.workspace.files, fill } } },
      changes(at),
    ).commit();
    expect(result).toMatchObject({ outcome: "rolledBack", failure: { code: "locked", path: "b.txt" } });
    expect([at.text("a.txt"), at.text("b.txt"), at.names()]).toEqual(["a", "b", names]);
    expect(readdirSync(at.workspace.state)).toEqual([]);
  });
});
