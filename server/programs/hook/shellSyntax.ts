/**
 * Reads a command for a shell, as far as needed to say which programs it runs. What it can't follow, such as the value of a
 * variable, is marked as unknown; what the shell may read in another way than this file makes the command unreadable.
 */

/** The call of one program. */
export interface Call {
  /** Its words without quotation marks, with `unknown` for the parts that are not known before the command runs. */
  readonly words: readonly string[];
  /** `true` if it gets a text: from a pipe, a file or the lines below the command. */
  readonly isFed: boolean;
  /** Offset of its first word in the text that has the call, or 0 if the call may run again after that. */
  readonly at: number;
}

/** What a command does. */
export interface ShellCommand {
  readonly calls: readonly Call[];
  /** `true` if a file is written. */
  readonly writes: boolean;
}

/** Takes the place of a part of a word that is not known before the command runs. */
export const unknown = "\0";

class Unreadable extends Error {}

/** Words before a command that are no programs, and those that end a group of commands. */
const keywords = new Set("{,!,if,then,else,elif,do,while,until,time,},fi,done,esac".split(","));

/** The depth of nested commands from which on a command counts as unreadable. */
const maxDepth = 20;

const redirection = /&>>?|<<<|<<-?|<>|<&|>>|>&|>\||<(?!\()|>(?!\()/y;
/** A variable, with or without simple changes to its value. */
const variable = /\$\{[^{}'"`$\\()<>]*\}|\$(?:\w+|[@*#?$!-])/y;
/** A calculation in which nothing is run. */
const arithmetic = /\$?\(\([\w\s$+*/%=!^~?:,-]*\)\)/y;
const separator = /&&|\|\||\|&|[;|\n]|&(?!>)/y;

/** Returns all calls of a command, including those in nested commands; `undefined` if it is too hard to read. */
export function readCommand(command: string): ShellCommand | undefined {
  const found: CallsFound = { calls: [], writes: false, feedsAll: false, repeats: false };
  try {
    const reader = new Reader(command, 0, found);
    while (!reader.isAtEnd()) reader.list(false);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
  const { calls, writes, feedsAll, repeats } = found;
  return {
    calls: calls.map(({ words, isFed, at }) => ({ words, isFed: isFed || feedsAll, at: repeats ? 0 : at })),
    writes,
  };
}

/** What was found so far. */
interface CallsFound {
  readonly calls: Call[];
  writes: boolean;
  /** `true` if every call may get a text, because a group of commands gets one. */
  feedsAll: boolean;
  /** `true` if a call may run again after a later one. */
  repeats: boolean;
}

/** The lines below a command. */
interface HereText {
  readonly end: string;
  readonly stripsTabs: boolean;
  readonly expands: boolean;
}

/** A place in a text that is being read. */
class Reader {
  private at = 0;
  private level: number;

  constructor(
    private readonly text: string,
    depth: number,
    private readonly found: CallsFound,
  ) {
    this.level = depth;
    if (depth > maxDepth) throw new Unreadable();
  }

  isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Reads what matches here, with a sticky expression; `undefined` if nothing does. */
  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text)?.[0];
    this.at += match?.length ?? 0;
    return match;
  }

  private nested(text: string): Reader {
    return new Reader(text, this.level + 1, this.found);
  }

  /** Reads calls up to a closing bracket, which is skipped, or to the end of the text. */
  list(isNested: boolean): void {
    if (++this.level > maxDepth) throw new Unreadable();
    const here: HereText[] = [];
    let [words, isFed, from, afterPipe]: [string[], boolean, number, boolean] = [[], false, this.at, false];
    const endCall = (): void => {
      if (words.length > 0) this.found.calls.push({ words, isFed: isFed || afterPipe, at: this.level > 1 ? 0 : from });
      else this.found.feedsAll ||= isFed;
      [words, isFed] = [[], false];
    };
    while (this.at < this.text.length && this.text[this.at] !== ")") {
      const blank = this.take(/(?:[ \t]|\\\n)+|#[^\n]*/y);
      if (isNested && blank?.startsWith("#") && blank.endsWith("\\")) throw new Unreadable();
      if (blank !== undefined) continue;
      if (this.take(arithmetic) !== undefined) continue;
      if (this.text.startsWith("((", this.at)) throw new Unreadable();
      const sign = this.take(separator);
      if (sign !== undefined) {
        const continues: boolean = sign === "\n" && words.length === 0 && afterPipe;
        endCall();
        afterPipe = continues || sign === "|" || sign === "|&";
        if (sign === "\n") for (const one of here.splice(0)) this.readHereText(one, this.level > 1);
      } else if (this.text[this.at] === "(") {
        this.at += 1;
        this.found.feedsAll ||= afterPipe;
        this.found.repeats ||= words.length > 0;
        endCall();
        this.list(true);
      } else {
        const to = this.take(redirection);
        if (to !== undefined) {
          this.take(/[ \t]+/y);
          const start = this.at;
          const target = this.word();
          const isQuoted = /['"\\]/.test(this.text.slice(start, this.at));
          if (/^<<-?$/.test(to)) {
            if (target === "" || target.includes(unknown)) throw new Unreadable();
            here.push({ end: target, stripsTabs: to === "<<-", expands: !isQuoted });
          }
          isFed ||= to.startsWith("<");
          this.found.writes ||= to.includes(">") && target !== "/dev/null" && !/^\d$|^-$/.test(target);
        } else {
          const start = this.at;
          const value = this.word();
          if (words.length > 0) words.push(value);
          else if (!keywords.has(this.text.slice(start, this.at))) [words, from] = [[value], start];
          else {
            this.found.feedsAll ||= afterPipe;
            this.found.repeats ||= /^(?:do|\{)$/.test(value);
          }
          // In brackets, the closing bracket of a pattern would be taken for theirs.
          if (isNested && words[0] === "case") throw new Unreadable();
        }
      }
    }
    endCall();
    if (here.length > 0 || (isNested && this.at >= this.text.length)) throw new Unreadable();
    this.at += 1;
    this.level--;
  }

  /** Reads a word, and the commands in it; returns it without quotation marks. */
  private word(): string {
    let value = "";
    const start = this.at;
    for (;;) {
      const part =
        this.take(/[^\s;&|()<>'"\\$`]+/y) ??
        (this.take(/\\\n/y) !== undefined
          ? ""
          : (this.take(/\\[^\n]/y)?.slice(1) ?? this.quoted() ?? this.expansion(/[$<>]\(/y, /\\([\\`$])/g)));
      if (part === undefined) break;
      value += part;
    }
    if (this.at === start) throw new Unreadable();
    return value;
  }

  private quoted(): string | undefined {
    const plain = this.take(/'[^']*'/y) ?? this.take(/\$'[^'\\]*'/y);
    if (plain !== undefined) return plain.slice(plain.indexOf("'") + 1, -1);
    if (this.take(/\$'(?:[^'\\]|\\[\s\S])*'/y) !== undefined) return unknown;
    return this.take(/\$?"/y) === undefined ? undefined : this.expanding('"');
  }

  /** Reads a text in which variables and commands are replaced, up to `end`, which is skipped, or to its end. */
  expanding(end: '"' | undefined): string {
    let value = "";
    while (this.at < this.text.length) {
      if (this.text[this.at] === end) {
        this.at += 1;
        return value;
      }
      if (this.take(/\\\n/y) !== undefined) continue;
      const plain = this.take(/[^"\\$`]+/y) ?? this.take(/\\[\s\S]/y)?.replace(/\\(["\\$`])/, "$1");
      value +=
        plain ?? this.expansion(/\$\(/y, end === undefined ? /\\([\\`$])/g : /\\([\\`$"])/g) ?? this.text[this.at++];
    }
    if (end !== undefined) throw new Unreadable();
    return value;
  }

  /**
   * Reads what the shell replaces, with the commands in it, which the result shows after the sign for the unknown.
   * `opening`: the start of a command in brackets; `escaped`: backslashes that backquotes remove.
   */
  private expansion(opening: RegExp, escaped: RegExp): string | undefined {
    if (this.take(variable) !== undefined || this.take(arithmetic) !== undefined) return unknown;
    const start = this.at;
    if (/^\$(?:\{|\(\()/.test(this.text.slice(this.at, this.at + 3))) throw new Unreadable();
    if (this.take(opening) !== undefined) this.list(true);
    else if (this.text[this.at] === "`") {
      const inner = this.take(/`(?:[^`\\]|\\[\s\S])*`/y);
      // Whether the shell joins such lines before it reads them depends on what is around the backquotes.
      if (inner === undefined || inner.includes("\\\n")) throw new Unreadable();
      const reader = this.nested(inner.slice(1, -1).replace(escaped, "$1"));
      while (!reader.isAtEnd()) reader.list(false);
    } else return this.take(/\$/y);
    return unknown + this.text.slice(start, this.at);
  }

  /** Reads the lines below a command. */
  private readHereText(one: HereText, isNested: boolean): void {
    const start = this.at;
    for (;;) {
      if (this.at >= this.text.length) throw new Unreadable();
      const from = this.at;
      const line = (this.take(/[^\n]*/y) ?? "").replace(one.stripsTabs ? /^\t+/ : "", "");
      this.at += 1;
      if (line === one.end) {
        // The shell joins such lines before it looks for the last one.
        if (one.expands && this.text.slice(start, from).includes("\\\n")) throw new Unreadable();
        if (one.expands) this.nested(this.text.slice(start, from)).expanding(undefined);
        return;
      }
      // Shells differ in whether a closing bracket after the mark ends the text.
      if (isNested && line.startsWith(one.end)) throw new Unreadable();
    }
  }
}
