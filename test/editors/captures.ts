/** Text captures of a program's screen on a page, which the tests write or compare. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";

/**
 * Compares what a program shows with the block "```text capture NAME" of a page. With `UPDATE_EDITORS=1`, writes the
 * block instead; the page must already have it.
 */
export function expectCapture(page: URL, name: string, shown: string): void {
  const text = readFileSync(page, "utf8");
  const block = `\`\`\`text capture ${name}\n`;
  const from = text.indexOf(block) + block.length;
  if (from < block.length) throw new Error(`${page.pathname} has no block for the capture ${name}`);
  const to = text.indexOf("```", from);
  if (process.env.UPDATE_EDITORS === "1") {
    writeFileSync(page, `${text.slice(0, from)}${shown.trimEnd()}\n${text.slice(to)}`);
    return;
  }
  expect(shown.trimEnd(), `the capture ${name}`).toBe(text.slice(from, to).trimEnd());
}
