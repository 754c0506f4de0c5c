/**
 * File permissions at every moment of a batch: those cleared by the system are restored, and none is granted too early.
 */
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { stage } from "../../server/disk/commit.js";
import type { DiskChange } from "../../server/disk/diskChange.js";
import { systemError } from "../../server/disk/fileSystem.js";
import { recover } from "../../server/disk/recover.js";
import { type MemoryDisk, memoryDisk, PowerCut, type Trouble } from "./memoryDisk.js";
import { planOf, workspaceFolder } from "./plans.js";
import { workspaceOn } from "./simulation.js";
import { unlike } from "./verdict.js";

const at = (name: string): string => `${workspaceFolder}/${name}`;
const directories = [workspaceFolder];

it("a file that is written in place keeps its set-user-ID bit, wherever the batch is cut off or rolled back", () => {
  const change: DiskChange = { kind: "update", path: at("tool"), name: "tool", content: { text: "new\n".repeat(300) } };
  const layout = {
    files: { [at("tool")]: { bytes: Buffer.from("old\n".repeat(200)), mode: 0o6755 } },
    links: { [at("other")]: at("tool") },
    directories,
  };
  const plan = planOf(layout, [change]);
  const run = (isTakenBack: boolean, trouble: Trouble): MemoryDisk => {
    let records = 0;
    const before = (_: number, what: string): void => {
      if (isTakenBack && what.startsWith("make ") && what.endsWith(".journal.new") && ++records === 3) {
        throw systemError("ENOSPC", what);
      }
    };
    const disk = memoryDisk(layout, { copiesAttributes: true }, { ...trouble, before });
    try {
      const staged = stage(workspaceOn(disk), [change], "tool");
      const committed = staged.ok ? staged.commit() : undefined;
      if (committed?.outcome !== (isTakenBack ? "rolledBack" : "applied"))
        throw new Error(`it is ${committed?.outcome}`);
      if (committed.outcome === "applied") committed.finish();
    } catch (error) {
      if (!(error instanceof PowerCut)) throw error;
    }
    return disk;
  };
  for (const isTakenBack of [false, true]) {
    const whole = run(isTakenBack, {});
    expect(unlike(whole.tree(workspaceFolder), plan, [isTakenBack ? "old" : "new"])).toBeUndefined();
    for (let cutAt = 0; cutAt < whole.steps(); cutAt++) {
      // The recovery, too, is cut off at every step.
      for (let again = 0; ; again++) {
        const found = run(isTakenBack, { cutAt }).afterKill({ cutAt: again });
        const isCut = isCutOff(() => recover(workspaceOn(found)));
        const last = found.afterKill();
        recover(workspaceOn(last));
        expect(unlike(last.tree(workspaceFolder), plan, ["old", "new"]), `${cutAt}, ${again}`).toBeUndefined();
        if (!isCut) break;
      }
    }
  }
});

function isCutOff(act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch (error) {
    if (!(error instanceof PowerCut)) throw error;
    return true;
  }
}

it("the bits of another user's file can't be restored, and a warning says so", () => {
  const layout = { files: { [at("tool")]: { bytes: Buffer.from("old"), mode: 0o4755, owner: 7 } }, directories };
  const workspace = workspaceOn(memoryDisk(layout, { copiesAttributes: true }));
  const owners = { ...workspace.owners, user: 0 };
  const change: DiskChange = { kind: "update", path: at("tool"), name: "tool", content: { text: "new" } };
  const warningsOf = (user: number): readonly string[] => {
    const files = memoryDisk(layout, { copiesAttributes: true });
    files.makeDirectory(dirname(workspace.state), 0o700);
    files.makeDirectory(workspace.state, 0o700);
    files.setOwner(workspace.state, user);
    const staged = stage({ ...workspace, files, owners: { ...owners, user } }, [change], "tool");
    if (!staged.ok) throw new Error(staged.failures[0]?.message);
    return staged.warnings;
  };
  expect(warningsOf(8)).toEqual([expect.stringMatching(/^tool belongs to another user, .*set-user-ID/)]);
  expect(warningsOf(0)).toEqual([]);
});

it.each([true, false])(
  "no other user may read a copy before it has all attributes (which can be copied: %s)",
  (can) => {
    const layout = { files: { [at("a")]: { bytes: Buffer.from("old"), mode: 0o660 } }, directories };
    const disk = memoryDisk(layout, { copiesAttributes: can });
    const steps: string[] = [];
    const files = {
      ...disk,
      setMode(path: string, mode: number) {
        steps.push(`mode ${mode.toString(8)}`);
        disk.setMode(path, mode);
      },
      copyAttributes(pairs: Parameters<typeof disk.copyAttributes>[0]) {
        steps.push("attributes");
        return disk.copyAttributes(pairs);
      },
    };
    const change: DiskChange = {
      kind: "rename",
      path: at("a"),
      target: at("b"),
      name: "a",
      content: { text: "new" },
    };
    const staged = stage({ ...workspaceOn(disk), files }, [change], "a");
    expect(staged.ok).toBe(true);
    expect(steps).toEqual(can ? ["attributes"] : ["attributes", "mode 660"]);
    const staging = disk.list(workspaceFolder).filter((name) => name.endsWith(".new"));
    expect(staging.map((name) => disk.look(at(name))?.mode)).toEqual([0o660]);
  },
);
