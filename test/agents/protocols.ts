/**
 * The four protocols that agents speak with their models, as far as a scripted model needs them. Each of them is a row:
 * how a request is read, and how a reply is written as a stream of server-sent events.
 *
 * Sources: the public API references of Anthropic (Messages), OpenAI (Responses, Chat Completions) and Google (Gemini).
 */

/** A tool as the model is told about it. */
export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
}

/** One request of the agent to its model. */
export interface Heard {
  /** The system prompt, and everything else that the model is told besides the conversation. */
  readonly system: string;
  readonly tools: readonly DeclaredTool[];
  /** Texts of the user's messages since the model's last reply. */
  readonly said: readonly string[];
  /** Texts of the results of the calls in the model's last reply, in the order of the calls. */
  readonly results: readonly string[];
}

/** A call of a tool. */
export interface Call {
  readonly tool: string;
  readonly arguments: object;
  /** The arguments as text, for a tool that takes a text instead of JSON. */
  readonly text?: string;
}

/** The model's reply: calls of tools, or a text that ends the turn. */
export type Reply = { readonly calls: readonly Call[] } | { readonly says: string };

/** One protocol. */
export interface Protocol {
  /** Matches the path of the requests that ask for a reply. */
  readonly path: RegExp;
  read(body: never): Heard;
  /** The events of the stream, each a pair of its name, or `undefined`, and its data. */
  write(reply: Reply, turn: number): readonly Event[];
}

/** One server-sent event. */
export interface Event {
  readonly name?: string;
  readonly data: object | string;
}

interface Block {
  readonly type?: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
  readonly output?: string | readonly Block[];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block: Block) => block.text ?? textOf(block.content)).join("\n");
}

/** The messages after the last one of the model. */
function sinceReply<T>(messages: readonly T[], isReply: (message: T) => boolean): readonly T[] {
  return messages.slice(messages.findLastIndex(isReply) + 1);
}

interface AnthropicMessage {
  readonly role: string;
  readonly content: string | readonly Block[];
}

const messages: Protocol = {
  path: /\/v1\/messages(\?|$)/,
  read(body: { system?: unknown; tools?: { name: string; description?: string }[]; messages: AnthropicMessage[] }) {
    const blocks = sinceReply(body.messages, ({ role }) => role === "assistant").flatMap(({ content }): Block[] =>
      typeof content === "string" ? [{ type: "text", text: content }] : [...content],
    );
    return {
      system: textOf(body.system),
      tools: (body.tools ?? []).map(({ name, description = "" }) => ({ name, description })),
      said: blocks.filter(({ type }) => type === "text").map(({ text = "" }) => text),
      results: blocks.filter(({ type }) => type === "tool_result").map(({ content }) => textOf(content)),
    };
  },
  write(reply, turn) {
    const blocks =
      "says" in reply
        ? [{ start: { type: "text", text: "" }, delta: { type: "text_delta", text: reply.says } }]
        : reply.calls.map(({ tool, arguments: input }, index) => ({
            start: { type: "tool_use", id: `toolu_${turn}_${index}`, name: tool, input: {} },
            delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
          }));
    const reason = "says" in reply ? "end_turn" : "tool_use";
    const message = { id: `msg_${turn}`, type: "message", role: "assistant", model: "scripted", content: [] };
    const usage = { input_tokens: 1, output_tokens: 1 };
    return [
      event("message_start", { message: { ...message, stop_reason: null, stop_sequence: null, usage } }),
      ...blocks.flatMap(({ start, delta }, index) => [
        event("content_block_start", { index, content_block: start }),
        event("content_block_delta", { index, delta }),
        event("content_block_stop", { index }),
      ]),
      event("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage }),
      event("message_stop", {}),
    ];
  },
};

const event = (name: string, data: object): Event => ({ name, data: { type: name, ...data } });

interface ResponsesItem extends Block {
  readonly role?: string;
  /** Of an item of the type `additional_tools`. */
  readonly tools?: readonly ResponsesTool[];
}

interface ResponsesTool {
  readonly type: string;
  readonly name?: string;
  readonly description?: string;
  /** Of a namespace: its tools. */
  readonly tools?: readonly ResponsesTool[];
}

const responses: Protocol = {
  path: /\/responses(\?|$)/,
  read(body: { instructions?: string; tools?: ResponsesTool[]; input: ResponsesItem[] | string }) {
    const input = typeof body.input === "string" ? [{ role: "user", content: body.input }] : body.input;
    const recent = sinceReply(
      input,
      ({ type, role }: ResponsesItem) => role === "assistant" || /call$/.test(type ?? ""),
    );
    const developer = input.filter(({ role }: ResponsesItem) => role === "developer" || role === "system");
    return {
      system: [body.instructions ?? "", ...developer.map(({ content }) => textOf(content))].join("\n"),
      tools: [...(body.tools ?? []), ...input.flatMap(({ tools = [] }: ResponsesItem) => tools)].flatMap(flatTool),
      said: recent
        .filter(({ role }: ResponsesItem) => role === "user" || role === "developer")
        .map(({ content }) => textOf(content)),
      results: recent.flatMap(({ type, output }: ResponsesItem) =>
        /call_output$/.test(type ?? "") ? [textOf(output)] : [],
      ),
    };
  },
  write(reply, turn) {
    const response = { id: `resp_${turn}`, object: "response", status: "in_progress", output: [] };
    const items =
      "says" in reply
        ? [
            {
              type: "message",
              id: `msg_${turn}`,
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: reply.says, annotations: [] }],
            },
          ]
        : reply.calls.map(({ tool, arguments: input, text }, index) => {
            const [namespace, name] = tool.includes("/") ? tool.split("/") : [undefined, tool];
            const about = { id: `fc_${turn}_${index}`, call_id: `call_${turn}_${index}`, status: "completed", name };
            return text === undefined
              ? { type: "function_call", ...about, namespace, arguments: JSON.stringify(input) }
              : { type: "custom_tool_call", ...about, input: text };
          });
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return [
      event("response.created", { response }),
      ...items.flatMap((item, index) => [
        event("response.output_item.added", { output_index: index, item: { ...item, status: "in_progress" } }),
        event("response.output_item.done", { output_index: index, item }),
      ]),
      event("response.completed", { response: { ...response, status: "completed", output: items, usage } }),
    ];
  },
};

