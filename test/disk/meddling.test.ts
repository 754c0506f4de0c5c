/** Another program writes while a batch is being written: what it wrote is found again, and the batch does not lie about it. */
import { describe, expect, it } from "vitest";
import { stage } from "../../server/disk/commit.js";
import { recover } from "../../server/disk/recover.js";
import { type MemoryDisk, memoryDisk } from "./memoryDisk.js";
import { chooser, randomPlan, type Tree, type TrialPlan, workspaceFolder } from "./plans.js";
import { workspaceOn } from "./simulation.js";

/** What the other program does to one file. */
const meddlings = {
  "writes into it": (disk: MemoryDisk, path: string) => disk.outside().fill(path, theirs),
  "puts another file in its place": (disk: MemoryDisk, path: string) => {
    disk.outside().make(`${path}-theirs`, theirs, 0o644);
    disk.outside().rename(`${path}-theirs`, path);
  },
} as const;

const theirs = Buffer.from("written by somebody else\n");

/** The other program is as quick as lightning here: it writes right before a step, which is about the very same file. */
const isTooLate: Readonly<Record<keyof typeof meddlings, RegExp>> = {
  // Only a file that is written in place, or taken away again, can be met between the look and the deed.
  "writes into it": /^(?:open|write|truncate|unlink) /,
  "puts another file in its place": /^(?:open|write|truncate|unlink|rename) /,
};

describe.each(Object.keys(meddlings) as (keyof typeof meddlings)[])("another program that %s", (meddling) => {
  it("before any step loses nothing, but in the moment between the last look and the deed", () => {
    let [trials, late] = [0, 0];
    for (let seed = 1; trials < 800; seed++) {
      const plan = randomPlan(chooser(seed));
      const steps = writeBatch(plan, () => undefined).disk.steps();
      const path = chooser(seed)(2) === 0 ? plan.changes[0]!.path : (plan.changes[0]!.target ?? plan.changes[0]!.path);
      for (let at = 0; at < steps; at++) {
        let [isDone, deed] = [false, ""];
        const { disk, outcome } = writeBatch(plan, (self, step, what) => {
          if (step !== at || self.outside().look(path) === undefined) return;
          meddlings[meddling](self, path);
          [isDone, deed] = [true, what];
        });
        if (!isDone) continue;
        if (deed.endsWith(` ${path}`) && isTooLate[meddling].test(deed)) {
          late++;
          continue;
        }
        trials++;
        const { batches } = recover(workspaceOn(disk));
        const kept = batches.flatMap(({ foreign }) => foreign.flatMap((one) => one.kept ?? []));
        const found = [...disk.tree(workspaceFolder).values()].some((text) => text?.endsWith(theirs.toString()));
        expect(found, `seed ${seed}, step ${at} (${deed}), ${outcome}, kept ${kept}`).toBe(true);
        expectRest(disk, { plan, path, outcome });
      }
    }
    expect(late).toBeGreaterThan(0);
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

/** All files that nobody meddled with are as the outcome says. */
function expectRest(
  disk: MemoryDisk,
  { plan, path, outcome }: { readonly plan: TrialPlan; readonly path: string; readonly outcome: string },
): void {
  const side = outcome === "applied" ? plan.new : plan.old;
  // Whoever writes into a file writes it under all its names, also those that it leaves or gets.
  const same = plan.changes.map((change) => [change.path, change.target]).filter((names) => names.includes(path));
  const met = new Set([path, ...same.flat()]);
  const isOthers = (name: string): boolean => !met.has(name) && !/link\d$|\.multi-edit-/.test(name);
  const others = (tree: Tree): [string, string | undefined][] =>
    [...tree].filter(([name, text]) => text !== undefined && isOthers(name)).sort();
  expect(others(disk.tree(workspaceFolder))).toEqual(others(side));
}
