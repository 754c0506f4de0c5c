/**
 * An extension for pi: its `edit` tool changes files through your editor, which sees and keeps unsaved text and can
 * undo the changes. It needs the program `multi-edit` but no package; the types below describe the parts of pi that it
 * uses.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";

/** The part of pi's extension interface that this extension uses. */
export interface PiHost {
  registerTool(tool: PiTool): void;
}

/** A tool in the form that pi expects. */
export interface PiTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** A line for pi's system prompt. */
  readonly promptSnippet: string;
  readonly promptGuidelines: readonly string[];
  /** A JSON Schema. */
  readonly parameters: object;
  execute(
    callId: string,
    params: unknown,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: { readonly cwd: string },
  ): Promise<PiResult>;
}

/** A tool's answer. Errors that the model should read are thrown instead. */
export interface PiResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  /** The data that pi uses to display an edit. */
  readonly details: { readonly diff: string; readonly patch: string; readonly firstChangedLine?: number } | undefined;
}

/** Called by pi when it loads the extension. */
export default function multiEdit(pi: PiHost): void {
  pi.registerTool({
    name: "edit",
    label: "edit",
    description:
      "Replaces text in one or more files, through the user's editor: unsaved text is seen and kept. Either all edits of a call succeed or nothing changes. Each oldText must occur exactly once in its file; edits are applied in list order. An empty oldText creates the file.",
    promptSnippet: "Edit one or more files by exact text replacement, all edits of a call or none",
    promptGuidelines: [
      "Use edit for targeted changes. Put all edits of one change into one edit call, even across files.",
      "Copy each oldText of edit from the file as read_document shows it. It must occur there exactly once; otherwise add neighbouring lines.",
    ],
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "File of all edits that have no path of their own" },
        edits: { type: "array", items: editSchema, minItems: 1, description: "Applied in this order" },
      },
      required: ["edits"],
    },
    execute: (_callId, params, signal, _onUpdate, { cwd }) => edit(params, { cwd, signal }),
  });
  pi.registerTool({
    name: "read_document",
    label: "read_document",
    description: "Returns the text of a file as the user's editor has it, including unsaved changes.",
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
    execute: (_callId, params, signal, _onUpdate, { cwd }) => read(params, { cwd, signal }),
  });
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

/** The directory in which a call runs, and the signal that cancels it. */
interface Place {
  readonly cwd: string;
  readonly signal: AbortSignal | undefined;
}

/** The fields of the program's answer that this extension uses; the package's `protocol` declares all of them. */
interface Answer {
  readonly text?: string;
  readonly diff?: string;
  readonly warnings?: readonly string[];
  readonly files?: readonly { readonly firstChangedLine: number }[];
  /** The 1-based line at which `text` starts; present only in the answer to `read`. */
  readonly startLine?: number;
  readonly totalLines?: number;
  /** The version of the open document; `null` if no editor has the file open. */
  readonly version?: number | null;
  readonly onDisk?: "same" | "differs";
  readonly error?: { readonly message: string };
}

async function edit(params: unknown, place: Place): Promise<PiResult> {
  const answer = await ask(["apply", "--json", "--summary"], JSON.stringify(params), place);
  const { text = "", diff = "", warnings = [], files = [] } = answer;
  const line = files[0]?.firstChangedLine;
  return {
    content: [
      { type: "text", text: [text, ...(files.length === 0 ? ["Nothing was changed."] : []), ...warnings].join("\n") },
    ],
    details: { diff: numbered(diff), patch: diff, ...(line === undefined ? {} : { firstChangedLine: line }) },
  };
}

async function read(params: unknown, place: Place): Promise<PiResult> {
  const { path, startLine, endLine } = params as { path: string; startLine?: number; endLine?: number };
  // Without an end line, everything up to the end of the file is read.
  const lines = startLine === undefined && endLine === undefined ? "" : `:${startLine ?? 1}-${endLine ?? ""}`;
  const answer = await ask(["read", "--json", `${path}${lines}`], "", place);
  // The note comes first, because the end of a long text may be cut off.
  const texts = [noteOf(answer), answer.text ?? ""];
  return { content: texts.map((text) => ({ type: "text", text })), details: undefined };
}

/** Names the lines that were read, and their source. */
function noteOf({ text = "", startLine = 1, totalLines = 0, version, onDisk }: Answer): string {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const last = Math.min(totalLines, startLine + lines - 1);
  const shown =
    last < startLine
      ? `No lines in this range: the file has ${totalLines} ${totalLines === 1 ? "line" : "lines"}`
      : `Lines ${startLine} to ${last} of ${totalLines}`;
  // If the environment names a session, no other session was asked.
  if (version === null)
    return process.env.MULTI_EDIT_SESSION
      ? `${shown}, from disk.`
      : `${shown}, from disk: no editor has the file open.`;
  return `${shown}${onDisk === "same" ? "" : ", from the editor, including unsaved changes"}.`;
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
  return new Promise((resolve, reject) => {
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
      const answer = parse(stdout);
      if (code === 0 && answer !== undefined) resolve(answer);
      else reject(new Error(answer?.error?.message ?? (stderr.trim() || `multi-edit ended with code ${code}`)));
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
 * Converts a unified diff to pi's format: each line begins with its sign and number, and dots stand for omitted lines.
 */
function numbered(diff: string): string {
  const shown: string[] = [];
  let [before, after] = [0, 0];
  for (const line of diff.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk !== null) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      if (shown.length > 0) shown.push("     ...");
    } else if (line.startsWith("diff --git ")) {
      [before, after] = [0, 0];
    } else if (before + after > 0 && /^[ +-]/.test(line)) {
      const sign = line[0];
      shown.push(`${sign}${String(sign === "-" ? before : after).padStart(4)} ${line.slice(1)}`);
      if (sign !== "+") before++;
      if (sign !== "-") after++;
    }
  }
  return shown.join("\n");
}
