/**
 * Calls that no client should send, and calls that are far too large: the built server answers them and keeps running.
 */
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import type { TextEdit } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { limits } from "../server/text/limits.js";
import { makeDirectory } from "./support/directory.js";
import { type Answered, startWireServer, type WireServer } from "./support/wireServer.js";

/** A timeout in milliseconds that suffices on a slow machine; nothing here measures time. */
const patience = 300_000;

const uri = "untitled:text";

/** A server with no folders and one open document. */
async function serverWith(text: string): Promise<WireServer> {
  const server = await startWireServer();
  await server.open(uri, text);
  return server;
}

/** The text after the LSP library has applied an answer's edits. */
function textAfter(text: string, answer: Answered): string {
  if (!answer.ok) throw new Error(answer.message);
  const edits = (answer.result.edit?.documentChanges ?? []).flatMap((entry) => ("edits" in entry ? entry.edits : []));
  return TextDocument.applyEdits(TextDocument.create(uri, "", 1, text), edits as TextEdit[]);
}

const codesOf = (answer: Answered): string[] => (answer.ok ? ["ok"] : answer.failures.map(({ code }) => code));

/** Checks that the server still answers and that its text is unchanged. */
async function expectAlive(server: WireServer, text: string): Promise<void> {
  const { text: first, version } = await server.read(uri, { startLine: 1, endLine: 1 });
  // The byte order mark is hidden from callers.
  expect({ first, version }).toEqual({ first: /^\ufeff?([^\r\n]*(?:\r\n|\r|\n)?)/.exec(text)?.[1], version: 1 });
  expect(server.asked).toEqual([]);
  expect(server.process.exitCode).toBeNull();
}

describe("many edits in one call", () => {
  const lines = Array.from({ length: limits.editsPerCall }, (_, i) => `v${i};\n`);
  const text = lines.join("");
  const edits = lines.map((line) => ({ oldText: line, newText: `let ${line}` }));

  it.each(["sequential", "original"])("are all applied, in %s order", { timeout: patience }, async (order) => {
    const server = await serverWith(text);
    const answer = await server.apply({ path: uri, edits, options: { order, result: "full" } });
    expect(codesOf(answer)).toEqual(["ok"]);
    expect(textAfter(text, answer)).toBe(lines.map((line) => `let ${line}`).join(""));
    await expectAlive(server, text);
  });

  it("are all left out if one of them is wrong, and the failure names it", { timeout: patience }, async () => {
    const server = await serverWith(text);
    const wrong = edits.map((edit, i) => (i === 7_777 ? { oldText: "nowhere", newText: "" } : edit));
    const answer = await server.apply({ path: uri, edits: wrong });
    expect(answer).toMatchObject({ ok: false, code: -32803, failures: [{ code: "noMatch", index: 7_777 }] });
    expect(answer).toHaveProperty("failures.length", 1);
    await expectAlive(server, text);
  });

  it("are refused if there is one more than the limit allows", { timeout: patience }, async () => {
    const server = await serverWith(text);
    expect(codesOf(await server.apply({ path: uri, edits: [...edits, edits[0]] }))).toEqual(["tooLarge"]);
    await expectAlive(server, text);
  });

  it("do not block other requests, and can be cancelled", { timeout: patience }, async () => {
    const server = await serverWith(text);
    const order: string[] = [];
    const cancellation = new CancellationTokenSource();
    const heavy = server.connection
      .sendRequest("multiEdit/apply", { path: uri, edits }, cancellation.token)
      .catch((error: { code: number }) => error.code)
      .finally(() => order.push("heavy"));
    const read = server.read(uri, { startLine: 2, endLine: 2 }).finally(() => order.push("read"));
    expect(await read).toMatchObject({ text: "v1;\n", version: 1 });
    cancellation.cancel();
    expect(await heavy).toBe(-32800);
    expect(order).toEqual(["read", "heavy"]);
    await expectAlive(server, text);
  });
});

