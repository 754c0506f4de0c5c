/** The file through which agents find a session: its fields, and how it is written and strictly read. */
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

/** Fields of a record. Fields that a later version adds are ignored; if these fields change, so does `format`. */
const schema = z.object({
  format: z.literal(1),
  /** 12 hexadecimal digits. */
  id: z.string().regex(/^[0-9a-f]{12}$/),
  /** Process id of the language server. */
  pid: z.int().positive(),
  /** Time at which that process started, in the system's own form; `undefined` if the system does not report it. */
  processStart: z.string().max(40).optional(),
  /** Name of the machine; a container has its own. */
  host: z.string().max(256),
  /** Path of the socket, or name of the pipe. */
  address: z.string().min(1).max(limits.pathLength),
  /** 32 random bytes in hexadecimal digits, which both sides must know. */
  secret: z.string().regex(/^[0-9a-f]{64}$/),
  /**
   * The workspace folders; `path` is empty for a folder whose URI names no path on this machine. A session without
   * folders may have any file open.
   */
  folders: z.array(z.object({ uri: z.string(), path: z.string() })).readonly(),
  /** Canonical paths of the files that the session has open outside its folders; `undefined` if it does not say. */
  outside: z.array(z.string()).readonly().optional(),
  /** The editor, by the name that it gives itself. */
  client: z.string().max(200),
  /** Version of the language server. */
  version: z.string().max(100),
  /** Versions of the socket's protocol that the session speaks. */
  protocols: z.array(z.int()).max(100).readonly(),
  /** Time at which the session's process started, in ISO 8601, UTC. */
  startedAt: z.string().max(40),
});

/** One session, as it announces itself. */
export type SessionRecord = Readonly<z.infer<typeof schema>>;

/** The content of a directory of records. */
export interface ReadRecords {
  readonly records: readonly SessionRecord[];
  /** Sentences about files that are not records, each with the reason, and about a directory that can't be read. */
  readonly problems: readonly string[];
  /** Those of the problems that may hide a session, because its record has a form that this version can't read. */
  readonly hidden: readonly string[];
}

/** Returns the path of a session's record. */
export function recordPath(directory: string, id: string): string {
  return join(directory, `${id}.json`);
}

/** Writes or replaces a record in one step, so that no reader sees only part of it. Throws the system's errors. */
export function writeRecord(directory: string, record: SessionRecord): void {
  const temporary = join(directory, `${record.id}.${randomBytes(6).toString("hex")}.tmp`);
  writeFileSync(temporary, JSON.stringify(record), { mode: 0o600, flag: "wx" });
  renameSync(temporary, recordPath(directory, record.id));
}

/** Reads all records of a directory; a missing directory has none. Throws the system's errors about the directory. */
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

/** Removes a file, or with `rmdirSync` an empty directory. Ignores errors. */
export function removeQuietly(path: string, remove = unlinkSync): void {
  try {
    remove(path);
  } catch {
    // Another process has removed the file first, or nothing can be done.
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
  /** `gone` needs no report. */
  | { readonly kind: "gone" | "foreignRecord" | "badRecord" | "newerRecord" };

/** Reads one record. Does not follow a link or wait for a pipe that an attacker may have planted. */
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
