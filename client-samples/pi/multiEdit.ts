/**
 * An extension for pi: its `edit` tool changes files through your editor, which sees and keeps unsaved text and can
 * undo the changes; pi's `read` and `write` are kept away from unsaved text. It needs the program `multi-edit` but no
 * package.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { PiComponent, PiHost, PiResult, PiTheme } from "./piTypes.js";

/** Called by pi when it loads the extension. */
export default function multiEdit(pi: PiHost): void {
  pi.registerTool({
    name: "edit",
    label: "edit",
    description:
      "Replaces text in one or more files, through the user's editor: unsaved text is seen and kept. Either all edits of a call succeed or nothing changes. Each oldText must occur exactly once in its file, as the file was before the call; edits must not overlap. An empty oldText creates the file. A patch can also delete and move files.",
    promptSnippet: "Edit one or more files by exact text replacement, all edits of a call or none",
    promptGuidelines: [
      "Use edit for targeted changes. Put all edits of one change into one edit call, even across files.",
      "Copy each oldText of edit from the file as read_document shows it. It must occur there exactly once; otherwise add neighbouring lines.",
    ],
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "File of all edits that have no path of their own" },
        edits: { type: "array", items: editSchema, description: "Edits that do not overlap, in any order" },
        patch: { type: "string", description: 'Instead of edits: a patch from "*** Begin Patch" to "*** End Patch"' },
      },
    },
    prepareArguments: editCall,
    execute: (_callId, params, signal, _onUpdate, { cwd }) => edit(params as Call, { cwd, signal }),
    renderCall: (params, theme) => titleLine(theme, "edit", filesOf(editCall(params))),
    renderResult: ({ content, details }, _options, theme, { isError }) =>
      screen((width) =>
        resultLines(content, details, isError).flatMap(([color, line]) =>
          wrapped(line, width).map((text) => theme.fg(color, text)),
        ),
      ),
  });
  pi.registerTool({
    name: "read_document",
    label: "read_document",
    description:
      "Returns the text of a file as the user's editor has it, including unsaved changes. Set startLine and endLine to read part of a long file.",
    promptSnippet: "Read a text file as the user's editor has it, including unsaved changes",
    promptGuidelines: ["Use read_document instead of read for text files that the user may be editing."],
    parameters: {
      type: "object",
      properties: {
        path: { type: "string" },
        startLine: { type: "integer", minimum: 1 },
        endLine: { type: "integer", minimum: 1 },
      },
      required: ["path"],
    },
    prepareArguments: readCall,
    execute: (_callId, params, signal, _onUpdate, { cwd }) => read(params as Call, { cwd, signal }),
    renderCall: (params, theme) =>
      titleLine(theme, "read_document", filesOf(readCall(params)) + rangeOf(readCall(params))),
  });
  pi.on("tool_call", async ({ toolName, input }, place) => {
    if (toolName !== "write") return undefined;
    const reason = await reasonAgainst(String((input as Call).path), place);
    return reason === undefined ? undefined : { block: true, reason };
  });
  pi.on("tool_result", async ({ toolName, input }, place) => {
    if (toolName !== "read" || !(await isUnsaved(String(readCall(input).path), place))) return undefined;
    return { content: (await read(readCall(input), place)).content, isError: false };
  });
}

/** Returns the reason for which pi's `write` must not replace a file; `undefined` if no editor has unsaved text in it. */
async function reasonAgainst(path: string, place: Place): Promise<string | undefined> {
  const event = { tool: "write", args: { path: withoutMark(path, place.cwd) }, directory: place.cwd };
  // Without the program, pi's own tool works as if there were no extension.
  const { deny } = await ask(["hook", "pi"], JSON.stringify(event), place).catch((): Answer => ({}));
  return deny;
}

/** Reports whether an editor has unsaved text in a file, which `read_document` can return. */
async function isUnsaved(path: string, place: Place): Promise<boolean> {
  try {
    // No lines, because the editor takes the lines that the program returns for those that the model has seen.
    const name = `${withoutMark(path, place.cwd)}:999999999-`;
    const { version, onDisk } = await ask(["read", "--json", "--", name], "", place);
    return typeof version === "number" && onDisk === "differs";
  } catch {
    return false; // For example, there is no such file, or it is a picture. pi's own tool knows what to do.
  }
}

const editSchema = {
  type: "object",
  properties: {
    path: { type: "string", description: "File of this edit, if the edits are in several files" },
    oldText: { type: "string", description: "Copied exactly from the file" },
    newText: { type: "string" },
    replaceAll: { type: "boolean", description: "Replace every occurrence instead of exactly one" },
  },
  required: ["oldText", "newText"],
};