describe("a text of 50 MB", () => {
  const line = `const value = compute(1); // ${"x".repeat(70)}\n`;
  const text = `${line.repeat(Math.ceil(50_000_000 / line.length))}the end\n`;

  it("is edited if it is open", { timeout: patience }, async () => {
    const server = await serverWith(text);
    const answer = await server.apply({ path: uri, oldText: "the end", newText: "the very end" });
    expect(textAfter(text, answer) === text.replace("the end", "the very end")).toBe(true);
    await expectAlive(server, text);
  });

  it("is edited if it is only on disk", { timeout: patience }, async () => {
    const root = makeDirectory({ "big.txt": text });
    const server = await startWireServer(root);
    const answer = await server.apply({ path: "big.txt", oldText: "the end", newText: "the very end" });
    expect(textAfter(text, answer) === text.replace("the end", "the very end")).toBe(true);
    expect((await server.read("big.txt", { startLine: 1, endLine: 1 })).text).toBe(line);
  });

  it("is refused if it is larger than the limit", { timeout: patience }, async () => {
    const root = makeDirectory({ "huge.txt": "" });
    truncateSync(join(root, "huge.txt"), limits.fileBytes + 1);
    const server = await startWireServer(root);
    expect(codesOf(await server.apply({ path: "huge.txt", oldText: "a", newText: "b" }))).toEqual(["tooLarge"]);
  });

  it("can't result from a small one", { timeout: patience }, async () => {
    const small = "a".repeat(100_000);
    const server = await serverWith(small);
    const answer = await server.apply({ path: uri, oldText: "a", newText: "b".repeat(1_000), replaceAll: true });
    expect(codesOf(answer)).toEqual(["tooLarge"]);
    await expectAlive(server, small);
  });
});

describe("odd texts", () => {
  const expectText = async (text: string, edit: object, expected: string): Promise<void> => {
    const server = await serverWith(text);
    expect(textAfter(text, await server.apply({ path: uri, ...edit }))).toBe(expected);
    await expectAlive(server, text);
  };
  const expectFailure = async (text: string, edit: object, code: string): Promise<void> => {
    const server = await serverWith(text);
    expect(codesOf(await server.apply({ path: uri, ...edit }))).toEqual([code]);
    await expectAlive(server, text);
  };

  it.each(["$&", "$1", "$$", "$`$'", "\\1\\0", "%s{0}", "$" + "{x}"])("new text %s is taken literally", (newText) =>
    expectText("a b c\n", { oldText: "b", newText }, `a ${newText} c\n`),
  );

  it("old text that consists only of whitespace is found only if it matches exactly", async () => {
    await expectText("a\n\n\nb  c\n", { oldText: "  ", newText: " " }, "a\n\n\nb c\n");
    await expectText("a\r\n\r\n\r\nb\r\n", { oldText: "\n\n\n", newText: "\n" }, "a\r\nb\r\n");
    await expectFailure("a  \nb\n", { oldText: "\t", newText: " " }, "noMatch");
    await expectFailure("a b c\n", { oldText: " ", newText: "" }, "ambiguousMatch");
  });

  it("half a character is refused in a call, and is kept if the text already contains one", async () => {
    await expectFailure("a😀b\n", { oldText: "\ud83d", newText: "x" }, "invalidParams");
    await expectFailure("a\ude00b\n", { oldText: "\ude00b", newText: "x" }, "invalidParams");
    await expectFailure("a\n", { oldText: "a", newText: "\ude00\ud83d" }, "invalidParams");
    await expectText("a\ud83db\ude00\n", { oldText: "b", newText: "" }, "a\ud83d\ude00\n");
  });

  it("characters that look like line endings, or are invisible, are ordinary characters", async () => {
    await expectText("a\u2028b\u0085c\0d\n", { oldText: "\u0085c\0", newText: "-" }, "a\u2028b-d\n");
    await expectText("\ufeffa\ufeffb\n", { oldText: "a\ufeff", newText: "-" }, "\ufeff-b\n");
  });
});

