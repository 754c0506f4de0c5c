/** Runs real agents with the server, set up as `multi-edit setup NAME --write` does it. */
import { describe, expect, it } from "vitest";
import { stateHome } from "../support/agentPeer.js";
import { columnOf, type ResultTable, writeColumn } from "../support/resultTable.js";
import { builtServer } from "../support/wireServer.js";
import type { AgentKind } from "./agent.js";
import { hookScenes } from "./hookScenes.js";
import { kinds } from "./kinds.js";
import { questionScenes } from "./questions.js";
import { type Scene, scenes } from "./scenes.js";
import { absence, layStage, versionOf } from "./stage.js";
import { layTheatre } from "./theatre.js";

const table: ResultTable = {
  page: new URL("../../client-samples/agents/README.md", import.meta.url),
  variable: "UPDATE_AGENTS",
};

/** The agents that can't be run here, by the reason. */
const absent = new Map<string, string[]>();
for (const kind of kinds) {
  const reason = absence(kind);
  if (reason === undefined) describeAgent(kind);
  else absent.set(reason, [...(absent.get(reason) ?? []), kind.name]);
}

for (const [reason, names] of absent) {
  it(`${names.join("; ")}: not available`, () => {
    const leftOut = `left out: the tests with the real ${names.join("; ")}: ${reason}`;
    if (process.env.REQUIRE_AGENTS === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
}

function describeAgent(kind: AgentKind): void {
  const name = `${kind.name} ${versionOf(kind)}`;
  const column = new Map<string, string>();
  describe(name, { timeout: 240_000 }, () => {
    for (const scene of [...scenes, ...questionScenes, ...hookScenes])
      it(scene.name, async () => void column.set(scene.name, await play(kind, scene)));
    it("has the results that the table of client-samples/agents/README.md shows", async () => {
      if (process.env.UPDATE_AGENTS === "1") await writeColumn(table, name, column);
      expect(Object.fromEntries(columnOf(table, name) ?? [])).toEqual(Object.fromEntries(column));
    });
  });
}

/** Plays a scene in a home and a project of its own; returns the cell. */
async function play(kind: AgentKind, scene: Scene): Promise<string> {
  if (scene.hook !== undefined && kind.ownTools === undefined) return "no hook";
  const stage = await layStage(kind, builtServer, scene.hook);
  stateHome(stage.state);
  const theatre = layTheatre(stage, builtServer);
  try {
    return await scene.run(theatre);
  } finally {
    theatre.close();
    await stage.close();
  }
}
