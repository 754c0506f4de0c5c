/** The file by which a session is found: what it says, how it is written, and how strictly it is read. */

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

/** Fields that a later version adds are ignored; a change of these gets another `format`. */
const schema = z.object({
  format: z.literal(1),
  /** 12 hexadecimal digits. */
  id: z.string().regex(/^[0-9a-f]{12}$/),
  /** Of the language server. */
  pid: z.int().positive(),
  /** When the system started that process, in its own terms; `undefined`: it does not tell. */
  processStart: z.string().max(40).optional(),
  /** Name of the machine, which containers have of their own. */
  host: z.string().max(256),
  /** Path of the socket, or name of the pipe. */
  address: z.string().min(1).max(limits.pathLength),
  /** 32 random bytes in hexadecimal digits, which both sides must know. */
  secret: z.string().regex(/^[0-9a-f]{64}$/),
  /**
   * The workspace folders; `path` is empty for one that is no directory of this machine. A session without any may have any
   * file open.
   */
  folders: z.array(z.object({ uri: z.string(), path: z.string() })).readonly(),
  /** Canonical paths of the files that it has open outside of its folders; `undefined`: it does not say. */
  outside: z.array(z.string()).readonly().optional(),
  /** The editor, by the name that it gives itself. */
  client: z.string().max(200),
  /** Of the language server. */
  version: z.string().max(100),
  /** Versions of the socket's protocol that it speaks. */
  protocols: z.array(z.int()).max(100).readonly(),
  /** ISO 8601, UTC. */
  startedAt: z.string().max(40),
});

/** One session as it announces itself. */
export type SessionRecord = Readonly<z.infer<typeof schema>>;

/** The content of a directory of records. */
export interface ReadRecords {
  readonly records: readonly SessionRecord[];
  /** Files that are no records, each with the reason, and why the directory can't be read, as sentences. */
  readonly problems: readonly string[];
  /** Those of them that may hide a session: they announce one in a way that this version can't read. */
  readonly hidden: readonly string[];
}

/** Path of the record of a session. */
export function recordPath(directory: string, id: string): string {
  return join(directory, `${id}.json`);
}

/** Writes a record, or another one in its place, so that a reader sees all of it or nothing. Throws what the system says. */
export function writeRecord(directory: string, record: SessionRecord): void {
  const temporary = join(directory, `${record.id}.${randomBytes(6).toString("hex")}.tmp`);
  writeFileSync(temporary, JSON.stringify(record), { mode: 0o600, flag: "wx" });
  renameSync(temporary, recordPath(directory, record.id));
}

/** Reads every record of a directory; one that is not there holds none. Throws what the system says of the directory. */
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

/** Removes a file if it is there, or with `rmdirSync` a directory that is empty. */
export function removeQuietly(path: string, remove = unlinkSync): void {
  try {
    remove(path);
  } catch {
    // Somebody else was faster, or it can't be helped.
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
  /** `gone`: nobody needs to know. */
  | { readonly kind: "gone" | "foreignRecord" | "badRecord" | "newerRecord" };

/** Whoever can plant a file here can plant a link or a pipe: neither is followed or waited for. */
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
