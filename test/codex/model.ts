/** The effect of a patch on a trial's files as observed in Codex, plus each deviation that is switched on. */
import type { Rules } from "./deviations.js";
import { linesOf, newLineEnd } from "./fileLines.js";
import { type Chunk, type Part, readPatch } from "./grammar.js";
import type { FileHistory } from "./inserted.js";
import { isIdle, place, type Refusal } from "./placement.js";
import type { Content, Files, Outcome, Trial } from "./trial.js";

/** Reasons for refusing a whole patch, named as the server names them. */
export type Reason =
  | Refusal
  | "patchSyntax"
  | "fileNotFound"
  | "fileExists"
  | "isDirectory"
  | "ioError"
  | "unsupportedEncoding";

/** The outcome that the model predicts for a trial. */
export interface Modelled extends Outcome {
  /** The reason for the refusal; `undefined` if the patch was applied. */
  readonly reason?: Reason;
}

/**
 * Predicts the outcome of a trial with these deviations switched on; if there are none, the prediction is Codex's
 * outcome.
 */
export function modelOf({ files, patch }: Trial, rules: Rules): Modelled {
  const work: Work = {
    files: new Map(),
    folders: new Set(),
    deleted: new Map(),
    barred: new Set(),
    named: new Set(files.keys()),
    rules,
    isChanged: false,
  };
  for (const [path, content] of files) write(work, path, { ...markedFile(content, rules), origin: path });
  const end = (reason: Reason | undefined, said: string): Modelled => {
    const keepsAll = reason !== undefined && rules.has("allOrNothing");
    const after = new Map([...work.files].map(([path, file]) => [path, contentOf(file)]));
    const outcome = { ok: reason === undefined, files: keepsAll ? files : after, said };
    return reason === undefined ? outcome : { ...outcome, reason };
  };
  const read = readPatch(patch, rules);
  if (!read.ok) return end("patchSyntax", read.said);
  for (const part of read.parts) {
    if (part.kind === "add" || (part.kind === "update" && part.chunks.length > 0))
      work.barred.add(plainPath(part.path));
    work.named.add(plainPath(part.path));
    if (part.kind === "update" && part.move !== undefined) work.named.add(plainPath(part.move));
  }
  for (const part of read.parts) {
    const reason = isBarred(work, files, part) ? "unsupportedEncoding" : applyPart(work, part);
    if (reason !== undefined) return end(reason, `${reason} in ${part.path}`);
  }
  const isCircle = rules.has("noMoveInCircle") && [...work.files.keys()].some((path) => leadsBack(work, path));
  if (isCircle) return end("fileExists", "moved in a circle");
  const isSlip = rules.has("idle") && !work.isChanged && read.parts.some(hasIdle);
  return isSlip ? end("noChange", "nothing changes") : end(undefined, "done");
}

const hasIdle = (part: Part): boolean => part.kind === "update" && part.chunks.some(isIdle);

/** A file while the patch is being applied. If `mark` is a byte order mark, the mark is not part of the first line. */
interface Kept {
  readonly mark: "" | "\ufeff";
  readonly content: Content;
  /** The file's path before the patch; `undefined` if the file did not exist. */
  readonly origin?: string | undefined;
  /** Set if a section has written the whole text. */
  readonly isAdded?: true;
  /** What sections have done to the text; `undefined` if none has changed it. */
  readonly history?: FileHistory | undefined;
}

interface Work {
  readonly files: Map<string, Kept>;
  /** Folders remain even when they no longer contain a file. */
  readonly folders: Set<string>;
  /** Files that the patch has already deleted, keyed by the paths that they had before the patch. */
  readonly deleted: Map<string, Kept>;
  /** Paths of files that must be text, because the patch uses their contents. */
  readonly barred: Set<string>;
  /** Paths of files that exist or that the patch names. */
  readonly named: Set<string>;
  readonly rules: Rules;
  /** `true` once a section that changes a text or a name has been applied. */
  isChanged: boolean;
}

function markedFile(content: Content, rules: Rules): Kept {
  const isMarked = rules.has("firstLineAfterMark") && typeof content === "string" && content.startsWith("\ufeff");
  return isMarked ? { mark: "\ufeff", content: content.slice(1) } : { mark: "", content };
}

const contentOf = ({ mark, content }: Kept): Content => (typeof content === "string" ? mark + content : content);

/**
 * Reports whether a section's file is binary although the patch uses its contents; the patch then can't even delete or
 * move the file.
 */
