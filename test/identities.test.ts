/**
 * A judge that knows none of the server's rules: every character has an identity, and a call must change the characters
 * that its author saw, or none. `IDENTITY_RUNS` sets the number of stories, `IDENTITY_SEED` the first seed. The shortest
 * stories are shown: `IDENTITY_MOST` for each kind of wrong outcome or, with `IDENTITY_SHOW=needless`, of needless refusal.
 */
import { describe, expect, it } from "vitest";
import { known, verdictOn } from "./identities/known.js";
import { figures, run } from "./identities/run.js";
import { sum } from "./identities/story.js";
import { withEdits } from "./identities/world.js";
import { lawRuns } from "./support/extent.js";

const runs = Number(process.env.IDENTITY_RUNS ?? lawRuns(600));
const show = process.env.IDENTITY_SHOW;
const most = Number(process.env.IDENTITY_MOST ?? 2);
const chosen = process.env.IDENTITY_SEED;
const seeds = chosen === undefined ? [1, 900_000] : [Number(chosen)];

/** The largest share of calls that may be refused without need, if the editor syncs changes. */
const mostNeedless = 0.04;

describe("the judge", () => {
  it.each(known)("knows: $name", (one) => {
    for (const text of one.right) expect([text, verdictOn(one, text)]).toEqual([text, "right"]);
    for (const text of one.wrong) expect([text, verdictOn(one, text)]).toEqual([text, "wrong"]);
  });
});

describe("the text that an author has in mind after a call", () => {
  it("has several insertions at one place in their order", () => {
    const author = { text: "a\nb\n", ids: [0, 1, 2, 3] };
    const hunks = ["x\n", "y\n"].map((insert, i) => ({
      hunk: { from: 2, to: 2, insert },
      ids: [4 + 2 * i, 5 + 2 * i],
    }));
    expect(withEdits(author, author, hunks)).toEqual({ text: "a\nx\ny\nb\n", ids: [0, 1, 4, 5, 6, 7, 2, 3] });
  });
});

describe.each(seeds)("calls change the characters that their authors saw, in the stories from seed %i on", (first) => {
  it.each([
    { syncs: "changes", isWhole: false },
    { syncs: "whole texts", isWhole: true },
  ])("if the editor syncs $syncs", { timeout: 60_000 + 500 * runs }, ({ isWhole }) => {
    const { tally, scripts } = run({ first, runs, show, most, isWhole });
    if (process.env.IDENTITY_RUNS !== undefined)
      process.stdout.write(`${figures(tally)}\n${scripts.needless.join("\n\n")}\n`);
    expect(scripts.wrong.join("\n\n")).toBe("");
    expect(sum(tally.wrongBy)).toBe(0);
    if (!isWhole) expect(sum(tally.needlessBy) / tally.calls).toBeLessThanOrEqual(mostNeedless);
    // Stories in which nothing lands, or nothing is refused, would show nothing.
    expect(tally.landed).toBeGreaterThan(runs / 4);
    expect(sum(tally.neededBy)).toBeGreaterThan(runs / 20);
    expect(sum(tally.lenientBy)).toBeLessThanOrEqual(Math.max(2, tally.calls / (isWhole ? 25 : 500)));
  });
});
