/** Scenes for VS Code only: its undo, its views for the question and the review, and files that it does not sync. */
import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { typing } from "../editors/races.js";
import { applied, done, expectTexts, nothing, type Scene } from "../editors/scenes.js";
import type { Stage } from "../editors/stage.js";
import { batch, patchOf } from "../support/desk.js";
import type { VsCodeDriver } from "./vscode.js";

/** The scenes run in VS Code only, whose driver has more functions. */
const driverOf = ({ driver }: Stage): VsCodeDriver => driver as VsCodeDriver;

const three = { "a.txt": "first\nold a\n", "b.txt": "first\nold b\n", "c.txt": "first\nold c\n" };
const threeEdits = batch(["a.txt", "old a", "new a"], ["b.txt", "old b", "new b"], ["c.txt", "old c", "new c"]);

/** An expression for the first element with a class, whose text is as a regular expression says. */
const shown = (selector: string, text: RegExp): string =>
  `[...document.querySelectorAll("${selector}")].find((element) => ${text}.test(element.textContent))`;
const isShown = (selector: string, text: RegExp): string => `${shown(selector, text)} !== undefined`;

/** The rows of the table that only VS Code has. */
export const vscodeScenes: readonly Scene[] = [
  {
    name: "one Ctrl+Z undoes a call in all its files",
    doors: ["agent"],
    run: async (stage, _door, traits) => {
      stage.lay(three);
      await stage.open("a.txt", "b.txt", "c.txt");
      await stage.retype("c.txt", `typed\n${three["c.txt"]}`);
      const before = await stage.texts();
      await applied(stage, "agent", threeEdits);
      await stage.driver.undo(stage.path("b.txt"));
      await expectTexts(stage, before, traits);
      return done;
    },
  },
  {
    name: "Ctrl+Z: first what was typed since, then the call, then the call before; multiEdit/undo does the rest",
    doors: ["agent"],
    isFresh: true,
    run: async (stage) => {
      stage.lay({ "a.txt": "one\n", "b.txt": "one\n", "shut.txt": "one\n" });
      await stage.open("a.txt", "b.txt");
      const texts = () => stage.texts();
      const call = (from: string, to: string) =>
        applied(stage, "agent", batch(...["a.txt", "b.txt", "shut.txt"].map((name) => [name, from, to] as const)));
      await call("one", "two");
      await call("two", "three");
      await stage.type("a.txt", "three", "typed");
      const [typed, undo] = ["typedthree\n", () => stage.driver.undo(stage.path("a.txt"))];
      expect(await texts()).toEqual({ "a.txt": typed, "b.txt": "three\n", "shut.txt": "three\n" });
      await undo();
      expect(await texts()).toEqual({ "a.txt": "three\n", "b.txt": "three\n", "shut.txt": "three\n" });
      await undo();
      expect(await texts()).toEqual({ "a.txt": "two\n", "b.txt": "two\n", "shut.txt": "three\n" });
      // The closed file has no undo key; the server undoes the rest of the call.
      const { result } = await stage.wire.request("multiEdit/undo", {});
      expect(result?.outcome).toBe("applied");
      expect(await texts()).toEqual({ "a.txt": "two\n", "b.txt": "two\n", "shut.txt": "two\n" });
      await undo();
      expect(await texts()).toEqual({ "a.txt": "one\n", "b.txt": "one\n", "shut.txt": "two\n" });
      return "one call a key; multiEdit/undo undoes the rest";
    },
  },
  typing({ keysPerSecond: 25, batches: 40, sendsLater: true }),
  {
    name: "characters of two units, next to those that an edit changes",
    run: async (stage, door, traits) => {
      stage.lay({ "a.txt": "👩\u200d💻😀x<3>\n" });
      await stage.open("a.txt");
      await applied(stage, door, batch(["a.txt", "👩\u200d💻😀x<3>", "😀{𝒳<7>"]));
      await expectTexts(stage, { "a.txt": "😀{𝒳<7>\n" }, traits);
      return done;
    },
  },
  {
    name: "a file appears where a call renames to, before its edit arrives",
    doors: ["agent"],
    isFresh: true,
    run: async (stage) => {
      stage.lay({ "a.txt": "one\nold\n", "b.txt": "old\n" });
      await stage.open("a.txt", "b.txt");
      stage.wire.gate(["workspace/applyEdit"], ({ message, release }) => {
        const isRename = JSON.stringify(message.params).includes('"rename"');
        if (isRename) writeFileSync(stage.path("moved.txt"), "of somebody else\n");
        release();
      });
      const rename = ["*** Update File: a.txt", "*** Move to: moved.txt", "@@", "-old", "+new"];
      const told = await stage.apply("agent", patchOf("*** Update File: b.txt", "@@", "-old", "+new", ...rename));
      stage.wire.ungate();
      expect([told.outcome, told.codes], told.text).toEqual(["failed", ["contentModified"]]);
      expect(told.text).toContain("moved.txt");
      expect(await stage.texts()).toEqual({
        "a.txt": "one\nold\n",
        "b.txt": "old\n",
        "moved.txt": "of somebody else\n",
      });
      return `rolled back, ${nothing}`;
    },
  },
  {
    name: "a renamed file is renamed back by undo, and again by redo",
    isFresh: true,
    run: async (stage, door) => {
      stage.lay({ "a.txt": "old\n" });
      await stage.open("a.txt");
      await applied(stage, door, patchOf("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-old", "+new"));
      for (const [method, texts] of [
        ["multiEdit/undo", { "a.txt": "old\n" }],
        ["multiEdit/redo", { "b.txt": "new\n" }],
        ["multiEdit/undo", { "a.txt": "old\n" }],
      ] as const) {
        const { result, error } = await stage.wire.request(method, {});
        expect([error, result?.outcome]).toEqual([undefined, "applied"]);
        expect(await stage.texts()).toEqual(texts);
      }
      return done;
    },
  },
  {
    name: "a call that fails, from the palette's command",
    doors: ["command"],
    run: async (stage) => {
      stage.lay({ "a.txt": "one\n" });
      await stage.open("a.txt");
      await stage.apply("command", batch(["a.txt", "nowhere", "x"]));
      await driverOf(stage).page.until(
        "the reason",
        isShown(".notification-list-item", /nothing was changed|matches nothing|not found/i),
      );
      await driverOf(stage).run('await vscode.commands.executeCommand("notifications.clearAll")');
      return "the reason is shown";
    },
  },
  {
    name: "a notebook with unsaved cells",
    doors: ["agent"],
    isFresh: true,
    run: async (stage) => {
      const cell = { cell_type: "code", source: ["print(1)"], metadata: {}, outputs: [], execution_count: null };
      const notebook = JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 });
      stage.lay({ "n.ipynb": notebook });
      const { run } = driverOf(stage);
      await run(`const uri = vscode.Uri.file(${JSON.stringify(stage.path("n.ipynb"))});
        const notebook = await vscode.workspace.openNotebookDocument(uri);
        await vscode.window.showNotebookDocument(notebook, { preview: false });
        const edit = new vscode.WorkspaceEdit();
        edit.insert(notebook.cellAt(0).document.uri, new vscode.Position(0, 0), "typed = 2\\n");
        await vscode.workspace.applyEdit(edit);`);
      await stage.wire.until("the report of the notebook", () =>
        stage.wire.messages.find(
          ({ message: { method, params } }) =>
            method === "multiEdit/didChangeUnsynced" && params.uris.some((uri: string) => uri.endsWith("/n.ipynb")),
        ),
      );
      const told = await stage.apply("agent", batch(["n.ipynb", "print(1)", "print(3)"]));
      expect([told.outcome, told.codes], told.text).toEqual(["failed", ["locked"]]);
      expect(stage.disk()["n.ipynb"]).toBe(notebook);
      const saved = await run(`const [notebook] = vscode.workspace.notebookDocuments; return await notebook.save();`);
      expect(saved).toBe(true);
      expect(stage.disk()["n.ipynb"]).toMatch(/typed = 2/);
      // Now that it is saved, calls reach it.
      const again = () => stage.apply("agent", batch(["n.ipynb", "print(1)", "print(3)"]));
      await expect.poll(async () => (await again()).outcome, { timeout: 5_000, interval: 200 }).toBe("applied");
      expect(stage.disk()["n.ipynb"]).toMatch(/typed = 2[\s\S]*print\(3\)/);
      return `${nothing}; done once it is saved`;
    },
  },
  {
    name: "another program writes a file with unsaved text, and the user saves",
    doors: ["agent"],
    isFresh: true,
    run: async (stage) => {
      stage.lay({ "a.txt": "rate = 0.19\nnet\n" });
      await stage.open("a.txt");
      await stage.retype("a.txt", "rate = 0.19\nnet\nmine\n");
      writeFileSync(stage.path("a.txt"), "rate = 0.20\nnet\n");
      await expect.poll(() => stage.held(), { timeout: 10_000 }).toEqual({ "a.txt": "rate = 0.20\nnet\nmine\n" });
      await stage.driver.save(stage.path("a.txt"));
      await expect.poll(() => stage.disk(), { timeout: 10_000 }).toEqual({ "a.txt": "rate = 0.20\nnet\nmine\n" });
      return "merged, saved";
    },
  },
  {
    name: "what a call breaks, as another extension reports it",
    doors: ["agent"],
    run: async (stage) => {
      const { run } = driverOf(stage);
      await run(`const problems = vscode.languages.createDiagnosticCollection("tests");
        const look = (document) => problems.set(document.uri, document.getText().split("\\n").flatMap((line, index) =>
          line.includes("broken") ? [new vscode.Diagnostic(new vscode.Range(index, 0, index, 1), "It is broken.")] : []));
        vscode.workspace.onDidChangeTextDocument(({ document }) => setTimeout(() => look(document), 100));
        vscode.workspace.onDidOpenTextDocument(look);`);
      stage.lay({ "a.txt": "broken before\nfine\n" });
      await stage.open("a.txt");
      const { text } = await applied(stage, "agent", batch(["a.txt", "fine", "broken now"]));
      expect(text).toMatch(/1 new error \(VS Code\): \S*a\.txt:2 It is broken\./);
      return "1 new error named";
    },
  },
  {
    name: "review: marks, Keep, Undo and Comment above the lines",
    doors: ["agent"],
    isFresh: true,
    run: async (stage) => {
      const { page, run } = driverOf(stage);
      stage.lay({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n" });
      await stage.open("a.txt");
      await applied(stage, "agent", batch(["a.txt", "2", "two"], ["a.txt", "5", "five"], ["a.txt", "8", "eight"]));
      const lens = ".codelens-decoration a";
      const counted = `document.querySelectorAll(".codelens-decoration").length === 3`;
      await page.until("three changes", counted);
      await page.until(
        "the marks",
        `document.querySelectorAll(".glyph-margin-widgets .cgmr[class*=ced-]").length >= 3`,
      );
      await page.click(shown(lens, /^Undo$/));
      await expect.poll(() => stage.held()).toEqual({ "a.txt": "1\n2\n3\n4\nfive\n6\n7\neight\n9\n" });
      await page.until("two changes", counted.replace("3", "2"));
      await page.click(shown(lens, /^Comment$/));
      await page.until("the prompt", "document.querySelector('.quick-input-widget input:focus') !== null");
      for (const key of "why") await page.press(key);
      await page.press("Enter");
      await stage.wire.until("the comment", () =>
        stage.wire.messages.find(
          ({ message: { method, params } }) => method === "multiEdit/comment" && params.text === "why",
        ),
      );
      await page.click(shown(lens, /^Keep$/));
      await page.until("one change", counted.replace("3", "1"));
      await run('await vscode.commands.executeCommand("multi-edit.nextChange")');
      await expect.poll(() => run("return vscode.window.activeTextEditor.selection.start.line")).toBe(7);
      await run('await vscode.commands.executeCommand("multi-edit.keep.all")');
      await page.until("no change", counted.replace("3", "0"));
      return done;
    },
  },
  {
    name: "the list of calls: undo one of them",
    doors: ["agent"],
    isFresh: true,
    run: async (stage) => {
      const { page, run } = driverOf(stage);
      stage.lay({ "a.txt": "one\n", "b.txt": "one\n" });
      await stage.open("a.txt", "b.txt");
      await applied(stage, "agent", batch(["a.txt", "one", "1"]));
      await applied(stage, "agent", batch(["b.txt", "one", "1"]));
      void run('void vscode.commands.executeCommand("multi-edit.log")');
      await page.click(shown(".quick-input-list .monaco-list-row", /a\.txt/));
      await expect.poll(() => stage.texts()).toEqual({ "a.txt": "one\n", "b.txt": "1\n" });
      return done;
    },
  },
  {
    name: "a question whose dialogue was closed: diff view, then Apply in its title",
    doors: ["agent"],
    isFresh: true,
    run: async (stage) => {
      const { page, run } = driverOf(stage);
      stage.lay({ "a.txt": "one\nold\n" });
      await stage.open("a.txt");
      const told = stage.apply("agent", { ...batch(["a.txt", "old", "new"]), options: { confirm: true } });
      await page.until("the dialogue", isShown(".monaco-dialog-box .monaco-button", /Show Diff/));
      await page.press("Escape");
      await page.until("no dialogue", `document.querySelector(".monaco-dialog-box") === null`);
      await page.click(shown("#status\\\\.extensions, .statusbar-item a", /asks to change 1 file/));
      await page.click(shown(".monaco-dialog-box .monaco-button", /Show Diff/));
      await page.until("the diff", `document.querySelector(".multi-diff-root-widget, .monaco-diff-editor") !== null`);
      await run('await vscode.commands.executeCommand("multi-edit.acceptQuestion")');
      expect((await told).outcome).toBe("applied");
      expect(await stage.texts()).toEqual({ "a.txt": "one\nnew\n" });
      await expect.poll(() => run("return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length")).toBe(1);
      return "shown, done";
    },
  },
  {
    name: "the settings that the server gets by default",
    doors: ["agent"],
    run: async ({ wire }) => {
      const { params } = wire.messages.find(({ message }) => message.method === "initialize")?.message ?? {};
      const schema = await import("../../server/workspace/settings.js");
      const { properties } = schema.settingsJsonSchema() as { properties: Record<string, { default: unknown }> };
      const defaults = Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, value.default]));
      expect(params.initializationOptions).toEqual(defaults);
      expect(wire.messages.some(({ message }) => message.method === "window/showMessage")).toBe(false);
      return "the defaults";
    },
  },
];
