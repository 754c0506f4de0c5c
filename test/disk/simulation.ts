/**
 * Batches on in-memory disks: each batch is cut off, or suffers a failure, at every step, and its result must be all
 * old or all new.
 */
import { stage } from "../../server/disk/commit.js";
import { type DiskWorkspace, diskWorkspace } from "../../server/disk/diskWorkspace.js";
import { recover } from "../../server/disk/recover.js";
import { type Choose, type MemoryDisk, memoryDisk, PowerCut, type Trouble } from "./memoryDisk.js";
import { chooser, randomPlan, type TrialPlan, workspaceFolder } from "./plans.js";
import { leftovers, unlike } from "./verdict.js";

/** Counts over many trials. */
export interface Tally {
  /** Number of batches. */
  plans: number;
  /** Number of disk states after a power cut, each of them recovered and checked. */
  states: number;
  /** Number of these states for which the recovery was cut off, too. */
  twice: number;
  /**
   * Number of these states for which some steps of the recovery were refused and the next recovery was followed by a
   * cut.
   */
  again: number;
  /** Runs in which the disk refused one step, or one step and all later ones. */
  refusals: number;
  /** Additional runs in which the disk refused one step and was later cut off. */
  refusedAndCut: number;
}

/** A defect found by a trial, and how to reproduce it. */
export interface Wrong {
  readonly seed: number;
  readonly what: string;
}

/** A tally with all counts at zero. */
export function newTally(): Tally {
  return { plans: 0, states: 0, twice: 0, again: 0, refusals: 0, refusedAndCut: 0 };
}

/**
 * Runs one random batch over and over: cut off before each step and after the last one, with `samples` states examined
 * per cut, and with each step refused by the disk, either alone or together with all later steps. Returns the first
 * defect, or `undefined` if there is none.
 */
export function simulate(seed: number, samples: number, tally: Tally): Wrong | undefined {
  const choose = chooser(seed);
  const plan = randomPlan(choose);
  const ending = choose(6) === 0 ? "abandon" : "finish";
  const trial: Trial = { plan, ending, copiesAttributes: choose(4) > 0 };
  tally.plans++;
  const told = { seed, what: "" };
  const wrong = (what: string): Wrong => ({ ...told, what: `${ending}, ${JSON.stringify(plan.changes)}: ${what}` });
  const whole = run(trial, {});
  const problem = lookAt(whole.disk, plan, whole.report) ?? strays(whole.disk);
  if (problem !== undefined) return wrong(`without any trouble: ${problem}`);
  const steps = whole.disk.steps();
  for (let cutAt = 0; cutAt <= steps; cutAt++) {
    const { disk, report } = run(trial, { cutAt });
    for (let sample = 0; sample < samples; sample++) {
      tally.states++;
      const { found, batches } = afterCut(disk, { choose, tally, isKill: sample === 0 });
      const late = report.isOver && batches > 0 ? "a batch was found that was over" : undefined;
      const what = lookAt(found, plan, report) ?? strays(found) ?? late;
      if (what !== undefined) return wrong(`cut off at ${cutAt} (${report.at}): ${what}`);
    }
  }
  for (let at = 0; at < steps; at++) {
    const code = (["EIO", "ENOSPC", "EACCES"] as const)[choose(3)]!;
    for (const to of [at + 1, Number.POSITIVE_INFINITY]) {
      tally.refusals++;
      const { disk, report } = run(trial, { refuse: { from: at, to, code } });
      const before = report.isSettled ? lookAt(disk.afterKill(), plan, report) : undefined;
      const after = disk.afterKill();
      recover(workspaceOn(after));
      // After a single refusal, the rollback must succeed.
      const stuck = to === at + 1 && report.at === "pending" ? "it could not be rolled back" : undefined;
      const what = before ?? lookAt(after, plan, report) ?? strays(after) ?? stuck;
      const how = to === at + 1 ? "once" : "from there on";
      if (what !== undefined) return wrong(`${code} at ${at}, ${how} (${report.at}): ${what}`);
    }
    tally.refusedAndCut++;
    const cutAt = at + 1 + choose(30);
    const { disk, report } = run(trial, { refuse: { from: at, to: at + 1, code }, cutAt });
    const found = disk.afterCut(choose);
    recover(workspaceOn(found));
    const what = lookAt(found, plan, report) ?? strays(found);
    if (what !== undefined) return wrong(`${code} at ${at}, cut off at ${cutAt} (${report.at}): ${what}`);
  }
  return undefined;
}

