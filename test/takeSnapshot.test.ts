/** Taking the snapshot against which a batch is planned. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editorPositions } from "../server/lsp/edit/positions.js";
import type { EditOperation } from "../server/plan/operation.js";
import { limits } from "../server/text/limits.js";
import { createDocuments } from "../server/workspace/documents.js";
import { uriOfPath } from "../server/workspace/pathText.js";
import { readTarget, takeSnapshot, type World } from "../server/workspace/takeSnapshot.js";
import { type Entry, makeDirectory } from "./support/directory.js";

/** The habits of an editor that saves its texts unchanged. */
const noHabits = { syncsLf: false, endsLastLine: false };

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** An edit to the file with this path; with an empty old text, it may create the file. */
function edit(path: string, oldText = "old"): EditOperation {
  return { kind: "edit", index: 0, path, oldText, newText: "new", replaceAll: false };
}

interface Opened {
  readonly text: string;
  readonly version?: number;
  readonly loneCrEndsLine?: boolean;
}

/** A workspace with one folder, whose files and open documents are given by relative path. */
function makeWorld(entries: Record<string, Entry>, open: Record<string, Opened> = {}): World & { readonly at: string } {
  const at = makeDirectory(entries);
  const openTexts = createDocuments();
  for (const [name, { text, version = 7, loneCrEndsLine = true }] of Object.entries(open)) {
    openTexts.open(uriOfPath(join(at, name)), version, text, { loneCrEndsLine });
  }
  const folders = [{ uri: uriOfPath(at), path: at }];
  return { at, folders, additionalFolders: [], gates: [], openTexts, loneCrEndsLine: false, habits: noHabits };
}

/** The documents by path, without the fields that other tests cover. */
async function snapshotOf(world: World, ...operations: EditOperation[]) {
  const { documents, targets } = await takeSnapshot(operations, world);
  return {
    documents: [...documents.values()],
    failures: Object.fromEntries(
      [...targets].flatMap(([path, target]) => (target.ok ? [] : [[path, target.failure.code]])),
    ),
    targets,
  };
}

