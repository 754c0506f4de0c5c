/** A directory that is exchanged for a link to one outside, again and again: no call reads or writes a file outside. */
import { expect, it } from "vitest";
import { serverForDesks } from "../support/desk.js";
import { figure } from "../support/extent.js";
import { runSwaps } from "./swapping.js";

const program = serverForDesks();

it("shows and changes nothing outside while a directory is exchanged for a link", async () => {
  const { reads, writes, succeeded, swaps, wrong } = await runSwaps(
    program.path,
    Number(process.env.SWAP_SECONDS ?? 2),
  );
  figure(`${reads} reads and ${writes} writes beside ${swaps} exchanges, ${succeeded} done`);
  expect(wrong).toEqual([]);
  expect(reads + writes).toBeGreaterThan(10);
  expect(succeeded).toBeGreaterThan(0);
});
