/** 300 spellings of paths, in four operations, at every door: nothing outside or protected is ever shown or changed. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { ResponseError } from "vscode-jsonrpc/node";
import { stage } from "../../server/disk/commit.js";
import type { DiskChange } from "../../server/disk/diskChange.js";
import { userWorkspace } from "../../server/disk/diskWorkspace.js";
import { newId } from "../../server/disk/recover.js";
import { startAcp } from "../support/acpSides.js";
import { announced, friend, ownStateHome } from "../support/agentPeer.js";
import { runCommand } from "../support/commands.js";
import { serverForDesks } from "../support/desk.js";
import { fillDirectory, makeDirectory } from "../support/directory.js";
import { figure, isAll } from "../support/extent.js";
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
    // On some disks, these names would be those of protected files.
    readdirSync(join(at, "ws"))
      .filter((name) => /git|vscode|secret/i.test(name))
      .sort(),
  ];
  return { home, at, ws: join(at, "ws"), state };
}

/** Sends every operation for every path; checks each answer, and the files at the end. Returns the number of calls. */
async function sendAll(ws: string, state: () => unknown, paths: readonly string[], send: Send): Promise<number> {
  const before = state();
  let calls = 0;
  for (const path of paths) {
    for (const operation of Object.keys(operations) as Operation[]) {
      const answer = await send(operation, operations[operation](path)).catch((error: Error & { data?: unknown }) => {
        if (!(error instanceof ResponseError)) throw error;
        return [error.message, error.data];
      });
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

/** A workspace, and the state directory of its sessions. */
type Laid = ReturnType<typeof lay>;
type Send = (operation: Operation, params: Params) => Promise<unknown>;

/** The params of an operation, with the path as it is spelt. */
type Params =
  | { readonly path: string; readonly oldText?: string; readonly newText?: string }
  | { readonly patch: string };

const pathIn = (params: Params): string =>
  "path" in params ? params.path : (/File: (.*)/.exec(params.patch)?.[1] ?? "");

/** A way to reach the workspace: `open` lays it, and returns the function that sends an operation. */
interface Door {
  readonly open: (laid: Laid) => Promise<Send>;
  /** Every n-th spelling is tried, because each call starts a process; with `PATH_VECTORS=all`, all are. */
  readonly every: number;
}

/** The doors. A new door needs one entry here. */
const doors: Readonly<Record<string, Door>> = {
  "in a request": {
    every: 1,
    open: async ({ ws }) => {
      const editor = await guard(ws);
      return (operation, params) => editor.request(methodOf(operation), params);
    },
  },
  "in a command": {
    every: 1,
    open: async ({ ws }) => {
      const editor = await guard(ws);
      return (operation, params) =>
        operation === "read"
          ? editor.request("multiEdit/read", params)
          : editor.request("workspace/executeCommand", { command: "multiEdit.apply", arguments: [params] });
    },
  },
  "over an agent's socket": {
    every: 1,
    open: async ({ home, ws }) => {
      await guard(ws);
      const agent = await friend((await announced(home))[0]);
      let id = 0;
      return (operation, params) => agent.ask(++id, methodOf(operation), params);
    },
  },
  "over MCP": {
    every: 5,
    open: async ({ ws }) => {
      await guard(ws);
      const agent = await startAgent(program, ws);
      return (operation, params) => {
        if (operation === "read") return agent.call("read_document", params);
        return "patch" in params ? agent.call("apply_patch", params) : agent.call("multi_edit", { edits: [params] });
      };
    },
  },
  "over ACP": {
    every: 1,
    open: async ({ ws }) => {
      await guard(ws);
      const client = startAcp(program, ws);
      const fs = { readTextFile: false, writeTextFile: false };
      await client.request("initialize", { protocolVersion: 1, clientCapabilities: { fs, terminal: true } });
      await client.request("session/new", { cwd: ws, mcpServers: [] });
      return (operation, params) => {
        const method = operation === "read" ? "fs/read_text_file" : "fs/write_text_file";
        const content = operation === "delete" ? "" : "planted\n";
        const request = { method, params: { sessionId: "s1", path: pathIn(params), content } };
        return client.request("session/prompt", { sessionId: "s1", requests: [request] });
      };
    },
  },
  "at the command line": {
    every: 25,
    open: async ({ ws: cwd }) => {
      await guard(cwd);
      return (operation, params) =>
        operation === "read"
          ? runCommand(program, ["read", "--", pathIn(params)], { cwd })
          : runCommand(program, ["apply", "--mode=disk"], { cwd, input: JSON.stringify(params) });
    },
  },
  "by a hook that applies calls": {
    every: 25,
    open: async ({ home, ws, at }) => {
      const editor = await guard(ws);
      // The hook applies only calls for documents with unsaved text.
      for (const path of unreachable)
        await editor.open({ uri: pathToFileURL(join(at, path)).href, text: `typed\n${hidden}` });
      await announced(home);
      return async (operation, params) => {
        const filePath = pathIn(params);
        const args = {
          edit: { filePath, oldString: "KEY", newString: "taken" },
          create: { filePath, content: "planted\n" },
          delete: { patchText: "patch" in params ? params.patch : "" },
          read: { filePath },
        };
        const tool = { edit: "edit", create: "write", delete: "apply_patch", read: "read" }[operation];
        const event = { tool, args: args[operation], directory: ws, callID: newId(), sessionID: "1" };
        const ran = await runCommand(program, ["hook", "opencode", "--apply"], { input: JSON.stringify(event) });
        for (const path of unreachable) {
          const { text } = editor.documents.get(pathToFileURL(join(at, path)).href)!;
          expect(text, `${operation} ${filePath}`).toBe(`typed\n${hidden}`);
        }
        return ran;
      };
    },
  },
  "by an undo of a call on disk": {
    every: 25,
    open: async ({ home, ws: cwd }) => {
      const own = join(cwd, "a/b.txt");
      const env = { XDG_CONFIG_HOME: join(home, "config") };
      const settings = { protectedNames: ["+secret.txt"] };
      fillDirectory(home, { "config/multi-edit-language-server/settings.json": JSON.stringify(settings) });
      return async (operation, params) => {
        if (operation === "read") return "";
        // A real call leads to the hidden text, to a new file with it, or to no file; its copy then gets another path.
        const texts = { edit: ["KEY=old\n", hidden], create: [undefined, hidden], delete: ["KEY=old\n", undefined] };
        const [before, after] = texts[operation];
        if (before === undefined) rmSync(own, { force: true });
        else writeFileSync(own, before);
        const kept = await keptCall(cwd, { own, after, home });
        forge(kept, own, pathIn(params));
        const id = /([0-9a-f]+)\.batch$/.exec(kept)?.[1] ?? "";
        const { code, stdout, stderr } = await runCommand(program, ["undo", id, "--mode=disk"], { cwd, env });
        rmSync(kept, { force: true });
        return [code, stdout, stderr].join().replaceAll("hidden-from-every-agent", "");
      };
    },
  },
};

/** Makes a call on disk that gives a file a text, or deletes it; returns the path of the copy that is kept for an undo. */
async function keptCall(
  cwd: string,
  { own, after, home }: { readonly own: string; readonly after: string | undefined; readonly home: string },
): Promise<string> {
  const id = newId();
  const named = { path: own, name: "a/b.txt" };
  const isThere = existsSync(own);
  const change: DiskChange =
    after === undefined
      ? { kind: "delete", ...named }
      : { kind: isThere ? "update" : "create", ...named, content: { text: after } };
  const onCommit = { kind: "keep", id } as const;
  const staged = stage(await userWorkspace([cwd]), [change], "a call", { onCommit });
  if (!staged.ok) throw new Error(staged.failures[0]?.message);
  const committed = staged.commit();
  if (committed.outcome !== "applied") throw new Error(committed.failure.message);
  committed.finish();
  const batches = join(home, "multi-edit-language-server", "batches");
  return join(batches, readdirSync(batches).find((name) => name.includes(id)) ?? id);
}

/** Changes the path in the copy of a call, as somebody could who may write there. */
function forge(kept: string, from: string, to: string): void {
  const [, body = ""] = readFileSync(kept, "utf8").split("\n");
  const text = body.replaceAll(JSON.stringify(from), () => JSON.stringify(to));
  expect(text).not.toBe(body);
  writeFileSync(kept, `${createHash("sha256").update(text).digest("hex")}\n${text}\n`);
}

describe("no spelling of a path leads outside or to a protected file", () => {
  it.each(Object.entries(doors))("%s", { timeout: 1_200_000 }, async (door, { open, every }) => {
    const laid = lay();
    // The doors resolve paths alike: in the small suite, all spellings go through the first one only. Five divides neither
    // the number of ways nor that of forms, so that each of them occurs.
    const least = isAll || door === "in a request" ? 1 : 5;
    const step = process.env.PATH_VECTORS === "all" ? 1 : Math.max(every, least);
    const paths = spellings(laid.ws).filter((_, i) => i % step === 0);
    const calls = await sendAll(laid.ws, laid.state, paths, await open(laid));
    expect(calls).toBe(paths.length * 4);
    figure(`${door}: ${calls} calls with ${paths.length} spellings`);
  });
});
