/**
 * Patches where people read them: in a document that is no source file, such as a chat, each patch has code actions, a
 * hover and diagnostics.
 *
 * The way of a request: when a document is opened, its language, its extension or its lack of a file says whether patches
 * are looked for in it. `find.ts` finds them in its text. `foresight.ts` has the text of one planned as a preview,
 * and maps the edits back to lines of the document. Actions and hovers are made from that anew each time, so
 * they are never older than the texts; `diagnostics.ts` decides when it is done without a request. To apply a patch, the
 * client sends the command `multiEdit.apply` with its text, as for any other call.
 */
import type { Connection } from "vscode-languageserver/node";
import { showAlone } from "../apply/viewer.js";
import { showInfo } from "../notices/notices.js";
import { commands } from "../protocol.js";
import type { Session } from "../session.js";
import { followPatches } from "./diagnostics.js";
import { type FoundPatch, findPatches } from "./find.js";
import { foreseePatch } from "./foresight.js";
import { actionTitles } from "./sentences.js";

/** What the server announces about patches in documents. */
export const patchCapabilities = {
  codeActionProvider: { codeActionKinds: ["quickfix"], resolveProvider: true },
  hoverProvider: true,
};

/** Name of the command that shows a text, its first argument, as a document with the name that is the second one. */
export const showCommand = "multiEdit.show";

/** Serves the requests about patches. Returns a function to call before a document is opened. */
export function servePatches(connection: Connection, session: Session) {
  const { held, opening } = followPatches(session);
  /** Returns the patches that touch these lines (0-based) of a document. */
  const patchesAt = (uri: string, from: number, to: number): FoundPatch[] => {
    const document = held.has(uri) ? session.documents.get(uri) : undefined;
    if (document === undefined || document.desynced !== undefined) return [];
    return findPatches(document.text, document.lines).filter((patch) => patch.from <= to && from <= patch.to);
  };
  connection.onCodeAction(async ({ textDocument: { uri }, range: { start, end }, context }, token) => {
    const isWanted = context?.only?.every((kind) => kind !== "" && kind !== "quickfix") !== true;
    const patches = isWanted ? patchesAt(uri, start.line, end.line) : [];
    const actions = isWanted ? (session.review?.actionsAt({ uri, range: { start, end } }) ?? []) : [];
    for (const patch of patches) {
      for (const { title, ...action } of actionsOf(patch.text, await foreseePatch(session, patch, token))) {
        const shown = patches.length === 1 ? title : actionTitles.withLine(title, patch.from + 1);
        actions.push({ title: shown, kind: "quickfix", command: { title: shown, ...action } });
      }
    }
    return actions;
  });
  connection.onHover(async ({ textDocument: { uri }, position }, token) => {
    const { line } = position;
    const hunk = session.review?.hoverAt({ uri, range: { start: position, end: position } });
    if (hunk !== undefined) return hunk;
    const [patch] = patchesAt(uri, line, line);
    const notes = patch === undefined ? [] : (await foreseePatch(session, patch, token)).notes;
    const note = notes.find(({ from, to }) => from <= line && line <= to);
    return note === undefined ? null : { contents: { kind: "plaintext", value: note.text } };
  });
  return opening;
}

/** Returns the actions on a patch: to apply it and to preview it or, if it does not resolve, to copy the failure. */
function actionsOf(patch: string, { answer, paths }: Awaited<ReturnType<typeof foreseePatch>>) {
  if (!answer.ok) {
    // The message is for the model that wrote the patch.
    const { message } = answer;
    return [{ title: actionTitles.copy(message), command: showCommand, arguments: [message, "failure.txt"] }];
  }
  const call = { patch, options: { reader: "person" } };
  const apply = { title: actionTitles.apply(paths), command: commands.apply, arguments: [call] };
  const { diff } = answer.result;
  const preview = { title: actionTitles.preview(paths), command: showCommand, arguments: [diff, "preview.diff"] };
  return diff === "" ? [apply] : [apply, preview];
}

/** Serves the command `multiEdit.show` of a client that does not handle it itself. Its arguments may be anything. */
export async function showText(session: Session, [text, name]: readonly unknown[]): Promise<null> {
  const isShown = await showAlone(session, String(text), name === "preview.diff" ? name : "failure.txt");
  if (!isShown) showInfo(session, String(text));
  return null;
}