function isBarred({ barred, rules }: Work, files: Files, { path }: Part): boolean {
  return rules.has("binaryStays") && isBinary(files.get(plainPath(path))) && barred.has(plainPath(path));
}

const isBinary = (content: Content | undefined): boolean =>
  content !== undefined && (typeof content !== "string" || content.includes("\0"));

function applyPart(work: Work, part: Part): Reason | undefined {
  const { files, deleted } = work;
  const path = plainPath(part.path);
  const file = files.get(path);
  if (part.kind === "add") return addFile(work, path, part.text);
  if (file === undefined) return work.folders.has(path) ? "isDirectory" : "fileNotFound";
  if (part.kind === "update") return updateFile(work, path, file, part);
  work.isChanged = true;
  files.delete(path);
  if (file.origin !== undefined) deleted.set(file.origin, file);
  return undefined;
}

function addFile(work: Work, path: string, text: string): Reason | undefined {
  const { files, deleted, rules } = work;
  const obstacle = obstacleAt(work, path);
  if (obstacle !== undefined) return obstacle;
  if (rules.has("binaryStays") && isBinary(files.get(path)?.content)) return "unsupportedEncoding";
  const before = files.get(path) ?? deleted.get(path);
  if (!files.has(path)) deleted.delete(path);
  const isKept = rules.has("addKeepsEnds") && typeof before?.content === "string";
  const lineEnd = isKept ? newLineEnd(linesOf(before.content)) : "\n";
  const mark = isKept ? before.mark : "";
  const sent = mark !== "" && rules.has("markInPatch") ? text.replace(/^\ufeff/, "") : text;
  const content = sent.replaceAll("\n", lineEnd);
  work.isChanged ||= files.get(path)?.content !== content;
  write(work, path, { mark, content, origin: before?.origin, isAdded: true });
  return undefined;
}

function updateFile(work: Work, path: string, file: Kept, part: Part & { kind: "update" }): Reason | undefined {
  const { files, rules } = work;
  const { content } = file;
  if (part.chunks.length > 0 && rules.has("binaryStays") && isBinary(content)) return "unsupportedEncoding";
  if (part.chunks.length > 0 && typeof content !== "string") return "unsupportedEncoding";
  const isMarked = file.mark !== "" && rules.has("markInPatch");
  const chunks = isMarked ? part.chunks.map(withoutMarks) : part.chunks;
  const placed =
    typeof content === "string" && chunks.length > 0 ? place(content, chunks, { ...file, rules }) : undefined;
  if (placed?.ok === false) return placed.why;
  const after: Kept = { ...file, content: placed?.text ?? content, history: placed?.history ?? file.history };
  const target = part.move === undefined ? path : plainPath(part.move);
  const isMove = part.move !== undefined && !(target === path && rules.has("moveOntoItself"));
  if (isMove && files.has(target) && rules.has("moveOntoOther")) return "fileExists";
  const obstacle = obstacleAt(work, target);
  if (obstacle !== undefined) return obstacle;
  work.isChanged ||= isMove || placed?.isChanged === true;
  write(work, target, after);
  if (isMove) files.delete(path);
  return undefined;
}

const withoutMarks = (chunk: Chunk): Chunk => ({
  ...chunk,
  lines: chunk.lines.map(({ sign, text }) => ({ sign, text: text.replace(/^\ufeff/, "") })),
});

/** Reports whether the file at a path is part of a cycle of moves in which each file takes another's former name. */
function leadsBack({ files }: Work, path: string): boolean {
  const seen = new Set<string>();
  for (let at: string | undefined = path; at !== undefined && !seen.has(at); at = files.get(at)?.origin) {
    seen.add(at);
    if (files.get(at)?.origin === path) return at !== path;
  }
  return false;
}

/** The path without empty segments or `.`. */
const plainPath = (path: string): string =>
  path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");

/** The folders along a path. */
function foldersOf(path: string): string[] {
  const names = path.split("/");
  return names.slice(0, -1).map((_, i) => names.slice(0, i + 1).join("/"));
}

function write({ files, folders }: Work, path: string, file: Kept): void {
  files.set(path, file);
  for (const folder of foldersOf(path)) folders.add(folder);
}

/** The reason why no file can be created at a path; `undefined` if one can, or if a file already exists there. */
function obstacleAt({ files, folders, named, rules }: Work, path: string): Reason | undefined {
  if (path === "" || folders.has(path)) return "isDirectory";
  const isBelow = foldersOf(path).some(
    (folder) => files.has(folder) || (rules.has("fileIsNoFolder") && named.has(folder) && !files.has(path)),
  );
  return isBelow ? "ioError" : undefined;
}
