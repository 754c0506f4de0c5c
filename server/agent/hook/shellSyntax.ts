/**
 * Reads a command for a shell, as far as needed to say which programs it runs and which texts each of them gets. What it
 * can't follow, such as the value of a variable, is marked as unknown.
 */

/** Programs that pass their output on to each other, and all the texts that they get. */
export interface Pipeline {
  /** The words of each program's call; also each assignment before one, as a single word. A word with the character `unknown` in it is not known before the command runs. */
  readonly calls: readonly (readonly string[])[];
  /** The words, redirected texts and nested commands, as they are written and without quotation marks. */
  readonly texts: readonly string[];
  /** `true` if its output is written to a file. */
  readonly writes: boolean;
  /** `true` if it starts with the end of a group of commands, so that it may get the output of all of them. */
  readonly endsGroup: boolean;
}

/** Takes the place of a part of a word that is not known before the command runs. */
export const unknown = "\0";

interface OpenPipeline {
  calls: string[][];
  texts: string[];
  writes: boolean;
  endsGroup: boolean;
}

interface HereText {
  readonly end: string;
  readonly stripsTabs: boolean;
  readonly expands: boolean;
  readonly pipeline: OpenPipeline;
}

/** A place in a text that is being read. */
interface Reader {
  readonly text: string;
  at: number;
  readonly depth: number;
  readonly found: Pipeline[];
}

/** The depth of nested commands from which on a command counts as unreadable. */
const maxDepth = 20;

