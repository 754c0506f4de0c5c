/**
 * Patches where people read them: in a document that is no source file, such as a chat, each patch has code actions, a
 * hover and diagnostics.
 *
 * The way of one request: a document counts if its language, its extension or its lack of a file says so (`kindOf`,
 * decided once, when it is opened). `find.ts` finds the patches in its text, as spans of whole lines. `foresight.ts` sends
 * the text of a span through the door of every other call (`foresee`, the planning of a preview), and maps the answer's
 * edits back to lines of the document. `actions.ts`, `hover.ts` and `diagnostics.ts` word what that says. Nothing is kept
 * between two requests, so an answer is never older than the texts. To apply a patch, the client sends the command
 * `multiEdit.apply` with the text, as for any call: the server applies it, proves the result, and can undo it.
 */
import type { Connection, ServerCapabilities } from "vscode-languageserver/node";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { toLineRange } from "../edit/positions.js";
import type { Session } from "../session.js";
import { actionKind, actionsOn } from "./actions.js";
import { PatchWatch } from "./diagnostics.js";
import { findPatches } from "./find.js";
import { hoverAt } from "./hover.js";
import { notRegistered } from "./sentences.js";

/** Serves the requests about patches. Returns the watch, which must know of each document before it is opened. */
export function registerPatches(connection: Connection, session: Session): PatchWatch {
  const watch = new PatchWatch(session);
  /** Returns a document's patches that touch these lines (0-based). */
  const patchesAt = (uri: string, from: number, to: number) => {
    const [kind, document] = [watch.get(uri), session.documents.get(uri)];
    if (kind === undefined || document === undefined || document.desynced !== undefined) return undefined;
    const found = findPatches(document.text, document.lines, kind.isDiff);
    return { document, patches: found.filter((patch) => patch.from <= to && from <= patch.to) };
  };
  connection.onCodeAction(async ({ textDocument, range, context }, token) => {
    const wanted = context?.only ?? [""];
    if (!wanted.some((kind) => kind === "" || kind === actionKind)) return null;
    const at = patchesAt(textDocument.uri, range.start.line, range.end.line);
    return at === undefined ? null : actionsOn(session, at.patches, token);
  });
  connection.onHover(async ({ textDocument, position: { line } }, token) => {
    const at = patchesAt(textDocument.uri, line, line);
    const [patch] = at?.patches ?? [];
    const hover = patch && (await hoverAt(session, { patch, line }, token));
    if (at === undefined || hover === undefined) return null;
    const contents = { kind: "plaintext", value: hover.text } as const;
    return { contents, range: toLineRange(at.document, hover, session.encoding) };
  });
  return watch;
}

/** Tells the watch of a document that is about to be opened, if it is one that people read. */
export function noteOpening(watch: PatchWatch, uri: string, languageId: unknown): void {
  const isDiff = languageId === "diff" || languageId === "patch" || /\.(?:diff|patch)$/i.test(uri);
  const isProse = languageId === "markdown" || /\.(?:md|markdown)$/i.test(uri) || pathOfSyncedUri(uri) === undefined;
  if (isDiff || isProse) watch.hold(uri, { isDiff });
  watch.opened();
}

/** Returns the capabilities to announce; none if the client lets the server choose the documents (`registerLater`). */
export function patchCapabilities(session: Session): Pick<ServerCapabilities, "codeActionProvider" | "hoverProvider"> {
  return canRegister(session) ? {} : { codeActionProvider: { codeActionKinds: [actionKind] }, hoverProvider: true };
}

function canRegister({ capabilities: { textDocument } }: Session): boolean {
  return textDocument?.codeAction?.dynamicRegistration === true && textDocument.hover?.dynamicRegistration === true;
}

/** Asks the client to send requests about patches only for documents that people read, if it lets the server choose. */
export function registerLater(session: Session): void {
  if (!canRegister(session)) return;
  const schemes = ["untitled", ...session.settings.schemes].map((scheme) => ({ scheme }));
  const documentSelector = [{ language: "markdown" }, { language: "diff" }, ...schemes];
  const registrations = [
    {
      id: "patchActions",
      method: "textDocument/codeAction",
      registerOptions: { documentSelector, codeActionKinds: [actionKind] },
    },
    { id: "patchHovers", method: "textDocument/hover", registerOptions: { documentSelector } },
  ];
  session.connection
    .sendRequest("client/registerCapability", { registrations })
    .catch((error: unknown) => session.log("warn", notRegistered(error)));
}
