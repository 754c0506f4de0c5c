/** Facts about known clients that their capabilities omit or misstate. No other file checks a client's name. */
import { limits } from "../text/limits.js";
import type { SaveHabits } from "../workspace/files.js";

/** Facts about one client. */
export interface ClientFacts {
  /** `true` if versioned `documentChanges` work even though the client does not announce them. */
  readonly documentChanges: boolean;
  /** `true` if a lone CR ends a line, as LSP specifies. */
  readonly loneCrEndsLine: boolean;
  /** `true` if the client takes an empty document for a line ending, which a new file's text must then replace. */
  readonly emptyIsLineEnd: boolean;
  /** `true` if the client immediately restores a final line ending that an edit removes. */
  readonly finalLineEndReturns: boolean;
  /** `true` if the client normalises inserted line endings (to LF if there are both), even unannounced. */
  readonly normalisesInserts: boolean;
  /** `true` if inserting text after the final line ending leaves an extra empty line. */
  readonly addsLineAtEnd: boolean;
  /** Differences between the client's texts and the files that it opens and saves. */
  readonly habits: SaveHabits;
  /** Lowest document version that the client checks before applying an edit; `Infinity` if it checks none. */
  readonly checksVersionsFrom: number;
  /** `true` if the client, once it announces it, applies all texts of an edit or none, and undoes them together. */
  readonly textsTogether: boolean;
  /** Delay, in milliseconds, until typed text is synced, including a safety margin. */
  readonly syncDelay: number;
  /** Timeout for `workspace/applyEdit`, in milliseconds; longer if the client may ask its user. */
  readonly answerMs: number;
  /** `true` if the client reports an edit as applied even if its user declined it. */
  readonly hidesDeclining: boolean;
  /** `true` if the client warns its user about unknown notifications. */
  readonly warnsOfUnknown: boolean;
  /** `true` if the client does not show its user the answer to a command, not even an error. */
  readonly hidesAnswers: boolean;
  /** `true` if the client has no way to tell the diagnostics of its other servers. */
  readonly hidesDiagnostics: boolean;
  /** `true` if the client removes a message as soon as another server, such as one that starts, has made progress. */
  readonly losesMessages: boolean;
  /**
   * `true` if the client loads a file that has changed on disk again, without a question and at the latest when its user
   * comes back to it, unless the document has unsaved text (`test/editors/changedOnDisk.test.ts`,
   * `test/reach/vscodeDisk.test.ts`).
   */
  readonly reloads: boolean;
  /** The command by which a user loads a file again, or merges it by hand; `undefined` if the client has none. */
  readonly loadCommand: string | undefined;
  readonly mergeCommand: string | undefined;
  /** `true` if a question covers a part of the diff that the client shows, and takes the keys that would scroll it. */
  readonly questionCoversDiff: boolean;
}

/** Defaults for unknown clients: LSP's rules, and assumptions that are harmless if wrong. */
const unknownClient: ClientFacts = {
  documentChanges: false,
  loneCrEndsLine: true,
  emptyIsLineEnd: false,
  finalLineEndReturns: false,
  normalisesInserts: false,
  addsLineAtEnd: false,
  habits: { syncsLf: false, endsLastLine: false },
  checksVersionsFrom: 0,
  textsTogether: false,
  syncDelay: 150,
  answerMs: limits.applyEditMs,
  hidesDeclining: false,
  warnsOfUnknown: false,
  hidesAnswers: false,
  hidesDiagnostics: false,
  losesMessages: false,
  reloads: false,
  loadCommand: undefined,
  mergeCommand: undefined,
  questionCoversDiff: false,
};

/** Facts common to all tested editors. */
const measured: ClientFacts = {
  ...unknownClient,
  documentChanges: true,
  loneCrEndsLine: false,
  habits: { syncsLf: false, endsLastLine: true },
};

const neovim: ClientFacts = {
  ...measured,
  emptyIsLineEnd: true,
  finalLineEndReturns: true,
  normalisesInserts: true,
  checksVersionsFrom: 1,
  syncDelay: 200,
  reloads: true,
  loadCommand: ":edit",
  mergeCommand: ":MultiEditMerge",
};
const visualStudioCode: ClientFacts = {
  ...unknownClient,
  habits: { ...unknownClient.habits, endsLinesAlike: true },
  reloads: true,
};
const emacs: ClientFacts = {
  ...measured,
  habits: { syncsLf: true, endsLastLine: true },
  loadCommand: "M-x revert-buffer",
  mergeCommand: "M-x multi-edit-merge",
};
const helix: ClientFacts = {
  ...measured,
  loadCommand: ":reload",
  emptyIsLineEnd: true,
  syncDelay: 0,
  hidesAnswers: true,
  hidesDiagnostics: true,
  losesMessages: true,
  questionCoversDiff: true,
};
const eglot: ClientFacts = { ...emacs, syncDelay: 600, answerMs: limits.confirmMs };

interface Row {
  /** `clientInfo.name`, in lower case. */
  readonly name: string;
  /** The row applies to versions before this one and to clients without a version; if `undefined`, to all. */
  readonly before?: readonly [major: number, minor: number];
  readonly facts: ClientFacts;
}

/**
 * Known clients; the first matching row applies. The facts come from tests with Neovim 0.10 and 0.12, Helix 25.01 and
 * 25.07, eglot 1.17 and 1.24, and lsp-mode 10 (which calls itself Emacs), and from fewer tests with Vim 9.2, using
 * vim-lsp and yegappan/lsp, and with Visual Studio Code 1.139, as code-server. Of these, only the last applies an edit
 * to several documents entirely or not at all, and announces it: Helix and eglot keep the documents before the one that
 * they refuse, Neovim looks only at the first document's version, and lsp-mode, which checks all versions first,
 * announces nothing and undoes one document at a time.
 */
const rows: readonly Row[] = [
  { name: "neovim", before: [0, 12], facts: { ...neovim, addsLineAtEnd: true } },
  { name: "neovim", facts: neovim },
  ...["visual studio code", "code-server"].flatMap((name): Row[] => [
    { name, before: [1, 139], facts: visualStudioCode },
    { name, facts: { ...visualStudioCode, textsTogether: true } },
  ]),
  { name: "helix", facts: helix },
  { name: "eglot", before: [1, 24], facts: { ...eglot, hidesDeclining: true } },
  { name: "eglot", facts: eglot },
  { name: "emacs", facts: { ...emacs, checksVersionsFrom: 1, syncDelay: 0, warnsOfUnknown: true } },
  ...["vim-lsp", "vim"].map((name): Row => ({ name, facts: { ...measured, checksVersionsFrom: Infinity } })),
];

/** Returns the facts about a client; `undefined` means a client that reports no name. */
export function factsOf(client: { readonly name: string; readonly version?: string } | undefined): ClientFacts {
  const name = client?.name.toLowerCase();
  const row = rows.find((one) => one.name === name && isBefore(client?.version, one.before));
  return row?.facts ?? unknownClient;
}

/** Reports whether a version precedes `end`; also `true` if the version can't be parsed or there is no `end`. */
function isBefore(version: string | undefined, end: Row["before"]): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version ?? "") ?? [];
  if (end === undefined || major === undefined || minor === undefined) return true;
  return Number(major) < end[0] || (Number(major) === end[0] && Number(minor) < end[1]);
}
