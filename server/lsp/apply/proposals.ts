/** Watches for edits that were proposed to the client: one that the texts show to be applied can be taken back like any other. */

import type { FileChange } from "../../plan/outcome.js";
import { withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { isThere, keepFile } from "../../workspace/fileBackup.js";
import { pathOfSyncedUri } from "../../workspace/uri.js";
import { openAt, type Session } from "../session.js";
import { isExpected } from "./applyOutcome.js";
import { tasksOf } from "./execute.js";
import { diskAfter, nameAfter, type Site } from "./fileSteps.js";
import { tellApplied } from "./notifyApplied.js";
import { inverseOf } from "./textSteps.js";
import { type AppliedStep, sizeOf } from "./transactions.js";

/** An edit that was proposed, and is not known to be applied. */
interface Proposal extends Pick<Site, "places"> {
  readonly id: string;
  readonly label: string;
  readonly steps: readonly AppliedStep[];
  /** Texts of open documents that have not been seen as they are to be, by the URI that they have. */
  readonly unseen: Map<string, FileChange>;
}

/** The proposals of one session, of which only the latest are watched. */
export interface Proposals {
  /** Watches for one; gives the id that it has once it is applied. `undefined`: it does nothing, or is too large. */
  add(session: Session, proposed: Pick<Proposal, "label" | "places"> & ProposedFiles): Promise<string | undefined>;
  /** Looks at texts and disk now, and makes transactions of what was applied. */
  settle(session: Session): Promise<void>;
  /** Forgets those that are about texts which the server is going to change: the client can't apply them any more. */
  forget(files: readonly FileChange[]): void;
  /** Whether one is waited for. */
  has(id: string): boolean;
}

interface ProposedFiles {
  readonly files: readonly FileChange[];
}

/** Nothing is watched for yet. */
export function createProposals(): Proposals {
  let held: readonly Proposal[] = [];
  let isWatching = false;

  const settleOne = async (session: Session, proposal: Proposal): Promise<void> => {
    if (!(await isApplied(session, proposal))) return;
    // Somebody else may have come here meanwhile.
    if (!held.includes(proposal)) return;
    held = held.filter((one) => one !== proposal);
    const { id: transaction, label, steps } = proposal;
    if (session.transactions.add({ ...proposal, caller: undefined }))
      tellApplied(session, { transaction, label, steps });
  };

  /** With each keystroke: a look into a map, and a comparison of texts that are mostly of different lengths. */
  const watch = (session: Session): void => {
    if (isWatching) return;
    isWatching = true;
    session.documents.onChange((uri) => {
      for (const proposal of held) {
        const file = proposal.unseen.get(uri);
        const open = file === undefined ? undefined : session.documents.get(uri);
        if (file === undefined || open === undefined || !isExpected(session, file, open.text)) continue;
        proposal.unseen.delete(uri);
        if (proposal.unseen.size > 0) continue;
        settleOne(session, proposal).catch((error: unknown) => session.log("warn", String(error)));
      }
    });
  };

  return {
    async add(session, { label, files, places }) {
      const steps = await Promise.all(tasksOf(files).map(({ kind, planned }) => stepOf(kind, planned)));
      if (steps.length === 0 || sizeOf(steps) > limits.undoSize) return undefined;
      const open = steps.flatMap(({ kind, file }) =>
        kind === "text" && file.document.version !== null ? [[file.document.uri, file] as const] : [],
      );
      const proposal: Proposal = { id: session.transactions.newId(), label, steps, places, unseen: new Map(open) };
      watch(session);
      held = [...held, proposal].slice(-limits.proposals);
      while (held.reduce((sum, one) => sum + sizeOf(one.steps), 0) > limits.undoSize) held = held.slice(1);
      return proposal.id;
    },
    async settle(session) {
      for (const proposal of held) await settleOne(session, proposal);
    },
    forget(files) {
      held = held.filter(({ unseen }) => !files.some(({ document }) => unseen.has(document.uri)));
    },
    has: (id) => held.some((one) => one.id === id),
  };
}

/** What is deleted is kept while it is there. */
async function stepOf(kind: AppliedStep["kind"], file: FileChange): Promise<AppliedStep> {
  const path = kind === "delete" ? pathOfSyncedUri(file.document.uri) : undefined;
  const keeping = path === undefined ? undefined : await keepFile(path, file.document.path);
  return { kind, file, kept: keeping?.kind === "kept" ? keeping.file : undefined };
}

/** Whether texts and files are as the edit makes them, but for what was typed elsewhere. */
async function isApplied(session: Session, { steps, unseen, places }: Proposal): Promise<boolean> {
  const site: Site = { session, options: {}, places };
  const names = new Set(
    steps.map(({ file }) => file).flatMap((file) => (file.kind === "delete" ? [] : nameAfter(file))),
  );
  const isGone = async (uri: string): Promise<boolean> => names.has(uri) || !(await isThereAt(uri));
  for (const { kind, file } of steps) {
    const { uri } = file.document;
    const isDone =
      kind === "delete"
        ? await isGone(uri)
        : kind === "rename"
          ? (await isThereAt(nameAfter(file))) && (await isGone(uri))
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
  const open = openAt(session, nameAfter(file)) ?? openAt(session, file.document.uri);
  if (open === undefined) return (await diskAfter(site, file, file.text)) === "same";
  const text = withoutMark(open.text);
  if (file.change.isEmpty) return text === file.text;
  return inverseOf(session, file, { ...file.document, text, version: open.version }).ok;
}
