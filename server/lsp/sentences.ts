/** Sentences about requests, the exchange with the editor, and whole calls. */
import { clip, count, fileAt, makeFailure, quote, some, theCall } from "../plan/failure.js";
import { indices } from "../plan/sentences.js";
import { visible } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { anotherProgram } from "./onDisk/sentences.js";

/** A changed file, as a message to the user names it. */
export interface ShownFile {
  /** The path after the change. */
  readonly path: string;
  readonly kind: "create" | "update" | "rename" | "delete";
  readonly added: number;
  readonly removed: number;
}

/** The words for what happened to a file, apart from the numbers of its lines; empty for a changed text. */
const fates: Readonly<Record<ShownFile["kind"], string>> = {
  create: "new",
  update: "",
  rename: "renamed",
  delete: "deleted",
};

function fileText({ path, kind, added, removed }: ShownFile): string {
  const counts = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`-${removed}`] : [])].join(" ");
  const about = [fates[kind], kind === "delete" ? "" : counts].filter((part) => part !== "");
  return about.length === 0 ? visible(path) : `${visible(path)} (${about.join(", ")})`;
}

/** Lists files with the numbers of their lines. */
export const filesText = (files: readonly ShownFile[]): string => some(files.map(fileText), 160);

/** The name shown for an agent that gives none. */
export const namelessAgent = "an unnamed agent";

/** Quotes an agent's name, so that it can't be taken for words of the sentence, such as "You". */
export const agentText = (name: string): string =>
  [namelessAgent, anotherProgram].includes(name) ? name : quote(name, limits.agentName);

/** The parts of a question to the user. */
interface QuestionParts {
  readonly label: string;
  /** Name of the agent; `undefined` if the editor sent the call. */
  readonly agent?: string;
  readonly added: number;
  readonly removed: number;
  readonly files: readonly ShownFile[];
}

/** The operation that the editor was asked to perform on a file, as the sentences describe it. */
export interface StepDescription {
  readonly kind: "edit" | "rename" | "delete";
  readonly path: string;
  /** Set only for a `rename`. */
  readonly newPath?: string;
  /** For an `edit`, the number of further files that it was to change. */
  readonly others?: number;
}

/** The wording for one kind of step. */
interface StepWords {
  /** The words after "The editor did not". */
  readonly toDo: (asked: StepDescription) => string;
  /** The words after "The editor said that it". */
  readonly done: (asked: StepDescription) => string;
  /** The state if the editor did nothing. */
  readonly before: (asked: StepDescription) => string;
  /** The effect that the request may still have if the editor acts late. */
  readonly late: string;
  /** The words after "has not yet". */
  readonly notYet: (asked: StepDescription) => string;
  /** The sentence used if the editor did something else. */
  readonly diverged: (asked: StepDescription) => string;
}

const from = ({ path }: StepDescription): string => quote(path, 160);

const all = (asked: StepDescription): string =>
  from(asked) + ((asked.others ?? 0) === 0 ? "" : ` and ${count(asked.others ?? 0, "more file")}`);

const fromTo = ({ path, newPath = "" }: StepDescription): string => `${quote(path, 160)} to ${quote(newPath, 160)}`;

const stepWords: Record<StepDescription["kind"], StepWords> = {
  edit: {
    toDo: (asked) => `apply the edit to ${all(asked)}`,
    done: (asked) => `applied the edit to ${from(asked)}`,
    before: ({ others = 0 }) => (others === 0 ? "its text is unchanged" : "their texts are unchanged"),
    late: "the edit may still take effect",
    notYet: (asked) => `changed ${from(asked)}`,
    diverged: (asked) =>
      `After the edit, the text of ${from(asked)} in the editor matches neither the old nor the planned text.`,
  },
  rename: {
    toDo: (asked) => `rename ${fromTo(asked)}`,
    done: (asked) => `renamed ${fromTo(asked)}`,
    before: () => "the file still has its old name",
    late: "it may still be renamed",
    notYet: (asked) => `renamed ${fromTo(asked)}`,
    diverged: (asked) =>
      `The editor was asked to rename ${fromTo(asked)}, but the result matches neither the old nor the planned state.`,
  },
  delete: {
    toDo: (asked) => `delete ${from(asked)}`,
    done: (asked) => `deleted ${from(asked)}`,
    before: () => "the file still exists",
    late: "it may still be deleted",
    notYet: (asked) => `deleted ${from(asked)}`,
    diverged: (asked) =>
      `The editor was asked to delete ${from(asked)}, but the result matches neither the old nor the planned state.`,
  },
};

