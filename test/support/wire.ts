/** Runs a case over the wire, with the server in its own process and the strict editor as its client. */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ResponseError } from "vscode-jsonrpc/node";
import type { MultiEditErrorData, MultiEditResult } from "../../server/lsp/protocol.js";
import type { Case, CaseFile } from "./cases.js";
import { filesBelow } from "./directory.js";
import type { FileState } from "./expected.js";
import type { FakeEditor } from "./fakeEditor.js";
import type { Seen } from "./outcome.js";
import { typedBetween } from "./past.js";

/**
 * The method of the call, which determines whether the answer proposes the edit to the client or the server applies it.
 */
export type Door = "multiEdit/apply" | "multiEdit.apply";

/** The outcome over the wire. */
export interface WireRun {
  readonly seen: Seen;
  /** Every file in the case's folder after the call, keyed by path. */
  readonly files: ReadonlyMap<string, FileState>;
}

/** Sets up a case's files in the editor and on disk, sends its call, and cleans up. */
export async function runOverWire(one: Case, editor: FakeEditor, door: Door, unopened?: "editor"): Promise<WireRun> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-case-")));
  const folders = one.folders.map((folder) => join(root, folder)).map((path) => ({ uri: toUri(path), name: path }));
  writeFiles(one, root);
  try {
    await editor.notify("workspace/didChangeWorkspaceFolders", { event: { added: folders, removed: [] } });
    for (const { path, synced, language, earlier } of one.files) {
      const text = earlier[0]?.text ?? synced;
      if (text !== undefined) await editor.open({ uri: toUri(join(root, path)), text, languageId: language });
    }
    if (one.settings !== undefined) await editor.setSettings(withRoot(one.settings, root));
    for (const file of one.files) await relive(file, editor, root);
    const seen = await send(one, editor, door, root, unopened);
    return { seen, files: filesOf(one, editor, root) };
  } finally {
    if (one.settings !== undefined) await editor.setSettings({});
    for (const uri of [...editor.documents.keys()]) await editor.close(uri);
    await editor.notify("workspace/didChangeWorkspaceFolders", { event: { added: [], removed: folders } });
    rmSync(root, { recursive: true, force: true });
  }
}

/** Adds to a page's request (a call or a patch) the option that says who changes files that are not open. */
function withOption(params: unknown, unopened: "editor" | undefined): unknown {
  if (unopened === undefined) return params;
  if (typeof params === "string") return { patch: params, options: { unopened } };
  const { options = {}, ...call } = params as { options?: object };
  return { ...call, options: { ...options, unopened } };
}

/** A page's request or settings, with `/project` replaced by the path of the real folder. */
export function withRoot(value: unknown, root: string): unknown {
  if (typeof value === "string") {
    const uri = value.replace(/^file:\/\/\/project(?=\/|$)/, toUri(root));
    return uri.replace(/^\/project(?=\/|$)/, root);
  }
  if (Array.isArray(value)) return value.map((item) => withRoot(item, root));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [String(withRoot(key, root)), withRoot(item, root)]),
  );
}

const toUri = (path: string): string => pathToFileURL(path).href;

function writeFiles(one: Case, root: string): void {
  for (const folder of one.folders) mkdirSync(join(root, folder), { recursive: true });
  for (const { path, disk, earlier } of one.files) {
    if (disk === undefined) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), earlier[0]?.text ?? disk);
  }
  for (const [path, target] of one.links) symlinkSync(join(root, target), join(root, path));
}

/** Takes an open file through its earlier texts: the caller reads them, and the user types and saves. */
async function relive(
  { path, earlier, synced, disk, came }: CaseFile,
  editor: FakeEditor,
  root: string,
): Promise<void> {
  const uri = toUri(join(root, path));
  const save = async (text: string): Promise<void> => {
    writeFileSync(join(root, path), text);
    await editor.notify("textDocument/didSave", { textDocument: { uri } });
  };
  for (const [i, { text, read, saved, came: arrived }] of earlier.entries()) {
    if (saved && i > 0 && arrived !== "reloaded") await save(text);
    if (read !== undefined) await editor.request("multiEdit/read", { path: join(root, path), ...read });
    const next = earlier[i + 1] ?? { text: synced ?? "", came };
    const whole = { from: 0, to: text.length, insert: next.text };
    if (next.came === "reloaded") writeFileSync(join(root, path), next.text);
    for (const change of next.came === "typed" ? typedBetween(text, next.text).reverse() : [whole])
      await editor.type({ uri, ...change });
  }
  const isSaved = earlier.length > 0 && came !== "reloaded" && disk?.toString() === synced;
  if (isSaved && synced !== undefined) await save(synced);
}

async function send(
  one: Case,
  editor: FakeEditor,
  door: Door,
  root: string,
  unopened: "editor" | undefined,
): Promise<Seen> {
  const params = withOption(withRoot(one.request, root), unopened);
  try {
    const answer =
      door === "multiEdit/apply"
        ? await editor.request(door, params)
        : await editor.request("workspace/executeCommand", { command: door, arguments: [params] });
    return await takeResult(answer as MultiEditResult, editor, door, root);
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    const { failures, edits } = withoutRoot(error.data as MultiEditErrorData, root);
    return { failures, edits, warnings: [] };
  }
}

/** If the answer proposes an edit, lets the client apply it; otherwise, checks that the server has applied the edit. */
async function takeResult(answer: MultiEditResult, editor: FakeEditor, door: Door, root: string): Promise<Seen> {
  if (door === "multiEdit/apply") await editor.apply(answer.edit!);
  const expected = door === "multiEdit/apply" ? "proposed" : "applied";
  if (answer.outcome !== expected || answer.applied !== (expected === "applied")) {
    throw new Error(`the outcome is ${answer.outcome}: ${answer.warnings.join("; ")}`);
  }
  const { diff, edits, warnings, label } = withoutRoot(answer, root);
  return { diff, failures: edits.flatMap(({ failure }) => failure ?? []), edits, warnings, label };
}

/** The server's answer, with the path of the real folder replaced by `/project`. */
function withoutRoot<T>(value: T, root: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(toUri(root), "file:///project").replaceAll(root, "/project"));
}

function filesOf(one: Case, editor: FakeEditor, root: string): Map<string, FileState> {
  const files = new Map<string, FileState>();
  for (const [path, disk] of filesBelow(root)) files.set(path, { disk });
  for (const link of one.links.keys()) {
    const entry = readdirSync(dirname(join(root, link)), { withFileTypes: true }).find(({ name }) =>
      link.endsWith(name),
    );
    if (entry?.isSymbolicLink() !== true) throw new Error(`${link} is no longer a link`);
  }
  for (const { uri, text } of editor.documents.values()) {
    const path = decodeURIComponent(uri.slice(toUri(root).length + 1));
    files.set(path, { ...files.get(path), synced: text });
  }
  return files;
}
