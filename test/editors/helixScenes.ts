/** A feature that only the sample for Helix has: a key that sends the selected call. */
import { batch } from "../support/desk.js";
import { done, expectTexts, type Scene } from "./scenes.js";

/** Scenes that run only in Helix. */
export const helixScenes: readonly Scene[] = [
  {
    name: "a key that applies the selected call",
    doors: ["command"],
    run: async (stage, _door, traits) => {
      const call = `${JSON.stringify(batch(["a.txt", "50%", "%{x} 100% 😀"]))}\n`;
      stage.lay({ "a.txt": "one\n50%\n", "call.txt": call });
      await stage.open("a.txt", "call.txt");
      const mark = stage.wire.messages.length;
      // Selects everything, then presses Ctrl-E.
      await stage.driver.run!("%\u0005");
      await stage.wire.answerOfCommand(mark);
      await stage.driver.settle!();
      await expectTexts(stage, { "a.txt": "one\n%{x} 100% 😀\n", "call.txt": call }, traits);
      return done;
    },
  },
];
