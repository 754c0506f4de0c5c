/** The table in .github/SECURITY.md: every door is tried against every gate. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { stage } from "../../server/disk/commit.js";
import type { DiskChange } from "../../server/disk/diskChange.js";
import { userWorkspace } from "../../server/disk/diskWorkspace.js";
import { newId } from "../../server/disk/recover.js";
import { limits } from "../../server/text/limits.js";
import { announced, friend, ownStateHome } from "../support/agentPeer.js";
import { runCommand, runOnTerminal } from "../support/commands.js";
import { serverForDesks } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { type FakeEditor, startEditor } from "../support/fakeEditor.js";
import { startAgent } from "../support/mcpAgent.js";
import { projectRoot } from "../support/project.js";

const program = serverForDesks();

const page = readFileSync(join(projectRoot, ".github/SECURITY.md"), "utf8");
const [header = [], , ...rows] = page
  .slice(page.indexOf("## Which gate holds at which door"))
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

/** A call in its context: an editor whose user rejects everything, and another editor with the same folder. */
interface Scene {
  readonly home: string;
  readonly folder: string;
  readonly guard: FakeEditor;
  readonly other: FakeEditor;
  readonly isOpen: boolean;
}

/**
 * The gates: the file that a call names, and the settings, apart from a name that the user has added. `completed`: a
 * file that is missing, and with which a directory would become a Git directory.
 */
const gates: Readonly<
  Record<string, { readonly path: string; readonly completed?: string; readonly settings?: object }>
> = {
  outside: { path: "../outside/a.txt" },
  "protected name": { path: ".vscode/tasks.json" },
  "name the user added": { path: "secret.txt" },
  "Git directory": { path: "gd/config", completed: "half/HEAD" },
  "own folders": { path: "config/multi-edit-language-server/settings.json" },
  "`.npmrc`": { path: ".npmrc" },
  "`confirm: always`": { path: "a.txt", settings: { confirm: "always" } },
  "agents off": { path: "a.txt", settings: { agent: { enabled: false } } },
  "unseen changes": { path: "n.ipynb" },
};

const edit = (path: string) => ({ path, oldText: path === "half/HEAD" ? "" : "one", newText: "two" });
const command = (path: string) => ({ command: "multiEdit.apply", arguments: [edit(path)] });

/** The doors: each sends one call for a path and returns what came out, or throws the failure. */
const doors: Readonly<Record<string, (scene: Scene, path: string) => Promise<unknown>>> = {
  "request `multiEdit/apply`": ({ guard }, path) => guard.request("multiEdit/apply", edit(path)),
  "request `multiEdit/preview`": ({ guard }, path) => guard.request("multiEdit/preview", edit(path)),
  "request `multiEdit/read`": ({ guard }, path) => guard.request("multiEdit/read", { path }),
  "command `multiEdit.apply`": ({ guard }, path) => guard.request("workspace/executeCommand", command(path)),
  "an agent's socket": async ({ home, isOpen }, path) => {
    const sessions = await announced(home, 2);
    const session = sessions.find(({ client }) => client === "Guard");
    if (session?.address === undefined) {
      expect(isOpen).toBe(false);
      throw new Error("shut");
    }
    const answer = await (await friend(session)).ask(1, "multiEdit/apply", edit(path));
    if (answer.error !== undefined) throw answer.error;
    return answer.result;
  },
  "`multi-edit apply`": (scene, path) => commandLine(scene, path),
  "`multi-edit apply --mode=disk`": (scene, path) => commandLine(scene, path, "--mode=disk"),
  "MCP, `multi_edit`": async ({ folder }, path) => {
    const agent = await startAgent(program, folder, { args: ["--structured"] });
    const told = await agent.call("multi_edit", { edits: [edit(path)] });
    if (told.isError) throw new Error(told.texts.join("\n"));
    return told;
  },
  // An agent's own tool, for a file that has unsaved text in the editor.
  "`multi-edit hook NAME --apply`": async ({ folder, guard }, path) => {
    const filePath = join(folder, path);
    const textDocument = { uri: pathToFileURL(filePath).href };
    // The notebook is open as its cells.
    if (path !== gates["unseen changes"]?.path) await guard.open({ ...textDocument, text: "typed\none\n" });
    // With agents switched off, the hook learns of unsaved text from the session's record, which is written soon after.
    await delay(4 * limits.unsavedMs);
    const args = { filePath, oldString: "one", newString: "two" };
    const event = { tool: "edit", args, directory: folder, callID: newId(), sessionID: "1" };
    const input = JSON.stringify(event);
    const { code, stdout, stderr } = await runCommand(program, ["hook", "opencode", "--apply"], { input });
    await guard.connection.sendNotification("textDocument/didClose", { textDocument });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // Without an answer, the agent's own tool runs.
    const { deny } = stdout === "" ? { deny: "Done" } : JSON.parse(stdout);
    if (!deny.startsWith("Done"))
      throw new Error(deny.replace("The user's editor has unsaved changes in this file. ", ""));
    return deny;
  },
  "another editor": ({ other }, path) => other.request("workspace/executeCommand", command(path)),
  "`multi-edit undo` of a call on disk": (scene, path) => undone(scene, path, "--agent=tester"),
  "the same, typed by the user": (scene, path) => undone(scene, path),
};

