/** Watches for edits that were proposed to the client: one that the texts show to be applied can be undone like any other. */
import { type FileChange, nameAfter } from "../../plan/outcome.js";
import { withoutMark } from "../../text/chars.js";
import { isThere, keepFile } from "../../workspace/fileBackup.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import type { AppliedStep, Proposal } from "../history.js";
import { openAt, type Session } from "../session.js";
import { isExpected } from "./applyOutcome.js";
import { tasksOf } from "./execute.js";
import { diskAfter, type Site } from "./fileSteps.js";
import { tellApplied } from "./notifyApplied.js";
import { inverseOf } from "./textSteps.js";

/** Watches for a proposal; gives the id that it has once it is applied. `undefined`: it does nothing, or is too large. */
export async function addProposal(
  session: Session,
  { label, files, places }: Pick<Proposal, "label" | "places"> & { readonly files: readonly FileChange[] },
): Promise<string | undefined> {
  const steps = await Promise.all(tasksOf(files).map(({ kind, planned }) => stepOf(kind, planned)));
  const open = steps.flatMap(({ kind, file }) =>
    kind === "text" && file.document.version !== null ? [[file.document.uri, file] as const] : [],
  );
  const id = session.history.newId();
  const isKept = steps.length > 0 && session.history.propose({ id, label, steps, places, unseen: new Map(open) });
  return isKept ? id : undefined;
}

/** What is deleted is kept while it is there. */
async function stepOf(kind: AppliedStep["kind"], file: FileChange): Promise<AppliedStep> {
  const path = kind === "delete" ? pathOfSyncedUri(file.document.uri) : undefined;
  const keeping = path === undefined ? undefined : await keepFile(path, file.document.path);
  return { kind, file, kept: keeping?.kind === "kept" ? keeping.file : undefined };
}

/** Looks at each text that is synced: a look into a map, and a comparison of texts that mostly have different lengths. */
export function watchProposals(session: Session): void {
  session.documents.onChange((uri) => {
    for (const proposal of session.history.proposals()) {
      const file = proposal.unseen.get(uri);
      const open = file === undefined ? undefined : session.documents.get(uri);
      if (file === undefined || open === undefined || !isExpected(session, file, open.text)) continue;
      proposal.unseen.delete(uri);
      if (proposal.unseen.size > 0) continue;
      settle(session, proposal).catch((error: unknown) => session.log("warn", String(error)));
    }
  });
}

/** Looks at texts and disk now, and makes transactions of what was applied. */
export async function settleProposals(session: Session): Promise<void> {
  for (const proposal of session.history.proposals()) await settle(session, proposal);
}

async function settle(session: Session, proposal: Proposal): Promise<void> {
  const { history } = session;
  if (!(await isApplied(session, proposal))) return;
  // Somebody else may have come here meanwhile.
  if (!history.proposals().includes(proposal)) return;
  history.forget((one) => one === proposal);
  const { id: transaction, label, steps } = proposal;
  if (history.add({ ...proposal, caller: undefined })) tellApplied(session, { transaction, label, steps });
}

/** Whether texts and files are as the edit makes them, but for what was typed elsewhere. */
async function isApplied(session: Session, { steps, unseen, places }: Proposal): Promise<boolean> {
  const site: Site = { session, options: {}, places };
  const names = new Set(
    steps.map(({ file }) => file).flatMap((file) => (file.kind === "delete" ? [] : nameAfter(file).uri)),
  );
  const isGone = async (uri: string): Promise<boolean> => names.has(uri) || !(await isThereAt(uri));
  for (const { kind, file } of steps) {
    const { uri } = file.document;
    const isDone =
      kind === "delete"
        ? await isGone(uri)
        : kind === "rename"
          ? (await isThereAt(nameAfter(file).uri)) && (await isGone(uri))
          : (kind === "text" && file.document.version !== null && !unseen.has(uri)) || (await hasText(site, file));
    if (!isDone) return false;
  }
  return true;
}

async function isThereAt(uri: string): Promise<boolean> {
  const path = pathOfSyncedUri(uri);
  return path !== undefined && (await isThere(path));
}

/** In the editor where it has the file open, else on disk. */
async function hasText(site: Site, file: FileChange): Promise<boolean> {
  const { session } = site;
  const open = openAt(session, nameAfter(file).uri) ?? openAt(session, file.document.uri);
  if (open === undefined) return (await diskAfter(site, file, file.text)) === "same";
  const text = withoutMark(open.text);
  if (file.change.isEmpty) return text === file.text;
  return inverseOf(session, file, { ...file.document, text, version: open.version }).ok;
}
