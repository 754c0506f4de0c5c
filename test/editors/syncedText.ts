/** The text of a document as an editor has synced it, worked out from its messages. */
import type { Range } from "vscode-languageserver/node";
import { type Encoding, widthOf } from "../support/editorText.js";
import type { Packet, Party } from "./tapProtocol.js";

/** One change of `textDocument/didChange`; without a range, it is the whole text. */
interface ContentChange {
  readonly range?: Range;
  readonly text: string;
}

/** Returns the text of the document that `isAsked` accepts by its URI; `undefined` if it is not open. */
export function syncedText(
  messages: readonly { readonly from: Party; readonly message: Packet }[],
  isAsked: (uri: string) => boolean,
): string | undefined {
  const started = messages.find(({ message }) => message.result?.capabilities !== undefined)?.message;
  const encoding: Encoding = started?.result.capabilities.positionEncoding ?? "utf-16";
  let text: string | undefined;
  for (const { from, message } of messages) {
    const { method, params } = message;
    if (from !== "editor" || !/^textDocument\/did(?:Open|Change|Close)$/.test(method ?? "")) continue;
    if (!isAsked(params.textDocument.uri)) continue;
    if (method === "textDocument/didOpen") text = params.textDocument.text;
    else if (method === "textDocument/didClose") text = undefined;
    else if (text !== undefined) text = changed(text, params.contentChanges, encoding);
  }
  return text;
}

/** Returns a text after some changes. Only LF ends a line, as in all the editors here. */
function changed(text: string, changes: readonly ContentChange[], encoding: Encoding): string {
  return changes.reduce((now, { range, text: insert }) => {
    if (range === undefined) return insert;
    const lines = now.split("\n");
    const offsetOf = ({ line, character }: Range["start"]): number => {
      const start = lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0);
      let units = 0;
      let width = 0;
      for (const one of lines[line] ?? "") {
        if (units >= character) break;
        units += widthOf(one, encoding);
        width += one.length;
      }
      return Math.min(start + width, now.length);
    };
    return now.slice(0, offsetOf(range.start)) + insert + now.slice(offsetOf(range.end));
  }, text);
}
