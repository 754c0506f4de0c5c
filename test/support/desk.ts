/**
 * A strict editor with a set of files, for testing one conversation; everything on the desk is removed after the test.
 */
import { cpSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { type CancellationToken, ResponseError } from "vscode-jsonrpc/node";
import type { MultiEditErrorData, MultiEditResult, ReadResult } from "../../server/lsp/protocol.js";
import { buildProgram, type Program } from "./build.js";
import { hastyClock } from "./clocks.js";
import { type Entry, makeDirectory, textsBelow } from "./directory.js";
import { type EditorOptions, type FakeEditor, startEditor } from "./fakeEditor.js";

/**
 * The contents of the desk; all fields are optional. Paths are relative to a new directory, which by default is the
 * only workspace folder.
 */
export interface DeskOptions extends Partial<EditorOptions> {
  readonly files?: Readonly<Record<string, Entry>>;
  /** Synced texts of open documents; a document without an entry in `files` was never saved. */
  readonly open?: Readonly<Record<string, string>>;
  /** Additional arguments for the server. */
  readonly args?: readonly string[];
  /**
   * Names of the subdirectories that serve as workspace folders; by default, the new directory itself is the only one.
   */
  readonly folderNames?: readonly string[];
  /**
   * The setting `proofTimeout`, in milliseconds: kept short in tests in which the server waits in vain for the editor.
   */
  readonly proofTimeout?: number;
}

/** One conversation between an editor and the server. */
export interface Desk {
  readonly editor: FakeEditor;
  /** Canonical path of the directory. */
  readonly root: string;
  /** `file:` URI for a path in the directory. */
  uri(path: string): string;
  /** All open texts, keyed by path or, for documents that are not files, by URI. */
  texts(): Record<string, string>;
  /** All files by path, as UTF-8. */
  disk(): Record<string, string>;
  /** The request `multiEdit/apply`. */
  propose(params: unknown, token?: CancellationToken): Promise<MultiEditResult>;
  /** The command `multiEdit.apply`. */
  apply(params: unknown, token?: CancellationToken): Promise<MultiEditResult>;
  /** The request `multiEdit/undo`; without an id, it undoes the last transaction. */
  undo(transaction?: string): Promise<MultiEditResult>;
  /** The request `multiEdit/read`. */
  read(params: unknown): Promise<ReadResult>;
  /** Types `insert` before the first occurrence of `text`. */
  typeBefore(path: string, text: string, insert: string): Promise<void>;
}

/** A failed call as the client receives it. */
export interface Failed extends MultiEditErrorData {
  readonly rpcCode: number;
  readonly message: string;
  /** The failure codes. */
  readonly codes: readonly string[];
}

/** Options that do not affect how the server starts, or that only the editor uses. */
const light = [
  "files",
  "open",
  "proofTimeout",
  "unopened",
  "syncs",
  "saves",
  "tells",
  "onRename",
  "onDelete",
  "directories",
];

/** Default settings for tests: applied changes stay unsaved. */
const unsaved = { save: "never" };

/** Idle editors, keyed by program and by the options that they were started with. */
const idle = new Map<Program, Map<string, FakeEditor[]>>();

/**
 * Creates the files and opens the documents. If all the options are `light`, borrows an editor that several tests
 * share; otherwise starts an editor with its own server.
 */
export async function layDesk(program: Program, options: DeskOptions = {}): Promise<Desk> {
  const { files = {}, open = {}, args = [], folderNames = ["."], proofTimeout, ...rest } = options;
  const saved = Object.fromEntries(Object.entries(open).filter(([path]) => !path.includes(":") && !(path in files)));
  const root = makeDirectory({ ...saved, ...files });
  const folders = folderNames.map((name) => join(root, name));
  const server = [process.execPath, program.path, "--stdio", ...args] as const;
  const given = proofTimeout === undefined ? undefined : { ...unsaved, proofTimeout };
  const editor = Object.keys(options).every((name) => light.includes(name))
    ? await borrow(program, { server, settings: unsaved, ...rest }, { folder: root, settings: given })
    : await startAlone({ server, folders, settings: given ?? unsaved, ...rest });
  for (const [path, text] of Object.entries(open)) await editor.open({ uri: uriIn(root, path), text });
  return deskOf(editor, root);
}

/**
 * The built server for the desks of a test file, which are removed with their editors after the file's tests. `isCopied`:
 * `true` if the server is copied to the program's folder, because another user must be able to read it.
 */
export function serverForDesks({ isCopied = false }: { readonly isCopied?: boolean } = {}): Program {
  const program = { path: "", folder: "", remove(): void {} };
  beforeAll(async () => {
    Object.assign(program, await buildProgram(new URL("../../server/main.ts", import.meta.url)));
    if (!isCopied) return;
    cpSync(dirname(program.path), join(program.folder, "dist"), { recursive: true });
    program.path = join(program.folder, "dist/main.cjs");
  });
  afterAll(async () => {
    await clearDesks(program);
    program.remove();
  });
  return program;
}

/**
 * The command for a server whose timeouts of `least` ms or more expire `times` times as fast. The command works until
 * the program is removed.
 */
export function hastyServer(program: Program, times: number, least = 30_000): readonly [string, ...string[]] {
  return [process.execPath, ...hastyClock(times, least), program.path, "--stdio"];
}

/**
 * The command for a server whose clock runs `times` times as fast, so that everything it measures seems to take `times`
 * times as long.
 */
export function slowServer(program: Program, times: number): readonly [string, ...string[]] {
  const source = `const now = performance.now.bind(performance); performance.now = () => ${times} * now();`;
  return clockedServer(program, `slow${times}`, source);
}

function clockedServer(program: Program, name: string, source: string): readonly [string, ...string[]] {
  const clock = join(program.folder, `${name}.cjs`);
  writeFileSync(clock, source);
  return [process.execPath, "--require", clock, program.path, "--stdio"];
}

/** Stops the editors that were kept for reuse. */
async function clearDesks(program: Program): Promise<void> {
  const editors = [...(idle.get(program)?.values() ?? [])].flat();
  idle.delete(program);
  for (const editor of editors) await stopCleanly(editor);
}

async function startAlone(options: EditorOptions): Promise<FakeEditor> {
  const editor = await startEditor(options);
  onTestFinished(() => stopCleanly(editor));
  return editor;
}

const dead = new WeakSet<FakeEditor>();

/** Ends an editor as one ends that is killed: without a word, its pipes are closed. */
export function kill(editor: FakeEditor): void {
  dead.add(editor);
  editor.connection.dispose();
  for (const stream of [editor.process.stdin, editor.process.stdout]) stream.destroy();
}

async function stopCleanly(editor: FakeEditor): Promise<void> {
  // A server whose editor has died ends by itself.
  if (dead.has(editor)) await expect.poll(() => editor.process.exitCode).toBe(1);
  else expect(await editor.stop()).toBe(0);
  expect(editor.stderr()).toBe("");
}

/**
 * An idle editor if there is one, otherwise a new one. If the test passes and no answer is pending, the editor becomes
 * idle again.
 */
async function borrow(
  program: Program,
  options: Omit<EditorOptions, "folders">,
  { folder, settings }: { folder: string; settings: unknown },
): Promise<FakeEditor> {
  const key = JSON.stringify(options);
  const kept = idle.get(program) ?? new Map<string, FakeEditor[]>();
  idle.set(program, kept);
  const editor = kept.get(key)?.pop() ?? (await startEditor({ ...options, folders: [] }));
  const folders = [{ uri: pathToFileURL(folder).href, name: folder }];
  await editor.notify("workspace/didChangeWorkspaceFolders", { event: { added: folders, removed: [] } });
  if (settings !== undefined) await editor.setSettings(settings);
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== "pass" || editor.owesAnswers()) return stopCleanly(editor);
    await editor.reset();
    await editor.notify("workspace/didChangeWorkspaceFolders", { event: { added: [], removed: folders } });
    if (settings !== undefined) await editor.setSettings(unsaved);
    kept.set(key, [...(kept.get(key) ?? []), editor]);
  });
  return editor;
}