describe("files that must not be edited", () => {
  const outside = "outside.txt";

  /** A server with a workspace, and the path of a secret file just outside the workspace. */
  async function workspace(): Promise<{ server: WireServer; root: string; secret: string }> {
    const parent = makeDirectory({ [outside]: "secret\n", "w/a.txt": "one\ntwo\n", "w/directory/": "" });
    const root = join(parent, "w");
    const secret = join(parent, outside);
    symlinkSync(secret, join(root, "leads-out.txt"));
    symlinkSync(parent, join(root, "leads-up"));
    writeFileSync(join(root, "binary.bin"), Buffer.from([0x73, 0x65, 0x63, 0x72, 0x65, 0x74, 0, 1, 2]));
    writeFileSync(join(root, "latin1.txt"), Buffer.from("secret \u00e9\n", "latin1"));
    mkdirSync(join(root, ".git"));
    writeFileSync(join(root, ".git/config"), "secret\n");
    return { server: await startWireServer(root), root, secret };
  }

  it.each([
    ["outsideWorkspace", "../outside.txt"],
    ["outsideWorkspace", "/etc/hostname"],
    ["outsideWorkspace", "directory/../../outside.txt"],
    ["outsideWorkspace", "leads-out.txt"],
    ["outsideWorkspace", "leads-up/outside.txt"],
    ["isDirectory", "directory"],
    ["isDirectory", "."],
    ["unsupportedEncoding", "binary.bin"],
    ["unsupportedEncoding", "latin1.txt"],
    ["protectedPath", ".git/config"],
    ["ioError", "a.txt/b.txt"],
    ["fileNotFound", "missing.txt"],
  ])("%s: %s is refused, and so is the whole batch", async (code, path) => {
    const { server, root, secret } = await workspace();
    const edits = [
      { path: "a.txt", oldText: "one", newText: "1" },
      { path, oldText: "secret", newText: "told" },
    ];
    const answer = await server.apply({ edits });
    expect(codesOf(answer)).toEqual([code]);
    expect(JSON.stringify(answer)).not.toContain("secret\\n");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(readFileSync(secret, "utf8")).toBe("secret\n");
    expect((await server.read("a.txt")).text).toBe("one\ntwo\n");
  });

  it("a file under several names is one file, and its edits see each other", async () => {
    const { server, root } = await workspace();
    symlinkSync("a.txt", join(root, "b.txt"));
    const url = pathToFileURL(join(root, "a.txt")).href;
    const edits = [
      { path: "a.txt", oldText: "one", newText: "1" },
      { path: "./directory/../a.txt", oldText: "1\n", newText: "1, " },
      { path: url.replace("a.txt", "%61.txt"), oldText: "1, two", newText: "1, 2" },
      { path: "b.txt", oldText: "1, 2", newText: "1, 2, 3" },
    ];
    const answer = await server.apply({ edits });
    expect(codesOf(answer)).toEqual(["ok"]);
    expect(textAfter("one\ntwo\n", answer)).toBe("1, 2, 3\n");
    expect(answer.ok && answer.result.files.map((file) => file.uri)).toEqual([url]);
  });
});

describe("params that are not a call", () => {
  const edit = { oldText: "a", newText: "b" };

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
    ["an empty string", ""],
    ["an empty object", {}],
    ["an empty list", []],
    ["no edits", { path: uri, edits: [] }],
    ["edits that are a number", { path: uri, edits: 7 }],
    ["edits that are not JSON", { path: uri, edits: "[{" }],
    ["a list nested beyond reason", { path: uri, edits: "[".repeat(100_000) }],
    ["an edit that is null", { path: uri, edits: [null] }],
    ["an old text that is a number", { path: uri, oldText: 1, newText: "b" }],
    ["a path that is a list", { path: [uri], ...edit }],
    ["an endless path", { path: "a".repeat(1_000_000), ...edit }],
    ["a path with NUL", { path: "a\0b", ...edit }],
    ["replaceAll that is a string", { path: uri, ...edit, replaceAll: "yes" }],
    ["an occurrence of 0", { path: uri, ...edit, occurrence: 0 }],
    ["a count that is not an integer", { path: uri, ...edit, replaceAll: true, expectedCount: 1.5 }],
    ["options that are a string", { path: uri, ...edit, options: "atomic" }],
    ["an unknown order", { path: uri, ...edit, options: { order: "backwards" } }],
    ["a misspelt field", { path: uri, ...edit, replaceALL: true }],
    ["a prototype for a path", JSON.parse(`{ "__proto__": { "path": "${uri}" }, "oldText": "a", "newText": "b" }`)],
    ["a constructor for a path", { constructor: uri, toString: "a", ...edit }],
    ["100,000 unknown fields", Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, i]))],
  ])("%s is refused", { timeout: patience }, async (_, params) => {
    const server = await serverWith("a\n");
    const answer = await server.apply(params);
    expect(answer.ok ? answer.result.diff : "refused").toBe("refused");
    if (!answer.ok) expect(answer.message.length).toBeLessThanOrEqual(limits.callMessage);
    await expectAlive(server, "a\n");
  });

  it("do not change the prototype of all objects", async () => {
    const server = await serverWith("a\n");
    const params = JSON.parse(`{ "path": "${uri}", "oldText": "a", "newText": "b", "__proto__": { "replaceAll": 7 } }`);
    const answer = await server.apply(params);
    if (answer.ok) expect(textAfter("a\n", answer)).toBe("b\n");
    expect(textAfter("a\n", await server.apply({ path: uri, oldText: "a", newText: "c" }))).toBe("c\n");
    await expectAlive(server, "a\n");
  });
});

