/** The checks that hold on every system and in every runtime: batches, questions, agents and frames. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Client } from "../../client-samples/node/client.js";
import type { MultiEditParams } from "../../server/lsp/protocol.js";
import { initialize, type RawClient, rawClient, request } from "../support/rawClient.js";
import { edits } from "./edits.js";
import { type Check, diskText, type Place } from "./place.js";

/** Sends a call that must be applied, or, if a code is given, must fail with it. */
async function apply(client: Client, call: MultiEditParams, code?: string): Promise<void> {
  const answer = await client.applyByServer(call);
  if (code === undefined) assert.ok(answer.ok, answer.ok ? "" : answer.message);
  else assert.deepEqual(answer.ok ? ["applied"] : answer.data?.failures.map((failure) => failure.code), [code]);
}

/** Runs a check with a client in a folder with an open file, `open.txt`, that has unsaved text, and a closed one. */
async function withClient(
  place: Place,
  act: (client: Client, folder: string) => Promise<void>,
  options: Parameters<Place["client"]>[1] = {},
): Promise<undefined> {
  const folder = place.folder({ "open.txt": "one\n", "closed.txt": "two\r\nthree\r\n", "bom.txt": "\uFEFFfour\n" });
  const client = await place.client(folder, options);
  client.documents.open(join(folder, "open.txt"));
  client.documents.change(join(folder, "open.txt"), "typed one\n");
  await act(client, folder);
  assert.equal(await client.stop(), 0);
  return undefined;
}

const openText = (client: Client, folder: string): string | undefined =>
  client.documents.get(join(folder, "open.txt"))?.text;

const all = edits(["open.txt", "one", "1"], ["closed.txt", "two\nthree", "2\n3"], ["bom.txt", "four", "4"]);
const patch = [
  "*** Begin Patch",
  "*** Add File: new/made.txt",
  "+made",
  "*** Update File: closed.txt",
  "*** Move to: moved.txt",
  "@@",
  "-two",
  "+2",
  " three",
  "*** Delete File: bom.txt",
  "*** End Patch",
].join("\n");

const batchChecks: readonly Check[] = [
  {
    name: "a batch in unsaved text and in closed files, and its undo",
    run: (place) =>
      withClient(place, async (client, folder) => {
        await apply(client, all);
        const texts = () => [openText(client, folder), diskText(folder, "closed.txt"), diskText(folder, "bom.txt")];
        assert.deepEqual(texts(), ["typed 1\n", "2\r\n3\r\n", "\uFEFF4\n"]);
        assert.equal(diskText(folder, "open.txt"), "one\n");
        assert.equal((await client.undo()).ok, true);
        assert.deepEqual(texts(), ["typed one\n", "two\r\nthree\r\n", "\uFEFFfour\n"]);
      }),
  },
  {
    name: "files created, moved and deleted, and the undo",
    run: (place) =>
      withClient(place, async (client, folder) => {
        await apply(client, { patch });
        const names = ["new/made.txt", "closed.txt", "moved.txt", "bom.txt"];
        const texts = () => names.map((name) => diskText(folder, name));
        assert.deepEqual(texts(), ["made\n", "missing", "2\r\nthree\r\n", "missing"]);
        assert.equal((await client.undo()).ok, true);
        assert.deepEqual(texts(), ["missing", "two\r\nthree\r\n", "missing", "\uFEFFfour\n"]);
      }),
  },
  {
    name: "a batch of which one edit fails changes nothing",
    run: (place) =>
      withClient(place, async (client, folder) => {
        await apply(client, edits(["closed.txt", "two", "2"], ["open.txt", "nowhere", "x"]), "noMatch");
        await apply(client, edits(["closed.txt", "two", "2"], ["no.txt", "a", "b"]), "fileNotFound");
        assert.deepEqual(
          [diskText(folder, "closed.txt"), openText(client, folder)],
          ["two\r\nthree\r\n", "typed one\n"],
        );
      }),
  },
  {
    name: "an edit that the client applies, and 1,000 edits in one file",
    run: (place) =>
      withClient(place, async (client, folder) => {
        const lines = (word: string) => Array.from({ length: 1_000 }, (_, i) => `${word} ${i};`);
        client.documents.change(join(folder, "open.txt"), lines("old").join("\n"));
        const many = lines("old").map((line) => ["open.txt", line, line.replace("old", "new")] as const);
        assert.equal((await client.apply(edits(...many))).ok, true);
        assert.equal(openText(client, folder), lines("new").join("\n"));
      }),
  },
];

