/** The Node sample's documents: an edit is applied only if every part of it fits. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

/** An edit that inserts text at the start of a document's line. */
const put = (name: string, version: number | null, newText: string, line = 0) => ({
  textDocument: { uri: uri(name), version },
  edits: [{ range: { start: { line, character: 0 }, end: { line, character: 0 } }, newText }],
});
const create = (name: string) => ({ kind: "create" as const, uri: uri(name) });
const rename = (from: string, to: string) => ({ kind: "rename" as const, oldUri: uri(from), newUri: uri(to) });
const remove = (name: string) => ({ kind: "delete" as const, uri: uri(name) });
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

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
  it("is applied, synced as ranges, and not saved", () => {
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

  it("opens a file whose hash matches", () => {
    const matched = new Map([[uri("closed.txt"), { version: null, hash: hashOf("three\n") }]]);
    const edit = { documentChanges: [put("closed.txt", null, "c")] };
    expect(store.applyEdit(edit, matched)).toEqual({ applied: true });
    expect(store.get(at("closed.txt"))?.text).toBe("cthree\n");
  });

  it("renames an open document with its unsaved text", () => {
    store.change(at("open.txt"), "typed");
    const edit = { documentChanges: [put("open.txt", 2, "a"), rename("open.txt", "sub/moved.txt")] };
    expect(store.applyEdit(edit)).toEqual({ applied: true });
    expect(store.all()).toMatchObject([{ path: at("sub/moved.txt"), text: "atyped", saved: false }]);
    expect(existsSync(at("open.txt"))).toBe(false);
    expect(readFileSync(at("sub/moved.txt"), "utf8")).toBe("\uFEFFone\r\ntwo");
    expect(told.slice(-2)).toEqual([
      ["textDocument/didClose", { textDocument: { uri: uri("open.txt") } }],
      [
        "textDocument/didOpen",
        { textDocument: expect.objectContaining({ uri: uri("sub/moved.txt"), text: "atyped" }) },
      ],
    ]);
  });

  it("deletes files, and reports open ones as closed", () => {
    expect(store.applyEdit({ documentChanges: [remove("open.txt"), remove("closed.txt")] })).toEqual({ applied: true });
    expect(readdirSync(folder)).toEqual([]);
    expect(store.all()).toEqual([]);
    expect(told.map(([method]) => method)).toEqual(["textDocument/didOpen", "textDocument/didClose"]);
  });

  it("gives a name that has just become free to a new or renamed file", () => {
    const again = [rename("closed.txt", "b.txt"), create("closed.txt"), put("closed.txt", null, "new\n")];
    expect(store.applyEdit({ documentChanges: again })).toEqual({ applied: true });
    expect(store.get(at("closed.txt"))?.text).toBe("new\n");
    const over = [remove("open.txt"), rename("b.txt", "open.txt")];
    expect(store.applyEdit({ documentChanges: over })).toEqual({ applied: true });
    expect(readFileSync(at("open.txt"), "utf8")).toBe("three\n");
    expect(store.get(at("open.txt"))).toBeUndefined();
  });
});

