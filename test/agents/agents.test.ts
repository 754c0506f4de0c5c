/** What real agents do with the server, set up as `multi-edit setup NAME --write` does it. */
import { describe, expect, it } from "vitest";
import { stateHome } from "../support/agentPeer.js";
import { builtServer } from "../support/wireServer.js";
import { kinds } from "./kinds.js";
import { scenes } from "./scenes.js";
import { absence, layStage } from "./stage.js";
import { layTheatre } from "./theatre.js";

for (const kind of kinds) {
  const missing = absence(kind);
  describe(kind.name, { timeout: 120_000 }, () => {
    if (missing !== undefined) {
      it("is not available", () => console.log(missing));
      return;
    }
    for (const scene of scenes) {
      it(scene.name, async () => {
        const stage = await layStage(kind, builtServer);
        stateHome(stage.state);
        const theatre = layTheatre(stage, builtServer);
        try {
          console.log(`${kind.name} | ${scene.name} | ${await scene.run(theatre)}`);
        } finally {
          theatre.close();
          await stage.close();
        }
      });
    }
  });
}
void expect;
