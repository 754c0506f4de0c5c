/** Hunks in rare texts and sessions: at the ends of a text, after many calls, and across proposals. */
import { describe, expect, it, vi } from "vitest";
import type { Caller } from "../server/lsp/protocol.js";
import { hears, hookPrefix } from "../server/lsp/review/hearers.js";
import { type FollowedHunk, forgetCall } from "../server/lsp/review/hunk.js";
import type { ReviewedCall } from "../server/lsp/review/item.js";
import { limits } from "../server/text/limits.js";
import { batch, failed, serverForDesks } from "./support/desk.js";
import { layReviewDesk, type ReviewDesk, withAgent } from "./support/reviewDesk.js";

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

  it("that was kept stays kept if the text becomes what it was when an edit was proposed", async () => {
    const desk = await lay("1\n2\n3\n4\n5\n");
    await desk.apply(batch(["a.txt", "2\n", "B\n"]));
    await desk.propose(batch(["a.txt", "5\n", "E\n"]));
    await desk.ask("multiEdit/keep", { all: true });
    const uri = desk.uri("a.txt");
    await desk.editor.type({ uri, from: 0, to: 0, insert: "x" });
    await desk.editor.type({ uri, from: 0, to: 1, insert: "" });
    expect((await desk.list({ all: true })).map(({ state }) => state)).toEqual(["kept"]);
  });
});

describe("too many hunks", () => {
  it("of a later call have the editor forget those of the earlier one", async () => {
    const lines = Array.from({ length: 3 * (limits.reviewHunks + 1) }, (_, i) => `line ${i}\n`);
    const after = lines.map((line, i) => (i % 3 === 0 ? line.toUpperCase() : line)).join("");
    const desk = await layReviewDesk(program, { open: { "a.txt": lines.join(""), "b.txt": "1\n2\n" } });
    await desk.apply(batch(["b.txt", "2\n", "B\n"]));
    expect(desk.hunks()).toHaveLength(1);
    await desk.apply({ path: "a.txt", content: after });
    expect(desk.hunks().filter((one) => one.startsWith("b.txt"))).toEqual([]);
    expect(await desk.list()).toHaveLength(limits.reviewHunks + 1);
  });

  it("lose the oldest call, but not the text before it", () => {
    const lost: string[] = [];
    const hunk = {
      id: "1",
      from: 0,
      to: 2,
      texts: ["a\n", "b\n", "c\n", "d\n"],
      calls: ["1", "2", "3"],
      level: 3,
      kept: 0,
    };
    const forget = (one: FollowedHunk) => forgetCall([one], "1", (call) => lost.push(call));
    expect(forget(hunk)).toEqual([{ ...hunk, texts: ["a\n", "c\n", "d\n"], calls: ["2", "3"], level: 2 }]);
    expect(forget({ ...hunk, level: 0 })).toMatchObject([{ level: 0, kept: 0 }]);
    expect(forget({ ...hunk, level: undefined })).toMatchObject([{ level: undefined, kept: 0 }]);
    expect(lost).toEqual(["1", "1", "1"]);
    expect(forget({ ...hunk, level: 1 })).toEqual([]);
    expect(lost.slice(3)).toEqual(["1", "2", "3"]);
    const other = [{ ...hunk, calls: ["2", "3", "4"] }];
    expect(forgetCall(other, "1", () => undefined)).toBe(other);
  });
});

describe("what became of an agent's changes", () => {
  const author: Caller = { name: "codex", agent: "1" };
  const call = (caller: Caller | undefined, id: number): ReviewedCall => ({
    id: String(id),
    at: id,
    label: "",
    caller,
  });
  const hook: Caller = { name: "codex", agent: `${hookPrefix}9` };

  const other: Caller = { name: "codex", agent: "2" };
  const client: Caller = { name: "codex-mcp-client", agent: "1" };
  it.each<[string, boolean, Caller, Caller, readonly (Caller | undefined)[]]>([
    ["the agent itself", true, author, author, [other]],
    ["an agent without an id, by its name", true, { name: "codex" }, { name: "codex" }, []],
    ["another agent without an id", false, { name: "qwen" }, { name: "codex" }, []],
    ["another agent with the same name that calls, too", false, other, author, [other, author]],
    ["the same program started again", true, other, author, [undefined, other, other]],
    ["the same program before its first call", true, other, author, []],
    ["another program", false, { name: "qwen", agent: "2" }, author, []],
    ["the program's hook", true, hook, client, [hook, client]],
    ["the program whose hook has named it", true, client, hook, [client, hook]],
    ["another program's hook", false, hook, { name: "gemini-cli-mcp-client", agent: "1" }, []],
  ])("is told to %s: %s", (_, isTold, by, of, callers) => {
    const calls = [call(of, 0), ...callers.map((caller, i) => call(caller, i + 1))];
    expect(hears(by, of, calls)).toBe(isTold);
  });
});

it("comments that do not fit into one note are in the next", async () => {
  const { desk, apply } = await withAgent(() => lay("1\n2\n3\n4\n5\n6\n7\n8\n"));
  await apply(batch(["a.txt", "2\n", "B\n"], ["a.txt", "5\n", "E\n"], ["a.txt", "8\n", "H\n"]));
  for (const { id } of await desk.list())
    await desk.ask("multiEdit/comment", { hunk: id, text: `${"long ".repeat(36)}end` });
  const notes: (string | undefined)[] = [];
  for (const [from, to] of ["13", "35", "57", "79"].map((pair) => [...pair] as [string, string])) {
    const { result } = await apply(batch(["a.txt", `${from === "1" ? "1" : `1${from}`}\n`, `1${to}\n`]));
    notes.push(result.note);
  }
  const noted = notes.map((note) => note?.match(/says of a\.txt:\d: "(long )+end"/g)?.length ?? 0);
  expect(noted).toEqual([1, 1, 1, 0]);
});
