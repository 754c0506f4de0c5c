/** What the README and the samples' pages tell users to write, so that the tests do just that. */
import { readFileSync } from "node:fs";

/** The block of a page whose fence says this, such as `lua neovim`. Throws where there is none, or another one. */
export function blockOf(page: string, name: string): string {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].filter(([, words]) => words === name);
  if (blocks.length !== 1) throw new Error(`${page} has ${blocks.length} blocks "${name}"`);
  return blocks[0]![2]!;
}
