/** The messages between a real editor and the server, as reported by the tap, and messages added by the test. */
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { MultiEditErrorData, MultiEditResult, ReadResult } from "../../server/lsp/protocol.js";
import type { Line, Link } from "./link.js";
import type { FromTap, Packet, Party, ToTap } from "./tapProtocol.js";

/** The answer to a call. */
export type Answer =
  | { readonly ok: true; readonly result: MultiEditResult }
  | {
      readonly ok: false;
      readonly code: number;
      readonly message: string;
      readonly data: MultiEditErrorData | undefined;
    };

/** A request held back by the tap, to be passed on or answered on behalf of its receiver. */
export interface Gated {
  readonly message: Packet;
  release(answer?: object): void;
}

/** An editor's connection. */
export interface Wire {
  /** All messages so far. */
  readonly messages: readonly { readonly from: Party; readonly message: Packet }[];
  /** Sends a request as if it came from the editor. */
  request(method: string, params: unknown): Promise<Packet>;
  notify(method: string, params: unknown): void;
  /** Sends the editor a request as if it came from the server. */
  ask(method: string, params: unknown): { readonly id: string; readonly answer: Promise<Packet> };
  /** Sends the editor a notification as if it came from the server. */
  tell(method: string, params: unknown): void;
  /** Has the server apply a call without any message from the editor, as for an agent. */
  apply(call: unknown): Promise<Answer>;
  /** The answer to the first command that the editor's user sends after the first `mark` messages. */
  answerOfCommand(mark: number): Promise<Answer>;
  /** The server's text for the document; `undefined` if it has none. */
  read(path: string): Promise<ReadResult | undefined>;
  /** URIs and versions of the documents that the editor's messages have opened and not closed. */
  open(): ReadonlyMap<string, number>;
  whenOpen(path: string): Promise<void>;
  whenClosed(): Promise<void>;
  setFolders(change: { readonly add?: readonly string[]; readonly remove?: readonly string[] }): void;
  /** From now on, holds back each request with one of these methods and passes it to `take`, which can release it. */
  gate(methods: readonly string[], take: (one: Gated) => void): void;
  ungate(): void;
  /** Waits until `find` finds something; if it never does, the error contains `what`. */
  until<T>(what: string, find: () => T | undefined, patience?: number): Promise<T>;
}

/** Waits for an editor's tap to connect, then listens to it. */
export async function openWire(link: Link): Promise<Wire> {
  const line = await soon(link.next("tap"), "the editor does not start the server");
  return wireOf(line);
}

/** The messages that the tap reports, and a function that sends messages to the tap. */
interface Tapped {
  readonly messages: { readonly from: Party; readonly message: Packet }[];
  readonly documents: Map<string, number>;
  readonly order: (one: ToTap) => void;
  readonly until: Wire["until"];
  /** Receives held requests. */
  taker: ((one: Gated) => void) | undefined;
}

function wireOf(line: Line): Wire {
  const tapped = listen(line);
  const { messages, documents, order, until } = tapped;
  let last = 0;
  const answerTo = (id: Packet["id"], from: number, what: string): Promise<Packet> => {
    const find = () => messages.slice(from).find((one) => one.from === "server" && isAnswer(one.message, id))?.message;
    return until(what, find, 60_000);
  };
  const request: Wire["request"] = (method, params) => {
    const id = `test ${++last}`;
    const mark = messages.length;
    order({ send: { jsonrpc: "2.0", id, method, params } });
    return answerTo(id, mark, `an answer to ${method}`);
  };
  const ask: Wire["ask"] = (method, params) => {
    const id = `test ${++last}`;
    const mark = messages.length;
    order({ deliver: { jsonrpc: "2.0", id, method, params } });
    const find = () => messages.slice(mark).find((one) => one.from === "editor" && isAnswer(one.message, id))?.message;
    return { id, answer: until(`the editor's answer to ${method}`, find, 60_000) };
  };
  const notify: Wire["notify"] = (method, params) => order({ send: { jsonrpc: "2.0", method, params } });
  return {
    messages,
    request,
    ask,
    tell: (method, params) => order({ deliver: { jsonrpc: "2.0", method, params } }),
    notify,
    until,
    apply: async (call) =>
      toAnswer(await request("workspace/executeCommand", { command: "multiEdit.apply", arguments: [call] })),
    answerOfCommand: async (mark) => {
      const asked = await until("the command", () =>
        messages.slice(mark).find((one) => one.from === "editor" && one.message.method === "workspace/executeCommand"),
      );
      return toAnswer(await answerTo(asked.message.id, mark, "an answer to the command"));
    },
    read: async (path) => {
      const { result } = await request("multiEdit/read", { path });
      return result;
    },
    open: () => documents,
    whenOpen: async (path) => {
      await until(`the server is told that ${path} is open`, () => findOpen(documents, path));
    },
    whenClosed: async () => {
      const isClosed = () => (documents.size === 0 ? true : undefined);
      await until("the server is told that everything is closed", isClosed).catch((error: Error) => {
        throw new Error(`${error.message}; open: ${[...documents.keys()].join(", ")}`);
      });
    },
    // Messages are read in order, so later requests refer to the new folders.
    setFolders: ({ add = [], remove = [] }) => {
      const toFolder = (path: string) => ({ uri: pathToFileURL(path).href, name: path });
      const event = { added: add.map(toFolder), removed: remove.map(toFolder) };
      notify("workspace/didChangeWorkspaceFolders", { event });
    },
    gate: (methods, taker) => {
      tapped.taker = taker;
      order({ gate: methods });
    },
    ungate: () => {
      tapped.taker = undefined;
      order({ gate: [] });
    },
  };
}

