/** Sentences about writing files that no editor has open. */
import { clip, type Failure, fileAt, makeFailure, quote, some, theCall, withRest } from "../plan/failure.js";
import { batchFailures } from "../plan/sentences.js";
import { limits } from "../text/limits.js";

/** The reason an announced editor session could not be reached. */
export type Unreached =
  /** Nothing is listening on the session's socket. `code`: the system's error code. */
  | { readonly kind: "absent"; readonly code: string }
  /** The system or, if `sandbox` is `true`, the agent's sandbox forbids connecting. `code`: the system's error code. */
  | { readonly kind: "forbidden"; readonly code: string; readonly sandbox: boolean }
  /** The session did not answer in time, or is already serving its maximum number of agents. */
  | { readonly kind: "silent"; readonly seconds: number }
  /** The session refused the connection; `message` says why. */
  | { readonly kind: "refused"; readonly message: string }
  /** The program that answers on the session's socket does not know the session's secret. */
  | { readonly kind: "impostor" };

/** Why a session could not be reached. `problem`: a clause to end a sentence; `hint`: one or more sentences. */
export function sayUnreached(why: Unreached): { readonly problem: string; readonly hint: string } {
  switch (why.kind) {
    case "absent":
      return {
        problem: `nothing answers on its socket (${why.code}), though its process is running`,
        hint: "Restart the language server in that editor.",
      };
    case "forbidden":
      return {
        problem: `${why.sandbox ? "the agent's sandbox" : "the system"} does not allow connections to it (${why.code})`,
        hint: 'An agent\'s sandbox may prevent commands from opening sockets. Use the MCP server "multi-edit mcp", which agents start outside the sandbox, or allow this command to run outside it.',
      };
    case "silent":
      return {
        problem: `it did not answer within ${why.seconds} s`,
        hint: "The editor may be suspended or busy: resume or close it.",
      };
    case "refused":
      return {
        problem: `the connection failed: ${clip(why.message, 300).replace(/\.$/, "")}`,
        hint: "Make sure that the language server in that editor has the same version as this program, and restart that server.",
      };
    case "impostor":
      return {
        problem: "the program that answers on its socket does not know the session's secret",
        hint: "Restart the language server in that editor.",
      };
  }
}

/** The outcome of a batch on disk, whether the batch succeeded, failed or was interrupted. */
export interface BatchEnding {
  /**
   * `applied`: all changes were made. `untouched`: no visible change was made. `rolledBack`: everything was rolled
   * back, except the `foreign` files. `pending`: the batch must still be rolled back or synced, so its journal is kept.
   */
  readonly outcome: "applied" | "untouched" | "rolledBack" | "pending";
  readonly foreign: readonly Foreign[];
  /** The system's error code, if an error prevented the rollback, the sync or the cleanup. */
  readonly code?: string | undefined;
}

/** A file that a rollback leaves alone, because another program changed it or removed the kept copy. */
export interface Foreign {
  readonly path: string;
  /** The path of the old file, or of a copy of it, kept for the user; `undefined` if there is none. */
  readonly kept?: string | undefined;
  /** `true` if the file still has all or part of its new text but the copy of the old file is gone. */
  readonly isLost?: true | undefined;
}

/** The reason a file is not written to disk: an editor has, or may have, the file open. */
export type Holder =
  /** `by`: a description of the editor, such as "Emacs (ann@desk, process 12)". */
  | {
      readonly kind: "open";
      readonly by: string;
      /** The path of the file that the editor left as a sign; `undefined` if the editor itself has reported the file. */
      readonly trace?: string;
    }
  /** The file is in the folder of a session that agents may not or can't use. `session`: its name. */
  | { readonly kind: "closed"; readonly session: string; readonly why: Closed }
  /** A session that has the file's folder open could not be asked about the file. `session`: its name. */
  | { readonly kind: "unasked"; readonly session: string; readonly why: Unreached }
  /** This version can't read a session's announcement. `problem`: a sentence that says what to do about it. */
  | { readonly kind: "hidden"; readonly problem: string };

/** The reason why agents have no access to a session. */
export type Closed = "switchedOff" | "unreachable";

/** Clauses that follow the name of a session, or of its folder. */
export const closedReasons: Record<Closed, string> = {
  switchedOff: "and agents are switched off in this editor",
  unreachable: "which agents can't reach",
};

