/**
 * Special handling of known clients, over the wire: each fact in the table keeps a promise that would otherwise be
 * broken.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { WorkspaceEdit } from "vscode-languageserver/node";
import { factsOf } from "../server/lsp/clients.js";
import {
  batch,
  type Desk,
  type DeskOptions,
  hastyServer,
  layDesk,
  serverForDesks,
  throughEditor,
  told,
} from "./support/desk.js";

const program = serverForDesks();

const start = (name: string, options: DeskOptions = {}): Promise<Desk> =>
  layDesk(program, { clientInfo: { name }, ...options });

describe("the table of clients", () => {
  it("recognises a client by its name in any case, and treats unknown ones with caution", () => {
    expect(factsOf({ name: "NeoVim", version: "0.12.4" })).toBe(factsOf({ name: "neovim", version: "0.12.0" }));
    expect(factsOf({ name: "neovim" })).not.toBe(factsOf(undefined));
    for (const name of ["", "neovim2", "constructor", "__proto__"]) {
      expect(factsOf({ name, version: "1" }), name).toBe(factsOf(undefined));
    }
    const { habits, ...others } = factsOf(undefined);
    expect(factsOf({ name: "Visual Studio Code", version: "1" })).toEqual({
      ...others,
      habits: { ...habits, endsLinesAlike: true },
      reloads: true,
    });
    // The protocol's own defaults, for an unknown client.
    expect(factsOf(undefined)).toMatchObject({
      documentChanges: false,
      loneCrEndsLine: true,
      emptyIsLineEnd: false,
      finalLineEndReturns: false,
      checksVersionsFrom: 0,
    });
  });

  it("distinguishes versions that behave differently", () => {
    expect(factsOf({ name: "Neovim", version: "0.10.4" }).addsLineAtEnd).toBe(true);
    expect(factsOf({ name: "Neovim", version: "0.12.0-dev+g1" }).addsLineAtEnd).toBe(false);
    expect(factsOf({ name: "Neovim", version: "1.0" }).addsLineAtEnd).toBe(false);
  });

  it.each([
    ["Visual Studio Code", "1.139.0", true],
    ["Visual Studio Code", "1.140.0-insider", true],
    ["code-server", "1.139.1", true],
    ["Visual Studio Code", "1.138.9", false],
    // A missing or unparsable version may be an old one.
    ["Visual Studio Code", undefined, false],
    ["helix", "25.07.1", false],
    ["Eglot", "1.24", false],
    ["Emacs", "30.2", false],
    ["Neovim", "0.12.4", false],
  ])("sends %s %s the texts of a call together: %s", (name, version, together) => {
    expect(factsOf({ name, ...(version === undefined ? {} : { version }) }).textsTogether).toBe(together);
  });

  it.each([
    ["1.17.30", true],
    ["1.9", true],
    ["1.23.1", true],
    ["0.99", true],
    ["1.24", false],
    ["1.24.0-snapshot", false],
    ["2.0", false],
    // A missing or unparsable version may be an old one.
    [undefined, true],
    ["next", true],
  ])("takes eglot %s for a client that hides its user's refusals: %s", (version, hides) => {
    expect(factsOf({ name: "Eglot", ...(version === undefined ? {} : { version }) }).hidesDeclining).toBe(hides);
  });
});

describe("an editor that opens CRLF files with LF", () => {
  const files = { "a.txt": "one\r\ntwo\r\nthree\r\n", "mixed.txt": "one\ntwo\r\n" };
  const emacs = { lineEnds: "lf", saves: "crlf", files } as const;

  it.each(["Eglot", "Emacs"])(
    "%s gets LF for a file that it has not opened, so that saving writes CRLF and not CR CR LF",
    async (name) => {
      const { editor, apply, undo, texts, disk, uri } = await start(name, { ...emacs, settings: { save: "always" } });
      const answer = await apply(throughEditor(batch(["a.txt", "two", "zwei\nand"], ["a.txt", "three", "3"])));
      expect(answer).toMatchObject({ outcome: "applied", warnings: [], files: [{ onDisk: "same" }] });
      expect(texts()).toEqual({ "a.txt": "one\nzwei\nand\n3\n" });
      expect(disk()["a.txt"]).toBe("one\r\nzwei\r\nand\r\n3\r\n");
      expect(await undo()).toMatchObject({ outcome: "applied" });
      expect(texts()).toEqual({ "a.txt": "one\ntwo\nthree\n" });
      expect(disk()["a.txt"]).toBe(files["a.txt"]);
      expect(editor.documents.has(uri("a.txt"))).toBe(true);
    },
  );

  it("has the first of two such files rolled back if the second one is refused", async () => {
    const { editor, apply, texts } = await start("Eglot", {
      ...emacs,
      proofTimeout: 200,
      files: { ...files, "b.txt": "b\r\n" },
    });
    editor.behave("honest", "refuses", "honest");
    const answer = await told(apply(throughEditor(batch(["a.txt", "two", "2\n2"], ["b.txt", "b", "B"]))));
    expect([answer.outcome, answer.codes]).toEqual(["failed", ["clientRefused"]]);
    expect(texts()).toEqual({ "a.txt": "one\ntwo\nthree\n" });
  });
});

describe("an editor that normalises inserted line endings", () => {
  const mixed = "one\r\ntwo\nthree\r\n";

  it.each<[string, DeskOptions]>([
    ["is known to", { clientInfo: { name: "Neovim" } }],
    [
      "announces it",
      {
        capabilities: {
          workspace: { applyEdit: true, workspaceEdit: { documentChanges: true, normalizesLineEndings: true } },
        },
      },
    ],
  ])("and %s: in a text with both kinds of line ends, new lines are planned with LF", async (_how, options) => {
    const { editor, apply, texts } = await start("ed", { open: { "a.txt": mixed }, proofTimeout: 300, ...options });
    editor.behave("normalisesLineEnds");
    const answer = await apply(batch(["a.txt", "one", "one\nand"], ["a.txt", "three", "3\nand"]));
    expect(answer).toMatchObject({ outcome: "applied" });
    expect(texts()).toEqual({ "a.txt": "one\nand\r\ntwo\n3\nand\r\n" });
    // The answer describes the change that was actually made.
    expect(answer.diff).toContain("+and\r\n two\n-three\r\n+3\n+and\r\n");
  });

  it("gets CRLF if every line of a text ends with it", async () => {
    const { apply, texts } = await start("Neovim", { open: { "a.txt": "one\r\ntwo\r\n" } });
    await apply(batch(["a.txt", "one", "one\nand"]));
    expect(texts()).toEqual({ "a.txt": "one\r\nand\r\ntwo\r\n" });
  });
});

describe("an editor that leaves an empty line after a text that is inserted at the end", () => {
  const append = (oldText: string, newText: string) => ({ path: "a.txt", oldText, newText });

  it.each([
    ["0.10.4", "one\ntwo\n", append("two\n", "two\nthree\n"), { line: 1, character: 3 }, "\nthree"],
    ["0.10.4", "one\r\ntwo\r\n", append("two\r\n", "two\r\nthree\r\n"), { line: 1, character: 3 }, "\r\nthree"],
    ["0.12.4", "one\ntwo\n", append("two\n", "two\nthree\n"), { line: 2, character: 0 }, "three\n"],
    ["0.10.4", "one\ntwo", append("two", "two\nthree"), { line: 1, character: 3 }, "\nthree"],
  ])(
    "Neovim %s gets lines to append to %j at a position that does no harm",
    async (version, text, edit, at, newText) => {
      const desk = await start("", { clientInfo: { name: "Neovim", version }, open: { "a.txt": text } });
      expect(await desk.apply(edit)).toMatchObject({ outcome: "applied" });
      const end = text.includes("\r") ? "\r\n" : "\n";
      expect(desk.texts()).toEqual({ "a.txt": `${text.trimEnd()}${end}three${text.endsWith("\n") ? end : ""}` });
      const [{ edit: sent }] = desk.editor.asked as [{ edit: WorkspaceEdit }];
      expect(sent.documentChanges).toMatchObject([{ edits: [{ range: { start: at, end: at }, newText }] }]);
    },
  );

  it("Neovim 0.10 gets one edit if the last line is changed, too", async () => {
    const desk = await start("", {
      clientInfo: { name: "Neovim", version: "0.10.4" },
      open: { "a.txt": "one\r\nthree\r\n" },
    });
    const call = batch(["a.txt", "three\n", "3\n4\n"]);
    expect(await desk.apply(call)).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": "one\r\n3\r\n4\r\n" });
    const [{ edit: sent }] = desk.editor.asked as [{ edit: WorkspaceEdit }];
    expect(sent.documentChanges).toMatchObject([{ edits: [{ range: { end: { line: 1 } } }] }]);
  });
});

describe("an editor that applies an edit for version 0 to whatever text it has", () => {
  it.each(["Neovim", "Vim"])("%s: the server waits for typed text that is not synced yet", async (name) => {
    const desk = await start(name, { proofTimeout: 1_000 });
    const { editor, uri, root } = desk;
    writeFileSync(join(root, "a.txt"), "one two\n");
    await editor.open({ uri: uri("a.txt"), text: "one two\n", version: 0 });
    editor.behave("ignoresVersions");
    // A warm-up call, because the first call takes longer than later ones.
    await desk.propose(batch(["a.txt", "two", "2"]));
    editor.typeUnsynced({ uri: uri("a.txt"), from: 0, to: 0, insert: "typed " }, 100);
    expect(await desk.apply(batch(["a.txt", "two", "2"]))).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": "typed one 2\n" });
    // The server sent only one edit, for the text that had been synced by then.
    expect(editor.asked.map(({ edit }) => edit.documentChanges)).toMatchObject([[{ textDocument: { version: 1 } }]]);
  });
});

describe("an editor that asks its user", () => {
  const neverAnswers = async (name: string, version?: string): Promise<string> => {
    const desk = await layDesk(program, {
      server: hastyServer(program, 1000),
      clientInfo: { name, ...(version === undefined ? {} : { version }) },
      open: { "a.txt": "old\n" },
      proofTimeout: 100,
    });
    desk.editor.behave("neverAnswers");
    return (await told(desk.apply(batch(["a.txt", "old", "new"])))).text;
  };

  it("gets as much time as a person needs, which no other editor does", async () => {
    expect(await neverAnswers("Eglot")).toContain("within 300 s");
    expect(await neverAnswers("Helix")).toContain("within 30 s");
  });

  it.each([
    ["Visual Studio Code", "1.139.0", true],
    ["Visual Studio Code", "1.140.0-insider", true],
    ["code-server", "1.139.1", true],
    ["Visual Studio Code", "1.138.9", false],
    // A missing or unparsable version may be an old one.
    ["Visual Studio Code", undefined, false],
    ["helix", "25.07.1", false],
    ["Eglot", "1.24", false],
    ["Emacs", "30.2", false],
    ["Neovim", "0.12.4", false],
  ])("sends %s %s the texts of a call together: %s", (name, version, together) => {
    expect(factsOf({ name, ...(version === undefined ? {} : { version }) }).textsTogether).toBe(together);
  });

  it.each([
    ["1.17.30", true],
    ["1.24", false],
  ])("eglot %s may have said yes for a user who said no; whether the answer says so: %s", async (version, says) => {
    const desk = await start("", {
      clientInfo: { name: "Eglot", version },
      open: { "a.txt": "old\n" },
      proofTimeout: 200,
    });
    desk.editor.behave("lies");
    const answer = await told(desk.apply(batch(["a.txt", "old", "new"])));
    expect(answer.outcome).toBe("unknown");
    expect(answer.text.includes("declined")).toBe(says);
  });
});

describe("a client that warns about notifications that it does not know", () => {
  it.each([
    ["Emacs", undefined, 0],
    ["Emacs", { didApply: true }, 1],
    ["Emacs", { didApply: "yes" }, 0],
    ["Neovim", undefined, 1],
    ["another client", undefined, 1],
  ])("%s that announces %j is notified %i times", async (name, multiEdit, times) => {
    const { editor, apply } = await start(name, {
      open: { "a.txt": "old\n" },
      capabilities: multiEdit === undefined ? {} : { experimental: { multiEdit } },
    });
    await apply(batch(["a.txt", "old", "new"]));
    expect(editor.applied).toHaveLength(times);
  });
});
