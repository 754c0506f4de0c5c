/**
 * Batches that an editor applies entirely or not at all, as it announces: all texts go in a single edit. If the editor
 * breaks this promise, the answer is true all the same, and from then on each document gets an edit of its own.
 */
import { describe, expect, it } from "vitest";
import type { ClientCapabilities } from "vscode-languageserver/node";
import {
  batch,
  type Desk,
  type DeskOptions,
  failed,
  hastyServer,
  layDesk,
  serverForDesks,
  throughEditor,
  told,
} from "./support/desk.js";
import type { Behaviour } from "./support/editorAnswers.js";
import { rolledBack } from "./support/rolledBack.js";
import { takesAll } from "./support/takesAll.js";
import { three, threeAfter, threeEdits } from "./support/threeDocuments.js";

const program = serverForDesks();

const announcing = (
  failureHandling: "abort" | "transactional" | "textOnlyTransactional" | "undo",
): ClientCapabilities => ({
  workspace: {
    applyEdit: true,
    workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"], failureHandling },
  },
});
const { clientInfo } = takesAll;

const start = (options: DeskOptions = {}): Promise<Desk> =>
  layDesk(program, { ...takesAll, proofTimeout: 400, ...options });

/** The paths in each edit that the editor was asked to apply, in order. */
function askedFor({ editor, root }: Desk): string[][] {
  const pathOf = (uri: string) => decodeURIComponent(uri).slice(`file://${root}/`.length);
  return editor.asked.map(({ edit }) =>
    (edit.documentChanges ?? []).map((one) => {
      if (!("kind" in one)) return pathOf(one.textDocument.uri);
      return `${one.kind} ${pathOf(one.kind === "rename" ? one.newUri : one.uri)}`;
    }),
  );
}

const all = Object.keys(three);
const oneByOne = all.map((path) => [path]);

/** Calls `type` just before the editor handles the server's `n`-th edit, counted from 1. */
function typeBeforeEdit({ editor }: Desk, n: number, type: () => Promise<void>): void {
  editor.beforeEdits(async () => {
    if (editor.asked.length === n) await type();
  });
}

describe("an editor that is known to apply all texts or none", () => {
  it.each([
    ["transactional", "afterAnswer"],
    ["transactional", "beforeAnswer"],
    ["textOnlyTransactional", "afterAnswer"],
    ["textOnlyTransactional", "beforeAnswer"],
  ] as const)(
    "and announces %s gets a single edit, its texts synced %s; the undo is one as well",
    async (handling, syncs) => {
      const desk = await start({ open: three, capabilities: announcing(handling), syncs });
      const answer = await desk.apply(threeEdits);
      expect(answer).toMatchObject({ applied: true, outcome: "applied", warnings: [], label: "3 files (3 edits)" });
      expect(desk.texts()).toEqual(threeAfter);
      expect(await desk.undo()).toMatchObject({ outcome: "applied" });
      expect(desk.texts()).toEqual(three);
      expect(askedFor(desk)).toEqual([all, all.toReversed()]);
      expect(desk.editor.asked[0]).toMatchObject({
        label: "3 files (3 edits)",
        edit: { documentChanges: all.map((path) => ({ textDocument: { uri: desk.uri(path), version: 1 } })) },
      });
    },
  );

  it.each<[string, DeskOptions]>([
    ["announces nothing", { capabilities: {} }],
    ["announces abort", { capabilities: announcing("abort") }],
    ["announces undo", { capabilities: announcing("undo") }],
    ["is unknown", { clientInfo: { name: "fake editor", version: "1.139.1" } }],
    ["is of a version that was not tested", { clientInfo: { ...clientInfo, version: "1.138.2" } }],
    ["gives no version", { clientInfo: { name: clientInfo.name } }],
    ["is one that does not keep to it", { clientInfo: { name: "helix", version: "25.7.1" } }],
  ])("but %s, gets one edit for each document", async (_how, options) => {
    const desk = await start({ open: three, ...options });
    expect(await desk.apply(threeEdits)).toMatchObject({ outcome: "applied" });
    expect(askedFor(desk)).toEqual(oneByOne);
  });

  it("gets files that are not open in the same edit, and new, renamed and deleted ones in edits of their own", async () => {
    const files = { "closed.txt": "old\n", "from.txt": "old name\n", "gone.txt": "gone\n" };
    const desk = await start({ open: { "a.txt": "old\n" }, files });
    const patch = [
      "*** Begin Patch",
      "*** Update File: a.txt",
      "@@",
      "-old",
      "+new",
      "*** Update File: closed.txt",
      "@@",
      "-old",
      "+new",
      "*** Update File: from.txt",
      "*** Move to: to.txt",
      "@@",
      "-old name",
      "+new name",
      "*** Delete File: gone.txt",
      "*** Add File: added.txt",
      "+added",
      "*** End Patch",
    ].join("\n");
    const answer = await desk.apply(throughEditor({ patch }));
    expect(answer.outcome).toBe("applied");
    expect(desk.texts()).toMatchObject({ "a.txt": "new\n", "closed.txt": "new\n", "to.txt": "new name\n" });
    expect(askedFor(desk)).toEqual([
      ["a.txt", "closed.txt", "from.txt"],
      ["create added.txt"],
      ["added.txt"],
      ["rename to.txt"],
      ["delete gone.txt"],
    ]);
    expect(desk.editor.refusals).toEqual([]);
  });

  it.each<Behaviour>(["doesButDenies", "doesButAnswersNull", "doesButAnswersErrors", "doesButNeverAnswers"])(
    "and %s: the texts are the proof",
    async (behaviour) => {
      const desk = await start({ open: three });
      desk.editor.behave(behaviour);
      expect(await desk.apply(threeEdits)).toMatchObject({ applied: true, outcome: "applied", warnings: [] });
      expect(desk.texts()).toEqual(threeAfter);
      expect(askedFor(desk)).toEqual([all]);
    },
  );
});

