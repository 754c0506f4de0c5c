/** Patches that nobody should send, over the wire to the server and its strict editor: refused with nothing changed, or done right. */
import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import { limits } from "../server/text/limits.js";
import { buildProgram, type Program } from "./support/build.js";
import {
  clearDesks,
  type Desk,
  type DeskOptions,
  type Failed,
  failed,
  layDesk,
  patchOf,
  throughEditor,
} from "./support/desk.js";
import { makeDirectory } from "./support/directory.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../server/main.ts", import.meta.url));
  chmodSync(program.folder, 0o755);
});
afterAll(async () => {
  await clearDesks(program);
  program.remove();
});

/** Minutes of a slow machine; nothing here is about time. */
const patience = 300_000;

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, { proofTimeout: 300, ...options });

/** A patch, with what the integration adds. */
type Call = { readonly patch: string; readonly options?: object };

/** What a section may do with a path. In all files that are updated here, one line is `old`. */
const sections = {
  update: (path: string) => [`*** Update File: ${path}`, "@@", "-old", "+new"],
  add: (path: string) => [`*** Add File: ${path}`, "+added"],
  delete: (path: string) => [`*** Delete File: ${path}`],
  from: (path: string) => [`*** Update File: ${path}`, "*** Move to: fresh.txt"],
  to: (path: string) => ["*** Update File: b.txt", `*** Move to: ${path}`],
};
type Use = keyof typeof sections;
const uses: readonly Use[] = ["update", "add", "delete", "from", "to"];
const move = (from: string, to: string) => [`*** Update File: ${from}`, `*** Move to: ${to}`];

/** Everything that may not change where a call fails: texts, versions, and all that is on disk. */
function stateOf({ editor, root }: Desk): unknown {
  const tree = readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const what = entry.isFile() ? readFileSync(path, "latin1") : entry.isSymbolicLink() ? readlinkSync(path) : "";
    const { mode, ino } = lstatSync(path);
    return [path, mode, ino, what];
  });
  return { tree: tree.sort(), documents: [...editor.documents.values()] };
}

/** What a person sees under each name: the editor's text where it is open, else the file's. */
const contents = (desk: Desk): Record<string, string> => ({ ...desk.disk(), ...desk.texts() });

/** The next call is answered as if nothing had been. */
async function expectAlive({ propose }: Desk): Promise<void> {
  expect((await propose(patchOf("*** Add File: witness.txt", "+seen"))).text).toBe(
    "witness.txt (1 edit)\nA witness.txt",
  );
}

/** That both doors refuse a patch for these reasons, in words that are bounded; gives what the second one says. */
async function expectRefused(desk: Desk, call: Call, codes: readonly string[]): Promise<Failed> {
  const before = stateOf(desk);
  const answers = [await failed(desk.propose(call)), await failed(desk.apply(call))] as const;
  for (const { codes: seen, message, edits, failures } of answers) {
    expect(seen).toEqual(codes);
    expect(message.length).toBeLessThanOrEqual(limits.callMessage + limits.failureMessage);
    for (const failure of failures) expect(failure.message.length).toBeLessThanOrEqual(limits.failureMessage);
    expect(edits.map(({ status }) => status)).not.toContain("applied");
  }
  expect(stateOf(desk)).toEqual(before);
  expect(desk.editor.asked).toEqual([]);
  await expectAlive(desk);
  return answers[1];
}

/** That both doors do with a patch what is expected: the names that are other than before, or `undefined` where one is gone. */
async function expectDone(
  options: DeskOptions,
  call: Call,
  expected: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  for (const door of ["request", "command"] as const) {
    const desk = await start(options);
    const before = contents(desk);
    const after = Object.entries({ ...before, ...expected }).filter(([, text]) => text !== undefined);
    const untouched = stateOf(desk);
    const answer = await (door === "request" ? desk.propose(call) : desk.apply(call));
    expect(answer.outcome).toBe(door === "request" ? "proposed" : "applied");
    if (door === "request") {
      expect(stateOf(desk)).toEqual(untouched);
      await desk.editor.apply(answer.edit!);
    }
    expect(contents(desk)).toEqual(Object.fromEntries(after));
    expect(desk.editor.refusals).toEqual([]);
    await expectAlive(desk);
  }
}

