/** A strict editor without a screen: it speaks LSP to a server over stdio, and refuses whatever a strict editor would. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import {
  createMessageConnection,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import type {
  ApplyWorkspaceEditParams,
  ApplyWorkspaceEditResult,
  ClientCapabilities,
  ConfigurationParams,
  InitializeResult,
  LogMessageParams,
  ShowMessageRequestParams,
  WorkspaceEdit,
} from "vscode-languageserver/node";
import { type Encoding, positionOf, Refused, type Replacement, replaced } from "./editorText.js";
import { doOnDisk, type OpenDocument, type Step, stepsOf } from "./editorWorkspace.js";

/** How the editor takes `workspace/applyEdit`; all but the first have been seen in real editors. */
export type Behaviour =
  /** Does it, and syncs what it did. */
  | "honest"
  /** Does it and syncs it, but answers only on `answerNow`. */
  | "answersLate"
  /** Does nothing and never answers. */
  | "neverAnswers"
  /** Does nothing and says that it did. */
  | "lies"
  /** Does nothing and says so. */
  | "refuses"
  /** Does nothing and answers with a JSON-RPC error. */
  | "answersErrors"
  /** Does it whatever the versions are. */
  | "ignoresVersions"
  /** Does the first replacement of the first document only, and says that it did it all. */
  | "appliesPartly"
  /** Does it, with LF for every line end that is inserted. */
  | "normalisesLineEnds";

/** What happens to a file that is edited without being open. */
export type Unopened = "written" | "opened";

/** What the editor is like; everything may be left out but the server and the folders. */
export interface EditorOptions {
  /** Program and arguments of the server. */
  readonly server: readonly [string, ...string[]];
  /** Paths of the workspace folders. */
  readonly folders: readonly string[];
  /** Offered in this order; `undefined`: the client says nothing, which means utf-16. */
  readonly encodings?: readonly Encoding[];
  /** Instead of the defaults, key by key. */
  readonly capabilities?: ClientCapabilities;
  readonly clientInfo?: { readonly name: string; readonly version?: string };
  /** The settings of the section `multiEdit`, sent at the start and answered when asked for. */
  readonly settings?: unknown;
  /**
   * What `workspace/applyEdit` does to a file that is not open: it is written to disk, or opened, edited and left unsaved,
   * as real editors do and as is the default.
   */
  readonly unopened?: Unopened;
  /** Whether a change is synced before or after the edit that made it is answered. */
  readonly syncs?: "beforeAnswer" | "afterAnswer";
  /** Working directory of the server. */
  readonly cwd?: string;
}