/** Hints about file operations that the editor does not support. */
const operationHints = {
  create: "Create the file with another tool, then send the other edits again.",
  rename: "Rename the file with another tool, then send the other edits again, using its new path.",
  delete: "Delete the file with another tool, then send the other edits again.",
} as const;

/** Failures in the exchange with the editor. `rest` says what happened to the rest of the batch. */
export const editorFailures = {
  noResourceOperation: (path: string, operation: keyof typeof operationHints) =>
    makeFailure("clientCapability", fileAt(path), {
      problem: `The change to ${quote(path, 160)} needs the file operation "${operation}", which the editor does not support.`,
      hint: operationHints[operation],
    }),
  noApplyEdit: (asked: "call" | "undo") =>
    makeFailure("clientCapability", theCall, {
      problem: 'The editor does not support "workspace/applyEdit", so the server can\'t apply anything.',
      hint:
        asked === "call"
          ? "Send the request multiEdit/apply and apply the edit in its answer."
          : "Use the editor's own undo command.",
    }),
  clientRefused: (asked: StepDescription, reason: string, rest: string) =>
    makeFailure("clientRefused", fileAt(asked.path), {
      problem: `The editor did not ${stepWords[asked.kind].toDo(asked)}${reason === "" ? "" : ` (${clip(reason, 200)})`}; ${stepWords[asked.kind].before(asked)}. ${rest}`,
      hint: "Ask the user before you continue.",
    }),
  clientDiverged: (asked: StepDescription, rest: string) =>
    makeFailure("clientDiverged", fileAt(asked.path), {
      problem: `${stepWords[asked.kind].diverged(asked)} ${rest}`,
      hint: "Read the file before you continue.",
    }),
  noAnswerOfUser: (label: string, seconds: number) =>
    makeFailure("timeout", theCall, {
      problem: `The user was asked to confirm ${quote(label, 200)}, but did not answer within ${seconds} s.`,
      hint: "Ask the user, then send the call again.",
    }),
  stillAsked: (label: string) =>
    makeFailure("timeout", theCall, {
      problem: `The user has not answered the question about ${quote(label, 200)} that was asked before; it may still be on the screen.`,
      hint: "Ask the user to close it, then send the call again.",
    }),
  acknowledgedButUnchanged: (
    asked: StepDescription,
    { mayBeDeclined }: { readonly mayBeDeclined: boolean },
    rest: string,
  ) =>
    makeFailure("timeout", fileAt(asked.path), {
      problem: `The editor said that it ${stepWords[asked.kind].done(asked)}, but ${stepWords[asked.kind].before(asked)}; ${stepWords[asked.kind].late}${mayBeDeclined ? ", or the user may have declined it, which this editor does not report" : ""}. ${rest}`,
      hint: "Read the file before you continue.",
    }),
  timeout: (asked: StepDescription, seconds: number, rest: string) =>
    makeFailure("timeout", fileAt(asked.path), {
      problem: `The editor did not answer within ${seconds} s and has not yet ${stepWords[asked.kind].notYet(asked)}; it may still do so if it is waiting for the user. ${rest}`,
      hint: "Ask the user, and read the file before you continue.",
    }),
  leftEmpty: (path: string, rest: string) =>
    makeFailure("clientDiverged", fileAt(path), {
      problem: `The editor created ${quote(path, 160)} but did not insert its text, and the empty file was not deleted. ${rest}`,
      hint: "To fill the file, send an edit with an empty old text.",
    }),
  userRejected: (label: string, reason: string | undefined) =>
    makeFailure("userRejected", theCall, {
      problem: `The user rejected ${quote(label, 200)}${reason === undefined ? "" : ` and said: ${quote(reason, limits.rejectReason)}`}.`,
      hint: reason === undefined ? "Ask the user what to do instead." : "Do what the user asks for, as a new call.",
      ...(reason === undefined ? {} : { reason }),
    }),
  userClosed: (label: string) =>
    makeFailure("userRejected", theCall, {
      problem: `The user closed the question about ${quote(label, 200)} without an answer.`,
      hint: "Ask the user what to do instead.",
    }),
  /** `answer`: the client's answer, which may be any JSON value. */
  noDecision: (label: string, answer: unknown) =>
    makeFailure("clientCapability", theCall, {
      problem: `The editor's answer to the question about ${quote(label, 200)} does not say what the user decided: ${clip(JSON.stringify(answer) ?? "nothing", 100)}.`,
      hint: "Ask the user.",
    }),
  closedAsking: () =>
    makeFailure("noSession", theCall, {
      problem: "The editor was closed before the user had answered the question about the call.",
      hint: "Ask the user before you send the call again.",
    }),
  cannotAsk: () =>
    makeFailure("clientCapability", theCall, {
      problem: "This call needs the user's confirmation, but the editor can't ask for it.",
    }),
  cancelled: () => makeFailure("cancelled", theCall, { problem: "The request was cancelled." }),
} as const;