/** Files of every kind that a path may lead to. */
const files = {
  "a.txt": "old\n",
  "b.txt": "b\n",
  "dir/x.txt": "old\n",
  ".git/hooks/x": "old\n",
  "to-git": { link: ".git" },
  "leads-up": { link: ".." },
  "loop.txt": { link: "loop.txt" },
  "dangling.txt": { link: "nowhere.txt" },
  "link.txt": { link: "a.txt" },
  "to-dir": { link: "dir" },
  "latin1.txt": Buffer.from("old\n\u00e9\n", "latin1"),
} as const;

describe("a path on which nothing may happen is refused wherever it stands", () => {
  const rows: readonly (readonly [code: string, path: string])[] = [
    ["outsideWorkspace", "../up.txt"],
    ["outsideWorkspace", "dir/../../up.txt"],
    ["outsideWorkspace", "OUTSIDE/secret.txt"],
    ["outsideWorkspace", "file://OUTSIDE/secret.txt"],
    ["outsideWorkspace", "/dev/null"],
    ["outsideWorkspace", "~"],
    ["outsideWorkspace", "~/.profile"],
    ["outsideWorkspace", "leads-out.txt"],
    ["outsideWorkspace", "leads-up/up.txt"],
    ["isDirectory", "dir"],
    ["isDirectory", "dir/"],
    ["isDirectory", "to-dir"],
    ["isDirectory", "."],
    ["isDirectory", "a.txt/"],
    ["isDirectory", "missing/"],
    ["protectedPath", ".git/hooks/x"],
    ["protectedPath", ".git/hooks/new"],
    ["protectedPath", "dir/../.git/config"],
    ["protectedPath", "to-git/hooks/x"],
    ["ioError", "a.txt/below.txt"],
    ["ioError", "loop.txt"],
    ["ioError", "pipe"],
    ["fileNotFound", "untitled:none"],
    ["invalidParams", "a\0b.txt"],
    ["invalidParams", "a.txt\0"],
    ["invalidParams", "a\tb.txt"],
    ["patchSyntax", ""],
    ["patchSyntax", " \t"],
  ];

  it.each(rows.map(([code, path]) => [code, JSON.stringify(path), path] as const))("%s: %s", async (code, _, path) => {
    const outside = makeDirectory({ "secret.txt": "old\n" });
    const desk = await start({ files: { ...files, "leads-out.txt": { link: join(outside, "secret.txt") } } });
    execFileSync("mkfifo", [join(desk.root, "pipe")]);
    for (const use of uses) {
      await expectRefused(desk, patchOf(...sections[use](path.replace("OUTSIDE", outside))), [code]);
      expect(readdirSync(outside)).toEqual(["secret.txt"]);
      expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("old\n");
    }
  });

  it("and takes the whole patch with it", async () => {
    const desk = await start({ files, open: { "open.txt": "old\n" } });
    const lines = [...sections.update("open.txt"), ...sections.delete("dir/x.txt"), ...sections.to("../up.txt")];
    await expectRefused(desk, patchOf(...move("a.txt", "c.txt"), ...lines), ["outsideWorkspace"]);
  });
});

