/** The Node sample's client with the built server: its answers to the server, and its requests other than edits. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Client, type ClientOptions, startClient } from "../client-samples/node/client.js";
import type { ConfirmRequestParams, DidApplyParams } from "../server/lsp/protocol.js";
import { batch } from "./support/desk.js";
import { builtServer } from "./support/wireServer.js";

let folder = "";
let client: Client;
let told: DidApplyParams[] = [];

const at = (name: string): string => join(folder, name);
const disk = (name: string): string => readFileSync(at(name), "utf8");
const edits = batch(["clean.txt", "one", "1"], ["dirty.txt", "two", "2"]);

async function start(options: Partial<ClientOptions> = {}): Promise<void> {
  client = await startClient({
    command: [process.execPath, builtServer, "--stdio"],
    folder,
    onDidApply: (applied) => told.push(applied),
    ...options,
  });
  client.documents.open(at("clean.txt"));
  client.documents.change(at("dirty.txt"), "typed two\n");
}

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-client-")));
  writeFileSync(at("clean.txt"), "one\n");
  writeFileSync(at("dirty.txt"), "two\n");
  told = [];
});
afterEach(async () => {
  expect(await client.stop()).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

describe("a change that the server applies", () => {
  it("is saved if nothing was unsaved before, is reported, and can be undone", async () => {
    await start();
    const answer = await client.applyByServer(edits);
    expect(answer).toMatchObject({ ok: true, result: { outcome: "applied" } });
    expect([disk("clean.txt"), disk("dirty.txt")]).toEqual(["1\n", "two\n"]);
    const transaction = answer.ok ? answer.result.transaction : undefined;
    expect(await client.status()).toMatchObject({
      ok: true,
      result: { transactions: [{ transaction, state: "applied" }] },
    });
    expect(await client.undo({ transaction: transaction ?? "" })).toMatchObject({
      ok: true,
      result: { outcome: "applied" },
    });
    expect(client.documents.get(at("clean.txt"))?.text).toBe("one\n");
    expect(client.documents.get(at("dirty.txt"))?.text).toBe("typed two\n");
    await expect.poll(() => told.map((one) => one.transaction)).toEqual([transaction, transaction]);
    const files = ["clean.txt", "dirty.txt"].map((name) => ({ uri: pathToFileURL(at(name)).href, kind: "update" }));
    expect(told).toMatchObject([
      { kind: "applied", files: files.map((file) => ({ ...file, added: 1, removed: 1 })) },
      { kind: "undone", files: files.toReversed() },
    ]);
  });
});

describe("the question before a change", () => {
  it("shows the diff, and applies what the user agrees to", async () => {
    const titles: string[] = [];
    let shown = "";
    await start({
      settings: { confirm: "always" },
      ask: async (_, offered) => {
        titles.push(offered.join());
        return titles.length === 1 ? "Show diff" : "Apply";
      },
      show: (path) => {
        shown = readFileSync(path, "utf8");
      },
    });
    expect(await client.applyByServer(edits)).toMatchObject({ ok: true, result: { outcome: "applied", diff: shown } });
    expect(titles).toEqual(["Apply,Show diff,Reject", "Apply,Show diff,Reject"]);
    expect(shown).toContain("-typed two\n+typed 2\n");
  });

  it("can be asked in a view of the program's own, whose reason reaches the agent", async () => {
    const questions: ConfirmRequestParams[] = [];
    await start({
      settings: { confirm: "always" },
      confirm: async (question) => {
        questions.push(question);
        return { answer: "reject", reason: "not in\nthis file" };
      },
    });
    const answer = await client.applyByServer(edits);
    const failure = { code: "userRejected", reason: "not in this file" };
    expect(answer).toMatchObject({ ok: false, data: { failures: [failure], diff: questions[0]?.diff } });
    expect(questions).toMatchObject([{ label: "2 files (2 edits)", added: 2, removed: 2, files: [{}, {}] }]);
  });

  it("is answered with no if the user can't be asked", async () => {
    await start({ settings: { confirm: "always" } });
    const answer = await client.applyByServer(edits);
    expect(answer).toMatchObject({ ok: false, data: { failures: [{ code: "userRejected" }] } });
    expect(client.documents.get(at("clean.txt"))?.text).toBe("one\n");
  });
});

describe("a file with unsaved changes that the client does not sync", () => {
  it("is not changed on disk as long as the client reports it", async () => {
    await start();
    writeFileSync(at("tab.txt"), "three\n");
    await client.reportUnsynced([at("tab.txt")]);
    const call = batch(["tab.txt", "three", "3"]);
    const refused = await client.applyByServer(call);
    expect(refused).toMatchObject({ ok: false, data: { failures: [{ code: "locked", path: "tab.txt" }] } });
    expect(disk("tab.txt")).toBe("three\n");
    await client.reportUnsynced([]);
    expect(await client.applyByServer(call)).toMatchObject({ ok: true, result: { outcome: "applied" } });
    expect(disk("tab.txt")).toBe("3\n");
  });
});