/** The failures that can occur when a transaction is to be undone. */
export const undoFailures = {
  conflict: (path: string, problem: string, line?: number) =>
    makeFailure("undoConflict", fileAt(path), {
      problem: `The edit to ${quote(path, 160)} can't be undone: ${problem}. Nothing was changed.`,
      hint: "Read the file, then send an edit that reverts the change.",
      ...(line === undefined ? {} : { line }),
    }),
  nothing: () =>
    makeFailure("undoConflict", theCall, {
      problem: "There is nothing to undo here.",
      hint: "Changes made by other means can be reverted only by another edit.",
    }),
  unknown: (id: string) =>
    makeFailure("undoConflict", theCall, {
      problem: `There is no transaction ${quote(id)} here, or it is no longer kept.`,
      hint: undoHint,
    }),
  /** `folder`: the folder in which the call was made. */
  elsewhere: (id: string, folder: string) =>
    makeFailure("undoConflict", theCall, {
      problem: `The transaction ${quote(id)} can't be undone here, because some of its files are outside this folder.`,
      hint: `Undo it in ${quote(folder, 200)}.`,
    }),
  notApplied: (id: string) =>
    makeFailure("undoConflict", theCall, {
      problem: `The edit ${quote(id)} was proposed to the editor, but the texts and files show no sign that it was applied.`,
      hint: undoHint,
    }),
  undone: (id: string, label: string) =>
    makeFailure("undoConflict", theCall, {
      problem: `The transaction ${quote(id)} (${quote(label, 200)}) has already been undone; an undo can't be undone.`,
      hint: "To apply its edits again, send the call again.",
    }),
} as const;

const undoHint = "To undo the latest transaction, leave out the id; multiEdit/status lists the transactions.";

/** The prefix of each warning about what a summary leaves out. */
const hadChanges = " already had unsaved changes, so ";

const summary = "the answer is a summary: ";

