/**
 * Patches with texts that no agent should send, over the wire: unusual bytes, patches within patches, and huge texts.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import { limits } from "../server/text/limits.js";
import { failed, patchOf, throughEditor } from "./support/desk.js";
import { type Call, expectAlive, expectRefused, files, hostileDesks, sections } from "./support/hostilePatches.js";
import { rolledBack } from "./support/rolledBack.js";

const { start, expectDone } = hostileDesks();

/** A timeout in milliseconds that suffices on a slow machine; nothing here measures time. */
const patience = 300_000;

describe("a hunk that is not found", () => {
  it("is explained in linear time, also if it has the same line very often, or each of its lines twice", async () => {
    const desk = await start({ open: { "a.txt": "x\n" } });
    const same = Array<string>(60_000).fill("-- a");
    const twice = Array.from({ length: 20_000 }, (_, i) => [` l${i}`, `-l${i}`]).flat();
    for (const lines of [same, twice])
      await expectRefused(desk, patchOf("*** Update File: a.txt", "@@", ...lines, "+y"), ["contextNotFound"]);
  }, 60_000);
});

describe("bytes", () => {
  it("of UTF-16 stay UTF-16, with their byte order mark and their line endings", async () => {
    const bytes = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");
    const desk = await start({ files: { "wide.txt": bytes("old\r\n\u00e9\r\n") } });
    const { edit } = await desk.propose(patchOf(...sections.update("wide.txt")));
    await desk.editor.apply(edit!);
    expect(readFileSync(join(desk.root, "wide.txt"))).toEqual(bytes("new\r\n\u00e9\r\n"));
  });

  it("that are not UTF-8 are moved unchanged, but can't be edited", async () => {
    const desk = await start({ files });
    const [header, ...hunk] = sections.update("latin1.txt");
    await expectRefused(desk, patchOf(header!, "*** Move to: fresh.txt", ...hunk), [
      "unsupportedEncoding",
      "unsupportedEncoding",
    ]);
    expect((await desk.apply(patchOf(...sections.from("latin1.txt")))).outcome).toBe("applied");
    expect(readFileSync(join(desk.root, "fresh.txt"))).toEqual(files["latin1.txt"]);
    expect(desk.disk()).not.toHaveProperty(["latin1.txt"]);
  });

  it("that are not UTF-8 are restored if they were deleted and the rest fails", async () => {
    const desk = await start({ files });
    desk.editor.behave("honest", "refuses");
    const call = patchOf(...sections.delete("latin1.txt"), ...sections.delete("b.txt"));
    const { codes, message } = await failed(desk.apply(throughEditor(call)));
    expect(codes).toEqual(["clientRefused"]);
    expect(message).toContain(rolledBack("latin1.txt"));
    expect(readFileSync(join(desk.root, "latin1.txt"))).toEqual(files["latin1.txt"]);
  });

  it("of NUL are ordinary characters of a line", async () => {
    const open = { "n.txt": "a\0b\nc\n" };
    await expectDone({ open }, patchOf("*** Update File: n.txt", "@@", " a\0b", "-c", "+\0"), {
      "n.txt": "a\0b\n\0\n",
    });
    const desk = await start({ open });
    await expectRefused(desk, patchOf("*** Update File: n.txt", "@@", "-ab", "+x"), ["contextNotFound"]);
  });

  it("of half a character are refused", async () => {
    const desk = await start({ open: { "a.txt": "old\n" } });
    await expectRefused(desk, patchOf("*** Update File: a.txt", "@@", "-old", "+\ud83d"), ["invalidParams"]);
  });
});

