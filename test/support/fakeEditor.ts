/** A headless editor: it speaks LSP to a server over stdio and refuses everything that a strict editor would. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type CancellationToken,
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import type {
  ApplyWorkspaceEditParams,
  ClientCapabilities,
  ConfigurationParams,
  InitializeParams,
  InitializeResult,
  LogMessageParams,
  RegistrationParams,
  ShowMessageRequestParams,
  WorkspaceEdit,
} from "vscode-languageserver/node";
import type { DidApplyParams, SaveDocumentsParams } from "../../server/lsp/protocol.js";
import { answerEdits, type Behaviour, type EditTaker } from "./editorAnswers.js";
import type { ConfirmView } from "./editorConfirms.js";
import { saveText } from "./editorFiles.js";
import { type Notifier, notifierOf } from "./editorNotices.js";
import { answerSaves, type SavingManner } from "./editorSaves.js";
import { type Encoding, positionOf, type Replacement, replaced } from "./editorText.js";
import { answerWindow, type Shown, type WindowOptions } from "./editorWindow.js";
import { doOnDisk, type OpenDocument, type Step, stepsOf } from "./editorWorkspace.js";

/** The way to edit a file that is not open; `hidden`: the file is opened and edited, but never synced. */
export type Unopened = "written" | "opened" | "hidden";

