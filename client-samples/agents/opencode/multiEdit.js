/**
 * A plugin for opencode: adds the MCP server, with rules for its tools, and asks `multi-edit hook opencode` about
 * opencode's own tools for files. It needs the program `multi-edit` but no package.
 */
import { spawn } from "node:child_process";

/** opencode's own tools that change files, and those after which there may be something to say. */
const changingTools = ["edit", "write", "apply_patch"];
const answeredTools = [...changingTools, "read", "bash", "grep"];

/** The server's tools that change files. */
const editTools = ["multi-edit_multi_edit", "multi-edit_apply_patch", "multi-edit_undo_last_edit"];

/** The command that starts the program; the variable MULTI_EDIT_PROGRAM may give the full path of another program. */
const installed = ["multi-edit"];
const [program, ...firstArgs] = process.env.MULTI_EDIT_PROGRAM ? [process.env.MULTI_EDIT_PROGRAM] : installed;

/** Options of `multi-edit hook`: with `--apply`, it applies calls in the editor, instead of turning them away. */
const hookOptions = [];

/**
 * Called by opencode for each project that it opens; one process may open several. `directory`: the project's directory.
 */
export const MultiEdit = async ({ directory }) => hooksFor({ directory, mayApply: true });

/**
 * Returns the hooks of one project. `mayApply`: `false` if opencode must ask about edits, or refuse some; then no edit may
 * be applied before opencode sees it.
 */
const hooksFor = ({ directory, mayApply }) => ({
  config: async (config) => {
    mayApply = !limitsEdits(config);
    config.mcp = {
      "multi-edit": {
        type: "local",
        command: [program, ...firstArgs, "mcp", "--timeout", "330"],
        enabled: true,
        timeout: 345_000,
      },
      ...config.mcp,
    };
    config.permission = withRules(config.permission, "allow");
    const plan = config.agent?.plan ?? {};
    config.agent = { ...config.agent, plan: { ...plan, permission: withRules(plan.permission, "deny") } };
  },
  "tool.execute.before": async (call, output) => {
    if (!changingTools.includes(call.tool)) return;
    const answer = await ask({ ...call, args: output.args, directory, mayApply });
    if (answer.deny !== undefined) throw new Error(answer.deny);
    if (answer.args !== undefined) Object.assign(output.args, answer.args);
  },
  "tool.execute.after": async (call, output) => {
    if (!answeredTools.includes(call.tool)) return;
    const answer = await ask({ ...call, directory, output: output.output });
    if (answer.output !== undefined) output.output = answer.output;
  },
});

/** Adds a rule for each of the server's tools that has none; a single rule for all tools is left as it is. */
function withRules(rules, rule) {
  if (typeof rules === "string") return rules;
  return { ...Object.fromEntries(editTools.map((tool) => [tool, rule])), ...rules };
}

/** Reports whether a rule of the user asks about edits, or denies them: for opencode itself, or for one of its agents. */
function limitsEdits({ permission, agent }) {
  return [permission, ...Object.values(agent ?? {}).map((one) => one?.permission)].some((rules) => {
    const ownRules = typeof rules === "object" ? Object.entries(rules ?? {}) : [["*", rules]];
    return ownRules.some(([key, rule]) => meansEdits(key) && /"(?:ask|deny)"/.test(JSON.stringify(rule) ?? ""));
  });
}

/** Reports whether the key of a rule means edits: opencode calls the permission `edit`, and reads `*` and `?` in keys. */
function meansEdits(key) {
  const escaped = key.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  const pattern = escaped.replace(/ \*$/, "*").replaceAll("*", ".*").replaceAll("?", ".");
  return changingTools.some((tool) => new RegExp(`^${pattern}$`, "is").test(tool));
}

/** Asks the program about a call; if it can't be asked, the call goes on. */
function ask(call) {
  return new Promise((resolve) => {
    const args = [...firstArgs, "hook", "opencode", ...hookOptions];
    const child = spawn(program, args, { cwd: call.directory, stdio: ["pipe", "pipe", "ignore"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    child.on("error", () => resolve({}));
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(call));
    child.on("close", () => resolve(parse(text)));
  });
}

function parse(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
