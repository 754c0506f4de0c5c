/** Reads and writes records, the files that let agents find sessions. Accepts only valid records. */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { limits } from "../../text/limits.js";
import { codeOf } from "../../workspace/identity.js";
import { isOwn } from "../../workspace/serverFolder.js";
import { sessionProblems } from "../sentences.js";

/**
 * The fields of a record. Readers ignore other fields, so a later version may add some; any other change to the fields
 * requires a new `format`.
 */
const schema = z.object({
  format: z.literal(1),
  /** 12 hexadecimal digits. */
  id: z.string().regex(/^[0-9a-f]{12}$/),
  /** The language server's process id. */
  pid: z.int().positive(),
  /** Start time of the server's process, in the system's own format; `undefined` if the system does not report it. */
  processStart: z.string().max(40).optional(),
  /** The machine's host name; a container has its own. */
  host: z.string().max(256),
  /** The socket's path, or the pipe's name. */
  address: z.string().min(1).max(limits.pathLength),
  /** The secret shared by the session and its agents: 32 random bytes, in hexadecimal. */
  secret: z.string().regex(/^[0-9a-f]{64}$/),
  /**
   * The workspace folders; `path` is empty for a folder whose URI names no path on this machine. If the list is empty,
   * the session may have any file open.
   */
  folders: z.array(z.object({ uri: z.string(), path: z.string() })).readonly(),
  /** Canonical paths of the files that the session has open outside its folders; `undefined` if unknown. */
  outside: z.array(z.string()).readonly().optional(),
  /** The editor's name and version, as the editor reports them. */
  client: z.string().max(200),
  /** The language server's version. */
  version: z.string().max(100),
  /** The versions of the socket protocol that the session supports. */
  protocols: z.array(z.int()).max(100).readonly(),
  /** Start time of the session's process, as an ISO 8601 string in UTC. */
  startedAt: z.string().max(40),
});

/** The announcement of one session. */
export type SessionRecord = Readonly<z.infer<typeof schema>>;

/** The records in a directory, and the problems encountered in reading them. */
export interface ReadRecords {
  readonly records: readonly SessionRecord[];
  /** A sentence about each file that is not a valid record, and about the directory if it can't be used. */
  readonly problems: readonly string[];
  /**
   * The `problems` that concern records in a newer format. Such records can't be read, but may announce running
   * sessions.
   */
  readonly hidden: readonly string[];
}

/** Returns the path of a session's record. */
export function recordPath(directory: string, id: string): string {
  return join(directory, `${id}.json`);
}

/** Writes or replaces a record atomically, so no reader ever sees a partial record. Throws any system error. */
export function writeRecord(directory: string, record: SessionRecord): void {
  const temporary = join(directory, `${record.id}.${randomBytes(6).toString("hex")}.tmp`);
  writeFileSync(temporary, JSON.stringify(record), { mode: 0o600, flag: "wx" });
  renameSync(temporary, recordPath(directory, record.id));
}

/** Reads the records in a directory; a missing directory counts as empty. Throws if the directory can't be read. */
export function readRecords(directory: string): ReadRecords {
  const records: SessionRecord[] = [];
  const problems: string[] = [];
  const hidden: string[] = [];
  for (const name of recordNames(directory)) {
    const path = join(directory, name);
    const file = readRecord(path);
    if (file.kind === "gone") continue;
    if (file.kind === "record") {
      if (`${file.record.id}.json` === name) records.push(file.record);
      continue;
    }
    const problem = sessionProblems[file.kind](path);
    problems.push(problem);
    if (file.kind === "newerRecord") hidden.push(problem);
  }
  return { records: records.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1)), problems, hidden };
}

/** Removes a file, or an empty directory if `remove` is `rmdirSync`. Ignores errors. */
export function removeQuietly(path: string, remove = unlinkSync): void {
  try {
    remove(path);
  } catch {
    // Another process may have removed the file already; nothing can be done about other errors.
  }
}

function recordNames(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^[0-9a-f]{12}\.json$/.test(name))
      .slice(0, limits.sessionsRead);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

type RecordFile =
  | { readonly kind: "record"; readonly record: SessionRecord }
  /** `gone`: the file no longer exists, which is not a problem. */
  | { readonly kind: "gone" | "foreignRecord" | "badRecord" | "newerRecord" };

/** Reads one record. Never follows a link or blocks on a pipe, because an attacker may have planted one. */
function readRecord(path: string): RecordFile {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || !isOwn(stats)) return { kind: "foreignRecord" };
    if (stats.size > limits.sessionRecordBytes) return { kind: "badRecord" };
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    const record = schema.safeParse(value);
    if (record.success) return { kind: "record", record: record.data };
    const { format } = Object(value) as { format?: unknown };
    return { kind: typeof format === "number" && format > 1 ? "newerRecord" : "badRecord" };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return { kind: "gone" };
    return { kind: ["ELOOP", "EACCES", "EPERM", "ENXIO"].includes(code) ? "foreignRecord" : "badRecord" };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
