/** Sentences about requests, the way to the editor and back, and whole calls. */
import { clip, count, fileAt, makeFailure, quote, theCall } from "../plan/failure.js";
import { indices } from "../plan/sentences.js";
import { limits } from "../text/limits.js";

/** What the editor was asked to do with a file, as the sentences about it name it. */
export interface StepDescription {
  readonly kind: "edit" | "rename" | "delete";
  readonly path: string;
  /** Of a `rename`. */
  readonly newPath?: string;
}

/** How the sentences about a step speak of it. */
interface StepWords {
  /** Behind "The editor did not". */
  readonly toDo: (asked: StepDescription) => string;
  /** Behind "The editor said that it". */
  readonly done: (asked: StepDescription) => string;
  /** What is so if nothing was done. */
  readonly before: string;
  /** What may happen later. */
  readonly late: string;
  /** Behind "has not". */
  readonly notYet: (asked: StepDescription) => string;
  /** What is seen if something else was done. */
  readonly diverged: (asked: StepDescription) => string;
}

const from = ({ path }: StepDescription): string => quote(path, 160);

const fromTo = ({ path, newPath = "" }: StepDescription): string => `${quote(path, 160)} to ${quote(newPath, 160)}`;

const stepWords: Record<StepDescription["kind"], StepWords> = {
  edit: {
    toDo: (asked) => `apply the edit of ${from(asked)}`,
    done: (asked) => `applied the edit of ${from(asked)}`,
    before: "its text is as it was",
    late: "the edit may still come",
    notYet: (asked) => `changed ${from(asked)}`,
    diverged: (asked) => `After the edit the editor's text of ${from(asked)} is neither the old nor the planned one.`,
  },
  rename: {
    toDo: (asked) => `rename ${fromTo(asked)}`,
    done: (asked) => `renamed ${fromTo(asked)}`,
    before: "the file has its old name",
    late: "the new name may still come",
    notYet: (asked) => `renamed ${fromTo(asked)}`,
    diverged: (asked) =>
      `The editor was asked to rename ${fromTo(asked)}; names and text are now neither the old nor the planned ones.`,
  },
  delete: {
    toDo: (asked) => `delete ${from(asked)}`,
    done: (asked) => `deleted ${from(asked)}`,
    before: "the file is there",
    late: "it may still be deleted",
    notYet: (asked) => `deleted ${from(asked)}`,
    diverged: (asked) => `The editor was asked to delete ${from(asked)}; something else is there now.`,
  },
};

/** What the caller can do about a file operation that the editor lacks. */
const operationHints = {
  create: "Create the file by other means and send the other edits again.",
  rename: "Rename the file by other means and send the other edits again, with its new path.",
  delete: "Delete the file by other means and send the other edits again.",
} as const;

/** Failures of the way to the editor and back. `takenBack` says what became of the rest of the batch. */
export const editorFailures = {
  noResourceOperation: (path: string, operation: keyof typeof operationHints) =>
    makeFailure("clientCapability", fileAt(path), {
      problem: `${quote(path, 160)} needs the file operation "${operation}", which the editor does not offer.`,
      hint: operationHints[operation],
    }),
  noApplyEdit: (asked: "call" | "undo") =>
    makeFailure("clientCapability", theCall, {
      problem: 'The editor does not offer "workspace/applyEdit", so the server can\'t apply anything.',
      hint:
        asked === "call"
          ? "Send the request multiEdit/apply and apply the edit of its answer."
          : "The editor's own undo takes the edit back.",
    }),
  clientRefused: (asked: StepDescription, reason: string, takenBack: string) =>
    makeFailure("clientRefused", fileAt(asked.path), {
      problem: `The editor did not ${stepWords[asked.kind].toDo(asked)}${reason === "" ? "" : ` (${clip(reason, 200)})`}; ${stepWords[asked.kind].before}. ${takenBack}`,
      hint: "Ask the user before you go on.",
    }),
  clientDiverged: (asked: StepDescription, takenBack: string) =>
    makeFailure("clientDiverged", fileAt(asked.path), {
      problem: `${stepWords[asked.kind].diverged(asked)} ${takenBack}`,
      hint: "Read the file before you go on.",
    }),
  noAnswerOfUser: (label: string, seconds: number) =>
    makeFailure("timeout", theCall, {
      problem: `The user did not answer within ${seconds} s whether ${quote(label, 200)} may be applied.`,
      hint: "Ask the user, and send the call again.",
    }),
  acknowledgedButUnchanged: (
    asked: StepDescription,
    { mayBeDeclined }: { readonly mayBeDeclined: boolean },
    takenBack: string,
  ) =>
    makeFailure("timeout", fileAt(asked.path), {
      problem: `The editor said that it ${stepWords[asked.kind].done(asked)}, but ${stepWords[asked.kind].before} so far; ${stepWords[asked.kind].late}${mayBeDeclined ? ", or the user has declined it, which this editor does not tell" : ""}. ${takenBack}`,
      hint: "Read the file before you go on.",
    }),
  timeout: (asked: StepDescription, seconds: number, takenBack: string) =>
    makeFailure("timeout", fileAt(asked.path), {
      problem: `The editor did not answer within ${seconds} s, and has not ${stepWords[asked.kind].notYet(asked)} so far; it may still do so, if it waits for the user. ${takenBack}`,
      hint: "Ask the user, and read the file before you go on.",
    }),
  leftEmpty: (path: string, takenBack: string) =>
    makeFailure("clientDiverged", fileAt(path), {
      problem: `The editor created ${quote(path, 160)} but did not take its text; the empty file is still there, because it could not be deleted. ${takenBack}`,
      hint: "An edit with an empty old text fills it.",
    }),
  userRejected: (label: string) =>
    makeFailure("userRejected", theCall, {
      problem: `The user rejected ${quote(label, 200)}.`,
      hint: "Ask the user what to do instead.",
    }),
  cannotAsk: () =>
    makeFailure("clientCapability", theCall, {
      problem: "The user is to confirm the edit, but the editor can't show a question.",
    }),
  cancelled: () => makeFailure("cancelled", theCall, { problem: "The request was cancelled." }),
} as const;