describe("a path that is one in some places only", () => {
  const missing = ["update", "delete", "from"] as const;
  it.each<[path: string, code: string, uses: readonly Use[], words: string]>([
    ['"a.txt"', "fileNotFound", missing, '"a.txt" meant'],
    ["'a.txt'", "fileNotFound", missing, '"a.txt" meant'],
    ["`a.txt`", "fileNotFound", missing, '"a.txt" meant'],
    [" a.txt", "fileNotFound", missing, '"a.txt"'],
    [".\\a.txt", "fileNotFound", missing, 'a.txt" meant'],
    ["a.txt:1", "fileNotFound", missing, '"a.txt" meant'],
    ["missing.txt", "fileNotFound", missing, "no file"],
    ["dangling.txt", "fileNotFound", ["update"], "no file"],
    ["dangling.txt", "ioError", ["delete", "from"], "symbolic link"],
    ["link.txt", "ioError", ["delete", "from", "to"], '"a.txt"'],
    ["latin1.txt", "unsupportedEncoding", ["update", "add"], "UTF-8"],
    ["latin1.txt", "fileExists", ["to"], "exists"],
    ["a.txt", "fileExists", ["to"], "exists"],
    ["dir/../a.txt", "fileExists", ["to"], "exists"],
    ["untitled:open", "invalidParams", ["delete", "from", "to"], "no file"],
    ["untitled:open", "dirty", ["add"], "unsaved"],
    ["unsaved.txt", "dirty", ["delete", "from", "add"], "unsaved"],
    ["unsaved.txt", "fileExists", ["to"], "exists"],
    ["vanished.txt", "dirty", ["delete", "from"], "save it"],
    ["vanished.txt", "dirty", ["add"], "unsaved"],
    ["vanished.txt", "fileExists", ["to"], "exists"],
  ])("%s: %s", async (path, code, refused, words) => {
    const open = { "untitled:open": "old\n", "unsaved.txt": "old\ntyped\n", "vanished.txt": "old\n" };
    const desk = await start({ files: { ...files, "unsaved.txt": "old\n" }, open });
    rmSync(join(desk.root, "vanished.txt"));
    for (const use of refused) {
      const { message } = await expectRefused(desk, patchOf(...sections[use](path)), [code]);
      expect(message).toContain(words);
    }
  });

  it.each<[name: string, lines: readonly string[], expected: Record<string, string | undefined>]>([
    ["upwards, and inside all the same", sections.update("dir/../a.txt"), { "a.txt": "new\n" }],
    ["with quotes, where it is new", sections.add('"a.txt"'), { '"a.txt"': "added\n" }],
    ["with a backslash, where it is new", sections.to("dir\\y.txt"), { "b.txt": undefined, "dir\\y.txt": "b\n" }],
    ["in a directory that is not there", sections.to("x/y/z.txt"), { "b.txt": undefined, "x/y/z.txt": "b\n" }],
    ["through a link to a directory", sections.update("to-dir/x.txt"), { "dir/x.txt": "new\n" }],
    ["of a link to a file", sections.add("link.txt"), { "a.txt": "added\n" }],
    ["of a link that leads nowhere", sections.add("dangling.txt"), { "nowhere.txt": "added\n" }],
    ["of text that nobody can read", sections.delete("latin1.txt"), { "latin1.txt": undefined }],
    ["of a document that is no file", sections.update("untitled:open"), { "untitled:open": "new\n" }],
    ["of a text that is not saved", sections.update("unsaved.txt"), { "unsaved.txt": "new\ntyped\n" }],
    ["of a file that has gone", sections.update("vanished.txt"), { "vanished.txt": "new\n" }],
    ["of a new document without a text", sections.add("untitled:new"), { "untitled:new": "added\n" }],
    ["of a new document that is one line end", sections.add("untitled:line"), { "untitled:line": "added\n" }],
  ])("means what it says: %s", async (_, lines, expected) => {
    const fresh = { "untitled:new": "", "untitled:line": "\n" };
    const open = { "untitled:open": "old\n", "unsaved.txt": "old\ntyped\n", "vanished.txt": "old\n", ...fresh };
    await expectDone({ files: { ...files, "unsaved.txt": "old\n" }, open }, patchOf(...lines), expected);
  });
});