const questionChecks: readonly Check[] = [
  ...(["Apply", "Reject"] as const).map((answer) => ({
    name: `a question that is answered with ${answer}, after the whole diff`,
    run: (place: Place) => {
      const shown: string[] = [];
      const options = {
        settings: { confirm: "always" },
        ask: async () => (shown.length === 0 ? "Show diff" : answer),
        show: (path: string) => void shown.push(readFileSync(path, "utf8")),
      };
      const act = async (client: Client, folder: string): Promise<void> => {
        await apply(client, all, answer === "Reject" ? "userRejected" : undefined);
        assert.match(shown.join(), /-typed one\n\+typed 1\n/);
        assert.equal(diskText(folder, "bom.txt"), answer === "Reject" ? "\uFEFFfour\n" : "\uFEFF4\n");
      };
      return withClient(place, act, options);
    },
  })),
  {
    name: "a question about a protected name, which nobody answers",
    run: (place) =>
      withClient(place, async (client, folder) => {
        await apply(client, edits([".npmrc", "", "a=b\n"]), "userRejected");
        await apply(client, edits([".git/config", "", "x\n"]), "protectedPath");
        assert.equal(diskText(folder, ".npmrc"), "missing");
      }),
  },
];

/** The addresses of all sessions, from their records. */
function addresses({ state }: Place): string[] {
  const sessions = join(state, "sessions");
  const records = readdirSync(sessions).filter((name) => name.endsWith(".json"));
  return records.map((name) => (JSON.parse(readFileSync(join(sessions, name), "utf8")) as { address: string }).address);
}

const agentChecks: readonly Check[] = [
  {
    name: "an agent's commands reach the editor: read, apply, log, undo, doctor",
    run: (place) =>
      withClient(place, async (client, folder) => {
        const read = await place.run(folder, ["read", "open.txt"]);
        assert.match(read.stdout, /typed one/, read.stderr);
        const applied = await place.run(folder, ["apply", "--mode=editor"], JSON.stringify(all));
        assert.equal(applied.code, 0, applied.stderr);
        assert.deepEqual([openText(client, folder), diskText(folder, "closed.txt")], ["typed 1\n", "2\r\n3\r\n"]);
        assert.match((await place.run(folder, ["log"])).stdout, /open\.txt/);
        assert.equal((await place.run(folder, ["undo"])).code, 0);
        assert.equal(openText(client, folder), "typed one\n");
        assert.match((await place.run(folder, ["doctor"])).stdout, /multi-edit-node-sample/);
      }),
  },
  {
    name: "an agent's tools over MCP reach the editor",
    run: (place) =>
      withClient(place, async (client, folder) => {
        const [program, main] = place.command;
        const child = spawn(program, [main, "mcp"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
        let answered = "";
        child.stdout.on("data", (bytes: Buffer) => (answered += bytes.toString()));
        const info = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "check", version: "1" } };
        const call = { name: "multi_edit", arguments: edits(["open.txt", "one", "1"]) };
        const messages = [request(1, "initialize", info), { jsonrpc: "2.0", method: "notifications/initialized" }];
        for (const message of [...messages, request(2, "tools/call", call)]) {
          child.stdin.write(`${JSON.stringify(message)}\n`);
        }
        while (!answered.includes('"id":2')) await once(child.stdout, "data");
        child.stdin.end();
        await once(child, "close");
        assert.equal(openText(client, folder), "typed 1\n", answered);
      }),
  },
  {
    name: "whoever does not know the secret is not served at the agents' address",
    run: (place) =>
      withClient(place, async (client, folder) => {
        await client.status();
        const [address, another] = addresses(place);
        assert.deepEqual([typeof address, another], ["string", undefined]);
        const socket = createConnection(address ?? "");
        await once(socket, "connect");
        const stranger = rawClient(socket, socket);
        const answer = await stranger.ask(1, "multiEdit/apply", all);
        assert.equal(typeof answer.error?.code, "number");
        socket.destroy();
        assert.equal(openText(client, folder), "typed one\n");
        return undefined;
      }),
  },
  {
    name: "without an editor, files change on disk, and the call can be undone",
    async run(place) {
      const folder = place.folder({ "a.txt": "one\n", "b.txt": "two\r\n" });
      const call = JSON.stringify(edits(["a.txt", "one", "1"], ["b.txt", "two", "2"]));
      const applied = await place.run(folder, ["apply"], call);
      assert.equal(applied.code, 0, applied.stderr);
      assert.deepEqual([diskText(folder, "a.txt"), diskText(folder, "b.txt")], ["1\n", "2\r\n"]);
      assert.equal((await place.run(folder, ["undo"])).code, 0);
      assert.deepEqual([diskText(folder, "a.txt"), diskText(folder, "b.txt")], ["one\n", "two\r\n"]);
      return undefined;
    },
  },
];

