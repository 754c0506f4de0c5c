/** Patches in documents that people read: which documents and lines, the actions, the hover and the diagnostics. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { serverForDesks } from "./support/desk.js";
import { layPatchDesk, type PatchDesk } from "./support/patchDocument.js";

const program = serverForDesks();

const price = "export const rate = 0.19;\nexport const name = 'VAT';\n";
const changed = price.replace("0.19", "0.2");

const patch = [
  "*** Begin Patch",
  "*** Update File: src/price.ts",
  "@@",
  "-export const rate = 0.19;",
  "+export const rate = 0.2;",
  "*** End Patch",
];

/** The same patch to a line that the file does not have. */
const broken = patch.map((line) => line.replace("rate", "ratio"));

/** The same change in the other dialects. */
const blocks = [
  "src/price.ts",
  "<<<<<<< SEARCH",
  "export const rate = 0.19;",
  "=======",
  "export const rate = 0.2;",
  ">>>>>>> REPLACE",
];
const diff = [
  "--- a/src/price.ts",
  "+++ b/src/price.ts",
  "@@ -1 +1 @@",
  "-export const rate = 0.19;",
  "+export const rate = 0.2;",
];

/** Milliseconds after which nothing more is sent, because every check of the patches has ended. */
const settled = 700;

const chat = (...parts: readonly (readonly string[])[]): string => `${parts.flat().join("\n")}\n`;

const start = (files: Readonly<Record<string, string>> = {}): Promise<PatchDesk> =>
  layPatchDesk(program, { open: { "src/price.ts": price }, ...(files === undefined ? {} : { files }) });

describe("a document", () => {
  it.each([
    ["a Markdown file by its language", "chat.txt", "markdown", true],
    ["a Markdown file by its extension", "chat.md", "plaintext", true],
    ["a patch by its extension", "fix.patch", "plaintext", true],
    ["a diff by its language", "fix.txt", "diff", true],
    ["an untitled document", "untitled:Untitled-1", "plaintext", true],
    ["an unnamed buffer, as Neovim spells it", "file://", "", true],
    ["a source file", "src/chat.ts", "typescript", false],
    ["a text file", "notes.txt", "plaintext", false],
  ])("%s", async (_, path, languageId, isRead) => {
    const desk = await start();
    const uri = desk.uri(path);
    await desk.editor.open({ uri, languageId, text: chat(patch) });
    expect((await desk.actions(uri, 1)).length > 0).toBe(isRead);
    expect((await desk.hover(uri, 4)) !== undefined).toBe(isRead);
  });

  it("is not read if the user's settings do not name its scheme", async () => {
    const desk = await layPatchDesk(program, { open: { "src/price.ts": price }, settings: { schemes: ["chat"] } });
    for (const uri of ["chat://1", "other://1"]) await desk.editor.open({ uri, text: chat(patch) });
    expect(await desk.actions("chat://1", 1)).toHaveLength(2);
    expect(await desk.actions("other://1", 1)).toEqual([]);
  });
});

