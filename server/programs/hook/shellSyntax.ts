/** Reads a command for a shell, to say which programs it runs. What is not certain, such as backquotes, is unreadable. */

/** Takes the place of a part of a word that is not known before the command runs. */
export const unknown = "\0";

/** The programs that a command runs. */
export interface ShellCommand {
  /** The calls as words without quotation marks, also those in nested commands. */
  readonly calls: readonly (readonly string[])[];
  /** The command without its comments. */
  readonly text: string;
}

class Unreadable extends Error {}

/** Words before a command that are no programs, and those that end a group of commands. */
const keywords = new Set("{,!,if,then,else,elif,do,while,until,time,},fi,done".split(","));

/** The depth of nested commands from which on a command counts as unreadable. */
const maxDepth = 10;

const redirection = /\d*(?:&>>?|<<<|<<-?|<>|[<>]&|>>|>\||[<>](?!\())/y;
const separator = /&&|\|\||\|&|[;|\n]|&(?!>)/y;
const variable = /\$(?:\w+|[@*#?!$-]|\{\w+\})/y;

/** Returns the calls of a command; `undefined` if it can't be read with certainty. */
export function readCommand(command: string): ShellCommand | undefined {
  const reader = new Reader(command);
  try {
    reader.list(0);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
  return { calls: reader.calls, text: reader.kept.join("") };
}

class Reader {
  readonly calls: string[][] = [];
  readonly kept: string[] = [];
  private at = 0;

  constructor(private readonly text: string) {}

  /** Reads what matches here, with a sticky expression; `undefined` if nothing does. */
  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text)?.[0];
    this.at += match?.length ?? 0;
    return match;
  }

  /** Reads calls to the end of the text or, in brackets, to the closing one, which is skipped. */
  list(depth: number): void {
    const here: string[] = [];
    let words: string[] = [];
    let from = this.at;
    const endCall = (): void => {
      if (words.length > 0) this.calls.push(words);
      words = [];
    };
    while (this.at < this.text.length && this.text[this.at] !== ")") {
      const start = this.at;
      // A line may be continued only after a space: elsewhere, the shell makes one sign or word of what is around that.
      if (this.take(/[ \t]+(?:\\\n[ \t]*)*/y) !== undefined) continue;
      const comment = this.take(/#[^\n]*/y);
      if (comment !== undefined) {
        if (depth > 0 || comment.endsWith("\\")) throw new Unreadable();
        this.kept.push(this.text.slice(from, start));
        from = this.at;
        continue;
      }
      const sign = this.take(separator);
      const to = sign === undefined ? this.take(redirection) : undefined;
      if (sign !== undefined) {
        endCall();
        if (sign === "\n") for (const mark of here.splice(0)) this.skipHereText(mark, depth);
      } else if (to !== undefined) {
        this.take(/[ \t]+/y);
        const begin = this.at;
        if (this.text[begin] === "#") throw new Unreadable();
        this.word(depth);
        if (/<<-?$/.test(to) && !to.includes("<<<"))
          here.push(to.replace(/^\d+/, "") + this.text.slice(begin, this.at));
      } else if (this.text[start] === "(") {
        // Brackets after a word make a function, an array or a pattern.
        if (words.length > 0 || this.text[start + 1] === "(") throw new Unreadable();
        this.at += 1;
        this.nested(depth);
      } else {
        const value = this.word(depth);
        const written = this.text.slice(start, this.at);
        if (here.length > 0 && written.includes("\n")) throw new Unreadable();
        if (words.length > 0 || !keywords.has(written)) words.push(value);
      }
    }
    endCall();
    if (here.length > 0 || depth > 0 !== this.at < this.text.length) throw new Unreadable();
    if (depth === 0) this.kept.push(this.text.slice(from));
  }

  private nested(depth: number): string {
    if (depth >= maxDepth) throw new Unreadable();
    this.list(depth + 1);
    this.at += 1;
    return unknown;
  }

  /** Reads a word or the rest of a text in double quotation marks, and the commands in it; returns it without the marks. */
  private word(depth: number, isQuoted = false): string {
    let value = "";
    const start = this.at;
    for (;;) {
      if (isQuoted && this.take(/"/y) !== undefined) return value;
      const part =
        // Braces with a comma or with dots would make several words.
        this.take(isQuoted ? /[^"\\$`]+/y : /(?:[^\s;&|()<>'"\\$`{]|\{(?=\w*\}|\s|$))+/y) ??
        this.take(/\\[^\n]/y)?.replace(isQuoted ? /\\(["\\$`])/ : /\\([\s\S])/, "$1") ??
        (this.take(variable) && unknown) ??
        (this.take(isQuoted ? /\$\((?!\()/y : /[$<>]\((?!\()/y) && this.nested(depth)) ??
        this.take(isQuoted ? /\$(?=["\s/.,:;|)])/y : /\$(?=[\s/])/y) ??
        (isQuoted ? undefined : this.take(/'[^']*'/y)?.slice(1, -1)) ??
        (isQuoted ? undefined : this.take(/"/y) && this.word(depth, true));
      if (part === undefined) break;
      value += part;
    }
    if (isQuoted || this.at === start) throw new Unreadable();
    return value;
  }

  /** Skips the lines below a command. `mark`: the sign before them, and the last line as it is written. */
  private skipHereText(mark: string, depth: number): void {
    const [, sign, quote, end = ""] = /^(<<-?)(['"]?)([\w.-]+)\2$/.exec(mark) ?? [];
    if (sign === undefined) throw new Unreadable();
    while (this.at < this.text.length) {
      const written = this.take(/[^\n]*/y) ?? "";
      const line = sign === "<<-" ? written.replace(/^\t+/, "") : written;
      this.at += 1;
      if (line === end) return;
      // Shells differ in whether a closing bracket after the mark ends the text.
      if ((quote === "" && /`|\$[({[]|\\$/.test(line)) || (depth > 0 && line.startsWith(end))) break;
    }
    throw new Unreadable();
  }
}
