/** Asks the editor to save changed files and verifies on disk that it has done so. */
import { existsSync } from "node:fs";
import { clip } from "../../plan/failure.js";
import { type FileChange, nameAfter } from "../../plan/outcome.js";
import { isEmpty } from "../../plan/snapshot.js";
import { withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import type { OpenDocument } from "../../workspace/documents.js";
import { clientRequests } from "../protocol.js";
import { callSentences } from "../sentences.js";
import { announcedBy, openAt, type Session, within } from "../session.js";
import { isExpected, stateAfter, until } from "./applyOutcome.js";
import { withSave } from "./savedText.js";
import type { ApplyContext } from "./step.js";

/** The outcome of saving a batch's files. */
export interface Saved {
  readonly warnings: readonly string[];
  /** For each file that the editor changed while it saved it, the change that includes this. */
  readonly changed: ReadonlyMap<FileChange, FileChange>;
}

/** Has the editor save the changed files, or those saved before. Warns about unsaved ones, and changes on save. */
export async function saveChanged(context: ApplyContext, files: readonly FileChange[]): Promise<Saved> {
  const { session, options } = context;
  const policy = options.save ?? session.settings.save;
  const changed = new Map<FileChange, FileChange>();
  if (policy === "never") return { warnings: [], changed };
  const states = new Map(
    await Promise.all(
      files.map(async (file) => {
        const state = await stateAfter(context, file);
        // Without a path, the document belongs to no file, so it can't be saved.
        const path = context.places.get(file.document.uri)?.file;
        const ofFile = path === undefined ? undefined : existsSync(path) ? "unread" : "absent";
        return [file, state ?? ofFile] as const;
      }),
    ),
  );
  const unsaved = files.filter((file) => ["differs", "absent"].includes(states.get(file) ?? ""));
  // A file that was not open, or that nobody has saved yet and was empty, had no unsaved changes.
  const wanted = unsaved.filter((file) => {
    const { document } = file;
    const wasClean = document.version === null || document.onDisk === "same";
    return policy === "always" || wasClean || (states.get(file) === "absent" && isEmpty(document));
  });
  const left = unsaved.filter((file) => !wanted.includes(file));
  const dirty = left.length === 0 ? [] : [callSentences.leftUnsaved(left.map((file) => nameAfter(file).path))];
  // The file is in an encoding that the server does not read, or too large.
  const unread = files.filter((file) => states.get(file) === "unread");
  if (unread.length > 0) dirty.push(callSentences.notCompared(unread.map((file) => nameAfter(file).path)));
  if (wanted.length === 0) return { warnings: dirty, changed };
  if (announcedBy(session).save !== true) {
    const paths = wanted.flatMap((file) => (file.document.version === null ? [] : [nameAfter(file).path]));
    return { warnings: paths.length === 0 ? dirty : [...dirty, callSentences.cannotSave(paths)], changed };
  }
  return { warnings: [...dirty, ...(await saveThese(context, wanted, changed))], changed };
}

/** Has the editor save rolled-back files again, which it may show as changed, unless they were unsaved before. */
export async function saveRolledBack({ session, options }: ApplyContext, files: readonly FileChange[]): Promise<void> {
  const clean = files.filter(
    ({ document }) => document.onDisk === "same" && openAt(session, document.uri) !== undefined,
  );
  const isOff = (options.save ?? session.settings.save) === "never" || announcedBy(session).save !== true;
  if (!isOff && clean.length > 0)
    await askToSave(
      session,
      clean.map(({ document }) => document.uri),
    );
}

/**
 * Asks the editor to save the files and returns warnings. The answer does not prove that a file was saved, but it may
 * say why one was not, and it determines how long to poll the disk. Adds the files that saving changed to `changed`.
 */
async function saveThese(
  context: ApplyContext,
  files: readonly FileChange[],
  changed: Map<FileChange, FileChange>,
): Promise<string[]> {
  const { session } = context;
  const openOf = (file: FileChange) => openAt(session, nameAfter(file).uri);
  const uriOf = (file: FileChange): string => openOf(file)?.uri ?? nameAfter(file).uri;
  const isExpectedNow = (file: FileChange): boolean => {
    const open = openOf(file);
    return open === undefined || isExpected(session, file, open.text);
  };
  const asPlanned = files.filter(isExpectedNow);
  const states = new Map(files.map((file) => [file, [openOf(file)].filter((open) => open !== undefined)]));
  const stop = session.documents.onChange(() => {
    for (const [file, seen] of states) {
      const open = openOf(file);
      if (open === undefined || open.desynced !== undefined || seen.at(-1) === open) continue;
      if (seen.length > limits.statesDuringSave) seen.pop();
      seen.push(open);
    }
  });
  const reply = await askToSave(session, files.map(uriOf));
  const sentences = files.map(async (file) => {
    const { path } = nameAfter(file);
    const reason = reply.failed.get(uriOf(file));
    const isSaved = async () => (await stateAfter(context, file)) === "same";
    const patience = reason === undefined && reply.isAnswer ? session.settings.proofTimeout : 0;
    if (!(await until(isSaved, patience))) return callSentences.notSaved(path, reason ?? reply.problem);
    // Some editors format files on save.
    const texts = textsAround(states.get(file) ?? [], reply.versions.get(uriOf(file)));
    if (texts !== undefined && texts.before !== texts.after) {
      const saved = withSave(file, texts);
      if (saved.text !== file.text) changed.set(file, saved);
    }
    const isOther = asPlanned.includes(file) && !isExpectedNow(file);
    return isOther ? callSentences.changedOnSave(path) : [];
  });
  return (await Promise.all(sentences).finally(stop)).flat();
}

/** The versions of a document right before and right after it was saved. */
interface SavedVersions {
  readonly before: number;
  readonly after: number;
}

/** Returns the texts before and after a save: at the versions that the editor names, or from request to end. */
function textsAround(states: readonly OpenDocument[], versions: SavedVersions | undefined) {
  // If the editor counts versions that it does not sync, the text is that of the version before.
  const at = (version: number) => states.findLast((state) => state.version <= version);
  const before = versions === undefined ? states[0] : at(versions.before);
  const after = versions === undefined ? states.at(-1) : at(versions.after);
  if (before === undefined || after === undefined) return undefined;
  return { before: withoutMark(before.text), after: withoutMark(after.text), isAll: versions !== undefined };
}

/** The editor's answer to the request to save. */
interface SaveAnswer {
  /** The editor's reasons for not saving files, by URI. */
  readonly failed: ReadonlyMap<string, string>;
  /** The versions around the save, by URI. */
  readonly versions: ReadonlyMap<string, SavedVersions>;
  readonly isAnswer: boolean;
  /** The reason to report for an unsaved file if the editor gives none. */
  readonly problem: string;
}

async function askToSave(session: Session, uris: readonly string[]): Promise<SaveAnswer> {
  const problem = callSentences.silentAboutSaving;
  const silent: SaveAnswer = { failed: new Map(), versions: new Map(), isAnswer: false, problem };
  const answered = session.connection.sendRequest(clientRequests.saveDocuments, { uris }).then(
    (answer): SaveAnswer => ({
      ...savedIn(answer),
      isAnswer: true,
      problem: callSentences.notOnDisk,
    }),
    (error: unknown): SaveAnswer => ({ ...silent, problem: error instanceof Error ? clip(error.message, 200) : "" }),
  );
  return within(answered, limits.saveMs, silent);
}

/** Reads what the editor answers about files that it should save. */
export const savedIn = (answer: unknown): Pick<SaveAnswer, "failed" | "versions"> => ({
  failed: failedIn(answer),
  versions: versionsIn(answer),
});

/** Extracts the files that were not saved, with the reasons, from the answer; skips malformed entries. */
function failedIn(answer: unknown): Map<string, string> {
  const { failed }: { failed?: unknown } = Object(answer);
  const items: unknown[] = Array.isArray(failed) ? failed : [];
  return new Map(
    items.flatMap((item) => {
      const { uri, message }: { uri?: unknown; message?: unknown } = Object(item);
      return typeof uri === "string" ? [[uri, typeof message === "string" ? clip(message, 200) : ""] as const] : [];
    }),
  );
}

/** Extracts the versions around the save from the answer; skips malformed entries. */
function versionsIn(answer: unknown): Map<string, SavedVersions> {
  const { versions }: { versions?: unknown } = Object(answer);
  const items: unknown[] = Array.isArray(versions) ? versions : [];
  return new Map(
    items.flatMap((item) => {
      const { uri, before, after }: { uri?: unknown; before?: unknown; after?: unknown } = Object(item);
      const isGood = typeof uri === "string" && typeof before === "number" && typeof after === "number";
      return isGood ? [[uri, { before, after }] as const] : [];
    }),
  );
}
