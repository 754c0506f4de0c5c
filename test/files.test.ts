/** Reading files strictly, and the snapshot that a batch is planned on. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EditOperation } from "../server/plan/operation.js";
import { limits } from "../server/text/limits.js";
import { createDocuments } from "../server/workspace/documents.js";
import { type FileRead, readTextFile, refuseWrite, sameAsDisk } from "../server/workspace/files.js";
import { uriOfPath } from "../server/workspace/pathText.js";
import { readTarget, takeSnapshot, type World } from "../server/workspace/takeSnapshot.js";
import { type Entry, makeDirectory } from "./support/directory.js";

/** An editor that saves its texts as they are. */
const noHabits = { syncsLf: false, endsLastLine: false };

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const utf16be = (text: string): Uint8Array => Buffer.from(`\ufeff${text}`, "utf16le").swap16();

/** The text and how it was written, or the failure's code and what it says of the file. */
function outcomeOf(read: FileRead): readonly unknown[] {
  if (read.kind === "text") return [read.text, read.encoding, read.bom];
  return read.kind === "absent" ? ["absent"] : [read.failure.code, read.failure.message];
}

describe("a file's bytes", () => {
  it.each<[string, Uint8Array, readonly unknown[]]>([
    ["nothing", bytes(), ["", "utf-8", false]],
    ["UTF-8", Buffer.from("é\r\n😀"), ["é\r\n😀", "utf-8", false]],
    ["a mark", bytes(0xef, 0xbb, 0xbf), ["", "utf-8", true]],
    ["UTF-8 with a mark", Buffer.from("\ufeffa"), ["a", "utf-8", true]],
    ["a second mark, which is text", Buffer.from("\ufeff\ufeffa"), ["\ufeffa", "utf-8", true]],
    ["UTF-16, little endian", Buffer.from("\ufeffé😀", "utf16le"), ["é😀", "utf-16le", true]],
    ["UTF-16, big endian", utf16be("é😀"), ["é😀", "utf-16be", true]],
  ])("%s is text", async (_, content, outcome) => {
    const path = join(makeDirectory({ f: content }), "f");
    const read = await readTextFile(path);
    expect(outcomeOf(read)).toEqual(outcome);
    expect(read.kind === "text" && read.size).toBe(content.length);
    expect(read.kind === "text" && read.hash).toBe(createHash("sha256").update(content).digest("hex"));
  });

  it.each<[string, Uint8Array, string]>([
    ["Latin-1", bytes(0x63, 0x61, 0x66, 0xe9), "not valid UTF-8"],
    ["an encoded surrogate", bytes(0xed, 0xa0, 0x80), "not valid UTF-8"],
    ["an overlong slash", bytes(0xc0, 0xaf), "not valid UTF-8"],
    ["a cut character", bytes(0xf0, 0x9f, 0x98), "not valid UTF-8"],
    ["a NUL", bytes(0x61, 0, 0x62), "a binary file"],
    ["UTF-16 without a mark", Buffer.from("ab", "utf16le"), "a binary file"],
    ["UTF-32", bytes(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0), "a binary file"],
    ["half a UTF-16 unit", bytes(0xff, 0xfe, 0x61), "not valid UTF-16"],
    ["a lone surrogate, little endian", bytes(0xff, 0xfe, 0x00, 0xd8, 0x61, 0), "not valid UTF-16"],
    ["a lone surrogate, big endian", bytes(0xfe, 0xff, 0xdc, 0x00), "not valid UTF-16"],
  ])("%s is not", async (_, content, problem) => {
    const path = join(makeDirectory({ f: content }), "f");
    const [code, message] = outcomeOf(await readTextFile(path, "src/f"));
    expect(code).toBe("unsupportedEncoding");
    expect(message).toContain(`"src/f" is ${problem}`);
  });

  it("are text exactly where writing the text gives the same bytes", async () => {
    const path = join(makeDirectory({ f: "" }), "f");
    const someBytes = fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(`\ufeff${text}`, "utf16le")),
    );
    await fc.assert(
      fc.asyncProperty(someBytes, async (content) => {
        writeFileSync(path, content);
        const read = await readTextFile(path);
        const given = Buffer.from(content);
        // What Node's lenient conversions give back unchanged is well-formed.
        const marked = given[0] === 0xff && given[1] === 0xfe ? "utf16le" : "utf8";
        const isBigEndian = given[0] === 0xfe && given[1] === 0xff;
        if (isBigEndian) return;
        const lenient = given.toString(marked);
        const isWellFormed = Buffer.from(lenient, marked).equals(given) && !/\p{Surrogate}|\0/u.test(lenient);
        expect(read.kind).toBe(isWellFormed ? "text" : "failed");
        if (read.kind !== "text") return;
        expect(Buffer.from(`${read.bom ? "\ufeff" : ""}${read.text}`, marked).equals(given)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe("what is no readable file", () => {
  it("is told apart without waiting for it", async () => {
    const at = makeDirectory({ "d/": "", loop: { link: "loop" }, f: "", "to-f": { link: "f" } });
    execFileSync("mkfifo", [join(at, "pipe")]);
    const server = createServer().listen(join(at, "socket"));
    try {
      expect(outcomeOf(await readTextFile(join(at, "nowhere"), "x"))).toEqual(["absent"]);
      expect(outcomeOf(await readTextFile(join(at, "d"), "x"))).toEqual(["isDirectory", expect.any(String)]);
      const problems: [string, string][] = [
        [join(at, "pipe"), "it is a pipe, not a regular file"],
        [join(at, "socket"), "it is a socket, not a regular file"],
        ["/dev/null", "it is a device, not a regular file"],
        [join(at, "loop"), "its symbolic links lead in a circle"],
        [join(at, "f/g"), "a part of its path is not a directory"],
        // The canonical path of a file ends in no link; one that does was exchanged meanwhile.
        [join(at, "to-f"), "its symbolic links lead in a circle"],
      ];
      for (const [path, problem] of problems) {
        expect(outcomeOf(await readTextFile(path, "x"))).toEqual(["ioError", `"x" can't be read: ${problem}.`]);
      }
    } finally {
      server.close();
    }
  });

  it("is too large before it is read", async () => {
    const path = join(makeDirectory({ f: "" }), "f");
    truncateSync(path, limits.fileBytes + 1);
    expect(outcomeOf(await readTextFile(path))[0]).toBe("tooLarge");
  });
});

describe("permissions", () => {
  it("are those of the user who runs the server", () => {
    const at = makeDirectory({ "ro/f": "", "rw/f": "", "closed/f": "", "rw/read-only": "", "rw/unreadable": "" });
    const program = join(at, "files.mjs");
    const entry = join(import.meta.dirname, "../server/workspace/files.ts");
    buildSync({ entryPoints: [entry], outfile: program, bundle: true, platform: "node", format: "esm" });
    const modes = { ".": 0o755, ro: 0o555, rw: 0o777, closed: 0o000, "rw/read-only": 0o444, "rw/unreadable": 0o000 };
    for (const [name, mode] of Object.entries(modes)) chmodSync(join(at, name), mode);
    chmodSync(join(at, "rw/f"), 0o666);
    chmodSync(program, 0o644);
    const script = `
      const { readTextFile, refuseWrite } = await import(${JSON.stringify(pathToFileURL(program).href)});
      const codes = {};
      for (const name of ["rw/f", "rw/new", "rw/deep/new", "rw/read-only", "ro/new", "ro/deep/new", "closed/f"])
        codes[name] = (await refuseWrite(${JSON.stringify(at)} + "/" + name))?.code ?? "writable";
      for (const name of ["rw/read-only", "rw/unreadable", "closed/f"]) {
        const read = await readTextFile(${JSON.stringify(at)} + "/" + name, "x");
        codes["read " + name] = read.failure?.message ?? read.kind;
      }
      console.log(JSON.stringify(codes));`;
    // Root may do everything, so that the question is put as nobody.
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const child = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      ...user,
      cwd: "/",
      encoding: "utf8",
    });
    for (const name of Object.keys(modes).reverse()) chmodSync(join(at, name), 0o700);
    expect(child.stderr).toBe("");
    expect(JSON.parse(child.stdout)).toEqual({
      "rw/f": "writable",
      "rw/new": "writable",
      "rw/deep/new": "writable",
      "rw/read-only": "readOnly",
      "ro/new": "readOnly",
      "ro/deep/new": "readOnly",
      "closed/f": "readOnly",
      "read rw/read-only": "text",
      "read rw/unreadable": '"x" can\'t be read: permission denied.',
      "read closed/f": '"x" can\'t be read: permission denied.',
    });
  });

  it("do not matter where a file is in the way of a directory", async () => {
    const at = makeDirectory({ f: "" });
    expect((await refuseWrite(join(at, "f/g")))?.code).toBe("ioError");
  });
});

it("an open text is compared with the file exactly, but for the mark", async () => {
  const at = makeDirectory({ f: "a\r\n", marked: "\ufeffa", latin1: bytes(0xe9) });
  const rows = [
    ["a\r\n", "f", "same"],
    ["\ufeffa\r\n", "f", "same"],
    ["a\n", "f", "differs"],
    ["a\r\n\n", "f", "differs"],
    ["a", "marked", "same"],
    ["\ufeffa", "marked", "same"],
    ["é", "latin1", undefined],
    ["", "nowhere", undefined],
  ] as const;
  for (const [text, name, outcome] of rows) expect(await sameAsDisk(text, join(at, name), noHabits)).toBe(outcome);
});

it("an open text is compared with the file as the editor's habits have it", async () => {
  const at = makeDirectory({ crlf: "a\r\nb\r\n", lf: "a\nb\n", open: "a\nb" });
  const lf = { syncsLf: true, endsLastLine: false };
  const ending = { syncsLf: false, endsLastLine: true };
  const both = { syncsLf: true, endsLastLine: true };
  const rows = [
    ["a\nb\n", "crlf", lf, "same"],
    ["a\nb", "crlf", lf, "differs"],
    ["a\nb", "crlf", both, "same"],
    ["a\nb\n", "crlf", ending, "differs"],
    ["a\r\nb", "crlf", ending, "same"],
    ["a\nb", "lf", ending, "same"],
    ["a\nb", "lf", lf, "differs"],
    // A line end that is missing in the file is one that somebody has typed.
    ["a\nb\n", "open", both, "differs"],
    ["a\nb\n\n", "lf", both, "differs"],
  ] as const;
  for (const [text, name, habits, outcome] of rows) {
    expect(await sameAsDisk(text, join(at, name), habits), JSON.stringify([text, name])).toBe(outcome);
  }
});

/** An edit of a path; an empty old text may create it. */
function edit(path: string, oldText = "old"): EditOperation {
  return { kind: "edit", index: 0, path, oldText, newText: "new", replaceAll: false };
}

interface Opened {
  readonly text: string;
  readonly version?: number;
  readonly loneCrEndsLine?: boolean;
}

/** A workspace of one folder, with files and documents open in it by their relative paths. */
function makeWorld(entries: Record<string, Entry>, open: Record<string, Opened> = {}): World & { readonly at: string } {
  const at = makeDirectory(entries);
  const openTexts = createDocuments();
  for (const [name, { text, version = 7, loneCrEndsLine = true }] of Object.entries(open)) {
    openTexts.open(uriOfPath(join(at, name)), version, text, { loneCrEndsLine });
  }
  const folders = [{ uri: uriOfPath(at), path: at }];
  return { at, folders, additionalFolders: [], protectedNames: [], openTexts, loneCrEndsLine: false, habits: noHabits };
}

/** The documents by path without what is asked elsewhere. */
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
  it("has the synced text where a document is open, and the file's where not", async () => {
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

  it("holds a document once, however it is spelt", async () => {
    const world = makeWorld({ "a.ts": "a", "link.ts": { link: "a.ts" }, "hard.ts": { hardLink: "a.ts" } });
    const spellings = ["./a.ts", "a.ts", "link.ts", "hard.ts", uriOfPath(join(world.at, "a.ts"))];
    const { documents, targets } = await snapshotOf(world, ...spellings.map((path) => edit(path)));
    expect(documents.map(({ path }) => path)).toEqual(["a.ts"]);
    expect([...targets].map(([path, target]) => [path, target.ok && target.uri])).toEqual(
      spellings.map((path) => [path, documents[0]!.uri]),
    );
  });

  it("has a new file only where the first edit of the file creates it, whatever its spelling", async () => {
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

  it("tells every path that fails, and keeps the others", async () => {
    const world = makeWorld({ "a.ts": "a", binary: bytes(0), "d/": "" }, { "lost.ts": { text: "x", version: 3 } });
    const documents = createDocuments();
    documents.open(uriOfPath(join(world.at, "lost.ts")), 3, "x", { loneCrEndsLine: true });
    documents.change(uriOfPath(join(world.at, "lost.ts")), 2, [{ text: "y" }], () => undefined);
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

  it("stays as it is when the editor types on", async () => {
    const at = makeDirectory({});
    const openTexts = createDocuments();
    const uri = uriOfPath(join(at, "a.ts"));
    openTexts.open(uri, 1, "before", { loneCrEndsLine: true });
    const folders = [{ uri: uriOfPath(at), path: at }];
    const world = {
      folders,
      additionalFolders: [],
      protectedNames: [],
      openTexts,
      loneCrEndsLine: true,
      habits: noHabits,
    };
    // The texts are copied when the work begins, which is before the folders have been looked at.
    const taking = takeSnapshot([edit("a.ts")], world);
    openTexts.change(uri, 2, [{ text: "after" }], () => undefined);
    openTexts.close(uri);
    expect((await taking).documents.get(uri)).toMatchObject({ version: 1, text: "before" });
  });

  it("refuses more paths than a call may name, once", async () => {
    const world = makeWorld({});
    const operations = Array.from({ length: limits.filesPerCall + 1 }, (_, i) => edit(`${i}.ts`, ""));
    const { documents, targets } = await snapshotOf(world, ...operations);
    expect(documents).toEqual([]);
    const failures = new Set([...targets.values()].map((target) => (target.ok ? undefined : target.failure)));
    expect(failures.size).toBe(1);
    expect([...failures][0]).toMatchObject({ code: "tooLarge" });
  });

  it("takes as many paths as a call may name, among as many open documents", async () => {
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
  ])("%s comes with what may have been meant", async (sent, similar) => {
    const entries = { "src/button.ts": "", "src/helper.ts": "", "src/buttons/x.ts": "" };
    const world = makeWorld(entries, { "src/button.ts": { text: "" } });
    const fill = (text: string): string => text.replaceAll("{at}", world.at);
    const target = await readTarget(fill(sent), world);
    if (target.ok) throw new Error("There is no such file.");
    expect(target.failure.code).toBe("fileNotFound");
    const named = [...(target.failure.hint ?? "").matchAll(/"([^"]*)"/g)].map(([, path]) => path);
    expect(named.slice(0, 1)).toEqual(similar.map(fill));
  });

  /** The failures of paths that are missing, by path. */
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

  it("is looked for in so many directories only, over all the paths of a call", async () => {
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
    expect(beyond).toBe("An edit with an empty old text creates it.");
  });

  it("is spelt from where relative paths start", async () => {
    const world = makeWorld({ "sub/deep/a.ts": "", "other/b.ts": "" });
    const fromSub = { ...world, root: join(world.at, "sub") };
    const [below, beside] = await hintsOf(fromSub, "a.ts", "b.ts");
    expect(below).toContain('Is "deep/a.ts" meant?');
    expect(beside).toContain(`Is "${world.at}/other/b.ts" meant?`);
  });
});

it("one document can be read alone, also one that can't be written", async () => {
  const world = makeWorld({ "a.ts": "a" }, { "b.ts": { text: "b", version: 2 } });
  expect(await readTarget("a.ts", world)).toMatchObject({ ok: true, document: { text: "a", version: null } });
  expect(await readTarget("b.ts", world)).toMatchObject({ ok: true, document: { text: "b", version: 2 } });
  expect(await readTarget("c.ts", world)).toMatchObject({ ok: false, failure: { code: "fileNotFound" } });
});
