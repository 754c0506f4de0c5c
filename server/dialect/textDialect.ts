/** The types of a text dialect, of which `textDialects.ts` has the table. */
import type { Failure } from "../plan/failure.js";
import type { Operation, TextRules } from "../plan/operation.js";
import { failureIn } from "../plan/terms.js";
import { withoutMark } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { atPath } from "./edit.js";
import type { Leniency } from "./patchMarkers.js";
import { splitPatch } from "./patchText.js";
import { callSizeFailures, patchFailures } from "./sentences.js";

/** A text that was read, or the reasons why it could not be read. */
export type ParsedText<T extends Operation = Operation> =
  | {
      readonly ok: true;
      /** At least one; either edits or sections of a patch. At most `limits.editsPerCall` edits in all. */
      readonly operations: readonly T[];
      /** A sentence for each assumption made. */
      readonly warnings: readonly string[];
      /** The dialect's planning rules; `undefined` if it has none of its own. */
      readonly rules?: TextRules;
      /** The text's lines, with empty ones in place of those that were read; `undefined` if the reader does not tell. */
      readonly rest?: readonly string[];
    }
  | {
      readonly ok: false;
      /** From 1 to `limits.failuresPerCall` failures, in the order of the text; in a patch, at most one per section. */
      readonly failures: readonly Failure[];
      /** The number of failures omitted from `failures`. */
      readonly unlisted: number;
    };

/** How a text is read. */
export interface ReadingOptions extends Leniency {
  /** The call's path, for parts of the text that name no file; `undefined` if it has none. */
  readonly path?: string | undefined;
}

/** One row of the table: a form of texts that ask for edits. */
export interface TextDialect {
  /** For people, in messages and menus. */
  readonly name: string;
  /** `true` if the call may have a path beside the text. */
  readonly takesPath: boolean;
  /** Returns the 0-based line that only this dialect has, in linear time, or -1. The text may still be malformed. */
  readonly recognise: (text: string) => number;
  /** Reads a text. Takes linear time and never throws. */
  readonly read: (text: string, how: ReadingOptions) => ParsedText;
}

/** Returns the first line (0-based) at or after `from` that passes a test; the number of lines if none does. */
export function nextLine(lines: readonly string[], from: number, test: (line: string, at: number) => boolean): number {
  let at = from;
  while (at < lines.length && !test(lines[at] ?? "", at)) at++;
  return at;
}

/** Returns the lines of a text, without its byte order mark. */
export const linesOf = (text: string): readonly string[] => splitPatch(withoutMark(text));

/** Collects the operations of a text and what is wrong with it, while a dialect's reader goes through its lines. */
export class TextFindings<T extends Operation = Operation> {
  readonly operations: T[] = [];
  readonly warnings = new Set<string>();
  /** The lines, with empty ones in place of those that were read. */
  private readonly rest: string[];
  /** The index of the next edit. */
  next = 0;
  private readonly failures: ((sound: readonly string[]) => Failure)[] = [];
  private unlisted = 0;
  /** The paths of parts with a problem. */
  private readonly broken = new Set<string | undefined>();

  /** `rules`: those of the dialect, whose terms failures use, if any. `titlesOf`: names the operations; by default, by path. */
  constructor(
    readonly lines: readonly string[],
    private readonly rules: TextRules | undefined,
    private readonly titlesOf?: (operations: readonly T[]) => readonly string[],
  ) {
    this.rest = [...lines];
  }

  /** Notes that the lines (0-based) from `from` up to `to`, without it, were read. */
  took(from: number, to: number): void {
    this.rest.fill("", from, to);
  }

  /** Reports whether there are too many edits. Reading then stops, so that a hostile text can't exhaust memory. */
  get isFull(): boolean {
    return this.next > limits.editsPerCall;
  }

  /** Reports a problem with a line (0-based), as a clause of `patchFailures.syntax`. */
  report(line: number, problem: string, path?: string): void {
    this.broken.add(path);
    const quoted = { number: line + 1, text: this.lines[line] ?? "" };
    this.fail((sound) => patchFailures.syntax(atPath(undefined, path), quoted, problem, sound));
  }

  /** Reports the path on a line (0-based) if it is too long. Returns `true` if it is. */
  reportLength(line: number, { length }: string): boolean {
    const isTooLong = length > limits.pathLength;
    if (isTooLong) this.fail(() => patchFailures.pathTooLong(line + 1, length, limits.pathLength));
    return isTooLong;
  }

  private fail(make: (sound: readonly string[]) => Failure): void {
    if (this.failures.length < limits.failuresPerCall) this.failures.push(make);
    else this.unlisted++;
  }

  /** Returns what was read. `nothing`: the problem if the text has no operations, and the line (0-based) that shows it. */
  result({ line = 0, problem }: { readonly line?: number; readonly problem: string }, more?: TextRules): ParsedText<T> {
    const { operations, warnings, failures, rest } = this;
    const rules = this.rules && { ...this.rules, ...more };
    if (this.isFull) return { ok: false, failures: [callSizeFailures.hunks()], unlisted: 0 };
    if (operations.length + failures.length === 0) this.report(line, problem);
    if (failures.length === 0) return { ok: true, operations, warnings: [...warnings], ...(rules && { rules }), rest };
    const sound = this.titlesOf?.(operations) ?? this.soundPaths();
    const made = failures.map((make) => failureIn(make(sound), rules ?? {}));
    return { ok: false, failures: made, unlisted: this.unlisted };
  }

  private soundPaths(): readonly string[] {
    return [...new Set(this.operations.map(({ path }) => path))].filter((path) => !this.broken.has(path));
  }
}
