/** Full disks, read-only disks, power cuts, and users without permission: real ones, where the machine allows them. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../../server/workspace/identity.js";
import type { DriverReport } from "./driverTask.js";
import { atSite, type Bench, isOver, recoverAndLook, saidBy } from "./faultRuns.js";
import { planOf, shuffled, type TrialPlan, workspaceFolder } from "./plans.js";
import { layOut, type Site, treeAt, writeTask } from "./realTree.js";
import { kill, reportIn, runProgram, runWithFault, watchDriver } from "./strace.js";
import { unlike } from "./verdict.js";

/** Counts for one kind of hardship. */
export interface HardshipTally {
  readonly name: string;
  runs: number;
  /** Number of runs, keyed by the outcome in the driver's report. */
  readonly outcomes: Map<string, number>;
  readonly wrong: string[];
  /** The reason why this kind was skipped; `undefined` if it was not. */
  leftOut?: string;
}

/**
 * Runs every kind of hardship, with `cuts` power cuts; skips the kinds that the machine does not allow, and records
 * why.
 */
export async function runHardships(bench: Bench, cuts: number): Promise<HardshipTally[]> {
  const tallies: HardshipTally[] = [];
  for (const [name, run] of Object.entries(hardships)) {
    const tally: HardshipTally = { name, runs: 0, outcomes: new Map(), wrong: [] };
    tallies.push(tally);
    try {
      await run(bench, tally, cuts);
    } catch (error) {
      if (tally.runs > 0 || !isRefusal(error)) throw error;
      tally.leftOut = error.message.split("\n")[0] ?? "";
    }
  }
  return tallies;
}

/** Reports whether an error means that a program is missing on this machine, or is not allowed to do its work here. */
function isRefusal(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const isMissing = "syscall" in error && String(error.syscall).startsWith("spawn");
  return isMissing || ("status" in error && typeof error.status === "number");
}

const at = (name: string): string => `${workspaceFolder}/${name}`;

/** A plan that updates two files, creates one in a new directory, deletes one and moves one; all of them are large. */
function largePlan(size: number): TrialPlan {
  const text = (name: string): string => `${name}\n`.repeat(Math.ceil(size / (name.length + 1)));
  const file = (name: string) => ({ bytes: Buffer.from(text(name)) });
  const update = (name: string) => ({ kind: "update", path: at(name), name, content: { text: text("new") } }) as const;
  return planOf(
    {
      files: Object.fromEntries(["a", "b", "c", "d"].map((name) => [at(name), file(name)])),
      links: { [at("other/b")]: at("b") },
      directories: [workspaceFolder, at("other")],
    },
    [
      update("a"),
      update("b"),
      { kind: "create", path: at("fresh/new"), name: "new", content: { text: text("created") } },
      { kind: "delete", path: at("c"), name: "c" },
      { kind: "rename", path: at("d"), target: at("fresh/d"), name: "d", targetName: "fresh/d" },
    ],
  );
}

type Hardship = (bench: Bench, tally: HardshipTally, cuts: number) => Promise<void>;

const hardships: Readonly<Record<string, Hardship>> = {
  "a disk without space": async (bench, tally) => {
    for (let pages = 12; pages < 60; pages += 2) await onSmallDisk(bench, tally, `size=${pages * 4}k`);
  },
  "a disk without inodes": async (bench, tally) => {
    for (let inodes = 14; inodes < 34; inodes++) await onSmallDisk(bench, tally, `nr_inodes=${inodes}`);
  },
  "a limit on the size of files": async (bench, tally) => {
    const plan = largePlan(9_000);
    for (let bytes = 500; bytes < 12_000; bytes += 700) {
      await atSite(bench, plan, async (site) => {
        const given = [`--fsize=${bytes}`, process.execPath, bench.program, writeTask(site, "apply", plan)];
        judge(tally, { site, plan, report: reportIn(await runProgram("prlimit", given)) });
      });
    }
  },
  "a disk that is mounted read-only": async (bench, tally) => {
    const plan = largePlan(100);
    await atSite(bench, plan, async (site) => {
      await mounted(["--bind", site.folder, site.folder], site.folder, async () => {
        execFileSync("mount", ["-o", "remount,bind,ro", site.folder], { stdio: "pipe" });
        const report = await runDriver(bench, writeTask(site, "apply", plan));
        judge(tally, { site, plan, report, expected: "refused" });
      });
    });
  },
  "a file on another disk": async (bench, tally) => {
    const plan = largePlan(100);
    await atSite(bench, plan, async (site) => {
      const other = join(site.root, "other-file");
      writeFileSync(other, readFileSync(join(site.folder, "a")));
      await mounted(["--bind", other, join(site.folder, "a")], join(site.folder, "a"), async () => {
        const report = await runDriver(bench, writeTask(site, "apply", plan));
        judge(tally, { site, plan, report, expected: "applied" });
      });
    });
  },
  "a user without permission": (bench, tally) => asOrdinaryUser(bench, tally),
  "a power cut": async (bench, tally, cuts) => {
    for (const { plan } of shuffled(bench.plans, bench.choose).slice(0, cuts)) {
      if (isOver(bench)) return;
      await cutPower(bench, tally, plan, bench.choose(3) > 0);
    }
  },
};

function runDriver(bench: Bench, task: string): Promise<DriverReport | undefined> {
  return runProgram(process.execPath, [bench.program, task]).then(reportIn);
}

