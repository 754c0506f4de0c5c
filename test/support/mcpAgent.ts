/** An agent that speaks MCP through the reference client and shares no code with the server. */

import { StringDecoder } from "node:string_decoder";
import { Client, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { builtServer, type Program } from "./build.js";
import { fastClock } from "./clocks.js";
import { defined, speedNow } from "./commands.js";
import { isAll } from "./extent.js";
import { type Hosted, runHosted } from "./hosted.js";
import type { HostedCommand } from "./programHost.js";

/** A tool's answer: its texts and its structured content. */
export interface Told {
  readonly texts: readonly string[];
  readonly structured: Record<string, unknown> | undefined;
  readonly isError: boolean;
}

/** What goes with a call; `meta`: its `_meta`, with which a client describes the call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly meta?: object;
}

/** A connected agent. */
export interface Agent {
  readonly client: Client;
  call(name: string, args: object, options?: AbortSignal | CallOptions): Promise<Told>;
}

/** The year of the protocol revision: a `2025` client begins with `initialize`, a `2026` client does not. */
export type Era = "2025" | "2026";

/** A question to the user, and the client's answer. */
export interface FormQuestion {
  readonly message: string;
  readonly requestedSchema?: { readonly properties: object };
}
export interface FormAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string>;
}

/** Options for starting the server; all are optional. */
export interface AgentOptions {
  readonly era?: Era;
  /** The name that the client states. */
  readonly clientName?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Answers the server's questions to the user; `undefined` if the client does not announce that it shows any. */
  readonly onQuestion?: (question: FormQuestion) => Promise<FormAnswer> | FormAnswer;
  /** `true` if the test is about the process: the server gets one of its own, in the small suite, too. */
  readonly isAlone?: boolean;
}

/** Starts the server as agents do and connects to it. */
export async function startAgent(
  program: Pick<Program, "path">,
  cwd: string,
  options: AgentOptions = {},
): Promise<Agent> {
  const { era = "2025", clientName = "tester", args = [], env = {}, onQuestion } = options;
  const versionNegotiation = era === "2025" ? {} : { versionNegotiation: { mode: { pin: "2026-07-28" } } as const };
  const capabilities = onQuestion === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: clientName, version: "1" }, { ...versionNegotiation, capabilities });
  if (onQuestion)
    client.setRequestHandler("elicitation/create", async ({ params }) => ({
      ...(await onQuestion(params as FormQuestion)),
    }));
  const given = { args: ["mcp", ...args], cwd, env: defined({ ...process.env, ...env }) };
  const isHosted = !isAll && options.isAlone !== true && program.path === builtServer;
  const transport = isHosted
    ? hostedTransport({ path: program.path, ...given, input: undefined, haste: speedNow() })
    : new StdioClientTransport({
        command: process.execPath,
        ...given,
        args: [...(speedNow() === 1 ? [] : fastClock(speedNow())), program.path, ...given.args],
      });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    async call(name, given, options = {}) {
      const { signal, meta }: CallOptions = options instanceof AbortSignal ? { signal: options } : options;
      const described = meta === undefined ? {} : { _meta: { ...meta } };
      const call = { name, arguments: { ...given }, ...described };
      const result = await client.callTool(call, signal === undefined ? {} : { signal });
      const content = result.content as { type: string; text: string }[];
      const structured = result.structuredContent as Record<string, unknown> | undefined;
      return { texts: content.map(({ text }) => text), structured, isError: result.isError === true };
    },
  };
}

/** Messages to and from a server in a process that may have run other commands before. */
function hostedTransport(command: HostedCommand): Transport {
  let server: Hosted | undefined;
  let text = "";
  const transport: Transport = {
    async start() {
      const decoder = new StringDecoder();
      const onStdout = (bytes: Buffer): void => {
        text += decoder.write(bytes);
        const lines = text.split("\n");
        text = lines.pop() ?? "";
        for (const line of lines) transport.onmessage?.(JSON.parse(line) as JSONRPCMessage);
      };
      server = runHosted(command, { onStdout, onStderr: (bytes) => void process.stderr.write(bytes) });
      void server.code.then(() => transport.onclose?.());
    },
    async send(message) {
      server?.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      server?.endInput();
      await server?.code;
    },
  };
  return transport;
}
