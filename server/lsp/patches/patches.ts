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
import type { CodeAction, Command, Connection, WorkspaceEdit } from "vscode-languageserver/node";
import { undoEdit } from "../apply/undo.js";
import { showAlone } from "../apply/viewer.js";
import { showInfo } from "../notices/notices.js";
import { commands } from "../protocol.js";
import { undoneBy } from "../review/actions.js";
import { openAt, type Session } from "../session.js";
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
  /** Adds the edit to an action that undoes hunks and has no command. */
  const withEdit = async (action: CodeAction): Promise<CodeAction> => {
    const undone = undoneBy(action);
    const edit = undone && (await undoEdit(session, undone));
    return edit === undefined ? action : { ...action, edit };
  };
  connection.onCodeAction(async ({ textDocument: { uri }, range: { start, end }, context }, token) => {
    const isWanted = context?.only?.every((kind) => kind !== "" && kind !== "quickfix") !== true;
    const patches = isWanted ? patchesAt(uri, start.line, end.line) : [];
    const onHunk = isWanted ? (session.review?.actionsAt({ uri, range: { start, end } }) ?? []) : [];
    const { properties = [] } = session.capabilities.textDocument?.codeAction?.resolveSupport ?? {};
    const actions = properties.includes("edit") ? onHunk : await Promise.all(onHunk.map(withEdit));
    for (const patch of patches) {
      for (const { title, edit, ...action } of actionsOf(
        session,
        patch.text,
        await foreseePatch(session, patch, token),
      )) {
        const shown = patches.length === 1 ? title : actionTitles.withLine(title, patch.from + 1);
        const does = edit === undefined ? { command: { title: shown, ...action } } : { edit };
        actions.push({ title: shown, kind: "quickfix", ...does });
      }
    }
    return actions;
  });
  connection.onCodeActionResolve(withEdit);
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

/** An action, with its command or the edit that the client applies itself. */
interface PatchAction extends Command {
  readonly edit?: WorkspaceEdit | undefined;
}

/** Returns the actions on a patch: to apply it and to preview it or, if it does not resolve, to copy the failure. */
function actionsOf(
  session: Session,
  patch: string,
  { answer, paths }: Awaited<ReturnType<typeof foreseePatch>>,
): PatchAction[] {
  if (!answer.ok) {
    // The message is for the model that wrote the patch.
    const { message } = answer;
    return [{ title: actionTitles.copy(message), command: showCommand, arguments: [message, "failure.txt"] }];
  }
  const call = { patch, options: { reader: "person" } };
  const { diff, files, edit } = answer.result;
  // The server can't change a document of a client that takes no edits from it.
  const isTaken = session.capabilities.workspace?.applyEdit === true || !files.some(({ uri }) => openAt(session, uri));
  const title = actionTitles.apply(paths);
  const apply = { title, command: commands.apply, arguments: [call], ...(isTaken ? {} : { edit }) };
  const preview = { title: actionTitles.preview(paths), command: showCommand, arguments: [diff, "preview.diff"] };
  return diff === "" ? [apply] : [apply, preview];
}

/** Serves the command `multiEdit.show` of a client that does not handle it itself. Its arguments may be anything. */
export async function showText(session: Session, [text, name]: readonly unknown[]): Promise<null> {
  const isShown = await showAlone(session, String(text), name === "preview.diff" ? name : "failure.txt");
  if (!isShown) showInfo(session, String(text));
  return null;
}
