/** The events of agents' hooks as they were seen, and what the tests of `multi-edit hook` need to send them. */
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished } from "vitest";
import { announced, ownStateHome } from "./agentPeer.js";
import { type Ran, runCommand } from "./commands.js";
import { makeDirectory } from "./directory.js";
import { type EditorOptions, type FakeEditor, startEditor } from "./fakeEditor.js";
import { builtServer } from "./wireServer.js";

/** The built program. */
export const program = { path: builtServer };
/** Texts of a file on disk and in the editor. */
export const saved = "const rate = 0.19;\nconst name = 'tax';\n";
/** The same with a line that was typed. */
export const unsaved = `// typed\n${saved}`;

/** Runs the hook with an event. */
const hook = (name: string, event: unknown, ...args: string[]): Promise<Ran> =>
  runCommand(program, ["hook", name, ...args], { input: JSON.stringify(event) });

/** Runs the hook, which must succeed; returns its answer, `undefined` if it left the call alone. */
export async function answer(
  name: string,
  event: unknown,
  ...args: string[]
): Promise<Record<string, unknown> | undefined> {
  const { code, stdout, stderr } = await hook(name, event, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout === "" ? undefined : JSON.parse(stdout);
}

/** Starts an editor named Desk, which is killed after the test. */
export async function startDesk(
  root: string,
  settings: object = {},
  capabilities?: EditorOptions["capabilities"],
  saves?: EditorOptions["saves"],
): Promise<FakeEditor> {
  const server = [process.execPath, program.path, "--stdio"] as const;
  const editor = await startEditor({
    server,
    folders: [root],
    clientInfo: { name: "Desk" },
    settings: { save: "never", ...settings },
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(saves === undefined ? {} : { saves }),
  });
  onTestFinished(() => void editor.process.kill("SIGKILL"));
  return editor;
}

/** A project with an editor that has unsaved text in `price.ts`, and `saved.ts` open and saved. */
export async function layProject(
  settings: object = {},
  capabilities?: EditorOptions["capabilities"],
  saves?: EditorOptions["saves"],
): Promise<{ home: string; root: string; editor: FakeEditor }> {
  const home = ownStateHome();
  const root = makeDirectory({ "price.ts": saved, "saved.ts": saved, "closed.ts": saved });
  const editor = await startDesk(root, settings, capabilities, saves);
  await editor.open({ uri: pathToFileURL(join(root, "price.ts")).href, text: unsaved });
  await editor.open({ uri: pathToFileURL(join(root, "saved.ts")).href, text: saved });
  await announced(home);
  return { home, root, editor };
}

/** The events as the agents send them; that of opencode is what its plugin passes on. */
export const events = {
  claude: (tool_name: string, tool_input: object, hook_event_name = "PreToolUse"): object => ({
    session_id: "95af993c",
    cwd: dirname(String(Object.values(tool_input)[0])),
    permission_mode: "default",
    hook_event_name,
    tool_name,
    tool_input,
    tool_use_id: "toolu_1",
  }),
  codex: (tool_name: string, command: string, cwd: string): object => ({
    session_id: "01a20668",
    turn_id: "01a20669",
    cwd,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name,
    tool_input: { command },
    tool_use_id: "call_1",
  }),
  gemini: (tool_name: string, tool_input: object, cwd: string, hook_event_name = "BeforeTool"): object => ({
    session_id: "4384265e",
    cwd,
    hook_event_name,
    tool_name,
    tool_input,
  }),
  copilot: (tool_name: string, tool_input: object | string, cwd: string, hook_event_name = "PreToolUse"): object => ({
    hook_event_name,
    session_id: "64053c48",
    timestamp: "2026-11-24T00:05:20.000Z",
    cwd,
    tool_name,
    tool_input,
  }),
  qwen: (tool_name: string, tool_input: object, cwd: string, hook_event_name = "PreToolUse"): object => ({
    session_id: "158d7ab0",
    cwd,
    hook_event_name,
    permission_mode: "auto-edit",
    tool_name,
    tool_input,
    tool_use_id: "toolu_1",
    tool_call_id: "call_1",
  }),
  opencode: (tool: string, args: object, output?: string): object => ({
    tool,
    args,
    directory: dirname(String(Object.values(args)[0])),
    callID: "call_1",
    sessionID: "ses_1",
    ...(output === undefined ? {} : { output }),
  }),
};
