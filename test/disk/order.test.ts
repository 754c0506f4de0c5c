/** The order in which a batch makes and removes names and syncs them: on the simulated disk, and as real system calls. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stage } from "../../server/disk/commit.js";
import { newId } from "../../server/disk/recover.js";
import { buildProgram, type Program } from "../support/build.js";
import { lawRuns } from "../support/extent.js";
import { type MemoryDisk, memoryDisk } from "./memoryDisk.js";
import { chooser, randomPlan, type TrialPlan, workspaceFolder } from "./plans.js";
import { layOut, writeTask } from "./realTree.js";
import { workspaceOn } from "./simulation.js";
import { smallPlans } from "./smallPlans.js";
import { straceProblem } from "./strace.js";

/** Writes a batch on a simulated disk, and calls a function before each of its steps. */
function writeBatch(plan: TrialPlan, before: (disk: MemoryDisk, what: string) => void): void {
  const disk: MemoryDisk = memoryDisk(
    plan.layout,
    { copiesAttributes: true },
    { before: (_, what) => before(disk, what) },
  );
  const staged = stage(workspaceOn(disk), plan.changes, "a batch", { onCommit: { kind: "keep", id: newId() } });
  if (!staged.ok) return; // A few random batches want a name that is taken.
  const committed = staged.commit();
  if (committed.outcome !== "applied") throw new Error(committed.failure.message);
  committed.finish();
}

describe("a file that is moved", () => {
  it("has its old name or its new one at each step: old names are removed after new ones are made", () => {
    const plans = [
      ...smallPlans(2),
      ...Array.from({ length: lawRuns(400) }, (_, seed) => ({ name: `${seed}`, plan: randomPlan(chooser(seed)) })),
    ];
    let moves = 0;
    for (const { name, plan } of plans) {
      const moved = plan.changes.flatMap((change) => (change.kind === "rename" ? [[change.path, change.target]] : []));
      writeBatch(plan, (disk, what) => {
        for (const names of moved) {
          moves++;
          const has = names.filter((path) => disk.outside().look(path!)?.kind === "file");
          expect(has, `${name}, before ${what}`).not.toEqual([]);
        }
      });
    }
    expect(moves).toBeGreaterThan(1_000);
  });
});

const reason = straceProblem();

describe("the real calls of a batch", () => {
  let program: Program;
  beforeAll(async () => {
    program = await buildProgram(new URL("driver.ts", import.meta.url));
  });
  afterAll(() => program.remove());

  it.runIf(reason === undefined || process.env.REQUIRE_FAULTS === "1").each(smallPlans(1))(
    "sync files and folders when the simulated disk does: $name",
    { timeout: 60_000 },
    ({ plan }) => {
      const root = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-order-")));
      try {
        const site = { ...layOut(root, plan), state: join(root, "state/multi-edit") };
        const log = join(root, "calls");
        const calls = "trace=fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,rmdir";
        const driver = [process.execPath, program.path, writeTask(site, "apply", plan)];
        execFileSync("strace", ["-q", "-y", "-s", "4096", "-o", log, "-e", calls, ...driver], { stdio: "pipe" });
        const expected: string[] = [];
        writeBatch(plan, (_, what) => expected.push(plain(what)));
        const real = readFileSync(log, "utf8")
          .split("\n")
          .flatMap((line) => stepOf(line, root) ?? []);
        const compared = /^(?:sync|rename|link|unlink|mkdir|rmdir) /;
        expect(real).toEqual(expected.filter((step) => compared.test(step)));
        expect(real.filter((step) => step.startsWith("sync ")).length).toBeGreaterThan(3);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    },
  );
});

/**
 * A step of the simulated disk without the random parts of its names. Syncs have the whole path, other steps only the name,
 * because the real calls name a directory by its descriptor.
 */
function plain(what: string): string {
  const [, verb = "", path = ""] = /^(\w+) (.*)$/.exec(what) ?? [];
  const name = verb === "sync" ? path : basename(path);
  return `${verb} ${name}`
    .replace(/[0-9a-f]{16}/g, "ID")
    .replace(/\d{15}/g, "TIME")
    .replace(/[^/ ]*\.ID\.claim/, "claim");
}

/** A real call, in the simulated disk's words and paths; `undefined` for one that fails or only marks the task's start or end. */
function stepOf(line: string, root: string): string | undefined {
  const [, call = "", given = ""] = /^(\w+)\((.*)\) += 0$/.exec(line) ?? [];
  const path = [...given.matchAll(/<([^>]*)>|"([^"]*)"/g)].map(([, held, named]) => held ?? named ?? "").at(-1);
  if (path === undefined) return undefined;
  if (!/^f(?:data)?sync$/.test(call)) return plain(`${call} ${path}`);
  return plain(`sync ${(path.slice(root.length) || "/").replace(/^\/ws(?=\/|$)/, workspaceFolder)}`);
}
