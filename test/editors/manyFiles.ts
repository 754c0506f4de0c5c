/** A thousand files in a Git repository, which a branch switch changes nearly all at once, while an editor has them open. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { gitEnv } from "../support/gitEnv.js";
import type { Stage } from "./stage.js";

/** The files' names. */
export const names: readonly string[] = Array.from({ length: 1_000 }, (_, i) => `d${i % 100}/f${i}.txt`);

/** The text of a file at a rate. */
export const textOf = (rate: string): string => `rate = ${rate}\nnet\nend\n`;

/**
 * The longest time, in milliseconds, until the editor has the texts of all files: an editor needs several milliseconds for
 * each, and as much for the server, and the machine may be busy.
 */
export const latest = 60_000;

/** Runs Git on the stage; commits have no user's settings. */
type Git = (...args: readonly string[]) => void;

/** Lays the files with the rate 0.19, and a branch `other` on which the first `changed` have 0.20; `first` is checked out. */
export function layBranches(stage: Stage, changed: number, all = names): Git {
  stage.lay(Object.fromEntries(all.map((name) => [name, textOf("0.19")])));
  const git: Git = (...args) => void execFileSync("git", args, { cwd: stage.folder, env: gitEnv, stdio: "pipe" });
  const commit = (): void => git("-c", "gc.auto=0", "commit", "-qam", "x");
  // The folder of the session is the root with which the editor has started the server.
  git("init", "-q", "..");
  git("add", ".");
  commit();
  git("branch", "first");
  git("checkout", "-qb", "other");
  for (const name of all.slice(0, changed)) writeFileSync(stage.path(name), textOf("0.20"));
  commit();
  git("checkout", "-q", "first");
  return git;
}

/** What the user has been shown, in order. */
export const notices = ({ wire }: Stage): string[] =>
  wire.messages.flatMap(({ message }) => (message.method === "window/showMessage" ? [message.params.message] : []));

/** Waits until the server has got all files, and has compared each with the disk. */
export async function whenAllOpen({ wire, path }: Stage, all = names): Promise<void> {
  for (const name of all) await wire.whenOpen(path(name));
  // The answer to a read waits until all files have been compared.
  expect((await wire.read(path(all.at(-1)!)))?.text).toBe(textOf("0.19"));
}
