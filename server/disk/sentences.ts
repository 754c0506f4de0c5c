/** Sentences about writing files that no editor has open. */

import { clip, type Failure, makeFailure, quote, some, withRest } from "../plan/failure.js";
import { batchFailures } from "../plan/sentences.js";
import { limits } from "../text/limits.js";

/** Why a session that is announced was not reached. */
export type Unreached =
  /** Nobody listens there; the system's code. */
  | { readonly kind: "absent"; readonly code: string }
  /** The system does not allow to connect; its code, and whether this process knows that it is in a sandbox. */
  | { readonly kind: "forbidden"; readonly code: string; readonly sandbox: boolean }
  /** It did not answer in time, or has as many agents as it takes. */
  | { readonly kind: "silent"; readonly seconds: number }
  /** It does not go along, and says why. */
  | { readonly kind: "refused"; readonly message: string }
  /** What answers there does not know the session's secret. */
  | { readonly kind: "impostor" };

/** Why a session was not reached, as the end of a sentence, and what can be done. */
export function sayUnreached(why: Unreached): { readonly problem: string; readonly hint: string } {
  switch (why.kind) {
    case "absent":
      return {
        problem: `nothing answers at its socket (${why.code}), though its process lives`,
        hint: "Restart the language server in that editor.",
      };
    case "forbidden":
      return {
        problem: `${why.sandbox ? "the sandbox of this agent" : "the system"} does not allow to connect to it (${why.code})`,
        hint: 'Sandboxes of agents forbid sockets to commands. Use the MCP server "multi-edit mcp", which agents start outside of it, or allow this command to run outside.',
      };
    case "silent":
      return {
        problem: `it does not answer within ${why.seconds} s`,
        hint: "The editor may be suspended or busy: bring it back, or end it.",
      };
    case "refused":
      return { problem: `it said: ${clip(why.message, 300)}`, hint: "See multi-edit doctor." };
    case "impostor":
      return {
        problem: "what answers at its socket does not know the session's secret",
        hint: "Restart the language server in that editor.",
      };
  }
}

/** What became of a batch on disk that is over, did not go through, or was cut off. */
export interface BatchEnding {
  /**
   * `applied`: all of it is there. `untouched`: nothing that others see had changed. `rolledBack`: it is taken back, but for
   * `foreign`. `pending`: it could not be taken back, or made to last, yet; the journal stays.
   */
  readonly outcome: "applied" | "untouched" | "rolledBack" | "pending";
  readonly foreign: readonly Foreign[];
  /** The system's code of what stood in the way of taking it back, or of tidying up after it. */
  readonly code?: string | undefined;
}

/** A file that is left as it is, because somebody else has changed it, or taken away what was kept of it. */
export interface Foreign {
  readonly path: string;
  /** Where the old file is, left for people; `undefined`: there was none. */
  readonly kept?: string | undefined;
  /** It still has what the batch gave it, or a part of that, and what was kept of the old file is gone. */
  readonly isLost?: true | undefined;
}

/** Why a file is not written on disk: an editor has it open, or may have. */
export type Holder =
  /** `by`: the editor in words, as "Emacs (ann@desk, process 12)". */
  | { readonly kind: "open"; readonly by: string }
  /** A session that has the file's folder and could not be asked; `session` names it. */
  | { readonly kind: "unasked"; readonly session: string; readonly why: Unreached }
  /** A session whose announcement this version can't read; `problem` is a sentence that says what to do. */
  | { readonly kind: "hidden"; readonly problem: string };