describe("one file under several names", () => {
  const names = { "a.txt": "old\n", "hard.txt": { hardLink: "a.txt" }, "link.txt": { link: "a.txt" } } as const;
  const rows = ["a.txt", "hard.txt", "link.txt"].flatMap((open) =>
    ["a.txt", "hard.txt", "link.txt"].flatMap((sent) =>
      (["delete", "from"] as const).map((use) => [use, sent, open] as const),
    ),
  );

  it.each(rows)("%s %s, where %s is open: this name goes, or none", async (use, sent, open) => {
    for (const door of ["request", "command"] as const) {
      const desk = await start({ files: names, open: { [open]: "old\n" } });
      const before = readdirSync(desk.root).sort();
      const call = patchOf(...sections[use](sent));
      const isRefused = await (door === "request" ? desk.propose(call) : desk.apply(call)).then(
        async ({ outcome, edit }) => {
          expect(outcome).toBe(door === "request" ? "proposed" : "applied");
          if (door === "request") await desk.editor.apply(edit!);
          return false;
        },
        () => true,
      );
      const gone = before.filter((name) => !readdirSync(desk.root).includes(name));
      expect({ door, gone }).toEqual({ door, gone: isRefused ? [] : [sent] });
      await expectAlive(desk);
    }
  });

  it("is edited once, under whatever name", async () => {
    const lines = [...sections.update("link.txt"), "*** Update File: hard.txt", "@@", "-new", "+newer"];
    const after = { "a.txt": "newer\n" };
    await expectDone({ files: { ...names, "hard.txt": { link: "a.txt" } } }, patchOf(...lines), after);
    const desk = await start({ files: names });
    const { edit } = await desk.propose(patchOf(...lines));
    await desk.editor.apply(edit!);
    expect(desk.disk()).toEqual({ "a.txt": "newer\n", "hard.txt": "newer\n" });
  });
});

describe("files that come and go within a patch", () => {
  const { update, add, delete: remove } = sections;

  it.each<[name: string, lines: readonly string[], code: string, index: number]>([
    ["deleted twice", [...remove("a.txt"), ...remove("./a.txt")], "fileNotFound", 1],
    ["deleted and updated", [...remove("a.txt"), ...update("a.txt")], "fileNotFound", 1],
    ["moved twice", [...move("a.txt", "c.txt"), ...move("a.txt", "d.txt")], "fileNotFound", 1],
    ["two moved to one name", [...move("a.txt", "c.txt"), ...move("b.txt", "c.txt")], "fileExists", 1],
    ["moved onto one that was added", [...add("c.txt"), ...move("a.txt", "c.txt")], "fileExists", 1],
    ["added below one that was added", [...add("c"), ...add("c/d.txt")], "ioError", 1],
    ["added where one was added below", [...add("c/d.txt"), ...add("c")], "ioError", 0],
    ["moved below one that was added", [...add("c"), ...move("a.txt", "c/d.txt")], "ioError", 1],
    ["moved below itself", move("a.txt", "a.txt/b.txt"), "ioError", 0],
    ["added below one that was deleted", [...remove("a.txt"), ...add("a.txt/b.txt")], "ioError", 1],
  ])("%s: refused", async (_, lines, code, index) => {
    const desk = await start({ files });
    const { failures } = await expectRefused(desk, patchOf(...lines), [code]);
    expect(failures).toMatchObject([{ index }]);
  });

  const twice = ["*** Add File: c.txt", "+1", "*** Add File: c.txt", "+2"];
  it.each<[name: string, lines: readonly string[], expected: Record<string, string | undefined>]>([
    ["added twice: the last one counts", twice, { "c.txt": "2\n" }],
    ["added and deleted: nothing", [...add("c.txt"), ...remove("c.txt")], {}],
    [
      "moved on and on",
      [...move("b.txt", "c.txt"), ...move("c.txt", "d/e.txt")],
      { "b.txt": undefined, "d/e.txt": "b\n" },
    ],
    ["moved there and back", [...move("b.txt", "c.txt"), ...move("c.txt", "b.txt")], {}],
    ["only its case is another", move("b.txt", "B.txt"), { "b.txt": undefined, "B.txt": "b\n" }],
    ["moved and added anew", [...move("b.txt", "c.txt"), ...add("b.txt")], { "b.txt": "added\n", "c.txt": "b\n" }],
    [
      "deleted and moved onto",
      [...remove("b.txt"), ...move("dir/x.txt", "b.txt")],
      { "dir/x.txt": undefined, "b.txt": "old\n" },
    ],
  ])("%s", async (_, lines, expected) => {
    await expectDone({ files }, patchOf(...lines), expected);
  });
});

