/** Differences of known clients from what they announce: the only place where a client's name is looked at. */
import { limits } from "../text/limits.js";
import type { SaveHabits } from "../workspace/files.js";

/** One row of facts. */
export interface ClientFacts {
  /** Versioned `documentChanges` work although they are not announced. */
  readonly documentChanges: boolean;
  /** A lone CR ends a line, as LSP has it. */
  readonly loneCrEndsLine: boolean;
  /** An empty document is one line end to it, so that the text of a new file replaces that line. */
  readonly emptyIsLineEnd: boolean;
  /** A final line end that an edit takes away comes back at once. */
  readonly finalLineEndReturns: boolean;
  /** It makes the line ends of what it inserts alike: LF, if the text has both kinds; it need not announce it. */
  readonly normalisesInserts: boolean;
  /** A text that is inserted after the final line end leaves one more empty line. */
  readonly addsLineAtEnd: boolean;
  /** How its texts differ from the files that it opens and saves. */
  readonly habits: SaveHabits;
  /** The first version from which on an edit for a version that is gone is refused: 0 is for all, Infinity for none. */
  readonly checksVersionsFrom: number;
  /** Milliseconds that typed text may take until it is synced, with some to spare. */
  readonly syncDelay: number;
  /** Milliseconds that it may take to answer `workspace/applyEdit`: as long as people take, if it asks its user about some. */
  readonly answerMs: number;
  /** It says that an edit is applied although its user has declined it. */
  readonly hidesDeclining: boolean;
  /** It warns its user of notifications that it does not know. */
  readonly warnsOfUnknown: boolean;
}

/** For clients that nothing is known of: what the protocol says, and what does no harm where they do otherwise. */
const unknownClient: ClientFacts = {
  documentChanges: false,
  loneCrEndsLine: true,
  emptyIsLineEnd: false,
  finalLineEndReturns: false,
  normalisesInserts: false,
  addsLineAtEnd: false,
  habits: { syncsLf: false, endsLastLine: false },
  checksVersionsFrom: 0,
  syncDelay: 150,
  answerMs: limits.applyEditMs,
  hidesDeclining: false,
  warnsOfUnknown: false,
};

/** Facts that the measured editors have in common. */
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
};
const emacs: ClientFacts = { ...measured, habits: { syncsLf: true, endsLastLine: true } };
const eglot: ClientFacts = { ...emacs, syncDelay: 600, answerMs: limits.confirmMs };

interface Row {
  /** `clientInfo.name`, in lower case. */
  readonly name: string;
  /** Up to this version, which is not included, and for clients that tell none; `undefined`: for all. */
  readonly before?: readonly [major: number, minor: number];
  readonly facts: ClientFacts;
}

/**
 * The first row that fits counts. Measured on Neovim 0.10 and 0.12, Helix 25.01 and 25.07, eglot 1.17 and 1.24, lsp-mode 10
 * (which calls itself Emacs); parts of it on Vim 9.2 with vim-lsp and with yegappan/lsp.
 */
const rows: readonly Row[] = [
  { name: "neovim", before: [0, 12], facts: { ...neovim, addsLineAtEnd: true } },
  { name: "neovim", facts: neovim },
  { name: "helix", facts: { ...measured, emptyIsLineEnd: true, syncDelay: 0 } },
  { name: "eglot", before: [1, 24], facts: { ...eglot, hidesDeclining: true } },
  { name: "eglot", facts: eglot },
  { name: "emacs", facts: { ...emacs, checksVersionsFrom: 1, syncDelay: 0, warnsOfUnknown: true } },
  ...["vim-lsp", "vim"].map((name): Row => ({ name, facts: { ...measured, checksVersionsFrom: Infinity } })),
];

/** The facts of a client as it names itself; `undefined`: it does not. */
export function factsOf(client: { readonly name: string; readonly version?: string } | undefined): ClientFacts {
  const name = client?.name.toLowerCase();
  const row = rows.find((one) => one.name === name && isBefore(client?.version, one.before));
  return row?.facts ?? unknownClient;
}

/** Tells whether a version is before another one. A version that can't be read may be any. */
function isBefore(version: string | undefined, end: Row["before"]): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version ?? "") ?? [];
  if (end === undefined || major === undefined || minor === undefined) return true;
  return Number(major) < end[0] || (Number(major) === end[0] && Number(minor) < end[1]);
}