const uriIn = (root: string, path: string): string =>
  path.includes(":") ? path : pathToFileURL(join(root, path)).href;

function deskOf(editor: FakeEditor, root: string): Desk {
  const uri = (path: string): string => uriIn(root, path);
  const folder = `${pathToFileURL(root).href}/`;
  const pathOf = (at: string): string => (at.startsWith(folder) ? decodeURIComponent(at.slice(folder.length)) : at);
  return {
    editor,
    root,
    uri,
    texts: () => Object.fromEntries([...editor.documents.values()].map((one) => [pathOf(one.uri), one.text])),
    disk: () => textsBelow(root),
    // The casts assume the protocol's types; the tests check that the answers have them.
    propose: async (params, token) => (await editor.request("multiEdit/apply", params, token)) as MultiEditResult,
    apply: async (params, token) =>
      (await editor.request(
        "workspace/executeCommand",
        { command: "multiEdit.apply", arguments: [params] },
        token,
      )) as MultiEditResult,
    undo: async (transaction) =>
      (await editor.request(
        "multiEdit/undo",
        transaction === undefined ? undefined : { transaction },
      )) as MultiEditResult,
    read: async (params) => (await editor.request("multiEdit/read", params)) as ReadResult,
    typeBefore: async (path, text, insert) => {
      while (editor.pendingEdit() !== undefined) await editor.pendingEdit();
      const at = editor.documents.get(uri(path))!.text.indexOf(text);
      if (at === -1) throw new Error(`${path} has no ${JSON.stringify(text)}`);
      await editor.type({ uri: uri(path), from: at, to: at, insert });
    },
  };
}

