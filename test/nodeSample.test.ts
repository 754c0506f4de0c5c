/** The documents of the Node sample: an edit that does not fit in any part changes nothing. */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDocumentStore, type DocumentStore } from "../client-samples/node/documents.js";

let folder = "";
let store: DocumentStore;
let told: [string, unknown][] = [];

const at = (name: string): string => join(folder, name);
const uri = (name: string): string => pathToFileURL(at(name)).href;

/** Puts a text before the first character of a document. */
const put = (name: string, version: number | null, newText: string, line = 0) => ({
  textDocument: { uri: uri(name), version },
  edits: [{ range: { start: { line, character: 0 }, end: { line, character: 0 } }, newText }],
});
const create = (name: string) => ({ kind: "create" as const, uri: uri(name) });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "multi-edit-sample-"));
  writeFileSync(at("open.txt"), "\uFEFFone\r\ntwo");
  writeFileSync(at("closed.txt"), "three\n");
  told = [];
  store = createDocumentStore((method, params) => told.push([method, params]));
  store.open(at("open.txt"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("an edit that fits", () => {
  it("is applied, told in ranges, and not saved", () => {
    const edit = { documentChanges: [create("sub/new.txt"), put("open.txt", 1, "a"), put("sub/new.txt", null, "n\n")] };
    expect(store.applyEdit(edit)).toEqual({ applied: true });
    expect(store.get(at("open.txt"))).toMatchObject({ version: 2, text: "aone\r\ntwo", saved: false });
    expect(store.get(at("sub/new.txt"))).toMatchObject({ text: "n\n", saved: false });
    expect(readFileSync(at("open.txt"), "utf8")).toBe("\uFEFFone\r\ntwo");
    expect(told.map(([method]) => method)).toEqual([
      "textDocument/didOpen",
      "textDocument/didChange",
      "textDocument/didOpen",
      "textDocument/didChange",
    ]);
    expect(told[1]?.[1]).toEqual({
      textDocument: { uri: uri("open.txt"), version: 2 },
      contentChanges: [{ range: put("open.txt", 1, "a").edits[0]?.range, text: "a" }],
    });
  });

  it("counts lines that end in CRLF, and saving keeps the byte order mark", () => {
    expect(store.applyEdit({ documentChanges: [put("open.txt", 1, "b", 1)] })).toEqual({ applied: true });
    store.save(at("open.txt"));
    expect(readFileSync(at("open.txt"), "utf8")).toBe("\uFEFFone\r\nbtwo");
  });

  it("opens a file that has the hash that was matched", () => {
    const hash = createHash("sha256").update("three\n").digest("hex");
    const edit = { documentChanges: [put("closed.txt", null, "c")] };
    expect(store.applyEdit(edit, new Map([[uri("closed.txt"), hash]]))).toEqual({ applied: true });
    expect(store.get(at("closed.txt"))?.text).toBe("cthree\n");
  });
});

describe("an edit that does not fit", () => {
  it.each<[string, () => object[], RegExp]>([
    ["a stale version", () => [put("open.txt", 0, "x")], /at version 1, the edit is for 0$/],
    ["a version of what is not open", () => [put("closed.txt", 1, "x")], /at version none, the edit is for 1$/],
    ["a line that is not there", () => [put("open.txt", 1, "x", 2)], /there is no line 2:0$/],
    ["a file that exists already", () => [create("closed.txt")], /exists$/],
    ["a file that does not exist", () => [put("missing.txt", null, "x")], /ENOENT/],
    ["an operation that it does not have", () => [{ kind: "rename", oldUri: uri("a"), newUri: uri("b") }], /rename/],
  ])("for %s changes nothing, whatever came before it", (_, changes, reason) => {
    const edit = { documentChanges: [create("new.txt"), put("open.txt", 1, "x"), ...changes()] };
    expect(store.applyEdit(edit as never)).toEqual({ applied: false, failureReason: expect.stringMatching(reason) });
    expect(store.all()).toMatchObject([{ version: 1, text: "one\r\ntwo", saved: true }]);
    expect(existsSync(at("new.txt"))).toBe(false);
    expect(told).toHaveLength(1);
  });

  it("because the file has changed on disk changes nothing", () => {
    const edit = { documentChanges: [put("open.txt", 1, "x"), put("closed.txt", null, "x")] };
    const answer = store.applyEdit(edit, new Map([[uri("closed.txt"), "0"]]));
    expect(answer).toEqual({ applied: false, failureReason: `${at("closed.txt")} changed on disk` });
    expect(store.all()).toHaveLength(1);
  });
});
