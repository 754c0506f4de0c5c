import { it } from "vitest";
import { play } from "./identities/play.js";
import { drawStory, emptyTally } from "./identities/story.js";

it("x", () => {
  for (const seed of [
    200691, 200788, 203547, 206891, 210992, 222196, 224925, 230130, 232634, 234137, 242211, 242534, 243543, 247950,
    254958, 258388, 265915, 266062, 267646, 269203, 271671, 271896, 276789, 277130, 277817,
  ]) {
    const o = play(drawStory(seed, { isWhole: false }), emptyTally());
    console.log(seed, o?.kind, o?.why);
  }
});
