/**
 * One ordinary call to a server in this process: two edits in an open document, and the code that runs for them in the
 * server and, if an agent sends the call, in the agent's own process, which is this one, too.
 */
import { deepStrictEqual } from "node:assert";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type McpAgent, runApplyingHook, startMcpAgent } from "./agents.js";
import { type Client, startClient } from "./client.js";
import { type RanFile, startCoverage } from "./coverage.js";

/**
 * `propose`: the client gets the edit. `apply`: the server has the client apply the edit and verifies the result.
 * `disk`: the same as `apply`, with an additional edit to a file that is not open. `agent`: an agent has read the
 * document over MCP, the user has typed in it since, and the agent sends the edits over MCP. `hook`: the user has typed,
 * and the agent's hook applies a call of the agent's own tool, which has one edit.
 */
export const walkNames = ["propose", "apply", "disk", "agent", "hook"] as const;

/** The name of the call to serve. */
export type WalkName = (typeof walkNames)[number];

const openText = `import { rate } from "./rate.js";

/** The price with tax, in cents. */
export function gross(net: number): number {
  const tax = net * rate;
  return Math.round(net + tax);
}
`;
const openAfter = openText.replace("net * rate", "Math.ceil(net * rate)").replace("Math.round(net + tax)", "net + tax");
const openHooked = openText.replace("net * rate", "Math.ceil(net * rate)");
/** What the user has typed since the agent has read the text. */
const typed = "// Taxes.\n";
const closedText = "export const rate = 0.19;\n";
const closedAfter = "export const rate = 0.2;\n";

const openEdits = [
  { path: "price.ts", oldText: "const tax = net * rate;", newText: "const tax = Math.ceil(net * rate);" },
  { path: "price.ts", oldText: "return Math.round(net + tax);", newText: "return net + tax;" },
];
const closedEdit = { path: "rate.ts", oldText: closedText.trim(), newText: closedAfter.trim() };

/**
 * Serves the call as the first one in a new session of the server compiled into this folder. Throws if the call does
 * not have the expected outcome. The server keeps running.
 */
export async function walkOnce(name: WalkName, compiled: string): Promise<RanFile[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-walk-")));
  try {
    for (const name of ["STATE", "CONFIG"]) process.env[`XDG_${name}_HOME`] = join(folder, name);
    const root = join(folder, "project");
    mkdirSync(root);
    const [open, closed] = [join(root, "price.ts"), join(root, "rate.ts")];
    writeFileSync(open, openText);
    writeFileSync(closed, closedText);
    const isAgent = name === "agent" || name === "hook";
    const client = await startClient(compiled, root, isAgent);
    await client.open(pathToFileURL(open).href, openText);
    const agent = name === "agent" ? await startMcpAgent(compiled, root) : undefined;
    await agent?.call("read_document", { path: "price.ts" });
    if (isAgent) await client.type(typed);
    const coverage = await startCoverage(compiled);
    stopClock();
    const outcome = agent === undefined ? await callOf(name, client, { compiled, open }) : await editAs(agent);
    const ran = await coverage.take();
    const expected = {
      propose: { outcome: "proposed", open: openText, closed: closedText },
      apply: { outcome: "applied", open: openAfter, closed: closedText },
      disk: { outcome: "applied", open: openAfter, closed: closedAfter },
      agent: { outcome: "applied", open: typed + openAfter, closed: closedText },
      hook: { outcome: "applied", open: typed + openHooked, closed: closedText },
    }[name];
    deepStrictEqual({ outcome, open: client.text(), closed: readFileSync(closed, "utf8") }, expected);
    return ran;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Stops the server's clock; on a busy machine, the code for slow calls would otherwise run as well. */
function stopClock(): void {
  const now = performance.now();
  performance.now = () => now;
}

/** Sends the edits over MCP; returns the outcome, or the answer if it is another one. */
async function editAs(agent: McpAgent): Promise<string> {
  const text = await agent.call("multi_edit", { edits: openEdits });
  return text === "M price.ts, not saved" ? "applied" : text;
}

/** Runs the hook with a call of the agent's own tool; returns the outcome, or the answer if it is another one. */
async function hookOnce(compiled: string, path: string): Promise<string> {
  const { oldText, newText } = openEdits[0]!;
  const answer = await runApplyingHook(compiled, {
    session_id: "95af993c",
    cwd: dirname(path),
    permission_mode: "acceptEdits",
    hook_event_name: "PreToolUse",
    tool_name: "Edit",
    tool_input: { file_path: path, old_string: oldText, new_string: newText },
    tool_use_id: "toolu_1",
  });
  return /Done\. This call was applied in the user's editor/.test(answer) ? "applied" : answer;
}

async function callOf(
  name: WalkName,
  client: Client,
  { compiled, open }: { readonly compiled: string; readonly open: string },
): Promise<string> {
  if (name === "hook") return hookOnce(compiled, open);
  const call = { edits: name === "disk" ? [...openEdits, closedEdit] : openEdits };
  const { outcome } = await (name === "propose" ? client.propose(call) : client.apply(call));
  return outcome;
}
