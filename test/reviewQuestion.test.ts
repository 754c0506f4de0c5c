/** Questions about a call of which the user refuses some hunks. */
import { describe, expect, it } from "vitest";
import { hunksOfPlan, withoutRefused } from "../server/lsp/apply/partial.js";
import { asUpdate } from "../server/plan/outcome.js";
import { ChangeSet } from "../server/text/changeSet.js";
import { batch, patchOf, serverForDesks } from "./support/desk.js";
import { layReviewDesk, type ReviewDesk, withAgent } from "./support/reviewDesk.js";

const program = serverForDesks();

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
const tenAfter = "1\nB\n3\n4\n5\n6\nG\n8\n9\n10\n";
const twoEdits = batch(["a.txt", "2\n", "B\n"], ["a.txt", "7\n", "G\n"]);

describe("a question about a call", () => {
  const options = { confirm: true };
  const lay = (): Promise<ReviewDesk> =>
    layReviewDesk(program, {
      open: { "a.txt": ten },
      files: { "b.txt": "b\n" },
      capabilities: { experimental: { multiEdit: { review: true, confirm: true } } },
    });

  it("names hunks, of which some may be refused", async () => {
    const { desk, apply } = await withAgent(lay);
    desk.editor.answerConfirmsWith({ answer: "apply", refused: ["0"], reason: "B is taken" });
    const { result } = await apply({ ...twoEdits, options });
    expect(desk.editor.confirms[0]?.hunks).toEqual([
      {
        id: "0",
        uri: desk.uri("a.txt"),
        kind: "text",
        startLine: 2,
        oldText: "2\n",
        newText: "B\n",
        diffLines: [6, 7],
      },
      {
        id: "1",
        uri: desk.uri("a.txt"),
        kind: "text",
        startLine: 7,
        oldText: "7\n",
        newText: "G\n",
        diffLines: [12, 13],
      },
    ]);
    expect(desk.texts()["a.txt"]).toBe(ten.replace("7", "G"));
    expect(result.refused).toEqual([{ path: "a.txt", startLine: 2, endLine: 2 }]);
    const note = 'The user refused a.txt:2 of this call: "B is taken". The rest was applied.';
    expect([result.note, result.text.split("\n")[0]]).toEqual([note, note]);
    expect(result.edits.map(({ status }) => status)).toEqual(["notAttempted", "applied"]);
    expect(desk.editor.confirms).toHaveLength(1);
    // What was refused is not done, so the same call is not taken for one that is sent again.
    desk.editor.answerConfirmsWith({ answer: "apply" });
    await apply({ ...batch(["a.txt", "2\n", "B\n"]), options });
    expect(desk.texts()["a.txt"]).toBe(tenAfter);
  });

  it("numbers the rows of a hunk on the first line without the headers above it", async () => {
    const { desk, apply } = await withAgent(lay);
    desk.editor.answerConfirmsWith({ answer: "apply" });
    await apply({ ...batch(["a.txt", "1\n2\n", "A\n2\n"]), options });
    expect(desk.editor.confirms[0]?.hunks).toMatchObject([{ startLine: 1, newText: "A\n", diffLines: [5, 6] }]);
  });

  it("may be about whole files", async () => {
    const { desk, apply } = await withAgent(lay);
    desk.editor.answerConfirmsWith({ answer: "apply", refused: ["0", "1"] });
    const patch = patchOf(
      "*** Add File: new.txt",
      "+new",
      "*** Delete File: b.txt",
      "*** Update File: a.txt",
      "@@",
      "-7",
      "+G",
    );
    const { result } = await apply({ ...patch, options });
    const { diff = "", hunks = [] } = desk.editor.confirms[0]!;
    const shown = hunks.map(({ diffLines: [first, last] }) => diff.split("\n").slice(first - 1, last));
    expect(hunks.map(({ kind }) => kind)).toEqual(["create", "delete", "text"]);
    expect(shown.map((rows) => [rows[0], rows.at(-1)])).toEqual([
      ["diff --git a/new.txt b/new.txt", "+new"],
      ["diff --git a/b.txt b/b.txt", "-b"],
      ["-7", "+G"],
    ]);
    expect([desk.disk(), desk.texts()["a.txt"]]).toEqual([{ "a.txt": ten, "b.txt": "b\n" }, ten.replace("7", "G")]);
    expect(result.refused?.map(({ path }) => path)).toEqual(["new.txt", "b.txt"]);
  });

  it.each([
    ["all of them", { answer: "apply", refused: ["0", "1"], reason: "no" }, "userRejected"],
    ["one that there is not", { answer: "apply", refused: ["7"] }, "clientCapability"],
    ["none that can be read", { answer: "apply", refused: "0" as unknown as string[] }, "clientCapability"],
  ] as const)("of which %s are refused changes nothing", async (_, answer, code) => {
    const { desk, apply } = await withAgent(lay);
    desk.editor.answerConfirmsWith(answer as { answer: "apply" });
    const { error } = await apply({ ...twoEdits, options });
    expect(Object(Object(error).data).failures[0].code).toBe(code);
    expect(desk.texts()["a.txt"]).toBe(ten);
  });

  it.each([
    ["an insertion", ["1"], ["applied", "notAttempted", "applied", "applied", "applied"]],
    ["the lines of a renamed file", ["3"], ["applied", "applied", "applied", "notAttempted", "applied"]],
    ["the new name of a file", ["2"], ["applied", "applied", "notAttempted", "notAttempted", "applied"]],
  ])("of which %s is refused says which edits were not done", async (_, refused, statuses) => {
    const { desk, apply } = await withAgent(lay);
    desk.editor.answerConfirmsWith({ answer: "apply", refused });
    const patch = patchOf(
      ...["*** Update File: a.txt", "@@", "-2", "+B", "+B", "@@", " 5", "+new", " 6"],
      ...["*** Update File: b.txt", "*** Move to: c.txt", "@@", "-b", "+c", "*** Add File: new.txt", "+new"],
    );
    const { result } = await apply({ ...patch, options });
    expect(result.edits.map(({ status }) => status)).toEqual(statuses);
  });

  it("may be answered while the user types elsewhere", async () => {
    const { desk, apply } = await withAgent(lay);
    desk.editor.answerConfirmsWith({ answer: "apply", refused: ["1"] });
    desk.editor.beforeAnswers(() => desk.typeBefore("a.txt", "10", "typed\n"));
    desk.editor.beforeEdits(() => undefined);
    const { result } = await apply({ ...twoEdits, options });
    expect(result.refused).toEqual([{ path: "a.txt", startLine: 7, endLine: 7 }]);
    expect(desk.texts()["a.txt"]).toBe(ten.replace("2", "B").replace("10", "typed\n10"));
  });
});

it("a plan that replaces many lines at once lacks the lines of a refused hunk", () => {
  const document = { uri: "file:///a.txt", path: "a.txt", version: 1, text: ten, exists: true };
  const flags = { bom: false, bomSynced: false, loneCrEndsLine: false };
  const change = ChangeSet.of(ten.length, [{ from: 0, to: ten.length, insert: tenAfter }]);
  const file = asUpdate({ document: { ...document, ...flags }, change, text: tenAfter, edits: 1, operations: [] });
  const [first] = hunksOfPlan([file]);
  const { plan, places } = withoutRefused({ files: [file], tasks: [], outcomes: [] }, new Set([first!.key]));
  expect(plan.files.map(({ text }) => text)).toEqual([ten.replace("7", "G")]);
  expect(places).toEqual([{ path: "a.txt", startLine: 2, endLine: 2 }]);
});
