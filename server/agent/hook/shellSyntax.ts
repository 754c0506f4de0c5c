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
  const calls: (Call & { isFed: boolean })[] = [];
  let [writes, feedsAll, repeats] = [false, false, false];

  function scan(text: string, depth: number, body: "list" | "text"): void {
    let at = 0;
    let level = depth;
    if (level > maxDepth) throw new Unreadable();
    const take = (pattern: RegExp): string | undefined => {
      pattern.lastIndex = at;
      const found = pattern.exec(text)?.[0];
      at += found?.length ?? 0;
      return found;
    };
    if (body === "text") expanding(undefined);
    else while (at < text.length) list(false);

    /** Reads calls up to a closing bracket, which is skipped, or to the end of the text. */
    function list(isNested: boolean): void {
      if (++level > maxDepth) throw new Unreadable();
      const here: { end: string; stripsTabs: boolean; expands: boolean }[] = [];
      let [words, isFed, from, afterPipe]: [string[], boolean, number, boolean] = [[], false, at, false];
      const endCall = (): void => {
        if (words.length > 0) calls.push({ words, isFed: isFed || afterPipe, at: level > 1 ? 0 : from });
        else feedsAll ||= isFed;
        [words, isFed] = [[], false];
      };
      while (at < text.length && text[at] !== ")") {
        if (take(/(?:[ \t]|\\\n)+|#[^\n]*/y) !== undefined) continue;
        if (take(arithmetic) !== undefined) continue;
        if (text.startsWith("((", at)) throw new Unreadable();
        const sign = take(separator);
        if (sign !== undefined) {
          const continues: boolean = sign === "\n" && words.length === 0 && afterPipe;
          endCall();
          afterPipe = continues || sign === "|" || sign === "|&";
          if (sign === "\n") for (const one of here.splice(0)) readHereText(one, level > 1);
        } else if (text[at] === "(") {
          at += 1;
          feedsAll ||= afterPipe;
          repeats ||= words.length > 0;
          endCall();
          list(true);
        } else {
          const to = take(redirection);
          if (to !== undefined) {
            take(/[ \t]+/y);
            const start = at;
            const target = word();
            const isQuoted = /['"\\]/.test(text.slice(start, at));
            if (/^<<-?$/.test(to)) {
              if (target === "" || target.includes(unknown)) throw new Unreadable();
              here.push({ end: target, stripsTabs: to === "<<-", expands: !isQuoted });
            }
            isFed ||= to.startsWith("<");
            writes ||= to.includes(">") && target !== "/dev/null" && !/^\d$|^-$/.test(target);
          } else {
            const start = at;
            const value = word();
            if (words.length > 0) words.push(value);
            else if (!keywords.has(text.slice(start, at))) [words, from] = [[value], start];
            else {
              feedsAll ||= afterPipe;
              repeats ||= /^(?:do|\{)$/.test(value);
            }
            // In brackets, the closing bracket of a pattern would be taken for theirs.
            if (isNested && words[0] === "case") throw new Unreadable();
          }
        }
      }
      endCall();
      if (here.length > 0 || (isNested && at >= text.length)) throw new Unreadable();
      at += 1;
      level--;
    }

    /** Reads a word, and the commands in it; returns it without quotation marks. */
    function word(): string {
      let value = "";
      const start = at;
      for (;;) {
        const part =
          take(/[^\s;&|()<>'"\\$`]+/y) ??
          (take(/\\\n/y) !== undefined
            ? ""
            : (take(/\\[^\n]/y)?.slice(1) ?? quoted() ?? expansion(/[$<>]\(/y, /\\([\\`$])/g)));
        if (part === undefined) break;
        value += part;
      }
      if (at === start) throw new Unreadable();
      return value;
    }

    function quoted(): string | undefined {
      const plain = take(/'[^']*'/y) ?? take(/\$'[^'\\]*'/y);
      if (plain !== undefined) return plain.slice(plain.indexOf("'") + 1, -1);
      if (take(/\$'(?:[^'\\]|\\[\s\S])*'/y) !== undefined) return unknown;
      return take(/\$?"/y) === undefined ? undefined : expanding('"');
    }

    /** Reads a text in which variables and commands are replaced, up to `end`, which is skipped, or to its end. */
    function expanding(end: '"' | undefined): string {
      let value = "";
      while (at < text.length) {
        if (text[at] === end) {
          at += 1;
          return value;
        }
        if (take(/\\\n/y) !== undefined) continue;
        const plain = take(/[^"\\$`]+/y) ?? take(/\\[\s\S]/y)?.replace(/\\(["\\$`])/, "$1");
        value += plain ?? expansion(/\$\(/y, end === undefined ? /\\([\\`$])/g : /\\([\\`$"])/g) ?? text[at++];
      }
      if (end !== undefined) throw new Unreadable();
      return value;
    }

    /**
     * Reads what the shell replaces, with the commands in it, which the result shows after the sign for the unknown.
     * `opening`: the start of a command in brackets; `escaped`: backslashes that backquotes remove.
     */
    function expansion(opening: RegExp, escaped: RegExp): string | undefined {
      if (take(variable) !== undefined || take(arithmetic) !== undefined) return unknown;
      const start = at;
      if (/^\$(?:\{|\(\()/.test(text.slice(at, at + 3))) throw new Unreadable();
      if (take(opening) !== undefined) list(true);
      else if (text[at] === "`") {
        const inner = take(/`(?:[^`\\]|\\[\s\S])*`/y);
        if (inner === undefined) throw new Unreadable();
        scan(inner.slice(1, -1).replace(escaped, "$1"), level + 1, "list");
      } else return take(/\$/y);
      return unknown + text.slice(start, at);
    }

    /** Reads the lines below a command. */
    function readHereText(one: { end: string; stripsTabs: boolean; expands: boolean }, isNested: boolean): void {
      const start = at;
      for (;;) {
        if (at >= text.length) throw new Unreadable();
        const from = at;
        const line = (take(/[^\n]*/y) ?? "").replace(one.stripsTabs ? /^\t+/ : "", "");
        at += 1;
        if (line === one.end) {
          if (one.expands) scan(text.slice(start, from), level + 1, "text");
          return;
        }
        // Shells differ in whether a closing bracket after the mark ends the text.
        if (isNested && line.startsWith(one.end)) throw new Unreadable();
      }
    }
  }

  try {
    scan(command, 0, "list");
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
  return {
    calls: calls.map((one) => ({ ...one, isFed: one.isFed || feedsAll, at: repeats ? 0 : one.at })),
    writes,
  };
}
