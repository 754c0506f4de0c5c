/** 300 spellings of paths, in four operations, at every door: nothing outside or protected is ever shown or changed. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { announced, friend, ownStateHome } from "../support/agentPeer.js";
import { runCommand } from "../support/commands.js";
import { serverForDesks } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { isAll } from "../support/extent.js";
import { startEditor } from "../support/fakeEditor.js";
import { startAgent } from "../support/mcpAgent.js";

const program = serverForDesks();

/** The text that no answer may contain, and the part of it that the calls look for. */
const hidden = "KEY=hidden-from-every-agent\n";

/** Files that no call may reach, relative to the directory that holds the workspace `ws`. */
const unreachable = [
  "out/s.txt",
  "out/.npmrc",
  "ws/.git/config",
  "ws/.vscode/tasks.json",
  "ws/gd/config",
  "ws/secret.txt",
];

/** Paths that lead to those files, or to new files beside them, relative to `ws`. */
const ways = [
  ...[
    "../out/s.txt",
    "./../out/s.txt",
    "a/../../out/s.txt",
    "to-out/s.txt",
    "s-link.txt",
    "dangling",
    "to-out/new.txt",
  ],
  ...[
    ".git/config",
    "a/../.git/config",
    ".GIT/config",
    "to-git/config",
    ".git./config",
    ".git /config",
    "\u200b.git/config",
  ],
  ...[".vscode/tasks.json", ".VSCODE/tasks.json", "to-vscode/tasks.json", "gd/config", "gd/hooks/x", "to-gd/config"],
  ...["secret.txt", "SECRET.TXT", "a/../secret.txt", "secret-link.txt", "hard.txt", "to-out/.npmrc"],
  ...["../ws/.git/config", "../ws-not/x", "..", "../", ".", "a/..", "to-out", "loop/x"],
];

