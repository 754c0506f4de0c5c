/** The output of a command, on a terminal and in a pipe, and its exit code. */
import { styleText } from "node:util";
import type { MultiEditResult } from "../../lsp/protocol.js";
import type { FailureCode } from "../../plan/failure.js";
import type { RequestResult } from "../session/request.js";

/** The exit codes by their meaning, so that a script need not read messages. */
export const exitCodes = {
  done: 0,
  /** The old text of an edit was not found, or a file may not be changed; nothing was changed. */
  unresolved: 1,
  /** The command line or the call can't be read. */
  usage: 2,
  /** No editor, or more than one. */
  noSession: 3,
  /** The editor or the user refused, the call was cancelled, or a file is locked. */
  refused: 4,
  /** The text has changed meanwhile. */
  movedOn: 5,
  /** The outcome of the call is unknown, or not all of it could be rolled back. */
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

/** The exit code of a result. */
export function exitCodeOf(result: RequestResult): number {
  if (result.ok) {
    const { outcome } = result.result as Partial<MultiEditResult>;
    return outcome === "unknown" ? exitCodes.unknown : exitCodes.done;
  }
  if (result.unknown) return exitCodes.unknown;
  const [first] = result.failures;
  // If an editor did not answer in time, the failure names a file; if the user did not, it names none.
  if (first?.code === "timeout") return first.path === undefined ? exitCodes.refused : exitCodes.unknown;
  return byFailure[first?.code ?? "ioError"] ?? exitCodes.unresolved;
}

/** Prints an answer to stdout, which receives nothing else: unchanged into a pipe, in colour on a terminal. */
export function print(text: string, { isDiff }: { readonly isDiff: boolean } = { isDiff: false }): void {
  const { stdout } = process;
  if (!stdout.isTTY) stdout.write(text);
  else stdout.write(isDiff ? harmless(text).split("\n").map(inColour).join("\n") : harmless(text));
}

/** Prints an answer for programs, on one line. */
export function printJson(value: unknown): void {
  print(`${JSON.stringify(value)}\n`);
}

/** Prints to stderr a message that is not an answer. */
export function say(text: string): void {
  process.stderr.write(`${process.stderr.isTTY ? harmless(text) : text}\n`);
}

/**
 * Rewrites a message for the person at a terminal, who counts edits from 1: adds 1 to each number after "edit" and in
 * each list after "edits". Programs match the numbers of a message with `index`, so `--json` and models keep
 * counting from 0.
 *
 * Text of a file or a call stays as it is, because messages quote it as JSON or on lines such as `12| text`. A path is
 * not quoted after the name of an edit, as in `edit 0 (edit 7.txt)`, so parentheses there stay, too.
 */
export function countedFromOne(message: string): string {
  return outsideQuotes(message, (words) =>
    words
      .replace(/(?<![\w/.\\-])([Ee]dit )(\d+)(?![\w/\\-]|[.,]\w)((?: \([^)]*\))?)/g, (_, edit, number, path) => {
        return `${edit}${Number(number) + 1}${path}`;
      })
      .replace(/(?<![\w/.\\-])[Ee]dits (?:\d+(?:-\d+)?(?:, | and )?)+/g, (list) =>
        list.replace(/\d+/g, (number) => `${Number(number) + 1}`),
      ),
  );
}

/**
 * Rewrites a message that speaks of the user for that user, who reads it on a terminal. Agents run the same commands in
 * a pipe and need the other form. Quoted text stays as it is.
 */
export function addressedToUser(message: string): string {
  return outsideQuotes(message, (words) =>
    words
      .replace(/\bAsk the user(?: to|, then|, and) (\w)/g, (_, first: string) => first.toUpperCase())
      .replace(/, (?:or|and) ask the user to run it\b/g, "")
      .replace(/\bask the user to /g, "")
      .replace(/ ?\bAsk the user [^."\n]*\./g, "")
      .replace(/\b(T|t)he user('s)?(?: (was))?\b/g, (_, t, of, was) => {
        const you = of === undefined ? `${t === "T" ? "Y" : "y"}ou` : `${t === "T" ? "Y" : "y"}our`;
        return was === undefined ? you : `${you} were`;
      }),
  );
}

/** Rewrites the parts of a message that are outside JSON strings and outside lines that quote a text. */
function outsideQuotes(message: string, rewrite: (words: string) => string): string {
  const inLine = (line: string): string =>
    line
      .split(/("(?:[^"\\]|\\.)*"?)/)
      .map((part, i) => (i % 2 === 0 ? rewrite(part) : part))
      .join("");
  return message
    .split("\n")
    .map((line) => (/^(?:\d+(?::\d+)?|\+)\| /.test(line) ? line : inLine(line)))
    .join("\n");
}

type Style = Parameters<typeof styleText>[0];

/** Styles by the start of a diff's line; the first one that matches counts. */
const lineStyles: readonly (readonly [start: string, style: Style])[] = [
  ["diff ", "bold"],
  ["--- ", "bold"],
  ["+++ ", "bold"],
  ["@@", "cyan"],
  ["+", "green"],
  ["-", "red"],
];

/** Returns a line of a diff, in colours if the user wants them. */
function inColour(line: string): string {
  const style = lineStyles.find(([start]) => line.startsWith(start))?.[1];
  return style === undefined ? line : styleText(style, line, { stream: process.stdout });
}

/** Replaces control characters except tab and LF with the pictures that Unicode has for them, or else with U+FFFD. */
function harmless(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => {
    if (character === "\t" || character === "\n") return character;
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
  });
}