/** The failure of a call; throws if the call succeeded. */
export async function failed(answer: Promise<unknown>): Promise<Failed> {
  let succeeded: unknown;
  try {
    succeeded = await answer;
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    const { failures = [], edits = [], diff } = (error.data ?? {}) as Partial<MultiEditErrorData>;
    return {
      ...(diff === undefined ? {} : { diff }),
      rpcCode: error.code,
      message: error.message,
      failures,
      edits,
      codes: failures.map(({ code }) => code),
    };
  }
  throw new Error(`the call did not fail: ${JSON.stringify(succeeded)}`);
}

/** The outcome of a call, successful or not. */
export interface Told {
  readonly outcome: MultiEditResult["outcome"] | "failed";
  /** Distinct codes of all failures. */
  readonly codes: readonly string[];
  /** The text for a person or a model: the error's message, or the warnings. */
  readonly text: string;
  readonly edits: MultiEditResult["edits"];
  /** The JSON-RPC error code; `undefined` if the call succeeded. */
  readonly rpcCode: number | undefined;
}

/** Waits for the answer to a call and returns its outcome. */
export async function told(answer: Promise<MultiEditResult>): Promise<Told> {
  try {
    const { outcome, warnings, edits } = await answer;
    const codes = [...new Set(edits.flatMap(({ failure }) => failure?.code ?? []))];
    return { outcome, codes, text: warnings.join("\n"), edits, rpcCode: undefined };
  } catch (error) {
    const { codes, message, edits, rpcCode } = await failed(Promise.reject(error));
    return { outcome: "failed", codes: [...new Set(codes)], text: message, edits, rpcCode };
  }
}

/** A call with a Codex patch; the begin and end markers are added around the lines. */
export function patchOf(...lines: readonly string[]): { patch: string } {
  return { patch: ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n") };
}

/**
 * Adds to a call the option that makes the editor change the files that are not open; by default, the server writes
 * these files.
 */
export function throughEditor<Call extends object>(call: Call) {
  const { options } = call as { readonly options?: object };
  return { ...call, options: { ...options, unopened: "editor" } };
}

/** A batch of edits, each given as its path, old text and new text. */
export function batch(...edits: readonly (readonly [path: string, oldText: string, newText: string])[]) {
  return { edits: edits.map(([path, oldText, newText]) => ({ path, oldText, newText })) };
}
