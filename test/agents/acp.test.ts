/** Real agents behind the ACP proxy, in which nothing of the server is set up: their own tools reach the editor. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { neovim } from "../editors/neovim.js";
import { absence as editorAbsence, startSession } from "../editors/session.js";
import { onStage } from "../editors/stage.js";
import { stateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { builtServer } from "../support/wireServer.js";
import type { AgentKind } from "./agent.js";
import { workBeside } from "./beside.js";
import { claude, codexUnknown, geminiCli, qwen } from "./kinds.js";
import { absence, type Conversation, layStage, versionOf } from "./stage.js";
import { layTheatre } from "./theatre.js";

let editor: Program;
beforeAll(async () => {
  editor = await buildProgram(new URL("acpEditor.ts", import.meta.url));
});
afterAll(() => editor.remove());

/** An agent behind the proxy. */
interface Proxied {
  readonly kind: AgentKind;
  /** Set if it connects with the servers of a conversation only after the first prompt. */
  readonly isLate?: true;
  /** The text that its own tool for reading shows; `undefined` if none of its own tools reaches an ACP editor. */
  readonly reads: "the editor's text" | "the disk's text" | undefined;
}

/** The agent as an editor that speaks ACP runs it. `flags`: make it speak ACP. */
const behindProxy = (kind: AgentKind, ...flags: readonly string[]): AgentKind => ({
  ...kind,
  install: () => [],
  shell: { ...kind.shell, flags: [] },
  command(place, prompt) {
    const line = kind.command(place, prompt);
    const rest = line.findIndex((word, i) => i > 0 && !word.includes("/"));
    return proxied(prompt, ...line.slice(0, rest), ...flags);
  },
});

/** An agent that speaks ACP through a program of another package. */
const throughAdapter = (kind: AgentKind, folder: string, name: string): AgentKind => ({
  ...behindProxy(kind),
  folder,
  packageName: `@agentclientprotocol/${name}`,
  command({ installed }, prompt) {
    const modules = join(installed, folder, "node_modules");
    return proxied(prompt, join(modules, ".bin/node"), join(modules, ".bin", name));
  },
});

const proxied = (prompt: string, ...command: readonly string[]): readonly string[] => [
  ...[process.execPath, editor.path, prompt],
  ...["multi-edit", "acp", "--", ...command],
];

const agents: readonly Proxied[] = [
  { kind: behindProxy(geminiCli, "--acp"), reads: "the disk's text" },
  { kind: behindProxy(qwen, "--acp"), reads: "the editor's text", isLate: true },
  { kind: throughAdapter(claude, "claude-acp", "claude-agent-acp"), reads: undefined },
  { kind: throughAdapter(codexUnknown, "codex-acp", "codex-acp"), reads: undefined },
];

for (const agent of agents) {
  const reason = absence(agent.kind);
  if (reason === undefined) describeAgent(agent);
  else it(`${agent.kind.name}: not available`, () => expect(process.env.REQUIRE_AGENTS, reason).not.toBe("1"));
}

const onDisk = "const vat = 0.19;\n";
const typed = "const vat = 0.19; // ask Ann\n";

function describeAgent({ kind, reads, isLate }: Proxied): void {
  describe(`${kind.name} behind the ACP proxy, ${kind.packageName} ${versionOf(kind)}`, { timeout: 240_000 }, () => {
    /** Has the agent work on a file with unsaved text; returns the text in the editor then. */
    async function played(
      play: (path: string, conversation: Conversation) => Promise<void>,
    ): Promise<string | undefined> {
      const stage = await layStage(kind, builtServer);
      stateHome(stage.state);
      const theatre = layTheatre(stage, builtServer);
      try {
        theatre.lay({ "price.ts": onDisk });
        const open = await theatre.openEditor({ "price.ts": typed });
        await theatre.converse((conversation) => play(join(theatre.root, "price.ts"), conversation));
        expect(theatre.disk()).toEqual({ "price.ts": onDisk });
        return open.texts()["price.ts"];
      } finally {
        theatre.close();
        await stage.close();
      }
    }

    if (isLate !== true)
      it("edits unsaved text with the server's tools, which nobody has set up", async () => {
        const text = await played(async (path, { call }) => {
          expect(await call("read_document", { path })).toContain(typed);
          const answer = await call("multi_edit", { edits: [{ path, oldText: "0.19", newText: "0.2" }] });
          expect(answer).toBe("M price.ts, not saved");
        });
        expect(text).toBe(typed.replace("0.19", "0.2"));
      });

    const { ownTools } = kind;
    if (reads === undefined || ownTools?.read === undefined) return;
    const { edit, read, done } = ownTools;
    it(`edits unsaved text with its own tools, and reads ${reads}`, async () => {
      const text = await played(async (path, { callOwn }) => {
        expect(await callOwn(read(path))).toContain(reads === "the editor's text" ? typed.trim() : onDisk.trim());
        expect(await callOwn(edit(path, { oldText: "0.19", newText: "0.2" }))).toMatch(done);
      });
      expect(text).toBe(typed.replace("0.19", "0.2"));
    });
  });
}

describe("Gemini CLI behind the ACP proxy, beside a real Neovim", { timeout: 240_000 }, () => {
  const kind = behindProxy(geminiCli, "--acp");
  const missing = absence(kind) ?? editorAbsence(neovim);
  if (missing !== undefined) it("not available", () => expect(process.env.REQUIRE_AGENTS, missing).not.toBe("1"));
  else
    it("edits a file with unsaved text, and nothing was set up", async () => {
      const session = await startSession(neovim);
      try {
        await onStage(session, async (desk) => {
          desk.lay({ "price.ts": onDisk });
          await desk.open("price.ts");
          await desk.retype("price.ts", typed);
          const { read, edit, done } = kind.ownTools!;
          await workBeside(desk, { kind }, async ({ callOwn }) => {
            await callOwn(read!(desk.path("price.ts")));
            const answer = await callOwn(edit(desk.path("price.ts"), { oldText: "0.19", newText: "0.2" }));
            expect(answer).toMatch(done);
          });
          expect(await desk.held()).toEqual({ "price.ts": typed.replace("0.19", "0.2") });
          expect(desk.disk()).toEqual({ "price.ts": onDisk });
        });
      } finally {
        await session.stop();
      }
    });
});
