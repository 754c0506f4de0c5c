/**
 * What a proxy between an editor and its agent changes in the Agent Client Protocol (ACP): it answers the agent's requests
 * for files from the editor's session, and adds the MCP server to each of the agent's conversations.
 * Source of the messages: the protocol's schema, versions 1 and 2; version 2 has no requests for files.
 */
import { basename } from "node:path";

/** A message of JSON-RPC; its fields are not checked. */
interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
}

/** A variable of a process's environment, as ACP names it. */
export interface EnvVariable {
  readonly name: string;
  readonly value: string;
}

/** A request of the agent for a file. */
export interface FileRequest {
  readonly id: unknown;
  readonly kind: "read" | "write";
  readonly params: Readonly<Record<string, unknown>>;
  /** The folder of the conversation, as an absolute path; `undefined` if it is not known. */
  readonly directory: string | undefined;
  /** The agent, as it described itself; `undefined` if it did not. */
  readonly agent: { readonly name: string; readonly version: string } | undefined;
  /** `true` if the editor answers such requests, too. */
  readonly canPass: boolean;
}

/** What to do with a message. */
export type AcpDecision =
  | { readonly kind: "pass" }
  /** Another message goes on in its place. */
  | { readonly kind: "replace"; readonly message: object }
  /** The message is for the proxy. */
  | { readonly kind: "file"; readonly request: FileRequest }
  | { readonly kind: "cancel"; readonly id: unknown };

const pass: AcpDecision = { kind: "pass" };

/** The name of the MCP server. */
const serverName = "multi-edit";

/** The methods that ask for a file. */
const fileMethods: Readonly<Record<string, FileRequest["kind"]>> = {
  "fs/read_text_file": "read",
  "fs/write_text_file": "write",
};

/** Follows the messages of one connection. `mcpServer`: the command line of the MCP server for a folder. */
export class AcpProxy {
  /** What the editor can do itself; `undefined` unless both sides may speak version 1. */
  #editor: { readonly read: boolean; readonly write: boolean } | undefined;
  #agent: FileRequest["agent"];
  #initialize: unknown;
  /** Folders of conversations that the agent is asked to begin, by the ids of the requests. */
  readonly #asked = new Map<unknown, string>();
  /** Folders of conversations. */
  readonly #folders = new Map<unknown, string>();

  constructor(
    private readonly mcpServer: (directory: string) => readonly [string, ...string[]],
    /** The variables that the MCP server needs: an agent may start it without its own ones. */
    private readonly env: readonly EnvVariable[],
  ) {}

  /** Decides about a message of the editor. */
  fromEditor(value: unknown): AcpDecision {
    const { id, method, params } = fieldsOf(value) as Message;
    const given = fieldsOf(params);
    if (method === "initialize") {
      this.#initialize = id;
      this.#editor = undefined;
      if (given.protocolVersion !== 1) return pass;
      const capabilities = fieldsOf(given.clientCapabilities);
      const fs = fieldsOf(capabilities.fs);
      this.#editor = { read: fs.readTextFile === true, write: fs.writeTextFile === true };
      const clientCapabilities = { ...capabilities, fs: { ...fs, readTextFile: true, writeTextFile: true } };
      return { kind: "replace", message: { ...fieldsOf(value), params: { ...given, clientCapabilities } } };
    }
    const { cwd, mcpServers, sessionId } = given;
    if (typeof method !== "string" || !method.startsWith("session/") || typeof cwd !== "string") return pass;
    this.#asked.set(id, cwd);
    // A fork names the conversation that it comes from; the new one has an id of its own.
    if (sessionId !== undefined && method !== "session/fork") this.#folders.set(sessionId, cwd);
    if (!Array.isArray(mcpServers) || mcpServers.some((server) => fieldsOf(server).name === serverName)) return pass;
    const [command, ...args] = this.mcpServer(cwd);
    const type = this.#editor === undefined ? { type: "stdio" } : {};
    const added = [...mcpServers, { ...type, name: serverName, command, args, env: this.env }];
    return { kind: "replace", message: { ...fieldsOf(value), params: { ...given, mcpServers: added } } };
  }

  /** Decides about a message of the agent. */
  fromAgent(value: unknown): AcpDecision {
    const { id, method, params, result } = fieldsOf(value) as Message;
    if (method === undefined) {
      this.#learn(id, fieldsOf(result));
      return pass;
    }
    if (this.#editor === undefined) return pass;
    const given = fieldsOf(params);
    if (method === "$/cancel_request") return { kind: "cancel", id: given.requestId };
    const kind = Object.hasOwn(fileMethods, String(method)) ? fileMethods[String(method)] : undefined;
    if (kind === undefined || id === undefined) return pass;
    const directory = this.#folders.get(given.sessionId);
    const canPass = this.#editor[kind];
    return { kind: "file", request: { id, kind, params: given, directory, agent: this.#agent, canPass } };
  }

  /** Learns from an answer of the agent who it is, or the id of a conversation. */
  #learn(id: unknown, { agentInfo, sessionId }: Readonly<Record<string, unknown>>): void {
    if (id === this.#initialize) {
      const { name, version } = fieldsOf(agentInfo);
      if (typeof name === "string") this.#agent = { name, version: String(version ?? "") };
    }
    const directory = this.#asked.get(id);
    this.#asked.delete(id);
    if (directory !== undefined && sessionId !== undefined) this.#folders.set(sessionId, directory);
  }
}

/** The name of an agent that does not say who it is: that of its program. */
export const nameOfProgram = (command: string): string => basename(command).replace(/\.(?:cmd|exe|[cm]?js)$/, "");

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
