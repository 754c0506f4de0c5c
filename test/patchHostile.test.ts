/**
 * Patches that no agent should send, over the wire to the server and its strict editor: each is either applied
 * correctly or refused without changing anything.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patchOf } from "./support/desk.js";
import { makeDirectory } from "./support/directory.js";
import {
  expectAlive,
  expectRefused,
  files,
  hostileDesks,
  move,
  sections,
  type Use,
  uses,
} from "./support/hostilePatches.js";

const { start, expectDone } = hostileDesks();

describe("a path that must not be changed is refused in every kind of section", () => {
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

  it("and the whole patch with it", async () => {
    const desk = await start({ files, open: { "open.txt": "old\n" } });
    const lines = [...sections.update("open.txt"), ...sections.delete("dir/x.txt"), ...sections.to("../up.txt")];
    await expectRefused(desk, patchOf(...move("a.txt", "c.txt"), ...lines), ["outsideWorkspace"]);
  });
});

describe("a path that is valid only in some kinds of section", () => {
  const missing = ["update", "delete", "from"] as const;
  it.each<[path: string, code: string, uses: readonly Use[], words: string]>([
    ['"a.txt"', "fileNotFound", ["delete", "from"], 'Did you mean "a.txt"?'],
    ["'a.txt'", "fileNotFound", missing, 'Did you mean "a.txt"?'],
    ["`a.txt`", "fileNotFound", ["delete", "from"], 'Did you mean "a.txt"?'],
    [" a.txt", "fileNotFound", missing, '"a.txt"'],
    [".\\a.txt", "fileNotFound", missing, 'a.txt"?'],
    ["a.txt:1", "fileNotFound", missing, 'Did you mean "a.txt"?'],
    ["missing.txt", "fileNotFound", missing, "no file"],
    ["dangling.txt", "fileNotFound", ["update"], "no file"],
    ["dangling.txt", "ioError", ["delete", "from"], "symbolic link"],
    ["link.txt", "ioError", ["delete", "from", "to"], '"a.txt"'],
    ["latin1.txt", "unsupportedEncoding", ["update", "add"], "UTF-8"],
    ["latin1.txt", "fileExists", ["to"], "exists"],
    ["dir/../a.txt", "fileExists", ["to"], "exists"],
    ["untitled:open", "invalidParams", ["delete", "from", "to"], "not a file"],
    ["untitled:open", "dirty", ["add"], "unsaved"],
    ["unsaved.txt", "fileExists", ["to"], "exists"],
    ["vanished.txt", "dirty", ["delete", "from"], "save the document"],
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
    ["upwards, but still inside", sections.update("dir/../a.txt"), { "a.txt": "new\n" }],
    ["with quotes, if it is new", sections.add('"a.txt"'), { '"a.txt"': "added\n" }],
    ["with a backslash, if it is new", sections.to("dir\\y.txt"), { "b.txt": undefined, "dir\\y.txt": "b\n" }],
    ["in a directory that does not exist", sections.to("x/y/z.txt"), { "b.txt": undefined, "x/y/z.txt": "b\n" }],
    ["through a link to a directory", sections.update("to-dir/x.txt"), { "dir/x.txt": "new\n" }],
    ["of a link to a file", sections.add("link.txt"), { "a.txt": "added\n" }],
    ["of a link that leads nowhere", sections.add("dangling.txt"), { "nowhere.txt": "added\n" }],
    ["of a file that is not text", sections.delete("latin1.txt"), { "latin1.txt": undefined }],
    ["of a document that is not a file", sections.update("untitled:open"), { "untitled:open": "new\n" }],
    ["of unsaved text", sections.update("unsaved.txt"), { "unsaved.txt": "new\ntyped\n" }],
    ["of a file that was deleted meanwhile", sections.update("vanished.txt"), { "vanished.txt": "new\n" }],
    ["of a new document without a text", sections.add("untitled:new"), { "untitled:new": "added\n" }],
    ["of a new document that consists of one line end", sections.add("untitled:line"), { "untitled:line": "added\n" }],
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

  it.each(rows)("%s %s, while %s is open: the sent name changes, or none does", async (use, sent, open) => {
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

  it("is edited as one file, whichever names the sections use", async () => {
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
  const { add, delete: remove } = sections;

  it.each<[name: string, lines: readonly string[], code: string, index: number]>([
    ["deleted twice", [...remove("a.txt"), ...remove("./a.txt")], "fileNotFound", 1],
    ["moved twice", [...move("a.txt", "c.txt"), ...move("a.txt", "d.txt")], "fileNotFound", 1],
    ["two moved to the same name", [...move("a.txt", "c.txt"), ...move("b.txt", "c.txt")], "fileExists", 1],
    ["moved onto an added file", [...add("c.txt"), ...move("a.txt", "c.txt")], "fileExists", 1],
    ["added below an added file", [...add("c"), ...add("c/d.txt")], "ioError", 1],
    ["added under the name of an added file's directory", [...add("c/d.txt"), ...add("c")], "ioError", 0],
    ["moved below an added file", [...add("c"), ...move("a.txt", "c/d.txt")], "ioError", 1],
    ["moved below itself", move("a.txt", "a.txt/b.txt"), "ioError", 0],
    ["added below a deleted file", [...remove("a.txt"), ...add("a.txt/b.txt")], "ioError", 1],
  ])("%s: refused", async (_, lines, code, index) => {
    const desk = await start({ files });
    const { failures } = await expectRefused(desk, patchOf(...lines), [code]);
    expect(failures).toMatchObject([{ index }]);
  });

  const twice = ["*** Add File: c.txt", "+1", "*** Add File: c.txt", "+2"];
  it.each<[name: string, lines: readonly string[], expected: Record<string, string | undefined>]>([
    ["added twice: the last one counts", twice, { "c.txt": "2\n" }],
    ["added and deleted: nothing changes", [...add("c.txt"), ...remove("c.txt")], {}],
    [
      "moved several times",
      [...move("b.txt", "c.txt"), ...move("c.txt", "d/e.txt")],
      { "b.txt": undefined, "d/e.txt": "b\n" },
    ],
    ["moved there and back", [...move("b.txt", "c.txt"), ...move("c.txt", "b.txt")], {}],
    ["only the case of its name changes", move("b.txt", "B.txt"), { "b.txt": undefined, "B.txt": "b\n" }],
    ["moved and added again", [...move("b.txt", "c.txt"), ...add("b.txt")], { "b.txt": "added\n", "c.txt": "b\n" }],
    [
      "deleted, and its name taken by a moved file",
      [...remove("b.txt"), ...move("dir/x.txt", "b.txt")],
      { "dir/x.txt": undefined, "b.txt": "old\n" },
    ],
  ])("%s", async (_, lines, expected) => {
    await expectDone({ files }, patchOf(...lines), expected);
  });
});

describe("a patch that fails in part and whose other sections are applied", () => {
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

  it("atomic file: a file that could not be moved away keeps its name, so no other file can take it", async () => {
    const broken = ["*** Update File: a.txt", "*** Move to: c.txt", "@@", "-missing", "+x"];
    const call = patchOf(...broken, ...move("b.txt", "a.txt"), ...remove("dir/x.txt"));
    await expectDone({ files }, { ...call, options: { atomic: "file" } }, { "dir/x.txt": undefined });
  });

  it("atomic none: a file that could not be moved is not searched for under its new name", async () => {
    const call = patchOf(...move("b.txt", "../out.txt"), ...update("../out.txt"), ...remove("a.txt"));
    await expectDone({ files }, { ...call, options: { atomic: "none" } }, { "a.txt": undefined });
  });

  it("if no section is left, the call fails", async () => {
    const desk = await start({ files });
    const call = { ...patchOf(...remove("nowhere.txt"), ...update("missing.txt")), options: { atomic: "none" } };
    await expectRefused(desk, call, ["fileNotFound", "fileNotFound"]);
  });
});

describe("files that the user may not write", () => {
  /** A user without write permission; needed because the tests may run as root, which bypasses file permissions. */
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