describe("where a part fails and the rest goes on", () => {
  const { update, add, delete: remove } = sections;
  const lines = [
    ...update("missing.txt"),
    ...move("a.txt", "c.txt"),
    ...remove("b.txt"),
    ...remove("nowhere.txt"),
    "*** Update File: dir/x.txt",
    "*** Move to: ../out.txt",
    "@@",
    "-old",
    "+new",
    ...add("n.txt"),
  ];
  const rest = { "a.txt": undefined, "b.txt": undefined, "c.txt": "old\n", "n.txt": "added\n" };

  it.each([
    ["file", rest],
    ["none", { ...rest, "dir/x.txt": "new\n" }],
  ])("atomic %s", async (atomic, expected) => {
    await expectDone({ files }, { ...patchOf(...lines), options: { atomic } }, expected);
  });

  it("atomic file: a file that could not be moved away keeps its name from another one", async () => {
    const broken = ["*** Update File: a.txt", "*** Move to: c.txt", "@@", "-missing", "+x"];
    const call = patchOf(...broken, ...move("b.txt", "a.txt"), ...remove("dir/x.txt"));
    await expectDone({ files }, { ...call, options: { atomic: "file" } }, { "dir/x.txt": undefined });
  });

  it("atomic none: what could not be moved is not looked for under its new name", async () => {
    const call = patchOf(...move("b.txt", "../out.txt"), ...update("../out.txt"), ...remove("a.txt"));
    await expectDone({ files }, { ...call, options: { atomic: "none" } }, { "a.txt": undefined });
  });

  it("nothing is left to do: a failure", async () => {
    const desk = await start({ files });
    const call = { ...patchOf(...remove("nowhere.txt"), ...update("missing.txt")), options: { atomic: "none" } };
    await expectRefused(desk, call, ["fileNotFound", "fileNotFound"]);
  });
});

describe("files that the user may not write", () => {
  /** The tests' own user may write whatever the mode says. */
  const reader = process.getuid?.() === 0 ? { uid: 65_534 } : {};

  it.each<[code: string, path: string, uses: readonly Use[]]>([
    ["readOnly", "locked.txt", ["update", "add", "delete", "from"]],
    ["readOnly", "shut/new.txt", ["add", "to"]],
    ["readOnly", "shut/deep/new.txt", ["add", "to"]],
    ["ioError", "secret.txt", ["update", "add", "delete", "from"]],
  ])("%s: %s", async (code, path, refused) => {
    const desk = await start({
      ...reader,
      files: { "locked.txt": "old\n", "secret.txt": "old\n", "b.txt": "b\n", "shut/there.txt": "old\n" },
    });
    const at = (name: string): string => join(desk.root, name);
    for (const [name, mode] of [
      [".", 0o777],
      ["locked.txt", 0o444],
      ["secret.txt", 0],
      ["b.txt", 0o666],
      ["shut", 0o555],
    ] as const) {
      chmodSync(at(name), mode);
    }
    for (const use of refused) {
      const { message } = await expectRefused(desk, patchOf(...sections[use](path)), [code]);
      expect(message).toContain("permission denied");
    }
    chmodSync(at("shut"), 0o755);
  });
});

