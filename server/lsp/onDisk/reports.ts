/**
 * Tells the user what has happened to the open files on disk, in one message for files that change together, and the
 * editor which of them to load.
 */
import { relative, sep } from "node:path";
import { limits } from "../../text/limits.js";
import { isInside } from "../../workspace/pathText.js";
import { notifications } from "../protocol.js";
import { messageTypes, type Session } from "../session.js";
import { type DiskReport, diskSentences } from "./sentences.js";

/** Creates the reports of a session. `isBusy`: `true` while the editor takes over files, of which one message is to tell. */
export function createReports(session: Session, isBusy: () => boolean) {
  let waiting: DiskReport[] = [];
  let timer: NodeJS.Timeout | undefined;
  let since = 0;

  function tell(): void {
    if (isBusy() && performance.now() - since < limits.diskNewsBusyMs) {
      timer = setTimeout(tell, limits.diskNewsMs).unref();
      return;
    }
    const reports = waiting;
    [waiting, timer] = [[], undefined];
    const named = reports.map((report) => ({ ...report, path: nameFor(session, report.path) }));
    if (named.every(({ kind }) => kind === "loaded")) return;
    const isWarning = named.some(({ kind }) => !["merged", "loaded", "mergeUndone"].includes(kind));
    const [only] = named;
    const message =
      named.length === 1 && only ? diskSentences.one(only, session.facts) : diskSentences.several(named, session.facts);
    const params = { type: isWarning ? messageTypes.warn : messageTypes.info, message };
    // The library's own method would send `window/showMessageRequest`, which asks the user a question.
    session.connection.sendNotification("window/showMessage", params).catch(() => undefined);
  }

  return {
    /** Adds a report. A newer one about the same file replaces it. */
    add(report: DiskReport): void {
      const now = performance.now();
      if (waiting.length === 0) since = now;
      waiting = [...waiting.filter(({ path }) => path !== report.path), report];
      clearTimeout(timer);
      const wait = Math.min(limits.diskNewsMs, Math.max(0, since + limits.diskNewsLatestMs - now));
      timer = setTimeout(tell, wait).unref();
    },
  };
}

/** Returns a file's path as the user reads it: relative to the workspace folder that has it. */
export function nameFor({ folders }: Pick<Session, "folders">, path: string): string {
  const folder = folders.find((one) => one.path !== "" && isInside(one.path, path));
  return folder === undefined ? path : relative(folder.path, path).split(sep).join("/");
}

/** Tells the editor to load a file again. */
export function tellToLoad({ connection }: Session, uri: string): void {
  connection.sendNotification(notifications.didChangeOnDisk, { uris: [uri] }).catch(() => undefined);
}
