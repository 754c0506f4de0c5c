/** The code actions on patches, and the command that shows what a patch would do. */
import type { CancellationToken, CodeAction } from "vscode-languageserver/node";
import { applyBatch } from "../apply/apply.js";
import { showAlone } from "../apply/viewer.js";
import { showInfo } from "../notices/notices.js";
import { type CopyParams, commands, notifications } from "../protocol.js";
import { announcedBy, type Session } from "../session.js";
import type { FoundPatch } from "./find.js";
import { callOf, foreseePatch } from "./foresight.js";
import { actionTitles, nothingToShow } from "./sentences.js";

/** The kind of all actions on patches. */
export const actionKind = "quickfix";

/** Returns the actions on these patches: to apply and to preview each that resolves, to copy the failure of the others. */
export async function actionsOn(
  session: Session,
  patches: readonly FoundPatch[],
  token: CancellationToken,
): Promise<CodeAction[]> {
  const actions: CodeAction[] = [];
  for (const patch of patches) {
    const { isSound, paths, problems } = await foreseePatch(session, patch, token);
    const at = patches.length > 1 ? actionTitles.at(patch.from + 1) : "";
    const add = (title: string, command: string, call: object): void => {
      actions.push({ title, kind: actionKind, command: { title, command, arguments: [call] } });
    };
    if (isSound) {
      add(actionTitles.apply(paths, at), commands.apply, callOf(patch));
      add(actionTitles.preview(paths, at), commands.show, callOf(patch));
      continue;
    }
    const verb = announcedBy(session).copy === true ? "Copy" : "Show";
    // The failure is for the model that wrote the patch.
    add(actionTitles.failure(verb, problems[0]?.failure.message ?? "", at), commands.show, { patch: patch.text });
  }
  return actions;
}

/** Serves `multiEdit.show`: shows the diff of a call or, if it fails, has the client copy the failure or shows it. */
export async function showCall(session: Session, params: unknown, token: CancellationToken): Promise<null> {
  const answer = await applyBatch(session, { params, applier: "preview", caller: undefined }, token);
  if (answer.ok) {
    const { diff, text } = answer.result;
    if (diff === "") showInfo(session, nothingToShow(text));
    else if (!(await showAlone(session, diff, "preview.diff"))) showInfo(session, text);
  } else if (announcedBy(session).copy === true) {
    const copy: CopyParams = { text: answer.message };
    await session.connection.sendNotification(notifications.copy, copy);
  } else if (!(await showAlone(session, answer.message, "failure.txt"))) showInfo(session, answer.message);
  return null;
}
