/** Answers `multiEdit/saveDocuments` as editors do, including editors that claim to have saved more than they did. */
import { fileURLToPath } from "node:url";
import { type MessageConnection, ResponseError } from "vscode-jsonrpc/node";
import type { SaveDocumentsParams, SaveDocumentsResult } from "../../server/lsp/protocol.js";
import { saveText } from "./editorFiles.js";

/**
 * `formats`: adds a line before saving; `formatsAndSays`: the same, and names the versions; `trims`: removes trailing
 * spaces and ends the last line; `upperCases`: writes the word `new` in capitals; `typesMeanwhile`: the user types a line
 * at the start before the file is saved, and `formatsAndSays` that; `endsLines`: adds a missing final line ending, but only in the file; `crlf`:
 * writes LF as CRLF; `refuses` and everything listed after it save nothing.
 */
export type SavingManner =
  | "saves"
  | "formats"
  | "formatsAndSays"
  | "trims"
  | "upperCases"
  | "typesMeanwhile"
  | "endsLines"
  | "crlf"
  | "refuses"
  | "lies"
  | "answersErrors"
  | "answersGarbage"
  | "isSilent";

/** The documents that can be saved. */
export interface Saved {
  readonly open: ReadonlyMap<string, { readonly text: string; readonly version: number }>;
  typed(typed: { uri: string; from: number; to: number; insert: string }): Promise<void>;
}

/** Answers requests as `manner` specifies; returns a list that records every request. */
export function answerSaves(connection: MessageConnection, texts: Saved, manner: SavingManner): SaveDocumentsParams[] {
  const asked: SaveDocumentsParams[] = [];
  const versions: NonNullable<SaveDocumentsResult["versions"]> = [];
  const versionOf = (uri: string): number => texts.open.get(uri)?.version ?? 0;
  const change = async (uri: string): Promise<void> => {
    const { text } = texts.open.get(uri)!;
    const end = text.length;
    if (manner === "typesMeanwhile") await texts.typed({ uri, from: 0, to: 0, insert: "typed\n" });
    const before = versionOf(uri);
    const says = manner === "formatsAndSays" || manner === "typesMeanwhile";
    if (manner === "formats" || says) {
      const at = texts.open.get(uri)!.text.length;
      await texts.typed({ uri, from: at, to: at, insert: "formatted\n" });
    }
    if (says) versions.push({ uri, before, after: versionOf(uri) });
    const formatted = manner === "trims" ? `${text.replace(/[ \t]+$/gm, "")}\n` : text.replaceAll("new", "NEW");
    if (manner !== "trims" && manner !== "upperCases") return;
    await texts.typed({ uri, from: 0, to: end, insert: formatted });
  };
  const save = async (uri: string): Promise<string | undefined> => {
    const document = texts.open.get(uri);
    if (document === undefined) return "it is not open";
    if (manner === "refuses") return "the disk is full";
    if (manner === "lies") return undefined;
    await change(uri);
    const { text } = texts.open.get(uri)!;
    const ended = manner === "endsLines" && !text.endsWith("\n") ? `${text}\n` : text;
    saveText(fileURLToPath(uri), manner === "crlf" ? ended.replaceAll("\n", "\r\n") : ended);
    return undefined;
  };
  connection.onRequest("multiEdit/saveDocuments", async (params: SaveDocumentsParams) => {
    asked.push(params);
    if (manner === "answersErrors") return new ResponseError(-32603, "the editor broke");
    if (manner === "answersGarbage") return { failed: [null, 7, { uri: 7 }, { message: "why" }], saved: "all" };
    if (manner === "isSilent") return new Promise(() => undefined);
    versions.length = 0;
    const result: SaveDocumentsResult = { saved: [], failed: [], versions };
    for (const uri of params.uris) {
      const message = await save(uri);
      if (message === undefined) result.saved.push(uri);
      else result.failed.push({ uri, message });
    }
    return result;
  });
  return asked;
}
