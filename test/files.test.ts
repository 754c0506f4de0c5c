/** Reading files strictly and comparing them with the editor's texts. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limits } from "../server/text/limits.js";
import {
  type FileRead,
  readFailure,
  readTextFile,
  refuseWrite,
  sameAsDisk,
  untilReleased,
} from "../server/workspace/files.js";
import { makeDirectory } from "./support/directory.js";
import { lawRuns } from "./support/extent.js";

/** The habits of an editor that saves its texts unchanged. */
const noHabits = { syncsLf: false, endsLastLine: false };

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const utf16be = (text: string): Uint8Array => Buffer.from(`\ufeff${text}`, "utf16le").swap16();

/**
 * For a text file, its text, its encoding and whether it has a byte order mark; for a missing file, `absent`;
 * otherwise, the failure's code and message.
 */
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
  ])("%s is not text", async (_, content, problem) => {
    const path = join(makeDirectory({ f: content }), "f");
    const [code, message] = outcomeOf(await readTextFile(path, "src/f"));
    expect(code).toBe("unsupportedEncoding");
    expect(message).toContain(`"src/f" is ${problem}`);
  });

  it("are text if and only if writing the text gives the same bytes", async () => {
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
        // Bytes that survive the round trip through Node's lenient conversions are well-formed.
        const marked = given[0] === 0xff && given[1] === 0xfe ? "utf16le" : "utf8";
        const isBigEndian = given[0] === 0xfe && given[1] === 0xff;
        if (isBigEndian) return;
        const lenient = given.toString(marked);
        const isWellFormed = Buffer.from(lenient, marked).equals(given) && !/\p{Surrogate}|\0/u.test(lenient);
        expect(read.kind).toBe(isWellFormed ? "text" : "failed");
        if (read.kind !== "text") return;
        expect(Buffer.from(`${read.bom ? "\ufeff" : ""}${read.text}`, marked).equals(given)).toBe(true);
      }),
      { numRuns: lawRuns(500) },
    );
  });
});

describe("a path that is not a readable file", () => {
  it("is recognised without waiting for input", async () => {
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
        [join(at, "loop"), "its symbolic links form a loop"],
        [join(at, "f/g"), "part of its path is not a directory"],
        // A canonical path does not end in a link unless the file was replaced in the meantime.
        [join(at, "to-f"), "its symbolic links form a loop"],
      ];
      for (const [path, problem] of problems) {
        expect(outcomeOf(await readTextFile(path, "x"))).toEqual(["ioError", `"x" can't be read: ${problem}.`]);
      }
    } finally {
      server.close();
    }
  });

  it("is known to be too large before it is read", async () => {
    const path = join(makeDirectory({ f: "" }), "f");
    truncateSync(path, limits.fileBytes + 1);
    expect(outcomeOf(await readTextFile(path))[0]).toBe("tooLarge");
  });
});

describe("permissions", () => {
  it("are checked for the user who runs the server", () => {
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
    // Root bypasses file permissions, so the check runs as the user `nobody`.
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

  it("do not matter if a file is in the place of a directory", async () => {
    const at = makeDirectory({ f: "" });
    expect((await refuseWrite(join(at, "f/g")))?.code).toBe("ioError");
  });
});

it("an open text is compared with the file exactly, except for the byte order mark", async () => {
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

it("an open text is compared with the file according to the editor's habits", async () => {
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
    // A line ending that the file lacks must have been typed in the editor.
    ["a\nb\n", "open", both, "differs"],
    ["a\nb\n\n", "lf", both, "differs"],
  ] as const;
  for (const [text, name, habits, outcome] of rows) {
    expect(await sameAsDisk(text, join(at, name), habits), JSON.stringify([text, name])).toBe(outcome);
  }
});

describe("a file that another program holds for a moment", () => {
  /** Asks for a file that answers with these codes of the system, one after the other, and then goes on with the last. */
  async function ask(...codes: readonly string[]): Promise<{ code: string | undefined; asked: number; ms: number }> {
    let asked = 0;
    const start = performance.now();
    const act = async () => {
      const code = codes[Math.min(asked++, codes.length - 1)] ?? "";
      return code === "" ? undefined : readFailure("a.txt", code);
    };
    const failure = await untilReleased(act, (result) => result);
    return { code: failure?.code, asked, ms: performance.now() - start };
  }

  it("is waited for", async () => {
    expect(await ask("EBUSY", "EBUSY", "")).toMatchObject({ code: undefined, asked: 3 });
  });

  it("is locked if it is held for two seconds", async () => {
    const { code, ms } = await ask("EBUSY");
    expect(code).toBe("locked");
    expect(ms).toBeGreaterThanOrEqual(2_000);
  });

  it("is not waited for if it can't be read for another reason, or can be read at once", async () => {
    expect(await ask("EACCES", "")).toMatchObject({ code: "ioError", asked: 1 });
    expect(await ask("")).toMatchObject({ code: undefined, asked: 1 });
  });
});
