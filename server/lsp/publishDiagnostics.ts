/** Sends the diagnostics of a document, of which several parts of the server have some: a client keeps only the last list. */
import type { Diagnostic } from "vscode-languageserver/node";
import type { Session } from "./session.js";

/** The lists of each session, by URI and part. */
const held = new WeakMap<Session, Map<string, Map<string, readonly Diagnostic[]>>>();

/** Replaces the diagnostics that one part of the server has for a document. `version`: `undefined` if it is not open. */
export function publishDiagnostics(
  session: Session,
  part: "patches" | "review",
  { uri, version }: { readonly uri: string; readonly version?: number | undefined },
  diagnostics: readonly Diagnostic[],
): void {
  const ofSession = held.get(session) ?? new Map<string, Map<string, readonly Diagnostic[]>>();
  held.set(session, ofSession);
  const parts = ofSession.get(uri) ?? new Map<string, readonly Diagnostic[]>();
  if (diagnostics.length === 0) parts.delete(part);
  else parts.set(part, diagnostics);
  if (parts.size === 0) ofSession.delete(uri);
  else ofSession.set(uri, parts);
  const all = [...parts.values()].flat();
  const params = { uri, ...(version === undefined ? {} : { version }), diagnostics: all };
  session.connection.sendNotification("textDocument/publishDiagnostics", params).catch(() => undefined);
}
