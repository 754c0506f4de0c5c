/** An extension for tests: does in VS Code what a test asks for through a socket. */
const { connect } = require("node:net");
const { createInterface } = require("node:readline");
const vscode = require("vscode");

const documentAt = (path) =>
  vscode.workspace.textDocuments.find(({ uri, isClosed }) => !isClosed && uri.scheme === "file" && uri.fsPath === path);

const shownAs = (path) => vscode.window.visibleTextEditors.find(({ document }) => document.uri.fsPath === path);

/** Opens a file as a click does. VS Code's function for extensions would keep the document for minutes. */
async function reveal(path) {
  await vscode.commands.executeCommand("vscode.open", vscode.Uri.file(path), { preview: false });
  await until(() => shownAs(path) !== undefined, `${path} is not shown`);
  return shownAs(path);
}

/** Waits for what VS Code has done: an extension hears of it a moment later. */
async function until(isSo, problem) {
  for (let tries = 0; tries < 500; tries++) {
    if (isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(problem);
}

/** Opens a file, and leaves the keyboard to it. */
async function show(path) {
  const editor = await reveal(path);
  await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
  return editor;
}

const hasTab = (uri) =>
  vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).some(({ input }) => String(input?.uri) === String(uri));

const wholeOf = (document) => new vscode.Range(0, 0, document.lineCount, 0);

/** Comes back once VS Code has done everything that was asked of it before. */
const settle = async () => void (await vscode.commands.executeCommand("getContextKeyInfo"));

const methods = {
  open: async (path) => void (await show(path)),
  async retype({ path, text }) {
    const shown = shownAs(path);
    const editor = shown !== undefined && shown === vscode.window.activeTextEditor ? shown : await reveal(path);
    if (editor.document.getText() === text) return;
    const isDone = await editor.edit((edit) => {
      edit.replace(wholeOf(editor.document), text);
      edit.setEndOfLine(/\r\n/.test(text) ? vscode.EndOfLine.CRLF : vscode.EndOfLine.LF);
    });
    if (!isDone) throw new Error("the edit was refused");
  },
  command: (call) => vscode.commands.executeCommand("multi-edit.apply", call),
  held(path) {
    const document = documentAt(path);
    // After a rename, VS Code may keep a document that has no tab and is not used any more.
    if (document === undefined || (!document.isDirty && !hasTab(document.uri))) return undefined;
    return { text: document.getText(), modified: document.isDirty };
  },
  opened: () => vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath),
  async save(path) {
    await show(path);
    await vscode.commands.executeCommand("workbench.action.files.save");
    return documentAt(path)?.isDirty === false;
  },
  focus: async (path) => void (await show(path)),
  versions: () => JSON.stringify(vscode.workspace.textDocuments.map(({ version }) => version)),
  async find({ path, before }) {
    const editor = await show(path);
    const at = editor.document.positionAt(editor.document.getText().indexOf(before));
    editor.selection = new vscode.Selection(at, at);
    editor.revealRange(editor.selection);
    // A key must not be quicker than the cursor.
    await settle();
  },
  settle,
  async closeAll() {
    // The messages of refused calls would pile up.
    void vscode.commands.executeCommand("notifications.clearAll");
    for (const tab of vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ isDirty }) => isDirty)) {
      // The file of a notebook would open as a text beside it.
      const { uri, notebookType } = tab.input;
      const command = notebookType === undefined ? ["vscode.open", uri] : ["vscode.openWith", uri, notebookType];
      await vscode.commands.executeCommand(...command);
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    }
    for (const { uri } of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
      await vscode.commands.executeCommand("vscode.open", uri);
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    }
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    // A document that was renamed with unsaved changes stays open without a tab.
    for (const { uri } of vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === "file")) {
      await vscode.commands.executeCommand("vscode.open", uri);
      await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    }
    // The next file may have the same path.
    const isShown = () => vscode.window.visibleTextEditors.some(({ document }) => document.uri.scheme === "file");
    await until(() => !isShown(), "an editor is still shown");
  },
  /** Runs the body of a function, for scenes that only this editor has. */
  run: (body) => new (Object.getPrototypeOf(async () => {}).constructor)("vscode", "require", body)(vscode, require),
};

exports.activate = () => {
  const socket = connect(process.env.EDITOR_SOCKET);
  const say = (value) => socket.write(`${JSON.stringify(value)}\n`);
  socket.on("error", () => undefined);
  say({ editor: process.pid, version: vscode.version });
  createInterface({ input: socket }).on("line", async (line) => {
    const { id, method, params } = JSON.parse(line);
    try {
      say({ id, result: (await methods[method](params)) ?? null });
    } catch (error) {
      say({ id, error: String(error?.stack ?? error) });
    }
  });
};
