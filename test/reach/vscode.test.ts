/** The first scenes in a real VS Code, with the packed extension: `npm run vsix` makes it, and `.ci/vscode` installs VS Code. */
import { afterAll, describe, expect, it } from "vitest";
import { scenes } from "../editors/scenes.js";
import { type Session, startSession } from "../editors/session.js";
import { onStage } from "../editors/stage.js";
import { vscode } from "./vscode.js";
import { absenceOfVsCode } from "./vscodeInstallation.js";

const names = [
  "CRLF, with new lines",
  "byte order mark",
  "no final newline",
  "500 edits in one file",
  "an edit in one of three files fails",
];

const missing = absenceOfVsCode();
if (missing !== undefined) {
  it("VS Code is not available", () => {
    const leftOut = `left out: what a real VS Code does with the edits: ${missing}`;
    if (process.env.REQUIRE_REACH === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  describe("VS Code", { timeout: 120_000 }, () => {
    let session: Session | undefined;
    afterAll(() => session?.stop());

    it.each(scenes.filter(({ name }) => names.includes(name)))("$name", async (scene) => {
      session ??= await startSession(vscode);
      const wanted = scene.name === "an edit in one of three files fails" ? "nothing changed" : "done";
      expect(await onStage(session, (stage) => scene.run(stage, "command", vscode.traits))).toBe(wanted);
    });
  });
}
