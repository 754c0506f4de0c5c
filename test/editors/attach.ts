/** Reads the configuration that the README and the samples' pages give to users, because the tests use exactly that. */
import { readFileSync } from "node:fs";

/** The code block with the info string `name`, such as `lua neovim`, on a page. Throws if there is not exactly one. */
export function blockOf(page: string, name: string): string {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].filter(([, words]) => words === name);
  if (blocks.length !== 1) throw new Error(`${page} has ${blocks.length} blocks "${name}"`);
  return blocks[0]![2]!;
}