function listen(line: Line): Tapped {
  let exit: number | null | undefined;
  const tapped: Tapped = {
    messages: [],
    documents: new Map(),
    order: (one) => line.send(one),
    taker: undefined,
    until: async (what, find, patience = 10_000) => {
      const end = performance.now() + patience;
      for (;;) {
        const found = find();
        if (found !== undefined) return found;
        if (exit !== undefined) throw new Error(`the server has ended with ${exit}, before: ${what}`);
        if (performance.now() > end) throw new Error(`not seen on the wire: ${what}`);
        await delay(5);
      }
    },
  };
  line.listen((value) => {
    // Only the tap writes to this connection.
    const news = value as FromTap;
    if ("exit" in news) exit = news.exit;
    if ("from" in news) {
      tapped.messages.push(news);
      follow(tapped.documents, news.message);
    }
    if ("held" in news) {
      const { held, message } = news;
      const release: Gated["release"] = (answer) =>
        tapped.order({ release: held, ...(answer === undefined ? {} : { answer }) });
      tapped.taker?.({ message, release });
    }
  });
  return tapped;
}

/** The URI of an open file, as the editor spells it. */
function findOpen(documents: ReadonlyMap<string, number>, path: string): string | undefined {
  return [...documents.keys()].find((uri) => pathOf(uri) === path);
}

/** Reports whether the editor sent two changes to the same document in the wrong order. */
export function isReordered({ messages }: Wire): boolean {
  const versions = new Map<string, number>();
  return messages.some(({ message: { method, params } }) => {
    if (method === "textDocument/didOpen") versions.delete(params.textDocument.uri);
    if (method !== "textDocument/didChange") return false;
    const { uri, version } = params.textDocument;
    const before = versions.get(uri) ?? version - 1;
    versions.set(uri, version);
    return version <= before;
  });
}

/** The path of a URI, even one whose percent signs the editor has left unescaped. */
export function pathOf(uri: string): string {
  const encoded = uri.replace(/^file:\/\//, "");
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

const isAnswer = (message: Packet, id: Packet["id"]): boolean => message.method === undefined && message.id === id;

function follow(documents: Map<string, number>, { method, params }: Packet): void {
  // VS Code may send a last change after it has said that the document is closed.
  const isChange = method === "textDocument/didChange" && documents.has(params.textDocument.uri);
  if (method === "textDocument/didOpen" || isChange)
    documents.set(params.textDocument.uri, params.textDocument.version);
  if (method === "textDocument/didClose") documents.delete(params.textDocument.uri);
}

function toAnswer({ result, error }: Packet): Answer {
  if (error === undefined) return { ok: true, result };
  // The cast assumes that error data has the protocol's type, which the tests verify.
  return { ok: false, code: error.code, message: error.message, data: error.data as MultiEditErrorData | undefined };
}

async function soon<T>(promise: Promise<T>, problem: string): Promise<T> {
  const late = delay(60_000, undefined, { ref: false }).then(() => {
    throw new Error(problem);
  });
  return Promise.race([promise, late]);
}