/** Text that the user types to replace the range `[from, to)`, in UTF-16 code units. */
export interface Typed {
  readonly uri: string;
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Properties of the editor; all are optional except the server and the folders. */
export interface EditorOptions extends WindowOptions {
  /** The server's program and arguments. */
  readonly server: readonly [string, ...string[]];
  /** Paths of the workspace folders. */
  readonly folders: readonly string[];
  /** Encodings that the client offers, in order of preference; if `undefined`, it offers none, which means UTF-16. */
  readonly encodings?: readonly string[];
  /** Capabilities that replace the defaults, key by key. */
  readonly capabilities?: ClientCapabilities;
  /** Params of `initialize` that extend or override those derived from the other options. */
  readonly params?: Partial<InitializeParams>;
  readonly clientInfo?: { readonly name: string; readonly version?: string };
  /**
   * The way that `workspace/applyEdit` changes a file that is not open. By default, the file is opened, edited and left
   * unsaved, as in real editors.
   */
  readonly unopened?: Unopened;
  /** The point at which a change is synced: before or after answering the edit that made it. */
  readonly syncs?: EditTaker["syncs"];
  /** The form of a synced change: ranges, or the whole text. */
  readonly tells?: "changes" | "wholeText";
  /** `returns`: as in Neovim, a removed final LF is restored immediately, and an empty file reads as one LF. */
  readonly finalLineEnd?: "returns";
  /** `lf`: CRLF becomes LF on opening, as in Emacs; combine it with `saves: "crlf"` to write CRLF back. */
  readonly lineEnds?: "lf";
  /**
   * The fate of an open document when its file is renamed. `undefined`: it is closed and opened again with its text;
   * `saves`: the same, but it is saved first (Neovim); `keepsOpen`: it stays open under its old name; `loses`: it is
   * closed and its text is lost.
   */
  readonly onRename?: "saves" | "keepsOpen" | "loses";
  /** `keepsOpen`: a document stays open when its file is deleted, as in Helix; `undefined`: it is closed. */
  readonly onDelete?: "keepsOpen";
  /**
   * `needed`: a rename into a missing directory fails, as in Helix; `undefined` if the editor creates the directory.
   */
  readonly directories?: "needed";
  /** The way the editor saves documents at the server's request; `undefined` if it does not support this. */
  readonly saves?: SavingManner;
  /** User id under which the server runs; `undefined` for that of the user who runs the tests. */
  readonly uid?: number;
  /** The server's working directory. */
  readonly cwd?: string;
}

/** A running editor with its server. */
export interface FakeEditor extends ConfirmView {
  readonly connection: MessageConnection;
  readonly process: ChildProcessWithoutNullStreams;
  readonly initialized: InitializeResult;
  /** The negotiated encoding. */
  readonly encoding: Encoding;
  /** Open documents, keyed by URI as spelt when they were opened. */
  readonly documents: ReadonlyMap<string, OpenDocument>;
  /** Texts of the files that `hidden` has opened, keyed by URI. */
  readonly hidden: ReadonlyMap<string, string>;
  /** Every `workspace/applyEdit` request received. */
  readonly asked: readonly ApplyWorkspaceEditParams[];
  /** The reason for each refused edit. */
  readonly refusals: readonly string[];
  /** Every `window/logMessage` notification received, and every `window/showMessage`, whose params are alike. */
  readonly messages: readonly LogMessageParams[];
  readonly notices: readonly LogMessageParams[];
  readonly questions: readonly ShowMessageRequestParams[];
  /** Every `multiEdit/saveDocuments` request received. */
  readonly saving: readonly SaveDocumentsParams[];
  /** Every `multiEdit/didApply` notification received. */
  readonly applied: readonly DidApplyParams[];
  /** Every `window/showDocument` request received, with the file as it was at the time. */
  readonly shown: readonly Shown[];
  /** Every `workspace/configuration` request received. */
  readonly configurations: readonly ConfigurationParams[];
  /** Every `client/registerCapability` request received. */
  readonly registrations: readonly RegistrationParams[];
  /** Everything that the server wrote to stderr. */
  readonly stderr: () => string;
  readonly request: (method: string, params: unknown, token?: CancellationToken) => Promise<unknown>;
  readonly notify: (method: string, params: unknown) => Promise<void>;
  readonly open: (document: { uri: string; text: string; languageId?: string; version?: number }) => Promise<void>;
  /**
   * Settles when the most recently accepted edit has been applied to the text; anything typed before then is applied
   * after the edit. `undefined` if no edit is pending.
   */
  readonly pendingEdit: () => Promise<void> | undefined;
  /** Types the text and syncs it. */
  readonly type: (typed: Typed) => Promise<void>;
  /** Types the text and syncs it some milliseconds later. */
  readonly typeUnsynced: (typed: Typed, milliseconds: number) => void;
  /**
   * Makes the user type right after the next edit to the document, at offsets in the edited text; the edit and the
   * typed text are synced as one change.
   */
  readonly typeWithNextEdit: (typed: Typed) => void;
  readonly close: (uri: string) => Promise<void>;
  /**
   * Applies the edit from a request's answer; files that are not open are written to disk. If it throws `Refused`,
   * nothing has changed.
   */
  readonly apply: (edit: WorkspaceEdit) => Promise<void>;
  /** Sets how the editor handles the next edits, one behaviour per edit; the last behaviour stays in force. */
  readonly behave: (...behaviours: readonly [Behaviour, ...Behaviour[]]) => void;
  /** Sets a function that runs whenever an edit arrives, before the editor handles it. */
  readonly beforeEdits: (act: (params: ApplyWorkspaceEditParams) => unknown) => void;
  /** Sends the answers that `answersLate` holds back. */
  readonly answerNow: () => void;
  /**
   * Sets the titles of the actions that answer the next questions, one per question; the last title stays in force.
   * `undefined`: the question is dismissed.
   */
  readonly answerQuestionsWith: (...titles: readonly [string | undefined, ...(string | undefined)[]]) => void;
  /**
   * Sets a function that runs whenever a question arrives, before it is answered. An error that it throws is sent as
   * the answer.
   */
  readonly beforeAnswers: (act: () => unknown) => void;
  /** Changes the settings that the client returns on request, without notifying the server. */
  readonly keepSettings: (settings: unknown) => void;
  readonly setSettings: (settings: unknown) => Promise<void>;
  /** Reports whether the server is waiting for an answer that may never come. */
  readonly owesAnswers: () => boolean;
  /** Closes every document, restores the initial behaviour, and forgets all messages from the server. */
  readonly reset: () => Promise<void>;
  /** Shuts the server down as LSP prescribes; returns its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** Starts a server and initializes it. */
export async function startEditor(options: EditorOptions): Promise<FakeEditor> {
  const [program, ...args] = options.server;
  const child = spawn(program, args, { cwd: options.cwd, uid: options.uid, stdio: "pipe" });
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  child.stdin.on("error", () => undefined); // An early exit must show as an exit code, not as a broken pipe.
  const texts = new Texts(notifierOf(connection, child), options);
  const window = answerWindow(connection, options);
  const answers = answerEdits(connection, texts);
  const saving = answerSaves(connection, texts, options.saves ?? "refuses");
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
    hidden: texts.hidden,
    ...answers,
    ...window,
    saving,
    stderr: () => stderr,
    // An `undefined` token would be sent as a second param.
    request: (method, params, token) => connection.sendRequest(method, params, ...(token === undefined ? [] : [token])),
    notify: (method, params) => connection.sendNotification(method, params),
    open: (document) => texts.openDocument({ languageId: "plaintext", version: 1, ...document }),
    type: (typed) => texts.typed(typed),
    typeUnsynced: (typed, milliseconds) => texts.typedUnsynced(typed, milliseconds),
    typeWithNextEdit: (typed) => void texts.typing.set(typed.uri, typed),
    close: (uri) => texts.closeDocument(uri),
    apply: async (edit) => texts.commit(texts.check(edit, "checked"), "written"),
    owesAnswers: () => answers.waitingEdits() + window.waitingQuestions() > 0,
    reset: async () => {
      for (const uri of [...texts.open.keys()]) await texts.closeDocument(uri);
      for (const list of Object.values({ ...window, ...answers, saving })) if (Array.isArray(list)) list.length = 0;
      texts.hidden.clear();
      texts.typing.clear();
      answers.behave("honest");
      answers.beforeEdits(() => undefined);
      window.beforeAnswers(() => undefined);
      window.answerQuestionsWith(undefined);
      window.answerConfirmsWith({ answer: "apply" });
    },
    stop: () => stop(connection, child),
  };
}

function initializeParams({ folders, encodings, capabilities, clientInfo, settings, params, saves }: EditorOptions) {
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
      ...(saves === undefined ? {} : { experimental: { multiEdit: { save: true } } }),
      general: encodings === undefined ? {} : { positionEncodings: [...encodings] },
      ...capabilities,
    },
    ...params,
  };
}