describe("a patch within a patch", () => {
  const inner = ["*** Begin Patch", "*** Delete File: b.txt", "*** End Patch"];

  it("is text if each of its lines has a sign", async () => {
    const added = ["*** Add File: new.patch", ...inner.map((line) => `+${line}`)];
    const changed = ["*** Update File: a.txt", "@@", "-old", ...inner.map((line) => `+${line}`)];
    const text = `${inner.join("\n")}\n`;
    await expectDone({ files }, patchOf(...added, ...changed), { "new.patch": text, "a.txt": text });
    const undone = ["*** Update File: old.patch", "@@", ...inner.map((line) => `-${line}`), "+x"];
    await expectDone({ files: { "old.patch": text, "b.txt": "b\n" } }, patchOf(...undone), { "old.patch": "x\n" });
  });

  it.each<[name: string, lines: readonly string[]]>([
    ["in an addition", ["*** Add File: n.txt", ...inner]],
    ["in a hunk", ["*** Update File: a.txt", "@@", "-old", ...inner]],
    [
      "after the end, and without its own markers",
      [...sections.update("a.txt"), "*** End Patch", "*** Delete File: b.txt"],
    ],
    ["before everything else", ["*** Begin Patch", ...sections.update("a.txt")]],
  ])("is refused %s", async (_, lines) => {
    const desk = await start({ files });
    const { failures } = await expectRefused(desk, patchOf(...lines), ["patchSyntax"]);
    expect(failures[0]?.line).toBeGreaterThan(1);
  });

  it("needs its end marker in the strict grammar, and a whole section in both", async () => {
    const desk = await start({ open: { "a.txt": "old\n" } });
    const cut = `*** Begin Patch\n${sections.update("a.txt").join("\n")}`;
    await expectRefused(desk, { patch: cut, options: { lenient: false } }, ["patchSyntax"]);
    for (const end of [1, 20, 38])
      expect((await failed(desk.propose(cut.slice(0, end)))).codes).toEqual(["patchSyntax"]);
  });
});