/** Failures of taking back what was applied. */
export const undoFailures = {
  conflict: (path: string, problem: string, line?: number) =>
    makeFailure("undoConflict", fileAt(path), {
      problem: `The edit of ${quote(path, 160)} can't be taken back: ${problem}. Nothing was changed.`,
      hint: "Read the file, and send an edit that changes it back.",
      ...(line === undefined ? {} : { line }),
    }),
  nothing: () =>
    makeFailure("undoConflict", theCall, {
      problem: "This session has applied nothing that could be taken back.",
      hint: "What was changed by other means, an edit changes back.",
    }),
  unknown: (id: string) =>
    makeFailure("undoConflict", theCall, {
      problem: `This session has no transaction ${quote(id)}, or none any more.`,
      hint: undoHint,
    }),
  notApplied: (id: string) =>
    makeFailure("undoConflict", theCall, {
      problem: `The edit ${quote(id)} was proposed to the editor, and is not applied, as far as texts and files show.`,
      hint: undoHint,
    }),
  undone: (id: string, label: string) =>
    makeFailure("undoConflict", theCall, {
      problem: `The transaction ${quote(id)} (${clip(label, 200)}) was taken back already; taking back is not taken back.`,
      hint: "Send the call again to have its edits again.",
    }),
} as const;

const undoHint = "Name no transaction to take back the last one; multiEdit/status lists them all.";

/** The start of warnings of what a summary leaves out. */
const summary = "the answer is a summary: ";

/** Sentences about a whole call: what the JSON-RPC error says, warnings, and clauses of other sentences. */
export const callSentences = {
  /** The first line of the message of a failed call. */
  failedEdits: (failed: number, total: number): string => `Nothing was changed: ${failed} of ${total} edits failed.`,
  /** Its last line. `sound`: indices (0-based) of the edits that the caller need not correct, at least one. */
  sound: (sound: readonly number[], isPatch: boolean): string => {
    const isOne = sound.length === 1;
    const found = `${indices(sound)} found ${isOne ? "its place" : "their places"}`;
    return isPatch
      ? `${found}: leave ${isOne ? "it as it is" : "them as they are"}, and send the whole patch again.`
      : `${found}: send ${isOne ? "it" : "them"} again, unchanged, with the corrected ones.`;
  },
  /** `paths`: of the files that the server has written itself, out of `total` that the call has changed. */
  changedOnDisk: (paths: readonly string[], total: number): string =>
    `Changed on disk: no editor has ${paths.length < total ? named(paths) : total === 1 ? "it" : "them"} open.`,
  progressTitle: "Placing edits",
  nothingChanged: "Nothing was changed.",
  notAsked: "options.confirm has no effect here: nothing is applied, and so nobody was asked",
  /** What became of the files that were changed before the one that failed. */
  rest: (rest: Record<Leftover | "back", readonly string[]>): string => {
    const said = leftovers.flatMap(([kind, words]) =>
      rest[kind].length === 0 ? [] : [`${words}: ${rest[kind].join(", ")}.`],
    );
    const back = rest.back.length === 0 ? [] : [`Taken back: ${rest.back.join(", ")}.`];
    return [...(back.length + said.length === 0 ? ["Nothing else was changed."] : []), ...back, ...said].join(" ");
  },
  /** `diff`: what can't be shown otherwise, or empty. */
  question: (label: string, added: number, removed: number, diff: string): string =>
    `Apply ${label}: +${added} -${removed} lines?${diff === "" ? "" : `\n\n${diff}`}`,
  /** Behind the start of a text. */
  furtherLines: (lines: number): string => (lines === 0 ? "" : `… and ${count(lines, "more line")}`),
  unverifiable: (path: string): string =>
    `${path}: the editor said that it applied the edit, but did not send the text that would prove it`,
  throughEditor: (path: string): string => `${path} was not open: it was changed in the editor and is not saved`,
  staysOpen: (path: string, fate: "delete" | "rename"): string =>
    `${path} is ${fate === "delete" ? "deleted" : "renamed"}, but the editor still has it open under ${fate === "delete" ? "its" : "its old"} name: saving it there would bring the file back`,
  cannotSave: (paths: readonly string[]): string =>
    `${named(paths)} ${paths.length === 1 ? "is" : "are"} changed in the editor and not saved: the editor offers the server no way to save`,
  leftUnsaved: (paths: readonly string[]): string =>
    `${named(paths)} had unsaved changes before, and so ${paths.length === 1 ? "is" : "are"} not saved now`,
  notSaved: (path: string, problem: string): string =>
    `${path} is changed in the editor and not saved${problem === "" ? "" : `: ${problem}`}`,
  silentAboutSaving: "the editor did not answer when it was asked to save",
  notOnDisk: "the editor was asked to save it, but the file does not have the text",
  changedOnSave: (path: string): string => `${path}: the editor has changed more of the text when it saved it`,
  versionOfUnknown: (uri: string): string => `options.versions names ${quote(uri, 160)}, which the call does not touch`,
  noEditInSummary: `${summary}it has no edit`,
  diffCut: (characters: number): string =>
    `${summary}${characters.toLocaleString("en")} characters of the diff are left out`,
  versionIs: (actual: number | null, expected: number): string =>
    actual === null
      ? `version ${expected} was expected, but it is not open in the editor`
      : `version ${expected} was expected, the editor has ${actual}`,
  keepsMoving: "its text changed each time before the edit could be applied",
  openedMeanwhile: "it has been opened in the editor meanwhile",
  noFile: "the editor has it open, but there is no such file on disk",
  undoOf: (label: string): string => `Undo ${label}`,
  tooLargeToUndo: "the texts are too large to be kept, so that the server can't take this batch back",
  notKept: "the deleted file was not kept",
  gone: "it is not there any more",
  changedSince: "it was changed since",
  changedAt: (line: number): string => `its text has moved on at line ${line}`,
} as const;

