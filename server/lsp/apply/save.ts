/** Asks the editor to save changed files and verifies on disk that it has done so. */
import { setTimeout as delay } from "node:timers/promises";
import { clip } from "../../plan/failure.js";
import { type FileChange, nameAfter } from "../../plan/outcome.js";
import { limits } from "../../text/limits.js";
import { clientRequests } from "../protocol.js";
import { callSentences } from "../sentences.js";
import { announcedBy, openAt, type Session } from "../session.js";
import { isExpected, stateAfter, until } from "./applyOutcome.js";
import type { ApplyContext } from "./step.js";

/**
 * Has the editor save the files that a batch changed: all, none, or only those that had no unsaved changes before it.
 * Returns warnings about files that were not saved, or that the editor changed on save. If the client can't save files,
 * the warnings omit files that were not open, because another warning covers those.
 */
export async function saveChanged(context: ApplyContext, files: readonly FileChange[]): Promise<readonly string[]> {
  const { session, options } = context;
  const policy = options.save ?? session.settings.save;
  if (policy === "never") return [];
  const states = await Promise.all(files.map((file) => stateAfter(context, file)));
  // A document without a file can't be saved.
  const unsaved = files.filter((_, i) => states[i] === "differs");
  // A file that was not open, or did not exist, had no unsaved changes.
  const wanted = unsaved.filter(
    ({ document }) => policy === "always" || document.version === null || document.onDisk === "same",
  );
  const left = unsaved.filter((file) => !wanted.includes(file));
  const dirty = left.length === 0 ? [] : [callSentences.leftUnsaved(left.map((file) => nameAfter(file).path))];
  // The file is in an encoding that the server does not read, or too large.
  const unread = files.filter(({ document }, i) => states[i] === undefined && isFile(context, document.uri));
  if (unread.length > 0) dirty.push(callSentences.notCompared(unread.map((file) => nameAfter(file).path)));
  if (wanted.length === 0) return dirty;
  if (announcedBy(session).save !== true) {
    const paths = wanted.flatMap((file) => (file.document.version === null ? [] : [nameAfter(file).path]));
    return paths.length === 0 ? dirty : [...dirty, callSentences.cannotSave(paths)];
  }
  return [...dirty, ...(await saveThese(context, wanted))];
}

/** Reports whether a document belongs to a file. */
const isFile = ({ places }: ApplyContext, uri: string): boolean => places.get(uri)?.file !== undefined;

/**
 * Has the editor save files again whose changes were rolled back, because some editors otherwise show them as changed.
 * Files that had unsaved changes before the call are left alone.
 */
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
 * say why one was not, and it determines how long to poll the disk.
 */
async function saveThese(context: ApplyContext, files: readonly FileChange[]): Promise<string[]> {
  const { session } = context;
  const openOf = (file: FileChange) => openAt(session, nameAfter(file).uri);
  const uriOf = (file: FileChange): string => openOf(file)?.uri ?? nameAfter(file).uri;
  const isExpectedNow = (file: FileChange): boolean => {
    const open = openOf(file);
    return open === undefined || isExpected(session, file, open.text);
  };
  const asPlanned = files.filter(isExpectedNow);
  const reply = await askToSave(session, files.map(uriOf));
  const sentences = files.map(async (file) => {
    const { path } = nameAfter(file);
    const reason = reply.failed.get(uriOf(file));
    const isSaved = async () => (await stateAfter(context, file)) === "same";
    const patience = reason === undefined && reply.isAnswer ? session.settings.proofTimeout : 0;
    if (!(await until(isSaved, patience))) return callSentences.notSaved(path, reason ?? reply.problem);
    // Some editors format files on save.
    const isOther = asPlanned.includes(file) && !isExpectedNow(file);
    return isOther ? callSentences.changedOnSave(path) : [];
  });
  return (await Promise.all(sentences)).flat();
}

/** The editor's answer to the request to save. */
interface SaveAnswer {
  /** The editor's reasons for not saving files, by URI. */
  readonly failed: ReadonlyMap<string, string>;
  readonly isAnswer: boolean;
  /** The reason to report for an unsaved file if the editor gives none. */
  readonly problem: string;
}

async function askToSave(session: Session, uris: readonly string[]): Promise<SaveAnswer> {
  const silent: SaveAnswer = { failed: new Map(), isAnswer: false, problem: callSentences.silentAboutSaving };
  const answered = session.connection.sendRequest(clientRequests.saveDocuments, { uris }).then(
    (answer): SaveAnswer => ({ failed: failedIn(answer), isAnswer: true, problem: callSentences.notOnDisk }),
    (error: unknown): SaveAnswer => ({ ...silent, problem: error instanceof Error ? clip(error.message, 200) : "" }),
  );
  return Promise.race([answered, delay(limits.saveMs, silent, { ref: false })]);
}

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
