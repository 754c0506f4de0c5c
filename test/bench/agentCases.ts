/** Cases about agents: how quickly they get an answer, and how many tokens it costs them. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { median, race, uncertainty } from "./race.js";
import type { BenchCase, Goal, Row } from "./result.js";
import { rounds } from "./scale.js";
import { connect } from "./server.js";

/** The built program, which the benchmark's own build has just made. */
const program = join(process.cwd(), "dist", "main.cjs");

/** Ways to start the program, by name; `limit`: the goal as a multiple of the time of `node -e 0`. */
const starts = [
  { name: "mcp, to the answer to initialize", args: ["mcp"], limit: 3, endsWithAnswer: true, input: "initialize" },
  { name: "apply, one edit of a closed file", args: ["apply"], limit: 3, endsWithAnswer: false, input: "call" },
  { name: "sessions", args: ["sessions"], limit: 2, endsWithAnswer: false, input: "" },
  { name: "hook, an edit of another file", args: ["hook", "claude"], limit: 2.3, endsWithAnswer: false, input: "free" },
  { name: "hook, an edit of unsaved text", args: ["hook", "claude"], limit: 2.6, endsWithAnswer: false, input: "edit" },
  {
    name: "hook --apply, an edit of unsaved text",
    args: ["hook", "gemini", "--apply"],
    limit: 2.6,
    endsWithAnswer: false,
    input: "applied",
  },
  { name: "hook, a read of unsaved text", args: ["hook", "claude"], limit: 2.6, endsWithAnswer: false, input: "read" },
  { name: "hook, after a command", args: ["hook", "claude"], limit: 2.3, endsWithAnswer: false, input: "command" },
] as const;

const agentStart: BenchCase = {
  name: "agentStart",
  title: "agents: from the start of a command to its answer",
  isOfProcess: true,
  async measure(scale) {
    const folder = mkdtempSync(join(tmpdir(), "multi-edit-bench-agent-"));
    const rows: Row[] = [];
    let editor: UnsavedEditor | undefined;
    try {
      for (const { name, args, limit, endsWithAnswer, input } of starts) {
        // With an editor that has the folder, the other commands would take another way.
        if (args[0] === "hook") editor ??= await openUnsaved(folder, "unsaved.txt");
        let count = 0;
        const run = async (): Promise<void> => {
          // Each call undoes the one before.
          const [oldText, newText] = count++ % 2 === 0 ? ["one", "two"] : ["two", "one"];
          const inputs = {
            initialize: `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} })}\n`,
            call: JSON.stringify({ path: "a.txt", oldText, newText }),
            free: eventOf("PreToolUse", "Edit", folder, "a.txt"),
            edit: eventOf("PreToolUse", "Edit", folder),
            read: eventOf("PostToolUse", "Read", folder),
            command: eventOf("PostToolUse", "Bash", folder),
            applied: JSON.stringify({
              ...{ hook_event_name: "BeforeTool", tool_name: "replace", cwd: folder, session_id: "1" },
              tool_input: { file_path: "unsaved.txt", old_string: oldText, new_string: newText },
            }),
            "": "",
          };
          await runProgram([program, ...args], { folder, input: inputs[input], endsWithAnswer });
        };
        writeFileSync(join(folder, "a.txt"), "one\n");
        const contenders = { ours: { run }, node: { run: async () => runProgram(["-e", "0"], { folder }) } };
        const times = await race(contenders, { ...rounds(15, scale), collect: false });
        if (input === "applied" && editor?.applied() !== count)
          throw new Error("the editor has not applied every call");
        const [ours, node] = [median(times.ours), median(times.node)];
        rows.push({
          name,
          times: { ours, "node -e 0": node },
          uncertainty: uncertainty(times.node),
          goals: [{ measure: "x node -e 0", value: ours / node, limit, sense: "atMost", unit: "x" }],
        });
      }
    } finally {
      editor?.close();
      rmSync(folder, { recursive: true, force: true });
    }
    return { rows };
  },
};

/** The event of one of Claude Code's own tools, for the file with unsaved text or another one. */
const eventOf = (hook_event_name: string, tool_name: string, cwd: string, file = "unsaved.txt"): string => {
  const tool_input = { file_path: join(cwd, file), old_string: "one", new_string: "two", command: "make" };
  return JSON.stringify({ hook_event_name, tool_name, tool_input, cwd, session_id: "1", tool_use_id: "1" });
};

/** An editor with unsaved text. */
interface UnsavedEditor {
  /** Number of calls that it has applied. */
  applied(): number;
  close(): void;
}

