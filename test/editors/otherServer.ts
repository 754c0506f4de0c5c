/**
 * A language server that does nothing but keep texts, to run beside ours in Emacs. Arguments: the position encoding to
 * choose, the kind of sync to request (1: whole texts, 2: changes), and the path of the file to which the texts are
 * written, keyed by URI.
 */
import { writeFileSync } from "node:fs";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { TextDocument } from "vscode-languageserver-textdocument";

const [encoding, sync, file = ""] = process.argv.slice(2);
const documents = new Map<string, TextDocument>();
const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
const keep = (): void => {
  const texts = [...documents.values()].map((document) => [document.uri, document.getText()]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(texts)));
};

connection.onRequest("initialize", () => ({
  capabilities: { positionEncoding: encoding, textDocumentSync: { openClose: true, change: Number(sync) } },
}));
connection.onRequest("shutdown", () => null);
connection.onNotification("exit", () => process.exit());
connection.onNotification("textDocument/didOpen", ({ textDocument: { uri, version, text } }) => {
  documents.set(uri, TextDocument.create(uri, "", version, text));
  keep();
});
connection.onNotification("textDocument/didChange", ({ textDocument: { uri, version }, contentChanges }) => {
  const document = documents.get(uri);
  if (document === undefined) throw new Error(`${uri} is not open`);
  documents.set(uri, TextDocument.update(document, contentChanges, version));
  keep();
});
connection.onNotification("textDocument/didClose", ({ textDocument: { uri } }) => {
  documents.delete(uri);
  keep();
});
connection.listen();