/** Returns all pipelines of a command, including those in nested commands; `undefined` if it is too hard to read. */
export function pipelinesIn(command: string): readonly Pipeline[] | undefined {
  const reader: Reader = { text: command, at: 0, depth: 0, found: [] };
  try {
    readAll(reader);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
  return reader.found;
}

class Unreadable extends Error {}

const nested = (reader: Reader): Reader => {
  if (reader.depth >= maxDepth) throw new Unreadable();
  return { ...reader, depth: reader.depth + 1 };
};

/** Reads to the end. A closing bracket that nothing has opened ends only a pattern of `case`. */
function readAll(reader: Reader): void {
  while (reader.at < reader.text.length) readList(reader);
}

/** Words before a command that are no programs, and those that end a group of commands. */
const openers = new Set(["{", "!", "if", "then", "else", "elif", "do", "while", "until", "time"]);
const closers = new Set(["}", "fi", "done", "esac"]);

/** Reads commands up to a closing bracket, or to the end. */
function readList(reader: Reader): void {
  const { text } = reader;
  const hereTexts: HereText[] = [];
  let pipeline = newPipeline();
  let words: string[] = [];
  const endCall = (): void => {
    if (words.length > 0) pipeline.calls.push(words);
    words = [];
  };
  const endPipeline = (): void => {
    endCall();
    if (pipeline.calls.length > 0 || pipeline.texts.length > 0) reader.found.push(pipeline);
    pipeline = newPipeline();
  };
  while (reader.at < text.length) {
    const char = text[reader.at] ?? "";
    const next = text[reader.at + 1];
    if (char === ")") {
      reader.at++;
      break;
    }
    if (char === " " || char === "\t") reader.at++;
    else if (char === "\\" && next === "\n") reader.at += 2;
    else if (char === "#") reader.at = endOfLine(text, reader.at);
    else if (char === "\n") {
      reader.at++;
      for (const one of hereTexts.splice(0)) readHereText(reader, one);
      endPipeline();
    } else if (char === "|" && next !== "|") {
      reader.at += next === "&" ? 2 : 1;
      endCall();
    } else if ((char === ";" || char === "&" || char === "|") && !(char === "&" && next === ">")) {
      reader.at += 1;
      if (char === "|") reader.at += 1;
      endPipeline();
    } else if (char === "(") {
      readNested(reader, pipeline, 1);
      words.push("(");
    } else if (/[<>&]/.test(char) && !/[<>]\(/.test(char + next)) readRedirection(reader, pipeline, hereTexts);
    else readCallWord(reader, pipeline, words);
  }
  for (const one of hereTexts) readHereText(reader, one);
  endPipeline();
}

const newPipeline = (): OpenPipeline => ({ calls: [], texts: [], writes: false, endsGroup: false });

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
};

/** Reads the next word of a call, which may be no part of it. */
function readCallWord(reader: Reader, pipeline: OpenPipeline, words: string[]): void {
  const value = readWord(reader, pipeline);
  if (words.length > 0) words.push(value);
  else if (closers.has(value)) pipeline.endsGroup = true;
  else if (/^\w+\+?=/.test(value)) pipeline.calls.push([value]);
  // In brackets, the closing bracket of a pattern would be taken for theirs.
  else if (value === "case" && reader.depth > 0) throw new Unreadable();
  else if (!openers.has(value)) words.push(value);
}

/** Reads a word; returns it without quotation marks. */
function readWord(reader: Reader, pipeline: OpenPipeline): string {
  const { text } = reader;
  const from = reader.at;
  let value = "";
  while (reader.at < text.length) {
    const char = text[reader.at] ?? "";
    const next = text[reader.at + 1];
    if ((char === "<" || char === ">") && next === "(") value += readNested(reader, pipeline, 2);
    else if (/[\s;&|()<>]/.test(char)) break;
    else if (char === "\\") {
      value += next === "\n" ? "" : (next ?? "");
      reader.at += 2;
    } else if (char === "'") {
      const end = endOf(text, "'", reader.at + 1);
      value += text.slice(reader.at + 1, end);
      reader.at = end + 1;
    } else if (char === '"') {
      reader.at++;
      value += readExpanding(reader, pipeline, '"');
    } else if (char === "$" && next === "'") value += readEscaped(reader);
    else if (char === "$" || char === "`") value += readExpansion(reader, pipeline);
    else {
      value += char;
      reader.at++;
    }
  }
  pipeline.texts.push(text.slice(from, reader.at), value);
  return value;
}

const endOf = (text: string, mark: string, from: number): number => {
  const end = text.indexOf(mark, from);
  return end < 0 ? text.length : end;
};

/** Reads a text in which variables and commands are replaced, up to `end`, or to the end of the whole text. */
function readExpanding(reader: Reader, pipeline: OpenPipeline, end: '"' | undefined): string {
  const { text } = reader;
  let value = "";
  while (reader.at < text.length) {
    const char = text[reader.at] ?? "";
    if (char === end) {
      reader.at++;
      break;
    }
    if (char === "\\") {
      value += text.slice(reader.at, reader.at + 2);
      reader.at += 2;
    } else if (char === "$" || char === "`") value += readExpansion(reader, pipeline);
    else {
      value += char;
      reader.at++;
    }
  }
  return value;
}

/** Reads `$…` or a command in backquotes, with the commands in it. */
function readExpansion(reader: Reader, pipeline: OpenPipeline): string {
  const { text } = reader;
  if (text[reader.at] === "`") {
    const end = endOfBackquotes(text, reader.at + 1);
    const inner = nested({ ...reader, text: text.slice(reader.at + 1, end).replace(/\\([\\`$])/g, "$1"), at: 0 });
    readAll(inner);
    pipeline.texts.push(inner.text);
    reader.at = end + 1;
  } else if (text[reader.at + 1] === "(") readNested(reader, pipeline, 2);
  else reader.at += 1;
  return unknown;
}

function endOfBackquotes(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "`") return at;
  }
  return text.length;
}

/** Reads a text with escapes such as `\n`, which are not replaced. */
function readEscaped(reader: Reader): string {
  const { text } = reader;
  const from = reader.at;
  for (reader.at += 2; reader.at < text.length && text[reader.at] !== "'"; reader.at++)
    if (text[reader.at] === "\\") reader.at++;
  reader.at++;
  return text.slice(from + 2, reader.at - 1) + unknown;
}

/** Reads commands in brackets; the pipeline that they are a part of gets their text, too. `skip`: the opening characters. */
function readNested(reader: Reader, pipeline: OpenPipeline, skip: number): string {
  const from = reader.at;
  const inner = nested({ ...reader, at: from + skip });
  readList(inner);
  reader.at = inner.at;
  pipeline.texts.push(reader.text.slice(from, reader.at));
  return unknown;
}

const redirection = /(?:&>>?|<<<|<<-?|<>|<&|>>|>&|>\||<|>)/y;

/** Reads a redirection; a text that follows the line is noted, to be read after the line. */
function readRedirection(reader: Reader, pipeline: OpenPipeline, hereTexts: HereText[]): void {
  const { text } = reader;
  redirection.lastIndex = reader.at;
  const sign = redirection.exec(text)?.[0] ?? text[reader.at] ?? "";
  reader.at += sign.length;
  while (text[reader.at] === " " || text[reader.at] === "\t") reader.at++;
  const from = reader.at;
  const value = readWord(reader, pipeline);
  const isHere = sign === "<<" || sign === "<<-";
  if (isHere) {
    const expands = !/['"\\]/.test(text.slice(from, reader.at));
    hereTexts.push({ end: value, stripsTabs: sign === "<<-", expands, pipeline });
  } else if (sign.includes(">") && sign !== "<>" && value !== "/dev/null" && !/^\d+$/.test(value))
    pipeline.writes = true;
}

/** Reads the text below a command. */
function readHereText(reader: Reader, { end, stripsTabs, expands, pipeline }: HereText): void {
  const { text } = reader;
  const from = reader.at;
  let to = text.length;
  for (let line = from; line < text.length; line = reader.at) {
    const lineEnd = endOfLine(text, line);
    reader.at = lineEnd + 1;
    const written = text.slice(line, lineEnd);
    const content = stripsTabs ? written.replace(/^\t+/, "") : written;
    if (content === end) {
      to = line;
      break;
    }
    // Shells differ in whether a closing bracket after the mark ends the text.
    if (reader.depth > 0 && content.startsWith(end)) throw new Unreadable();
  }
  if (to === text.length && reader.depth > 0) throw new Unreadable();
  reader.at = Math.min(reader.at, text.length);
  const body = text.slice(from, to);
  pipeline.texts.push(body);
  if (expands) readExpanding({ ...reader, text: body, at: 0 }, pipeline, undefined);
}
