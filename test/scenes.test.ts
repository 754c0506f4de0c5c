/** Plays a few scenes of the landing benchmark, and checks what they expect. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { drawScenes, playScenes } from "./bench/landing/sceneRun.js";
import { spots } from "./bench/landing/scenes.js";
import { describedScene, isUntouched, mustLand, sceneFigures, sceneText } from "./bench/landing/sceneTable.js";
import { sourceFiles } from "./bench/landing/sources.js";
import { packagePairs } from "./bench/landing/textPairs.js";
import { serverForDesks } from "./support/desk.js";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const scenes = drawScenes(sourceFiles(packagePairs(project)), { seed: 1, count: 2 });
const program = serverForDesks();

const withoutRemark = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "# ask Ann")
    .map((line) => line.replace("  # ask Bob", ""))
    .join("\n");

describe("a person types where an edit belongs", () => {
  it("at every spot, with and without a twin, read and not, saved and not, with both kinds of sync", () => {
    expect(scenes).toHaveLength(spots.length * 2 ** 4 * 2);
    for (const { before, present } of scenes) {
      expect(present).toMatch(/# ask (?:Ann|Bob)/);
      expect(withoutRemark(present)).toBe(before);
    }
  });

  it("and the expected text has both the edit and what was typed", () => {
    for (const { right, before } of scenes) {
      const [first, ...others] = right.map(withoutRemark);
      for (const text of right) expect(text).toMatch(/# ask (?:Ann|Bob)/);
      expect(first).not.toBe(before);
      for (const other of others) expect(other).toBe(first);
    }
  });

  it("and no call goes wrong; those land whose changed lines nobody typed on", { timeout: 120_000 }, async () => {
    const played = await playScenes(program.path, scenes);
    const wrong = played.filter(({ outcome }) => outcome === "wrong");
    expect(wrong.map(describedScene).join("\n\n")).toBe("");
    const due = played.filter((one) => isUntouched(one) && mustLand(one));
    const refused = due.filter(({ outcome }) => outcome === "refused");
    expect(refused.length, refused.map(describedScene).join("\n\n")).toBeLessThanOrEqual(due.length / 20);
    const rows = sceneFigures(played, played);
    expect(rows.at(-1)).toMatchObject({ scene: "all", cases: scenes.length, wrong: 0, price: 0 });
    expect(sceneText(rows).split("\n")).toHaveLength(rows.length + 1);
  });
});