/** Failures of writing files that no editor has open. */
export const diskFailures = {
  locked(path: string, holder: Holder): Failure {
    const file = quote(path, 160);
    switch (holder.kind) {
      case "open":
        return makeFailure(
          "locked",
          { path },
          `${file} is open in ${clip(holder.by, 160)}, which may hold unsaved text of it.`,
          "Ask the user to save and close it there, or to have the edit applied by that editor.",
        );
      case "unasked": {
        const { problem, hint } = sayUnreached(holder.why);
        const why = `${file} may be open with unsaved text in ${clip(holder.session, 200)}, but ${problem}.`;
        return makeFailure("locked", { path }, why, `${hint} Then send the call again.`);
      }
      case "hidden":
        return makeFailure(
          "locked",
          { path },
          `${file} may be open with unsaved text in an editor that can't be asked. ${holder.problem}`,
          "Ask the user to do so, and send the call again.",
        );
    }
  },
  /** `pid` is the process that writes; `undefined`: it can't be told. */
  busy: (pid: number | undefined) =>
    makeFailure(
      "locked",
      {},
      `Another call${pid === undefined ? "" : ` (process ${pid})`} is writing files of this workspace.`,
      "Send the call again in a moment.",
    ),
  /** `size`: bytes. */
  tooMuchChanged: (path: string, size: number) =>
    batchFailures.tooLarge({ path }, "what the call changes on disk", size, limits.callFileBytes, "bytes"),
  cantWrite: (path: string, problem: string) =>
    makeFailure("ioError", { path }, `${quote(path, 160)} can't be written: ${problem}.`),
  state: (path: string, problem: string) =>
    makeFailure(
      "ioError",
      {},
      `Files that are not open are written under a journal, but ${quote(path, 160)} can't hold one: ${problem}.`,
      "Ask the user, or have the files opened in the editor.",
    ),
  /** `journal` is the path of the journal of this call. */
  unconfirmed: (journal: string, problem: string) =>
    makeFailure(
      "ioError",
      {},
      `All files that no editor has open are written, but the disk does not confirm that this lasts: ${problem}. After a power cut they may have their old text again, all of them or none; ${quote(journal, 300)} tells which.`,
      "Do not send the call again: read the files, and ask the user to see to the disk.",
    ),
  /** `journal` is the path of the journal of the earlier call. */
  pending: (names: readonly string[], journal: string, problem: string) =>
    makeFailure(
      "ioError",
      {},
      `An earlier call was cut off while it changed ${some(names, 300)}, and the disk does not let it be ended yet: ${problem}. What it changed is written down in ${quote(journal, 300)}.`,
      "Ask the user to see to the disk. The server tries again with each call. Where the disk or the files are gone for good, the user may delete the journal.",
    ),
  /** `folder` holds all that the earlier call was to change. */
  pendingElsewhere: (names: readonly string[], journal: string, folder: string) =>
    makeFailure(
      "ioError",
      {},
      `An earlier call was cut off while it changed ${some(names, 300)}, and it can't be taken back from here, because not all of that is in this workspace. What it changed is written down in ${quote(journal, 300)}.`,
      `It is taken back by a call in ${quote(folder, 300)}, as "multi-edit read" of any file there: run that first, or ask the user to.`,
    ),
  /** `journal` is a path. */
  unreadJournal: (journal: string, problem: string) =>
    makeFailure(
      "ioError",
      {},
      `An earlier call may have been cut off here, but its journal ${quote(journal, 300)} can't be read: ${problem}.`,
      "Ask the user to see to the disk. The server tries again with each call.",
    ),
  /** What a batch ended with that did not go through, behind the reason why not. */
  ended: (failure: Failure, ending: BatchEnding): Failure => withRest(failure, sayEnding(ending)),
} as const;

/** What is wrong with the directory of the journals, as the clause that `diskFailures.state` takes. */
export const diskProblems = {
  stateNoDirectory: () => "it is no directory",
  stateRelative: () => "the home directory (the variable HOME) is no absolute path",
  stateOwner: () => "it belongs to another user",
  stateOpen: (mode: number) => `others may use it (its mode is ${mode.toString(8)}, and has to be 700)`,
  keptGone: "somebody has taken away what was kept to take the change back (a file .multi-edit-….old beside it)",
} as const;

/** Sentences about batches on disk beside failures: in the log, and as warnings. */
export const diskSentences = {
  /** The ending of a batch that a crash had cut off. */
  recovered: ({
    names,
    started,
    ...ending
  }: BatchEnding & { readonly names: readonly string[]; readonly started: Date }): string =>
    `A call that was to change ${some(names, 300)} was cut off (it began at ${started.toISOString()}). ${sayEnding(ending)}`,
  badJournal: (path: string): string =>
    `the journal ${quote(path, 300)} is damaged, or was not written by the server, and is left alone: look at the files it names, and delete it`,
  bitsLost: (path: string): string =>
    `${path} belongs to somebody else: the system takes its set-user-ID and set-group-ID bits away when it is written`,
  /** A journal, or half of one, that the user may not use, or that is no file. */
  closedJournal: (path: string, problem: string): string =>
    `the journal ${quote(path, 300)} can't be used and is left alone: ${problem}`,
  /** A batch that was cut off in the middle, for people who look what is wrong. `folder` holds all that it was to change. */
  cutOff: (names: readonly string[], journal: string, folder: string): string =>
    `a call was cut off while it changed ${some(names, 300)}, as ${quote(journal, 300)} says: it is taken back by the next call in ${quote(folder, 300)}, and nothing is written before in folders that hold only some of these files`,
  attributesLost: (path: string): string =>
    `${path} was moved and edited: its extended attributes and access list, if it had any, could not be copied`,
} as const;

function sayEnding({ outcome, foreign, code }: BatchEnding): string {
  const said = {
    applied: "All of it had been done.",
    untouched: "Nothing was changed.",
    rolledBack: foreign.length === 0 ? "Nothing of it is left." : "It was taken back.",
    pending:
      "The disk did not let it be ended yet, and some of it may be there; the server tries again at its start and with each call.",
  }[outcome];
  const isUntidy = code !== undefined && outcome !== "pending";
  const untidy = isUntidy ? ["Files named .multi-edit-… that helped it are taken away later."] : [];
  const left = foreign.map(({ path, kept, isLost }) => {
    if (isLost === true) return `${path} (what was kept of its old text is gone)`;
    return `${path}${kept === undefined ? "" : ` (as it was before: ${kept})`}`;
  });
  const shown = left.slice(0, 2).map((one) => clip(one, 400));
  const more = left.length > shown.length ? ` and ${left.length - shown.length} more` : "";
  const changed =
    left.length === 0 ? [] : [`Changed meanwhile by another program, and left so: ${shown.join(", ")}${more}.`];
  return [said, ...changed, ...untidy].join(" ");
}
