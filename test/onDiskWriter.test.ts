/** The agent that has written an open file is known if its hook has named it; nobody else is taken for it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { announced, ownStateHome } from "./support/agentPeer.js";
import { runCommand } from "./support/commands.js";
import { serverForDesks } from "./support/desk.js";
import { events } from "./support/hookEvents.js";
import { type LoadingDesk, loadingDesks } from "./support/loadingDesk.js";

const program = serverForDesks();
const startLoading = loadingDesks(program);
const text = "one\ntwo\nthree\nfour\nfive\n";
const changed = text.replace("two", "TWO");

/** A desk with one open file, whose server logs who has written it. */
async function start(settings: object = {}): Promise<LoadingDesk & { readonly home: string }> {
  const home = ownStateHome();
  const desk = await startLoading({ open: { "a.txt": text }, args: ["--log-level", "debug"], settings });
  await announced(home);
  return { ...desk, home };
}

/** Runs the hook before Claude Code's Edit, and returns what the hook says. */
async function aboutToEdit({ root }: LoadingDesk): Promise<string> {
  const input = { file_path: join(root, "a.txt"), old_string: "two", new_string: "TWO" };
  const { stdout } = await runCommand(program, ["hook", "claude"], {
    input: JSON.stringify(events.claude("Edit", input)),
  });
  return stdout;
}

/** The writers that the server has logged. */
const writersOf = (desk: LoadingDesk): (string | undefined)[] =>
  desk.editor.messages.flatMap(({ message }) => / changed on disk by (.*)$/.exec(message)?.[1] ?? []);

describe("a text that came from disk", () => {
  it("is the agent's that its hook has named, and the next one is not", async () => {
    const desk = await start();
    expect(await aboutToEdit(desk)).toBe("");
    await desk.write("a.txt", changed);
    await expect.poll(() => writersOf(desk)).toEqual(["claude-code"]);
    expect(desk.texts()["a.txt"]).toBe(changed);
    await desk.write("a.txt", text);
    await expect.poll(() => writersOf(desk)).toEqual(["claude-code", "another program"]);
    expect(await aboutToEdit(desk)).toBe("");
    await desk.write("a.txt", changed);
    await expect.poll(() => writersOf(desk)).toEqual(["claude-code", "another program", "claude-code"]);
  });

  it("is the agent's if it was merged into what the user has typed in the meantime", async () => {
    const desk = await start();
    expect(await aboutToEdit(desk)).toBe("");
    await desk.typeBefore("a.txt", "five", "my ");
    await desk.write("a.txt", changed);
    await expect.poll(() => writersOf(desk)).toEqual(["claude-code"]);
    expect(desk.texts()["a.txt"]).toBe(changed.replace("five", "my five"));
  });

  it("is nobody's if no hook has named an agent, has turned its call away, or did so too long ago", async () => {
    const desk = await start();
    await desk.write("a.txt", changed);
    await expect.poll(() => writersOf(desk)).toEqual(["another program"]);
    expect(await aboutToEdit(desk)).toBe("");
    const notes = join(desk.home, "multi-edit-language-server", "writers");
    for (const name of readdirSync(notes)) {
      const note = JSON.parse(readFileSync(join(notes, name), "utf8")) as { at: number };
      writeFileSync(join(notes, name), JSON.stringify({ ...note, at: note.at - 121_000 }));
    }
    await desk.write("a.txt", text);
    await expect.poll(() => writersOf(desk)).toHaveLength(2);
    await desk.typeBefore("a.txt", "five", "my ");
    await delay(300);
    expect(await aboutToEdit(desk)).toContain("unsaved changes");
    await desk.write("a.txt", changed);
    await expect.poll(() => writersOf(desk)).toEqual(["another program", "another program", "another program"]);
  });

  it("is not the agent's if it is the user's own save", async () => {
    const desk = await start();
    expect(await aboutToEdit(desk)).toBe("");
    await desk.typeBefore("a.txt", "five", "my ");
    await desk.save("a.txt");
    await delay(800);
    expect(writersOf(desk)).toEqual([]);
  });
});

describe("the question about a merge", () => {
  it("names the agent that a hook has named, and otherwise another program", async () => {
    const desk = await start({ diskChanges: "ask" });
    desk.editor.answerQuestionsWith("Apply", "Apply");
    expect(await aboutToEdit(desk)).toBe("");
    await desk.typeBefore("a.txt", "five", "my ");
    await desk.write("a.txt", changed);
    await expect.poll(() => desk.editor.questions).toHaveLength(1);
    await expect.poll(() => desk.texts()["a.txt"]).toBe(changed.replace("five", "my five"));
    const last = changed.replace("one", "ONE");
    await desk.write("a.txt", last);
    await expect.poll(() => desk.editor.questions).toHaveLength(2);
    await expect.poll(() => desk.texts()["a.txt"]).toBe(last.replace("five", "my five"));
    expect(desk.editor.questions.map(({ message }) => message.split("?")[0])).toEqual([
      '"claude-code": Apply what was written to a.txt to your unsaved text',
      "Another program: Apply what was written to a.txt to your unsaved text",
    ]);
  });
});
