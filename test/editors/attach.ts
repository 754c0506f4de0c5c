/** Attaches the server exactly as users do: as the README and the samples' pages say, or with `multi-edit setup`. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Place } from "./editor.js";

/** The code block with the info string `name`, such as `lua neovim`, on a page. Throws if there is not exactly one. */
export function blockOf(page: string, name: string): string {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].filter(([, words]) => words === name);
  if (blocks.length !== 1) throw new Error(`${page} has ${blocks.length} blocks "${name}"`);
  return blocks[0]![2]!;
}

/** Runs `multi-edit setup NAME --write` for the user of the place. Throws if it fails. */
export function writeSetup({ inside: [program, ...args], env }: Place, name: string): void {
  const ran = spawnSync(program, [...args, "multi-edit", "setup", name, "--write"], { env, encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`setup ${name} --write: ${ran.stderr}`);
}
