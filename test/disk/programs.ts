/**
 * `multi-edit setup --write` and `multi-edit undo` whose system calls fail or that are killed, and batches beside another
 * program that replaces the same file.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { stage } from "../../server/disk/commit.js";
import { diskWorkspace } from "../../server/disk/diskWorkspace.js";
import { builtServer } from "../support/build.js";
import type { RunTally } from "./faultRuns.js";
import type { Choose } from "./memoryDisk.js";
import { hashOf } from "./site.js";
import { changing, faults, kill, type Point, pointIn } from "./strace.js";

/** A command that changes files: what comes before it, its words, and the files before and after it. */
interface Trial {
  readonly files: Readonly<Record<string, string>>;
  readonly first?: readonly Call[];
  readonly call: Call;
  /** The next call, which ends what a killed one has left. */
  readonly next: Call;
  /** A call that writes, after which nothing may be left over; by default, the next one does. */
  readonly last?: Call;
  readonly isOld: (text: (name: string) => string) => boolean;
  readonly isNew: (text: (name: string) => string) => boolean;
}

interface Call {
  readonly words: readonly string[];
  readonly input?: string;
}

const batch = JSON.stringify({ edits: ["a", "b"].map((path) => ({ path, oldText: "one", newText: "two" })) });
const disk = "--mode=disk";

const trials: Readonly<Record<string, Trial>> = {
  "undo on disk": {
    files: { "ws/a": "one\n", "ws/b": "one\n", "ws/c": "one\n" },
    first: [{ words: ["apply", disk], input: batch }],
    call: { words: ["undo", disk] },
    next: { words: ["apply", disk], input: JSON.stringify({ path: "c", oldText: "one", newText: "two" }) },
    isOld: (text) => text("ws/a") === "two\n" && text("ws/b") === "two\n",
    isNew: (text) => text("ws/a") === "one\n" && text("ws/b") === "one\n",
  },
  "setup --write": {
    files: { "home/.claude.json": '{ "mine": 1 }\n', "home/.claude/settings.json": '{ "mine": 2 }\n', "ws/c": "" },
    call: { words: ["setup", "claude", "--write"] },
    next: { words: ["setup", "claude", "--write"] },
    last: { words: ["setup", "claude", "--remove"] },
    isOld: (text) =>
      text("home/.claude.json") === '{ "mine": 1 }\n' && text("home/.claude/settings.json") === '{ "mine": 2 }\n',
    isNew: (text) =>
      [text("home/.claude.json"), text("home/.claude/settings.json")].every(
        (one, i) => JSON.parse(one).mine === i + 1 && one.includes("multi-edit"),
      ),
  },
};

/** Lets a trial's calls fail, or kills it there, until the requested number of faults have occurred. */
export function runProgramFaults(choose: Choose, count: number, tally: RunTally): void {
  for (const [name, trial] of Object.entries(trials)) {
    const points = at(trial, (root) => {
      const log = join(root, "calls");
      run(root, trial.call, ["strace", "-q", "-y", "-o", log, "-e", `trace=${changing.join(",")}`]);
      return pointsOf(readFileSync(log, "latin1"), root);
    });
    if (points.length === 0) throw new Error(`no calls were seen of ${name}`);
    const end = tally.runs + count / Object.keys(trials).length;
    for (let tries = 0; tally.runs < end && tries < 5 * count; tries++)
      oneFault({ name, trial, points }, choose, tally);
  }
}

function oneFault(
  { name, trial, points }: { readonly name: string; readonly trial: Trial; readonly points: readonly Point[] },
  choose: Choose,
  tally: RunTally,
): void {
  const { call, number } = points[choose(points.length)]!;
  const fault = choose(3) === 0 ? kill : faults[choose(faults.length)]!;
  at(trial, (root) => {
    const log = join(root, "calls");
    // strace 6.1 sends no signals with such a filter.
    const filter = fault === kill ? [] : ["-f", "--seccomp-bpf"];
    const options = ["-e", `trace=${call}`, "-e", `inject=${call}:${fault.inject(number)}`];
    const { status } = run(root, trial.call, ["strace", "-q", "-o", log, ...filter, ...options]);
    if (!/\(INJECTED\)|killed by SIGKILL/.test(readFileSync(log, "latin1"))) return;
    tally.runs++;
    tally.byFault.set(fault.name, (tally.byFault.get(fault.name) ?? 0) + 1);
    const what = `${name}: ${fault.name} at ${call} ${number}, exit code ${status}`;
    const text = (path: string): string => readFileSync(join(root, path), "utf8");
    const isEnded = status !== null;
    if (isEnded && status === 0 && !trial.isNew(text)) tally.wrong.push(`${what}: it says that all is done`);
    run(root, trial.next);
    if (!trial.isOld(text) && !trial.isNew(text)) tally.wrong.push(`${what}: neither old nor new`);
    if (trial.last !== undefined) run(root, trial.last);
    const left = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((one) =>
      /\.multi-edit-|\.journal|\.claim$/.test(one),
    );
    if (left.length > 0) tally.wrong.push(`${what}: left ${left.join(", ")}`);
  });
}