/** Counts a run and checks its result. */
function judge(
  tally: HardshipTally,
  run: {
    readonly site: Site;
    readonly plan: TrialPlan;
    readonly report: DriverReport | undefined;
    /** The outcome that the driver must report; `undefined` if any outcome is valid. */
    readonly expected?: DriverReport["outcome"];
  },
): void {
  const { site, plan, report, expected } = run;
  const outcome = report?.outcome ?? "cut off";
  tally.runs++;
  tally.outcomes.set(outcome, (tally.outcomes.get(outcome) ?? 0) + 1);
  const what = recoverAndLook(site, plan, report);
  if (what !== undefined) tally.wrong.push(`${outcome}: ${what}`);
  if (expected !== undefined && outcome !== expected) {
    tally.wrong.push(`${outcome} instead of ${expected}: ${report?.messages.join(" ")}`);
  }
}

/** Runs a task while a disk is mounted and unmounts the disk even if the task fails. */
async function mounted<T>(how: readonly string[], target: string, task: () => Promise<T>): Promise<T> {
  execFileSync("mount", how, { stdio: "pipe" });
  try {
    return await task();
  } finally {
    execFileSync("umount", [target], { stdio: "pipe" });
  }
}

/** Puts the files and the state on the same small disk; `size` is the mount option that limits its size. */
async function onSmallDisk(bench: Bench, tally: HardshipTally, size: string): Promise<void> {
  const plan = largePlan(9_000);
  mkdirSync(bench.root, { recursive: true });
  const disk = join(bench.root, "small");
  mkdirSync(disk, { recursive: true });
  await mounted(["-t", "tmpfs", "-o", size, "none", disk], disk, async () => {
    let site: Site;
    try {
      site = layOut(disk, plan);
    } catch (error) {
      // The disk is too small even for the old files.
      if (codeOf(error) !== "ENOSPC") throw error;
      return;
    }
    const task = writeTask({ ...site, root: bench.root }, "apply", plan);
    judge(tally, { site, plan, report: await runDriver(bench, task) });
  });
}

/**
 * Runs the driver as an ordinary user, on files owned by that user and by root, in directories owned by each of them.
 */
async function asOrdinaryUser(bench: Bench, tally: HardshipTally): Promise<void> {
  if (process.getuid?.() !== 0) throw Object.assign(new Error("only root can become another user"), { status: 1 });
  const nobody = 65_534;
  const cases = [
    { what: "its own file", owner: nobody, mode: 0o640, directory: 0o755, expected: "applied" },
    { what: "another's file that all may write", owner: 0, mode: 0o666, directory: 0o777, expected: "applied" },
    { what: "another's file that all may read", owner: 0, mode: 0o644, directory: 0o777, expected: "refused" },
    { what: "its own file in another's directory", owner: nobody, mode: 0o644, directory: 0o555, expected: "applied" },
    { what: "its own file that nobody may write", owner: nobody, mode: 0o444, directory: 0o777, expected: "refused" },
  ] as const;
  for (const { what, owner, mode, directory, expected } of cases) {
    const file = { bytes: Buffer.from("old\n"), mode, owner };
    const change = { kind: "update", path: at("a"), name: "a", content: { text: "new\n" } } as const;
    const plan = planOf({ files: { [at("a")]: file }, directories: [workspaceFolder] }, [change]);
    await atSite(bench, plan, async (site) => {
      for (const path of [dirname(bench.program), bench.root, site.root]) chmodSync(path, 0o755);
      chmodSync(site.folder, directory);
      if (owner === nobody && directory === 0o755) chownSync(site.folder, nobody, nobody);
      mkdirSync(site.state, { mode: 0o700 });
      chownSync(site.state, nobody, nobody);
      const given = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, bench.program];
      const report = reportIn(await runProgram("setpriv", [...given, writeTask(site, "apply", plan)]));
      const said = report?.outcome ?? "cut off";
      tally.runs++;
      tally.outcomes.set(said, (tally.outcomes.get(said) ?? 0) + 1);
      const stats = lstatSync(join(site.folder, "a"));
      const wrong = unlike(treeAt(site), plan, saidBy(report).may);
      if (said !== expected || wrong !== undefined || stats.uid !== owner) {
        tally.wrong.push(`${what}: ${said}, its owner is ${stats.uid}; ${wrong ?? ""} ${report?.messages.join(" ")}`);
      }
    });
  }
}

/**
 * Copies the disk's image, either right after the report or in the middle of the batch, to get the disk that a power
 * cut would leave.
 */
async function cutPower(bench: Bench, tally: HardshipTally, plan: TrialPlan, isWhole: boolean): Promise<void> {
  mkdirSync(bench.root, { recursive: true });
  const [image, copy, disk] = ["image", "copy", "disk"].map((name) => join(bench.root, name)) as [
    string,
    string,
    string,
  ];
  const fresh = join(bench.root, "fresh-image");
  if (!existsSync(fresh)) {
    execFileSync("truncate", ["-s", "4M", fresh]);
    execFileSync("mkfs.ext4", ["-q", "-F", "-b", "1024", fresh], { stdio: "pipe" });
  }
  mkdirSync(disk, { recursive: true });
  cpSync(fresh, image);
  let report: DriverReport | undefined;
  await mounted(["-o", "loop", image, disk], disk, async () => {
    const site = { ...layOut(disk, plan), root: bench.root };
    execFileSync("sync", ["-f", disk]);
    const task = writeTask(site, "apply", plan);
    if (isWhole) report = await runDriver(bench, task);
    else {
      const points = await atSite(bench, plan, (other) =>
        watchDriver(bench.program, other, writeTask(other, "apply", plan)),
      );
      const point = points[bench.choose(points.length)]!;
      ({ report } = await runWithFault(bench.program, site, task, { point, fault: kill }));
    }
    cpSync(image, copy);
  });
  await mounted(["-o", "loop", copy, disk], disk, async () => {
    judge(tally, { site: { root: bench.root, folder: join(disk, "ws"), state: join(disk, "state") }, plan, report });
  });
  for (const path of [image, copy]) rmSync(path, { force: true });
}
