/**
 * An editor that speaks ACP without files of its own: begins a conversation in the working directory, sends one prompt, lets
 * the agent do what it asks for, and ends when the prompt is answered.
 *
 *     node acpEditor.cjs PROMPT COMMAND [ARGUMENT...]
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly options?: readonly { readonly optionId: string; readonly kind: string }[] };
  readonly result?: {
    readonly sessionId?: string;
    readonly modes?: { readonly availableModes: readonly { readonly id: string }[] };
  };
  readonly error?: unknown;
}

const [prompt = "", command = "", ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const answers = new Map<unknown, (message: Message) => void>();
let last = 0;

const send = (message: object): void => void agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function request(method: string, params: object): Promise<Message> {
  const id = ++last;
  send({ id, method, params });
  return new Promise((resolve, reject) =>
    answers.set(id, (answer) =>
      answer.error === undefined ? resolve(answer) : reject(new Error(JSON.stringify(answer))),
    ),
  );
}

createInterface({ input: agent.stdout }).on("line", (line) => {
  const message = JSON.parse(line) as Message;
  const { id, method, params } = message;
  if (method === undefined) return answers.get(id)?.(message);
  if (id === undefined) return;
  const allowed = params?.options?.find(({ kind }) => kind === "allow_once");
  if (method === "session/request_permission" && allowed)
    send({ id, result: { outcome: { outcome: "selected", optionId: allowed.optionId } } });
  else send({ id, error: { code: -32_601, message: `${method} is not there` } });
});

async function main(): Promise<void> {
  await request("initialize", {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  const { result } = await request("session/new", { cwd: process.cwd(), mcpServers: [] });
  // In other modes, an agent may ask another model, and not the user.
  const mode = result?.modes?.availableModes.find(({ id }) => id === "default" || id.endsWith("full-access"));
  if (mode) await request("session/set_mode", { sessionId: result?.sessionId, modeId: mode.id });
  const text = [{ type: "text", text: prompt }];
  await request("session/prompt", { sessionId: result?.sessionId, prompt: text });
  agent.stdin.end();
}

agent.on("exit", (code) => process.exit(code ?? 1));
main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
