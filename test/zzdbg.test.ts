import { it } from "vitest";
import { play } from "./identities/play.js";
import { shortest } from "./identities/shrink.js";
import { drawStory, emptyTally } from "./identities/story.js";

it("x", () => {
  const seed = Number(process.env.SEED);
  const story = drawStory(seed, { isWhole: process.env.WHOLE === "1" });
  const dbg = process.env.DBGX;
  const o = play(story, emptyTally())!;
  const short = shortest(story, o);
  console.log(short.objection.kind + " " + short.objection.why + "\n" + short.objection.script.join("\n"));
  process.env.DBG = dbg;
  console.log("==========");
  play(short.story, emptyTally());
});