/** A running editor with its server. */
export interface FakeEditor {
  readonly connection: MessageConnection;
  readonly process: ChildProcessWithoutNullStreams;
  readonly initialized: InitializeResult;
  /** What was negotiated. */
  readonly encoding: Encoding;
  /** By URI, as it was opened. */
  readonly documents: ReadonlyMap<string, OpenDocument>;
  /** Every `workspace/applyEdit` that came. */
  readonly asked: readonly ApplyWorkspaceEditParams[];
  /** Why edits were refused. */
  readonly refusals: readonly string[];
  /** `window/logMessage` and `window/showMessage`. */
  readonly messages: readonly LogMessageParams[];
  readonly questions: readonly ShowMessageRequestParams[];
  /** What the server wrote to stderr. */
  readonly stderr: () => string;
  readonly request: (method: string, params: unknown) => Promise<unknown>;
  readonly notify: (method: string, params: unknown) => Promise<void>;
  readonly open: (document: { uri: string; text: string; languageId?: string; version?: number }) => Promise<void>;
  /** Replaces `[from, to)`, in UTF-16 units, as if somebody typed; syncs it. */
  readonly type: (uri: string, typed: { from: number; to: number; insert: string }) => Promise<void>;
  readonly close: (uri: string) => Promise<void>;
  /**
   * Applies an edit that a request answered with; what is not open is written to disk. Throws `Refused`, and then nothing
   * is changed.
   */
  readonly apply: (edit: WorkspaceEdit) => Promise<void>;
  readonly behave: (behaviour: Behaviour) => void;
  /** Lets the answers go that `answersLate` holds back. */
  readonly answerNow: () => void;
  /** The title of the action that questions are answered with; `undefined`: they are dismissed. */
  readonly answerQuestionsWith: (title: string | undefined) => void;
  readonly setSettings: (settings: unknown) => Promise<void>;
  /** Shuts the server down as LSP says; gives its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** Starts a server and initializes it. */
export async function startEditor(options: EditorOptions): Promise<FakeEditor> {
  const [program, ...args] = options.server;
  const child = spawn(program, args, { cwd: options.cwd, stdio: "pipe" });
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  child.stdin.on("error", () => undefined); // A server that has gone is told by its exit code, not by a broken pipe.
  const texts = new Texts(connection, options);
  const window = listen(connection, options);
  const answers = answerEdits(connection, texts, options.syncs ?? "afterAnswer");
  connection.listen();
  const initialized: InitializeResult = await connection.sendRequest("initialize", initializeParams(options));
  texts.encoding = knownEncoding(initialized.capabilities.positionEncoding);
  await connection.sendNotification("initialized", {});
  return {
    connection,
    process: child,
    initialized,
    encoding: texts.encoding,
    documents: texts.open,
    ...answers,
    ...window,
    stderr: () => stderr,
    request: (method, params) => connection.sendRequest(method, params),
    notify: (method, params) => connection.sendNotification(method, params),
    open: (document) => texts.openDocument({ languageId: "plaintext", version: 1, ...document }),
    type: (uri, { from, to, insert }) => texts.typed(uri, from, to, insert),
    close: (uri) => texts.closeDocument(uri),
    apply: async (edit) => texts.commit(texts.check(edit, "checked"), "written"),
    stop: () => stop(connection, child),
  };
}

function initializeParams({ folders, encodings, capabilities, clientInfo, settings }: EditorOptions) {
  const workspaceFolders = folders.map((path) => ({ uri: pathToFileURL(path).href, name: path }));
  return {
    processId: process.pid,
    clientInfo: clientInfo ?? { name: "fake editor", version: "1" },
    rootUri: workspaceFolders[0]?.uri ?? null,
    workspaceFolders,
    ...(settings === undefined ? {} : { initializationOptions: settings }),
    capabilities: {
      workspace: {
        applyEdit: true,
        workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] },
        configuration: true,
        workspaceFolders: true,
        didChangeConfiguration: { dynamicRegistration: true },
      },
      general: encodings === undefined ? {} : { positionEncodings: [...encodings] },
      ...capabilities,
    },
  };
}

function knownEncoding(answered: string | undefined): Encoding {
  const encoding = answered ?? "utf-16";
  if (encoding === "utf-8" || encoding === "utf-16" || encoding === "utf-32") return encoding;
  throw new Error(`the server chose the unknown encoding ${encoding}`);
}

/** Notes what the server says, and answers what it asks. */
function listen(connection: MessageConnection, options: EditorOptions) {
  const messages: LogMessageParams[] = [];
  const questions: ShowMessageRequestParams[] = [];
  let settings = options.settings ?? {};
  let title: string | undefined;
  connection.onNotification("window/logMessage", (params: LogMessageParams) => void messages.push(params));
  connection.onNotification("window/showMessage", (params: LogMessageParams) => void messages.push(params));
  connection.onRequest("window/showMessageRequest", (params: ShowMessageRequestParams) => {
    questions.push(params);
    return params.actions?.find((action) => action.title === title) ?? null;
  });
  connection.onRequest("client/registerCapability", () => null);
  connection.onRequest("client/unregisterCapability", () => null);
  connection.onRequest("workspace/configuration", ({ items }: ConfigurationParams) =>
    items.map(({ section }) => (section === "multiEdit" ? settings : null)),
  );
  return {
    messages,
    questions,
    answerQuestionsWith: (answer: string | undefined) => {
      title = answer;
    },
    setSettings: async (changed: unknown) => {
      settings = changed ?? {};
      await connection.sendNotification("workspace/didChangeConfiguration", { settings: { multiEdit: settings } });
    },
  };
}