describe("a huge patch", () => {
  const numbers = (length: number): readonly number[] => Array.from({ length }, (_, i) => i);
  const lines = numbers(100_000).map((i) => `  const value${i} = compute(${i % 17}, "${(i * 7_919) % 1_000}");`);
  const text = `${lines.join("\n")}\n`;
  const open = { "big.ts": text };
  const inBig = (...hunks: readonly string[]) => patchOf("*** Update File: big.ts", hunks.join("\n"));
  const renamed = (count: number) =>
    lines.slice(0, count).map((line) => `@@\n-${line}\n+${line.replace("value", "v")}`);

  it("is applied if it is as long as the limit allows, and refused if it is a character longer", {
    timeout: patience,
  }, async () => {
    const around = patchOf("*** Add File: n.txt", "+").patch.length;
    const call = (length: number) =>
      patchOf("*** Add File: n.txt", `+${`${"x".repeat(98)}\n+`.repeat(length / 100 + 1).slice(0, length - around)}`);
    const fits = call(limits.patchLength);
    expect(fits.patch.length).toBe(limits.patchLength);
    const desk = await start();
    await desk.editor.apply((await desk.propose(fits)).edit!);
    expect(desk.disk()["n.txt"]!.length).toBeGreaterThan(limits.patchLength / 2);
    rmSync(join(desk.root, "n.txt"));
    await expectRefused(desk, call(limits.patchLength + 1), ["tooLarge"]);
  });

  it("may have as many hunks as the limit allows, in any order, and not one more", { timeout: patience }, async () => {
    const count = limits.editsPerCall;
    const after = `${[...lines.slice(0, count).map((line) => line.replace("value", "v")), ...lines.slice(count)].join("\n")}\n`;
    for (const hunks of [renamed(count), renamed(count).reverse()]) {
      const desk = await start({ open });
      expect((await desk.apply(inBig(...hunks))).outcome).toBe("applied");
      expect(desk.texts()["big.ts"] === after).toBe(true);
    }
    await expectRefused(await start({ open }), inBig(...renamed(count + 1)), ["tooLarge"]);
  });

  it("does not block other requests, and can be cancelled", { timeout: patience }, async () => {
    const desk = await start({ open });
    const order: string[] = [];
    const cancellation = new CancellationTokenSource();
    const heavy = failed(desk.propose(inBig(...renamed(limits.editsPerCall)), cancellation.token));
    const read = desk.read({ path: "big.ts", startLine: 2, endLine: 2 });
    void heavy.finally(() => order.push("heavy"));
    void read.finally(() => order.push("read"));
    expect(await read).toMatchObject({ text: `${lines[1]}\n`, version: 1 });
    cancellation.cancel();
    expect(await heavy).toMatchObject({ rpcCode: -32800 });
    expect(order).toEqual(["read", "heavy"]);
    await expectAlive(desk);
  });

  const long = lines.slice(5_000, 6_000).map((line, i) => (i === 700 ? "-  gone();" : ` ${line}`));
  it.each<[name: string, call: Call, codes: readonly string[], words: string]>([
    ["a hunk that is not found", inBig("@@", "-  other();", "+"), ["contextNotFound"], "line 3 of the patch"],
    ["a long hunk with one wrong line", inBig("@@", ...long), ["contextNotFound"], "5701"],
    ["an anchor that is not found", inBig("@@ class Nowhere", "+x"), ["contextNotFound"], "line 3 of the patch"],
    [
      "a hunk that is longer than the file",
      inBig("@@", "-x\n".repeat(150_000)),
      ["contextNotFound"],
      "line 3 of the patch",
    ],
    ["100,000 empty lines", inBig("@@", " nowhere", "\n".repeat(100_000)), ["noChange"], "line 3 of the patch"],
    [
      "100,000 empty lines to be removed",
      inBig("@@", "-nowhere", "-\n".repeat(100_000)),
      ["contextNotFound"],
      "line 3",
    ],
    ["a million bare @@ lines", inBig("@@\n".repeat(1_000_000).trimEnd()), ["patchSyntax"], "Line 3 of the patch"],
    [
      "10,000 anchors in a row",
      inBig(...lines.slice(0, 10_000).map((line) => `@@ ${line}`), "-x"),
      ["contextNotFound"],
      "edit 0",
    ],
    ["10 MB in one line", inBig(`-${"x".repeat(10_000_000)}`), ["contextNotFound"], "line 3 of the patch"],
    ["10 MB that are not a patch", patchOf("lorem ipsum\n".repeat(800_000)), ["patchSyntax"], "Line 2 of the patch"],
    ["an endless path", patchOf(`*** Delete File: ${"x".repeat(10_000_000)}`), ["tooLarge"], "Line 2 of the patch"],
  ])("%s: refused in a short message", { timeout: patience }, async (_, call, codes, words) => {
    const { message } = await expectRefused(await start({ open }), call, codes);
    expect(message).toContain(words);
    expect(message.length).toBeLessThanOrEqual(limits.failureMessage);
  });

  it("with many hunks that are not found is refused, and all of them are listed", { timeout: patience }, async () => {
    const hunks = numbers(limits.editsPerCall).map((i) => `@@\n-  other${i}();\n+`);
    const desk = await start({ open });
    const { failures, edits } = await expectRefused(
      desk,
      inBig(...hunks),
      hunks.map(() => "contextNotFound"),
    );
    expect(failures.map(({ index }) => index)).toEqual(edits.map(({ index }) => index));
  });

  it("may change as many files as the limit allows, and not one more", { timeout: patience }, async () => {
    const call = (count: number) => patchOf(...numbers(count).flatMap((i) => sections.add(`n/${i}.txt`)));
    const desk = await start();
    expect((await desk.propose(call(limits.filesPerCall))).files).toHaveLength(limits.filesPerCall);
    const { codes, message, edits } = await failed(desk.propose(call(2 * limits.filesPerCall)));
    expect([...new Set(codes)]).toEqual(["tooLarge"]);
    expect(message.length).toBeLessThanOrEqual(limits.failureMessage);
    expect(edits.map(({ status }) => status)).not.toContain("applied");
    expect(desk.disk()).toEqual({});
    await expectAlive(desk);
  });

  it("with many sections for one file finds each in the result of the one before", { timeout: patience }, async () => {
    const call = patchOf(...numbers(2_000).flatMap((i) => ["*** Update File: a.txt", "@@", `-${i}`, `+${i + 1}`]));
    await expectDone({ open: { "a.txt": "0\n" } }, call, { "a.txt": "2000\n" });
  });

  it("with many broken sections is refused with a list of the first ones and the number of the others", {
    timeout: patience,
  }, async () => {
    const call = patchOf(...numbers(9_000).flatMap((i) => [`*** Update file: ${i}.txt`, "@@", "-a"]));
    const codes = [...numbers(limits.failuresPerCall - 1).map(() => "patchSyntax"), "invalidParams"];
    const { message } = await expectRefused(await start(), call, codes);
    expect(message).toContain(`${9_000 - (limits.failuresPerCall - 1)} further failures`);
  });
});
