/**
 * Writes one batch, or recovers, and reports the outcome. This program exists so that tests can kill it from outside or
 * make its system calls fail.
 */
import { lstatSync, readFileSync, writeSync } from "node:fs";
import { stage } from "../../server/disk/commit.js";
import { diskWorkspace } from "../../server/disk/diskWorkspace.js";
import { newId, recover } from "../../server/disk/recover.js";
import { type DriverReport, type DriverTask, marks } from "./driverTask.js";

function main(): void {
  const task: DriverTask = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
  lstatSync(marks.begin, { throwIfNoEntry: false });
  const report = run(task);
  lstatSync(marks.end, { throwIfNoEntry: false });
  writeSync(1, JSON.stringify(report));
}

function run({ folder, state, kind, changes }: DriverTask): DriverReport {
  const workspace = diskWorkspace([folder], { state });
  if (kind === "recover") {
    const { batches, problems, failure } = recover(workspace);
    const messages = [...batches.map(({ message }) => message), ...problems, ...(failure ? [failure.message] : [])];
    return { outcome: "recovered", messages };
  }
  const staged = stage(workspace, changes, "a batch", { onCommit: { kind: "keep", id: newId() } });
  if (!staged.ok) return { outcome: "refused", messages: staged.failures.map(({ message }) => message) };
  if (kind === "abandon") {
    staged.abandon();
    return { outcome: "staged", messages: [] };
  }
  const committed = staged.commit();
  if (committed.outcome !== "applied") return { outcome: committed.outcome, messages: [committed.failure.message] };
  committed.finish();
  return { outcome: "applied", messages: [] };
}

main();