/** Answers `workspace/applyEdit` in the way that `behave` sets. */
function answerEdits(connection: MessageConnection, texts: Texts, syncs: "beforeAnswer" | "afterAnswer") {
  const asked: ApplyWorkspaceEditParams[] = [];
  const refusals: string[] = [];
  let behaviour: Behaviour = "honest";
  let held: (() => void)[] = [];
  const take = async (edit: WorkspaceEdit): Promise<ApplyWorkspaceEditResult> => {
    try {
      const steps = changedBy(behaviour, texts.check(edit, behaviour === "ignoresVersions" ? "ignored" : "checked"));
      if (syncs === "beforeAnswer" || behaviour === "answersLate") await texts.commit(steps);
      else setImmediate(() => void texts.commit(steps));
      return { applied: true };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refusals.push(error.message);
      return { applied: false, failureReason: error.message };
    }
  };
  connection.onRequest("workspace/applyEdit", async (params: ApplyWorkspaceEditParams) => {
    asked.push(params);
    if (behaviour === "neverAnswers") return new Promise(() => undefined);
    if (behaviour === "lies") return { applied: true };
    if (behaviour === "refuses") return { applied: false, failureReason: "the editor does not want to" };
    if (behaviour === "answersErrors") return new ResponseError(-32603, "the editor broke");
    const result = await take(params.edit);
    if (behaviour === "answersLate") await new Promise<void>((resolve) => held.push(resolve));
    return result;
  });
  return {
    asked,
    refusals,
    behave: (next: Behaviour) => {
      behaviour = next;
    },
    answerNow: () => {
      for (const answer of held) answer();
      held = [];
    },
  };
}

function changedBy(behaviour: Behaviour, steps: readonly Step[]): readonly Step[] {
  if (behaviour === "appliesPartly") {
    return steps
      .slice(0, 1)
      .map((step) => (step.kind === "edit" ? { ...step, replacements: step.replacements.slice(0, 1) } : step));
  }
  if (behaviour !== "normalisesLineEnds") return steps;
  const toLf = (replacement: Replacement) => ({ ...replacement, insert: replacement.insert.replace(/\r\n?/g, "\n") });
  return steps.map((step) => (step.kind === "edit" ? { ...step, replacements: step.replacements.map(toLf) } : step));
}

/** The open documents, and how their changes are told to the server. */
class Texts {
  readonly open = new Map<string, OpenDocument>();
  encoding: Encoding = "utf-16";

  constructor(
    private readonly connection: MessageConnection,
    private readonly options: EditorOptions,
  ) {}

  async openDocument(document: OpenDocument): Promise<void> {
    this.open.set(document.uri, document);
    await this.connection.sendNotification("textDocument/didOpen", { textDocument: document });
  }

  async closeDocument(uri: string): Promise<void> {
    this.open.delete(uri);
    await this.connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
  }

  async typed(uri: string, from: number, to: number, insert: string): Promise<void> {
    const { text } = this.open.get(uri)!;
    const range = { start: positionOf(text, from, this.encoding), end: positionOf(text, to, this.encoding) };
    await this.change(uri, [{ from, to, insert, range }]);
  }

  check(edit: WorkspaceEdit, versions: "checked" | "ignored"): readonly Step[] {
    return stepsOf(edit, this.open, { encoding: this.encoding, versions });
  }

  async commit(steps: readonly Step[], unopened: Unopened = this.options.unopened ?? "opened"): Promise<void> {
    for (const step of steps) {
      if (step.kind === "edit") await this.change(step.uri, step.replacements);
      else if (step.kind === "write" && unopened === "opened") await this.openAndChange(step);
      else await this.toDisk(step);
    }
  }

  /** Later places first, so that the positions of the earlier ones stay true. */
  private async change(uri: string, replacements: readonly Replacement[]): Promise<void> {
    const document = this.open.get(uri)!;
    const version = document.version + 1;
    this.open.set(uri, { ...document, version, text: replaced(document.text, replacements) });
    await this.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: replacements.toReversed().map(({ range, insert }) => ({ range, text: insert })),
    });
  }

  /** A new file is on disk at once, but its text is not. */
  private async openAndChange({ uri, before, replacements }: Extract<Step, { kind: "write" }>): Promise<void> {
    if (before.created) doOnDisk({ kind: "write", uri, before, replacements: [] });
    if (replacements.length === 0) return;
    await this.openDocument({ uri, languageId: "plaintext", version: 1, text: before.text });
    await this.change(uri, replacements);
  }

  private async toDisk(step: Exclude<Step, { kind: "edit" }>): Promise<void> {
    const document = this.open.get(step.uri);
    if (document !== undefined) await this.closeDocument(step.uri);
    doOnDisk(step);
    if (document !== undefined && step.kind === "rename") {
      await this.openDocument({ ...document, uri: step.newUri, version: 1 });
    }
  }
}

async function stop(connection: MessageConnection, child: ChildProcessWithoutNullStreams): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const exit = once(child, "exit");
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  await exit;
  connection.dispose();
  return child.exitCode;
}
