/**
 * The command `npm run walk`, and bounds on its counts, so that the code that runs for an ordinary call cannot grow
 * unnoticed.
 */
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/**
 * Upper bounds on the numbers of files and functions in `server/` that run for each call; for `agent` and `hook`, on both
 * sides of the socket together. Lower them when a call needs fewer.
 */
const most: Readonly<Record<string, { readonly files: number; readonly functions: number }>> = {
  propose: { files: 42, functions: 214 },
  apply: { files: 51, functions: 270 },
  disk: { files: 64, functions: 359 },
  agent: { files: 95, functions: 532 },
  hook: { files: 89, functions: 506 },
};

it("runs no more files and functions for one ordinary call than the limits allow", () => {
  const output = execFileSync("npm", ["run", "--silent", "walk"], {
    cwd: dirname(dirname(fileURLToPath(import.meta.url))),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = output.trimEnd().split("\n");
  const walks = lines.map((line) => /^(\w+): (\d+) files, (\d+) functions$/.exec(line)?.slice(1) ?? [line]);
  expect(walks.map(([name]) => name)).toEqual(Object.keys(most));
  for (const [name = "", files, functions] of walks) {
    expect(Number(files), `files that run for ${name}`).toBeLessThanOrEqual(most[name]!.files);
    expect(Number(functions), `functions that run for ${name}`).toBeLessThanOrEqual(most[name]!.functions);
    // Counts of zero would satisfy every bound.
    expect(Number(files)).toBeGreaterThan(10);
    expect(Number(functions)).toBeGreaterThan(Number(files));
  }
});
