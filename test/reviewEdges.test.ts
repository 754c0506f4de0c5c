/** Hunks in rare texts and sessions: at the ends of a text, after many calls, and across proposals. */
import { describe, expect, it, vi } from "vitest";
import { batch, failed, serverForDesks } from "./support/desk.js";
import { layReviewDesk, type ReviewDesk } from "./support/reviewDesk.js";

const program = serverForDesks();

const lay = (text: string, options = {}): Promise<ReviewDesk> =>
  layReviewDesk(program, { open: { "a.txt": text }, ...options });

describe("a hunk", () => {
  it("in the first line of a text with a byte order mark leaves the mark as it is", async () => {
    const text = "\ufeff1\n2\n";
    const desk = await lay(text);
    await desk.apply(batch(["a.txt", "1", "A"]));
    expect(desk.hunks()).toEqual(['a.txt:1-1 pending "1\\n" > "A\\n"']);
    await desk.typeBefore("a.txt", "A", "typed ");
    await vi.waitUntil(() => desk.hunks()[0]?.includes("changed"));
    const [hunk] = await desk.list();
    expect(hunk?.ranges).toEqual([{ start: { line: 0, character: 7 }, end: { line: 1, character: 0 } }]);
    await desk.editor.type({ uri: desk.uri("a.txt"), from: 1, to: 7, insert: "" });
    await desk.ask("multiEdit/undo", { hunks: [hunk!.id] });
    expect(desk.texts()["a.txt"]).toBe(text);
    await desk.ask("multiEdit/redo", { hunks: [hunk!.id] });
    expect(desk.texts()["a.txt"]).toBe("\ufeffA\n2\n");
  });

  it.each([
    ["the line end before it is gone", "9\n10\n", ["10\n", ""], { from: 1, to: 2, insert: "" }],
    ["something follows its new line end", "9\n10", ["10", "T\n"], { from: 4, to: 4, insert: "more" }],
  ] as const)("at the end of a text is not undone if %s", async (_, text, [oldText, newText], typed) => {
    const desk = await lay(text);
    await desk.apply(batch(["a.txt", oldText, newText]));
    await desk.editor.type({ uri: desk.uri("a.txt"), ...typed });
    const before = desk.texts();
    expect((await failed(desk.ask("multiEdit/undo", { all: true }))).codes).toEqual(["undoConflict"]);
    expect(desk.texts()).toEqual(before);
  });
});