describe("a snapshot", () => {
  it("has the synced text if a document is open, otherwise the file's", async () => {
    const world = makeWorld({ "a.ts": "a", "b.ts": "\ufeffb" }, { "a.ts": { text: "unsaved" } });
    const { documents, failures } = await snapshotOf(world, edit("a.ts"), edit("b.ts"));
    expect(failures).toEqual({});
    expect(documents).toEqual([
      {
        uri: uriOfPath(join(world.at, "a.ts")),
        path: "a.ts",
        version: 7,
        text: "unsaved",
        exists: true,
        bom: false,
        bomSynced: false,
        loneCrEndsLine: true,
        onDisk: "differs",
      },
      {
        uri: uriOfPath(join(world.at, "b.ts")),
        path: "b.ts",
        version: null,
        text: "b",
        exists: true,
        bom: true,
        bomSynced: false,
        loneCrEndsLine: false,
        hash: createHash("sha256").update("\ufeffb").digest("hex"),
      },
    ]);
  });

  it.each<[string, string | undefined, string, object]>([
    ["on disk only", "\ufeffa", "a", { text: "a", bom: true, bomSynced: false, onDisk: "same" }],
    ["synced and on disk", "\ufeffa", "\ufeffa", { text: "a", bom: true, bomSynced: true, onDisk: "same" }],
    ["synced only", "a", "\ufeffa", { text: "a", bom: true, bomSynced: true, onDisk: "same" }],
    ["synced, with no file", undefined, "\ufeffa", { text: "a", bom: true, bomSynced: true, exists: true }],
    ["nowhere, with no file", undefined, "a", { text: "a", bom: false, bomSynced: false, exists: true }],
  ])("knows a byte order mark that is %s", async (_, onDisk, text, expected) => {
    const world = makeWorld(onDisk === undefined ? {} : { "a.ts": onDisk }, { "a.ts": { text } });
    const { documents } = await snapshotOf(world, edit("a.ts"));
    expect(documents).toEqual([expect.objectContaining(expected)]);
    expect(documents[0]).toHaveProperty("version", 7);
    if (onDisk === undefined) expect(documents[0]).not.toHaveProperty("onDisk");
  });

  it("holds a document only once, however often and in whatever way it is named", async () => {
    const world = makeWorld({ "a.ts": "a", "link.ts": { link: "a.ts" }, "hard.ts": { hardLink: "a.ts" } });
    const spellings = ["./a.ts", "a.ts", "link.ts", "hard.ts", uriOfPath(join(world.at, "a.ts"))];
    const { documents, targets } = await snapshotOf(world, ...spellings.map((path) => edit(path)));
    expect(documents.map(({ path }) => path)).toEqual(["a.ts"]);
    expect([...targets].map(([path, target]) => [path, target.ok && target.uri])).toEqual(
      spellings.map((path) => [path, documents[0]!.uri]),
    );
  });

  it("has a new file only if the first edit of the file creates it, however its path is spelt", async () => {
    const world = makeWorld({ f: "" });
    const created = await snapshotOf(world, edit("d/new.ts", ""), edit("./d/new.ts"));
    expect(created.failures).toEqual({});
    expect(created.documents).toEqual([
      expect.objectContaining({ path: "d/new.ts", exists: false, text: "", version: null }),
    ]);
    expect(created.documents[0]).not.toHaveProperty("hash");
    const late = await snapshotOf(world, edit("./d/new.ts"), edit("d/new.ts", ""));
    expect(late.failures).toEqual({ "./d/new.ts": "fileNotFound", "d/new.ts": "fileNotFound" });
    const blocked = await snapshotOf(world, edit("f/new.ts", ""));
    expect(blocked.failures).toEqual({ "f/new.ts": "ioError" });
  });

  it("reports every path that fails, and keeps the others", async () => {
    const world = makeWorld({ "a.ts": "a", binary: bytes(0), "d/": "" }, { "lost.ts": { text: "x", version: 3 } });
    const documents = createDocuments();
    documents.open(uriOfPath(join(world.at, "lost.ts")), 3, "x", { loneCrEndsLine: true });
    documents.change(uriOfPath(join(world.at, "lost.ts")), 2, [{ text: "y" }], editorPositions["utf-16"]);
    const { failures, documents: kept } = await snapshotOf(
      { ...world, openTexts: documents },
      ...["a.ts", "binary", "d", "lost.ts", "../x", "nowhere.ts"].map((path) => edit(path)),
    );
    expect(kept.map(({ path }) => path)).toEqual(["a.ts"]);
    expect(failures).toEqual({
      binary: "unsupportedEncoding",
      d: "isDirectory",
      "lost.ts": "desynced",
      "../x": "outsideWorkspace",
      "nowhere.ts": "fileNotFound",
    });
  });

  it("does not change when the user goes on typing", async () => {
    const at = makeDirectory({});
    const openTexts = createDocuments();
    const uri = uriOfPath(join(at, "a.ts"));
    openTexts.open(uri, 1, "before", { loneCrEndsLine: true });
    const folders = [{ uri: uriOfPath(at), path: at }];
    const world = {
      folders,
      additionalFolders: [],
      gates: [],
      openTexts,
      loneCrEndsLine: true,
      habits: noHabits,
    };
    // The texts are copied up front, before the folders are inspected.
    const taking = takeSnapshot([edit("a.ts")], world);
    openTexts.change(uri, 2, [{ text: "after" }], editorPositions["utf-16"]);
    openTexts.close(uri);
    expect((await taking).documents.get(uri)).toMatchObject({ version: 1, text: "before" });
  });

  it("refuses more paths than a call may name, with one failure", async () => {
    const world = makeWorld({});
    const operations = Array.from({ length: limits.filesPerCall + 1 }, (_, i) => edit(`${i}.ts`, ""));
    const { documents, targets } = await snapshotOf(world, ...operations);
    expect(documents).toEqual([]);
    const failures = new Set([...targets.values()].map((target) => (target.ok ? undefined : target.failure)));
    expect(failures.size).toBe(1);
    expect([...failures][0]).toMatchObject({ code: "tooLarge" });
  });

  it("accepts as many paths as a call may name, among as many open documents", async () => {
    const names = Array.from({ length: limits.filesPerCall }, (_, i) => `d${i % 10}/${i}.ts`);
    const world = makeWorld(
      Object.fromEntries(names.map((name) => [name, name])),
      Object.fromEntries(names.map((name) => [name, { text: name }])),
    );
    const { documents, failures } = await snapshotOf(world, ...names.map((name) => edit(name)));
    expect(failures).toEqual({});
    expect(documents.map(({ path, text, onDisk }) => [path, text, onDisk])).toEqual(names.map((n) => [n, n, "same"]));
  });
});

