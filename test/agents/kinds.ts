/** The agents that the tests run. */
import { join } from "node:path";
import type { AgentKind, ToolName } from "./agent.js";
import type { Heard } from "./protocols.js";

const toolNames: readonly ToolName[] = [
  ...(["multi_edit", "apply_patch", "preview_edits", "read_document"] as const),
  ...(["undo_last_edit", "editor_status"] as const),
];

/** Finds the server's tools among those of a request. `prefix`: the agent's part of the names. */
const declaredWith =
  (prefix: string) =>
  ({ tools }: Heard): readonly string[] =>
    toolNames.filter((name) => tools.some((tool) => tool.name === `${prefix}${name}` && tool.description !== ""));

const claude: AgentKind = {
  name: "Claude Code",
  folder: "claude",
  packageName: "@anthropic-ai/claude-code",
  setup: "claude",
  prepare: () => undefined,
  env: ({ url }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "scripted" }),
  command: ({ installed }, prompt) => [join(installed, "claude/node_modules/.bin/claude"), "-p", prompt],
  call: (tool, args) => ({ tool: `mcp__multi-edit__${tool}`, arguments: args }),
  answerIn: (result) => result,
  tools: toolNames,
  declared: declaredWith("mcp__multi-edit__"),
};

const codexConfig = (url: string, model: string): string => `model = "${model}"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`;

const codexBase = {
  folder: "codex",
  packageName: "@openai/codex",
  setup: "codex",
  env: () => ({ SCRIPTED_KEY: "scripted" }),
} as const;

/**
 * With a model that Codex does not know, all tools are declared to the model. Its user keeps the state of programs in a
 * folder of their own choice.
 */
const codexUnknown: AgentKind = {
  ...codexBase,
  env: ({ home }) => ({ ...codexBase.env(), XDG_STATE_HOME: join(home, "state") }),
  name: "Codex, unknown model",
  prepare: ({ put, url }) => put(".codex/config.toml", codexConfig(url, "scripted")),
  command: ({ installed }, prompt) => [
    join(installed, "codex/node_modules/.bin/codex"),
    ...["exec", "--skip-git-repo-check", prompt],
  ],
  call: (tool, args) => ({ tool: `mcp__multi_edit/${tool}`, arguments: args }),
  tools: toolNames,
  answerIn: (result) => result.replace(/^Wall time: .*\nOutput:\n/, ""),
  declared: declaredWith("mcp__multi_edit/"),
};

/** With most models that Codex knows, the model calls tools from a script. */
const codexKnown: AgentKind = {
  ...codexUnknown,
  name: "Codex, gpt-6-sol",
  env: codexBase.env,
  prepare: ({ put, url }) => put(".codex/config.toml", codexConfig(url, "gpt-6-sol")),
  call: (tool, args) => ({
    tool: "functions/exec",
    arguments: {},
    text: `text(await tools.mcp__multi_edit__${tool}(${JSON.stringify(args)}));`,
  }),
  answerIn(result) {
    const output = result.replace(/^Script (?:completed|failed)\nWall time.*\nOutput:\n+/, "");
    const { content } = JSON.parse(output) as { content: { text: string }[] };
    return content.map(({ text }) => text).join("\n");
  },
  declared({ tools }) {
    const exec = tools.find(({ name }) => name === "functions/exec");
    return toolNames.filter((name) => exec?.description.includes(`mcp__multi_edit__${name}(`) === true);
  },
};

const openCode: AgentKind = {
  name: "opencode",
  folder: "opencode",
  packageName: "opencode-ai",
  setup: "opencode",
  prepare({ put, url }) {
    const options = { baseURL: `${url}/v1`, apiKey: "scripted" };
    const provider = { scripted: { npm: "@ai-sdk/openai-compatible", options, models: { scripted: {} } } };
    put(".config/opencode/opencode.json", JSON.stringify({ model: "scripted/scripted", provider }, undefined, 2));
  },
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1" }),
  command: ({ installed }, prompt) => [join(installed, "opencode/node_modules/.bin/opencode"), "run", prompt],
  call: (tool, args) => ({ tool: `multi-edit_${tool}`, arguments: args }),
  answerIn: (result) => result,
  tools: toolNames,
  declared: declaredWith("multi-edit_"),
};

const openCodePlan: AgentKind = {
  ...openCode,
  name: "opencode, plan agent",
  tools: ["preview_edits", "read_document", "editor_status"],
  refuses: /unavailable|not found|invalid|denied|permission/i,
  command: (place, prompt) => [...openCode.command(place, prompt), "--agent", "plan"],
};

/** Gemini CLI marks each item of a result; it quotes a failed call and its result as JSON. */
function geminiAnswer(result: string): string {
  const failed = / with response: (\[.*\])$/s.exec(result)?.[1];
  if (failed === undefined) {
    const items = result.matchAll(/<untrusted_context>\n([\s\S]*?)\n<\/untrusted_context>/g);
    return [...items].map(([, text]) => text).join("\n");
  }
  const [item] = JSON.parse(failed) as { functionResponse: { response: { content: { text: string }[] } } }[];
  return (item?.functionResponse.response.content ?? []).map(({ text }) => text).join("\n");
}

const geminiCli: AgentKind = {
  name: "Gemini CLI",
  folder: "gemini",
  packageName: "@google/gemini-cli",
  setup: "gemini",
  prepare({ put }) {
    const security = { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } };
    put(".gemini/settings.json", JSON.stringify({ security, model: { name: "gemini-2.5-pro" } }, undefined, 2));
  },
  env: ({ url }) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "scripted" }),
  command: ({ installed }, prompt) => [join(installed, "gemini/node_modules/.bin/gemini"), "-p", prompt],
  call: (tool, args) => ({ tool: `mcp_multi-edit_${tool}`, arguments: args }),
  answerIn: geminiAnswer,
  tools: toolNames,
  declared: declaredWith("mcp_multi-edit_"),
};

/** pi without MCP: the extension replaces its tool `edit` and adds `read_document`. */
const pi: AgentKind = {
  name: "pi",
  folder: "pi",
  packageName: "@earendil-works/pi-coding-agent",
  setup: "pi",
  prepare({ put, url }) {
    const provider = {
      baseUrl: `${url}/v1`,
      api: "openai-completions",
      apiKey: "scripted",
      models: [{ id: "scripted" }],
    };
    put(".pi/agent/models.json", JSON.stringify({ providers: { scripted: provider } }, undefined, 2));
  },
  env: () => ({}),
  command: ({ installed }, prompt) => [
    join(installed, "pi/node_modules/.bin/node"),
    join(installed, "pi/node_modules/@earendil-works/pi-coding-agent/dist/cli.js"),
    ...["-p", prompt, "--provider", "scripted", "--model", "scripted"],
  ],
  call: (tool, args) => ({ tool: tool === "multi_edit" ? "edit" : tool, arguments: args }),
  answerIn: (result) => result,
  tools: ["multi_edit", "read_document"],
  declared: ({ tools }) =>
    toolNames.filter((name) => tools.some((tool) => tool.name === (name === "multi_edit" ? "edit" : name))),
};

/** All agents, each in the modes that differ. */
export const kinds: readonly AgentKind[] = [claude, codexUnknown, codexKnown, openCode, openCodePlan, geminiCli, pi];