/** The arguments of a call, or one of its edits, by name. */
type Call = Readonly<Record<string, unknown>>;

/** Other tools' names for the arguments. The program knows them, but pi compares the names with the schema first. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  path: ["file_path", "filePath", "filepath", "uri"],
  oldText: ["old_string", "oldString", "old_str", "oldStr", "old_text"],
  newText: [
    ...["new_string", "newString", "new_str", "newStr", "new_text"],
    ...["insert_text", "insertText", "replacement_text", "replacementText"],
  ],
  replaceAll: ["replace_all", "allow_multiple", "allowMultiple"],
  edits: ["replacements", "files", "multi"],
  patch: ["input", "patchText", "diff"],
};
const ourNames = new Map(Object.entries(otherNames).flatMap(([name, others]) => others.map((one) => [one, name])));

const isCall = (value: unknown): value is Call => typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses a value that a model has sent as text. */
const unquoted = (value: unknown): unknown => (typeof value === "string" ? (parse(value) ?? value) : value);

function renamed(value: unknown): unknown {
  const call = unquoted(value);
  if (!isCall(call)) return call;
  return Object.fromEntries(Object.entries(call).map(([name, one]) => [ourNames.get(name) ?? name, one]));
}

/** Leaves out what is `undefined`, which pi's check may refuse. */
const defined = (call: object): Call => JSON.parse(JSON.stringify(call)) as Call;

/**
 * Converts a call of `edit` to the form of the schema. Like pi's own tool, it takes a list of edits as text, one edit
 * without a list, and an edit beside the list, which becomes the last one.
 */
function editCall(params: unknown): Call {
  const call = renamed(params);
  const { edits, oldText, newText, replaceAll, ...rest } = isCall(call) ? call : { edits: call };
  const sent = unquoted(edits);
  const list = (isCall(sent) ? [sent] : (sent ?? [])) as unknown;
  if (!Array.isArray(list)) return { ...rest, edits };
  // Some models send `null` for an argument that they leave out.
  const isBeside = (oldText ?? newText ?? undefined) !== undefined;
  const all = [...list, ...(isBeside ? [{ oldText, newText, replaceAll }] : [])].map(renamed);
  return defined({ ...rest, edits: all.length === 0 ? edits : all });
}

/** Converts a call of `read_document`, also one with the arguments of pi's own `read`, which takes 0 and `null`, too. */
function readCall(params: unknown): Call {
  const call = renamed(params);
  const { offset, limit, ...rest } = isCall(call) ? call : { path: call };
  const startLine = lineFrom(rest.startLine ?? offset, 1);
  const first = typeof startLine === "number" ? startLine : 1;
  const last = rest.endLine ?? ((limit ?? undefined) === undefined ? undefined : first + Number(limit) - 1);
  return defined({ ...rest, startLine, endLine: lineFrom(last, first) });
}

/** A line number that is not less than `least`; a value that is no number is left to pi's check. */
function lineFrom(value: unknown, least: number): unknown {
  const line = Math.trunc(Number(value ?? Number.NaN));
  return Number.isFinite(line) ? Math.max(line, least) : (value ?? undefined);
}

/** The directory in which a call runs, and the signal that cancels it. */
interface Place {
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
}

/** The fields of the program's answer that this extension uses; the package's `protocol` declares all of them. */
interface Answer {
  readonly text?: string;
  /** The text for the model; present only in the answer to `apply`. */
  readonly answer?: string;
  readonly diff?: string;
  readonly files?: readonly { readonly firstChangedLine: number }[];
  /** The 1-based line at which `text` starts; present only in the answer to `read`. */
  readonly startLine?: number;
  readonly endLine?: number;
  readonly totalLines?: number;
  /** The version of the open document; `null` if no editor has the file open. */
  readonly version?: number | null;
  readonly onDisk?: "same" | "differs";
  /** `true` if the file on disk has changed since the editor read or wrote it. */
  readonly changedOnDisk?: boolean;
  /** The reason for which pi's own tool must not run; present only in the answer to `hook`. */
  readonly deny?: string;
  readonly error?: { readonly message?: string };
}