describe("bytes", () => {
  it("of UTF-16 stay UTF-16, with their mark and their line ends", async () => {
    const bytes = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");
    const desk = await start({ files: { "wide.txt": bytes("old\r\n\u00e9\r\n") } });
    const { edit } = await desk.propose(patchOf(...sections.update("wide.txt")));
    await desk.editor.apply(edit!);
    expect(readFileSync(join(desk.root, "wide.txt"))).toEqual(bytes("new\r\n\u00e9\r\n"));
  });

  it("that are no UTF-8 are moved as they are, but not edited on the way", async () => {
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

  it("that are no UTF-8 come back when they were deleted and the rest fails", async () => {
    const desk = await start({ files });
    desk.editor.behave("honest", "refuses");
    const call = patchOf(...sections.delete("latin1.txt"), ...sections.delete("b.txt"));
    const { codes, message } = await failed(desk.apply(throughEditor(call)));
    expect(codes).toEqual(["clientRefused"]);
    expect(message).toContain("Taken back: latin1.txt");
    expect(readFileSync(join(desk.root, "latin1.txt"))).toEqual(files["latin1.txt"]);
  });

  it("NUL is a character of lines", async () => {
    const open = { "n.txt": "a\0b\nc\n" };
    await expectDone({ open }, patchOf("*** Update File: n.txt", "@@", " a\0b", "-c", "+\0"), {
      "n.txt": "a\0b\n\0\n",
    });
    const desk = await start({ open });
    await expectRefused(desk, patchOf("*** Update File: n.txt", "@@", "-ab", "+x"), ["contextNotFound"]);
  });

  it("half a character is none", async () => {
    const desk = await start({ open: { "a.txt": "old\n" } });
    await expectRefused(desk, patchOf("*** Update File: a.txt", "@@", "-old", "+\ud83d"), ["invalidParams"]);
  });
});

describe("a patch within a patch", () => {
  const inner = ["*** Begin Patch", "*** Delete File: b.txt", "*** End Patch"];

  it("is text where each of its lines has a sign", async () => {
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
    ["behind the end", [...sections.update("a.txt"), "*** End Patch", ...inner]],
    [
      "behind the end, and without its own markers",
      [...sections.update("a.txt"), "*** End Patch", "*** Delete File: b.txt"],
    ],
    ["in front of everything", ["*** Begin Patch", ...sections.update("a.txt")]],
  ])("is refused %s", async (_, lines) => {
    const desk = await start({ files });
    const { failures } = await expectRefused(desk, patchOf(...lines), ["patchSyntax"]);
    expect(failures[0]?.line).toBeGreaterThan(1);
  });

  it("has an end, or says that it may have been cut off", async () => {
    const desk = await start({ open: { "a.txt": "old\n" } });
    const cut = `*** Begin Patch\n${sections.update("a.txt").join("\n")}`;
    const { warnings, edit } = await desk.propose(cut);
    expect(warnings).toEqual([expect.stringContaining("cut off")]);
    await desk.editor.apply(edit!);
    expect(desk.texts()).toEqual({ "a.txt": "new\n" });
    await expectRefused(desk, { patch: cut, options: { lenient: false } }, ["patchSyntax"]);
    for (const end of [1, 20, 38])
      expect((await failed(desk.propose(cut.slice(0, end)))).codes).toEqual(["patchSyntax"]);
  });
});

describe("very much of it", () => {
  const numbers = (length: number): readonly number[] => Array.from({ length }, (_, i) => i);
  const lines = numbers(100_000).map((i) => `  const value${i} = compute(${i % 17}, "${(i * 7_919) % 1_000}");`);
  const text = `${lines.join("\n")}\n`;
  const open = { "big.ts": text };
  const inBig = (...hunks: readonly string[]) => patchOf("*** Update File: big.ts", hunks.join("\n"));
  const renamed = (count: number) =>
    lines.slice(0, count).map((line) => `@@\n-${line}\n+${line.replace("value", "v")}`);

  it("of the limit's length is done, and one character more is refused", { timeout: patience }, async () => {
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

  it("in hunks: the limit's number, in any order, and not one more", { timeout: patience }, async () => {
    const count = limits.editsPerCall;
    const after = `${[...lines.slice(0, count).map((line) => line.replace("value", "v")), ...lines.slice(count)].join("\n")}\n`;
    for (const hunks of [renamed(count), renamed(count).reverse()]) {
      const desk = await start({ open });
      expect((await desk.apply(inBig(...hunks))).outcome).toBe("applied");
      expect(desk.texts()["big.ts"] === after).toBe(true);
    }
    await expectRefused(await start({ open }), inBig(...renamed(count + 1)), ["tooLarge"]);
  });

  it("lets others be served meanwhile, and can be cancelled", { timeout: patience }, async () => {
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
    ["a hunk that is nowhere", inBig("@@", "-  other();", "+"), ["contextNotFound"], "line 3 of the patch"],
    ["a long hunk with one wrong line", inBig("@@", ...long), ["contextNotFound"], "5701"],
    ["an anchor that is nowhere", inBig("@@ class Nowhere", `-${lines[9]}`), ["contextNotFound"], "line 10"],
    [
      "a hunk that is longer than the file",
      inBig("@@", "-x\n".repeat(150_000)),
      ["contextNotFound"],
      "line 3 of the patch",
    ],
    ["100,000 blank lines", inBig("@@", " nowhere", "\n".repeat(100_000)), ["noChange"], "line 3 of the patch"],
    [
      "100,000 blank lines to be removed",
      inBig("@@", "-nowhere", "-\n".repeat(100_000)),
      ["contextNotFound"],
      "line 3",
    ],
    ["a million bare marks", inBig("@@\n".repeat(1_000_000).trimEnd()), ["patchSyntax"], "Line 3 of the patch"],
    [
      "10,000 anchors in a row",
      inBig(...lines.slice(0, 10_000).map((line) => `@@ ${line}`), "-x"),
      ["contextNotFound"],
      "edit 0",
    ],
    ["10 MB in one line", inBig(`-${"x".repeat(10_000_000)}`), ["contextNotFound"], "line 3 of the patch"],
    ["10 MB of something else", patchOf("lorem ipsum\n".repeat(800_000)), ["patchSyntax"], "Line 2 of the patch"],
    ["an endless path", patchOf(`*** Delete File: ${"x".repeat(10_000_000)}`), ["tooLarge"], "Line 2 of the patch"],
  ])("%s: refused in a few words", { timeout: patience }, async (_, call, codes, words) => {
    const { message } = await expectRefused(await start({ open }), call, codes);
    expect(message).toContain(words);
    expect(message.length).toBeLessThanOrEqual(limits.failureMessage);
  });

  it("in hunks that are nowhere: refused all at once", { timeout: patience }, async () => {
    const hunks = numbers(limits.editsPerCall).map((i) => `@@\n-  other${i}();\n+`);
    const desk = await start({ open });
    const { failures, edits } = await expectRefused(
      desk,
      inBig(...hunks),
      hunks.map(() => "contextNotFound"),
    );
    expect(failures.map(({ index }) => index)).toEqual(edits.map(({ index }) => index));
  });

  it("in sections: the limit's number of files, and not one more", { timeout: patience }, async () => {
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

  it("in sections on one file: each is found in what the one before has made", { timeout: patience }, async () => {
    const call = patchOf(...numbers(2_000).flatMap((i) => ["*** Update File: a.txt", "@@", `-${i}`, `+${i + 1}`]));
    await expectDone({ open: { "a.txt": "0\n" } }, call, { "a.txt": "2000\n" });
  });

  it("in broken sections: the first ones are named, and how many more there are", { timeout: patience }, async () => {
    const call = patchOf(...numbers(9_000).flatMap((i) => [`*** Update file: ${i}.txt`, "@@", "-a"]));
    const codes = [...numbers(limits.failuresPerCall - 1).map(() => "patchSyntax"), "invalidParams"];
    const { message } = await expectRefused(await start(), call, codes);
    expect(message).toContain(`${9_000 - (limits.failuresPerCall - 1)} further failures`);
  });
});
