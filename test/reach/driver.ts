/**
 * Runs a list of checks against the built server and writes the results into a file. This is a program of its own, without
 * the test runner, because it runs in Windows' Node, too.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { clientChecks } from "./clientChecks.js";
import { macosChecks } from "./macosChecks.js";
import { type CheckResult, type DriverTask, layPlace } from "./place.js";
import { windowsChecks } from "./windowsChecks.js";

/** The time in milliseconds after which a check has failed. On a machine under load, wine may take seconds to start a program. */
const patience = 240_000;

const lists = { client: clientChecks, macos: macosChecks, windows: windowsChecks } as const;

async function main(): Promise<void> {
  const task: DriverTask = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
  const place = layPlace(task);
  const results: CheckResult[] = [];
  for (const { name, run } of lists[task.list]) {
    try {
      results.push({ name, said: (await inTime(run(place))) ?? "done" });
    } catch (error) {
      results.push({ name, said: "failed", problem: error instanceof Error ? String(error.stack) : String(error) });
    }
    // What was found out is kept if a later check never ends.
    writeFileSync(task.results, JSON.stringify(results));
  }
  process.exit(0);
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${patience} ms`)), patience);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

void main();
