/** What real agents do with the server, set up as `multi-edit setup NAME --write` does it. */
import { afterAll, beforeAll, describe, it } from "vitest";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { layDesk } from "../support/desk.js";
import { kinds } from "./kinds.js";
import { scenes } from "./scenes.js";
import { absence, layStage } from "./stage.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

for (const kind of kinds) {
  const missing = absence(kind);
  describe(kind.name, { timeout: 120_000 }, () => {
    if (missing !== undefined) {
      it("is not available", () => console.log(missing));
      return;
    }
    for (const scene of scenes) {
      it(scene.name, async () => {
        const state = ownStateHome();
        const desk = await layDesk(program, { clientInfo: { name: "Tester" }, ...scene.desk });
        await announced(state);
        const stage = await layStage(kind, program.path, state);
        try {
          const cell = await scene.run({
            stage,
            desk,
            converse: (play, folder = desk.root) => stage.converse(folder, play),
          });
          console.log(`${kind.name} | ${scene.name} | ${cell}`);
        } finally {
          await stage.close();
        }
      });
    }
  });
}