describe("texts that make naive searches slow", () => {
  const n = 50_000;
  const equal = "x = 1;\n".repeat(n / 5);
  const blanks = " ".repeat(n);
  const tenMegabytes = "word ".repeat(2_000_000);

  it.each<[string, string, object, string]>([
    ["the same letter, and one that is missing", "a".repeat(2 * n), { oldText: `${"a".repeat(n)}b` }, "noMatch"],
    ["the same letter, half of them", "a".repeat(2 * n), { oldText: "a".repeat(n) }, "ambiguousMatch"],
    ["equal lines, and one that is missing", equal, { oldText: `${equal.slice(0, 35_000)}y\n` }, "noMatch"],
    ["equal lines, half of them", equal, { oldText: equal.slice(0, 35_000) }, "ambiguousMatch"],
    ["equal lines, indented", equal, { oldText: equal.slice(0, 35_000).replaceAll("x", "  x") }, "ambiguousMatch"],
    ["spaces within a line", `a${blanks}b\n`, { oldText: "a b" }, "ok"],
    ["spaces at the end of a line", `a${blanks}\nb\n`, { oldText: "a c" }, "noMatch"],
    ["spaces in the old text", "a\nb\n", { oldText: `a${blanks}b` }, "noMatch"],
    ["quotes", "“".repeat(n), { oldText: `${'"'.repeat(n / 2)}a` }, "noMatch"],
    ["an endless line", tenMegabytes, { oldText: "word wort word" }, "noMatch"],
    ["more matches than are collected", tenMegabytes, { oldText: "word", replaceAll: true }, "tooLarge"],
  ])("%s", { timeout: patience }, async (_, text, edit, code) => {
    const server = await serverWith(text);
    const heavy = server.apply({ path: uri, newText: "new", ...edit });
    const read = server.read(uri, { startLine: 1, endLine: 1 });
    expect(codesOf(await heavy)).toEqual([code]);
    expect(await read).toMatchObject({ version: 1, startLine: 1 });
    await expectAlive(server, text);
  });

  it.each([
    ["each on its own", { oldText: "x = 1;\n", newText: "y = 2;\n", replaceAll: true }],
    ["all in one edit", { oldText: "x = 1;\n".repeat(40_000), newText: "y = 2;\n".repeat(40_000) }],
  ])("do not prevent a change of 40,000 lines, %s", { timeout: patience }, async (_, edit) => {
    const text = "x = 1;\n".repeat(40_000);
    const server = await serverWith(text);
    const heavy = server.apply({ path: uri, ...edit });
    expect((await server.read(uri, { startLine: 1, endLine: 1 })).text).toBe("x = 1;\n");
    expect(textAfter(text, await heavy) === "y = 2;\n".repeat(40_000)).toBe(true);
    await expectAlive(server, text);
  });

  it("do not hide a single match in an endless line", { timeout: patience }, async () => {
    const half = tenMegabytes.slice(0, 5_000_000);
    const server = await serverWith(`${half}here${half}`);
    const answer = await server.apply({ path: uri, oldText: "here", newText: "there" });
    expect(textAfter(`${half}here${half}`, answer) === `${half}there${half}`).toBe(true);
    await expectAlive(server, `${half}here${half}`);
  });
});
