/** Another program writes during a batch: its text is kept or can be recovered, and the batch reports the truth. */
import fs, { appendFileSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { stage } from "../../server/disk/commit.js";
import { targetOf } from "../../server/disk/diskChange.js";
import { realFileSystem } from "../../server/disk/fileSystem.js";
import { recover } from "../../server/disk/recover.js";
import { makeDirectory } from "../support/directory.js";
import { type MemoryDisk, memoryDisk } from "./memoryDisk.js";
import { chooser, randomPlan, type Tree, type TrialPlan, workspaceFolder } from "./plans.js";
import { overwrite } from "./scene.js";
import { workspaceOn } from "./simulation.js";

interface Meddling {
  /** The other program's action on a file; returns `false` if that action is impossible. */
  readonly act: (disk: MemoryDisk, path: string) => boolean;
  /**
   * Steps right before which an action escapes every check, because the other program writes between the check and the
   * step.
   */
  readonly tooLate: RegExp;
}

const theirs = Buffer.from("written by somebody else\n");

const meddlings: Readonly<Record<string, Meddling>> = {
  "writes into it": {
    act: (disk, path) => isFile(disk, path) && done(overwrite(disk.outside(), path, theirs)),
    // Between the check and the step, only a file that is written in place or removed again can be changed.
    tooLate: /^(?:open|write|truncate|unlink) /,
  },
  "appends to it": {
    act: (disk, path) => isFile(disk, path) && done(overwrite(disk.outside(), path, appended(disk, path))),
    // Before the file is cut to its new length, its size is checked once more.
    tooLate: /^(?:truncate|unlink) /,
  },
  "writes as many bytes into it as it had": {
    act: (disk, path) => {
      const size = disk.outside().look(path)?.size ?? 0;
      if (!isFile(disk, path) || size < theirs.length) return false;
      const padded = Buffer.concat([Buffer.alloc(size - theirs.length, "."), theirs]);
      return done(overwrite(disk.outside(), path, padded));
    },
    tooLate: /^(?:open|write|truncate|unlink) /,
  },
  "puts another file in its place": {
    act: (disk, path) => {
      if (!isFile(disk, path)) return false;
      disk.outside().make(`${path}-theirs`, theirs, 0o644);
      return done(disk.outside().rename(`${path}-theirs`, path));
    },
    tooLate: /^(?:open|write|truncate|unlink|rename) /,
  },
  "creates a file that did not exist": {
    act: (disk, path) => {
      const isFree = disk.outside().look(path) === undefined && disk.outside().look(dirname(path)) !== undefined;
      return isFree && done(disk.outside().make(path, theirs, 0o644));
    },
    tooLate: /^$/,
  },
};

const isFile = (disk: MemoryDisk, path: string): boolean => disk.outside().look(path)?.kind === "file";
const appended = (disk: MemoryDisk, path: string): Buffer =>
  Buffer.concat([disk.outside().read(path, Number.POSITIVE_INFINITY), theirs]);
const done = (_: unknown): true => true;

describe.each(Object.entries(meddlings))("another program that %s", (_, { act, tooLate }) => {
  it("before any step loses nothing, except between the last check and the step", () => {
    let trials = 0;
    for (let seed = 1; trials < 500; seed++) {
      const plan = randomPlan(chooser(seed));
      const steps = writeBatch(plan, () => undefined).disk.steps();
      const change = plan.changes[seed % plan.changes.length]!;
      const path = chooser(seed)(2) === 0 ? change.path : (targetOf(change) ?? change.path);
      for (let at = 0; at < steps; at++) {
        let [isDone, deed] = [false, ""];
        const { disk, outcome } = writeBatch(plan, (self, step, what) => {
          if (step === at && act(self, path)) [isDone, deed] = [true, what];
        });
        if (!isDone) continue;
        if (deed.endsWith(` ${path}`) && tooLate.test(deed)) continue;
        trials++;
        const { batches } = recover(workspaceOn(disk));
        const kept = batches.flatMap(({ foreign }) => foreign.flatMap((one) => one.kept ?? []));
        const found = [...disk.tree(workspaceFolder).values()].some((text) => text?.endsWith(theirs.toString()));
        expect(found, `seed ${seed}, step ${at} (${deed}), ${outcome}, kept ${kept}`).toBe(true);
        expectRest(disk, { plan, path, outcome });
      }
    }
  });
});

describe("another program that writes the same bytes as the batch in a file of its own", () => {
  it("before any step keeps that file, except between the last check and the step", () => {
    let trials = 0;
    for (let seed = 1; trials < 500; seed++) {
      const plan = randomPlan(chooser(seed));
      const change = plan.changes[seed % plan.changes.length]!;
      const path = targetOf(change) ?? change.path;
      const text = plan.new.get(path);
      if (text === undefined) continue;
      const bytes = Buffer.from(text.slice(text.indexOf(" ") + 1));
      const steps = writeBatch(plan, () => undefined).disk.steps();
      for (let at = 0; at < steps; at++) {
        let [inode, deed] = ["", ""];
        const { disk, outcome } = writeBatch(plan, (self, step, what) => {
          const outside = self.outside();
          if (step !== at || outside.look(dirname(path)) === undefined) return;
          outside.make(`${path}-theirs`, bytes, 0o644);
          outside.rename(`${path}-theirs`, path);
          [inode, deed] = [outside.look(path)?.inode ?? "", what];
        });
        if (inode === "" || (deed.endsWith(` ${path}`) && /^(?:unlink|rename) /.test(deed))) continue;
        trials++;
        recover(workspaceOn(disk));
        const inodes = [...disk.tree(workspaceFolder).keys()].map((name) => disk.look(name)?.inode);
        expect(inodes, `seed ${seed}, step ${at} (${deed}), ${outcome}`).toContain(inode);
        expectRest(disk, { plan, path, outcome });
      }
    }
  });
});

describe("another program that appends to a file while it is written in place", () => {
  it.each([
    ["shorter", "new\n"],
    ["longer", "new\n".repeat(9)],
  ])("keeps its lines if the new text is %s, and the old text stays", (_, text) => {
    const path = join(makeDirectory({ "a.log": "old line\n" }), "a.log");
    const before = readFileSync(path);
    const { writeSync } = fs;
    // After our own first write, as if the other program had been quicker than our next call.
    fs.writeSync = ((...given: Parameters<typeof writeSync>) => {
      const written = writeSync(...given);
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
      appendFileSync(path, theirs);
      return written;
    }) as typeof writeSync;
    syncBuiltinESMExports();
    expect(realFileSystem.fill(path, Buffer.from(text), before)).toBe(false);
    expect(readFileSync(path, "utf8")).toBe(`old line\n${theirs}`);
  });
});

function writeBatch(plan: TrialPlan, before: (disk: MemoryDisk, step: number, what: string) => void) {
  const disk: MemoryDisk = memoryDisk(
    plan.layout,
    { copiesAttributes: true },
    { before: (step, what) => before(disk, step, what) },
  );
  const staged = stage(workspaceOn(disk), plan.changes, "a batch");
  if (!staged.ok) return { disk, outcome: "refused" };
  const committed = staged.commit();
  if (committed.outcome === "applied") committed.finish();
  return { disk, outcome: committed.outcome };
}

/** Checks that all files untouched by the other program are in the state that the outcome implies. */
function expectRest(
  disk: MemoryDisk,
  { plan, path, outcome }: { readonly plan: TrialPlan; readonly path: string; readonly outcome: string },
): void {
  const side = outcome === "applied" ? plan.new : plan.old;
  // A program that writes to a file changes it under all of its names, even those that it is about to lose or get.
  const same = plan.changes.map((change) => [change.path, targetOf(change)]).filter((names) => names.includes(path));
  const met = new Set([path, ...same.flat()]);
  const isOthers = (name: string): boolean => !met.has(name) && !/link\d$|\.multi-edit-/.test(name);
  const others = (tree: Tree): [string, string | undefined][] =>
    [...tree].filter(([name, text]) => text !== undefined && isOthers(name)).sort();
  expect(others(disk.tree(workspaceFolder))).toEqual(others(side));
}