/** Edits are found in the text as it was before the call, as by pi's own tool. */
async function edit(params: Call, place: Place): Promise<PiResult> {
  const call = JSON.stringify(params, (name, value) => (name === "path" ? withPlainSpaces(value, place.cwd) : value));
  const answer = await ask(["apply", "--json", "--summary", "--order=original"], call, place);
  const { answer: text = "", diff = "", files = [] } = answer;
  const line = files[0]?.firstChangedLine;
  return {
    content: [{ type: "text", text }],
    details: { diff: numbered(diff), patch: diff, ...(line === undefined ? {} : { firstChangedLine: line }) },
  };
}

/** Maximum number of UTF-16 code units of one read; about as much as pi's own `read` returns. */
const mostRead = 50_000;

async function read(params: Call, place: Place): Promise<PiResult> {
  const name = `${withoutMark(String(params.path), place.cwd)}${rangeOf(params)}`;
  // The editor takes the lines that the program returns for those that the model has seen.
  const answer = await ask(["read", "--json", `--max-length=${mostRead}`, "--", name], "", place);
  const { text = "" } = answer;
  const shown = text.length <= mostRead ? text : text.slice(0, mostRead).replace(/[\ud800-\udbff]$/, "");
  // The note comes first, because the end of a long text may be cut off.
  const texts = [noteOf(answer, shown, Number(params.endLine ?? Number.POSITIVE_INFINITY)), shown];
  return { content: texts.map((one) => ({ type: "text", text: one })), details: undefined };
}

/** Removes a leading `@`, which is no part of the path unless a file or folder has such a name. */
function withoutMark(sent: string, cwd: string): string {
  const path = withPlainSpaces(sent, cwd);
  const [first = ""] = path.split(/[\\/]/);
  return /^@./.test(path) && !existsSync(resolve(cwd, first)) ? path.slice(1) : path;
}

/** Replaces other Unicode spaces in a path, as pi does, if only then there is such a file. */
function withPlainSpaces<T>(path: T, cwd: string): T | string {
  if (typeof path !== "string" || existsSync(resolve(cwd, path))) return path;
  const plain = path.replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ");
  return existsSync(resolve(cwd, plain.replace(/^@/, ""))) ? plain : path;
}

/** Names the lines that are shown, and their source; says how to go on. `wanted`: the last line that was asked for. */
function noteOf(answer: Answer, shown: string, wanted: number): string {
  const { text = "", startLine = 1, endLine: last = 0, totalLines = 0 } = answer;
  const lines =
    last < startLine
      ? `No lines in this range: the file has ${totalLines} ${totalLines === 1 ? "line" : "lines"}`
      : `Lines ${startLine} to ${last} of ${totalLines}`;
  const cut =
    shown.length < text.length
      ? ` Line ${startLine} is too long for one answer: only ${shown.length} of its ${text.length} characters are shown.`
      : "";
  const isCut = last < Math.min(totalLines, wanted);
  const rest = isCut ? ` The rest is too long for one answer: continue with startLine ${last + 1}.` : "";
  return `${lines}${sourceOf(answer)}.${cut}${rest}`;
}

function sourceOf({ version, onDisk, changedOnDisk }: Answer): string {
  // If the environment names a session, no other session was asked.
  if (version === null)
    return process.env.MULTI_EDIT_SESSION ? ", from disk" : ", from disk: no editor has the file open";
  if (onDisk === "same") return "";
  const outdated = changedOnDisk ? "; the file on disk has changed since" : "";
  return `, from the editor, including unsaved changes${outdated}`;
}

/** The id that tells the editor that all calls come from the same agent, even though each call starts a new process. */
const agent = process.env.MULTI_EDIT_AGENT || randomUUID();

/**
 * The command that starts the program, which "multi-edit setup pi --write" replaces if the PATH does not have it. The
 * variable MULTI_EDIT_PROGRAM may give the full path of another program, such as a wrapper.
 */
const command: readonly string[] = ["multi-edit"];

/** Runs the program; its errors are thrown for the model to read. */
function ask(args: readonly string[], input: string, { cwd, signal }: Place): Promise<Answer> {
  return new Promise((done, reject) => {
    const env = { ...process.env, MULTI_EDIT_AGENT: agent };
    const own = process.env.MULTI_EDIT_PROGRAM;
    const [program = "", ...first] = own ? [own] : command;
    const child = spawn(program, [...first, ...args], { cwd, env });
    // On SIGINT, the program rolls back the call before it exits; SIGKILL would prevent that.
    const stop = (): void => void child.kill("SIGINT");
    signal?.addEventListener("abort", stop, { once: true });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", (error) => reject(new Error(`multi-edit can't be started: ${error.message}`)));
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    child.on("close", (code) => {
      signal?.removeEventListener("abort", stop);
      // A hook that leaves a call alone prints nothing.
      const answer = stdout === "" && code === 0 ? {} : parse(stdout);
      if (code === 0 && answer !== undefined) done(answer);
      else {
        const { message = stderr.trim() || `multi-edit ended with code ${code}` } = answer?.error ?? {};
        reject(new Error(message));
      }
    });
  });
}