/** Undoes a call on disk that gave a file its present text, or deleted it. The command runs on a terminal. */
async function undone({ folder }: Scene, path: string, ...args: string[]): Promise<unknown> {
  const file = join(folder, path);
  const text = textOf(file);
  writeFileSync(file, "before\n");
  const id = newId();
  const named = { path: file, name: path };
  const change: DiskChange =
    text === undefined ? { kind: "delete", ...named } : { kind: "update", ...named, content: { text } };
  const staged = stage(await userWorkspace([dirname(file)]), [change], "a call", { onCommit: { kind: "keep", id } });
  if (!staged.ok) throw new Error(staged.failures[0]?.message);
  const committed = staged.commit();
  if (committed.outcome === "applied") committed.finish();
  const answer = join(dirname(folder), "answer.json");
  const line = [process.execPath, program.path, "undo", id, "--json", "--mode=disk", ...args];
  const quoted = [...line.map((one) => `'${one}'`), ">", `'${answer}'`].join(" ");
  await runOnTerminal(quoted, { cwd: folder });
  const { error } = JSON.parse(readFileSync(answer, "utf8"));
  if (error !== undefined) throw Object.assign(new Error(error.message), { data: error });
  return undefined;
}

async function commandLine({ folder, guard }: Scene, path: string, ...args: string[]): Promise<unknown> {
  const given = { cwd: folder, input: JSON.stringify(edit(path)) };
  // Two sessions have the folder; without a mode, the agent names the one that it means.
  const session = args.length === 0 ? await sessionOf(guard) : undefined;
  const ran = await runCommand(
    program,
    ["apply", "--json", ...args, ...(session ? [`--session=${session}`] : [])],
    given,
  );
  const { error } = JSON.parse(ran.stdout);
  if (error !== undefined) throw Object.assign(new Error(error.message), { data: error });
  return ran;
}

async function sessionOf(editor: FakeEditor): Promise<string | undefined> {
  const sessions = await announced(process.env.XDG_STATE_HOME ?? "", 2);
  return sessions.find(({ pid, address }) => pid === editor.process.pid && address !== undefined)?.id;
}

const said: readonly (readonly [words: RegExp, code: string])[] = [
  [/is outside the workspace/, "outsideWorkspace"],
  [/is protected, because|Only the server may read or write there/, "protectedPath"],
  [/^The user rejected/, "userRejected"],
  [/agents are switched off|may (?:hold|have) unsaved changes/, "locked"],
];

/** The word of the table for what came out. */
async function wordFor(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
    return "allowed";
  } catch (error) {
    const { message, data } = error as { message: string; data?: { failures?: { code: string }[] } };
    // MCP's answers have no codes, only the sentences.
    const code = data?.failures?.[0]?.code ?? said.find(([words]) => words.test(message))?.[1] ?? message;
    if (code === "protectedPath" || code === "outsideWorkspace") return "refused";
    if (code === "undoConflict") return "unknown";
    return code === "userRejected" ? "asked" : code;
  }
}

const editors: FakeEditor[] = [];
const config = process.env.XDG_CONFIG_HOME;

async function lay(settings: object): Promise<Scene> {
  const home = ownStateHome();
  const at = makeDirectory({ "ws/n.ipynb": "", "outside/a.txt": "" });
  const folder = join(at, "ws");
  process.env.XDG_CONFIG_HOME = join(folder, "config");
  fill(folder);
  const start = async (name: string, own: object): Promise<FakeEditor> => {
    const server = [process.execPath, program.path, "--stdio"] as const;
    const editor = await startEditor({ server, folders: [folder], settings: own, clientInfo: { name } });
    editor.answerQuestionsWith("Reject");
    editors.push(editor);
    return editor;
  };
  const guard = await start("Guard", { protectedNames: ["+secret.txt"], ...settings });
  const other = await start("Other", { confirm: "protected" });
  const cell = pathToFileURL(join(folder, "n.ipynb")).href.replace("file:", "vscode-notebook-cell:");
  await guard.open({ uri: `${cell}#1`, text: "unsaved" });
  await announced(home, 2);
  return { home, folder, guard, other, isOpen: !("agent" in settings) };
}

/** The text of a file; `undefined` if it is missing. */
const textOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

/** Gives every file the text that the calls look for. */
function fill(folder: string): void {
  for (const { path } of Object.values(gates)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), path.endsWith("settings.json") ? "{}\n" : "one\n");
  }
  for (const part of ["gd/objects", "gd/refs", "half/objects", "half/refs"])
    mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, "gd/HEAD"), "");
}

afterAll(() => {
  for (const editor of editors) editor.process.kill("SIGKILL");
  if (config === undefined) delete process.env.XDG_CONFIG_HOME;
  else process.env.XDG_CONFIG_HOME = config;
});

describe("the table of SECURITY.md", () => {
  it("has exactly the doors and the gates of this test", () => {
    expect(header.slice(1)).toEqual(Object.keys(gates));
    expect(rows.map(([door]) => door)).toEqual(Object.keys(doors));
  });

  it.each(Object.keys(gates))("is right about every door: %s", async (gate) => {
    const { path, completed, settings = {} } = gates[gate]!;
    const scene = await lay(settings);
    const column = header.indexOf(gate);
    const found: Record<string, string> = {};
    for (const [door, send] of Object.entries(doors)) {
      const before = textOf(join(scene.folder, path));
      const word = await wordFor(send(scene, path));
      found[door] = word;
      if (word !== "allowed") expect(textOf(join(scene.folder, path)), door).toBe(before);
      fill(scene.folder);
      // A file that is missing can't be read.
      if (completed === undefined || door.endsWith("read`")) continue;
      expect(await wordFor(send(scene, completed)), `${door}, ${completed}`).toBe(word);
      expect(existsSync(join(scene.folder, completed)), door).toBe(false);
    }
    expect(found).toEqual(Object.fromEntries(rows.map((cells) => [cells[0], cells[column]])));
  });
});