/** Tells whether a warning says only what a summary leaves out: an answer that shows none of that can do without it. */
export function isAboutSummary(warning: string): boolean {
  return warning.startsWith(summary);
}

/** What could not be taken back, or not for certain. */
export type Leftover = "held" | "stuck" | "renamed" | "deleted" | "saved" | "doubtful";

const leftovers: readonly (readonly [Leftover, string])[] = [
  ["held", "These hold the edit, too, and are not saved"],
  ["stuck", "These still hold the edit, because it could not be taken back"],
  ["renamed", "These still have the new name, because the old one could not be given back"],
  ["deleted", "These are still deleted, because they could not be written again"],
  ["saved", "These have their old text in the editor, but the editor had saved the edit, so that the file holds it"],
  ["doubtful", "These may hold the edit"],
];

/** Paths in a sentence, bounded. */
function named(paths: readonly string[]): string {
  const more = paths.length - limits.pathsShown;
  return `${paths.slice(0, limits.pathsShown).join(", ")}${more > 0 ? ` and ${count(more, "more file")}` : ""}`;
}

/** Problems with the params of `multiEdit/undo`, each as the end of a sentence. */
export const undoProblems = {
  params: "the params are no object",
  transaction: "it must be the id of a transaction",
} as const;

/** The answer to a request that nobody knows. */
export function unknownRequest(method: string): string {
  return `There is no request ${quote(method)}.`;
}

/** Failures of reading a request that is no call. */
export const requestFailures = {
  unknownReadField: (key: string) =>
    makeFailure("unknownField", theCall, {
      problem: `The request has the unknown field ${quote(key)}; what is read is told by path, startLine and endLine.`,
      hint: `Leave ${quote(key)} out, or say with startLine and endLine which lines you want.`,
    }),
  trialOfUndo: (key: string) =>
    makeFailure("unknownField", theCall, {
      problem: `The request has the field ${quote(key)}, which is unknown here: an undo can't be previewed, and nothing was undone.`,
      hint: "Send it without the field only if the change is to be undone; multiEdit/status lists what was applied.",
    }),
} as const;

/** What is wrong with a field of `multiEdit/read`, as the end of a sentence. */
export const readProblems = {
  path: "it must be a path or URI",
  startLine: "it must be a whole number from 1",
  endLine: "it must be a whole number from startLine",
} as const;

/** The answer to a command that is not ours; its name may be any JSON value. */
export function unknownCommand(name: unknown): string {
  return `There is no command ${typeof name === "string" ? quote(name) : "without a name"}.`;
}

/** What the client's log says of the session itself. */
export const serverLog = {
  initialized: (version: string, client: string | undefined, encoding: string) =>
    `version ${version}, client ${client ?? "without a name"}, positions in ${encoding}`,
  closedToAgents: (error: unknown) => `agents can't reach this session: ${String(error)}`,
  noSettings: (error: unknown) => `the client did not tell the settings: ${String(error)}`,
  noNewSettings: (error: unknown) => `the client does not tell of new settings: ${String(error)}`,
  outOfSync: (uri: unknown, problem: string) => `${String(uri)} is out of sync: ${problem}`,
  ignored: (problem: string) => `ignored: ${problem}`,
  noProgress: (error: unknown) => `no progress is shown: ${String(error)}`,
} as const;
