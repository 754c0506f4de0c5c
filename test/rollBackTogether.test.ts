/** The roll-back of texts that an editor took in one edit. */
import { expect, it } from "vitest";
import { layDesk, serverForDesks, throughEditor } from "./support/desk.js";
import { takesAll } from "./support/takesAll.js";
import { three, threeEdits } from "./support/threeDocuments.js";

const program = serverForDesks();

it("sends one edit for each document if the editor refuses the one for all", async () => {
  const desk = await layDesk(program, { ...takesAll, proofTimeout: 400, open: three });
  // The three texts, the new file, the roll-back of all texts, and then that of each.
  desk.editor.behave("honest", "refuses", "refusesLast", "honest");
  const withNewFile = throughEditor({
    edits: [...threeEdits.edits, { path: "new.txt", oldText: "", newText: "new\n" }],
  });
  await desk.apply(withNewFile).catch(() => undefined);
  expect(desk.texts()).toEqual(three);
});