function parse(json: string): Answer | undefined {
  try {
    return JSON.parse(json) as Answer;
  } catch {
    return undefined;
  }
}

/**
 * Converts a unified diff to pi's format: each line begins with its sign and number, and dots stand for omitted lines. If
 * several files have changed, their names are above their lines.
 */
function numbered(diff: string): string {
  const shown: string[] = [];
  let [before, after] = [0, 0];
  let isFirst = true;
  const several = diff.split(/^diff --git /m).length > 2;
  for (const line of diff.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk !== null) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      if (!isFirst) shown.push("     ...");
      isFirst = false;
    } else if (line.startsWith("diff --git ")) {
      [before, after] = [0, 0];
      if (several) shown.push(line.replace(/^.* "?b\/(.*?)"?$/, "$1"));
      isFirst = true;
    } else if (before + after > 0 && /^[ +-]/.test(line)) {
      const sign = line[0];
      shown.push(`${sign}${String(sign === "-" ? before : after).padStart(4)} ${line.slice(1)}`);
      if (sign !== "+") before++;
      if (sign !== "-") after++;
    }
  }
  return shown.join("\n");
}

/** The files of a call, which may be incomplete. */
function filesOf({ path, edits, patch }: Call): string {
  const list: readonly unknown[] = Array.isArray(edits) ? edits : [];
  const ofEdits = list.map((one) => (isCall(one) && one.path !== undefined ? one.path : path));
  const ofPatch = String(patch ?? "").matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm);
  const names = [...(list.length === 0 ? [path] : ofEdits), ...[...ofPatch].map(([, name]) => name)];
  return [...new Set(names.filter((name) => typeof name === "string"))].join(", ") || "...";
}

/** The lines of a read in the program's form. Without an end line, everything up to the end of the file is read. */
const rangeOf = ({ startLine, endLine }: Call): string =>
  startLine === undefined && endLine === undefined ? "" : `:${startLine ?? 1}-${endLine ?? ""}`;

/** A line of pi's screen, and the name of its colour. */
type Line = readonly [color: string, text: string];

const screen = (render: (width: number) => string[]): PiComponent => ({ render, invalidate: () => undefined });

const titleLine = (theme: PiTheme, tool: string, about: string): PiComponent =>
  screen((width) =>
    wrapped(`${tool} ${about}`, width).map((text, index) => {
      const title = index === 0 ? text.slice(0, tool.length) : "";
      return theme.fg("toolTitle", theme.bold(title)) + theme.fg("accent", text.slice(title.length));
    }),
  );

type Content = readonly { readonly type: string; readonly text?: string }[];

const textsOf = (content: Content): string[] => content.flatMap(({ text = "" }) => text.split("\n"));

/** The message of a failed call; otherwise the answer and the diff. */
function resultLines(content: Content, details: unknown, isError: boolean): Line[] {
  if (isError) return textsOf(content).map((text) => ["error", text]);
  const { diff = "" } = isCall(details) ? (details as { diff?: string }) : {};
  const colorOf = (line: string): string => {
    if (/^[+-] *\d+ /.test(line)) return line.startsWith("+") ? "toolDiffAdded" : "toolDiffRemoved";
    return /^ +(?:\d+ |\.\.\.$)/.test(line) ? "toolDiffContext" : "accent";
  };
  const lines = diff.split("\n").filter((line) => line !== "");
  return [
    ...textsOf(content).map((text): Line => ["toolOutput", text]),
    ...lines.map((line): Line => [colorOf(line), line]),
  ];
}

/**
 * Splits a line to fit a width. Characters after the Latin ones count as two columns, which is never too few. Control
 * characters, with which a file's text could command the terminal, are left out.
 */
function wrapped(line: string, width: number): string[] {
  const pieces = [""];
  let used = 0;
  for (const char of line.replaceAll("\t", "   ").replace(/\p{Cc}/gu, "")) {
    const columns = (char.codePointAt(0) ?? 0) < 0x300 ? 1 : 2;
    const isFull = used > 0 && used + columns > width;
    if (isFull) pieces.push("");
    pieces[pieces.length - 1] += char;
    used = (isFull ? 0 : used) + columns;
  }
  return pieces;
}
