/** Reads and writes records, the files that let agents find sessions. Accepts only valid records. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  unlinkSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import * as v from "valibot";
import { int, list } from "../dialect/schema.js";
import { limits } from "../text/limits.js";
import { codeOf } from "../workspace/identity.js";
import { isInside } from "../workspace/pathText.js";
import { isElsewhere, realOwners } from "../workspace/process.js";
import { isOwn, replacePrivate } from "../workspace/serverFolder.js";
import { gateSettings } from "../workspace/settings.js";
import { sessionProblems } from "./sentences.js";

/** The fields of a record. Later versions may add some; any other change to them requires a new `format`. */
const common = {
  format: v.literal(1),
  /** 12 hexadecimal digits. */
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{12}$/)),
  /** The language server's process id. */
  pid: v.pipe(int(), v.minValue(1)),
  /** Start time of the server's process, in the system's own format; `undefined` if the system does not report it. */
  processStart: v.optional(v.pipe(v.string(), v.maxLength(40))),
  /** The machine's host name; a container has its own. */
  host: v.pipe(v.string(), v.maxLength(256)),
  /** The process's name, which is never reused; `undefined` in older versions. */
  owner: v.optional(v.pipe(v.string(), v.maxLength(100))),
  /** The workspace folders; `path` is empty if the URI has none here. Without folders, any file may be open. */
  folders: list(v.object({ uri: v.string(), path: v.string() })),
  /** Canonical paths of the files that the session has open outside its folders; `undefined` if unknown. */
  outside: v.optional(list(v.string())),
  /** Canonical paths of the files in which the session has unsaved text; `undefined` if unknown. */
  unsaved: v.optional(list(v.string())),
  /** The settings that hold at every door, unless default. `everywhere`: the files are too many to list. */
  gates: v.optional(v.object({ ...gateSettings, everywhere: v.optional(v.boolean()) })),
  /** `true` if the session may have news for an agent that has written an open file: errors, or what the user says. */
  tellsWriters: v.optional(v.boolean()),
  /** The editor's name and version, as the editor reports them. */
  client: v.pipe(v.string(), v.maxLength(200)),
  /** The language server's version. */
  version: v.pipe(v.string(), v.maxLength(100)),
  /** The versions of the socket protocol that the session supports. */
  protocols: v.pipe(list(int()), v.maxLength(100)),
  /** Start time of the session's process, as an ISO 8601 string in UTC. */
  startedAt: v.pipe(v.string(), v.maxLength(40)),
};

const openSchema = v.object({
  ...common,
  /** The socket's path, or the pipe's name. */
  address: v.pipe(v.string(), v.minLength(1), v.maxLength(limits.pathLength)),
  /** The secret shared by the session and its agents: 32 random bytes, in hexadecimal. */
  secret: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});

/** Has neither an address nor a secret, because agents have no access to the session. */
const closedSchema = v.object({ ...common, closed: v.picklist(["switchedOff", "unreachable"]) });

const schema = v.union([closedSchema, openSchema]);

/** The fields that keep their meaning in every later format, so that older readers know which files are not concerned. */
const lasting = v.object({ folders: common.folders, outside: common.outside });

/** A session with a record in a newer format, or with one that can't be read, so that it may be running. */
export interface HiddenSession {
  /** A sentence about the record. */
  readonly problem: string;
  /** Paths of its folders, and of its open files outside them; `undefined` if it may have any file open. */
  readonly held: readonly string[] | undefined;
}

/** The announcement of one session that agents can use. */
export type SessionRecord = v.InferOutput<typeof openSchema>;

/** The announcement of one session that agents can't use. Nobody outside its editor may change files in its folders. */
export type ClosedRecord = v.InferOutput<typeof closedSchema>;

/** The records in a directory, and the problems encountered in reading them. */
export interface ReadRecords {
  readonly records: readonly SessionRecord[];
  readonly closed: readonly ClosedRecord[];
  /** Sessions elsewhere that have not renewed their records for `limits.recordMs`, each with a sentence about it. */
  readonly stale: readonly { readonly record: SessionRecord | ClosedRecord; readonly problem: string }[];
  /** The number of records removed because their sessions had ended. */
  readonly removed: number;
  /** A sentence about each file that is not a valid record, and about the directory if it can't be used. */
  readonly problems: readonly string[];
  /** The records that may announce running sessions, but can't be read. Their `problems` are in the list, too. */
  readonly hidden: readonly HiddenSession[];
}

/** Returns the path of a session's record. */
export function recordPath(directory: string, id: string): string {
  return join(directory, `${id}.json`);
}

/** Writes or replaces a record atomically, so no reader ever sees a partial record. Throws any system error. */
export function writeRecord(directory: string, record: SessionRecord | ClosedRecord): void {
  replacePrivate(recordPath(directory, record.id), JSON.stringify(record));
}