/** The wording for whole calls: parts of the JSON-RPC error message, warnings, and clauses used in other sentences. */
export const callSentences = {
  /** The first line of a failed call's message. */
  failedEdits: (failed: number, total: number): string => `Nothing was changed: ${failed} of ${total} edits failed.`,
  /** The last line of a failed call's message. `sound`: 0-based indices of the correct edits; never empty. */
  sound: (sound: readonly number[], isPatch: boolean): string => {
    const isOne = sound.length === 1;
    const fine = `${indices(sound)} ${isOne ? "needs" : "need"} no correction`;
    return isPatch
      ? `${fine}: leave ${isOne ? "it as it is" : "them as they are"} and send the whole patch again.`
      : `${fine}: send ${isOne ? "it" : "them"} again unchanged, together with the corrected ones.`;
  },
  /** `paths` lists the files that the server wrote itself; `total` is the number of files that the call changed. */
  changedOnDisk: (paths: readonly string[], total: number): string =>
    `Changed on disk, because no editor has ${paths.length < total ? named(paths) : total === 1 ? "it" : "them"} open.`,
  progressTitle: "Matching edits",
  nothingChanged: "Nothing was changed.",
  notAsked: "options.confirm had no effect: nothing was applied, so the user was not asked",
  /** Says what happened to the files changed before the failure. */
  rest: (rest: Record<Leftover | "back", readonly string[]>): string => {
    const said = leftovers.flatMap(([kind, words]) =>
      rest[kind].length === 0 ? [] : [`${words}: ${rest[kind].join(", ")}.`],
    );
    const back = rest.back.length === 0 ? [] : [`Rolled back: ${rest.back.join(", ")}.`];
    return [...(back.length + said.length === 0 ? ["Nothing else was changed."] : []), ...back, ...said].join(" ");
  },
  /** `diff` is empty if the diff can be shown in another way. */
  question: ({ label, agent, added, removed, files }: QuestionParts, diff: string): string => {
    const [only] = files;
    const isNamed = files.length === 1 && only !== undefined && label.includes(only.path);
    const names = files.length === 0 || isNamed ? "" : `\nFiles: ${filesText(files)}.`;
    return `${agent === undefined ? "" : `${agentText(agent)}: `}Apply ${visible(label)}? This adds ${count(added, "line")} and removes ${removed}.${names}${diff === "" ? "" : `\n\n${diff}`}`;
  },
  /** The note that ends a shortened text and gives the number of lines left out; empty if there are none. */
  furtherLines: (lines: number): string => (lines === 0 ? "" : `… and ${count(lines, "more line")}`),
  unverifiable: (path: string): string =>
    `${path}: the editor said that it applied the edit, but did not send the text that would prove it`,
  throughEditor: (path: string): string => `${path} was not open: the editor has changed it but has not saved it`,
  staysOpen: (path: string, fate: "delete" | "rename"): string =>
    `${path} was ${fate === "delete" ? "deleted" : "renamed"}, but the editor still has it open${fate === "delete" ? "" : " under its old name"}: a save from the editor would recreate the file`,
  cannotSave: (paths: readonly string[]): string =>
    `${named(paths)} ${paths.length === 1 ? "was" : "were"} changed in the editor but not saved: the server can't save files in this editor`,
  leftUnsaved: (paths: readonly string[]): string =>
    `${named(paths)}${hadChanges}${paths.length === 1 ? "it was" : "they were"} not saved`,
  notCompared: (paths: readonly string[]): string =>
    `${named(paths)} ${paths.length === 1 ? "was" : "were"} changed in the editor but not saved: the server can't read the file on disk as UTF-8 text, so it can't tell whether there were unsaved changes`,
  notSaved: (path: string, problem: string): string =>
    `${path} was changed in the editor but not saved${problem === "" ? "" : `: ${problem}`}`,
  silentAboutSaving: "the editor did not answer the request to save",
  notOnDisk: "the editor was asked to save it, but the file on disk does not have the new text",
  changedOnSave: (path: string): string =>
    `${path}: the editor made further changes to the text when it saved the file`,
  /** `first` and `last`: 1-based line numbers. */
  changedAgain: (path: string, first: number, last: number): string =>
    `${path} has changed again at line${first === last ? ` ${first}` : `s ${first}-${last}`} since the edit was applied: the diff no longer shows the text that is there`,
  versionOfUnknown: (uri: string): string => `options.versions names ${quote(uri, 160)}, which the call does not touch`,
  noEditInSummary: `${summary}it does not contain the edit`,
  diffCut: (characters: number): string =>
    `${summary}${characters.toLocaleString("en")} characters of the diff are left out`,
  versionIs: (actual: number | null, expected: number): string =>
    actual === null
      ? `version ${expected} was expected, but the file is not open in the editor`
      : `version ${expected} was expected, but the editor has ${actual}`,
  keepsMoving: "its text kept changing before the edit could be applied",
  openedMeanwhile: "it has been opened in the editor in the meantime",
  noFile: "the editor has it open, but there is no such file on disk",
  undoOf: (label: string): string => `Undo ${label}`,
  undoneBefore: (label: string): string => `${clip(label, 200)} has already been undone in the editor.`,
  tooLargeToUndo: "the texts are too large to keep, so the server can't undo this call",
  notKept: "the server kept no copy of the deleted file",
  gone: "the file no longer exists",
  changedSince: "the file has changed since",
  changedAt: (line: number): string => `its text has changed at line ${line}`,
} as const;

