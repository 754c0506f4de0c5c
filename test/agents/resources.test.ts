/** What real agents do with MCP's resources and questions: `@` gives unsaved text, and no agent answers for its user. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { stateHome } from "../support/agentPeer.js";
import { builtServer } from "../support/wireServer.js";
import type { AgentKind } from "./agent.js";
import { claude, codexUnknown, copilot, geminiCli, qwen } from "./kinds.js";
import { absence, layStage, type Stage } from "./stage.js";
import { layTheatre, type Theatre } from "./theatre.js";

/** Agents whose user may write a resource into the prompt. Claude does not read it for a prompt on its command line. */
const readers: readonly AgentKind[] = [geminiCli, qwen];
/** Agents that announce questions to the user, run without one. */
const askers: readonly AgentKind[] = [claude, codexUnknown, copilot];

async function onStage<T>(kind: AgentKind, run: (theatre: Theatre, stage: Stage) => Promise<T>): Promise<T> {
  const stage = await layStage(kind, builtServer);
  stateHome(stage.state);
  const theatre = layTheatre(stage, builtServer);
  try {
    return await run(theatre, stage);
  } finally {
    theatre.close();
    await stage.close();
  }
}

for (const kind of [...readers, ...askers]) {
  const reason = absence(kind);
  if (reason !== undefined)
    it(`${kind.name}: not available`, () => expect(process.env.REQUIRE_AGENTS, reason).not.toBe("1"));
}

const isHere = (kind: AgentKind): boolean => absence(kind) === undefined;

for (const kind of readers.filter(isHere))
  it(`a resource in the prompt gives the model of ${kind.name} the typed text`, { timeout: 120_000 }, () =>
    onStage(kind, async (theatre, stage) => {
      theatre.lay({ "price.ts": "const rate = 1;\n" });
      await theatre.openEditor({ "price.ts": "const rate = 1; // typed\n" });
      await delay(500);
      const prompt = `Read @multi-edit:file://${theatre.root}/price.ts`;
      const said = await stage.converse(theatre.root, async ({ first }) => first.said.join("\n"), { prompt });
      expect(said).toContain("const rate = 1; // typed");
      expect(said).toContain("from the editor, including unsaved changes");
    }),
  );

for (const kind of [claude].filter(isHere))
  it(`a resource that the model of ${kind.name} asks for has the typed text`, { timeout: 120_000 }, () =>
    onStage(kind, async (theatre) => {
      theatre.lay({ "price.ts": "const rate = 1;\n" });
      await theatre.openEditor({ "price.ts": "const rate = 1; // typed\n" });
      const uri = `file://${theatre.root}/price.ts`;
      const call = { tool: "ReadMcpResourceTool", arguments: { server: "multi-edit", uri } };
      const read = await theatre.converse(({ callOwn }) => callOwn(call));
      expect(read).toContain("const rate = 1; // typed");
    }),
  );

for (const kind of askers.filter(isHere))
  it(`a question to a user who is not there is not answered with yes by ${kind.name}`, { timeout: 120_000 }, () =>
    onStage(kind, async (theatre) => {
      theatre.lay({ ".npmrc": "one\n" });
      const call = { edits: [{ path: ".npmrc", oldText: "one", newText: "two" }] };
      const answer = await theatre.converse(({ call: tool }) => tool("multi_edit", call));
      expect(answer).toMatch(/The user (?:rejected|closed the question about) "\.npmrc \(1 edit\)"/);
      expect(theatre.disk()).toEqual({ ".npmrc": "one\n" });
    }),
  );
