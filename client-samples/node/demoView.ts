/** The demo's output: colours if the terminal has them, otherwise plain text. */
import { styleText } from "node:util";
import type { FileResult } from "../../server/lsp/protocol.js";

const coloured = process.stdout.isTTY && process.stdout.hasColors();
const width = Math.min(process.stdout.columns || 110, 110);

/** Returns a text in a style if colours are available, otherwise unchanged. */
export function paint(style: Parameters<typeof styleText>[0], text: string): string {
  return coloured ? styleText(style, text) : text;
}

/** Prints lines. */
export function print(...lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}

/** Returns a call as one line, with its keys unchanged and its long values shortened. */
export function callLine(method: string, call: object): string {
  return `    ${paint("cyan", cut(`${method} ${brief(call)}`, width - 4))}`;
}

const cut = (line: string, room: number): string => (line.length > room ? `${line.slice(0, room - 1)}…` : line);

function brief(value: unknown): string {
  if (typeof value === "string") {
    const text = JSON.stringify(value);
    return text.length <= 36 ? text : `${text.slice(0, 34)}…"`;
  }
  if (Array.isArray(value)) return `[${value.map(brief).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${key}: ${brief(each)}`)
    .join(", ")} }`;
}

/** The state of a file in the editor before a call. */
export type FileState = "open" | "open, not saved" | "not open" | "new";

/**
 * Returns the lines of a result's text, each file followed by its state. `states` maps paths to the states before the
 * call.
 */
export function summaryLines(
  text: string,
  files: readonly FileResult[],
  states: ReadonlyMap<string, FileState>,
): string[] {
  const [label = "", ...lines] = text.split("\n");
  const marked = lines.map((line) => {
    const file = files.find(({ path, newPath }) => line.slice(2) === (newPath ?? path));
    if (file === undefined) return `    ${line}`;
    const state = states.get(file.path) ?? "new";
    const from = file.newPath === undefined ? "" : `, was ${file.path}`;
    return `    ${line}  ${paint(state === "open, not saved" ? "yellow" : "dim", state + from)}`;
  });
  return [`    ${paint("bold", label)}`, ...marked];
}

/**
 * Returns a file's diff: a line with the file's name and state, then the changed lines, the line before each change and
 * the lines that end with `unsaved` text, all with their numbers. The lines with `unsaved` text are marked.
 */
export function diffLines(file: FileResult, state: FileState, unsaved: readonly string[]): string[] {
  const count = `${paint("green", `+${file.added}`)} ${paint("red", `-${file.removed}`)}`;
  const stateShown = paint(state === "open, not saved" ? "yellow" : "dim", state);
  const lines = numbered(file.diff);
  const isUnsaved = (text: string): boolean => unsaved.some((one) => text.endsWith(one));
  const shown = lines.filter(
    ({ kind, text }, at) => kind !== " " || isUnsaved(text) || (lines[at + 1] ?? noChange).kind !== " ",
  );
  return [
    `    ${paint("bold", file.path)}  ${stateShown}  ${count}`,
    ...shown.map(({ kind, number, text }) => {
      const mark = isUnsaved(text) ? paint("yellow", "   <- only in the editor") : "";
      const visible = cut(
        text.replace(/ +$/, (blanks) => "·".repeat(blanks.length)),
        width - 10,
      );
      const body = `${String(number).padStart(7)} ${kind} ${visible}`;
      return paint(kind === "+" ? "green" : kind === "-" ? "red" : "dim", body) + mark;
    }),
  ];
}

interface DiffLine {
  readonly kind: "+" | "-" | " ";
  /** The line's 1-based number: in the original text for a removed line, in the new text for any other line. */
  readonly number: number;
  readonly text: string;
}

const noChange: DiffLine = { kind: " ", number: 0, text: "" };

function numbered(diff: string): DiffLine[] {
  const result: DiffLine[] = [];
  let before = 0;
  let after = 0;
  for (const line of diff.split("\n")) {
    const header = /^@@ -(\d+)\S* \+(\d+)/.exec(line);
    if (header !== null) {
      before = Number(header[1]);
      after = Number(header[2]);
    } else if (before + after > 0 && /^[-+ ]/.test(line)) {
      const kind = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
      result.push({ kind, number: kind === "-" ? before : after, text: line.slice(1) });
      if (kind !== "+") before += 1;
      if (kind !== "-") after += 1;
    }
  }
  return result;
}

/** A message as the model receives it, with long lines wrapped. */
export function quoted(message: string): string[] {
  return message
    .split("\n")
    .flatMap((line) => wrapped(line, width - 6))
    .map((line) => `    ${paint("magenta", "|")} ${line}`);
}

function wrapped(line: string, room: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > room) {
    const at = rest.lastIndexOf(" ", room);
    const end = at > 0 ? at : room;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