/** Opens a file in an editor, with unsaved text; agents find its session in a state folder of the benchmark's own. */
async function openUnsaved(folder: string, name: string): Promise<UnsavedEditor> {
  const before = process.env.XDG_STATE_HOME;
  const state = join(folder, "state");
  process.env.XDG_STATE_HOME = state;
  writeFileSync(join(folder, name), "one\n");
  const { child, connection } = await connect(folder);
  const uri = pathToFileURL(join(folder, name)).href;
  const textDocument = { uri, languageId: "plaintext", version: 1, text: "unsaved\none\n" };
  connection.onRequest("workspace/applyEdit", async () => {
    // The calls replace the last line in turn by these two texts.
    const text = textDocument.version++ % 2 === 1 ? "unsaved\ntwo\n" : "unsaved\none\n";
    const { version } = textDocument;
    await connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
    return { applied: true };
  });
  await connection.sendNotification("textDocument/didOpen", { textDocument });
  const sessions = join(state, "multi-edit-language-server", "sessions");
  while (!existsSync(sessions) || !readdirSync(sessions).some((one) => one.endsWith(".json"))) await delay(20);
  return {
    applied: () => textDocument.version - 1,
    close() {
      if (before === undefined) delete process.env.XDG_STATE_HOME;
      else process.env.XDG_STATE_HOME = before;
      connection.dispose();
      child.kill("SIGKILL");
    },
  };
}

/** Runs Node to its end or, with `endsWithAnswer`, to its first output. */
function runProgram(
  args: readonly string[],
  { folder, input = "", endsWithAnswer = false }: { folder: string; input?: string; endsWithAnswer?: boolean },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
    child.once("error", reject);
    child.once("exit", () => resolve());
    child.stdin.on("error", () => undefined);
    if (endsWithAnswer) {
      child.stdout.once("data", () => child.kill("SIGKILL"));
      child.stdin.write(input);
    } else {
      child.stdout.resume();
      child.stdin.end(input);
    }
  });
}

/** A number of tokens, which is a goal without a time. */
const tokens = (value: number, limit: number): Goal => ({
  measure: "tokens",
  value,
  limit,
  sense: "atMost",
  unit: "",
});
const countOf = (text: string): number => encode(text).length;

/** Answers of agents' own tools to one edit, as the tools of these versions word them. */
const ownAnswers = {
  "Claude Code 2.1.330":
    "The file /home/me/shop/price.ts has been updated successfully. (file state is current in your context — no need to Read it back)",
  "opencode 1.18.33": "Edit applied successfully.",
  "pi 0.87.1": "Successfully replaced 1 block(s) in price.ts.",
} as const;

/** The tokens of the agents' own answers. Each tool is called once for each edit. */
const ownTokens = (calls: number): string =>
  Object.entries(ownAnswers)
    .map(([agent, answer]) => `${agent} ${calls * countOf(answer)}`)
    .join(", ");

const agentTokens: BenchCase = {
  name: "agentTokens",
  title: "agents: tokens of announcements and answers",
  isOfProcess: true,
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), "multi-edit-bench-agent-"));
    writeFileSync(join(folder, "price.ts"), `const rate = 1;\n${"use(rate);\n".repeat(400)}  indented();\n`);
    writeFileSync(join(folder, "tax.ts"), "const low = 2;\nconst high = 3;\nif (low) {\n    one();\n    two();\n}\n");
    const client = new Client({ name: "bench", version: "1" });
    const command = { command: process.execPath, args: [program, "mcp"], cwd: folder };
    await client.connect(new StdioClientTransport({ ...command, env: process.env as Record<string, string> }));
    try {
      const call = async (edits: readonly object[]): Promise<string> => {
        const { content } = await client.callTool({ name: "multi_edit", arguments: { edits } });
        return (content as { text: string }[]).map(({ text }) => text).join("\n");
      };
      const { tools } = await client.listTools();
      const announced = (name: string): number =>
        countOf(
          JSON.stringify(
            tools
              .filter((tool) => tool.name === name)
              .map(({ description, inputSchema }) => ({ name, description, inputSchema })),
          ),
        );
      const edit = (path: string, oldText: string, newText: string, more: object = {}): object => ({
        path,
        oldText,
        newText,
        ...more,
      });
      const answers = {
        "one word": await call([edit("price.ts", "const rate = 1", "const rates = 1")]),
        "4 edits in 2 files": await call([
          edit("price.ts", "const rates = 1", "const rate = 1"),
          edit("price.ts", "  indented();", "  shifted();"),
          edit("tax.ts", "low = 2", "low = 4"),
          edit("tax.ts", "high = 3", "high = 5"),
        ]),
        "400 places": await call([edit("price.ts", "use(rate)", "apply(rate)", { replaceAll: true })]),
      };
      const one = await call([edit("tax.ts", "low = 4", "low = 6")]);
      const found = await call([edit("tax.ts", "one();\ntwo();", "one();\nsix();")]);
      const limits = { "one word": 20, "4 edits in 2 files": 40, "400 places": 40 } as const;
      return {
        rows: [
          ...(Object.keys(limits) as (keyof typeof limits)[]).map((name) => ({
            name: `answer to ${name}`,
            times: {},
            goals: [tokens(countOf(answers[name]), limits[name])],
            note: `own tools: ${ownTokens(name === "4 edits in 2 files" ? 4 : 1)}`,
          })),
          { name: "each further fact", times: {}, goals: [tokens(countOf(found) - countOf(one), 15)] },
          { name: "preview_edits, announced", times: {}, goals: [tokens(announced("preview_edits"), 150)] },
          { name: "undo_last_edit, announced", times: {}, goals: [tokens(announced("undo_last_edit"), 60)] },
        ],
      };
    } finally {
      await client.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** All cases about agents. */
export const agentCases: readonly BenchCase[] = [agentStart, agentTokens];
