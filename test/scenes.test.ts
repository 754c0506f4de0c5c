/** Plays a few scenes of the landing benchmark, and checks what they expect. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Call } from "./bench/landing/calls.js";
import { makesAnother, tornLine } from "./bench/landing/conflicts.js";
import { newLine } from "./bench/landing/lines.js";
import { drawScenes, playScenes } from "./bench/landing/sceneRun.js";
import { spots } from "./bench/landing/scenes.js";
import { describedScene, isUntouched, mustLand, sceneFigures, sceneText } from "./bench/landing/sceneTable.js";
import { fragmentOf } from "./bench/landing/shapes.js";
import { sourceFiles } from "./bench/landing/sources.js";
import { packagePairs } from "./bench/landing/textPairs.js";
import { drawTypedScenes } from "./bench/landing/typedScenes.js";
import { typedFigures } from "./bench/landing/typedTable.js";
import { typings } from "./bench/landing/typings.js";
import { clearPairs } from "./bench/landing/words.js";
import { serverForDesks } from "./support/desk.js";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const files = sourceFiles(packagePairs(project));
const scenes = drawScenes(files, { seed: 1, count: 2 });
const typedScenes = drawTypedScenes(files, { seed: 1, edits: 1 });
const program = serverForDesks();

const withoutRemark = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "# ask Ann")
    .map((line) => line.replace(/ {2}# ask Bob|# ask Bob/, ""))
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

describe("an edit is sent in every shape after a person has typed", () => {
  it("and the expected text is what the edit makes of the text that its author saw, and what was typed", () => {
    const edits = typedScenes.filter(({ shape, sign }) => shape.form === "edits" && sign === "no twin");
    const lands = edits.filter(({ right }) => right.length > 0);
    expect(lands.length).toBeGreaterThan(30);
    expect(edits.filter(({ right }) => right.length === 0).map(({ typing }) => typing)).toEqual(
      edits.flatMap(({ typing }) => (typing === "the changed line by hand" ? [typing] : [])),
    );
    for (const { before, present, right, call, typing } of lands) {
      const { edits: sent } = call("f") as { edits: { oldText: string; newText: string }[] };
      expect(withoutRemark(right[0]!)).toBe(before.replace(sent[0]!.oldText, () => sent[0]!.newText));
      expect(withoutRemark(present)).toBe(before);
      expect(/# ask/.test(right[0]!)).toBe(typing !== "nothing");
    }
  });

  it("and has twins exactly if it is said to have", () => {
    for (const { before, sign, shape, call } of typedScenes.filter((scene) => scene.shape.form === "edits")) {
      const { edits: sent } = call("f") as { edits: { oldText: string; line?: number }[] };
      const places = before.split(sent[0]!.oldText).length - 1;
      expect(sent[0]!.line !== undefined).toBe(shape.isHinted);
      if (sign === "ambiguous") expect(places).toBeGreaterThan(1);
      if (sign === "no twin" || sign === "twin, its context") expect(places).toBe(1);
    }
  });

  it("and no call goes wrong", { timeout: 120_000 }, async () => {
    const played = await playScenes(program.path, typedScenes);
    expect(
      played
        .filter(({ outcome }) => outcome === "wrong")
        .map(describedScene)
        .join("\n\n"),
    ).toBe("");
    const untouched = played.filter(({ scene }) => scene.typing === "nothing" && scene.sign !== "ambiguous");
    expect(
      untouched
        .filter(({ outcome }) => outcome === "refused")
        .map(describedScene)
        .join("\n\n"),
    ).toBe("");
    const rows = typedFigures(played, { before: played, isBrief: false });
    expect(rows.at(-1)).toMatchObject({ scene: "all", cases: typedScenes.length, wrong: 0, price: 0 });
    const isConflict = ({ scene }: { readonly scene: string }): boolean => scene.startsWith("a conflict by the rule");
    const inRows = rows.filter(({ goal }) => goal !== undefined).reduce((sum, { cases }) => sum + cases, 0);
    const refused = rows.filter(isConflict).reduce((sum, { cases }) => sum + cases, 0);
    expect(refused).toBe(typedScenes.filter(({ conflict }) => conflict !== undefined).length);
    expect(inRows + refused).toBe(2 * typedScenes.length);
    const brief = typedFigures(played, { before: undefined, isBrief: true }).filter((row) => !isConflict(row));
    expect(brief.filter(({ goal }) => goal !== undefined)).toHaveLength(Object.keys(typings).length * 4);
  });

  it("and a call that lands though it must be refused is wrong, and so is a text that lacks the comment", async () => {
    const sent = typedScenes.filter(({ typing, sign }) => typing === "a comment on a kept line" && sign === "no twin");
    const played = await playScenes(program.path, [
      { ...sent[0]!, right: [] },
      { ...sent[0]!, right: sent[0]!.right.map(withoutRemark) },
    ]);
    expect(played.map(({ outcome }) => outcome)).toEqual(["wrong", "wrong"]);
  });

  it.each<[string, readonly string[], readonly string[], { old: number; new: number }, string | undefined]>([
    ["one that becomes another", ["f(a, b)"], ["f(a, c)"], { old: 0, new: 0 }, undefined],
    ["one with a line added", ["f(a, b)"], ["n(1)", "f(a, c)"], { old: 0, new: 1 }, undefined],
    ["one that is split", ["f(a, b)"], ["f(a,", "  b)"], { old: 0, new: 0 }, "the edit splits the line"],
    ["one of which brackets are split off", ["f(a, b)"], ["f(a, b", ")"], { old: 0, new: 0 }, undefined],
    ["one that is joined with another", ["f(a,", "b)"], ["f(a, b)"], { old: 0, new: 0 }, "the edit joins the line"],
    [
      "one that is in another than its pair",
      ["f(a)", "x"],
      ["f(b)", "x(f(a))"],
      { old: 0, new: 0 },
      "the edit joins the line",
    ],
  ])("with a line on which typed text has no place, if that is so: %s", (_, removed, added, pair, conflict) => {
    const site = {
      lines: ["k", ...removed].map(newLine),
      at: 1,
      removed: removed.length,
      added: added.map(newLine),
      pair,
    };
    expect(tornLine(site)).toBe(conflict);
  });

  it("in a text on disk that gives another text, if the old text ends before what was typed", () => {
    const lines = ["k", "f(a)"].map(newLine);
    const parts = [
      { kind: "remove", line: lines[1]! },
      { kind: "add", line: newLine("f(b)") },
      { kind: "add", line: newLine("g()") },
    ] as const;
    const call = (isEnded: boolean): Call => ({ form: "edits", edits: [{ at: 1, parts, isEnded }] });
    const right = "k\nf(b) # ask\ng()\n";
    expect(makesAnother(call(false), "k\nf(a) # ask\n", right)).toBe(true);
    expect(makesAnother(call(true), "k\nf(a) # ask\n", right)).toBe(false);
    expect(makesAnother({ ...call(false), form: "patch" }, "k\nf(a) # ask\n", right)).toBe(false);
    expect(makesAnother(call(false), "k\nf(a)\n", "k\nf(b)\ng()\n")).toBe(false);
  });

  it("as a fragment that has as many words as its author needs to name it", () => {
    const named = (text: string) => (from: string) => text.split(from).length === 2;
    expect(fragmentOf("rate = 0.19;", "rate = 0.2;", named("rate = 0.19;"))).toEqual({ from: "19", to: "2" });
    expect(fragmentOf("a = 1;", "a = 2;", named("a = 1;\nb(1)"))).toEqual({ from: "1;", to: "2;" });
    expect(fragmentOf("f(a)", "f(a, b)", named("f(a)"))).toEqual({ from: ")", to: ", b)" });
    expect(fragmentOf("a = 1", "a = 2", named("a = 1\na = 1"))).toBe(undefined);
  });

  it("on lines that clearly become one other line", () => {
    expect(clearPairs(["a"], ["b"])).toEqual([{ old: 0, new: 0 }]);
    expect(clearPairs(["x(1, 2);"], ["new();", "x(1, 3);"])).toEqual([{ old: 0, new: 1 }]);
    expect(clearPairs(["a b c", "d e f"], ["d e f g", "a b c g"])).toEqual([]);
    expect(clearPairs(["a b c"], ["a b c d", "a b c e"])).toEqual([]);
    expect(clearPairs(["a b"], ["a c", "d"])).toEqual([]);
  });
});