/** Starts a conversation with the server, asks it to stop, and checks that it does. */
async function converse(client: RawClient, cut: (bytes: Buffer) => Iterable<Uint8Array>): Promise<void> {
  const messages = [initialize, { jsonrpc: "2.0", method: "initialized", params: {} }, request(1, "multiEdit/status")];
  for (const message of messages) {
    const body = Buffer.from(JSON.stringify(message));
    const header = Buffer.from(`content-length: ${body.length}\r\nContent-Type: a/b; charset=utf-8\r\n\r\n`);
    for (const piece of cut(Buffer.concat([header, body]))) client.write(piece);
  }
  assert.equal((await client.answer(0)).error, undefined);
  assert.notEqual((await client.answer(1)).result, undefined);
  assert.equal((await client.ask(2, "shutdown")).result, null);
  client.send({ jsonrpc: "2.0", method: "exit" });
}

const whole = (bytes: Buffer): Uint8Array[] => [bytes];
const bytewise = (bytes: Buffer): Uint8Array[] => [...bytes].map((byte) => Uint8Array.of(byte));

const frameChecks: readonly Check[] = [
  {
    name: "frames over stdio, whole and byte by byte",
    async run({ command: [program, main] }) {
      for (const cut of [whole, bytewise]) {
        const child = spawn(program, [main, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
        const exit = once(child, "exit");
        await converse(rawClient(child.stdin, child.stdout), cut);
        assert.deepEqual(await exit, [0, null]);
      }
      return undefined;
    },
  },
  ...(["socket", "pipe"] as const).map(
    (kind): Check => ({
      name: `frames over --${kind}`,
      async run({ base, command: [program, main] }) {
        const listener = createServer();
        const name = process.platform === "win32" ? `\\\\.\\pipe\\multi-edit-${process.pid}` : join(base, "s");
        if (kind === "socket") listener.listen(0, "127.0.0.1");
        else listener.listen(name);
        await once(listener, "listening");
        const address = listener.address();
        const value = typeof address === "string" ? address : address?.port;
        const child = spawn(program, [main, `--${kind}=${value}`], { stdio: ["ignore", "ignore", "inherit"] });
        const exit = once(child, "exit");
        const [socket] = (await once(listener, "connection")) as [Socket];
        await converse(rawClient(socket, socket), whole);
        socket.end();
        assert.deepEqual(await exit, [0, null]);
        listener.close();
        return undefined;
      },
    }),
  ),
  {
    name: "input that is not the protocol ends the server with 1",
    async run({ command: [program, main] }) {
      const child = spawn(program, [main, "--stdio"], { stdio: ["pipe", "ignore", "pipe"] });
      let stderr = "";
      child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
      child.stdin.write("GET / HTTP/1.1\r\n\r\n");
      assert.deepEqual(await once(child, "close"), [1, null]);
      assert.match(stderr, /does not follow the Language Server Protocol/);
      return undefined;
    },
  },
];

/** All of them, in the order in which they run. */
export const clientChecks: readonly Check[] = [...batchChecks, ...questionChecks, ...agentChecks, ...frameChecks];