/** Reports whether a warning is only about what a summary leaves out, so that an answer without a diff omits it. */
export const isAboutSummary = (warning: string): boolean => warning.startsWith(summary);

/** Reports whether a warning only says why files with unsaved changes were not saved. */
export const isAboutUnsaved = (warning: string): boolean => warning.includes(hadChanges);

/** The possible states of a file whose change was not, or may not have been, rolled back. */
export type Leftover = "held" | "stuck" | "renamed" | "deleted" | "saved" | "doubtful";

const leftovers: readonly (readonly [Leftover, string])[] = [
  ["held", "These files also contain the edit but are not saved"],
  ["stuck", "These files still contain the edit, because it could not be rolled back"],
  ["renamed", "These files still have their new names, because renaming them back failed"],
  ["deleted", "These files are still deleted, because they could not be restored"],
  ["saved", "These files have their old text in the editor, but the editor had already saved the edit to disk"],
  ["doubtful", "These files may contain the edit"],
];

/** Lists up to `limits.pathsShown` paths for a sentence, followed by the number of remaining files. */
function named(paths: readonly string[]): string {
  const more = paths.length - limits.pathsShown;
  return `${paths.slice(0, limits.pathsShown).join(", ")}${more > 0 ? ` and ${count(more, "more file")}` : ""}`;
}

/** Problems with the params of `multiEdit/undo`, each phrased as the end of a sentence. */
export const undoProblems = {
  params: "the params are not an object",
  transaction: "it must be the id of a transaction",
} as const;

/** The answer to an unknown request. */
export function unknownRequest(method: string): string {
  return `There is no request ${quote(method)}.`;
}

/** The failures that can occur when requests other than calls are parsed. */
export const requestFailures = {
  unknownReadField: (key: string) =>
    makeFailure("unknownField", theCall, {
      problem: `The request has the unknown field ${quote(key)}; the known fields are path, startLine and endLine.`,
      hint: `Leave ${quote(key)} out; name the file in path, and use startLine and endLine to select lines.`,
    }),
  trialOfUndo: (key: string) =>
    makeFailure("unknownField", theCall, {
      problem: `An undo can't be previewed, so it does not accept the field ${quote(key)}. Nothing was undone.`,
      hint: "Leave the field out only if you want to undo the change; multiEdit/status lists what was applied.",
    }),
} as const;

/** Problems with a field of `multiEdit/read`, each phrased as the end of a sentence. */
export const readProblems = {
  path: "it must be a path or URI",
  startLine: "it must be a positive integer",
  endLine: "it must be an integer greater than or equal to startLine",
  maxLength: "it must be a positive integer",
} as const;

/** The answer to an unknown command, whose name may be any JSON value. */
export function unknownCommand(name: unknown): string {
  return typeof name === "string" ? `There is no command ${quote(name)}.` : "A command name must be a string.";
}

/** Lines about the session, for the client's log. */
export const serverLog = {
  initialized: (version: string, client: string | undefined, encoding: string) =>
    `version ${version}, client ${client ?? "without a name"}, positions in ${encoding}`,
  closedToAgents: (error: unknown) => `agents can't reach this session: ${String(error)}`,
  noSettings: (error: unknown) => `the client did not send its settings: ${String(error)}`,
  noNewSettings: (error: unknown) => `the client does not report changes to its settings: ${String(error)}`,
  outOfSync: (uri: unknown, problem: string) => `${String(uri)} is out of sync: ${problem}`,
  ignored: (problem: string) => `ignored: ${problem}`,
  appliedPart:
    "the client has applied only a part of an edit, although it announces that it applies all of it or nothing: from now on, each document gets a request of its own",
  noProgress: (error: unknown) => `the client does not show progress: ${String(error)}`,
} as const;
