/** The built server as a child process, connected to the library's client, with its files in a temporary folder. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createMessageConnection,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import type { TextDocumentContentChangeEvent } from "vscode-languageserver/node";
import type { MultiEditErrorData, MultiEditResult } from "../../server/lsp/protocol.js";

/** A server, and the editor's end of the connection to it. */
export interface BenchServer {
  /** The workspace folder. */
  readonly root: string;
  /** Writes a file and opens it. */
  open(path: string, text: string): Promise<void>;
  /** Sends these changes in one notification, under the next version number. */
  change(path: string, ...changes: readonly TextDocumentContentChangeEvent[]): Promise<void>;
  close(path: string): Promise<void>;
  /** Reads the whole text, as an agent does. */
  read(path: string): Promise<void>;
  /** Saves a document; `text`: its text. */
  save(path: string, text: string): Promise<void>;
  /** Sends `multiEdit/apply`, which returns the edit and leaves the text unchanged. */
  apply(call: unknown): Promise<MultiEditResult | MultiEditErrorData>;
  /** Sends the smallest possible request, for a nonexistent method, and waits for the answer. */
  ask(): Promise<void>;
  /** The process's resident memory in bytes; `undefined` if the system does not report it. */
  memory(): number | undefined;
  /** The processor time that the process has used, in milliseconds; `undefined` if the system does not report it. */
  processorMs(): number | undefined;
  /** The heap after a garbage collection; requires a server that was started with `withHeap`. */
  heap(): Promise<Heap>;
  stop(): void;
}

/** Memory figures for a server's engine, in bytes. */
export interface Heap {
  /** Memory in use on the heap, including external memory owned by heap objects. */
  readonly used: number;
  /** The peak resident memory of the process. */
  readonly mostResident: number;
}

/** The program under test; npm and the tests run in the package's folder. */
const program = resolve("dist/main.cjs");

/** Runs in the server: whenever the parent sends a message, collects garbage and reports the memory still in use. */
const heapProbe = `process.on("message", () => {
  // The first collection leaves the bytes of files behind that were just read.
  gc();
  gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send({ used: heapUsed + external, mostResident: 1024 * process.resourceUsage().maxRSS });
});`;

/** Lets the server's time of day run 1,000 times as fast. */
const fastClock = "const [now, start] = [Date.now, Date.now()]; Date.now = () => start + 1000 * (now() - start);";

/** Options of a server. */
export interface BenchServerOptions {
  /** `true` if the server can report on its heap. */
  readonly withHeap?: boolean;
  /** `true` if a minute of the server's time of day takes 60 ms. */
  readonly isFast?: boolean;
  /** The unit in which the editor counts characters; by default UTF-16. */
  readonly encoding?: "utf-8" | "utf-16";
  /** `true` if the editor announces that it tells the diagnostics of other servers. */
  readonly tellsDiagnostics?: boolean;
  /** The user's settings; by default, none. */
  readonly settings?: object;
}

/** Starts and initializes a server. */
export async function startServer(options: BenchServerOptions = {}): Promise<BenchServer> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-bench-")));
  const { child, connection } = await connect(root, options);
  const versions = new Map<string, number>();
  const uriOf = (path: string): string => pathToFileURL(join(root, path)).href;
  return {
    root,
    async open(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
      versions.set(path, 1);
      const textDocument = { uri: uriOf(path), languageId: "typescript", version: 1, text };
      await connection.sendNotification("textDocument/didOpen", { textDocument });
    },
    async change(path, ...changes) {
      const version = (versions.get(path) ?? 0) + 1;
      versions.set(path, version);
      const textDocument = { uri: uriOf(path), version };
      await connection.sendNotification("textDocument/didChange", { textDocument, contentChanges: changes });
    },
    close: (path) => connection.sendNotification("textDocument/didClose", { textDocument: { uri: uriOf(path) } }),
    async read(path) {
      await connection.sendRequest("multiEdit/read", { path: join(root, path) });
    },
    async save(path, text) {
      writeFileSync(join(root, path), text);
      await connection.sendNotification("textDocument/didSave", { textDocument: { uri: uriOf(path) } });
    },
    apply: (call) => connection.sendRequest<MultiEditResult>("multiEdit/apply", call).catch(dataOf),
    ask: () => connection.sendRequest<never>("multiEdit/nothing", {}).catch(() => undefined),
    memory: () => memoryOf(child),
    processorMs: () => processorMsOf(child),
    async heap() {
      // The server handles messages in order, so once it has answered this one, everything left over from the earlier
      // ones can be collected.
      await connection.sendRequest<never>("multiEdit/nothing", {}).catch(() => undefined);
      child.send("heap");
      const [heap] = await once(child, "message");
      return heap as Heap;
    },
    stop() {
      connection.dispose();
      child.kill("SIGKILL");
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function dataOf(error: unknown): MultiEditErrorData {
  // If an error from the server has data, the data has this type.
  if (error instanceof ResponseError && error.data !== undefined) return error.data as MultiEditErrorData;
  throw error;
}

/** A server process that has answered `initialize`, and the connection to it. */
export async function connect(
  root?: string,
  {
    withHeap = false,
    isFast = false,
    encoding = "utf-16",
    tellsDiagnostics = false,
    settings = {},
  }: BenchServerOptions = {},
): Promise<{ child: ChildProcess; connection: MessageConnection }> {
  const scripts = [...(withHeap ? [heapProbe] : []), ...(isFast ? [fastClock] : [])];
  const probe = [
    ...(withHeap ? ["--expose-gc"] : []),
    ...scripts.flatMap((script) => ["--import", `data:text/javascript,${encodeURIComponent(script)}`]),
  ];
  const child = spawn(process.execPath, [...probe, program, "--stdio"], {
    stdio: ["pipe", "pipe", "inherit", ...(withHeap ? (["ipc"] as const) : [])],
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("the server has no streams");
  const connection = createMessageConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
  for (const method of ["window/logMessage", "textDocument/publishDiagnostics"])
    connection.onNotification(method, () => undefined);
  connection.listen();
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: null,
    initializationOptions: settings,
    workspaceFolders: root === undefined ? [] : [{ uri: pathToFileURL(root).href, name: "bench" }],
    capabilities: {
      general: { positionEncodings: [encoding] },
      textDocument: { publishDiagnostics: {} },
      experimental: { multiEdit: { diagnostics: tellsDiagnostics } },
      workspace: {
        applyEdit: true,
        workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] },
      },
    },
  });
  await connection.sendNotification("initialized", {});
  return { child, connection };
}

/** Resident memory in bytes. */
function memoryOf({ pid }: ChildProcess): number | undefined {
  if (process.platform === "win32" || pid === undefined) return undefined;
  if (process.platform !== "linux")
    return 1024 * Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString());
  const kilobytes = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return kilobytes === undefined ? undefined : 1024 * Number(kilobytes);
}

/** Processor time in milliseconds; Linux counts it in hundredths of a second. */
function processorMsOf({ pid }: ChildProcess): number | undefined {
  if (process.platform !== "linux" || pid === undefined) return undefined;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
