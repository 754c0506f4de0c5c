/** Has the editor save what was changed, as far as that is wanted, and finds out from the disk whether it did. */
import { setTimeout as delay } from "node:timers/promises";
import { clip } from "../../plan/failure.js";
import { type FileChange, nameAfter } from "../../plan/outcome.js";
import { limits } from "../../text/limits.js";
import { clientRequests } from "../protocol.js";
import { callSentences } from "../sentences.js";
import { announcedBy, openAt, type Session } from "../session.js";
import { isExpected } from "./applyOutcome.js";
import { diskAfter, type Site, until } from "./fileSteps.js";

/**
 * Saves what a batch has changed: all of it, or what had no unsaved changes before. What is not on disk then is told by
 * sentences, but for files that were not open, of which the answer says so anyway.
 */
export async function saveChanged(site: Site, files: readonly FileChange[]): Promise<readonly string[]> {
  const { session, options } = site;
  const policy = options.save ?? session.settings.save;
  if (policy === "never") return [];
  const unsaved = await unsavedOf(site, files);
  const wanted = policy === "always" ? unsaved : unsaved.filter(wasClean);
  const left = unsaved.filter((file) => !wanted.includes(file));
  const paths = (some: readonly FileChange[]): string[] => some.map((file) => nameAfter(file).path);
  const dirty = left.length === 0 ? [] : [callSentences.leftUnsaved(paths(left))];
  if (wanted.length === 0) return dirty;
  if (announcedBy(session).save !== true) {
    const open = wanted.filter(({ document }) => document.version !== null);
    return open.length === 0 ? dirty : [...dirty, callSentences.cannotSave(paths(open))];
  }
  return [...dirty, ...(await saveThese(site, wanted))];
}

/** Those whose text, as the editor holds it, is not in their file; what is no file can't be saved. */
async function unsavedOf(site: Site, files: readonly FileChange[]): Promise<FileChange[]> {
  const states = await Promise.all(files.map((file) => diskAfter(site, file, textNow(site.session, file))));
  return files.filter((_, i) => states[i] === "differs");
}

/** What was not open, or not there, had nothing unsaved in it. */
const wasClean = ({ document }: FileChange): boolean => document.version === null || document.onDisk === "same";

const textNow = (session: Session, file: FileChange): string => openAt(session, nameAfter(file).uri)?.text ?? file.text;

/** Asks the editor, whose word decides only how long to wait for the disk to prove it. */
async function saveThese(site: Site, files: readonly FileChange[]): Promise<string[]> {
  const { session } = site;
  const uriOf = (file: FileChange): string => openAt(session, nameAfter(file).uri)?.uri ?? nameAfter(file).uri;
  const isExpectedNow = (file: FileChange): boolean => {
    const open = openAt(session, nameAfter(file).uri);
    return open === undefined || isExpected(session, file, open.text);
  };
  const asPlanned = files.filter(isExpectedNow);
  const reply = await askToSave(session, files.map(uriOf));
  return (
    await Promise.all(
      files.map(async (file) => {
        const { path } = nameAfter(file);
        const reason = reply.failed.get(uriOf(file));
        const isSaved = async () => (await diskAfter(site, file, textNow(session, file))) === "same";
        const patience = reason === undefined && reply.isAnswer ? session.settings.proofTimeout : 0;
        if (!(await until(isSaved, patience))) return callSentences.notSaved(path, reason ?? reply.problem);
        // An editor may format what it saves.
        const isOther = asPlanned.includes(file) && !isExpectedNow(file);
        return isOther ? callSentences.changedOnSave(path) : [];
      }),
    )
  ).flat();
}

interface Reply {
  /** By URI, why the editor did not save it. */
  readonly failed: ReadonlyMap<string, string>;
  readonly isAnswer: boolean;
  /** What is said of a file that is not on disk, where the editor itself gives no reason. */
  readonly problem: string;
}

async function askToSave(session: Session, uris: readonly string[]): Promise<Reply> {
  const silent: Reply = { failed: new Map(), isAnswer: false, problem: callSentences.silentAboutSaving };
  const answered = session.connection.sendRequest(clientRequests.saveDocuments, { uris }).then(
    (answer): Reply => ({ failed: failedIn(answer), isAnswer: true, problem: callSentences.notOnDisk }),
    (error: unknown): Reply => ({ ...silent, problem: error instanceof Error ? clip(error.message, 200) : "" }),
  );
  return Promise.race([answered, delay(limits.saveMs, silent, { ref: false })]);
}

/** What of the answer can be read. */
function failedIn(answer: unknown): Map<string, string> {
  const { failed }: { failed?: unknown } = typeof answer === "object" && answer !== null ? answer : {};
  const items: unknown[] = Array.isArray(failed) ? failed : [];
  return new Map(
    items.flatMap((item) => {
      const { uri, message }: { uri?: unknown; message?: unknown } =
        typeof item === "object" && item !== null ? item : {};
      return typeof uri === "string" ? [[uri, typeof message === "string" ? clip(message, 200) : ""] as const] : [];
    }),
  );
}