function knownEncoding(answered: string | undefined): Encoding {
  const encoding = answered ?? "utf-16";
  if (encoding === "utf-8" || encoding === "utf-16" || encoding === "utf-32") return encoding;
  throw new Error(`the server chose the unknown encoding ${encoding}`);
}

/** The open documents, and how their changes are synced to the server. */
class Texts implements EditTaker {
  readonly open = new Map<string, OpenDocument>();
  readonly hidden = new Map<string, string>();
  readonly typing = new Map<string, Typed>();
  encoding: Encoding = "utf-16";

  constructor(
    private readonly notify: Notifier,
    private readonly options: EditorOptions,
  ) {}

  get syncs(): EditTaker["syncs"] {
    return this.options.syncs ?? "afterAnswer";
  }

  async openDocument(document: OpenDocument): Promise<void> {
    this.open.set(document.uri, document);
    await this.notify("textDocument/didOpen", { textDocument: document });
  }

  async closeDocument(uri: string): Promise<void> {
    this.open.delete(uri);
    await this.notify("textDocument/didClose", { textDocument: { uri } });
  }

  async typed(typed: Typed): Promise<void> {
    await this.change(typed.uri, [this.replacementOf(typed, this.open.get(typed.uri)!.text)]);
  }

  /** Later changes wait until this one is synced, and have higher versions. */
  typedUnsynced(typed: Typed, milliseconds: number): void {
    const document = this.open.get(typed.uri)!;
    const { range, insert } = this.replacementOf(typed, document.text);
    const version = document.version + 1;
    this.open.set(typed.uri, { ...document, version, text: replaced(document.text, [{ ...typed, range }]) });
    const textDocument = { uri: typed.uri, version };
    this.unsynced = new Promise((resolve) => setTimeout(resolve, milliseconds)).then(() =>
      this.notify("textDocument/didChange", { textDocument, contentChanges: [{ range, text: insert }] }),
    );
  }

  private unsynced: Promise<void> = Promise.resolve();