describe("an edit that does not fit", () => {
  it.each<[string, () => object[], RegExp]>([
    ["a stale version", () => [put("open.txt", 0, "x")], /is open at version 1, but .* at version 0$/],
    ["a version of a file that is not open", () => [put("closed.txt", 1, "x")], /is not open, but .* at version 1$/],
    ["a line that does not exist", () => [put("open.txt", 1, "x", 2)], /there is no position 2:0, counted from 0$/],
    ["a file that exists already", () => [create("closed.txt")], /exists$/],
    ["a file that does not exist", () => [put("missing.txt", null, "x")], /does not exist$/],
    ["a new name that is taken", () => [rename("open.txt", "closed.txt")], /exists$/],
    ["a name that another rename has taken", () => [rename("open.txt", "b"), rename("closed.txt", "b")], /exists$/],
    ["a rename of a missing file", () => [rename("missing.txt", "b.txt")], /does not exist$/],
    ["a deletion of a missing file", () => [remove("missing.txt")], /does not exist$/],
    ["an edit of a deleted file", () => [remove("closed.txt"), put("closed.txt", null, "x")], /does not exist$/],
    ["a deletion of a folder", () => [remove(".")], /is not a file$/],
    ["unknown options", () => [{ ...remove("closed.txt"), options: { recursive: true } }], /no options/],
  ])("because of %s changes nothing, whatever came before it", (_, changes, reason) => {
    const edit = { documentChanges: [create("new.txt"), put("open.txt", 1, "x"), ...changes()] };
    expect(store.applyEdit(edit as never)).toEqual({ applied: false, failureReason: expect.stringMatching(reason) });
    expect(store.all()).toMatchObject([{ version: 1, text: "one\r\ntwo", saved: true }]);
    expect(existsSync(at("new.txt"))).toBe(false);
    expect(told).toHaveLength(1);
  });

  it.each<[string, () => object]>([
    ["edited", () => put("closed.txt", null, "x")],
    ["renamed", () => rename("closed.txt", "b.txt")],
    ["deleted", () => remove("closed.txt")],
  ])("because the file to be %s has changed on disk leaves everything as it was", (_, change) => {
    const edit = { documentChanges: [put("open.txt", 1, "x"), change()] };
    const answer = store.applyEdit(
      edit as never,
      new Map([[uri("closed.txt"), { version: null, hash: hashOf("two\n") }]]),
    );
    expect(answer).toEqual({ applied: false, failureReason: `${at("closed.txt")} has changed on disk` });
    expect(store.all()).toMatchObject([{ version: 1, saved: true }]);
    expect(readdirSync(folder).sort()).toEqual(["closed.txt", "open.txt"]);
  });

  it("because a document to be deleted has a newer version leaves everything as it was", () => {
    store.change(at("open.txt"), "typed");
    const answer = store.applyEdit(
      { documentChanges: [remove("open.txt")] },
      new Map([[uri("open.txt"), { version: 1 }]]),
    );
    expect(answer).toMatchObject({
      applied: false,
      failureReason: expect.stringMatching(/at version 2, but .* at version 1$/),
    });
    expect(store.get(at("open.txt"))?.text).toBe("typed");
    expect(existsSync(at("open.txt"))).toBe(true);
  });

  it("because of a symbolic link in place of a file leaves everything as it was", () => {
    symlinkSync(at("closed.txt"), at("link.txt"));
    expect(store.applyEdit({ documentChanges: [remove("link.txt")] }).failureReason).toMatch(/is not a file$/);
    expect(readdirSync(folder).sort()).toEqual(["closed.txt", "link.txt", "open.txt"]);
  });

  it("because the disk refuses a step is rolled back", () => {
    chmodSync(at("closed.txt"), 0o600);
    // A file occupies the path of a folder that the last step needs; only the disk reveals this.
    const steps = [
      create("new/deep/a.txt"),
      remove("closed.txt"),
      rename("open.txt", "other/moved.txt"),
      create("new/deep/a.txt/b.txt"),
    ];
    const answer = store.applyEdit({ documentChanges: steps });
    expect(answer).toEqual({ applied: false, failureReason: expect.stringMatching(/ENOTDIR|EEXIST/) });
    expect(readdirSync(folder).sort()).toEqual(["closed.txt", "open.txt"]);
    expect(readFileSync(at("closed.txt"), "utf8")).toBe("three\n");
    expect(statSync(at("closed.txt")).mode & 0o777).toBe(0o600);
    expect(store.all()).toMatchObject([{ path: at("open.txt"), version: 1 }]);
    expect(told).toHaveLength(1);
  });

  it("does not remove an empty folder that existed before", () => {
    mkdirSync(at("empty"));
    const steps = [create("empty/a.txt"), create("empty/a.txt/b.txt")];
    expect(store.applyEdit({ documentChanges: steps }).applied).toBe(false);
    expect(readdirSync(at("empty"))).toEqual([]);
  });
});