/** Failures in writing files that no editor has open. */
export const diskFailures = {
  locked(path: string, holder: Holder): Failure {
    const file = quote(path, 160);
    switch (holder.kind) {
      case "open": {
        const { by, trace } = holder;
        const sign = trace === undefined ? "" : ` The sign of this is the file ${quote(trace, 300)}.`;
        const hint = "Ask the user to save and close it there, or apply the edit in that editor.";
        return makeFailure("locked", fileAt(path), {
          problem: `${file} is open in ${clip(by, 160)}, which may have unsaved changes to it.${sign}`,
          hint: trace === undefined ? hint : `${hint} If no editor has it open, the user may delete that file.`,
        });
      }
      case "closed":
        return makeFailure("locked", fileAt(path), {
          problem: `${file} is in a folder of the editor ${clip(holder.session, 200)}, ${closedReasons[holder.why]}.`,
          hint: "Only the user can change this: ask the user to make the change, or to close the folder there.",
        });
      case "unasked": {
        const { problem, hint } = sayUnreached(holder.why);
        const why = `${file} may be open with unsaved changes in the editor ${clip(holder.session, 200)}, but ${problem}.`;
        return makeFailure("locked", fileAt(path), { problem: why, hint: `${hint} Then send the call again.` });
      }
      case "hidden":
        return makeFailure("locked", fileAt(path), {
          problem: `${file} may be open with unsaved changes in an editor that can't be asked. ${holder.problem}`,
          hint: "Ask the user to fix this, then send the call again.",
        });
    }
  },
  /**
   * `pid`: the ID of the process that is writing; `undefined` if unknown. `claim`: the path of its lock, if the process
   * is on another machine or in another container.
   */
  busy: ({ pid, claim }: { readonly pid?: number | undefined; readonly claim?: string }) =>
    makeFailure("locked", theCall, {
      problem:
        claim === undefined
          ? `Another call${pid === undefined ? "" : ` (process ${pid})`} is changing the same files.`
          : `A call on another machine, or in another container, has locked the same files with the file ${quote(claim, 300)}.`,
      hint: `Send the call again in a moment.${claim === undefined ? "" : " If no such call is running, the user may delete that file."}`,
    }),
  /** `size`: in bytes. */
  tooMuchChanged: (path: string, size: number) =>
    batchFailures.tooLarge({ path }, "the size of all files changed on disk", size, limits.callFileBytes, "bytes"),
  cantWrite: (path: string, problem: string) =>
    makeFailure("ioError", fileAt(path), { problem: `${quote(path, 160)} can't be written: ${problem}.` }),
  state: (path: string, problem: string) =>
    makeFailure("ioError", theCall, {
      problem: `The server keeps a journal while writing files that are not open, but ${quote(path, 160)} can't hold one: ${problem}.`,
      hint: 'If this is a command in an agent\'s sandbox, use the MCP server "multi-edit mcp" instead: agents start it outside the sandbox. Otherwise, ask the user to fix this or to open the files in the editor.',
    }),
  /** `journal`: the path of this call's journal. */
  unconfirmed: (journal: string, problem: string) =>
    makeFailure("ioError", theCall, {
      problem: `All of the call's files that no editor has open were written, but the disk did not confirm that the changes will last: ${problem}. After a power cut, the server either keeps or rolls back all of them, depending on what it finds in the journal ${quote(journal, 300)}.`,
      hint: "Do not send the call again: read the files, and ask the user to check the disk.",
    }),
  /** `journal`: the path of the earlier call's journal. */
  pending: (names: readonly string[], journal: string, problem: string) =>
    makeFailure("ioError", theCall, {
      problem: `An earlier call was interrupted while changing ${some(names, 300)}, and the server can't yet complete it or roll it back: ${problem}. Its changes are recorded in ${quote(journal, 300)}.`,
      hint: "Ask the user to check the disk. The server tries again with each call. If the disk or the files are gone for good, the user may delete the journal.",
    }),
  /** `folder`: a directory that contains every file of the earlier call. */
  pendingElsewhere: (names: readonly string[], journal: string, folder: string) =>
    makeFailure("ioError", theCall, {
      problem: `An earlier call was interrupted while changing ${some(names, 300)}. It can't be rolled back from here, because not all of these files are in this workspace. Its changes are recorded in ${quote(journal, 300)}.`,
      hint: `Any call in ${quote(folder, 300)}, such as "multi-edit read" for a file there, rolls back the earlier call: make such a call first, or ask the user to do so.`,
    }),
  /** `journal`: the path of the journal. */
  unreadJournal: (journal: string, problem: string) =>
    makeFailure("ioError", theCall, {
      problem: `An earlier call may have been interrupted here, but its journal ${quote(journal, 300)} can't be read: ${problem}.`,
      hint: "Ask the user to check the disk. The server tries again with each call.",
    }),
  /** Appends sentences that say what became of a batch to the failure that prevented its commit. */
  ended: (failure: Failure, ending: BatchEnding): Failure => withRest(failure, sayEnding(ending)),
} as const;