describe("the actions", () => {
  it("apply and preview a patch, and name its files", async () => {
    const desk = await start();
    const uri = desk.uri("chat.md");
    const again = ["*** Update File: src/price.ts", "@@", "-export const name = 'VAT';", "+export const name = 'tax';"];
    const more = [...again, "*** Add File: src/new.ts", "+new", "*** Add File: src/newer.ts", "+newer"];
    await desk.editor.open({ uri, text: chat(["Do this:", "", ...patch.slice(0, 5), ...more, ...patch.slice(5)]) });
    const actions = await desk.actions(uri, 5);
    expect(actions.map(({ title, kind }) => `${kind}: ${title}`)).toEqual([
      "quickfix: Apply to src/price.ts and 2 more",
      "quickfix: Preview the changes to src/price.ts and 2 more",
    ]);
    await desk.run(uri, 5, "Apply");
    expect(desk.texts()["src/price.ts"]).toBe(changed.replace("VAT", "tax"));
    expect(desk.disk()).toMatchObject({ "src/new.ts": "new\n", "src/newer.ts": "newer\n" });
    await desk.undo();
    expect(desk.texts()["src/price.ts"]).toBe(price);
  });

  it("show the diff of a preview until its document is closed, and change nothing", async () => {
    const desk = await start();
    const uri = desk.uri("chat.md");
    await desk.editor.open({ uri, text: chat(patch) });
    await desk.run(uri, 1, "Preview");
    const [shown] = desk.editor.shown;
    expect(shown).toMatchObject({ takeFocus: true, folderMode: 0o700 });
    expect(shown?.path).toMatch(/preview\.diff$/);
    expect(shown?.text).toContain("-export const rate = 0.19;\n+export const rate = 0.2;\n");
    expect(desk.texts()["src/price.ts"]).toBe(price);
    expect(shown?.isThere()).toBe(true);
    await desk.editor.open({ uri: shown!.uri, text: shown!.text });
    await desk.editor.close(shown!.uri);
    await expect.poll(() => shown?.isThere()).toBe(false);
  });

  it("offer the failure of a patch, worded for the model that wrote it", async () => {
    const desk = await start();
    const uri = desk.uri("chat.md");
    await desk.editor.open({ uri, text: chat(broken) });
    const [action, ...others] = await desk.actions(uri, 1);
    expect(others).toEqual([]);
    expect(action?.title).toMatch(/^Copy the failure: The context and removed lines of edit 0 \(src\/price\.ts/);
    const [message, name] = action?.command?.arguments ?? [];
    expect([message.split(" ", 8).join(" "), name]).toEqual(["The context and removed lines of edit 0", "failure.txt"]);
    await desk.run(uri, 1, "Copy");
    expect(desk.editor.shown.map(({ path, text }) => [path.replace(/.*\//, ""), text])).toEqual([[name, message]]);
  });

  it("show their texts in messages if the client shows no documents", async () => {
    const desk = await layPatchDesk(program, { open: { "src/price.ts": price }, capabilities: {} });
    const uri = desk.uri("chat.md");
    await desk.editor.open({ uri, text: chat(broken, patch) });
    await desk.run(uri, 1, "Copy");
    await desk.run(uri, broken.length + 1, "Preview");
    expect(desk.editor.notices.map(({ message }) => message.split("\n", 1)[0])).toEqual([
      expect.stringContaining("edit 0 (src/price.ts"),
      "diff --git a/src/price.ts b/src/price.ts",
    ]);
  });

  it("are those of the patches that the lines touch, each with its line if there are several", async () => {
    const desk = await start();
    const uri = desk.uri("chat.md");
    await desk.editor.open({ uri, text: chat(["First:", "```", ...patch, "```", "Then:"], broken) });
    expect(await desk.actions(uri, 1, 2)).toEqual([]);
    expect((await desk.actions(uri, 3)).map(({ title }) => title)).toEqual([
      "Apply to src/price.ts",
      "Preview the changes to src/price.ts",
    ]);
    expect((await desk.actions(uri, 8, 11)).map(({ title }) => title.replace(/(failure): .*/, "$1"))).toEqual([
      "Line 3: Apply to src/price.ts",
      "Line 3: Preview the changes to src/price.ts",
      "Line 11: Copy the failure",
    ]);
    expect(await desk.actions(uri, 9, 10)).toEqual([]);
  });

  it("have the edit itself for a client that takes no edits from the server and has one of the files open", async () => {
    const capabilities = { workspace: { workspaceEdit: { documentChanges: true } } };
    const desk = await layPatchDesk(program, {
      ...{ open: { "src/price.ts": price }, files: { "closed.ts": price }, capabilities },
    });
    const uri = desk.uri("chat.md");
    const closed = patch.map((line) => line.replace("src/price.ts", "closed.ts"));
    await desk.editor.type({ uri: desk.uri("src/price.ts"), from: 0, to: 0, insert: "// typed\n" });
    await desk.editor.open({ uri, text: chat(patch, ["Then:"], closed) });
    const [apply, preview] = await desk.actions(uri, 1);
    expect([apply?.command, preview?.command?.command]).toEqual([undefined, "multiEdit.show"]);
    await desk.editor.apply(apply!.edit!);
    expect(desk.texts()["src/price.ts"]).toBe(`// typed\n${changed}`);
    await desk.run(uri, 10, "Apply");
    expect(desk.disk()["closed.ts"]).toBe(changed);
  });

  it("are left out if the client asks for other kinds", async () => {
    const desk = await start();
    const uri = desk.uri("chat.md");
    await desk.editor.open({ uri, text: chat(patch) });
    expect(await desk.actions(uri, 1, 1, ["source.organizeImports"])).toEqual([]);
    expect(await desk.actions(uri, 1, 1, ["quickfix"])).toHaveLength(2);
  });
});

describe.each([
  ["SEARCH/REPLACE blocks", blocks, "4-8"],
  ["a unified diff", diff, "3-7"],
])("%s", (_, lines, at) => {
  it("has the same actions, hover and diagnostics", async () => {
    const desk = await start();
    const uri = desk.uri("chat.md");
    const next = desk.nextDiagnostics(uri);
    const broken = lines.map((line) => line.replace("rate", "ratio"));
    await desk.editor.open({ uri, text: chat(["Text", ""], broken) });
    const problem = new RegExp(`^${at} 3 \\w+: .* 1 \\(src/price\\.ts, line \\d of the `);
    expect(await next).toEqual([expect.stringMatching(problem)]);
    expect((await desk.actions(uri, 6)).map(({ title }) => title.slice(0, 17))).toEqual(["Copy the failure:"]);
    const then = desk.nextDiagnostics(uri);
    await desk.editor.type({ uri: desk.uri("src/price.ts"), from: 13, to: 17, insert: "ratio" });
    expect(await then).toEqual([]);
    expect(await desk.hover(uri, 6)).toBe("Lands in src/price.ts, line 1, found by the rung exact.");
    expect((await desk.actions(uri, 6)).map(({ title }) => title)).toEqual([
      "Apply to src/price.ts",
      "Preview the changes to src/price.ts",
    ]);
    await desk.run(uri, 6, "Apply");
    expect(desk.texts()["src/price.ts"]).toBe(changed.replace("rate", "ratio"));
  });
});

describe("the hover", () => {
  it("says where each edit would land, and why another one would not", async () => {
    const desk = await start({ "src/old.ts": "old\n" });
    const uri = desk.uri("chat.md");
    const text = chat([
      "Text",
      "*** Begin Patch",
      "*** Update File: src/price.ts",
      "@@",
      "-export const name = 'VAT'; ",
      "+export const name = 'tax';",
      "*** Add File: src/new.ts",
      "+new",
      "*** Delete File: src/old.ts",
      "*** End Patch",
    ]);
    await desk.editor.open({ uri, text });
    expect(await desk.hover(uri, 1)).toBeUndefined();
    const change = "Lands in src/price.ts, line 2, found by the rung trailingBlanks.";
    expect(await desk.hover(uri, 3)).toBe(change);
    expect(await desk.hover(uri, 6)).toBe(change);
    expect(await desk.hover(uri, 8)).toBe("Lands in src/new.ts.");
    expect(await desk.hover(uri, 9)).toBe("Lands in src/old.ts.");
    await desk.typeBefore("chat.md", "AT'; \n", "x");
    expect(await desk.hover(uri, 4)).toMatch(/^The context and removed lines of edit 1 \(src\/price\.ts/);
    expect(await desk.hover(uri, 7)).toBe(
      "Lands in src/new.ts. It is not applied, because other edits of the patch fail.",
    );
  });

  it("says what is wrong with a patch that can't be read", async () => {
    const desk = await start();
    const uri = desk.uri("chat.md");
    await desk.editor.open({ uri, text: chat(["Text"], patch.toSpliced(2, 0, "*** Move to:", "x")) });
    expect(await desk.hover(uri, 4)).toMatch(/^Line 3 of the patch/);
    expect(await desk.hover(uri, 7)).toBeUndefined();
  });
});

describe("the diagnostics", () => {
  it("follow the patch and the documents that it names", async () => {
    const desk = await start();
    const uri = desk.uri("chat.md");
    let next = desk.nextDiagnostics(uri);
    await desk.editor.open({ uri, text: chat(["Text"], broken) });
    expect(await next).toEqual([
      expect.stringMatching(/^3-7 3 contextNotFound: The context and removed lines of edit 1 /),
    ]);
    await delay(settled);
    // The user makes the file fit the patch.
    next = desk.nextDiagnostics(uri);
    await desk.editor.type({ uri: desk.uri("src/price.ts"), from: 13, to: 17, insert: "ratio" });
    expect(await next).toEqual([]);
    // The user spoils the patch.
    next = desk.nextDiagnostics(uri);
    await desk.typeBefore("chat.md", "ratio = 0.19", "x");
    expect(await next).toEqual([expect.stringMatching(/^3-7 3 contextNotFound: /)]);
    // The patch is removed.
    next = desk.nextDiagnostics(uri);
    await desk.editor.type({ uri, from: 0, to: 60, insert: "" });
    expect(await next).toEqual([]);
  });

  it("wait until nothing has changed for a while, and are sent only if there are any", async () => {
    const desk = await start();
    const uri = desk.uri("chat.md");
    const next = desk.nextDiagnostics(uri);
    await desk.editor.open({ uri, text: chat(patch) });
    for (let i = 0; i < 6; i++, await delay(100)) await desk.typeBefore("chat.md", "rate = 0.19", "x");
    expect(desk.published()).toBe(0);
    expect(await next).toHaveLength(1);
    expect(desk.published()).toBe(1);
    await desk.editor.open({ uri: desk.uri("other.md"), text: chat(patch) });
    await delay(600);
    expect(desk.published()).toBe(1);
    const gone = desk.nextDiagnostics(uri);
    await desk.editor.close(uri);
    expect(await gone).toEqual([]);
  });

  it("and actions say nothing about a document whose text is unknown", async () => {
    const desk = await start();
    const uri = desk.uri("chat.md");
    const next = desk.nextDiagnostics(uri);
    await desk.editor.open({ uri, text: chat(broken) });
    expect(await next).toHaveLength(1);
    await delay(settled);
    const textDocument = { uri, version: 2 };
    const range = { start: { line: 99, character: 0 }, end: { line: 99, character: 1 } };
    await desk.editor.notify("textDocument/didChange", { textDocument, contentChanges: [{ range, text: "" }] });
    expect(await desk.actions(uri, 1)).toEqual([]);
    await desk.editor.type({ uri: desk.uri("src/price.ts"), from: 13, to: 17, insert: "ratio" });
    await delay(settled);
    expect(desk.published()).toBe(1);
  });

  it("follow a file that is opened with other text than it has on disk", async () => {
    const desk = await start({ "src/closed+.ts": "one\n" });
    const uri = desk.uri("chat.md");
    const text = chat(patch)
      .replace("price", "closed+")
      .replaceAll(/export const rate = 0\.\d+;/g, "two");
    const first = desk.nextDiagnostics(uri);
    await desk.editor.open({ uri, text: text.replace("+two", "+three") });
    expect(await first).toHaveLength(1);
    await delay(settled);
    const then = desk.nextDiagnostics(uri);
    await desk.editor.open({ uri: desk.uri("src/closed+.ts"), text: "two\n" });
    expect(await then).toEqual([]);
  });

  it("follow a document that changes while other patches are planned", async () => {
    const long = Array.from({ length: 20_000 }, (_, i) => `export const number${i} = ${i * 7};\n`).join("");
    const desk = await layPatchDesk(program, { open: { "src/price.ts": price, "src/long.ts": long } });
    const uri = desk.uri("chat.md");
    const slow = broken.map((line) => line.replace("price", "long"));
    await desk.editor.open({ uri, text: chat(broken, ...Array.from({ length: 20 }, () => slow)) });
    // By now, the first patch has been planned, and the others have not.
    await delay(500);
    expect(desk.published()).toBe(0);
    await desk.editor.type({ uri: desk.uri("src/price.ts"), from: 13, to: 17, insert: "ratio" });
    await expect.poll(() => desk.shows(uri), { timeout: 20_000 }).toBe(20);
  });

  it("say nothing about a patch that has been applied", async () => {
    const desk = await start();
    const uri = desk.uri("chat.md");
    const next = desk.nextDiagnostics(uri);
    await desk.editor.open({ uri, text: chat(broken) });
    expect(await next).toHaveLength(1);
    const then = desk.nextDiagnostics(uri);
    const { length } = chat(broken);
    await desk.editor.type({ uri, from: 0, to: length, insert: chat(patch) });
    expect(await then).toEqual([]);
    const { outcome } = (await desk.run(uri, 1, "Apply")) as { outcome: string };
    expect(outcome).toBe("applied");
    const before = desk.published();
    await delay(600);
    expect(desk.published()).toBe(before);
    expect(await desk.hover(uri, 3)).toBe("Nothing to do in src/price.ts, line 1.");
    expect((await desk.actions(uri, 3)).map(({ title }) => title)).toEqual(["Apply to src/price.ts"]);
    // The file had the patch's result before anybody knew of it.
    await desk.editor.open({ uri: desk.uri("src/other.ts"), text: changed });
    await desk.editor.open({ uri: desk.uri("other.md"), text: chat(patch).replace("price", "other") });
    await delay(600);
    expect(desk.published()).toBe(before);
    expect(await desk.hover(desk.uri("other.md"), 3)).toContain("already");
  });
});
