/** Checks that an agent whose conversation is resumed can undo the edits that it made before. */
import { describe, expect, it } from "vitest";
import { stateHome } from "../support/agentPeer.js";
import { builtServer } from "../support/wireServer.js";
import type { AgentKind } from "./agent.js";
import { kinds } from "./kinds.js";
import { absence, layStage, versionOf } from "./stage.js";
import { layTheatre } from "./theatre.js";

const texts = { "a.txt": "one\n", "b.txt": "one\n" };
const edits = Object.keys(texts).map((path) => ({ path, oldText: "one", newText: "two" }));

for (const kind of kinds.filter((one) => one.resumed !== undefined)) {
  const reason = absence(kind);
  if (reason === undefined) describeResumed(kind);
  else it(`${kind.name}: not available`, () => expect(process.env.REQUIRE_AGENTS, reason).not.toBe("1"));
}

function describeResumed(kind: AgentKind): void {
  describe(`${kind.name} ${versionOf(kind)}, in a resumed conversation`, { timeout: 240_000 }, () => {
    it("undoes the edit that it made before, in the editor and on disk, and is told its files and lines", async () => {
      const stage = await layStage(kind, builtServer);
      stateHome(stage.state);
      const theatre = layTheatre(stage, builtServer);
      try {
        theatre.lay(texts);
        const editor = await theatre.openEditor({ "a.txt": "// typed\none\n" });
        const done = "M a.txt, not saved\nM b.txt, on disk (no editor has it open)";
        expect(await theatre.converse(({ call }) => call("multi_edit", { edits }))).toBe(done);
        expect(editor.texts()).toEqual({ "a.txt": "// typed\ntwo\n" });
        const undo = () => stage.converse(theatre.root, ({ call }) => call("undo_last_edit", {}), { isResumed: true });
        expect(await undo()).toMatch(/^Undone:\nM a\.txt, line 2, not saved\nM b\.txt, line 1, on disk \(.*\)$/);
        expect(editor.texts()).toEqual({ "a.txt": "// typed\none\n" });
        expect(theatre.disk()).toEqual(texts);
        expect(await undo()).toMatch(/^There is no edit of yours that can be undone\./);
      } finally {
        theatre.close();
        await stage.close();
      }
    });

    it("does not undo the edit of another conversation", async () => {
      const stage = await layStage(kind, builtServer);
      stateHome(stage.state);
      const theatre = layTheatre(stage, builtServer);
      try {
        theatre.lay(texts);
        await theatre.converse(({ call }) => call("multi_edit", { edits }));
        const answer = await theatre.converse(({ call }) => call("undo_last_edit", {}));
        expect(answer).toMatch(/^There is no edit of yours that can be undone\./);
      } finally {
        theatre.close();
        await stage.close();
      }
    });
  });
}