describe("the user types in one of the files before the edit arrives", () => {
  it.each(all)(
    "in %s: the editor refuses the whole edit, and the server plans that file again and sends all anew",
    async (path) => {
      const desk = await start({ open: three });
      typeBeforeEdit(desk, 1, () => desk.typeBefore(path, path === "c.txt" ? "😀" : "old", "typed "));
      const answer = await desk.apply(threeEdits);
      expect(answer).toMatchObject({ applied: true, outcome: "applied", warnings: [] });
      const typed = path === "c.txt" ? threeAfter[path].replace("😀", "typed 😀") : undefined;
      const expected = typed ?? threeAfter[path as "a.txt"].replace("new", "typed new");
      expect(desk.texts()).toEqual({ ...threeAfter, [path]: expected });
      expect(askedFor(desk)).toEqual([all, all]);
      expect(desk.editor.refusals).toHaveLength(1);
      // The refusal kept the promise, so the next call is sent together, too.
      expect(await desk.undo()).toMatchObject({ outcome: "applied" });
      expect(askedFor(desk)).toEqual([all, all, all.toReversed()]);
    },
  );

  it("into the old text: nothing is changed in any file", async () => {
    const desk = await start({ open: three });
    typeBeforeEdit(desk, 1, () => desk.typeBefore("b.txt", "ld b", "u"));
    const failure = await failed(desk.apply(threeEdits));
    expect(failure.codes).toEqual(["contentModified"]);
    expect(failure.message).toContain("Nothing else was changed");
    expect(failure.edits.map(({ status }) => status)).toEqual(["notAttempted", "failed", "notAttempted"]);
    expect(desk.texts()).toEqual({ ...three, "b.txt": three["b.txt"].replace("old", "ould") });
    expect(askedFor(desk)).toEqual([all]);
  });

  it("before every attempt: the call fails with contentModified, and nothing is changed", async () => {
    const desk = await start({ open: three });
    desk.editor.beforeEdits(() => desk.typeBefore("c.txt", "😀", "x"));
    const failure = await failed(desk.apply(threeEdits));
    expect(failure.codes).toEqual(["contentModified"]);
    expect(failure.edits.map(({ status }) => status)).toEqual(["notAttempted", "notAttempted", "failed"]);
    expect(desk.texts()).toEqual({ ...three, "c.txt": `xxxx${three["c.txt"]}` });
    expect(askedFor(desk)).toEqual([all, all, all, all]);
  });
});