/** Problems with the journal directory, as clauses for `diskFailures.state`, and one problem with a kept file. */
export const diskProblems = {
  stateNoDirectory: () => "it is not a directory",
  stateRelative: () => "the home directory (the variable HOME) is not an absolute path",
  stateOwner: () => "it belongs to another user",
  stateOpen: (mode: number) => `other users have access to it (its mode is ${mode.toString(8)}, but must be 700)`,
  keptGone:
    "another program removed the copy that was kept for a rollback (a file in the same directory, named .multi-edit-….old)",
} as const;

/** Sentences about batches on disk, for warnings, the log and the doctor. */
export const diskSentences = {
  /** `path`: a file that counts as open because of the file `trace`. */
  traced: (path: string, by: string, trace: string): string =>
    `${quote(path, 300)} counts as open in ${clip(by, 160)}, because of the file ${quote(trace, 300)}; if it is not open there, delete that file`,
  /** `claim`: the path of a lock of a process that can't be looked up from here. */
  claimed: (claim: string): string =>
    `a call on another machine, or in another container, has locked folders with the file ${quote(claim, 300)}; if no such call is running, delete that file`,
  /** Says what became of a batch that a crash interrupted. */
  recovered: ({
    names,
    started,
    ...ending
  }: BatchEnding & { readonly names: readonly string[]; readonly started: Date }): string =>
    `A call to change ${some(names, 300)}, begun at ${started.toISOString()}, was interrupted. ${sayEnding(ending)}`,
  badJournal: (path: string): string =>
    `the journal ${quote(path, 300)} is damaged, or was not written by the server, and was left alone: check the files that it names, then delete the journal`,
  badKept: (path: string): string =>
    `the kept call ${quote(path, 300)} is damaged, or was not written by the server, and can't be undone: delete the file`,
  bitsLost: (path: string): string =>
    `${path} belongs to another user, so the system removes its set-user-ID and set-group-ID bits when the server writes the file`,
  /** About a journal, complete or partly written, that the system does not let the server use. */
  closedJournal: (path: string, problem: string): string =>
    `the journal ${quote(path, 300)} can't be used and was left alone: ${problem}`,
  /** Describes an interrupted batch, for the doctor. `folder`: a directory that contains every file of the batch. */
  cutOff: (names: readonly string[], journal: string, folder: string): string =>
    `a call was interrupted while changing ${some(names, 300)} (its journal is ${quote(journal, 300)}); the next call in ${quote(folder, 300)} rolls it back, and until then, the server writes nothing in folders that contain only some of these files`,
  attributesLost: (path: string): string =>
    `${path} was moved and edited: its extended attributes and access control list, if it had any, could not be copied`,
} as const;

function sayEnding({ outcome, foreign, code }: BatchEnding): string {
  const said = {
    applied: "All of the call's changes had already been made.",
    untouched: "Nothing was changed.",
    rolledBack: foreign.length === 0 ? "Everything was rolled back." : "The other changes were rolled back.",
    pending:
      "The server can't yet complete the call or roll it back, and some of its changes may remain; the server tries again when it starts and with each call.",
  }[outcome];
  const isUntidy = code !== undefined && outcome !== "pending";
  const untidy = isUntidy
    ? ["The call's temporary files, such as those named .multi-edit-…, will be removed later."]
    : [];
  const left = foreign.map(({ path, kept, isLost }) => {
    if (isLost === true) return `${path} (the copy of its old text is gone)`;
    return `${path}${kept === undefined ? "" : ` (its old text: ${kept})`}`;
  });
  const shown = left.slice(0, 2).map((one) => clip(one, 400));
  const more = left.length > shown.length ? ` and ${left.length - shown.length} more` : "";
  const changed = `In the meantime, another program changed these files or removed the copies of their old text, so the rollback left them alone: ${shown.join(", ")}${more}.`;
  return [said, ...(left.length === 0 ? [] : [changed]), ...untidy].join(" ");
}
