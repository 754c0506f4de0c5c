/**
 * What an agent is told after its own tools have run: which files with unsaved text have changed on disk, and which ones a
 * search has not seen.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { isAll } from "../support/extent.js";
import { hookColumns, type Name } from "../support/hookColumns.js";
import { answer, events, layProject, saved } from "../support/hookEvents.js";

/** Lays a project, and waits until the editor's session has announced that `price.ts` has unsaved text. */
async function layAnnounced(): Promise<Awaited<ReturnType<typeof layProject>>> {
  const project = await layProject();
  await untilUnsaved(project.home, 1);
  return project;
}

/** Waits until a session announces that so many files have unsaved text. */
async function untilUnsaved(home: string, count: number): Promise<void> {
  const sessions = join(home, "multi-edit-language-server", "sessions");
  const texts = (): string[] =>
    readdirSync(sessions)
      .filter((name) => name.endsWith(".json"))
      .map((name) => readFileSync(join(sessions, name), "utf8"));
  await expect.poll(() => texts().some((text) => JSON.parse(text).unsaved?.length >= count)).toBe(true);
}

/** The agents whose events are tried: in the small suite, one of each way to answer. */
const tried = Object.entries(hookColumns).filter(([name]) => isAll || ["claude", "gemini", "opencode"].includes(name));

/** Each agent with the event after a command, and with that after an edit, which may write other files as well. */
const changes = tried.flatMap(([name, { command, otherEdit, noteIn }]) => [
  { title: `a command of ${name}`, name: name as Name, event: command, noteIn },
  { title: `an edit by ${name}`, name: name as Name, event: otherEdit, noteIn },
]);

describe.each(changes)("after $title", ({ name, event, noteIn }) => {
  it("is told once which files with unsaved text have changed on disk", async () => {
    const { root } = await layAnnounced();
    expect(await answer(name, event(root))).toBeUndefined();
    appendFileSync(join(root, "saved.ts"), "// by the command\n");
    expect(await answer(name, event(root))).toBeUndefined();
    appendFileSync(join(root, "price.ts"), "// by the command\n");
    const note = noteIn(await answer(name, event(root)));
    expect(note).toContain(
      `"${join(root, "price.ts")}" changed on disk, but the user's editor has other, unsaved text there, which this change did not reach: the user does not see it, and saving in the editor may overwrite it. Make the change with `,
    );
    expect(note).toMatch(/Make the change with (\S+)multi_edit instead; \1read_document returns/);
    expect(await answer(name, event(root))).toBeUndefined();
    appendFileSync(join(root, "price.ts"), "// again\n");
    expect(noteIn(await answer(name, event(root)))).toBe(note);
  });
});

describe("after a command", () => {
  it("is told of a change that its first command made, of the file's deletion, and of nothing if no text is unsaved", async () => {
    const { root, editor } = await layAnnounced();
    const { command: event, noteIn } = hookColumns.claude;
    appendFileSync(join(root, "price.ts"), "// by the command\n");
    expect(noteIn(await answer("claude", event(root)))).toContain("price.ts");
    rmSync(join(root, "price.ts"));
    expect(noteIn(await answer("claude", event(root)))).toContain("price.ts");
    await editor.close(pathToFileURL(join(root, "price.ts")).href);
    appendFileSync(join(root, "price.ts"), saved);
    expect(await answer("claude", event(root))).toBeUndefined();
  });
});

describe.each(changes)("after $title that writes where nothing was typed", ({ name, event, noteIn }) => {
  it("is told which lines were merged into the unsaved text, and not of a file without any", async () => {
    const announcing = { experimental: { multiEdit: { didChangeOnDisk: true } } };
    const { home, root, editor } = await layProject({}, announcing);
    editor.connection.onRequest("multiEdit/adoptDiskText", () => ({ adopted: true }));
    const path = join(root, "saved.ts");
    const uri = pathToFileURL(path).href;
    await editor.type({ uri, from: 0, to: 0, insert: "// typed\n" });
    await untilUnsaved(home, 2);
    expect(await answer(name, event(root))).toBeUndefined();
    appendFileSync(path, "// by the command\n");
    const note = noteIn(await answer(name, event(root)));
    const text = editor.documents.get(uri)?.text ?? "";
    expect(text).toBe(`// typed\n${saved}// by the command\n`);
    const line = text.split("\n").length - 1;
    expect(note).toContain(
      `"${path}" changed on disk, and the user's editor has unsaved text there. The change was merged into that text, at line ${line}: line ${line} is now "// by the command". It is not saved; `,
    );
    expect(await answer(name, event(root))).toBeUndefined();
  });
});

describe("after a command that leaves a file with unsaved text which can't be looked at", () => {
  it.each(tried.map(([name]) => name as Name))("%s sees no error, and hears of the other files", async (name) => {
    const { home, root, editor } = await layAnnounced();
    const { command: event, noteIn } = hookColumns[name];
    await editor.open({ uri: pathToFileURL(join(root, "closed.ts")).href, text: "// typed\n" });
    await untilUnsaved(home, 2);
    expect(await answer(name, event(root))).toBeUndefined();
    rmSync(join(root, "price.ts"));
    symlinkSync("price.ts", join(root, "price.ts"));
    expect(JSON.stringify(await answer(name, event(root))) ?? "").not.toContain("checked");
    appendFileSync(join(root, "closed.ts"), "// by the command\n");
    expect(noteIn(await answer(name, event(root)))).toContain("closed.ts");
  });
});

describe("a read of a file with unsaved text that has changed on disk", () => {
  it("says that the file on disk has changed, too", async () => {
    const { root } = await layProject();
    const read = events.claude("Read", { file_path: join(root, "price.ts") }, "PostToolUse");
    appendFileSync(join(root, "price.ts"), "// by another program\n");
    expect(JSON.stringify(await answer("claude", read))).toContain(
      "including unsaved changes, which are not on disk; the file on disk has changed since. To change",
    );
  });
});

describe("after a search", () => {
  const searching = tried.flatMap(([name, { search, noteIn }]) =>
    search === undefined ? [] : [{ name: name as Name, search, noteIn }],
  );

  it.each(searching)("$name is told which files have unsaved text that it did not see", async (one) => {
    const { root } = await layAnnounced();
    mkdirSync(join(root, "sub"));
    const note = one.noteIn(await answer(one.name, one.search(root)));
    expect(note).toMatch(
      /^This search has read the disk\. The user's editor has unsaved text in ".*price\.ts", which it did not see; \S+read_document returns the text\.$/,
    );
    expect(note).not.toContain("saved.ts");
    for (const folder of [root, ".", "price.ts", join(root, "price.ts")])
      expect(one.noteIn(await answer(one.name, one.search(root, folder))), folder).toBe(note);
    expect(await answer(one.name, one.search(root, "sub"))).toBeUndefined();
    expect(await answer(one.name, one.search(join(root, "sub")))).toBeUndefined();
  });
});
