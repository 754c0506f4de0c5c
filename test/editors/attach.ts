/** Attaches the server exactly as users do: as the README and the samples' pages say, or with `multi-edit setup`. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectPaths, projectRoot } from "../support/project.js";
import { builtServer } from "../support/wireServer.js";
import type { Place } from "./editor.js";

/** The code block with the info string `name`, such as `lua neovim`, on a page. Throws if there is not exactly one. */
export function blockOf(page: string, name: string): string {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].filter(([, words]) => words === name);
  if (blocks.length !== 1) throw new Error(`${page} has ${blocks.length} blocks "${name}"`);
  return blocks[0]![2]!;
}

/** Runs a program for the user of the place; returns what it prints. Throws if it fails. */
export function runAsUser({ inside: [program, ...args], env, folder }: Place, command: readonly string[]): string {
  const ran = spawnSync(program, [...args, ...command], { env, cwd: folder, encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`${command.join(" ")}: ${ran.stderr}`);
  return ran.stdout;
}

/** Runs `multi-edit setup NAME --write` for the user of the place. */
export const writeSetup = (place: Place, name: string): void =>
  void runAsUser(place, ["multi-edit", "setup", name, "--write"]);

/** Returns what `multi-edit setup` prints for the user of the place. */
export const printedSetup = (place: Place, ...words: readonly string[]): string =>
  runAsUser(place, ["multi-edit", "setup", ...words]);

/** Makes a Git repository with the project's current files, like a clone, and with the program unless told not to. */
export function cloneTo(folder: string, { isBuilt }: { readonly isBuilt: boolean } = { isBuilt: true }): void {
  for (const path of projectPaths) cpSync(join(projectRoot, path), join(folder, path), { verbatimSymlinks: true });
  const git = (...args: string[]): unknown => execFileSync("git", ["-C", folder, ...args], { stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("-c", "user.name=Tester", "-c", "user.email=tester@example.org", "commit", "--quiet", "--message=All");
  if (isBuilt) cpSync(dirname(builtServer), join(folder, "dist"), { recursive: true });
}