/** The tools of a declaration; a namespace declares several, named `namespace/tool`. */
function flatTool({ type, name = type, description = "", tools }: ResponsesTool): DeclaredTool[] {
  if (tools === undefined) return [{ name, description }];
  return tools.map((tool) => ({ name: `${name}/${tool.name}`, description: tool.description ?? "" }));
}

interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
}

const chatCompletions: Protocol = {
  path: /\/chat\/completions(\?|$)/,
  read(body: { tools?: { function: DeclaredTool }[]; messages: ChatMessage[] }) {
    const recent = sinceReply(body.messages, ({ role }) => role === "assistant");
    const textsOf = (...roles: string[]): string[] =>
      recent.filter(({ role }) => roles.includes(role)).map(({ content }) => textOf(content));
    const system = body.messages.filter(({ role }) => role === "system" || role === "developer");
    return {
      system: system.map(({ content }) => textOf(content)).join("\n"),
      tools: (body.tools ?? []).map(({ function: { name, description } }) => ({ name, description })),
      said: textsOf("user"),
      results: textsOf("tool"),
    };
  },
  write(reply, turn) {
    const chunk = (delta: object, finish_reason: string | null = null): Event => ({
      data: {
        id: `chat_${turn}`,
        object: "chat.completion.chunk",
        created: 0,
        model: "scripted",
        choices: [{ index: 0, delta, finish_reason }],
      },
    });
    const deltas =
      "says" in reply
        ? [{ role: "assistant", content: reply.says }]
        : reply.calls.map(({ tool, arguments: input }, index) => ({
            role: "assistant",
            tool_calls: [
              {
                index,
                id: `call_${turn}_${index}`,
                type: "function",
                function: { name: tool, arguments: JSON.stringify(input) },
              },
            ],
          }));
    return [
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, "says" in reply ? "stop" : "tool_calls"),
      { data: "[DONE]" },
    ];
  },
};

interface GeminiPart {
  readonly text?: string;
  readonly functionResponse?: { readonly response: unknown };
}

interface GeminiContent {
  readonly role?: string;
  readonly parts: readonly GeminiPart[];
}

const gemini: Protocol = {
  path: /:streamGenerateContent/,
  read(body: {
    systemInstruction?: { parts: GeminiPart[] };
    tools?: { functionDeclarations?: DeclaredTool[] }[];
    contents: GeminiContent[];
  }) {
    const parts = sinceReply(body.contents, ({ role }) => role === "model").flatMap((content) => content.parts);
    return {
      system: (body.systemInstruction?.parts ?? []).map(({ text = "" }) => text).join("\n"),
      tools: (body.tools ?? []).flatMap(({ functionDeclarations = [] }) => functionDeclarations),
      said: parts.flatMap(({ text }) => (text === undefined ? [] : [text])),
      results: parts.flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [geminiResult(functionResponse.response)],
      ),
    };
  },
  write(reply) {
    const parts =
      "says" in reply
        ? [{ text: reply.says }]
        : reply.calls.map(({ tool, arguments: args }) => ({ functionCall: { name: tool, args } }));
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return [
      { data: { candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }], usageMetadata } },
    ];
  },
};

function geminiResult(response: unknown): string {
  const { output, error } = response as { output?: unknown; error?: unknown };
  const text = output ?? error;
  return typeof text === "string" ? text : JSON.stringify(response);
}

/** The protocols, by their names. */
export const protocols = { messages, responses, chatCompletions, gemini } as const;