/** Lays out a trial's files in a new directory, and removes it after the task. */
function at<T>({ files, first = [] }: Trial, task: (root: string) => T): T {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-programs-")));
  try {
    for (const folder of ["ws", "home/.claude", "state"]) mkdirSync(join(root, folder), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    for (const call of first) run(root, call);
    return task(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function run(root: string, { words, input = "" }: Call, under: readonly string[] = []) {
  const env = {
    ...{ PATH: process.env.PATH, HOME: join(root, "home"), XDG_STATE_HOME: join(root, "state") },
    XDG_CONFIG_HOME: join(root, "home/.config"),
  };
  const [program, ...args] = [...under, process.execPath, builtServer, ...words];
  return spawnSync(program as string, args, { cwd: join(root, "ws"), env, input, encoding: "utf8", timeout: 60_000 });
}

/** The calls that change something below a directory, or below one that is named by its descriptor. */
function pointsOf(log: string, root: string): Point[] {
  const counts = new Map<string, number>();
  return log.split("\n").flatMap((line) => {
    const found = pointIn(line, counts);
    return found !== undefined && (line.includes(root) || line.includes("/proc/self/fd/")) ? [found] : [];
  });
}

/** The counts of a run beside another program. */
export interface BesideTally {
  /** Times that the other program has replaced the file, and how many of these texts were lost. */
  readonly writes: number;
  readonly lost: number;
  /** Batches by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** Replaces a file again and again, each time with a higher number, and counts the numbers that are gone when it looks again. */
const replacer = `
const fs = require("fs"), file = process.argv[1];
let [writes, lost, last] = [0, 0, 0];
process.on("SIGTERM", () => { fs.writeFileSync(process.argv[2], JSON.stringify({ writes, lost })); process.exit(); });
(function replace() {
  const text = fs.readFileSync(file, "utf8"), seen = Number(/theirs (\\d+)/.exec(text)[1]);
  if (seen !== last) lost++;
  last = seen + 1; writes++;
  fs.writeFileSync(file + ".theirs", text.replace(/theirs \\d+/, "theirs " + last));
  fs.renameSync(file + ".theirs", file);
  setTimeout(replace, Math.random() * 60);
})();`;

/** Changes a line of a file for some seconds while another program replaces the file. */
export async function runBeside(seconds: number): Promise<BesideTally> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-beside-")));
  const [file, told] = [join(root, "ws/a.txt"), join(root, "told.json")];
  mkdirSync(join(root, "ws"));
  writeFileSync(file, "ours 0\ntheirs 0\n");
  const workspace = diskWorkspace([join(root, "ws")], { state: join(root, "state"), swapFiles: [] });
  const other = spawn(process.execPath, ["-e", replacer, file, told], { stdio: ["ignore", "ignore", "inherit"] });
  const outcomes: Record<string, number> = {};
  try {
    for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
      const text = readFileSync(file, "utf8");
      const after = text.replace(/ours (\d+)/, (_, number) => `ours ${Number(number) + 1}`);
      const change = {
        kind: "update",
        path: file,
        name: "a.txt",
        hash: hashOf(text),
        content: { text: after },
      } as const;
      const staged = stage(workspace, [change], "a batch");
      const done = staged.ok ? staged.commit() : undefined;
      if (done?.outcome === "applied") done.finish();
      outcomes[done?.outcome ?? "refused"] = (outcomes[done?.outcome ?? "refused"] ?? 0) + 1;
      await turn();
    }
    const ended = new Promise((resolve) => other.on("close", resolve));
    other.kill("SIGTERM");
    await ended;
    return { ...JSON.parse(readFileSync(told, "utf8")), outcomes };
  } finally {
    other.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true });
  }
}
