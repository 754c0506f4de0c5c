/** What the rest of the server asks of the review. */
import type { CodeAction, Hover, Range } from "vscode-languageserver/node";
import type { EditOutcome, FileChange } from "../../plan/outcome.js";
import type { Document } from "../../plan/snapshot.js";
import type { ChangeSet } from "../../text/changeSet.js";
import type { Answer } from "../edit/result.js";
import type { AppliedStep, Transaction } from "../history.js";
import type { Caller, HistoryCall } from "../protocol.js";

/** What is to be undone or redone in a document: its change; or the problem, as a clause, and its line (1-based). */
export type TextReversal =
  | { readonly ok: true; readonly change: ChangeSet }
  | { readonly ok: false; readonly problem: string; readonly line: number };

/** Returns what is to be done to a document; `undefined` if the review does not know all of it. */
export type ReverseText = (document: Document) => TextReversal | undefined;

/** Hunks that are to be undone or redone: the steps that made them, and what is to be done to the texts. */
export interface HunkReversal {
  readonly steps: readonly AppliedStep[];
  readonly reverse: ReverseText;
  /** The hunks' place or number, for the label. */
  readonly name: string;
  readonly warnings: readonly string[];
  /** Notes that it was done, by these steps; `caller`: by whom. */
  done(caller: Caller | undefined, steps: readonly Pick<AppliedStep, "file">[]): void;
}

/** Lines of a document, as an LSP range. */
export interface HunkLines {
  readonly uri: string;
  readonly range: Range;
}

/** An error that other language servers report since a call. `line`: its number, 1-based. */
export interface ReportedError {
  readonly uri: string;
  readonly line: number;
  readonly message: string;
}

/** Follows what calls have changed until the user has looked at it. */
export interface Reviewer {
  /** `true` if the user wants to review changes. */
  readonly isOn: boolean;
  /** Shows all hunks, or none if the user does not want to review them any more. */
  showAll(): void;
  /** A call is about to change these files, or the client may do so. */
  expect(files: readonly FileChange[]): void;
  /** A call has been applied. */
  record(
    call: Pick<Transaction, "id" | "label" | "at" | "caller" | "steps"> & { edits?: readonly EditOutcome[] },
  ): void;
  /** Other language servers report these errors since a call. The hunks in whose lines they are say so. */
  broke(errors: readonly ReportedError[]): void;
  /** The editor has saved a document. */
  saved(uri: string): void;
  /** Returns how the hunks that a request names are undone or redone. `params`: as received. */
  reverseHunks(params: object, direction: "undo" | "redo"): Answer<HunkReversal>;
  /** Returns what undoes or redoes a call in its documents. */
  reverseCall(transaction: string, direction: "undo" | "redo"): ReverseText;
  /** A call has been undone or redone as a whole, by these steps; `caller`: by whom. */
  reversed(
    {
      id,
      steps,
      caller,
    }: Pick<Transaction, "id" | "caller"> & { readonly steps: readonly Pick<AppliedStep, "file">[] },
    direction: "undo" | "redo",
  ): void;
  /** Returns what has become of a call; `undefined` if nothing is known of its hunks. */
  stateOfCall(transaction: string): HistoryCall["state"] | undefined;
  /** Serves one of `reviewMethods`, other than a redo. */
  serve(request: {
    readonly method: string;
    readonly params: unknown;
    readonly caller: Caller | undefined;
  }): Answer<object>;
  /** Runs one of `reviewCommands` that shows something. Resolves with its answer. */
  show(command: string, argument: unknown): Promise<object | null>;
  /** Returns the actions on the hunk at these lines; none if there is no hunk that the user has yet to look at. */
  actionsAt(lines: HunkLines): CodeAction[];
  /** Returns the hover of such a hunk. */
  hoverAt(lines: HunkLines): Hover | undefined;
  /**
   * Returns what the user has done to an agent's changes since it was last told, as a sentence, and takes it as told. `own`:
   * the transaction of the call that the note answers.
   */
  noteFor(caller: Caller, own?: string): string | undefined;
}
