/** Prints a command's output to a terminal or a pipe and determines the exit code. */
import { styleText } from "node:util";
import { addressedToUser, countedFromOne } from "../../lsp/edit/forPeople.js";
import type { MultiEditResult } from "../../lsp/protocol.js";
import type { FailureCode } from "../../plan/failure.js";
import type { RequestResult } from "../../session/request.js";
import { misuse } from "./sentences.js";

/** The exit codes, which let scripts distinguish outcomes without parsing messages. */
export const exitCodes = {
  done: 0,
  /** An edit can't be applied, such as one whose old text was not found, or the lines to read do not exist. */
  unresolved: 1,
  /** The command line or the call can't be read. */
  usage: 2,
  /** No editor, or more than one, was found. */
  noSession: 3,
  /** The editor or the user refused, the call was cancelled, or a file is locked. */
  refused: 4,
  /** Another change to the files came first, so the call or the undo was not applied. */
  movedOn: 5,
  /** The call's outcome is unknown, or the call could not be rolled back completely. */
  unknown: 6,
} as const;

const byFailure: Partial<Record<FailureCode, number>> = {
  invalidParams: exitCodes.usage,
  unknownField: exitCodes.usage,
  missingField: exitCodes.usage,
  missingPath: exitCodes.usage,
  patchSyntax: exitCodes.usage,
  noSession: exitCodes.noSession,
  clientCapability: exitCodes.refused,
  clientRefused: exitCodes.refused,
  userRejected: exitCodes.refused,
  cancelled: exitCodes.refused,
  locked: exitCodes.refused,
  contentModified: exitCodes.movedOn,
  undoConflict: exitCodes.movedOn,
  clientDiverged: exitCodes.unknown,
};

/** Returns the exit code of a result. */
export function exitCodeOf(result: RequestResult): number {
  if (result.ok) {
    const { outcome } = result.result as Partial<MultiEditResult>;
    return outcome === "unknown" ? exitCodes.unknown : exitCodes.done;
  }
  if (result.unknown) return exitCodes.unknown;
  const [first] = result.failures;
  // If the editor did not answer in time, the failure names a file; if the user did not, it names none.
  if (first?.code === "timeout") return first.path === undefined ? exitCodes.refused : exitCodes.unknown;
  return byFailure[first?.code ?? "ioError"] ?? exitCodes.unresolved;
}

/** Prints an answer, the only output on stdout. On a terminal, replaces control characters and colours a diff. */
export function print(text: string, { isDiff }: { readonly isDiff: boolean } = { isDiff: false }): void {
  const { stdout } = process;
  if (!stdout.isTTY) stdout.write(text);
  else stdout.write(isDiff ? harmless(text).split("\n").map(inColour).join("\n") : harmless(text));
}

/** Prints an answer as one line of JSON, for programs. */
export function printJson(value: unknown): void {
  print(`${JSON.stringify(value)}\n`);
}

/** Prints a message, as opposed to an answer, to stderr. */
export function say(text: string): void {
  process.stderr.write(`${process.stderr.isTTY ? harmless(text) : text}\n`);
}

/** Prepares a message for stderr: counts edits from 1, names the command and, on a terminal, says "you". */
export function forStderr(message: string): string {
  const said = countedFromOne(message).replace(/\bmultiEdit\/status(?= lists )/, '"multi-edit log"');
  return process.stderr.isTTY ? addressedToUser(said) : said;
}

type Style = Parameters<typeof styleText>[0];

/** Styles for the lines of a diff, by prefix; the first match applies. */
const lineStyles: readonly (readonly [start: string, style: Style])[] = [
  ["diff ", "bold"],
  ["--- ", "bold"],
  ["+++ ", "bold"],
  ["@@", "cyan"],
  ["+", "green"],
  ["-", "red"],
];

/** Colours a line of a diff, unless the user's environment turns colours off. */
function inColour(line: string): string {
  const style = lineStyles.find(([start]) => line.startsWith(start))?.[1];
  return style === undefined ? line : styleText(style, line, { stream: process.stdout });
}

/** Replaces control characters except tab and LF, and characters that reverse the direction of the text. */
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
    if (character === "\t" || character === "\n") return character;
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
  });
}

/** Prints the problem of a command line or of its input, with `--json` also as JSON; returns the exit code. */
export function misused(problem: string, { json }: { readonly json: boolean }): number {
  if (json) {
    const { code, message } = misuse(problem);
    printJson({ error: { message, failures: [{ code, message }], edits: [] } });
  }
  say(problem);
  return exitCodes.usage;
}