/** Reads the records but `except`, and removes those of ended sessions. Throws if the directory can't be read. */
export function readRecords(directory: string, except?: string): ReadRecords {
  const records: SessionRecord[] = [];
  const closed: ClosedRecord[] = [];
  const problems: string[] = [];
  const hidden: HiddenSession[] = [];
  const stale: { record: SessionRecord | ClosedRecord; problem: string }[] = [];
  let removed = 0;
  for (const name of recordNames(directory)) {
    if (name === `${except}.json`) continue;
    const path = join(directory, name);
    const file = readRecord(path);
    if (file.kind === "gone") continue;
    if (file.kind === "record") {
      const { record, age } = file;
      if (`${record.id}.json` !== name) continue;
      const life = lifeOf(record, age);
      if (life === "ended") {
        removed += 1;
        removeRecord(directory, record);
      } else if (life === "stale") {
        const when = age < 0 ? "future" : "past";
        stale.push({ record, problem: sessionProblems.staleRecord(path, record.host, when) });
      } else if ("closed" in record) closed.push(record);
      else records.push(record);
      continue;
    }
    const problem = sessionProblems[file.kind](path);
    problems.push(problem);
    if (file.kind === "newerRecord") hidden.push({ problem, held: file.held });
    // A running session renews its record, and with that repairs it.
    else if (isRecent(path)) hidden.push({ problem, held: undefined });
  }
  records.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  return { records, closed, problems: [...problems, ...stale.map(({ problem }) => problem)], hidden, stale, removed };
}

/** Reports whether a file was changed in the time after which a session's record counts as gone. */
function isRecent(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < limits.recordMs;
}

/** Reports whether a session is on another machine or in another container, as far as its record says. */
export function isForeign({ owner, host }: Pick<SessionRecord, "owner" | "host">): boolean {
  return owner === undefined ? host !== hostname() : isElsewhere(owner);
}

/** `stale`: on another machine or in another container, and not renewed for a while, so it counts as gone. */
function lifeOf({ owner, host }: SessionRecord | ClosedRecord, age: number) {
  if (isForeign({ owner, host })) return Math.abs(age) < limits.recordMs ? "alive" : "stale";
  // Without the owner's name, the process may be running in another container.
  if (owner === undefined) return "alive";
  return realOwners().isAlive(owner, age) ? "alive" : "ended";
}

/** Removes a session's record, and its socket if that is in the same directory. */
export function removeRecord(directory: string, record: SessionRecord | ClosedRecord): void {
  removeQuietly(recordPath(directory, record.id));
  if ("address" in record && basename(record.address) === `${record.id}.sock`) removeQuietly(record.address);
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
  /** `age`: milliseconds since the last renewal. */
  | { readonly kind: "record"; readonly record: SessionRecord | ClosedRecord; readonly age: number }
  /** `gone`: the file no longer exists, which is not a problem. */
  | { readonly kind: "newerRecord"; readonly held: HiddenSession["held"] }
  | { readonly kind: "gone" | "foreignRecord" | "badRecord" };

/** Reads one record. Never follows a link or blocks on a pipe, because an attacker may have planted one. */
function readRecord(path: string): RecordFile {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || !isOwn(stats)) return { kind: "foreignRecord" };
    if (stats.size > limits.sessionRecordBytes) return { kind: "badRecord" };
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    const checked = v.safeParse(schema, value);
    if (checked.success) return { kind: "record", record: checked.output, age: Date.now() - stats.mtimeMs };
    const { format } = Object(value) as { format?: unknown };
    return typeof format === "number" && format > 1
      ? { kind: "newerRecord", held: heldIn(value) }
      : { kind: "badRecord" };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return { kind: "gone" };
    return { kind: ["ELOOP", "EACCES", "EPERM", "ENXIO"].includes(code) ? "foreignRecord" : "badRecord" };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function heldIn(value: unknown): HiddenSession["held"] {
  const { success, output } = v.safeParse(lasting, value);
  if (!success || output.folders.length === 0) return undefined;
  const paths = output.folders.map(({ path }) => path);
  return paths.includes("") ? undefined : [...paths, ...(output.outside ?? [])];
}

/** Returns a session's name for use in sentences. */
export function sessionName({ id, client, folders }: Pick<SessionRecord, "id" | "client" | "folders">): string {
  const where = folders.map(({ path, uri }) => path || uri).join(", ");
  return `${id} (${client}${where === "" ? "" : ` in ${where}`})`;
}

/** Returns a session's absolute, canonical folders and files; `undefined` if its record could not list them. */
export function heldBy({ folders, outside = [], gates }: SessionRecord | ClosedRecord): string[] | undefined {
  if (gates?.everywhere === true) return undefined;
  return [...folders.map(({ path }) => path), ...outside].filter((path) => path !== "").map(canonical);
}

/** Reports whether a session has one of the files, given as absolute, canonical paths; `undefined` may be any file. */
export function holds(record: SessionRecord | ClosedRecord, files: readonly (string | undefined)[]): boolean {
  const held = heldBy(record);
  return held === undefined || files.some((file) => file === undefined || held.some((path) => isInside(path, file)));
}

/** Returns a path without links; the path itself if it does not exist. */
export function canonical(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
