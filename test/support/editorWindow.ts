/** A strict editor's window: the messages, questions, documents and settings that the server shows or asks for. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type MessageConnection, ResponseError } from "vscode-jsonrpc/node";
import type {
  ConfigurationParams,
  LogMessageParams,
  RegistrationParams,
  ShowDocumentParams,
  ShowMessageParams,
  ShowMessageRequestParams,
} from "vscode-languageserver/node";
import type { DidApplyParams } from "../../server/lsp/protocol.js";
import { answerConfirms } from "./editorConfirms.js";

/** Properties of the user and the window; all are optional. */
export interface WindowOptions {
  /** The settings in the `multiEdit` section, sent at startup and returned on request. */
  readonly settings?: unknown;
  /** The outcome of `window/showDocument`; if `undefined`, the document is shown whenever the capabilities allow it. */
  readonly shows?: "shows" | "fails" | "answersErrors" | "answersNull";
}

/** A document that the server asked the editor to show, captured at that moment. */
export interface Shown extends ShowDocumentParams {
  readonly path: string;
  readonly text: string;
  /** Permission bits of the file and of its folder. */
  readonly mode: number;
  readonly folderMode: number;
  /** Reports whether the file still exists. */
  readonly isThere: () => boolean;
}

/** Records the server's messages and answers its questions. */
export function answerWindow(connection: MessageConnection, options: WindowOptions) {
  const messages: LogMessageParams[] = [];
  const notices: ShowMessageParams[] = [];
  const questions: ShowMessageRequestParams[] = [];
  const configurations: ConfigurationParams[] = [];
  const registrations: RegistrationParams[] = [];
  const applied: DidApplyParams[] = [];
  let before: () => unknown = () => undefined;
  let waiting = 0;
  let settings: unknown = options.settings ?? {};
  let titles: readonly (string | undefined)[] = [undefined];
  connection.onNotification("window/logMessage", (params: LogMessageParams) => void messages.push(params));
  connection.onNotification("window/showMessage", (params: ShowMessageParams) => void notices.push(params));
  connection.onRequest("window/showMessageRequest", async (params: ShowMessageRequestParams) => {
    questions.push(params);
    waiting++;
    await before();
    waiting--;
    const [title] = titles;
    titles = titles.length > 1 ? titles.slice(1) : titles;
    // A strict client answers with an action that it was offered, but not every client is strict.
    return params.actions?.find((action) => action.title === title) ?? (title === undefined ? null : { title });
  });
  connection.onRequest("client/registerCapability", (params: RegistrationParams) => {
    registrations.push(params);
    return null;
  });
  connection.onRequest("client/unregisterCapability", () => null);
  connection.onRequest("workspace/configuration", (params: ConfigurationParams) => {
    configurations.push(params);
    return params.items.map(({ section }) => (section === "multiEdit" ? settings : null));
  });
  connection.onNotification("multiEdit/didApply", (params: DidApplyParams) => void applied.push(params));
  return {
    messages,
    notices,
    applied,
    questions,
    ...answerConfirms(connection, () => before()),
    shown: showDocuments(connection, options.shows ?? "shows"),
    waitingQuestions: () => waiting,
    configurations,
    registrations,
    beforeAnswers: (act: () => unknown) => {
      before = act;
    },
    keepSettings: (changed: unknown) => {
      settings = changed;
    },
    answerQuestionsWith: (...answers: readonly [string | undefined, ...(string | undefined)[]]) => {
      titles = answers;
    },
    setSettings: async (changed: unknown) => {
      settings = changed ?? {};
      await connection.sendNotification("workspace/didChangeConfiguration", { settings: { multiEdit: settings } });
    },
  };
}

/** Answers requests as `manner` specifies; returns a list that records every request. */
function showDocuments(connection: MessageConnection, manner: NonNullable<WindowOptions["shows"]>): Shown[] {
  const shown: Shown[] = [];
  connection.onRequest("window/showDocument", (params: ShowDocumentParams) => {
    const path = fileURLToPath(params.uri);
    const [mode = 0, folderMode = 0] = [path, dirname(path)].map((at) => statSync(at).mode & 0o777);
    shown.push({
      ...params,
      path,
      text: readFileSync(path, "utf8"),
      mode,
      folderMode,
      isThere: () => existsSync(path),
    });
    if (manner === "answersErrors") return new ResponseError(-32601, "there is no such method");
    return manner === "answersNull" ? null : { success: manner === "shows" };
  });
  return shown;
}
