/** What clients are known to do otherwise than they announce: the only place where a client's name is looked at. */

/** One row of facts. */
export interface ClientFacts {
  /** Whether versioned `documentChanges` work although they are not announced. */
  readonly documentChanges: boolean;
  /** Whether a lone CR ends a line, as LSP has it. */
  readonly loneCrEndsLine: boolean;
  /** Whether an empty document is one line end to it, so that the text of a new file replaces that line. */
  readonly emptyIsLineEnd: boolean;
  /** Whether a final line end that an edit takes away comes back at once. */
  readonly finalLineEndReturns: boolean;
}

/** For clients that nothing is known of: what the protocol says. */
const unknownClient: ClientFacts = {
  documentChanges: false,
  loneCrEndsLine: true,
  emptyIsLineEnd: false,
  finalLineEndReturns: false,
};

/** By `clientInfo.name` in lower case; measured on Neovim 0.10 and 0.12, Helix 25, eglot 1.17 and 1.24, lsp-mode 10. */
const knownClients: ReadonlyMap<string, ClientFacts> = new Map([
  ["neovim", { documentChanges: true, loneCrEndsLine: false, emptyIsLineEnd: true, finalLineEndReturns: true }],
  ["helix", { documentChanges: true, loneCrEndsLine: false, emptyIsLineEnd: true, finalLineEndReturns: false }],
  ["eglot", { documentChanges: true, loneCrEndsLine: false, emptyIsLineEnd: false, finalLineEndReturns: false }],
  ["emacs", { documentChanges: true, loneCrEndsLine: false, emptyIsLineEnd: false, finalLineEndReturns: false }],
]);

/** The facts of a client as it names itself; `undefined`: it does not. */
export function factsOf(client: { readonly name: string } | undefined): ClientFacts {
  return knownClients.get(client?.name.toLowerCase() ?? "") ?? unknownClient;
}