interface Trial {
  readonly plan: TrialPlan;
  readonly ending: "finish" | "abandon";
  readonly copiesAttributes: boolean;
}

/** The caller's view of the batch when the power fails. */
interface Report {
  /** The phase that was in progress. */
  at: string;
  /** The valid states of the disk. */
  may: readonly ("old" | "new")[];
  /** `true` if the disk must be in one of these states even before a recovery. */
  isSettled: boolean;
  /** `true` if the batch is over, so a recovery must not find it. */
  isOver: boolean;
}

function run({ plan, ending, copiesAttributes }: Trial, trouble: Trouble): { disk: MemoryDisk; report: Report } {
  const disk = memoryDisk(plan.layout, { copiesAttributes }, trouble);
  const report: Report = { at: "staging", may: ["old"], isSettled: true, isOver: false };
  const now = (at: string, may: Report["may"], more?: Partial<Report>): void => {
    Object.assign(report, { at, may, isSettled: true, isOver: false, ...more });
  };
  try {
    const staged = stage(workspaceOn(disk), plan.changes, "a batch");
    if (!staged.ok) {
      now("refused", ["old"], { isOver: true });
    } else if (ending === "abandon") {
      staged.abandon();
      now("abandoned", ["old"], { isOver: true });
    } else {
      now("committing", ["old", "new"], { isSettled: false });
      const committed = staged.commit();
      if (committed.outcome === "applied") {
        now("applied", ["new"]);
        committed.finish();
        now("finished", ["new"], { isOver: true });
      }
      if (committed.outcome === "rolledBack") now("rolled back", ["old"], { isOver: true });
      if (committed.outcome === "recoveryPending") now("pending", ["old", "new"], { isSettled: false });
    }
  } catch (error) {
    if (!(error instanceof PowerCut)) throw error;
  }
  return { disk, report };
}

/**
 * The disk after a cut and a recovery, which may itself be cut off or have some of its steps refused. A kill is a cut
 * that loses no data.
 */
function afterCut(
  disk: MemoryDisk,
  { choose, tally, isKill }: { readonly choose: Choose; readonly tally: Tally; readonly isKill: boolean },
): { readonly found: MemoryDisk; readonly batches: number } {
  const next = (from: MemoryDisk, how: boolean, trouble?: Trouble): MemoryDisk =>
    how ? from.afterKill(trouble) : from.afterCut(choose, trouble);
  const recovered = (from: MemoryDisk): number => recover(workspaceOn(from)).batches.length;
  const kind = choose(8);
  if (kind > 3) {
    const found = next(disk, isKill);
    return { found, batches: recovered(found) };
  }
  if (kind > 0) {
    let found = next(disk, isKill, { cutAt: choose(25) });
    try {
      return { found, batches: recovered(found) };
    } catch (error) {
      if (!(error instanceof PowerCut)) throw error;
      tally.twice++;
      found = next(found, choose(2) === 0);
      return { found, batches: recovered(found) };
    }
  }
  tally.again++;
  const from = choose(25);
  const refused = next(disk, isKill, { refuse: { from, to: from + 1 + choose(3), code: "EIO" } });
  const first = recovered(refused);
  const again = refused.afterKill();
  const second = recovered(again);
  const found = again.afterCut(choose);
  return { found, batches: first + second + recovered(found) };
}

let processes = 0;

/** The workspace as seen by a new process after all others have died. */
export function workspaceOn(files: MemoryDisk): DiskWorkspace {
  const self = `00000000-00000000-${++processes}-0`;
  return diskWorkspace([workspaceFolder], {
    files,
    state: "/state/multi-edit",
    swapFiles: ["/state/nvim"],
    owners: { self, user: 0, isAlive: (name) => name === self, now: () => 0 },
  });
}

/** A defect in the files; `undefined` if they are in one of the valid states. */
function lookAt(disk: MemoryDisk, plan: TrialPlan, { may }: Report): string | undefined {
  return unlike(disk.tree(workspaceFolder), plan, may);
}

/** The leftovers of a batch in the folder and in the state directory; `undefined` if there are none. */
function strays(disk: MemoryDisk): string | undefined {
  return leftovers(disk.tree(workspaceFolder), [...disk.tree("/state/multi-edit").keys()]);
}