describe("a missing file", () => {
  it.each([
    ["src/Button.ts", ["src/button.ts"]],
    ["src/buton.ts", ["src/button.ts"]],
    ["src/button.tsx", ["src/button.ts"]],
    ["button.ts", ["src/button.ts"]],
    ["{at}/src/helpers.ts", ["{at}/src/helper.ts"]],
    ["src/unlike.ts", []],
    ["nowhere/unlike.ts", []],
  ])("%s is reported with the paths that may have been meant", async (sent, similar) => {
    const entries = { "src/button.ts": "", "src/helper.ts": "", "src/buttons/x.ts": "" };
    const world = makeWorld(entries, { "src/button.ts": { text: "" } });
    const fill = (text: string): string => text.replaceAll("{at}", world.at);
    const target = await readTarget(fill(sent), world);
    if (target.ok) throw new Error("There is no such file.");
    expect(target.failure.code).toBe("fileNotFound");
    const named = [...(target.failure.hint ?? "").matchAll(/"([^"]*)"/g)].map(([, path]) => path);
    expect(named.slice(0, 1)).toEqual(similar.map(fill));
  });

  /** The hints in the failures for missing paths, in the same order as the paths. */
  async function hintsOf(world: World, ...paths: readonly string[]): Promise<(string | undefined)[]> {
    const { targets } = await takeSnapshot(
      paths.map((path) => edit(path)),
      world,
    );
    return paths.map((path) => {
      const target = targets.get(path)!;
      return target.ok ? undefined : target.failure.hint;
    });
  }

  it("is reported with suggestions from a limited number of directories for all the paths of a call", async () => {
    const name = (i: number): string => `d${String(i).padStart(4, "0")}`;
    const last = limits.similarDirectories - 1;
    const entries = Object.fromEntries([0, last, last + 1].map((i) => [`${name(i)}/f${i}.txt`, ""]));
    for (let i = 0; i < last; i++) entries[`${name(i)}/other`] = "";
    const world = makeWorld(entries);
    const [first, within, beyond] = await hintsOf(world, "f0.txt", `f${last}.txt`, `f${last + 1}.txt`);
    expect([first, within]).toEqual([
      expect.stringContaining(`${name(0)}/f0.txt`),
      expect.stringContaining(`${name(last)}/f${last}.txt`),
    ]);
    expect(beyond).toBe("Correct the path. Only an edit with an empty old text creates a file.");
  });

  it("is reported with suggestions relative to the folder against which relative paths are resolved", async () => {
    const world = makeWorld({ "sub/deep/a.ts": "", "other/b.ts": "" });
    const fromSub = { ...world, root: join(world.at, "sub") };
    const [below, beside] = await hintsOf(fromSub, "a.ts", "b.ts");
    expect(below).toContain('Did you mean "deep/a.ts"?');
    expect(beside).toContain(`Did you mean "${world.at}/other/b.ts"?`);
  });
});

it("one document can be read alone, even if it is read-only", async () => {
  const world = makeWorld({ "a.ts": "a" }, { "b.ts": { text: "b", version: 2 } });
  expect(await readTarget("a.ts", world)).toMatchObject({ ok: true, document: { text: "a", version: null } });
  expect(await readTarget("b.ts", world)).toMatchObject({ ok: true, document: { text: "b", version: 2 } });
  expect(await readTarget("c.ts", world)).toMatchObject({ ok: false, failure: { code: "fileNotFound" } });
});