describe("the editor refuses the edit", () => {
  it.each<Behaviour>(["refuses", "answersNull", "answersErrors"])("and %s: nothing is changed", async (behaviour) => {
    const desk = await start({ open: three });
    desk.editor.behave(behaviour, "honest");
    const failure = await failed(desk.apply(threeEdits));
    expect(failure.codes).toEqual(["clientRefused"]);
    expect(failure.message).toContain('"a.txt" and 2 more files');
    expect(failure.message).toContain("their texts are unchanged. Nothing else was changed.");
    expect(failure.edits.map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
    expect(desk.texts()).toEqual(three);
    expect(askedFor(desk)).toEqual([all]);
    expect(await desk.apply(threeEdits)).toMatchObject({ outcome: "applied" });
    expect(askedFor(desk)).toEqual([all, all]);
  });

  it("and names the entry that failed: the failure is about that file", async () => {
    const desk = await start({ open: three });
    desk.editor.behave("refusesLast");
    const failure = await failed(desk.apply(threeEdits));
    expect(failure.failures).toMatchObject([{ code: "clientRefused", path: "c.txt" }]);
    expect(failure.message).toContain('The editor did not apply the edit to "c.txt"; its text is unchanged');
    expect(failure.edits.map(({ status }) => status)).toEqual(["notAttempted", "notAttempted", "failed"]);
    expect(desk.texts()).toEqual(three);
  });

  const withNewFile = throughEditor({
    edits: [...threeEdits.edits, { path: "new.txt", oldText: "", newText: "new\n" }],
  });

  it("or a later step: all texts are rolled back in a single edit", async () => {
    const desk = await start({ open: three });
    desk.editor.behave("honest", "refuses", "honest");
    const failure = await failed(desk.apply(withNewFile));
    expect(failure.codes).toEqual(["clientRefused"]);
    expect(failure.message).toContain(rolledBack(...all.toReversed()));
    expect(desk.texts()).toEqual(three);
    expect(askedFor(desk)).toEqual([all, ["create new.txt"], all.toReversed()]);
  });

  it("or a later step, and the user types: what was typed stays, and all texts are rolled back", async () => {
    const desk = await start({ open: three });
    desk.editor.behave("honest", "refuses", "honest");
    typeBeforeEdit(desk, 3, () => desk.typeBefore("b.txt", "mixed", "typed "));
    const failure = await failed(desk.apply(withNewFile));
    expect(failure.message).toContain(rolledBack(...all.toReversed()));
    expect(desk.texts()).toEqual({ ...three, "b.txt": three["b.txt"].replace("mixed", "typed mixed") });
    const back = all.toReversed();
    expect(askedFor(desk)).toEqual([all, ["create new.txt"], back, back]);
  });

  it("or a later step, and the user has typed into an edit: only that text is not rolled back", async () => {
    const desk = await start({ open: three });
    desk.editor.behave("honest", "refuses", "honest");
    typeBeforeEdit(desk, 2, () => desk.typeBefore("b.txt", "ew b", "typed "));
    const answer = await told(desk.apply(withNewFile));
    expect(answer.outcome).toBe("unknown");
    expect(answer.text).toContain(rolledBack("c.txt", "a.txt"));
    expect(answer.text).toMatch(/still contain the edit.*: b\.txt\./);
    expect(answer.edits.map(({ status }) => status)).toEqual(["notAttempted", "applied", "notAttempted", "failed"]);
    expect(desk.texts()).toEqual({ ...three, "b.txt": threeAfter["b.txt"].replace("new", "ntyped ew") });
  });
});

describe("the editor never answers", () => {
  it("and changes nothing: the outcome is unknown for every file", async () => {
    const desk = await start({ open: three, server: hastyServer(program, 100) });
    desk.editor.behave("neverAnswers");
    const answer = await desk.apply(threeEdits);
    expect(answer).toMatchObject({ applied: false, outcome: "unknown" });
    expect(answer.warnings[0]).toContain('has not yet changed "a.txt"');
    expect(answer.warnings[0]).toContain("These files may contain the edit: b.txt, c.txt.");
    expect(answer.edits.map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
    expect(answer.files.map(({ path }) => path)).toEqual(all);
    expect(desk.texts()).toEqual(three);
  });

  it("and changes some: these are rolled back", async () => {
    const desk = await start({ open: three, server: hastyServer(program, 100) });
    desk.editor.behave("leavesLastAndNeverAnswers", "honest");
    const answer = await desk.apply(threeEdits);
    expect(answer).toMatchObject({ applied: false, outcome: "unknown" });
    expect(answer.warnings[0]).toContain('has not yet changed "c.txt"');
    expect(answer.warnings[0]).toContain(rolledBack("b.txt", "a.txt"));
    expect(desk.texts()).toEqual(three);
  });
});

describe("an editor that breaks its promise", () => {
  it("and says no after changing two of three: they are rolled back, and later edits go one by one", async () => {
    const desk = await start({ open: three });
    desk.editor.behave("leavesLastAndDenies", "honest");
    const failure = await failed(desk.apply(threeEdits));
    expect(failure.failures).toMatchObject([{ code: "clientRefused", path: "c.txt" }]);
    expect(failure.message).toContain(rolledBack("b.txt", "a.txt"));
    expect(failure.edits.map(({ status }) => status)).toEqual(["notAttempted", "notAttempted", "failed"]);
    expect(desk.texts()).toEqual(three);
    expect(desk.editor.messages.map(({ message }) => message).join("\n")).toContain(
      "has applied only a part of an edit",
    );
    const before = desk.editor.asked.length;
    expect(await desk.apply(threeEdits)).toMatchObject({ outcome: "applied" });
    expect(askedFor(desk).slice(before)).toEqual(oneByOne);
    expect(desk.texts()).toEqual(threeAfter);
  });

  it("and makes only a part of the edit, but says yes: the answer says so", async () => {
    const desk = await start({ open: three });
    desk.editor.behave("appliesPartly", "honest");
    const answer = await told(desk.apply(threeEdits));
    expect(answer).toMatchObject({ outcome: "unknown", codes: ["timeout"] });
    expect(answer.text).toContain(rolledBack("a.txt"));
    expect(desk.texts()).toEqual(three);
  });

  it("and keeps the files before the one that it refuses: the others are sent one by one, and nothing is lost", async () => {
    const desk = await start({ open: three });
    desk.editor.behave("keepsEarlier", "honest");
    typeBeforeEdit(desk, 1, () => desk.typeBefore("b.txt", "old", "typed "));
    expect(await desk.apply(threeEdits)).toMatchObject({ applied: true, outcome: "applied" });
    expect(desk.texts()).toEqual({ ...threeAfter, "b.txt": threeAfter["b.txt"].replace("new", "typed new") });
    expect(askedFor(desk)).toEqual([all, ["b.txt"], ["c.txt"]]);
  });

  it("and ignores the versions: what it put in the wrong place is rolled back and put in the right one", async () => {
    const desk = await start({ open: three });
    desk.editor.behave("ignoresVersions", "ignoresVersions", "honest");
    typeBeforeEdit(desk, 1, () => desk.typeBefore("b.txt", "old", "typed "));
    expect(await desk.apply(threeEdits)).toMatchObject({ applied: true, outcome: "applied" });
    expect(desk.texts()).toEqual({ ...threeAfter, "b.txt": threeAfter["b.txt"].replace("new", "typed new") });
    expect(askedFor(desk)).toEqual([all, ["b.txt"], ["b.txt"]]);
    expect(await desk.undo()).toMatchObject({ outcome: "applied" });
    expect(askedFor(desk).slice(3)).toHaveLength(3);
  });

  it("and ignores the version of a single text: later edits to several go one by one", async () => {
    const desk = await start({ open: three });
    desk.editor.behave("ignoresVersions", "honest");
    typeBeforeEdit(desk, 1, () => desk.typeBefore("b.txt", "old", "typed "));
    expect(await desk.apply(batch(["b.txt", "old b", "new b"]))).toMatchObject({ applied: true });
    const before = desk.editor.asked.length;
    expect(await desk.apply(batch(["a.txt", "old a", "new a"], ["c.txt", "old c", "new c"]))).toMatchObject({
      applied: true,
    });
    expect(askedFor(desk).slice(before)).toEqual([["a.txt"], ["c.txt"]]);
  });
});