/** 300 spellings of these ways; `ws`: the workspace's absolute path. */
function spellings(ws: string): string[] {
  const escapeAll = (text: string): string =>
    [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const forms: readonly ((way: string) => string)[] = [
    (way) => way,
    (way) => `${ws}/${way}`,
    (way) => `file://${ws}/${encodeURI(way)}`,
    (way) => `file://${ws}/${way.split("/").map(escapeAll).join("/")}`,
    (way) => `file://${ws}/${way.replaceAll("..", "%2e%2e").replaceAll("/", "%2f")}`,
    (way) => `FILE://localhost${ws}//${way}`,
    (way) => `@${way}`,
    (way) => `/proc/self/root${ws}/${way}`,
    (way) => `//${ws}/.//${way}`,
  ];
  return forms.flatMap((form) => ways.map(form)).slice(0, 300);
}

/**
 * Every fifth spelling, or all in the whole suite: the doors resolve paths alike, so in the small suite, all spellings go
 * through one door only. Five divides neither the number of ways nor that of forms, so that each of them occurs.
 */
function some(ws: string): string[] {
  return spellings(ws).filter((_, i) => isAll || i % 5 === 0);
}

/** The four operations on a path, as params of `multiEdit/apply` or, for a read, of `multiEdit/read`. */
const operations = {
  edit: (path: string) => ({ path, oldText: "KEY", newText: "taken" }),
  create: (path: string) => ({ path: `${dirname(path)}/planted.txt`, oldText: "", newText: "planted\n" }),
  delete: (path: string) => ({ patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` }),
  read: (path: string) => ({ path }),
} as const;

type Operation = keyof typeof operations;

function lay() {
  const home = ownStateHome();
  const at = makeDirectory({
    ...Object.fromEntries(unreachable.map((path) => [path, hidden])),
    "ws-not/x": hidden,
    "ws/a/b.txt": "free\n",
    "ws/gd/HEAD": "",
    "ws/gd/objects/": "",
    "ws/gd/refs/": "",
    "ws/to-out": { link: "../out" },
    "ws/to-git": { link: ".git" },
    "ws/to-gd": { link: "gd" },
    "ws/to-vscode": { link: ".vscode" },
    "ws/s-link.txt": { link: "../out/s.txt" },
    "ws/secret-link.txt": { link: "secret.txt" },
    "ws/dangling": { link: "../out/new.txt" },
    "ws/loop": { link: "loop" },
    "ws/hard.txt": "free\n",
  });
  /** All names outside the workspace and in its protected directories, and the texts of the unreachable files. */
  const state = (): unknown => [
    ...["out", "ws-not", "ws/.git", "ws/.vscode", "ws/gd"].map((path) => readdirSync(join(at, path)).sort()),
    unreachable.map((path) => readFileSync(join(at, path), "utf8")),
    readdirSync(at).sort(),
  ];
  return { home, ws: join(at, "ws"), state };
}

/** Sends every operation for every path; checks each answer, and the files at the end. Returns the number of calls. */
async function sendAll(
  ws: string,
  state: () => unknown,
  paths: readonly string[],
  send: (operation: Operation, params: object) => Promise<unknown>,
): Promise<number> {
  const before = state();
  let calls = 0;
  for (const path of paths) {
    for (const operation of Object.keys(operations) as Operation[]) {
      const answer = await send(operation, operations[operation](path)).catch((error: Error & { data?: unknown }) => [
        error.message,
        error.data,
      ]);
      calls += 1;
      expect(JSON.stringify(answer), `${operation} ${path}`).not.toContain("hidden-from-every-agent");
    }
    // A legitimate spelling may have used up this file.
    mkdirSync(join(ws, "a"), { recursive: true });
    writeFileSync(join(ws, "a/b.txt"), "free\n");
  }
  expect(state()).toEqual(before);
  return calls;
}

async function guard(ws: string) {
  const server = [process.execPath, program.path, "--stdio"] as const;
  const settings = { protectedNames: ["+secret.txt"], save: "never" };
  const editor = await startEditor({ server, folders: [ws], settings, clientInfo: { name: "Guard" } });
  onTestFinished(() => void editor.process.kill("SIGKILL"));
  return editor;
}

const methodOf = (operation: Operation): string => (operation === "read" ? "multiEdit/read" : "multiEdit/apply");

describe("no spelling of a path leads outside or to a protected file", () => {
  it("in a request", async () => {
    const { ws, state } = lay();
    const editor = await guard(ws);
    const send = (operation: Operation, params: object) => editor.request(methodOf(operation), params);
    expect(await sendAll(ws, state, spellings(ws), send)).toBe(1_200);
  });

  it("in a command", async () => {
    const { ws, state } = lay();
    const editor = await guard(ws);
    const send = (operation: Operation, params: object) =>
      operation === "read"
        ? editor.request("multiEdit/read", params)
        : editor.request("workspace/executeCommand", { command: "multiEdit.apply", arguments: [params] });
    const sent = some(ws);
    expect(await sendAll(ws, state, sent, send)).toBe(sent.length * 4);
  });

  it("over an agent's socket", async () => {
    const { home, ws, state } = lay();
    await guard(ws);
    const agent = await friend((await announced(home))[0]);
    let id = 0;
    const send = (operation: Operation, params: object) => agent.ask(++id, methodOf(operation), params);
    const sent = some(ws);
    expect(await sendAll(ws, state, sent, send)).toBe(sent.length * 4);
  });

  it("over MCP", async () => {
    const { ws, state } = lay();
    await guard(ws);
    const agent = await startAgent(program, ws);
    const send = (operation: Operation, params: object) => {
      if (operation === "read") return agent.call("read_document", params);
      return "patch" in params ? agent.call("apply_patch", params) : agent.call("multi_edit", { edits: [params] });
    };
    const sent = some(ws);
    expect(await sendAll(ws, state, sent, send)).toBe(sent.length * 4);
  }, 120_000);

  it("at the command line", async () => {
    const { ws, state } = lay();
    const cwd = ws;
    const send = (operation: Operation, params: object) =>
      operation === "read"
        ? runCommand(program, ["read", "--", (params as { path: string }).path], { cwd })
        : runCommand(program, ["apply", "--mode=disk"], { cwd, input: JSON.stringify(params) });
    await guard(ws);
    // Each call starts a process, so the suite sends only some of them.
    const sent = process.env.PATH_VECTORS === "all" ? spellings(ws) : spellings(ws).filter((_, i) => i % 25 === 0);
    expect(await sendAll(ws, state, sent, send)).toBe(sent.length * 4);
  }, 1_200_000);
});