  private replacementOf({ from, to, insert }: Typed, text: string): Replacement {
    const range = { start: positionOf(text, from, this.encoding), end: positionOf(text, to, this.encoding) };
    return { from, to, insert, range };
  }

  check(edit: WorkspaceEdit, versions: "checked" | "ignored"): readonly Step[] {
    const emptyText = this.options.finalLineEnd === "returns" ? "\n" : "";
    const { directories, lineEnds } = this.options;
    return stepsOf(edit, this.open, { encoding: this.encoding, versions, emptyText, directories, lineEnds });
  }

  async commit(steps: readonly Step[], unopened: Unopened = this.options.unopened ?? "opened"): Promise<void> {
    const edits = steps.filter((step) => step.kind === "edit");
    // All open texts change at once, so that nothing can be typed between one of them and the next.
    await Promise.all(edits.map(({ uri, replacements }) => this.change(uri, replacements, this.typing.get(uri))));
    for (const step of steps) {
      if (step.kind === "write" && unopened !== "written") await this.openAndChange(step, unopened);
      else if (step.kind === "write") await this.toDisk(step);
      else if (step.kind === "rename") await this.renamed(step);
      else if (step.kind === "delete") await this.deleted(step);
    }
  }

  /** Applies later ranges first, so that earlier positions stay valid; text typed along with the edit comes last. */
  private async change(uri: string, replacements: readonly Replacement[], along?: Typed): Promise<void> {
    const document = this.open.get(uri)!;
    const version = document.version + 1;
    let text = replaced(document.text, replacements);
    const told = replacements.toReversed();
    const further = (replacement: Replacement): void => {
      text = replaced(text, [replacement]);
      told.push(replacement);
    };
    if (along !== undefined) further(this.replacementOf(along, text));
    if (along !== undefined) this.typing.delete(uri);
    if (this.options.finalLineEnd === "returns" && !text.endsWith("\n")) {
      further(this.replacementOf({ uri, from: text.length, to: text.length, insert: "\n" }, text));
    }
    this.open.set(uri, { ...document, version, text });
    const changes = told.map(({ range, insert }) => ({ range, text: insert }));
    await this.unsynced;
    await this.notify("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: this.options.tells === "wholeText" ? [{ text }] : changes,
    });
  }

  /** A new file appears on disk immediately, but without its text. */
  private async openAndChange(
    { uri, before, replacements }: Extract<Step, { kind: "write" }>,
    unopened: "opened" | "hidden",
  ): Promise<void> {
    if (before.created) doOnDisk({ kind: "write", uri, before: { ...before, text: "" }, replacements: [] });
    if (replacements.length === 0) return;
    if (unopened === "hidden") {
      this.hidden.set(uri, replaced(before.text, replacements));
      return;
    }
    await this.openDocument({ uri, languageId: "plaintext", version: 1, text: before.text });
    await this.change(uri, replacements, this.typing.get(uri));
  }

  private async toDisk(step: Extract<Step, { kind: "write" }>): Promise<void> {
    if (this.open.has(step.uri)) await this.closeDocument(step.uri);
    doOnDisk(step);
  }

  /** Unsaved text stays unsaved, unless the editor's options say otherwise. */
  private async renamed(step: Extract<Step, { kind: "rename" }>): Promise<void> {
    const { onRename } = this.options;
    const document = this.open.get(step.uri);
    const hidden = this.hidden.get(step.uri);
    this.hidden.delete(step.uri);
    if (hidden !== undefined) this.hidden.set(step.newUri, hidden);
    if (document !== undefined && onRename === "saves") saveText(fileURLToPath(step.uri), document.text);
    doOnDisk(step);
    if (document === undefined || onRename === "keepsOpen") return;
    await this.closeDocument(step.uri);
    if (onRename !== "loses") await this.openDocument({ ...document, uri: step.newUri, version: 1 });
  }

  private async deleted(step: Extract<Step, { kind: "delete" }>): Promise<void> {
    doOnDisk(step);
    this.hidden.delete(step.uri);
    if (this.open.has(step.uri) && this.options.onDelete !== "keepsOpen") await this.closeDocument(step.uri);
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
